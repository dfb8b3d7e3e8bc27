"""Runs of bytes, and their ends. Compiled modules use the functions in `byte_runs.pxd` instead.

A set of bytes is a table of 256 bytes; a member's entry is not 0.
"""

from __future__ import annotations

import re
from functools import cache

_SPACE = rb"[\t\n\f\r ]"
_STRING = rb"(?:[^%b\\\n\f\r]++|\\(?:[0-9A-Fa-f]{1,6}(?:\r\n|[\t\n\f\r ])?|\r\n|[^0-9A-Fa-f]|\Z))"
_NO_ASCII = re.compile(r"[^\0-\x7f]")
_CSS_NAME = re.compile(
    rb"(?:[^\x01-,./:-@\[-^`{-\x7f]++|(?!\\[\n\f\r])\\(?:[0-9A-Fa-f]{1,6}(?:\r\n|[\t\n\f\r ])?|[^0-9A-Fa-f]|\Z))*+"
)


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
