-- sum(disk.total)
-- type 64-bit unsigned int, semantics counter, units count
WITH
hosts AS ( -- what the tables of each host say of the metrics
  SELECT host,
    coalesce(max(CASE WHEN metric = 'disk.total' THEN says END), 'missing') AS m1
  FROM (
    SELECT host, metric, CASE WHEN min(says) = max(says) THEN min(says) ELSE concat(min(says), ' and ', max(says)) END AS says
    FROM (
      SELECT host, metric, concat(type, ', ', semantics, ', units ', CASE WHEN units = '' THEN 'none' ELSE units END,
        CASE WHEN indom IS NULL THEN '' ELSE ', with instances' END) AS says
      FROM parquet.`out/metrics`
      WHERE metric IN ('disk.total')
    ) AS x
    GROUP BY host, metric
  ) AS x
  GROUP BY host
),
hosts1 AS (SELECT host FROM hosts WHERE m1 = '64-bit unsigned int, counter, units count, with instances'),
t1 AS ( -- disk.total
  SELECT host, seg, time, record, inst, position, instance, u64 AS value
  FROM parquet.`out/values`
  WHERE metric = 'disk.total' AND u64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t2 AS ( -- records with disk.total
  SELECT host, seg, time, record
  FROM parquet.`out/values`
  WHERE metric = 'disk.total' AND host IN (SELECT host FROM hosts1)
  UNION DISTINCT
  SELECT host, seg, time, record
  FROM parquet.`out/missing`
  WHERE metric = 'disk.total' AND host IN (SELECT host FROM hosts1)
),
t3 AS ( -- errors of disk.total
  SELECT host, seg, time, record
  FROM parquet.`out/missing`
  WHERE metric = 'disk.total' AND error <> 0 AND host IN (SELECT host FROM hosts1)
),
t4 AS ( -- those without errors
  SELECT host, seg, time, record FROM t2
  EXCEPT DISTINCT SELECT host, seg, time, record FROM t3
),
t5 AS ( -- sum(disk.total)
  SELECT host, seg, time, record, CAST(pmod(CAST(sum(value) AS DECIMAL(38,0)), 18446744073709551616BD) AS DECIMAL(20,0)) AS value
  FROM t1
  GROUP BY host, seg, time, record
  UNION ALL
  SELECT host, seg, time, record, CAST(0 AS DECIMAL(20,0))
  FROM (
    SELECT host, seg, time, record FROM t4
    EXCEPT DISTINCT SELECT host, seg, time, record FROM t1
  ) AS x
)
SELECT time, host, CAST(NULL AS INT) AS inst, CAST(NULL AS STRING) AS instance, value
FROM t5
ORDER BY host, time, inst
