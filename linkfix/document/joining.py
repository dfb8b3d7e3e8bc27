"""Join the new texts of edits with the unedited bytes. Compiled modules use the function in `joining.pxd`."""

from __future__ import annotations

from collections.abc import Sequence

#: The integers of an edit: start and end of the replaced span, and the number of the new text.
WIDTH = 3
#: Longer spans are joined without copying them first, so that memory holds them only in the old and the new data.
_LARGE = 1 << 16


def join_edits(data: bytes, cells: Sequence[int], count: int, texts: list[bytes]) -> bytes:
    """Return `data` with the first `count` edits of `cells`, which are in order and disjoint."""
    view = memoryview(data)
    pieces: list[bytes | memoryview] = []
    done = 0
    for at in range(0, count * WIDTH, WIDTH):
        start = cells[at]
        pieces += (view[done:start] if start - done >= _LARGE else data[done:start], texts[cells[at + 2]])
        done = cells[at + 1]
    pieces.append(view[done:])
    return b"".join(pieces)
