"""Tables of links, of pages, and of documents with absolute links, made of tables of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Unpack

import pyarrow as pa

from linkfix.arrow.absolute_rows import AbsoluteRows
from linkfix.arrow.batches import Batches
from linkfix.arrow.input_rows import DocumentRows, as_batches, as_rows
from linkfix.arrow.link_batches import LinkBatches
from linkfix.arrow.reading import DocumentColumns, Reading, RowDocument
from linkfix.arrow.schemas import PAGES_SCHEMA, chosen_schema
from linkfix.document.columns import LinkColumns

__all__ = ["absolutize", "links", "pages"]

#: Is called with a batch.
OnPages = Callable[[pa.RecordBatch], object]
#: What a row of `pages` has in bytes, at most, beside its texts.
_PAGE_ROW = 256


def links(
    batches: Iterable[pa.RecordBatch],
    *,
    columns: Sequence[str] | None = None,
    carry: Sequence[str] = (),
    on_pages: OnPages | None = None,
    **fields: Unpack[DocumentColumns],
) -> Iterator[pa.RecordBatch]:
    """The links of documents, as `linkfix.links` gives them, in batches with the schema `LINKS_SCHEMA`.

    `batches`: rows with a column of documents; a table, a dataset, or record batches. `columns`: only these, in this
    order; what is not asked for is not computed. `carry`: columns of the input that each link gets from its document's
    row. `on_pages`: is called with the batches that `pages` would give, so that one pass has both. For the other
    keywords see `DocumentColumns`.

    A `data:` URL is cut to its media type, and U+FFFD stands for what UTF-8 has not. A document that cannot be read has
    no links, and a row in `pages`. Raises InvalidOption and InvalidBase for a wrong argument.
    """
    reading = Reading(fields)
    rows = as_batches(batches) if carry else as_rows(batches)
    return _links(rows, reading, LinkBatches(columns, carry), on_pages)


def _links(
    batches: Iterable[DocumentRows], reading: Reading, made: LinkBatches, on_pages: OnPages | None
) -> Iterator[pa.RecordBatch]:
    described = None if on_pages is None else Batches(PAGES_SCHEMA)
    for batch in batches:
        yield from made.begin(batch)
        for page in reading.documents(batch):
            found, full = made.add(page)
            yield from full
            if described is not None and on_pages is not None:
                for one in _describe(page, found, described):
                    on_pages(one)
    yield from made.rest()
    if described is not None and on_pages is not None:
        for one in described.rest():
            on_pages(one)


def _describe(page: RowDocument, found: LinkColumns | None, described: Batches) -> Iterator[pa.RecordBatch]:
    row = page.describe(0 if found is None else found.count)
    return described.add(row, _PAGE_ROW + sum(len(value) for value in row.values() if isinstance(value, str)))


def pages(
    batches: Iterable[pa.RecordBatch],
    *,
    columns: Sequence[str] | None = None,
    **fields: Unpack[DocumentColumns],
) -> Iterator[pa.RecordBatch]:
    """A row a document, in batches with the schema `PAGES_SCHEMA`. For the arguments see `links`."""
    reading = Reading(fields)
    return _pages(as_rows(batches), reading, Batches(chosen_schema(PAGES_SCHEMA, columns)))


def _pages(batches: Iterable[DocumentRows], reading: Reading, made: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for page in reading.documents(batch):
            found = page.ask(page.link_columns)
            yield from _describe(page, found, made)
    yield from made.rest()


def absolutize(batches: Iterable[pa.RecordBatch], **fields: Unpack[DocumentColumns]) -> Iterator[pa.RecordBatch]:
    """The same rows with the links of documents absolute: the schema is `absolutized_schema` of theirs.

    A document that cannot be read stays as it is, and the column for problems says why. For the arguments see `links`.
    """
    return _absolutized(as_batches(batches), Reading(fields))


def _absolutized(batches: Iterable[pa.RecordBatch], reading: Reading) -> Iterator[pa.RecordBatch]:
    names = (reading.names.problem or "problem", reading.names.html)
    for batch in batches:
        made = AbsoluteRows(batch, *names)
        for page in reading.documents(batch):
            new = page.ask(page.absolute)
            yield from made.add(new, None if page.fault is None else page.fault.code)
        yield from made.rest()
