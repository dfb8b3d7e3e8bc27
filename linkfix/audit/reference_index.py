"""What an audit wants of an outline, gathered in one pass: names that fragments mean, and references by their text.

Pages repeat themselves: a reference that is written the same way means the same everywhere on the page, so that one
look serves all of its places. Only attributes that are one URL are put together; all else is left to the syntaxes.
"""

from __future__ import annotations

from collections.abc import Iterable

try:
    import cython
except ImportError:
    from linkfix.html import no_cython as cython

from linkfix.html.outline import Outline
from linkfix.html.record import Record

if not cython.compiled:
    from linkfix.html.bytesearch import find_byte, is_name, lacks_references
    from linkfix.html.constants import ANCHOR, CSS, LESS_THAN, LOCAL_URL, REFRESH, URL
    from linkfix.html.outline import IN_TEMPLATE, TEXT, WIDTH

__all__ = ["ReferenceIndex", "has_tag", "index_records"]


class ReferenceIndex:
    """The records of an outline, put in order.

    `anchors`: the raw values of names that fragments can mean. `references`: the raw value of an attribute that is one
    URL -> the numbers of the records that have it. `others`: the numbers of the records that have to be looked at one
    by one; CSS that refers to nothing is left out. None of these stand in templates, whose content is no part of the
    page; `templated`: how many attributes that are one URL do. `has_refresh`: whether a refresh is among the others.
    Without an outline (XML, a style sheet) nothing is put together.
    """

    def __init__(self, outline: Outline | None, anchors: Iterable[bytes] = (), others: Iterable[int] = ()) -> None:
        self.anchors: list[bytes] = list(anchors)
        self.references: dict[bytes, list[int]] = {}
        self.others: list[int] = list(others)
        self.templated: int = 0
        self.has_refresh: bool = False
        if outline is not None:
            self._gather(outline)

    def _gather(self, outline: Outline) -> None:
        data = outline.data
        cells = outline.cells
        kinds = outline.index.kinds
        references = self.references
        number = 0
        while number < outline.count:
            at = number * WIDTH
            kind = kinds[cells[at]]
            start = cells[at + 1]
            end = cells[at + 2]
            bits = cells[at + 4]
            if kind == ANCHOR:
                if start < end and not bits & IN_TEMPLATE:
                    self.anchors.append(data[start:end])
            elif bits & IN_TEMPLATE:
                self.templated += kind in (URL, LOCAL_URL)
            elif kind in (URL, LOCAL_URL) and not bits & TEXT:
                raw = data[start:end]
                same = references.get(raw)
                if same is None:
                    references[raw] = [number]
                else:
                    same.append(number)
            elif kind != CSS or not lacks_references(data, start, end):
                self.others.append(number)
                self.has_refresh = self.has_refresh or kind == REFRESH
            number += 1


def has_tag(data: bytes, name: bytes) -> bool:
    """Whether `<` stands before a name anywhere in data, be it a tag or not. `name`: in lower case."""
    length = len(name)
    end = len(data) - length
    at = find_byte(data, LESS_THAN, 0, end)
    while at < end:
        if is_name(data, at + 1, name, 0, length):
            return True
        at = find_byte(data, LESS_THAN, at + 1, end)
    return False


def index_records(data: bytes, records: list[Record]) -> ReferenceIndex:
    """The index of records in which no reference is plain: XML's, a style sheet's."""
    live = [(number, record) for number, record in enumerate(records) if not record.in_template]
    anchors = [data[record.start : record.end] for _, record in live if record.row.role == "anchor"]
    return ReferenceIndex(None, anchors, [number for number, record in live if record.row.role != "anchor"])
