"""The microseconds that a document takes, however small it is: with no link, with one, and with BASE.

    python bench/small.py [--rounds N]

The ways take turns, and the least processor time of all rounds counts: other programs only add to it. "One site": each
document has a URL of its own, as pages of one site have.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable

import linkfix

__all__ = ["DOCUMENTS", "URL"]

URL = "https://example.com/folder/page.html"

#: Name of a document -> the document.
DOCUMENTS = {
    "no link": b"<p>x</p>",
    "one link": b"<a href=x>y</a>",
    "BASE": b'<base href="https://cdn.example.com/folder/"><a href=x>y</a>',
    "relative BASE": b'<base href="/folder/"><a href=x>y</a>',
}

#: The number of calls of a way in a round.
CALLS = 40


def _turbohtml(data: bytes) -> object:
    import turbohtml  # `instructions.py` needs only the documents

    document = turbohtml.parse(data)
    document.resolve_links(URL)
    return document.serialize()


def _ways() -> dict[str, Callable[[], object]]:
    urls = itertools.cycle([f"https://example.com/folder/page{number}.html" for number in range(1000)])
    ways: dict[str, Callable[[], object]] = {}
    for name, data in DOCUMENTS.items():
        ways[f"absolutize, {name}"] = lambda data=data: linkfix.absolutize(data, URL)
        ways[f"absolutize, {name}, one site"] = lambda data=data: linkfix.absolutize(data, next(urls))
        ways[f"links, {name}"] = lambda data=data: linkfix.links(data, URL)
        ways[f"turbohtml, {name}"] = lambda data=data: _turbohtml(data)
    return ways


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args().rounds
    ways = _ways()
    least = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds):
        for name, way in ways.items():
            began = time.process_time()
            for _ in range(CALLS):
                way()
            least[name] = min(least[name], (time.process_time() - began) / CALLS)
    kind = "compiled" if linkfix.COMPILED else "plain"
    print(f"linkfix {linkfix.__version__}, {kind}; µs a document, least of {rounds} rounds")
    for name, seconds in least.items():
        print(f"{name:40}{seconds * 1e6:8.1f}")


if __name__ == "__main__":
    main()
