"""HAR 1.2, HTTP archives (.har): the responses that a browser got, in JSON.

An entry's `request.url` is its retrieval URL. `response.content.text` is the body: text that was decoded already,
whatever charset the response had, or bytes in base64. The contents of that JSON string are replaced, and what the
response says of it (`linkfix.containers.har_response`). Playwright writes bodies to other files (`content: "attach"`),
which `response.content._file` names: they are not read, and each is a problem.

The file is read in pieces, first to see that it is JSON and where its entries are: memory holds one body.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from linkfix.containers.allowance import Allowance
from linkfix.containers.common import absolute_url, container_problem
from linkfix.containers.har_response import ChangedBody, renew_response
from linkfix.containers.json_spans import JsonSpan, JsonSpans, Names
from linkfix.containers.part import Change, LeaveAlone, Limits, Note, Part, ignore_count
from linkfix.containers.pieces import NotBase64, decode_base64, encode_base64, join_pieces
from linkfix.containers.window import Window, open_window
from linkfix.files.mime_sniffing import HEADER, DeclaredType, declared_type
from linkfix.html.syntaxes.json_text import InvalidJson
from linkfix.model import Envelope

__all__ = ["parts", "rewrite"]


_BOM = b"\xef\xbb\xbf"
_HIGH = rb"\\u[dD][89abAB][0-9a-fA-F]{2}"
_LOW = rb"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
#: RFC 8259 §7: an escaped character, which may be a pair of escapes.
_ESCAPED = re.compile(_HIGH + _LOW + rb"|\\u[0-9a-fA-F]{4}|\\.")
#: Characters, plain and escaped, of which none is cut off.
_WHOLE = re.compile(
    rb"(?:[^\\]++|" + _HIGH + rb"(?:" + _LOW + rb"|(?=[\s\S]{6}))|\\u(?![dD][89abAB])[0-9a-fA-F]{4}|\\[^u])*+"
)
#: Half of a surrogate pair, in the form that UTF-8 would give it.
_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
#: Bytes that must be escaped -> the escape, unless the old text escapes them in another way.
_ESCAPES = {bytes([code]): b"\\u%04x" % code for code in range(32)} | {
    character.encode(): b"\\" + escape.encode() for character, escape in zip('"\\\b\f\n\r\t', '"\\bfnrt', strict=True)
}
_PIECE = 1 << 20
_LONGEST_NUMBER = 20
#: What is read of an entry.
_ENTRY: Names = {
    "request": {"url": {}},
    "response": {"content": {"text": {}, "mimeType": {}, "encoding": {}, "size": {}, "_file": {}}, "headers": {}},
}
#: The header fields of a response that say something about its body.
_FIELDS = ("content-type", "x-content-type-options", "content-security-policy")


class _StringSpan(NamedTuple):
    """Where the contents of a JSON string are."""

    start: int
    end: int


class _EntryContent(NamedTuple):
    """The `response.content` of an entry."""

    name: str
    """What messages call the entry."""
    text: _StringSpan
    response: JsonSpan
    """The entry's `response`, which it is in."""
    type_: DeclaredType
    encoding: str
    """"" or "base64"."""
    url: str
    """The entry's `request.url`."""
    fields: dict[str, list[str]]
    """The values of its response's header fields that matter, by name in lower case."""


def parts(source: BinaryIO, envelope: Envelope, note: Note, limits: Limits) -> Iterator[Part]:
    """Its bodies; see `Container.parts`. The source need not be seekable; memory holds one body."""
    with open_window(source) as raw:
        har = _Har(raw, envelope, note, limits)
        for content in har.contents():
            part = har.part(content)
            if part is not None:
                yield part


def rewrite(  # noqa: PLR0913, PLR0917 - what one pass over a container needs
    source: BinaryIO,
    out: BinaryIO,
    envelope: Envelope,
    change: Change,
    note: Note,
    limits: Limits,
    *,
    leave_alone: LeaveAlone = ignore_count,  # noqa: ARG001 - every change can be written
) -> None:
    """Copy it, with the bodies that `change` changes; see `Container.rewrite`. The source need not be seekable; memory
    holds one body.
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
            del part  # the old data
            out.writelines(raw.pieces(done, content.response.start))
            out.write(head)
            out.writelines(har.write(content, new))
            out.write(tail)
            done = content.response.end
        out.writelines(raw.pieces(done, raw.size))


class _Har:
    """A HAR, whose entries are looked at in order."""

    def __init__(self, raw: Window, envelope: Envelope, note: Note, limits: Limits) -> None:
        self._raw = raw
        self._json = JsonSpans(raw)
        self._envelope = envelope
        self._note = note
        self._limits = limits
        self._allowance = Allowance(limits, raw.size)
        #: How many bodies of other media types than the wanted ones are in other files.
        self._others_attached = 0

    def _report(self, code: str, offset: int, detail: str) -> None:
        self._note(container_problem(code, offset, detail))

    def contents(self) -> Iterator[_EntryContent]:
        """The contents of its entries that have a text in a known encoding. None where the file is not JSON."""
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
        """Report an entry that may be a document and has no body."""
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
        # The last one counts, if it is a type.
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
        """The text of a string; "" of another value."""
        if value is None or not self._json.is_string(value):
            return ""
        text: str = json.loads(self._raw.read(value.start, value.end - value.start).decode("utf-8", "surrogateescape"))
        return text

    def part(self, content: _EntryContent) -> Part | None:
        """The body of an entry; None where it cannot be read."""
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
        """The values of the header fields of `_FIELDS` that a response has, by name."""
        found: dict[str, list[str]] = {name: [] for name in _FIELDS}
        headers = self._json.elements(response.member("headers"), {"name": {}, "value": {}})
        for header in headers or ():
            values = found.get(self._string(header.member("name")).lower())
            if values is not None:
                values.append(self._string(header.member("value")))
        return found

    def _decode(self, content: _EntryContent) -> Iterator[bytes]:
        """The data of a body. Text was decoded by the response's charset, and is UTF-8 here. Raises `NotBase64`."""
        pieces = map(_unescape, self._whole_characters(content.text))
        return decode_base64(pieces) if content.encoding else pieces

    def _whole_characters(self, contents: _StringSpan) -> Iterator[bytes]:
        """The contents of a string in pieces, which cut no escaped character."""
        rest = b""
        for piece in self._raw.pieces(*contents):
            text = rest + piece
            whole = _WHOLE.match(text)
            end = whole.end() if whole else 0
            yield text[:end]
            rest = text[end:]
        yield rest

    def renew_response(self, content: _EntryContent, old: bytes, new: bytes) -> tuple[bytes, bytes]:
        """What stands before and after the body in its response, for a new body."""
        (start, end, _), text = content.response, content.text
        head, tail = self._raw.read(start, text.start - start), self._raw.read(text.end, end - text.end)
        body = ChangedBody(old, new, None if content.encoding else content.type_.own.charset)

        def tell(code: str, detail: str) -> None:
            self._report(code, start, f"{content.name}: {detail}")

        return renew_response(head, tail, body, tell)

    def write(self, content: _EntryContent, new: bytes) -> Iterator[bytes]:
        r"""The contents of the JSON string for a new body. What the old one escapes is escaped so: `\/` stays `\/`."""
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
            while end < len(new) and new[end] & 0xC0 == 0x80:  # noqa: PLR2004 - in the middle of a character (UTF-8)
                end += 1
            yield escaped.sub(lambda found: escapes.get(found[0]) or _escape_half(found[0]), new[at:end])
            at = end


def _unescape(raw: bytes) -> bytes:
    """The bytes that a piece of a JSON string stands for. Bytes that are no UTF-8 stay; half of a surrogate pair is
    encoded like other code points.
    """
    return _ESCAPED.sub(_unescape_character, raw) if b"\\" in raw else raw


def _unescape_character(escape: re.Match[bytes]) -> bytes:
    character: str = json.loads(b'"' + escape[0] + b'"')
    return character.encode("utf-8", "surrogatepass")


def _escape_half(half: bytes) -> bytes:
    return b"\\u%04x" % ord(half.decode("utf-8", "surrogatepass"))
