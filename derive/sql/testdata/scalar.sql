-- cpus / scalar(load)
-- type double, semantics instant, units none
WITH
hosts AS ( -- what the tables of each host say of the metrics
  SELECT host,
    coalesce(max(CASE WHEN metric = 'cpus' THEN says END), 'missing') AS m1,
    coalesce(max(CASE WHEN metric = 'load' THEN says END), 'missing') AS m2
  FROM (
    SELECT host, metric, CASE WHEN min(says) = max(says) THEN min(says) ELSE concat(min(says), ' and ', max(says)) END AS says
    FROM (
      SELECT host, metric, concat(type, ', ', semantics, ', units ', CASE WHEN units = '' THEN 'none' ELSE units END,
        CASE WHEN indom IS NULL THEN '' ELSE ', with instances' END) AS says
      FROM read_parquet('out/metrics/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
      WHERE metric IN ('cpus', 'load')
    ) AS x
    GROUP BY host, metric
  ) AS x
  GROUP BY host
),
hosts1 AS (SELECT host FROM hosts WHERE m1 = '32-bit int, discrete, units none' AND m2 = 'float, instant, units none, with instances'),
t1 AS ( -- cpus
  SELECT host, seg, time, record, i64 AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'cpus' AND i64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t2 AS ( -- load
  SELECT host, seg, time, record, inst, position, instance, TRY_CAST(f64 AS FLOAT) AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'load' AND f64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t3 AS ( -- scalar(load)
  SELECT host, seg, time, record, arg_min(value, position) AS value
  FROM t2
  GROUP BY host, seg, time, record
),
t4 AS ( -- cpus / scalar(load)
  SELECT host, seg, time, record, CASE WHEN CAST(x.value AS DOUBLE) = 0 THEN CAST(0e+00 AS DOUBLE) ELSE (CAST(x.value AS DOUBLE) / CAST(y.value AS DOUBLE)) END AS value
  FROM t1 AS x
  JOIN t3 AS y USING (host, seg, time, record)
)
SELECT time, host, CAST(NULL AS INTEGER) AS inst, CAST(NULL AS VARCHAR) AS instance, value
FROM t4
ORDER BY host, time, inst
