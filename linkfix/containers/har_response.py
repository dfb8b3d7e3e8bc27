"""What a HAR's entry says of a response whose body changed (HAR 1.2, http://www.softwareishard.com/blog/har-12-spec/).

- `content.size` grows with the body; -1, which is unknown, stays.
- `bodySize` becomes the new `content.size` where it was the old one; else the body was sent compressed, and it becomes
  -1. -1, and 0 for a cached response, stay.
- `content.compression` goes ("leave out this field if the information is not available"), unless it is 0 and right.
- `headers`: the fields of `BODY_HEADERS` are renewed or dropped, but for those of codings, which a HAR keeps beside
  the decoded body. It lacks the coded one: where there is a Content-Encoding, fields that describe that are dropped.
- `headersSize` becomes -1 where a field changed.

Members whose name begins with "_" are the tool's own, such as Chrome's `_transferSize`: they tell of the transfer, and
stay. So do all other bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from linkfix.containers.body_headers import BODY_HEADERS, BodyCoverage, renew_body_headers
from linkfix.encodings.codecs import codec
from linkfix.encodings.labels import get_encoding

__all__ = ["ChangedBody", "renew_response"]

_TOKEN = re.compile(rb'[ \t\r\n]*+("(?:[^"\\]++|\\[\s\S])*+"|[\[\]{}:,]|[^\s\[\]{}:,"]++)')
_WHOLE_NUMBER = re.compile(rb"-?[0-9]{1,18}")
#: How many arrays and objects inside each other are looked at: the response, `headers`, a header field.
_DEPTH = 3
#: The header fields that describe a body, whose codings a HAR keeps.
_DESCRIBING = frozenset(name for name, row in BODY_HEADERS.items() if row.covers is not BodyCoverage.CODINGS)
#: Those of digests.
_DIGESTS = frozenset({"content-digest", "repr-digest", "digest"})
#: A Content-Encoding that means nothing.
_NO_CODING = frozenset({"", "identity"})


class ChangedBody(NamedTuple):
    """The body of an entry, decoded, before and after its change."""

    old: bytes
    new: bytes
    charset: str | None
    """The label of the response's charset where the bodies are text, which is UTF-8 in a HAR; None for bytes."""


class _ValueSpan(NamedTuple):
    """Where a value is in the text of the response."""

    start: int
    end: int


class _HarItem(NamedTuple):
    """A member of an object or an element of an array."""

    span: _ValueSpan
    """With its name."""
    value: _ValueSpan


class _HarField(NamedTuple):
    """A header field."""

    name: str
    """In lower case."""
    value: str
    span: _ValueSpan
    """Where the value is."""
    key: str | int
    """Its number in `headers`."""


class _HarResponse:
    """The text of a response, and where its members are."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        #: The path of an object or array -> its items by their names or numbers, down to `headers[0].name`.
        self.items: dict[tuple[str | int, ...], dict[str | int, _HarItem]] = {}
        self._scan()

    def _scan(self) -> None:
        """Find the items. Of several members with one name the last counts, as in browsers."""
        path: list[str | int] = []  # of the current item
        begins: list[int] = []  # where the open objects and arrays begin
        names: list[int] = []  # where the names of the current items begin, -1 in arrays
        is_name = False
        for token in _TOKEN.finditer(self.text):
            mark, (start, end) = token[1], token.span(1)
            if mark in {b"{", b"["}:
                if len(path) < _DEPTH:
                    self.items[tuple(path)] = {}
                is_name = mark == b"{"
                path.append("" if is_name else 0)
                begins.append(start)
                names.append(-1)
            elif mark in {b"}", b"]"}:
                path.pop()
                names.pop()
                self._place(path, names, _ValueSpan(begins.pop(), end))
            elif mark == b":":
                is_name = False
            elif mark == b",":
                key = path[-1]
                is_name = isinstance(key, str)
                path[-1] = key if isinstance(key, str) else key + 1
            elif is_name:
                path[-1] = _string(mark)
                names[-1] = start
            else:
                if len(path) < _DEPTH:
                    self.items.pop(tuple(path), None)
                self._place(path, names, _ValueSpan(start, end))

    def _place(self, path: list[str | int], names: list[int], value: _ValueSpan) -> None:
        if 0 < len(path) <= _DEPTH:
            begin = names[-1] if names[-1] >= 0 else value.start
            self.items[tuple(path[:-1])][path[-1]] = _HarItem(_ValueSpan(begin, value.end), value)

    def item(self, *path: str | int) -> _HarItem | None:
        """The item at a path."""
        return self.items.get(path[:-1], {}).get(path[-1])

    def number(self, *path: str) -> tuple[int, _ValueSpan] | None:
        """The whole number that a member is, and where; None for another value."""
        item = self.item(*path)
        written = self._written(item)
        return (int(written), item.value) if item and _WHOLE_NUMBER.fullmatch(written) else None

    def fields(self) -> Iterator[_HarField]:
        """The header fields."""
        for number in self.items.get(("headers",), {}):
            name, value = (self.item("headers", number, member) for member in ("name", "value"))
            if value and self._written(name)[:1] == self._written(value)[:1] == b'"':
                text = _string(self._written(value))
                yield _HarField(_string(self._written(name)).strip().lower(), text, value.value, number)

    def _written(self, item: _HarItem | None) -> bytes:
        return self.text[slice(*item.value)] if item else b""


def _string(written: bytes) -> str:
    text: str = json.loads(written.decode("utf-8", "surrogateescape"), strict=False)
    return text


#: Where a span of the response begins -> where it ends, and what is written in its place.
_Edits = dict[int, tuple[int, bytes]]


def renew_response(
    head: bytes, tail: bytes, body: ChangedBody, tell: Callable[[str, str], None]
) -> tuple[bytes, bytes]:
    """The text of an entry's response, before and after the contents of the string `content.text`.

    `head` and `tail`: what they are now, which is JSON. `tell` is called with the code and the detail of each problem.
    """
    response = _HarResponse(head + tail)
    edits = _renew_sizes(response, body) | _renew_headers(response, body, tell)
    return _apply(head, 0, edits), _apply(tail, len(head), edits)


def _apply(text: bytes, offset: int, edits: _Edits) -> bytes:
    out = []
    done = 0
    for start, (end, new) in sorted(edits.items()):
        if offset <= start and end <= offset + len(text):
            out += [text[done : start - offset], new]
            done = end - offset
    return b"".join([*out, text[done:]])


def _renew_sizes(response: _HarResponse, body: ChangedBody) -> _Edits:
    edits: _Edits = {}
    old, new = (len(_encode(data, body.charset)) for data in (body.old, body.new))
    size = response.number("content", "size")
    body_size = response.number("bodySize")
    compression = response.number("content", "compression")
    renewed = new
    if size is not None and size[0] >= 0:
        # More than there is: the text was cut, or lost its byte order mark.
        renewed += max(0, size[0] - old)
        edits[size[1].start] = size[1].end, b"%d" % renewed
    is_whole = False
    if body_size is not None and body_size[0] > 0:
        is_whole = body_size[0] == (size[0] if size is not None and size[0] >= 0 else old)
        edits[body_size[1].start] = body_size[1].end, b"%d" % (renewed if is_whole else -1)
    if compression is not None and (compression[0] or not is_whole):
        edits |= _remove(response.items[("content",)], {"compression"})
    return edits


def _encode(data: bytes, charset: str | None) -> bytes:
    """A body in the response's charset, as far as that is known and has the characters."""
    name = get_encoding(charset.encode("utf-8", "replace")) if charset else None
    if name in {None, "utf-8", "replacement"}:
        return data
    try:
        return codec(str(name)).encode(data.decode("utf-8"), "strict")
    except UnicodeError:
        return data


def _renew_headers(response: _HarResponse, body: ChangedBody, tell: Callable[[str, str], None]) -> _Edits:
    fields = list(response.fields())
    described = [field for field in fields if field.name in _DESCRIBING]
    stated: dict[str, str] = {}
    for field in described:
        stated[field.name] = ", ".join(filter(None, (stated.get(field.name), field.value)))
    values: dict[str, str | None] = {}
    if any(field.name == "content-encoding" and field.value.strip().lower() not in _NO_CODING for field in fields):
        for name in sorted(_DIGESTS & stated.keys()):
            tell("digest-unknown", f"{name} covers the coded content, which a HAR does not have")
    else:
        forms = [_encode(body.old, body.charset), body.old]
        values = renew_body_headers(stated, forms, _encode(body.new, body.charset), tell)
    edits: _Edits = {}
    removed: set[str | int] = set()
    for field in described:
        value = values.pop(field.name, None)
        if value is None:
            removed.add(field.key)
        else:
            edits[field.span.start] = field.span.end, b'"%s"' % value.encode("ascii")
    edits |= _remove(response.items.get(("headers",), {}), removed)
    size = response.number("headersSize")
    if edits and size is not None and size[0] > 0:
        edits[size[1].start] = size[1].end, b"-1"
    return edits


def _remove(items: dict[str | int, _HarItem], removed: set[str | int]) -> _Edits:
    """The edits that remove items of an object or an array, with their commas."""
    edits: _Edits = {}
    spans = sorted((item.span, key in removed) for key, item in items.items())
    kept_end = -1
    for place, (span, is_removed) in enumerate(spans):
        if not is_removed:
            kept_end = span.end
        elif place + 1 < len(spans):
            edits[span.start] = spans[place + 1][0].start, b""
        elif kept_end >= 0:
            # Removals before this one begin after the comma: this one takes their place.
            edits = {start: edit for start, edit in edits.items() if start < kept_end}
            edits[kept_end] = span.end, b""
        else:
            edits[span.start] = span.end, b""
    return edits
