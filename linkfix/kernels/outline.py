"""The outline of a document: the positions of its URL-bearing attributes and texts, as integers in one flat array.

The outline combines tokenizer, tree context and vocabulary. A record is `WIDTH` integers: the number of the
vocabulary's row, the span of the raw value, the start of its tag, and bits (the value's quotation mark and the flags
below). The scan creates no object for a tag or an attribute; `linkfix.document.document` makes `Link`s from the
records on demand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

try:
    import cython
except ImportError:
    from linkfix.kernels import no_cython as cython

from linkfix.encodings.character_references import decode
from linkfix.kernels.names import NameTable, RowIndex
from linkfix.kernels.tokenizer import Tokenizer
from linkfix.kernels.tree_context import TreeContext
from linkfix.model import Row

if not cython.compiled:
    from linkfix.kernels.bytesearch import find_byte
    from linkfix.kernels.constants import (
        AMPERSAND,
        ANNOTATION,
        BASE,
        COLOR,
        CONTENT,
        ENCODING,
        FACE,
        FONT,
        FRAMESET,
        GREATER_THAN,
        HTTP_EQUIV,
        INPUT,
        META,
        NOSCRIPT,
        PLAINTEXT,
        RAW_TEXT,
        RIGHT_BRACKET,
        SCRIPT,
        SIZE,
        TYPE,
    )
    from linkfix.kernels.memory import grown_longs, ints, longs, new_ints, new_longs
    from linkfix.kernels.names import LOWER
    from linkfix.kernels.tokenizer import BLANK, CLASS, CONDITIONAL, END, EOF, SPACE, VISIBLE
    from linkfix.kernels.tree_context import DROPPED

if TYPE_CHECKING:
    from array import array


class Record(NamedTuple):
    """An attribute's value, or an element's text, that can have references. Positions are byte offsets."""

    row: Row
    """The vocabulary's row."""
    start: int
    """The start of the raw value, without its quotation mark."""
    end: int
    """The end of the raw value."""
    tag_start: int
    """The start of the element's start tag."""
    quote: int
    """The value's quotation mark, as a byte; UNQUOTED or NO_VALUE (`linkfix.kernels.constants`)."""
    text: bool = False
    """Whether this is the element's text, not an attribute's value."""
    foreign: bool = False
    """Whether this is the text of an SVG or MathML element, which has character references."""
    in_template: bool = False
    """Whether the element is in a template, and so not part of the page."""
    in_frameset: bool = False
    """Whether the element is missing from the tree because its tag is in a frameset, after a frameset, or in the body
    that a frameset replaced."""
    in_noscript: bool = False
    """Whether the element is in a noscript, whose content is text if scripts are on."""
    sections: bool = False
    """Whether this is the text of an XML element, with runs of text and CDATA sections read as one text."""


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
#: The element is in the text of a noscript, where scripts are on.
IN_NOSCRIPT = 2048
#: The element is not in the tree: its tag is in a frameset, after a frameset, or in the body that a frameset replaced.
IN_FRAMESET = 4096
#: Encodings that make an annotation-xml element an HTML integration point (§13.2.6).
INTEGRATION_ENCODINGS = NameTable(("text/html", "application/xhtml+xml"))
HIDDEN, POLICY = NameTable(("hidden",)), NameTable(("content-security-policy",))


def _decoded(data: bytes, start: int, end: int) -> bytes:
    """The value data[start:end] with its character references decoded. Non-ASCII characters are not preserved."""
    decoded = decode(data[start:end].decode("latin-1"))
    return decoded.text.encode("utf-8")


def _passes_end(tokenizer: Tokenizer, data: bytes) -> bool:
    """Whether the tag ends at the tokenizer's position, with a ">"; if so, move past it.

    `next_attribute` would report the same end.
    """
    position = tokenizer.position
    if position >= tokenizer.end or data[position] != GREATER_THAN:
        return False
    tokenizer.position = tokenizer.tag_end = position + 1
    return True


class Outline:
    """The records of data[start:], in document order: `cells[i * WIDTH:]` for i in range(count).

    `scripting`: scripts are on, so the content of `noscript` is text for the parser (§13.2.6.4.4, §13.2.6.4.7). The
    outline still records the references in it, parsed as a separate fragment.

    `bases`: the numbers of the records that are hrefs of BASE elements. `head_count`: the number of records before the
    body. `policies`: for each Content-Security-Policy in the head, the byte offsets of its meta's tag and of the raw
    value's start and end, and the value's quotation mark. `head_end`, `html_end`, `doctype_end`: the offset of the end
    of the head's start tag, of the html element's start tag and of the DOCTYPE; 0 if absent.
    """

    def __init__(self, index: RowIndex, data: bytes, start: int, scripting: bool = False) -> None:
        self.index = index
        self.data = data
        self.count: int = 0
        self.capacity: int = 64
        self.bases: list[int] = []
        self.policies: list[tuple[int, int, int, int]] = []
        self.head_count: int = 0
        self.has_frameset: bool = False
        self.head_end: int = 0
        self.html_end: int = 0
        self.doctype_end: int = 0
        self.tokenizer: Tokenizer = Tokenizer(data, start, len(data))
        self.context: TreeContext = TreeContext(index.flags)
        self.scripting: bool = scripting
        self.around: int = 0  # bits that every record of the current scan gets
        width = self.index.width
        self.tag: int = 0
        self.memory: list[array[int]] = [new_longs(WIDTH * self.capacity)]
        self.memory += [new_longs(width), new_longs(width), new_longs(width), new_ints(width), new_ints(width)]
        self.cells: array[int] = longs(self.memory[0])
        self.seen: array[int] = longs(self.memory[1])
        self.value_starts: array[int] = longs(self.memory[2])
        self.value_ends: array[int] = longs(self.memory[3])
        self.quotes: array[int] = ints(self.memory[4])
        self.order: array[int] = ints(self.memory[5])
        self.tokenizer.text = BLANK
        self.tokenizer.conditionals = self.index.comment != 0
        self._scan()
        if not self.tag:
            self.doctype_end = self.tokenizer.doctype_end

    def row_number(self, number: int) -> int:
        """The number of a record's row in the index."""
        return self.cells[number * WIDTH]

    def start(self, number: int) -> int:
        """The start of a record's raw value, in bytes."""
        return self.cells[number * WIDTH + 1]

    def tag_start(self, number: int) -> int:
        """The start of a record's tag, in bytes."""
        return self.cells[number * WIDTH + 3]

    def record(self, number: int) -> Record:
        """The record with this number."""
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
            bool(bits & IN_FRAMESET),
            bool(bits & IN_NOSCRIPT),
        )

    def _scan(self) -> None:
        tokenizer = self.tokenizer
        context = self.context
        data = self.data
        index = self.index
        elements = index.elements
        while True:
            kind = tokenizer.next_tag(context.foreign)
            if kind == EOF:
                break
            if kind == CONDITIONAL:
                self._conditional(tokenizer.tag_start, tokenizer.position)
                continue
            if context.needs_text and tokenizer.text:
                context.text(tokenizer.text == VISIBLE)
                tokenizer.text = BLANK if context.needs_text else VISIBLE
            number = elements.find(data, tokenizer.name_start, tokenizer.name_end)
            if not number:
                number = self._hash(tokenizer.name_start, tokenizer.name_end)
            if kind == END:
                while not _passes_end(tokenizer, data) and tokenizer.next_attribute():
                    pass
                if tokenizer.tag_end >= 0:
                    context.end(number)
            else:
                self._start_tag(number, tokenizer, context, index, data)
                if context.before_body:
                    self.head_count = self.count

    def _conditional(self, start: int, end: int) -> None:
        """Record the HTML in a conditional comment, `<!--[if mso]> HTML <![endif]-->`. `start`, `end`: of the comment.

        A comment without this form, such as `<!--[if !mso]><!-->`, has no HTML.
        """
        data = self.data
        first = find_byte(data, GREATER_THAN, start, end) + 1
        last = data.rfind(b"<!", first, end)
        is_whole = data[first - 2] == RIGHT_BRACKET and b"".join(data[last:end].lower().split()) == b"<![endif]-->"
        if last >= first and is_whole:
            around = self.around | (IN_TEMPLATE if self.context.templates else 0)
            self._push(self.index.table[self.index.comment * self.index.width], first, last, start, TEXT | around)
            if self.context.before_body:
                self.head_count = self.count

    def _hash(self, start: int, end: int) -> int:
        """A negative hash for an element name that is not in the index.

        The hash is modulo 2**30. In C, `value` is unsigned, since a signed product would overflow.
        """
        value = 0
        while start < end:
            value = (value * 31 + LOWER[self.data[start]]) & 0x3FFFFFFF
            start += 1
        return -1 - value

    def _start_tag(self, number: int, tokenizer: Tokenizer, context: TreeContext, index: RowIndex, data: bytes) -> None:
        """Read a start tag's attributes and record those that have references.

        `number`: the element's number, see `_scan`. The other parameters are the outline's own attributes.
        """
        tag_start = tokenizer.tag_start
        if not self.tag:
            self.doctype_end = tokenizer.doctype_end  # a later DOCTYPE is ignored (§13.2.6.4)
        self.tag += 1
        tag = self.tag
        attribute_count = 0
        while not _passes_end(tokenizer, data) and tokenizer.next_attribute():
            attribute = index.attributes.find(data, tokenizer.attribute_start, tokenizer.attribute_end)
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
        decisive = bool(attribute_count and flags & (FONT | ANNOTATION | INPUT) and self._has_decisive_attribute(flags))
        if flags & META and context.before_body:
            self._meta(tag_start)
        around = self.around | (IN_TEMPLATE if context.templates else 0)
        namespace = context.start(number, tokenizer.self_closing, decisive)
        if namespace == DROPPED:
            # Browsers drop this element. Its references are recorded, but BASE does not count and text is not recorded.
            namespace = flags = 0
            around = IN_FRAMESET
        if flags & FRAMESET and context.in_frameset and not self.has_frameset:
            self._replace_body()
        if number < 0:
            number = 0
        elif not namespace:
            if number == index.image:
                number = index.img  # §13.2.6.4.7, a start tag whose tag name is "image"
            elif number == index.head and not self.head_end and not around:
                self.head_end = tokenizer.tag_end
            elif number == index.html and not self.html_end and not around:
                self.html_end = tokenizer.tag_end
        slot = (namespace * index.height + number) * index.width
        self._push_attributes(slot, attribute_count, tag_start, around)
        if not namespace:
            if flags & (RAW_TEXT | SCRIPT | PLAINTEXT):
                self._text(number, flags, index.table[slot], tag_start, around)
            elif flags & NOSCRIPT and self.scripting and not around & IN_NOSCRIPT:
                self._noscript(around)
        elif index.table[slot] and not tokenizer.self_closing:
            self._foreign_text(index.table[slot], tag_start, around)

    def _push_attributes(self, slot: int, count: int, tag_start: int, around: int) -> None:
        """Record the references in a tag's first `count` attributes. `slot`: the tag's line in the table."""
        i = 0
        while i < count:
            attribute = self.order[i]
            row = self.index.table[slot + attribute]
            if row:
                self._push_rows(
                    row,
                    self.value_starts[attribute],
                    self.value_ends[attribute],
                    tag_start,
                    self.quotes[attribute] | around,
                )
            i += 1

    def _has_decisive_attribute(self, flags: int) -> bool:
        """Whether the tag has an attribute that makes it decisive; see `TreeContext.start`."""
        if flags & FONT:
            return self.seen[COLOR] == self.tag or self.seen[FACE] == self.tag or self.seen[SIZE] == self.tag
        if flags & INPUT:
            return self.context.frameset_ok and self._is_value(TYPE, HIDDEN)
        return self._is_value(ENCODING, INTEGRATION_ENCODINGS)

    def _replace_body(self) -> None:
        """Mark the records of the body as out of the tree: a frameset replaces the body (§13.2.6.4.7)."""
        self.has_frameset = True
        number = self.head_count
        while number < self.count:
            self.cells[number * WIDTH + 4] |= IN_FRAMESET
            number += 1

    def _is_value(self, attribute: int, words: NameTable) -> bool:
        """Whether the tag has this attribute with one of these values, ASCII case-insensitively."""
        if self.seen[attribute] != self.tag:
            return False
        data = self.data
        start = self.value_starts[attribute]
        end = self.value_ends[attribute]
        if find_byte(data, AMPERSAND, start, end) < end:
            data = _decoded(data, start, end)
            start = 0
            end = len(data)
        return start < end and words.find(data, start, end) > 0

    def _meta(self, tag_start: int) -> None:
        """Keep a policy that a meta in the head states (HTML §4.2.5.3).

        In browsers, a policy in a noscript of the head counts too.
        """
        has_content = not self.context.templates and self.seen[CONTENT] == self.tag
        if has_content and self._is_value(HTTP_EQUIV, POLICY):
            self.policies.append(
                (tag_start, self.value_starts[CONTENT], self.value_ends[CONTENT], self.quotes[CONTENT])
            )

    def _text(self, number: int, flags: int, row: int, tag_start: int, around: int) -> None:
        """Skip the text of an HTML element whose text has no markup; record it if it can have references."""
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
            self._push_rows(row, start, end, tag_start, TEXT | around)

    def _noscript(self, around: int) -> None:
        """Record the references in a noscript's text, parsed as markup; then restore the state of the scan."""
        tokenizer = self.tokenizer
        context = self.context
        outer = self.around
        start = tokenizer.position
        last = tokenizer.end
        text = tokenizer.text
        end = tokenizer.raw_text(b"noscript")
        tokenizer.position = start
        tokenizer.end = end
        tokenizer.text = VISIBLE
        self.context = TreeContext(self.index.flags)
        self.context.text(True)
        self.around = around | IN_NOSCRIPT
        self._scan()
        self.around = outer
        self.context = context
        tokenizer.end = last
        tokenizer.position = end
        tokenizer.text = text

    def _foreign_text(self, row: int, tag_start: int, around: int) -> None:
        """Record the text of a foreign element up to the next tag."""
        tokenizer = self.tokenizer
        start = tokenizer.position
        while tokenizer.next_tag(True) == CONDITIONAL:
            pass
        end = tokenizer.tag_start
        tokenizer.position = end  # not before a comment in the text: its HTML is no part of the text
        self._push_rows(row, start, end, tag_start, TEXT | FOREIGN | around)

    def _push_rows(self, row: int, start: int, end: int, tag_start: int, bits: int) -> None:
        """Record the span for the first row with a satisfied guard, from `row` on."""
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
        """Whether the value data[start:end] of the guard's attribute satisfies the row's guard."""
        words = self.index.guard_words[row]
        if words is None:
            return True
        data = self.data
        if find_byte(data, AMPERSAND, start, end) < end:
            data = _decoded(data, start, end)
            start = 0
            end = len(data)
        if self.index.guards[row] != HTTP_EQUIV:  # an enumerated attribute (HTML §2.3.3): " refresh " is not a keyword
            while start < end and CLASS[data[start]] & SPACE:
                start += 1
            while start < end and CLASS[data[end - 1]] & SPACE:
                end -= 1
        return start < end and words.find(data, start, end) > 0

    def _push(self, row: int, start: int, end: int, tag_start: int, bits: int) -> None:
        if self.count == self.capacity:
            self._grow()
        if self.index.kinds[row] == BASE:
            self.bases.append(self.count)
        at = self.count * WIDTH
        self.cells[at] = row
        self.cells[at + 1] = start
        self.cells[at + 2] = end
        self.cells[at + 3] = tag_start
        self.cells[at + 4] = bits
        self.count += 1

    def _grow(self) -> None:
        self.capacity *= 2
        self.memory[0] = grown_longs(self.memory[0], WIDTH * self.capacity)
        self.cells = longs(self.memory[0])
