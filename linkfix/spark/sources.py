"""The data sources (https://spark.apache.org/docs/latest/api/python/tutorial/sql/python_data_source.html).

A partition is a file, or a slice of a large file. The columns are those of the caller's schema, since Spark does not
tell a Python data source which columns a query uses. Spark applies the filters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO, ClassVar, NamedTuple

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from linkfix import arrow
from linkfix.arrow.batches import chosen_schema
from linkfix.errors import InvalidOption
from linkfix.spark.paths import file_slices, open_file
from linkfix.spark.tables import Table, read_documents
from linkfix.spark.text_options import DOCUMENTS, SourceOptions, TextReader, read_options

# The tables that are made from WARC files: their documents, and the documents' links and pages.


#: The columns of `WARC_SCHEMA` from which documents are read.
_READ = ("url", "charset", "identified_charset", "media_type", "content_security_policy", "html", "problem", "detail")


def _and_carried(schema: pa.Schema) -> pa.Schema:
    """A schema, followed by the columns of `WARC_SCHEMA` that it lacks."""
    return pa.schema([*schema, *(field for field in arrow.WARC_SCHEMA if field.name not in schema.names)])


#: Table name -> the columns that can be chosen, and the number of default columns among them.
_TABLES: dict[str, tuple[pa.Schema, int]] = {
    "warc": (arrow.WARC_SCHEMA, len(arrow.WARC_SCHEMA)),
    "links": (_and_carried(arrow.LINKS_SCHEMA), len(arrow.LINKS_SCHEMA)),
    "pages": (arrow.PAGES_SCHEMA, len(arrow.PAGES_SCHEMA)),
}


class ArchiveTable(NamedTuple):
    """A table of WARC files. A link can also have columns of the record that contains it, if they are chosen."""

    name: str
    """The table's name, a key of `_TABLES`."""
    columns: tuple[str, ...]
    archives: Mapping[str, Any]
    """Keywords of `linkfix.arrow.warc`."""
    documents: Mapping[str, Any]
    """Keywords of `linkfix.arrow.links` and `linkfix.arrow.pages`."""

    @property
    def schema(self) -> pa.Schema:
        """The table's schema. Raises InvalidOption for an unknown column."""
        return chosen_schema(_TABLES[self.name][0], self.columns)

    def check(self) -> None:
        """Raise InvalidOption and InvalidBase for a wrong column or option."""
        list(self.schema)
        arrow.warc("", **self.archives)
        if self.name != "warc":
            list(self._table()([]))
        elif unknown := sorted(set(self.documents) - set(self.archives)):
            message = f"{unknown[0]}: this option is for the table of links, not for the table of documents"
            raise InvalidOption(message)

    def read(self, file: BinaryIO, name: str, start: int = 0, end: int | None = None) -> Iterator[pa.RecordBatch]:
        """The batches of the records that begin in a slice of a file. `name`: the file's name."""
        if self.name == "warc":
            yield from arrow.warc(file, start=start, end=end, columns=self.columns, file=name, **self.archives)
            return
        carried = [column for column in self._carried if column not in _READ]
        rows = arrow.warc(file, start=start, end=end, columns=[*_READ, *carried], file=name, **self.archives)
        for batch in read_documents(self._table(), rows):
            yield batch.select(self.columns)

    @property
    def _carried(self) -> list[str]:
        own = _TABLES[self.name][0].names[: _TABLES[self.name][1]]
        return [column for column in self.columns if column not in own]

    def _table(self) -> Table:
        carried = self._carried
        own = [column for column in self.columns if column not in carried]
        keywords = {**self.documents, "columns": own}
        return Table(self.name, {**keywords, "carry": carried} if carried else keywords)


def archive_table(
    name: str, columns: Iterable[str] | None, archives: Mapping[str, Any], documents: Mapping[str, Any]
) -> ArchiveTable:
    """Make an `ArchiveTable`. `columns`: None for the default columns. Raises the errors of `ArchiveTable.check`."""
    if name not in _TABLES:
        message = f"no table {name!r}: use one of {', '.join(_TABLES)}"
        raise InvalidOption(message)
    schema, count = _TABLES[name]
    table = ArchiveTable(name, tuple(schema.names[:count] if columns is None else columns), archives, documents)
    table.check()
    return table


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
    takes: ClassVar[Mapping[str, TextReader]] = {}

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
        return archive_table(self.table, columns, options.archives, options.documents)


class LinksSource(WarcSource):
    """`linkfix-links`: the links of the documents of WARC files, with the columns of `linkfix.arrow.LINKS_SCHEMA`."""

    table: ClassVar[str] = "links"
    takes: ClassVar[Mapping[str, TextReader]] = DOCUMENTS


class PagesSource(WarcSource):
    """`linkfix-pages`: one row per document of WARC files, with the columns of `linkfix.arrow.PAGES_SCHEMA`."""

    table: ClassVar[str] = "pages"
    takes: ClassVar[Mapping[str, TextReader]] = DOCUMENTS


#: All data sources.
SOURCES = (WarcSource, LinksSource, PagesSource)
