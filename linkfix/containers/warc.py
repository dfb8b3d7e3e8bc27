"""WARC files (ISO 28500, https://iipc.github.io/warc-specifications/): each document of a response or resource record.

A record's retrieval URL is its WARC-Target-URI, and what its HTTP header says is the transport's word; HTTP's
Content-Location sets no base (RFC 9110 §8.7). A changed record is written without transfer and content codings, with
its lengths and digests renewed, in a compressed member of its own where the file is compressed; all else of it, and
every other record, stays byte for byte. So do revisit records, whose digests go on naming the payload as it was.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import BinaryIO, NamedTuple

from linkfix.containers.common import absolute_url, container_problem
from linkfix.containers.digests import digest, renew_digest
from linkfix.containers.http_body import BodyFault, HeaderBlock, decode_body
from linkfix.containers.part import Change, Limits, Note, Part
from linkfix.containers.warc_records import Unit, WarcRecord, units
from linkfix.containers.window import Window
from linkfix.encodings.codecs import lookup
from linkfix.errors import UnknownCharset
from linkfix.files.media_types import RESOURCE_HEADER, content_type, sniff_html
from linkfix.model import Envelope

__all__ = ["SUFFIXES", "Moved", "Replacement", "parts", "recognise", "rewrite", "rewritten"]

SUFFIXES = (".warc", ".warc.gz", ".warc.zst")

#: The largest HTTP header block, in bytes.
_HTTP_HEADER = 1 << 20
_HTTP = re.compile(rb"HTTP/\d(?:\.\d)? +(\d{3})")
_EMPTY_LINE = re.compile(rb"\n\r?\n")
#: RFC 9110 §15.3.7: a part of a document, whose other parts are elsewhere.
_PARTIAL = b"206"


class _WarcDocument(NamedTuple):
    """A document in a record: `http` is the header block of its HTTP message, None for a resource."""

    part: Part
    record: WarcRecord
    http: HeaderBlock | None


class _DeclaredContent(NamedTuple):
    """What a record says of its content: the HTTP header block, where what follows it begins, its type and charset.

    No type is a document that nobody can be sure of: what is wrong with it is not told.
    """

    http: HeaderBlock | None
    start: int
    media_type: str
    charset: str | None


class Replacement(NamedTuple):
    """What is written for a span of the file, and how many bytes that is."""

    pieces: Iterable[bytes]
    size: int


#: Is told of a replaced span of the file: where it began and ended, what is there now, and the new payload of the one
#: record in it (None where there are several).
Moved = Callable[[int, int, Replacement, bytes | None], None]


def recognise(head: bytes, name: str) -> bool:
    """Whether a file with these first bytes and this name is one."""
    if head.startswith(b"\x1f\x8b"):
        try:
            head = zlib.decompressobj(31).decompress(head, 16)
        except zlib.error:
            return False
    zstandard = head[1:4] in {b"\xb5\x2f\xfd", b"\x2a\x4d\x18"}
    return head.startswith(b"WARC/") or (zstandard and name.lower().endswith(".warc.zst"))


def parts(source: BinaryIO, envelope: Envelope, note: Note, limits: Limits) -> Iterator[Part]:
    """Its documents, in order. `source` must be seekable; memory holds one record."""
    reader = _WarcReader(Window(source), envelope, note, limits)
    return (entity.part for unit in reader.units() for entity in reader.entities(unit))


def rewrite(  # noqa: PLR0913, PLR0917 - see Container.rewrite
    source: BinaryIO, out: BinaryIO, envelope: Envelope, change: Change, note: Note, limits: Limits
) -> None:
    """Copy it, with the documents that `change` changes. `source` must be seekable; memory holds one record."""
    rewritten(source, out, envelope, change, note, limits, lambda *_: None)


def rewritten(  # noqa: PLR0913, PLR0917 - see Container.rewrite
    source: BinaryIO, out: BinaryIO, envelope: Envelope, change: Change, note: Note, limits: Limits, moved: Moved
) -> None:
    """As `rewrite`; `moved` is told of each span that was replaced, before it is written."""
    raw = Window(source)
    reader = _WarcReader(raw, envelope, note, limits)
    done = 0
    for unit in reader.units():
        for start, end, replacement, payload in reader.replaced(unit, change):
            moved(start, end, replacement, payload)
            out.writelines(raw.pieces(done, start))
            out.writelines(replacement.pieces)
            done = end
    out.writelines(raw.pieces(done, raw.size))


class _WarcReader:
    """Reads a WARC file once."""

    def __init__(self, raw: Window, envelope: Envelope, note: Note, limits: Limits) -> None:
        self._raw = raw
        self._envelope = envelope
        self._note = note
        self._limits = limits
        self._left = limits.parts

    def units(self) -> Iterator[Unit]:
        """The units, in order."""
        return units(self._raw, partial(_wanted, self._limits.media_types), self._tell, self._limits.part)

    def _tell(self, code: str, detail: str, offset: int) -> None:
        self._note(container_problem(code, offset, detail))

    def entities(self, unit: Unit) -> Iterator[_WarcDocument]:
        """The documents of a unit."""
        for record in unit.records:
            entity = self._entity(unit, record)
            if entity is not None:
                yield entity

    def replaced(self, unit: Unit, change: Change) -> Iterator[tuple[int, int, Replacement, bytes | None]]:
        """The spans of the file that are replaced in a unit."""
        if unit.pack is None:
            for entity in self.entities(unit):
                new = change(entity.part)
                if new is not None:
                    text = self._written(unit, entity, new)
                    record = entity.record
                    yield record.start, record.after, Replacement([text], len(text)), new
            return
        records = list(unit.records)
        if len(records) == 1 and (records[0].start, records[0].after) == (0, unit.text.size):
            alone = self._entity(unit, records[0])
            new = None if alone is None else change(alone.part)
            if alone is not None and new is not None:
                packed = unit.pack(self._written(unit, alone, new))
                yield unit.start, unit.end, Replacement([packed], len(packed)), new
        else:
            yield from self._parted(unit, records, unit.pack, change)

    def _parted(
        self, unit: Unit, records: list[WarcRecord], pack: Callable[[bytes], bytes], change: Change
    ) -> Iterator[tuple[int, int, Replacement, None]]:
        """A unit that holds more than a record: where one of them changes, each gets a member of its own."""
        with tempfile.TemporaryFile() as file:
            changed = False
            at = 0
            for record in records:
                if at < record.start:
                    file.write(pack(unit.text.read(at, record.start - at)))
                at = record.after
                holds = self._entity(unit, record)
                new = None if holds is None else change(holds.part)
                if holds is None or new is None:
                    file.write(pack(unit.text.read(record.start, record.after - record.start)))
                else:
                    changed = True
                    file.write(pack(self._written(unit, holds, new)))
            if at < unit.text.size:
                file.write(pack(unit.text.read(at, unit.text.size - at)))
            if changed:
                written = Window(file)
                yield unit.start, unit.end, Replacement(written.pieces(0, written.size), written.size), None

    def _entity(self, unit: Unit, record: WarcRecord) -> _WarcDocument | None:
        """The document in a record, None where there is none or it cannot be read."""
        header = record.header
        if not _may_hold_document(header):
            return None
        http, start = None, record.block
        media_type, charset = content_type(header.first("content-type"))
        head = unit.text.read(start, min(record.end - start, 1 << 12))
        if status := _HTTP.match(head):
            ending = _EMPTY_LINE.search(head) or _EMPTY_LINE.search(
                head := unit.text.read(start, min(record.end - start, _HTTP_HEADER))
            )
            if ending is None or status[1] == _PARTIAL:
                return None
            http = HeaderBlock(head[: ending.end()])
            start += ending.end()
            media_type, charset = content_type((http.all("content-type") or [""])[-1])
        elif media_type == "application/http":
            return None
        if start == record.end or (media_type and media_type not in self._limits.media_types):
            return None
        return self._document(unit, record, _DeclaredContent(http, start, media_type, charset))

    def _document(self, unit: Unit, record: WarcRecord, stated: _DeclaredContent) -> _WarcDocument | None:
        """The document that a record says it has, None where it has none or it cannot be read."""
        http, start, media_type, charset = stated
        offset = _offset(unit, record)
        target = _text(record.header.first("warc-target-uri"))
        identity = record.header.first("warc-record-id").strip("<>") or f"offset {offset}"
        name = f"{identity} {target}".strip()

        def tell(code: str, detail: str) -> None:
            if media_type:
                self._tell(code, f"{name}: {detail}", offset)

        if record.end - start > self._limits.part:
            tell("part-too-large", f"{record.end - start:,} bytes")
            return None
        if record.header.first("warc-segment-number"):
            tell("part-segmented", "its other segments are in other records")
            return None
        body = unit.text.read(start, record.end - start)
        data = body if http is None else decode_body(body, http, self._limits.part)
        if isinstance(data, BodyFault):
            tell(*data)
            return None
        if not media_type and not sniff_html(data[:RESOURCE_HEADER]):
            return None
        if not self._left:
            self._tell("too-many-parts", f"{name}: more than {self._limits.parts:,}", offset)
            return None
        self._left -= 1
        url = absolute_url(target.replace(" ", "%20"))
        if url is None:
            self._tell("part-url", f"{name}: WARC-Target-URI {target!r}", offset)
        if charset is not None and not _known(charset):
            self._tell("charset-unknown", f"{name}: {charset!r}", offset)
            charset = None
        envelope = Envelope(url, charset, media_type or None, where="WARC-Target-URI", parent=self._envelope)
        return _WarcDocument(Part(name, data, media_type, envelope), record, http)

    def _written(self, unit: Unit, entity: _WarcDocument, new: bytes) -> bytes:
        """The record with new data."""
        record, http = entity.record, entity.http
        fields = {"content-length": str(len(new)), "transfer-encoding": None, "content-encoding": None}
        block = (b"" if http is None else http.edited(fields)) + new
        values: dict[str, str | None] = {"content-length": str(len(block))}
        for field, data in (("warc-block-digest", block), ("warc-payload-digest", new)):
            stated = record.header.first(field)
            if stated:
                values[field] = renew_digest(stated, partial(digest, data=data))
                if values[field] is None:
                    detail = f"{entity.part.name}: {field} {stated[:80]!r} is left out"
                    self._tell("digest-unknown", detail, _offset(unit, record))
        return record.header.edited(values) + block + unit.text.read(record.end, record.after - record.end)


def _offset(unit: Unit, record: WarcRecord) -> int:
    """Where a record, or the compressed member that it is in, begins in the file."""
    return unit.start + (record.start if unit.pack is None else 0)


def _may_hold_document(header: HeaderBlock) -> bool:
    """By its WARC header alone. Other types of records hold no document, or one that another record speaks for."""
    return header.first("warc-type").lower() in {"response", "resource"}


def _wanted(media_types: frozenset[str], head: bytes) -> bool:
    """Whether a compressed member that begins so may hold a document of one of these media types."""
    ending = _EMPTY_LINE.search(head)
    if ending is None:
        return True
    header = HeaderBlock(head[: ending.end()])
    if not _may_hold_document(header):
        return False
    media_type = content_type(header.first("content-type"))[0]
    if _HTTP.match(head, ending.end()):
        start = ending.end()
        ending = _EMPTY_LINE.search(head, start)
        if ending is None:
            return True
        media_type = content_type((HeaderBlock(head[start : ending.end()]).all("content-type") or [""])[-1])[0]
    return not media_type or media_type in media_types


def _text(value: str) -> str:
    """A field's value as text, without the angle brackets that wget and others put around URLs (WARC 1.0 §4)."""
    with contextlib.suppress(UnicodeDecodeError):
        value = value.encode("latin-1").decode("utf-8")
    return value[1:-1] if value.startswith("<") and value.endswith(">") else value


def _known(charset: str) -> bool:
    try:
        lookup(charset)
    except UnknownCharset:
        return False
    return True
