"""The compression methods of zip archives: decompressing in pieces, and compressing (APPNOTE.TXT 6.3)."""

from __future__ import annotations

import bz2
import io
import itertools
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from linkfix.containers.pieces import inflate, split_pieces
from linkfix.containers.zip_directory import ZipMember

__all__ = ["COMPRESSION_METHODS", "DECOMPRESSION_ERRORS", "CompressionMethod"]

_LZMA_END_MARKER = 0x2
#: How many bytes of memory a member's own LZMA parameters may ask for.
_LZMA_MEMORY = 1 << 28
_PIECE = 1 << 20


class CompressionMethod(NamedTuple):
    """A compression method."""

    unpack: Callable[[Iterator[bytes], ZipMember], Iterator[bytes]]
    """`unpack(raw, member)` decompresses what is read, in pieces."""
    pack: Callable[[bytes, int], bytes]
    """`pack(data, flags)` compresses."""
    flags: int = 0
    """Flags that a member gets which was compressed so."""


#: What decompressing raises for invalid data.
DECOMPRESSION_ERRORS: tuple[type[Exception], ...] = (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError)
#: §4.4.4: bits 1 and 2, how hard Deflate tried -> zlib's level.
_LEVELS = (6, 9, 1, 1)
#: §5.8.8: the version of the LZMA SDK, and how many bytes of properties follow.
_LZMA_HEADER = b"\x09\x14\x05\x00"


def _unpack(decompressor: bz2.BZ2Decompressor | lzma.LZMADecompressor, raw: Iterable[bytes]) -> Iterator[bytes]:
    for piece in raw:
        yield decompressor.decompress(piece, _PIECE)
        while not decompressor.needs_input and not decompressor.eof:
            yield decompressor.decompress(b"", _PIECE)
        if decompressor.eof:
            if decompressor.unused_data or next(iter(raw), b""):
                message = "more bytes follow its end"
                raise ValueError(message)
            return


def _deflate(data: bytes, flags: int) -> bytes:
    compressor = zlib.compressobj(_LEVELS[flags >> 1 & 3], zlib.DEFLATED, -zlib.MAX_WBITS)
    out = io.BytesIO()
    out.writelines(map(compressor.compress, split_pieces(data)))
    out.write(compressor.flush())
    return out.getvalue()


def _unlzma(raw: Iterator[bytes], member: ZipMember) -> Iterator[bytes]:
    known = b"\xff" * 8 if member.flags & _LZMA_END_MARKER else member.size.value.to_bytes(8, "little")
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_ALONE, memlimit=_LZMA_MEMORY)
    head = next(raw, b"")
    return _unpack(decompressor, itertools.chain([head[4:9] + known + head[9:]], raw))


def _lzma(data: bytes, _flags: int) -> bytes:
    alone = lzma.compress(data, lzma.FORMAT_ALONE)
    return _LZMA_HEADER + alone[:5] + alone[13:]


#: The number of a method (APPNOTE §4.4.5) -> the method.
COMPRESSION_METHODS: dict[int, CompressionMethod] = {
    0: CompressionMethod(lambda raw, _member: raw, lambda data, _flags: data),
    8: CompressionMethod(lambda raw, _member: inflate(raw, -zlib.MAX_WBITS), _deflate),
    12: CompressionMethod(
        lambda raw, _member: _unpack(bz2.BZ2Decompressor(), raw), lambda data, _flags: bz2.compress(data)
    ),
    14: CompressionMethod(_unlzma, _lzma, _LZMA_END_MARKER),
}
