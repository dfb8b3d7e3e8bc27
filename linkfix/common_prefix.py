"""The common prefix of two texts.

Internal: it can change in any release.
"""

from __future__ import annotations

from typing import AnyStr

__all__ = ["common_prefix"]


def common_prefix(one: AnyStr, other: AnyStr) -> int:
    """The length of the common prefix.

    >>> common_prefix(b"abc", b"abd")
    2
    """
    # By halves: bytes are compared by the C library, and none in Python.
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
