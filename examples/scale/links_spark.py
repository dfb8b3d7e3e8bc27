"""Links of WARC files with Spark, as Parquet: spark-submit links_spark.py OUTPUT FILE …

A run that was stopped at any point continues when it is started again with the same arguments.
"""

import sys

import linkfix.spark
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

FILES = 1000  # files in one part of the output, which is complete or made again

spark = SparkSession.builder.getOrCreate()
linkfix.spark.register(spark)
links = spark.read.format("linkfix-links").schema("page string, element string, target string")


def is_complete(part):
    try:
        spark.read.text(f"{part}/_SUCCESS")
    except AnalysisException:  # there is no such file: Spark writes it at the end
        return False
    return True


output, *files = sys.argv[1:]
for number in range(0, len(files), FILES):
    part = f"{output}/part={number // FILES:06}"
    if not is_complete(part):
        links.load(files[number : number + FILES]).write.mode("overwrite").parquet(part)
