"""Published facts that tests compare the package with: the tables of tests/vectors, and files of some machines.

`missing_*` are marks that skip a test if a file is missing, with a reason that names its source.
"""

from __future__ import annotations

import csv
import json
from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from support.paths import SHARED, VECTORS

__all__ = [
    "CORPUS",
    "SEEDS",
    "by_file",
    "corpus_sample",
    "needs_corpus",
    "needs_seeds",
    "needs_sources",
    "published_archive",
    "table",
    "write_registry",
    "write_saver_trees",
]

#: Real pages. They are their publishers', and in no published package.
CORPUS = sorted((SHARED / "corpus" / "pages").glob("*.html"))
#: The texts of the specifications.
SEEDS = SHARED / "seeds"
#: The folder to which tests/vectors/fetch.py downloads.
FETCHED = VECTORS / "fetched"

_NO_CORPUS = (
    "no real pages in ../shared/corpus/pages: they are in https://github.com/scrapinghub/article-extraction-benchmark"
    " at revision 11b407d43934becc20873bb3dcd5e3d2591746d3, html/*.html.gz"
)
needs_corpus = pytest.mark.skipif(not CORPUS, reason=_NO_CORPUS)
needs_seeds = pytest.mark.skipif(
    not SEEDS.is_dir(), reason="no texts of the specifications in ../shared/seeds; they are not ours to copy"
)
needs_sources = pytest.mark.skipif(
    not (SHARED / "conformance").is_dir(),
    reason="what tests/vectors/make.py reads is not in ../shared; tests/vectors/README.md says where it is from",
)


@cache
def _read(name: str) -> tuple[tuple[str, ...], list[list[Any]]]:
    columns: tuple[str, ...] = ()
    rows = []
    for line in (VECTORS / f"{name}.jsonl").read_text("ascii").splitlines():
        if line.startswith("# columns: "):
            columns = tuple(line.removeprefix("# columns: ").split(", "))
        elif not line.startswith("# "):
            rows.append(json.loads(line))
    return columns, rows


def table(name: str, *columns: str) -> list[Any]:
    """The rows of a table as dictionaries; of one column, its values; of several columns, tuples."""
    known, rows = _read(name)
    if not columns:
        return [dict(zip(known, row, strict=True)) for row in rows]
    return list(map(itemgetter(*map(known.index, columns)), rows))


def by_file(name: str) -> dict[str, list[Any]]:
    """The rows of a table that has a column `file`, by that."""
    return {file: list(rows) for file, rows in groupby(table(name), key=itemgetter("file"))}


def write_registry(folder: Path) -> Path:
    """Write the table `uri-schemes` into a folder as IANA publishes it, and return the file."""
    columns, rows = _read("uri-schemes")
    path = folder / "iana-uri-schemes-2024-04.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    return path


def write_saver_trees(folder: Path) -> Path:
    """Write the trees of the table `savers` into a folder, and return it."""
    for path, data in table("savers", "path", "data"):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data.encode("latin-1"))
    return folder


def published_archive(name: str) -> Path:
    """The path of one of warcio's WARC files; skips the test if it is missing."""
    for folder in (SHARED / "warc", FETCHED / "warc"):
        if (folder / name).is_file():
            return folder / name
    reason = f"{name} of warcio's tests is not here: `python tests/vectors/fetch.py` gets those that are published"
    pytest.skip(reason)


def corpus_sample(pages: list[Path]) -> list[Any]:
    """Parameters for a test of real pages: the given ones, or one that is skipped with the reason."""
    return pages or [pytest.param(None, marks=pytest.mark.skip(reason=_NO_CORPUS), id="real pages")]
