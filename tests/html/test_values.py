from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.growth import processor_limit

from linkfix import Encoding, Row
from linkfix.encodings.character_references import decode
from linkfix.html import Value
from linkfix.html.values import byte_offsets, code_points
from linkfix.kernels.outline import Record
from linkfix.kernels.tokenizer import attributes

URL = Row("a", "t", "url", "hyperlink")
CSS = Row("style", "", "css", "resource")
JSON = Row("script", "", "importmap", "resource")

#: Characters whose bytes are easily taken for others: trailing bytes of "\\", "@", letters and digits.
SAMPLES = {
    "utf-8": "aé日𝓂/b\u0301 c",
    "windows-1251": "aд№/b c",
    "shift_jis": "a表ソｱ/十 b",
    "big5": "a功許/蓋 b",
    "gb18030": "a你\u00e9𝓂/乗 b",
    "gbk": "a丂乗/狛 b",
    "euc-kr": "a갂똠/힝 b",
    "euc-jp": "a表ｱ/乗 b",
    "windows-1252": "a€é/b",
}


def encoding(name):
    return Encoding(name, "meta", "a test")


def attribute(data, name="utf-8", **more):
    """The value of the only attribute of the tag that the data begin with."""
    [found] = attributes(data, 0)
    return Value(data, Record(URL, found.start, found.end, 0, found.quote), encoding(name), **more)


def element_text(raw, row=CSS, name="utf-8", *, foreign=False):
    return Value(raw, Record(row, 0, len(raw), 0, 0, text=True, foreign=foreign), encoding(name))


@pytest.mark.parametrize(("name", "text"), SAMPLES.items())
def test_every_code_point_has_its_bytes(name, text):
    data = b'<a t="' + encoding(name).encode(text) + b'">'
    value = attribute(data, name)
    assert value.text == text
    assert not value.undecodable
    for position in range(len(text) + 1):
        assert data[6 : value.at(position)] == encoding(name).encode(text[:position])


@pytest.mark.parametrize(
    ("name", "raw", "text"),
    [("big5", b"\x88\x62/\xa5\x5c/b", "\u00ca\u0304/功/b"), ("euc-jp", b"\x8f\xb0\xa1/\xbe\xe8/b", "丂/乗/b")],
)
def test_characters_that_no_encoder_writes(name, raw, text):
    """Big5 has characters of two code points, EUC-JP a table for decoding alone: neither round-trips."""
    value = attribute(b'<a t="' + raw + b'">', name)
    assert value.text == text
    assert [value.at(position) - 6 for position in (0, text.index("/"), text.rindex("/"))] == [
        0,
        raw.index(b"/"),
        raw.rindex(b"/"),
    ]
    assert value.at(len(text)) == 6 + len(raw)


@pytest.mark.parametrize(("name", "text"), SAMPLES.items())
def test_positions_may_fall_again(name, text):
    value = attribute(b'<a t="' + encoding(name).encode(text) + b'">', name)
    rising = [value.at(position) for position in range(len(text) + 1)]
    assert [value.at(position) for position in reversed(range(len(text) + 1))] == rising[::-1]


@pytest.mark.parametrize("name", SAMPLES)
@given(
    st.lists(st.sampled_from([b"\xff", b"\x80", b"\x81", b"\xe3\x81", b"/", b" ", b"a", b"\\", b"\xf0\x90"])).map(
        b"".join
    )
)
def test_delimiters_keep_their_positions_among_invalid_bytes(name, raw):
    value = attribute(b'<a t="' + raw + b'">', name)
    for delimiter in "/ ":
        found = [value.at(position) for position, character in enumerate(value.text) if character == delimiter]
        assert found == [6 + position for position, byte in enumerate(raw) if byte == ord(delimiter)]
    assert value.at(len(value.text)) == 6 + len(raw)


@pytest.mark.parametrize(
    ("name", "raw", "undecodable"),
    [
        ("utf-8", b"\xc3\xa9", False),
        ("utf-8", b"\xe9", True),
        ("utf-8", b"\xef\xbf\xbd", False),
        ("gb18030", b"\x84\x31\xa4\x37", False),
        ("shift_jis", b"\x81", True),
        ("shift_jis", b"\x81\x20", True),
        ("windows-1253", b"\xd2", True),
        ("windows-1252", b"\x81", False),
        ("euc-kr", b"?", False),
    ],
)
def test_undecodable(name, raw, undecodable):
    value = attribute(b'<a t="' + raw + b'">', name)
    assert value.undecodable is undecodable
    assert value.at(len(value.text)) == 6 + len(raw)


@pytest.mark.parametrize("name", ["utf-8", "shift_jis", "gb18030"])
def test_positions_pass_through_both_decodings(name):
    raw = "&amp;日&#x65E5;本&copy=日&#26412 /".encode({"utf-8": "utf-8"}.get(name, name))
    value = attribute(b"<a t='" + raw + b"'>", name)
    assert value.text == "&日日本&copy=日本 /"
    width = len("日".encode(name))
    assert [value.at(position) - 6 for position in range(5)] == [0, 5, 5 + width, 13 + width, 13 + 2 * width]
    assert value.at(len(value.text) - 2) == 6 + len(raw) - 2


def test_a_value_with_separate_text_has_one_span():
    value = attribute(b"<a t='&x;/y'>", text="long text/y")
    assert value.text == "long text/y"
    assert (value.at(0), value.at(len(value.text))) == (6, 11)


@pytest.mark.parametrize(
    ("raw", "foreign", "text"),
    [(b"a&amp;b", False, "a&amp;b"), (b"a&amp;b", True, "a&b"), (b"a&copy=b", True, "a\xa9=b"), (b"\0", False, "\0")],
)
def test_only_foreign_text_has_character_references(raw, foreign, text):
    assert element_text(raw, foreign=foreign).text == text


def write(value, text):
    """The raw value of a text that replaces all of a value."""
    return value.write(text, 0, len(value.text))


@pytest.mark.parametrize(
    ("tag", "text", "expected"),
    [
        (b'<a t="x">', "a\"b'c", b"a&quot;b'c"),
        (b"<a t='x'>", "a\"b'c", b'a"b&#39;c'),
        (b"<a t=x>", "a b>", b"a&#32;b&#62;"),
        (b"<a t>", 'a"b', b'="a&quot;b"'),
        (b"<a t=>", "a b", b'"a b"'),
        (b"<a t= >", "a", b'"a"'),
        (b'<a t="">', "a", b"a"),
        (b'<a t="x&y">', "?a&b", b"?a&b"),
        (b'<a t="x&amp;y">', "?a&b", b"?a&amp;b"),
        (b'<a t="x&y">', "?a&lt;b", b"?a&amp;lt;b"),
    ],
)
def test_write_in_each_kind_of_quotes(tag, text, expected):
    assert write(attribute(tag), text) == expected


def test_write_in_xml():
    assert write(attribute(b'<a t="x&y">', xml=True), "?a&b<c") == b"?a&amp;b&lt;c"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("windows-1252", "é日𝓂", b"\xe9&#26085;&#120002;"),
        ("shift_jis", "表é", b"\x95\x5c&#233;"),
        ("gb18030", "é𝓂", "é𝓂".encode("gb18030")),
        ("utf-8", "é𝓂", "é𝓂".encode()),
        ("windows-1251", "\ufffd", b"&#65533;"),
    ],
)
def test_characters_missing_from_the_encoding_are_escaped_in_attributes(name, text, expected):
    assert write(attribute(b'<a t="x">', name), text) == expected


@pytest.mark.parametrize(
    ("row", "foreign", "expected"),
    [
        (CSS, False, b"\xe9&<\\65e5 \\1d4c2 "),
        (JSON, False, b"\xe9&<\\u65e5\\ud835\\udcc2"),
        (CSS, True, b"\xe9&amp;&lt;&#26085;&#120002;"),
    ],
)
def test_characters_missing_from_the_encoding_are_escaped_in_text(row, foreign, expected):
    assert write(element_text(b"", row, "windows-1252", foreign=foreign), "é&<日𝓂") == expected


#: Without characters that do not round-trip: numeric references of C1 controls mean the characters of windows-1252, and
#: the encoders of Shift_JIS and EUC-JP write three characters as others (Encoding §12.1.2, §12.3.2).
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\xa5\u203e\u2212"), min_size=1)


@settings(deadline=None)
@given(TEXTS, st.sampled_from(sorted(SAMPLES)), st.sampled_from(['"', "'", ""]))
def test_a_written_value_is_read_back(text, name, quote):
    tag = b"<a t=" + quote.encode() + b"%b" + quote.encode() + b">"
    written = write(attribute(tag % b"x", name), text)
    assert attribute(tag % written, name).text == text
    assert decode(encoding(name).decode(written)).text == text


@given(st.text(st.characters(max_codepoint=0x20FF)), st.lists(st.integers(0, 60)))
def test_code_points(text, positions):
    data = text.encode("utf-8", "surrogatepass")
    ends = [len(text[:position].encode("utf-8", "surrogatepass")) for position in positions]
    count = code_points(data)
    assert [count(end) for end in ends] == [min(position, len(text)) for position in positions]


@pytest.mark.growth
@pytest.mark.parametrize("piece", [b"\xe9/", b"/", b"\xc3\xa9", b"\xff", b"\xe3\x81", b"a\xe9"])
@pytest.mark.parametrize("name", ["utf-8", "shift_jis"])
def test_offsets_of_long_values_take_linear_time(piece, name):
    raw = piece * 100_000
    source = encoding(name).decode(raw)
    with processor_limit(20):
        offset = byte_offsets(raw, source, encoding(name))
        assert [offset(position) for position in range(0, len(source), 3)] == sorted(
            map(offset, range(0, len(source), 3))
        )
        assert offset(len(source)) == len(raw)
