-- avg(load)
-- type float, semantics instant, units none
WITH
t1 AS ( -- load
  SELECT host, seg, time, assumeNotNull(inst) AS inst, instance, CAST(assumeNotNull(f64) AS Float32) AS value
  FROM file('out/values/**/*.parquet', 'Parquet')
  WHERE metric = 'load' AND f64 IS NOT NULL
),
t2 AS ( -- avg(load)
  SELECT host, seg, time, inst, instance, CAST(value / CAST(count(*) OVER (PARTITION BY host, seg, time) AS Float32) AS Float32) AS value
  FROM t1
),
t3 AS ( -- records with load
  SELECT host, seg, time FROM file('out/values/**/*.parquet', 'Parquet')
  WHERE metric = 'load'
  UNION DISTINCT
  SELECT host, seg, time FROM file('out/missing/**/*.parquet', 'Parquet')
  WHERE metric = 'load'
),
t4 AS ( -- errors of load
  SELECT host, seg, time FROM file('out/missing/**/*.parquet', 'Parquet')
  WHERE metric = 'load' AND error <> 0
),
t5 AS ( -- those without errors
  SELECT host, seg, time FROM t3
  EXCEPT DISTINCT SELECT host, seg, time FROM t4
),
t6 AS ( -- avg(load)
  SELECT host, seg, time, arrayFold((a, p) -> toFloat32(a + p.2), arraySort(groupArray((inst, value))), toFloat32(0)) AS value
  FROM t2
  GROUP BY host, seg, time
  UNION ALL
  SELECT host, seg, time, CAST(0e+00 AS Float32)
  FROM (
    SELECT host, seg, time FROM t5
    EXCEPT DISTINCT SELECT host, seg, time FROM t1
  ) AS x
)
SELECT time, host, CAST(NULL AS Nullable(Int32)) AS inst, CAST(NULL AS Nullable(String)) AS instance, value
FROM t6
ORDER BY host, time, inst
