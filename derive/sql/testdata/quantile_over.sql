-- quantile_over(0.9, load, 1.5hours)
-- type double, semantics instant, units none
WITH
hosts AS ( -- what the tables of each host say of the metrics
  SELECT host,
    coalesce(max(CASE WHEN metric = 'load' THEN says END), 'missing') AS m1
  FROM (
    SELECT host, metric, CASE WHEN min(says) = max(says) THEN min(says) ELSE concat(min(says), ' and ', max(says)) END AS says
    FROM (
      SELECT host, metric, concat(type, ', ', semantics, ', units ', CASE WHEN units = '' THEN 'none' ELSE units END,
        CASE WHEN indom IS NULL THEN '' ELSE ', with instances' END) AS says
      FROM parquet.`out/metrics`
      WHERE metric IN ('load')
    ) AS x
    GROUP BY host, metric
  ) AS x
  GROUP BY host
),
hosts1 AS (SELECT host FROM hosts WHERE m1 = 'float, instant, units none, with instances'),
t1 AS ( -- load
  SELECT host, seg, time, record, inst, position, instance, TRY_CAST(f64 AS FLOAT) AS value
  FROM parquet.`out/values`
  WHERE metric = 'load' AND f64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t2 AS ( -- load
  SELECT host, seg, time, record, inst, position, instance, CAST(value AS DOUBLE) AS value
  FROM t1
),
t3 AS ( -- quantile_over(0.9, load, 1.5hours), values
  SELECT host, seg, time, record, inst, position, instance, transform(array_sort(filter(list, p -> p.t > ns - 5400000000000 AND (p.t < ns OR p.t = ns AND p.r <= record))), p -> p.v) AS list
  FROM (
    SELECT host, seg, time, record, inst, position, instance, ns, collect_list(struct(ns AS t, record AS r, value AS v)) OVER past AS list
    FROM (
      SELECT host, seg, time, record, inst, position, instance, value, ns, CAST(floor(CAST(ns AS DOUBLE) / 1e9) AS BIGINT) AS second
      FROM (SELECT host, seg, time, record, inst, position, instance, value, time AS ns FROM t2) AS x
    ) AS x
    WINDOW past AS (PARTITION BY host, seg, inst ORDER BY second RANGE BETWEEN 5402 PRECEDING AND 1 FOLLOWING)
  ) AS x
),
t4 AS ( -- quantile_over(0.9, load, 1.5hours), places
  SELECT host, seg, time, record, inst, position, instance, array_sort(list) AS list,
    9e-01 * CAST(size(list) - 1 AS DOUBLE) AS spot
  FROM t3
),
t5 AS ( -- quantile_over(0.9, load, 1.5hours), neighbours
  SELECT host, seg, time, record, inst, position, instance, element_at(list, CAST(size(list) AS INT)) AS last, spot - floor(spot) AS part,
    element_at(list, CAST(floor(spot) + 1 AS INT)) AS low, element_at(list, CAST(least(floor(spot) + 2, CAST(size(list) AS DOUBLE)) AS INT)) AS high
  FROM t4
),
t6 AS ( -- quantile_over(0.9, load, 1.5hours)
  SELECT host, seg, time, record, inst, position, instance,
    CASE WHEN isnan(last) THEN CAST('NaN' AS DOUBLE)
      WHEN part = 0 OR NOT low < high THEN low
      ELSE low * (1e0 - part) + high * part END AS value
  FROM t5
)
SELECT time, host, inst, instance, value
FROM t6
ORDER BY host, time, inst
