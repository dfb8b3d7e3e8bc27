"""The data sources, their files and slices of files (https://spark.apache.org/docs/latest/api/python/tutorial/sql/python_data_source.html).

A partition is a file, or a slice of a large file. The columns are those of the caller's schema, since Spark does not
tell a Python data source which columns a query uses. Spark applies the filters.
"""

from __future__ import annotations

import glob
import io
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import Any, BinaryIO, ClassVar, NamedTuple, cast, get_type_hints

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from linkfix.arrow.reading import PURPOSES
from linkfix.errors import InvalidOption
from linkfix.spark.tables import ARCHIVE_KEYWORDS, SUFFIXES, ArchiveTable, ReadColumns, archive_table

# The files of a table, and their slices.
#
# Paths without a scheme are paths of this machine and of any mounted file system. URLs (`s3://`, `gs://`, `abfs://`,
# `hdfs://`, `file://`) are read by pyarrow's file systems, on the workers and without a Java machine. Their credentials
# come from the workers' environment, not from Spark. `linkfix.spark.read` reads files that only Spark can open.


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
        message = f"{url} cannot be opened ({reason}); linkfix.spark.read opens all files that Spark can open"
        raise InvalidOption(message) from error


# Options of data sources, which Spark passes as text.


_BOOLEANS = {"true": True, "false": False}


class TextReader(NamedTuple):
    """The conversion of an option from text."""

    read: Callable[[str], object]
    """Converts the text. Raises ValueError or KeyError for an invalid text."""
    expected: str


def _texts(text: str) -> frozenset[str]:
    return frozenset(filter(None, (word.strip() for word in text.split(","))))


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


_TEXT = TextReader(str, "a string")

_SIZE = TextReader(_positive, "a whole number of bytes, 1 or more")

#: Type of a keyword -> its conversion; for other types, `_TEXT`.
_READERS: dict[object, TextReader] = {
    bool: TextReader(lambda text: _BOOLEANS[text.lower()], "true or false"),
    int: TextReader(int, "a whole number"),
    float | None: TextReader(float, "a number of seconds"),
    Collection[str]: TextReader(_texts, "media types, with commas"),
}

#: Options of the tables of links and pages: the keywords of `linkfix.spark.read` that have a text form. The documents
#: of a WARC file always have the same columns.
OPTIONS: dict[str, TextReader] = {
    name: _READERS.get(type_, _TEXT)
    for name, type_ in get_type_hints(ReadColumns).items()
    if name not in {*PURPOSES, "options", "rows", "keep"}
}

#: Options of the table of documents.
ARCHIVE_OPTIONS: dict[str, TextReader] = {name: OPTIONS[name] for name in ARCHIVE_KEYWORDS}


class SourceOptions(NamedTuple):
    """The options of a data source."""

    paths: list[str]
    slice_size: int
    """The size of a partition, in bytes."""
    keywords: dict[str, Any]
    """Keywords of `linkfix.spark.read`."""


def read_options(options: Mapping[str, str], takes: Mapping[str, TextReader] = OPTIONS) -> SourceOptions:
    """Read the options of a data source that takes `takes`. Raises InvalidOption for a wrong name or value."""
    given = {name.lower(): text for name, text in options.items()}
    paths = [given.pop("path")] if "path" in given else []
    paths += json.loads(given.pop("paths", "[]"))
    if not paths:
        message = "nothing to read: give paths to load()"
        raise InvalidOption(message)
    known = {"slice_size": _SIZE, **takes}
    if unknown := sorted(set(given) - set(known)):
        message = f"unknown option {unknown[0]}: use one of {', '.join(sorted(known))}"
        raise InvalidOption(message)
    values: dict[str, Any] = {}
    for name, text in given.items():
        try:
            values[name] = known[name].read(text)
        except (ValueError, KeyError):
            raise InvalidOption.of(name, text, known[name].expected) from None
    return SourceOptions(paths, values.pop("slice_size", SLICE_SIZE), values)


class _Reader(DataSourceReader):
    """Reads slices of files."""

    def __init__(self, table: ArchiveTable, options: SourceOptions) -> None:
        self._table = table
        self._options = options

    def partitions(self) -> list[InputPartition]:
        """The slices. Called on the driver."""
        return [InputPartition(piece) for piece in file_slices(self._options.paths, self._options.slice_size)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a slice. Called on workers."""
        path, start, end = partition.value
        with open_file(path) as file:
            yield from self._table.read(file, path, start, end)


class WarcSource(DataSource):
    """`linkfix-warc`: the documents of WARC files, with the columns of `linkfix.arrow.WARC_SCHEMA`."""

    table: ClassVar[str] = "warc"
    takes: ClassVar[Mapping[str, TextReader]] = ARCHIVE_OPTIONS

    @classmethod
    def name(cls) -> str:
        """The name of the source for `spark.read.format`."""
        return f"linkfix-{cls.table}"

    def schema(self) -> StructType:
        """The columns if the caller gives no schema."""
        return from_arrow_schema(self._archive_table(None, self._read_options()).schema)

    def reader(self, schema: StructType | pa.Schema) -> DataSourceReader:
        """The reader for a schema (Arrow's under Sail). Raises InvalidOption for a wrong column or option."""
        options = self._read_options()
        given = from_arrow_schema(schema) if isinstance(schema, pa.Schema) else schema
        table = self._archive_table(given.names, options)
        for has, asked in zip(from_arrow_schema(table.schema), given, strict=True):
            if has.dataType != asked.dataType:
                message = f"the column {has.name} is {has.dataType.simpleString()}, not {asked.dataType.simpleString()}"
                raise InvalidOption(message)
        return _Reader(table, options)

    def _read_options(self) -> SourceOptions:
        return read_options(self.options, self.takes)

    def _archive_table(self, columns: list[str] | None, options: SourceOptions) -> ArchiveTable:
        return archive_table(self.table, columns, options.keywords)


class LinksSource(WarcSource):
    """`linkfix-links`: the links of the documents of WARC files, with the columns of `linkfix.arrow.LINKS_SCHEMA`."""

    table: ClassVar[str] = "links"
    takes: ClassVar[Mapping[str, TextReader]] = OPTIONS


class PagesSource(WarcSource):
    """`linkfix-pages`: one row per document of WARC files, with the columns of `linkfix.arrow.PAGES_SCHEMA`."""

    table: ClassVar[str] = "pages"
    takes: ClassVar[Mapping[str, TextReader]] = OPTIONS


#: All data sources.
SOURCES = (WarcSource, LinksSource, PagesSource)
