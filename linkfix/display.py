"""Safe output of text from outside: a line for terminals and logs, JSON, and CSV that spreadsheets do not execute.

All text from outside must pass through `visible`, or `visible_path` for a file name at the start of a line. JSON values
must pass through `json_text`. A message about a document must first pass through `linkfix.urls.hide_passwords`,
before it is cut.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import TextIO, TypeAlias

from linkfix.lazy import lazy_pattern

#: Control characters (C0, DEL, C1), line and paragraph separators, the bidirectional controls of UAX #9 and the byte
#: order mark, and surrogates: they move the cursor, start an escape sequence, reorder the text, or are not characters.
_UNSAFE_RANGES = (
    *((0x00, 0x1F), (0x7F, 0x9F), (0x2028, 0x2029), (0xFEFF, 0xFEFF)),
    *((0x061C, 0x061C), (0x200E, 0x200F), (0x202A, 0x202E), (0x2066, 0x2069)),
    (0xD800, 0xDFFF),
)

UNSAFE = frozenset(code for first, last in _UNSAFE_RANGES for code in range(first, last + 1))

_UNSAFE = lazy_pattern("[" + "".join(f"\\u{first:04x}-\\u{last:04x}" for first, last in _UNSAFE_RANGES) + "]")

#: The largest length of a message that is shown, in characters; a message may quote two URLs.
MESSAGE_LENGTH = 500

#: Characters that .NET ignores when it searches for a text, as the runners of GitHub and Azure Pipelines do. .NET
#: compares by Unicode collation (UTS #10), which gives no weight to most invisible characters.
_UNSEEN = (
    "[\u00ad\u034f\u0600-\u0605\u06dd\u070f\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2064"
    "\u206a-\u206f\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]*"
)

#: The first character of a command that a CI service finds anywhere in a line of a log: `##[error]` (GitHub's runner,
#: ActionCommand.cs; Azure Pipelines), `##vso[task.setvariable …]` (Azure Pipelines, Command.cs), `##teamcity[…]`
#: (TeamCity, "Service Messages"), `##octopus[…]`. The commands of GitLab (`section_start:…`, which ends with CR and
#: ESC), Jenkins (ConsoleNote) and Buildkite (APC, OSC) contain control characters. Bitbucket reads no commands.
_COMMAND = lazy_pattern(rf"#(?={_UNSEEN}#{_UNSEEN}(?:\[|[^\W\d_]))")

#: Commands that a CI service finds at the start of a line only: `::error::` (GitHub's runner), and the group headings
#: of Buildkite (`--- x`, `+++ x`, `~~~ x`, `^^^ +++`).
_COMMAND_LINE = lazy_pattern(rf"(?:\s|{_UNSEEN[:-1]})*(?::{_UNSEEN}:|(?:---|\+\+\+|~~~|\^\^\^)(?:\s|\Z))")


def escape_match(found: re.Match[str]) -> str:
    """The escape for a matched character."""
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return found[0].encode("unicode_escape").decode()


def visible(text: str) -> str:
    r"""`text` on one line, with control characters and commands of CI services escaped: `\x1b`, `\u202e`, `\x23#vso[`.

    A byte of a file name that is not UTF-8 is written as `\xe9`.
    """
    if not text.isprintable():  # no unsafe character is printable
        text = _UNSAFE.sub(escape_match, text)
    return _without_commands(text, r"\x23")


def _without_commands(text: str, escaped: str) -> str:
    """`text` with an escape for the first character of each command of a CI service."""
    may_have_one = "##" in text or (text.count("#") > 1 and not text.isascii())
    return _COMMAND.sub(lambda _: escaped, text) if may_have_one else text


def clip(text: str, length: int = 200) -> str:
    """`visible(text)` for at most `length` characters of `text`: a data: URL may be megabytes long."""
    return visible(text if len(text) <= length else text[: length - 1] + "…")


def visible_path(name: str) -> str:
    """`visible(name)` for a file name at the start of a line.

    If a CI service would act on the line (`::error::x`, `--- x`), "./" is put before the name.
    """
    shown = visible(name)
    return f"./{shown}" if begins_command(shown) else shown


def visible_line(text: str) -> str:
    r"""`visible(text)` for the start of a line; `\x3a:error::x` if a CI service would act on the line."""
    shown = visible(text)
    if not begins_command(shown):
        return shown
    first, rest = shown.lstrip()[:1], shown.lstrip()[1:]
    return (f"\\x{ord(first):02x}" if first.isascii() else first.encode("unicode_escape").decode()) + rest


def begins_command(text: str) -> bool:
    """Whether a CI service would act on a line that begins with `text`."""
    return _COMMAND_LINE.match(text) is not None


def name_without_commands(name: str) -> str:
    """A file name with "_" for the first character of each command of a CI service, so that `visible` keeps it."""
    return _without_commands(name, "_")


def json_text(value: object) -> str:
    """A value as JSON, in printable ASCII and on one line."""
    import json  # not every run writes JSON

    return printable_json(json.dumps(value))


def printable_json(text: str) -> str:
    """ASCII JSON with DEL and commands of CI services escaped."""
    return _without_commands(text.replace("\x7f", "\\u007f"), r"\u0023")


def display_name(name: str) -> str:
    r"""A file name without surrogates, so that any encoding can write it: bytes that are not UTF-8 become `\xe9`."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def pluralize(number: int, noun: str) -> str:
    """A number with its noun: `1 link`, `1,204 links`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


# Comma-separated values (RFC 4180): the only writer of rows with text from outside, and the function that undoes its
# guard.
#
# In a cell,
#
# - control characters, bidirectional controls and surrogates are escaped (`linkfix.display.visible`). So a row is one
#   line, and printing it is safe for a terminal;
# - an apostrophe is put before a text that a spreadsheet takes for a formula (OWASP, "CSV Injection"). It begins with
#   `=`, `+`, `-`, `@` or one of their full-width forms, after any white space (no cell begins with a tab or CR, which
#   OWASP names too: they are escaped);
# - an apostrophe is put before a text that a CI service acts on at the start of a line (`::`, `~~~ x`, `^^^ +++`);
# - an apostrophe is put before such a text that already has apostrophes before it, so that `unguard` restores every
#   text.
#
# JSON output has the exact characters of every text.


Cell: TypeAlias = str | int | None

_GUARDED = lazy_pattern(r"['\s]*(?:[=+\-@\uff1d\uff0b\uff0d\uff20]|::|(?:~~~|\^\^\^)\s)")


def write_rows(out: TextIO, rows: Iterable[Iterable[Cell]], *, line_end: str = "\n") -> None:
    """Write rows as they come. `out` must not translate line ends."""
    import csv  # only for reports as tables

    csv.writer(out, lineterminator=line_end).writerows([_guard(cell) for cell in row] for row in rows)


def unguard(cell: str) -> str:
    """The text of a cell that `write_rows` wrote, without the apostrophe that `write_rows` put before it."""
    return cell[1:] if cell.startswith("'") and _GUARDED.match(cell) else cell


def _guard(cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return cell
    text = visible(cell)
    if _GUARDED.match(text):
        return f"'{text}"
    return visible_line(text) if begins_command(text) else text
