"""A reader of IANA's registry of URI schemes (CSV), and the writer of the data file of `linkfix.schemes.registry`.

IANA publishes the registry at https://www.iana.org/assignments/uri-schemes/uri-schemes-1.csv. To update the package's
data:

    python -m linkfix.schemes.iana uri-schemes-1.csv --date 2024-04 --output linkfix/schemes/uri-schemes.tsv

Cells are normalized: a run of white space, including line breaks, becomes one space. A remark in parentheses after a
name ("shttp (OBSOLETE)") moves to the notes. A reference to an RFC, by URL or in brackets, becomes "RFC 6068". A "-"
in the column for well-known URI support means none, and becomes "".
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import NoReturn, cast

from linkfix.errors import InvalidRegistry
from linkfix.schemes.registry import Registry, Scheme, Status
from linkfix.urls import SCHEME, excerpt

__all__ = ["load", "main"]

_URL = "https://www.iana.org/assignments/uri-schemes/uri-schemes-1.csv"
#: The columns of IANA's file, in any order. "Notes" is optional; other columns are ignored.
_NAME, _STATUS = "URI Scheme", "Status"
_COLUMNS = (_NAME, "Template", "Description", _STATUS, "Well-Known URI Support", "Reference")
_STATUSES = ("permanent", "provisional", "historical")

#: A scheme's name (RFC 3986 §3.1), and a remark in parentheses.
_SCHEME = re.compile(rf"({SCHEME})(?: \(([^()]*)\))?")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_RFC = re.compile(r"\A(?:https?://www\.rfc-editor\.org/rfc/)?rfc ?(\d+)(?:\.html|\.txt)?(?=\Z|[ ,])", re.IGNORECASE)
_DATE = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?", re.ASCII)


def parse(data: bytes, source: str = "the registry") -> list[Scheme]:
    """Parse a CSV file of the registry. `source`: the file's name for messages.

    Raises `InvalidRegistry` for any other file; the message has the line number.
    """
    rows = _rows(data, source)
    line, columns = next(rows, (1, []))
    missing = [column for column in _COLUMNS if column not in columns]
    if missing:
        _fail(source, line, f"the column {missing[0]!r} is missing: give a file such as {_URL}")
    schemes: list[Scheme] = []
    lines: dict[str, int] = {}
    for line, row in rows:
        if len(row) != len(columns):
            _fail(source, line, f"expected {len(columns)} cells, found {len(row)}")
        scheme = _scheme(dict(zip(columns, row, strict=True)), source, line)
        first = lines.setdefault(scheme.name.lower(), line)
        if first != line:
            _fail(source, line, f"the scheme {scheme.name!r} is repeated; it is first in line {first}")
        schemes.append(scheme)
    if not schemes:
        _fail(source, line, "there are no schemes after the header row")
    return schemes


def load(path: str | os.PathLike[str]) -> Registry:
    """Load a CSV file from IANA, for example one newer than the package's. The file has no date, so `date` is "".

    Raises `InvalidRegistry` for any other file, and `OSError`.
    """
    return Registry(parse(Path(path).read_bytes(), os.fspath(path)), "", os.fspath(path))


def serialize(schemes: Iterable[Scheme], day: str, source: str) -> str:
    """Format the package's data: comments with its source and date, then one line for each scheme.

    Fields are separated by tabs; empty fields at the end are left out. `day`: "YYYY-MM" or "YYYY-MM-DD".
    """
    about = (
        "# IANA's registry of URI schemes, https://www.iana.org/assignments/uri-schemes/",
        f"# date: {day}",
        f"# source: {source}",
        "# made by: python -m linkfix.schemes.iana",
        f"# columns: {', '.join(Scheme._fields)}",
    )
    return "".join(f"{line}\n" for line in (*about, *("\t".join(scheme).rstrip("\t") for scheme in schemes)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Convert a CSV file to the package's data, in `--output` or on standard output."""
    parser = argparse.ArgumentParser(
        "python -m linkfix.schemes.iana",
        description="Convert IANA's CSV file of the URI schemes registry to linkfix's uri-schemes.tsv.",
    )
    parser.add_argument("file", type=Path, help=f"the CSV file, from {_URL}")
    parser.add_argument("--date", required=True, type=_day, help="the date of the registry: YYYY-MM or YYYY-MM-DD")
    parser.add_argument("--output", type=Path, help="the file to write (default: standard output, '-')")
    given = parser.parse_args(arguments)
    try:
        schemes = parse(given.file.read_bytes(), str(given.file))
        data = serialize(schemes, given.date, given.file.name).encode("utf-8")
        if given.output in {None, Path("-")}:
            sys.stdout.buffer.write(data)
        else:
            given.output.write_bytes(data)
    except (OSError, InvalidRegistry) as error:
        parser.error(str(error))


def _rows(data: bytes, source: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the non-empty rows with normalized white space, each with the number of its first line."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        _fail(source, data.count(b"\n", 0, error.start) + 1, "the file is not UTF-8")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        for row in reader:
            if row:
                yield line, [" ".join(cell.split()) for cell in row]
            line = reader.line_num + 1
    except csv.Error as error:
        _fail(source, line, f"the file is not valid CSV: {error}")


def _scheme(cells: dict[str, str], source: str, line: int) -> Scheme:
    name = _SCHEME.fullmatch(cells[_NAME])
    if name is None:
        _fail(source, line, f"{excerpt(cells[_NAME], 80)!r} is not a scheme name (RFC 3986 §3.1)")
    status = cells[_STATUS].lower()
    if status not in _STATUSES:
        _fail(source, line, f"{excerpt(cells[_STATUS], 80)!r} is not a status: expected one of {', '.join(_STATUSES)}")
    well_known = cells["Well-Known URI Support"]
    return Scheme(
        name[1],
        cast("Status", status),
        cells["Description"],
        _references(cells["Reference"]),
        cells["Template"],
        "" if well_known == "-" else _references(well_known),
        "; ".join(filter(None, (name[2], cells.get("Notes")))),
    )


def _references(cell: str) -> str:
    """The documents in a cell, separated by "; ".

    >>> _references("[RFC2397][Jane_Doe]"), _references("https://www.rfc-editor.org/rfc/rfc6068.html")
    ('RFC 2397; Jane_Doe', 'RFC 6068')
    """
    documents = (part.strip() for part in _BRACKETS.sub(r";\1;", cell).split(";"))
    return "; ".join(_RFC.sub(r"RFC \1", document) for document in documents if document)


def _day(text: str) -> str:
    match = _DATE.fullmatch(text)
    if match is None:
        raise ValueError
    date(int(match[1]), int(match[2]), int(match[3] or 1))  # raises ValueError for a day that does not exist
    return text


def _fail(source: str, line: int, reason: str) -> NoReturn:
    message = f"{source}: line {line}: {reason}"
    raise InvalidRegistry(message)


if __name__ == "__main__":
    main()
