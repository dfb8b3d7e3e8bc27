"""Plain texts as documents: RFC 2396 Appendix E finds their references, and nothing changes unless it is asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkfix

URL = "http://r.example/d/e"
TEXT = 'See <URL:../x>, "http://a.example/b",\r\nüber www.w3.org/Addressing/ and <URL:y\n  z>.\n'
ABSOLUTE = (
    'See <URL:http://r.example/x>, "http://a.example/b",\r\n'
    "über http://www.w3.org/Addressing/ and <URL:http://r.example/d/yz>.\n"
)


def document(text, **how):
    return linkfix.Document(text, url=URL, media_type="text/plain", **how)


@pytest.mark.parametrize("encoding", [None, "utf-8", "windows-1252", "utf-16le", "utf-16be", "iso-8859-15", "gbk"])
def test_links_have_exact_places_and_targets(encoding):
    text = TEXT if encoding is None else TEXT.encode(encoding)
    found = document(text, charset=encoding).links
    assert [(link.reference, link.target, link.line, link.column) for link in found] == [
        ("../x", "http://r.example/x", 1, 10),
        ("http://a.example/b", "http://a.example/b", 1, 18),
        ("www.w3.org/Addressing/", "http://www.w3.org/Addressing/", 2, 6),
        ("yz", "http://r.example/d/yz", 2, 38),
    ]
    assert {(link.element, link.attribute, link.syntax, link.role) for link in found} == {("", "", "text", "mention")}
    written = [text[link.start : link.end] for link in found]
    expected = ["../x", "http://a.example/b", "www.w3.org/Addressing/", "y\n  z"]
    assert written == (expected if encoding is None else [one.encode(encoding) for one in expected])


@pytest.mark.parametrize("encoding", [None, "utf-8", "windows-1252", "utf-16le"])
def test_only_who_asks_gets_a_changed_text(encoding):
    text, absolute = (one if encoding is None else one.encode(encoding) for one in (TEXT, ABSOLUTE))
    untouched = document(text, charset=encoding).convert()
    assert untouched.data is text
    assert untouched.rewritten == 0
    converted = document(text, charset=encoding, plain_text=True).convert()
    assert converted.data == absolute
    assert (converted.links, converted.rewritten) == (4, 3)
    assert document(absolute, charset=encoding, plain_text=True).convert().data is absolute


@pytest.mark.parametrize(
    ("data", "charset", "name", "source"),
    [
        (b"\xef\xbb\xbfhttp://a/", "windows-1252", "utf-8", "bom"),
        (b"\xff\xfeh\0t\0t\0p\0:\0/\0/\0a\0/\0", None, "utf-16le", "bom"),
        (b"http://a/", "latin1", "windows-1252", "transport"),
        (b"http://a/", None, "utf-8", "default"),
        (b'<meta charset=gbk>@charset "gbk"; http://a/', None, "utf-8", "default"),
    ],
)
def test_the_encoding_is_the_marks_the_transports_or_utf_8(data, charset, name, source):
    one = document(data, charset=charset)
    assert (one.encoding.name, one.encoding.source) == (name, source)
    assert [link.reference for link in one.links] == ["http://a/"]


def test_places_are_exact_among_invalid_bytes():
    data = "ü\n漢<URL:x> ".encode() + b"\xe4\xff " + "é<URL:y> ".encode() + b"\xe2\x82<URL:z>"
    assert [data[link.start : link.end] for link in document(data).links] == [b"x", b"y", b"z"]


def test_a_hyphen_at_the_end_of_a_line_is_reported_and_the_reference_skipped():
    text = "<URL:a-\n  b> and <URL:http://c.example/d-\ne>"
    one = document(text, plain_text=True, normalize=True)
    assert [(link.target, link.problem) for link in one.links] == [
        ("http://r.example/d/a-b", "hyphen-at-line-end"),
        ("http://c.example/d-e", "hyphen-at-line-end"),
    ]
    assert one.convert().data == text


def test_queries_are_utf_8_in_any_text():
    (link,) = document("http://a.example/?ü".encode("latin-1"), charset="latin1").links
    assert link.target == "http://a.example/?%C3%BC"


def test_data_with_nul_bytes_is_no_text():
    one = document(b"\0\1<URL:x>", plain_text=True)
    assert [problem.code for problem in one.problems] == ["binary"]
    assert one.convert().data == b"\0\1<URL:x>"


def test_a_reference_by_the_caller_is_found_again():
    text = "(http://a.example/) <URL:b>"
    new = linkfix.rewrite(text, lambda link: f"http://n.example/({link.reference[-1]} x", media_type="text/plain")
    assert new == "(http://n.example/%28/%20x) <URL:http://n.example/(b%20x>"
    assert [link.reference for link in document(new).links] == ["http://n.example/%28/%20x", "http://n.example/(b%20x"]


def test_an_own_row_finds_mentions_in_an_attribute():
    row = linkfix.Row("img", "alt", "text", "mention")
    html = '<img alt="see www.a.example &amp; <URL:x>" src=y>'
    links = linkfix.links(html, url=URL, rows=(row,))
    assert [(link.attribute, link.target) for link in links] == [
        ("alt", "http://www.a.example/"),
        ("alt", "http://r.example/d/x"),
        ("src", "http://r.example/d/y"),
    ]
    assert linkfix.absolutize(html, url=URL, rows=(row,)) == html.replace("src=y", "src=http://r.example/d/y")


@pytest.mark.parametrize("spec", ["fielding1994", "rfc1808", "rfc2396", "rfc3986", "whatwg"])
def test_every_specification_completes_abbreviated_references(spec):
    (link,) = document("www.a.example/b", spec=spec).links
    assert (link.target, link.base, link.problem) == ("http://www.a.example/b", None, None)


@given(st.text(alphabet="ab:/.-<>\"'() \nwURLé", max_size=60))
def test_converting_twice_is_converting_once(text):
    once = document(text, plain_text=True).absolutize()
    assert document(once, plain_text=True).absolutize() == once
