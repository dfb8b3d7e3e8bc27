"""Searches in bytes, for each tag or link. Compiled modules use the functions in `bytesearch.pxd` instead.

A set of bytes is a table of 256 bytes; a member's entry is not 0.
"""

from __future__ import annotations

import re
from functools import cache

from linkfix.kernels.constants import APART, JOINED, UNCLEAR

_MARKUP = re.compile(rb"<[A-Za-z/!?]")
#: The ends of url(, src( and image-set(; the start of an at-rule's name that may be import; escapes; references.
_MAY_REFER = re.compile(rb"[lct]\(|@i|[\\&]", re.IGNORECASE)
_SPACE = rb"[\t\n\f\r ]"
_STRING = rb"(?:[^%b\\\n\f\r]++|\\(?:[0-9A-Fa-f]{1,6}(?:\r\n|[\t\n\f\r ])?|\r\n|[^0-9A-Fa-f]|\Z))"
_NO_ASCII = re.compile(r"[^\0-\x7f]")
_CSS_NAME = re.compile(
    rb"(?:[^\x01-,./:-@\[-^`{-\x7f]++|(?!\\[\n\f\r])\\(?:[0-9A-Fa-f]{1,6}(?:\r\n|[\t\n\f\r ])?|[^0-9A-Fa-f]|\Z))*+"
)


def find_byte(data: bytes, byte: int, start: int, end: int) -> int:
    """The first position of `byte` in data[start:end], or `end`."""
    position = data.find(byte, start, end)
    return end if position < 0 else position


def find_markup(data: bytes, start: int, end: int) -> int:
    """The first `<` in data[start:end] that opens a tag or a markup declaration (HTML §13.2.5.6), or `end`."""
    match = _MARKUP.search(data, start, end)
    return match.start() if match else end


def name_word(data: bytes, start: int, length: int) -> int:
    """The first eight bytes, or fewer, of the name of `length` bytes at data[start], as a number."""
    return int.from_bytes(data[start : start + min(length, 8)], "little")


def name_slot(word: int) -> int:
    """A case-insensitive hash below 1024 of a name, from its `name_word`.

    The factor is one of a few tried: it keeps the frequent names of HTML apart.
    """
    return ((word | 0x2020202020202020) * 0xA0761D6478BD642F & 0xFFFFFFFFFFFFFFFF) >> 54


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


def count_joined(data: bytes, start: int, end: int, table: bytes) -> int:
    """The number of characters in data[start:end], or -1 if the table leaves a byte unclear.

    `table`: see `linkfix.kernels.second_bytes`.
    """
    count = 0
    while start < end:
        if data[start] >= 0x80 and start + 1 < end:
            kind = table[(data[start] - 0x80) * 256 + data[start + 1]]
            if kind == UNCLEAR:
                return -1
            start += kind == JOINED
        start += 1
        count += 1
    return count


def _members(table: bytes) -> bytes:
    return b"".join(b"\\x%02x" % byte for byte in range(256) if table[byte])


@cache
def _member(table: bytes) -> re.Pattern[bytes]:
    return re.compile(b"[" + _members(table) + b"]")


@cache
def _css(table: bytes) -> re.Pattern[bytes]:
    """A pattern for the CSS to skip. `table`: the bytes to stop at."""
    return re.compile(
        rb"(?:[^" + _members(table) + rb"]++"
        rb'|"' + _STRING % b'"' + rb'*+"?'
        rb"|'" + _STRING % b"'" + rb"*+'?"
        rb"|/(?:\*(?:[^*]++|\*(?!/))*+(?:\*/)?)?"
        rb"|@(?!(?i:import|namespace))"
        rb"|\((?<!(?i:url|src|set)\())*+"
    )


def find_member(data: bytes, at: int, end: int, table: bytes) -> int:
    """The first position in data[at:end] of a byte in the set `table`, or `end`."""
    found = _member(table).search(data, at, end)
    return found.start() if found else end


def one_byte_each(text: str) -> bytes:
    """One byte for each character, so that positions stay the same; non-ASCII characters become a non-ASCII byte."""
    return text.encode() if text.isascii() else _NO_ASCII.sub("\xff", text).encode("latin-1")


def begins_with(data: bytes, at: int, end: int, word: bytes) -> bool:
    """Whether data[at:end] begins with `word`, ASCII case-insensitively. `word`: in lower case."""
    return data[at : min(end, at + len(word))].lower() == word


def is_ascii(data: bytes, at: int, end: int) -> bool:
    """Whether all bytes of data[at:end] are ASCII."""
    return data[at:end].isascii()


def hide_trails(data: bytes, start: int, end: int, table: bytes) -> bytes | None:
    """The bytes data[start:end], with FF for each that looks like an ASCII character and belongs to the byte before it.

    `table`: see `linkfix.kernels.second_bytes`. None if the table leaves a byte unclear.
    """
    shown = bytearray(data[start:end])
    at = 0
    while at + 1 < len(shown):
        kind = APART if shown[at] < 0x80 else table[(shown[at] - 0x80) * 256 + shown[at + 1]]
        if kind == UNCLEAR:
            return None
        if kind == JOINED:
            at += 1
            if shown[at] < 0x80:
                shown[at] = 0xFF
        at += 1
    return bytes(shown)


def css_name_end(data: bytes, at: int, end: int) -> int:
    """The end of the CSS name at `at`, with its code points and escapes (CSS Syntax 3 §4.3.11)."""
    name = _CSS_NAME.match(data, at, end)
    return name.end() if name else at


def skip_css(data: bytes, at: int, end: int, table: bytes) -> int:
    r"""The first position in data[at:end] where a reference can begin, or `end`: see `css_skip.skip`.

    `table`: the bytes to check: `"'/\(@`, and any other bytes; the search stops at each of the other bytes.
    """
    skipped = _css(table).match(data, at, end)
    return skipped.end() if skipped else at
