"""Names of elements and attributes as small integers: found in place, ASCII case-insensitively, without a copy."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

__all__ = ["NameTable"]

#: ASCII lowercase (Infra §4.6); all other bytes as they are.
LOWER = bytes(range(256)).lower()


class NameTable:
    """A hash table of names (lower case), numbered from 1 in their order; 0 is any other name.

    The hash takes a name's length, first and last byte: few names of a vocabulary share all three.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names: list[str] = ["", *names]
        self.heads: array[int] = array("i", bytes(4 * 1024))
        self.nexts: array[int] = array("i", bytes(4 * len(self.names)))
        self.starts: array[int] = array("i", bytes(4 * len(self.names) + 4))
        text = b""
        for number, name in enumerate(self.names):
            encoded = name.encode()
            self.starts[number] = len(text)
            text += encoded
            if number and encoded:
                slot = (len(encoded) * 61 + encoded[0] * 7 + encoded[len(encoded) - 1] * 31) & 1023
                self.nexts[number] = self.heads[slot]
                self.heads[slot] = number
        self.starts[len(self.names)] = len(text)
        self.text = text

    def find(self, data: bytes, start: int, end: int) -> int:
        """The number of the name data[start:end], which is not empty, or 0."""
        length = end - start
        text = self.text
        slot = (length * 61 + LOWER[data[start]] * 7 + LOWER[data[end - 1]] * 31) & 1023
        number = self.heads[slot]
        while number:
            at = self.starts[number]
            if self.starts[number + 1] - at == length:
                i = 0
                while i < length and LOWER[data[start + i]] == text[at + i]:
                    i += 1
                if i == length:
                    return number
            number = self.nexts[number]
        return 0
