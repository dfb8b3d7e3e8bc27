"""Ways from pages to the targets of their links, for `scale.py`: each reads its form of the pages, and counts.

Each works as crawlers do: it parses, takes BASE into account, and resolves. linkfix, turbohtml and lxml list the links
of all attributes that they know; the others list `href` and `src`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import urljoin

import lxml.html
import pyarrow as pa
import turbohtml
from bs4 import BeautifulSoup
from resiliparse.parse.html import HTMLTree, NodeType
from selectolax.lexbor import LexborHTMLParser

import linkfix
import linkfix.arrow

__all__ = ["GRAPH", "WAYS", "Pages", "Way"]

#: (URL, HTML).
Pages: TypeAlias = Sequence[tuple[str, bytes]]

#: The columns of a link graph.
GRAPH = ["page", "element", "target"]
#: So many pages come in a batch, as from a WARC file.
_BATCH = 100


class Way(NamedTuple):
    """A way."""

    run: Callable[[Any], int]
    """Returns the number of links."""
    given: Callable[[Pages], Any] = list
    """Converts the pages to the input of the way."""


def _columns(columns: list[str] | None) -> Way:
    def run(batches: list[pa.RecordBatch]) -> int:
        return sum(batch.num_rows for batch in linkfix.arrow.links(batches, columns=columns))

    return Way(run, _batches)


def _batches(pages: Pages) -> list[pa.RecordBatch]:
    return [
        pa.record_batch({"url": [url for url, _ in some], "html": [html for _, html in some]})
        for some in (pages[start : start + _BATCH] for start in range(0, len(pages), _BATCH))
    ]


def _objects(pages: Pages) -> int:
    return sum(len(linkfix.links(html, url)) for url, html in pages)


def _turbohtml(pages: Pages) -> int:
    count = 0
    for url, html in pages:
        document = turbohtml.parse(html)
        document.resolve_links(url)
        count += len([(link.element.tag, link.url) for link in document.links()])
    return count


def _lxml(pages: Pages) -> int:
    count = 0
    for url, html in pages:
        tree = lxml.html.document_fromstring(html)
        base = _base(url, tree.xpath("//base/@href"))
        count += len([(element.tag, _joined(base, link)) for element, _, link, _ in tree.iterlinks()])
    return count


def _selectolax(pages: Pages) -> int:
    count = 0
    for url, html in pages:
        tree = LexborHTMLParser(html)
        base = _base(url, [one.attributes.get("href") for one in tree.css("base[href]")])
        for name in ("href", "src"):
            count += len([(one.tag, _joined(base, one.attributes.get(name))) for one in tree.css(f"[{name}]")])
    return count


def _resiliparse(pages: Pages) -> int:
    count = 0
    for url, html in pages:
        tree = HTMLTree.parse_from_bytes(html)
        base = _base(url, [one["href"] for one in tree.document.query_selector_all("base[href]")])
        # Its collections take longer for each element the more there are: a walk is many times as fast.
        for node in tree.document:
            if node.type == NodeType.ELEMENT:
                found = [node[name] for name in ("href", "src") if node.hasattr(name)]
                count += len([(node.tag, _joined(base, reference)) for reference in found])
    return count


def _beautifulsoup(pages: Pages) -> int:
    count = 0
    for url, html in pages:
        soup = BeautifulSoup(html, "lxml")
        base = _base(url, [str(one["href"]) for one in soup.select("base[href]")])
        for name in ("href", "src"):
            count += len([(one.name, _joined(base, str(one[name]))) for one in soup.select(f"[{name}]")])
    return count


def _base(url: str, hrefs: Iterable[str | None]) -> str:
    return _joined(url, next(iter(hrefs), "")) or url


def _joined(base: str, reference: str | None) -> str | None:
    try:
        return urljoin(base, reference or "")
    except ValueError:  # as for "http://["
        return None


#: Name -> the way.
WAYS: dict[str, Way] = {
    "columns: page, element, target": _columns(GRAPH),
    "columns: all": _columns(None),
    "linkfix.links": Way(_objects),
    "turbohtml": Way(_turbohtml),
    "lxml + urljoin": Way(_lxml),
    "selectolax + urljoin": Way(_selectolax),
    "resiliparse + urljoin": Way(_resiliparse),
    "BeautifulSoup + urljoin": Way(_beautifulsoup),
}
