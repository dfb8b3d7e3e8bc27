"""The cost of reading WARC files in a process that writes their links: linkfix's own reader beside fastwarc's.

    python bench/warc_readers.py FILE … [--rounds 3]

Seconds of processor time, medians; the readers take turns. It needs the extras `arrow` and `warc`.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

from fastwarc.warc import ArchiveIterator, WarcRecordType
from scale_ways import GRAPH

import linkfix.arrow
from linkfix.arrow.batches import RowBatches


def own(path: Path) -> int:
    """The bytes of all documents, by the rows of `linkfix.arrow.warc`, as `linkfix.arrow.links` takes them."""
    batches = cast("RowBatches", linkfix.arrow.warc(path))
    return sum(len(row.get("html") or b"") for row in batches.rows())


def fastwarc(path: Path) -> int:
    """The same with fastwarc's `ArchiveIterator`, without linkfix's further checks and finds."""
    size = 0
    with path.open("rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True):
            size += len(record.reader.read()) if record.headers.get("WARC-Target-URI") else 0
    return size


def links(path: Path) -> int:
    """The links, by linkfix's reader."""
    return sum(batch.num_rows for batch in linkfix.arrow.links(linkfix.arrow.warc(path), columns=GRAPH))


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    ways: dict[str, Callable[[Path], int]] = {"linkfix.arrow.warc": own, "fastwarc": fastwarc, "with links": links}
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(arguments.rounds):
        for name, way in ways.items():
            began = time.process_time()
            sum(map(way, arguments.files))
            taken[name].append(time.process_time() - began)
    for name, seconds in taken.items():
        print(f"{name:24}{statistics.median(seconds):8.2f} s")


if __name__ == "__main__":
    main()
