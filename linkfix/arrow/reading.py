"""How documents of rows are read: with what options, within what limits, and what becomes of a failure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar, cast

from linkfix.arrow.input_rows import ColumnNames, DocumentRows, InputRow, RowFault, check_names, input_rows
from linkfix.arrow.schemas import MAX_SIZE, check_max_size
from linkfix.constraints import check
from linkfix.document.budget import Budget, LinksTooLarge, OverBudget
from linkfix.document.columns import LinkColumns
from linkfix.document.document import Document
from linkfix.document.link_table import links_size
from linkfix.document.validation import validate
from linkfix.errors import InvalidBase, InvalidOption
from linkfix.model import PROBLEMS, Envelope, OptionFields, Options

__all__ = ["DocumentColumns", "Reading", "RowDocument", "limit"]

Found = TypeVar("Found")

#: The seconds that a document may take, unless the caller says otherwise.
SECONDS = 60.0
#: The characters of targets that one document may have in memory: so many, or so many times its bytes. And so many its
#: rows may have, or times its bytes. Real documents are far below that; what is not repeats a long base.
TARGETS, TARGETS_RATIO = 1 << 26, 16
ROWS, ROWS_RATIO = 1 << 26, 200
#: A base of no more characters than these cannot make a document with absolute links so large.
_SHORT_BASE = 400
#: How much of what an exception says is stored, in characters.
_DETAIL = 300


class DocumentColumns(OptionFields, total=False):
    """Further keywords of `links`, `pages` and `absolutize`: names of columns, limits, the fields of `Options`."""

    html: str
    """The column of documents, bytes or text."""
    url: str | None
    """That of retrieval URLs; None for none."""
    charset: str | None
    """That of the transport's charsets; None for none, and there may be none of the default name."""
    identified_charset: str | None
    """That of charsets that a crawler found, likewise (WARC-Identified-Payload-Type)."""
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
    """How long a document may take, 60; None: as long as it takes. Looked at between references: a single value is
    scanned to its end.
    """
    options: Options
    """The fields of `Options`, in one."""


class Reading:
    """How documents are read. Raises InvalidOption and InvalidBase for a wrong value."""

    def __init__(self, fields: DocumentColumns) -> None:
        given: dict[str, Any] = dict(fields)
        self.names: ColumnNames = ColumnNames(*(given.pop(name, name) for name in ColumnNames._fields))
        self.default_base: str | None = given.pop("default_base", None)
        self.max_size: int = given.pop("max_size", MAX_SIZE)
        self.seconds: float | None = given.pop("seconds", SECONDS)
        options: Options | None = given.pop("options", None)
        if options is not None and given:
            message = f"options and {', '.join(given)} are both given: give one of them"
            raise InvalidOption(message)
        try:
            self.options: Options = Options(**given) if options is None else options
        except TypeError as error:
            raise InvalidOption(str(error)) from error
        check_names(self.names)
        check_max_size(self.max_size)
        check("seconds", self.seconds)
        validate(Envelope(default=self.default_base), self.options)

    def documents(self, batch: DocumentRows) -> Iterator[RowDocument]:
        """The documents of a batch's rows."""
        for number, row in enumerate(input_rows(batch, self.names, self.max_size)):
            yield RowDocument(partial(self._document, row), row.url, row.size, row.fault, number)

    def _document(self, row: InputRow) -> tuple[Document[Any], str | None]:
        """The document of a row that has one, and what is wrong with the row."""
        problem = row.problem
        try:
            document = self._document_at(row.url, row)
        except InvalidBase:
            document, problem = self._document_at(None, row), "part-url"
        limit(document, row.size, self.seconds)
        return document, problem

    def _document_at(self, url: str | None, row: InputRow) -> Document[Any]:
        envelope = Envelope(
            url,
            row.charset,
            row.media_type,
            default=self.default_base,
            content_security_policy=row.content_security_policy,
            identified_charset=row.identified_charset,
        )
        return Document(
            cast("Any", row.html), envelope=envelope, options=self.options
        )  # it is generic over bytes and str


def limit(document: Document[Any], size: int, seconds: float | None = None) -> None:
    """Limit what a document of so many bytes may take."""
    document.budget = Budget(seconds, max(TARGETS, TARGETS_RATIO * size))


class RowDocument:
    """A row's document, and why it is not read.

    `make`: makes the document, and says what is wrong with the row. `url`: the document's, as the row has it. `size`:
    its size in bytes. `number`: of the row in its batch.
    """

    def __init__(
        self,
        make: Callable[[], tuple[Document[Any], str | None]],
        url: str | None,
        size: int,
        fault: RowFault | None = None,
        number: int = 0,
    ) -> None:
        self.url = url
        self.size = size
        self.fault = fault
        self.number = number
        self.document: Document[Any] | None = None
        self._make = make
        self._problem: str | None = None

    def ask(self, question: Callable[[Document[Any]], Found]) -> Found | None:
        """The answer of the document; None, and a `fault`, where there is no document, and where it fails."""
        if self.fault is not None:
            return None
        try:
            if self.document is None:
                self.document, self._problem = self._make()
            return question(self.document)
        except OverBudget as error:
            self.fault = RowFault(error.code, str(error))
        except Exception as error:  # noqa: BLE001 - whatever is wrong with one document, the others are read
            self.fault = RowFault("document-failed", f"{type(error).__name__}: {error}"[:_DETAIL])
        return None

    def link_columns(self, document: Document[Any], *, places: bool = False) -> LinkColumns:
        """The document's links. Raises OverBudget, too, where they have too many characters.

        `places`: whether lines and columns are among them.
        """
        columns = document.link_columns(places=places)
        size = links_size(columns) + columns.count * len(self.url or "")
        most = max(ROWS, ROWS_RATIO * self.size)
        if size > most:
            detail = f"{size:,} characters, more than {most:,}"
            raise LinksTooLarge(detail)
        return columns

    def absolute(self, document: Document[Any]) -> bytes | str:
        """The document with absolute links. Raises OverBudget where these make it many times as large."""
        if len(document.document_base.url or "") > _SHORT_BASE:
            self.link_columns(document)
        data: bytes | str = document.convert().data
        return data

    def describe(self, links: int) -> dict[str, Any]:
        """Its row of `pages`, with this number of links."""
        row: dict[str, Any] = {"page": self.url, "size": self.size, "links": 0, "problems": []}
        known = self.ask(self._known)
        if known is None:
            code, detail = cast("RowFault", self.fault)
            return row | {"problem": code, "detail": detail or PROBLEMS.get(code, "")}
        return row | {"links": links} | known

    def _known(self, document: Document[Any]) -> dict[str, Any]:
        problems = Counter(problem.code for problem in document.problems)
        if self._problem is not None:
            problems[self._problem] += 1
        return {
            "base": document.document_base.url,
            "layer": document.document_base.layer.value,
            "encoding": document.encoding.name,
            "problems": sorted(problems.items()),
        }
