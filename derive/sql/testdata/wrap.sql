-- mem.free * 3 - mem.free
-- type 64-bit unsigned int, semantics instant, units Kbyte
WITH
hosts AS ( -- what the tables of each host say of the metrics
  SELECT host,
    coalesce(max(CASE WHEN metric = 'mem.free' THEN says END), 'missing') AS m1
  FROM (
    SELECT host, metric, CASE WHEN min(says) = max(says) THEN min(says) ELSE concat(min(says), ' and ', max(says)) END AS says
    FROM (
      SELECT host, metric, concat(type, ', ', semantics, ', units ', CASE WHEN units = '' THEN 'none' ELSE units END,
        CASE WHEN indom IS NULL THEN '' ELSE ', with instances' END) AS says
      FROM parquet.`out/metrics`
      WHERE metric IN ('mem.free')
    ) AS x
    GROUP BY host, metric
  ) AS x
  GROUP BY host
),
hosts1 AS (SELECT host FROM hosts WHERE m1 = '64-bit unsigned int, instant, units Kbyte'),
t1 AS ( -- mem.free
  SELECT host, seg, time, record, u64 AS value
  FROM parquet.`out/values`
  WHERE metric = 'mem.free' AND u64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t2 AS ( -- mem.free * 3
  SELECT host, seg, time, record, CAST(pmod(CAST(CAST(value AS DECIMAL(20,0)) * CAST(CAST(pmod(CAST(CAST(3 AS BIGINT) AS DECIMAL(38,0)), 18446744073709551616BD) AS DECIMAL(20,0)) AS DECIMAL(20,0)) AS DECIMAL(38,0)), 18446744073709551616BD) AS DECIMAL(20,0)) AS value
  FROM t1
),
t3 AS ( -- mem.free * 3 - mem.free
  SELECT host, seg, time, record, CAST(pmod(CAST(CAST(x.value AS DECIMAL(20,0)) - CAST(y.value AS DECIMAL(20,0)) AS DECIMAL(38,0)), 18446744073709551616BD) AS DECIMAL(20,0)) AS value
  FROM t2 AS x
  JOIN t1 AS y USING (host, seg, time, record)
)
SELECT time, host, CAST(NULL AS INT) AS inst, CAST(NULL AS STRING) AS instance, value
FROM t3
ORDER BY host, time, inst
