"""Eight patterns of scrapers, mailers and generators, and the same with linkfix: how many documents each reads right.

    python bench/ports.py                    # the table of docs/comparison.md
    python bench/ports.py --cases [PORT …]   # and, below it, each case that a port has otherwise than browsers

Each file of examples/ports has two functions: `before` is the pattern, `after` does the same with linkfix. Both get the
documents of `tests/vectors/absolute_urls`, and right.py judges both by the URLs of browsers. An exception is no answer.
"""

from __future__ import annotations

import argparse
import inspect
import io
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import requests
from requests.utils import get_encoding_from_headers

import linkfix

sys.path.insert(0, str(Path(__file__).parent))

from right import PAGES, Case, Found, cases, is_right

__all__ = ["PORTS", "Port", "Result", "main", "measured", "row"]

FILES = Path(__file__).parents[1] / "examples" / "ports"

#: The kinds of documents that a piece of a page can be: it has no BASE and, as a str, no encoding.
PIECES = tuple(kind for kind in PAGES if kind not in {"base", "encoding"})
#: The places of the links that people follow.
FOLLOWED = {"a[href]", "area[href]"}


class Port(NamedTuple):
    """`given`: the arguments of both functions. `counts`: whether a document is one for it."""

    about: str
    given: Callable[[Case], tuple[Any, ...]]
    counts: Callable[[Case], bool]


class Result(NamedTuple):
    """The lines of a function, and the names of the cases that it has otherwise than browsers."""

    lines: int
    wrong: list[str]


def _response(case: Case) -> tuple[requests.Response]:
    """The response of requests for a case."""
    response = requests.Response()
    response.status_code, response.url, response.raw = 200, case.url, io.BytesIO(case.data)
    response.headers["Content-Type"] = case.content_type
    response.encoding = get_encoding_from_headers(response.headers)
    return (response,)


def _scrapy_response(case: Case) -> tuple[Any]:
    from scrapy.http import HtmlResponse

    return (HtmlResponse(case.url, body=case.data, headers={"Content-Type": case.content_type}),)


def _piece(case: Case) -> tuple[str, str]:
    return case.data.decode(case.charset or "utf-8", "replace"), case.url


def _is_followed(case: Case) -> bool:
    return case.kind in PAGES and set(case.expected or ()) <= FOLLOWED


def _is_page(case: Case) -> bool:
    return case.kind in PAGES


def _is_piece(case: Case) -> bool:
    return case.kind in PIECES and b"<base" not in case.data.lower()


PORTS = {
    "scraper_soup": Port("BeautifulSoup, `find_all` and `urljoin`", _response, _is_followed),
    "scraper_parsel": Port("parsel, `urljoin` and BASE", _response, _is_followed),
    "spider_scrapy": Port("Scrapy's `response.urljoin`", _scrapy_response, _is_followed),
    "scraper_lxml": Port("lxml's `make_links_absolute`", _response, _is_page),
    "mailer": Port("a mailer: lxml, `href` and `src`", _piece, _is_piece),
    "feed_regex": Port("a feed: an expression for `/…`", _piece, _is_piece),
    "filter_regex": Port("a template's filter: an expression", _piece, _is_piece),
    "generator_feed": Port("a generator's hook: BeautifulSoup", _piece, _is_piece),
}


def _urls(made: list[str] | str | bytes, case: Case) -> Found:
    """The places and URLs of a result; in a page, those of relative links lead elsewhere."""
    if isinstance(made, list):
        [*places] = case.expected or ()
        place = places[0]
        return [(place, url) for url in made]
    charset = case.charset if isinstance(made, bytes) else None
    found = linkfix.links(made, url="http://unrelated.test/x/y", charset=charset)
    return [
        (f"{link.element}[{link.attribute}]" if link.attribute else link.element, link.target or "") for link in found
    ]


def _is_right(function: Callable[..., Any], port: Port, case: Case) -> bool:
    try:
        return is_right(case, _urls(function(*port.given(case)), case))
    except Exception:  # noqa: BLE001 - patterns raise what urljoin and parsers raise
        return False


def measured(name: str) -> tuple[Result, Result]:
    """The pattern, and the same with linkfix."""
    module, port = runpy.run_path(str(FILES / f"{name}.py")), PORTS[name]
    counted = [case for case in cases() if case.expected is not None and port.counts(case)]
    results = []
    for way in ("before", "after"):
        function = module[way]
        lines = [line for line in inspect.getsource(function).splitlines() if line.strip()]
        results.append(Result(len(lines), [case.name for case in counted if not _is_right(function, port, case)]))
    return results[0], results[1]


def row(name: str, before: Result, after: Result) -> str:
    """A port's line of the table."""
    port = PORTS[name]
    of = sum(case.expected is not None and port.counts(case) for case in cases())
    right = [f"{of - len(result.wrong)} of {of}" for result in (before, after)]
    return f"| {port.about} | {right[0]} | {right[1]} | {before.lines} | {after.lines} | `{name}.py` |"


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", nargs="*", choices=PORTS, metavar="PORT", help="show its other answers")
    options = parser.parse_args(arguments)
    found = {name: measured(name) for name in PORTS}
    print("| pattern | right before | right with linkfix | lines before | lines with linkfix | file |")
    print("|---|---|---|---|---|---|")
    for name, (before, after) in found.items():
        print(row(name, before, after))
    for name in found if options.cases == [] else options.cases or ():
        print(f"\n{name}, before: {', '.join(found[name][0].wrong)}\n{name}, after: {', '.join(found[name][1].wrong)}")


if __name__ == "__main__":
    main(sys.argv[1:])
