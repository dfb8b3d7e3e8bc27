"""WARC files (ISO 28500, https://iipc.github.io/warc-specifications/): the documents of response and resource records.

A changed record is written without transfer and content codings, and its lengths and digests are renewed. If the file
is compressed, the record gets a compressed member of its own. Revisit records follow the records that they refer to
(`linkfix.containers.warc_revisits`). The rest of a record and all other records stay byte for byte.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import BinaryIO, NamedTuple

from linkfix.containers.cdx import IndexedPayload, digest_keys, digests_of
from linkfix.containers.digests import DIGEST_ALGORITHMS, digest, digest_fits, digest_key
from linkfix.containers.http_body import (
    BODY_HEADERS,
    BodyFault,
    HeaderBlock,
    decode_body,
    has_content,
    renew_body_headers,
)
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
    ignore_problem,
)
from linkfix.containers.warc_records import WARC, RecordSyntax, Unit, WarcRecord, units, units_within
from linkfix.containers.warc_revisits import (
    FullRecord,
    NewPayload,
    PayloadRecord,
    RecordDigest,
    RecordPlace,
    RevisitOutcomes,
    expand_revisit,
    follow_payload,
    is_revisit,
    renew_header,
)
from linkfix.containers.web_archive import OutcomesOf, WarcFile
from linkfix.encodings.encoding import get_encoding
from linkfix.files.media_types import HEADER, DeclaredType, declared_type
from linkfix.files.window import Window, WindowEdit
from linkfix.html.vocabulary import HTTP_FIELDS
from linkfix.lazy import lazy_pattern
from linkfix.model import HTTP_HEADER_TYPE, Envelope

# The documents in the records of a WARC file, and the offsets of its payloads and revisit records.
#
# A record's retrieval URL is its WARC-Target-URI. The HTTP header states media type and charset; its Content-Location
# sets no base (RFC 9110 §8.7). If it states no type, WARC-Identified-Payload-Type does (WARC 1.1 §5.19).


#: The usual size of an HTTP header block, in bytes.
_HTTP_HEAD = 1 << 12

#: The maximum size of an HTTP header block, in bytes.
_HTTP_HEADER = 1 << 20

_HTTP = lazy_pattern(rb"HTTP/\d(?:\.\d)? +(\d{3})")

#: RFC 9110 §15.3.7: the status code of a partial response.
_PARTIAL = b"206"


class WarcDocument(NamedTuple):
    """A document in a record."""

    part: Part
    record: WarcRecord
    http: HeaderBlock | None
    """The header block of the HTTP message; None for a resource."""
    has_rest: bool
    """Whether bytes follow the end of the coded body. They are not in the part, so a changed part is not written."""


class _DeclaredContent(NamedTuple):
    """The content of a record, as its headers describe it."""

    http: HeaderBlock | None
    start: int
    """The offset of the content, after the HTTP header block."""
    type_: DeclaredType


class StoredDocument(NamedTuple):
    """A document, and the record that contains it."""

    part: Part
    record: FullRecord
    must_stay: bool
    """Whether the record has bytes after the document, so that a change cannot be written."""

    def changed(self, new: bytes) -> NewPayload:
        """Return the payload with the data `new`."""
        digests = {name: digest(name, new) or b"" for name in DIGEST_ALGORITHMS}
        http = HeaderBlock(self.record.http)
        stated = HeaderBlock(self.record.header).first("warc-payload-digest")
        if stated and not digest_fits(stated, *payload_forms(http, lambda: [self.record.body], self.part.data)):
            digests = {}
        fields = renew_http_fields(http, lambda: [self.record.body], self.part.data, new, lambda *_: None)
        return NewPayload(len(new), digests, {name: (", ".join(http.all(name)), fields[name]) for name in fields})


def payload_records(source: BinaryIO, limits: Limits, on_capture: OnCapture | None = None) -> Iterator[PayloadRecord]:
    """Yield the records with a document as their payload, and the revisit records, in order.

    `source`: a seekable stream of a WARC file.
    `on_capture`: called with the WARC-Target-URI of each response, resource and revisit record, whatever its type.
    """
    reader = WarcReader(Window(source), Envelope(), lambda _: None, limits, on_capture=on_capture)
    return (found for unit in reader.units() for found in reader.payload_records(unit))


def document_at(source: BinaryIO, place: RecordPlace, envelope: Envelope, limits: Limits) -> StoredDocument | None:
    """Return the document in the record at a place; None if it cannot be read. `source`: a seekable stream."""
    reader = WarcReader(Window(source), envelope, lambda _: None, limits)
    unit = next(reader.units(place.offset), None)
    for record in unit.records if unit else ():
        if unit and record.start >= place.inner:
            return reader.stored(unit, record) if record.start == place.inner else None
    return None


#: A function that is called with a captured URL.
OnCapture = Callable[[str], None]


class WarcReader:
    """Reads a WARC file once.

    `on_capture`: see `payload_records`. `empty`: whether an empty file is a document too.
    """

    def __init__(
        self,
        raw: Window,
        envelope: Envelope,
        note: Note,
        limits: Limits,
        allowance: Allowance | None = None,
        syntax: RecordSyntax = WARC,
        *,
        on_capture: OnCapture | None = None,
        empty: bool = False,
    ) -> None:
        self._raw = raw
        self._empty = empty
        self._syntax = syntax
        self._envelope = envelope
        self._note = note
        self._limits = limits
        self._left = limits.parts
        self._allowance = Allowance(limits, raw.size) if allowance is None else allowance
        self._on_capture = on_capture

    def _may_be_wanted(self, head: bytes) -> bool:
        """See `_may_be_wanted`. A record in a member that is not wanted was captured too."""
        if self._on_capture is not None and (header := self._syntax.read_header(head)) is not None:
            self._capture(header)
        return _may_be_wanted(self._syntax, self._limits.media_types, head)

    def _capture(self, header: HeaderBlock) -> None:
        if self._on_capture is not None and _is_capture(header):
            self._on_capture(_decode_value(header.first("warc-target-uri")))

    def units(self, start: int = 0) -> Iterator[Unit]:
        """Yield the units, in order, from an offset on, until the allowance is spent."""
        for unit in units(self._raw, self._may_be_wanted, self.report, self._allowance, start, self._syntax):
            yield unit
            if self._allowance.is_spent:
                return

    def units_within(self, start: int, end: int) -> Iterator[Unit]:
        """Yield the units that begin in a slice of the file, until the allowance is spent. See
        `linkfix.containers.warc_records.units_within`.
        """
        for unit in units_within(self._raw, self._may_be_wanted, self.report, self._allowance, start, end):
            yield unit
            if self._allowance.is_spent:
                return

    def report(self, code: str, detail: str, offset: int) -> None:
        """Report a problem. `offset`: the byte offset in the file."""
        self._note(container_problem(code, offset, detail))

    def documents(self, unit: Unit) -> Iterator[WarcDocument]:
        """Yield the documents of a unit."""
        for record in unit.records:
            document = self.document(unit, record)
            if document is not None:
                yield document

    def header(self, unit: Unit, record: WarcRecord) -> Part | None:
        """Return the HTTP header of a record as a part; None if it has no URLs or headers are not wanted."""
        if HTTP_HEADER_TYPE not in self._limits.media_types or not _is_capture(record.header):
            return None
        http = _http_header(unit, record)
        if http is None or HTTP_FIELDS.isdisjoint(http.raw):
            return None
        url = _target_url(record)
        return http_header_part(
            _name(record, record_offset(unit, record)), http.block, url, "WARC-Target-URI", self._envelope
        )

    def payload_records(self, unit: Unit) -> Iterator[PayloadRecord]:
        """Yield the records of a unit with a document as their payload, and its revisit records."""
        for record in unit.records:
            header = record.header
            self._capture(header)
            stated = header.first("warc-payload-digest")
            if is_revisit(header):
                refers_to = _decode_value(header.first("warc-refers-to-target-uri"))
                if stated:
                    yield PayloadRecord(record_place(unit, record), digest_key(stated), _target(record), refers_to)
                continue
            content = self._declared(unit, record)
            if content is None or record.end - content.start > self._limits.part:
                continue
            if not stated:  # indexers compute the missing digest
                body = unit.text.read(content.start, record.end - content.start)
                stated = f"sha1:{(digest('sha1', body) or b'').hex()}"
            yield PayloadRecord(record_place(unit, record), digest_key(stated), _target(record), None)

    def stored(self, unit: Unit, record: WarcRecord) -> StoredDocument | None:
        """Return the document in a record, with the record; None if there is no document or it cannot be read."""
        document = self.document(unit, record)
        if document is None:
            return None
        http = b"" if document.http is None else document.http.block
        start = record.block + len(http)
        body = unit.text.read(start, record.end - start)
        return StoredDocument(document.part, FullRecord(record.header.block, http, body), document.has_rest)

    def document(self, unit: Unit, record: WarcRecord) -> WarcDocument | None:
        """Return the document in a record; None if there is no document or it cannot be read."""
        content = self._declared(unit, record, self._report_of(unit, record))
        return None if content is None else self._read_content(unit, record, content)

    def _report_of(self, unit: Unit, record: WarcRecord) -> Callable[[str, str], None]:
        """Return a function that reports a problem of a record, by a code and the detail."""
        offset = record_offset(unit, record)
        return lambda code, detail: self.report(code, f"{_name(record, offset)}: {detail}", offset)

    def _declared(
        self, unit: Unit, record: WarcRecord, report: Callable[[str, str], None] = lambda *_: None
    ) -> _DeclaredContent | None:
        """Return the declared content of a record; None if it is not a document. `report`: see `_report_of`."""
        header = record.header
        if self._allowance.is_spent or not _may_hold_document(header):
            return None
        http, start = None, record.block
        type_ = _declared_type(header, None)
        head = unit.text.read(start, min(record.end - start, _HTTP_HEAD))
        if status := _HTTP.match(head):
            http = _http_header(unit, record)
            if http is None:
                report("part-damaged", "its HTTP header has no end")
                return None
            start += len(http.block)
            type_ = _declared_type(header, http)
            if status[1] == _PARTIAL:
                if start < record.end and type_.states_one_of(self._limits.media_types):
                    report("response-partial", http.first("content-range") or "status 206")
                return None
        elif type_.own.essence == "application/http":
            if head:
                report("part-damaged", "it has no HTTP header")
            return None
        if start == record.end and not (self._empty and _is_empty_file(header, http)):
            return None
        if not type_.may_be(self._limits.media_types):
            return None
        return _DeclaredContent(http, start, type_)

    def _read_content(self, unit: Unit, record: WarcRecord, stated: _DeclaredContent) -> WarcDocument | None:
        """Return the document that a record declares; None if there is no document or it cannot be read."""
        http, start, type_ = stated
        # Content of another type may not be a document. Its problems are not reported.
        is_document = type_.states_one_of(self._limits.media_types)
        offset = record_offset(unit, record)
        name = _name(record, offset)

        if record.header.first("warc-segment-number"):
            if is_document:
                self.report("part-segmented", f"{name}: its other segments are in other records", offset)
            return None
        rest: list[str] = []
        data = self._decode(unit, http, start, record.end, rest.append)
        if isinstance(data, BodyFault):
            if is_document or self._allowance.is_spent:
                self.report(data.code, f"{name}: {data.detail}", offset)
            return None
        media_type = type_.media_type(data[:HEADER])
        if media_type not in self._limits.media_types:
            return None
        if not self._left:
            self.report("too-many-parts", f"{name}: more than {self._limits.parts:,}", offset)
            return None
        self._left -= 1
        self._allowance.spend(len(data))
        for detail in rest:
            self.report("part-damaged", f"{name}: {detail}, and are not read", offset)
        url = _target_url(record)
        if url is None:
            self.report("part-url", f"{name}: {self._syntax.url_field} {_target(record)!r}", offset)
        envelope = Envelope(
            url,
            self._known_charset(type_.own.charset, f"{name}: ", offset),
            media_type,
            where=self._syntax.url_field,
            parent=self._envelope,
            content_security_policy=", ".join(http.all("content-security-policy")) or None if http else None,
            identified_charset=self._known_charset(
                type_.identified.charset, f"{name}: WARC-Identified-Payload-Type ", offset
            ),
        )
        part = Part(name, data, media_type, envelope, time=digits_of_time(record.header.first("warc-date")))
        return WarcDocument(part, record, http, bool(rest))

    def _known_charset(self, charset: str | None, place: str, offset: int) -> str | None:
        """Return the charset if it is a label of the Encoding standard. Otherwise report a problem and return None."""
        if charset is None or get_encoding(charset) is not None:
            return charset
        self.report("charset-unknown", f"{place}{charset!r}", offset)
        return None

    def _decode(
        self, unit: Unit, http: HeaderBlock | None, start: int, end: int, on_rest: Callable[[str], None]
    ) -> bytes | BodyFault:
        """Return the decoded content of a record, or the fault if it exceeds the allowance or is damaged.

        `on_rest`: see `decode_body`.
        """
        encoded = min(end - start, unit.end - unit.start)
        limit = self._allowance.limit(encoded)
        if end - start > limit:
            return BodyFault(*self._allowance.reached(encoded))
        body = unit.text.read(start, end - start)
        data = body if http is None else decode_body(body, http, limit, on_rest)
        if isinstance(data, BodyFault) and data.code == "part-too-large":
            return BodyFault(*self._allowance.reached(encoded))
        return data


def renew_http_fields(
    http: HeaderBlock,
    body: Callable[[], Iterable[bytes]],
    data: bytes,
    new: bytes,
    tell: Callable[[str, str], None],
) -> dict[str, str | None]:
    """Return the fields that describe an HTTP body, with their values for new data; None for a dropped field.

    `body`: function that returns the stored body in pieces, called only if there are digests.
    `data`: the decoded body.
    `tell`: see `renew_body_headers`.
    """
    fields = http.joined(BODY_HEADERS)
    has_digest = any(name.endswith("digest") for name in fields)
    forms = [b"".join(form()) for form in payload_forms(http, body, data)] if has_digest else [data]
    return renew_body_headers(fields, forms, new, tell)


def payload_forms(
    http: HeaderBlock, body: Callable[[], Iterable[bytes]], data: bytes
) -> tuple[Callable[[], Iterable[bytes]], ...]:
    """Return the forms of a payload that a digest may cover: stored, without transfer codings, and decoded.

    WARC 1.1 §6.3.2 means the second form. Most tools compute digests of the first form.
    """

    def without_transfer() -> Iterable[bytes]:
        if not http.all("transfer-encoding"):
            return body()
        stored = b"".join(body())
        made = decode_body(stored, HeaderBlock(http.edit({"content-encoding": None})), len(stored))
        return [stored if isinstance(made, BodyFault) else made]

    return body, without_transfer, lambda: [data]


def record_offset(unit: Unit, record: WarcRecord) -> int:
    """Return the offset in the file of a record, or of the compressed member that contains it."""
    return unit.start + (record.start if unit.pack is None else 0)


def record_place(unit: Unit, record: WarcRecord) -> RecordPlace:
    """Return the place of a record in the file."""
    return RecordPlace(record_offset(unit, record), record.start)


def _name(record: WarcRecord, offset: int) -> str:
    """The name of a record in messages. `offset`: its offset in the file."""
    identity = record.header.first("warc-record-id").strip("<>") or f"offset {offset}"
    return f"{identity} {_target(record)}".strip()


def _target(record: WarcRecord) -> str:
    return _decode_value(record.header.first("warc-target-uri"))


def _target_url(record: WarcRecord) -> str | None:
    """The retrieval URL of a record; None if it is not absolute."""
    return absolute_url(_target(record).replace(" ", "%20"))


def _http_header(unit: Unit, record: WarcRecord) -> HeaderBlock | None:
    """The header block of the HTTP message in a record; None if there is none, or if it has no end."""
    head = unit.text.read(record.block, min(record.end - record.block, _HTTP_HEAD))
    if not _HTTP.match(head):
        return None
    length = min(record.end - record.block, _HTTP_HEADER)
    return HeaderBlock.read(head) or HeaderBlock.read(unit.text.read(record.block, length))


def _may_hold_document(header: HeaderBlock) -> bool:
    """Whether a record may hold a document, by its WARC header."""
    return header.first("warc-type").lower() in {"response", "resource"}


def _is_empty_file(header: HeaderBlock, http: HeaderBlock | None) -> bool:
    """Whether a record without a body is about an empty file, and not one whose body was not recorded."""
    if header.first("warc-truncated"):
        return False
    status = _HTTP.match(http.block) if http is not None else None
    stated = http.first("content-length").strip() if http is not None else ""  # an answer to HEAD states it too
    return stated in {"", "0"} and has_content(int(status[1]) if status else 200)


def _is_capture(header: HeaderBlock) -> bool:
    """Whether a record is about a response, by its WARC header."""
    return _may_hold_document(header) or is_revisit(header)


def _may_be_wanted(syntax: RecordSyntax, media_types: frozenset[str], head: bytes) -> bool:
    """Whether a compressed member with this beginning may hold a document of one of these media types, or a header."""
    header = syntax.read_header(head)
    if header is None:
        return True
    if not _is_capture(header):
        return False
    http = None
    if _HTTP.match(head, len(header.block)):
        http = HeaderBlock.read(head, len(header.block))
        if http is None:
            return True
        if HTTP_HEADER_TYPE in media_types and not HTTP_FIELDS.isdisjoint(http.raw):
            return True
    if is_revisit(header):
        return False
    type_ = _declared_type(header, http)
    lacks_http = http is None and type_.own.essence == "application/http"  # a problem
    return lacks_http or type_.may_be(media_types)


def _declared_type(header: HeaderBlock, http: HeaderBlock | None) -> DeclaredType:
    """Return the type that a record declares for its content.

    `http`: the header block of the HTTP message; None if the content is not an HTTP message.
    """
    return declared_type((header if http is None else http).all, header.all("warc-identified-payload-type"))


def _decode_value(value: str) -> str:
    """Return a field's value as text, without the angle brackets that wget and other tools put around URLs (WARC 1.0
    §4).
    """
    if not value.isascii():
        with contextlib.suppress(UnicodeDecodeError):
            value = value.encode("latin-1").decode("utf-8")
    return value[1:-1] if value.startswith("<") and value.endswith(">") else value


class Replacement(NamedTuple):
    """The bytes that replace a span of the file."""

    pieces: Iterable[bytes]
    size: int
    """The number of bytes."""


class _NewRecord(NamedTuple):
    """A record that replaces another record."""

    pieces: list[bytes]
    """The bytes of the record, with the line ends after it."""
    payload: IndexedPayload


#: A function that is called for each replaced span of the file, with its start, its end, the replacement and the new
#: payload of its record. The payload is None if the span contains several records.
OnReplace = Callable[[int, int, Replacement, IndexedPayload | None], None]


def parts(
    source: BinaryIO,
    envelope: Envelope,
    note: Note,
    limits: Limits,
    allowance: Allowance | None = None,
    *,
    within: tuple[int, int] | None = None,
    syntax: RecordSyntax = WARC,
) -> Iterator[Part]:
    """Yield the documents of a WARC file, in order. Memory holds one record. HTTP headers with URLs are parts too, if
    `limits.media_types` contains their type.

    `source`: a seekable stream.
    `allowance`: the allowance of the container that contains the file; None for a file of its own.
    `within`: a slice of the file, as (start, end). Only records, or compressed members, that begin in the slice are
    read, and the totals of `limits` then apply to the slice. None for the whole file.
    `syntax`: the syntax of its records.
    """
    reader = WarcReader(Window(source), envelope, note, limits, allowance, syntax)
    units = reader.units() if within is None else reader.units_within(*within)
    for unit in units:
        for record in unit.records:
            header = reader.header(unit, record)
            if header is not None:
                yield header
            document = reader.document(unit, record)
            if document is not None:
                yield document.part


def rewrite(
    source: BinaryIO,
    out: BinaryIO,
    envelope: Envelope,
    change: Change,
    note: Note,
    limits: Limits,
    on_replace: OnReplace = lambda *_: None,
    *,
    leave_alone: LeaveAlone = ignore_count,
    allowance: Allowance | None = None,
    revisits: OutcomesOf | None = None,
    syntax: RecordSyntax = WARC,
) -> None:
    """Copy a WARC file, with the documents that `change` changes. Memory holds one record.

    `source`: a seekable stream.
    `on_replace`: called before a span is written.
    `allowance`: the allowance of the container that contains the file; None for a file of its own.
    `revisits`: see `WebArchive.rewrite`.
    `syntax`: the syntax of its records.
    """
    raw = Window(source)
    reader = WarcReader(raw, envelope, note, limits, allowance, syntax)
    rewriter = _WarcRewriter(reader, change, leave_alone, revisits("") if revisits else None)

    def edits() -> Iterator[WindowEdit]:
        for unit in reader.units():
            for start, end, replacement, payload in rewriter.replacements(unit):
                on_replace(start, end, replacement, payload)
                yield WindowEdit(start, end, replacement.pieces)

    out.writelines(raw.edited(edits()))


def archives(source: BinaryIO, _limits: Limits, note: Note = ignore_problem) -> Iterator[WarcFile]:
    """Yield the file itself; see `WebArchive.archives`."""
    yield WarcFile("", "", source, note)


class _WarcRewriter:
    """Rewrites a WARC file once."""

    def __init__(
        self, reader: WarcReader, change: Change, leave_alone: LeaveAlone, revisits: RevisitOutcomes | None
    ) -> None:
        self._reader = reader
        self._change = change
        self._leave_alone = leave_alone
        self._revisits = revisits

    def replacements(self, unit: Unit) -> Iterator[tuple[int, int, Replacement, IndexedPayload | None]]:
        """Yield the replaced spans of the file in a unit, with the replacement and the new payload."""
        if unit.pack is None:
            for record in unit.records:
                new = self._renew(unit, record)
                if new is not None:
                    yield record.start, record.after, Replacement(new.pieces, sum(map(len, new.pieces))), new.payload
            return
        records = list(unit.records)
        if len(records) == 1 and (records[0].start, records[0].after) == (0, unit.text.size):
            new = self._renew(unit, records[0])
            if new is not None:
                packed = unit.pack(*new.pieces)
                yield unit.start, unit.end, Replacement([packed], len(packed)), new.payload
        else:
            yield from self._replace_records(unit, records, unit.pack)

    def _replace_records(
        self, unit: Unit, records: list[WarcRecord], pack: Callable[..., bytes]
    ) -> Iterator[tuple[int, int, Replacement, None]]:
        """Yield the replacement of a unit with several records. If a record changes, each gets a member of its own."""
        with tempfile.TemporaryFile() as file:
            changed = False
            at = 0
            for record in records:
                if at < record.start:
                    file.write(pack(unit.text.read(at, record.start - at)))
                at = record.after
                new = self._renew(unit, record)
                changed = changed or new is not None
                file.write(pack(*(unit.text.pieces(record.start, record.after) if new is None else new.pieces)))
            if at < unit.text.size:
                file.write(pack(unit.text.read(at, unit.text.size - at)))
            if changed:
                written = Window(file)
                yield unit.start, unit.end, Replacement(written.pieces(0, written.size), written.size), None

    def _renew(self, unit: Unit, record: WarcRecord) -> _NewRecord | None:
        """Return the replacement of a record; None if the record stays."""
        if is_revisit(record.header):
            return self._renew_revisit(unit, record)
        return self._renew_full(unit, record, self._reader.document(unit, record))

    def _renew_full(self, unit: Unit, record: WarcRecord, document: WarcDocument | None) -> _NewRecord | None:
        """Return the replacement of a record that is no revisit; None if the record stays."""
        header = self._reader.header(unit, record)
        head = None if header is None else self._change(header)
        new = None if document is None else self._change_document(unit, document)
        if document is not None and new is not None:
            return self._rewrite_record(unit, document, new, head)
        return None if header is None or head is None else self._rewrite_head(unit, record, header, head)

    def _change_document(self, unit: Unit, document: WarcDocument) -> bytes | None:
        """Return the new data of a document; None if it stays."""
        place = record_place(unit, document.record)
        sharer = self._revisits.sharer(place) if self._revisits else None
        if sharer is not None:
            self._reader.report("payload-shared", f"{document.part.name}: {sharer}", place.offset)
            return None
        new = self._change(document.part)
        if new is None or not document.has_rest:
            return new
        self._leave_alone(1)
        return None

    def _renew_revisit(self, unit: Unit, record: WarcRecord) -> _NewRecord | None:
        """Return the replacement of a revisit record; None if the record stays."""
        outcome = self._revisits.outcome(record_place(unit, record)) if self._revisits else None
        header = None if isinstance(outcome, FullRecord) else self._reader.header(unit, record)
        head = None if header is None else self._change(header)
        if outcome is None:
            return None if header is None or head is None else self._rewrite_head(unit, record, header, head)
        block = unit.text.read(record.block, record.end - record.block)
        after = unit.text.read(record.end, record.after - record.end)
        offset = record_offset(unit, record)
        if isinstance(outcome, NewPayload):
            text = follow_payload(record.header, block, outcome, self._reader.report, offset, head)
            return _NewRecord([text, after], IndexedPayload(outcome.digest if outcome.digests else None))
        return self._expand(unit._replace(start=offset), expand_revisit(record.header, block, outcome), after)

    def _expand(self, unit: Unit, full: tuple[bytes, bytes], after: bytes) -> _NewRecord:
        """Return the full record that replaces a revisit record. Its document is changed like any other document.

        `unit`: the unit of the revisit record.
        `full`: the header and the content block of the full record.
        `after`: the line ends after the record.
        """
        header, block = full
        unit = unit._replace(text=Window(header + block + after))
        record = WarcRecord(HeaderBlock(header), 0, len(header), len(header + block), unit.text.size)
        document = self._reader.document(unit, record)
        media_type = document.part.media_type if document else ""
        made = self._renew_full(unit, record, document)
        if made is None:
            return _NewRecord([header, block, after], IndexedPayload(None, media_type))
        return made._replace(payload=made.payload._replace(media_type=media_type))

    def _rewrite_head(self, unit: Unit, record: WarcRecord, header: Part, head: bytes) -> _NewRecord:
        """Return the record with a new HTTP header. Its payload stays."""
        offset = record_offset(unit, record)
        block = [head, *unit.text.pieces(record.block + len(header.data), record.end)]
        digests = {
            "warc-block-digest": RecordDigest(
                (lambda: unit.text.pieces(record.block, record.end),), lambda algorithm: digest(algorithm, *block)
            )
        }
        name = header.name.removesuffix(" HEADER")
        renewed = renew_header(record.header, sum(map(len, block)), digests, self._reader.report, offset, name)
        after = unit.text.read(record.end, record.after - record.end)
        return _NewRecord([renewed, *block, after], IndexedPayload(None))

    def _rewrite_record(self, unit: Unit, document: WarcDocument, new: bytes, head: bytes | None) -> _NewRecord:
        """Return the record with new data. `head`: the new HTTP header; None if its URLs stay."""
        part, record, http, _ = document
        name, offset = part.name, record_offset(unit, record)
        block = [new]
        start = record.block + (len(http.block) if http is not None else 0)

        def stored() -> Iterator[bytes]:
            return unit.text.pieces(start, record.end)

        forms: Sequence[Callable[[], Iterable[bytes]]] = (stored,)
        if http is not None:

            def tell(code: str, detail: str) -> None:
                self._reader.report(code, f"{name}: {detail}", offset)

            fields: dict[str, str | None] = {"content-length": str(len(new))}
            written = http if head is None else HeaderBlock(head)
            block = [written.edit(fields | renew_http_fields(http, stored, part.data, new, tell)), new]
            forms = payload_forms(http, stored, part.data)
        digests = {
            "warc-block-digest": RecordDigest(
                (lambda: unit.text.pieces(record.block, record.end),),
                lambda algorithm: digest(algorithm, *block),
            ),
            "warc-payload-digest": RecordDigest(forms, lambda algorithm: digest(algorithm, new)),
        }
        length = sum(map(len, block))
        header = renew_header(record.header, length, digests, self._reader.report, offset, name)
        after = unit.text.read(record.end, record.after - record.end)

        def old_keys() -> frozenset[str]:
            return digest_keys(*(form() for form in forms))

        return _NewRecord([header, *block, after], IndexedPayload(digests_of([new]), old=old_keys))
