"""The data sources (https://spark.apache.org/docs/latest/api/python/tutorial/sql/python_data_source.html).

A partition is a file, or a slice of a large one. Columns are those of the schema that the caller gives: Spark does not
tell a data source in Python which ones a query uses. Filters are Spark's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from linkfix.errors import InvalidOption
from linkfix.spark.archives import ArchiveTable, archive_table
from linkfix.spark.paths import file_slices, open_file
from linkfix.spark.text_options import DOCUMENTS, SourceOptions, TextReader, read_options

__all__ = ["SOURCES", "LinksSource", "PagesSource", "WarcSource"]


class _Reader(DataSourceReader):
    """Reads slices of files."""

    def __init__(self, table: ArchiveTable, options: SourceOptions) -> None:
        self._table = table
        self._options = options

    def partitions(self) -> list[InputPartition]:
        """The slices. Is called on the driver."""
        return [InputPartition(piece) for piece in file_slices(self._options.paths, self._options.slice_size)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a slice. Is called by workers."""
        path, start, end = partition.value
        with open_file(path) as file:
            yield from self._table.read(file, path, start, end)


class WarcSource(DataSource):
    """`linkfix-warc`: the documents of WARC files, with the columns of `linkfix.arrow.WARC_SCHEMA`."""

    table: ClassVar[str] = "warc"
    takes: ClassVar[Mapping[str, TextReader]] = {}

    @classmethod
    def name(cls) -> str:
        """What `spark.read.format` calls it."""
        return f"linkfix-{cls.table}"

    def schema(self) -> StructType:
        """The columns where the caller gives none."""
        return from_arrow_schema(self._archive_table(None, self._read_options()).schema)

    def reader(self, schema: StructType | pa.Schema) -> DataSourceReader:
        """What reads these columns; Sail gives an Arrow schema. Raises InvalidOption for a wrong column or option."""
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
    """`linkfix-pages`: a row a document of WARC files, with the columns of `linkfix.arrow.PAGES_SCHEMA`."""

    table: ClassVar[str] = "pages"
    takes: ClassVar[Mapping[str, TextReader]] = DOCUMENTS


#: All data sources.
SOURCES = (WarcSource, LinksSource, PagesSource)
