-- scalar(load[1 minute]) > 0.5 && !(cpus == 4)
-- type 32-bit unsigned int, semantics instant, units none
WITH
hosts AS ( -- what the tables of each host say of the metrics
  SELECT host,
    coalesce(max(CASE WHEN metric = 'load' THEN says END), 'missing') AS m1,
    coalesce(max(CASE WHEN metric = 'cpus' THEN says END), 'missing') AS m2
  FROM (
    SELECT host, metric, CASE WHEN min(says) = max(says) THEN min(says) ELSE concat(min(says), ' and ', max(says)) END AS says
    FROM (
      SELECT host, metric, concat(type, ', ', semantics, ', units ', CASE WHEN units = '' THEN 'none' ELSE units END,
        CASE WHEN indom IS NULL THEN '' ELSE ', with instances' END) AS says
      FROM read_parquet('out/metrics/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
      WHERE metric IN ('load', 'cpus')
    ) AS x
    GROUP BY host, metric
  ) AS x
  GROUP BY host
),
hosts1 AS (SELECT host FROM hosts WHERE m1 = 'float, instant, units none, with instances' AND m2 = '32-bit int, discrete, units none'),
t1 AS ( -- load
  SELECT host, seg, time, record, inst, position, instance, TRY_CAST(f64 AS FLOAT) AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'load' AND f64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t2 AS ( -- load[1 minute]
  SELECT host, seg, arg_min(inst, (time, CASE WHEN instance = '1 minute' THEN 0 ELSE 1 END, inst)) AS inst, min(time) AS since
  FROM t1
  WHERE instance = '1 minute' OR instance LIKE '% %' AND starts_with('1 minute', split_part(instance, ' ', 1))
  GROUP BY host, seg
),
t3 AS ( -- load[1 minute]
  SELECT host, seg, time, record, inst, position, instance, value
  FROM t1
  JOIN t2 AS f USING (host, seg, inst)
  WHERE time >= since
),
t4 AS ( -- scalar(load[1 minute])
  SELECT host, seg, time, record, value
  FROM t3
),
t5 AS ( -- scalar(load[1 minute]) > 0.5
  SELECT host, seg, time, record, CAST(((CAST(5e-01 AS DOUBLE) < CAST(value AS DOUBLE) AND NOT isnan(CAST(value AS DOUBLE)))) AS BIGINT) AS value
  FROM t4
),
t6 AS ( -- cpus
  SELECT host, seg, time, record, i64 AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'cpus' AND i64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t7 AS ( -- cpus == 4
  SELECT host, seg, time, record, CAST((CAST((value) & 4294967295 AS BIGINT) = CAST(4 AS BIGINT)) AS BIGINT) AS value
  FROM t6
),
t8 AS ( -- !(cpus == 4)
  SELECT host, seg, time, record, CASE WHEN value <> 0 THEN CAST(0 AS BIGINT) ELSE CAST(1 AS BIGINT) END AS value
  FROM t7
),
t9 AS ( -- scalar(load[1 minute]) > 0.5 && !(cpus == 4)
  SELECT host, seg, time, record, CAST((x.value <> 0 AND y.value <> 0) AS BIGINT) AS value
  FROM t5 AS x
  JOIN t8 AS y USING (host, seg, time, record)
)
SELECT time, host, CAST(NULL AS INTEGER) AS inst, CAST(NULL AS VARCHAR) AS instance, value
FROM t9
ORDER BY host, time, inst
