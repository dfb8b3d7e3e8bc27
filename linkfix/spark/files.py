"""WARC files read by Spark's own file systems, with their credentials and connectors.

Spark has no data source that streams a file unchanged: `binaryFile` loads it whole, in memory. But the `text` source
streams. We put its line separators back, and use Hadoop's codec that decompresses nothing. Each file is one partition,
and becomes a temporary file of the worker.
"""

from __future__ import annotations

import glob
import io
import os
import re
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import partial, reduce
from itertools import groupby
from operator import itemgetter
from typing import Any, BinaryIO, NamedTuple, TypeAlias, Unpack, cast

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col
from pyspark.sql.pandas.types import from_arrow_schema

from linkfix.arrow.reading import DocumentColumns
from linkfix.errors import InvalidOption
from linkfix.spark.sources import ArchiveTable, archive_table

# The files of a table, and their slices.
#
# Paths without a scheme are paths of this machine and of any mounted file system. URLs (`s3://`, `gs://`, `abfs://`,
# `hdfs://`, `file://`) are read by pyarrow's file systems, on the workers and without a Java machine. Their credentials
# come from the workers' environment, not from Spark. `linkfix.spark.read` reads files that only Spark can open.


#: The suffixes of WARC files in a folder.
SUFFIXES = (".warc", ".warc.gz", ".warc.zst")

#: The default size of a partition, in bytes: the size by which Spark divides its own files.
SLICE_SIZE = 1 << 27

#: The size of a read from a remote file, in bytes.
_BUFFER = 1 << 22

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")

_SPECIAL = re.compile(r"[*?\[]")

#: Hadoop's scheme of a file system -> pyarrow's name.
_SCHEMES = {"s3a": "s3", "s3n": "s3", "gs": "gs", "abfss": "abfss"}


class FileSlice(NamedTuple):
    """A slice of a file."""

    path: str
    """A local path, or a URL."""
    start: int
    """The start of the slice, in bytes."""
    end: int


class _ListedFile(NamedTuple):
    path: str
    size: int


def file_slices(patterns: Iterable[str], slice_size: int) -> list[FileSlice]:
    """The slices of all files that match the patterns: files, folders at any depth, and globs. Each file occurs once.

    Raises InvalidOption if a pattern matches no file.
    """
    slices: dict[FileSlice, None] = {}
    for pattern in patterns:
        found = list(_remote(pattern) if _URL.match(pattern) else _local(pattern))
        if not found:
            message = f"no WARC file in {pattern}; in folders, they are named *{', *'.join(SUFFIXES)}"
            raise InvalidOption(message)
        for path, size in found:
            for start in range(0, max(size, 1), slice_size):
                slices[FileSlice(path, start, min(start + slice_size, max(size, 1)))] = None
    return list(slices)


@contextmanager
def open_file(path: str) -> Iterator[BinaryIO]:
    """Open a file of `file_slices`. Raises OSError."""
    if not _URL.match(path):
        with open(path, "rb") as file:
            yield file
        return
    system, inner = _file_system(path)
    with system.open_input_file(inner) as remote, io.BufferedReader(cast("io.RawIOBase", remote), _BUFFER) as file:
        yield file


def _local(pattern: str) -> Iterator[_ListedFile]:
    names = [pattern] if os.path.exists(pattern) else sorted(glob.glob(pattern, recursive=True))
    for name in names:
        path = os.path.abspath(name)
        if not os.path.isdir(path):
            yield _ListedFile(path, os.path.getsize(path))
            continue
        for folder, folders, files in os.walk(path):
            folders.sort()
            for file in sorted(files):
                if file.endswith(SUFFIXES):
                    inside = os.path.join(folder, file)
                    yield _ListedFile(inside, os.path.getsize(inside))


def _remote(pattern: str) -> Iterator[_ListedFile]:
    from pyarrow.fs import FileSelector, FileType  # pyarrow loads its file systems separately

    scheme, _, rest = pattern.partition("://")
    segments = rest.rstrip("/").split("/")
    special = next((number for number, text in enumerate(segments) if _SPECIAL.search(text)), len(segments))
    root = f"{scheme}://{'/'.join(segments[:special])}"
    system, inner = _file_system(root)
    # A file system returns its own paths, which end like the URLs.
    inner = inner.rstrip("/")
    wanted = segments[special:]
    info = system.get_file_info(inner)
    listed = [info]
    if info.type == FileType.Directory:
        listed = sorted(system.get_file_info(FileSelector(inner, recursive=True)), key=lambda one: str(one.path))
    for one in listed:
        name = one.path[len(inner) :].strip("/")
        if one.type == FileType.File and _is_wanted(name, wanted):
            yield _ListedFile(f"{root.rstrip('/')}/{name}" if name else root, one.size)


def _is_wanted(name: str, wanted: list[str]) -> bool:
    """Whether the segments of a glob match a file, or a folder that contains it. `name`: its path below the root."""
    parts = name.split("/") if name else []
    if len(parts) < len(wanted) or not all(map(fnmatchcase, parts, wanted)):
        return False
    return len(parts) == len(wanted) or name.endswith(SUFFIXES)


def _file_system(url: str) -> tuple[Any, str]:
    """The pyarrow file system of a URL, and the path in it. Raises InvalidOption if there is none."""
    from pyarrow import ArrowInvalid, ArrowNotImplementedError  # as above
    from pyarrow.fs import FileSystem

    scheme, _, rest = url.partition("://")
    try:
        return cast("tuple[Any, str]", FileSystem.from_uri(f"{_SCHEMES.get(scheme.lower(), scheme)}://{rest}"))
    except (ArrowInvalid, ArrowNotImplementedError, OSError) as error:
        reason = str(error).partition("\n")[0]
        message = f"{url} cannot be opened ({reason}); linkfix.spark.read opens what Spark can"
        raise InvalidOption(message) from error


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
        message = f"Spark gave {file.tell():,} bytes of {name}, which has {size:,}"
        raise OSError(message)
    file.seek(0)


def _folder() -> str | None:
    """The folder for temporary files of Spark's workers; None: the system's folder."""
    folder = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0]
    return folder if os.path.isdir(folder) else None
