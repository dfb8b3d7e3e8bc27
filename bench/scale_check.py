"""Checks tables of links on many pages: columns are the links of `linkfix.links`, and Spark's rows are one process's.

    python bench/scale_check.py FOLDER … [--megabytes 500] [--web FOLDER] [--keep FOLDER]

The WARC files are those of `scale.py`, made of the same folders. Each document's rows are compared with its links,
field by field and in their order. Then the data source, in a Spark of two cores, writes Parquet of the files, as one
process does; the rows are compared without their order, since Spark has none. Exit status 1 if anything differs. It
needs the extras `bench`, `test` and `spark`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from scale import documentation, job, make_archives, measure, web_pages

import linkfix
import linkfix.arrow
from linkfix.arrow.schemas import LINKS_SCHEMA
from linkfix.document.link_texts import cut_data_url

#: The columns that are compared: the page's URL, and the fields of a link.
NAMES = LINKS_SCHEMA.names
#: Those of Parquet files.
GRAPH = ["page", "element", "target"]


def as_columns_have_it(value: Any) -> Any:  # noqa: ANN401 - any field of a link
    """A field of a link, of a text without the data of a `data:` URL."""
    return cut_data_url(value).encode("utf-8", "replace").decode() if isinstance(value, str) else value


def rows(batches: Iterator[pa.RecordBatch]) -> list[tuple[Any, ...]]:
    """The rows of batches."""
    return [row for batch in batches for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)]


def compare_with_links(archives: list[Path]) -> tuple[int, int, int]:
    """Compare columns with links, and print what differs: how many pages, links and pages that differ there are."""
    pages = count = different = 0
    for archive in archives:
        for batch in linkfix.arrow.warc(archive):
            expected = []
            for document in batch.to_pylist():
                pages += 1
                for link in linkfix.links(document["html"], document["url"], charset=document["charset"]):
                    fields = [document["url"], *(getattr(link, name) for name in NAMES[1:])]
                    expected.append(tuple(map(as_columns_have_it, fields)))
            found = rows(linkfix.arrow.links(batch))
            count += len(expected)
            if found != expected:
                pairs = zip(expected, found, strict=False)
                first = next((pair for pair in pairs if pair[0] != pair[1]), (len(expected), len(found)))
                print(f"different: {first[0]}\n       and {first[1]}")
                different += 1
    return pages, count, different


def sorted_table(folder: Path) -> pa.Table:
    """The rows of all Parquet files below a folder, in one order."""
    table = pa.concat_tables(pq.read_table(path).cast(linkfix.arrow.links_schema(GRAPH)) for path in found(folder))
    return table.sort_by([(name, "ascending") for name in GRAPH])


def found(folder: Path) -> list[Path]:
    """The Parquet files below a folder."""
    return sorted(folder.rglob("*.parquet"))


def main() -> int:
    """Compare, and print; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--web", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "corpus")
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    size = given.megabytes * 1_000_000
    kinds = {"web": web_pages(given.web), "documentation": documentation(given.folders, size)}
    kinds = {name: pages for name, pages in kinds.items() if pages}
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary, "archives")
        folder.mkdir(parents=True, exist_ok=True)
        _, made = make_archives(folder, kinds, size)
        archives = sorted(folder.glob("*.warc.gz"))
        pages, count, different = compare_with_links(archives)
        print(f"{made / 1e6:,.0f} MB, {pages:,} pages, {count:,} links: {different} batches differ from linkfix.links")
        plain, spark = Path(temporary, "plain"), Path(temporary, "spark")
        plain.mkdir()
        measure(job("parquet", plain, *archives))
        measure(job("spark", spark, *archives))
        one, other = sorted_table(plain), sorted_table(spark)
        is_same = one.equals(other) and one.num_rows == count
        print(
            f"{one.num_rows:,} rows by one process, {other.num_rows:,} by Spark: {'equal' if is_same else 'different'}"
        )
    return 0 if is_same and not different else 1


if __name__ == "__main__":
    sys.exit(main())
