"""MB/s of absolutizing, side by side with other tools in one run: `python bench/engine.py [NAME=FOLDER …]`.

Machines are shared and noisy: the tools take turns on the same documents, round after round, and the ratios of their
medians are printed. Every tool turns bytes into bytes with absolute links; features that it lacks (srcset, CSS, the
right base) do not count. Without folders, the script makes documents of three shapes, or with `--kinds` documents that
imitate those of strangers (`kinds.py`). `--slow` prints instead why records of the documents leave the fast way.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import re
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from kinds import KINDS, documents
from slow_records import print_reasons

import linkfix

__all__ = ["main"]

URL = "https://example.com/docs/guide/page.html"
Tool = Callable[[bytes], object]

_WORDS = re.findall(
    r"\w+",
    "the harbour lamp burns all night and ships that pass it know where rocks lie under water when fog comes in from"
    " sea so keepers write down each hour how wind stands and what they saw before dawn",
)


def _text(random_: random.Random, words: int) -> str:
    return " ".join(random_.choice(_WORDS) for _ in range(words))


def _page(random_: random.Random, title: str, body: str) -> bytes:
    head = f'<meta charset="utf-8"><title>{title}</title><link rel="stylesheet" href="../css/main.css">'
    script = f"<script>var lamp = {[random_.randrange(999) for _ in range(200)]};</script>"
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>{head}{script}</head>\n<body>\n{body}</body>\n</html>\n'.encode()


def _link_poor(random_: random.Random, share: float = 1) -> bytes:
    """An article: much text, a large style sheet and scripts, few links, most of them absolute."""
    rules = [f".c{n} {{ color: #{n:06x}; margin: {n % 40}px; padding: 0 }}" for n in range(int(800 * share))]
    style = "<style>\n" + "\n".join([*rules, ".icon { background: url(../img/icon.png) }"]) + "\n</style>\n"
    paragraphs = []
    for n in range(int(120 * share)):
        link = f'<a class="c{n}" href="https://example.org/{n}?a=1&amp;b=2">{_text(random_, 3)}</a>'
        paragraphs.append(f'<p class="c{n}" id="p{n}">{_text(random_, 70)} {link if n % 3 else ""}</p>\n')
    return _page(random_, "article", style + '<img src="/img/a.jpg" alt="">' + "".join(paragraphs))


def _documentation(random_: random.Random, share: float = 1) -> bytes:
    """A manual's page: a table of contents, cross references, anchors."""
    parts = []
    for n in range(int(60 * share)):
        references = "".join(
            f'<a class="xref" href="{random_.choice(("", "../", "../api/"))}s{random_.randrange(99)}.html#x{n}">'
            f"{_text(random_, 2)}</a> "
            for _ in range(random_.randrange(4))
        )
        parts.append(f'<div class="sect1" id="x{n}"><h2><a href="#x{n}">{n}</a></h2><p>{_text(random_, 40)}</p>')
        parts.append(f"<p>{references}{_text(random_, 20)}</p></div>\n")
    return _page(random_, "manual", "".join(parts))


def _link_dense(random_: random.Random, share: float = 1) -> bytes:
    """A generated API page: a link every few words."""
    rows = []
    for n in range(int(300 * share)):
        name = f"{random_.choice(_WORDS)}_{n}"
        kind = (
            f'<a class="struct" href="../../core/struct.{name.title()}.html" title="struct {name}">{name.title()}</a>'
        )
        rows.append(
            f'<section id="method.{name}" class="method">'
            f'<a class="src" href="../src/core/{name}.rs.html#{n}">source</a>'
            f'<h4>fn <a href="#method.{name}" class="fn">{name}</a>(x: {kind}) -&gt; {kind}</h4></section>\n'
        )
    return _page(random_, "api", "".join(rows))


#: Each makes a document of a shape; `share`: its size, as a share of the usual size.
SHAPES: dict[str, Callable[..., bytes]] = {
    "link-poor": _link_poor,
    "documentation": _documentation,
    "link-dense": _link_dense,
}


def _linkfix(data: bytes) -> object:
    return linkfix.absolutize(data, url=URL)


def _lxml() -> Tool:
    import lxml.html  # tools are imported only if they are installed

    def run(data: bytes) -> object:
        tree: Any = lxml.html.document_fromstring(data)
        tree.make_links_absolute(URL, handle_failures="ignore")
        return lxml.html.tostring(tree)

    return run


def _beautifulsoup() -> Tool:
    from bs4 import BeautifulSoup

    def run(data: bytes) -> object:
        soup = BeautifulSoup(data, "lxml")
        for name in ("href", "src"):
            for tag in soup.select(f"[{name}]"):
                with contextlib.suppress(ValueError):  # it raises on "http://["
                    tag[name] = urljoin(URL, str(tag[name]))
        return soup.encode()

    return run


def _turbohtml() -> Tool:
    import turbohtml

    def run(data: bytes) -> object:
        document = turbohtml.parse(data)
        document.resolve_links(URL)
        return document.serialize().encode()

    return run


#: Each by a function that imports it, so that an absent one is said to be absent.
OTHERS: dict[str, Callable[[], Tool]] = {"turbohtml": _turbohtml, "lxml": _lxml, "BeautifulSoup": _beautifulsoup}


def _tools() -> dict[str, Tool]:
    tools: dict[str, Tool] = {"linkfix": _linkfix}
    for name, load in OTHERS.items():
        try:
            tools[name] = load()
        except ImportError:
            print(f"{name}: not installed, left out", file=sys.stderr)
    return tools


def _documents(folders: list[str], limit: int, *, kinds: bool) -> dict[str, list[bytes]]:
    if kinds:
        return {kind: documents(kind) for kind in KINDS}
    if not folders:
        return {name: [make(random.Random(n)) for n in range(20)] for name, make in SHAPES.items()}  # noqa: S311
    found: dict[str, list[bytes]] = {}
    for folder in folders:
        name, _, path = folder.rpartition("=")
        size = 0
        found[name or path] = pages = []
        for file in sorted(Path(path).rglob("*.html")):
            if size < limit:
                pages.append(file.read_bytes())
                size += len(pages[-1])
        if not pages:
            sys.exit(f"{path}: no .html file there")
    return found


def _seconds(tool: Tool, documents: list[bytes]) -> float:
    before = time.perf_counter()
    for document in documents:
        tool(document)
    return time.perf_counter() - before


def main(arguments: list[str] | None = None) -> None:
    """Prints a table: a line per kind of documents, MB/s of each tool, and the factor by which linkfix is faster."""
    parser = argparse.ArgumentParser(prog="python bench/engine.py", description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="*", metavar="NAME=FOLDER", help="documents: the .html files of a folder")
    parser.add_argument("--rounds", type=int, default=5, help="turns that each tool takes  [default: 5]")
    parser.add_argument("--megabytes", type=int, default=4, help="read so much of each folder  [default: 4]")
    parser.add_argument("--slow", action="store_true", help="print why records leave the fast way, and nothing else")
    parser.add_argument("--kinds", action="store_true", help="make pages that imitate those of strangers")
    given = parser.parse_args(arguments)
    sets = _documents(given.folder, given.megabytes * 1_000_000, kinds=given.kinds)
    if given.slow:
        for name, pages in sets.items():
            print(f"{name}, {len(pages):,} documents of {sum(map(len, pages)) / 1e6:.1f} MB")
            print_reasons(pages, URL)
        return
    tools = _tools()
    speed = "compiled" if linkfix.COMPILED else "plain"
    print(f"linkfix {linkfix.__version__}, {speed}; MB/s, medians of {given.rounds} rounds")
    print("".join(f"{name:>22}" for name in ("", *tools)))
    for name, pages in sets.items():
        megabytes = sum(map(len, pages)) / 1e6
        rounds = [{tool: _seconds(run, pages) for tool, run in tools.items()} for _ in range(given.rounds + 1)][1:]
        medians = {tool: statistics.median(turn[tool] for turn in rounds) for tool in tools}
        cells = [f"{megabytes / medians['linkfix']:.1f}"]
        cells += [
            f"{megabytes / seconds:.1f} ({seconds / medians['linkfix']:.1f} x)"
            for tool, seconds in medians.items()
            if tool != "linkfix"
        ]
        print(f"{f'{name} {megabytes:.1f} MB':>22}" + "".join(f"{cell:>22}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
