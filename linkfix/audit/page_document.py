"""A page of a tree as the audit reads it: a document, and what only the audit asks of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Self, cast

from linkfix.audit.reference_index import ReferenceIndex, has_tag, index_records
from linkfix.document.document import Document
from linkfix.html.charrefs import decode
from linkfix.html.outline import Outline
from linkfix.model import Link, Problem

__all__ = ["PageDocument"]

#: What depends on the bytes of a page alone, and is the same under each of its names.
_OF_BYTES = frozenset({"reference_index", "ids", "may_have_base"})


class PageDocument(Document[bytes]):
    """A page. Records are told by their numbers in the outline."""

    @cached_property
    def reference_index(self) -> ReferenceIndex:
        """The names that fragments can mean (with `Options.anchors`), and which records have the same reference."""
        outline = self._outline
        if self.kind == "html" and isinstance(outline, Outline):
            return ReferenceIndex(outline)
        return index_records(self._data, [self._record(number) for number in range(self._count())])

    @cached_property
    def ids(self) -> tuple[bytes, ...]:
        """The names that fragments can mean, decoded, in UTF-8."""
        encoding = self.source.working
        plain = encoding.name == "utf-8"
        made = []
        for raw in self.reference_index.anchors:
            one = raw
            if b"\r" in one:  # HTML §13.2.3.5 "normalize newlines"; what is written as a character reference stays
                one = one.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            if b"&" in one or not (plain or one.isascii()):
                one = decode(encoding.decode(one)).text.encode("utf-8", "surrogatepass")
            made.append(one.replace(b"\0", b"\xef\xbf\xbd") if b"\0" in one else one)
        return tuple(made)

    @cached_property
    def may_have_base(self) -> bool:
        """Whether the page can have BASE elements; if it is HTML, whether it has text that looks like a tag of one."""
        return self.kind == "xml" or (self.kind == "html" and has_tag(self.source.data, b"base"))

    def with_url(self, url: str) -> Self:
        """The same page, under another of its names."""
        other = super().with_url(url)
        vars(other).update((name, value) for name, value in vars(self).items() if name in _OF_BYTES)
        return other

    def is_srcdoc(self, number: int) -> bool:
        """Whether a record holds a document of its own."""
        return self._record(number).row.syntax == "srcdoc"

    def is_in_noscript(self, number: int) -> bool:
        """Whether a record's element is in a noscript, and scripts are on."""
        return self._record(number).in_noscript

    def row_number(self, number: int) -> int:
        """The number of a record's row. HTML only, as the two below."""
        return cast("Outline", self._outline).row_number(number)

    def start(self, number: int) -> int:
        """Where a record's raw value begins."""
        return cast("Outline", self._outline).start(number)

    def has_any_element(self, number: int) -> bool:
        """Whether a record's row is one of every element."""
        return self._record(number).row.element == "*"

    def links_of(self, numbers: Iterable[int]) -> Iterator[Link]:
        """The links of some records; spans are in bytes of `source.data`."""
        return (found.link for found in self._occurrences(numbers))

    def module_scripts(self) -> Iterator[Link]:
        """The `src` of scripts that are loaded as modules."""
        for number in range(self._count()):
            record = self._record(number)
            if (record.row.element, record.row.attribute) == ("script", "src") and not record.in_template:
                kind = self._finder.attribute(record, "type") or ""
                if kind.strip("\t\n\f\r ").lower() == "module":
                    yield from self.links_of((number,))

    def problems_so_far(self) -> tuple[Problem, ...]:
        """The problems that are known: a reference's is once it was looked at."""
        return self._problems_so_far()
