"""A column of HTML with absolute links, before text is extracted: spark-submit column_spark.py PAGES OUTPUT"""

import sys

import linkfix.spark
from pyspark.sql import SparkSession

pages, output = sys.argv[1:]
spark = SparkSession.builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", 200).getOrCreate()
frame = spark.read.parquet(pages)  # with the columns url and body, among others
frame.transform(linkfix.spark.absolutize, html="body", base_element="remove").write.parquet(output)
