"""A search for several byte strings at once. When compiled, functions in `needles.pxd` replace separate searches."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import repeat

try:
    import cython
except ImportError:
    from linkfix.kernels import no_cython as cython

if not cython.compiled:
    from linkfix.kernels.memory import ints


class Needles:
    """Byte strings of at least two bytes, to be searched for together.

    `pairs`: strings of two bytes that are rare in the searched data. The search looks for the first pair that a needle
    contains, or for the needle's first two bytes. Fewer pairs are faster: blocks of data without any pair are skipped.
    """

    def __init__(self, needles: Iterable[bytes], pairs: Sequence[bytes] = ()) -> None:
        self.needles: list[bytes] = list(needles)
        chosen = [[*filter(needle.__contains__, pairs), needle[:2]][0] for needle in self.needles]
        self.pairs: bytes = b"".join(dict.fromkeys(chosen))
        #: The offset of the pair in each needle.
        self.offsets: array[int] = array("i", map(bytes.index, self.needles, chosen))

    def first(self, data: bytes, end: int) -> list[int]:
        """The offset of the first occurrence of each needle in data[:end], or -1."""
        if cython.compiled:
            return c_first(data, end, self.needles, self.pairs, ints(self.offsets))  # type: ignore[name-defined,no-any-return]  # noqa: F821 - in needles.pxd
        return list(map(data.find, self.needles, repeat(0), repeat(end)))
