"""HAR 1.2, HTTP archives (.har): the responses that a browser got, in JSON.

An entry's `request.url` is its retrieval URL. `response.content.text` is the body: text that was decoded already,
whatever charset the response had, or bytes in base64. The contents of that JSON string are replaced, and what the
response says of it (`linkfix.containers.har_response`).

JSON is read as a whole: memory holds the file about three times; one that is larger than `Limits.part` is left alone.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import shutil
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from linkfix.containers.common import absolute_url, container_problem, read_at_most
from linkfix.containers.har_response import ChangedBody, renew_response
from linkfix.containers.part import Change, LeaveAlone, Limits, Note, Part, ignore_count
from linkfix.files.media_types import content_type
from linkfix.html.syntaxes.json_text import InvalidJson, JsonString, JsonValue, parse
from linkfix.model import Envelope

__all__ = ["SUFFIXES", "parts", "recognise", "rewrite"]

SUFFIXES = (".har",)

_HAR = re.compile(rb'(?:\xef\xbb\xbf)?[ \t\r\n]*+\{[ \t\r\n]*+"log"[ \t\r\n]*+:[ \t\r\n]*+\{')
_OBJECT = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*+(?:\{|\Z)")
_BOM = b"\xef\xbb\xbf"
#: RFC 8259 §7: an escaped character, which may be a pair of escapes.
_ESCAPED = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.")
#: A bracket, or a string, whose brackets do not count.
_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}]')
_DEPTHS = {"{": 1, "[": 1, "}": -1, "]": -1}
_SURROGATE = re.compile(r"[\ud800-\udfff]")
#: Characters that must be escaped -> the escape, unless the old text escapes them in another way.
_ESCAPES = {code: f"\\u{code:04x}" for code in range(32)} | {
    ord(character): "\\" + escape for character, escape in zip('"\\\b\f\n\r\t', '"\\bfnrt', strict=True)
}


class _Body(NamedTuple):
    """The body of an entry."""

    part: Part
    start: int
    """Where the contents of its JSON string begin."""
    end: int
    """Where they end."""
    is_base64: bool
    charset: str | None
    """The charset of the response."""
    response: int
    """Where the entry's `response` begins."""
    response_end: int
    """Where it ends."""


def recognise(head: bytes, name: str) -> bool:
    """Whether it is a JSON object that begins with "log", or any JSON object in a file with the suffix .har."""
    return bool(_HAR.match(head) or (name.lower().endswith(SUFFIXES) and _OBJECT.match(head)))


def parts(source: BinaryIO, envelope: Envelope, note: Note, limits: Limits) -> Iterator[Part]:
    """Its bodies; see `Container.parts`. The source need not be seekable."""
    text = _read(source, None, note, limits)
    return (body.part for body in _bodies(text, envelope, note, limits))


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
    """Copy it, with the bodies that `change` changes; see `Container.rewrite`. The source need not be seekable."""
    text = _read(source, out, note, limits)
    position = 0
    for body in _bodies(text, envelope, note, limits):
        new = change(body.part)
        if new is None or new == body.part.data:
            continue
        told: list[tuple[str, str]] = []
        head, tail = renew_response(
            text[body.response : body.start].encode("latin-1"),
            text[body.end : body.response_end].encode("latin-1"),
            ChangedBody(body.part.data, new, None if body.is_base64 else body.charset),
            lambda *one, told=told: told.append(one),
        )
        for code, detail in told:
            note(container_problem(code, body.response, f"{body.part.name}: {detail}"))
        write = _write_base64 if body.is_base64 else _write_text
        out.write(text[position : body.response].encode("latin-1"))
        out.writelines((head, write(new, text[body.start : body.end]), tail))
        position = body.response_end
    out.write(text[position:].encode("latin-1"))


def _read(source: BinaryIO, out: BinaryIO | None, note: Note, limits: Limits) -> str:
    """The file as text with one character for each byte, so that offsets in it are offsets in the file.

    One that is too large is copied to `out`, and the result is "".
    """
    data, complete = read_at_most(source, limits.part)
    if complete:
        return data.decode("latin-1")
    note(container_problem("part-too-large", 0, f"the HAR has more than {limits.part:,} bytes"))
    if out is not None:
        out.write(data)
        shutil.copyfileobj(source, out)
    return ""


def _bodies(text: str, envelope: Envelope, note: Note, limits: Limits) -> Iterator[_Body]:
    if not text:
        return
    mark = _BOM.decode("latin-1")
    start = len(mark) if text.startswith(mark) else 0
    try:
        har = parse(text.removeprefix(mark))
    except InvalidJson as error:
        note(container_problem("container-damaged", start + error.position, "the HAR is not JSON from here on"))
        return
    entries = _member(har, "log", "entries")
    if not isinstance(entries, list):
        note(container_problem("container-damaged", 0, "the HAR has no log.entries"))
        return
    for number, entry in enumerate(entries):
        if number == limits.parts:
            note(container_problem("too-many-parts", 0, f"{len(entries):,} entries, more than {limits.parts:,}"))
            return
        body = _body(text, start, entry, f"log.entries[{number}]", envelope, note)
        if body is not None:
            yield body


def _body(  # noqa: PLR0913, PLR0917 - an entry and its context
    text: str, shift: int, entry: JsonValue, name: str, envelope: Envelope, note: Note
) -> _Body | None:
    content = _member(entry, "response", "content")
    string = _member(content, "text")
    if not isinstance(string, JsonString):
        return None
    start, end = string.start + shift, string.end + shift

    def string_of(value: JsonValue) -> str:
        return _decode_string(text[value.start + shift : value.end + shift]) if isinstance(value, JsonString) else ""

    raw = text[start:end]
    media_type, charset = content_type(string_of(_member(content, "mimeType")))
    encoding = string_of(_member(content, "encoding")).lower()
    if encoding not in {"", "base64"}:
        note(container_problem("part-encoding", start, f"{name}: {encoding!r}"))
        return None
    try:
        # Text was decoded by the response's charset, and is UTF-8 here.
        data = (
            base64.b64decode("".join(json.loads(f'"{raw}"').split()), validate=True)
            if encoding
            else _encode_text(_decode_string(raw))
        )
    except (binascii.Error, ValueError) as error:
        note(container_problem("part-damaged", start, f"{name}: {error}"))
        return None
    stated = string_of(_member(entry, "request", "url"))
    url = absolute_url(stated)
    if url is None:
        note(container_problem("part-url", start, f"{name}: {stated!r}"))
    inner = Envelope(
        url,
        charset if encoding else "utf-8",
        media_type or None,
        where=f"{name}.request.url" if url else "",
        parent=envelope,
    )
    response = text.index("{", _name_end(entry, "response") + shift)
    part = Part(name, data, media_type, inner)
    return _Body(part, start, end, bool(encoding), charset, response, _end_of_value(text, response))


def _name_end(value: JsonValue, name: str) -> int:
    """Where the name of a member ends that an object has."""
    return value[name].name.end if isinstance(value, dict) else -1


def _end_of_value(text: str, start: int) -> int:
    """Where the object ends that begins at `start`, in a text that is JSON."""
    depth = 0
    for token in _BRACKET.finditer(text, start):
        depth += _DEPTHS.get(token[0], 0)
        if not depth:
            return token.end()
    return len(text)


def _member(value: JsonValue, *names: str) -> JsonValue:
    """The value at a path of member names; None where there is none."""
    for name in names:
        if not isinstance(value, dict) or name not in value:
            return None
        value = value[name].value
    return value


def _decode_string(raw: str) -> str:
    """The text of a JSON string, by its contents with one character for each byte. Never raises."""
    decoded: str = json.loads(f'"{raw.encode("latin-1").decode("utf-8", "surrogateescape")}"')
    return decoded


def _encode_text(text: str) -> bytes:
    """Text in UTF-8. Bytes that were not UTF-8 come back; a lone surrogate is encoded like other code points."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _write_base64(data: bytes, _old: str) -> bytes:
    return base64.b64encode(data)


def _write_text(data: bytes, old: str) -> bytes:
    r"""The contents of a JSON string. Characters that `old` escapes are escaped in the same way: `\/` stays `\/`."""
    raw = old.encode("latin-1").decode("utf-8", "surrogateescape")
    escapes: dict[int, str] = dict(_ESCAPES)
    for escape in set(_ESCAPED.findall(raw)):
        escapes[ord(json.loads(f'"{escape}"'))] = escape
    try:
        text = data.decode("utf-8", "surrogatepass")
        escapes |= {ord(half): f"\\u{ord(half):04x}" for half in _SURROGATE.findall(text) if ord(half) not in escapes}
    except UnicodeDecodeError:
        text = data.decode("utf-8", "surrogateescape")
    return text.translate(escapes).encode("utf-8", "surrogateescape")
