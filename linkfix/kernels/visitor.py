"""A visit to the records of an outline, in order: the loop that conversion, links and the audit share."""

from __future__ import annotations

from collections.abc import Callable

try:
    import cython
except ImportError:
    from linkfix.kernels import no_cython as cython

from linkfix.kernels.byte_spans import ByteSpans
from linkfix.kernels.outline import Outline
from linkfix.kernels.plain import PlainReferences

if not cython.compiled:
    from linkfix.kernels.bytesearch import find_byte, lacks_references
    from linkfix.kernels.constants import AMPERSAND, ANCHOR, BASE, CSS, LESS_THAN, LOCAL_URL, REFRESH, SRCSET, URL
    from linkfix.kernels.outline import FOREIGN, TEXT, WIDTH


#: The plain references of attribute values and of text; None if no reference is plain.
PlainPair = tuple[PlainReferences | None, PlainReferences | None]


class RecordVisitor:
    """Calls the method for each record's kind of value. Subclasses say what the methods do.

    `data`: the outline's document. `values`, `texts`: the plain references of attribute values and of text to the base
    of the visited record; None if no reference is plain. `several`: finds the URLs of a value that can have several.

    `before_base`: the number of records before the BASE element that decides. Those that are parsed at once have the
    fallback base; `of_fallback` has its plain references. `number`, `kind`, `row`, `tag_start`, `bits`: the record that
    is visited, see `linkfix.kernels.outline`.
    """

    def __init__(self, data: bytes) -> None:
        self.data: bytes = data
        self.values: PlainReferences | None = None
        self.texts: PlainReferences | None = None
        self.several: ByteSpans | None = None
        self.of_base: PlainPair = None, None
        self.of_fallback: PlainPair = None, None
        self.before_base: int = 0
        self.is_parsed_before_base: Callable[[int], bool] | None = None
        self.has_fallback: bool = False
        self.number: int = 0
        self.kind: int = 0
        self.row: int = 0
        self.tag_start: int = 0
        self.bits: int = 0

    def read_plain(
        self,
        several: ByteSpans,
        of_base: PlainPair,
        of_fallback: PlainPair,
        before_base: int,
        is_parsed_before_base: Callable[[int], bool],
    ) -> None:
        """Set what the records are read with; see the class.

        `is_parsed_before_base`: returns whether the references of a record before BASE are parsed at once.
        """
        self.several = several
        self.of_base = of_base
        self.of_fallback = of_fallback
        self.before_base = before_base
        self.is_parsed_before_base = is_parsed_before_base
        self.use(False)

    def choose_base(self) -> None:
        """Use the plain references to the base of the visited record.

        Only records before BASE and the hrefs of BASE elements need that: the document's base is used otherwise.
        """
        if self.kind == BASE:
            self.use(True)
        elif self.number < self.before_base and self.is_parsed_before_base is not None:
            self.use(self.is_parsed_before_base(self.number))

    def use(self, fallback: bool) -> None:
        """Use the plain references to the fallback base, or to the document's base."""
        self.has_fallback = fallback
        self.values, self.texts = self.of_fallback if fallback else self.of_base

    def visit(self, outline: Outline, first: int) -> None:
        """Visit the records of an outline of `data`, from record `first` on. CSS without a reference is left out."""
        data = self.data
        cells = outline.cells
        kinds = outline.index.kinds
        number = first
        while number < outline.count:
            at = number * WIDTH
            kind = kinds[cells[at]]
            start = cells[at + 1]
            end = cells[at + 2]
            self.number = number
            self.kind = kind
            self.row = cells[at]
            self.tag_start = cells[at + 3]
            self.bits = cells[at + 4]
            if self.has_fallback:
                self.use(False)
            if (kind == URL or kind == LOCAL_URL) and not self.bits & TEXT:  # noqa: PLR1714, SIM109
                self.on_url(start, end)
            elif kind == ANCHOR:
                self.on_anchor(start, end)
            elif kind == BASE:
                self.on_base(start, end)
            elif kind == CSS and lacks_references(data, start, end):
                pass
            elif kind not in (CSS, SRCSET, REFRESH) or not self.on_several(start, end):
                self.on_other()
            number += 1
        self.use(False)

    def on_url(self, start: int, end: int) -> None:
        """Receive data[start:end], an attribute's value that is one URL."""

    def on_anchor(self, start: int, end: int) -> None:
        """Receive data[start:end], a name that fragments can refer to."""

    def on_base(self, start: int, end: int) -> None:
        """Receive data[start:end], the href of a BASE element."""
        self.on_other()

    def on_several(self, start: int, end: int) -> bool:
        """Receive data[start:end], a value that can have several URLs. Return False to have `on_other` called."""
        return False

    def on_part(self, start: int, end: int) -> bool:
        """Receive data[start:end], one of several URLs of a value. Return False if `read_parts` must stop."""
        return False

    def on_other(self) -> None:
        """Receive a record whose value only its syntax can read."""

    def read_parts(self, start: int, end: int) -> bool:
        """Call `on_part` for each URL in data[start:end]. Return False if bytes do not suffice to find them, or after
        the first call that returns False.
        """
        data = self.data
        several = self.several
        if several is None or (
            self.bits & FOREIGN
            and (find_byte(data, AMPERSAND, start, end) < end or find_byte(data, LESS_THAN, start, end) < end)
        ):
            return False
        count = several.find(self.kind, data, start, end, self.bits & TEXT != 0)
        spans = several.spans
        at = 0
        while at < 2 * count:
            if not self.on_part(spans[at], spans[at + 1]):
                return False
            at += 2
        return count >= 0
