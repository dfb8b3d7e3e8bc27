"""The records of a WARC or ARC file, plain, gzip, Zstandard or LZ4, and where each one is; damaged ones are skipped.

Records are read here and not by fastwarc, because unchanged ones are copied byte for byte, as compressed members, and
because reading goes on after damage: both need to know where a record's bytes begin and end in the file.

https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/, §4 (file and record model) and annex D
(compression); https://iipc.github.io/warc-specifications/specifications/warc-zstd/
"""

from __future__ import annotations

import importlib
import io
import re
import tempfile
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from itertools import takewhile
from typing import Any, BinaryIO, NamedTuple, Protocol, cast

from linkfix.containers.http_body import HeaderBlock
from linkfix.containers.part import Allowance, Report
from linkfix.containers.pieces import split_pieces
from linkfix.files.window import Slice, Window
from linkfix.lazy import lazy_pattern

# The compressed members that a WARC file consists of: gzip's (RFC 1952) and Zstandard's frames (RFC 8878).


#: The window of a gzip member, for zlib.
_WBITS = 31

#: The offset of the flags in a gzip member (RFC 1952 §2.3.1), and the first reserved flag. zlib refuses reserved flags,
#: isal does not.
_FLAGS, _RESERVED = 3, b"\x20"

#: The number of bytes that are fed to a decompressor, and that it returns, at a time.
_FED = 1 << 14

_PIECE = 1 << 20

#: The largest dictionary, in bytes.
_DICTIONARY = 1 << 25

#: The number of bytes of a member that are read to see the beginning of its text.
_PEEKED = 512


class CompressedMember(Protocol):
    """A compressed member. Iterating over it, once, gives its text."""

    reached: int
    """The offset up to which the file was read. After a complete iteration, it is the end of the member."""
    fault: tuple[str, str] | None
    """Why it could not be read to its end: a code of `PROBLEMS`, the detail."""

    def __iter__(self) -> Iterator[bytes]:
        """Yield the text in pieces."""


class MemberFormat(Protocol):
    """A compression format, for one file."""

    first: int
    """The offset of the first member."""
    needs: str
    """The library that must be installed to read it; "" for none."""

    def open(self, start: int) -> CompressedMember:
        """The member at an offset."""

    def peek(self, start: int) -> bytes:
        """The first bytes of the text of the member at an offset; fewer than eight where there is none."""

    def find(self, start: int) -> int:
        """Where, from `start` on, a member may begin; the file's size for nowhere."""

    def pack(self, *pieces: bytes) -> bytes:
        """A member with the text that these pieces make."""


class _GzipMember:
    def __init__(self, raw: Window, start: int) -> None:
        self._raw = raw
        self.reached = start
        self.fault: tuple[str, str] | None = None

    def __iter__(self) -> Iterator[bytes]:
        start = self.reached
        given = 0
        isal = _isal()
        if isal is not None and self._raw.read(start + _FLAGS, 1) < _RESERVED:
            try:
                for text in self._inflate(start, isal.decompressobj(_WBITS)):
                    given += len(text)
                    yield text
            except isal.error:
                pass  # zlib says how far the member is good, and what is wrong with it
            else:
                if self.fault is None:
                    return
                self.fault = None  # isal may miss the end of a damaged member
        try:
            for text in self._inflate(start, zlib.decompressobj(_WBITS)):
                if given < len(text):
                    yield text[given:]
                given = max(given - len(text), 0)
        except zlib.error as error:
            self.fault = "part-damaged", f"the member at byte {start} does not inflate: {error}"

    def _inflate(self, start: int, inflate: Any) -> Iterator[bytes]:
        """The text, by a decompressor; raises its error."""
        at = start
        while not inflate.eof:
            piece = self._raw.read(at, _FED)
            if not piece:
                self.fault = "container-damaged", f"the member at byte {start} has no end"
                return
            at += len(piece)
            self.reached = at
            while text := inflate.decompress(piece, _PIECE):
                piece = inflate.unconsumed_tail
                self.reached = at - len(piece)
                yield text
                if inflate.eof:
                    break
            self.reached = at
        self.reached -= len(inflate.unused_data)


@cache
def _isal() -> Any:
    """The `zlib` of isal, which inflates in half the time, where it is installed."""
    try:
        return importlib.import_module("isal.isal_zlib")
    except ImportError:
        return None


class Gzip:
    """Gzip members."""

    needs = ""
    first = 0
    #: RFC 1952 §2.3: ID1 ID2 CM FLG MTIME XFL OS, which zlib numbers further than that text: 19 is macOS.
    _MAGIC = re.compile(rb"\x1f\x8b\x08[\x00-\x1f].{4}[\x00\x02\x04][\x00-\x13\xff]", re.DOTALL)

    def __init__(self, raw: Window) -> None:
        self._raw = raw

    def open(self, start: int) -> CompressedMember:
        """The member at an offset."""
        return _GzipMember(self._raw, start)

    def peek(self, start: int) -> bytes:
        """The first bytes of the text of the member at an offset."""
        try:
            return zlib.decompressobj(_WBITS).decompress(self._raw.read(start, _PEEKED), 16)
        except zlib.error:
            return b""

    def find(self, start: int) -> int:
        """Where, from `start` on, a member may begin."""
        found = self._raw.search(self._MAGIC, start, overlap=10)
        return found if found >= 0 else self._raw.size

    def pack(self, *pieces: bytes) -> bytes:
        """A member with the text that these pieces make, without a name and a time."""
        deflate = zlib.compressobj(wbits=_WBITS)
        out = io.BytesIO()
        for piece in pieces:
            out.writelines(map(deflate.compress, split_pieces(piece)))
        out.write(deflate.flush())
        return out.getvalue()


class _Frame:
    """A frame, or a skippable frame (RFC 8878 §3.1.2), which LZ4 has too."""

    def __init__(
        self,
        raw: Window,
        start: int,
        name: str,
        end_of: Callable[[Window, int], tuple[int, bool]],
        open_: Callable[[BinaryIO], Any],
    ) -> None:
        """`end_of`: see `_frame`. `open_`: returns the text of a frame as a stream."""
        self._raw = raw
        self._name = name
        self._end_of = end_of
        self._open = open_
        self.reached = start
        self.fault: tuple[str, str] | None = None

    def __iter__(self) -> Iterator[bytes]:
        start = self.reached
        if (past := _skippable(self._raw, start)) > start:
            self.reached = past
            return
        self.reached, whole = self._end_of(self._raw, start)
        if not whole:
            truncated = self.reached >= self._raw.size
            code, what = ("container-damaged", "has no end") if truncated else ("part-damaged", "is not a frame")
            self.fault = code, f"the {self._name} frame at byte {start} {what}"
            return
        reader = self._open(cast("BinaryIO", Slice(self._raw, start, self.reached)))
        try:
            while text := reader.read(_PIECE):
                yield text
        except OSError as error:  # fastwarc raises it for invalid content; the slice itself raises none
            self.fault = "part-damaged", f"the {self._name} frame at byte {start} does not inflate: {error}"


def _skippable(raw: Window, at: int) -> int:
    """The end of the skippable frame at `at` (RFC 8878 §3.1.2); `at` where there is none."""
    head = raw.read(at, 8)
    if len(head) == 8 and head[1:4] == b"\x2a\x4d\x18" and head[0] & 0xF0 == 0x50:
        return min(at + 8 + int.from_bytes(head[4:], "little"), raw.size)
    return at


def _frame(raw: Window, at: int) -> tuple[int, bool]:
    """Return the end of the frame at `at` (RFC 8878 §3.1.1) and True, or the last known offset in it and False."""
    head = raw.read(at, 5)
    if len(head) < 5 or head[:4] != b"\x28\xb5\x2f\xfd":
        return at + 4, False
    descriptor = head[4]
    single = descriptor >> 5 & 1
    at += 5 + (1 - single) + (0, 1, 2, 4)[descriptor & 3] + (single, 2, 4, 8)[descriptor >> 6]
    while len(head := raw.read(at, 3)) == 3:
        block = int.from_bytes(head, "little")
        kind = block >> 1 & 3
        if kind == 3:
            return at, False
        at += 3 + (1 if kind == 1 else block >> 3)
        if block & 1:
            at += 4 * (descriptor >> 2 & 1)
            return min(at, raw.size), at <= raw.size
    return raw.size, False


class Zstandard:
    """Zstandard frames, with the dictionary that a skippable frame before them may hold (warc-zstd §2)."""

    _MAGIC = re.compile(rb"\x28\xb5\x2f\xfd")
    #: The largest size of a block (RFC 8878 §3.1.1.2.4), and room for headers.
    _BLOCK = (1 << 17) + 64

    def __init__(self, raw: Window) -> None:
        self._raw = raw
        self._dictionary: bytes | None = None
        self.first: int = _skippable(raw, 0)
        self.needs: str = ""
        try:
            self._streams: Any = importlib.import_module("fastwarc.stream_io")
        except ImportError:
            self.needs = "a Zstandard archive needs fastwarc: install linkfix[warc]"
            return
        if self.first:
            self._dictionary = self._decompress(raw.read(8, min(self.first - 8, _DICTIONARY)))

    def _decompress(self, dictionary: bytes) -> bytes:
        if not self._MAGIC.match(dictionary):
            return dictionary
        try:
            return bytes(self._streams.ZstdReader(io.BytesIO(dictionary)).read(_DICTIONARY))
        except OSError:
            return b""

    def open(self, start: int) -> CompressedMember:
        """The frame at an offset."""
        return _Frame(self._raw, start, "Zstandard", _frame, self._reader)

    def _reader(self, frame: BinaryIO) -> Any:
        return self._streams.ZstdReader(frame, dictionary=self._dictionary)

    def peek(self, start: int) -> bytes:
        """The first bytes of the text of the member at an offset."""
        piece = self._raw.read(start, self._BLOCK)
        try:
            return bytes(self._streams.ZstdReader(io.BytesIO(piece), dictionary=self._dictionary).read(16))
        except OSError:
            return b""

    def find(self, start: int) -> int:
        """Where, from `start` on, a member may begin."""
        found = self._raw.search(self._MAGIC, start, overlap=4)
        return found if found >= 0 else self._raw.size

    def pack(self, *pieces: bytes) -> bytes:
        """A frame with the text that these pieces make. It needs the file's dictionary where there is one."""
        out = io.BytesIO()
        writer = self._streams.ZstdWriter(out, dictionary=self._dictionary)
        for piece in pieces:
            writer.write(piece)
        writer.finish()
        writer.flush()
        made = out.getvalue()
        return made[_skippable(Window(made), 0) :]


def _lz4_blocks(raw: Window, at: int) -> tuple[int, int]:
    """Return the offset of the first block of the LZ4 frame at `at`, and the flags of that; (0, 0) for no frame."""
    head = raw.read(at, 6)
    if len(head) < 6 or not head.startswith(_LZ4):
        return 0, 0
    flags = head[4]
    return at + 7 + 8 * (flags >> 3 & 1) + 4 * (flags & 1), flags


def _lz4_frame(raw: Window, at: int) -> tuple[int, bool]:
    """As `_frame`, for LZ4 (https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md)."""
    start, flags = _lz4_blocks(raw, at)
    if not start:
        return at + 4, False
    at = start
    while len(head := raw.read(at, 4)) == 4:
        length = int.from_bytes(head, "little") & 0x7FFFFFFF
        at += 4
        if not length:
            at += 4 * (flags >> 2 & 1)
            return min(at, raw.size), at <= raw.size
        at += length + 4 * (flags >> 4 & 1)
    return raw.size, False


#: The magic number of an LZ4 frame.
_LZ4 = b"\x04\x22\x4d\x18"


class Lz4:
    """LZ4 frames, as crawlers of the Web Archive Research group write them: one for each record."""

    _MAGIC = re.compile(re.escape(_LZ4))

    def __init__(self, raw: Window) -> None:
        self._raw = raw
        self.first: int = _skippable(raw, 0)
        self.needs: str = ""
        try:
            self._streams: Any = importlib.import_module("fastwarc.stream_io")
        except ImportError:
            self.needs = "an LZ4 archive needs fastwarc: install linkfix[warc]"

    def open(self, start: int) -> CompressedMember:
        """The frame at an offset."""
        return _Frame(self._raw, start, "LZ4", _lz4_frame, self._streams.Lz4Reader)

    def peek(self, start: int) -> bytes:
        """The first bytes of the text of the member at an offset."""
        block, flags = _lz4_blocks(self._raw, start)
        length = int.from_bytes(self._raw.read(block, 4), "little") & 0x7FFFFFFF if block else 0
        piece = self._raw.read(start, block - start + 4 + min(length, _LZ4_BLOCK) + 4 * (flags >> 4 & 1))
        try:
            return bytes(self._streams.Lz4Reader(io.BytesIO(piece)).read(16))
        except OSError:
            return b""

    def find(self, start: int) -> int:
        """Where, from `start` on, a member may begin."""
        found = self._raw.search(self._MAGIC, start, overlap=4)
        return found if found >= 0 else self._raw.size

    def pack(self, *pieces: bytes) -> bytes:
        """A frame with the text that these pieces make."""
        out = io.BytesIO()
        writer = self._streams.Lz4Writer(out)
        for piece in pieces:
            writer.write(piece)
        writer.finish()
        writer.flush()
        return out.getvalue()


#: The largest block of an LZ4 frame, in bytes.
_LZ4_BLOCK = 1 << 22

#: First bytes of a file -> its compression format.
MEMBER_FORMATS: dict[bytes | tuple[bytes, ...], Callable[[Window], MemberFormat]] = {
    b"\x1f\x8b\x08": Gzip,
    (b"\x28\xb5\x2f\xfd", *(bytes([0x50 + low]) + b"\x2a\x4d\x18" for low in range(16))): Zstandard,
    _LZ4: Lz4,
}


#: The largest header block, in bytes.
_HEADER = 1 << 20

#: The maximum number of bytes of line ends that are skipped after a record. Two line ends are right.
_SEPARATOR = 1024

#: Every record is larger, in bytes.
_LEAST = 16

#: The largest unit that is kept in memory and not in a temporary file, in bytes.
_IN_MEMORY = 1 << 24

#: More bytes than a compressed member holds as they are, without a header between them: 65,535 are the most in gzip
#: (RFC 1951 §3.2.4), 131,072 in Zstandard (RFC 8878 §3.1.1.2.4).
_STORED = (1 << 17) + 1

#: The number of bytes of a compressed member's text that decide whether the rest is wanted.
_JUDGED = 1 << 20

#: The distance before a fault, in bytes, from which a member is searched again, and the number of such searches.
_REREAD = 1 << 20

_REREADS = 1000

#: The byte order mark that some programs write before the first record.
_BOM = b"\xef\xbb\xbf"

#: The version line of a record; drafts 0.17 and 0.18 were in use.
_VERSION = lazy_pattern(rb"WARC/\d{1,3}\.\d{1,3}[ \t]{0,8}\r?\n")

_LENGTH = lazy_pattern(r"[0-9]{1,18}\Z")


class WarcRecord(NamedTuple):
    """A record. Offsets are bytes of its unit's text."""

    header: HeaderBlock
    start: int
    """The offset of its header block."""
    block: int
    """The offset of its content block."""
    end: int
    """The end of its content block."""
    after: int
    """The end of the line ends after it."""


class RecordSyntax(Protocol):
    """The syntax of records: WARC's or ARC's."""

    name: str
    """The name of the format in messages."""
    url_field: str
    """The place of a record's URL in messages."""

    def begins(self, head: bytes) -> bool:
        """Whether a record seems to begin with these bytes. 16 bytes are enough."""

    def read_header(self, head: bytes) -> HeaderBlock | None:
        """Return the header of the record that begins with these bytes; None if it has no end in them."""

    def after_bad_header(self, length: int) -> int:
        """Return the distance at which to look for a record after `length` bytes that are no header."""

    def find(self, text: Window, at: int) -> int:
        """Return the offset, from `at` on, where a record seems to begin; the text's end for nowhere."""

    def find_torn(self, header: HeaderBlock) -> int:
        """Return the offset in a header where another record begins; 0 for none."""


class _WarcSyntax:
    name = "WARC"
    url_field = "WARC-Target-URI"

    def begins(self, head: bytes) -> bool:
        return _VERSION.match(head) is not None

    def read_header(self, head: bytes) -> HeaderBlock | None:
        return HeaderBlock.read(head)

    def after_bad_header(self, length: int) -> int:
        return 1 + length // 2  # a record that begins in the first half would have a header that is too long as well

    def find(self, text: Window, at: int) -> int:
        found = text.search(_VERSION, at, overlap=32)
        return found if found >= 0 else text.size

    def find_torn(self, header: HeaderBlock) -> int:
        torn = _VERSION.search(header.block, 1)
        return torn.start() if torn else 0


WARC: RecordSyntax = _WarcSyntax()

#: Whether a record that begins with these bytes may be changed.
Wanted = Callable[[bytes], bool]


class Unit(NamedTuple):
    """A piece of the file that is replaced as a whole: the whole plain file, or a compressed member."""

    start: int
    """Its offset in the file."""
    end: int
    """Its end in the file."""
    text: Window
    """Its text, decompressed."""
    records: Iterator[WarcRecord]
    """The records in the text."""
    pack: Callable[..., bytes] | None
    """Compresses one record, given in pieces, in the file's format; None for a plain file."""


def units(
    raw: Window,
    wanted: Wanted,
    report: Report,
    allowance: Allowance,
    start: int = 0,
    syntax: RecordSyntax = WARC,
) -> Iterator[Unit]:
    """The units of a WARC file in which something is wanted, in order. The text of a compressed one is limited as if it
    were a part. Reading begins with the record or the compressed member at `start`.
    """
    form = _member_format(raw)
    if form is None:
        if not raw.size:
            report("container-damaged", "the file is empty", 0)
        yield Unit(0, raw.size, raw, _split(raw, syntax, report, start), None)
    elif form.needs:
        report("extra-needed", form.needs, 0)
    else:
        yield from _Compressed(raw, form, syntax, wanted, report, allowance, start).units(raw.size)


def units_within(
    raw: Window, wanted: Wanted, report: Report, allowance: Allowance, start: int, end: int
) -> Iterator[Unit]:
    """The same for what begins in a slice of the file, from `start` up to `end`, wherever these two are. The slices of
    a file have each of its records, and each problem, once, as if it was read in one go.
    """
    form = _member_format(raw)
    if form is None:
        if not raw.size:
            report("container-damaged", "the file is empty", 0)
        # Text in a record can look like a record: only the records before it tell.
        within = _split(raw, WARC, lambda code, detail, at: report(code, detail, at) if start <= at < end else None)
        records = takewhile(lambda record: record.start < end, within)
        yield Unit(0, raw.size, raw, (record for record in records if record.start >= start), None)
    elif form.needs:
        if not start:
            report("extra-needed", form.needs, 0)
    else:
        compressed = _Compressed(raw, form, WARC, wanted, report, allowance, 0)
        if start:
            compressed.skip_to(start)
        yield from compressed.units(end)


def _member_format(raw: Window) -> MemberFormat | None:
    """The format of a file of compressed members; None for a plain file."""
    head = raw.read(0, 8)
    compressed = next((form for magics, form in MEMBER_FORMATS.items() if head.startswith(magics)), None)
    return None if compressed is None else compressed(raw)


def _split(text: Window, syntax: RecordSyntax, report: Report, start: int = 0) -> Iterator[WarcRecord]:
    """The records of a decompressed text, from `start` on. Offsets for `report` are those of the text.

    What is not framed as a record is skipped, up to what looks like the beginning of one.
    """
    at = _skip_line_ends(text, start or len(_BOM) * (text.read(0, len(_BOM)) == _BOM))
    while at < text.size:
        head = text.read(at, 1 << 13)
        if not syntax.begins(head):
            report("container-damaged", f"no {syntax.name} record at byte {at}", at)
            at = syntax.find(text, at)
            continue
        header = syntax.read_header(head) or syntax.read_header(head := text.read(at, _HEADER))
        if header is None:
            report("container-damaged", f"the record at byte {at} has a header without end", at)
            at = syntax.find(text, at + syntax.after_bad_header(len(head)))
            continue
        if torn := syntax.find_torn(header):
            report("container-damaged", f"the header of the record at byte {at} is cut off by another", at)
            at += torn
            continue
        block = at + len(header.block)
        length = header.first("content-length")
        end = block + int(length) if _LENGTH.match(length) else -1
        after = _skip_line_ends(text, end) if block <= end <= text.size else -1
        if after == text.size or (after > 0 and syntax.begins(text.read(after, 64))):
            yield WarcRecord(header, at, block, end, after)
            at = after
        elif end > text.size and (resumed := syntax.find(text, block)) == text.size:
            report("container-damaged", f"the record at byte {at} lacks {end - text.size} of its {length} bytes", at)
            at = resumed
        else:
            report("container-damaged", f"Content-Length {length!r} of the record at byte {at} is not its length", at)
            at = syntax.find(text, block)


def _skip_line_ends(text: Window, at: int) -> int:
    """The offset after the line ends at `at`."""
    piece = text.read(at, _SEPARATOR)
    return at + len(piece) - len(piece.lstrip(b"\r\n"))


class _Text:
    """The text of compressed members, stored as far as it is wanted."""

    def __init__(self, syntax: RecordSyntax) -> None:
        self._syntax = syntax
        #: In bytes.
        self.size = 0
        #: Whether `wanted` refused it, so that it is not stored.
        self.unwanted = False
        #: Whether it was too large, and not read to its end.
        self.cut = False
        #: The stored text, in memory as long as it is small.
        self._memory = io.BytesIO()
        self._file: BinaryIO | None = None
        self._stated = -1
        #: The number of compressed bytes read.
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
                self._stated = _stated_end(self._syntax.read_header(head))
            # Text that is not stored costs time alone: its stated length is the limit.
            limit = max(self._stated, 0) + allowance.largest if self.unwanted else allowance.own_limit(self.encoded)
            if self.size > limit + _HEADER:
                self.cut = True
                break

    @property
    def is_one_record(self) -> bool:
        """Whether the member has one record: the length in its header fits the size of its text."""
        return 0 <= self.size - self._stated <= _LEAST

    def _store(self, piece: bytes) -> None:
        if self._file is None and self.size > _IN_MEMORY:
            self._file = cast("BinaryIO", tempfile.TemporaryFile())  # noqa: SIM115 - closed by `close`
            self._file.write(self._memory.getbuffer())
            self._memory = io.BytesIO()
        (self._file or self._memory).write(piece)

    def _beginning(self) -> bytes:
        """Return the beginning, which decides whether the rest is wanted. Call it while all is in memory."""
        return bytes(self._memory.getbuffer()[:_JUDGED])

    def window(self) -> Window:
        """The whole text."""
        return Window(self._memory.getvalue() if self._file is None else self._file)  # which copies nothing

    def close(self) -> None:
        """Delete what was stored."""
        if self._file is not None:
            self._file.close()


def _stated_end(header: HeaderBlock | None) -> int:
    """Return the end of the first record's content block, by its header; -1 if the header does not say."""
    length = header.first("content-length") if header else ""
    return len(header.block) + int(length) if header and _LENGTH.match(length) else -1


class _MemberSequence:
    """Consecutive members up to the next that begins a record, read as one member."""

    def __init__(self, form: MemberFormat, syntax: RecordSyntax, start: int, size: int) -> None:
        self._form = form
        self._syntax = syntax
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
            if self.reached >= self._size or self._syntax.begins(self._form.peek(self.reached)):
                return


class _Compressed:
    """The units of a file of compressed members, each of which should be one record (annex D.2).

    Where one is not, a unit has whole records all the same: it is a member with several records, or several members.
    """

    def __init__(
        self,
        raw: Window,
        form: MemberFormat,
        syntax: RecordSyntax,
        wanted: Wanted,
        report: Report,
        allowance: Allowance,
        start: int,
    ) -> None:
        self._raw = raw
        self._syntax = syntax
        self._form = form
        self._wanted = wanted
        self._report = report
        self._allowance = allowance
        self._at = max(start, form.first)
        self._rereads = 0
        self._text = _Text(syntax)

    def units(self, end: int) -> Iterator[Unit]:
        """The units, in order, up to the first one that begins at `end` or after it."""
        try:
            # A member that begins no record belongs to the record before it: a reader that starts here skips it.
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
            quiet = lambda *_: None  # noqa: E731 - it is used once
            before = _Compressed(self._raw, self._form, self._syntax, lambda _: False, quiet, self._allowance, 0)
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
            if not self._read_member(
                start, _MemberSequence(self._form, self._syntax, start, self._raw.size), lambda _: True
            ):
                return None
            window, records, faults = self._split()
        for code, detail in faults:
            self._report(code, f"in the member at byte {start}, {detail}", start)
        return Unit(start, self._at, window, iter(records), self._form.pack)

    def _split(self) -> tuple[Window, list[WarcRecord], list[tuple[str, str]]]:
        faults: list[tuple[str, str]] = []
        window = self._text.window()
        records = list(_split(window, self._syntax, lambda code, detail, _: faults.append((code, detail))))
        return window, records, faults

    def _read_member(self, start: int, member: CompressedMember, wanted: Wanted) -> bool:
        """Read a member into `_text`. Returns whether that succeeded; reading goes on at `_at`."""
        self._text.close()
        self._text = _Text(self._syntax)
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
        return self._syntax.begins(self._form.peek(at))
