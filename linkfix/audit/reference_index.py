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

from linkfix.html.outline import Outline, Record

if not cython.compiled:
    from linkfix.html.bytesearch import lacks_references
    from linkfix.html.outline import ANCHOR, CSS, IN_TEMPLATE, LOCAL_URL, TEXT, URL, WIDTH

__all__ = ["ReferenceIndex", "index_records"]


class ReferenceIndex:
    """The records of an outline, put in order.

    `anchors`: the raw values of names that fragments can mean. `references`: the raw value of an attribute that is one
    URL -> the numbers of the records that have it. `others`: the numbers of the records that have to be looked at one
    by one; CSS that refers to nothing is left out. None of these stand in templates, whose content is no part of the
    page; `templated`: how many attributes that are one URL do. Without an outline (XML, a style sheet) nothing is put
    together.
    """

    def __init__(self, outline: Outline | None, anchors: Iterable[bytes] = (), others: Iterable[int] = ()) -> None:
        self.anchors: list[bytes] = list(anchors)
        self.references: dict[bytes, list[int]] = {}
        self.others: list[int] = list(others)
        self.templated: int = 0
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
            number += 1


def index_records(data: bytes, records: list[Record]) -> ReferenceIndex:
    """The index of records in which no reference is plain: XML's, a style sheet's."""
    live = [(number, record) for number, record in enumerate(records) if not record.in_template]
    anchors = [data[record.start : record.end] for _, record in live if record.row.role == "anchor"]
    return ReferenceIndex(None, anchors, [number for number, record in live if record.row.role != "anchor"])
