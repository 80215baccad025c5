"""Runs queries in Spark, from standard input: each follows a line "@query NUMBER".

The answer of each follows the same line, as CSV; where it fails, its message is there. SPARK_MASTER is the
cluster (this process if it is not set), SPARK_ANSI whether arithmetic follows ANSI (true or false).
"""

import csv
import os
import re
import sys

from pyspark.sql import SparkSession


def session():
    b = (
        SparkSession.builder.master(os.environ.get("SPARK_MASTER", "local[2]"))
        .appName("pmtools")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", os.environ.get("SPARK_PARTITIONS", "2"))
        .config("spark.sql.legacy.parquet.nanosAsLong", "true")
        .config("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
    )
    if "SPARK_ANSI" in os.environ:
        b = b.config("spark.sql.ansi.enabled", os.environ["SPARK_ANSI"])
    spark = b.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def text(v):
    if v is None:
        return "NULL"
    if isinstance(v, float):
        return repr(v)
    return str(v)


def main():
    parts = re.split(r"^@query (\d+)\n", sys.stdin.read(), flags=re.M)[1:]
    spark = session()
    out = csv.writer(sys.stdout, lineterminator="\n")
    for number, query in zip(parts[::2], parts[1::2]):
        print("@query", number)
        try:
            for row in spark.sql(query).collect():
                out.writerow([text(v) for v in row])
        except Exception as e:  # the next query may be right
            print(re.sub(r"\s+", " ", str(e))[:2000])
        sys.stdout.flush()
    spark.stop()


main()
