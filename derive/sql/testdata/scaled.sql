-- mem.free + mem.used
-- type double, semantics instant, units Mbyte
WITH
hosts AS ( -- what the tables of each host say of the metrics
  SELECT host,
    coalesce(max(CASE WHEN metric = 'mem.free' THEN says END), 'missing') AS m1,
    coalesce(max(CASE WHEN metric = 'mem.used' THEN says END), 'missing') AS m2
  FROM (
    SELECT host, metric, CASE WHEN min(says) = max(says) THEN min(says) ELSE concat(min(says), ' and ', max(says)) END AS says
    FROM (
      SELECT host, metric, concat(type, ', ', semantics, ', units ', CASE WHEN units = '' THEN 'none' ELSE units END,
        CASE WHEN indom IS NULL THEN '' ELSE ', with instances' END) AS says
      FROM read_parquet('out/metrics/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
      WHERE metric IN ('mem.free', 'mem.used')
    ) AS x
    GROUP BY host, metric
  ) AS x
  GROUP BY host
),
hosts1 AS (SELECT host FROM hosts WHERE m1 = '64-bit unsigned int, instant, units Kbyte' AND m2 = '64-bit unsigned int, instant, units Mbyte'),
t1 AS ( -- mem.free
  SELECT host, seg, time, record, u64 AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'mem.free' AND u64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t2 AS ( -- mem.used
  SELECT host, seg, time, record, u64 AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'mem.used' AND u64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t3 AS ( -- mem.free + mem.used
  SELECT host, seg, time, record, ((CAST(x.value AS DOUBLE) / 1.024e+03) + CAST(y.value AS DOUBLE)) AS value
  FROM t1 AS x
  JOIN t2 AS y USING (host, seg, time, record)
)
SELECT time, host, CAST(NULL AS INTEGER) AS inst, CAST(NULL AS VARCHAR) AS instance, value
FROM t3
ORDER BY host, time, inst
