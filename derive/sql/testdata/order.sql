-- scalar(load > 1 ? load : -load)
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
      FROM read_parquet('out/metrics/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
      WHERE metric IN ('load')
    ) AS x
    GROUP BY host, metric
  ) AS x
  GROUP BY host
),
hosts1 AS (SELECT host FROM hosts WHERE m1 = 'float, instant, units none, with instances'),
t1 AS ( -- load
  SELECT host, seg, time, record, inst, position, instance, TRY_CAST(f64 AS FLOAT) AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'load' AND f64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t2 AS ( -- load > 1
  SELECT host, seg, time, record, inst, position, instance, CAST(((CAST(CAST(1 AS BIGINT) AS FLOAT) < value AND NOT isnan(value))) AS BIGINT) AS value
  FROM t1
),
t3 AS ( -- -load
  SELECT host, seg, time, record, inst, position, instance, (-value) AS value
  FROM t1
),
t4 AS ( -- load > 1 ? load : -load
  SELECT DISTINCT host, seg, time, record FROM t1
  INTERSECT DISTINCT
  SELECT DISTINCT host, seg, time, record FROM t3
),
t5 AS ( -- load > 1 ? load : -load
  SELECT host, seg, time, record, inst, x.position AS position, x.instance AS instance, x.value AS value
  FROM t1 AS x
  JOIN t2 AS c USING (host, seg, time, record, inst)
  WHERE c.value <> 0
  UNION ALL
  SELECT host, seg, time, record, inst, x.position AS position, x.instance AS instance, x.value AS value
  FROM t3 AS x
  JOIN t2 AS c USING (host, seg, time, record, inst)
  WHERE NOT (c.value <> 0)
),
t6 AS ( -- load > 1 ? load : -load
  SELECT host, seg, time, record, inst,
    CAST(row_number() OVER (PARTITION BY host, seg, time, record ORDER BY CASE WHEN x.place IS NULL THEN 1 ELSE 0 END, coalesce(x.place, a.position)) AS INTEGER) AS position,
    a.instance AS instance, a.value AS value
  FROM t5 AS a
  LEFT JOIN (SELECT host, seg, time, record, inst, CAST(position AS INTEGER) AS place FROM t1) AS x USING (host, seg, time, record, inst)
),
t7 AS ( -- load > 1 ? load : -load
  SELECT host, seg, time, record, inst, position, instance, value
  FROM t6
  JOIN t4 AS r USING (host, seg, time, record)
),
t8 AS ( -- scalar(load > 1 ? load : -load)
  SELECT host, seg, time, record, arg_min(value, position) AS value
  FROM t7
  GROUP BY host, seg, time, record
)
SELECT time, host, CAST(NULL AS INTEGER) AS inst, CAST(NULL AS VARCHAR) AS instance, value
FROM t8
ORDER BY host, time, inst
