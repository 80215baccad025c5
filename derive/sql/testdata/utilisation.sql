-- 100 * rate(disk.time)
-- type double, semantics instant, units none
WITH
hosts AS ( -- what the tables of each host say of the metrics
  SELECT host,
    coalesce(max(CASE WHEN metric = 'disk.time' THEN says END), 'missing') AS m1
  FROM (
    SELECT host, metric, CASE WHEN min(says) = max(says) THEN min(says) ELSE concat(min(says), ' and ', max(says)) END AS says
    FROM (
      SELECT host, metric, concat(type, ', ', semantics, ', units ', CASE WHEN units = '' THEN 'none' ELSE units END,
        CASE WHEN indom IS NULL THEN '' ELSE ', with instances' END) AS says
      FROM read_parquet('out/metrics/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
      WHERE metric IN ('disk.time')
    ) AS x
    GROUP BY host, metric
  ) AS x
  GROUP BY host
),
hosts1 AS (SELECT host FROM hosts WHERE m1 = '32-bit unsigned int, counter, units millisec, with instances'),
t1 AS ( -- disk.time
  SELECT host, seg, time, record, inst, position, instance, TRY_CAST(u64 AS BIGINT) AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'disk.time' AND u64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t2 AS ( -- records with disk.time
  SELECT host, seg, time, record
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'disk.time' AND host IN (SELECT host FROM hosts1)
  UNION DISTINCT
  SELECT host, seg, time, record
  FROM read_parquet('out/missing/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'disk.time' AND host IN (SELECT host FROM hosts1)
),
t3 AS ( -- records, numbered
  SELECT host, seg, time, record, CAST(row_number() OVER (PARTITION BY host, seg ORDER BY time, record) AS BIGINT) AS step
  FROM t2
),
t4 AS ( -- rate(disk.time)
  SELECT host, seg, time, record, inst, position, instance, CAST((x.value - last_value) AS DOUBLE) / (CAST(epoch_ns(time) - epoch_ns(last_time) AS DOUBLE) / 1e9) * 1e-03 AS value
  FROM (
    SELECT host, seg, time, record, inst, position, instance, value, step,
      lag(value) OVER w AS last_value, lag(time) OVER w AS last_time, lag(step, 1, -1) OVER w AS last_step
    FROM t1 JOIN t3 USING (host, seg, time, record)
    WINDOW w AS (PARTITION BY host, seg, inst ORDER BY step)
  ) AS x
  WHERE step = last_step + 1 AND NOT (x.value < last_value)
),
t5 AS ( -- 100 * rate(disk.time)
  SELECT host, seg, time, record, inst, position, instance, (CAST(CAST(100 AS BIGINT) AS DOUBLE) * value) AS value
  FROM t4
)
SELECT time, host, inst, instance, value
FROM t5
ORDER BY host, time, inst
