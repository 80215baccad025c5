-- load - shift(load, 1day)
-- type float, semantics instant, units none
WITH
hosts AS ( -- what the tables of each host say of the metrics
  SELECT host,
    coalesce(max(CASE WHEN metric = 'load' THEN says END), 'missing') AS m1
  FROM (
    SELECT host, metric, CASE WHEN min(says) = max(says) THEN min(says) ELSE concat(min(says), ' and ', max(says)) END AS says
    FROM (
      SELECT host, metric, concat(type, ', ', semantics, ', units ', CASE WHEN units = '' THEN 'none' ELSE units END,
        CASE WHEN indom IS NULL THEN '' ELSE ', with instances' END) AS says
      FROM (SELECT *, decodeURLComponent(extract(_path, '/host=([^/]*)/')) AS host FROM file('out/metrics/**/*.parquet', 'Parquet') SETTINGS use_hive_partitioning = 0)
      WHERE metric IN ('load')
    ) AS x
    GROUP BY host, metric
  ) AS x
  GROUP BY host
),
hosts1 AS (SELECT host FROM hosts WHERE m1 = 'float, instant, units none, with instances'),
t1 AS ( -- load
  SELECT host, seg, time, record, assumeNotNull(inst) AS inst, position, instance, CAST(assumeNotNull(f64) AS Float32) AS value
  FROM (SELECT *, decodeURLComponent(extract(_path, '/host=([^/]*)/')) AS host, decodeURLComponent(extract(_path, '/date=([^/]*)/')) AS date FROM file('out/values/**/*.parquet', 'Parquet') SETTINGS use_hive_partitioning = 0)
  WHERE metric = 'load' AND f64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t2 AS ( -- records with load
  SELECT host, seg, time, record
  FROM (SELECT *, decodeURLComponent(extract(_path, '/host=([^/]*)/')) AS host, decodeURLComponent(extract(_path, '/date=([^/]*)/')) AS date FROM file('out/values/**/*.parquet', 'Parquet') SETTINGS use_hive_partitioning = 0)
  WHERE metric = 'load' AND host IN (SELECT host FROM hosts1)
  UNION DISTINCT
  SELECT host, seg, time, record
  FROM (SELECT *, decodeURLComponent(extract(_path, '/host=([^/]*)/')) AS host FROM file('out/missing/**/*.parquet', 'Parquet') SETTINGS use_hive_partitioning = 0)
  WHERE metric = 'load' AND host IN (SELECT host FROM hosts1)
),
t3 AS ( -- errors of load
  SELECT host, seg, time, record
  FROM (SELECT *, decodeURLComponent(extract(_path, '/host=([^/]*)/')) AS host FROM file('out/missing/**/*.parquet', 'Parquet') SETTINGS use_hive_partitioning = 0)
  WHERE metric = 'load' AND error <> 0 AND host IN (SELECT host FROM hosts1)
),
t4 AS ( -- those without errors
  SELECT host, seg, time, record FROM t2
  EXCEPT DISTINCT SELECT host, seg, time, record FROM t3
),
t5 AS ( -- records, numbered
  SELECT host, seg, time, record, CAST(row_number() OVER (PARTITION BY host, seg ORDER BY time, record) AS Int64) AS step
  FROM t4
),
t6 AS ( -- shift(load, 1day), values
  SELECT host, seg, step AS since, inst, position, instance, value
  FROM t1 JOIN t5 USING (host, seg, time, record)
),
t7 AS ( -- shift(load, 1day), times
  SELECT host, seg, step, toUnixTimestamp64Nano(time) AS ns FROM t5
),
t8 AS ( -- shift(load, 1day), last records
  SELECT host, seg, step, asks,
    max(past) OVER (PARTITION BY host, seg ORDER BY ns, asks ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS since
  FROM (
    SELECT host, seg, step, step AS past, ns, 0 AS asks FROM t7
    UNION ALL
    SELECT host, seg, step, step - step AS past, ns - 86400000000000 AS ns, 1 AS asks FROM t7
  ) AS x
),
t9 AS ( -- shift(load, 1day), records
  SELECT host, seg, time, record, since
  FROM t8 JOIN t5 USING (host, seg, step)
  WHERE asks = 1
),
t10 AS ( -- shift(load, 1day)
  SELECT host, seg, time, record, inst, position, instance, value
  FROM t9 JOIN t6 AS y USING (host, seg, since)
),
t11 AS ( -- load - shift(load, 1day)
  SELECT host, seg, time, record, inst, x.position AS position, x.instance AS instance, CAST((x.value - y.value) AS Float32) AS value
  FROM t1 AS x
  JOIN t10 AS y USING (host, seg, time, record, inst)
)
SELECT time, host, inst, instance, value
FROM t11
ORDER BY host, time, inst
