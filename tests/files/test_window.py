"""Searching a file by pieces gives the result of one search of the whole."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkfix.files import window
from linkfix.files.window import Window

PATTERN = re.compile(rb"ab{1,4}c")
OVERLAP = 6


@pytest.fixture(autouse=True, scope="module")
def _small_pieces():
    patch = pytest.MonkeyPatch()
    patch.setattr(window, "_BUFFER", 8)
    yield
    patch.undo()


class Counting(io.BytesIO):
    """Counts the bytes that are read."""

    count = 0

    def read(self, size=-1):
        data = super().read(size)
        self.count += len(data)
        return data


@given(st.lists(st.sampled_from([b"a", b"b", b"bb", b"c", b"abc", b"x", b"abbbbc"])).map(b"".join), st.data())
def test_pieces_and_a_single_search_find_the_same(data, draw):
    start = draw.draw(st.integers(0, len(data)))
    end = draw.draw(st.none() | st.integers(start, len(data) + 3))
    match = PATTERN.search(data, start, len(data) if end is None else end)
    expected = -1 if match is None else match.start()
    for source in (data, io.BytesIO(data)):
        assert Window(source).search(PATTERN, start, OVERLAP, end) == expected


def test_successive_places_are_found_with_few_reads():
    data = b"abc--" * 1000
    source = Counting(data)
    text = Window(source)
    places = [text.search(PATTERN, 0, OVERLAP)]
    while (found := text.search(PATTERN, places[-1] + 1, OVERLAP)) >= 0:
        places.append(found)
    assert places == list(range(0, len(data), 5))
    assert source.count < 8 * len(data)


def test_a_file_that_was_cut_short_ends_the_search():
    source = io.BytesIO(b"x" * 1000)
    text = Window(source)
    source.truncate(20)
    assert text.search(PATTERN, 0, OVERLAP) == -1


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(-3, 20))))
def test_any_span_can_be_read_after_any_other(spans):
    data = bytes(range(40))
    for text in (Window(data), Window(io.BytesIO(data))):
        assert [text.read(*span) for span in spans] == [data[start : start + max(length, 0)] for start, length in spans]


def test_bytes_are_read_backward_with_few_reads():
    data = bytes(range(256)) * 4
    source = Counting(data)
    text = Window(source)
    assert bytes(text.read(at, 1)[0] for at in reversed(range(len(data)))) == data[::-1]
    assert source.count < 5 * len(data)
