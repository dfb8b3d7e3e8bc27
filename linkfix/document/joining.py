"""Joins what edits replace with what nobody edits. Compiled, the function in `joining.pxd` is used."""

from __future__ import annotations

from collections.abc import Sequence

#: The integers of an edit: where what it replaces begins and ends, and the number of the text that is written there.
WIDTH = 3
#: Longer spans are not copied before they are joined: memory holds them in the old data and in the new, and no more.
_LARGE = 1 << 16


def join_edits(data: bytes, cells: Sequence[int], count: int, texts: list[bytes]) -> bytes:
    """`data` with the first `count` edits of `cells`, which are in order and disjoint."""
    view = memoryview(data)
    pieces: list[bytes | memoryview] = []
    done = 0
    for at in range(0, count * WIDTH, WIDTH):
        start = cells[at]
        pieces += (view[done:start] if start - done >= _LARGE else data[done:start], texts[cells[at + 2]])
        done = cells[at + 1]
    pieces.append(view[done:])
    return b"".join(pieces)
