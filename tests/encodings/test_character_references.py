from __future__ import annotations

import itertools
from html.entities import html5

import html5lib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.each import for_each
from support.growth import processor_limit
from support.sizes import examples

from linkfix.encodings.character_references import LEGACY_NAMES, decode
from linkfix.html.values import escape_attribute, escape_text, has_bare_ampersands, separator

NAMES = sorted({name.removesuffix(";") for name in html5})


def read(values):
    """The values that html5lib reads from attributes written like this, quotes included."""
    root = html5lib.parse("".join(f"<br title={value}>" for value in values), namespaceHTMLElements=False)
    return [element.get("title") for element in root.iter("br")]


def read_text(raw):
    return html5lib.parse(f"<title>{raw}</title>", namespaceHTMLElements=False).findtext("head/title")


@pytest.mark.slow
@pytest.mark.parametrize("after", ["", ";", "=", ";=", "x", "0", " ", "&", "/", "\xe9", "x;"])
def test_all_names_as_another_parser_reads_them(after):
    raw = [f"&{name}{after}" for name in NAMES]
    assert [decode(one).text for one in raw] == read([f'"{one}"' for one in raw])


@pytest.mark.parametrize("after", ["", ";", "=", "x", " "])
def test_all_names_in_text(after):
    raw = " ".join(f"a&{name}{after}" for name in NAMES)
    assert decode(raw, in_attribute=False).text == read_text(raw)


PIECES = ["&", "#", "x", "X", ";", "=", "0", "9", "80", "D800", "10FFFF", "110000", "a", "F", "\xe9", " "]


@settings(deadline=None, max_examples=examples(300))
@given(
    st.lists(st.sampled_from([*PIECES, "&#", "&#x", "&copy", "&not", "&notin", "&amp;", "&lt"]), max_size=8).map(
        "".join
    )
)
def test_random_texts_as_another_parser_reads_them(raw):
    assert [decode(raw).text] == read([f'"{raw}"'])
    assert decode(f"-{raw}", in_attribute=False).text == read_text(f"-{raw}")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        # §13.2.5.73: in an attribute, a name without semicolon before "=" or an alphanumeric is no reference
        ("&copy=3", "&copy=3"),
        ("&copy;=3", "\xa9=3"),
        ("&copy", "\xa9"),
        ("&copy&", "\xa9&"),
        ("&copy/", "\xa9/"),
        ("&copyx", "&copyx"),
        ("&copy1", "&copy1"),
        ("&copyx;", "&copyx;"),
        ("&notit;", "&notit;"),
        ("&notin;", "\u2209"),
        ("&notin", "&notin"),
        ("&ampamp;", "&ampamp;"),
        ("&amp;amp;", "&amp;"),
        ("&NotEqualTilde;", "\u2242\u0338"),
        ("&COPY;&Copy;", "\xa9&Copy;"),
        # §13.2.5.80
        ("&#0;&#x0;&#00;", "\ufffd\ufffd\ufffd"),
        ("&#xD7FF;&#xD800;&#xDFFF;&#xE000;", "\ud7ff\ufffd\ufffd\ue000"),
        ("&#x10FFFF;&#x110000;&#1114111;&#1114112;", "\U0010ffff\ufffd\U0010ffff\ufffd"),
        (f"&#{'9' * 10_000};&#x{'F' * 10_000};", "\ufffd\ufffd"),
        (f"&#{'0' * 10_000}65;", "A"),
        ("&#128;&#x9F;&#x81;&#xA0;", "\u20ac\u0178\x81\xa0"),
        ("&#xFDD0;&#xFFFF;&#11;", "\ufdd0\uffff\x0b"),
        ("&#65&#x42&#X43;D", "ABCD"),
        ("&#65=&#x42=", "A=B="),
        ("&#;&#x;&#xg;&# 1;&", "&#;&#x;&#xg;&# 1;&"),
        ("&#x1g;", "\x01g;"),
        ("a\0b", "a\ufffdb"),
    ],
)
def test_decode(raw, text):
    assert decode(raw).text == text


@pytest.mark.parametrize(
    ("raw", "text"),
    [("&copy=3", "\xa9=3"), ("&copyx", "\xa9x"), ("&notit;", "\xacit;"), ("&notin", "\xacin"), ("&notin;", "\u2209")],
)
def test_decode_text(raw, text):
    assert decode(raw, in_attribute=False).text == text


UNITS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="&;\0"), min_size=1, max_size=3).map(
        lambda s: (s, s)
    ),
    st.sampled_from(
        [
            *[
                ("&amp;", "&"),
                ("&#x41;", "A"),
                ("&#0065;", "A"),
                ("&NotEqualTilde;", "\u2242\u0338"),
                ("&#0;", "\ufffd"),
            ],
            *[("\0", "\ufffd"), ("&notit;", "&notit;"), ("&;", "&;")],
        ]
    ),
)


@given(st.lists(UNITS))
def test_positions_of_pieces_in_the_raw_text(units):
    decoded = decode("".join(raw for raw, _ in units))
    assert decoded.text == "".join(text for _, text in units)
    for count in range(len(units) + 1):
        raw, text = ("".join(column) for column in zip(*units[:count], strict=True)) if count else ("", "")
        assert decoded.raw_at(len(text)) == len(raw)


CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")


@settings(deadline=None)
@given(st.text(CHARACTERS), st.text(CHARACTERS), st.sampled_from([34, 39]))
def test_a_quoted_value_is_read_back(text, like, quote):
    written = escape_attribute(text, quote, bare_ampersands=has_bare_ampersands(like))
    assert decode(written).text == text
    assert read([f"{chr(quote)}{written}{chr(quote)}"]) == [text]


@settings(deadline=None)
@given(st.text(CHARACTERS, min_size=1), st.text(CHARACTERS))
def test_an_unquoted_value_is_read_back(text, like):
    written = escape_attribute(text, 0, bare_ampersands=has_bare_ampersands(like))
    assert decode(written).text == text
    assert read([written]) == [text]


@settings(deadline=None)
@given(st.lists(st.sampled_from(["&", "copy", ";", "=", "amp", "#65", "x", '"', "'", "<", ">"])).map("".join))
def test_ampersands_stay_bare_only_if_they_read_back(text):
    for like in ("?a&b", "&amp;", ""):
        for quote in (34, 39):
            assert decode(escape_attribute(text, quote, bare_ampersands=has_bare_ampersands(like))).text == text


@pytest.mark.parametrize(
    ("text", "quote", "like", "expected"),
    [
        ("a&b", 34, "", "a&amp;b"),
        ("a&b", 34, "x&y", "a&b"),
        ("a&b", 34, "x&y&amp;z", "a&amp;b"),
        ("a&copy;b", 34, "x&y", "a&amp;copy;b"),
        ("a&copy=b", 34, "x&y", "a&copy=b"),
        ("\"'", 34, "", "&quot;'"),
        ("\"'", 39, "", '"&#39;'),
        ("a b>c\"d'e<f`g\th", 0, "", "a&#32;b&#62;c&#34;d&#39;e&#60;f&#96;g&#9;h"),
        ("a=b/", 0, "", "a=b/"),
        ("<>", 34, "", "<>"),
    ],
)
def test_attributes_are_escaped(text, quote, like, expected):
    assert escape_attribute(text, quote, bare_ampersands=has_bare_ampersands(like)) == expected


@given(st.text(CHARACTERS))
def test_text_is_read_back_and_has_no_markup(text):
    written = escape_text(text)
    assert decode(written, in_attribute=False).text == text
    assert not set("<>") & set(written)


@pytest.mark.growth
@pytest.mark.parametrize("piece", ["&", "&#", "&#x", "&a", "&copy", "&amp;", "a" * 100 + "&", "&#x41", "&lt;\0", "\0"])
def test_hostile_texts_take_linear_time(piece):
    raw = piece * 200_000 + "a" * 200_000
    with processor_limit(10):
        decoded = decode(raw)
        assert decoded.raw_at(len(decoded.text)) == len(raw)


#: The end of the text before a written text: with and without a semicolon, and no reference at all.
BEFORE = ["&quot", "&quot;", "&#9", "&#x9", "&#x27;", "&not", "&lt", "&amp", "&", "&#", "&hearts;", "x", "&AMP", "&#x"]
#: Which it could be a part of.
AFTER = ["https://h/", "ftp://h", "file:", "1:x", "=x", ";x", "in;x", "amp;", "#9;", "x9", "&quot", "", "é", "/x"]


@for_each(itertools.product(BEFORE, AFTER, [True, False]))
def test_text_after_a_character_reference_does_not_change_it(before, after, in_attribute):
    value = decode(before, in_attribute=in_attribute)
    reference = value.reference_before(before, len(value.text))
    if not reference:
        assert value.text == before
        return
    between = separator(reference, after, in_attribute=in_attribute)
    read = decode(before + between + after, in_attribute=in_attribute)
    assert read.text == value.text + decode(after, in_attribute=in_attribute).text
    assert between in {"", ";"}
    if between:
        assert decode(before + after, in_attribute=in_attribute).text != read.text


@given(st.lists(st.sampled_from(["&", "copy", ";", "=", "amp", "#65", "x", "#", "notin"])).map("".join))
def test_bare_ampersands_are_read_back_before_any_text(text):
    for following in ("", ";", "=", "x", "6", "#", "&", '"'):
        written = escape_attribute(text, 39, bare_ampersands=True, following=following)
        assert decode(written + following).text == text + following


def test_names_without_semicolon_are_in_the_standard():
    assert {name for name in html5 if not name.endswith(";")} == LEGACY_NAMES
