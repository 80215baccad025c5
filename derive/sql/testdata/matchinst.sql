-- matchinst(!/^sd[a-c]\\.?$/, disk.total)
-- type 64-bit unsigned int, semantics counter, units count
WITH
t1 AS ( -- disk.total
  SELECT host, seg, time, assumeNotNull(inst) AS inst, instance, assumeNotNull(u64) AS value
  FROM file('out/values/**/*.parquet', 'Parquet')
  WHERE metric = 'disk.total' AND u64 IS NOT NULL
),
t2 AS ( -- names of instances
  SELECT host, seg, inst, argMin(instance, time) AS first
  FROM t1
  WHERE instance IS NOT NULL
  GROUP BY host, seg, inst
),
t3 AS ( -- matchinst(!/^sd[a-c]\\.?$/, disk.total)
  SELECT host, seg, time, inst, instance, value
  FROM (
    SELECT host, seg, time, inst, instance, value, coalesce(instance, first) AS name
    FROM t1 JOIN t2 USING (host, seg, inst)
  ) AS x
  WHERE NOT match(splitByChar(' ', assumeNotNull(name))[1], '\\Asd[abc](?:\\x2e){0,1}\\z')
)
SELECT time, host, inst, instance, value
FROM t3
ORDER BY host, time, inst
