"""HAR 1.2, HTTP archives (.har): the responses that a browser received, in JSON.

An entry's `request.url` is its retrieval URL. `response.content.text` is the body. It is text that was already decoded,
whatever the charset of the response, or bytes in base64. The contents of that JSON string are replaced, and the members
of the response that describe them.

Playwright writes bodies to other files (`content: "attach"`) and their names to `response.content._file`. Such a file
is read if it is beside the HAR, in its folder or its zip archive (`linkfix.containers.har_zip`). A changed body that
cannot replace its file is written into the HAR, as `content.text`: the file in a folder is another file of the run, and
a file that several entries name would need several contents.

The file is read in pieces, first to check its JSON and to find its entries. Memory holds one body, and the URLs of the
entries.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import chain, islice
from operator import itemgetter
from typing import BinaryIO, NamedTuple

from linkfix.containers.har_files import AttachedFiles, FilesInFolder, Unreadable
from linkfix.containers.http_body import BODY_HEADERS, BodyCoverage, has_content, renew_body_headers
from linkfix.containers.part import (
    Allowance,
    Change,
    LeaveAlone,
    Limits,
    Note,
    Part,
    absolute_url,
    container_problem,
    digits_of_time,
    http_header_part,
    ignore_count,
    url_forms,
)
from linkfix.containers.pieces import NotBase64, decode_base64, encode_base64, join_pieces
from linkfix.encodings.encoding import codec, get_encoding
from linkfix.files.media_types import HEADER, DeclaredType, declared_type
from linkfix.files.window import Window, WindowEdit, open_window
from linkfix.html.syntaxes.json_reader import CONTENTS, SCALAR, SPACE, STEP, InvalidJson, JsonReader, token_pattern
from linkfix.html.vocabulary import ANY_FIELD, HTTP_FIELDS
from linkfix.lazy import lazy_pattern
from linkfix.model import HTTP_HEADER_TYPE, Envelope

# The spans of values in a JSON text, which need not fit in memory.
#
# Only the names of members are decoded. If several members have one name, the last counts, as in browsers (ECMA-262,
# JSON.parse). Offsets are byte offsets in the window.


#: The number of nested arrays and objects that one match can skip: the depth of the header fields of a HAR's entry.
_LEVELS = 2


@cache
def _container(levels: int = _LEVELS) -> re.Pattern[bytes]:
    """Return the pattern of an array or object with at most `levels - 1` levels in it."""
    string = rf'"{CONTENTS}"'
    value = rf"(?:{string}|{SCALAR})"
    for _ in range(levels):
        inner = value + SPACE
        members = rf'(?:{string}{SPACE}:{SPACE}{inner}(?:,{SPACE}(?=")|(?=\}})))*+'
        elements = rf"(?:{inner}(?:,{SPACE}(?!\])|(?=\])))*+"
        container = rf"\{{{SPACE}{members}\}}|\[{SPACE}{elements}\]"
        value = rf"(?:{string}|{SCALAR}|{container})"
    return re.compile(container.encode())


#: The maximum length of a requested name, in bytes, with escaped characters.
_LONGEST_NAME = 256


class JsonSpan(NamedTuple):
    """The span of a value, and its requested members."""

    start: int
    end: int
    members: dict[str, JsonSpan]
    """The requested members of an object, by name."""
    begin: int = -1
    """The offset of an item of an array or object: of a member's name, or of an element."""

    def member(self, *path: str) -> JsonSpan | None:
        """Return the value at a path of member names, or None."""
        found: JsonSpan | None = self
        for name in path:
            found = found and found.members.get(name)
        return found


#: The names of requested members, each with the names of its own requested members.
Names = Mapping[str, "Names"]


_TOKENS = lazy_pattern(token_pattern(CONTENTS).encode())


class _Open(NamedTuple):
    """An object that is read for its members."""

    start: int
    name: str
    """Its own name, if it is a member."""
    names: Names
    members: dict[str, JsonSpan]


class JsonSpans(JsonReader[bytes]):
    """The values of a JSON text in a window."""

    def __init__(self, raw: Window) -> None:
        super().__init__(_TOKENS, b"", raw)
        self._raw = raw
        self._open: list[_Open] = []
        #: The names of the next value's requested members; None if the value is not requested.
        self._names: Names | None = None
        self._name = ""
        #: The number of open containers in a value whose members are not requested, and its start.
        self._depth = self._start = 0
        self._value = JsonSpan(0, 0, {})

    def whole(self, start: int, names: Names) -> JsonSpan:
        """Return the value that fills the text from `start` on, with the named members. Raises `InvalidJson`."""
        value = self.value(start, names)
        self.read_over(value.end)
        return value

    def value(self, start: int, names: Names) -> JsonSpan:
        """Return the value at an offset, with the named members. Raises `InvalidJson`."""
        self._open, self._names, self._depth = [], names, 0
        self.read_value(start)
        return self._value

    def on_name(self, start: int, end: int) -> None:
        """Note the name of the next value. A long name is none of the requested ones."""
        if not self._depth:
            self._name = self._decoded(start, end) if end - start < _LONGEST_NAME else ""
            self._names = self._open[-1].names.get(self._name)

    def on_value(self, _kind: str, start: int, end: int) -> None:
        """Note the span of a string, number, true, false or null."""
        self._place(start, end)

    def on_begin(self, kind: str, start: int) -> int:
        """Open a requested object; skip another value, or read on to its end."""
        if kind == "object" and self._names and not self._depth:
            self._open.append(_Open(start, self._name, self._names, {}))
            return -1
        end = self._skipped(start)
        if end >= 0:
            self._place(start, end)
            return end
        if not self._depth:
            self._start = start
        self._depth += 1
        return -1

    def on_end(self, end: int) -> None:
        """Note the span of an object or array."""
        if self._depth:
            self._depth -= 1
            self._place(self._start, end)
        else:
            start, self._name, self._names, members = self._open.pop()
            self._place(start, end, members)

    def _place(self, start: int, end: int, members: dict[str, JsonSpan] | None = None) -> None:
        if self._depth:
            return
        self._value = JsonSpan(start, end, {} if members is None else members)
        if self._open and self._names is not None:
            self._open[-1].members[self._name] = self._value

    def _skipped(self, at: int) -> int:
        """Return the end of an array or object that one match can skip; -1 for larger or deeper ones and for faults."""
        skip = _container().match
        found = skip(self._text, at - self._from)
        if found is None and self._bound < sys.maxsize and at - self._from > STEP // 2:
            self._load(at, STEP)
            found = skip(self._text)
        return -1 if found is None else self._from + found.end()

    def text(self, value: JsonSpan | None, limit: int = sys.maxsize) -> bytes:
        """Return the text of a value, up to `limit` bytes; b"" for None."""
        return b"" if value is None else self._raw.read(value.start, min(value.end - value.start, limit))

    def is_string(self, value: JsonSpan | None) -> bool:
        """Whether a value exists and is a string. The contents of a string are between its quotation marks."""
        return value is not None and self._byte(value.start) == b'"'

    def string(self, value: JsonSpan | None) -> str:
        """Return the contents of a string, decoded; "" for any other value."""
        return self._decoded(value.start, value.end) if value is not None and self.is_string(value) else ""

    def _decoded(self, start: int, end: int) -> str:
        text: str = json.loads(self._raw.read(start, end - start).decode("utf-8", "surrogateescape"))
        return text

    def elements(self, value: JsonSpan | None, names: Names) -> Iterator[JsonSpan] | None:
        """Return the elements of an array, with their named members; None if the value is not an array. The array must
        already have been checked to be JSON.
        """
        is_array = value is not None and self._byte(value.start) == b"["
        return self.items(value, names) if value is not None and is_array else None

    def items(self, value: JsonSpan, names: Names) -> Iterator[JsonSpan]:
        """Yield the elements of an array or the members of an object, which must already have been checked to be JSON.
        `names`: the requested members of each item.
        """
        is_object = self._byte(value.start) == b"{"
        kind, begin, end = self.token(value.start + 1)
        while kind not in {"array_end", "object_end"}:
            _, _, start = self.token(end) if is_object else ("", 0, begin)
            item = self.value(start, names)._replace(begin=begin)
            yield item
            kind, begin, end = self.token(item.end)
            if kind == "comma":
                kind, begin, end = self.token(end)


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


_WHOLE_NUMBER = re.compile(rb"-?[0-9]{1,18}")

#: The header fields that describe a body, except fields of codings, which a HAR keeps.
_DESCRIBING = frozenset(name for name, row in BODY_HEADERS.items() if row.covers is not BodyCoverage.CODINGS)

#: The header fields of digests.
_DIGESTS = frozenset({"content-digest", "repr-digest", "digest"})

#: The values of Content-Encoding that mean no coding.
_NO_CODING = frozenset({"", "identity"})


def _encode(data: bytes, charset: str | None) -> bytes:
    """Return a body encoded in the response's charset; unchanged if the charset is unknown or lacks a character."""
    name = get_encoding(charset) if charset else None
    if name in {None, "utf-8", "replacement"}:
        return data
    try:
        return codec(str(name)).encode(data.decode("utf-8"), "strict")
    except UnicodeError:
        return data


def _edit(value: JsonSpan, new: bytes) -> WindowEdit:
    return WindowEdit(value.start, value.end, (new,))


def _removals(items: Iterable[JsonSpan], removed: AbstractSet[int]) -> Iterator[WindowEdit]:
    """Yield the edits that remove items of an object or an array, with their commas. `removed`: their offsets."""
    kept_end = cut = -1
    end = 0
    for item in items:
        if item.start in removed:
            cut = item.begin if cut < 0 else cut
            end = item.end
        else:
            if cut >= 0:
                yield WindowEdit(cut, item.begin, ())
            cut, kept_end = -1, item.end
    if cut >= 0:
        yield WindowEdit(kept_end if kept_end >= 0 else cut, end, ())


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
    "startedDateTime": {},
    "request": {"method": {}, "url": {}},
    "response": {
        "content": {"text": {}, "mimeType": {}, "encoding": {}, "size": {}, "compression": {}, "_file": {}},
        "headers": {},
        "headersSize": {},
        "bodySize": {},
        "redirectURL": {},
        "status": {},
    },
}

#: The methods of requests that a reference makes. "" is a missing one.
_FETCHED = frozenset({"", "GET"})

#: The members of a header field.
_HEADER_FIELD: Names = {"name": {}, "value": {}}

#: The header fields of a response that matter for its body.
_FIELDS = ("content-type", "x-content-type-options", "content-security-policy")


class _EntryHeader(NamedTuple):
    """The header fields with URLs of an entry's response."""

    part: Part
    """A header with these fields alone, in order."""
    response: JsonSpan
    """The entry's `response`."""
    values: list[JsonSpan]
    """The strings with the values of the fields."""


#: Characters that no plain file name has, on any system.
_NOT_PLAIN = re.compile(r"[/\\:\x00-\x1f]")


class _EntryContent(NamedTuple):
    """The `response.content` of an entry."""

    name: str
    """The name of the entry in messages."""
    text: tuple[int, int]
    """The span of the contents of the string `text`; the span of the value of `_file` for a body in a file."""
    file: str
    """The name of the file with the body; "" for a body in the HAR."""
    response: JsonSpan
    """The entry's `response`, which contains the content."""
    type_: DeclaredType
    encoding: str
    """"" or "base64"."""
    url: str
    """The entry's `request.url`."""
    fields: dict[str, list[str]]
    """The values of the response's header fields `_FIELDS`, by name in lower case."""
    time: str
    """The entry's `startedDateTime`, as `Part.time`."""
    is_missing: bool = False
    """Whether the HAR has no text for the body, since it is empty."""

    @property
    def is_text(self) -> bool:
        """Whether the body is text, which is UTF-8 in a HAR, and not bytes."""
        return not (self.encoding or self.file)

    @property
    def charset(self) -> str | None:
        """The label of the response's charset if the body is text; None for bytes."""
        return self.type_.own.charset if self.is_text else None


def parts(source: BinaryIO, envelope: Envelope, note: Note, limits: Limits) -> Iterator[Part]:
    """Yield the bodies of a HAR, and its header fields with URLs if headers are wanted; see `Container.parts`.

    The source need not be seekable. Memory holds one body.
    """
    with open_window(source) as raw:
        yield from Har(raw, envelope, note, limits).parts()


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
        out.writelines(raw.edited(Har(raw, envelope, note, limits).edits(change)))


class Har:
    """Reads the entries of a HAR, in order."""

    def __init__(
        self,
        raw: Window,
        envelope: Envelope,
        note: Note,
        limits: Limits,
        files: AttachedFiles | None = None,
        allowance: Allowance | None = None,
    ) -> None:
        """`files`: the files with bodies; None for those in the folder of the HAR. `allowance`: that of the whole."""
        self._raw = raw
        self._json = JsonSpans(raw)
        self._envelope = envelope
        self._note = note
        self._limits = limits
        self._allowance = Allowance(limits, raw.size) if allowance is None else allowance
        self._files = FilesInFolder(limits.beside) if files is None else files
        #: The number of bodies in other files that cannot be read and whose media types are not wanted.
        self._others_attached = 0
        self._siblings: frozenset[str] = frozenset()

    def _report(self, code: str, offset: int, detail: str) -> None:
        self._note(container_problem(code, offset, detail))

    def parts(self) -> Iterator[Part]:
        """Yield the bodies that can be read, and the header fields with URLs if headers are wanted."""
        for name, entry in self._entries():
            header = self._header(name, entry)
            if header is not None:
                yield header.part
            content = self._content(name, entry)
            part = None if content is None else self._part(content)
            if part is not None:
                yield part

    def file_names(self) -> Iterator[str]:
        """Yield the name of the file of each body in a file."""
        contents = (self._content(name, entry) for name, entry in self._entries())
        return (content.file for content in contents if content is not None and content.file)

    def _entries(self) -> Iterator[tuple[str, JsonSpan]]:
        """Yield the entries, each after its name in messages; none, with a problem, if the file is not JSON."""
        start = len(_BOM) if self._raw.read(0, len(_BOM)) == _BOM else 0
        if start == self._raw.size:
            self._report("container-damaged", 0, "the file is empty")
            return
        try:
            har = self._json.whole(start, {"log": {"entries": {}}})
        except InvalidJson as error:
            self._report("container-damaged", error.position, "the HAR is not JSON from here on")
            return
        found = har.member("log", "entries")
        entries = self._json.elements(found, _ENTRY)
        if entries is None:
            self._report("container-damaged", 0, "the HAR has no log.entries")
            return
        self._siblings = frozenset(self._captured_urls(found))
        for number, entry in enumerate(entries):
            if self._allowance.is_spent:
                return
            if number == self._limits.parts:
                self._report("too-many-parts", 0, f"more than {self._limits.parts:,} entries")
                return
            yield f"log.entries[{number}]", entry
        if self._others_attached:
            detail = f"bodies of other media types that are in other files (content._file): {self._others_attached:,}"
            self._report("part-missing", 0, detail)

    def _captured_urls(self, entries: JsonSpan | None) -> Iterator[str]:
        """Yield the URLs that the HAR has a response to a GET request for: a body, or a redirect, which has none."""
        for entry in islice(self._json.elements(entries, _ENTRY) or (), self._limits.parts):
            response, content = entry.member("response"), entry.member("response", "content")
            has_body = content and (self._json.is_string(content.members.get("text")) or "_file" in content.members)
            has_body = has_body or (response is not None and self._is_empty(response))
            is_redirect = 300 <= (self._number(entry.member("response", "status")) or 0) < 400
            if (has_body or is_redirect) and self._json.string(entry.member("request", "method")).upper() in _FETCHED:
                yield from url_forms(self._json.string(entry.member("request", "url")))

    def _is_empty(self, response: JsonSpan) -> bool:
        """Whether a response has an empty body, by the size that the entry states."""
        status = self._number(response.member("status"))
        return self._number(response.member("content", "size")) == 0 and has_content(200 if status is None else status)

    def _report_unattached(self, content: _EntryContent, reason: Unreadable) -> None:
        """Report a body in a file that cannot be read."""
        own = content.type_.own
        if reason.code == "part-missing" and not own.is_unknown and own.essence not in self._limits.media_types:
            self._others_attached += 1
        else:
            self._report(reason.code, content.text[0], f"{content.name}: {reason.detail}")

    def _number(self, value: JsonSpan | None) -> int | None:
        """Return a whole number; None for any other value."""
        text = self._json.text(value, _LONGEST_NUMBER)
        return int(text) if _WHOLE_NUMBER.fullmatch(text) else None

    def _header(self, name: str, entry: JsonSpan) -> _EntryHeader | None:
        """Return the header fields with URLs of an entry; None if there are none or headers are not wanted."""
        response = entry.member("response")
        if response is None or HTTP_HEADER_TYPE not in self._limits.media_types:
            return None
        lines, values = [], []
        for header in self._json.elements(response.member("headers"), _HEADER_FIELD) or ():
            field, value = self._json.string(header.member("name")).strip().lower(), header.member("value")
            text = self._json.string(value)
            # Some programs join several fields by newlines: such a value is no field.
            if field in HTTP_FIELDS and value is not None and text.strip() and text.isprintable():
                lines.append(f"{field}: {text}\r\n")
                values.append(value)
        if not lines:
            return None
        url = absolute_url(self._json.string(entry.member("request", "url")))
        where = f"{name}.request.url" if url else ""
        part = http_header_part(name, "".join(lines).encode(), url, where, self._envelope)
        return _EntryHeader(part, response, values)

    def _content(self, name: str, entry: JsonSpan) -> _EntryContent | None:
        """Return the content of an entry; None if it is not empty and has no text in a known encoding."""
        response = entry.member("response")
        content = response and response.member("content")
        text = content and content.member("text")
        if response is None or content is None:
            return None
        fields = self._fields(response)
        # The last type counts, if it is valid.
        fields["content-type"].append(self._json.string(content.members.get("mimeType")))
        type_ = declared_type(fields.__getitem__)
        url = self._json.string(entry.member("request", "url"))
        time = digits_of_time(self._json.string(entry.member("startedDateTime")))
        if text is None or not self._json.is_string(text):
            named = content.members.get("_file")
            if named is not None and (file := self._json.string(named)):
                return _EntryContent(name, (named.start, named.end), file, response, type_, "", url, fields, time)
            if self._is_empty(response):
                here = content.start, content.start
                return _EntryContent(name, here, "", response, type_, "", url, fields, time, is_missing=True)
            is_document = not type_.own.is_unknown and type_.own.essence in self._limits.media_types
            if is_document and self._number(content.members.get("size")) != 0:
                self._report("part-missing", content.start, f"{name}: it was not recorded")
            return None
        encoding = self._json.string(content.members.get("encoding")).lower()
        contents = text.start + 1, text.end - 1
        if encoding not in {"", "base64"}:
            self._report("part-encoding", contents[0], f"{name}: {encoding!r}")
            return None
        return _EntryContent(name, contents, "", response, type_, encoding, url, fields, time)

    def _part(self, content: _EntryContent) -> Part | None:
        """Return the body of an entry; None if it cannot be read."""
        name, start = content.name, content.text[0]
        data = self._read_file(content) if content.file else self._read_text(content)
        if data is None:
            return None
        self._allowance.spend(len(data))
        media_type = content.type_.media_type(data[:HEADER])
        url = absolute_url(content.url)
        if url is None:
            self._report("part-url", start, f"{name}: {content.url!r}")
        envelope = Envelope(
            url,
            "utf-8" if content.is_text else content.type_.own.charset,
            media_type,
            where=f"{name}.request.url" if url else "",
            parent=self._envelope,
            content_security_policy=", ".join(content.fields["content-security-policy"]) or None,
        )
        return Part(name, data, media_type, envelope, self._siblings, time=content.time)

    def _read_text(self, content: _EntryContent) -> bytes | None:
        """Return the body in a text; None if it cannot be read."""
        start, end = content.text
        encoded = end - start
        try:
            data = join_pieces(self._decode(content), self._allowance.limit(encoded))
        except NotBase64:
            self._report("part-damaged", start, f"{content.name}: not base64")
            return None
        if data is None:
            reached = self._allowance.reached(encoded)
            self._report(reached.code, start, f"{content.name}: {reached.detail}")
        return data

    def _read_file(self, content: _EntryContent) -> bytes | None:
        """Return the body in a file; None if it cannot be read. The name of the file is not trusted."""
        name = content.file
        if name in {".", ".."} or _NOT_PLAIN.search(name):
            detail = f"it is in the file {name!r}: only files beside the HAR are read"
            self._report_unattached(content, Unreadable("part-missing", detail))
            return None
        data = self._files.read(name, self._allowance)
        if isinstance(data, Unreadable):
            self._report_unattached(content, data)
            return None
        return data

    def _fields(self, response: JsonSpan) -> dict[str, list[str]]:
        """Return the values of a response's header fields `_FIELDS`, by name in lower case."""
        found: dict[str, list[str]] = {name: [] for name in _FIELDS}
        for header in self._json.elements(response.member("headers"), _HEADER_FIELD) or ():
            values = found.get(self._json.string(header.member("name")).lower())
            if values is not None:
                values.append(self._json.string(header.member("value")))
        return found

    def _decode(self, content: _EntryContent) -> Iterator[bytes]:
        """Yield the data of a body in pieces. Text was decoded by the response's charset, and is UTF-8 here. Raises
        `NotBase64`.
        """
        pieces = map(_unescape, self._whole_characters(content.text))
        return decode_base64(pieces) if content.encoding else pieces

    def _whole_characters(self, contents: tuple[int, int]) -> Iterator[bytes]:
        """Yield the contents of a string in pieces that contain only whole escaped characters."""
        rest = b""
        for piece in self._raw.pieces(*contents):
            text = rest + piece
            whole = _WHOLE.match(text)
            end = whole.end() if whole else 0
            yield text[:end]
            rest = text[end:]
        yield rest

    def edits(self, change: Change) -> Iterator[WindowEdit]:
        """Yield the edits for the bodies that `change` changes, in order."""
        for name, entry in self._entries():
            header = self._header(name, entry)
            head = None if header is None else change(header.part)
            edits = [] if header is None or head is None else self._edit_fields(header, head)
            content = self._content(name, entry)
            if content is not None and not content.is_missing:
                edits += self._edit_body(content, change)
            sizes = {edit.start: edit for edit in edits}  # both may drop the size of the headers
            yield from sorted(sizes.values(), key=itemgetter(0))

    def _edit_body(self, content: _EntryContent, change: Change) -> list[WindowEdit]:
        """Return the edits for a body that `change` may change."""
        part = self._part(content)
        new = None if part is None else change(part)
        if part is None or new is None or new == part.data:
            return []
        in_har = not (content.file and self._files.replace(content.file, new))
        edits = [*self._edit_content(content, part.data, new, in_har=in_har)]
        edits += self._edit_headers(content, part.data, new)
        if in_har and not content.file:
            edits.append(WindowEdit(*content.text, self._write(content, new)))
        return edits

    def _edit_fields(self, header: _EntryHeader, new: bytes) -> list[WindowEdit]:
        """Return the edits for the new values of header fields."""
        edits = []
        members = header.response.members
        old_redirect = self._json.string(members.get("redirectURL"))
        fields = zip(header.values, ANY_FIELD.findall(new), strict=True)
        for value, (name, raw) in fields:
            old, text = self._json.string(value), raw.decode().strip()
            if text == old.strip():
                continue
            written = json.dumps(text).encode()
            edits.append(_edit(value, written))
            if name == b"location" and old_redirect == old:
                edits.append(_edit(members["redirectURL"], written))
        return edits + self._forget_size(header.response) if edits else []

    def _forget_size(self, response: JsonSpan) -> list[WindowEdit]:
        """Return the edit that makes the size of a response's changed headers unknown, if the size is stated."""
        stated = response.members.get("headersSize")
        return [_edit(stated, b"-1")] if stated is not None and (self._number(stated) or 0) > 0 else []

    def _edit_content(self, content: _EntryContent, old: bytes, new: bytes, *, in_har: bool) -> Iterator[WindowEdit]:
        """Yield the edits of the sizes of a response, for a new body; and those that write the body of a file into the
        HAR, if it is to be `in_har`.
        """
        members = content.response.members
        of_content = members["content"].members
        old_length, renewed = (len(_encode(data, content.charset)) for data in (old, new))
        size = self._number(of_content.get("size"))
        body_size = self._number(members.get("bodySize"))
        compression = self._number(of_content.get("compression"))
        removed: set[int] = set()
        if size is not None and size >= 0:
            # A size larger than the text means that the text was cut, or lost its byte order mark.
            renewed += max(0, size - old_length)
            yield _edit(of_content["size"], b"%d" % renewed)
        is_whole = False
        if body_size is not None and body_size > 0:
            is_whole = body_size == (size if size is not None and size >= 0 else old_length)
            yield _edit(members["bodySize"], b"%d" % (renewed if is_whole else -1))
        if compression is not None and (compression or not is_whole):
            removed.add(of_content["compression"].start)
        if content.file and in_har:
            removed |= {of_content[name].start for name in ("text", "encoding") if name in of_content}
        items = list(self._json.items(members["content"], {})) if removed or content.file else []
        yield from _removals(items, removed)
        if content.file and in_har:
            begin = next(item.begin for item in items if item.start == content.text[0])
            text = chain((b'"encoding": "base64", "text": "',), encode_base64(new), (b'"',))
            yield WindowEdit(begin, content.text[1], text)

    def _edit_headers(self, content: _EntryContent, old: bytes, new: bytes) -> list[WindowEdit]:
        """Return the edits of the header fields of a response, for a new body."""

        def tell(code: str, detail: str) -> None:
            self._report(code, content.response.start, f"{content.name}: {detail}")

        members = content.response.members
        headers = list(self._json.elements(members.get("headers"), _HEADER_FIELD) or ())
        fields: list[tuple[str, JsonSpan]] = []
        stated: dict[str, str] = {}
        is_coded = False
        for header in headers:
            value = header.member("value")
            if value is None or not (self._json.is_string(header.member("name")) and self._json.is_string(value)):
                continue
            name, text = self._json.string(header.member("name")).strip().lower(), self._json.string(value)
            is_coded = is_coded or (name == "content-encoding" and text.strip().lower() not in _NO_CODING)
            if name in _DESCRIBING:
                fields.append((name, header))
                stated[name] = ", ".join(filter(None, (stated.get(name), text)))
        values: dict[str, str | None] = {}
        if is_coded:
            for name in sorted(_DIGESTS & stated.keys()):
                tell("digest-unknown", f"{name} covers the coded content, which a HAR does not have")
        else:
            values = renew_body_headers(
                stated, [_encode(old, content.charset), old], _encode(new, content.charset), tell
            )
        edits = []
        removed = set()
        for name, header in fields:
            new_value = values.pop(name, None)
            if new_value is None:
                removed.add(header.start)
            else:
                edits.append(_edit(header.members["value"], b'"%s"' % new_value.encode("ascii")))
        edits += _removals(headers, removed)
        return edits + self._forget_size(content.response) if edits else []

    def _write(self, content: _EntryContent, new: bytes) -> Iterator[bytes]:
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
