"""WARC files that Spark reads: through its own file systems, with the credentials and connectors that these have.

Spark has no data source that gives a file in pieces, as it is: `binaryFile` has it whole, in memory. But that for text
does, with a separator of lines that is put back, and with the codec of Hadoop that decompresses nothing. Each file is
one partition, and becomes a temporary file of the worker.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial, reduce
from itertools import groupby
from operator import itemgetter
from typing import Any, BinaryIO, TypeAlias, Unpack

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col
from pyspark.sql.pandas.types import from_arrow_schema

from linkfix.arrow.reading import DocumentColumns
from linkfix.errors import InvalidOption
from linkfix.spark.paths import SUFFIXES
from linkfix.spark.sources import ArchiveTable, archive_table

#: The separator that pieces are cut at: any byte that is frequent in compressed data and in text.
_SEPARATOR = b"\n"
_CODEC = "org.apache.hadoop.io.compress.PassthroughCodec"
#: The options that say which files the codec is for: Hadoop's own, and as its client library for Spark has it.
_CODEC_EXTENSIONS = ("io.compress.passthrough.extension", "org.apache.hadoop.shaded.io.compress.passthrough.extension")

#: A file's URL, its size, and a piece of it.
_Piece: TypeAlias = tuple[str, int, bytes]


class ReadColumns(DocumentColumns, total=False):
    """Further keywords of `read`: those of `linkfix.arrow.warc` too."""

    media_types: Collection[str]
    """Those of documents, of those that linkfix reads."""


def read(
    spark: SparkSession,
    table: str,
    paths: str | Sequence[str],
    *,
    columns: Sequence[str] | None = None,
    **fields: Unpack[ReadColumns],
) -> DataFrame:
    """A table of WARC files that only Spark can open: what `spark.read.format(f"linkfix-{table}")` is for others.

    `table`: warc, links or pages. `paths`: what Spark takes; of a folder, all that are named as WARC files. `columns`:
    only these, in this order. For the other keywords see `linkfix.arrow.warc` and `linkfix.arrow.links`.

    Raises InvalidOption and InvalidBase for a wrong argument, and where there is no file.
    """
    documents: dict[str, Any] = dict(fields)
    archives = {name: value for name, value in documents.items() if name in {"max_size", "media_types"}}
    documents.pop("media_types", None)
    made = archive_table(table, columns, archives, documents)
    named = list(dict.fromkeys([paths] if isinstance(paths, str) else paths))
    frames = [frame for suffix in SUFFIXES for frame in [_pieces(spark, named, suffix)] if frame.inputFiles()]
    if not frames:
        message = f"no WARC file in {', '.join(named)}: they are named *{', *'.join(SUFFIXES)}"
        raise InvalidOption(message)
    return reduce(DataFrame.union, frames).mapInArrow(partial(_rows, made), from_arrow_schema(made.schema))


def _pieces(spark: SparkSession, paths: list[str], suffix: str) -> DataFrame:
    """The pieces of all files with a name that ends so, in order, each with the URL of its file and its size."""
    options = {
        "pathGlobFilter": f"*{suffix}",
        "recursiveFileLookup": "true",
        "lineSep": _SEPARATOR.decode(),
        "io.compression.codecs": _CODEC,
        **dict.fromkeys(_CODEC_EXTENSIONS, suffix),
    }
    frame = spark.read.format("text").options(**options).load(paths)
    return frame.select(col("_metadata.file_path"), col("_metadata.file_size"), col("value").cast("binary"))


def _rows(table: ArchiveTable, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows of the files that a task has."""
    for (name, size), pieces in groupby(_joined(batches), key=itemgetter(0, 1)):
        with tempfile.TemporaryFile(dir=_folder()) as file:
            _write(file, name, size, (piece for _, _, piece in pieces))
            yield from table.read(file, name)


def _joined(batches: Iterable[pa.RecordBatch]) -> Iterator[_Piece]:
    """The pieces, those of one batch and one file joined."""
    import pyarrow.compute as pc  # it takes a worker as long as all of linkfix.arrow, and few need it

    for batch in batches:
        names, sizes, pieces = batch.columns
        runs = pc.run_end_encode(names)
        start = 0
        for name, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
            yield name, sizes[start].as_py(), _SEPARATOR.join(pieces.slice(start, end - start).to_pylist())
            start = end


def _write(file: BinaryIO, name: str, size: int, pieces: Iterator[bytes]) -> None:
    """Put a file together. Raises OSError where that is not the file."""
    file.write(next(pieces))
    for piece in pieces:
        file.write(_SEPARATOR)
        file.write(piece)
    if file.tell() == size - len(_SEPARATOR):
        file.write(_SEPARATOR)  # one at the end begins no piece
    if file.tell() != size:
        message = f"Spark gave {file.tell():,} bytes of {name}, which has {size:,}"
        raise OSError(message)
    file.seek(0)


def _folder() -> str | None:
    """Where Spark has its workers put temporary files; None for that of the system."""
    folder = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0]
    return folder if os.path.isdir(folder) else None
