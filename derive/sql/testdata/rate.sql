-- rate(disk.total)
-- type double, semantics instant, units count / sec
WITH
t1 AS ( -- disk.total
  SELECT host, seg, time, inst, instance, u64 AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'disk.total' AND u64 IS NOT NULL
),
t2 AS ( -- records with disk.total
  SELECT host, seg, time FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'disk.total'
  UNION DISTINCT
  SELECT host, seg, time FROM read_parquet('out/missing/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'disk.total'
),
t3 AS ( -- records, numbered
  SELECT host, seg, time, CAST(row_number() OVER (PARTITION BY host, seg ORDER BY time) AS BIGINT) AS step
  FROM t2
),
t4 AS ( -- rate(disk.total)
  SELECT host, seg, time, inst, instance, CAST(CAST(CAST((CAST(x.value AS HUGEINT) - last_value) AS HUGEINT) & 18446744073709551615 AS UBIGINT) AS DOUBLE) / (CAST(epoch_ns(time) - epoch_ns(last_time) AS DOUBLE) / 1e9) AS value
  FROM (
    SELECT host, seg, time, inst, instance, value, step,
      lag(value) OVER w AS last_value, lag(time) OVER w AS last_time, lag(step, 1, -1) OVER w AS last_step
    FROM t1 JOIN t3 USING (host, seg, time)
    WINDOW w AS (PARTITION BY host, seg, inst ORDER BY step)
  ) AS x
  WHERE step = last_step + 1 AND NOT (x.value < last_value)
)
SELECT time, host, inst, instance, value
FROM t4
ORDER BY host, time, inst
