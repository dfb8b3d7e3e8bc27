"""The index of an outline for an audit: names that fragments can refer to, and references by their text.

The index is made in one pass. A reference that is written the same way means the same everywhere on a page. Pages
repeat references, so that one check serves several places. Only attributes whose value is one URL are grouped; the
syntaxes handle all others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

try:
    import cython
except ImportError:
    from linkfix.kernels import no_cython as cython

from linkfix.kernels.outline import Outline, Record
from linkfix.kernels.visitor import RecordVisitor

if not cython.compiled:
    from linkfix.kernels.bytesearch import find_byte, find_member, is_name
    from linkfix.kernels.constants import LESS_THAN, NUMBER_SIGN, REFRESH, SLASH
    from linkfix.kernels.outline import IN_TEMPLATE


#: The bytes that a plain fragment can contain, and the table of all other bytes.
_PLAIN_IN_FRAGMENT = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:@!$*+,;=()?-"
NOT_IN_FRAGMENT = bytes([byte not in _PLAIN_IN_FRAGMENT for byte in range(256)])


class ReferenceIndex(RecordVisitor):
    """The records of an outline, grouped for the audit.

    `anchors`: the raw values of names that fragments can refer to.

    `references`: raw value of an attribute that is one URL -> the numbers of the records with this value.

    `others`: the numbers of the records to check one by one, without CSS that contains no reference.

    `templated`: the number of attributes in templates that are one URL. The content of templates is no part of the
    page, so none of the other fields includes it.

    `has_refresh`: whether a refresh is among `others`.

    Without an outline (XML, a style sheet) nothing is grouped.
    """

    def __init__(self, outline: Outline | None, anchors: Iterable[bytes] = (), others: Iterable[int] = ()) -> None:
        super().__init__(b"" if outline is None else outline.data)
        self.anchors: list[bytes] = list(anchors)
        self.references: dict[bytes, list[int]] = {}
        self.others: list[int] = list(others)
        self.templated: int = 0
        self.has_refresh: bool = False
        if outline is not None:
            self.visit(outline, 0)

    def on_url(self, start: int, end: int) -> None:
        """Group a record by its raw value."""
        raw = self.data[start:end]
        same = self.references.get(raw)
        if self.bits & IN_TEMPLATE:
            self.templated += 1
        elif same is None:
            self.references[raw] = [self.number]
        else:
            same.append(self.number)

    def on_anchor(self, start: int, end: int) -> None:
        """Add a name."""
        if start < end and not self.bits & IN_TEMPLATE:
            self.anchors.append(self.data[start:end])

    def on_other(self) -> None:
        """Add a record to check by itself."""
        if not self.bits & IN_TEMPLATE:
            self.others.append(self.number)
            self.has_refresh = self.has_refresh or self.kind == REFRESH


class PlainReferenceCounts:
    """The results about a page's references whose target is known by their text: see `linkfix.auditing.reader`.

    `page`: the number of the page's file. `own`: the page's IDs. `local`: whether no BASE element sets the base.

    `before`: the number of records, from the first, that can have another base than the rest.

    The other fields are set by `count`:

    `checked`: the number of references that lead to files. `root_relative`: the number of these that begin with a
    slash. `own_fragments`: the number of these whose fragment is an ID of the page.

    `linked`: the numbers of the files that they lead to, without the page itself.

    `wanted`: number of the file and fragment -> the number of references with both, without `own_fragments`.

    `external`: the number of references to other sites. `unchecked`: reasons for not checking, each with a number of
    references.

    `empty`: the records of empty references. `rest`: all other records, with their raw values.
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
        """Count references.

        `references`: raw value -> numbers of records. `known`: path -> number of its file, below 0 for another site.

        `file_number`: a function that returns the file number of a path that is not in `known`, or None.

        `unchecked`: raw value -> the reason that it is not checked.

        `learn_external`: a function that returns whether a raw value is plainly a reference to another site.
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
        """Move the records of a raw value that can have another base to `rest`; return the other records."""
        others: list[int] = []
        for place in places:
            if place < self.before:
                self.rest.append((place, raw))
            else:
                others.append(place)
        return others

    def _count_other(self, raw: bytes, numbers: list[int], learn_external: Callable[[bytes], bool]) -> None:
        """Count references whose text does not identify a file."""
        if not raw:
            self.empty += numbers
        elif learn_external(raw):
            self.external += len(numbers)
        else:
            for place in numbers:
                self.rest.append((place, raw))

    def _count_file(self, raw: bytes, number: int, fragment: bytes, count: int) -> None:
        """Count references that lead to a file."""
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
    """Whether raw[start:] is a fragment that the URL parser does not change, and that has no directive."""
    return find_member(raw, start, len(raw), NOT_IN_FRAGMENT) >= len(raw)


def has_tag(data: bytes, name: bytes) -> bool:
    """Whether `<` is directly before a name anywhere in data, in a tag or not. `name`: in lower case."""
    length = len(name)
    end = len(data) - length
    at = find_byte(data, LESS_THAN, 0, end)
    while at < end:
        if is_name(data, at + 1, name, 0, length):
            return True
        at = find_byte(data, LESS_THAN, at + 1, end)
    return False


def index_records(data: bytes, records: list[Record]) -> ReferenceIndex:
    """The index of records without plain references: the records of XML or of a style sheet."""
    live = [(number, record) for number, record in enumerate(records) if not record.in_template]
    anchors = [data[record.start : record.end] for _, record in live if record.row.role == "anchor"]
    return ReferenceIndex(None, anchors, [number for number, record in live if record.row.role != "anchor"])
