-- max(avg(disk.total) by (kind, rack)) by (rack)
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
t2 AS ( -- labels from times on
  SELECT host, level, ns, inst, max(CASE WHEN name = 'kind' THEN text END) AS label1, max(CASE WHEN name = 'rack' THEN text END) AS label2
  FROM (
    SELECT host, l.level AS level, l.time AS ns, coalesce(l.inst, -1) AS inst, l.name AS name,
      CASE WHEN l.value = 'null' THEN '' WHEN l.value LIKE '"%' THEN get_json_object(concat('{"v":', l.value, '}'), '$.v') ELSE l.value END AS text
    FROM parquet.`out/labels` AS l JOIN (SELECT DISTINCT host, indom FROM parquet.`out/metrics` WHERE metric = 'disk.total') AS m USING (host)
    WHERE ((l.level = 'context') OR (l.level = 'domain' AND l.object = substring_index(m.indom, '.', 1)) OR (l.level = 'indom' AND l.object = m.indom) OR (l.level = 'instance' AND l.object = m.indom)) AND host IN (SELECT host FROM hosts1)
  ) AS x
  GROUP BY host, level, ns, inst
),
t3 AS ( -- avg(disk.total) by (kind, rack), times of labels
  SELECT * FROM (
    SELECT host, ns, asks, max(since0) OVER w AS last0, max(since1) OVER w AS last1, max(since2) OVER w AS last2, max(since3) OVER w AS last3
    FROM (
      SELECT host, ns, 0 AS asks, CASE WHEN level = 'context' THEN ns ELSE CAST(-9223372036854775807 AS BIGINT) END AS since0, CASE WHEN level = 'domain' THEN ns ELSE CAST(-9223372036854775807 AS BIGINT) END AS since1, CASE WHEN level = 'indom' THEN ns ELSE CAST(-9223372036854775807 AS BIGINT) END AS since2, CASE WHEN level = 'instance' THEN ns ELSE CAST(-9223372036854775807 AS BIGINT) END AS since3 FROM t2
      UNION ALL
      SELECT DISTINCT host, ns, 1 AS asks, CAST(-9223372036854775807 AS BIGINT) AS since0, CAST(-9223372036854775807 AS BIGINT) AS since1, CAST(-9223372036854775807 AS BIGINT) AS since2, CAST(-9223372036854775807 AS BIGINT) AS since3 FROM (SELECT host, seg, time, record, inst, position, instance, value, time AS ns FROM t1) AS x
    ) AS x
    WINDOW w AS (PARTITION BY host ORDER BY ns, asks ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
  ) AS x
  WHERE asks = 1
),
t4 AS ( -- avg(disk.total) by (kind, rack), labels of objects
  SELECT s.host AS host, s.ns AS ns, s.last3 AS last3, coalesce(o2.label1, o1.label1, o0.label1, '') AS label1, coalesce(o2.label2, o1.label2, o0.label2, '') AS label2
  FROM t3 AS s
  LEFT JOIN (SELECT host, ns AS last0, label1, label2 FROM t2 WHERE level = 'context') AS o0 USING (host, last0)
  LEFT JOIN (SELECT host, ns AS last1, label1, label2 FROM t2 WHERE level = 'domain') AS o1 USING (host, last1)
  LEFT JOIN (SELECT host, ns AS last2, label1, label2 FROM t2 WHERE level = 'indom') AS o2 USING (host, last2)
),
t5 AS ( -- avg(disk.total) by (kind, rack), values
  SELECT x.host AS host, x.seg AS seg, x.time AS time, x.record AS record, x.inst AS inst, x.position AS position, x.instance AS instance, x.value AS value, o.last3 AS last3, o.label1 AS label1, o.label2 AS label2
  FROM (SELECT host, seg, time, record, inst, position, instance, value, time AS ns FROM t1) AS x JOIN t4 AS o USING (host, ns)
),
t6 AS ( -- avg(disk.total) by (kind, rack), labels
  SELECT s.host AS host, s.seg AS seg, s.time AS time, s.record AS record, s.inst AS inst, s.position AS position, s.instance AS instance, s.value AS value, coalesce(o3.label1, s.label1) AS label1, coalesce(o3.label2, s.label2) AS label2
  FROM t5 AS s
  LEFT JOIN (SELECT host, ns AS last3, inst, label1, label2 FROM t2 WHERE level = 'instance') AS o3 USING (host, last3, inst)
),
t7 AS ( -- avg(disk.total) by (kind, rack), names
  SELECT host, seg, time, record, position AS nth, value, label1, label2, concat('', CASE WHEN label1 = '' OR label1 LIKE '%"%' OR label1 LIKE '%,%' THEN concat('"', replace(label1, '"', '""'), '"') ELSE label1 END, ',', CASE WHEN label2 = '' OR label2 LIKE '%"%' OR label2 LIKE '%,%' THEN concat('"', replace(label2, '"', '""'), '"') ELSE label2 END) AS instance
  FROM t6
),
t8 AS ( -- avg(disk.total) by (kind, rack), groups
  SELECT host, seg, time, record, CAST(conv(substring(md5(instance), 1, 15), 16, 10) AS BIGINT) AS inst, min(nth) OVER (PARTITION BY host, seg, time, record, instance) AS position,
    instance, nth, value, label1, label2
  FROM t7
),
t9 AS ( -- avg(disk.total) by (kind, rack)
  SELECT host, seg, time, record, inst, position, instance, nth, CAST(CAST(CAST(value AS DECIMAL(20,0)) AS FLOAT) / CAST(CAST(count(*) OVER (PARTITION BY host, seg, time, record, inst, position, instance) AS DECIMAL(20,0)) AS FLOAT) AS FLOAT) AS value
  FROM t8
),
t10 AS ( -- avg(disk.total) by (kind, rack)
  SELECT host, seg, time, record, inst, position, instance, aggregate(array_sort(collect_list(struct(nth AS k, value AS v))), CAST(0 AS FLOAT), (a, p) -> CAST(a + p.v AS FLOAT)) AS value
  FROM t9
  GROUP BY host, seg, time, record, inst, position, instance
),
t11 AS ( -- labels from times on
  SELECT host, level, ns, inst, max(CASE WHEN name = 'rack' THEN text END) AS label1
  FROM (
    SELECT host, l.level AS level, l.time AS ns, coalesce(l.inst, -1) AS inst, l.name AS name,
      CASE WHEN l.value = 'null' THEN '' WHEN l.value LIKE '"%' THEN get_json_object(concat('{"v":', l.value, '}'), '$.v') ELSE l.value END AS text
    FROM parquet.`out/labels` AS l
    WHERE ((l.level = 'context')) AND host IN (SELECT host FROM hosts1)
  ) AS x
  GROUP BY host, level, ns, inst
),
t12 AS ( -- max(avg(disk.total) by (kind, rack)) by (rack), times of labels
  SELECT * FROM (
    SELECT host, ns, asks, max(since0) OVER w AS last0
    FROM (
      SELECT host, ns, 0 AS asks, CASE WHEN level = 'context' THEN ns ELSE CAST(-9223372036854775807 AS BIGINT) END AS since0 FROM t11
      UNION ALL
      SELECT DISTINCT host, ns, 1 AS asks, CAST(-9223372036854775807 AS BIGINT) AS since0 FROM (SELECT host, seg, time, record, inst, position, instance, value, time AS ns FROM t10) AS x
    ) AS x
    WINDOW w AS (PARTITION BY host ORDER BY ns, asks ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
  ) AS x
  WHERE asks = 1
),
t13 AS ( -- max(avg(disk.total) by (kind, rack)) by (rack), labels of objects
  SELECT s.host AS host, s.ns AS ns, coalesce(o0.label1, '') AS label1
  FROM t12 AS s
  LEFT JOIN (SELECT host, ns AS last0, label1 FROM t11 WHERE level = 'context') AS o0 USING (host, last0)
),
t14 AS ( -- max(avg(disk.total) by (kind, rack)) by (rack), labels
  SELECT x.host AS host, x.seg AS seg, x.time AS time, x.record AS record, x.inst AS inst, x.position AS position, x.instance AS instance, x.value AS value, m.label2 AS label1
  FROM (SELECT host, seg, time, record, inst, position, instance, value, time AS ns FROM t10) AS x
  JOIN t13 AS o USING (host, ns)
  JOIN (SELECT DISTINCT host, inst, label1, label2 FROM t8) AS m USING (host, inst)
),
t15 AS ( -- max(avg(disk.total) by (kind, rack)) by (rack), names
  SELECT host, seg, time, record, position AS nth, value, label1, concat('', CASE WHEN label1 = '' OR label1 LIKE '%"%' THEN concat('"', replace(label1, '"', '""'), '"') ELSE label1 END) AS instance
  FROM t14
),
t16 AS ( -- max(avg(disk.total) by (kind, rack)) by (rack), groups
  SELECT host, seg, time, record, CAST(conv(substring(md5(instance), 1, 15), 16, 10) AS BIGINT) AS inst, min(nth) OVER (PARTITION BY host, seg, time, record, instance) AS position,
    instance, nth, value, label1
  FROM t15
),
t17 AS ( -- max(avg(disk.total) by (kind, rack)) by (rack)
  SELECT host, seg, time, record, inst, position, instance, CASE WHEN isnan(min_by(value, nth)) THEN min_by(value, nth) ELSE min_by(value, (-value, nth)) FILTER (WHERE NOT isnan(value)) END AS value
  FROM t16
  GROUP BY host, seg, time, record, inst, position, instance
)
SELECT time, host, CAST(shiftright(inst, 29) AS INT) AS inst, instance, value
FROM t17
ORDER BY host, time, inst
