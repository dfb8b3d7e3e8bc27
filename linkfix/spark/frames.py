"""DataFrames of links, pages and absolute links, made from DataFrames of documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Unpack

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StringType, StructType

from linkfix import arrow
from linkfix.arrow.reading import ColumnNames, DocumentColumns
from linkfix.spark.tables import Table, read_documents


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
    arrow.links_schema(columns, [pa.field(name, pa.null()) for name in carry])
    schema = from_arrow_schema(arrow.links_schema(columns))
    for name in carry:
        schema.add(frame.schema[name])
    return _read(_pruned(frame, table, carry), table, schema)


def pages(frame: DataFrame, *, columns: Sequence[str] | None = None, **fields: Unpack[DocumentColumns]) -> DataFrame:
    """One row per document, even if it cannot be read: the columns of `linkfix.arrow.PAGES_SCHEMA`. See `links`."""
    table = Table("pages", {**fields, "columns": columns})
    _check(frame, table)
    schema = arrow.PAGES_SCHEMA if columns is None else pa.schema([arrow.PAGES_SCHEMA.field(name) for name in columns])
    return _read(_pruned(frame, table, ()), table, from_arrow_schema(schema))


def absolutize(frame: DataFrame, **fields: Unpack[DocumentColumns]) -> DataFrame:
    """The rows of `frame` with absolute links, and the problem of each document that was left alone. See `links`."""
    table = Table("absolutize", dict(fields))
    _check(frame, table)
    schema = frame.schema
    if table.column("problem") not in schema.names:
        schema = StructType([*schema]).add(table.column("problem"), StringType())
    return _read(frame, table, schema)


def _read(frame: DataFrame, table: Table, schema: StructType) -> DataFrame:
    return frame.mapInArrow(partial(read_documents, table), schema)


def _check(frame: DataFrame, table: Table) -> None:
    """Raise InvalidOption and InvalidBase for a wrong argument, on the driver instead of in each task."""
    types = [pa.string() if field.dataType == StringType() else pa.null() for field in frame.schema]
    list(table([pa.record_batch([pa.nulls(0, one) for one in types], names=frame.columns)]))


def _pruned(frame: DataFrame, table: Table, carry: Iterable[str]) -> DataFrame:
    """The columns that are needed: any other column would be sent to Python too."""
    needed = [*map(table.column, ColumnNames._fields), *carry]
    return frame.select(*(f"`{name.replace('`', '``')}`" for name in frame.columns if name in needed))
