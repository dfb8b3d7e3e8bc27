"""Rows gathered into record batches of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any, TypeAlias

import pyarrow as pa

from linkfix.document.link_texts import encoded

__all__ = ["BATCH_BYTES", "BATCH_ROWS", "Batches", "RowBatches", "SizedRow", "storable"]

#: A batch has no more rows than these; and no more bytes, where one row has no more. What is as small as a batch of
#: links then is, the C library takes from memory that it has: for larger ones it asks the kernel, which clears it.
BATCH_ROWS = 1 << 13
BATCH_BYTES = 1 << 24

#: A row, whose fields that are not there are null, and about how many bytes it has.
SizedRow: TypeAlias = tuple[Mapping[str, Any], int]
#: Makes an iterator over the same batches or rows of another.
Wrapper: TypeAlias = Callable[[Iterator[Any]], Iterator[Any]]


class Batches:
    """Gathers rows of a schema, and gives batches."""

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema
        self._columns: list[tuple[str, list[Any]]] = [(name, []) for name in schema.names]
        self._rows = 0
        self._bytes = 0

    def add(self, row: Mapping[str, Any], size: int) -> Iterator[pa.RecordBatch]:
        """Add a row of about this many bytes; fields that it lacks are null. Yields a batch if that makes it full."""
        if self._rows and self._bytes + size > BATCH_BYTES:
            yield self._batch()
        for name, values in self._columns:
            values.append(row.get(name))
        self._rows += 1
        self._bytes += size
        if self._rows == BATCH_ROWS:
            yield self._batch()

    def rest(self) -> Iterator[pa.RecordBatch]:
        """Yield what is left."""
        if self._rows:
            yield self._batch()

    def _batch(self) -> pa.RecordBatch:
        arrays = [
            pa.array([storable(value) for value in values], type=field.type)
            for (_, values), field in zip(self._columns, self.schema, strict=True)
        ]
        batch = pa.record_batch(arrays, schema=self.schema)
        for _, values in self._columns:
            values.clear()
        self._rows = self._bytes = 0
        return batch


class RowBatches(Iterator[pa.RecordBatch]):
    """The batches that rows make; or these rows, for what would only take them out of the batches again.

    `wrapper`: wraps the iterator over what is given.
    """

    def __init__(self, rows: Generator[SizedRow], schema: pa.Schema, wrapper: Wrapper = iter) -> None:
        self.schema = schema
        #: Whether a batch was asked for: then some rows are in none that is given yet.
        self.has_begun: bool = False
        self._rows = rows
        self._wrapper = wrapper
        self._given = wrapper(_gathered(rows, schema))

    def __next__(self) -> pa.RecordBatch:
        """The next batch."""
        self.has_begun = True
        return next(self._given)

    def rows(self) -> Iterator[Mapping[str, Any]]:
        """All rows, with fields that the schema may not have."""
        return self._wrapper(row for row, _ in self._rows)

    def wrapped(self, wrapper: Wrapper) -> RowBatches:
        """The same, given by an iterator that this wraps."""
        return RowBatches(self._rows, self.schema, wrapper)

    def close(self) -> None:
        """Close what the rows are read from: there is nothing more."""
        self._rows.close()
        self._given = iter(())


def _gathered(rows: Iterator[SizedRow], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    batches = Batches(schema)
    for row, size in rows:
        yield from batches.add(row, size)
    yield from batches.rest()


def storable(value: object) -> object:
    """A value that Arrow takes: a text as `linkfix.document.link_texts.encoded` has it."""
    return encoded(value).decode() if isinstance(value, str) and not value.isascii() else value
