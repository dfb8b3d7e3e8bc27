"""Make bytes, texts and links. Compiled modules use the functions in `making.pxd` instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linkfix.model import Link

#: The integers of an edit: start and end of the replaced span, and the number of the new text.
WIDTH = 3
#: Longer spans are joined without copying them first, so that memory holds them only in the old and the new data.
_LARGE = 1 << 16


def append_span(out: bytearray, data: bytes, start: int, end: int) -> None:
    """Append data[start:end]."""
    out += data[start:end]


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


def new_link(type_: type[Link], *fields: Any) -> Link:
    """Make a link from its fields."""
    return type_(*fields)


def ascii_text(data: bytes, start: int, end: int) -> str:
    """The text data[start:end], which is ASCII."""
    return data[start:end].decode("ascii")


def prefixed_text(prefix: str, data: bytes, start: int, end: int) -> str:
    """A prefix, which is ASCII too, followed by the text data[start:end]."""
    return prefix + data[start:end].decode("ascii")
