"""Tables of links, of pages, and of documents with absolute links, from tables of documents; and their output files."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, Unpack

import pyarrow as pa
import pyarrow.parquet as pq

from linkfix.arrow.batches import (
    BATCH_BYTES,
    BATCH_ROWS,
    PAGES_SCHEMA,
    Batches,
    absolutized_schema,
    chosen_schema,
    is_text,
    links_schema,
    with_carried,
)
from linkfix.arrow.reading import DocumentColumns, DocumentRows, Reading, RowDocument, as_batches, as_rows
from linkfix.display import json_text, write_rows
from linkfix.document.document import Document
from linkfix.errors import InvalidOption
from linkfix.kernels.columns import LinkColumns
from linkfix.kernels.link_table import LinkTable, TextCells

# Rows whose documents have absolute links, gathered into record batches of bounded size.


class AbsoluteRows:
    """The rows of a batch with new documents, in batches of the schema `absolutized_schema`.

    `problem`, `html`: the names of the columns. Raises InvalidOption if the column `problem` cannot store texts.
    """

    def __init__(self, batch: pa.RecordBatch, problem: str, html: str) -> None:
        self._batch = batch
        self._schema: pa.Schema = absolutized_schema(batch.schema, problem, html)
        type_ = self._schema.field(problem).type
        if not is_text(type_):
            message = (
                f"the column {problem!r} has the type {type_} and cannot hold problems: give another name with problem="
            )
            raise InvalidOption(message)
        self._problem = problem
        self._html = html
        stated = problem in batch.schema.names
        self._stated: list[str | None] = batch.column(problem).to_pylist() if stated else [None] * batch.num_rows
        self._old: pa.Array = batch.column(html).cast(self._schema.field(html).type)
        #: The number of rows returned, and the number of rows added.
        self._given = self._added = 0
        self._pieces: list[pa.Array] = []
        self._new: list[bytes | str] = []
        self._bytes = 0

    def add(self, new: bytes | str | None, fault: str | None) -> Iterator[pa.RecordBatch]:
        """Add the next row: its new document, or the reason why it stays. Yields a batch if it is now full."""
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
        """Yield the remaining rows."""
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


# Links gathered into record batches of bounded size, with the columns carried from the input.


#: The columns that require counting lines.
_PLACES = frozenset({"line", "column"})


class LinkBatches:
    """Gathers links into batches.

    `schema`: the chosen columns of `FILE_LINKS_SCHEMA`. `carry`: the columns to carry from the input.
    """

    def __init__(self, schema: pa.Schema, carry: Sequence[str]) -> None:
        self._columns: list[str] = schema.names
        self._carry = list(carry)
        self._has_places = not _PLACES.isdisjoint(self._columns)
        self._table = LinkTable(self._columns, BATCH_ROWS, BATCH_BYTES)
        self._chosen = self._schema = schema
        self._input: pa.RecordBatch | None = None
        #: For the links that are not returned yet: their rows in this input, and the carried columns of earlier inputs.
        self._rows: list[int] = []
        self._carried: list[list[pa.Array]] = []

    def begin(self, batch: DocumentRows) -> Iterator[pa.RecordBatch]:
        """Continue with a batch of the input. Yields a batch if the carried columns now have other types.

        Raises InvalidOption if a column to carry does not exist, or if its name is already used.
        """
        missing = [name for name in self._carry if name not in batch.schema.names]
        if missing:
            message = f"carry: no column {', '.join(map(repr, missing))} in the table"
            raise InvalidOption(message)
        schema = with_carried(self._chosen, [batch.schema.field(name) for name in self._carry])
        self._keep_carried()
        if schema != self._schema:
            yield from self.rest()
            self._schema = schema
        self._input = batch

    def add(self, page: RowDocument, path: str | None = None) -> tuple[LinkColumns | None, Iterable[pa.RecordBatch]]:
        """Add the links of a document. Returns its links (None if it has a fault), and the batches that are now full.
        Take these batches before adding the next document.

        `path`: the document's path, for a column of paths.
        """
        columns = page.ask(lambda document: self._open(document, page, path))
        if columns is None:
            return None, ()
        done = self._fill(page, 0)
        is_full = done < columns.count or self._table.count == BATCH_ROWS
        return columns, self._full(page, done, columns.count) if is_full else ()

    def _open(self, document: Document[Any], page: RowDocument, path: str | None) -> LinkColumns:
        columns = page.link_columns(document, places=self._has_places)
        more = self._carried_size(page.number) if self._carry else 0
        self._table.open(columns, page.url, more, document.column_units, path)
        return columns

    def _carried_size(self, number: int) -> int:
        """The size of the carried columns in a row of the input, in bytes."""
        batch = self._input
        return 0 if batch is None else sum(batch.column(name).slice(number, 1).nbytes for name in self._carry)

    def _fill(self, page: RowDocument, first: int) -> int:
        """Add the links of a document, from `first` on, as far as there is room. Return the number after the last."""
        done = self._table.add(first)
        if self._carry:
            self._rows += [page.number] * (done - first)
        return done

    def _full(self, page: RowDocument, done: int, count: int) -> Iterator[pa.RecordBatch]:
        """The full batch, and the batches that the rest of a document's links fill."""
        yield self._batch()
        while done < count:
            done = self._fill(page, done)
            if done < count or self._table.count == BATCH_ROWS:
                yield self._batch()

    def rest(self) -> Iterator[pa.RecordBatch]:
        """Yield the remaining links."""
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
    """The first `count` rows of a column, without copying it."""
    if isinstance(column, TextCells):
        valid = pa.py_buffer(column.valid) if column.nulls else None
        buffers = [valid, pa.py_buffer(column.offsets), pa.py_buffer(column.data)]
        return pa.Array.from_buffers(type_, count, buffers, column.nulls)
    return pa.Array.from_buffers(type_, count, [None, pa.py_buffer(column)], 0)


#: A function that receives a batch.
OnPages = Callable[[pa.RecordBatch], object]

#: The maximum size of a row of `pages` without its texts, in bytes.
_PAGE_ROW = 256


def links(
    batches: Iterable[pa.RecordBatch],
    *,
    columns: Sequence[str] | None = None,
    carry: Sequence[str] = (),
    on_pages: OnPages | None = None,
    **fields: Unpack[DocumentColumns],
) -> Iterator[pa.RecordBatch]:
    """The links of documents, as in `linkfix.links`, in batches with the schema `LINKS_SCHEMA`.

    `batches`: rows with a column of documents: a table, a dataset, or record batches. `columns`: the columns to return,
    in this order; other columns are not computed. `carry`: columns of the input that each link gets from its document's
    row. `on_pages`: receives the batches that `pages` would return, so that one pass makes both. For the other keywords
    see `DocumentColumns`.

    A `data:` URL is cut after its media type. U+FFFD replaces characters that UTF-8 cannot encode. A document that
    cannot be read has no links, but a row in `pages`. Raises InvalidOption and InvalidBase for a wrong argument.
    """
    reading = Reading(fields)
    rows = as_batches(batches) if carry else as_rows(batches)
    return _links(rows, reading, LinkBatches(links_schema(columns), carry), on_pages)


def _links(
    batches: Iterable[DocumentRows], reading: Reading, made: LinkBatches, on_pages: OnPages | None
) -> Iterator[pa.RecordBatch]:
    described = None if on_pages is None else Batches(PAGES_SCHEMA)
    for batch in batches:
        yield from made.begin(batch)
        for page in reading.documents(batch):
            found, full = made.add(page)
            yield from full
            if described is not None and on_pages is not None:
                for one in _describe(page, found, described):
                    on_pages(one)
    yield from made.rest()
    if described is not None and on_pages is not None:
        for one in described.rest():
            on_pages(one)


def _describe(page: RowDocument, found: LinkColumns | None, described: Batches) -> Iterator[pa.RecordBatch]:
    row = page.describe(0 if found is None else found.count)
    return described.add(row, _PAGE_ROW + sum(len(value) for value in row.values() if isinstance(value, str)))


def pages(
    batches: Iterable[pa.RecordBatch],
    *,
    columns: Sequence[str] | None = None,
    **fields: Unpack[DocumentColumns],
) -> Iterator[pa.RecordBatch]:
    """One row per document, in batches with the schema `PAGES_SCHEMA`. For the arguments see `links`."""
    reading = Reading(fields)
    return _pages(as_rows(batches), reading, Batches(chosen_schema(PAGES_SCHEMA, columns)))


def _pages(batches: Iterable[DocumentRows], reading: Reading, made: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for page in reading.documents(batch):
            found = page.ask(page.link_columns)
            yield from _describe(page, found, made)
    yield from made.rest()


def absolutize(batches: Iterable[pa.RecordBatch], **fields: Unpack[DocumentColumns]) -> Iterator[pa.RecordBatch]:
    """The rows of `batches`, with the links of documents absolute. The schema is `absolutized_schema` of the input's
    schema.

    A document that cannot be read stays as it is, and the column for problems says why. For the arguments see `links`.
    """
    return _absolutized(as_batches(batches), Reading(fields))


def _absolutized(batches: Iterable[pa.RecordBatch], reading: Reading) -> Iterator[pa.RecordBatch]:
    names = (reading.names["problem"] or "problem", reading.names["html"])
    for batch in batches:
        made = AbsoluteRows(batch, *names)
        for page in reading.documents(batch):
            new = page.ask(page.absolute)
            yield from made.add(new, None if page.fault is None else page.fault.code)
        yield from made.rest()


# Writers of tables to files, by the suffix of the file's name.
#
# In Parquet, URLs, which resemble the previous URL, use DELTA_BYTE_ARRAY, other texts a dictionary, and numbers
# DELTA_BINARY_PACKED. Row groups have bounded size.


#: Writes a batch.
Write = Callable[[pa.RecordBatch], object]

#: A context manager that returns a function to write batches of a schema to a file. `about` is stored in the file if
#: the format allows it.
TableFile = Callable[[BinaryIO, pa.Schema, str], Any]

#: The maximum number of rows in a row group, and its maximum size in bytes before encoding.
_GROUP_ROWS, _GROUP_BYTES = 1 << 19, 1 << 26

#: The columns with few different texts.
_WORDS = frozenset({"element", "attribute", "syntax", "role", "problem"})


class _Groups:
    """Gathers batches into row groups, and writes them."""

    def __init__(self, writer: pq.ParquetWriter) -> None:
        self._writer = writer
        self._batches: list[pa.RecordBatch] = []
        self._rows = self._bytes = 0

    def add(self, batch: pa.RecordBatch) -> None:
        if self._rows + batch.num_rows > _GROUP_ROWS or self._bytes + batch.nbytes > _GROUP_BYTES:
            self.write()
        self._batches.append(batch)
        self._rows += batch.num_rows
        self._bytes += batch.nbytes

    def write(self) -> None:
        """Write the gathered batches."""
        if self._batches:
            self._writer.write_table(pa.Table.from_batches(self._batches), row_group_size=_GROUP_ROWS)
        self._batches = []
        self._rows = self._bytes = 0


@contextmanager
def _parquet(file: BinaryIO, schema: pa.Schema, about: str) -> Iterator[Write]:
    words = [name for name in schema.names if name in _WORDS]
    encodings = {
        field.name: "DELTA_BYTE_ARRAY" if pa.types.is_string(field.type) else "DELTA_BINARY_PACKED"
        for field in schema
        if field.name not in words
    }
    with pq.ParquetWriter(
        file,
        schema.with_metadata({"linkfix": about}),
        use_dictionary=words,
        column_encoding=encodings,
        compression="zstd",
    ) as writer:
        groups = _Groups(writer)
        yield groups.add
        groups.write()


@contextmanager
def _arrow(file: BinaryIO, schema: pa.Schema, about: str) -> Iterator[Write]:
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_file(file, schema.with_metadata({"linkfix": about}), options=options) as writer:
        yield lambda batch: writer.write_batch(batch.replace_schema_metadata({"linkfix": about}))


@contextmanager
def _text(file: BinaryIO) -> Iterator[io.TextIOWrapper]:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    try:
        yield text
    finally:
        text.detach()


@contextmanager
def _csv(file: BinaryIO, schema: pa.Schema, _about: str) -> Iterator[Write]:
    with _text(file) as out:
        write_rows(out, [schema.names])
        yield lambda batch: write_rows(out, zip(*(column.to_pylist() for column in batch.columns), strict=True))


@contextmanager
def _jsonl(file: BinaryIO, _schema: pa.Schema, _about: str) -> Iterator[Write]:
    with _text(file) as out:
        yield lambda batch: out.writelines(json_text(row) + "\n" for row in batch.to_pylist())


#: Suffix -> the format of a file.
SINKS: dict[str, TableFile] = {".parquet": _parquet, ".arrow": _arrow, ".csv": _csv, ".jsonl": _jsonl}
