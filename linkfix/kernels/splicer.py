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
from linkfix.kernels.visitor import PlainPair, RecordVisitor

if not cython.compiled:
    from linkfix.kernels.bytesearch import find_byte
    from linkfix.kernels.constants import AMPERSAND, CSS, LOCAL_URL, NUMBER_SIGN, SPACE_CHARACTER, URL
    from linkfix.kernels.outline import TEXT
    from linkfix.kernels.plain import DOCUMENT, LEAVE, NUMBER, PAGE, PREFIX, RESOLVE, SKIP, needs_no_path


#: An edit: replace data[start:end] with the bytes.
Edit = tuple[int, int, bytes]

#: The characters of a base that need escapes somewhere in a value with several URLs.
SPECIAL = re.compile(rb"[\x00-\x20\"&'()<>\\\x7f]")


class Splicer(RecordVisitor):
    """Rewrites the references of a document: plain references in place, all others by the edits of `resolve(number)`.

    Without plain references, every record goes to `resolve`. `keeps`: function that returns whether a reference with
    this target stays; None if no such reference stays. `writes_empty`: whether an empty reference can change.
    `encode`: see `Decider.percent_encoder`. `shares_root`: the document's base and the fallback base have the same
    scheme and host. After `run`, `seen` and `rewritten` count the plain ones.
    """

    def __init__(
        self,
        data: bytes,
        resolve: Callable[[int], list[Edit]],
        keeps: Callable[[str], bool] | None = None,
        writes_empty: bool = True,
        encode: Callable[[bytes, bool], bytes | None] | None = None,
        shares_root: bool = False,
    ) -> None:
        super().__init__(data)
        self.resolve: Callable[[int], list[Edit]] = resolve
        self.keeps: Callable[[str], bool] | None = keeps
        self.writes_empty: bool = writes_empty
        self.shares_root: bool = shares_root
        self.edits: Edits = Edits(data, encode)
        self.fallback_shift: int = 0
        self.text_shift: int = 0
        self.reads_values: bool = False
        self.seen: int = 0
        self.rewritten: int = 0

    def run(
        self,
        outline: Outline,
        several: ByteSpans,
        of_base: PlainPair,
        of_fallback: PlainPair,
        before_base: int,
        is_parsed_before_base: Callable[[int], bool],
    ) -> None:
        """Find the edits of an outline's document, which is not needed afterwards. For the rest see `RecordVisitor`."""
        self.edits.reserve(outline.count)  # most records with edits have exactly one
        self._add_texts(of_base)
        if before_base:
            self.fallback_shift = self._add_texts(of_fallback)
        self.read_plain(several, of_base, of_fallback, before_base, is_parsed_before_base)
        self.visit(outline, 0)

    def _add_texts(self, pair: PlainPair) -> int:
        """Add the texts of plain references to those of the edits. Return the number of the first."""
        values, texts = pair
        shift = 0
        if values is not None and texts is not None:
            shift = self.edits.add_texts(values.texts)
            self.edits.add_texts(texts.texts)
        return shift

    def use(self, fallback: bool) -> None:
        """Use the plain references to the fallback base, or to the document's base."""
        RecordVisitor.use(self, fallback)
        values = self.values
        self.reads_values = values is not None and SPECIAL.search(values.texts[PAGE]) is None
        self.edits.shift = self.fallback_shift if fallback else 0
        self.text_shift = self.edits.shift + (0 if values is None else len(values.texts))

    def apply(self) -> bytes:
        """The edited bytes; the same object if nothing changes."""
        return self.edits.apply()

    def on_url(self, start: int, end: int) -> None:
        """Write the reference that is a whole value."""
        data = self.data
        # The URL parser strips these, except NUL, which becomes U+FFFD in a value (HTML §13.2.5.36).
        while start < end and 0 < data[start] <= SPACE_CHARACTER:
            start += 1
        while start < end and 0 < data[end - 1] <= SPACE_CHARACTER:
            end -= 1
        if self.number < self.before_base and not needs_no_path(data, start, end, self.shares_root):
            self.choose_base()
        verdict = RESOLVE
        plain = self.values
        if plain is not None:
            if start == end:
                verdict = RESOLVE if self.writes_empty else LEAVE
            elif self.kind == LOCAL_URL and data[start] == NUMBER_SIGN:
                verdict = LEAVE
            else:
                verdict = self._write_unless_kept(plain, start, end)
                if verdict == RESOLVE:
                    verdict = self._write_decoded(plain, start, end)
        if not self._count(verdict):
            self.on_other()

    def on_several(self, start: int, end: int) -> bool:
        """Write the references in a value that can have several. Return False if any is not plain."""
        self.choose_base()
        if not self.reads_values:
            return False
        edits = self.edits
        before = edits.count
        seen = self.seen
        rewritten = self.rewritten
        shift = edits.shift
        if self.bits & TEXT:
            edits.shift = self.text_shift
        are_plain = self.read_parts(start, end)
        edits.shift = shift
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
        if not text.isascii():
            self.edits.count = before
            return RESOLVE
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

    def _write_decoded(self, plain: PlainReferences, start: int, end: int) -> int:
        """Write the reference that is a whole value, if its text is plain after its character references are decoded,
        and only a prefix is written. Return the verdict of `PlainReferences.classify` on the text.
        """
        texts = self.texts
        raw = self.data[start:end]
        if self.keeps is not None or texts is None or plain.escapes or self.kind != URL or not raw.isascii():
            return RESOLVE
        if find_byte(raw, AMPERSAND, 0, len(raw)) == len(raw):
            return RESOLVE
        text = decode(raw.decode("ascii")).text.encode()
        if not text or text[0] <= SPACE_CHARACTER or text[len(text) - 1] <= SPACE_CHARACTER:
            return RESOLVE
        verdict = texts.classify(text, 0, len(text), None)
        if verdict >= PREFIX:
            if (verdict - PREFIX) >> SKIP:
                return RESOLVE
            self.edits.push(start, start, verdict - PREFIX)
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
    found = Edits(data, None)
    for start, end, text in edits:
        found.push_text(start, end, text)
    return found.apply()
