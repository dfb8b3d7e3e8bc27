"""The records of a WARC file, with where each one lies in it: plain, gzip or Zstandard; what is damaged is passed over.

Records are found here and not by fastwarc, because what is not changed is copied as the bytes that it is, its
compressed member included, and because reading goes on after damage: for both it must be known where a record's bytes
begin and end in the file.

https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/, §4 (file and record model) and annex D
(compression); https://iipc.github.io/warc-specifications/specifications/warc-zstd/
"""

from __future__ import annotations

import io
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, NamedTuple, cast

from linkfix.containers.http_body import HeaderBlock
from linkfix.containers.warc_members import MEMBER_FORMATS, CompressedMember, MemberFormat
from linkfix.containers.window import Window

__all__ = ["Unit", "WarcRecord", "units"]

#: The largest header block, in bytes.
_HEADER = 1 << 20
#: Line ends after a record: there should be two.
_SEPARATOR = 1024
#: No record is so small.
_LEAST = 16
#: The largest unit that is kept in memory and not in a temporary file, in bytes.
_IN_MEMORY = 1 << 24
#: So much of a compressed member decides whether the rest is of interest.
_JUDGED = 1 << 20
#: How far back from a fault, and how often, a member is looked for in what was read already.
_REREAD = 1 << 20
_REREADS = 1000

#: The version line of a record; drafts 0.17 and 0.18 were in use.
_VERSION = re.compile(rb"WARC/\d{1,3}\.\d{1,3}[ \t]{0,8}\r?\n")
_HEADER_END = re.compile(rb"\n\r?\n")
_LENGTH = re.compile(r"[0-9]{1,18}\Z")

#: Is told of a fault: a code of `linkfix.model.PROBLEMS`, the detail, the offset in the file.
Report = Callable[[str, str, int], None]


class WarcRecord(NamedTuple):
    """A record. Offsets are bytes of its unit's text: the header block begins at `start`, the content block is
    `block:end`, and what separates it from the next record ends at `after`.
    """

    header: HeaderBlock
    start: int
    block: int
    end: int
    after: int


#: Whether a record that begins with these bytes is one that may be changed.
Wanted = Callable[[bytes], bool]


class Unit(NamedTuple):
    """A piece of the file that is replaced as a whole: the plain file, or a compressed member with what it holds.

    `start:end` is its span in the file; `text` what it says, without compression, and `records` those in it. `pack`
    compresses one record as the file's are; None where nothing is compressed. A unit of which nothing is wanted may
    have no text and no records.
    """

    start: int
    end: int
    text: Window
    records: Iterator[WarcRecord]
    pack: Callable[[bytes], bytes] | None


def units(raw: Window, wanted: Wanted, report: Report, limit: int) -> Iterator[Unit]:
    """The units of a WARC file, in order. A compressed one has at most about `limit` bytes of text."""
    head = raw.read(0, 8)
    compressed = next((form for magics, form in MEMBER_FORMATS.items() if head.startswith(magics)), None)
    if compressed is None:
        yield Unit(0, raw.size, raw, _split(raw, report), None)
        return
    form = compressed(raw, limit)
    if form.needs:
        report("extra-needed", form.needs, 0)
    else:
        yield from _Compressed(raw, form, wanted, report, limit).units()


def _split(text: Window, report: Report) -> Iterator[WarcRecord]:
    """The records of a plain text; a fault's offset is one of the text.

    What is not framed as a record is passed over, up to what looks like the beginning of one.
    """
    at = _newlines(text, 0)
    while at < text.size:
        head = text.read(at, 1 << 13)
        if not _VERSION.match(head):
            report("container-damaged", f"at byte {at} is no WARC record", at)
            at = _resumed(text, at)
            continue
        ending = _HEADER_END.search(head) or _HEADER_END.search(head := text.read(at, _HEADER))
        if ending is None:
            report("container-damaged", f"the record at byte {at} has a header without end", at)
            # No record that begins in its first half can have a header of a legal length.
            at = _resumed(text, at + 1 + len(head) // 2)
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
        after = _newlines(text, end) if block <= end <= text.size else -1
        if after == text.size or (after > 0 and _VERSION.match(text.read(after, 64))):
            yield WarcRecord(header, at, block, end, after)
            at = after
        elif end > text.size and (resumed := _resumed(text, block)) == text.size:
            report("container-damaged", f"the record at byte {at} lacks {end - text.size} of its {length} bytes", at)
            at = resumed
        else:
            report(
                "container-damaged",
                f"Content-Length {length!r} of the record at byte {at} does not lead to its end",
                at,
            )
            at = _resumed(text, block)


def _newlines(text: Window, at: int) -> int:
    """Past the line ends at `at`."""
    piece = text.read(at, _SEPARATOR)
    return at + len(piece) - len(piece.lstrip(b"\r\n"))


def _resumed(text: Window, at: int) -> int:
    """Where, from `at` on, a record seems to begin; the text's end for nowhere."""
    found = text.search(_VERSION, at, overlap=32)
    return found if found >= 0 else text.size


class _Text:
    """What compressed members say, as far as it was of interest.

    `size` in bytes. `unwanted`: it was let go, as `wanted` said. `cut`: it was not read to its end, it was too much.
    """

    def __init__(self, pieces: Iterable[bytes], wanted: Wanted, limit: int) -> None:
        self.size = 0
        self.unwanted = False
        self.cut = False
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed by `close`
        self._stated = -1
        ceiling = limit + _HEADER
        judged = False
        for piece in pieces:
            self.size += len(piece)
            if not self.unwanted:
                self._file.write(piece)
            if self.size >= _JUDGED and not judged:
                judged = True
                head = self._beginning()
                self.unwanted = not wanted(head)
                self._stated = _stated_end(head)
                ceiling += self._stated if self.unwanted else 0
            if self.size > ceiling:
                self.cut = True
                break

    @property
    def alone(self) -> bool:
        """Whether it is one record, as far as its header and its size tell."""
        return 0 <= self.size - self._stated <= _LEAST

    def _beginning(self) -> bytes:
        self._file.seek(0)
        head = self._file.read(_JUDGED)
        self._file.seek(0, io.SEEK_END)
        return head

    def window(self) -> Window:
        """All of it."""
        if self.size > _IN_MEMORY:
            return Window(cast("BinaryIO", self._file))
        self._file.seek(0)
        return Window(self._file.read())

    def close(self) -> None:
        """Let go of it."""
        self._file.close()


def _stated_end(head: bytes) -> int:
    """Where the content block of the record at the beginning ends by its header; -1 where that says nothing."""
    ending = _HEADER_END.search(head)
    length = HeaderBlock(head[: ending.end()]).first("content-length") if ending else ""
    return ending.end() + int(length) if ending and _LENGTH.match(length) else -1


class _MemberSequence:
    """Members up to the next that begins a record, read as if they were one."""

    def __init__(self, form: MemberFormat, start: int, size: int) -> None:
        self._form = form
        self._size = size
        self.reached = start
        self.fault: tuple[str, str] | None = None

    def __iter__(self) -> Iterator[bytes]:
        while self.fault is None:
            member = self._form.open(self.reached)
            yield from member
            self.reached, self.fault = member.reached, member.fault
            if self.reached >= self._size or _VERSION.match(self._form.begins(self.reached)):
                return


class _Compressed:
    """The units of a file of compressed members, each of which should be one record (annex D.2).

    Where one is not, a unit is what it takes to have whole records: a member with several of them, or several members.
    """

    def __init__(self, raw: Window, form: MemberFormat, wanted: Wanted, report: Report, limit: int) -> None:
        self._raw = raw
        self._form = form
        self._wanted = wanted
        self._report = report
        self._limit = limit
        self._at = form.first
        self._rereads = 0
        self._text = _Text((), wanted, limit)

    def units(self) -> Iterator[Unit]:
        """The units, in order."""
        try:
            while (start := self._at) < self._raw.size:
                unit = self._unit(start)
                if unit is not None:
                    yield unit
        finally:
            self._text.close()

    def _unit(self, start: int) -> Unit | None:
        whole = self._whole(start, self._form.open(start), self._wanted)
        if whole and self._text.unwanted and not self._text.alone:
            whole = self._whole(start, self._form.open(start), lambda _: True)
        if not whole or self._text.unwanted or not self._text.size:
            return None
        window, records, faults = self._split()
        if faults and self._at < self._raw.size and not self._begins_record(self._at):
            if not self._whole(start, _MemberSequence(self._form, start, self._raw.size), lambda _: True):
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

    def _whole(self, start: int, member: CompressedMember, wanted: Wanted) -> bool:
        """Read a member into `_text`, and say whether that went well; reading goes on at `_at`."""
        self._text.close()
        self._text = _Text(member, wanted, self._limit)
        if member.fault:
            self._report(*member.fault, start)
            reread = self._rereads < _REREADS
            self._rereads += 1
            self._at = self._next(max(start + 1, member.reached - _REREAD if reread else member.reached))
        elif self._text.cut:
            self._report("part-too-large", f"the member at byte {start} has more than {self._limit:,} bytes", start)
            self._at = self._next(max(start + 1, member.reached))
        else:
            self._at = member.reached
            return True
        return False

    def _next(self, at: int) -> int:
        """Where, from `at` on, a member begins that begins a record."""
        at = self._form.after(at)
        while at < self._raw.size and not self._begins_record(at):
            at = self._form.after(at + 1)
        return at

    def _begins_record(self, at: int) -> bool:
        return _VERSION.match(self._form.begins(at)) is not None
