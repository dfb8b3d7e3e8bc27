"""A page of a tree as the audit reads it: a document, and what only the audit asks of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from linkfix.audit.reference_index import ReferenceIndex, index_records
from linkfix.document.document import Document
from linkfix.html.outline import Outline
from linkfix.model import Link, Problem

__all__ = ["PageDocument"]


class PageDocument(Document[bytes]):
    """A page. Records are told by their numbers in the outline."""

    @cached_property
    def reference_index(self) -> ReferenceIndex:
        """The names that fragments can mean (with `Options.anchors`), and which records have the same reference."""
        outline = self._outline
        if self.kind == "html" and isinstance(outline, Outline):
            return ReferenceIndex(outline)
        return index_records(self._data, [self._record(number) for number in range(self._count())])

    def is_srcdoc(self, number: int) -> bool:
        """Whether a record holds a document of its own."""
        return self._record(number).row.syntax == "srcdoc"

    def links_of(self, numbers: Iterable[int]) -> Iterator[Link]:
        """The links of some records; spans are in bytes of `source.data`."""
        return (found.link for found in self._occurrences(numbers))

    def problems_so_far(self) -> tuple[Problem, ...]:
        """The problems that are known: a reference's is once it was looked at."""
        return self._problems_so_far()
