"""Several byte strings are found where `bytes.find` finds each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import for_each
from support.growth import assert_linear

from linkfix.kernels.needles import Needles

#: Few bytes, so that needles are found, begin alike, overlap and share pairs.
TEXT = st.text("aab<").map(str.encode)
NEEDLES = st.lists(st.text("aab<", min_size=2, max_size=9).map(str.encode), min_size=1, max_size=6)


PAIRS = st.lists(st.text("ab<x", min_size=2, max_size=2).map(str.encode), max_size=3)


@given(NEEDLES, PAIRS, TEXT | st.binary(), st.lists(TEXT), st.integers(0, 300))
def test_each_needle_is_found_at_its_first_occurrence(needles, pairs, data, between, end):
    data += b"".join(part + needle for part, needle in zip(between, needles, strict=False))
    together = Needles(needles, pairs)
    assert together.first(data, end) == [data.find(needle, 0, end) for needle in needles]
    assert together.first(data, len(data)) == [data.find(needle) for needle in needles]


@given(st.integers(0, 200), st.integers(0, 200), st.binary(min_size=1, max_size=1))
def test_each_is_found_at_every_place_of_a_block(before, behind, filler):
    needles = [b"a needle", b"(a pair}", b"pair(", b"x)"]
    for needle in needles:
        data = filler * before + needle + filler * behind
        assert Needles(needles, [b"pa", b"le"]).first(data, len(data)) == [data.find(one) for one in needles]


@for_each(range(12))
def test_no_needle_is_found_beyond_the_end(end):
    data = b"01needle90"
    assert Needles([b"needle", b"90", b"01"]).first(data, end) == [
        2 if end >= 8 else -1,
        8 if end >= 10 else -1,
        0 if end >= 2 else -1,
    ]


@pytest.mark.growth
def test_time_grows_with_the_data():
    needles = Needles([b"aaaaaaab", b"baaaaaaa"], [b"aa"])

    def prepare(size):
        data = b"a" * size
        return lambda: needles.first(data, size)

    assert_linear(prepare, 200_000)
