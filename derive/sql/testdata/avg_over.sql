-- avg_over(rate(disk.total), 5min)
-- type double, semantics instant, units count / sec
WITH
hosts AS ( -- what the tables of each host say of the metrics
  SELECT host,
    coalesce(max(CASE WHEN metric = 'disk.total' THEN says END), 'missing') AS m1
  FROM (
    SELECT host, metric, CASE WHEN min(says) = max(says) THEN min(says) ELSE concat(min(says), ' and ', max(says)) END AS says
    FROM (
      SELECT host, metric, concat(type, ', ', semantics, ', units ', CASE WHEN units = '' THEN 'none' ELSE units END,
        CASE WHEN indom IS NULL THEN '' ELSE ', with instances' END) AS says
      FROM read_parquet('out/metrics/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
      WHERE metric IN ('disk.total')
    ) AS x
    GROUP BY host, metric
  ) AS x
  GROUP BY host
),
hosts1 AS (SELECT host FROM hosts WHERE m1 = '64-bit unsigned int, counter, units count, with instances'),
t1 AS ( -- disk.total
  SELECT host, seg, time, record, inst, position, instance, u64 AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'disk.total' AND u64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t2 AS ( -- records with disk.total
  SELECT host, seg, time, record
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'disk.total' AND host IN (SELECT host FROM hosts1)
  UNION DISTINCT
  SELECT host, seg, time, record
  FROM read_parquet('out/missing/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'disk.total' AND host IN (SELECT host FROM hosts1)
),
t3 AS ( -- records, numbered
  SELECT host, seg, time, record, CAST(row_number() OVER (PARTITION BY host, seg ORDER BY time, record) AS BIGINT) AS step
  FROM t2
),
t4 AS ( -- rate(disk.total)
  SELECT host, seg, time, record, inst, position, instance, CAST(CAST(CAST((CAST(x.value AS HUGEINT) - last_value) AS HUGEINT) & 18446744073709551615 AS UBIGINT) AS DOUBLE) / (CAST(epoch_ns(time) - epoch_ns(last_time) AS DOUBLE) / 1e9) AS value
  FROM (
    SELECT host, seg, time, record, inst, position, instance, value, step,
      lag(value) OVER w AS last_value, lag(time) OVER w AS last_time, lag(step, 1, -1) OVER w AS last_step
    FROM t1 JOIN t3 USING (host, seg, time, record)
    WINDOW w AS (PARTITION BY host, seg, inst ORDER BY step)
  ) AS x
  WHERE step = last_step + 1 AND NOT (x.value < last_value)
),
t5 AS ( -- avg_over(rate(disk.total), 5min), values
  SELECT host, seg, time, record, inst, position, instance, list_transform(list_sort(list_filter(list, lambda p: p.t > ns - 300000000000 AND (p.t < ns OR p.t = ns AND p.r <= record))), lambda p: p.v) AS list
  FROM (
    SELECT host, seg, time, record, inst, position, instance, ns, list(struct_pack(t := ns, r := record, v := value)) OVER past AS list
    FROM (
      SELECT host, seg, time, record, inst, position, instance, value, ns, CAST(floor(CAST(ns AS DOUBLE) / 1e9) AS BIGINT) AS second
      FROM (SELECT host, seg, time, record, inst, position, instance, value, epoch_ns(time) AS ns FROM t4) AS x
    ) AS x
    WINDOW past AS (PARTITION BY host, seg, inst ORDER BY second RANGE BETWEEN 302 PRECEDING AND 1 FOLLOWING)
  ) AS x
),
t6 AS ( -- avg_over(rate(disk.total), 5min)
  SELECT host, seg, time, record, inst, position, instance, list_reduce(list, lambda a, p: a + p, CAST(0e+00 AS DOUBLE)) / CAST(len(list) AS DOUBLE) AS value
  FROM t5
)
SELECT time, host, inst, instance, value
FROM t6
ORDER BY host, time, inst
