-- mem.used
-- type double, semantics instant, units Kbyte
-- hosts without values, which sql --problems finds: 3
--   text: its values are of type string, those of other hosts of type 64-bit unsigned int
--   unsupported: not in SQL: the type of the metric is Not Supported: it has no values
--   without: unknown metric mem.used
WITH
hosts AS ( -- what the tables of each host say of the metrics
  SELECT host,
    coalesce(max(CASE WHEN metric = 'mem.used' THEN says END), 'missing') AS m1
  FROM (
    SELECT host, metric, CASE WHEN min(says) = max(says) THEN min(says) ELSE concat(min(says), ' and ', max(says)) END AS says
    FROM (
      SELECT host, metric, concat(type, ', ', semantics, ', units ', CASE WHEN units = '' THEN 'none' ELSE units END,
        CASE WHEN indom IS NULL THEN '' ELSE ', with instances' END) AS says
      FROM (SELECT *, decodeURLComponent(extract(_path, '/host=([^/]*)/')) AS host FROM file('out/metrics/**/*.parquet', 'Parquet') SETTINGS use_hive_partitioning = 0)
      WHERE metric IN ('mem.used')
    ) AS x
    GROUP BY host, metric
  ) AS x
  GROUP BY host
),
hosts1 AS (SELECT host FROM hosts WHERE m1 = '64-bit unsigned int, instant, units Kbyte'),
hosts2 AS (SELECT host FROM hosts WHERE m1 = '32-bit unsigned int, instant, units byte'),
hosts3 AS (SELECT host FROM hosts WHERE m1 = 'double, discrete, units Kbyte'),
hosts4 AS (SELECT host FROM hosts WHERE m1 = '64-bit unsigned int, instant, units Mbyte'),
t1 AS ( -- mem.used
  SELECT host, seg, time, record, assumeNotNull(u64) AS value
  FROM (SELECT *, decodeURLComponent(extract(_path, '/host=([^/]*)/')) AS host, decodeURLComponent(extract(_path, '/date=([^/]*)/')) AS date FROM file('out/values/**/*.parquet', 'Parquet') SETTINGS use_hive_partitioning = 0)
  WHERE metric = 'mem.used' AND u64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t2 AS ( -- mem.used
  SELECT host, seg, time, record, CAST(assumeNotNull(u64) AS Int64) AS value
  FROM (SELECT *, decodeURLComponent(extract(_path, '/host=([^/]*)/')) AS host, decodeURLComponent(extract(_path, '/date=([^/]*)/')) AS date FROM file('out/values/**/*.parquet', 'Parquet') SETTINGS use_hive_partitioning = 0)
  WHERE metric = 'mem.used' AND u64 IS NOT NULL AND host IN (SELECT host FROM hosts2)
),
t3 AS ( -- mem.used
  SELECT host, seg, time, record, toInt64(toUInt32(intDiv(toInt64(value * 1024 + 524288), toInt64(1048576)))) AS value
  FROM t2
),
t4 AS ( -- mem.used
  SELECT host, seg, time, record, assumeNotNull(f64) AS value
  FROM (SELECT *, decodeURLComponent(extract(_path, '/host=([^/]*)/')) AS host, decodeURLComponent(extract(_path, '/date=([^/]*)/')) AS date FROM file('out/values/**/*.parquet', 'Parquet') SETTINGS use_hive_partitioning = 0)
  WHERE metric = 'mem.used' AND f64 IS NOT NULL AND host IN (SELECT host FROM hosts3)
),
t5 AS ( -- mem.used
  SELECT host, seg, time, record, assumeNotNull(u64) AS value
  FROM (SELECT *, decodeURLComponent(extract(_path, '/host=([^/]*)/')) AS host, decodeURLComponent(extract(_path, '/date=([^/]*)/')) AS date FROM file('out/values/**/*.parquet', 'Parquet') SETTINGS use_hive_partitioning = 0)
  WHERE metric = 'mem.used' AND u64 IS NOT NULL AND host IN (SELECT host FROM hosts4)
),
t6 AS ( -- mem.used
  SELECT host, seg, time, record, toUInt64(intDiv(toUInt64(value * 1024 + 0), toUInt64(1))) AS value
  FROM t5
)
SELECT time, host, inst, instance, value
FROM (
  SELECT time, host, CAST(NULL AS Nullable(Int32)) AS inst, CAST(NULL AS Nullable(String)) AS instance, CAST(value AS Float64) AS value
  FROM t1
  UNION ALL
  SELECT time, host, CAST(NULL AS Nullable(Int32)) AS inst, CAST(NULL AS Nullable(String)) AS instance, CAST(value AS Float64) AS value
  FROM t3
  UNION ALL
  SELECT time, host, CAST(NULL AS Nullable(Int32)) AS inst, CAST(NULL AS Nullable(String)) AS instance, CAST(value AS Float64) AS value
  FROM t4
  UNION ALL
  SELECT time, host, CAST(NULL AS Nullable(Int32)) AS inst, CAST(NULL AS Nullable(String)) AS instance, CAST(value AS Float64) AS value
  FROM t6
) AS x
ORDER BY host, time, inst
