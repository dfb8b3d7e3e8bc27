"""A diff of bytes in linear time: small changes, though not always the smallest. Memory holds no copy of the data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from linkfix.common_prefix import common_prefix

__all__ = ["Change", "changes"]

#: The span of the old data, and the new bytes in its place.
Change = tuple[int, int, bytes]
#: The span of items in one sequence, and in the other.
_Block = tuple[int, int, int, int]

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
#: Delimiters of attribute values, and the text between them.
_PIECE = re.compile(rb"\r\n|[\s\"'<>()=,]|[^\s\"'<>()=,]+")
#: How many items of each of the data are compared at a time where these have different numbers of them.
_ITEMS = 1 << 14
#: The size of the pieces that are compared, in bytes.
_STEP = 1 << 16


class _Pair(NamedTuple):
    """A span of the old data, and what it is compared with: a span of the new data."""

    low: int
    high: int
    other_low: int
    other_high: int


def changes(old: bytes, new: bytes) -> Iterator[Change]:
    """The changes that turn `old` into `new`, in order and without overlap."""
    for lines in _differences(_LINE, old, new, _Pair(0, len(old), 0, len(new))):
        for low, high, other_low, other_high in _differences(_PIECE, old, new, lines):
            removed, piece = old[low:high], new[other_low:other_high]
            before = common_prefix(removed, piece)
            after = common_prefix(removed[before:][::-1], piece[before:][::-1])
            yield low + before, high - after, piece[before : len(piece) - after]


def _differences(split: re.Pattern[bytes], old: bytes, new: bytes, pair: _Pair) -> Iterator[_Pair]:
    """Yield what differs within a pair, which `split` splits in items."""
    low, high, other_low, other_high = pair
    before, after = split.finditer(old, low, high), split.finditer(new, other_low, other_high)
    count, other_count = (
        sum(1 for _ in split.finditer(*part)) for part in ((old, low, high), (new, other_low, other_high))
    )
    if count == other_count:
        for one, other in zip(before, after, strict=True):
            found = _Pair(*one.span(), *other.span())
            if not _equal(old, new, found):
                yield found
        return
    items: list[tuple[int, int]] = []
    others: list[tuple[int, int]] = []
    view, other_view = memoryview(old), memoryview(new)
    is_last = False
    while not is_last:
        items += (found.span() for found in islice(before, _ITEMS - len(items)))
        others += (found.span() for found in islice(after, _ITEMS - len(others)))
        is_last = len(items) < _ITEMS and len(others) < _ITEMS
        keys = [hash(view[start:end]) for start, end in items]
        other_keys = [hash(other_view[start:end]) for start, end in others]
        anchors = list(_anchors(keys, other_keys))
        if is_last or not anchors:
            anchors.append((len(items), len(others)))
        first = second = 0
        for place, other_place in anchors:
            for a, b, c, d in _blocks(keys, other_keys, (first, place, second, other_place)):
                yield _Pair(*_extent(items, a, b, high), *_extent(others, c, d, other_high))
            first, second = place + 1, other_place + 1
        del items[:first], others[:second]


def _equal(old: bytes, new: bytes, pair: _Pair) -> bool:
    """Whether both spans have the same bytes."""
    low, high, other_low, other_high = pair
    if high - low != other_high - other_low:
        return False
    if high - low <= _STEP:
        return old[low:high] == new[other_low:other_high]
    return all(
        old[low + at : min(low + at + _STEP, high)] == new[other_low + at : min(other_low + at + _STEP, other_high)]
        for at in range(0, high - low, _STEP)
    )


def _extent(items: Sequence[tuple[int, int]], first: int, stop: int, end: int) -> tuple[int, int]:
    """The span of the items from `first` to `stop`, of which there may be none. `end`: of all items."""
    start = items[first][0] if first < len(items) else items[-1][1] if items else end
    return start, items[stop - 1][1] if stop > first else start


def _anchors(before: Sequence[int], after: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the places of items that occur once in both, in the same order."""
    counts = Counter(after)
    places = {item: number for number, item in enumerate(after) if counts[item] == 1}
    counts = Counter(before)
    other_low = 0
    for number, item in enumerate(before):
        place = places.get(item, -1) if counts[item] == 1 else -1
        if place >= other_low:
            yield number, place
            other_low = place + 1


def _blocks(before: Sequence[int], after: Sequence[int], block: _Block) -> Iterator[_Block]:
    """Yield what differs within a block; equal numbers of items are compared in pairs."""
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
