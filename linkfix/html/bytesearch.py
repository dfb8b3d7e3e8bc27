"""Searches that are made for each tag or link. Compiled, the functions in `bytesearch.pxd` are used."""

from __future__ import annotations

import re

_MARKUP = re.compile(rb"<[A-Za-z/!?]")
#: The ends of url(, src( and image-set(, an at-rule's name that may be import, escapes, and character references.
_MAY_REFER = re.compile(rb"[lct]\(|@i|[\\&]", re.IGNORECASE)


def find_byte(data: bytes, byte: int, start: int, end: int) -> int:
    """The first position of `byte` in data[start:end], or `end`."""
    position = data.find(byte, start, end)
    return end if position < 0 else position


def find_markup(data: bytes, start: int, end: int) -> int:
    """The first `<` in data[start:end] that opens a tag or a markup declaration (HTML §13.2.5.6), or `end`."""
    match = _MARKUP.search(data, start, end)
    return match.start() if match else end


def name_slot(length: int, first: int, last: int) -> int:
    """A hash below 1024 of a name by its length, first and last byte, which is the same in either case."""
    return (length * 61 + (first | 0x20) * 7 + (last | 0x20) * 31) & 1023


def is_name(data: bytes, start: int, names: bytes, at: int, length: int) -> bool:
    """Whether the bytes at data[start] are the `length` at names[at], in either case; names[at] are lower case."""
    return data[start : start + length].lower() == names[at : at + length]


def lacks_references(data: bytes, start: int, end: int) -> bool:
    """Whether the CSS in data[start:end] cannot have a reference: what `_MAY_REFER` lists is not in it."""
    return _MAY_REFER.search(data, start, end) is None


def count_code_points(data: bytes, start: int, end: int) -> int:
    """The number of code points in data[start:end], which is UTF-8, surrogates included."""
    return len(data[start:end].decode("utf-8", "surrogatepass"))


def count_utf_8(data: bytes, start: int, end: int) -> int:
    """The number of code points in data[start:end], or -1 where that is not UTF-8."""
    try:
        return len(data[start:end].decode())
    except UnicodeDecodeError:
        return -1
