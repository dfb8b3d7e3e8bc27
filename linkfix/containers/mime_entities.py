"""Where the entities of a MIME message begin and end (RFC 2045 §2.4, RFC 2046 §5), to the byte.

Each line is read once, however deep entities are nested, and memory holds nothing but headers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from linkfix.containers.mime_transfer import IDENTITY
from linkfix.containers.part import Limits, Report
from linkfix.containers.window import Window
from linkfix.html.header_fields import FALLBACK_ENCODING, HEADER_FIELDS, field_pattern
from linkfix.html.syntaxes.header_field import read_url

# The header of a MIME entity: its fields, and the media types, parameters and URLs in them.
#
# Fields and values are each read in one pass: no header, however long or broken, takes more than linear time.


#: The fields that hold a signature of the message.
SIGNATURE_FIELDS = ("dkim-signature", "domainkey-signature", "arc-message-signature")

#: The fields that are read here, beside those with URLs.
_OTHERS = ("content-type", "content-transfer-encoding", "content-id")

_FIELD = field_pattern({*HEADER_FIELDS, *_OTHERS, *SIGNATURE_FIELDS})

#: A line that is neither a field, nor folded, nor the "From " line that mailboxes put before a message.
_STRAY_LINE = re.compile(rb"^(?![!-9;-~]++[ \t]*+:|[ \t]|>?From )(?=[^\r\n])", re.MULTILINE)

#: RFC 2045 §5.1, RFC 2231 §3-§4: `name=value`, `name*0=…`, `name*=charset'language'…`, `name*0*=…`.
_PARAMETER = re.compile(
    rb';[ \t]*+([^\s;="*]++)(?:\*(\d{1,3}))?(\*)?[ \t]*+=[ \t]*+("(?:[^"\\]|\\.)*+"?|[^\s;]*+)', re.DOTALL
)

_QUOTED_PAIR = re.compile(rb"\\(.)", re.DOTALL)

_PERCENT = re.compile(rb"%([0-9A-Fa-f]{2})")

_TYPE = re.compile(rb"\s*([^\s;/()]++)\s*+/\s*+([^\s;/()]++)(?=[\s;(]|\Z)")

_TOKEN = re.compile(rb'[^\s;()"]++')


class MimeHeader(NamedTuple):
    """The fields of one header."""

    fields: dict[str, list[bytes]]
    """Name in lower case -> its raw values in order, with line ends."""
    stray: int
    """Where the first line that is no field begins, in bytes from the header's beginning; -1 for none."""

    def first(self, name: str) -> bytes | None:
        """The first value of a field; of one that is allowed once, browsers and mail readers take that."""
        values = self.fields.get(name)
        return values[0] if values else None


def parse_header(text: bytes) -> MimeHeader:
    """Read a header, without the empty line after it."""
    fields: dict[str, list[bytes]] = {}
    for match in _FIELD.finditer(text):
        fields.setdefault(match[1].lower().decode("ascii"), []).append(match[2])
    stray = _STRAY_LINE.search(text)
    return MimeHeader(fields, stray.start() if stray else -1)


def _unfold(value: bytes) -> bytes:
    return value.replace(b"\r\n", b"").replace(b"\n", b"").strip()


def parse_media_type(value: bytes) -> str | None:
    """The media type of a Content-Type, in lower case; None where the value has none (RFC 2045 §5.1)."""
    match = _TYPE.match(_unfold(value))
    return f"{match[1].decode('latin-1')}/{match[2].decode('latin-1')}".lower() if match else None


def parse_token(value: bytes) -> str:
    """The first token of a value, in lower case, "" for none: a Content-Transfer-Encoding (RFC 2045 §6.1)."""
    match = _TOKEN.search(_unfold(value))
    return match[0].decode("latin-1").lower() if match else ""


def parse_parameters(value: bytes) -> dict[str, bytes]:
    """The parameters of a Content-Type: name in lower case -> value, with RFC 2231's pieces joined and decoded.

    The first of two with the same name counts.
    """
    pieces: dict[str, dict[int, bytes]] = {}
    for name, number, extended, written in _PARAMETER.findall(_unfold(value)):
        text = _QUOTED_PAIR.sub(rb"\1", written[1:].removesuffix(b'"')) if written[:1] == b'"' else written
        if extended:
            if not number or int(number) == 0:
                text = text.split(b"'", 2)[-1]
            text = _PERCENT.sub(lambda match: bytes([int(match[1], 16)]), text)
        pieces.setdefault(name.lower().decode("latin-1"), {}).setdefault(int(number or 0), text)
    return {name: b"".join(found[number] for number in sorted(found)) for name, found in pieces.items()}


def parse_url(value: bytes) -> str:
    """The URL of a field, "" where it has none: see `linkfix.html.syntaxes.header_field.read_url`.

    The value is UTF-8, or else in `FALLBACK_ENCODING`.
    """
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        text = FALLBACK_ENCODING.decode(value)
    read = read_url(text)
    return "" if read is None else read.reference


#: The most entities that are read in one message, whatever the limits say: each takes memory.
_ENTITIES = 1_000_000

#: How many bytes of a header are read at first, and how many times more where that is not all of it.
_HEAD, _MORE = 1 << 12, 4

#: How many bytes may come before the first header.
_FORE = 1 << 16

#: What may come before the first field: a byte order mark, empty lines.
_BEFORE = re.compile(rb"(?:\xef\xbb\xbf)?(?:(?:[ \t]*+\r?\n)++(?=[!-9;-~]++[ \t]*+:))?")

#: A header ends at an empty line (RFC 5322 §2.1); one that lacks it, at a delimiter or at markup.
_HEADER_END = re.compile(rb"^(?:\r?\n|\r?\Z|--|<)", re.MULTILINE)

#: The fields that name the entity or give it a base, which are kept.
_URL_FIELDS = ("content-base", "content-location", "base", "content-id", "snapshot-content-location")

#: The media types of messages: RFC 2046 §5.2.1, RFC 6532 §3.7; of news, which RFC 5537 made obsolete.
_MESSAGES = frozenset({"message/rfc822", "message/global", "message/news"})

#: The media types of detached signatures -> whose they are: RFC 8551 §3.5, RFC 3156 §5.
_DETACHED = {
    "application/pkcs7-signature": "S/MIME",
    "application/x-pkcs7-signature": "S/MIME",
    "application/pgp-signature": "OpenPGP",
}

#: The end of the file name of an S/MIME signature, whose media type gateways may lose (RFC 8551 §3.2.1).
_SIGNATURE_SUFFIX = b".p7s"


@dataclass(slots=True)
class Entity:
    """One entity: a message or a body part. Offsets are bytes of the file."""

    number: str
    """As IMAP counts parts (RFC 9051 §6.4.5); "" for a message whose body is a multipart."""
    parent: int
    """The index of the enclosing entity, -1 for none."""
    message: int
    """The index of the message that it belongs to."""
    start: int
    """Where its header begins."""
    body: int = 0
    """Where its body begins."""
    end: int = 0
    """Where its body ends."""
    media_type: str = "text/plain"
    charset: bytes | None = None
    transfer: str = "7bit"
    """Its Content-Transfer-Encoding, in lower case."""
    boundary: bytes | None = None
    """Of a multipart that has parts."""
    has_entities: bool = False
    """Whether it encloses other entities."""
    children: int = 0
    """How many entities it encloses directly."""
    urls: dict[str, list[bytes]] = field(default_factory=dict)
    """The raw values of `_URL_FIELDS`, by name."""
    has_links: bool = False
    """Whether its header has one of `HEADER_FIELDS`."""
    signatures: dict[str, list[bytes]] = field(default_factory=dict)
    """The raw values of `SIGNATURE_FIELDS`, by name."""
    signed_by: str = ""
    """The kind of a detached signature, or of the one that a multipart/signed has: "S/MIME", "OpenPGP", or ""."""

    def is_message(self, index: int) -> bool:
        """Whether it is a message, not a body part. `index`: its own."""
        return self.message == index

    def number_child(self, *, multipart: bool) -> str:
        """The number of the next entity in it. A `multipart` that is a message's body takes the message's number."""
        self.children += 1
        prefix = f"{self.number}." if self.number else ""
        return self.number if multipart else f"{prefix}{self.children}"


class _EntityScanner:
    """The state of one scan: the entities so far, and the indexes of those that are open, outermost first."""

    def __init__(self, raw: Window, report: Report, limits: Limits) -> None:
        self.raw = raw
        self.report = report
        self.limit = min(limits.parts, _ENTITIES)
        self.depth = limits.depth
        self.entities: list[Entity] = []
        self.open: list[int] = []
        #: Boundary -> the places in `open` of the multiparts that have it and are not closed.
        self.boundaries: dict[bytes, list[int]] = {}

    def run(self) -> list[Entity]:
        before = _BEFORE.match(self.raw.read(0, _FORE))
        position = before.end() if before else 0
        # -1: no more entities.
        while position >= 0 and len(self.entities) < self.limit:
            position = self._next(self._entity(position))
        if position >= 0:
            self.report("mime-limit", f"more than {self.limit:,} parts", position)
        self._close(0, self.raw.size, self.raw.size)
        return self.entities

    def _entity(self, start: int) -> int:
        """Begin an entity, and return where its body begins."""
        stop, text = self._header_end(start)
        body = stop if text in {b"--", b"<"} else stop + len(text)
        header = parse_header(self.raw.read(start, stop - start))
        parent = self.open[-1] if self.open else -1
        outer = self.entities[parent] if parent >= 0 else None
        index = len(self.entities)
        is_message = outer is None or outer.boundary is None
        entity = Entity("", parent, index if is_message or outer is None else outer.message, start, body, body)
        self.entities.append(entity)
        entity.urls = {name: header.fields[name] for name in _URL_FIELDS if name in header.fields}
        entity.has_links = not HEADER_FIELDS.keys().isdisjoint(header.fields)
        entity.signatures = {name: header.fields[name] for name in SIGNATURE_FIELDS if name in header.fields}
        self.open.append(index)
        digest = outer is not None and outer.media_type == "multipart/digest"
        self._describe(entity, header, "message/rfc822" if digest else "text/plain")
        multipart = is_message and entity.boundary is not None
        if outer is not None:
            entity.number = outer.number_child(multipart=multipart)
        elif not multipart:
            entity.number = "1"
        if text == b"<" or (text == b"--" and self._delimiter(body) is None):
            self.report("mime-header", "no empty line ends the header", body)
        if header.stray >= 0:
            self.report("mime-header", "a line that is no header field is skipped", start + header.stray)
        return body

    def _header_end(self, start: int) -> tuple[int, bytes]:
        """Where a header ends, and the text that ends it."""
        before = min(start, 1)  # a line begins at `start` where one ends before it
        length = _HEAD
        while True:
            read = self.raw.read(start - before, before + length)
            is_all = start - before + len(read) >= self.raw.size or len(read) < before + length
            found = _HEADER_END.search(read, before)
            if found is not None and (is_all or found.end() < len(read)):
                return start - before + found.start(), found[0]
            if is_all:
                return self.raw.size, b""
            length *= _MORE

    def _describe(self, entity: Entity, header: MimeHeader, default: str) -> None:
        """Set what the header says of the body (RFC 2045 §5.2, RFC 2046 §5.1.5: the defaults)."""
        content_type = header.first("content-type")
        entity.media_type = default if content_type is None else parse_media_type(content_type) or "text/plain"
        parameters = parse_parameters(content_type) if content_type is not None else {}
        entity.charset = parameters.get("charset")
        signature = entity.media_type
        if signature == "multipart/signed":
            signature = parameters.get("protocol", b"").decode("latin-1").strip().lower()
        entity.signed_by = _DETACHED.get(signature, "")
        if parameters.get("name", b"").lower().endswith(_SIGNATURE_SUFFIX):
            entity.signed_by = "S/MIME"
        entity.transfer = parse_token(header.first("content-transfer-encoding") or b"") or "7bit"
        multipart = entity.media_type.startswith("multipart/")
        if not multipart and entity.media_type not in _MESSAGES:
            return
        if len(self.open) > self.depth:
            self.report("mime-limit", f"nested deeper than {self.depth:,}", entity.start)
            return
        if not multipart:
            # RFC 2046 §5.2.1: no other encoding is allowed.
            entity.has_entities = entity.transfer in IDENTITY
            if not entity.has_entities:
                self.report("mime-encoding", f"a message in {entity.transfer} is left alone", entity.start)
            return
        boundary = parameters.get("boundary", b"").rstrip()
        if not boundary:
            self.report("mime-boundary", f"{entity.media_type} without a boundary", entity.start)
            return
        entity.boundary = boundary
        entity.has_entities = True
        self.boundaries.setdefault(boundary, []).append(len(self.open) - 1)

    def _delimiter(self, start: int) -> tuple[int, bool, int] | None:
        """The delimiter that the line at `start`, which begins with "--", is; None where it is none.

        It is the multipart's index in `open`, whether it is the close-delimiter, and where the next line begins. RFC
        2046 §5.1.1 accepts any line that begins with a boundary, but so may another boundary: the line must be the
        delimiter with its padding, as the grammar says.
        """
        end = self.raw.find(b"\n", start) + 1 or self.raw.size
        line = self.raw.read(start + 2, end - start - 2).rstrip(b" \t\r\n")
        found = [(self.boundaries[line][-1], False, end)] if line in self.boundaries else []
        if line.endswith(b"--") and line[:-2] in self.boundaries:
            found.append((self.boundaries[line[:-2]][-1], True, end))
        return max(found, default=None)

    def _next(self, position: int) -> int:
        """Where the next entity begins after the one whose body begins at `position`; -1 where there is none."""
        latest = self.entities[self.open[-1]]
        if latest.has_entities and latest.boundary is None:
            return position
        while self.boundaries:
            if self.raw.read(position, 2) != b"--":
                position = self.raw.find(b"\n--", position) + 1
                if not position:
                    break
            found = self._delimiter(position)
            if found is None:
                position += 2
                continue
            place, closes, after = found
            self._close(place + 1, self._before_line_end(position), position)
            if not closes:
                return after
            self._forget(place)
            position = after
        return -1

    def _before_line_end(self, position: int) -> int:
        """The end of what precedes a delimiter: the line end before it belongs to it (RFC 2046 §5.1.1)."""
        start = max(position - 2, 0)
        before = self.raw.read(start, position - start)
        return position - (2 if before == b"\r\n" else before.endswith(b"\n"))

    def _close(self, place: int, end: int, noticed: int) -> None:
        """End the entities from `place` on in `open` at `end`; `noticed` is the offset for problems."""
        while len(self.open) > place:
            entity = self.entities[self.open[-1]]
            entity.end = max(entity.body, end)
            if entity.boundary is not None:
                if not entity.children:
                    self.report("mime-boundary", f"its boundary {entity.boundary!r} never comes", noticed)
                    entity.has_entities = False
                if self._forget(len(self.open) - 1) and entity.children:
                    self.report("mime-boundary", f"no close-delimiter of {entity.boundary!r}", noticed)
            self.open.pop()

    def _forget(self, place: int) -> bool:
        """Stop looking for the boundary of the multipart at `place`. Returns False where it was closed before."""
        boundary = self.entities[self.open[place]].boundary or b""
        places = self.boundaries.get(boundary, [])
        if not places or places[-1] != place:
            return False
        places.pop()
        if not places:
            del self.boundaries[boundary]
        return True


def scan(raw: Window, report: Report, limits: Limits) -> list[Entity]:
    """The entities of a message in the order in which they begin: an enclosing one before those in it.

    `report` is called with what is wrong, in the order of the bytes.
    """
    return _EntityScanner(raw, report, limits).run()
