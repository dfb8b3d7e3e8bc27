"""WARC files (ISO 28500, https://iipc.github.io/warc-specifications/): the documents of response and resource records.

A record's retrieval URL is its WARC-Target-URI; media type and charset are those of its HTTP header, whose
Content-Location sets no base (RFC 9110 §8.7). A changed record is written without transfer and content codings, with
its lengths and digests renewed, and in a compressed member of its own where the file is compressed. The rest of it and
all other records stay byte for byte, revisit records too, whose digests go on naming the original payload.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import BinaryIO, NamedTuple

from linkfix.containers.allowance import Allowance
from linkfix.containers.common import absolute_url, container_problem
from linkfix.containers.digests import digest, renew_digest
from linkfix.containers.http_body import EMPTY_LINE, BodyFault, HeaderBlock, decode_body
from linkfix.containers.part import Change, LeaveAlone, Limits, Note, Part, ignore_count
from linkfix.containers.warc_records import Unit, WarcRecord, units
from linkfix.containers.window import Window
from linkfix.encodings.labels import get_encoding
from linkfix.files.media_types import RESOURCE_HEADER, content_type, sniff_html
from linkfix.model import Envelope

__all__ = ["SUFFIXES", "OnReplace", "Replacement", "parts", "recognise", "rewrite"]

SUFFIXES = (".warc", ".warc.gz", ".warc.zst")

#: The largest HTTP header block, in bytes.
_HTTP_HEADER = 1 << 20
_HTTP = re.compile(rb"HTTP/\d(?:\.\d)? +(\d{3})")
#: RFC 9110 §15.3.7: the status code of a part of a document.
_PARTIAL = b"206"


class _WarcDocument(NamedTuple):
    """A document in a record."""

    part: Part
    record: WarcRecord
    http: HeaderBlock | None
    """The header block of its HTTP message; None for a resource."""


class _DeclaredContent(NamedTuple):
    """What a record says of its content."""

    http: HeaderBlock | None
    start: int
    """Where the content begins, after the HTTP header block."""
    media_type: str
    """Empty where none is stated: then it may be no document, and its problems are not reported."""
    charset: str | None


class Replacement(NamedTuple):
    """What is written in place of a span of the file."""

    pieces: Iterable[bytes]
    size: int
    """In bytes."""


#: Is called for each replaced span of the file with its start and end, what is written there, and the new payload of
#: its record, None where it has several.
OnReplace = Callable[[int, int, Replacement, bytes | None], None]


def recognise(head: bytes, name: str) -> bool:
    """Whether a file with these first bytes and this name is one."""
    if head.startswith(b"\x1f\x8b"):
        try:
            head = zlib.decompressobj(31).decompress(head, 16)
        except zlib.error:
            return False
    zstandard = head[1:4] in {b"\xb5\x2f\xfd", b"\x2a\x4d\x18"}
    return head.startswith(b"WARC/") or (zstandard and name.lower().endswith(".warc.zst"))


def parts(
    source: BinaryIO, envelope: Envelope, note: Note, limits: Limits, allowance: Allowance | None = None
) -> Iterator[Part]:
    """Its documents, in order. `source` must be seekable; memory holds one record.

    `allowance`: that of what the file is a part of.
    """
    reader = _WarcReader(Window(source), envelope, note, limits, allowance)
    return (document.part for unit in reader.units() for document in reader.documents(unit))


def rewrite(  # noqa: PLR0913, PLR0917 - see Container.rewrite
    source: BinaryIO,
    out: BinaryIO,
    envelope: Envelope,
    change: Change,
    note: Note,
    limits: Limits,
    on_replace: OnReplace = lambda *_: None,
    *,
    leave_alone: LeaveAlone = ignore_count,  # noqa: ARG001 - every change can be written
    allowance: Allowance | None = None,
) -> None:
    """Copy it, with the documents that `change` changes. `source` must be seekable; memory holds one record.

    `on_replace` is called before a span is written. `allowance`: that of what the file is a part of.
    """
    raw = Window(source)
    reader = _WarcReader(raw, envelope, note, limits, allowance)
    done = 0
    for unit in reader.units():
        for start, end, replacement, payload in reader.replacements(unit, change):
            on_replace(start, end, replacement, payload)
            out.writelines(raw.pieces(done, start))
            out.writelines(replacement.pieces)
            done = end
    out.writelines(raw.pieces(done, raw.size))


class _WarcReader:
    """Reads a WARC file once."""

    def __init__(
        self, raw: Window, envelope: Envelope, note: Note, limits: Limits, allowance: Allowance | None
    ) -> None:
        self._raw = raw
        self._envelope = envelope
        self._note = note
        self._limits = limits
        self._left = limits.parts
        self._allowance = Allowance(limits, raw.size) if allowance is None else allowance

    def units(self) -> Iterator[Unit]:
        """The units, in order, as long as parts may be decoded."""
        wanted = partial(_may_be_wanted, self._limits.media_types)
        for unit in units(self._raw, wanted, self._report, self._allowance):
            yield unit
            if self._allowance.is_spent:
                return

    def _report(self, code: str, detail: str, offset: int) -> None:
        self._note(container_problem(code, offset, detail))

    def documents(self, unit: Unit) -> Iterator[_WarcDocument]:
        """The documents of a unit."""
        for record in unit.records:
            document = self._document(unit, record)
            if document is not None:
                yield document

    def replacements(self, unit: Unit, change: Change) -> Iterator[tuple[int, int, Replacement, bytes | None]]:
        """The spans of the file that are replaced in a unit."""
        if unit.pack is None:
            for record in unit.records:
                document = self._document(unit, record)
                new = None if document is None else change(document.part)
                if document is not None and new is not None:
                    pieces = self._rewrite_record(unit, record, document.http, document.part.name, new)
                    del document  # the old data
                    yield record.start, record.after, Replacement(pieces, sum(map(len, pieces))), new
            return
        records = list(unit.records)
        if len(records) == 1 and (records[0].start, records[0].after) == (0, unit.text.size):
            only = self._document(unit, records[0])
            new = None if only is None else change(only.part)
            if only is not None and new is not None:
                name, http = only.part.name, only.http
                del only  # the old data
                packed = unit.pack(*self._rewrite_record(unit, records[0], http, name, new))
                yield unit.start, unit.end, Replacement([packed], len(packed)), new
        else:
            yield from self._replace_records(unit, records, unit.pack, change)

    def _replace_records(
        self, unit: Unit, records: list[WarcRecord], pack: Callable[..., bytes], change: Change
    ) -> Iterator[tuple[int, int, Replacement, None]]:
        """The replacement of a unit with several records: where one of them changes, each gets its own member."""
        with tempfile.TemporaryFile() as file:
            changed = False
            at = 0
            for record in records:
                if at < record.start:
                    file.write(pack(unit.text.read(at, record.start - at)))
                at = record.after
                document = self._document(unit, record)
                new = None if document is None else change(document.part)
                if document is None or new is None:
                    file.write(pack(*unit.text.pieces(record.start, record.after)))
                else:
                    changed = True
                    pieces = self._rewrite_record(unit, record, document.http, document.part.name, new)
                    file.write(pack(*pieces))
            if at < unit.text.size:
                file.write(pack(unit.text.read(at, unit.text.size - at)))
            if changed:
                written = Window(file)
                yield unit.start, unit.end, Replacement(written.pieces(0, written.size), written.size), None

    def _document(self, unit: Unit, record: WarcRecord) -> _WarcDocument | None:
        """The document in a record; None where it has none or it cannot be read."""
        header = record.header
        if self._allowance.is_spent or not _may_hold_document(header):
            return None
        http, start = None, record.block
        media_type, charset = content_type(header.first("content-type"))
        head = unit.text.read(start, min(record.end - start, 1 << 12))
        if status := _HTTP.match(head):
            ending = EMPTY_LINE.search(head) or EMPTY_LINE.search(
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
        return self._read_content(unit, record, _DeclaredContent(http, start, media_type, charset))

    def _read_content(self, unit: Unit, record: WarcRecord, stated: _DeclaredContent) -> _WarcDocument | None:
        """The document that a record declares; None where it has none or it cannot be read."""
        http, start, media_type, charset = stated
        offset = _offset(unit, record)
        target = _decode_value(record.header.first("warc-target-uri"))
        identity = record.header.first("warc-record-id").strip("<>") or f"offset {offset}"
        name = f"{identity} {target}".strip()
        if record.header.first("warc-segment-number"):
            if media_type:
                self._report("part-segmented", f"{name}: its other segments are in other records", offset)
            return None
        data = self._decode(unit, http, start, record.end)
        if isinstance(data, BodyFault):
            if media_type or self._allowance.is_spent:
                self._report(data.code, f"{name}: {data.detail}", offset)
            return None
        if not media_type and not sniff_html(data[:RESOURCE_HEADER]):
            return None
        if not self._left:
            self._report("too-many-parts", f"{name}: more than {self._limits.parts:,}", offset)
            return None
        self._left -= 1
        self._allowance.spend(len(data))
        url = absolute_url(target.replace(" ", "%20"))
        if url is None:
            self._report("part-url", f"{name}: WARC-Target-URI {target!r}", offset)
        if charset is not None and get_encoding(charset.encode("utf-8", "replace")) is None:
            self._report("charset-unknown", f"{name}: {charset!r}", offset)
            charset = None
        envelope = Envelope(url, charset, media_type or None, where="WARC-Target-URI", parent=self._envelope)
        return _WarcDocument(Part(name, data, media_type, envelope), record, http)

    def _decode(self, unit: Unit, http: HeaderBlock | None, start: int, end: int) -> bytes | BodyFault:
        """The content of a record, decoded, as far as the allowance goes."""
        encoded = min(end - start, unit.end - unit.start)
        limit = self._allowance.limit(encoded)
        if end - start > limit:
            return BodyFault(*self._allowance.reached(encoded))
        body = unit.text.read(start, end - start)
        data = body if http is None else decode_body(body, http, limit)
        if isinstance(data, BodyFault) and data.code == "part-too-large":
            return BodyFault(*self._allowance.reached(encoded))
        return data

    def _rewrite_record(
        self, unit: Unit, record: WarcRecord, http: HeaderBlock | None, name: str, new: bytes
    ) -> list[bytes]:
        """The record with new data, in pieces. `name`: what messages call its document."""
        fields = {"content-length": str(len(new)), "transfer-encoding": None, "content-encoding": None}
        block = [b"" if http is None else http.edit(fields), new]
        values: dict[str, str | None] = {"content-length": str(sum(map(len, block)))}
        for field, pieces in (("warc-block-digest", block), ("warc-payload-digest", [new])):
            stated = record.header.first(field)
            if stated:
                values[field] = renew_digest(stated, _digest_of(pieces))
                if values[field] is None:
                    detail = f"{name}: {field} {stated[:80]!r} is left out"
                    self._report("digest-unknown", detail, _offset(unit, record))
        return [record.header.edit(values), *block, unit.text.read(record.end, record.after - record.end)]


def _digest_of(pieces: list[bytes]) -> Callable[[str], bytes | None]:
    return lambda algorithm: digest(algorithm, *pieces)


def _offset(unit: Unit, record: WarcRecord) -> int:
    """Where a record, or the compressed member that it is in, begins in the file."""
    return unit.start + (record.start if unit.pack is None else 0)


def _may_hold_document(header: HeaderBlock) -> bool:
    """Whether a record may hold a document, by its WARC header. Of other types, revisits refer to another record."""
    return header.first("warc-type").lower() in {"response", "resource"}


def _may_be_wanted(media_types: frozenset[str], head: bytes) -> bool:
    """Whether a compressed member with this beginning may hold a document of one of these media types."""
    ending = EMPTY_LINE.search(head)
    if ending is None:
        return True
    header = HeaderBlock(head[: ending.end()])
    if not _may_hold_document(header):
        return False
    media_type = content_type(header.first("content-type"))[0]
    if _HTTP.match(head, ending.end()):
        start = ending.end()
        ending = EMPTY_LINE.search(head, start)
        if ending is None:
            return True
        media_type = content_type((HeaderBlock(head[start : ending.end()]).all("content-type") or [""])[-1])[0]
    return not media_type or media_type in media_types


def _decode_value(value: str) -> str:
    """A field's value as text, without the angle brackets that wget and other tools put around URLs (WARC 1.0 §4)."""
    with contextlib.suppress(UnicodeDecodeError):
        value = value.encode("latin-1").decode("utf-8")
    return value[1:-1] if value.startswith("<") and value.endswith(">") else value
