-- delta(disk.bytes) / delta(disk.total)
-- type double, semantics instant, units Kbyte / count
WITH
hosts AS ( -- what the tables of each host say of the metrics
  SELECT host,
    coalesce(max(CASE WHEN metric = 'disk.bytes' THEN says END), 'missing') AS m1,
    coalesce(max(CASE WHEN metric = 'disk.total' THEN says END), 'missing') AS m2,
    coalesce(max(CASE WHEN metric = 'disk.bytes' THEN domain END), '') AS d1,
    coalesce(max(CASE WHEN metric = 'disk.total' THEN domain END), '') AS d2
  FROM (
    SELECT host, metric, CASE WHEN min(says) = max(says) THEN min(says) ELSE concat(min(says), ' and ', max(says)) END AS says, CASE WHEN min(domain) = max(domain) THEN min(domain) ELSE concat('several of ', metric) END AS domain
    FROM (
      SELECT host, metric, concat(type, ', ', semantics, ', units ', CASE WHEN units = '' THEN 'none' ELSE units END,
        CASE WHEN indom IS NULL THEN '' ELSE ', with instances' END) AS says, coalesce(indom, '') AS domain
      FROM read_parquet('out/metrics/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
      WHERE metric IN ('disk.bytes', 'disk.total')
    ) AS x
    GROUP BY host, metric
  ) AS x
  GROUP BY host
),
hosts1 AS (SELECT host FROM hosts WHERE m1 = '64-bit unsigned int, counter, units Kbyte, with instances' AND m2 = '64-bit unsigned int, counter, units count, with instances' AND d2 = d1),
t1 AS ( -- disk.bytes
  SELECT host, seg, time, record, inst, position, instance, u64 AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'disk.bytes' AND u64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t2 AS ( -- records with disk.bytes, disk.total
  SELECT host, seg, time, record
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric IN ('disk.bytes', 'disk.total') AND host IN (SELECT host FROM hosts1)
  UNION DISTINCT
  SELECT host, seg, time, record
  FROM read_parquet('out/missing/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric IN ('disk.bytes', 'disk.total') AND host IN (SELECT host FROM hosts1)
),
t3 AS ( -- records, numbered
  SELECT host, seg, time, record, CAST(row_number() OVER (PARTITION BY host, seg ORDER BY time, record) AS BIGINT) AS step
  FROM t2
),
t4 AS ( -- delta(disk.bytes)
  SELECT host, seg, time, record, inst, position, instance, (CAST(x.value AS DOUBLE) - CAST(last_value AS DOUBLE)) AS value
  FROM (
    SELECT host, seg, time, record, inst, position, instance, value, step,
      lag(value) OVER w AS last_value, lag(time) OVER w AS last_time, lag(step, 1, -1) OVER w AS last_step
    FROM t1 JOIN t3 USING (host, seg, time, record)
    WINDOW w AS (PARTITION BY host, seg, inst ORDER BY step)
  ) AS x
  WHERE step = last_step + 1
),
t5 AS ( -- disk.total
  SELECT host, seg, time, record, inst, position, instance, u64 AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'disk.total' AND u64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t6 AS ( -- errors of disk.bytes
  SELECT host, seg, time, record
  FROM read_parquet('out/missing/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'disk.bytes' AND error <> 0 AND host IN (SELECT host FROM hosts1)
),
t7 AS ( -- errors of its changes
  SELECT host, seg, time, record FROM t6
  UNION DISTINCT
  SELECT s.host, s.seg, s.time, s.record FROM t3 AS s
  JOIN t3 AS p ON p.host = s.host AND p.seg = s.seg AND p.step = s.step - 1
  JOIN t6 AS f ON f.host = p.host AND f.seg = p.seg AND f.time = p.time AND f.record = p.record
),
t8 AS ( -- those without errors
  SELECT host, seg, time, record FROM t2
  EXCEPT DISTINCT SELECT host, seg, time, record FROM t7
),
t9 AS ( -- records, numbered
  SELECT host, seg, time, record, CAST(row_number() OVER (PARTITION BY host, seg ORDER BY time, record) AS BIGINT) AS step
  FROM t8
),
t10 AS ( -- delta(disk.total)
  SELECT host, seg, time, record, inst, position, instance, (CAST(x.value AS DOUBLE) - CAST(last_value AS DOUBLE)) AS value
  FROM (
    SELECT host, seg, time, record, inst, position, instance, value, step,
      lag(value) OVER w AS last_value, lag(time) OVER w AS last_time, lag(step, 1, -1) OVER w AS last_step
    FROM t5 JOIN t9 USING (host, seg, time, record)
    WINDOW w AS (PARTITION BY host, seg, inst ORDER BY step)
  ) AS x
  WHERE step = last_step + 1
),
t11 AS ( -- delta(disk.bytes) / delta(disk.total)
  SELECT host, seg, time, record, inst, x.position AS position, x.instance AS instance, CASE WHEN x.value = 0 THEN CAST(0e+00 AS DOUBLE) ELSE (x.value / y.value) END AS value
  FROM t4 AS x
  JOIN t10 AS y USING (host, seg, time, record, inst)
)
SELECT time, host, inst, instance, value
FROM t11
ORDER BY host, time, inst
