"""Text for a terminal: everything that comes from documents and names passes through `visible`."""

from __future__ import annotations

import os
import re
import unicodedata

__all__ = ["counted", "shown", "visible", "width"]

#: Control characters (C0, DEL, C1), line and paragraph separators, the bidirectional controls of UAX #9 and the byte
#: order mark, and surrogates: what moves the cursor, starts an escape sequence, reorders what is read, or is no text.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def visible(text: str) -> str:
    r"""`text` on one line, with each character that a terminal would act on as an escape: `\x1b`, `\u202e`.

    A surrogate escape (PEP 383), which stands for a byte of a name that is not UTF-8, becomes that byte: `\xe9`.
    """
    return _UNSAFE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"


def shown(name: str) -> str:
    r"""A file's name as text that any encoding can write: bytes that are not UTF-8 as `\xe9`, all else as it is."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def counted(number: int, noun: str) -> str:
    """`1 link`, `1,204 links`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def width(text: str) -> int:
    """How many columns a terminal gives to `text`: two for wide characters, none for combining ones (UAX #11)."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
