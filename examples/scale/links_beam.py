"""Links of WARC files with Apache Beam."""

from glob import glob

import apache_beam as beam
import linkfix.arrow

COLUMNS = ["page", "element", "target"]


def links(path):
    for batch in linkfix.arrow.links(linkfix.arrow.warc(path), columns=COLUMNS):
        yield from batch.to_pylist()


if __name__ == "__main__":
    with beam.Pipeline() as pipeline:
        found = pipeline | beam.Create(glob("crawl/*.warc.gz")) | beam.Reshuffle() | beam.FlatMap(links)
        found | beam.io.WriteToParquet("links/links", linkfix.arrow.links_schema(COLUMNS))
