"""The entities of a MIME message, their header fields and their byte offsets (RFC 2045 §2.4, RFC 2046 §5).

Each line is read once, however deeply entities are nested. Only headers are kept in memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from linkfix.containers.http_body import HeaderBlock
from linkfix.containers.mime_transfer import IDENTITY
from linkfix.containers.part import Limits, Part, Report
from linkfix.files.window import Window
from linkfix.html.syntaxes.header_field import read_url
from linkfix.html.vocabulary import FALLBACK_ENCODING, HEADER_FIELDS
from linkfix.model import HEADER_TYPE, Envelope

# The header of a MIME entity: its fields, and the media types, parameters and URLs in them.
#
# Fields and values are each read in one pass. Even a long or invalid header takes only linear time.


#: The fields that contain a signature of the message.
SIGNATURE_FIELDS = ("dkim-signature", "domainkey-signature", "arc-message-signature")

#: The fields that are read here, in addition to the fields with URLs.
_OTHERS = ("content-type", "content-transfer-encoding", "content-id")

_NAMES = frozenset({*HEADER_FIELDS, *_OTHERS, *SIGNATURE_FIELDS})

#: A line that is not a field, not folded, and not the "From " line that mailboxes put before a message.
_STRAY_LINE = re.compile(rb"^(?![!-9;-~]++[ \t]*+:|[ \t]|>?From )(?=[^\r\n])", re.MULTILINE)

#: RFC 2045 §5.1, RFC 2231 §3-§4: `name=value`, `name*0=…`, `name*=charset'language'…`, `name*0*=…`.
_PARAMETER = re.compile(
    rb';[ \t]*+([^\s;="*]++)(?:\*(\d{1,3}))?(\*)?[ \t]*+=[ \t]*+("(?:[^"\\]|\\.)*+"?|[^\s;]*+)', re.DOTALL
)

_QUOTED_PAIR = re.compile(rb"\\(.)", re.DOTALL)

_PERCENT = re.compile(rb"%([0-9A-Fa-f]{2})")

_TYPE = re.compile(rb"\s*([^\s;/()]++)\s*+/\s*+([^\s;/()]++)(?=[\s;(]|\Z)")

_TOKEN = re.compile(rb'[^\s;()"]++')


def _unfold(value: bytes) -> bytes:
    return value.replace(b"\r\n", b"").replace(b"\n", b"").strip()


def parse_media_type(value: bytes) -> str | None:
    """Return the media type of a Content-Type, in lower case; None if the value has no type (RFC 2045 §5.1)."""
    match = _TYPE.match(_unfold(value))
    return f"{match[1].decode('latin-1')}/{match[2].decode('latin-1')}".lower() if match else None


def parse_token(value: bytes) -> str:
    """Return the first token of a value, such as Content-Transfer-Encoding (RFC 2045 §6.1), in lower case, or ""."""
    match = _TOKEN.search(_unfold(value))
    return match[0].decode("latin-1").lower() if match else ""


def parse_parameters(value: bytes) -> dict[str, bytes]:
    """Return the parameters of a Content-Type, by name in lower case. The pieces of RFC 2231 are joined and decoded.

    If two parameters have the same name, the first one counts.
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
    """Return the URL of a field's value, or "": see `linkfix.html.syntaxes.header_field.read_url`.

    The value is decoded as UTF-8, or as `FALLBACK_ENCODING` if it is not valid UTF-8.
    """
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        text = FALLBACK_ENCODING.decode(value)
    read = read_url(text)
    return "" if read is None else read.reference


#: The maximum number of entities that are read in one message, whatever the limits are. Each entity takes memory.
_ENTITIES = 1_000_000

#: The number of bytes of a header that are read at first, and the factor for each further attempt.
_HEAD, _MORE = 1 << 12, 4

#: The maximum number of bytes before the first header.
_FORE = 1 << 16

#: A byte order mark and empty lines, which may precede the first field.
_BEFORE = re.compile(rb"(?:\xef\xbb\xbf)?(?:(?:[ \t]*+\r?\n)++(?=[!-9;-~]++[ \t]*+:))?")

#: The end of a header: an empty line (RFC 5322 §2.1). Without an empty line, a header ends at a delimiter or at markup.
_HEADER_END = re.compile(rb"^(?:\r?\n|\r?\Z|--|<)", re.MULTILINE)

#: The fields that name the entity or define its base. Their values are kept.
_URL_FIELDS = ("content-base", "content-location", "base", "content-id", "snapshot-content-location")

#: The media types of messages: RFC 2046 §5.2.1, RFC 6532 §3.7; and of news, which RFC 5537 made obsolete.
_MESSAGES = frozenset({"message/rfc822", "message/global", "message/news"})

#: A mapping of the media types of detached signatures to the kind of signature: RFC 8551 §3.5, RFC 3156 §5.
_DETACHED = {
    "application/pkcs7-signature": "S/MIME",
    "application/x-pkcs7-signature": "S/MIME",
    "application/pgp-signature": "OpenPGP",
}

#: The suffix of an S/MIME signature's file name. Gateways may lose the signature's media type (RFC 8551 §3.2.1).
_SIGNATURE_SUFFIX = b".p7s"


@dataclass(slots=True)
class Entity:
    """An entity: a message or a body part. Offsets are byte offsets in the file."""

    number: str
    """The part number as IMAP counts parts (RFC 9051 §6.4.5); "" for a message whose body is a multipart."""
    parent: int
    """The index of the enclosing entity; -1 for the outermost entity."""
    message: int
    """The index of the message that the entity belongs to."""
    start: int
    """The offset of the header."""
    body: int = 0
    """The offset of the body."""
    end: int = 0
    """The offset of the body's end."""
    media_type: str = "text/plain"
    charset: bytes | None = None
    transfer: str = "7bit"
    """The Content-Transfer-Encoding, in lower case."""
    boundary: bytes | None = None
    """The boundary of a multipart whose body is scanned; None for other entities."""
    has_entities: bool = False
    """Whether the entity encloses other entities."""
    children: int = 0
    """The number of entities directly in this entity."""
    urls: dict[str, list[bytes]] = field(default_factory=dict)
    """The raw values of `_URL_FIELDS`, by name."""
    has_links: bool = False
    """Whether the header has one of `HEADER_FIELDS`."""
    signatures: dict[str, list[bytes]] = field(default_factory=dict)
    """The raw values of `SIGNATURE_FIELDS`, by name."""
    signed_by: str = ""
    """The kind of a detached signature, or of the signature in a multipart/signed: "S/MIME", "OpenPGP", or ""."""

    def is_message(self, index: int) -> bool:
        """Whether the entity is a message, not a body part. `index`: the index of this entity."""
        return self.message == index

    def number_child(self, *, multipart: bool) -> str:
        """Count the next child entity and return its number.

        `multipart`: whether the child is a multipart that is the body of a message. Its number is the message's number.
        """
        self.children += 1
        prefix = f"{self.number}." if self.number else ""
        return self.number if multipart else f"{prefix}{self.children}"


class _EntityScanner:
    """The state of one scan: the entities so far, and the indexes of the open entities, outermost first."""

    def __init__(self, raw: Window, report: Report, limits: Limits) -> None:
        self.raw = raw
        self.report = report
        self.limit = min(limits.parts, _ENTITIES)
        self.depth = limits.depth
        self.entities: list[Entity] = []
        self.open: list[int] = []
        #: A mapping of boundaries to the indexes in `open` of the multiparts with that boundary that are not closed.
        self.boundaries: dict[bytes, list[int]] = {}

    def run(self) -> list[Entity]:
        before = _BEFORE.match(self.raw.read(0, _FORE))
        position = before.end() if before else 0
        # A position of -1 means that no more entities follow.
        while position >= 0 and len(self.entities) < self.limit:
            position = self._next(self._entity(position))
        if position >= 0:
            self.report("mime-limit", f"more than {self.limit:,} parts", position)
        self._close(0, self.raw.size, self.raw.size)
        return self.entities

    def _entity(self, start: int) -> int:
        """Begin an entity, and return the offset of its body."""
        stop, text = self._header_end(start)
        body = stop if text in {b"--", b"<"} else stop + len(text)
        header = HeaderBlock(self.raw.read(start, stop - start), has_start_line=False, names=_NAMES)
        fields = header.raw
        parent = self.open[-1] if self.open else -1
        outer = self.entities[parent] if parent >= 0 else None
        index = len(self.entities)
        is_message = outer is None or outer.boundary is None
        entity = Entity("", parent, index if is_message or outer is None else outer.message, start, body, body)
        self.entities.append(entity)
        entity.urls = {name: fields[name] for name in _URL_FIELDS if name in fields}
        entity.has_links = not HEADER_FIELDS.keys().isdisjoint(fields)
        entity.signatures = {name: fields[name] for name in SIGNATURE_FIELDS if name in fields}
        self.open.append(index)
        digest = outer is not None and outer.media_type == "multipart/digest"
        self._describe(entity, fields, "message/rfc822" if digest else "text/plain")
        multipart = is_message and entity.boundary is not None
        if outer is not None:
            entity.number = outer.number_child(multipart=multipart)
        elif not multipart:
            entity.number = "1"
        if text == b"<" or (text == b"--" and self._delimiter(body) is None):
            self.report("mime-header", "no empty line ends the header", body)
        stray = _STRAY_LINE.search(header.block)
        if stray is not None:
            self.report("mime-header", "a line that is not a header field is skipped", start + stray.start())
        return body

    def _header_end(self, start: int) -> tuple[int, bytes]:
        """Return the offset of a header's end, and the text that ends the header."""
        before = min(start, 1)  # include the line end before `start`, so that the expression finds a line there
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

    def _describe(self, entity: Entity, fields: Mapping[str, Sequence[bytes]], default: str) -> None:
        """Set the facts that the header states about the body (defaults: RFC 2045 §5.2, RFC 2046 §5.1.5). If a field is
        allowed once, browsers and mail readers use its first value.
        """
        content_type = next(iter(fields.get("content-type", ())), None)
        entity.media_type = default if content_type is None else parse_media_type(content_type) or "text/plain"
        parameters = parse_parameters(content_type) if content_type is not None else {}
        entity.charset = parameters.get("charset")
        signature = entity.media_type
        if signature == "multipart/signed":
            signature = parameters.get("protocol", b"").decode("latin-1").strip().lower()
        entity.signed_by = _DETACHED.get(signature, "")
        if parameters.get("name", b"").lower().endswith(_SIGNATURE_SUFFIX):
            entity.signed_by = "S/MIME"
        entity.transfer = parse_token(fields.get("content-transfer-encoding", [b""])[0]) or "7bit"
        multipart = entity.media_type.startswith("multipart/")
        if not multipart and entity.media_type not in _MESSAGES:
            return
        if len(self.open) > self.depth:
            self.report("mime-limit", f"nested deeper than {self.depth:,}", entity.start)
            return
        if not multipart:
            # RFC 2046 §5.2.1 allows no other encoding.
            entity.has_entities = entity.transfer in IDENTITY
            if not entity.has_entities:
                self.report("mime-encoding", f"a message in {entity.transfer} is skipped", entity.start)
            return
        boundary = parameters.get("boundary", b"").rstrip()
        if not boundary:
            self.report("mime-boundary", f"{entity.media_type} without a boundary", entity.start)
            return
        entity.boundary = boundary
        entity.has_entities = True
        self.boundaries.setdefault(boundary, []).append(len(self.open) - 1)

    def _delimiter(self, start: int) -> tuple[int, bool, int] | None:
        """Parse the line at `start`, which begins with "--", as a delimiter; return None if it is not a delimiter.

        The result is the index of the multipart in `open`, whether the line is the close-delimiter, and the offset of
        the next line. RFC 2046 §5.1.1 accepts any line that begins with a boundary. But a longer boundary may also
        begin with that boundary, so the line must be the delimiter with its padding, as in the grammar.
        """
        end = self.raw.find(b"\n", start) + 1 or self.raw.size
        line = self.raw.read(start + 2, end - start - 2).rstrip(b" \t\r\n")
        found = [(self.boundaries[line][-1], False, end)] if line in self.boundaries else []
        if line.endswith(b"--") and line[:-2] in self.boundaries:
            found.append((self.boundaries[line[:-2]][-1], True, end))
        return max(found, default=None)

    def _next(self, position: int) -> int:
        """Return the offset of the next entity, after the entity with its body at `position`; -1 if none follows."""
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
        """Return the offset of the line end before a delimiter, which belongs to the delimiter (RFC 2046 §5.1.1)."""
        start = max(position - 2, 0)
        before = self.raw.read(start, position - start)
        return position - (2 if before == b"\r\n" else before.endswith(b"\n"))

    def _close(self, place: int, end: int, noticed: int) -> None:
        """End the entities from index `place` of `open` on at offset `end`. `noticed`: the offset for problems."""
        while len(self.open) > place:
            entity = self.entities[self.open[-1]]
            entity.end = max(entity.body, end)
            if entity.boundary is not None:
                if not entity.children:
                    self.report("mime-boundary", f"its boundary {entity.boundary!r} never occurs", noticed)
                    entity.has_entities = False
                if self._forget(len(self.open) - 1) and entity.children:
                    self.report("mime-boundary", f"no close-delimiter of {entity.boundary!r}", noticed)
            self.open.pop()

    def _forget(self, place: int) -> bool:
        """Stop searching for the boundary of the multipart at index `place` of `open`. Return False if the multipart
        was already closed.
        """
        boundary = self.entities[self.open[place]].boundary or b""
        places = self.boundaries.get(boundary, [])
        if not places or places[-1] != place:
            return False
        places.pop()
        if not places:
            del self.boundaries[boundary]
        return True


def scan(raw: Window, report: Report, limits: Limits) -> list[Entity]:
    """Return the entities of a message, in the order of their offsets. An enclosing entity precedes its children.

    `report`: called with each problem, in the order of the bytes.
    """
    return _EntityScanner(raw, report, limits).run()


# The headers of a message and its entities as separate parts, for the links in their fields.
#
# RFC 1808 §3.1: the base of a message also applies to relative URLs in its header.


def header_part(raw: Window, entities: list[Entity], index: int, around: Envelope) -> Part | None:
    """Return the header of an entity as a part; None if none of its fields has a URL.

    The part has no siblings: the URL of a field locates a resource, independently of copies in the message.

    `around`: the envelope of the enclosing entity. The URLs that the header itself states are read from the header.
    """
    entity = entities[index]
    if not entity.has_links:
        return None
    data = raw.read(entity.start, entity.body - entity.start)
    return Part(_section(entities, index), data, HEADER_TYPE, Envelope(media_type=HEADER_TYPE, parent=around))


def _section(entities: list[Entity], index: int) -> str:
    """Return the name of a header, as IMAP names sections (RFC 9051 §6.4.5)."""
    entity = entities[index]
    if not entity.is_message(index):
        return f"{entity.number}.MIME"
    return f"{entities[entity.parent].number}.HEADER" if entity.parent >= 0 else "HEADER"
