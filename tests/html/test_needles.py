"""Several byte strings are found where `bytes.find` finds each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.growth import assert_linear

from linkfix.html.needles import Needles

#: Few bytes, so that needles are found, begin alike, overlap and share pairs.
TEXT = st.text("aab<").map(str.encode)
NEEDLES = st.lists(st.text("aab<", min_size=2, max_size=9).map(str.encode), min_size=1, max_size=6)


@given(NEEDLES, TEXT | st.binary(), st.lists(TEXT), st.integers(0, 70))
def test_each_is_found_where_it_is_first(needles, data, between, end):
    data += b"".join(part + needle for part, needle in zip(between, needles, strict=False))
    assert Needles(needles).first(data, end) == [data.find(needle, 0, end) for needle in needles]
    whole = len(data)
    assert Needles(needles).first(data, whole) == [data.find(needle) for needle in needles]


@pytest.mark.parametrize("end", range(12))
def test_none_goes_beyond_the_end(end):
    data = b"01needle90"
    assert Needles([b"needle", b"90", b"01"]).first(data, end) == [
        2 if end >= 8 else -1,
        8 if end >= 10 else -1,
        0 if end >= 2 else -1,
    ]


def test_pairs_with_one_hash_are_told_apart():
    # 0x10 << 4 ^ 0x00 and 0x11 << 4 ^ 0x10
    assert Needles([b"\x10\x00"]).first(b"\x11\x10" * 3 + b"\x10\x00", 8) == [6]


@pytest.mark.growth
def test_time_grows_with_the_data():
    needles = Needles([b"aaaaaaab", b"baaaaaaa"])

    def prepare(size):
        data = b"a" * size
        return lambda: needles.first(data, size)

    assert_linear(prepare, 200_000)
