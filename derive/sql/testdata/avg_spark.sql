-- avg(disk.total)
-- type float, semantics instant, units count
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
t2 AS ( -- avg(disk.total)
  SELECT host, seg, time, record, inst, position, instance, CAST(CAST(CAST(value AS DECIMAL(20,0)) AS FLOAT) / CAST(CAST(count(*) OVER (PARTITION BY host, seg, time, record) AS DECIMAL(20,0)) AS FLOAT) AS FLOAT) AS value
  FROM t1
),
t3 AS ( -- records with disk.total
  SELECT host, seg, time, record
  FROM parquet.`out/values`
  WHERE metric = 'disk.total' AND host IN (SELECT host FROM hosts1)
  UNION DISTINCT
  SELECT host, seg, time, record
  FROM parquet.`out/missing`
  WHERE metric = 'disk.total' AND host IN (SELECT host FROM hosts1)
),
t4 AS ( -- errors of disk.total
  SELECT host, seg, time, record
  FROM parquet.`out/missing`
  WHERE metric = 'disk.total' AND error <> 0 AND host IN (SELECT host FROM hosts1)
),
t5 AS ( -- those without errors
  SELECT host, seg, time, record FROM t3
  EXCEPT DISTINCT SELECT host, seg, time, record FROM t4
),
t6 AS ( -- avg(disk.total)
  SELECT host, seg, time, record, aggregate(array_sort(collect_list(struct(position AS k, value AS v))), CAST(0 AS FLOAT), (a, p) -> CAST(a + p.v AS FLOAT)) AS value
  FROM t2
  GROUP BY host, seg, time, record
  UNION ALL
  SELECT host, seg, time, record, CAST(0e+00 AS FLOAT)
  FROM (
    SELECT host, seg, time, record FROM t5
    EXCEPT DISTINCT SELECT host, seg, time, record FROM t1
  ) AS x
)
SELECT time, host, CAST(NULL AS INT) AS inst, CAST(NULL AS STRING) AS instance, value
FROM t6
ORDER BY host, time, inst
