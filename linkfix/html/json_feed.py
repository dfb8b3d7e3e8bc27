"""JSON Feed (https://www.jsonfeed.org/version/1.1/, and version 1): its members with URLs and HTML, and their text.

Some members have no row: `id` of an item is compared character by character, although it is often a URL. The members of
extensions, whose names begin with "_", have a meaning that only their authors know.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from linkfix.encodings.character_references import Decoded
from linkfix.encodings.encoding import Encoding
from linkfix.html.feed_links import can_be_base
from linkfix.html.syntaxes.json_data import JsonObject, JsonString, JsonValue, escape, objects_at, parse, strings_at
from linkfix.html.syntaxes.json_reader import InvalidJson
from linkfix.html.values import Value, byte_offsets
from linkfix.kernels.constants import UNQUOTED
from linkfix.kernels.outline import Record
from linkfix.lazy import lazy_pattern
from linkfix.model import BaseSource, FeedBase, Row, StatedBase
from linkfix.urls import strip_url

_TABLE = """
    home_page_url           | url  | hyperlink | JSON Feed 1.1, Top-level
    feed_url                | url  | metadata  | JSON Feed 1.1, Top-level
    next_url                | url  | hyperlink | JSON Feed 1.1, Top-level
    icon,favicon            | url  | resource  | JSON Feed 1.1, Top-level
    author.url,authors.url  | url  | metadata  | JSON Feed 1.1, Top-level
    author.avatar,authors.avatar | url | resource | JSON Feed 1.1, Top-level
    hubs.url                | url  | metadata  | JSON Feed 1.1, Subscribing to Real-time Notifications
    items.url,items.external_url | url | hyperlink | JSON Feed 1.1, Items
    items.content_html      | html | document  | JSON Feed 1.1, Items
    items.image,items.banner_image | url | resource | JSON Feed 1.1, Items
    items.author.url,items.authors.url | url | metadata | JSON Feed 1.1, Items
    items.author.avatar,items.authors.avatar | url | resource | JSON Feed 1.1, Items
    items.attachments.url   | url  | resource  | JSON Feed 1.1, Attachments
"""

#: The members that state URLs of the feed, in the order in which they can be its base.
_STATED = ("feed_url", "home_page_url")


def _rows() -> tuple[Row, ...]:
    rows = []
    for line in _TABLE.strip().splitlines():
        paths, syntax, role, section = (cell.strip() for cell in line.split("|"))
        rows += [Row(path, "", syntax, role, "", section, "json-feed") for path in paths.split(",")]
    return tuple(rows)


#: The rows of the vocabulary. The element is the path of names to the member; elements of arrays have no names.
ROWS = _rows()


class JsonFeedOutline:
    """The records of a JSON Feed, in document order; see `linkfix.kernels.outline.Outline`.

    If several members have the same name, the last one counts, and the others stay unchanged. `own_bases[i]`: the link
    of the item or the feed around record i, if `feed_base` asks for it. `stated`: the feed's own URLs, which can be its
    base. `faults`: see `linkfix.html.xml_outline.XmlOutline`.
    """

    def __init__(self, data: bytes, start: int, encoding: Encoding, feed_base: FeedBase) -> None:
        self.data = data
        self.records: list[Record] = []
        self.bases: list[int] = []
        self.head_count: int = 0
        self.policies: list[tuple[int, int, int, int]] = []
        self.decoded: dict[int, str] = {}
        self.own_bases: dict[int, tuple[str, ...]] = {}
        self.stated: tuple[StatedBase, ...] = ()
        self.faults: list[tuple[str, int, str]] = []
        raw = data[start:]
        text = encoding.decode(raw)
        offset = byte_offsets(raw, text, encoding)
        try:
            feed = parse(text)
        except InvalidJson as error:
            self.faults.append(("json-syntax", start + offset(error.position), ""))
            return
        self._take(feed, start, offset, feed_base)

    @property
    def count(self) -> int:
        """The number of records."""
        return len(self.records)

    def record(self, number: int) -> Record:
        """The record with this number."""
        return self.records[number]

    def _take(self, feed: JsonValue, start: int, offset: Callable[[int], int], feed_base: FeedBase) -> None:
        places = [(string, row) for row in ROWS for string in strings_at(feed, tuple(row.element.split(".")))]
        bases = _content_bases(feed, feed_base)
        for number, (string, row) in enumerate(sorted(places)):
            first, end = start + offset(string.start), start + offset(string.end)
            self.records.append(Record(row, first, end, first - 1, UNQUOTED, text=True))
            if row.syntax == "html" and string.start in bases:
                self.own_bases[number] = bases[string.start]
        urls = [(name, string.value) for name in _STATED for string in strings_at(feed, (name,))]
        self.stated = tuple(StatedBase(BaseSource.FEED, strip_url(url), name) for name, url in urls)


def _content_bases(feed: JsonValue, feed_base: FeedBase) -> dict[int, tuple[str, ...]]:
    """The start of each item's HTML -> its base, as `feed_base` asks; without those that have none."""
    if feed_base == "retrieval":
        return {}
    outer = _first(feed, "home_page_url")
    found = {}
    for item in objects_at(feed, ("items",)):
        own = _first(item, "url") if feed_base == "item" else ()
        for string in strings_at(item, ("content_html",)):
            if own or outer:
                found[string.start] = own or outer
    return found


def _first(value: JsonValue, name: str) -> tuple[str, ...]:
    """The URL in a member of an object, alone; empty if there is none that can be a base."""
    string = value[name].value if isinstance(value, JsonObject) and name in value else None
    return (strip_url(string.value),) if isinstance(string, JsonString) and can_be_base(string.value) else ()


# The text of a string in JSON (RFC 8259 §7).


_ESCAPES = lazy_pattern(r"\\(?:u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|.)")


class JsonText(Value):
    """The text of a string in JSON, without its quotation marks; see `Value`. The string is valid."""

    def __init__(self, data: bytes, record: Record, encoding: Encoding, output: Encoding) -> None:
        super().__init__(data, record, encoding, output)
        self.decoded: Decoded = _decode(self.source)

    def write(self, text: str, start: int, end: int) -> bytes:
        """The bytes that replace the characters from `start` to `end`, so that the value reads `text` there."""
        return super().write(escape(text), start, end)


def _decode(raw: str) -> Decoded:
    r"""Decode the escapes of a string.

    >>> _decode(r'\ud83d\ude00 <a href=\"x\/y\">').text
    '😀 <a href="x/y">'
    """
    if "\\" not in raw:
        return Decoded(raw)
    pieces: list[str] = []
    after: list[int] = []
    raw_after: list[int] = []
    length = done = 0
    for match in _ESCAPES.finditer(raw):
        character: str = json.loads(f'"{match[0]}"')
        pieces += (raw[done : match.start()], character)
        length += match.start() - done + len(character)
        done = match.end()
        after.append(length)
        raw_after.append(done)
    pieces.append(raw[done:])
    return Decoded("".join(pieces), tuple(after), tuple(raw_after))
