"""Names, counts and text of documents as people, terminals and logs get them.

All text from outside must pass through `visible` (a file name at the start of a line: `visible_path`), a JSON value
through `json_text`, and what is said about a document also through `hide_passwords`.

Internal: it can change in any release.
"""

from __future__ import annotations

import os
import re

from linkfix.lazy import lazy_pattern

__all__ = [
    "MESSAGE_LENGTH",
    "UNSAFE",
    "clip",
    "display_name",
    "escape_match",
    "hide_passwords",
    "json_text",
    "pluralize",
    "visible",
    "visible_path",
]

#: Control characters (C0, DEL, C1), line and paragraph separators, the bidirectional controls of UAX #9 and the byte
#: order mark, and surrogates: they move the cursor, start an escape sequence, reorder the text, or are not characters.
_UNSAFE_RANGES = (
    *((0x00, 0x1F), (0x7F, 0x9F), (0x2028, 0x2029), (0xFEFF, 0xFEFF)),
    *((0x061C, 0x061C), (0x200E, 0x200F), (0x202A, 0x202E), (0x2066, 0x2069)),
    (0xD800, 0xDFFF),
)
UNSAFE = frozenset(code for first, last in _UNSAFE_RANGES for code in range(first, last + 1))
_UNSAFE = lazy_pattern("[" + "".join(f"\\u{first:04x}-\\u{last:04x}" for first, last in _UNSAFE_RANGES) + "]")
#: How many characters of a message people see; it may quote two URLs.
MESSAGE_LENGTH = 500
#: GitHub's runner executes what follows this, anywhere in a line of a log (actions/runner, ActionCommand.cs).
_RUNNER_COMMAND = "##["

#: The password of a URL in a text: what follows the first colon of its user information (RFC 3986 §3.2.1), after
#: slashes, or after a special scheme with fewer of them (URL standard §4.4 "authority state"). Found in linear time.
_PASSWORD = lazy_pattern(
    r"((?<![/\\])[/\\]{2,}[^/\\?# \"'<>:@]*:)[^/\\?# \"'<>]+@"
    r"|((?:(?<=https:)|(?<=http:)|(?<=wss:)|(?<=ws:)|(?<=ftp:))[/\\]?(?![/\\])[^/\\?# \"'<>:@]*:)[^/\\?# \"'<>:]+@",
    re.IGNORECASE,
)
#: What ends the user information of a URL, or stands before it.
_AROUND_USER = "/\\?# \"'<>"


def escape_match(found: re.Match[str]) -> str:
    """The escape of a character that was found in a text."""
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:  # noqa: PLR2004 - PEP 383 decodes the bytes of a name that are not UTF-8 to these
        return f"\\x{code - 0xDC00:02x}"
    return found[0].encode("unicode_escape").decode()


def visible(text: str) -> str:
    r"""`text` on one line, with escapes for what a terminal or a log would act on: `\x1b`, `\u202e`, `\x23#[`.

    A byte of a name that is not UTF-8 is written as `\xe9`.
    """
    if not text.isprintable():  # what is unsafe is not printable
        text = _UNSAFE.sub(escape_match, text)
    return text.replace(_RUNNER_COMMAND, "\\x23#[")


def clip(text: str, length: int = 200) -> str:
    """`visible`, of no more than so many characters: a data: URL may be megabytes long."""
    return visible(text if len(text) <= length else text[: length - 1] + "…")


def visible_path(name: str) -> str:
    """A file name at the start of a line, as `visible` gives it.

    Where GitHub's runner would take the line for a command (`::error::x`), "./" is put before the name.
    """
    shown = visible(name)
    return f"./{shown}" if shown.lstrip().startswith("::") else shown


def hide_passwords(text: str) -> str:
    """`text` with "…" for the password of each URL in it.

    >>> hide_passwords("not found: https://me:secret@example.com/x")
    'not found: https://me:…@example.com/x'
    """
    return _PASSWORD.sub(r"\1\2…@", text) if may_have_passwords(text) else text


def may_have_passwords(text: str) -> bool:
    """Whether what comes before an "@" in the text can be user information with a password: most texts need no closer
    look. It follows a slash, or the colon of a scheme, and has a colon of its own.
    """
    start = 0
    while (at := text.find("@", start)) >= 0:
        user = text[start:at]
        if ":" in user:
            before = max(map(user.rfind, _AROUND_USER))
            if user.count(":", before + 1) > (before < 0 or user[before] not in "/\\"):
                return True
        start = at + 1
    return False


def json_text(value: object) -> str:
    """A value as JSON, in printable ASCII and on one line."""
    import json  # noqa: PLC0415 - not every run writes JSON

    return printable_json(json.dumps(value))


def printable_json(text: str) -> str:
    """ASCII JSON without what a terminal or a log would act on."""
    return text.replace("\x7f", "\\u007f").replace(_RUNNER_COMMAND, "\\u0023#[")


def display_name(name: str) -> str:
    r"""A file name without surrogates, so that any encoding can write it: bytes that are not UTF-8 become `\xe9`."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def pluralize(number: int, noun: str) -> str:
    """A number with its noun: `1 link`, `1,204 links`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
