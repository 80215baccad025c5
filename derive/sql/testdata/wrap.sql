-- mem.free * 3 - mem.free
-- type 64-bit unsigned int, semantics instant, units Kbyte
WITH
t1 AS ( -- mem.free
  SELECT host, seg, time, u64 AS value
  FROM parquet.`out/values`
  WHERE metric = 'mem.free' AND u64 IS NOT NULL
),
t2 AS ( -- mem.free * 3
  SELECT host, seg, time, CAST(pmod(CAST(CAST(value AS DECIMAL(20,0)) * CAST(CAST(pmod(CAST(CAST(3 AS BIGINT) AS DECIMAL(38,0)), 18446744073709551616BD) AS DECIMAL(20,0)) AS DECIMAL(20,0)) AS DECIMAL(38,0)), 18446744073709551616BD) AS DECIMAL(20,0)) AS value
  FROM t1
),
t3 AS ( -- mem.free * 3 - mem.free
  SELECT host, seg, time, CAST(pmod(CAST(CAST(x.value AS DECIMAL(20,0)) - CAST(y.value AS DECIMAL(20,0)) AS DECIMAL(38,0)), 18446744073709551616BD) AS DECIMAL(20,0)) AS value
  FROM t2 AS x
  JOIN t1 AS y USING (host, seg, time)
)
SELECT time, host, CAST(NULL AS INT) AS inst, CAST(NULL AS STRING) AS instance, value
FROM t3
ORDER BY host, time, inst
