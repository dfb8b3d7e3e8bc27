"""Searches that the tokenizer makes for each tag. Compiled, the functions in `bytesearch.pxd` are used."""

from __future__ import annotations

import re

__all__ = ["find_byte", "find_markup", "lacks_references"]

_MARKUP = re.compile(rb"<[A-Za-z/!?]")


def find_byte(data: bytes, byte: int, start: int, end: int) -> int:
    """The first position of `byte` in data[start:end], or `end`."""
    position = data.find(byte, start, end)
    return end if position < 0 else position


def find_markup(data: bytes, start: int, end: int) -> int:
    """The first `<` in data[start:end] that opens a tag or a markup declaration (HTML §13.2.5.6), or `end`."""
    match = _MARKUP.search(data, start, end)
    return match.start() if match else end


def lacks_references(data: bytes, start: int, end: int) -> bool:
    """Whether the CSS in data[start:end] cannot have a reference: it has no "(", no "@" and no character reference."""
    return all(data.find(byte, start, end) < 0 for byte in b"(@&")
