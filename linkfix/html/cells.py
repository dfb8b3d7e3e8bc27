"""Arrays of numbers. Compiled, the functions in `cells.pxd` are used.

A class has an array twice: as an object, in `memory`, which never changes its length, and as what `ints` or `longs`
gives, by which its numbers are read and written. Compiled, that is an address, valid as long as the object, which can
then be a bytearray, too.
"""

from __future__ import annotations

from array import array


def new_ints(count: int) -> array[int]:
    """The memory of as many numbers of type "i", all 0."""
    return array("i", [0]) * count


def new_longs(count: int) -> array[int]:
    """The same of type "q"."""
    return array("q", [0]) * count


def grown_ints(memory: array[int], count: int) -> array[int]:
    """The memory of as many numbers of type "i", which begin with those of `memory`; the others are of any value."""
    return memory + array("i", [0]) * (count - len(memory))


def grown_longs(memory: array[int], count: int) -> array[int]:
    """The same of type "q"."""
    return memory + array("q", [0]) * (count - len(memory))


def ints(memory: array[int]) -> array[int]:
    """The numbers of an array of type "i"."""
    return memory


def longs(memory: array[int]) -> array[int]:
    """The numbers of an array of type "q"."""
    return memory
