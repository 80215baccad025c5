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
)
SELECT time, host, inst, instance, value
FROM t4
ORDER BY host, time, inst
