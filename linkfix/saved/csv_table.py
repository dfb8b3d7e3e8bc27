"""Tables that the caller gives, as CSV in UTF-8: their text and rows, and messages that name a line."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from linkfix.display import visible
from linkfix.errors import InvalidOption


def line_message(path: str, line: int, problem: str) -> str:
    """A message about a line of a table: `path:line: problem`."""
    return f"{visible(path)}:{line}: {problem}"


def read_table(path: str) -> str:
    """The text of a table. Raises InvalidOption with file and line if it is not UTF-8, `OSError` if it is not read."""
    data = Path(path).read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidOption(line_message(path, line, "not UTF-8: save the file in that encoding")) from None


def csv_rows(path: str, text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file that are not empty, each with its first line, from 1. Cells have no spaces around them.

    Raises InvalidOption with file and line.
    """
    reader = csv.reader((line + "\n" for line in text.replace("\r\n", "\n").split("\n")), strict=True)
    before = 0
    try:
        for row in reader:
            line, before = before + 1, reader.line_num
            cells = [cell.strip() for cell in row]
            if any(cells):
                yield line, cells
    except csv.Error as error:
        raise InvalidOption(line_message(path, reader.line_num, f"not CSV: {error}")) from None
