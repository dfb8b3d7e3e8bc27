"""The members of a compressed WARC file: isal reads gzip's as zlib does, the damaged ones too."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.extras import needed

from linkfix.containers import Window, warc_records
from linkfix.containers.warc_records import Gzip

isal_zlib = needed("isal.isal_zlib")

TEXT = b"WARC/1.1\r\nContent-Length: 5\r\n\r\n<a href=x>" * 4000
AFTER = [b"", b"\0" * 20, b"\x1f\x8b\x08 no member", zlib.compress(TEXT[:50], wbits=31)]


def packed(level, size):
    """A member."""
    pack = zlib.compressobj(level, wbits=31)
    return pack.compress(TEXT[:size]) + pack.flush()


def read(data, isal):
    """The readable text of the first member, its end, and its fault."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(warc_records, "_isal", lambda: isal)
        member = Gzip(Window(data)).open(0)
        text = b"".join(member)
    return text, member.reached, member.fault


def agree(data):
    """Check that isal and zlib read the same; return it."""
    fast, slow = read(data, isal_zlib), read(data, None)
    if slow[2] is None:
        assert fast == slow
    else:  # of a member with a fault nothing is used but the fault, and how far zlib came
        assert fast[1:] == slow[1:]
        assert fast[0].startswith(slow[0])
    return slow


def test_isal_is_used():
    assert warc_records._isal() is isal_zlib


sizes = st.integers(0, len(TEXT))
levels = st.sampled_from([0, 1, 6, 9])


@given(levels, sizes, st.sampled_from(AFTER))
def test_whole_members(level, size, after):
    data = packed(level, size)
    assert agree(data + after) == (TEXT[:size], len(data), None)


@given(levels, sizes, st.data())
def test_cut_members(level, size, draw):
    data = packed(level, size)
    _, reached, fault = agree(data[: draw.draw(st.integers(0, len(data) - 1))])
    assert reached < len(data)
    assert fault is not None
    assert fault[0] == "container-damaged"


@given(levels, sizes, st.data())
def test_damaged_members(level, size, draw):
    data = bytearray(packed(level, size))
    at = draw.draw(
        st.one_of(st.integers(0, len(data) - 1), st.integers(0, 11), st.integers(len(data) - 8, len(data) - 1))
    )
    data[at] ^= 1 << draw.draw(st.integers(0, 7))
    agree(bytes(data))


def test_a_damaged_member_with_an_end_that_isal_misses():
    data = bytearray(packed(6, 3008))
    data[60] ^= 1 << 1
    _, _, fault = agree(bytes(data))
    assert fault[0] == "part-damaged"


def test_each_reserved_flag_and_the_check_value_are_checked():
    whole = packed(6, 1000)
    for at, bit in [(3, 0x20), (3, 0x40), (3, 0x80), (len(whole) - 8, 1), (len(whole) - 4, 1)]:
        data = bytearray(whole)
        data[at] ^= bit
        _, _, fault = agree(bytes(data))
        assert fault is not None
        assert fault[0] == "part-damaged"
