"""A guard against slowness that no load disturbs: instructions counted, beside lxml's in the same process.

    python bench/instructions.py             # prints each row's ratio and its bound; exits with 1 where one is exceeded

valgrind's callgrind counts the instructions of each piece of work below, on documents from `engine.py`, `kinds.py` and
`small.py`. The unit is lxml's count for the same documents, or that of `absolutize` for the hook of clients; neither
load nor clock matters. A bound is about a quarter above the count at the time of writing (for the hook of clients,
above what it adds). If a change makes a row better, lower its bound with it.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Any

from engine import SHAPES, URL
from kinds import KINDS, documents
from small import DOCUMENTS as SMALL

__all__ = ["BOUNDS"]

#: The piece of work of a hook of clients, as a multiple of `absolutize`.
HOOK = "from_headers, 20 KB"

#: The pieces of work, in the order of the bounds. Each is done in a process of its own.
PIECES = ("absolutize", "links", "tree hook, lxml, with parsing", HOOK)

#: The pieces of work that are done for all shapes and kinds of documents; the others for the shapes.
OF_ALL_KINDS = frozenset({"absolutize", "links"})

#: A piece of work -> its limit, as a multiple of the instructions of the other way for the same documents.
BOUNDS = {
    "absolutize, link-poor": 0.042,
    "absolutize, documentation": 0.028,
    "absolutize, link-dense": 0.024,
    "absolutize, no link": 0.37,
    "absolutize, one link": 0.56,
    "absolutize, BASE": 0.45,
    "absolutize, relative BASE": 0.59,
    "absolutize, news": 0.017,
    "absolutize, with BASE": 0.018,
    "absolutize, legacy encodings": 0.046,
    "absolutize, Japanese": 0.027,
    "links, link-poor": 0.102,
    "links, documentation": 0.098,
    "links, link-dense": 0.11,
    "links, no link": 0.83,
    "links, one link": 2.0,
    "links, BASE": 1.8,
    "links, relative BASE": 1.83,
    "links, news": 0.17,
    "links, with BASE": 0.25,
    "links, legacy encodings": 0.32,
    "links, Japanese": 0.155,
    "tree hook, lxml, with parsing, link-poor": 0.45,
    "tree hook, lxml, with parsing, documentation": 0.35,
    "tree hook, lxml, with parsing, link-dense": 0.36,
    "from_headers, 20 KB, link-poor": 1.22,
    "from_headers, 20 KB, documentation": 1.14,
    "from_headers, 20 KB, link-dense": 1.085,
}
#: The number of documents of a shape, of a kind, and of times that a small document is read.
DOCUMENTS, OF_KIND, OF_SMALL = 2, 2, 10
#: The size of the documents of a client's hook in bytes: its own part is the same for all sizes.
HOOK_SIZE = 20_000
#: CPython specializes code that has run a few times, which shows in documents of fewer bytes.
SPECIALIZED = 30_000
#: The header fields of an ordinary page.
FIELDS = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": str(HOOK_SIZE),
    "Date": "Fri, 27 Nov 2026 10:00:00 GMT",
    "Server": "nginx",
    "Cache-Control": "max-age=3600",
    "Vary": "Accept-Encoding",
    "Connection": "keep-alive",
}
#: Calling it ends the count of a piece of work (`--dump-before`).
MARK = "sched_yield"


def _work() -> dict[str, list[Callable[[bytes], object]]]:
    """Each piece of work: linkfix's way, and the other."""
    import lxml.html  # the process that counts does not need it

    import linkfix
    import linkfix.hooks.generic
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

    ways: list[list[Callable[[bytes], object]]] = [
        [lambda data: linkfix.absolutize(data, url=URL), absolutize],
        [lambda data: list(linkfix.links(data, url=URL)), links],
        [hook, make_links_absolute],
        [
            lambda data: linkfix.hooks.generic.from_headers(URL, FIELDS, data),
            lambda data: linkfix.absolutize(data, url=URL),
        ],
    ]
    return dict(zip(PIECES, ways, strict=True))


def _documents(piece: str) -> dict[str, list[bytes]]:
    """The documents of a piece of work, by their shape or kind."""
    shares = {name: HOOK_SIZE / len(make(random.Random(0))) if piece == HOOK else 1.0 for name, make in SHAPES.items()}  # noqa: S311
    found = {
        name: [make(random.Random(n), shares[name]) for n in range(DOCUMENTS)]  # noqa: S311
        for name, make in SHAPES.items()
    }
    if piece in OF_ALL_KINDS:
        found |= {name: [data] * OF_SMALL for name, data in SMALL.items()}
        found |= {kind: documents(kind, OF_KIND) for kind in KINDS}
    return found


def _run(piece: str) -> None:
    """Do a piece of work, each set of documents between two marks.

    The first times, which are not counted, do late imports and load codecs.
    """
    sets, ways = _documents(piece).values(), _work()[piece]
    for way in ways:
        for pages in sets:
            for page in pages * (10 if len(pages[0]) < SPECIALIZED else 1):
                way(page)
    for pages in sets:
        for way in ways:
            way(pages[0])  # after other work, the first time rebuilds the allocator's lists
            os.sched_yield()
            for page in pages:
                way(page)
            os.sched_yield()


def _counts(piece: str) -> list[int]:
    """The instructions of a piece of work, for each set of documents and each way, in order."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--dump-before={MARK}", f"--callgrind-out-file={folder}/out"]
        work = [sys.executable, __file__, "--work", piece]
        environment = os.environ | {"PYTHONHASHSEED": "0"}
        subprocess.run([*command, *work], check=True, env=environment, stderr=subprocess.PIPE)
        return _totals(Path(folder))


def _totals(folder: Path) -> list[int]:
    """The instructions between the two marks of each set and way."""
    dumps = sorted(folder.glob("out.*"), key=lambda path: int(path.suffix[1:]))
    totals = []
    for dump in dumps:
        line = next(line for line in dump.read_text("utf-8", "replace").splitlines() if line.startswith("totals:"))
        totals.append(int(line.split()[1]))
    return totals[1::2]  # the other counts lie between a second mark and the next first one


def main() -> int:
    """Count, compare and print."""
    if sys.argv[1:2] == ["--work"]:
        _run(sys.argv[2])
        return 0
    if shutil.which("valgrind") is None:
        sys.exit("there is no valgrind: install it, or leave this guard out")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = chain.from_iterable(pool.map(_counts, PIECES))
    print(f"{'instructions, in those of the other way':44}{'counted':>10}{'bound':>10}")
    exceeded = 0
    for row, bound in BOUNDS.items():
        ours, theirs = next(counts), next(counts)
        ratio = ours / theirs
        exceeded += ratio > bound
        print(f"{row:44}{ratio:10.3f}{bound:10.3f}{'  exceeded' if ratio > bound else ''}")
    if exceeded:
        print(f"{exceeded} bounds exceeded: find what became slower, or say why it has to be", file=sys.stderr)
    return int(exceeded > 0)


if __name__ == "__main__":
    sys.exit(main())
