-- mem.free + mem.used
-- type double, semantics instant, units Mbyte
WITH
t1 AS ( -- mem.free
  SELECT host, seg, time, u64 AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'mem.free' AND u64 IS NOT NULL
),
t2 AS ( -- mem.used
  SELECT host, seg, time, u64 AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'mem.used' AND u64 IS NOT NULL
),
t3 AS ( -- mem.free + mem.used
  SELECT host, seg, time, ((CAST(x.value AS DOUBLE) / 1.024e+03) + CAST(y.value AS DOUBLE)) AS value
  FROM t1 AS x
  JOIN t2 AS y USING (host, seg, time)
)
SELECT time, host, CAST(NULL AS INTEGER) AS inst, CAST(NULL AS VARCHAR) AS instance, value
FROM t3
ORDER BY host, time, inst
