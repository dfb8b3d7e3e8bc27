"""feedparser's feeds, converted by linkfix: the expectations of its tests hold for the converted feeds too.

This covers the feeds that change. An expectation that needs resolved URLs also holds for a reader that resolves none.

For pytest, in the folder of feedparser's source distribution. Each feed states its expectation in a comment, as an
expression on feedparser's result, and, if its name has "http" in it, its header fields.
"""

from __future__ import annotations

import operator
import runpy
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import feedparser
import pytest
from feedparser.mixin import _FeedParserMixin
from feedparser.urls import make_safe_absolute_uri

from linkfix.hooks.generic import from_headers

TESTS = Path("tests")
#: The names of feedparser's own runner, which an expectation can use.
RUNNER = runpy.run_path(str(TESTS / "runtests.py"), run_name="runtests")
#: The URL at which its server has the feeds. A feed that it does not serve gets a URL here too, to convert more.
SERVER = "http://127.0.0.1:8097/tests/"
MEDIA_TYPES = ("application/xml", "text/xml", "application/rss+xml", "application/atom+xml")


class Feed(NamedTuple):
    """A feed, and its expectation."""

    name: str
    """Its path in the folder of tests."""
    data: bytes
    url: str
    headers: dict[str, str]
    base: str
    expected: bytes
    """A Python expression."""

    @property
    def converted(self) -> bytes:
        """The feed with absolute links. Its base is feedparser's, which goes by Content-Location."""
        return from_headers(self.base, self.headers, self.data, media_types=MEDIA_TYPES).body

    def holds(self, data: bytes, base: str) -> bool:
        """Whether feedparser's result for these data, retrieved from `base`, is as expected."""
        found = feedparser.parse(data, response_headers={**self.headers, "content-location": base})
        found.update(href=self.url, status=200, headers=self.headers)
        return is_true(self.expected, found)


def is_true(expected: bytes, found: Mapping[str, Any]) -> bool:
    """Whether an expectation holds. An expectation about a missing value, such as a server's header, does not."""
    try:
        return bool(eval(expected, RUNNER, found))  # noqa: S307 - as feedparser's own runner does
    except (AttributeError, LookupError, NameError):
        return False


def read(path: Path) -> Feed | None:
    """The feed of a file; None if a requirement of its test is not installed."""
    name = path.relative_to(TESTS).as_posix()
    data = path.read_bytes()
    text = RUNNER["convert_to_utf8"](data) if "encoding" in name else data
    _, expected, needed = RUNNER["get_description"](name, text)
    try:
        if not eval(needed, RUNNER):  # noqa: S307 - likewise
            return None
    except (AttributeError, ImportError, LookupError):
        return None
    headers = {"content-type": "application/xml"}
    if "http" in name:
        pattern = RUNNER["FeedParserTestRequestHandler"].headers_re
        headers |= {key.decode().lower(): value.decode().strip() for key, value in pattern.findall(data)}
    url = SERVER + name
    base = make_safe_absolute_uri(url, headers.get("content-location", "")) or url
    return Feed(name, data, url, headers, base, expected)


def every_feed() -> Iterator[Feed]:
    """The feeds whose expectations hold before any change."""
    for path in sorted(TESTS.rglob("*.xml")):
        feed = read(path)
        if feed and feed.holds(feed.data, feed.base):
            yield feed


def resolve_nothing(set_: Callable[[object, str, object], None]) -> None:
    """Make feedparser leave relative URLs as they are: in HTML, and in elements."""
    set_(feedparser, "RESOLVE_RELATIVE_URIS", 0)
    set_(_FeedParserMixin, "resolve_uri", lambda _, url: url)


def relative_feeds(feeds: list[Feed]) -> list[Feed]:
    """The feeds whose expectation fails if feedparser resolves nothing."""
    with pytest.MonkeyPatch.context() as patch:
        resolve_nothing(patch.setattr)
        return [feed for feed in feeds if not feed.holds(feed.data, feed.base)]


FEEDS = list(every_feed())
CHANGED = [feed for feed in FEEDS if feed.converted != feed.data]
RELATIVE = relative_feeds(FEEDS)
NAME = operator.attrgetter("name")


@pytest.mark.parametrize("feed", CHANGED, ids=NAME)
def test_holds_after_conversion(feed: Feed) -> None:
    assert feed.holds(feed.converted, feed.base)


@pytest.mark.parametrize("feed", RELATIVE, ids=NAME)
def test_holds_where_the_reader_resolves_nothing(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    resolve_nothing(monkeypatch.setattr)
    assert feed.holds(feed.converted, "")
