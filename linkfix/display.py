"""Names, counts and text of documents as people read them. All text from a document must pass through `visible`."""

from __future__ import annotations

import os

__all__ = ["display_name", "pluralize", "visible"]

#: Control characters (C0, DEL, C1), line and paragraph separators, the bidirectional controls of UAX #9 and the byte
#: order mark, and surrogates: they move the cursor, start an escape sequence, reorder the text, or are not characters.
_UNSAFE = (
    *(*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, 0xFEFF),
    *(0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)),
    *range(0xD800, 0xE000),
)
#: PEP 383 decodes the bytes of a name that are not UTF-8 to these surrogates.
_ESCAPES = {code: chr(code).encode("unicode_escape").decode() for code in _UNSAFE} | {
    0xDC00 + byte: f"\\x{byte:02x}" for byte in range(0x80, 0x100)
}


def visible(text: str) -> str:
    r"""`text` on one line, with escapes for the characters that a terminal would act on: `\x1b`, `\u202e`.

    A byte of a name that is not UTF-8 is written as `\xe9`.
    """
    return text.translate(_ESCAPES)


def display_name(name: str) -> str:
    r"""A file name without surrogates, so that any encoding can write it: bytes that are not UTF-8 become `\xe9`."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def pluralize(number: int, noun: str) -> str:
    """A number with its noun: `1 link`, `1,204 links`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
