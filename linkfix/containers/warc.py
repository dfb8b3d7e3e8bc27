"""WARC files (ISO 28500, https://iipc.github.io/warc-specifications/): the documents of response and resource records.

A changed record is written without transfer and content codings, with its lengths and digests renewed, and in a
compressed member of its own where the file is compressed. Revisit records follow what they refer to
(`linkfix.containers.warc_revisits`). The rest of a record and all other records stay byte for byte.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import BinaryIO, NamedTuple

from linkfix.containers.allowance import Allowance
from linkfix.containers.cdx import IndexedPayload, digest_keys, digests_of
from linkfix.containers.digests import digest
from linkfix.containers.http_body import HeaderBlock
from linkfix.containers.part import Change, LeaveAlone, Limits, Note, Part, ignore_count
from linkfix.containers.warc_documents import (
    WarcDocument,
    WarcReader,
    payload_forms,
    record_offset,
    record_place,
    renew_http_fields,
)
from linkfix.containers.warc_records import Unit, WarcRecord
from linkfix.containers.warc_revisits import (
    NewPayload,
    RecordDigest,
    RevisitOutcomes,
    expand_revisit,
    follow_payload,
    is_revisit,
    renew_header,
)
from linkfix.containers.web_archive import OutcomesOf, WarcFile
from linkfix.containers.window import Window
from linkfix.model import Envelope

__all__ = ["OnReplace", "Replacement", "archives", "parts", "rewrite"]


class Replacement(NamedTuple):
    """What is written in place of a span of the file."""

    pieces: Iterable[bytes]
    size: int
    """In bytes."""


class _NewRecord(NamedTuple):
    """A record that is written in place of another."""

    pieces: list[bytes]
    """With the line ends after it."""
    payload: IndexedPayload


#: Is called for each replaced span of the file with its start and end, what is written there, and the new payload of
#: its record, None where it has several.
OnReplace = Callable[[int, int, Replacement, IndexedPayload | None], None]


def parts(  # noqa: PLR0913 - see Container.parts
    source: BinaryIO,
    envelope: Envelope,
    note: Note,
    limits: Limits,
    allowance: Allowance | None = None,
    *,
    within: tuple[int, int] | None = None,
) -> Iterator[Part]:
    """Its documents, in order. `source` must be seekable; memory holds one record.

    `allowance`: that of what the file is a part of. `within`: only of records, or compressed members, that begin in
    this slice of the file; the totals of `limits` hold for the slice then.
    """
    reader = WarcReader(Window(source), envelope, note, limits, allowance)
    units = reader.units() if within is None else reader.units_within(*within)
    return (document.part for unit in units for document in reader.documents(unit))


def rewrite(  # noqa: PLR0913, PLR0917 - see Container.rewrite
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
) -> None:
    """Copy it, with the documents that `change` changes. `source` must be seekable; memory holds one record.

    `on_replace` is called before a span is written. `allowance`: that of what the file is a part of. `revisits`: see
    `WebArchive.rewrite`.
    """
    raw = Window(source)
    reader = WarcReader(raw, envelope, note, limits, allowance)
    rewriter = _WarcRewriter(reader, change, leave_alone, revisits("") if revisits else None)
    done = 0
    for unit in reader.units():
        for start, end, replacement, payload in rewriter.replacements(unit):
            on_replace(start, end, replacement, payload)
            out.writelines(raw.pieces(done, start))
            out.writelines(replacement.pieces)
            done = end
    out.writelines(raw.pieces(done, raw.size))


def archives(source: BinaryIO, _limits: Limits) -> Iterator[WarcFile]:
    """The file itself; see `WebArchive.archives`."""
    yield WarcFile("", "", source)


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
        """The spans of the file that are replaced in a unit."""
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
        """The replacement of a unit with several records: where one of them changes, each gets its own member."""
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
        """What is written in place of a record; None where it stays."""
        if is_revisit(record.header):
            return self._renew_revisit(unit, record)
        document = self._reader.document(unit, record)
        if document is None:
            return None
        sharer = self._revisits.sharer(record_place(unit, record)) if self._revisits else None
        if sharer is not None:
            self._reader.report("payload-shared", f"{document.part.name}: {sharer}", record_offset(unit, record))
            return None
        return self._renew_document(unit, document)

    def _renew_document(self, unit: Unit, document: WarcDocument) -> _NewRecord | None:
        """What is written in place of a record with a document; None where it stays."""
        new = self._change(document.part)
        if new is None or not document.has_rest:
            return None if new is None else self._rewrite_record(unit, document, new)
        self._leave_alone(1)
        return None

    def _renew_revisit(self, unit: Unit, record: WarcRecord) -> _NewRecord | None:
        """What is written in place of a revisit record; None where it stays."""
        outcome = self._revisits.outcome(record_place(unit, record)) if self._revisits else None
        if outcome is None:
            return None
        block = unit.text.read(record.block, record.end - record.block)
        after = unit.text.read(record.end, record.after - record.end)
        offset = record_offset(unit, record)
        if isinstance(outcome, NewPayload):
            text = follow_payload(record.header, block, outcome, self._reader.report, offset)
            return _NewRecord([text, after], IndexedPayload(outcome.digest if outcome.digests else None))
        return self._expand(unit._replace(start=offset), expand_revisit(record.header, block, outcome), after)

    def _expand(self, unit: Unit, full: tuple[bytes, bytes], after: bytes) -> _NewRecord:
        """A full record that a revisit record became, with its document changed as that of any record.

        `unit`: where the revisit record is; `full`: its header and its content block; `after`: the line ends after it.
        """
        header, block = full
        unit = unit._replace(text=Window(header + block + after))
        record = WarcRecord(HeaderBlock(header), 0, len(header), len(header + block), unit.text.size)
        document = self._reader.document(unit, record)
        media_type = document.part.media_type if document else ""
        made = None if document is None else self._renew_document(unit, document)
        if made is None:
            return _NewRecord([header, block, after], IndexedPayload(None, media_type))
        return made._replace(payload=made.payload._replace(media_type=media_type))

    def _rewrite_record(self, unit: Unit, document: WarcDocument, new: bytes) -> _NewRecord:
        """The record with new data."""
        part, record, http, _ = document
        name, offset = part.name, record_offset(unit, record)
        block = [new]
        start = record.block + (len(http.block) if http is not None else 0)

        def stored() -> bytes:
            return unit.text.read(start, record.end - start)

        forms: Sequence[Callable[[], bytes]] = (stored,)
        if http is not None:

            def tell(code: str, detail: str) -> None:
                self._reader.report(code, f"{name}: {detail}", offset)

            fields: dict[str, str | None] = {"content-length": str(len(new))}
            block = [http.edit(fields | renew_http_fields(http, stored, part.data, new, tell)), new]
            forms = payload_forms(http, stored, part.data)
        digests = {
            "warc-block-digest": RecordDigest(
                (lambda: unit.text.read(record.block, record.end - record.block),),
                lambda algorithm: digest(algorithm, *block),
            ),
            "warc-payload-digest": RecordDigest(forms, lambda algorithm: digest(algorithm, new)),
        }
        length = sum(map(len, block))
        header = renew_header(record.header, length, digests, self._reader.report, offset, name)
        after = unit.text.read(record.end, record.after - record.end)

        def old_keys() -> frozenset[str]:
            return digest_keys(*([form()] for form in forms))

        return _NewRecord([header, *block, after], IndexedPayload(digests_of([new]), old=old_keys))
