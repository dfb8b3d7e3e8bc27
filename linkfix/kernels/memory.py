"""Arrays of numbers, and bytes, texts and links made from them. Compiled modules use `memory.pxd` instead.

A class holds each array twice: as an object in `memory`, which never changes its length, and as the result of `ints`,
`longs` or `words`, through which its numbers are read and written. In compiled code that result is an address, valid as
long as the object exists; the object can then also be a bytearray.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from linkfix.model import Link


def new_ints(count: int) -> array[int]:
    """Memory for `count` numbers of type "i", all 0."""
    return array("i", [0]) * count


def new_longs(count: int) -> array[int]:
    """Memory for `count` numbers of type "q", all 0."""
    return array("q", [0]) * count


def new_words(count: int) -> array[int]:
    """Memory for `count` numbers of type "Q", all 0."""
    return array("Q", [0]) * count


def grown_ints(memory: array[int], count: int) -> array[int]:
    """Memory for `count` numbers of type "i": the numbers of `memory`, then numbers of any value."""
    return memory + array("i", [0]) * (count - len(memory))


def grown_longs(memory: array[int], count: int) -> array[int]:
    """Memory for `count` numbers of type "q": the numbers of `memory`, then numbers of any value."""
    return memory + array("q", [0]) * (count - len(memory))


def ints(memory: array[int]) -> array[int]:
    """The numbers of an array of type "i"."""
    return memory


def longs(memory: array[int]) -> array[int]:
    """The numbers of an array of type "q"."""
    return memory


def words(memory: array[int]) -> array[int]:
    """The numbers of an array of type "Q"."""
    return memory


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


def new_link(type_: type[Link], element: str, head: tuple[str, ...], *fields: Any) -> Link:
    """Make a link from its fields. `head`: a tuple with attribute, syntax and role after its first field."""
    return type_(element, head[1], head[2], head[3], *fields)


def ascii_text(data: bytes, start: int, end: int) -> str:
    """The text data[start:end], which is ASCII."""
    return data[start:end].decode("ascii")


def prefixed_text(prefix: str, data: bytes, start: int, end: int) -> str:
    """A prefix, which is ASCII too, followed by the text data[start:end]."""
    return prefix + data[start:end].decode("ascii")
