"""Edits as integers: what is replaced by which text. No object is made for an edit; what nobody edits is copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

try:
    import cython
except ImportError:
    from linkfix.html import no_cython as cython

if not cython.compiled:
    from linkfix.document.joining import WIDTH, join_edits
    from linkfix.html.cells import grown_longs, longs, new_longs

if TYPE_CHECKING:
    from array import array


class Edits:
    """Edits of `data`, in order and disjoint: `cells[i * WIDTH:]` for i in range(count): see
    `linkfix.document.joining`. Their texts are in a table.

    Texts that many edits use are added once, as a list: `shift` is where the list begins that `push` counts from.
    """

    def __init__(self, data: bytes) -> None:
        self.data: bytes = data
        self.texts: list[bytes] = []
        self.shift: int = 0
        self.count: int = 0
        self.capacity: int = 64
        self.memory: array[int] = new_longs(WIDTH * 64)
        self.cells: array[int] = longs(self.memory)

    def add_texts(self, texts: list[bytes]) -> int:
        """Adds texts to the table; returns where they begin."""
        shift = len(self.texts)
        self.texts += texts
        return shift

    def push(self, start: int, end: int, text: int) -> None:
        """Adds an edit: data[start:end] is replaced by the text of that number, counted from `shift`."""
        if self.count == self.capacity:
            self.reserve(2 * self.capacity)
        self.put(self.count, start, end, text)
        self.count += 1

    def put(self, number: int, start: int, end: int, text: int) -> None:
        """Makes another edit of the one of that number."""
        at = number * WIDTH
        self.cells[at] = start
        self.cells[at + 1] = end
        self.cells[at + 2] = self.shift + text

    def push_text(self, start: int, end: int, text: bytes) -> None:
        """Adds an edit with a text that no other has."""
        self.push(start, end, len(self.texts) - self.shift)
        self.texts.append(text)

    def reserve(self, capacity: int) -> None:
        """Makes room for as many edits in all."""
        if capacity > self.capacity:
            self.memory = grown_longs(self.memory, WIDTH * capacity)
            self.cells = longs(self.memory)
            self.capacity = capacity

    def apply(self) -> bytes:
        """The edited data; the same object where there is no edit."""
        if not self.count:
            return self.data
        return join_edits(self.data, self.cells, self.count, self.texts)
