"""Searches for several byte strings at once. Compiled, functions in `needles.pxd` replace a search for each."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import repeat

try:
    import cython
except ImportError:
    from linkfix.html import no_cython as cython

if not cython.compiled:
    from linkfix.html.cells import ints


class Needles:
    """Byte strings of two bytes or more, to be searched for together.

    `pairs`: two bytes each, which are rare in what is searched. A needle is looked for by the first pair that it has,
    or by its own first two bytes. The fewer pairs, the faster: blocks of data that have none of them are passed over.
    """

    def __init__(self, needles: Iterable[bytes], pairs: Sequence[bytes] = ()) -> None:
        self.needles: list[bytes] = list(needles)
        chosen = [[*filter(needle.__contains__, pairs), needle[:2]][0] for needle in self.needles]
        self.pairs: bytes = b"".join(dict.fromkeys(chosen))
        #: Where each needle has its pair.
        self.offsets: array[int] = array("i", map(bytes.index, self.needles, chosen))

    def first(self, data: bytes, end: int) -> list[int]:
        """For each needle where it is first in data[:end], or -1."""
        if cython.compiled:
            return c_first(data, end, self.needles, self.pairs, ints(self.offsets))  # type: ignore[name-defined,no-any-return]  # noqa: F821 - in needles.pxd
        return list(map(data.find, self.needles, repeat(0), repeat(end)))
