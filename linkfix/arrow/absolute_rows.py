"""Rows whose documents have absolute links, gathered into record batches of bounded size."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from linkfix.arrow.batches import BATCH_BYTES
from linkfix.arrow.schemas import absolutized_schema, is_text
from linkfix.errors import InvalidOption

__all__ = ["AbsoluteRows"]


class AbsoluteRows:
    """The rows of a batch with new documents, in batches of the schema `absolutized_schema`.

    `problem`, `html`: what the columns are called. Raises InvalidOption where problems cannot be stored.
    """

    def __init__(self, batch: pa.RecordBatch, problem: str, html: str) -> None:
        self._batch = batch
        self._schema: pa.Schema = absolutized_schema(batch.schema, problem, html)
        type_ = self._schema.field(problem).type
        if not is_text(type_):
            message = f"the column {problem!r} is of {type_}, no place for problems: give problem= another name"
            raise InvalidOption(message)
        self._problem = problem
        self._html = html
        stated = problem in batch.schema.names
        self._stated: list[str | None] = batch.column(problem).to_pylist() if stated else [None] * batch.num_rows
        self._old: pa.Array = batch.column(html).cast(self._schema.field(html).type)
        #: How many rows were given, and how many added.
        self._given = self._added = 0
        self._pieces: list[pa.Array] = []
        self._new: list[bytes | str] = []
        self._bytes = 0

    def add(self, new: bytes | str | None, fault: str | None) -> Iterator[pa.RecordBatch]:
        """Add the next row, with its new document or the reason why it stays. Yields a batch if that makes it full."""
        if new is None:
            self._close_new()
            self._pieces.append(self._old.slice(self._added, 1))
            self._stated[self._added] = self._stated[self._added] or fault
        else:
            self._new.append(new)
            self._bytes += len(new)
        self._added += 1
        if self._bytes >= BATCH_BYTES:
            yield from self.rest()

    def _close_new(self) -> None:
        if self._new:
            self._pieces.append(pa.array(self._new, self._old.type))
            self._new = []

    def rest(self) -> Iterator[pa.RecordBatch]:
        """Yield what is left."""
        self._close_new()
        if not self._pieces:
            return
        start, end = self._given, self._added
        made = {
            self._html: pa.concat_arrays(self._pieces),
            self._problem: pa.array(self._stated[start:end], self._schema.field(self._problem).type),
        }
        rows = self._batch.slice(start, end - start)
        arrays = [made[name] if name in made else rows.column(name) for name in self._schema.names]
        self._given, self._pieces, self._bytes = end, [], 0
        yield pa.record_batch(arrays, schema=self._schema)
