"""The rows that documents come in: what each column is for, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from linkfix.arrow.batches import RowBatches, storable
from linkfix.arrow.schemas import is_document, is_text, plain_type
from linkfix.document.link_texts import encoded
from linkfix.encodings.labels import get_encoding
from linkfix.errors import InvalidOption
from linkfix.files.mime_sniffing import HEADER, DeclaredType, extract_mime_type
from linkfix.model import DOCUMENT_KINDS, PROBLEMS

__all__ = ["ColumnNames", "DocumentRows", "InputRow", "RowFault", "as_batches", "as_rows", "check_names", "input_rows"]

#: What gives rows of documents.
DocumentRows: TypeAlias = "pa.RecordBatch | RowBatches"


class ColumnNames(NamedTuple):
    """What the columns of the input are called."""

    html: str
    url: str | None
    charset: str | None
    identified_charset: str | None
    media_type: str | None
    content_security_policy: str | None
    problem: str | None
    detail: str | None


#: The columns that an input may lack.
_OPTIONAL = ColumnNames(*ColumnNames._fields)


#: Those of texts, in the order of `_Cells`.
_TEXTS = ColumnNames._fields[1:]
#: Those that only say more: of another type, they are about something else.
_REMARKS = frozenset({"problem", "detail"})


class RowFault(NamedTuple):
    """Why a row's document is not read."""

    code: str
    """A code of `PROBLEMS`."""
    detail: str
    """More about it, or ""."""


class InputRow(NamedTuple):
    """A row of the input."""

    url: str | None
    charset: str | None
    identified_charset: str | None
    media_type: str | None
    content_security_policy: str | None
    html: bytes | str
    fault: RowFault | None
    """Why `html` is not to be read; it is empty then."""
    problem: str | None
    """The problem that the input states."""
    size: int
    """Of the document, in bytes."""


#: The cells of a row: the document (bytes, a text or None; or a scalar of Arrow), the texts, and why one of the texts
#: cannot be read.
_Cells: TypeAlias = tuple[Any, list[str | None], RowFault | None]


def check_names(names: ColumnNames) -> None:
    """Raise InvalidOption for what is no name of a column; only documents need one."""
    for field, name in zip(ColumnNames._fields, names, strict=True):
        if not isinstance(name, str) and (name is not None or field == "html"):
            raise InvalidOption.of(field, name, "the name of a column")


def as_batches(table: Any) -> Iterable[pa.RecordBatch]:  # noqa: ANN401 - what pyarrow has many types for
    """The batches of a table, of a dataset, of one batch, or of what gives batches."""
    if isinstance(table, pa.RecordBatch):
        return (table,)
    to_batches: Callable[[], Iterable[pa.RecordBatch]] | None = getattr(table, "to_batches", None)
    return table if to_batches is None else to_batches()


def as_rows(table: Any) -> Iterable[DocumentRows]:  # noqa: ANN401 - as above
    """The same; what makes batches of rows gives these as they are, which saves two copies of each document."""
    if isinstance(table, RowBatches) and not table.has_begun:
        return (table,)
    return as_batches(table)


def input_rows(batch: DocumentRows, names: ColumnNames, max_size: int) -> Iterator[InputRow]:
    """The rows of a batch. Raises InvalidOption for a column that is named and is not there."""
    schema: pa.Schema = batch.schema
    columns: dict[str, str] = {}
    for field, name in zip(ColumnNames._fields, names, strict=True):
        if name is not None and name in schema.names:
            columns[field] = name
        elif name is not None and field not in _REMARKS and (field in {"html", "url"} or name not in _OPTIONAL):
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
            wrong = RowFault("column-type", f"{name!r} is of {type_}")
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


def _input_row(cell: Any, texts: list[str | None], max_size: int, fault: RowFault | None) -> InputRow:  # noqa: ANN401 - see `_Cells`
    url, charset, identified, media_type, policy, problem, detail = texts
    type_ = DeclaredType(extract_mime_type([media_type])) if media_type else None
    if type_ is not None:
        charset = charset or type_.own.charset
        if not type_.may_be(DOCUMENT_KINDS):
            fault = fault or RowFault("media-type", type_.own.essence[:100])
    charsets = [
        None if label and get_encoding(label.encode("utf-8", "replace")) is None else label
        for label in (charset, identified)
    ]
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
    return encoded(head) if isinstance(head, str) else head


def _document(cell: Any, max_size: int) -> tuple[bytes | str | None, int, RowFault | None]:  # noqa: ANN401 - see `_Cells`
    """A document, its size in bytes, and why it is not read."""
    is_scalar = isinstance(cell, pa.Scalar)
    if cell is None or (is_scalar and not cell.is_valid):
        return None, 0, RowFault("document-missing", "")
    size = cell.as_buffer().size if is_scalar else len(encoded(cell) if isinstance(cell, str) else cell)
    if size > max_size:
        return None, size, RowFault("too-large", f"{size:,} bytes, more than {max_size:,}")
    try:
        html: Any = cell.as_py() if is_scalar else storable(cell)
    except UnicodeDecodeError:
        return None, size, RowFault("column-type", "the text is not in UTF-8")
    return html, size, None
