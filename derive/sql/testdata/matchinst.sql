-- matchinst(!/^sd[a-c]\\.?$/, disk.total)
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
      FROM (SELECT *, decodeURLComponent(extract(_path, '/host=([^/]*)/')) AS host FROM file('out/metrics/**/*.parquet', 'Parquet') SETTINGS use_hive_partitioning = 0)
      WHERE metric IN ('disk.total')
    ) AS x
    GROUP BY host, metric
  ) AS x
  GROUP BY host
),
hosts1 AS (SELECT host FROM hosts WHERE m1 = '64-bit unsigned int, counter, units count, with instances'),
t1 AS ( -- disk.total
  SELECT host, seg, time, record, assumeNotNull(inst) AS inst, position, instance, assumeNotNull(u64) AS value
  FROM (SELECT *, decodeURLComponent(extract(_path, '/host=([^/]*)/')) AS host, decodeURLComponent(extract(_path, '/date=([^/]*)/')) AS date FROM file('out/values/**/*.parquet', 'Parquet') SETTINGS use_hive_partitioning = 0)
  WHERE metric = 'disk.total' AND u64 IS NOT NULL AND host IN (SELECT host FROM hosts1)
),
t2 AS ( -- names of instances
  SELECT host, seg, inst, argMin(instance, time) AS first
  FROM t1
  WHERE instance IS NOT NULL
  GROUP BY host, seg, inst
),
t3 AS ( -- matchinst(!/^sd[a-c]\\.?$/, disk.total)
  SELECT host, seg, time, record, inst, position, instance, value
  FROM (
    SELECT host, seg, time, record, inst, position, instance, value, coalesce(instance, first) AS name
    FROM t1 JOIN t2 USING (host, seg, inst)
  ) AS x
  WHERE NOT match(splitByChar(' ', assumeNotNull(name))[1], '\\Asd[abc](?:\\x2e){0,1}\\z')
)
SELECT time, host, inst, instance, value
FROM t3
ORDER BY host, time, inst
