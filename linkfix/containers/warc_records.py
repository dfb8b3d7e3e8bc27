"""The records of a WARC file, plain, gzip or Zstandard, and where each one is in the file; damaged ones are skipped.

Records are read here and not by fastwarc, because unchanged ones are copied byte for byte, as compressed members, and
because reading goes on after damage: both need to know where a record's bytes begin and end in the file.

https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/, §4 (file and record model) and annex D
(compression); https://iipc.github.io/warc-specifications/specifications/warc-zstd/
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import BinaryIO, NamedTuple, cast

from linkfix.containers.allowance import Allowance
from linkfix.containers.http_body import EMPTY_LINE, HeaderBlock
from linkfix.containers.part import Report
from linkfix.containers.warc_members import MEMBER_FORMATS, CompressedMember, MemberFormat
from linkfix.containers.window import Window
from linkfix.lazy import lazy_pattern

__all__ = ["Unit", "WarcRecord", "units", "units_within"]

#: The largest header block, in bytes.
_HEADER = 1 << 20
#: How many bytes of line ends after a record are skipped: there should be two line ends.
_SEPARATOR = 1024
#: Every record is larger, in bytes.
_LEAST = 16
#: The largest unit that is kept in memory and not in a temporary file, in bytes.
_IN_MEMORY = 1 << 24
#: More bytes than a compressed member holds as they are, without a header between them: 65,535 are the most in gzip
#: (RFC 1951 §3.2.4), 131,072 in Zstandard (RFC 8878 §3.1.1.2.4).
_STORED = (1 << 17) + 1
#: How many bytes of a compressed member's text decide whether the rest is wanted.
_JUDGED = 1 << 20
#: How far back from a fault, in bytes, and how often, a member is searched in what was read already.
_REREAD = 1 << 20
_REREADS = 1000

#: The version line of a record; drafts 0.17 and 0.18 were in use.
_VERSION = lazy_pattern(rb"WARC/\d{1,3}\.\d{1,3}[ \t]{0,8}\r?\n")
_LENGTH = lazy_pattern(r"[0-9]{1,18}\Z")


class WarcRecord(NamedTuple):
    """A record. Offsets are bytes of its unit's text."""

    header: HeaderBlock
    start: int
    """Where its header block begins."""
    block: int
    """Where its content block begins."""
    end: int
    """Where its content block ends."""
    after: int
    """Where the line ends after it end."""


#: Whether a record that begins with these bytes may be changed.
Wanted = Callable[[bytes], bool]


class Unit(NamedTuple):
    """A piece of the file that is replaced as a whole: the whole plain file, or a compressed member."""

    start: int
    """Where it begins in the file."""
    end: int
    """Where it ends in the file."""
    text: Window
    """Its text, decompressed."""
    records: Iterator[WarcRecord]
    """The records in the text."""
    pack: Callable[..., bytes] | None
    """Compresses one record, given in pieces, in the file's format; None for a plain file."""


def units(raw: Window, wanted: Wanted, report: Report, allowance: Allowance, start: int = 0) -> Iterator[Unit]:
    """The units of a WARC file in which something is wanted, in order. The text of a compressed one is limited as if it
    were a part. Reading begins with the record or the compressed member at `start`.
    """
    form = _member_format(raw)
    if form is None:
        yield Unit(0, raw.size, raw, _split(raw, report, start), None)
    elif form.needs:
        report("extra-needed", form.needs, 0)
    else:
        yield from _Compressed(raw, form, wanted, report, allowance, start).units(raw.size)


def units_within(  # noqa: PLR0913, PLR0917 - those of `units`, and a slice
    raw: Window, wanted: Wanted, report: Report, allowance: Allowance, start: int, end: int
) -> Iterator[Unit]:
    """The same for what begins in a slice of the file, from `start` up to `end`, wherever these two are. The slices of
    a file have each of its records, and each problem, once, as if it was read in one go.
    """
    form = _member_format(raw)
    if form is None:
        # What looks like a record may be text in another one: only the records before it tell.
        within = _split(raw, lambda code, detail, at: report(code, detail, at) if start <= at < end else None)
        records = takewhile(lambda record: record.start < end, within)
        yield Unit(0, raw.size, raw, (record for record in records if record.start >= start), None)
    elif form.needs:
        if not start:
            report("extra-needed", form.needs, 0)
    else:
        compressed = _Compressed(raw, form, wanted, report, allowance, 0)
        if start:
            compressed.skip_to(start)
        yield from compressed.units(end)


def _member_format(raw: Window) -> MemberFormat | None:
    """The format of a file of compressed members; None for a plain file."""
    head = raw.read(0, 8)
    compressed = next((form for magics, form in MEMBER_FORMATS.items() if head.startswith(magics)), None)
    return None if compressed is None else compressed(raw)


def _split(text: Window, report: Report, start: int = 0) -> Iterator[WarcRecord]:
    """The records of a decompressed text, from `start` on. Offsets for `report` are those of the text.

    What is not framed as a record is skipped, up to what looks like the beginning of one.
    """
    at = _skip_line_ends(text, start)
    while at < text.size:
        head = text.read(at, 1 << 13)
        if not _VERSION.match(head):
            report("container-damaged", f"no WARC record at byte {at}", at)
            at = _find_record(text, at)
            continue
        ending = EMPTY_LINE.search(head) or EMPTY_LINE.search(head := text.read(at, _HEADER))
        if ending is None:
            report("container-damaged", f"the record at byte {at} has a header without end", at)
            # A record that begins in its first half would have a header that is too long as well.
            at = _find_record(text, at + 1 + len(head) // 2)
            continue
        torn = _VERSION.search(head, 1, ending.end())
        if torn is not None:
            report("container-damaged", f"the header of the record at byte {at} is cut off by another", at)
            at += torn.start()
            continue
        header = HeaderBlock(head[: ending.end()])
        block = at + ending.end()
        length = header.first("content-length")
        end = block + int(length) if _LENGTH.match(length) else -1
        after = _skip_line_ends(text, end) if block <= end <= text.size else -1
        if after == text.size or (after > 0 and _VERSION.match(text.read(after, 64))):
            yield WarcRecord(header, at, block, end, after)
            at = after
        elif end > text.size and (resumed := _find_record(text, block)) == text.size:
            report("container-damaged", f"the record at byte {at} lacks {end - text.size} of its {length} bytes", at)
            at = resumed
        else:
            report("container-damaged", f"Content-Length {length!r} of the record at byte {at} is not its length", at)
            at = _find_record(text, block)


def _skip_line_ends(text: Window, at: int) -> int:
    """The offset after the line ends at `at`."""
    piece = text.read(at, _SEPARATOR)
    return at + len(piece) - len(piece.lstrip(b"\r\n"))


def _find_record(text: Window, at: int) -> int:
    """Where, from `at` on, a record seems to begin; the text's end for nowhere."""
    found = text.search(_VERSION, at, overlap=32)
    return found if found >= 0 else text.size


class _Text:
    """The text of compressed members, stored as far as it is wanted."""

    def __init__(self) -> None:
        #: In bytes.
        self.size = 0
        #: Whether `wanted` refused it, so that it is not stored.
        self.unwanted = False
        #: Whether it was too large, and not read to its end.
        self.cut = False
        #: What is stored, in memory as long as it is small.
        self._memory = io.BytesIO()
        self._file: BinaryIO | None = None
        self._stated = -1
        #: How many compressed bytes were read.
        self.encoded = 0

    def read(self, member: CompressedMember, wanted: Wanted, allowance: Allowance) -> None:
        """Store the text of a member."""
        start = member.reached
        judged = False
        for piece in member:
            self.encoded = member.reached - start
            self.size += len(piece)
            if not self.unwanted:
                self._store(piece)
            if self.size >= _JUDGED and not judged:
                judged = True
                head = self._beginning()
                self.unwanted = not wanted(head)
                self._stated = _stated_end(head)
            # What is not stored costs time alone: it may have what it states.
            limit = max(self._stated, 0) + allowance.largest if self.unwanted else allowance.own_limit(self.encoded)
            if self.size > limit + _HEADER:
                self.cut = True
                break

    @property
    def is_one_record(self) -> bool:
        """Whether it is one record, by its header and its size."""
        return 0 <= self.size - self._stated <= _LEAST

    def _store(self, piece: bytes) -> None:
        if self._file is None and self.size > _IN_MEMORY:
            self._file = cast("BinaryIO", tempfile.TemporaryFile())  # noqa: SIM115 - closed by `close`
            self._file.write(self._memory.getbuffer())
            self._memory = io.BytesIO()
        (self._file or self._memory).write(piece)

    def _beginning(self) -> bytes:
        """What decides whether the rest is wanted. Is called while all is in memory."""
        return bytes(self._memory.getbuffer()[:_JUDGED])

    def window(self) -> Window:
        """The whole text."""
        return Window(self._memory.getvalue() if self._file is None else self._file)  # which copies nothing

    def close(self) -> None:
        """Delete what was stored."""
        if self._file is not None:
            self._file.close()


def _stated_end(head: bytes) -> int:
    """Where the content block of the first record ends, by its header; -1 where that does not say."""
    ending = EMPTY_LINE.search(head)
    length = HeaderBlock(head[: ending.end()]).first("content-length") if ending else ""
    return ending.end() + int(length) if ending and _LENGTH.match(length) else -1


class _MemberSequence:
    """Consecutive members up to the next that begins a record, read as one member."""

    def __init__(self, form: MemberFormat, start: int, size: int) -> None:
        self._form = form
        self._size = size
        self.reached = start
        self.fault: tuple[str, str] | None = None

    def __iter__(self) -> Iterator[bytes]:
        while self.fault is None:
            member = self._form.open(self.reached)
            for text in member:
                self.reached = member.reached
                yield text
            self.reached, self.fault = member.reached, member.fault
            if self.reached >= self._size or _VERSION.match(self._form.peek(self.reached)):
                return


class _Compressed:
    """The units of a file of compressed members, each of which should be one record (annex D.2).

    Where one is not, a unit has whole records all the same: it is a member with several records, or several members.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - a file and how it is read
        self, raw: Window, form: MemberFormat, wanted: Wanted, report: Report, allowance: Allowance, start: int
    ) -> None:
        self._raw = raw
        self._form = form
        self._wanted = wanted
        self._report = report
        self._allowance = allowance
        self._at = max(start, form.first)
        self._rereads = 0
        self._text = _Text()

    def units(self, end: int) -> Iterator[Unit]:
        """The units, in order, up to the first one that begins at `end` or after it."""
        try:
            # What begins no record is not found by who begins there: it belongs to what is before it.
            while (start := self._at) < self._raw.size and (start < end or not self._begins_record(start)):
                unit = self._unit(start)
                if unit is not None:
                    yield unit
        finally:
            self._text.close()

    def skip_to(self, start: int) -> None:
        """Go on with the first unit that begins at `start` or after it."""
        at = self._next(start)
        if at < self._raw.size and not self._is_member(at):
            before = _Compressed(self._raw, self._form, lambda _: False, lambda *_: None, self._allowance, 0)
            while before._at < start:
                before._unit(before._at)
            before._text.close()
            at = before._at
        self._at = max(at, self._at)

    def _is_member(self, at: int) -> bool:
        """Whether what looks like a member is certainly one, and not data that another one has stored."""
        reached = at
        while reached < min(self._raw.size, at + _STORED):
            member = self._form.open(reached)
            for _ in member:
                pass
            if member.fault:
                return False
            reached = member.reached
        return True

    def _unit(self, start: int) -> Unit | None:
        complete = self._read_member(start, self._form.open(start), self._wanted)
        if complete and self._text.unwanted and not self._text.is_one_record:
            complete = self._read_member(start, self._form.open(start), lambda _: True)
        if not complete or self._text.unwanted or not self._text.size:
            return None
        window, records, faults = self._split()
        if faults and self._at < self._raw.size and not self._begins_record(self._at):
            if not self._read_member(start, _MemberSequence(self._form, start, self._raw.size), lambda _: True):
                return None
            window, records, faults = self._split()
        for code, detail in faults:
            self._report(code, f"in the member at byte {start}, {detail}", start)
        return Unit(start, self._at, window, iter(records), self._form.pack)

    def _split(self) -> tuple[Window, list[WarcRecord], list[tuple[str, str]]]:
        faults: list[tuple[str, str]] = []
        window = self._text.window()
        records = list(_split(window, lambda code, detail, _: faults.append((code, detail))))
        return window, records, faults

    def _read_member(self, start: int, member: CompressedMember, wanted: Wanted) -> bool:
        """Read a member into `_text`. Returns whether that succeeded; reading goes on at `_at`."""
        self._text.close()
        self._text = _Text()
        self._text.read(member, wanted, self._allowance)
        if member.fault:
            self._report(*member.fault, start)
            reread = self._rereads < _REREADS
            self._rereads += 1
            self._at = self._next(max(start + 1, member.reached - _REREAD if reread else member.reached))
        elif self._text.cut:
            reached = self._allowance.own_reached(self._text.encoded)
            self._report(reached.code, f"the member at byte {start}: {reached.detail}", start)
            self._at = self._next(max(start + 1, member.reached))
        else:
            self._at = member.reached
            return True
        return False

    def _next(self, at: int) -> int:
        """Where, from `at` on, a member begins with a record."""
        at = self._form.find(at)
        while at < self._raw.size and not self._begins_record(at):
            at = self._form.find(at + 1)
        return at

    def _begins_record(self, at: int) -> bool:
        return _VERSION.match(self._form.peek(at)) is not None
