"""Where a finding is: lines and columns, bytes of the file, and the source line."""

from __future__ import annotations

import re
from typing import NamedTuple

from linkfix.walker import Document

__all__ = ["Region", "Regions"]

#: How many bytes of a line are shown before and after a place.
_BEFORE, _AFTER = 100, 160
_SPACE = re.compile(r"\s+")


class Region(NamedTuple):
    """A place in a page; see `linkfix.audit.model.Finding`."""

    line: int
    column: int
    end_line: int
    end_column: int
    start: int
    end: int
    excerpt: str


class Regions:
    """The places of one document, by spans of its working data; quick for spans that never fall."""

    def __init__(self, document: Document) -> None:
        self._data = document.source.data
        self._encoding = document.source.working
        self._positions = document.positions
        self._unit = document.source.units()

    def of(self, start: int, end: int, at: tuple[int, int] | None = None) -> Region:
        """The place data[start:end]; `at`: its line and column, where they are known."""
        data = self._data
        line, column = at or self._positions.of(start)
        text = self._encoding.decode(data[start:end])
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        end_column = column + len(text) if len(lines) == 1 else len(lines[-1]) + 1
        unit = self._unit
        return Region(
            line, column, line + len(lines) - 1, end_column, unit(start), unit(end), self._excerpt(start, end)
        )

    def _excerpt(self, start: int, end: int) -> str:
        data = self._data
        end = min(end, start + _AFTER)
        first = max(data.rfind(b"\n", max(start - _BEFORE, 0), start) + 1, start - _BEFORE, 0)
        last = data.find(b"\n", end, end + _AFTER)
        if last < 0:
            last = min(len(data), end + _AFTER)
        before = "…" if first > 0 and data[first - 1] not in b"\r\n" else ""
        after = "…" if last < len(data) and data[last] not in b"\r\n" else ""
        return before + _SPACE.sub(" ", self._encoding.decode(data[first:last])).strip() + after
