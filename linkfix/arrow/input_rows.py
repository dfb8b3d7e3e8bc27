"""The rows that documents come in: what each column is for, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa

from linkfix.arrow.batches import storable
from linkfix.arrow.schemas import is_document, is_text, plain_type
from linkfix.encodings.labels import get_encoding
from linkfix.errors import InvalidOption
from linkfix.files.media_types import content_type
from linkfix.model import DOCUMENT_KINDS, PROBLEMS
from linkfix.named_tuple import NamedTuple

__all__ = ["ColumnNames", "InputRow", "RowFault", "as_batches", "check_names", "input_rows"]


class ColumnNames(NamedTuple):
    """What the columns of the input are called."""

    html: str
    url: str | None
    charset: str | None
    media_type: str | None
    content_security_policy: str | None
    problem: str | None
    detail: str | None


#: The columns that an input may lack.
_OPTIONAL = ColumnNames("html", "url", "charset", "media_type", "content_security_policy", "problem", "detail")


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
    media_type: str | None
    content_security_policy: str | None
    html: bytes | str
    fault: RowFault | None
    """Why `html` is not to be read; it is empty then."""
    problem: str | None
    """The problem that the input states."""
    size: int
    """Of the document, in bytes."""


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


def input_rows(batch: pa.RecordBatch, names: ColumnNames, max_size: int) -> Iterator[InputRow]:
    """The rows of a batch. Raises InvalidOption for a column that is named and is not there."""
    columns: dict[str, pa.Array] = {}
    for field, name in zip(ColumnNames._fields, names, strict=True):
        if name is not None and name in batch.schema.names:
            columns[field] = batch.column(name).cast(plain_type(batch.schema.field(name).type))
        elif name is not None and field not in _REMARKS and (field in {"html", "url"} or name not in _OPTIONAL):
            message = f"no column {name!r}: the table has {', '.join(map(repr, batch.schema.names)) or 'none'}"
            raise InvalidOption(message)
    wrong = None
    for field, column in columns.items():
        fits = is_document(column.type) if field == "html" else is_text(column.type) or field in _REMARKS
        if not fits and not pa.types.is_null(column.type) and wrong is None:
            wrong = RowFault("column-type", f"{getattr(names, field)!r} is of {column.type}")
    for number in range(batch.num_rows):
        yield _input_row(columns, number, max_size, wrong)


def _input_row(columns: dict[str, pa.Array], number: int, max_size: int, wrong: RowFault | None) -> InputRow:
    fault = wrong
    texts: dict[str, str | None] = {}
    for field, column in columns.items():
        if field != "html" and is_text(column.type):
            try:
                texts[field] = column[number].as_py()
            except UnicodeDecodeError:
                fault = fault or RowFault("column-type", f"the {field} is not in UTF-8")
    media_type, charset = texts.get("media_type"), texts.get("charset")
    if media_type is not None:
        media_type, stated = content_type(media_type)
        charset = charset or stated
        if media_type and media_type not in DOCUMENT_KINDS:
            fault = fault or RowFault("media-type", media_type[:100])
    problem = texts.get("problem")
    if charset and get_encoding(charset.encode("utf-8", "replace")) is None:
        charset, problem = None, problem or "charset-unknown"
    html, size = None, 0
    if fault is None:
        html, size, fault = _document(columns["html"][number], max_size)
        if fault is not None and fault.code == "document-missing" and problem in PROBLEMS:
            fault = RowFault(problem, str(storable(texts.get("detail") or ""))[:1000])
    policy = texts.get("content_security_policy") or None
    return InputRow(texts.get("url"), charset or None, media_type or None, policy, html or b"", fault, problem, size)


def _document(value: pa.Scalar, max_size: int) -> tuple[bytes | str | None, int, RowFault | None]:
    """A document, its size in bytes, and why it is not read."""
    if not value.is_valid:
        return None, 0, RowFault("document-missing", "")
    size = value.as_buffer().size
    if size > max_size:
        return None, size, RowFault("too-large", f"{size:,} bytes, more than {max_size:,}")
    try:
        return value.as_py(), size, None
    except UnicodeDecodeError:
        return None, size, RowFault("column-type", "the text is not in UTF-8")
