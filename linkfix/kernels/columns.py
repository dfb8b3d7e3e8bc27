"""The links of a document as columns of numbers, and their conversion to `Link`s.

Most links are an attribute's value that is one plain reference. Its offsets, its row of the vocabulary and the prefix
of its target describe it completely. Other links are decided one by one (`linkfix.document.document`); if the value is
one URL, once per text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

try:
    import cython
except ImportError:
    from linkfix.kernels import no_cython as cython

from linkfix.encodings.character_references import decode
from linkfix.kernels.byte_spans import ByteSpans
from linkfix.kernels.outline import Outline
from linkfix.kernels.plain import PlainReferences
from linkfix.kernels.positions import CodePoints, Positions
from linkfix.kernels.visitor import PlainPair, RecordVisitor
from linkfix.model import Link

if not cython.compiled:
    from linkfix.kernels.bytesearch import find_byte
    from linkfix.kernels.constants import AMPERSAND, LOCAL_URL, NUMBER_SIGN, SPACE_CHARACTER
    from linkfix.kernels.memory import ascii_text, grown_longs, longs, new_link, new_longs, prefixed_text
    from linkfix.kernels.outline import TEXT
    from linkfix.kernels.plain import DOCUMENT, LEAVE, NUMBER, PREFIX, RESOLVE, SKIP
    from linkfix.kernels.tokenizer import CLASS, ENDS_TAG_NAME

if TYPE_CHECKING:
    from array import array


#: The numbers of a link: the vocabulary's row, start and end of the reference, start of its tag, line, column, and
#: verdict. The verdict gives the target. LEAVE: the target is the reference itself. From PREFIX on: a verdict of
#: `PlainReferences.classify`, plus OF_FALLBACK if it is against the fallback base. -1 - n: the link `others[n]` has the
#: target. In row 0, that link has all fields.
LINK_WIDTH = 7
OF_FALLBACK = 1 << 40
#: The first byte of "http".
LOWER_H = 0x68
#: The character that stands for errors of the encoding.
REPLACEMENT = "\ufffd"
#: Longer values are not remembered, in bytes.
LONGEST = 1024


class PlainLinks(NamedTuple):
    """The targets of a document's plain references."""

    base: str
    """The document's base URL."""
    values: PlainReferences
    """The plain references to the base as raw attribute values, including those that are only a fragment."""
    texts: PlainReferences
    """The plain references as text, with the prefixes of targets."""
    local_is_plain: bool
    """Whether fragments that always mean their own document have the same target as against the base."""


def _pair(plain: PlainLinks | None) -> PlainPair:
    return (None, None) if plain is None else (plain.values, plain.texts)


class LinkColumns(RecordVisitor):
    """The links of a document, in document order: `cells[i * LINK_WIDTH:]` for i in range(count). Offsets are in bytes.

    `others`: links that numbers cannot describe, or that share their texts with other links.
    """

    def __init__(
        self,
        data: bytes,
        positions: Positions | None,
        element_at: Callable[[int, str], str],
        note: Callable[[str, int, str], None],
        links_of: Callable[[int], list[Link]],
        decide_url: Callable[[int, int, bytes], Link],
        decide_part: Callable[[int, int, bytes], Link],
        counts_code_points: bool,
        room: int,
        decode_value: Callable[[bytes], str],
        encode: Callable[[bytes, bool], bytes | None],
    ) -> None:
        """`positions`: converts offsets to lines and columns; None if they are not needed. `element_at`: returns the
        name of the element at the offset of its tag, in a namespace. `note`: receives the problem, the offset and the
        text of a reference that was decided before. `links_of`: returns the links of a record. `decide_url`: returns
        the link of a record whose value is one URL, without line and column. It receives the record, the start of the
        value, and its bytes. `decide_part`: the same for a URL in ASCII that is one of several. All three note
        problems. `counts_code_points`: `data` is a text in UTF-8, and the offsets of its `Link`s count code points.
        `room`: the maximum total length of the targets made here, in characters; other links are decided one by one.
        `decode_value`: returns the text of bytes of `data`. `encode`: see `Decider.percent_encoder`, for UTF-8.
        """
        super().__init__(data)
        self.positions: Positions | None = positions
        self.element_at = element_at
        self.note = note
        self.links_of = links_of
        self.decide_url = decide_url
        self.decide_part = decide_part
        self.counts_code_points: bool = counts_code_points
        self.room: int = room
        self.decode_value = decode_value
        self.encode = encode
        self.count: int = 0
        self.capacity: int = 0
        self.memory: array[int] = new_longs(1)
        self.cells: array[int] = longs(self.memory)
        self.others: list[Link] = []
        #: Row and value -> index in `others`, and start and end of the reference within the value.
        self.memo: dict[tuple[int, bytes], tuple[int, int, int]] = {}
        self.heads: list[tuple[str, str, str, str, str]] = []
        self.base: str | None = None
        self.fallback: str | None = None
        self.local_is_plain: bool = False
        self.links_of_base: PlainLinks | None = None
        self.links_of_fallback: PlainLinks | None = None
        self.names: dict[tuple[str, bytes], str] = {}
        self.named_at: int = -1
        self.named: str = ""

    def add(self, link: Link) -> None:
        """Add a link; its offsets are in bytes."""
        self.others.append(link)
        self._put(0, link.start, link.end, link.tag_start, link.line, link.column, -len(self.others))

    def gather(
        self,
        outline: Outline,
        several: ByteSpans,
        of_base: PlainLinks | None,
        of_fallback: PlainLinks | None,
        before_base: int,
        is_parsed_before_base: Callable[[int], bool],
    ) -> None:
        """Add the links of an outline of the same data.

        `of_base`, `of_fallback`: the plain references; None if no reference is plain. For the rest see `RecordVisitor`.
        """
        self.links_of_base = of_base
        self.links_of_fallback = of_fallback
        self.read_plain(several, _pair(of_base), _pair(of_fallback), before_base, is_parsed_before_base)
        self.fallback = None if of_fallback is None else of_fallback.base
        self.heads = outline.index.heads
        self._reserve(outline.count)
        self.visit(outline, 0)

    def use(self, fallback: bool) -> None:
        """Use the plain references to the fallback base, or to the document's base."""
        RecordVisitor.use(self, fallback)
        plain = self.links_of_fallback if fallback else self.links_of_base
        self.base = None if plain is None else plain.base
        self.local_is_plain = plain is not None and plain.local_is_plain

    def on_base(self, start: int, end: int) -> None:
        """Add the link of a BASE element's href."""
        self.on_url(start, end)

    def on_url(self, start: int, end: int) -> None:
        """Add the link of an attribute's value that is one URL."""
        data = self.data
        # The URL parser strips these, except NUL, which becomes U+FFFD in a value (HTML §13.2.5.36).
        first = start
        last = end
        while start < end and 0 < data[start] <= SPACE_CHARACTER:
            start += 1
        while start < end and 0 < data[end - 1] <= SPACE_CHARACTER:
            end -= 1
        if start == end:
            start = first
            end = last
        self.choose_base()
        is_local = not self.local_is_plain and self.kind == LOCAL_URL and start < end and data[start] == NUMBER_SIGN
        verdict = RESOLVE
        if start == end:
            if self.values is not None and self.heads[self.row][3] == "hyperlink":
                verdict = PREFIX + DOCUMENT  # an empty hyperlink's target is the base, without its fragment
        elif not is_local:
            verdict = self._verdict(self.values, start, end)
        if verdict != RESOLVE:
            self._push(start, end, verdict)
        else:
            value = data[start:end]
            if is_local or not self._remember_edited(start, value):
                value = data[first:last]  # character references may be stripped, too
                self._remember(first, value, self.decide_url)

    def on_several(self, start: int, end: int) -> bool:
        """Add the links of a value that can have several URLs. Return False and add nothing if bytes do not suffice."""
        self.choose_base()
        before = self.count
        if self.read_parts(start, end):
            return True
        self.count = before
        return False

    def on_part(self, start: int, end: int) -> bool:
        """Add the link of one of several URLs in a value."""
        data = self.data
        is_text = self.bits & TEXT
        has_ampersand = find_byte(data, AMPERSAND, start, end) < end
        stands_for_itself = is_text and has_ampersand and data.find(b"&amp;", start, end) >= 0
        verdict = RESOLVE
        is_local = start < end and data[start] == NUMBER_SIGN and not self.local_is_plain
        is_plain = start < end and data[end - 1] > SPACE_CHARACTER and not stands_for_itself
        if is_plain and not is_local:
            verdict = self._verdict(self.texts if is_text else self.values, start, end)
        if verdict != RESOLVE:
            self._push(start, end, verdict)
            return True
        value = data[start:end]
        if not value.isascii() or b"\0" in value:
            return False
        self._remember(start, value, self.decide_part)
        return True

    def on_other(self) -> None:
        """Add the links of a record that is decided as a whole."""
        for link in self.links_of(self.number):
            self.add(link)

    def _remember(self, start: int, value: bytes, decide: Callable[[int, int, bytes], Link]) -> None:
        """Add a link that is one URL and not plain: a record's value at `start`, or a part of it."""
        key = (self.row, value)
        is_remembered = len(value) <= LONGEST and not self.has_fallback
        known = self.memo.get(key) if is_remembered else None
        if known is None:
            link = decide(self.number, start, value)
            known = (len(self.others), link.start - start, link.end - start)
            if is_remembered:
                self.memo[key] = known
            self.others.append(link)
        else:
            link = self.others[known[0]]
            if link.problem is not None:
                self.note(link.problem, start + known[1], link.reference)
        other, before, length = known
        self._push(start + before, start + length, -1 - other)

    def _remember_edited(self, start: int, value: bytes) -> bool:
        """Add the link of an attribute's value that is plain once it is decoded, except for single bytes, which are
        edited. Return False for any other value, and for a value that is known.
        """
        texts = self.texts
        if texts is None or self.room < 0:
            return False
        is_remembered = len(value) <= LONGEST and not self.has_fallback
        if is_remembered and (self.row, value) in self.memo:
            return False
        reference = value.decode("ascii") if value.isascii() else self.decode_value(value)
        if find_byte(value, AMPERSAND, 0, len(value)) < len(value):
            reference = decode(reference).text
        is_local = self.kind == LOCAL_URL and not self.local_is_plain and reference.startswith("#")
        target = None if is_local or REPLACEMENT in reference else texts.target(reference.encode(), self.encode)
        if target is None:
            return False
        self.room -= len(target)
        head = self.heads[self.row]
        end = start + len(value)
        tag_start = self.tag_start
        url = target.decode("ascii")
        if is_remembered:
            self.memo[self.row, value] = (len(self.others), 0, len(value))
        self.others.append(new_link(Link, head[0], head, reference, url, self.base, start, end, 0, 0, None, tag_start))
        self._push(start, end, -len(self.others))
        return True

    def _verdict(self, plain: PlainReferences | None, start: int, end: int) -> int:
        """The verdict on a reference, which is not empty: LEAVE, from PREFIX on, or RESOLVE if it is not plain."""
        data = self.data
        if plain is None:
            return RESOLVE
        if data[start] == LOWER_H and plain.is_serialized_http(data, start, end, None):
            return LEAVE  # most links to other sites
        verdict = plain.classify(data, start, end, None)
        if verdict == LEAVE and not plain.is_serialized(data, start, end, None):
            return RESOLVE
        return verdict

    def _push(self, start: int, end: int, verdict: int) -> None:
        """Add a link of the record that is visited."""
        positions = self.positions
        line = column = 0
        if positions is not None:
            positions.move_to(start)
            line = positions.line
            column = positions.column
        if self.has_fallback and verdict > RESOLVE:
            verdict += OF_FALLBACK
        self._put(self.row, start, end, self.tag_start, line, column, verdict)

    def _put(self, row: int, start: int, end: int, tag_start: int, line: int, column: int, verdict: int) -> None:
        if self.count == self.capacity:
            self._reserve(self.capacity + 64)
        at = self.count * LINK_WIDTH
        self.cells[at] = row
        self.cells[at + 1] = start
        self.cells[at + 2] = end
        self.cells[at + 3] = tag_start
        self.cells[at + 4] = line
        self.cells[at + 5] = column
        self.cells[at + 6] = verdict
        self.count += 1

    def _reserve(self, more: int) -> None:
        """Reserve memory for more links."""
        self.capacity = self.count + more
        self.memory = grown_longs(self.memory, LINK_WIDTH * self.capacity)
        self.cells = longs(self.memory)

    def prefixes(self, fallback: bool) -> list[bytes]:
        """The prefixes of plain references to the fallback base, or to the document's base, by number."""
        texts = (self.of_fallback if fallback else self.of_base)[1]
        return [] if texts is None else texts.texts

    def links(self) -> list[Link]:
        """The links as objects."""
        cells = self.cells
        spans = CodePoints(self.data)
        tags = CodePoints(self.data)
        bases = [self.base, self.fallback]
        prefixes = [list(map(bytes.decode, self.prefixes(False))), list(map(bytes.decode, self.prefixes(True)))]
        head: tuple[str, ...]
        made: list[Link] = []
        last_line = 0
        line = 0
        number = 0
        while number < self.count:
            at = number * LINK_WIDTH
            row = cells[at]
            start = cells[at + 1]
            end = cells[at + 2]
            tag_start = cells[at + 3]
            verdict = cells[at + 6]
            problem = None
            if verdict < 0:
                link = self.others[-1 - verdict]
                if not row:
                    head = link[:4]
                reference = link.reference
                target = link.target
                base = link.base
                problem = link.problem
            else:
                of_fallback = verdict >= OF_FALLBACK
                if of_fallback:
                    verdict -= OF_FALLBACK
                base = bases[of_fallback]
                reference = self._reference(start, end)
                target = self._target(prefixes[of_fallback], reference, start, end, verdict)
            if row:
                head = self.heads[row]
            element = head[0]
            if element == "*":
                element = self.element(tag_start, head[4])
            if cells[at + 4] != last_line:
                last_line = cells[at + 4]
                line = last_line  # one object for all links of the line
            if self.counts_code_points:
                start = spans.at(start)
                end = spans.at(end)
                tag_start = tags.at(tag_start)
            column = cells[at + 5]
            made.append(
                new_link(Link, element, head, reference, target, base, start, end, line, column, problem, tag_start)
            )
            number += 1
        return made

    def _target(self, prefixes: list[str], reference: str, start: int, end: int, verdict: int) -> str:
        """The target of the plain reference data[start:end]."""
        if verdict == LEAVE:
            return reference
        verdict -= PREFIX
        prefix = prefixes[verdict & NUMBER]
        if len(reference) == end - start:
            return prefixed_text(prefix, self.data, start + (verdict >> SKIP), end)
        return prefix + reference[verdict >> SKIP :]  # it has character references

    def _reference(self, start: int, end: int) -> str:
        """The plain reference data[start:end], decoded. Its only character references are "&amp;"."""
        data = self.data
        text = ascii_text(data, start, end)
        return text.replace("&amp;", "&") if find_byte(data, AMPERSAND, start, end) < end else text

    def element(self, tag_start: int, namespace: str) -> str:
        """The name of the element at `tag_start`, in a namespace."""
        if tag_start == self.named_at:  # a long name is read once per tag
            return self.named
        data = self.data
        end = tag_start + 1
        while not CLASS[data[end]] & ENDS_TAG_NAME:
            end += 1
        name = data[tag_start + 1 : end]
        element = self.names.get((namespace, name))
        if element is None:
            element = self.names[namespace, name] = self.element_at(tag_start, namespace)
        self.named_at = tag_start
        self.named = element
        return element
