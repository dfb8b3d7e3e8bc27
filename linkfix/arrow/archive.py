"""The documents of a WARC file as rows."""

from __future__ import annotations

import os
from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from typing import Any, BinaryIO

import pyarrow as pa

from linkfix.arrow.batches import MAX_SIZE, WARC_SCHEMA, RowBatches, SizedRow, check_max_size, chosen_schema
from linkfix.constraints import check
from linkfix.containers.part import Limits
from linkfix.containers.warc import WarcDocument, WarcReader, record_offset
from linkfix.containers.warc_records import Unit, WarcRecord
from linkfix.containers.window import Window
from linkfix.model import MARKUP_TYPES, Envelope, Problem


def warc(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    start: int = 0,
    end: int | None = None,
    columns: Sequence[str] | None = None,
    file: str | None = None,
    media_types: Collection[str] = MARKUP_TYPES,
    max_size: int = MAX_SIZE,
) -> Iterator[pa.RecordBatch]:
    """The documents of a WARC file, plain or compressed, in order, as batches with the schema `WARC_SCHEMA`.

    `path`: the path of the file, or an open seekable file. `start`, `end`: a slice of the file, in bytes; only records
    (or compressed members) that begin in it are read. Consecutive slices have each record once, wherever they are cut.
    `columns`: the columns to return, in this order; None: all. `file`: the value of the column `file`; None: the path.
    `media_types`: the media types of documents to return, of the ones that linkfix reads. `max_size`: the maximum size
    of a decoded document, in bytes.

    `offset` and `length` are those of the record, or of the compressed member that contains it. A record that is
    damaged or too large is a row with a `problem` and no `html`. A document with a `problem` and `html` can still be
    read.

    Raises InvalidOption for a wrong argument, and OSError if the file cannot be read.
    """
    check_max_size(max_size)
    check("media_types", media_types)
    schema = chosen_schema(WARC_SCHEMA, columns)
    limits = Limits(part=max_size, media_types=frozenset(media_types))
    name = file
    if name is None:
        name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else str(getattr(path, "name", ""))
    return RowBatches(_file_rows(path, name, (start, end), limits), schema)


def _file_rows(
    path: str | os.PathLike[str] | BinaryIO, name: str, limited: tuple[int, int | None], limits: Limits
) -> Generator[SizedRow]:
    with open(path, "rb") if isinstance(path, (str, os.PathLike)) else nullcontext(path) as source:
        raw = Window(source)
        start, end = limited
        for row, size in _rows(raw, start, raw.size if end is None else end, limits):
            row["file"] = name
            yield row, size + len(name)


def _rows(raw: Window, start: int, end: int, limits: Limits) -> Iterator[tuple[dict[str, Any], int]]:
    """The rows, each with its size in bytes."""
    noted: list[Problem] = []
    reader = WarcReader(raw, Envelope(), noted.append, limits)
    for unit in reader.units_within(start, end):
        for record in unit.records:
            yield from _problem_rows(noted)
            document = reader.document(unit, record)
            if document is not None:
                row = _record_row(unit, record) | _document_row(document)
                row |= {"problem": noted[-1].code, "detail": noted[-1].message} if noted else {}
                noted.clear()
                yield row, len(document.part.data)
            elif noted:
                yield from _problem_rows(noted, _record_row(unit, record))
        yield from _problem_rows(noted)
    yield from _problem_rows(noted)


def _problem_rows(noted: list[Problem], row: dict[str, Any] | None = None) -> Iterator[tuple[dict[str, Any], int]]:
    """A row for each noted problem; then the problems are cleared. `row`: the known fields of the record."""
    for problem in noted:
        yield {"offset": problem.start, **(row or {}), "problem": problem.code, "detail": problem.message}, 256
    noted.clear()


def _record_row(unit: Unit, record: WarcRecord) -> dict[str, Any]:
    length = record.after - record.start if unit.pack is None else unit.end - unit.start
    return {
        "url": record.header.first("warc-target-uri").strip("<>") or None,
        "date": _date(record.header.first("warc-date")),
        "offset": record_offset(unit, record),
        "length": length,
    }


def _document_row(document: WarcDocument) -> dict[str, Any]:
    part = document.part
    return {
        "url": part.envelope.url,
        "status": None if document.http is None else int(document.http.block.split(b" ", 2)[1][:3]),
        "media_type": part.media_type or None,
        "charset": part.envelope.charset,
        "identified_charset": part.envelope.identified_charset,
        "content_security_policy": part.envelope.content_security_policy,
        "html": part.data,
    }


def _date(text: str) -> datetime | None:
    """A WARC-Date (WARC 1.1 §5.4), or None if it is not valid."""
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
