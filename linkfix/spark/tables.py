"""What each table is made by, and what it says of a document that its process did not survive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from linkfix import arrow

__all__ = ["Table"]

_Batches: TypeAlias = Iterator[pa.RecordBatch]


class Table(NamedTuple):
    """A table that is made of documents. It can be pickled if its keywords can."""

    name: str
    """links, pages or absolutize."""
    keywords: Mapping[str, Any]
    """Those of the function of that name in `linkfix.arrow`."""

    def __call__(self, documents: Iterable[pa.RecordBatch]) -> _Batches:
        """Its batches."""
        return _KINDS[self.name].make(documents, **self.keywords)

    def of_lost(self, document: pa.RecordBatch, code: str, detail: str) -> _Batches:
        """Its batches for the only row of a batch, whose document nobody can read. `code`: one of `PROBLEMS`."""
        return _KINDS[self.name].of_lost(self, document, code, detail)

    def column(self, field: str) -> str:
        """What a column of the documents is called."""
        return str(self.keywords.get(field) or field)


class _TableKind(NamedTuple):
    make: Callable[..., _Batches]
    of_lost: Callable[[Table, pa.RecordBatch, str, str], _Batches]


def _none(_table: Table, _document: pa.RecordBatch, _code: str, _detail: str) -> _Batches:
    """A document that is not read has no links."""
    return iter(())


def _described(table: Table, document: pa.RecordBatch, code: str, detail: str) -> _Batches:
    """The row of a document that is missing, with this problem."""
    html = table.column("html")
    nothing = pa.nulls(1, document.schema.field(html).type)
    for name, value in ((html, nothing), (table.column("problem"), [code]), (table.column("detail"), [detail])):
        document = _with_column(document, name, value)
    return table([document])


def _marked(table: Table, document: pa.RecordBatch, code: str, _detail: str) -> _Batches:
    """The row as it is, with this problem."""
    return iter([_with_column(document, table.column("problem"), [code])])


def _with_column(batch: pa.RecordBatch, name: str, values: Any) -> pa.RecordBatch:  # noqa: ANN401 - an array or a list
    number = batch.schema.get_field_index(name)
    if number < 0:
        return batch.append_column(pa.field(name, pa.string()), pa.array(values, pa.string()))
    field = batch.schema.field(number)
    return batch.set_column(number, field, pa.array(values, field.type) if isinstance(values, list) else values)


_KINDS = {
    "links": _TableKind(arrow.links, _none),
    "pages": _TableKind(arrow.pages, _described),
    "absolutize": _TableKind(arrow.absolutize, _marked),
}
