-- avg(load)
-- type float, semantics instant, units none
WITH
hosts AS ( -- what the tables of each host say of the metrics
  SELECT host,
    coalesce(max(CASE WHEN metric = 'load' THEN says END), 'missing') AS m1
  FROM (
    SELECT host, metric, CASE WHEN min(says) = max(says) THEN min(says) ELSE concat(min(says), ' and ', max(says)) END AS says
    FROM (
      SELECT host, metric, concat(type, ', ', semantics, ', units ', CASE WHEN units = '' THEN 'none' ELSE units END,
        CASE WHEN indom IS NULL THEN '' ELSE ', with instances' END) AS says
      FROM (SELECT *, decodeURLComponent(extract(_path, '/host=([^/]*)/')) AS host FROM file('out/metrics/**/*.parquet', 'Parquet') SETTINGS use_hive_partitioning = 0)
      WHERE metric IN ('load')
    ) AS x
    GROUP BY host, metric
  ) AS x
  GROUP BY host
),
hosts1 AS (SELECT host FROM hosts WHERE m1 = 'float, instant, units none, with instances'),
t1 AS ( -- load
  SELECT host, seg, time, record, assumeNotNull(inst) AS inst, position, instance, CAST(assumeNotNull(f64) AS Float32) AS value
  FROM (SELECT *, decodeURLComponent(extract(_path, '/host=([^/]*)/')) AS host, decodeURLComponent(extract(_path, '/date=([^/]*)/')) AS date FROM file('out/values/**/*.parquet', 'Parquet') SETTINGS use_hive_partitioning = 0)
  WHERE metric = 'load' AND f64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t2 AS ( -- avg(load)
  SELECT host, seg, time, record, inst, position, instance, CAST(value / CAST(count(*) OVER (PARTITION BY host, seg, time, record) AS Float32) AS Float32) AS value
  FROM t1
),
t3 AS ( -- records with load
  SELECT host, seg, time, record
  FROM (SELECT *, decodeURLComponent(extract(_path, '/host=([^/]*)/')) AS host, decodeURLComponent(extract(_path, '/date=([^/]*)/')) AS date FROM file('out/values/**/*.parquet', 'Parquet') SETTINGS use_hive_partitioning = 0)
  WHERE metric = 'load' AND host IN (SELECT host FROM hosts1)
  UNION DISTINCT
  SELECT host, seg, time, record
  FROM (SELECT *, decodeURLComponent(extract(_path, '/host=([^/]*)/')) AS host FROM file('out/missing/**/*.parquet', 'Parquet') SETTINGS use_hive_partitioning = 0)
  WHERE metric = 'load' AND host IN (SELECT host FROM hosts1)
),
t4 AS ( -- errors of load
  SELECT host, seg, time, record
  FROM (SELECT *, decodeURLComponent(extract(_path, '/host=([^/]*)/')) AS host FROM file('out/missing/**/*.parquet', 'Parquet') SETTINGS use_hive_partitioning = 0)
  WHERE metric = 'load' AND error <> 0 AND host IN (SELECT host FROM hosts1)
),
t5 AS ( -- those without errors
  SELECT host, seg, time, record FROM t3
  EXCEPT DISTINCT SELECT host, seg, time, record FROM t4
),
t6 AS ( -- avg(load)
  SELECT host, seg, time, record, arrayFold((a, p) -> toFloat32(a + p.2), arraySort(groupArray((position, value))), toFloat32(0)) AS value
  FROM t2
  GROUP BY host, seg, time, record
  UNION ALL
  SELECT host, seg, time, record, CAST(0e+00 AS Float32)
  FROM (
    SELECT host, seg, time, record FROM t5
    EXCEPT DISTINCT SELECT host, seg, time, record FROM t1
  ) AS x
)
SELECT time, host, CAST(NULL AS Nullable(Int32)) AS inst, CAST(NULL AS Nullable(String)) AS instance, value
FROM t6
ORDER BY host, time, inst
