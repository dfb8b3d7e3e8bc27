"""How far two words are apart, in slips of who writes them."""

from __future__ import annotations

__all__ = ["distance"]


def distance(one: str, other: str, limit: int) -> int:
    """How many insertions, deletions, substitutions and swaps of neighbours lie between two texts; `limit` + 1 where
    there are more than `limit` (optimal string alignment).
    """
    if abs(len(one) - len(other)) > limit:
        return limit + 1
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
