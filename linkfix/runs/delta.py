"""The difference between two contents: changed spans of the new content, and the old bytes in their place.

A change leaves most bytes unchanged and in order, so both contents are compared side by side. At a difference, both are
searched for the next bytes that they have in common: nearby first, then in steps that grow with the distance. Files are
read in pieces; memory does not grow with their size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple

from linkfix.comparison import common_prefix
from linkfix.files.window import Window

#: The number of equal bytes that end a difference.
_MATCH = 16

#: The first distance within which the end of a difference is searched, in bytes, and the factor by which it grows.
_NEAR = 64

_GROWTH = 4

#: The number of offsets that are tried within a distance.
_TRIED = 16

#: The sizes of the first and the largest piece that are compared, in bytes.
_FIRST_PIECE = 256

_LARGEST_PIECE = 1 << 18

#: The largest number of old bytes in one span; more old bytes become several spans.
_LARGEST_SPAN = 1 << 18


class Span(NamedTuple):
    """A part of the new content that replaced other bytes."""

    start: int
    """Its offset in the new content, in bytes."""
    length: int
    """Its length in the new content, in bytes; 0 if bytes were only removed."""
    old: bytes
    """The bytes that it replaced."""


def changed_spans(old: Window, new: Window) -> Iterator[Span]:
    """The spans of `new` that differ from `old`, in order.

    >>> list(changed_spans(Window(b'<a href="x">'), Window(b'<a href="//h/x">')))
    [Span(start=9, length=4, old=b'')]
    """
    i = j = 0
    last = (0, 0)
    while True:
        same = _common(old, i, new, j)
        i += same
        j += same
        if i == old.size and j == new.size:
            return
        last = _next_common(old, i, new, j, last)
        yield from _split(old, i, i + last[0], j, last[1])
        i += last[0]
        j += last[1]


def _split(old: Window, start: int, end: int, place: int, length: int) -> Iterator[Span]:
    """The span for `old` from `start` to `end`, split into several spans if it is longer than `_LARGEST_SPAN`."""
    first = min(end, start + _LARGEST_SPAN)
    yield Span(place, length, old.read(start, first - start))
    for at in range(first, end, _LARGEST_SPAN):
        yield Span(place + length, 0, old.read(at, min(end - at, _LARGEST_SPAN)))


def _common(old: Window, i: int, new: Window, j: int) -> int:
    """The number of equal bytes from offset `i` of `old` and offset `j` of `new` on."""
    size = _FIRST_PIECE
    start = i
    while True:
        mine, other = old.read(i, size), new.read(j, size)
        if mine != other:
            return i - start + common_prefix(mine, other)
        if len(mine) < size:
            return i - start + len(mine)
        i += size
        j += size
        size = min(size * 2, _LARGEST_PIECE)


def _common_before(old: Window, start: int, i: int, new: Window, place: int, j: int) -> int:
    """The number of equal bytes before `i` in `old` and before `j` in `new`, back to `start` and `place` at most."""
    most = min(i - start, j - place)
    size = _FIRST_PIECE
    same = 0
    while same < most:
        step = min(size, most - same)
        mine, other = old.read(i - same - step, step), new.read(j - same - step, step)
        if mine != other:
            return same + common_prefix(mine[::-1], other[::-1])
        same += step
        size = min(size * 2, _LARGEST_PIECE)
    return same


def _next_common(old: Window, i: int, new: Window, j: int, last: tuple[int, int]) -> tuple[int, int]:
    """The lengths of the difference that begins at `i` in `old` and at `j` in `new`, in bytes.

    `last`: the previous result, which is tried first, since many links of a document change in the same way.
    """
    removed, added = last
    probe = old.read(i + removed, _MATCH)
    if len(probe) == _MATCH and probe == new.read(j + added, _MATCH):
        return _without_common_end(old, i, i + removed, new, j, j + added)
    distance = _NEAR
    while distance < _GROWTH * max(old.size - i, new.size - j):
        for added in range(0, min(distance, new.size - j), distance // _TRIED):
            probe = new.read(j + added, _MATCH)
            if len(probe) < _MATCH:
                break
            found = old.find(probe, i, i + distance + _MATCH)
            if found >= 0:
                return _without_common_end(old, i, found, new, j, j + added)
        distance *= _GROWTH
    return _without_common_end(old, i, old.size, new, j, new.size)


def _without_common_end(old: Window, start: int, end: int, new: Window, place: int, place_end: int) -> tuple[int, int]:
    same = _common_before(old, start, end, new, place, place_end)
    return end - start - same, place_end - place - same


def pack_spans(spans: Iterable[Span], limit: int) -> Iterator[bytes]:
    """The spans as bytes, in pieces of about `limit` bytes; see `unpack_spans`."""
    packed = bytearray()
    done = 0
    for start, length, old in spans:
        for number in (start - done, length, len(old)):
            _put_number(packed, number)
        packed += old
        done = start + length
        if len(packed) >= limit:
            yield bytes(packed)
            packed.clear()
    yield bytes(packed)


def _put_number(out: bytearray, number: int) -> None:
    """Write a number in groups of seven bits, the lowest first; the last byte has its high bit clear."""
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)


def unpack_spans(pieces: Iterable[bytes]) -> Iterator[Span]:
    """The spans that `pack_spans` packed. Raises `ValueError` for other bytes.

    Each packed span has the distance from the end of the previous span, its length, the number of old bytes, and the
    old bytes.
    """
    done = 0
    for piece in pieces:
        at = 0
        while at < len(piece):
            numbers = []
            for _ in range(3):
                number, at = _number(piece, at)
                numbers.append(number)
            gap, length, size = numbers
            old = piece[at : at + size]
            if len(old) != size:
                message = "a span is cut off"
                raise ValueError(message)
            at += size
            yield Span(done + gap, length, old)
            done += gap + length


def _number(data: bytes, at: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, 63, 7):
        if at >= len(data):
            break
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
    message = "a number is cut off"
    raise ValueError(message)


def restore(new: BinaryIO, spans: Iterable[Span]) -> Iterator[bytes]:
    """The old content in pieces, restored from the new content and the spans."""
    for start, length, old in spans:
        yield from _pieces(new, start - new.tell())
        yield old
        new.seek(length, 1)
    while piece := new.read(_LARGEST_PIECE):
        yield piece


def _pieces(file: BinaryIO, size: int) -> Iterator[bytes]:
    while size and (piece := file.read(min(size, _LARGEST_PIECE))):
        yield piece
        size -= len(piece)
