"""The compressed members that a WARC file consists of: gzip's (RFC 1952) and Zstandard's frames (RFC 8878)."""

from __future__ import annotations

import importlib
import io
import re
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Protocol

from linkfix.containers.pieces import split_pieces
from linkfix.containers.window import Slice, Window

__all__ = ["MEMBER_FORMATS", "CompressedMember", "Gzip", "MemberFormat", "Zstandard"]

#: The window of a gzip member, for zlib.
_WBITS = 31
#: Where a gzip member has its flags (RFC 1952 §2.3.1), and the least reserved one: zlib refuses these, isal does not.
_FLAGS, _RESERVED = 3, b"\x20"
#: How many bytes are fed to a decompressor, and decompressed, at a time.
_FED = 1 << 14
_PIECE = 1 << 20
#: The largest dictionary, in bytes.
_DICTIONARY = 1 << 25
#: How many bytes of a member are read to see how its text begins.
_PEEKED = 512


class CompressedMember(Protocol):
    """A compressed member. Iterating over it, once, gives its text."""

    reached: int
    """How far the file was read: after iterating over it all, where the member ends."""
    fault: tuple[str, str] | None
    """Why it could not be read to its end: a code of `PROBLEMS`, the detail."""

    def __iter__(self) -> Iterator[bytes]:
        """Yield the text in pieces."""


class MemberFormat(Protocol):
    """A compression format, for one file."""

    first: int
    """Where the first member begins."""
    needs: str
    """What has to be installed before it can be read, "" for nothing."""

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

    def _inflate(self, start: int, inflate: Any) -> Iterator[bytes]:  # noqa: ANN401 - of zlib or of isal
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
def _isal() -> Any:  # noqa: ANN401 - a module that may not be installed
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


class _ZstandardFrame:
    def __init__(self, raw: Window, start: int, streams: Any, dictionary: bytes | None) -> None:  # noqa: ANN401
        self._raw = raw
        self._streams = streams
        self._dictionary = dictionary
        self.reached = start
        self.fault: tuple[str, str] | None = None

    def __iter__(self) -> Iterator[bytes]:
        start = self.reached
        if (past := _skippable(self._raw, start)) > start:
            self.reached = past
            return
        self.reached, whole = _frame(self._raw, start)
        if not whole:
            truncated = self.reached >= self._raw.size
            code, what = ("container-damaged", "has no end") if truncated else ("part-damaged", "is no frame")
            self.fault = code, f"the Zstandard frame at byte {start} {what}"
            return
        reader = self._streams.ZstdReader(Slice(self._raw, start, self.reached), dictionary=self._dictionary)
        try:
            while text := reader.read(_PIECE):
                yield text
        except OSError as error:  # fastwarc raises it for invalid content; the slice itself raises none
            self.fault = "part-damaged", f"the Zstandard frame at byte {start} does not inflate: {error}"


def _skippable(raw: Window, at: int) -> int:
    """The end of the skippable frame at `at` (RFC 8878 §3.1.2); `at` where there is none."""
    head = raw.read(at, 8)
    if len(head) == 8 and head[1:4] == b"\x2a\x4d\x18" and head[0] & 0xF0 == 0x50:  # noqa: PLR2004
        return min(at + 8 + int.from_bytes(head[4:], "little"), raw.size)
    return at


def _frame(raw: Window, at: int) -> tuple[int, bool]:
    """Where the frame at `at` ends (RFC 8878 §3.1.1) and True; or how far it could be followed and False."""
    head = raw.read(at, 5)
    if len(head) < 5 or head[:4] != b"\x28\xb5\x2f\xfd":  # noqa: PLR2004
        return at + 4, False
    descriptor = head[4]
    single = descriptor >> 5 & 1
    at += 5 + (1 - single) + (0, 1, 2, 4)[descriptor & 3] + (single, 2, 4, 8)[descriptor >> 6]
    while len(head := raw.read(at, 3)) == 3:  # noqa: PLR2004
        block = int.from_bytes(head, "little")
        kind = block >> 1 & 3
        if kind == 3:  # noqa: PLR2004 - reserved (§3.1.1.2)
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
        return _ZstandardFrame(self._raw, start, self._streams, self._dictionary)

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


#: First bytes of a file -> its compression format.
MEMBER_FORMATS: dict[bytes | tuple[bytes, ...], Callable[[Window], MemberFormat]] = {
    b"\x1f\x8b\x08": Gzip,
    (b"\x28\xb5\x2f\xfd", *(bytes([0x50 + low]) + b"\x2a\x4d\x18" for low in range(16))): Zstandard,
}
