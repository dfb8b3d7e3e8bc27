"""The outline of a document: where its URL-bearing attributes and texts are, as integers in one flat array.

It combines tokenizer, tree context and vocabulary. A record is `WIDTH` integers: the number of the vocabulary's row,
the span of the raw value, the start of its tag, and bits (the value's quotation mark and the flags below). No object is
made for a tag or an attribute; `Link`s are made from the records on demand (`linkfix.document.document`).
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

try:
    import cython
except ImportError:
    from linkfix.html import no_cython as cython

from linkfix.html.charrefs import decode
from linkfix.html.names import NameTable
from linkfix.html.tokenizer import Tokenizer
from linkfix.html.tree_context import FLAGS, TreeContext
from linkfix.model import Row

if not cython.compiled:
    from linkfix.html.names import LOWER
    from linkfix.html.tokenizer import CLASS, END, EOF, SPACE
    from linkfix.html.tree_context import ANNOTATION, FONT, PLAINTEXT, RAW_TEXT, SCRIPT

__all__ = ["Outline", "Record", "RowIndex"]

#: The integers of a record: row, value start, value end, tag start, bits.
WIDTH = 5

#: The bits that hold the value's quotation mark, as a byte, or UNQUOTED or NO_VALUE.
QUOTE = 255
#: The record is an element's text, not an attribute's value.
TEXT = 256
#: The element is foreign: its text has character references and CDATA sections.
FOREIGN = 512
#: The element is in a template.
IN_TEMPLATE = 1024

NAMESPACES = {"html": 0, "svg": 1, "mathml": 2}

# Attributes that decide how the tree builder treats `font` and `annotation-xml`, numbered from 1: see
# `TreeContext.start`.
_DECISIVE_ATTRIBUTES = ("color", "face", "size", "encoding")
#: Encodings that make an annotation-xml element an HTML integration point (§13.2.6).
_INTEGRATION_ENCODINGS = ("text/html", "application/xhtml+xml")


class Record(NamedTuple):
    """An attribute's value, or an element's text, that can have references. Positions are byte offsets."""

    row: Row
    """The vocabulary's row."""
    start: int
    """Where the raw value begins, without its quotation mark."""
    end: int
    """Where the raw value ends."""
    tag_start: int
    """Where the element's start tag begins."""
    quote: int
    """The value's quotation mark, as a byte; UNQUOTED or NO_VALUE (`linkfix.html.constants`)."""
    text: bool = False
    """It is the element's text, not an attribute's value."""
    foreign: bool = False
    """It is the text of an SVG or MathML element, which has character references."""
    in_template: bool = False
    """The element is in a template, and so not part of the page."""


#: The kinds of row that compiled code treats differently (`linkfix.document.splicer`, `linkfix.audit.reference_index`).
OTHER, URL, LOCAL_URL, BASE, CSS, ANCHOR = 0, 1, 2, 3, 4, 5


def _kind(row: Row) -> int:
    if row.role == "base":
        return BASE
    if row.role in {"code", "codebase"}:
        return OTHER
    return {"url": URL, "local-url": LOCAL_URL, "css": CSS, "anchor": ANCHOR}.get(row.syntax, OTHER)


class RowIndex:
    """A vocabulary as arrays: (namespace, element, attribute) -> the number of the first such row, from 1."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows: list[Row] = [rows[0], *rows]  # rows are numbered from 1; row 0 is never used
        guards = [row.guard.partition("=") for row in rows]
        attributes = [*_DECISIVE_ATTRIBUTES]
        for name in [row.attribute for row in rows] + [guard[0] for guard in guards]:
            if name and name not in attributes:
                attributes.append(name)
        elements = [*FLAGS]
        for row in rows:
            if row.element != "*" and row.element not in elements:
                elements.append(row.element)
        self.attributes: NameTable = NameTable(attributes)
        self.elements: NameTable = NameTable(elements)
        self.flags: array[int] = array("i", [0, *(FLAGS.get(name, 0) for name in elements)])
        self.integration_encodings: NameTable = NameTable(_INTEGRATION_ENCODINGS)
        self.head: int = elements.index("head") + 1
        self.image: int = elements.index("image") + 1
        self.img: int = elements.index("img") + 1
        self.html: int = elements.index("html") + 1
        self.width: int = len(attributes) + 1
        self.height: int = len(elements) + 1
        self.table: array[int] = array("i", bytes(4 * 3 * self.height * self.width))
        self.nexts: array[int] = array("i", bytes(4 * len(self.rows)))
        self.guards: array[int] = array("i", bytes(4 * len(self.rows)))
        self.kinds: array[int] = array("i", [0, *(_kind(row) for row in rows)])
        self.guard_words: list[NameTable | None] = [None]
        self._fill_table(rows, elements, attributes)
        for number, guard in enumerate(guards, 1):
            self.guards[number] = attributes.index(guard[0]) + 1 if guard[0] else 0
            self.guard_words.append(NameTable(guard[2].split()) if guard[2] else None)

    def _fill_table(self, rows: Sequence[Row], elements: list[str], attributes: list[str]) -> None:
        """Fill the table. Rows of one element and attribute form a chain; rows of "*" apply where there is no other."""
        chains: dict[tuple[str, str, str], list[int]] = {}
        for number, row in enumerate(rows, 1):
            chains.setdefault((row.namespace, row.element, row.attribute), []).append(number)
        for (namespace, element, attribute), numbers in sorted(chains.items(), key=lambda chain: chain[0][1] != "*"):
            line = NAMESPACES[namespace] * self.height
            lines = range(line, line + self.height) if element == "*" else [line + elements.index(element) + 1]
            column = attributes.index(attribute) + 1 if attribute else 0
            for place in lines:
                self.table[place * self.width + column] = numbers[0]
            for number, following in pairwise(numbers):
                self.nexts[number] = following


class Outline:
    """The records of data[start:], in document order: `cells[i * WIDTH:]` for i in range(count).

    `bases`: the numbers of the records that are hrefs of BASE elements. `head_end`, `html_end`, `doctype_end`: where
    the head's start tag, the html element's and the DOCTYPE end, 0 where there is none.
    """

    def __init__(self, index: RowIndex, data: bytes, start: int) -> None:
        self.index = index
        self.data = data
        self.count: int = 0
        self.capacity: int = 64
        self.cells: array[int] = array("q", bytes(8 * WIDTH * 64))
        self.bases: list[int] = []
        self.head_end: int = 0
        self.html_end: int = 0
        self.doctype_end: int = 0
        self.tokenizer: Tokenizer = Tokenizer(data, start, len(data))
        self.context: TreeContext = TreeContext(index.flags)
        width = self.index.width
        self.tag: int = 0
        self.seen: array[int] = array("q", bytes(8 * width))
        self.value_starts: array[int] = array("q", bytes(8 * width))
        self.value_ends: array[int] = array("q", bytes(8 * width))
        self.quotes: array[int] = array("i", bytes(4 * width))
        self.order: array[int] = array("i", bytes(4 * width))
        self._scan()

    def record(self, number: int) -> Record:
        """The record of that number."""
        at = number * WIDTH
        cells = self.cells
        bits = cells[at + 4]
        return Record(
            self.index.rows[cells[at]],
            cells[at + 1],
            cells[at + 2],
            cells[at + 3],
            bits & QUOTE,
            bool(bits & TEXT),
            bool(bits & FOREIGN),
            bool(bits & IN_TEMPLATE),
        )

    def _scan(self) -> None:
        tokenizer = self.tokenizer
        context = self.context
        data = self.data
        elements = self.index.elements
        while True:
            kind = tokenizer.next_tag(context.foreign)
            if kind == EOF:
                break
            number = elements.find(data, tokenizer.name_start, tokenizer.name_end)
            if not number:
                number = self._hash(tokenizer.name_start, tokenizer.name_end)
            if kind == END:
                while tokenizer.next_attribute():
                    pass
                if tokenizer.tag_end >= 0:
                    context.end(number)
            else:
                self._start_tag(number)
        if not self.tag:
            self.doctype_end = tokenizer.doctype_end

    def _hash(self, start: int, end: int) -> int:
        """A negative number for the name of an element that is not in the index: a hash.

        It is modulo 2**30. In C, `value` has no sign: the product of a signed one would overflow.
        """
        value = 0
        while start < end:
            value = (value * 31 + LOWER[self.data[start]]) & 0x3FFFFFFF
            start += 1
        return -1 - value

    def _start_tag(self, number: int) -> None:
        """Read a start tag's attributes and record those that have references. `number`: the element's, see `_scan`."""
        tokenizer = self.tokenizer
        context = self.context
        index = self.index
        data = self.data
        tag_start = tokenizer.tag_start
        attributes = index.attributes
        if not self.tag:
            self.doctype_end = tokenizer.doctype_end  # a later DOCTYPE is ignored (§13.2.6.4)
        self.tag += 1
        tag = self.tag
        attribute_count = 0
        while tokenizer.next_attribute():
            attribute = attributes.find(data, tokenizer.attribute_start, tokenizer.attribute_end)
            if attribute and self.seen[attribute] != tag:  # the first of duplicates counts (§13.2.5.33)
                self.seen[attribute] = tag
                self.value_starts[attribute] = tokenizer.value_start
                self.value_ends[attribute] = tokenizer.value_end
                self.quotes[attribute] = tokenizer.quote
                self.order[attribute_count] = attribute
                attribute_count += 1
        if tokenizer.tag_end < 0:
            return
        flags = context.flags[number] if number >= 0 else 0
        decisive = bool(attribute_count and flags & (FONT | ANNOTATION) and self._has_decisive_attribute(flags))
        in_template = IN_TEMPLATE if context.templates else 0
        namespace = context.start(number, tokenizer.self_closing, decisive)
        if number < 0:
            number = 0
        elif not namespace:
            if number == index.image:
                number = index.img  # §13.2.6.4.7, a start tag whose tag name is "image"
            elif number == index.head and not self.head_end and not in_template:
                self.head_end = tokenizer.tag_end
            elif number == index.html and not self.html_end and not in_template:
                self.html_end = tokenizer.tag_end
        slot = (namespace * index.height + number) * index.width
        i = 0
        while i < attribute_count:
            attribute = self.order[i]
            row = index.table[slot + attribute]
            if row:
                self._push_rows(
                    row,
                    self.value_starts[attribute],
                    self.value_ends[attribute],
                    tag_start,
                    self.quotes[attribute] | in_template,
                )
            i += 1
        if not namespace:
            self._text(number, flags, index.table[slot], tag_start, in_template)
        elif index.table[slot] and not tokenizer.self_closing:
            self._foreign_text(index.table[slot], tag_start, in_template)

    def _has_decisive_attribute(self, flags: int) -> bool:
        """See `TreeContext.start`; the numbers are those of `_DECISIVE_ATTRIBUTES`."""
        if flags & FONT:
            return self.seen[1] == self.tag or self.seen[2] == self.tag or self.seen[3] == self.tag
        start = self.value_starts[4]
        end = self.value_ends[4]
        return (
            self.seen[4] == self.tag
            and start < end
            and self.index.integration_encodings.find(self.data, start, end) > 0
        )

    def _text(self, number: int, flags: int, row: int, tag_start: int, in_template: int) -> None:
        """Skip the text of an HTML element whose text has no markup; record it where it can have references."""
        if not flags & (RAW_TEXT | SCRIPT | PLAINTEXT):
            return
        tokenizer = self.tokenizer
        start = tokenizer.position
        if flags & SCRIPT:
            end = tokenizer.script_text()
        elif flags & PLAINTEXT:
            end = tokenizer.end
            tokenizer.position = end
        else:
            end = tokenizer.raw_text(self.index.elements.names[number].encode())
        if row:
            self._push_rows(row, start, end, tag_start, TEXT | in_template)

    def _foreign_text(self, row: int, tag_start: int, in_template: int) -> None:
        """Record the text of a foreign element up to the next tag."""
        tokenizer = self.tokenizer
        start = tokenizer.position
        tokenizer.next_tag(True)
        end = tokenizer.tag_start
        tokenizer.position = start
        self._push_rows(row, start, end, tag_start, TEXT | FOREIGN | in_template)

    def _push_rows(self, row: int, start: int, end: int, tag_start: int, bits: int) -> None:
        """Record the span for the first row from `row` on whose guard is satisfied."""
        index = self.index
        while row:
            guard = index.guards[row]
            if not guard or (
                self.seen[guard] == self.tag
                and self._satisfies_guard(row, self.value_starts[guard], self.value_ends[guard])
            ):
                self._push(row, start, end, tag_start, bits)
                return
            row = index.nexts[row]

    def _satisfies_guard(self, row: int, start: int, end: int) -> bool:
        """Whether the value data[start:end] of the guard's attribute is one that the row asks for."""
        words = self.index.guard_words[row]
        if words is None:
            return True
        data = self.data
        if data.find(b"&", start, end) >= 0:
            data = decode(data[start:end].decode("latin-1")).text.encode("utf-8")
            start = 0
            end = len(data)
        while start < end and CLASS[data[start]] & SPACE:
            start += 1
        while start < end and CLASS[data[end - 1]] & SPACE:
            end -= 1
        return start < end and words.find(data, start, end) > 0

    def _push(self, row: int, start: int, end: int, tag_start: int, bits: int) -> None:
        if self.count == self.capacity:
            self.cells = array("q", bytes(self.cells) + bytes(8 * WIDTH * self.capacity))
            self.capacity *= 2
        if self.index.kinds[row] == BASE:
            self.bases.append(self.count)
        at = self.count * WIDTH
        cells = self.cells
        cells[at] = row
        cells[at + 1] = start
        cells[at + 2] = end
        cells[at + 3] = tag_start
        cells[at + 4] = bits
        self.count += 1
