"""HAR 1.2, HTTP archives (.har): the responses that a browser received, in JSON.

An entry's `request.url` is its retrieval URL. `response.content.text` is the body. It is text that was already decoded,
whatever the charset of the response, or bytes in base64. The contents of that JSON string are replaced, and the members
of the response that describe them. Playwright writes bodies to other files (`content: "attach"`) and their names to
`response.content._file`. These files are not read, and each one is reported as a problem.

The file is read in pieces, first to check its JSON and to find its entries. Memory holds one body.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import BinaryIO, NamedTuple

from linkfix.containers.http_body import BODY_HEADERS, BodyCoverage, renew_body_headers
from linkfix.containers.part import (
    Allowance,
    Change,
    LeaveAlone,
    Limits,
    Note,
    Part,
    absolute_url,
    container_problem,
    ignore_count,
)
from linkfix.containers.window import NotBase64, Window, decode_base64, encode_base64, join_pieces, open_window
from linkfix.encodings.encoding import codec, get_encoding
from linkfix.files.media_types import HEADER, DeclaredType, declared_type
from linkfix.html.syntaxes.json_data import InvalidJson
from linkfix.model import Envelope

# The spans of values in a JSON text. The text is read in pieces, and need not fit in memory.
#
# The grammar is exactly that of RFC 8259, without a limit of depth. Only the names of members are decoded. If several
# members have one name, the last counts, as in browsers (ECMA-262, JSON.parse). Offsets are byte offsets in the window.


#: The number of bytes that are read at a time.
_STEP = 1 << 20

#: The number of nested arrays and objects that one match can skip: the depth of the header fields of a HAR's entry.
_LEVELS = 2

#: RFC 8259 §7: the maximum length of an escaped character, `\u` and four digits.
_ESCAPE = 6

_SPACE = re.compile(rb"[ \t\n\r]*+")

_CONTENTS = re.compile(rb'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*+')

_SCALAR = re.compile(rb"true|false|null|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?")


@cache
def _value(levels: int = _LEVELS) -> re.Pattern[bytes]:
    """Return the pattern of a value with at most `levels` nested arrays and objects. It is compiled when needed."""
    space, string = _SPACE.pattern, rb'"' + _CONTENTS.pattern + rb'"'
    simple = rb"(?:" + string + rb"|" + _SCALAR.pattern + rb")"
    if not levels:
        return re.compile(simple)
    inner = _value(levels - 1).pattern + space
    members = rb"(?:" + string + space + rb":" + space + inner + rb"(?:," + space + rb'(?=")|(?=\})))*+'
    elements = rb"(?:" + inner + rb"(?:," + space + rb"(?!\])|(?=\])))*+"
    return re.compile(rb"(?:" + simple + rb"|\{" + space + members + rb"\}|\[" + space + elements + rb"\])")


_CLOSERS = {b"{": b"}", b"[": b"]"}


class JsonSpan(NamedTuple):
    """The span of a value, and its requested members."""

    start: int
    end: int
    members: dict[str, JsonSpan]
    """The requested members of an object, by name."""

    def member(self, *path: str) -> JsonSpan | None:
        """Return the value at a path of member names, or None."""
        found: JsonSpan | None = self
        for name in path:
            found = found and found.members.get(name)
        return found


#: The names of requested members, each with the names of its own requested members.
Names = Mapping[str, "Names"]


class JsonSpans:
    """The values of a JSON text in a window."""

    def __init__(self, raw: Window) -> None:
        self._raw = raw
        #: The current piece, and its offset.
        self._text = b""
        self._from = 0

    def whole(self, start: int, names: Names) -> JsonSpan:
        """Return the value that fills the text from `start` on, with the named members. Raises `InvalidJson`."""
        value = self.value(self._skip_space(start), names)
        after = self._skip_space(value.end)
        if after < self._raw.size:
            raise InvalidJson(after)
        return value

    def value(self, start: int, names: Names) -> JsonSpan:
        """Return the value at an offset, with the named members. Raises `InvalidJson`."""
        found: dict[str, JsonSpan] = {}
        if not names or self._byte(start) != b"{":
            return JsonSpan(start, self._end(start), found)
        at = self._skip_space(start + 1)
        if self._byte(at) == b"}":
            return JsonSpan(start, at + 1, found)
        longest = max(map(len, names)) * _ESCAPE
        while True:
            member = self._skip_space(self._colon(at))
            name = self._short_string(at, longest)
            if name in names:
                found[name] = self.value(member, names[name])
                at = found[name].end
            else:
                at = self._end(member)
            at = self._skip_space(at)
            if self._byte(at) == b"}":
                return JsonSpan(start, at + 1, found)
            if self._byte(at) != b",":
                raise InvalidJson(at)
            at = self._skip_space(at + 1)

    def is_string(self, value: JsonSpan | None) -> bool:
        """Whether a value exists and is a string. The contents of a string are between its quotation marks."""
        return value is not None and self._byte(value.start) == b'"'

    def elements(self, value: JsonSpan | None, names: Names) -> Iterator[JsonSpan] | None:
        """Return the elements of an array, with their named members; None if the value is not an array. The array must
        already have been checked to be JSON.
        """
        is_array = value is not None and self._byte(value.start) == b"["
        return self._elements(value.start, names) if value is not None and is_array else None

    def _elements(self, start: int, names: Names) -> Iterator[JsonSpan]:
        at = self._skip_space(start + 1)
        while self._byte(at) != b"]":
            element = self.value(at, names)
            yield element
            at = self._skip_space(element.end)
            if self._byte(at) == b",":
                at = self._skip_space(at + 1)

    def _short_string(self, at: int, longest: int) -> str:
        """Return the string at an offset; "" for a string with more than `longest` bytes."""
        head = self._raw.read(at + 1, longest + 1)
        raw = head[: self._match(_CONTENTS, 0, head)]
        if not head.startswith(b'"', len(raw)):
            return ""
        text: str = json.loads(b'"' + raw + b'"') if b"\\" in raw else raw.decode("utf-8", "replace")
        return text

    # The grammar

    def _end(self, at: int) -> int:
        """Return the end of the value at an offset."""
        closers: list[bytes] = []
        while True:
            end = self._quick_end(at)
            if end < 0:
                opener = self._byte(at)
                closer = _CLOSERS.get(opener)
                if closer is not None:
                    at = self._skip_space(at + 1)
                    if self._byte(at) != closer:
                        closers.append(closer)
                        at = at if opener == b"[" else self._skip_space(self._colon(at))
                        continue
                    end = at + 1
                else:
                    end = self._string_end(at) if opener == b'"' else self._scalar_end(at)
            at = self._next_value(end, closers)
            if not closers:
                return at

    def _next_value(self, at: int, closers: list[bytes]) -> int:
        """Return the offset of the next value, after a value that ended at `at`. If all arrays and objects are closed,
        return the end of the outermost value.
        """
        while closers:
            at = self._skip_space(at)
            byte = self._byte(at)
            if byte == b",":
                at = self._skip_space(at + 1)
                return at if closers[-1] == b"]" else self._skip_space(self._colon(at))
            if byte != closers[-1]:
                raise InvalidJson(at)
            closers.pop()
            at += 1
        return at

    def _colon(self, at: int) -> int:
        """Return the offset after the colon of a member. `at`: the offset of the member's name."""
        if self._byte(at) != b'"':
            raise InvalidJson(at)
        at = self._skip_space(self._string_end(at))
        if self._byte(at) != b":":
            raise InvalidJson(at)
        return at + 1

    def _quick_end(self, at: int) -> int:
        """Return the end of a value that one match can skip; -1 for a larger or deeper value, and for invalid JSON."""
        pattern = _value()
        place = self._place(at)
        found = pattern.match(self._text, place)
        if (found is None or found.end() == len(self._text)) and len(self._text) - place < _STEP // 2:
            self._load(at)
            found = pattern.match(self._text)
        if found is None or (found.end() == len(self._text) and not self._is_last()):
            return -1
        return self._from + found.end()

    def _string_end(self, at: int) -> int:
        """Return the end of the string at an offset, after its closing quotation mark."""
        at += 1
        while True:
            place = self._place(at)
            stop = self._match(_CONTENTS, place, self._text)
            if self._text[stop : stop + 1] == b'"':
                return self._from + stop + 1
            at = self._from + stop
            in_escape = self._text[stop : stop + 1] in {b"\\", b""} and len(self._text) - stop < _ESCAPE
            if not in_escape or self._is_last():
                raise InvalidJson(at)
            self._load(at)

    def _scalar_end(self, at: int) -> int:
        length = _STEP
        while True:
            self._load(at, length)
            found = _SCALAR.match(self._text)
            if found is None:
                raise InvalidJson(at)
            if found.end() < len(self._text) or self._is_last():
                return at + found.end()
            length *= 2

    def _skip_space(self, at: int) -> int:
        while True:
            stop = self._match(_SPACE, self._place(at), self._text)
            at = self._from + stop
            if stop < len(self._text) or self._is_last():
                return at

    def _byte(self, at: int) -> bytes:
        """Return the byte at an offset; b"" at the end."""
        place = self._place(at)
        return self._text[place : place + 1]

    @staticmethod
    def _match(pattern: re.Pattern[bytes], place: int, text: bytes) -> int:
        """Return the end of the match of a pattern that can match the empty string."""
        found = pattern.match(text, place)
        return place if found is None else found.end()

    # The current piece

    def _place(self, at: int) -> int:
        """Return the index in `_text` of an offset. Unless `at` is the end, `_text` then contains its byte."""
        if not self._from <= at < self._from + len(self._text):
            self._load(at)
        return at - self._from

    def _load(self, at: int, length: int = _STEP) -> None:
        self._text = self._raw.read(at, length)
        self._from = at

    def _is_last(self) -> bool:
        return self._from + len(self._text) >= self._raw.size


# The members of a HAR's response that depend on a changed body (HAR 1.2,
# http://www.softwareishard.com/blog/har-12-spec/).
#
# - `content.size` grows with the body. -1, for an unknown size, stays.
# - `bodySize` becomes the new `content.size` if it was equal to the old `content.size`. Otherwise the body was sent
#   compressed, and `bodySize` becomes -1. -1, and 0 for a cached response, stay.
# - `content.compression` is removed ("leave out this field if the information is not available"), unless it is 0 and
#   right.
# - `headers`: the fields of `BODY_HEADERS` are renewed or dropped. Fields of codings stay, because a HAR keeps them
#   beside the decoded body. It lacks the coded body, so fields that describe the coded body are dropped if there is a
#   Content-Encoding.
# - `headersSize` becomes -1 if a field changed.
#
# Members with a name that begins with "_" are specific to a tool, such as Chrome's `_transferSize`. They describe the
# transfer, and stay. All other bytes stay too.


_TOKEN = re.compile(rb'[ \t\r\n]*+("(?:[^"\\]++|\\[\s\S])*+"|[\[\]{}:,]|[^\s\[\]{}:,"]++)')

_WHOLE_NUMBER = re.compile(rb"-?[0-9]{1,18}")

#: The number of nested arrays and objects that are read: the response, `headers`, a header field.
_DEPTH = 3

#: The header fields that describe a body, except fields of codings, which a HAR keeps.
_DESCRIBING = frozenset(name for name, row in BODY_HEADERS.items() if row.covers is not BodyCoverage.CODINGS)

#: The header fields of digests.
_DIGESTS = frozenset({"content-digest", "repr-digest", "digest"})

#: The values of Content-Encoding that mean no coding.
_NO_CODING = frozenset({"", "identity"})


class ChangedBody(NamedTuple):
    """The decoded body of an entry, before and after its change."""

    old: bytes
    new: bytes
    charset: str | None
    """The label of the response's charset if the bodies are text, which is UTF-8 in a HAR; None for bytes."""


class _ValueSpan(NamedTuple):
    """The span of a value in the text of the response."""

    start: int
    end: int


class _HarItem(NamedTuple):
    """A member of an object or an element of an array."""

    span: _ValueSpan
    """The span of the item, with its name."""
    value: _ValueSpan


class _HarField(NamedTuple):
    """A header field."""

    name: str
    """The field's name, in lower case."""
    value: str
    span: _ValueSpan
    """The span of the value."""
    key: str | int
    """The field's index in `headers`."""


class _HarResponse:
    """The text of a response, with the spans of its members."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        #: The items of each object or array, by its path. Items are keyed by names or indexes, down to
        #: `headers[0].name`.
        self.items: dict[tuple[str | int, ...], dict[str | int, _HarItem]] = {}
        self._scan()

    def _scan(self) -> None:
        """Find the items. If several members have one name, the last counts, as in browsers."""
        path: list[str | int] = []  # path of the current item
        begins: list[int] = []  # offsets of the open objects and arrays
        names: list[int] = []  # offsets of the names of the current items, -1 in arrays
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
        """Return the item at a path, or None."""
        return self.items.get(path[:-1], {}).get(path[-1])

    def number(self, *path: str) -> tuple[int, _ValueSpan] | None:
        """Return a member's whole number and its span; None for any other value."""
        item = self.item(*path)
        written = self._written(item)
        return (int(written), item.value) if item and _WHOLE_NUMBER.fullmatch(written) else None

    def fields(self) -> Iterator[_HarField]:
        """Yield the header fields."""
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


#: The edits of a response: the start of a span -> its end, and the bytes that replace it.
_Edits = dict[int, tuple[int, bytes]]


def renew_response(
    head: bytes, tail: bytes, body: ChangedBody, tell: Callable[[str, str], None]
) -> tuple[bytes, bytes]:
    """Return the new text of an entry's response before and after the contents of the string `content.text`.

    `head`, `tail`: the present text before and after these contents, which is JSON.
    `tell`: called with the code and the detail of each problem.
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
        # A size larger than the text means that the text was cut, or lost its byte order mark.
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
    """Return a body encoded in the response's charset; unchanged if the charset is unknown or lacks a character."""
    name = get_encoding(charset) if charset else None
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
    """Return the edits that remove items of an object or an array, with their commas."""
    edits: _Edits = {}
    spans = sorted((item.span, key in removed) for key, item in items.items())
    kept_end = -1
    for place, (span, is_removed) in enumerate(spans):
        if not is_removed:
            kept_end = span.end
        elif place + 1 < len(spans):
            edits[span.start] = spans[place + 1][0].start, b""
        elif kept_end >= 0:
            # Removals before this one begin after the comma. This edit replaces them.
            edits = {start: edit for start, edit in edits.items() if start < kept_end}
            edits[kept_end] = span.end, b""
        else:
            edits[span.start] = span.end, b""
    return edits


_BOM = b"\xef\xbb\xbf"

_HIGH = rb"\\u[dD][89abAB][0-9a-fA-F]{2}"

_LOW = rb"\\u[dD][c-fC-F][0-9a-fA-F]{2}"

#: RFC 8259 §7: an escaped character. It may be a pair of escapes.
_ESCAPED = re.compile(_HIGH + _LOW + rb"|\\u[0-9a-fA-F]{4}|\\.")

#: Plain and escaped characters, up to the last whole character.
_WHOLE = re.compile(
    rb"(?:[^\\]++|" + _HIGH + rb"(?:" + _LOW + rb"|(?=[\s\S]{6}))|\\u(?![dD][89abAB])[0-9a-fA-F]{4}|\\[^u])*+"
)

#: Half of a surrogate pair, encoded by the scheme of UTF-8.
_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")

#: The escapes of bytes that must be escaped. An escape in the old text takes precedence.
_ESCAPES = {bytes([code]): b"\\u%04x" % code for code in range(32)} | {
    character.encode(): b"\\" + escape.encode() for character, escape in zip('"\\\b\f\n\r\t', '"\\bfnrt', strict=True)
}

_PIECE = 1 << 20

_LONGEST_NUMBER = 20

#: The members of an entry that are read.
_ENTRY: Names = {
    "request": {"url": {}},
    "response": {"content": {"text": {}, "mimeType": {}, "encoding": {}, "size": {}, "_file": {}}, "headers": {}},
}

#: The header fields of a response that matter for its body.
_FIELDS = ("content-type", "x-content-type-options", "content-security-policy")


class _StringSpan(NamedTuple):
    """The span of the contents of a JSON string."""

    start: int
    end: int


class _EntryContent(NamedTuple):
    """The `response.content` of an entry."""

    name: str
    """The name of the entry in messages."""
    text: _StringSpan
    response: JsonSpan
    """The entry's `response`, which contains the content."""
    type_: DeclaredType
    encoding: str
    """"" or "base64"."""
    url: str
    """The entry's `request.url`."""
    fields: dict[str, list[str]]
    """The values of the response's header fields `_FIELDS`, by name in lower case."""


def parts(source: BinaryIO, envelope: Envelope, note: Note, limits: Limits) -> Iterator[Part]:
    """Yield the bodies of a HAR; see `Container.parts`. The source need not be seekable. Memory holds one body."""
    with open_window(source) as raw:
        har = _Har(raw, envelope, note, limits)
        for content in har.contents():
            part = har.part(content)
            if part is not None:
                yield part


def rewrite(
    source: BinaryIO,
    out: BinaryIO,
    envelope: Envelope,
    change: Change,
    note: Note,
    limits: Limits,
    *,
    leave_alone: LeaveAlone = ignore_count,  # noqa: ARG001 - every change can be written
) -> None:
    """Copy a HAR, with the bodies that `change` changes; see `Container.rewrite`. The source need not be seekable.
    Memory holds one body.
    """
    with open_window(source) as raw:
        har = _Har(raw, envelope, note, limits)
        done = 0
        for content in har.contents():
            part = har.part(content)
            new = None if part is None else change(part)
            if part is None or new is None or new == part.data:
                continue
            head, tail = har.renew_response(content, part.data, new)
            del part  # free the old data
            out.writelines(raw.pieces(done, content.response.start))
            out.write(head)
            out.writelines(har.write(content, new))
            out.write(tail)
            done = content.response.end
        out.writelines(raw.pieces(done, raw.size))


class _Har:
    """Reads the entries of a HAR, in order."""

    def __init__(self, raw: Window, envelope: Envelope, note: Note, limits: Limits) -> None:
        self._raw = raw
        self._json = JsonSpans(raw)
        self._envelope = envelope
        self._note = note
        self._limits = limits
        self._allowance = Allowance(limits, raw.size)
        #: The number of bodies in other files whose media types are not wanted.
        self._others_attached = 0

    def _report(self, code: str, offset: int, detail: str) -> None:
        self._note(container_problem(code, offset, detail))

    def contents(self) -> Iterator[_EntryContent]:
        """Yield the contents of entries that have a text in a known encoding. If the file is not JSON, report a problem
        and yield nothing.
        """
        start = len(_BOM) if self._raw.read(0, len(_BOM)) == _BOM else 0
        if start == self._raw.size:
            return
        try:
            har = self._json.whole(start, {"log": {"entries": {}}})
        except InvalidJson as error:
            self._report("container-damaged", error.position, "the HAR is not JSON from here on")
            return
        entries = self._json.elements(har.member("log", "entries"), _ENTRY)
        if entries is None:
            self._report("container-damaged", 0, "the HAR has no log.entries")
            return
        for number, entry in enumerate(entries):
            if self._allowance.is_spent:
                return
            if number == self._limits.parts:
                self._report("too-many-parts", 0, f"more than {self._limits.parts:,} entries")
                return
            content = self._content(entry, f"log.entries[{number}]")
            if content is not None:
                yield content
        if self._others_attached:
            detail = f"bodies of other media types that are in other files (content._file): {self._others_attached:,}"
            self._report("part-missing", 0, detail)

    def _report_missing(self, content: JsonSpan, name: str, media_type: str) -> None:
        """Report an entry without a body that may be a document."""
        file = self._string(content.members.get("_file"))
        may_be_document = media_type in self._limits.media_types
        if file and media_type and not may_be_document:
            self._others_attached += 1
        elif file:
            advice = 'give that file and --url, or record bodies in the HAR (Playwright: content "embed")'
            self._report("part-missing", content.start, f"{name}: it is in the file {file!r}: {advice}")
        elif may_be_document and self._number(content.members.get("size")) != b"0":
            self._report("part-missing", content.start, f"{name}: it was not recorded")

    def _number(self, value: JsonSpan | None) -> bytes:
        return b"" if value is None else self._raw.read(value.start, min(value.end - value.start, _LONGEST_NUMBER))

    def _content(self, entry: JsonSpan, name: str) -> _EntryContent | None:
        response = entry.member("response")
        content = response and response.member("content")
        text = content and content.member("text")
        if response is None or content is None:
            return None
        fields = self._fields(response)
        # The last type counts, if it is valid.
        fields["content-type"].append(self._string(content.members.get("mimeType")))
        type_ = declared_type(fields.__getitem__)
        if text is None or not self._json.is_string(text):
            self._report_missing(content, name, "" if type_.own.is_unknown else type_.own.essence)
            return None
        encoding = self._string(content.members.get("encoding")).lower()
        contents = _StringSpan(text.start + 1, text.end - 1)
        if encoding not in {"", "base64"}:
            self._report("part-encoding", contents.start, f"{name}: {encoding!r}")
            return None
        url = self._string(entry.member("request", "url"))
        return _EntryContent(name, contents, response, type_, encoding, url, fields)

    def _string(self, value: JsonSpan | None) -> str:
        """Return the text of a string; "" for any other value."""
        if value is None or not self._json.is_string(value):
            return ""
        text: str = json.loads(self._raw.read(value.start, value.end - value.start).decode("utf-8", "surrogateescape"))
        return text

    def part(self, content: _EntryContent) -> Part | None:
        """Return the body of an entry; None if it cannot be read."""
        name, start = content.name, content.text.start
        encoded = content.text.end - start
        try:
            data = join_pieces(self._decode(content), self._allowance.limit(encoded))
        except NotBase64:
            self._report("part-damaged", start, f"{name}: not base64")
            return None
        if data is None:
            reached = self._allowance.reached(encoded)
            self._report(reached.code, start, f"{name}: {reached.detail}")
            return None
        self._allowance.spend(len(data))
        media_type = content.type_.media_type(data[:HEADER])
        url = absolute_url(content.url)
        if url is None:
            self._report("part-url", start, f"{name}: {content.url!r}")
        envelope = Envelope(
            url,
            content.type_.own.charset if content.encoding else "utf-8",
            media_type,
            where=f"{name}.request.url" if url else "",
            parent=self._envelope,
            content_security_policy=", ".join(content.fields["content-security-policy"]) or None,
        )
        return Part(name, data, media_type, envelope)

    def _fields(self, response: JsonSpan) -> dict[str, list[str]]:
        """Return the values of a response's header fields `_FIELDS`, by name in lower case."""
        found: dict[str, list[str]] = {name: [] for name in _FIELDS}
        headers = self._json.elements(response.member("headers"), {"name": {}, "value": {}})
        for header in headers or ():
            values = found.get(self._string(header.member("name")).lower())
            if values is not None:
                values.append(self._string(header.member("value")))
        return found

    def _decode(self, content: _EntryContent) -> Iterator[bytes]:
        """Yield the data of a body in pieces. Text was decoded by the response's charset, and is UTF-8 here. Raises
        `NotBase64`.
        """
        pieces = map(_unescape, self._whole_characters(content.text))
        return decode_base64(pieces) if content.encoding else pieces

    def _whole_characters(self, contents: _StringSpan) -> Iterator[bytes]:
        """Yield the contents of a string in pieces that contain only whole escaped characters."""
        rest = b""
        for piece in self._raw.pieces(*contents):
            text = rest + piece
            whole = _WHOLE.match(text)
            end = whole.end() if whole else 0
            yield text[:end]
            rest = text[end:]
        yield rest

    def renew_response(self, content: _EntryContent, old: bytes, new: bytes) -> tuple[bytes, bytes]:
        """Return the text of the response before and after the body, for a new body."""
        (start, end, _), text = content.response, content.text
        head, tail = self._raw.read(start, text.start - start), self._raw.read(text.end, end - text.end)
        body = ChangedBody(old, new, None if content.encoding else content.type_.own.charset)

        def tell(code: str, detail: str) -> None:
            self._report(code, start, f"{content.name}: {detail}")

        return renew_response(head, tail, body, tell)

    def write(self, content: _EntryContent, new: bytes) -> Iterator[bytes]:
        r"""Yield the contents of the JSON string for a new body. Escapes of the old body are used again: `\/` stays."""
        if content.encoding:
            yield from encode_base64(new)
            return
        escapes = dict(_ESCAPES)
        for piece in self._whole_characters(content.text):
            escapes |= {half: half for half in set(_SURROGATE.findall(piece)) if half not in escapes}
            escapes |= {_unescape(escape): escape for escape in set(_ESCAPED.findall(piece))}
        escaped = re.compile(b"|".join(map(re.escape, escapes)) + b"|" + _SURROGATE.pattern)
        at = 0
        while at < len(new):
            end = at + _PIECE
            while end < len(new) and new[end] & 0xC0 == 0x80:
                end += 1
            yield escaped.sub(lambda found: escapes.get(found[0]) or _escape_half(found[0]), new[at:end])
            at = end


def _unescape(raw: bytes) -> bytes:
    """Return the bytes that a piece of a JSON string stands for. Bytes that are not UTF-8 stay. Half of a surrogate
    pair is encoded like other code points.
    """
    return _ESCAPED.sub(_unescape_character, raw) if b"\\" in raw else raw


def _unescape_character(escape: re.Match[bytes]) -> bytes:
    character: str = json.loads(b'"' + escape[0] + b'"')
    return character.encode("utf-8", "surrogatepass")


def _escape_half(half: bytes) -> bytes:
    return b"\\u%04x" % ord(half.decode("utf-8", "surrogatepass"))
