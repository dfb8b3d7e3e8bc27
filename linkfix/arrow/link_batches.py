"""Links gathered into record batches of bounded size, with the columns that are carried from the input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from linkfix.arrow.batches import BATCH_BYTES, BATCH_ROWS
from linkfix.arrow.input_rows import DocumentRows
from linkfix.arrow.reading import RowDocument
from linkfix.arrow.schemas import LINKS_SCHEMA, chosen_schema, links_schema
from linkfix.document.columns import LinkColumns
from linkfix.document.document import Document
from linkfix.document.link_table import LinkTable
from linkfix.document.text_cells import TextCells
from linkfix.errors import InvalidOption

__all__ = ["LinkBatches"]

#: The columns that lines have to be counted for.
_PLACES = frozenset({"line", "column"})


class LinkBatches:
    """Gathers links, and gives batches.

    `columns`: those of `LINKS_SCHEMA`, None for all. `carry`: those of the input.
    """

    def __init__(self, columns: Sequence[str] | None, carry: Sequence[str]) -> None:
        self._columns = chosen_schema(LINKS_SCHEMA, columns).names
        self._carry = list(carry)
        self._has_places = not _PLACES.isdisjoint(self._columns)
        self._table = LinkTable(self._columns, BATCH_ROWS, BATCH_BYTES)
        self._schema: pa.Schema = links_schema(self._columns)
        self._input: pa.RecordBatch | None = None
        #: Of the links that are not given yet: the rows of this input that they are from, and what others have carried.
        self._rows: list[int] = []
        self._carried: list[list[pa.Array]] = []

    def begin(self, batch: DocumentRows) -> Iterator[pa.RecordBatch]:
        """Go on with a batch of the input. Yields a batch if what it carries is of other types.

        Raises InvalidOption where there is no column that is to be carried, or one of that name already.
        """
        missing = [name for name in self._carry if name not in batch.schema.names]
        if missing:
            message = f"carry: no column {', '.join(map(repr, missing))} in the table"
            raise InvalidOption(message)
        schema = links_schema(self._columns, [batch.schema.field(name) for name in self._carry])
        self._keep_carried()
        if schema != self._schema:
            yield from self.rest()
            self._schema = schema
        self._input = batch

    def add(self, page: RowDocument, more: int = 0) -> tuple[LinkColumns | None, Iterable[pa.RecordBatch]]:
        """Add the links of a document. Returns them, None where it has a fault, and the batches that they make full,
        which have to be taken before the next document.

        `more`: how many bytes each row gets elsewhere.
        """
        columns = page.ask(lambda document: self._open(document, page, more))
        if columns is None:
            return None, ()
        done = self._fill(page, 0)
        is_full = done < columns.count or self._table.count == BATCH_ROWS
        return columns, self._full(page, done, columns.count) if is_full else ()

    def _open(self, document: Document[Any], page: RowDocument, more: int) -> LinkColumns:
        columns = page.link_columns(document, places=self._has_places)
        more += self._carried_size(page.number) if self._carry else 0
        self._table.open(columns, page.url, more, document.column_units)
        return columns

    def _carried_size(self, number: int) -> int:
        """How many bytes the columns that are carried have in a row of the input."""
        batch = self._input
        return 0 if batch is None else sum(batch.column(name).slice(number, 1).nbytes for name in self._carry)

    def _fill(self, page: RowDocument, first: int) -> int:
        """Add the links of a document from that number on, as far as there is room. Returns where that ends."""
        done = self._table.add(first)
        if self._carry:
            self._rows += [page.number] * (done - first)
        return done

    def _full(self, page: RowDocument, done: int, count: int) -> Iterator[pa.RecordBatch]:
        """The batch that is full, and those that the rest of a document's links fill."""
        yield self._batch()
        while done < count:
            done = self._fill(page, done)
            if done < count or self._table.count == BATCH_ROWS:
                yield self._batch()

    def rest(self) -> Iterator[pa.RecordBatch]:
        """Yield what is left."""
        if self._table.count:
            yield self._batch()

    def _keep_carried(self) -> None:
        if self._input is not None and self._rows:
            rows = pa.array(self._rows, pa.int32())
            self._carried.append([self._input.column(name).take(rows) for name in self._carry])
            self._rows = []

    def _batch(self) -> pa.RecordBatch:
        self._keep_carried()
        count = self._table.count
        arrays = [
            _array(column, count, self._schema.field(number).type) for number, column in enumerate(self._table.take())
        ]
        arrays += [pa.concat_arrays(pieces) for pieces in zip(*self._carried, strict=True)]
        self._carried = []
        return pa.record_batch(arrays, schema=self._schema)


def _array(column: object, count: int, type_: pa.DataType) -> pa.Array:
    """The first rows of a column, without copying it."""
    if isinstance(column, TextCells):
        valid = pa.py_buffer(column.valid) if column.nulls else None
        buffers = [valid, pa.py_buffer(column.offsets), pa.py_buffer(column.data)]
        return pa.Array.from_buffers(type_, count, buffers, column.nulls)
    return pa.Array.from_buffers(type_, count, [None, pa.py_buffer(column)], 0)
