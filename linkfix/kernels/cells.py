"""Arrays of numbers. Compiled modules use the functions in `cells.pxd` instead.

A class holds each array twice: as an object in `memory`, which never changes its length, and as the result of `ints` or
`longs`, through which its numbers are read and written. In compiled code that result is an address, valid as long as
the object exists; the object can then also be a bytearray.
"""

from __future__ import annotations

from array import array


def new_ints(count: int) -> array[int]:
    """Memory for `count` numbers of type "i", all 0."""
    return array("i", [0]) * count


def new_longs(count: int) -> array[int]:
    """Memory for `count` numbers of type "q", all 0."""
    return array("q", [0]) * count


def grown_ints(memory: array[int], count: int) -> array[int]:
    """Memory for `count` numbers of type "i": the numbers of `memory`, then numbers of any value."""
    return memory + array("i", [0]) * (count - len(memory))


def grown_longs(memory: array[int], count: int) -> array[int]:
    """Memory for `count` numbers of type "q": the numbers of `memory`, then numbers of any value."""
    return memory + array("q", [0]) * (count - len(memory))


def ints(memory: array[int]) -> array[int]:
    """The numbers of an array of type "i"."""
    return memory


def longs(memory: array[int]) -> array[int]:
    """The numbers of an array of type "q"."""
    return memory
