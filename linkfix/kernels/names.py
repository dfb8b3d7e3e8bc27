"""Names of elements and attributes as small integers, and a vocabulary indexed by these integers.

Names are found in place, ASCII case-insensitively, without a copy.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

try:
    import cython
except ImportError:
    from linkfix.kernels import no_cython as cython

if not cython.compiled:
    from linkfix.kernels.bytesearch import is_name, name_slot, name_word
    from linkfix.kernels.memory import ints, new_ints, new_words, words

if TYPE_CHECKING:
    from array import array

    from linkfix.model import Row


#: The ASCII lowercase of each byte (Infra §4.6); all other bytes stay unchanged.
LOWER = bytes(range(256)).lower()
#: The number of hash values: see `name_slot`.
SLOTS = 1024
#: The number of bytes in a `name_word`.
WORD = 8


class NameTable:
    """A hash table of names (lower case), numbered from 1 in order; 0 stands for any other name.

    Few names of a vocabulary share a hash, which is that of their first eight bytes.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names: list[str] = ["", *names]
        count = len(self.names)
        self.memory: list[array[int]] = [new_ints(SLOTS), new_ints(count), new_ints(count), new_ints(count)]
        self.memory.append(new_words(count))
        self.heads: array[int] = ints(self.memory[0])
        self.nexts: array[int] = ints(self.memory[1])
        self.starts: array[int] = ints(self.memory[2])
        self.lengths: array[int] = ints(self.memory[3])
        self.words: array[int] = words(self.memory[4])
        text = b""
        for number, name in enumerate(self.names):
            encoded = name.encode()
            self.starts[number] = len(text)
            self.lengths[number] = len(encoded)
            text += encoded
            if number and encoded:
                word = name_word(encoded, 0, len(encoded))
                slot = name_slot(word)
                self.words[number] = word
                self.nexts[number] = self.heads[slot]
                self.heads[slot] = number
        self.text = text

    def find(self, data: bytes, start: int, end: int) -> int:
        """The number of the name data[start:end], or 0. The name must not be empty."""
        length = end - start
        word = name_word(data, start, length)
        number = self.heads[name_slot(word)]
        # As for most names; a function with the loop below would save more registers.
        if not number or (self.words[number] == word and self.lengths[number] == length <= WORD):
            return number
        return self._find_from(number, data, start, length)

    def _find_from(self, number: int, data: bytes, start: int, length: int) -> int:
        """The number of the name of `length` bytes at data[start] if it is `number` or after it, or 0."""
        while number:
            if self.lengths[number] == length and is_name(data, start, self.text, self.starts[number], length):
                return number
            number = self.nexts[number]
        return 0


class RowIndex:
    """A vocabulary for the outline's lookups of tags and attributes; `linkfix.html.vocabulary` builds it.

    Rows, attribute names and element names have numbers from 1; 0 means no row, or any other name.

    `heads`: the first fields of a `Link`, and the namespace, for each row. `flags`: the flags of each element, see
    `constants`. `memory`: four arrays. `table` has the first row at (namespace * height + element) *
    width + attribute, with attribute 0 for the text. For each row, `nexts` has the next row for the same element and
    attribute, `guards` the number of the guard's attribute, and `kinds` its kind, see `constants`.
    `guard_words`: the values that satisfy each row's guard; None if any value does.
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
        self.comment: int = elements.find(b"#comment", 0, 8)
