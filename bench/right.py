"""Libraries beside browsers: how many of the documents in `tests/vectors/absolute_urls` each reads as browsers do.

    python bench/right.py                    # the table of docs/comparison.md
    python bench/right.py --cases [TOOL …]   # and, below it, each case that a tool has otherwise

A tool is given the bytes, the URL, and the media type and charset of the response. It is right if its absolute URLs,
read by a browser's URL parser, are those that the case expects: `http://h/a b` is as good as `http://h/a%20b`. Their
order does not count. Cases on which browsers disagree do not count. Tools that are not installed are left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from html.parser import HTMLParser
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin

import ada_url

import linkfix

__all__ = ["FEEDS", "KINDS", "TOOLS", "Case", "Found", "cases", "is_right", "main", "row"]

FILE = Path(__file__).parents[1] / "tests" / "vectors" / "absolute_urls" / "cases.json"

#: The kinds of cases, in the order of the columns.
PAGES = ("base", "encoding", "url", "markup", "elements", "srcset", "css", "refresh")
FEEDS = ("feed",)
KINDS = (*PAGES, *FEEDS)
#: The kinds that a loop over attributes reads.
LOOPED = ("base", "encoding", "url", "markup", "elements")

#: The attributes that the usual loop reads, with their elements.
LOOP = {
    "href": ("a", "area", "link", "image", "use"),
    "xlink:href": ("a", "image", "use"),
    "src": ("img", "script", "iframe", "frame", "embed", "input", "video", "audio", "source", "track"),
    "poster": ("video",),
    "data": ("object",),
    "action": ("form",),
    "formaction": ("button", "input"),
    "cite": ("blockquote", "q", "ins", "del"),
    "longdesc": ("img", "iframe", "frame"),
    "background": ("body", "table", "td", "th"),
}

#: A place (`a[href]`, or an element's name for its text), and a URL there.
Found = Iterable[tuple[str, str]]


class Case(NamedTuple):
    """A document, and the absolute URLs by place; `expected` is None if browsers disagree."""

    name: str
    data: bytes
    url: str
    media_type: str
    charset: str | None
    expected: dict[str, list[str]] | None

    @property
    def kind(self) -> str:
        """The kind of case."""
        return self.name.partition("/")[0]

    @property
    def content_type(self) -> str:
        """The header field of the response."""
        return f"{self.media_type}; charset={self.charset}" if self.charset else self.media_type


class Tool(NamedTuple):
    """A way to the absolute URLs of a document. `packages`: the first is the tool, with others that it is used with."""

    packages: tuple[str, ...]
    find: Callable[[Case], Found]
    #: The kinds that it is made to read.
    kinds: tuple[str, ...]


def cases() -> list[Case]:
    """The cases of the file."""
    return [
        Case(
            one["name"],
            one["document"].encode("latin-1"),
            one["url"],
            one["media_type"],
            one["charset"],
            one["answers"][0]["urls"] if len(one["answers"]) == 1 else None,
        )
        for one in json.loads(FILE.read_bytes())["cases"]
    ]


def is_right(case: Case, found: Found) -> bool:
    """Whether a tool has the expected URLs at each place that the case asks about."""
    expected = case.expected or {}
    seen = Counter((place, ada_url.URL(url).href) for place, url in found if ada_url.check_url(url))
    wanted = Counter((place, url) for place, urls in expected.items() for url in urls)
    return wanted == Counter({key: number for key, number in seen.items() if key[0] in expected})


# The tools, each as its documentation has it. None imports its library before it is asked.


def _linkfix(case: Case) -> Found:
    for link in linkfix.links(case.data, url=case.url, media_type=case.media_type, charset=case.charset):
        if link.target is not None:
            yield f"{link.element}[{link.attribute}]" if link.attribute else link.element, link.target


class _Attributes(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def _looped(elements: list[tuple[str, dict[str, Any]]], case: Case) -> Found:
    """The usual loop, with the first BASE: `urljoin` for each attribute. A reference that it refuses is left out."""
    href = next((attributes["href"] for name, attributes in elements if name == "base" and "href" in attributes), "")
    base = urljoin(case.url, href or "")
    for place, value in _values(elements):
        try:
            yield place, urljoin(base, value)
        except ValueError:
            continue


def _values(elements: list[tuple[str, dict[str, Any]]]) -> Found:
    for name, attributes in elements:
        for attribute, names in LOOP.items():
            value = attributes.get(attribute)
            if name in names and value is not None:
                yield f"{name}[{attribute}]", value


def _html_parser(case: Case) -> Found:
    parser = _Attributes()
    parser.feed(case.data.decode(case.charset or "utf-8", "replace"))
    parser.close()
    return _looped(parser.found, case)


def _lxml(case: Case) -> Found:
    import lxml.html

    parser = lxml.html.HTMLParser(encoding=case.charset) if case.charset else None
    tree = lxml.html.document_fromstring(case.data, parser=parser)
    tree.make_links_absolute(case.url, handle_failures="ignore")
    for element, attribute, url, _ in tree.iterlinks():
        yield f"{element.tag}[{attribute}]" if attribute else element.tag, url


def _turbohtml(case: Case) -> Found:
    import turbohtml

    document = turbohtml.parse(case.data, encoding=case.charset)
    document.resolve_links(document.base_url(case.url))
    for link in document.links():
        name = link.element.tag
        yield f"{name}[{link.attribute}]" if link.attribute else name, link.url


def _soup(case: Case, parser: str) -> Found:
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(case.data, parser, from_encoding=case.charset)
    return _looped([(element.name, dict(element.attrs)) for element in soup.find_all(True)], case)


def _selector(text: str) -> list[tuple[str, dict[str, Any]]]:
    from parsel import Selector

    return [(one.root.tag, dict(one.attrib)) for one in Selector(text).xpath("//*[@*]")]


def _text(case: Case) -> tuple[str, str]:
    from w3lib.encoding import html_to_unicode

    return html_to_unicode(case.content_type, case.data)


def _parsel(case: Case) -> Found:
    return _looped(_selector(_text(case)[1]), case)


def _w3lib(case: Case) -> Found:
    from w3lib.html import get_base_url, get_meta_refresh, strip_html5_whitespace
    from w3lib.url import safe_url_string

    encoding, text = _text(case)
    base = get_base_url(text, case.url, encoding)
    for place, value in _values(_selector(text)):
        try:
            yield place, safe_url_string(urljoin(base, strip_html5_whitespace(value)), encoding)
        except ValueError:
            continue
    _, url = get_meta_refresh(text, base, encoding)
    if url is not None:
        yield "meta[content]", url


def _selectolax(case: Case) -> Found:
    from selectolax.lexbor import LexborHTMLParser

    html = case.data.decode(case.charset, "replace") if case.charset else case.data
    tree = LexborHTMLParser(html, encoding=True)
    return _looped([(node.tag or "", dict(node.attributes)) for node in tree.css("*")], case)


def _resiliparse(case: Case) -> Found:
    from resiliparse.parse.encoding import detect_encoding
    from resiliparse.parse.html import HTMLTree

    encoding = case.charset or detect_encoding(case.data, from_html_meta=True)
    nodes = HTMLTree.parse_from_bytes(case.data, encoding).document.query_selector_all("*")
    return _looped([(node.tag, {name: node[name] for name in node.attrs}) for node in nodes], case)


def _feedparser(case: Case) -> Found:
    import feedparser

    headers = {"content-location": case.url, "content-type": case.content_type}
    parsed = feedparser.parse(case.data, response_headers=headers)
    for one in (parsed.feed, *parsed.entries):
        yield from (("link[href]", link.get("href", "")) for link in one.get("links", ()))
        yield "link", one.get("link", "")
        yield from (("enclosure[url]", enclosure.get("href", "")) for enclosure in one.get("enclosures", ()))
        yield from ((name, one.get(name, "")) for name in ("icon", "logo"))
        texts = [one.get("summary", ""), *(content.value for content in one.get("content", ()))]
        for text in dict.fromkeys(texts):  # a summary is made of the content
            yield from _looped(_parsed(text), case)


def _parsed(text: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = _Attributes()
    parser.feed(text)
    return parser.found


TOOLS: dict[str, Tool] = {
    "linkfix": Tool(("linkfix",), _linkfix, KINDS),
    "turbohtml": Tool(("turbohtml",), _turbohtml, PAGES),
    "lxml": Tool(("lxml",), _lxml, (*LOOPED, "css", "refresh")),
    "w3lib + parsel": Tool(("w3lib", "parsel"), _w3lib, (*LOOPED, "refresh")),
    "parsel + urljoin": Tool(("parsel", "w3lib"), _parsel, LOOPED),
    "BeautifulSoup (html5lib) + urljoin": Tool(
        ("beautifulsoup4", "html5lib"), lambda case: _soup(case, "html5lib"), LOOPED
    ),
    "BeautifulSoup (lxml) + urljoin": Tool(("beautifulsoup4", "lxml"), lambda case: _soup(case, "lxml"), LOOPED),
    "selectolax + urljoin": Tool(("selectolax",), _selectolax, LOOPED),
    "Resiliparse + urljoin": Tool(("resiliparse",), _resiliparse, LOOPED),
    "html.parser + urljoin": Tool((), _html_parser, LOOPED),
    "feedparser": Tool(("feedparser",), _feedparser, FEEDS),
}


def judged(tool: Tool, counted: list[Case]) -> dict[str, bool]:
    """Whether a tool is right, by the name of the case. An exception is no answer."""
    verdicts = {}
    for case in counted:
        if case.kind in tool.kinds:
            try:
                verdicts[case.name] = is_right(case, tool.find(case))
            except Exception:  # noqa: BLE001 - libraries raise what they like
                verdicts[case.name] = False
    return verdicts


def row(name: str, counted: list[Case], verdicts: dict[str, bool]) -> str:
    """A tool's line of the table; "–" for a kind that it is not made to read."""
    right = Counter(case.kind for case in counted if verdicts.get(case.name))
    kinds = TOOLS[name].kinds
    of = sum(case.kind in kinds for case in counted)
    cells = [str(right[kind]) if kind in kinds else "–" for kind in KINDS]
    return f"| {name} | {' | '.join(cells)} | {right.total()} of {of} |"


def _head(counted: list[Case]) -> Iterator[str]:
    sizes = Counter(case.kind for case in counted)
    yield f"| | {' | '.join(KINDS)} | all |"
    yield f"|---|{'---|' * len(KINDS)}---|"
    yield f"| browsers | {' | '.join(str(sizes[kind]) for kind in KINDS)} | {len(counted)} of {len(counted)} |"


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", nargs="*", choices=TOOLS, metavar="TOOL", help="show its other answers")
    options = parser.parse_args(arguments)
    every = cases()
    counted = [case for case in every if case.expected is not None]
    versions: dict[str, str] = {}
    absent = []
    found: dict[str, dict[str, bool]] = {}
    print(*_head(counted), sep="\n")
    for name, tool in TOOLS.items():
        try:
            versions |= {package: version(package) for package in tool.packages}
        except PackageNotFoundError:
            absent.append(name)
            continue
        found[name] = judged(tool, counted)
        print(row(name, counted, found[name]))
    python = ".".join(map(str, sys.version_info[:3]))
    print(f"\nPython {python}; {', '.join(f'{package} {number}' for package, number in sorted(versions.items()))}")
    print(f"left out, not installed: {', '.join(absent) or 'none'}")
    print(f"not counted, browsers disagree: {', '.join(case.name for case in every if case.expected is None)}")
    for name in found if options.cases == [] else options.cases or ():
        print(f"\n{name}: {', '.join(case for case, right in found.get(name, {}).items() if not right)}")


if __name__ == "__main__":
    main(sys.argv[1:])
