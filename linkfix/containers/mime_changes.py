"""A diff of bytes in linear time: small changes, though not always the smallest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate

__all__ = ["Change", "changes", "common_prefix"]

#: The span of the old data, and the new bytes in its place.
Change = tuple[int, int, bytes]
#: The span of items in one sequence, and in the other.
_Block = tuple[int, int, int, int]

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
#: Delimiters of attribute values, and the text between them.
_PIECE = re.compile(rb"\r\n|[\s\"'<>()=,]|[^\s\"'<>()=,]+")


def changes(old: bytes, new: bytes) -> Iterator[Change]:
    """The changes that turn `old` into `new`, in order and without overlap."""
    for start, end, text in _differences(_LINE, old, new, 0):
        for low, high, piece in _differences(_PIECE, old[start:end], text, start):
            before = common_prefix(old[low:high], piece)
            after = common_prefix(old[low + before : high][::-1], piece[before:][::-1])
            yield low + before, high - after, piece[before : len(piece) - after]


def common_prefix(one: bytes, other: bytes) -> int:
    """The length of the common prefix."""
    shorter = min(len(one), len(other))
    return next((at for at in range(shorter) if one[at] != other[at]), shorter)


def _differences(split: re.Pattern[bytes], old: bytes, new: bytes, offset: int) -> Iterator[Change]:
    before, after = split.findall(old), split.findall(new)
    starts = list(accumulate(map(len, before), initial=offset))
    for low, high, other_low, other_high in _blocks(before, after):
        yield starts[low], starts[high], b"".join(after[other_low:other_high])


def _blocks(before: Sequence[bytes], after: Sequence[bytes]) -> Iterator[_Block]:
    """Yield where the two sequences differ.

    Items that occur once in both, in the same order, are anchors. Between two anchors, equal numbers of items are
    compared in pairs.
    """
    if len(before) == len(after):
        yield from _pairs(before, after, (0, len(before), 0, len(after)))
        return
    counts = Counter(after)
    places = {item: number for number, item in enumerate(after) if counts[item] == 1}
    counts = Counter(before)
    low = other_low = 0
    for number, item in enumerate(before):
        place = places.get(item, -1) if counts[item] == 1 else -1
        if place >= other_low:
            yield from _pairs(before, after, (low, number, other_low, place))
            low, other_low = number + 1, place + 1
    yield from _pairs(before, after, (low, len(before), other_low, len(after)))


def _pairs(before: Sequence[bytes], after: Sequence[bytes], block: _Block) -> Iterator[_Block]:
    low, high, other_low, other_high = block
    while low < high and other_low < other_high and before[low] == after[other_low]:
        low, other_low = low + 1, other_low + 1
    while low < high and other_low < other_high and before[high - 1] == after[other_high - 1]:
        high, other_high = high - 1, other_high - 1
    if high - low != other_high - other_low:
        yield low, high, other_low, other_high
        return
    for at in range(high - low):
        if before[low + at] != after[other_low + at]:
            yield low + at, low + at + 1, other_low + at, other_low + at + 1
