"""Links and pages of web archives and of columns of HTML, on Spark. Workers need linkfix and pyarrow too.

    import linkfix.spark

    linkfix.spark.register(spark)
    links = spark.read.format("linkfix-links").schema("page string, target string").load("crawl/*.warc.gz")

    links = frame.transform(linkfix.spark.links, columns=["page", "target"])

`register` adds the data sources `linkfix-warc`, `linkfix-links` and `linkfix-pages`, which need pyspark 4. `links`,
`pages` and `absolutize` take a DataFrame with a column of documents. `read` reads WARC files that only Spark can open.

Needs pyspark: install linkfix[spark].
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkfix.errors import Needs

with Needs("linkfix.spark", "pyspark", "spark"):
    import pyspark

from linkfix.spark.tables import ReadColumns, absolutize, links, pages, read

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["ReadColumns", "absolutize", "links", "pages", "read", "register"]

del pyspark


def register(spark: SparkSession) -> None:
    """Add the data sources to a session. Raises ImportError if pyspark is older than 4."""
    try:
        from linkfix.spark.sources import SOURCES  # the functions work without
    except ImportError as error:
        message = "data sources in Python need pyspark 4: linkfix.spark.read works with older versions"
        raise ImportError(message) from error
    for source in SOURCES:
        spark.dataSource.register(source)
