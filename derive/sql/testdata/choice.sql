-- cpus > 1 ? load / cpus : novalue()
-- type double, semantics instant, units none
WITH
t1 AS ( -- cpus
  SELECT host, seg, time, i64 AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'cpus' AND i64 IS NOT NULL
),
t2 AS ( -- cpus > 1
  SELECT host, seg, time, CAST((CAST(1 AS BIGINT) < CAST((value) & 4294967295 AS BIGINT)) AS BIGINT) AS value
  FROM t1
),
t3 AS ( -- load
  SELECT host, seg, time, inst, instance, TRY_CAST(f64 AS FLOAT) AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'load' AND f64 IS NOT NULL
),
t4 AS ( -- load / cpus
  SELECT host, seg, time, x.inst AS inst, x.instance AS instance, CASE WHEN CAST(x.value AS DOUBLE) = 0 THEN CAST(0e+00 AS DOUBLE) ELSE (CAST(x.value AS DOUBLE) / CAST(y.value AS DOUBLE)) END AS value
  FROM t3 AS x
  JOIN t1 AS y USING (host, seg, time)
),
t5 AS ( -- cpus > 1 ? load / cpus : novalue()
  SELECT host, seg, time, x.inst AS inst, x.instance AS instance, x.value AS value
  FROM t4 AS x
  JOIN t2 AS c USING (host, seg, time)
  WHERE c.value <> 0
)
SELECT time, host, inst, instance, value
FROM t5
ORDER BY host, time, inst
