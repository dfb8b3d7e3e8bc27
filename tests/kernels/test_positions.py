from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.growth import processor_limit
from support.sizes import examples

from linkfix import Encoding
from linkfix.encodings import STR
from linkfix.kernels.positions import Positions


def positions(data, name="utf-8", bom=0):
    return Positions(data, Encoding(name, "meta", "a test", bom))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"ab", [(1, 1), (1, 2), (1, 3)]),
        (b"a\nb", [(1, 1), (1, 2), (2, 1), (2, 2)]),
        (b"a\rb", [(1, 1), (1, 2), (2, 1), (2, 2)]),
        (b"a\r\nb", [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2)]),
        (b"\n\r\r\n\n", [(1, 1), (2, 1), (3, 1), (3, 2), (4, 1), (5, 1)]),
        (b"\r\n", [(1, 1), (1, 2), (2, 1)]),
        (b"\x0b\x0c", [(1, 1), (1, 2), (1, 3)]),
        (b"", [(1, 1)]),
    ],
)
def test_lines_end_at_cr_lf_and_crlf(data, expected):
    assert list(map(positions(data).of, range(len(data) + 1))) == expected
    assert [positions(data).of(offset) for offset in range(len(data) + 1)] == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [("utf-8", "aé日𝓂\nb日c"), ("shift_jis", "表a\n表b"), ("gb18030", "你𝓂\n乗b"), ("windows-1251", "ж\nж")],
)
def test_columns_count_characters(name, text):
    encoding = Encoding(name, "meta", "a test")
    data = encoding.encode(text)
    lines = positions(data, name)
    for count in range(len(text) + 1):
        before = text[:count]
        column = count - before.rfind("\n")
        assert lines.of(len(encoding.encode(before))) == (1 + before.count("\n"), column)


@pytest.mark.parametrize(("data", "bom"), [(b"\xef\xbb\xbfab\nc", 3), (b"ab\nc", 0)])
def test_a_byte_order_mark_is_no_character(data, bom):
    lines = positions(data, bom=bom)
    assert [lines.of(bom + offset) for offset in (0, 1, 2, 3)] == [(1, 1), (1, 2), (1, 3), (2, 1)]
    assert positions(data, bom=bom).of(0) == (1, 1)


PIECES = ["a", "é", "日", "\n", "\r", "\r\n"]


@given(st.lists(st.sampled_from(PIECES)), st.data())
def test_offsets_come_in_any_order(pieces, drawn):
    ends = [len("".join(pieces[:count]).encode()) for count in range(len(pieces) + 1)]
    data = "".join(pieces).encode()
    rising = dict(zip(ends, map(positions(data).of, ends), strict=True))
    asked = drawn.draw(st.lists(st.sampled_from(ends)))
    lines = positions(data)
    assert [lines.of(offset) for offset in asked] == [rising[offset] for offset in asked]


@given(st.lists(st.integers(0, 70)))
def test_long_runs_of_ascii_are_counted_as_their_characters(lengths):
    text = "é".join("a" * length for length in lengths)
    assert positions(text.encode()).of(len(text.encode())) == (1, len(text) + 1)


#: The first and last of each row of Unicode's table 3-7, their neighbours outside, and parts of them.
UTF_8_PIECES = [
    b"\x7f",
    b"\x80",
    b"\xbf",
    b"\xc1\xbf",
    b"\xc2\x80",
    b"\xdf\xbf",
    b"\xe0\x9f\xbf",
    b"\xe0\xa0\x80",
    b"\xec\xbf\xbf",
    b"\xed\x9f\xbf",
    b"\xed\xa0\x80",
    b"\xed\xbf\xbf",
    b"\xee\x80\x80",
    b"\xef\xbf\xbf",
    b"\xf0\x8f\xbf\xbf",
    b"\xf0\x90\x80\x80",
    b"\xf3\xbf\xbf\xbf",
    b"\xf4\x8f\xbf\xbf",
    b"\xf4\x90\x80\x80",
    b"\xf5\x80\x80\x80",
    b"\xff",
    b"\xc2",
    b"\xe0\xa0",
    b"\xf0\x90\x80",
    b"\x00",
    b"aaaaaaaa",
]


@given(st.lists(st.sampled_from(UTF_8_PIECES)).map(b"".join) | st.binary())
def test_columns_of_broken_utf_8_count_replacement_characters(data):
    data = data.replace(b"\n", b"").replace(b"\r", b"")
    assert positions(data).of(len(data)) == (1, 1 + len(data.decode("utf-8", "replace")))


@given(st.lists(st.sampled_from(PIECES)))
def test_lines_end_with_universal_newlines(pieces):
    text = "".join(pieces)
    lines = Positions(text.encode(), STR)
    read = text.replace("\r\n", "\n").replace("\r", "\n")
    assert lines.of(len(text.encode())) == (1 + read.count("\n"), len(read) - read.rfind("\n"))


@pytest.mark.growth
@pytest.mark.parametrize("piece", [b"a", b"a\n", b"\r", b"\xc3\xa9", b"\r\n"])
def test_long_documents_take_linear_time(piece):
    data = piece * 200_000
    lines = positions(data)
    with processor_limit(10):
        for offset in range(0, len(data), len(piece)):
            lines.of(offset)


@settings(max_examples=examples(1000))
@given(
    st.sampled_from(["euc-jp", "gbk", "gb18030", "big5", "shift_jis", "euc-kr"]),
    st.lists(
        st.binary(max_size=5)
        | st.sampled_from([b"\x81\x30\x81\x30", b"\x8f\xa2\xaf", b"\x8e\xb1", b"\x88\x62", b"\x95\\", b"a", b"\xff"])
        | st.text("日本表能é가한", max_size=3).map(lambda text: text.encode("gb18030")),
        max_size=8,
    ).map(b"".join),
)
def test_columns_count_what_the_decoder_reads(name, data):
    data = data.replace(b"\n", b"").replace(b"\r", b"")
    encoding = Encoding(name, "meta", "a test")
    assert Positions(data, encoding).of(len(data)) == (1, len(encoding.decode(data)) + 1)
