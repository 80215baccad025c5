-- sum(rate(disk.total)) by (kind)
-- type double, semantics instant, units count / sec
WITH
hosts AS ( -- what the tables of each host say of the metrics
  SELECT host,
    coalesce(max(CASE WHEN metric = 'disk.total' THEN says END), 'missing') AS m1
  FROM (
    SELECT host, metric, CASE WHEN min(says) = max(says) THEN min(says) ELSE concat(min(says), ' and ', max(says)) END AS says
    FROM (
      SELECT host, metric, concat(type, ', ', semantics, ', units ', CASE WHEN units = '' THEN 'none' ELSE units END,
        CASE WHEN indom IS NULL THEN '' ELSE ', with instances' END) AS says
      FROM read_parquet('out/metrics/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
      WHERE metric IN ('disk.total')
    ) AS x
    GROUP BY host, metric
  ) AS x
  GROUP BY host
),
hosts1 AS (SELECT host FROM hosts WHERE m1 = '64-bit unsigned int, counter, units count, with instances'),
t1 AS ( -- disk.total
  SELECT host, seg, time, record, inst, position, instance, u64 AS value
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'disk.total' AND u64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t2 AS ( -- records with disk.total
  SELECT host, seg, time, record
  FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'disk.total' AND host IN (SELECT host FROM hosts1)
  UNION DISTINCT
  SELECT host, seg, time, record
  FROM read_parquet('out/missing/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE metric = 'disk.total' AND host IN (SELECT host FROM hosts1)
),
t3 AS ( -- records, numbered
  SELECT host, seg, time, record, CAST(row_number() OVER (PARTITION BY host, seg ORDER BY time, record) AS BIGINT) AS step
  FROM t2
),
t4 AS ( -- rate(disk.total)
  SELECT host, seg, time, record, inst, position, instance, CAST(CAST(CAST((CAST(x.value AS HUGEINT) - last_value) AS HUGEINT) & 18446744073709551615 AS UBIGINT) AS DOUBLE) / (CAST(epoch_ns(time) - epoch_ns(last_time) AS DOUBLE) / 1e9) AS value
  FROM (
    SELECT host, seg, time, record, inst, position, instance, value, step,
      lag(value) OVER w AS last_value, lag(time) OVER w AS last_time, lag(step, 1, -1) OVER w AS last_step
    FROM t1 JOIN t3 USING (host, seg, time, record)
    WINDOW w AS (PARTITION BY host, seg, inst ORDER BY step)
  ) AS x
  WHERE step = last_step + 1 AND NOT (x.value < last_value)
),
t5 AS ( -- labels from times on
  SELECT host, level, ns, inst, max(CASE WHEN name = 'kind' THEN text END) AS label1
  FROM (
    SELECT host, l.level AS level, epoch_ns(l.time) AS ns, coalesce(l.inst, -1) AS inst, l.name AS name,
      CASE WHEN l.value = 'null' THEN '' WHEN l.value LIKE '"%' THEN json_extract_string(l.value, '$') ELSE l.value END AS text
    FROM read_parquet('out/labels/**/*.parquet', hive_partitioning = true, hive_types_autocast = false) AS l JOIN (SELECT DISTINCT host, indom FROM read_parquet('out/metrics/**/*.parquet', hive_partitioning = true, hive_types_autocast = false) WHERE metric = 'disk.total') AS m USING (host)
    WHERE ((l.level = 'context') OR (l.level = 'domain' AND l.object = split_part(m.indom, '.', 1)) OR (l.level = 'indom' AND l.object = m.indom) OR (l.level = 'instance' AND l.object = m.indom)) AND host IN (SELECT host FROM hosts1)
  ) AS x
  GROUP BY host, level, ns, inst
),
t6 AS ( -- sum(rate(disk.total)) by (kind), times of labels
  SELECT * FROM (
    SELECT host, ns, asks, max(since0) OVER w AS last0, max(since1) OVER w AS last1, max(since2) OVER w AS last2, max(since3) OVER w AS last3
    FROM (
      SELECT host, ns, 0 AS asks, CASE WHEN level = 'context' THEN ns ELSE CAST(-9223372036854775807 AS BIGINT) END AS since0, CASE WHEN level = 'domain' THEN ns ELSE CAST(-9223372036854775807 AS BIGINT) END AS since1, CASE WHEN level = 'indom' THEN ns ELSE CAST(-9223372036854775807 AS BIGINT) END AS since2, CASE WHEN level = 'instance' THEN ns ELSE CAST(-9223372036854775807 AS BIGINT) END AS since3 FROM t5
      UNION ALL
      SELECT DISTINCT host, ns, 1 AS asks, CAST(-9223372036854775807 AS BIGINT) AS since0, CAST(-9223372036854775807 AS BIGINT) AS since1, CAST(-9223372036854775807 AS BIGINT) AS since2, CAST(-9223372036854775807 AS BIGINT) AS since3 FROM (SELECT host, seg, time, record, inst, position, instance, value, epoch_ns(time) AS ns FROM t4) AS x
    ) AS x
    WINDOW w AS (PARTITION BY host ORDER BY ns, asks ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
  ) AS x
  WHERE asks = 1
),
t7 AS ( -- sum(rate(disk.total)) by (kind), labels of objects
  SELECT s.host AS host, s.ns AS ns, s.last3 AS last3, coalesce(o2.label1, o1.label1, o0.label1, '') AS label1
  FROM t6 AS s
  LEFT JOIN (SELECT host, ns AS last0, label1 FROM t5 WHERE level = 'context') AS o0 USING (host, last0)
  LEFT JOIN (SELECT host, ns AS last1, label1 FROM t5 WHERE level = 'domain') AS o1 USING (host, last1)
  LEFT JOIN (SELECT host, ns AS last2, label1 FROM t5 WHERE level = 'indom') AS o2 USING (host, last2)
),
t8 AS ( -- sum(rate(disk.total)) by (kind), values
  SELECT x.host AS host, x.seg AS seg, x.time AS time, x.record AS record, x.inst AS inst, x.position AS position, x.instance AS instance, x.value AS value, o.last3 AS last3, o.label1 AS label1
  FROM (SELECT host, seg, time, record, inst, position, instance, value, epoch_ns(time) AS ns FROM t4) AS x JOIN t7 AS o USING (host, ns)
),
t9 AS ( -- sum(rate(disk.total)) by (kind), labels
  SELECT s.host AS host, s.seg AS seg, s.time AS time, s.record AS record, s.inst AS inst, s.position AS position, s.instance AS instance, s.value AS value, coalesce(o3.label1, s.label1) AS label1
  FROM t8 AS s
  LEFT JOIN (SELECT host, ns AS last3, inst, label1 FROM t5 WHERE level = 'instance') AS o3 USING (host, last3, inst)
),
t10 AS ( -- sum(rate(disk.total)) by (kind), names
  SELECT host, seg, time, record, position AS nth, value, label1, concat('', CASE WHEN label1 = '' OR label1 LIKE '%"%' THEN concat('"', replace(label1, '"', '""'), '"') ELSE label1 END) AS instance
  FROM t9
),
t11 AS ( -- sum(rate(disk.total)) by (kind), groups
  SELECT host, seg, time, record, CAST('0x' || substr(md5(instance), 1, 15) AS BIGINT) AS inst, min(nth) OVER (PARTITION BY host, seg, time, record, instance) AS position,
    instance, nth, value, label1
  FROM t10
),
t12 AS ( -- sum(rate(disk.total)) by (kind)
  SELECT host, seg, time, record, inst, position, instance, list_reduce(list(value ORDER BY nth), lambda a, b: a + b, CAST(0 AS DOUBLE)) AS value
  FROM t11
  GROUP BY host, seg, time, record, inst, position, instance
)
SELECT time, host, CAST(inst >> 29 AS INTEGER) AS inst, instance, value
FROM t12
ORDER BY host, time, inst
