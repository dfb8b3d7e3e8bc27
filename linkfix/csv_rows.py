r"""Comma-separated values (RFC 4180): the one writer of rows with text from outside, and what undoes its guard.

In a cell,

- control characters, bidirectional controls and surrogates are escaped (`linkfix.display.visible`), so that a row is
  one line, and printing it does nothing to a terminal;
- an apostrophe is put before what a spreadsheet takes for a formula (OWASP, "CSV Injection"), which begins with
  `=`, `+`, `-`, `@` or one of their full-width forms, white space before it or not; before what a CI service acts on at
  the start of a line (`::`, `~~~ x`, `^^^ +++`); and before such text that has apostrophes before it already, so that
  `unguard` gives back every text. (A tab or CR, which OWASP names too, is escaped: it begins no cell.)

JSON has the exact characters of everything.

Internal: it can change in any release.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import TextIO, TypeAlias

from linkfix.display import begins_command, visible, visible_line
from linkfix.lazy import lazy_pattern

__all__ = ["unguard", "write_rows"]

Cell: TypeAlias = str | int | None

_GUARDED = lazy_pattern(r"['\s]*(?:[=+\-@\uff1d\uff0b\uff0d\uff20]|::|(?:~~~|\^\^\^)\s)")


def write_rows(out: TextIO, rows: Iterable[Iterable[Cell]], *, line_end: str = "\n") -> None:
    """Write rows as they come. `out` must not translate line ends."""
    csv.writer(out, lineterminator=line_end).writerows([_guard(cell) for cell in row] for row in rows)


def unguard(cell: str) -> str:
    """The text of a cell that `write_rows` wrote, without the apostrophe that it put before it."""
    return cell[1:] if cell.startswith("'") and _GUARDED.match(cell) else cell


def _guard(cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return cell
    text = visible(cell)
    if _GUARDED.match(text):
        return f"'{text}"
    return visible_line(text) if begins_command(text) else text
