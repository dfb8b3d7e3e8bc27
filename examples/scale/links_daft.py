"""Links of WARC files with Daft."""

import daft
import linkfix.arrow
from daft import DataType, col

COLUMNS = ["page", "element", "target"]


@daft.func(return_dtype=DataType.struct(dict.fromkeys(COLUMNS, DataType.string())))
def links(path: str):
    for batch in linkfix.arrow.links(linkfix.arrow.warc(path.removeprefix("file://")), columns=COLUMNS):
        yield from batch.to_pylist()


daft.from_glob_path("crawl/*.warc.gz").select(links(col("path")).alias("link")).select(
    col("link").unnest()
).write_parquet("links")
