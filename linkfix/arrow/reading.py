"""Reading of documents from the rows of a table and from WARC files: options, limits, and the handling of failures."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import partial
from typing import Any, BinaryIO, NamedTuple, TypeAlias, TypedDict, TypeVar, cast

import pyarrow as pa

from linkfix.arrow.batches import (
    MAX_SIZE,
    WARC_SCHEMA,
    RowBatches,
    SizedRow,
    check_max_size,
    chosen_schema,
    is_document,
    is_text,
    plain_type,
    storable,
)
from linkfix.constraints import check
from linkfix.containers.part import Limits
from linkfix.containers.warc import WarcDocument, WarcReader, record_offset
from linkfix.containers.warc_records import Unit, WarcRecord
from linkfix.document.budget import Budget, LinksTooLarge, OverBudget
from linkfix.document.decide import validate
from linkfix.document.document import Document
from linkfix.encodings.encoding import get_encoding, to_utf8
from linkfix.errors import InvalidBase, InvalidOption
from linkfix.files.media_types import HEADER, DeclaredType, extract_mime_type
from linkfix.files.window import Window
from linkfix.kernels.columns import LinkColumns
from linkfix.kernels.link_table import links_size
from linkfix.model import DOCUMENT_KINDS, MARKUP_TYPES, PROBLEMS, Envelope, OptionFields, Options, Problem

# The rows that contain documents: the purpose of each column, and the faults of a row.


#: A source of rows with documents.
DocumentRows: TypeAlias = "pa.RecordBatch | RowBatches"


class ColumnNames(TypedDict, total=False):
    """The names of the input's columns."""

    html: str
    """The column of documents: bytes or text."""
    url: str | None
    """The column of retrieval URLs, or None."""
    charset: str | None
    """The column of the transport's charsets, or None. A column with the default name may be missing."""
    identified_charset: str | None
    """The column of charsets that a crawler found (WARC-Identified-Payload-Type), likewise."""
    media_type: str | None
    """The column of media types, with optional parameters. None and null mean text/html."""
    content_security_policy: str | None
    """The column of Content-Security-Policy header fields."""
    problem: str | None
    """The column of problems, which explain null documents."""
    detail: str | None
    """The column of the problems' details."""


#: The purposes of the input's columns, which are also their default names.
PURPOSES = tuple(ColumnNames.__annotations__)

#: The columns of texts, in the order of `_Cells`.
_TEXTS = PURPOSES[1:]

#: Columns that only add details. If such a column has another type, it has another purpose and is ignored.
_REMARKS = frozenset({"problem", "detail"})


class RowFault(NamedTuple):
    """The reason why a row's document is not read."""

    code: str
    """A code of `PROBLEMS`."""
    detail: str
    """The detail of the reason, or ""."""


class InputRow(NamedTuple):
    """A row of the input."""

    url: str | None
    charset: str | None
    identified_charset: str | None
    media_type: str | None
    content_security_policy: str | None
    html: bytes | str
    fault: RowFault | None
    """The reason why `html` must not be read; `html` is then empty."""
    problem: str | None
    """The problem that the input states."""
    size: int
    """The size of the document, in bytes."""


#: The cells of a row: the document, the texts, and the reason why one of the texts cannot be read. The document is
#: bytes, a text or None; or a scalar of Arrow.
_Cells: TypeAlias = tuple[Any, list[str | None], RowFault | None]


def check_names(names: Mapping[str, str | None]) -> None:
    """Raise InvalidOption for an invalid column name. Only the column of documents is required."""
    for field, name in names.items():
        if not isinstance(name, str) and (name is not None or field == "html"):
            raise InvalidOption.of(field, name, "the name of a column")


def as_batches(table: Any) -> Iterable[pa.RecordBatch]:
    """The batches of a table, of a dataset, of one batch, or of an iterable of batches."""
    if isinstance(table, pa.RecordBatch):
        return (table,)
    to_batches: Callable[[], Iterable[pa.RecordBatch]] | None = getattr(table, "to_batches", None)
    return table if to_batches is None else to_batches()


def as_rows(table: Any) -> Iterable[DocumentRows]:
    """The batches of a table, as in `as_batches`; a `RowBatches` as it is, to save two copies of each document."""
    if isinstance(table, RowBatches) and not table.has_begun:
        return (table,)
    return as_batches(table)


def input_rows(batch: DocumentRows, names: Mapping[str, str | None], max_size: int) -> Iterator[InputRow]:
    """The rows of a batch. Raises InvalidOption for a named column that does not exist."""
    schema: pa.Schema = batch.schema
    columns: dict[str, str] = {}
    for field, name in names.items():
        if name is not None and name in schema.names:
            columns[field] = name
        elif name is not None and field not in _REMARKS and (field in {"html", "url"} or name not in PURPOSES):
            message = f"no column {name!r}: the table has {', '.join(map(repr, schema.names)) or 'none'}"
            raise InvalidOption(message)
    texts: list[str | None] = [None] * len(_TEXTS)
    wrong = None
    for field, name in columns.items():
        type_ = plain_type(schema.field(name).type)
        if field != "html" and is_text(type_):
            texts[_TEXTS.index(field)] = name
        fits = is_document(type_) if field == "html" else is_text(type_) or field in _REMARKS
        if not fits and not pa.types.is_null(type_) and wrong is None:
            wrong = RowFault("column-type", f"{name!r} has the type {type_}")
    cells = _cells_of_rows if isinstance(batch, RowBatches) else _cells_of_batch
    for html, values, fault in cells(batch, columns["html"], texts):
        yield _input_row(html, values, max_size, wrong or fault)


def _cells_of_batch(batch: pa.RecordBatch, html: str, texts: list[str | None]) -> Iterator[_Cells]:
    def column(name: str) -> pa.Array:
        return batch.column(name).cast(plain_type(batch.schema.field(name).type))

    documents = column(html)
    columns = [(place, column(name)) for place, name in enumerate(texts) if name is not None]
    for number in range(batch.num_rows):
        fault = None
        read: list[str | None] = [None] * len(texts)
        for place, values in columns:
            try:
                read[place] = values[number].as_py()
            except UnicodeDecodeError:
                fault = fault or RowFault("column-type", f"the {_TEXTS[place]} is not in UTF-8")
        yield documents[number], read, fault


def _cells_of_rows(batch: RowBatches, html: str, texts: list[str | None]) -> Iterator[_Cells]:
    for row in batch.rows():
        read: list[Any] = [None if name is None else storable(row.get(name)) for name in texts]
        yield row.get(html), read, None


def _input_row(cell: Any, texts: list[str | None], max_size: int, fault: RowFault | None) -> InputRow:
    url, charset, identified, media_type, policy, problem, detail = texts
    type_ = DeclaredType(extract_mime_type([media_type])) if media_type else None
    if type_ is not None:
        charset = charset or type_.own.charset
        if not type_.may_be(DOCUMENT_KINDS):
            fault = fault or RowFault("media-type", type_.own.essence[:100])
    charsets = [None if label and get_encoding(label) is None else label for label in (charset, identified)]
    if charsets != [charset, identified]:
        problem = problem or "charset-unknown"
    html, size = None, 0
    if fault is None:
        html, size, fault = _document(cell, max_size)
        if fault is not None and fault.code == "document-missing" and problem in PROBLEMS:
            fault = RowFault(problem, str(storable(detail or ""))[:1000])
    if html is not None and type_ is not None:
        media_type = type_.media_type(_head(html))
        if media_type not in DOCUMENT_KINDS:
            html, fault = None, RowFault("media-type", media_type[:100])
    charset, identified, media_type, policy = (one or None for one in (*charsets, media_type, policy))
    return InputRow(url, charset, identified, media_type, policy, html or b"", fault, problem, size)


def _head(html: bytes | str) -> bytes:
    """The first bytes of a document."""
    head = html[:HEADER]
    return to_utf8(head) if isinstance(head, str) else head


def _document(cell: Any, max_size: int) -> tuple[bytes | str | None, int, RowFault | None]:
    """A document, its size in bytes, and the reason why it is not read."""
    is_scalar = isinstance(cell, pa.Scalar)
    if cell is None or (is_scalar and not cell.is_valid):
        return None, 0, RowFault("document-missing", "")
    size = cell.as_buffer().size if is_scalar else len(to_utf8(cell) if isinstance(cell, str) else cell)
    if size > max_size:
        return None, size, RowFault("too-large", f"{size:,} bytes, more than {max_size:,}")
    try:
        html: Any = cell.as_py() if is_scalar else storable(cell)
    except UnicodeDecodeError:
        return None, size, RowFault("column-type", "the text is not in UTF-8")
    return html, size, None


Found = TypeVar("Found")

#: The default time limit of a document, in seconds.
SECONDS = 60.0

#: Limits per document: max(64 Mi, 16 × size) characters of targets in memory, and max(64 Mi, 200 × size) characters of
#: rows. Real documents stay far below them; a document beyond them repeats a long base.
TARGETS, TARGETS_RATIO = 1 << 26, 16

ROWS, ROWS_RATIO = 1 << 26, 200

#: A base up to this length, in characters, cannot make a document with absolute links so large.
_SHORT_BASE = 400

#: The maximum length of the stored message of an exception, in characters.
_DETAIL = 300


class DocumentColumns(ColumnNames, OptionFields, total=False):
    """Further keywords of `links`, `pages` and `absolutize`: names of columns, limits, and the fields of `Options`."""

    default_base: str | None
    """The base URL of last resort, for all documents."""
    max_size: int
    """The maximum size of a document, in bytes. Default: 8 MiB."""
    seconds: float | None
    """The time limit of a document, in seconds. Default: 60. None: no limit. It is checked between references, so a
    single value is always scanned to its end.
    """
    options: Options
    """The fields of `Options`, as one object."""


class Reading:
    """The settings for reading documents. Raises InvalidOption and InvalidBase for a wrong value."""

    def __init__(self, fields: DocumentColumns) -> None:
        given: dict[str, Any] = dict(fields)
        self.names: dict[str, Any] = {purpose: given.pop(purpose, purpose) for purpose in PURPOSES}
        self.default_base: str | None = given.pop("default_base", None)
        self.max_size: int = given.pop("max_size", MAX_SIZE)
        self.seconds: float | None = given.pop("seconds", SECONDS)
        options: Options | None = given.pop("options", None)
        if options is not None and given:
            message = f"options and {', '.join(given)} are both given: give one of them"
            raise InvalidOption(message)
        try:
            self.options: Options = Options(**given) if options is None else options
        except TypeError as error:
            raise InvalidOption(str(error)) from error
        check_names(self.names)
        check_max_size(self.max_size)
        check("seconds", self.seconds)
        validate(Envelope(default=self.default_base), self.options)

    def documents(self, batch: DocumentRows) -> Iterator[RowDocument]:
        """The documents of a batch's rows."""
        for number, row in enumerate(input_rows(batch, self.names, self.max_size)):
            yield RowDocument(partial(self._document, row), row.url, row.size, row.fault, number)

    def _document(self, row: InputRow) -> tuple[Document[Any], str | None]:
        """The document of a row, and the row's problem or None."""
        problem = row.problem
        try:
            document = self._document_at(row.url, row)
        except InvalidBase:
            document, problem = self._document_at(None, row), "part-url"
        limit(document, row.size, self.seconds)
        return document, problem

    def _document_at(self, url: str | None, row: InputRow) -> Document[Any]:
        envelope = Envelope(
            url,
            row.charset,
            row.media_type,
            default=self.default_base,
            content_security_policy=row.content_security_policy,
            identified_charset=row.identified_charset,
        )
        return Document(
            cast("Any", row.html), envelope=envelope, options=self.options
        )  # it is generic over bytes and str


def limit(document: Document[Any], size: int, seconds: float | None = None) -> None:
    """Set the limits of a document of `size` bytes."""
    document.budget = Budget(seconds, max(TARGETS, TARGETS_RATIO * size))


class RowDocument:
    """A row's document, or the reason why it is not read.

    `make`: makes the document, and returns it with the row's problem. `url`: the document's URL, as in the row. `size`:
    the document's size in bytes. `fault`: the reason why it is not read. `number`: the index of the row in its batch.
    """

    def __init__(
        self,
        make: Callable[[], tuple[Document[Any], str | None]],
        url: str | None,
        size: int,
        fault: RowFault | None = None,
        number: int = 0,
    ) -> None:
        self.url = url
        self.size = size
        self.fault = fault
        self.number = number
        self.document: Document[Any] | None = None
        self._make = make
        self._problem: str | None = None

    def ask(self, question: Callable[[Document[Any]], Found]) -> Found | None:
        """The document's answer to a question; None if there is no document, or if it fails, which sets `fault`."""
        if self.fault is not None:
            return None
        try:
            if self.document is None:
                self.document, self._problem = self._make()
            return question(self.document)
        except OverBudget as error:
            self.fault = RowFault(error.code, str(error))
        except Exception as error:  # noqa: BLE001 - whatever is wrong with one document, the others are read
            self.fault = RowFault("document-failed", f"{type(error).__name__}: {error}"[:_DETAIL])
        return None

    def link_columns(self, document: Document[Any], *, places: bool = False) -> LinkColumns:
        """The document's links. Raises OverBudget if they have too many characters.

        `places`: whether to include lines and columns.
        """
        columns = document.link_columns(places=places)
        size = links_size(columns) + columns.count * len(self.url or "")
        most = max(ROWS, ROWS_RATIO * self.size)
        if size > most:
            detail = f"{size:,} characters, more than {most:,}"
            raise LinksTooLarge(detail)
        return columns

    def absolute(self, document: Document[Any]) -> bytes | str:
        """The document with absolute links. Raises OverBudget if they would make it many times larger."""
        if len(document.document_base.url or "") > _SHORT_BASE:
            self.link_columns(document)
        data: bytes | str = document.convert().data
        return data

    def describe(self, links: int) -> dict[str, Any]:
        """The document's row of `pages`. `links`: the number of its links."""
        row: dict[str, Any] = {"page": self.url, "size": self.size, "links": 0, "problems": []}
        known = self.ask(self._known)
        if known is None:
            code, detail = cast("RowFault", self.fault)
            return row | {"problem": code, "detail": detail or PROBLEMS.get(code, "")}
        return row | {"links": links} | known

    def _known(self, document: Document[Any]) -> dict[str, Any]:
        problems = Counter(problem.code for problem in document.problems)
        if self._problem is not None:
            problems[self._problem] += 1
        return {
            "base": document.document_base.url,
            "layer": document.document_base.layer.value,
            "encoding": document.encoding.name,
            "problems": sorted(problems.items()),
        }


# The documents of a WARC file as rows.


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
