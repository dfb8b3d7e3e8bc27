"""The tables that are made of WARC files: their documents, and the links and pages of these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa

from linkfix import arrow
from linkfix.arrow.schemas import chosen_schema
from linkfix.errors import InvalidOption
from linkfix.spark.tables import Table
from linkfix.spark.tasks import read_documents

__all__ = ["ArchiveTable", "archive_table"]

#: The columns of `WARC_SCHEMA` that documents are read from.
_READ = ("url", "charset", "identified_charset", "media_type", "content_security_policy", "html", "problem", "detail")


def _and_carried(schema: pa.Schema) -> pa.Schema:
    """A schema, and after it the columns of `WARC_SCHEMA` that it lacks."""
    return pa.schema([*schema, *(field for field in arrow.WARC_SCHEMA if field.name not in schema.names)])


#: Name of a table -> the columns that can be chosen, and how many of them it has if nothing is.
_TABLES: dict[str, tuple[pa.Schema, int]] = {
    "warc": (arrow.WARC_SCHEMA, len(arrow.WARC_SCHEMA)),
    "links": (_and_carried(arrow.LINKS_SCHEMA), len(arrow.LINKS_SCHEMA)),
    "pages": (arrow.PAGES_SCHEMA, len(arrow.PAGES_SCHEMA)),
}


class ArchiveTable(NamedTuple):
    """A table of WARC files. A link has, where they are chosen, also the columns of the record that it is from."""

    name: str
    """One of _TABLES."""
    columns: tuple[str, ...]
    archives: Mapping[str, Any]
    """Keywords of `linkfix.arrow.warc`."""
    documents: Mapping[str, Any]
    """Keywords of `linkfix.arrow.links` and `linkfix.arrow.pages`."""

    @property
    def schema(self) -> pa.Schema:
        """Its schema. Raises InvalidOption for a column that there is not."""
        return chosen_schema(_TABLES[self.name][0], self.columns)

    def check(self) -> None:
        """Raise InvalidOption and InvalidBase for a wrong column or option."""
        list(self.schema)
        arrow.warc("", **self.archives)
        if self.name != "warc":
            list(self._table()([]))
        elif unknown := sorted(set(self.documents) - set(self.archives)):
            message = f"{unknown[0]}: the table of documents takes none of the options of links"
            raise InvalidOption(message)

    def read(self, file: BinaryIO, name: str, start: int = 0, end: int | None = None) -> Iterator[pa.RecordBatch]:
        """Its batches for what begins in a slice of a file. `name`: the file's."""
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
    """Make an `ArchiveTable`. `columns`: None for those that it has by itself. Raises what its `check` raises."""
    if name not in _TABLES:
        message = f"no table {name!r}: use one of {', '.join(_TABLES)}"
        raise InvalidOption(message)
    schema, count = _TABLES[name]
    table = ArchiveTable(name, tuple(schema.names[:count] if columns is None else columns), archives, documents)
    table.check()
    return table
