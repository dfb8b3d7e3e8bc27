"""Names of elements and attributes as small integers, found in place, ASCII case-insensitively, without a copy.

And what a vocabulary says of them, by these numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

try:
    import cython
except ImportError:
    from linkfix.html import no_cython as cython

if not cython.compiled:
    from linkfix.html.bytesearch import is_name, name_slot
    from linkfix.html.cells import ints, new_ints

if TYPE_CHECKING:
    from array import array

    from linkfix.model import Row


#: ASCII lowercase (Infra §4.6); all other bytes as they are.
LOWER = bytes(range(256)).lower()
#: How many hashes there are: see `name_slot`.
SLOTS = 1024


class NameTable:
    """A hash table of names (lower case), numbered from 1 in their order; 0 is any other name.

    Few names of a vocabulary share what their hash is made of.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names: list[str] = ["", *names]
        count = len(self.names)
        self.memory: list[array[int]] = [new_ints(SLOTS), new_ints(count), new_ints(count + 1)]
        self.heads: array[int] = ints(self.memory[0])
        self.nexts: array[int] = ints(self.memory[1])
        self.starts: array[int] = ints(self.memory[2])
        text = b""
        for number, name in enumerate(self.names):
            encoded = name.encode()
            self.starts[number] = len(text)
            text += encoded
            if number and encoded:
                slot = name_slot(len(encoded), encoded[0], encoded[len(encoded) - 1])
                self.nexts[number] = self.heads[slot]
                self.heads[slot] = number
        self.starts[count] = len(text)
        self.text = text

    def find(self, data: bytes, start: int, end: int) -> int:
        """The number of the name data[start:end], which is not empty, or 0."""
        length = end - start
        number = self.heads[name_slot(length, data[start], data[end - 1])]
        while number:
            at = self.starts[number]
            if self.starts[number + 1] - at == length and is_name(data, start, self.text, at, length):
                return number
            number = self.nexts[number]
        return 0


class RowIndex:
    """A vocabulary, in which the outline looks up tags and attributes; `linkfix.html.row_index` makes it.

    Rows, and names of attributes and elements, have numbers from 1; 0 is no row, and any other name. `heads`: of each
    row what a `Link` begins with, and its namespace. `flags`: of each element, see `linkfix.html.element_flags`.
    `memory`: `table`, the first row of each (namespace * height + element) * width + attribute, 0 for the text;
    `nexts`, of each row the next one of the same place; `guards`, the attribute that is its guard; `kinds`, its kind,
    see `linkfix.html.constants`. `guard_words`: the values that its guard asks for, None where any will do.
    """

    def __init__(
        self,
        rows: list[Row],
        heads: list[tuple[str, str, str, str, str]],
        attributes: NameTable,
        elements: NameTable,
        flags: array[int],
        memory: list[array[int]],
        guard_words: list[NameTable | None],
    ) -> None:
        self.rows: list[Row] = rows
        self.heads: list[tuple[str, str, str, str, str]] = heads
        self.attributes: NameTable = attributes
        self.elements: NameTable = elements
        self.width: int = len(attributes.names)
        self.height: int = len(elements.names)
        self.flags: array[int] = flags
        self.memory: list[array[int]] = memory
        self.table: array[int] = ints(memory[0])
        self.nexts: array[int] = ints(memory[1])
        self.guards: array[int] = ints(memory[2])
        self.kinds: array[int] = ints(memory[3])
        self.guard_words: list[NameTable | None] = guard_words
        self.head: int = elements.find(b"head", 0, 4)
        self.html: int = elements.find(b"html", 0, 4)
        self.image: int = elements.find(b"image", 0, 5)
        self.img: int = elements.find(b"img", 0, 3)
