"""br and zstd by each library that is installed: the same bytes, the same faults, and no more at once than a limit."""

from __future__ import annotations

import importlib
import random
import tracemalloc

import brotli
import pytest

from linkfix.containers import BodyFault, HeaderBlock, decode_body, pieces
from linkfix.containers.pieces import join_pieces, read_stream


def noise(length):
    """Bytes that no coding makes much shorter; the same every time."""
    return random.Random(length).randbytes(length)  # noqa: S311


PAGE = b"<!DOCTYPE html><p><a href=x>" + noise(300_000) + b"</a>" * 100_000
ONLY = [(coding, reader.module) for coding, readers in pieces._READERS.items() for reader in readers]


@pytest.fixture(params=ONLY, ids="-".join)
def coding(request, monkeypatch):
    """A coding with one library installed."""
    coding, module = request.param
    pytest.importorskip(module)
    importing = importlib.import_module

    def only(name):
        if name != module:
            raise ImportError(name)
        return importing(name)

    monkeypatch.setattr(pieces.importlib, "import_module", only)
    return coding


def compressed(coding, data):
    if coding == "br":
        return brotli.compress(data, quality=5)
    if zstd := _zstd():
        return zstd.compress(data)
    return pytest.importorskip("zstandard").compress(data)


def _zstd():
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return __import__(name, fromlist=["compress"])
        except ImportError:
            continue
    return None


def decoded(coding, body, limit=1 << 30):
    return decode_body(body, HeaderBlock(f"\nContent-Encoding: {coding}\n".encode()), limit)


def test_a_body(coding):
    assert decoded(coding, compressed(coding, PAGE)) == PAGE
    assert decoded(coding, compressed(coding, b"")) == b""


def test_bodies_of_all_lengths(coding):
    for length in (1, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097):
        data = noise(length)
        assert decoded(coding, compressed(coding, data)) == data


@pytest.mark.parametrize("cut", [1, 5, 1000, 290_000])
def test_a_body_that_is_cut_off(coding, cut):
    made = decoded(coding, compressed(coding, PAGE)[:-cut])
    assert isinstance(made, BodyFault)
    assert made.code == "part-damaged"


def test_a_body_with_other_bytes_behind_it(coding):
    assert decoded(coding, compressed(coding, PAGE) + b"<p>and more").code == "part-damaged"


def test_several_frames_of_zstd_are_one_body(coding):
    """RFC 8878 §3: frames may be concatenated. A stream of br is one."""
    twice = decoded(coding, compressed(coding, PAGE) * 2)
    assert twice == PAGE * 2 if coding == "zstd" else twice.code == "part-damaged"


def test_a_damaged_body(coding):
    body = bytearray(compressed(coding, PAGE))
    body[8:40] = b"\xff" * 32
    assert decoded(coding, bytes(body)) != PAGE


def test_no_more_than_the_limit_is_in_memory(coding):
    bomb = compressed(coding, bytes(400_000_000))
    tracemalloc.start()
    try:
        assert decoded(coding, bomb, 1 << 20).code == "part-too-large"
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


def test_without_a_library(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(pieces.importlib, "import_module", missing)
    for coding, wanted in (("br", "pip install brotli"), ("zstd", "pip install zstandard")):
        with pytest.raises(ImportError, match=wanted):
            read_stream(coding, b"")
        assert wanted in decoded(coding, compressed(coding, PAGE)).detail


def test_pieces_are_decoded_on_demand(coding):
    assert join_pieces(read_stream(coding, compressed(coding, PAGE)), 1 << 30) == PAGE
