"""From a CSV file of IANA's registry of URI schemes to what `linkfix.schemes.registry` has.

IANA's own is at https://www.iana.org/assignments/uri-schemes/uri-schemes-1.csv. To renew the package's data:

    python -m linkfix.registration.iana uri-schemes-1.csv --date 2024-04 --output linkfix/schemes/uri-schemes.tsv

What is changed: white space within a cell, line breaks too, becomes one space. A remark in parentheses after a name
("shttp (OBSOLETE)") goes to the notes. A reference to an RFC, by its URL or in brackets, becomes "RFC 6068"; "-", which
stands for no support of well-known URIs, "".
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
from linkfix.urls import SCHEME

__all__ = ["load", "main", "parse", "serialize"]

_URL = "https://www.iana.org/assignments/uri-schemes/uri-schemes-1.csv"
#: The columns of IANA's file. "Notes" may be absent; the order is of no account, nor are other columns.
_NAME, _STATUS = "URI Scheme", "Status"
_COLUMNS = (_NAME, "Template", "Description", _STATUS, "Well-Known URI Support", "Reference")
_STATUSES = ("permanent", "provisional", "historical")

#: RFC 3986 §3.1, and a remark.
_SCHEME = re.compile(rf"({SCHEME})(?: \(([^()]*)\))?")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_RFC = re.compile(r"\A(?:https?://www\.rfc-editor\.org/rfc/)?rfc ?(\d+)(?:\.html|\.txt)?(?=\Z|[ ,])", re.IGNORECASE)
_DATE = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?", re.ASCII)


def parse(data: bytes, source: str = "the registry") -> list[Scheme]:
    """Read a CSV file of the registry, row by row. `source`: its name, for messages.

    Raises `InvalidRegistry` for a file that is not one, with the number of the line where that shows.
    """
    rows = _rows(data, source)
    line, columns = next(rows, (1, []))
    missing = [column for column in _COLUMNS if column not in columns]
    if missing:
        _fail(source, line, f"there is no column {missing[0]!r}; give a file such as {_URL}")
    schemes: list[Scheme] = []
    lines: dict[str, int] = {}
    for line, row in rows:
        if len(row) != len(columns):
            _fail(source, line, f"there are {len(row)} cells under {len(columns)} columns")
        scheme = _scheme(dict(zip(columns, row, strict=True)), source, line)
        first = lines.setdefault(scheme.name.lower(), line)
        if first != line:
            _fail(source, line, f"the scheme {scheme.name!r} is there twice, first in line {first}")
        schemes.append(scheme)
    if not schemes:
        _fail(source, line, "no scheme follows the names of the columns")
    return schemes


def load(path: str | os.PathLike[str]) -> Registry:
    """Read a CSV file of the registry that is newer than the package's. Its date is not in it, and is "".

    Raises `InvalidRegistry` for a file that is not one, and what reading files raises.
    """
    return Registry(parse(Path(path).read_bytes(), os.fspath(path)), "", os.fspath(path))


def serialize(schemes: Iterable[Scheme], day: str, source: str) -> str:
    """Write the package's data: comments that say whence and of when it is, then a line a scheme, its fields between
    tabs but for the last ones that are empty. `day`: "YYYY-MM" or "YYYY-MM-DD".
    """
    about = (
        "# IANA's registry of URI schemes, https://www.iana.org/assignments/uri-schemes/",
        f"# date: {day}",
        f"# source: {source}",
        "# made by: python -m linkfix.registration.iana, which says what it changes",
        f"# columns: {', '.join(Scheme._fields)}",
    )
    return "".join(f"{line}\n" for line in (*about, *("\t".join(scheme).rstrip("\t") for scheme in schemes)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the package's data from a CSV file, to `--output` or to standard output."""
    parser = argparse.ArgumentParser("python -m linkfix.registration.iana", description="Make uri-schemes.tsv.")
    parser.add_argument("file", type=Path, help=f"a CSV file of the registry, such as {_URL}")
    parser.add_argument("--date", required=True, type=_day, help="of when it is: YYYY-MM or YYYY-MM-DD")
    parser.add_argument("--output", type=Path, help="where to write (standard output)")
    given = parser.parse_args(arguments)
    try:
        schemes = parse(given.file.read_bytes(), str(given.file))
        data = serialize(schemes, given.date, given.file.name).encode("utf-8")
        if given.output is None:
            sys.stdout.buffer.write(data)
        else:
            given.output.write_bytes(data)
    except (OSError, InvalidRegistry) as error:
        parser.error(str(error))


def _rows(data: bytes, source: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, each with the number of its first line. White space is single spaces."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        _fail(source, data.count(b"\n", 0, error.start) + 1, "it is not in UTF-8")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        for row in reader:
            if row:
                yield line, [" ".join(cell.split()) for cell in row]
            line = reader.line_num + 1
    except csv.Error as error:
        _fail(source, line, f"it is no CSV: {error}")


def _scheme(cells: dict[str, str], source: str, line: int) -> Scheme:
    name = _SCHEME.fullmatch(cells[_NAME])
    if name is None:
        _fail(source, line, f"{cells[_NAME][:80]!r} is no name of a scheme (RFC 3986 §3.1)")
    status = cells[_STATUS].lower()
    if status not in _STATUSES:
        _fail(source, line, f"{cells[_STATUS][:80]!r} is no status; there are {', '.join(_STATUSES)}")
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
    """Documents, with "; " between them.

    >>> _references("[RFC2397][Jane_Doe]"), _references("https://www.rfc-editor.org/rfc/rfc6068.html")
    ('RFC 2397; Jane_Doe', 'RFC 6068')
    """
    documents = (part.strip() for part in _BRACKETS.sub(r";\1;", cell).split(";"))
    return "; ".join(_RFC.sub(r"RFC \1", document) for document in documents if document)


def _day(text: str) -> str:
    match = _DATE.fullmatch(text)
    if match is None:
        raise ValueError
    date(int(match[1]), int(match[2]), int(match[3] or 1))  # which raises for a day that there is not
    return text


def _fail(source: str, line: int, reason: str) -> NoReturn:
    message = f"{source}: line {line}: {reason}"
    raise InvalidRegistry(message)


if __name__ == "__main__":
    main()
