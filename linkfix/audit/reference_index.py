"""What an audit wants of an outline, gathered in one pass: names that fragments mean, and references by their text.

Pages repeat themselves: a reference that is written the same way means the same everywhere on the page, so that one
look serves all of its places. Only attributes that are one URL are put together; all else is left to the syntaxes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

try:
    import cython
except ImportError:
    from linkfix.html import no_cython as cython

from linkfix.html.outline import Outline
from linkfix.html.record import Record

if not cython.compiled:
    from linkfix.html.bytesearch import find_byte, is_name, lacks_references
    from linkfix.html.constants import ANCHOR, CSS, LESS_THAN, LOCAL_URL, NUMBER_SIGN, REFRESH, SLASH, URL
    from linkfix.html.outline import IN_TEMPLATE, TEXT, WIDTH
    from linkfix.html.syntaxes.byte_runs import find_member


#: The bytes that a plain fragment can have, and the table of all others.
_PLAIN_IN_FRAGMENT = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:@!$*+,;=()?-"
NOT_IN_FRAGMENT = bytes([byte not in _PLAIN_IN_FRAGMENT for byte in range(256)])


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


class PlainReferenceCounts:
    """What is found about a page's references whose target is known by their text: see `linkfix.audit.plain`.

    `page`: the number of the page's file. `own`: the page's IDs. `local`: whether no BASE element decides. `before`:
    how many records can have another base than the others.

    After `count`: `checked`, how many references mean files, and of these `root_relative`, how many begin with a slash,
    and `own_fragments`, how many mean an ID of the page; `linked`: the files that they mean, but for the page;
    `wanted`: file and other fragment -> how many references have both; `external`: how many lead to other sites;
    `unchecked`: why others are not checked, and how many; `empty`: the records of empty references; `rest`: all other
    records, with raw values.
    """

    def __init__(self, page: int, own: set[bytes], local: bool, before: int) -> None:
        self.page: int = page
        self.own: set[bytes] = own
        self.local: bool = local
        self.before: int = before
        self.checked: int = 0
        self.root_relative: int = 0
        self.own_fragments: int = 0
        self.external: int = 0
        self.linked: set[int] = set()
        self.wanted: dict[tuple[int, bytes], int] = {}
        self.unchecked: list[tuple[str, int]] = []
        self.empty: list[int] = []
        self.rest: list[tuple[int, bytes]] = []

    def count(
        self,
        references: dict[bytes, list[int]],
        known: dict[bytes, int],
        unchecked: dict[bytes, str],
        file_number: Callable[[bytes], int | None],
        learn_external: Callable[[bytes], bool],
    ) -> None:
        """Count references: raw values -> records.

        `known`: path -> the number of its file, below 0 for another site; of any other path, `file_number` gives it or
        None.
        `unchecked`: raw value -> why it is not checked. `learn_external`: whether one is plainly another site's.
        """
        for raw, places in references.items():
            numbers = places
            if self.before and numbers[0] < self.before:
                numbers = self._leave_before(raw, places)
            length = len(raw)
            fragment = b""
            number = known.get(raw)
            if number is None:
                reason = unchecked.get(raw)
                if reason is not None:
                    self.unchecked.append((reason, len(numbers)))
                    continue
                mark = find_byte(raw, NUMBER_SIGN, 0, length)
                if mark:
                    path = raw[:mark]
                    number = known.get(path)
                    if number is None:
                        number = file_number(path)
                elif length and self.local:
                    number = self.page
                if number is None or not is_plain_fragment(raw, mark + 1):
                    self._count_other(raw, numbers, learn_external)
                    continue
                fragment = raw[mark + 1 :]
            if number < 0:
                self.external += len(numbers)
            else:
                self._count_file(raw, number, fragment, len(numbers))

    def _leave_before(self, raw: bytes, places: list[int]) -> list[int]:
        """Leave the records of a raw value that can have another base; returns the others."""
        others: list[int] = []
        for place in places:
            if place < self.before:
                self.rest.append((place, raw))
            else:
                others.append(place)
        return others

    def _count_other(self, raw: bytes, numbers: list[int], learn_external: Callable[[bytes], bool]) -> None:
        """Count references whose target is no file that is known by their text."""
        if not raw:
            self.empty += numbers
        elif learn_external(raw):
            self.external += len(numbers)
        else:
            for place in numbers:
                self.rest.append((place, raw))

    def _count_file(self, raw: bytes, number: int, fragment: bytes, count: int) -> None:
        """Count references that mean a file."""
        self.checked += count
        if number != self.page:
            self.linked.add(number)
        if raw[0] == SLASH:
            self.root_relative += count
        if fragment:
            if number == self.page and fragment in self.own:
                self.own_fragments += count
            else:
                key = (number, fragment)
                self.wanted[key] = self.wanted.get(key, 0) + count


def is_plain_fragment(raw: bytes, start: int) -> bool:
    """Whether raw[start:] is a fragment that the URL parser leaves as it is, and that has no directive."""
    return find_member(raw, start, len(raw), NOT_IN_FRAGMENT) >= len(raw)


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
