"""Tables on standard output."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Sequence

import click

from linkfix.display import visible

__all__ = ["print_table", "width"]


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table: wrapped to the width of a terminal, otherwise aligned and not wrapped."""
    cells = [[visible(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        from rich.console import Console  # noqa: PLC0415  # only for a terminal
        from rich.table import Column, Table  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        table = Table(*(Column(name, overflow="fold") for name in header), box=None, pad_edge=False)
        for row in cells:
            table.add_row(*map(Text, row))
        Console().print(table)
        return
    widths = [max(map(width, column)) for column in zip(header, *cells, strict=True)]
    for row in (list(header), *cells):
        padded = (cell + " " * (wide - width(cell)) for cell, wide in zip(row, widths, strict=True))
        click.echo("  ".join(padded).rstrip())


def width(text: str) -> int:
    """The columns of `text` in a terminal: two for wide characters, none for combining ones (UAX #11)."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
