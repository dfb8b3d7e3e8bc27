"""Writers of tables to files, by the suffix of the file's name.

In Parquet, URLs, which resemble the previous URL, use DELTA_BYTE_ARRAY, other texts a dictionary, and numbers
DELTA_BINARY_PACKED. Row groups have bounded size.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from linkfix.display import json_text, write_rows

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
