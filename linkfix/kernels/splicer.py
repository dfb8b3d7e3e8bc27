"""Splice edits into bytes; unedited bytes are copied."""

from __future__ import annotations

import re
from collections.abc import Callable

try:
    import cython
except ImportError:
    from linkfix.kernels import no_cython as cython

from linkfix.kernels.byte_spans import ByteSpans
from linkfix.kernels.edits import Edits
from linkfix.kernels.outline import Outline, Record
from linkfix.kernels.plain import PlainReferences

if not cython.compiled:
    from linkfix.kernels.bytesearch import find_byte, lacks_references
    from linkfix.kernels.constants import (
        AMPERSAND,
        CSS,
        LESS_THAN,
        LOCAL_URL,
        NUMBER_SIGN,
        REFRESH,
        SPACE_CHARACTER,
        SRCSET,
        URL,
    )
    from linkfix.kernels.outline import FOREIGN, TEXT, WIDTH
    from linkfix.kernels.plain import DOCUMENT, LEAVE, NUMBER, PAGE, PREFIX, RESOLVE


#: An edit: replace data[start:end] with the bytes.
Edit = tuple[int, int, bytes]

#: The characters of a base that need escapes somewhere in a value with several URLs.
SPECIAL = re.compile(rb"[\x00-\x20\"&'()<>\\\x7f]")


class Splicer:
    """Rewrites the references of a document: plain references in place, all others by the edits of `resolve(number)`.

    `plain`, `text_plain`: the plain references of attribute values and of text; None if every record must go to
    `resolve`. `values`: finds the URLs of a value that can have several. `before_base`: the number of records before
    BASE, which must go to `resolve`. `keeps`: function that returns whether a reference with this target stays; None
    if no such reference stays. After `run()`, `seen` and `rewritten` count the plain references.
    """

    def __init__(
        self,
        data: bytes,
        plain: PlainReferences | None,
        text_plain: PlainReferences | None,
        values: ByteSpans,
        resolve: Callable[[int], list[Edit]],
        before_base: int,
        keeps: Callable[[str], bool] | None = None,
    ) -> None:
        self.data: bytes = data
        self.plain: PlainReferences | None = plain
        self.text_plain: PlainReferences | None = text_plain
        self.values: ByteSpans = values
        self.resolve: Callable[[int], list[Edit]] = resolve
        self.before_base: int = before_base
        self.keeps: Callable[[str], bool] | None = keeps
        self.edits: Edits = Edits(data)
        self.text_shift: int = 0
        self.reads_values: bool = False
        if self.plain is not None and self.text_plain is not None:
            self.edits.add_texts(self.plain.texts)
            self.text_shift = self.edits.add_texts(self.text_plain.texts)
            self.reads_values = SPECIAL.search(self.plain.texts[PAGE]) is None
        self.seen: int = 0
        self.rewritten: int = 0

    def run(self, outline: Outline) -> None:
        """Find the edits of an outline's document. The outline is not needed afterwards."""
        data = self.data
        self.edits.reserve(outline.count)  # most records with edits have exactly one
        cells = outline.cells
        kinds = outline.index.kinds
        plain = self.plain
        number = 0
        while number < self.before_base:
            self._write_others(number)
            number += 1
        while number < outline.count:
            at = number * WIDTH
            kind = kinds[cells[at]]
            start = cells[at + 1]
            end = cells[at + 2]
            verdict = RESOLVE
            if kind == CSS and lacks_references(data, start, end):
                verdict = LEAVE
            elif kind in (CSS, SRCSET, REFRESH):
                if self.reads_values and self._write_several(kind, start, end, cells[at + 4]):
                    verdict = LEAVE
            elif plain is not None and (kind == URL or kind == LOCAL_URL) and not cells[at + 4] & TEXT:  # noqa: PLR1714, SIM109
                verdict = self._write_url(plain, kind, start, end)
            if verdict == RESOLVE:
                self._write_others(number)
            number += 1

    def apply(self) -> bytes:
        """The edited bytes; the same object if nothing changes."""
        return self.edits.apply()

    def _write_url(self, plain: PlainReferences, kind: int, start: int, end: int) -> int:
        """Write the reference that is the whole value data[start:end], if it is plain; see `PlainReferences.write`."""
        data = self.data
        # The URL parser strips these, except NUL, which becomes U+FFFD in a value (HTML §13.2.5.36).
        while start < end and 0 < data[start] <= SPACE_CHARACTER:
            start += 1
        while start < end and 0 < data[end - 1] <= SPACE_CHARACTER:
            end -= 1
        if start == end:
            verdict = RESOLVE if plain.fragments else LEAVE
        elif kind == LOCAL_URL and data[start] == NUMBER_SIGN:
            verdict = LEAVE
        else:
            verdict = self._write_unless_kept(plain, start, end)
        if verdict != RESOLVE:
            self.seen += 1
            if verdict >= PREFIX:
                self.rewritten += 1
        return verdict

    def _write_several(self, kind: int, start: int, end: int, bits: int) -> bool:
        """Write the references in data[start:end], a value that can have several. Return False if any is not plain."""
        data = self.data
        edits = self.edits
        plain = self.text_plain if bits & TEXT else self.plain
        if plain is None:
            return False
        if bits & FOREIGN and (
            find_byte(data, AMPERSAND, start, end) < end or find_byte(data, LESS_THAN, start, end) < end
        ):
            return False
        count = self.values.find(kind, data, start, end, bits & TEXT != 0)
        spans = self.values.spans
        before = edits.count
        rewritten = 0
        verdict = RESOLVE if count < 0 else LEAVE
        edits.shift = self.text_shift if bits & TEXT else 0
        at = 0
        while at < 2 * count and verdict != RESOLVE:
            verdict = self._write_one(plain, kind, spans[at], spans[at + 1])
            if verdict >= PREFIX:
                rewritten += 1
            at += 2
        edits.shift = 0
        if verdict == RESOLVE:
            edits.count = before
            return False
        self.seen += count
        self.rewritten += rewritten
        return True

    def _write_one(self, plain: PlainReferences, kind: int, start: int, end: int) -> int:
        """Write one of several references in a value, if it is plain; see `PlainReferences.write`."""
        data = self.data
        if kind == CSS and (start == end or data[start] == NUMBER_SIGN):
            return LEAVE  # local
        if start == end:
            return RESOLVE
        if data.startswith(b"data:", start, end):
            return LEAVE
        if data[end - 1] <= SPACE_CHARACTER:
            return RESOLVE  # the URL parser strips it
        verdict = self._write_unless_kept(plain, start, end)
        if verdict >= PREFIX and (verdict - PREFIX) & NUMBER == DOCUMENT:
            return RESOLVE  # the base's query has not been checked
        return verdict

    def _write_unless_kept(self, plain: PlainReferences, start: int, end: int) -> int:
        """Write the reference data[start:end], unless it stays; see `PlainReferences.write`."""
        before = self.edits.count
        verdict = plain.write(self.data, start, end, self.edits)
        text_plain = self.text_plain
        is_fragment = verdict >= PREFIX and (verdict - PREFIX) & NUMBER == DOCUMENT
        if self.keeps is None or verdict < PREFIX or is_fragment or text_plain is None:
            return verdict
        # Without "&", the raw reference is its own text.
        has_ampersand = find_byte(self.data, AMPERSAND, start, end) < end
        target = None if has_ampersand else text_plain.target(self.data[start:end])
        if target is None:
            verdict = RESOLVE
        elif self.keeps(target.decode()):
            verdict = LEAVE
        if verdict < PREFIX:
            self.edits.count = before
        return verdict

    def _write_others(self, number: int) -> None:
        """Add the edits of a record whose references are not plain."""
        edits = self.edits
        for start, end, text in self.resolve(number):
            edits.push_text(start, end, text)


def keep_nonempty(record: Record, edits: list[Edit]) -> list[Edit]:
    """The edits of an unquoted value. It must not become empty: the next attribute would be read as the value."""
    left = record.end - record.start
    for start, end, text in edits:
        if text:
            return edits
        left -= end - start
    return edits if left or not edits else [(record.start, record.end, b'""')]


def splice(data: bytes, edits: list[Edit]) -> bytes:
    """Return `data` with the edits, which are in order and disjoint."""
    if not edits:
        return data
    found = Edits(data)
    for start, end, text in edits:
        found.push_text(start, end, text)
    return found.apply()
