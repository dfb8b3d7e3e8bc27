"""The common prefix of two texts or bytes (rewritten data), and the edit distance of two words (suggestions)."""

from __future__ import annotations

from typing import AnyStr

# The common prefix of two texts.


def common_prefix(one: AnyStr, other: AnyStr) -> int:
    """The length of the common prefix.

    >>> common_prefix(b"abc", b"abd")
    2
    """
    # Binary search over slices: the C library compares the bytes, not Python.
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


# The edit distance of two words.


def distance(one: str, other: str, limit: int) -> int:
    """The number of insertions, deletions, substitutions and transpositions of neighbours between two words.

    This is the optimal string alignment distance. The result is `limit` + 1 if the distance is larger than `limit`.
    """
    # Each edit changes the length by at most one, and the set of characters by at most two.
    if abs(len(one) - len(other)) > limit or len({*one} ^ {*other}) > 2 * limit:
        return limit + 1
    # The common prefix and the common suffix need no edits.
    start = common_prefix(one, other)
    one, other = one[start:], other[start:]
    length = common_prefix(one[::-1], other[::-1])
    one, other = one[: len(one) - length], other[: len(other) - length]
    if not one or not other:
        return min(max(len(one), len(other)), limit + 1)
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        before, above, row = row, before, [i]
        for j, right in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if above and j > 1 and left == other[j - 2] and one[i - 2] == right:
                cost = min(cost, above[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return min(row[-1], limit + 1)
