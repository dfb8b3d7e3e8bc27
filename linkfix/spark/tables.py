"""DataFrames of links, of pages, and of documents with absolute links, made from DataFrames and from WARC files.

A document that crashes the process reading it gets a row with a problem. The other documents are read on.
"""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import groupby
from operator import itemgetter
from typing import Any, BinaryIO, NamedTuple, TypeAlias, Unpack

import pyarrow as pa
from pyspark import TaskContext
from pyspark.cloudpickle import dumps
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StringType, StructType

from linkfix import arrow
from linkfix.arrow.batches import RowBatches, chosen_schema
from linkfix.arrow.reading import PURPOSES, SECONDS, DocumentColumns
from linkfix.containers.formats import CONTAINERS
from linkfix.errors import InvalidOption
from linkfix.processes import Isolated, LostJob

_Batches: TypeAlias = Iterator[pa.RecordBatch]


class Table(NamedTuple):
    """A table that is made from documents. It can be pickled if its keywords can."""

    name: str
    """The table's name: links, pages or absolutize."""
    keywords: Mapping[str, Any]
    """The keywords of the function with that name in `linkfix.arrow`."""

    def __call__(self, documents: Iterable[pa.RecordBatch]) -> _Batches:
        """Yield the batches of the table."""
        return _KINDS[self.name].make(documents, **self.keywords)

    def of_lost(self, document: pa.RecordBatch, code: str, detail: str) -> _Batches:
        """The table's batches for a batch of one row whose document cannot be read. `code`: a code of `PROBLEMS`."""
        return _KINDS[self.name].of_lost(self, document, code, detail)

    def column(self, field: str) -> str:
        """The name of a column of the documents."""
        return str(self.keywords.get(field) or field)


class _TableKind(NamedTuple):
    make: Callable[..., _Batches]
    of_lost: Callable[[Table, pa.RecordBatch, str, str], _Batches]


def _none(_table: Table, _document: pa.RecordBatch, _code: str, _detail: str) -> _Batches:
    """Return no batches: a document that is not read has no links."""
    return iter(())


def _described(table: Table, document: pa.RecordBatch, code: str, detail: str) -> _Batches:
    """The row of `pages` for a missing document, with this problem."""
    html = table.column("html")
    nothing = pa.nulls(1, document.schema.field(html).type)
    for name, value in ((html, nothing), (table.column("problem"), [code]), (table.column("detail"), [detail])):
        document = _with_column(document, name, value)
    return table([document])


def _marked(table: Table, document: pa.RecordBatch, code: str, _detail: str) -> _Batches:
    """The unchanged row, with this problem."""
    return iter([_with_column(document, table.column("problem"), [code])])


def _with_column(batch: pa.RecordBatch, name: str, values: Any) -> pa.RecordBatch:
    number = batch.schema.get_field_index(name)
    if number < 0:
        return batch.append_column(pa.field(name, pa.string()), pa.array(values, pa.string()))
    field = batch.schema.field(number)
    return batch.set_column(number, field, pa.array(values, field.type) if isinstance(values, list) else values)


_KINDS = {
    "links": _TableKind(arrow.links, _none),
    "pages": _TableKind(arrow.pages, _described),
    "absolutize": _TableKind(arrow.absolutize, _marked),
}


# Survival of a Spark task when a document kills it.
#
# Spark repeats a task whose process dies, and ends the job after four attempts. It does not notice a task that hangs.
# So the first attempt is killed if documents take far too long. Any further attempt reads its documents one by one in a
# child process with a time limit. A document that kills the child, or does not end, becomes a row with a problem.


#: The number of documents per turn in a first attempt. A turn may take the time limit of `_PATIENCE` documents.
_DOCUMENTS = 64

_PATIENCE = 2


def read_documents(table: Table, documents: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The batches of a table, for the documents of a task. Outside a task, documents are not guarded."""
    seconds = table.keywords.get("seconds", SECONDS)
    context = TaskContext.get()
    if context is None:
        return table(documents)
    if context.attemptNumber() > 0:
        return _one_by_one(table, documents, seconds)
    return table(documents) if seconds is None else _watched(table, documents, seconds * _PATIENCE)


def _watched(table: Table, documents: Iterable[pa.RecordBatch], seconds: float) -> Iterator[pa.RecordBatch]:
    """The batches of a table. The process is killed, whatever it is doing, if documents take longer than `seconds`."""
    if not hasattr(signal, "setitimer") or signal.getsignal(signal.SIGALRM) != signal.SIG_DFL:
        return table(documents)  # there is no such timer, or somebody else uses it
    return _timed(table, documents, seconds)


def _timed(table: Table, documents: Iterable[pa.RecordBatch], seconds: float) -> Iterator[pa.RecordBatch]:
    # Only documents are timed: reading a file, or Spark's reading of the results, may have to wait for others.
    def timed(given: Iterable[Any]) -> Iterator[Any]:
        for turn in _turns(given):
            signal.setitimer(signal.ITIMER_REAL, seconds)
            yield turn
            signal.setitimer(signal.ITIMER_REAL, 0)

    in_turns = documents.wrapped(timed) if isinstance(documents, RowBatches) else timed(documents)
    try:
        for made in table(in_turns):
            signal.setitimer(signal.ITIMER_REAL, 0)
            yield made
            signal.setitimer(signal.ITIMER_REAL, seconds)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _turns(given: Iterable[Any]) -> Iterator[Any]:
    """Yield rows one by one, but batches in slices, since each slice has more overhead than a row."""
    for one in given:
        if isinstance(one, pa.RecordBatch):
            yield from (one.slice(start, _DOCUMENTS) for start in range(0, one.num_rows, _DOCUMENTS))
        else:
            yield one


def _one_by_one(table: Table, documents: Iterable[pa.RecordBatch], seconds: float | None) -> Iterator[pa.RecordBatch]:
    with Isolated[pa.RecordBatch, list[pa.RecordBatch]](dumps(_Work(table)), seconds) as work:
        for batch in documents:
            for number in range(batch.num_rows):
                document = batch.take([number])  # pickling a slice would send the whole batch
                try:
                    yield from work(document)
                except LostJob as lost:
                    code = "time-limit" if lost.is_late else "process-ended"
                    yield from table.of_lost(document, code, str(lost))


class _Work:
    """The work of the child process on a document."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def __call__(self, document: pa.RecordBatch) -> list[pa.RecordBatch]:
        return list(self._table([document]))


# Tables of WARC files: their documents, and the documents' links and pages.


#: Table name -> its default columns.
_SCHEMAS: dict[str, pa.Schema] = {
    "warc": arrow.WARC_SCHEMA,
    "links": arrow.LINKS_SCHEMA,
    "pages": arrow.PAGES_SCHEMA,
}

#: The keywords of `linkfix.arrow.warc` that select documents. `linkfix.arrow.links` has the first one too.
ARCHIVE_KEYWORDS = ("max_size", "media_types")


class ArchiveTable(NamedTuple):
    """A table of WARC files. A link can also have columns of the record that contains it, if they are chosen."""

    name: str
    """The table's name, a key of `_SCHEMAS`."""
    columns: Sequence[str]
    keywords: Mapping[str, Any]
    """Keywords of `linkfix.arrow.warc`, `linkfix.arrow.links` and `linkfix.arrow.pages`."""

    @property
    def schema(self) -> pa.Schema:
        """The table's schema. Raises InvalidOption for an unknown column."""
        schema = _SCHEMAS[self.name]
        if self.name == "links":
            schema = pa.schema([*schema, *(field for field in arrow.WARC_SCHEMA if field.name not in schema.names)])
        return chosen_schema(schema, self.columns)

    def check(self) -> None:
        """Raise InvalidOption and InvalidBase for a wrong column or option."""
        list(self.schema)
        arrow.warc("", **self._selected)
        if self.name != "warc":
            list(self._table()([]))
        elif unknown := sorted(set(self.keywords) - set(ARCHIVE_KEYWORDS)):
            message = f"{unknown[0]}: this option is for the table of links, not for the table of documents"
            raise InvalidOption(message)

    def read(self, file: BinaryIO, name: str, start: int = 0, end: int | None = None) -> Iterator[pa.RecordBatch]:
        """The batches of the records that begin in a slice of a file. `name`: the file's name."""
        documents = partial(arrow.warc, file, start=start, end=end, file=name, **self._selected)
        if self.name == "warc":
            yield from documents(columns=self.columns)
            return
        columns = list(dict.fromkeys([*PURPOSES, *self._carried]))
        for batch in read_documents(self._table(), documents(columns=columns)):
            yield batch.select(self.columns)

    @property
    def _carried(self) -> list[str]:
        return [column for column in self.columns if column not in _SCHEMAS[self.name].names]

    @property
    def _selected(self) -> dict[str, Any]:
        """The keywords of `linkfix.arrow.warc`."""
        return {name: self.keywords[name] for name in ARCHIVE_KEYWORDS if name in self.keywords}

    def _table(self) -> Table:
        carried = self._carried
        keywords = {name: value for name, value in self.keywords.items() if name != "media_types"}
        keywords["columns"] = [column for column in self.columns if column not in carried]
        return Table(self.name, {**keywords, "carry": carried} if carried else keywords)


def archive_table(name: str, columns: Sequence[str] | None, keywords: Mapping[str, Any]) -> ArchiveTable:
    """Make an `ArchiveTable`. `columns`: None for the default columns. Raises the errors of `ArchiveTable.check`."""
    if name not in _SCHEMAS:
        message = f"no table {name!r}: use one of {', '.join(_SCHEMAS)}"
        raise InvalidOption(message)
    table = ArchiveTable(name, tuple(_SCHEMAS[name].names if columns is None else columns), keywords)
    table.check()
    return table


# DataFrames of links, pages and absolute links, made from DataFrames of documents.


def links(
    frame: DataFrame,
    *,
    columns: Sequence[str] | None = None,
    carry: Sequence[str] = (),
    **fields: Unpack[DocumentColumns],
) -> DataFrame:
    """The links of a column of documents: the columns of `linkfix.arrow.LINKS_SCHEMA`, or the chosen ones.

        frame.transform(linkfix.spark.links, columns=["page", "target"], html="body")

    For the arguments see `linkfix.arrow.links`. Raises the same errors, before reading anything.
    """
    table = Table("links", {**fields, "columns": columns, "carry": list(carry)})
    _check(frame, table)
    schema = from_arrow_schema(arrow.links_schema(columns))
    for name in carry:
        schema.add(frame.schema[name])
    return _made(_pruned(frame, table, carry), table, schema)


def pages(frame: DataFrame, *, columns: Sequence[str] | None = None, **fields: Unpack[DocumentColumns]) -> DataFrame:
    """One row per document, even if it cannot be read: the columns of `linkfix.arrow.PAGES_SCHEMA`. See `links`."""
    table = Table("pages", {**fields, "columns": columns})
    _check(frame, table)
    return _made(_pruned(frame, table, ()), table, from_arrow_schema(chosen_schema(arrow.PAGES_SCHEMA, columns)))


def absolutize(frame: DataFrame, **fields: Unpack[DocumentColumns]) -> DataFrame:
    """The rows of `frame` with absolute links, and the problem of each document that was left alone. See `links`."""
    table = Table("absolutize", dict(fields))
    _check(frame, table)
    schema = frame.schema
    if table.column("problem") not in schema.names:
        schema = StructType([*schema]).add(table.column("problem"), StringType())
    return _made(frame, table, schema)


def _made(frame: DataFrame, table: Table, schema: StructType) -> DataFrame:
    return frame.mapInArrow(partial(read_documents, table), schema)


def _check(frame: DataFrame, table: Table) -> None:
    """Raise InvalidOption and InvalidBase for a wrong argument, on the driver instead of in each task."""
    types = [pa.string() if field.dataType == StringType() else pa.null() for field in frame.schema]
    list(table([pa.record_batch([pa.nulls(0, one) for one in types], names=frame.columns)]))


def _pruned(frame: DataFrame, table: Table, carry: Iterable[str]) -> DataFrame:
    """The columns that are needed: any other column would be sent to Python too."""
    needed = [*map(table.column, PURPOSES), *carry]
    return frame.select(*(f"`{name.replace('`', '``')}`" for name in frame.columns if name in needed))


# Tables of WARC files that only Spark can open, with its credentials and connectors.
#
# Spark has no data source that streams a file unchanged: `binaryFile` loads it whole, in memory. But the `text` source
# streams. We put its line separators back, and use Hadoop's codec that decompresses nothing. Each file is one
# partition, and becomes a temporary file of the worker.


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
