"""Tables on standard output."""

from __future__ import annotations

import shutil
import sys
import unicodedata
from collections.abc import Sequence
from itertools import zip_longest

import click

from linkfix.display import visible

_GAP = "  "
#: The smallest width to which a column is reduced to fit a terminal.
_NARROWEST = 8


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table. On a terminal, cells are wrapped to fit its width."""
    cells = [list(header), *([visible(cell) for cell in row] for row in rows)]
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    if sys.stdout.isatty():
        widths = _fitted(widths, shutil.get_terminal_size().columns)
    for row in cells:
        columns = (_fold(cell, wide) for cell, wide in zip(row, widths, strict=True))
        for line in zip_longest(*columns, fillvalue=""):
            padded = (part + " " * (wide - width(part)) for part, wide in zip(line, widths, strict=True))
            click.echo(_GAP.join(padded).rstrip())


def _fitted(widths: list[int], available: int) -> list[int]:
    """The widths of columns, with the widest columns reduced so that all fit into `available` columns."""
    fitted = list(widths)
    excess = sum(fitted) + len(_GAP) * (len(fitted) - 1) - available
    for _ in range(excess):
        widest = max(range(len(fitted)), key=fitted.__getitem__)
        if fitted[widest] <= _NARROWEST:
            break
        fitted[widest] -= 1
    return fitted


def _fold(text: str, wide: int) -> list[str]:
    """Break a text into lines of at most `wide` columns: at spaces, and within longer words."""
    lines = []
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if width(longer) <= wide:
            line = longer
            continue
        if line:
            lines.append(line)
        line = ""
        for character in word:
            if width(line + character) > wide:
                lines.append(line)
                line = ""
            line += character
    return [*lines, line]


def width(text: str) -> int:
    """The width of `text` in a terminal: two columns for a wide character, none for a combining one (UAX #11)."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
