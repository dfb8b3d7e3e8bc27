"""The cost of linkfix's hooks: pages per second of requests and Scrapy with and without hooks; trees beside other ways.

    python bench/hooks.py [--rounds N] [--pages N] [--only clients|layer|trees] [NAME=FOLDER …]

A server in a process of its own serves the documents from memory, over connections that stay open. Clients with and
without the hook take turns on the same pages, round after round, and medians are printed. The last column is the
processor time of the hook per page. The use of a page:

    requests           `response.content`
    Scrapy             nothing: the spider gets the response, and the hook's share is the largest
    Scrapy, extractor  Scrapy's own `LinkExtractor`, for which the page is parsed

The layer of a hook is its work besides the document's: from the URL, header fields and body of a response to the
outcome. Its table has processor time without any client, in turns, the shortest of each document; made documents have
20 KB there.

Start-up is not included. Trees are parsed anew for each turn, and only the work after that is timed; in brackets: the
time as a multiple of the library's first way. "by hand" is the usual loop: `urllib.parse.urljoin` over each href and
src, without the page's base, srcset and CSS, and without a list of the links; lxml's own function gives no list either.
The documents come from `engine.py`, or are .html files of folders.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin

import lxml.html
import requests
from bs4 import BeautifulSoup
from engine import SHAPES, URL
from parsel import Selector
from selectolax.lexbor import LexborHTMLParser

import linkfix
import linkfix.hooks.bs4
import linkfix.hooks.generic
import linkfix.hooks.lxml
import linkfix.hooks.parsel
import linkfix.hooks.requests
import linkfix.hooks.response
import linkfix.hooks.selectolax

__all__ = ["CLIENTS", "LIBRARIES"]

#: The maximum number of documents of a kind.
DOCUMENTS = 8


def documents(folders: list[str]) -> dict[str, list[bytes]]:
    """The documents of each kind: made here, or some of each folder, at even distances in the order of their names."""
    if not folders:
        return {name: [make(random.Random(n)) for n in range(DOCUMENTS)] for name, make in SHAPES.items()}  # noqa: S311
    found = {}
    for folder in folders:
        name, _, path = folder.rpartition("=")
        files = sorted(Path(path).rglob("*.html"))
        if not files:
            sys.exit(f"{path}: no .html file there")
        found[name or path] = [file.read_bytes() for file in files[:: -(-len(files) // DOCUMENTS)]]
    return found


def _small_documents() -> dict[str, list[bytes]]:
    """Documents of each kind of `LAYER_SIZE`, made here."""
    made = {}
    for name, make in SHAPES.items():
        share = LAYER_SIZE / len(make(random.Random(0)))  # noqa: S311
        made[f"{name}, {LAYER_SIZE // 1000} KB"] = [make(random.Random(n), share) for n in range(DOCUMENTS)]  # noqa: S311
    return made


class _Server(asyncio.Protocol):
    """Answers `GET /KIND/NUMBER` with a document; after the last of a kind comes the first."""

    def __init__(self, kinds: list[list[bytes]]) -> None:
        self.kinds = kinds
        self.asked = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: Any = transport

    def data_received(self, data: bytes) -> None:
        *heads, self.asked = (self.asked + data).split(b"\r\n\r\n")
        for head in heads:
            _, kind, number = head.split(b" ", 2)[1].split(b"/")
            pages = self.kinds[int(kind)]
            body = pages[int(number) % len(pages)]
            fields = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n"
            self.transport.write(fields % len(body) + body)


async def serve(kinds: list[list[bytes]]) -> None:
    """Serves until standard input ends; prints the port."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Server(kinds), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


@contextlib.contextmanager
def serving(folders: list[str]) -> Iterator[str]:
    """The URL of a server of the documents, in a process of its own."""
    command = [sys.executable, __file__, "--serve", *folders]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        port = server.stdout.readline().strip() if server.stdout else ""
        yield f"http://127.0.0.1:{port}"


class Cost(NamedTuple):
    """In seconds: the wall time, and the processor time of this process."""

    wall: float
    cpu: float

    def since(self, before: Cost) -> Cost:
        return Cost(self.wall - before.wall, self.cpu - before.cpu)


def _now() -> Cost:
    return Cost(time.perf_counter(), time.process_time())


def session(url: str, count: int, *, hooked: bool) -> Cost:
    """The cost of `count` pages below `url` with requests."""
    with requests.Session() as client:
        client.trust_env = False  # there is no proxy between
        if hooked:
            client.hooks["response"].append(linkfix.hooks.requests.absolutize)
        for number in range(-1, count):
            if number == 0:  # the connection exists
                began = _now()
            page = client.get(f"{url}/{number}")
            if page.status_code != requests.codes.ok or not page.content:
                sys.exit(f"{page.url}: {page.status_code}")
        return _now().since(began)


def crawl(url: str, count: int, *, hooked: bool, extractor: bool) -> Cost:
    """The cost of `count` pages below `url` with Scrapy: once in a process."""
    import scrapy  # its reactor belongs to the process of one crawl
    from scrapy.crawler import CrawlerProcess
    from scrapy.http import Response, TextResponse
    from scrapy.linkextractors import LinkExtractor

    stamps: list[Cost] = []
    links = LinkExtractor()

    class Pages(scrapy.Spider):
        name = "pages"

        def parse(self, response: Response, **_: object) -> Iterator[scrapy.Request]:
            if extractor and isinstance(response, TextResponse):
                links.extract_links(response)
            stamps.append(_now())
            if len(stamps) == 1:  # the connection exists
                yield from (scrapy.Request(f"{url}/{number}") for number in range(count))

    process = CrawlerProcess(
        {
            "ADDONS": {"linkfix.hooks.scrapy.LinkfixAddon": 540} if hooked else {},
            "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
            "DOWNLOAD_DELAY": 0,
            "LOG_LEVEL": "WARNING",
            "ROBOTSTXT_OBEY": False,
            "TELNETCONSOLE_ENABLED": False,
        }
    )
    process.crawl(Pages, start_urls=[f"{url}/-1"])
    process.start()
    if len(stamps) != count + 1:
        sys.exit(f"{url}: {len(stamps)} of {count + 1} pages")
    return stamps[-1].since(stamps[0])


def crawl_apart(url: str, count: int, *, hooked: bool, extractor: bool) -> Cost:
    """`crawl`, in a process of its own."""
    command = [sys.executable, __file__, "--crawl", url, "--pages", str(count)]
    command += ["--hooked"] * hooked + ["--extractor"] * extractor
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return Cost(*map(float, printed.split()))


#: Each returns the cost of `count` pages below a URL, with the hook or without.
CLIENTS: dict[str, Callable[..., Cost]] = {
    "requests": session,
    "Scrapy": partial(crawl_apart, extractor=False),
    "Scrapy, extractor": partial(crawl_apart, extractor=True),
}


def clients(kinds: dict[str, list[bytes]], folders: list[str], rounds: int, count: int) -> None:
    """Measures clients, and prints a table: a line a client and kind of documents."""
    print(f"\n{f'pages a second, {count} in a turn':40}{'without':>10}{'with':>10}{'ratio':>10}{'ms a page':>12}")
    with serving(folders) as server:
        for name, run in CLIENTS.items():
            for number, kind in enumerate(kinds):
                url = f"{server}/{number}"
                turns = [[run(url, count, hooked=hooked) for hooked in (False, True)] for _ in range(rounds)]
                off, on = (
                    Cost(*map(statistics.median, zip(*costs, strict=True))) for costs in zip(*turns, strict=True)
                )
                speeds = f"{count / off.wall:10,.0f}{count / on.wall:10,.0f}{off.wall / on.wall:10.2f}"
                cells = f"{speeds}{1e3 * on.since(off).cpu / count:12.2f}"
                print(f"{name:20}{kind:20}{cells}", flush=True)


#: The size of made documents for `layers`, in bytes, and the number of calls in a turn.
LAYER_SIZE, CALLS = 20_000, 20

#: The header fields of an ordinary page.
FIELDS = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": "20000",
    "Date": "Fri, 27 Nov 2026 10:00:00 GMT",
    "Server": "nginx",
    "Cache-Control": "max-age=3600",
    "Vary": "Accept-Encoding",
    "Connection": "keep-alive",
}

#: Each makes the links of a page absolute: the function of bytes, the common part of all hooks, and a whole hook.
LAYERS: dict[str, Callable[[bytes], object]] = {
    "absolutize": lambda data: linkfix.absolutize(data, url=URL),
    "response": lambda data: linkfix.hooks.response.absolutize(
        linkfix.hooks.response.Response(data, URL, tuple(FIELDS.items()))
    ),
    "from_headers": lambda data: linkfix.hooks.generic.from_headers(URL, FIELDS, data),
}


def layers(kinds: dict[str, list[bytes]], rounds: int) -> None:
    """Measures the layer of hooks, and prints a table: a line a kind of documents."""
    print(f"\n{'microseconds a page':36}" + "".join(f"{name:>20}" for name in LAYERS))
    for name, data in kinds.items():
        best = dict.fromkeys(LAYERS, 0.0)
        for document in data:
            shortest = dict.fromkeys(LAYERS, float("inf"))
            for _ in range(20 * rounds):
                for way, run in LAYERS.items():
                    began = time.process_time()
                    for _ in range(CALLS):
                        run(document)
                    shortest[way] = min(shortest[way], (time.process_time() - began) / CALLS)
            for way, seconds in shortest.items():
                best[way] += seconds
        first = best["absolutize"]
        cells = (
            f"{1e6 * seconds / len(data):.1f} ({seconds / first:.2f})"
            if seconds is not first
            else f"{1e6 * seconds / len(data):.1f}"
            for seconds in best.values()
        )
        print(f"{name:36}" + "".join(f"{cell:>20}" for cell in cells), flush=True)


class Library(NamedTuple):
    """A library's parser, and ways to make the links of its tree absolute."""

    parse: Callable[[bytes], Any]
    ways: dict[str, Callable[[Any], object]]


def _join(reference: str | None) -> str:
    try:
        return urljoin(URL, reference or "")
    except ValueError:
        return reference or ""


def _by_hand_soup(soup: BeautifulSoup) -> None:
    for name in ("href", "src"):
        for tag in soup.select(f"[{name}]"):
            tag[name] = _join(str(tag[name]))


def _by_hand_selector(selector: Selector) -> None:
    for name in ("href", "src"):
        for element in selector.root.iterfind(f".//*[@{name}]"):
            element.set(name, _join(element.get(name)))


def _by_hand_lexbor(tree: LexborHTMLParser) -> None:
    for name in ("href", "src"):
        for node in tree.css(f"[{name}]"):
            if (value := node.attrs.get(name)) is not None:  # "xlink:href" counts as href there
                node.attrs[name] = _join(value)


LIBRARIES = {
    "lxml": Library(
        lxml.html.document_fromstring,
        {
            "make_links_absolute": lambda tree: tree.make_links_absolute(URL, handle_failures="ignore"),
            "linkfix's drop-in": lambda tree: linkfix.hooks.generic.make_links_absolute(tree, URL, copy=False),
            "linkfix": lambda tree: linkfix.hooks.lxml.absolutize(tree, URL),
        },
    ),
    "parsel": Library(
        lambda data: Selector(body=data),
        {"by hand": _by_hand_selector, "linkfix": lambda tree: linkfix.hooks.parsel.absolutize(tree, URL)},
    ),
    "selectolax": Library(
        LexborHTMLParser,
        {"by hand": _by_hand_lexbor, "linkfix": lambda tree: linkfix.hooks.selectolax.absolutize(tree, URL)},
    ),
    "BeautifulSoup": Library(
        lambda data: BeautifulSoup(data, "lxml"),
        {"by hand": _by_hand_soup, "linkfix": lambda tree: linkfix.hooks.bs4.absolutize(tree, URL)},
    ),
}


def timed(library: Library, way: str, data: list[bytes]) -> tuple[float, float]:
    """Milliseconds a tree: of parsing, and of a way to make its links absolute."""
    parsing = working = 0.0
    gc.collect()
    for document in data:
        began = time.perf_counter()
        tree = library.parse(document)
        parsed = time.perf_counter()
        library.ways[way](tree)
        working += time.perf_counter() - parsed
        parsing += parsed - began
    return 1e3 * parsing / len(data), 1e3 * working / len(data)


def trees(kinds: dict[str, list[bytes]], rounds: int) -> None:
    """Measures trees, and prints a table: a line a way, a column a kind of documents."""
    print(f"\n{'milliseconds a tree':36}" + "".join(f"{name:>20}" for name in kinds))
    lines: dict[tuple[str, str], list[str]] = {}
    for data in kinds.values():
        pairs = [(name, way) for name, library in LIBRARIES.items() for way in library.ways]
        turns = [{pair: timed(LIBRARIES[pair[0]], pair[1], data) for pair in pairs} for _ in range(rounds + 1)][1:]
        for name, library in LIBRARIES.items():
            parsing = statistics.median(turn[name, way][0] for turn in turns for way in library.ways)
            lines.setdefault((name, "parsing"), []).append(f"{parsing:.2f}         ")
            medians = {way: statistics.median(turn[name, way][1] for turn in turns) for way in library.ways}
            first = next(iter(medians.values()))
            for way, median in medians.items():
                ratio = f" ({median / first:5.2f})" if median is not first else "        "
                lines.setdefault((name, way), []).append(f"{median:.2f}{ratio:9}")
    for (name, way), cells in lines.items():
        print((f"{name:14}{way:22}" + "".join(f"{cell:>20}" for cell in cells)).rstrip())


def main() -> None:
    """Measure, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", metavar="NAME=FOLDER", help="documents: .html files of a folder")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pages", type=int, default=200, help="that a client gets in a turn")
    parser.add_argument("--only", choices=["clients", "layer", "trees"])
    for hidden in ("--serve", "--hooked", "--extractor"):
        parser.add_argument(hidden, action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--crawl", metavar="URL", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.crawl:
        print(*crawl(given.crawl, given.pages, hooked=given.hooked, extractor=given.extractor))
        return
    kinds = documents(given.folders)
    if given.serve:
        asyncio.run(serve(list(kinds.values())))
        return
    packages = ("requests", "Scrapy", "lxml", "parsel", "selectolax", "beautifulsoup4")
    speed = "compiled" if linkfix.COMPILED else "plain"
    print(f"linkfix {linkfix.__version__}, {speed}; medians of {given.rounds} rounds; with", end=" ")
    print(", ".join(f"{package} {version(package)}" for package in packages))
    for name, data in kinds.items():
        links = statistics.mean(len(linkfix.links(document, URL)) for document in data)
        size = statistics.mean(map(len, data))
        print(f"{name}: {len(data)} documents of {size / 1e3:,.0f} KB and {links:,.0f} links on average")
    if given.only in {None, "clients"}:
        clients(kinds, given.folders, given.rounds, given.pages)
    if given.only in {None, "layer"}:
        layers(kinds if given.folders else _small_documents(), given.rounds)
    if given.only in {None, "trees"}:
        trees(kinds, given.rounds)


if __name__ == "__main__":
    main()
