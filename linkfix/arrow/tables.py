"""Tables of links, of pages, and of documents with absolute links, made of tables of documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import monotonic
from typing import Any, Unpack

import pyarrow as pa

from linkfix.arrow.archive import MAX_SIZE
from linkfix.arrow.batches import Batches, storable
from linkfix.arrow.data_urls import cut_data_url
from linkfix.arrow.input_rows import ColumnNames, InputRow, RowFault, as_batches, input_rows
from linkfix.arrow.schemas import PAGES_SCHEMA, absolutized_schema, chosen_schema, links_schema
from linkfix.constraints import check
from linkfix.document.document import Document
from linkfix.document.validation import validate
from linkfix.errors import InvalidBase, InvalidOption
from linkfix.model import PROBLEMS, Envelope, Link, OptionFields, Options

__all__ = ["DocumentColumns", "absolutize", "links", "pages"]

SECONDS = 60.0


class DocumentColumns(OptionFields, total=False):
    """Further keywords of `links`, `pages` and `absolutize`: names of columns, limits, the fields of `Options`."""

    html: str
    """The column of documents, bytes or text."""
    url: str | None
    """That of retrieval URLs; None for none."""
    charset: str | None
    """That of the transport's charsets; None for none, and there may be none of the default name."""
    media_type: str | None
    """That of media types, parameters allowed; None and null mean text/html."""
    content_security_policy: str | None
    """That of the header field of this name."""
    problem: str | None
    """That of problems for which a document is null."""
    detail: str | None
    """That of what more is to say of them."""
    default_base: str | None
    """The base URL of last resort, of all documents."""
    max_size: int
    """The largest document, in bytes; 8 MiB."""
    seconds: float | None
    """How long a document may take; None: as long as it takes."""
    options: Options
    """The fields of `Options`, in one."""


class _Reading:
    """How documents are read."""

    def __init__(self, fields: DocumentColumns) -> None:
        given: dict[str, Any] = dict(fields)
        self.names = ColumnNames(*(given.pop(name, name) for name in ColumnNames._fields))
        self.default_base: str | None = given.pop("default_base", None)
        self.max_size: int = given.pop("max_size", MAX_SIZE)
        self.seconds: float | None = given.pop("seconds", SECONDS)
        options = given.pop("options", None)
        try:
            self.options = Options(**given) if options is None else options
        except TypeError as error:
            raise InvalidOption(str(error)) from error
        check("max_size", self.max_size)
        validate(Envelope(default=self.default_base), self.options)

    def documents(self, batch: pa.RecordBatch) -> Iterator[_RowDocument]:
        for number, row in enumerate(input_rows(batch, self.names, self.max_size)):
            yield _RowDocument(self, row, number)

    def document(self, row: InputRow) -> tuple[Document[Any], str | None]:
        """The document of a row, and its problem."""
        stated: dict[str, Any] = {
            "charset": row.charset,
            "media_type": row.media_type,
            "default_base": self.default_base,
            "content_security_policy": row.content_security_policy,
            "options": self.options,
        }
        try:
            return Document(row.html, url=row.url, **stated), row.problem
        except InvalidBase:
            return Document(row.html, **stated), "part-url"


class _RowDocument:
    """One row's document, and what is wrong with it."""

    def __init__(self, reading: _Reading, row: InputRow, number: int) -> None:
        self.row = row
        self.number = number
        self.fault = row.fault
        self.document: Document[Any] | None = None
        self.problem = row.problem
        self._reading = reading

    def run(self, ask: Callable[[Document[Any]], Any]) -> Any:  # noqa: ANN401 - what `ask` returns
        """What is asked of the document; None, and a fault, where there is none or where that fails."""
        if self.fault is not None:
            return None
        try:
            until = None if self._reading.seconds is None else monotonic() + self._reading.seconds
            self.document, self.problem = self._reading.document(self.row)
            found = ask(self.document)
            if until is not None and monotonic() > until:
                self.fault = RowFault("time-limit", f"{self._reading.seconds} s")
                return None
        except Exception as error:  # noqa: BLE001 - whatever is wrong with one document, the others are read
            self.fault = RowFault("document-failed", f"{type(error).__name__}: {error}"[:300])
            return None
        return found

    def describe(self, found: list[Link] | None) -> dict[str, Any]:
        """Its row of `pages`."""
        row: dict[str, Any] = {"page": self.row.url, "size": self.row.size, "links": 0, "problems": []}
        if found is None or self.document is None or self.fault is not None:
            code, detail = self.fault or RowFault("document-failed", "")
            return row | {"problem": code, "detail": detail or PROBLEMS.get(code, "")}
        base = self.document.document_base
        noted = Counter(problem.code for problem in self.document.problems)
        if self.problem is not None:
            noted[self.problem] += 1
        return row | {
            "base": base.url,
            "layer": base.layer.value,
            "encoding": self.document.encoding.name,
            "links": len(found),
            "problems": sorted(noted.items()),
        }


def links(
    batches: Iterable[pa.RecordBatch],
    *,
    columns: Sequence[str] | None = None,
    carry: Sequence[str] = (),
    on_pages: Callable[[pa.RecordBatch], object] | None = None,
    **fields: Unpack[DocumentColumns],
) -> Iterator[pa.RecordBatch]:
    """The links of documents, as `linkfix.links` gives them, in batches with the schema `LINKS_SCHEMA`.

    `batches`: rows with a column of documents; a table, a dataset, or record batches. `columns`: only these, in this
    order; what is not asked for is not computed. `carry`: columns of the input that each link gets from its document's
    row. `on_pages`: is called with the batches that `pages` would give, so that one pass has both. For the other
    keywords see `DocumentColumns`.

    A `data:` URL is cut to its media type. A document that cannot be read has no links, and a row in `pages`. Raises
    InvalidOption and InvalidBase for a wrong argument.
    """
    reading = _Reading(fields)
    links_schema(columns)
    return _links(as_batches(batches), reading, columns, list(carry), on_pages)


def _links(
    batches: Iterable[pa.RecordBatch],
    reading: _Reading,
    columns: Sequence[str] | None,
    carry: list[str],
    on_pages: Callable[[pa.RecordBatch], object] | None,
) -> Iterator[pa.RecordBatch]:
    described = Batches(PAGES_SCHEMA) if on_pages else None
    for batch in batches:
        missing = [name for name in carry if name not in batch.schema.names]
        if missing:
            message = f"carry: no column {', '.join(map(repr, missing))} in the table"
            raise InvalidOption(message)
        schema = links_schema(columns, [batch.schema.field(name) for name in carry])
        made = Batches(schema)
        for page in reading.documents(batch):
            found = page.run(lambda document: document.links)
            carried = {name: batch.column(name)[page.number] for name in carry}
            for link in found or ():
                row = _link_row(page.row.url, link)
                yield from made.add(row | carried, 100 + sum(len(v) for v in row.values() if isinstance(v, str)))
            if described is not None and on_pages is not None:
                for pages_batch in described.add(page.describe(found), 256):
                    on_pages(pages_batch)
        yield from made.rest()
    if described is not None and on_pages is not None:
        for pages_batch in described.rest():
            on_pages(pages_batch)


def _link_row(page: str | None, link: Link) -> dict[str, Any]:
    row = {"page": page, **link._asdict()}
    return row | {name: cut_data_url(row[name]) for name in ("reference", "target")}


def pages(
    batches: Iterable[pa.RecordBatch],
    *,
    columns: Sequence[str] | None = None,
    **fields: Unpack[DocumentColumns],
) -> Iterator[pa.RecordBatch]:
    """A row a document, in batches with the schema `PAGES_SCHEMA`. For the arguments see `links`."""
    reading = _Reading(fields)
    return _pages(as_batches(batches), reading, Batches(chosen_schema(PAGES_SCHEMA, columns)))


def _pages(batches: Iterable[pa.RecordBatch], reading: _Reading, made: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for page in reading.documents(batch):
            found = page.run(lambda document: document.links)
            yield from made.add(page.describe(found), 256)
    yield from made.rest()


def absolutize(batches: Iterable[pa.RecordBatch], **fields: Unpack[DocumentColumns]) -> Iterator[pa.RecordBatch]:
    """The same rows with the links of documents absolute: the schema is `absolutized_schema` of theirs.

    A document that cannot be read stays as it is, and the column for problems says why. For the arguments see `links`.
    """
    reading = _Reading(fields)
    return _absolutized(as_batches(batches), reading)


def _absolutized(batches: Iterable[pa.RecordBatch], reading: _Reading) -> Iterator[pa.RecordBatch]:
    names = reading.names
    problem = names.problem or "problem"
    for batch in batches:
        schema = absolutized_schema(batch.schema, problem)
        stated = batch.column(problem).to_pylist() if problem in batch.schema.names else [None] * batch.num_rows
        documents = batch.column(names.html).to_pylist()
        for page in reading.documents(batch):
            new = page.run(lambda document: document.convert().data)
            if page.fault is not None:
                stated[page.number] = stated[page.number] or page.fault.code
            else:
                documents[page.number] = new
        made = {names.html: documents, problem: stated}
        arrays = [
            pa.array([storable(value) for value in made[field.name]], type=field.type)
            if field.name in made
            else batch.column(field.name)
            for field in schema
        ]
        yield pa.record_batch(arrays, schema=schema)
