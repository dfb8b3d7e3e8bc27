"""Reads the columns of a `LinkTable`, and computes the expected ones."""

from __future__ import annotations

import re
from typing import Any

from linkfix import Document, Link
from linkfix.kernels.link_table import LinkTable, TextCells
from linkfix.model import LINK_COLUMNS

__all__ = ["expected_rows", "table_rows"]

_SURROGATE = re.compile("[\ud800-\udfff]")
_PAIR = re.compile("([\ud800-\udbff])([\udc00-\udfff])")
_DATA = re.compile("[\0-\x20]*data:[^,;]{0,255}", re.IGNORECASE)


def table_rows(
    document: Document[Any],
    page: str | None = "p",
    names: tuple[str, ...] = LINK_COLUMNS,
    rows: int = 50,
    room: int = 1 << 30,
) -> list[dict[str, Any]]:
    """The rows of a document's links, from tables of at most `rows` rows and `room` bytes."""
    columns = document.link_columns(places="line" in names or "column" in names)
    table = LinkTable(names, rows, room)
    size = table.open(columns, page, 0, document.column_units, "p.html")
    found: list[dict[str, Any]] = []
    done = used = 0
    while done < columns.count:
        first, done = done, table.add(done)
        assert first < done <= columns.count
        assert table.count == done - first <= rows
        assert table.count == 1 or table.size <= room
        used += table.size
        values = [_values(column, done - first) for column in table.take()]
        found += [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]
    assert used == size
    return found


def _values(column: Any, count: int) -> list[Any]:
    if not isinstance(column, TextCells):
        return list(column[:count])
    assert column.count == count
    texts = []
    for row in range(count):
        valid = column.valid[row >> 3] >> (row & 7) & 1
        text = bytes(column.data[column.offsets[row] : column.offsets[row + 1]]).decode()
        assert valid or not text
        texts.append(text if valid else None)
    assert texts.count(None) == column.nulls
    return texts


def expected_rows(
    links: list[Link], page: str | None = "p", names: tuple[str, ...] = LINK_COLUMNS
) -> list[dict[str, Any]]:
    """The rows that these links have in a table."""
    rows = []
    for link in links:
        row: dict[str, Any] = {"path": "p.html", "page": page, **link._asdict()}
        for name in ("reference", "target"):
            cut = row[name] and _DATA.match(row[name])
            row[name] = cut[0] if cut else row[name]
        rows.append({name: _stored(row[name]) for name in names})
    return rows


def _stored(value: Any) -> Any:
    """A value as UTF-8 can have it: a pair of surrogates is a character, and U+FFFD replaces a lone one."""
    if not isinstance(value, str):
        return value
    joined = _PAIR.sub(lambda pair: chr(0x10000 + (ord(pair[1]) - 0xD800 << 10) + ord(pair[2]) - 0xDC00), value)
    return _SURROGATE.sub("\ufffd", joined)
