"""Links of WARC files with Sail, which has Spark's protocol without a Java machine."""

import linkfix.spark
from pysail.spark import SparkConnectServer
from pyspark.sql import SparkSession

server = SparkConnectServer()
server.start()
host, port = server.listening_address
spark = SparkSession.builder.remote(f"sc://{host}:{port}").getOrCreate()
linkfix.spark.register(spark)
source = spark.read.format("linkfix-links").schema("page string, element string, target string")
source.load("crawl/*.warc.gz").write.parquet("links")
spark.stop()
