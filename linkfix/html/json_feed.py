"""JSON Feed (https://www.jsonfeed.org/version/1.1/, and version 1): its members with URLs and HTML, and their text.

Some members have no row: `id` of an item is compared character by character, although it is often a URL. The members of
extensions, whose names begin with "_", have a meaning that only their authors know.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from linkfix.encodings.character_references import Decoded
from linkfix.encodings.encoding import Encoding
from linkfix.html.feed_links import BaseChoice
from linkfix.html.syntaxes.json_data import JsonObject, JsonString, JsonValue, escape, parse
from linkfix.html.syntaxes.json_reader import InvalidJson
from linkfix.html.values import Value, byte_offsets
from linkfix.kernels.constants import UNQUOTED
from linkfix.kernels.outline import Record
from linkfix.lazy import lazy_pattern
from linkfix.model import BaseSource, Row, StatedBase
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

#: The members that are arrays of objects; others on the way to a row's member are objects.
_ARRAYS = frozenset({"items", "authors", "hubs", "attachments"})

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
    of the item or the feed around record i, if `choice` asks for it. `stated`: the feed's own URLs, which can be its
    base. `faults`: see `linkfix.html.xml_outline.XmlOutline`.
    """

    def __init__(self, data: bytes, start: int, encoding: Encoding, choice: BaseChoice) -> None:
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
        self._take(feed, start, offset, choice)

    @property
    def count(self) -> int:
        """The number of records."""
        return len(self.records)

    def record(self, number: int) -> Record:
        """The record with this number."""
        return self.records[number]

    def _take(self, feed: JsonValue, start: int, offset: Callable[[int], int], choice: BaseChoice) -> None:
        places = [(string, row) for row in ROWS for string in _strings_at(feed, row.element.split("."))]
        bases = _content_bases(feed, choice)
        for number, (string, row) in enumerate(sorted(places)):
            first, end = start + offset(string.start), start + offset(string.end)
            self.records.append(Record(row, first, end, first - 1, UNQUOTED, text=True))
            if row.syntax == "html" and string.start in bases:
                self.own_bases[number] = bases[string.start]
        urls = [(name, string.value) for name in _STATED for string in _strings_at(feed, [name])]
        self.stated = tuple(StatedBase(BaseSource.FEED, strip_url(url), name) for name, url in urls)


def _content_bases(feed: JsonValue, choice: BaseChoice) -> dict[int, tuple[str, ...]]:
    """The start of each item's HTML -> its base, as `choice` asks; without those that have none."""
    if choice.feed_base == "retrieval":
        return {}
    outer = _base(feed, "home_page_url", choice)
    found = {}
    for item in _objects_at(feed, ["items"]):
        own = _base(item, "url", choice) if choice.feed_base == "item" else ()
        for string in _strings_at(item, ["content_html"]):
            if own or outer:
                found[string.start] = own or outer
    return found


def _base(value: JsonValue, name: str, choice: BaseChoice) -> tuple[str, ...]:
    """The URL in a member of an object, alone; empty if there is none that can be a base."""
    return tuple(strip_url(string.value) for string in _strings_at(value, [name]) if choice.accepts(string.value))


def _objects_at(value: JsonValue, path: list[str]) -> list[JsonObject]:
    """The objects at a path of names below `value`. A member of another type than the specification's has none."""
    found = [value] if isinstance(value, JsonObject) else []
    for name in path:
        members = [one[name].value for one in found if name in one]
        if name in _ARRAYS:
            members = [element for member in members if isinstance(member, list) for element in member]
        found = [member for member in members if isinstance(member, JsonObject)]
    return found


def _strings_at(value: JsonValue, path: list[str]) -> list[JsonString]:
    """The strings at a path of names below `value`; types as in `_objects_at`."""
    *outer, name = path
    members = [one[name].value for one in _objects_at(value, outer) if name in one]
    return [member for member in members if isinstance(member, JsonString)]


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
