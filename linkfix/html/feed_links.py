"""The links of a feed's channel and items, which are the bases of their HTML on request (`linkfix.model.FeedBase`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from linkfix.model import FeedBase, Row
from linkfix.urls import scheme_of, strip_url

#: The elements around an item's links, and around the channel's.
_ITEMS = frozenset({("rss", "item"), ("atom", "entry")})
_CHANNELS = frozenset({("rss", "channel"), ("atom", "feed")})

#: The relations of Atom's link to the page of an entry or a feed (RFC 4287 §4.2.7.2).
_ALTERNATE = frozenset({"alternate", "http://www.iana.org/assignments/relation/alternate"})
_PAGES = frozenset({"", "text/html", "application/xhtml+xml"})

#: The ranks of links: a page, another alternate form, and RSS's permanent ID.
_PAGE, _OTHER, _PERMANENT_ID = range(3)


class BaseChoice(NamedTuple):
    """The choice of the base of the HTML in a feed."""

    feed_base: FeedBase = "retrieval"
    is_resolvable: Callable[[str], bool] = bool
    """Whether the document's resolver makes a URL of a link."""

    def accepts(self, link: str) -> bool:
        """Whether a link can be a base; one that cannot is as if absent.

        It has a path, so that references can be relative to it: no mailto:, tag: or javascript: URL.

        >>> choice = BaseChoice("item")
        >>> choice.accepts("posts/1/"), choice.accepts("tag:h.example,2020:1"), choice.accepts(" ")
        (True, False, False)
        """
        text = strip_url(link)
        scheme = scheme_of(text)
        has_path = scheme is None or text.startswith("/", len(scheme) + 1)
        return bool(text) and has_path and self.is_resolvable(text)


#: The feed's own URL is the base.
OF_RETRIEVAL = BaseChoice()


class _RankedLink(NamedTuple):
    rank: int
    bases: tuple[str, ...]
    """The values of `xml:base` around the link, outermost first, and the link."""


class _FeedPart:
    """A channel or an item. `depth`: the depth of its element. `contents`: the numbers of the records in its HTML."""

    def __init__(self, depth: int, *, is_item: bool) -> None:
        self.depth = depth
        self.is_item = is_item
        self.link: _RankedLink | None = None
        self.contents: list[int] = []


class FeedLinks:
    """Collects the links and the HTML of a feed. The link of an item can come after its HTML."""

    def __init__(self, choice: BaseChoice) -> None:
        self._choice = choice
        self._parts: list[_FeedPart] = []
        self._open: list[_FeedPart] = []

    def begin(self, namespace: str, element: str, depth: int) -> None:
        """Receive the start of an element."""
        if (namespace, element) in _ITEMS or (namespace, element) in _CHANNELS:
            part = _FeedPart(depth, is_item=(namespace, element) in _ITEMS)
            self._parts.append(part)
            self._open.append(part)

    def end(self, depth: int) -> None:
        """Receive the end of the element at a depth."""
        if self._open and self._open[-1].depth == depth:
            self._open.pop()

    def add_content(self, number: int) -> None:
        """Receive the number of a record in HTML."""
        if self._open:
            self._open[-1].contents.append(number)

    def add_link(self, row: Row, url: str, values: Mapping[str, str], depth: int, outer: tuple[str, ...]) -> None:
        """Receive a URL in the row of an element at a depth. `values`: the element's attributes. `outer`: the values of
        `xml:base` around it.
        """
        rank = _rank(row, values)
        if rank == _PERMANENT_ID and scheme_of(strip_url(url)) is None:
            return  # many an ID is a number or a name, although RSS wants isPermaLink="false" there
        part = self._open[-1] if self._open else None
        if rank is None or part is None or part.depth != depth - 1 or not self._choice.accepts(url):
            return
        if part.link is None or rank < part.link.rank:
            part.link = _RankedLink(rank, (*outer, strip_url(url)))

    def bases(self) -> dict[int, tuple[str, ...]]:
        """The number of each record in HTML -> its bases, outermost first; without those that have none."""
        of_channel = next((part.link for part in self._parts if part.link and not part.is_item), None)
        found = {}
        for part in self._parts:
            link = part.link if part.is_item and self._choice.feed_base == "item" else None
            link = link or of_channel
            if link is not None:
                found.update(dict.fromkeys(part.contents, link.bases))
        return found


def _rank(row: Row, values: Mapping[str, str]) -> int | None:
    """The rank of a link; None for URLs that are no links to the page of a channel or an item."""
    if (row.namespace, row.element) == ("atom", "link"):
        if values.get("rel", "alternate") not in _ALTERNATE:
            return None
        return _PAGE if values.get("type", "").strip().lower() in _PAGES else _OTHER
    return {("rss", "link"): _PAGE, ("rss", "guid"): _PERMANENT_ID}.get((row.namespace, row.element))
