"""Links of WARC files with Ray Data."""

from glob import glob

import linkfix.arrow
import pyarrow as pa
import ray.data


def links(paths):
    for path in paths["item"]:
        for batch in linkfix.arrow.links(linkfix.arrow.warc(path), columns=["page", "element", "target"]):
            yield pa.Table.from_batches([batch])


ray.data.from_items(glob("crawl/*.warc.gz")).map_batches(links, batch_size=1).write_parquet("links")
