"""A guard against slowness that no load disturbs: instructions counted, beside lxml's in the same process.

    python bench/instructions.py             # prints each row's ratio and its bound; exits with 1 where one is exceeded

valgrind's callgrind counts the instructions of each piece of work below, on documents from `engine.py`. The unit is
lxml's count for the same documents; neither load nor clock matters. A bound is about a quarter above the count at the
time of writing. If a change makes a row better, lower its bound with it.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine import SHAPES, URL
from small import DOCUMENTS as SMALL

__all__ = ["BOUNDS"]

#: A piece of work -> its limit, as a multiple of the instructions of lxml's way for the same documents.
BOUNDS = {
    "absolutize, link-poor": 0.068,
    "absolutize, documentation": 0.031,
    "absolutize, link-dense": 0.027,
    "links, link-poor": 0.105,
    "links, documentation": 0.11,
    "links, link-dense": 0.115,
    "absolutize, no link": 0.52,
    "absolutize, one link": 0.58,
    "absolutize, BASE": 0.6,
    "absolutize, relative BASE": 0.82,
    "links, no link": 2.2,
    "links, one link": 2.1,
    "links, BASE": 2.6,
    "links, relative BASE": 2.9,
    "tree hook, lxml, with parsing, link-poor": 0.58,
    "tree hook, lxml, with parsing, documentation": 0.43,
    "tree hook, lxml, with parsing, link-dense": 0.42,
}
#: The number of documents of a shape, and of times that a small document is read.
DOCUMENTS, SMALL_DOCUMENTS = 3, 20

#: The pieces of work, each with the documents that it is done for.
WORK = {
    "absolutize": (*SHAPES, *SMALL),
    "links": (*SHAPES, *SMALL),
    "tree hook, lxml, with parsing": tuple(SHAPES),
}
#: Calling it ends the count of a piece of work (`--dump-before`).
MARK = "sched_yield"


def _work() -> dict[str, list[Callable[[bytes], object]]]:
    """Each piece of work: linkfix's way, and lxml's."""
    import lxml.html  # the process that counts does not need it

    import linkfix
    import linkfix.hooks.lxml

    if not linkfix.COMPILED:
        sys.exit("linkfix runs plain: the bounds are those of the compiled one")

    def absolutize(data: bytes) -> object:
        tree: Any = lxml.html.document_fromstring(data)
        tree.make_links_absolute(URL, handle_failures="ignore")
        return lxml.html.tostring(tree)

    def links(data: bytes) -> object:
        tree: Any = lxml.html.document_fromstring(data)
        return list(tree.iterlinks())

    def hook(data: bytes) -> object:
        return linkfix.hooks.lxml.absolutize(lxml.html.document_fromstring(data), URL)

    def make_links_absolute(data: bytes) -> object:
        tree: Any = lxml.html.document_fromstring(data)
        return tree.make_links_absolute(URL, handle_failures="ignore")

    return {
        "absolutize": [lambda data: linkfix.absolutize(data, url=URL), absolutize],
        "links": [lambda data: list(linkfix.links(data, url=URL)), links],
        "tree hook, lxml, with parsing": [hook, make_links_absolute],
    }


def _run() -> None:
    """Do all the work, each piece between two marks; the first time, uncounted, does the late imports."""
    work = _work()
    shapes = {name: [make(random.Random(n)) for n in range(DOCUMENTS)] for name, make in SHAPES.items()}  # noqa: S311
    shapes |= {name: [data] * SMALL_DOCUMENTS for name, data in SMALL.items()}
    for name, ways in work.items():
        for way in ways:
            for shape in WORK[name]:
                for _ in range(10):  # CPython specializes code that has run a few times
                    way(shapes[shape][0])
    for name, ways in work.items():
        for shape in WORK[name]:
            documents = shapes[shape]
            for way in ways:
                os.sched_yield()
                for document in documents:
                    way(document)
                os.sched_yield()


def _counts(folder: Path) -> list[int]:
    """The instructions of each piece of work, in order."""
    command = ["valgrind", "--tool=callgrind", f"--dump-before={MARK}", f"--callgrind-out-file={folder / 'out'}"]
    environment = os.environ | {"PYTHONHASHSEED": "0"}
    subprocess.run([*command, sys.executable, __file__, "--work"], check=True, env=environment, stderr=subprocess.PIPE)
    dumps = sorted(folder.glob("out.*"), key=lambda path: int(path.suffix[1:]))
    totals = []
    for dump in dumps:
        line = next(line for line in dump.read_text("utf-8", "replace").splitlines() if line.startswith("totals:"))
        totals.append(int(line.split()[1]))
    return totals[1::2]  # between the marks of one piece; the other counts lie between two pieces


def main() -> int:
    """Count, compare and print."""
    if sys.argv[1:] == ["--work"]:
        _run()
        return 0
    if shutil.which("valgrind") is None:
        sys.exit("there is no valgrind: install it, or leave this guard out")
    with tempfile.TemporaryDirectory() as folder:
        counts = iter(_counts(Path(folder)))
    print(f"{'instructions, in those of lxml':44}{'counted':>10}{'bound':>10}")
    exceeded = 0
    for name, shapes in WORK.items():
        for shape in shapes:
            ours, theirs = next(counts), next(counts)
            row = f"{name}, {shape}"
            ratio, bound = ours / theirs, BOUNDS[row]
            exceeded += ratio > bound
            print(f"{row:44}{ratio:10.3f}{bound:10.3f}{'  exceeded' if ratio > bound else ''}")
    if exceeded:
        print(f"{exceeded} bounds exceeded: find what became slower, or say why it has to be", file=sys.stderr)
    return int(exceeded > 0)


if __name__ == "__main__":
    sys.exit(main())
