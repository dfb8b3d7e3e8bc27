"""Splice edits into bytes; unedited bytes are copied."""

from __future__ import annotations

import re
from collections.abc import Callable

try:
    import cython
except ImportError:
    from linkfix.kernels import no_cython as cython

from linkfix.encodings.character_references import decode
from linkfix.kernels.byte_spans import ByteSpans
from linkfix.kernels.edits import Edits
from linkfix.kernels.outline import Outline, Record
from linkfix.kernels.plain import PlainReferences
from linkfix.kernels.visitor import RecordVisitor

if not cython.compiled:
    from linkfix.kernels.bytesearch import find_byte
    from linkfix.kernels.constants import AMPERSAND, CSS, LOCAL_URL, NUMBER_SIGN, SPACE_CHARACTER
    from linkfix.kernels.outline import TEXT
    from linkfix.kernels.plain import DOCUMENT, LEAVE, NUMBER, PAGE, PREFIX, RESOLVE, needs_no_path


#: An edit: replace data[start:end] with the bytes.
Edit = tuple[int, int, bytes]

#: The characters of a base that need escapes somewhere in a value with several URLs.
SPECIAL = re.compile(rb"[\x00-\x20\"&'()<>\\\x7f]")


class Splicer(RecordVisitor):
    """Rewrites the references of a document: plain references in place, all others by the edits of `resolve(number)`.

    Without plain references, every record goes to `resolve`. `keeps`: function that returns whether a reference with
    this target stays; None if no such reference stays. `writes_empty`: whether an empty reference can change.
    `is_utf_8`: whether `data` is in UTF-8. After `run`, `seen` and `rewritten` count the plain ones.
    """

    def __init__(
        self,
        data: bytes,
        values: PlainReferences | None,
        texts: PlainReferences | None,
        several: ByteSpans,
        resolve: Callable[[int], list[Edit]],
        keeps: Callable[[str], bool] | None = None,
        writes_empty: bool = True,
        is_utf_8: bool = False,
    ) -> None:
        super().__init__(data, values, texts, several)
        self.resolve: Callable[[int], list[Edit]] = resolve
        self.keeps: Callable[[str], bool] | None = keeps
        self.writes_empty: bool = writes_empty
        self.is_utf_8: bool = is_utf_8
        self.shares_root: bool = False
        self.edits: Edits = Edits(data)
        self.text_shift: int = 0
        self.reads_values: bool = False
        if self.values is not None and self.texts is not None:
            self.edits.add_texts(self.values.texts)
            self.text_shift = self.edits.add_texts(self.texts.texts)
            self.reads_values = SPECIAL.search(self.values.texts[PAGE]) is None
        self.seen: int = 0
        self.rewritten: int = 0

    def run(self, outline: Outline, before_base: int, shares_root: bool) -> None:
        """Find the edits of an outline's document. The outline is not needed afterwards.

        `before_base`: the number of records that may have another base. `shares_root`: the two bases have the same
        scheme and host.
        """
        self.edits.reserve(outline.count)  # most records with edits have exactly one
        self.before_base = before_base
        self.shares_root = shares_root
        self.visit(outline, 0)

    def apply(self) -> bytes:
        """The edited bytes; the same object if nothing changes."""
        return self.edits.apply()

    def on_url(self, start: int, end: int) -> None:
        """Write the reference that is a whole value."""
        data = self.data
        plain = self.values
        # The URL parser strips these, except NUL, which becomes U+FFFD in a value (HTML §13.2.5.36).
        while start < end and 0 < data[start] <= SPACE_CHARACTER:
            start += 1
        while start < end and 0 < data[end - 1] <= SPACE_CHARACTER:
            end -= 1
        verdict = RESOLVE
        if plain is not None:
            if start == end:
                verdict = RESOLVE if self.writes_empty else LEAVE
            elif self.number < self.before_base and not needs_no_path(data, start, end, self.shares_root):
                pass
            elif self.kind == LOCAL_URL and data[start] == NUMBER_SIGN:
                verdict = LEAVE
            else:
                verdict = self._write_unless_kept(plain, start, end)
                if verdict == RESOLVE and self.is_utf_8 and plain.leaves_utf_8(data, start, end):
                    verdict = LEAVE
        if not self._count(verdict):
            self.on_other()

    def on_several(self, start: int, end: int) -> bool:
        """Write the references in a value that can have several. Return False if any is not plain."""
        if not self.reads_values:
            return False
        edits = self.edits
        before = edits.count
        seen = self.seen
        rewritten = self.rewritten
        edits.shift = self.text_shift if self.bits & TEXT else 0
        are_plain = self.read_parts(start, end)
        edits.shift = 0
        if not are_plain:
            edits.count = before
            self.seen = seen
            self.rewritten = rewritten
        return are_plain

    def on_part(self, start: int, end: int) -> bool:
        """Write one of several references in a value, if it is plain."""
        data = self.data
        plain = self.texts if self.bits & TEXT else self.values
        verdict = RESOLVE
        if self.kind == CSS and (start == end or data[start] == NUMBER_SIGN):
            verdict = LEAVE  # local
        elif start < end and data.startswith(b"data:", start, end):
            verdict = LEAVE
        elif start < end and data[end - 1] > SPACE_CHARACTER and plain is not None:  # the URL parser strips spaces
            verdict = self._write_unless_kept(plain, start, end)
            if verdict >= PREFIX and (verdict - PREFIX) & NUMBER == DOCUMENT:
                verdict = RESOLVE  # the base's query has not been checked
        return self._count(verdict)

    def _write_unless_kept(self, plain: PlainReferences, start: int, end: int) -> int:
        """Write a reference, unless it stays; see `PlainReferences.write`."""
        before = self.edits.count
        verdict = plain.write(self.data, start, end, self.edits)
        texts = self.texts
        is_fragment = verdict >= PREFIX and (verdict - PREFIX) & NUMBER == DOCUMENT
        if self.keeps is None or verdict < PREFIX or is_fragment or texts is None:
            return verdict
        text = self.data[start:end]
        if not self.bits & TEXT and find_byte(self.data, AMPERSAND, start, end) < end:
            text = decode(text.decode("ascii")).text.encode()
        target = texts.target(text)
        if target is None:
            verdict = RESOLVE
        elif self.keeps(target.decode()):
            verdict = LEAVE
        if verdict < PREFIX:
            self.edits.count = before
        return verdict

    def on_other(self) -> None:
        """Add the edits of a record whose references are not plain."""
        edits = self.edits
        for start, end, text in self.resolve(self.number):
            edits.push_text(start, end, text)

    def _count(self, verdict: int) -> bool:
        """Count a plain reference with the verdict of `PlainReferences.write`. Return False for any other."""
        if verdict == RESOLVE:
            return False
        self.seen += 1
        if verdict >= PREFIX:
            self.rewritten += 1
        return True


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
