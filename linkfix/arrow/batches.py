"""The schemas of tables, and rows gathered into record batches of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import pyarrow as pa

from linkfix.constraints import check
from linkfix.encodings.encoding import to_utf8
from linkfix.errors import InvalidOption
from linkfix.model import LINK_NUMBERS, Link

#: The maximum number of rows in a batch, and its maximum size in bytes unless it has a single row. For batches of this
#: size, the C library reuses its memory; for larger ones, it asks the kernel, which clears the memory first.
BATCH_ROWS = 1 << 13

BATCH_BYTES = 1 << 24

#: A row and its approximate size in bytes. Missing fields are null.
SizedRow: TypeAlias = tuple[Mapping[str, Any], int]

#: Wraps an iterator in another iterator over the same batches or rows.
Wrapper: TypeAlias = Callable[[Iterator[Any]], Iterator[Any]]


class Batches:
    """Gathers rows of a schema into batches."""

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema
        self._columns: list[tuple[str, list[Any]]] = [(name, []) for name in schema.names]
        self._rows = 0
        self._bytes = 0

    def add(self, row: Mapping[str, Any], size: int) -> Iterator[pa.RecordBatch]:
        """Add a row of about `size` bytes; missing fields are null. Yields a batch if it is now full."""
        if self._rows and self._bytes + size > BATCH_BYTES:
            yield self._batch()
        for name, values in self._columns:
            values.append(row.get(name))
        self._rows += 1
        self._bytes += size
        if self._rows == BATCH_ROWS:
            yield self._batch()

    def rest(self) -> Iterator[pa.RecordBatch]:
        """Yield the remaining rows."""
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
    """The batches of given rows; or the rows themselves, for callers that would only take them out of the batches
    again.

    `wrapper`: wraps the iterator over the batches or rows.
    """

    def __init__(self, rows: Generator[SizedRow], schema: pa.Schema, wrapper: Wrapper = iter) -> None:
        self.schema = schema
        #: Whether a batch was requested. If so, some rows may be read already but not yet in a returned batch.
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
        """A copy whose iterator over the rows is wrapped by `wrapper`."""
        return RowBatches(self._rows, self.schema, wrapper)

    def close(self) -> None:
        """Close the source of the rows, and return no more batches."""
        self._rows.close()
        self._given = iter(())


def _gathered(rows: Iterator[SizedRow], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    batches = Batches(schema)
    for row, size in rows:
        yield from batches.add(row, size)
    yield from batches.rest()


def storable(value: object) -> object:
    """A value that Arrow accepts: a text is converted by `linkfix.encodings.encoding.to_utf8`."""
    return to_utf8(value).decode() if isinstance(value, str) and not value.isascii() else value


# The schemas of tables, and the selection of their columns.


#: The default maximum size of a document, in bytes.
MAX_SIZE = 1 << 23

#: The highest possible `max_size`, in bytes: offsets in columns are 32-bit numbers.
_LARGEST = (1 << 31) - 1

#: The documents of a WARC file: see `linkfix.arrow.reading.warc`.
WARC_SCHEMA: pa.Schema = pa.schema(
    [
        ("url", pa.string()),
        ("date", pa.timestamp("us", tz="UTC")),
        ("status", pa.int16()),
        ("media_type", pa.string()),
        ("charset", pa.string()),
        ("identified_charset", pa.string()),
        ("content_security_policy", pa.string()),
        ("html", pa.binary()),
        ("file", pa.string()),
        ("offset", pa.int64()),
        ("length", pa.int64()),
        ("problem", pa.string()),
        ("detail", pa.string()),
    ]
)

#: The links of documents: the page's URL, and the fields of `linkfix.Link`.
LINKS_SCHEMA: pa.Schema = pa.schema(
    [(name, pa.int32() if name in LINK_NUMBERS else pa.string()) for name in ("page", *Link._fields)]
)

#: The links of files: the document's path, and the columns of `LINKS_SCHEMA`.
FILE_LINKS_SCHEMA: pa.Schema = pa.schema([("path", pa.string()), *LINKS_SCHEMA])

#: One row per document: its URL, its base URL and the layer that gave it, its encoding, its size in bytes. Then its
#: number of links, the count of each problem, the problem that kept it from being read (or null), and that problem's
#: detail.
PAGES_SCHEMA: pa.Schema = pa.schema(
    [
        ("page", pa.string()),
        ("base", pa.string()),
        ("layer", pa.string()),
        ("encoding", pa.string()),
        ("size", pa.int64()),
        ("links", pa.int32()),
        ("problems", pa.map_(pa.string(), pa.int32())),
        ("problem", pa.string()),
        ("detail", pa.string()),
    ]
)


def check_max_size(size: int) -> None:
    """Raise InvalidOption if a value is not a valid limit of a document's size."""
    option = "max_size"
    check(option, size)
    if size > _LARGEST:
        raise InvalidOption.of(option, size, f"a whole number of bytes up to {_LARGEST:,}")


def chosen_schema(schema: pa.Schema, columns: Sequence[str] | None) -> pa.Schema:
    """The schema of the chosen columns, in order; None: all. Raises InvalidOption for an unknown or repeated name."""
    if columns is None:
        return schema
    if isinstance(columns, str):
        message = f"columns is the string {columns!r}: give a list of names"
        raise InvalidOption(message)
    unknown = [name for name in columns if name not in schema.names]
    if unknown:
        message = f"no column {', '.join(map(repr, unknown))}: the columns are {', '.join(schema.names)}"
        raise InvalidOption(message)
    if len(set(columns)) < len(columns):
        message = f"a column is given twice in {', '.join(columns)}"
        raise InvalidOption(message)
    return pa.schema([schema.field(name) for name in columns])


def links_schema(columns: Sequence[str] | None = None, carried: Iterable[pa.Field] = ()) -> pa.Schema:
    """The schema of the batches of `links`: the chosen columns, followed by the columns carried from its input.

    Raises InvalidOption for an unknown column, and for a name that would occur twice.
    """
    return with_carried(chosen_schema(LINKS_SCHEMA, columns), list(carried))


def with_carried(chosen: pa.Schema, carried: list[pa.Field]) -> pa.Schema:
    """The schema of chosen columns and carried ones. Raises InvalidOption for a name that would occur twice."""
    names = chosen.names + [field.name for field in carried]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        message = (
            f"carry: the table would have two columns {', '.join(map(repr, twice))}; rename the columns of the input"
        )
        raise InvalidOption(message)
    return pa.schema([*chosen, *carried])


def absolutized_schema(schema: pa.Schema, problem: str = "problem", html: str = "html") -> pa.Schema:
    """The schema of the batches of `absolutize` for a given input schema. It always has a column for problems, and its
    documents can have any length. `problem`, `html`: the names of these columns.
    """
    if html in schema.names:
        schema = schema.set(schema.names.index(html), schema.field(html).with_type(plain_type(schema.field(html).type)))
    return schema if problem in schema.names else schema.append(pa.field(problem, pa.string()))


def plain_type(type_: pa.DataType) -> pa.DataType:
    """The type of a column's values, without a dictionary and without a fixed length."""
    if pa.types.is_dictionary(type_):
        return plain_type(type_.value_type)
    return pa.binary() if pa.types.is_fixed_size_binary(type_) else type_


def is_text(type_: pa.DataType) -> bool:
    """Whether a column of this type holds texts."""
    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_string_view(type_))


def is_document(type_: pa.DataType) -> bool:
    """Whether a column of this type can hold documents: texts or bytes."""
    is_binary = pa.types.is_binary(type_) or pa.types.is_large_binary(type_) or pa.types.is_binary_view(type_)
    return bool(is_binary or is_text(type_))
