"""Arrays of numbers. Compiled, the functions in `cells.pxd` are used.

A class has an array twice: as an object, in `memory`, which never changes its length, and as what `ints` or `longs`
gives, by which its numbers are read and written. Compiled, that is an address, valid as long as the object.
"""

from __future__ import annotations

from array import array

__all__ = ["grown_cells", "ints", "longs", "new_cells"]


def new_cells(empty: array[int], count: int) -> array[int]:
    """An array of as many integers, of any value, of the type of an empty one."""
    return array(empty.typecode, [0]) * count


def grown_cells(cells: array[int], count: int) -> array[int]:
    """An array that begins with these integers and has `count`, the others of any value."""
    return cells + array(cells.typecode, [0]) * (count - len(cells))


def ints(cells: array[int]) -> array[int]:
    """The numbers of an array of type "i"."""
    return cells


def longs(cells: array[int]) -> array[int]:
    """The numbers of an array of type "q"."""
    return cells
