"""Byte searches that run for each tag or link. Compiled modules use the functions in `bytesearch.pxd` instead."""

from __future__ import annotations

import re

_MARKUP = re.compile(rb"<[A-Za-z/!?]")
#: The ends of url(, src( and image-set(; the start of an at-rule's name that may be import; escapes; references.
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
    """A case-insensitive hash below 1024 of a name, from its length and its first and last byte."""
    return (length * 61 + (first | 0x20) * 7 + (last | 0x20) * 31) & 1023


def is_name(data: bytes, start: int, names: bytes, at: int, length: int) -> bool:
    """Whether the `length` bytes at data[start] equal those at names[at], in any case. `names` is in lower case."""
    return data[start : start + length].lower() == names[at : at + length]


def lacks_references(data: bytes, start: int, end: int) -> bool:
    """Whether the CSS in data[start:end] cannot have a reference: it has no match of `_MAY_REFER`."""
    return _MAY_REFER.search(data, start, end) is None


def count_code_points(data: bytes, start: int, end: int) -> int:
    """The number of code points in data[start:end], which must be UTF-8; surrogates are allowed."""
    return len(data[start:end].decode("utf-8", "surrogatepass"))


def count_utf_8(data: bytes, start: int, end: int) -> int:
    """The number of code points in data[start:end], or -1 if the data are not UTF-8."""
    try:
        return len(data[start:end].decode())
    except UnicodeDecodeError:
        return -1
