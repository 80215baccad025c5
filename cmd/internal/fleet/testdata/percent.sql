-- 100 * (mem.used / mem.total)
-- type double, semantics instant, units none
-- hosts without values, which sql --problems finds: 3
--   text: non-arithmetic type for left operand
--   unsupported: non-arithmetic type for left operand
--   without: unknown metric mem.used
WITH
hosts AS ( -- what the tables of each host say of the metrics
  SELECT host,
    coalesce(max(CASE WHEN metric = 'share' THEN says END), 'missing') AS m1,
    coalesce(max(CASE WHEN metric = 'mem.used' THEN says END), 'missing') AS m2,
    coalesce(max(CASE WHEN metric = 'mem.total' THEN says END), 'missing') AS m3
  FROM (
    SELECT host, metric, CASE WHEN min(says) = max(says) THEN min(says) ELSE concat(min(says), ' and ', max(says)) END AS says
    FROM (
      SELECT host, metric, concat(type, ', ', semantics, ', units ', CASE WHEN units = '' THEN 'none' ELSE units END,
        CASE WHEN indom IS NULL THEN '' ELSE ', with instances' END) AS says
      FROM read_parquet('out/metrics/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
      WHERE metric IN ('share', 'mem.used', 'mem.total')
    ) AS x
    GROUP BY host, metric
  ) AS x
  GROUP BY host
),
hosts1 AS (SELECT host FROM hosts WHERE m1 = 'missing' AND m2 = '64-bit unsigned int, instant, units Kbyte' AND m3 = '64-bit unsigned int, discrete, units Kbyte'),
hosts2 AS (SELECT host FROM hosts WHERE m1 = 'missing' AND m2 = '32-bit unsigned int, instant, units byte' AND m3 = '64-bit unsigned int, discrete, units Kbyte'),
hosts3 AS (SELECT host FROM hosts WHERE m1 = 'missing' AND m2 = 'double, discrete, units Kbyte' AND m3 = '64-bit unsigned int, discrete, units Kbyte'),
hosts4 AS (SELECT host FROM hosts WHERE m1 = 'missing' AND m2 = '64-bit unsigned int, instant, units Mbyte' AND m3 = '64-bit unsigned int, discrete, units Kbyte'),
t1 AS ( -- mem.used
  SELECT host, seg, time, record, u64 AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'mem.used' AND u64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t2 AS ( -- mem.total
  SELECT host, seg, time, record, u64 AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'mem.total' AND u64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t3 AS ( -- mem.used / mem.total
  SELECT host, seg, time, record, CASE WHEN CAST(x.value AS DOUBLE) = 0 THEN CAST(0e+00 AS DOUBLE) ELSE (CAST(x.value AS DOUBLE) / CAST(y.value AS DOUBLE)) END AS value
  FROM t1 AS x
  JOIN t2 AS y USING (host, seg, time, record)
),
t4 AS ( -- 100 * (mem.used / mem.total)
  SELECT host, seg, time, record, (CAST(CAST(100 AS BIGINT) AS DOUBLE) * value) AS value
  FROM t3
),
t5 AS ( -- mem.used
  SELECT host, seg, time, record, TRY_CAST(u64 AS BIGINT) AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'mem.used' AND u64 IS NOT NULL AND host IN (SELECT host FROM hosts2)
),
t6 AS ( -- mem.total
  SELECT host, seg, time, record, u64 AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'mem.total' AND u64 IS NOT NULL AND host IN (SELECT host FROM hosts2)
),
t7 AS ( -- mem.used / mem.total
  SELECT host, seg, time, record, CASE WHEN (CAST(x.value AS DOUBLE) / 1.024e+03) = 0 THEN CAST(0e+00 AS DOUBLE) ELSE ((CAST(x.value AS DOUBLE) / 1.024e+03) / CAST(y.value AS DOUBLE)) END AS value
  FROM t5 AS x
  JOIN t6 AS y USING (host, seg, time, record)
),
t8 AS ( -- 100 * (mem.used / mem.total)
  SELECT host, seg, time, record, (CAST(CAST(100 AS BIGINT) AS DOUBLE) * value) AS value
  FROM t7
),
t9 AS ( -- mem.used
  SELECT host, seg, time, record, f64 AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'mem.used' AND f64 IS NOT NULL AND host IN (SELECT host FROM hosts3)
),
t10 AS ( -- mem.total
  SELECT host, seg, time, record, u64 AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'mem.total' AND u64 IS NOT NULL AND host IN (SELECT host FROM hosts3)
),
t11 AS ( -- mem.used / mem.total
  SELECT host, seg, time, record, CASE WHEN x.value = 0 THEN CAST(0e+00 AS DOUBLE) ELSE (x.value / CAST(y.value AS DOUBLE)) END AS value
  FROM t9 AS x
  JOIN t10 AS y USING (host, seg, time, record)
),
t12 AS ( -- 100 * (mem.used / mem.total)
  SELECT host, seg, time, record, (CAST(CAST(100 AS BIGINT) AS DOUBLE) * value) AS value
  FROM t11
),
t13 AS ( -- mem.used
  SELECT host, seg, time, record, u64 AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'mem.used' AND u64 IS NOT NULL AND host IN (SELECT host FROM hosts4)
),
t14 AS ( -- mem.total
  SELECT host, seg, time, record, u64 AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'mem.total' AND u64 IS NOT NULL AND host IN (SELECT host FROM hosts4)
),
t15 AS ( -- mem.used / mem.total
  SELECT host, seg, time, record, CASE WHEN CAST(x.value AS DOUBLE) = 0 THEN CAST(0e+00 AS DOUBLE) ELSE (CAST(x.value AS DOUBLE) / (CAST(y.value AS DOUBLE) / 1.024e+03)) END AS value
  FROM t13 AS x
  JOIN t14 AS y USING (host, seg, time, record)
),
t16 AS ( -- 100 * (mem.used / mem.total)
  SELECT host, seg, time, record, (CAST(CAST(100 AS BIGINT) AS DOUBLE) * value) AS value
  FROM t15
)
SELECT time, host, inst, instance, value
FROM (
  SELECT time, host, CAST(NULL AS INTEGER) AS inst, CAST(NULL AS VARCHAR) AS instance, value
  FROM t4
  UNION ALL
  SELECT time, host, CAST(NULL AS INTEGER) AS inst, CAST(NULL AS VARCHAR) AS instance, value
  FROM t8
  UNION ALL
  SELECT time, host, CAST(NULL AS INTEGER) AS inst, CAST(NULL AS VARCHAR) AS instance, value
  FROM t12
  UNION ALL
  SELECT time, host, CAST(NULL AS INTEGER) AS inst, CAST(NULL AS VARCHAR) AS instance, value
  FROM t16
) AS x
ORDER BY host, time, inst
