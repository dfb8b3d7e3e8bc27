"""Edits as integers: a span and the number of its new text. An edit needs no object; unedited bytes are copied."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

try:
    import cython
except ImportError:
    from linkfix.kernels import no_cython as cython

if not cython.compiled:
    from linkfix.kernels.memory import WIDTH, grown_longs, join_edits, longs, new_longs

if TYPE_CHECKING:
    from array import array


class Edits:
    """Edits of `data`, in order and disjoint: `cells[i * WIDTH:]` for i in range(count), see
    `linkfix.kernels.memory`. Their texts are in a table.

    A list of texts that many edits share is added once. `shift` is the number of the list's first text, from which
    `push` counts. `encode`: see `Decider.percent_encoder`; None if bytes outside ASCII need a decision elsewhere.
    """

    def __init__(self, data: bytes, encode: Callable[[bytes, bool], bytes | None] | None) -> None:
        self.data: bytes = data
        self.encode = encode
        self.texts: list[bytes] = []
        self.shift: int = 0
        self.count: int = 0
        self.capacity: int = 64
        self.memory: array[int] = new_longs(WIDTH * 64)
        self.cells: array[int] = longs(self.memory)

    def add_texts(self, texts: list[bytes]) -> int:
        """Add texts to the table. Return the number of the first."""
        shift = len(self.texts)
        self.texts += texts
        return shift

    def push(self, start: int, end: int, text: int) -> None:
        """Add an edit that replaces data[start:end] by text number `text`, counted from `shift`."""
        if self.count == self.capacity:
            self.reserve(2 * self.capacity)
        self.put(self.count, start, end, text)
        self.count += 1

    def put(self, number: int, start: int, end: int, text: int) -> None:
        """Overwrite edit number `number`."""
        at = number * WIDTH
        self.cells[at] = start
        self.cells[at + 1] = end
        self.cells[at + 2] = self.shift + text

    def push_text(self, start: int, end: int, text: bytes) -> None:
        """Add an edit whose text no other edit uses."""
        self.push(start, end, len(self.texts) - self.shift)
        self.texts.append(text)

    def push_encoded(self, start: int, end: int, is_query: bool) -> bool:
        """Add an edit that percent-encodes data[start:end]. Return False if that is not clear."""
        text = None if self.encode is None else self.encode(self.data[start:end], is_query)
        if text is not None:
            self.push_text(start, end, text)
        return text is not None

    def is_text(self, start: int, end: int) -> bool:
        """Whether data[start:end] has no errors of its encoding."""
        return self.encode is not None and self.encode(self.data[start:end], False) is not None

    def reserve(self, capacity: int) -> None:
        """Reserve memory for `capacity` edits in all."""
        if capacity > self.capacity:
            self.memory = grown_longs(self.memory, WIDTH * capacity)
            self.cells = longs(self.memory)
            self.capacity = capacity

    def apply(self) -> bytes:
        """The edited data; the same object if there are no edits."""
        if not self.count:
            return self.data
        return join_edits(self.data, self.cells, self.count, self.texts)
