"""WARC files read by Spark's own file systems, with their credentials and connectors.

Spark has no data source that streams a file unchanged: `binaryFile` loads it whole, in memory. But the `text` source
streams. We put its line separators back, and use Hadoop's codec that decompresses nothing. Each file is one partition,
and becomes a temporary file of the worker.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial, reduce
from itertools import groupby
from operator import itemgetter
from typing import BinaryIO, TypeAlias, Unpack

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col
from pyspark.sql.pandas.types import from_arrow_schema

from linkfix.arrow.reading import DocumentColumns
from linkfix.containers.formats import CONTAINERS
from linkfix.errors import InvalidOption
from linkfix.spark.tables import ArchiveTable, archive_table

#: The suffixes of WARC files in a folder.
SUFFIXES = CONTAINERS["warc"].suffixes

#: The separator between pieces: any byte that is frequent in compressed data and in text.
_SEPARATOR = b"\n"
_CODEC = "org.apache.hadoop.io.compress.PassthroughCodec"
#: The options with the file suffix for the codec: Hadoop's own name, and the name in its client library for Spark.
_CODEC_EXTENSIONS = ("io.compress.passthrough.extension", "org.apache.hadoop.shaded.io.compress.passthrough.extension")

#: A file's URL, its size, and a piece of it.
_Piece: TypeAlias = tuple[str, int, bytes]


class ReadColumns(DocumentColumns, total=False):
    """Further keywords of `read`, including keywords of `linkfix.arrow.warc`."""

    media_types: Collection[str]
    """The media types of documents to read, of the ones that linkfix reads."""


def read(
    spark: SparkSession,
    table: str,
    paths: str | Sequence[str],
    *,
    columns: Sequence[str] | None = None,
    **fields: Unpack[ReadColumns],
) -> DataFrame:
    """A table of WARC files that only Spark can open. For other files, use `spark.read.format(f"linkfix-{table}")`.

    `table`: warc, links or pages. `paths`: paths for Spark; in a folder, all files with a name of a WARC file are read.
    `columns`: the columns to return, in this order. For the other keywords see `linkfix.arrow.warc` and
    `linkfix.arrow.links`.

    Raises InvalidOption and InvalidBase for a wrong argument, and if there is no file.
    """
    made = archive_table(table, columns, dict(fields))
    named = list(dict.fromkeys([paths] if isinstance(paths, str) else paths))
    frames = [frame for suffix in SUFFIXES for frame in [_pieces(spark, named, suffix)] if frame.inputFiles()]
    if not frames:
        message = f"no WARC file in {', '.join(named)}: they are named *{', *'.join(SUFFIXES)}"
        raise InvalidOption(message)
    return reduce(DataFrame.union, frames).mapInArrow(partial(_rows, made), from_arrow_schema(made.schema))


def _pieces(spark: SparkSession, paths: list[str], suffix: str) -> DataFrame:
    """The pieces of all files whose names end with `suffix`, in order, each with its file's URL and size."""
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
    """The rows of a task's files."""
    for (name, size), pieces in groupby(_joined(batches), key=itemgetter(0, 1)):
        with tempfile.TemporaryFile(dir=_folder()) as file:
            _write(file, name, size, (piece for _, _, piece in pieces))
            yield from table.read(file, name)


def _joined(batches: Iterable[pa.RecordBatch]) -> Iterator[_Piece]:
    """The pieces, with the pieces of one file in one batch joined."""
    import pyarrow.compute as pc  # loading it takes as long as all of linkfix.arrow, and few workers need it

    for batch in batches:
        names, sizes, pieces = batch.columns
        runs = pc.run_end_encode(names)
        start = 0
        for name, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
            yield name, sizes[start].as_py(), _SEPARATOR.join(pieces.slice(start, end - start).to_pylist())
            start = end


def _write(file: BinaryIO, name: str, size: int, pieces: Iterator[bytes]) -> None:
    """Assemble a file from its pieces. Raises OSError if the result has another size than the file."""
    file.write(next(pieces))
    for piece in pieces:
        file.write(_SEPARATOR)
        file.write(piece)
    if file.tell() == size - len(_SEPARATOR):
        file.write(_SEPARATOR)  # a separator at the end of a file begins no piece
    if file.tell() != size:
        message = f"Spark read {file.tell():,} bytes of {name}, which has {size:,} bytes"
        raise OSError(message)
    file.seek(0)


def _folder() -> str | None:
    """The folder for temporary files of Spark's workers; None: the system's folder."""
    folder = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0]
    return folder if os.path.isdir(folder) else None
