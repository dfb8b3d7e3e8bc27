"""Links of WARC files with Dask: a Parquet file for each."""

from glob import glob

import dask.dataframe
import linkfix.arrow
import pyarrow as pa

COLUMNS = ["page", "element", "target"]


def links(path):
    batches = linkfix.arrow.links(linkfix.arrow.warc(path), columns=COLUMNS)
    return pa.Table.from_batches(batches, linkfix.arrow.links_schema(COLUMNS)).to_pandas()


if __name__ == "__main__":
    dask.dataframe.from_map(links, glob("crawl/*.warc.gz")).to_parquet("links")
