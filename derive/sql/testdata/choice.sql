-- cpus > 1 ? load / cpus : novalue()
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
t2 AS ( -- cpus > 1
  SELECT host, seg, time, record, CAST((CAST(1 AS BIGINT) < CAST((value) & 4294967295 AS BIGINT)) AS BIGINT) AS value
  FROM t1
),
t3 AS ( -- load
  SELECT host, seg, time, record, inst, position, instance, TRY_CAST(f64 AS FLOAT) AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'load' AND f64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t4 AS ( -- load / cpus
  SELECT host, seg, time, record, x.inst AS inst, x.position AS position, x.instance AS instance, CASE WHEN CAST(x.value AS DOUBLE) = 0 THEN CAST(0e+00 AS DOUBLE) ELSE (CAST(x.value AS DOUBLE) / CAST(y.value AS DOUBLE)) END AS value
  FROM t3 AS x
  JOIN t1 AS y USING (host, seg, time, record)
),
t5 AS ( -- cpus > 1 ? load / cpus : novalue()
  SELECT host, seg, time, record, x.inst AS inst, x.position AS position, x.instance AS instance, x.value AS value
  FROM t4 AS x
  JOIN t2 AS c USING (host, seg, time, record)
  WHERE c.value <> 0
)
SELECT time, host, inst, instance, value
FROM t5
ORDER BY host, time, inst
