"""Arrays that grow. Compiled, the function in `cells.pxd` is used."""

from __future__ import annotations

from array import array

__all__ = ["new_cells"]


def new_cells(empty: array[int], count: int) -> array[int]:
    """An array of as many integers, of any value, of the type of an empty one."""
    return array(empty.typecode, [0]) * count
