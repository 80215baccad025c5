-- hosts without values of mem.used
WITH
hosts AS ( -- what the tables of each host say of the metrics
  SELECT host,
    coalesce(max(CASE WHEN metric = 'mem.used' THEN says END), 'missing') AS m1
  FROM (
    SELECT host, metric, CASE WHEN min(says) = max(says) THEN min(says) ELSE concat(min(says), ' and ', max(says)) END AS says
    FROM (
      SELECT host, metric, concat(type, ', ', semantics, ', units ', CASE WHEN units = '' THEN 'none' ELSE units END,
        CASE WHEN indom IS NULL THEN '' ELSE ', with instances' END) AS says
      FROM read_parquet('out/metrics/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
      WHERE 1 = 1
    ) AS x
    GROUP BY host, metric
    UNION ALL
    SELECT DISTINCT host, '', '' FROM read_parquet('out/values/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)
    WHERE 1 = 1
  ) AS x
  GROUP BY host
)
SELECT host, CASE WHEN host IS NULL THEN 'it has no name'
  WHEN m1 = 'string, instant, units none' THEN 'its values are of type string, those of other hosts of type 64-bit unsigned int'
  WHEN m1 = 'Not Supported, instant, units Kbyte' THEN 'not in SQL: the type of the metric is Not Supported: it has no values'
  WHEN m1 = 'missing' THEN 'unknown metric mem.used'
  ELSE concat('the query does not know metrics like its own: ', 'mem.used is ', m1) END AS problem
FROM hosts
WHERE NOT (m1 = '64-bit unsigned int, instant, units Kbyte' OR m1 = '32-bit unsigned int, instant, units byte' OR m1 = 'double, discrete, units Kbyte' OR m1 = '64-bit unsigned int, instant, units Mbyte') OR host IS NULL
ORDER BY host
