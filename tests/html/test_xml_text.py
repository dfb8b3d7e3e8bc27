"""The text of an XML element, beside expat's reading."""

from __future__ import annotations

from xml.parsers import expat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.sizes import examples

from linkfix import Encoding, Row
from linkfix.encodings import STR
from linkfix.html.xml_outline import XmlText
from linkfix.kernels.outline import Record

UTF_8 = Encoding("utf-8", "default", "")
LATIN = Encoding("windows-1252", "default", "")
ROW = Row("link", "", "url", "hyperlink", namespace="rss")

#: Without carriage returns, which a parser changes (XML 1.0 §2.11).
_CHARACTERS = st.text("ab]>&<;\"' é\U0001f600\n", max_size=6)
#: Pieces of an element's content.
_PIECES = st.one_of(
    _CHARACTERS.map(lambda text: text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")),
    _CHARACTERS.filter(lambda text: "]]>" not in text).map(lambda text: f"<![CDATA[{text}]]>"),
    st.sampled_from(["&#93;", "&gt;", "&#x3e;", "]", "]]", ">", "<!-- ]]> < -->", "<?x > ?>", "&quot;", "a"]),
)


def by_expat(content):
    """The text of an element with this content; None if it is not well-formed."""
    parser = expat.ParserCreate()
    found = []
    parser.CharacterDataHandler = found.append
    try:
        parser.Parse(f"<a>{content}</a>".encode(), True)
    except expat.ExpatError:
        return None
    return "".join(found)


def xml_text(content, output=UTF_8):
    data = f"<a>{content}</a>".encode()
    return data, XmlText(data, Record(ROW, 3, len(data) - 4, 0, 0, text=True, foreign=True, sections=True), STR, output)


contents = st.lists(_PIECES, max_size=8).map("".join).filter(lambda content: by_expat(content) is not None)


@settings(max_examples=examples(300))
@given(contents)
def test_the_text_equals_the_text_that_expat_reads(content):
    assert xml_text(content)[1].text == by_expat(content)


@settings(max_examples=examples(1000))
@given(contents, st.one_of(_CHARACTERS, st.just("a\rb")), st.data())
def test_written_text_is_read_back_and_other_text_stays(content, new, data):
    document, value = xml_text(content)
    start = data.draw(st.integers(0, len(value.text)))
    end = data.draw(st.integers(start, len(value.text)))
    first, last = value.span(start, end)
    written = document[:first] + value.write(new, start, end) + document[last:]
    assert by_expat(written.decode()[3:-4]) == value.text[:start] + new + value.text[end:]


@settings(max_examples=examples(300))
@given(contents, st.text("ab]>é中\U0001f600", max_size=5), st.data())
def test_characters_that_the_encoding_lacks_are_references(content, new, data):
    document, value = xml_text(content, LATIN)
    at = data.draw(st.integers(0, len(value.text)))
    first, last = value.span(at, at)
    written = document[:first] + value.write(new, at, at) + document[last:]
    assert "中" not in value.write(new, at, at).decode()
    assert by_expat(written.decode()[3:-4]) == value.text[:at] + new + value.text[at:]


@pytest.mark.parametrize("character", ["\0", "\x01", "\x0b", "\ufffe", "\uffff"])
@pytest.mark.parametrize("content", ["x", "<![CDATA[x]]>"])
def test_characters_forbidden_in_xml_are_percent_encoded(content, character):
    _, value = xml_text(content)
    assert value.write(f"a{character}b", 0, 1).decode() in {
        "a%00b",
        "a%01b",
        "a%0Bb",
        "a%EF%BF%BEb",
        "a%EF%BF%BFb",
    }


@pytest.mark.parametrize(
    ("content", "span", "new", "expected"),
    [
        ("<![CDATA[ab]]>", (0, 1), "c]]>d", "<![CDATA[c]]]]><![CDATA[>db]]>"),
        ("<![CDATA[a]]]>", (0, 1), "]]", "<![CDATA[]]]]]>"),
        ("<![CDATA[a>]]>", (0, 1), "]]", "<![CDATA[]]]]><![CDATA[>]]>"),
        ("<![CDATA[]]a>]]>", (2, 3), "", "<![CDATA[]]]]><![CDATA[>]]>"),
        ("a>", (0, 1), "]]", "]&#93;>"),
        ("]]a>", (2, 3), "", "]]<![CDATA[]]>>"),
        ("a", (0, 1), "]]>\r", "]]&gt;&#13;"),
        ("<![CDATA[a]]>", (0, 1), "b\r", "<![CDATA[b]]>&#13;<![CDATA[]]>"),
        ("a<![CDATA[b]]>", (0, 2), "c<", "c<![CDATA[<]]>"),
        ("<![CDATA[a]]>b&amp;", (0, 2), "c<", "<![CDATA[c]]>&lt;&amp;"),
        ("<![CDATA[ab]]><!-- x --><![CDATA[cd]]>", (1, 3), "e", "<![CDATA[aed]]>"),
        ("a<?x?>b", (0, 2), "c", "c"),
    ],
)
def test_sections_and_characters_are_escaped(content, span, new, expected):
    document, value = xml_text(content)
    first, last = value.span(*span)
    written = document[:first] + value.write(new, *span) + document[last:]
    assert written.decode()[3:-4] == expected
    assert by_expat(expected) == value.text[: span[0]] + new + value.text[span[1] :]


def test_a_span_in_one_piece_is_in_its_bytes():
    document, value = xml_text("<![CDATA[ab]]>cd")
    assert [document[slice(*value.span(*span))] for span in [(0, 2), (2, 4), (1, 3), (0, 0)]] == [
        b"ab",
        b"cd",
        b"b]]>c",
        b"",
    ]


def test_text_without_any_piece():
    _, value = xml_text("<!-- x -->")
    assert (value.text, value.span(0, 0), value.write("<", 0, 0)) == ("", (3, 3), b"&lt;")
