-- rate(net.bytes)
-- type double, semantics instant, units byte / sec
WITH
hosts AS ( -- what the tables of each host say of the metrics
  SELECT host,
    coalesce(max(CASE WHEN metric = 'net.bytes' THEN says END), 'missing') AS m1
  FROM (
    SELECT host, metric, CASE WHEN min(says) = max(says) THEN min(says) ELSE concat(min(says), ' and ', max(says)) END AS says
    FROM (
      SELECT host, metric, concat(type, ', ', semantics, ', units ', CASE WHEN units = '' THEN 'none' ELSE units END,
        CASE WHEN indom IS NULL THEN '' ELSE ', with instances' END) AS says
      FROM parquet.`out/metrics`
      WHERE metric IN ('net.bytes') AND host IN ('it\'s', '007')
    ) AS x
    GROUP BY host, metric
  ) AS x
  GROUP BY host
),
hosts1 AS (SELECT host FROM hosts WHERE m1 = '64-bit unsigned int, counter, units byte, with instances'),
hosts2 AS (SELECT host FROM hosts WHERE m1 = '32-bit unsigned int, counter, units Kbyte, with instances'),
hosts3 AS (SELECT host FROM hosts WHERE m1 = '64-bit int, counter, units byte'),
hosts4 AS (SELECT host FROM hosts WHERE m1 = '64-bit unsigned int, instant, units byte, with instances'),
t1 AS ( -- net.bytes
  SELECT host, seg, time, record, inst, position, instance, u64 AS value
  FROM parquet.`out/values`
  WHERE metric = 'net.bytes' AND u64 IS NOT NULL AND host IN ('it\'s', '007') AND host IN (SELECT host FROM hosts1)
),
t2 AS ( -- records with net.bytes
  SELECT host, seg, time, record
  FROM parquet.`out/values`
  WHERE metric = 'net.bytes' AND host IN ('it\'s', '007') AND host IN (SELECT host FROM hosts1)
  UNION DISTINCT
  SELECT host, seg, time, record
  FROM parquet.`out/missing`
  WHERE metric = 'net.bytes' AND host IN ('it\'s', '007') AND host IN (SELECT host FROM hosts1)
),
t3 AS ( -- records, numbered
  SELECT host, seg, time, record, CAST(row_number() OVER (PARTITION BY host, seg ORDER BY time, record) AS BIGINT) AS step
  FROM t2
),
t4 AS ( -- rate(net.bytes)
  SELECT host, seg, time, record, inst, position, instance, CAST(CAST(pmod(CAST(CAST(x.value AS DECIMAL(20,0)) - CAST(last_value AS DECIMAL(20,0)) AS DECIMAL(38,0)), 18446744073709551616BD) AS DECIMAL(20,0)) AS DOUBLE) / (CAST(time - last_time AS DOUBLE) / 1e9) AS value
  FROM (
    SELECT host, seg, time, record, inst, position, instance, value, step,
      lag(value) OVER w AS last_value, lag(time) OVER w AS last_time, lag(step, 1, -1) OVER w AS last_step
    FROM t1 JOIN t3 USING (host, seg, time, record)
    WINDOW w AS (PARTITION BY host, seg, inst ORDER BY step)
  ) AS x
  WHERE step = last_step + 1 AND NOT (x.value < last_value)
),
t5 AS ( -- net.bytes
  SELECT host, seg, time, record, inst, position, instance, TRY_CAST(u64 AS BIGINT) AS value
  FROM parquet.`out/values`
  WHERE metric = 'net.bytes' AND u64 IS NOT NULL AND host IN ('it\'s', '007') AND host IN (SELECT host FROM hosts2)
),
t6 AS ( -- records with net.bytes
  SELECT host, seg, time, record
  FROM parquet.`out/values`
  WHERE metric = 'net.bytes' AND host IN ('it\'s', '007') AND host IN (SELECT host FROM hosts2)
  UNION DISTINCT
  SELECT host, seg, time, record
  FROM parquet.`out/missing`
  WHERE metric = 'net.bytes' AND host IN ('it\'s', '007') AND host IN (SELECT host FROM hosts2)
),
t7 AS ( -- records, numbered
  SELECT host, seg, time, record, CAST(row_number() OVER (PARTITION BY host, seg ORDER BY time, record) AS BIGINT) AS step
  FROM t6
),
t8 AS ( -- rate(net.bytes)
  SELECT host, seg, time, record, inst, position, instance, CAST((x.value - last_value) AS DOUBLE) / (CAST(time - last_time AS DOUBLE) / 1e9) AS value
  FROM (
    SELECT host, seg, time, record, inst, position, instance, value, step,
      lag(value) OVER w AS last_value, lag(time) OVER w AS last_time, lag(step, 1, -1) OVER w AS last_step
    FROM t5 JOIN t7 USING (host, seg, time, record)
    WINDOW w AS (PARTITION BY host, seg, inst ORDER BY step)
  ) AS x
  WHERE step = last_step + 1 AND NOT (x.value < last_value)
),
t9 AS ( -- rate(net.bytes)
  SELECT host, seg, time, record, inst, position, instance, (value * 1.024e+03) AS value
  FROM t8
),
t10 AS ( -- net.bytes
  SELECT host, seg, time, record, i64 AS value
  FROM parquet.`out/values`
  WHERE metric = 'net.bytes' AND i64 IS NOT NULL AND host IN ('it\'s', '007') AND host IN (SELECT host FROM hosts3)
),
t11 AS ( -- records with net.bytes
  SELECT host, seg, time, record
  FROM parquet.`out/values`
  WHERE metric = 'net.bytes' AND host IN ('it\'s', '007') AND host IN (SELECT host FROM hosts3)
  UNION DISTINCT
  SELECT host, seg, time, record
  FROM parquet.`out/missing`
  WHERE metric = 'net.bytes' AND host IN ('it\'s', '007') AND host IN (SELECT host FROM hosts3)
),
t12 AS ( -- records, numbered
  SELECT host, seg, time, record, CAST(row_number() OVER (PARTITION BY host, seg ORDER BY time, record) AS BIGINT) AS step
  FROM t11
),
t13 AS ( -- rate(net.bytes)
  SELECT host, seg, time, record, CAST(CAST(pmod(CAST(CAST(x.value AS DECIMAL(20,0)) - CAST(last_value AS DECIMAL(20,0)) AS DECIMAL(38,0)) + 9223372036854775808BD, 18446744073709551616BD) - 9223372036854775808BD AS BIGINT) AS DOUBLE) / (CAST(time - last_time AS DOUBLE) / 1e9) AS value
  FROM (
    SELECT host, seg, time, record, value, step,
      lag(value) OVER w AS last_value, lag(time) OVER w AS last_time, lag(step, 1, -1) OVER w AS last_step
    FROM t10 JOIN t12 USING (host, seg, time, record)
    WINDOW w AS (PARTITION BY host, seg ORDER BY step)
  ) AS x
  WHERE step = last_step + 1 AND NOT (x.value < last_value)
),
t14 AS ( -- net.bytes
  SELECT host, seg, time, record, inst, position, instance, u64 AS value
  FROM parquet.`out/values`
  WHERE metric = 'net.bytes' AND u64 IS NOT NULL AND host IN ('it\'s', '007') AND host IN (SELECT host FROM hosts4)
),
t15 AS ( -- records with net.bytes
  SELECT host, seg, time, record
  FROM parquet.`out/values`
  WHERE metric = 'net.bytes' AND host IN ('it\'s', '007') AND host IN (SELECT host FROM hosts4)
  UNION DISTINCT
  SELECT host, seg, time, record
  FROM parquet.`out/missing`
  WHERE metric = 'net.bytes' AND host IN ('it\'s', '007') AND host IN (SELECT host FROM hosts4)
),
t16 AS ( -- records, numbered
  SELECT host, seg, time, record, CAST(row_number() OVER (PARTITION BY host, seg ORDER BY time, record) AS BIGINT) AS step
  FROM t15
),
t17 AS ( -- rate(net.bytes)
  SELECT host, seg, time, record, inst, position, instance, CASE WHEN x.value < last_value THEN -CAST(CAST(pmod(CAST(CAST(last_value AS DECIMAL(20,0)) - CAST(x.value AS DECIMAL(20,0)) AS DECIMAL(38,0)), 18446744073709551616BD) AS DECIMAL(20,0)) AS DOUBLE) ELSE CAST(CAST(pmod(CAST(CAST(x.value AS DECIMAL(20,0)) - CAST(last_value AS DECIMAL(20,0)) AS DECIMAL(38,0)), 18446744073709551616BD) AS DECIMAL(20,0)) AS DOUBLE) END / (CAST(time - last_time AS DOUBLE) / 1e9) AS value
  FROM (
    SELECT host, seg, time, record, inst, position, instance, value, step,
      lag(value) OVER w AS last_value, lag(time) OVER w AS last_time, lag(step, 1, -1) OVER w AS last_step
    FROM t14 JOIN t16 USING (host, seg, time, record)
    WINDOW w AS (PARTITION BY host, seg, inst ORDER BY step)
  ) AS x
  WHERE step = last_step + 1
)
SELECT time, host, inst, instance, value
FROM (
  SELECT time, host, inst, instance, value
  FROM t4
  UNION ALL
  SELECT time, host, inst, instance, value
  FROM t9
  UNION ALL
  SELECT time, host, CAST(NULL AS INT) AS inst, CAST(NULL AS STRING) AS instance, value
  FROM t13
  UNION ALL
  SELECT time, host, inst, instance, value
  FROM t17
) AS x
ORDER BY host, time, inst
