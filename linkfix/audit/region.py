"""The place of a finding: lines and columns, bytes of the file, and the source line."""

from __future__ import annotations

from linkfix.audit.page_document import PageDocument
from linkfix.named_tuple import NamedTuple

__all__ = ["Region", "Regions"]

#: How many bytes of a line are shown before and after a place.
_BEFORE, _AFTER = 100, 160


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
    """The places of spans of one document's working data; quick for spans in ascending order."""

    def __init__(self, document: PageDocument) -> None:
        self._data = document.source.data
        self._encoding = document.source.working
        self._positions = document.positions
        self._unit = document.source.units()

    def of(self, start: int, end: int, at: tuple[int, int] | None = None) -> Region:
        """The place data[start:end]; `at`: its line and column, where they are known."""
        data = self._data
        line, column = at or self._positions.of(start)
        text = self._encoding.decode(data[start:end])
        end_line, end_column = line, column + len(text)
        if "\n" in text or "\r" in text:
            lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
            end_line, end_column = line + len(lines) - 1, len(lines[-1]) + 1
        unit = self._unit
        return Region(line, column, end_line, end_column, unit(start), unit(end), self._excerpt(start, end))

    def _excerpt(self, start: int, end: int) -> str:
        data = self._data
        end = min(end, start + _AFTER)
        low, high = max(start - _BEFORE, 0), min(end + _AFTER, len(data))
        first = max(low, data.rfind(b"\n", low, start) + 1, data.rfind(b"\r", low, start) + 1)
        for mark in (b"\n", b"\r"):
            at = data.find(mark, end, high)
            high = at if at >= 0 else high
        last = high
        text = self._encoding.decode(data[first:last])
        # It may be clipped within a character.
        if first > 0 and data[first - 1] not in b"\r\n":
            text = "…" + text.lstrip("\ufffd")
        if last < len(data) and data[last] not in b"\r\n":
            text = text.rstrip("\ufffd") + "…"
        return " ".join(text.split())
