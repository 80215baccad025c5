"""Runs queries in Spark, from standard input: each follows a line "@query NUMBER".

The answer of each follows the same line, as CSV; where it fails, its message is there. SPARK_MASTER is the
cluster (this process if it is not set). PMTOOLS_SPARK_VERSION is the version that is wanted, PMTOOLS_SPARK_ANSI
whether arithmetic follows ANSI (true or false): without them, and in a session that differs, nothing is run.
PMTOOLS_SPARK_QUICK=1 is for many queries over small tables: these stay in memory, and expressions are interpreted,
not compiled, in seven queries of eight.
"""

import concurrent.futures
import csv
import io
import os
import re
import sys

from pyspark.sql import SparkSession

QUICK = os.environ.get("PMTOOLS_SPARK_QUICK") == "1"


def session():
    wanted = os.environ["PMTOOLS_SPARK_VERSION"], os.environ["PMTOOLS_SPARK_ANSI"]
    b = (
        SparkSession.builder.master(os.environ.get("SPARK_MASTER", "local[2]"))
        .appName("pmtools")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", os.environ.get("SPARK_PARTITIONS", "1" if QUICK else "2"))
        .config("spark.sql.legacy.parquet.nanosAsLong", "true")
        .config("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
        .config("spark.sql.ansi.enabled", wanted[1])
    )
    java = "-Xlog:disable -Xlog:all=warning:stderr"  # answers alone go to the output
    if QUICK:
        java += " -XX:TieredStopAtLevel=1 -XX:+UseParallelGC -XX:ReservedCodeCacheSize=256m"
        b = b.config("spark.sql.adaptive.enabled", "false")
    os.environ["PYSPARK_SUBMIT_ARGS"] = f'--driver-memory 2g --driver-java-options "{java}" pyspark-shell'
    for kept in ("sql.ui.retainedExecutions", "ui.retainedJobs", "ui.retainedStages", "ui.retainedTasks"):
        b = b.config("spark." + kept, "1")  # the plans that are kept of queries fill the heap
    spark = b.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    found = spark.version, str(spark.sql("SET spark.sql.ansi.enabled").first().value)
    if found != wanted:
        sys.exit("Spark %s with ANSI %s runs here, where " % found + "%s with %s is wanted" % wanted)
    return spark


def text(v):
    if v is None:
        return "NULL"
    if isinstance(v, float):
        return repr(v)
    return str(v)


def answer(spark, query):
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    try:
        for row in spark.sql(query).collect():
            rows.writerow([text(v) for v in row])
    except Exception as e:  # the next query may be right
        out.write(re.sub(r"\s+", " ", str(e))[:2000] + "\n")
    return out.getvalue()


def kept(spark, queries):
    """Keeps the tables of queries in memory, and returns the queries over these. Unlike cached tables they are
    not looked for in each plan, which takes a quarter of the time."""
    pattern = r"parquet\.`([^`]*)`"
    names = {}
    for table in sorted({t for _, q in queries for t in re.findall(pattern, q)}):
        names[table] = f"kept{len(names)}"
        spark.read.parquet(table).coalesce(1).localCheckpoint().createOrReplaceTempView(names[table])
    return [(n, re.sub(pattern, lambda m: names[m[1]], q)) for n, q in queries]


def main():
    parts = re.split(r"^@query (\d+)\n", sys.stdin.read(), flags=re.M)[1:]
    queries = list(zip(parts[::2], parts[1::2]))
    spark = session()
    if not QUICK:
        for number, query in queries:
            sys.stdout.write(f"@query {number}\n" + answer(spark, query))
            sys.stdout.flush()
        return spark.stop()
    queries = kept(spark, queries)
    for compiled in (True, False):
        part = [q for q in queries if (int(q[0]) % 8 == 0) == compiled]
        spark.conf.set("spark.sql.codegen.wholeStage", str(compiled).lower())
        spark.conf.set("spark.sql.codegen.factoryMode", "FALLBACK" if compiled else "NO_CODEGEN")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for (number, _), rows in zip(part, pool.map(lambda q: answer(spark, q[1]), part)):
                sys.stdout.write(f"@query {number}\n" + rows)
                sys.stdout.flush()
    spark.stop()


main()
