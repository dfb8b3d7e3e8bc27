"""The place of a finding: lines and columns, bytes of the file, and the source line."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import NamedTuple

from linkfix.audit.page_document import PageDocument
from linkfix.credentials import password_spans
from linkfix.html.values import byte_offsets

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
        text = self._shown(first, last)
        # It may be clipped within a character.
        if first > 0 and data[first - 1] not in b"\r\n":
            text = "…" + text.lstrip("\ufffd…")
        if last < len(data) and data[last] not in b"\r\n":
            text = text.rstrip("\ufffd…") + "…"
        return " ".join(text.split())

    def _shown(self, first: int, last: int) -> str:
        """The text of data[first:last], with "…" for each password in it, and for what it has of one."""
        data, decode = self._data, self._encoding.decode
        starts, ends = self._passwords
        pieces: list[str] = []
        for number in range(bisect_right(ends, first), len(starts)):
            start, end = starts[number], ends[number]
            if start >= last:
                break
            pieces += (decode(data[first : max(first, start)]), "…")
            first = min(end, last)
        return "".join((*pieces, decode(data[first:last])))

    @cached_property
    def _passwords(self) -> tuple[list[int], list[int]]:
        """Where the passwords of the whole page begin and end, in bytes: an excerpt may have only a part of a URL."""
        data, encoding = self._data, self._encoding
        if encoding.has_ascii_trails:
            text = encoding.decode(data)
            offset = byte_offsets(data, text, encoding)
        else:  # a byte of ASCII is that character
            text, offset = data.decode("latin-1"), int
        spans = password_spans(text)
        return [offset(start) for start, _ in spans], [offset(end) for _, end in spans]
