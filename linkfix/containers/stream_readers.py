"""Decompressors for br and zstd, from the first library that is installed. Python itself has zstd since 3.14.

All of them raise OSError for a stream that is damaged or cut off. They yield a large body in pieces, so that the caller
can stop at a limit.
"""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

#: The approximate number of bytes that are decompressed at a time.
_PIECE = 1 << 20
#: The number of bytes that are fed at a time to a decompressor that always decompresses all its input. Four bytes of
#: zstd can become 128 KiB (RFC 8878 §3.1.1.2: an RLE block).
_FED = 256


class _Decompressor(NamedTuple):
    """A library that decompresses a coding."""

    module: str
    pieces: Callable[[Any, bytes], Iterator[bytes]]
    """`pieces(module, body)` decompresses a body with the library's module."""
    error: str
    """The name of the exception that the library raises for a damaged stream."""


def _by_fastwarc(name: str) -> Callable[[Any, bytes], Iterator[bytes]]:
    def pieces(module: Any, body: bytes) -> Iterator[bytes]:
        stream = getattr(module, name)(io.BytesIO(body))
        return iter(lambda: stream.read(_PIECE), b"")

    return pieces


def _by_brotli(module: Any, body: bytes) -> Iterator[bytes]:
    decompressor = module.Decompressor()
    if hasattr(decompressor, "can_accept_more_data"):  # from 1.2 on
        yield decompressor.process(body, output_buffer_limit=_PIECE)
        while not decompressor.is_finished() and not decompressor.can_accept_more_data():
            yield decompressor.process(b"", output_buffer_limit=_PIECE)
    else:
        # One byte can become 16 MiB (RFC 7932 §9.2: the longest meta-block).
        for at in range(len(body)):
            yield decompressor.process(body[at : at + 1])
    if not decompressor.is_finished():
        message = "it is cut off"
        raise EOFError(message)


def _by_zstandard(module: Any, body: bytes) -> Iterator[bytes]:
    frame = None
    at = 0
    while at < len(body) or frame is not None:
        if frame is None:
            frame = module.ZstdDecompressor().decompressobj()
        if at >= len(body):
            message = "it is cut off"
            raise EOFError(message)
        yield frame.decompress(body[at : at + _FED])
        at += _FED
        if frame.eof:
            at = min(at, len(body)) - len(frame.unused_data)
            frame = None


def _by_file(module: Any, body: bytes) -> Iterator[bytes]:
    stream = module.ZstdFile(io.BytesIO(body))
    return iter(lambda: stream.read(_PIECE), b"")


#: The libraries that decompress each coding. The first installed library is used.
_READERS = {
    "br": (
        _Decompressor("fastwarc.stream_io", _by_fastwarc("BrotliReader"), "Error"),
        _Decompressor("brotli", _by_brotli, "error"),
    ),
    "zstd": (
        _Decompressor("fastwarc.stream_io", _by_fastwarc("ZstdReader"), "Error"),
        _Decompressor("compression.zstd", _by_file, "ZstdError"),
        _Decompressor("backports.zstd", _by_file, "ZstdError"),
        _Decompressor("zstandard", _by_zstandard, "ZstdError"),
    ),
}
#: The packages to install for each coding, in words.
_NEEDED = {
    "br": "brotli or fastwarc: pip install brotli",
    "zstd": "zstandard, backports.zstd or fastwarc (or Python 3.14): pip install zstandard",
}


def read_stream(coding: str, body: bytes) -> Iterator[bytes]:
    """Decompress a body in pieces.

    Raises ImportError if no library for the coding is installed, OSError for a damaged stream.
    """
    for reader in _READERS[coding]:
        try:
            module = importlib.import_module(reader.module)
        except ImportError:
            continue
        return _pieces(reader, module, body)
    raise ImportError(_NEEDED[coding])


def _pieces(reader: _Decompressor, module: Any, body: bytes) -> Iterator[bytes]:
    errors = getattr(module, reader.error, OSError)
    try:
        yield from reader.pieces(module, body)
    except (errors, EOFError) as error:
        raise OSError(str(error)) from error
