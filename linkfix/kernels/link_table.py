"""The links of documents as columns of texts and numbers, for an Arrow table.

The columns are the fields of `Link`, the URL of the page, and the path of the document. They are filled from
`LinkColumns`, without an object per link.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any

try:
    import cython
except ImportError:
    from linkfix.kernels import no_cython as cython

from linkfix.encodings.encoding import to_utf8
from linkfix.kernels.columns import LinkColumns
from linkfix.kernels.positions import CodePoints
from linkfix.model import LINK_COLUMNS
from linkfix.urls import cut_data_url

if not cython.compiled:
    from linkfix.kernels.bytesearch import find_byte
    from linkfix.kernels.columns import LINK_WIDTH, OF_FALLBACK
    from linkfix.kernels.constants import AMPERSAND
    from linkfix.kernels.memory import append_span, ints
    from linkfix.kernels.plain import LEAVE, NUMBER, PREFIX, SKIP


# A column of texts in Arrow's layout: UTF-8 without gaps, the end of each text, and a bitmap of null rows.
#
# https://arrow.apache.org/docs/format/Columnar.html, "Variable-size Binary Layout" and "Validity bitmaps"


class TextCells:
    """A column of at most `rows` texts, of at most 2 GiB together."""

    def __init__(self, rows: int) -> None:
        self.data: bytearray = bytearray()
        #: The start of each text, and the end of the last one.
        self.offsets: array[int] = array("i", [0]) * (rows + 1)
        self.ends: array[int] = ints(self.offsets)
        #: One bit per row, 0 for null. The first row has the lowest bit of the first byte.
        self.valid: bytearray = bytearray(b"\xff") * ((rows + 7) // 8)
        self.count: int = 0
        self.nulls: int = 0

    def add(self, text: bytes | None) -> None:
        """Add a row; None is null."""
        if text is None:
            self.nulls += 1
            self.valid[self.count >> 3] &= ~(1 << (self.count & 7))
            self.count += 1
            self.ends[self.count] = len(self.data)
        else:
            self.add_span(text, 0, len(text))

    def add_joined(self, prefix: bytes, data: bytes, start: int, end: int) -> None:
        """Add a row: a prefix followed by data[start:end]."""
        append_span(self.data, prefix, 0, len(prefix))
        self.add_span(data, start, end)

    def add_span(self, data: bytes, start: int, end: int) -> None:
        """Add a row: data[start:end]."""
        append_span(self.data, data, start, end)
        self.count += 1
        self.ends[self.count] = len(self.data)


#: The columns of `LINK_COLUMNS`: first the columns of texts, and from START on the columns of numbers.
PATH, PAGE, ELEMENT, ATTRIBUTE, SYNTAX, ROLE, REFERENCE, TARGET, BASE, PROBLEM = range(10)
START, END, LINE, COLUMN, TAG_START = range(10, 15)
#: Column -> index of the field in a `Link`.
FIELDS = (-1, -1, 0, 1, 2, 3, 4, 5, 6, 11, 7, 8, 9, 10, 12)
#: Column of numbers -> index in `LinkColumns.cells`.
CELLS = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 5, 3)
#: The start of a `data:` URL, and its maximum length in bytes: see `cut_data_url`.
DATA = b"data:"
DATA_LENGTH, DATA_LONGEST = 5, 260
LOWER_D, COMMA, SEMICOLON = b"d,;"
#: The maximum size of a row without its texts, in bytes.
ROW = 64


class LinkTable:
    """Columns for at most `rows` links, of at most `room` bytes or one link.

    `names`: the columns to fill, from `LINK_COLUMNS`.
    """

    def __init__(self, names: Sequence[str], rows: int, room: int) -> None:
        self.names: list[str] = list(names)
        self.rows: int = rows
        self.room: int = room
        #: Column -> whether it is filled.
        self.asked: bytearray = bytearray(len(LINK_COLUMNS))
        for name in self.names:
            self.asked[LINK_COLUMNS.index(name)] = True
        self.heads: list[tuple[str, str, str, str, str]] = []
        self.head_texts: list[list[bytes]] = []
        #: Row of the vocabulary -> whether it holds for elements of any name.
        self.any_element: bytearray = bytearray()
        self.links: LinkColumns | None = None
        self.path: bytes | None = None
        self.page: bytes | None = None
        self.units: Callable[[], Callable[[int], int]] | None = None
        self.others: list[list[bytes | None]] = []
        #: The document's base and the fallback base, and the prefixes of both.
        self.bases: list[bytes | None] = []
        self.prefixes: list[list[bytes]] = []
        self.left: int = 0
        self.row_size: int = 0
        self.clear()

    def clear(self) -> None:
        """Remove all rows and allocate new memory; columns taken before stay as they are."""
        self.count: int = 0
        self.size: int = 0
        self.columns: list[Any] = [None] * len(LINK_COLUMNS)
        for kind in range(len(LINK_COLUMNS)):
            if self.asked[kind]:
                self.columns[kind] = TextCells(self.rows) if kind < START else array("i", [0]) * self.rows

    def open(
        self,
        links: LinkColumns,
        page: str | None,
        more: int,
        units: Callable[[], Callable[[int], int]] | None = None,
        path: str | None = None,
    ) -> int:
        """Open the links of a document, for `add`. Returns the size of their rows in bytes.

        `page`: the page's URL. `more`: the size that each row takes elsewhere, in bytes. `units`: a factory for
        functions that convert the offsets of the columns to offsets of the document; None if they are equal or
        `LinkColumns` converts them. `path`: the document's path.
        """
        self.links = links
        self.page = _utf_8(page)
        self.path = _utf_8(path)
        self.row_size = ROW + more
        if self.asked[PATH]:
            self.row_size += _length(self.path)
        if self.asked[PAGE]:
            self.row_size += _length(self.page)
        self.units = units
        self.bases = [_utf_8(links.base), _utf_8(links.fallback)]
        self.prefixes = [links.prefixes(False), links.prefixes(True)]
        if links.heads is not self.heads:
            self.heads = links.heads
            self.head_texts = []
            self.any_element = bytearray()
            for head in links.heads:
                self.head_texts.append([head[0].encode(), head[1].encode(), head[2].encode(), head[3].encode()])
                self.any_element.append(head[0] == "*")
        self.others = [[]] * START
        for kind in range(ELEMENT, START):
            if self.asked[kind]:
                self.others[kind] = self._field(links, FIELDS[kind])
        self.left = 0
        number = 0
        while number < links.count:
            self.left += self._row_size(links, number)
            number += 1
        return self.left

    def _field(self, links: LinkColumns, field: int) -> list[bytes | None]:
        """One text of each link that is an object, by its index in `Link`, in UTF-8."""
        texts: list[bytes | None] = []
        for link in links.others:
            text = link[field]
            texts.append(None if text is None else to_utf8(cut_data_url(text)))  # type: ignore[arg-type] # a text
        return texts

    def add(self, first: int) -> int:
        """Add the links of the open document, from number `first` on, as far as there is room. Return the number of the
        first link that was not added.
        """
        links = self.links
        if links is None:
            return first
        last = self._last(links, first)
        for kind in range(len(LINK_COLUMNS)):
            if not self.asked[kind]:
                continue
            if kind >= START:
                self._add_numbers(links, kind, first, last)
            elif kind < ELEMENT:
                self._add_same(kind, self.path if kind == PATH else self.page, last - first)
            elif kind == REFERENCE:
                self._add_references(links, first, last)
            elif kind == TARGET:
                self._add_targets(links, first, last)
            elif kind in (BASE, PROBLEM):
                self._add_known(links, kind, first, last)
            else:
                self._add_names(links, kind, first, last)
        self.count += last - first
        return last

    def take(self) -> list[TextCells | array[int]]:
        """Return the columns in the order of `names`, and remove them from the table. A column is a `TextCells`, or an
        array of `rows` numbers, of which the first `count` are set.
        """
        columns = self.columns
        self.clear()
        return list(map(columns.__getitem__, map(LINK_COLUMNS.index, self.names)))

    def _last(self, links: LinkColumns, first: int) -> int:
        """The end of the links, from number `first` on, that there is room for."""
        if self.size + self.left <= self.room and self.count + links.count - first <= self.rows:
            self.size += self.left
            self.left = 0
            return links.count
        number = first
        while number < links.count and self.count + number - first < self.rows:
            size = self._row_size(links, number)
            if self.size + size > self.room and self.count + number - first:
                break
            self.size += size
            self.left -= size
            number += 1
        return number

    def _row_size(self, links: LinkColumns, number: int) -> int:
        """The size of a row in bytes, or slightly more."""
        at = number * LINK_WIDTH
        row = links.cells[at]
        start = links.cells[at + 1]
        end = links.cells[at + 2]
        verdict = links.cells[at + 6]
        asked = self.asked
        size = self.row_size
        if row and asked[ELEMENT] and self.any_element[row]:
            size += len(links.element(links.cells[at + 3], self.heads[row][4]))
        if verdict < 0:
            kind = ELEMENT
            while kind < START:
                if asked[kind]:
                    size += _length(self.others[kind][-1 - verdict])
                kind += 1
            return size
        of_fallback = verdict >= OF_FALLBACK
        if of_fallback:
            verdict -= OF_FALLBACK
        if asked[BASE]:
            size += _length(self.bases[of_fallback])
        length = _cut(links.data, start, end) - start
        if asked[REFERENCE]:
            size += length
        if asked[TARGET]:
            size += length
            if verdict >= PREFIX:
                size += len(self.prefixes[of_fallback][(verdict - PREFIX) & NUMBER])
        return size

    def _add_same(self, kind: int, text: bytes | None, count: int) -> None:
        """Add a text of the document to `count` rows."""
        column = self.columns[kind]
        while count:
            column.add(text)
            count -= 1

    def _add_names(self, links: LinkColumns, kind: int, first: int, last: int) -> None:
        """Add names that the vocabulary gives, and the names of elements that it does not give."""
        column = self.columns[kind]
        others = self.others[kind]
        number = first
        while number < last:
            at = number * LINK_WIDTH
            row = links.cells[at]
            if not row:
                column.add(others[-1 - links.cells[at + 6]])
            elif kind == ELEMENT and self.any_element[row]:
                column.add(to_utf8(links.element(links.cells[at + 3], self.heads[row][4])))
            else:
                column.add(self.head_texts[row][kind - ELEMENT])
            number += 1

    def _add_known(self, links: LinkColumns, kind: int, first: int, last: int) -> None:
        """Add the base or the problem of each link."""
        column = self.columns[kind]
        others = self.others[kind]
        known = self.bases if kind == BASE else [None, None]
        number = first
        while number < last:
            verdict = links.cells[number * LINK_WIDTH + 6]
            column.add(known[verdict >= OF_FALLBACK] if verdict >= 0 else others[-1 - verdict])
            number += 1

    def _add_references(self, links: LinkColumns, first: int, last: int) -> None:
        column = self.columns[REFERENCE]
        others = self.others[REFERENCE]
        number = first
        while number < last:
            at = number * LINK_WIDTH
            verdict = links.cells[at + 6]
            if verdict < 0:
                column.add(others[-1 - verdict])
            else:
                self._add_plain(column, links, links.cells[at + 1], links.cells[at + 2])
            number += 1

    def _add_targets(self, links: LinkColumns, first: int, last: int) -> None:
        column = self.columns[TARGET]
        others = self.others[TARGET]
        number = first
        while number < last:
            at = number * LINK_WIDTH
            start = links.cells[at + 1]
            end = links.cells[at + 2]
            verdict = links.cells[at + 6]
            if verdict < 0:
                column.add(others[-1 - verdict])
                number += 1
                continue
            of_fallback = verdict >= OF_FALLBACK
            if of_fallback:
                verdict -= OF_FALLBACK
            if verdict == LEAVE:
                self._add_plain(column, links, start, end)
            else:
                verdict -= PREFIX
                prefix = self.prefixes[of_fallback][verdict & NUMBER]
                start += verdict >> SKIP
                if find_byte(links.data, AMPERSAND, start, end) < end:
                    column.add(prefix + links.data[start:end].replace(b"&amp;", b"&"))
                else:
                    column.add_joined(prefix, links.data, start, end)
            number += 1

    def _add_plain(self, column: TextCells, links: LinkColumns, start: int, end: int) -> None:
        """Add the plain reference data[start:end]. Its only character references are "&amp;"."""
        cut = _cut(links.data, start, end)
        if find_byte(links.data, AMPERSAND, start, cut) == cut:
            column.add_span(links.data, start, cut)
        else:
            column.add(to_utf8(cut_data_url(links.data[start:end].replace(b"&amp;", b"&").decode("ascii"))))

    def _add_numbers(self, links: LinkColumns, kind: int, first: int, last: int) -> None:
        column = ints(self.columns[kind])
        place = CELLS[kind]
        is_offset = kind not in (LINE, COLUMN)
        spans = CodePoints(links.data)
        unit = self.units() if is_offset and self.units is not None else None
        number = first
        row = self.count
        while number < last:
            value = links.cells[number * LINK_WIDTH + place]
            if is_offset and links.counts_code_points:
                value = spans.at(value)
            elif unit is not None:
                value = unit(value)
            column[row] = value
            row += 1
            number += 1


def links_size(links: LinkColumns) -> int:
    """The total length of the elements, targets and bases of links, in characters: only these outgrow a document."""
    size = 0
    bases = [len(links.base or ""), len(links.fallback or "")]
    prefixes = [links.prefixes(False), links.prefixes(True)]
    number = 0
    while number < links.count:
        at = number * LINK_WIDTH
        row = links.cells[at]
        verdict = links.cells[at + 6]
        if row and links.heads[row][0] == "*":
            size += len(links.element(links.cells[at + 3], links.heads[row][4]))
        if verdict < 0:
            link = links.others[-1 - verdict]
            size += len(link.element) + len(link.target or "") + len(link.base or "")
        else:
            of_fallback = verdict >= OF_FALLBACK
            if of_fallback:
                verdict -= OF_FALLBACK
            size += links.cells[at + 2] - links.cells[at + 1] + bases[of_fallback]
            if verdict >= PREFIX:
                size += len(prefixes[of_fallback][(verdict - PREFIX) & NUMBER])
        number += 1
    return size


def _utf_8(text: str | None) -> bytes | None:
    return None if text is None else to_utf8(text)


def _length(text: bytes | None) -> int:
    return 0 if text is None else len(text)


def _cut(data: bytes, start: int, end: int) -> int:
    """The end of the stored part of the plain reference data[start:end]."""
    if start == end or data[start] != LOWER_D or not data.startswith(DATA, start, end):
        return end
    stop = min(end, start + DATA_LONGEST)
    return min(find_byte(data, COMMA, start, stop), find_byte(data, SEMICOLON, start, stop))
