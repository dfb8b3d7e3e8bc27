"""Compares tables with `linkfix.links`, row by row, for the WARC files that `scale.py` makes.

    python bench/scale_equality.py FOLDER … [--megabytes 500] [--web FOLDER] [--keep FOLDER]

Three comparisons, each to the end; a difference is printed, and is the exit code:

    columns    all columns of `linkfix.arrow.links` = the fields of each `linkfix.Link` of each document
    processes  `linkfix links FILE --output … --jobs 2` = one process that reads one file after the other
    Spark      the rows of `linkfix-links` in Spark's `local[2]` = the same

Several processes, and Spark, read one file in slices. Pages are repeated under other URLs if there are too few. The
peak memory of a process is printed too. It needs Linux and the extras `bench`, `test` and `spark`.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import scale
from scale_ways import GRAPH

import linkfix
import linkfix.arrow
from linkfix.encodings.encoding import to_utf8
from linkfix.urls import cut_data_url

#: So many bytes of a WARC file are a partition, so that each has several.
_SLICE = 8_000_000


def tables_rows(archives: Iterable[Path]) -> Iterator[tuple[Any, ...]]:
    """The rows of the tables."""
    for archive in archives:
        for batch in linkfix.arrow.links(linkfix.arrow.warc(archive)):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def links_rows(archives: Iterable[Path]) -> Iterator[tuple[Any, ...]]:
    """The rows that `linkfix.links` says there are."""
    names = linkfix.arrow.LINKS_SCHEMA.names[1:]
    for archive in archives:
        for batch in linkfix.arrow.warc(archive, columns=["url", "charset", "media_type", "html"]):
            for row in batch.to_pylist():
                stated = {"charset": row["charset"], "media_type": row["media_type"]}
                for link in linkfix.links(row["html"], row["url"], **stated):
                    target = None if link.target is None else _stored(cut_data_url(link.target))
                    cut = link._replace(reference=_stored(cut_data_url(link.reference)), target=target)
                    yield (row["url"], *(getattr(cut, name) for name in names))


def _stored(text: str) -> str:
    return text if text.isascii() else to_utf8(text).decode()


def first_difference(one: Iterable[object], other: Iterable[object]) -> tuple[int, str]:
    """The number of equal rows, and the first rows that differ, or ""."""
    count = 0
    for left, right in itertools.zip_longest(one, other):
        if left != right:
            return count, f"{left!r}\n{right!r}"
        count += 1
    return count, ""


def parquet_rows(paths: Iterable[Path]) -> Iterator[tuple[Any, ...]]:
    """The rows of Parquet files, one after the other, with the columns of a link graph."""
    for path in paths:
        for batch in pq.ParquetFile(path).iter_batches(columns=GRAPH):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def compare(scratch: Path, archives: list[Path]) -> bool:
    """Print the result of a comparison. Returns whether all is equal."""
    plain, split, spark = (scratch / name for name in ("plain", "split.parquet", "spark"))
    plain.mkdir()
    scale.write_parquet(plain, archives)
    one = [plain / f"{archive.name}.parquet" for archive in archives]
    large = scratch / "all.warc.gz"
    with large.open("wb") as file:
        for archive in archives:
            file.write(archive.read_bytes())
    processes = [sys.executable, "-m", "linkfix", "links", str(large), "--output", str(split)]
    two = scale.measure([*processes, "--columns", ",".join(GRAPH), "--jobs", "2"])
    both = scale.measure([sys.executable, __file__, "--job", str(spark), str(large)])
    compared = {
        "columns = linkfix.links": (tables_rows(archives), links_rows(archives)),
        "two processes = one": (parquet_rows([split]), parquet_rows(one)),
        "Spark local[2] = one": (parquet_rows(sorted(spark.glob("*.parquet"))), parquet_rows(one)),
    }
    is_equal = True
    for name, pair in compared.items():
        count, difference = first_difference(*pair)
        print(f"{name:32}{count:12,} rows are equal{', then:' if difference else ', all'}", difference, flush=True)
        is_equal = is_equal and not difference
    print(f"a worker's memory: {two.peak / 1e6:.0f} MB of linkfix links, {both.peak / 1e6:.0f} MB of Spark (goal: 400)")
    return is_equal


def main() -> int:
    """Compare, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--web", type=Path, default=scale.WEB)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--job", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.job:
        scale.write_with_spark(arguments.folders[0], arguments.folders[1:], slice_size=_SLICE)
        return 0
    size = arguments.megabytes * 1_000_000
    kinds = scale.all_pages(arguments.web, arguments.folders, size)
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary, "archives")
        folder.mkdir(parents=True, exist_ok=True)
        count, made = scale.make_archives(folder, kinds, size)
        print(f"{count:,} pages, {made:,} bytes")
        return int(not compare(Path(temporary), sorted(folder.glob("*.warc.gz"))))


if __name__ == "__main__":
    sys.exit(main())
