"""Searches for several byte strings at once. Compiled, functions in `needles.pxd` replace a search for each."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import repeat

try:
    import cython
except ImportError:
    from linkfix.html import no_cython as cython

if not cython.compiled:
    from linkfix.html.cells import ints

__all__ = ["Needles"]

#: How many pairs of bytes are told apart: a hash of two bytes is less.
_PAIRS = 4096


class Needles:
    """Byte strings of two bytes or more, to be searched for together (Wu and Manber, "A fast algorithm for
    multi-pattern searching", 1994).

    `shortest`: how many bytes each has at least. `shifts`: for the hash of two bytes of the data, how many positions
    later at the soonest a needle can have them as the last two of its first `shortest` bytes.
    """

    def __init__(self, needles: Iterable[bytes]) -> None:
        self.needles: list[bytes] = list(needles)
        self.shortest: int = min(map(len, self.needles))
        self.shifts: array[int] = array("i", [self.shortest - 1]) * _PAIRS
        for needle in self.needles:
            for at in range(self.shortest - 1):
                pair = (needle[at] << 4 ^ needle[at + 1]) & _PAIRS - 1
                self.shifts[pair] = min(self.shifts[pair], self.shortest - 2 - at)

    def first(self, data: bytes, end: int) -> list[int]:
        """For each needle where it is first in data[:end], or -1."""
        if cython.compiled:
            return c_first(data, end, self.needles, ints(self.shifts), self.shortest)  # type: ignore[name-defined,no-any-return]  # noqa: F821 - in needles.pxd
        return list(map(data.find, self.needles, repeat(0), repeat(end)))
