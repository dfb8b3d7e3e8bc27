"""The type of a response: by its header fields and its first bytes, beside Chromium's answer."""

from __future__ import annotations

import pytest
from support.growth import assert_linear
from support.vectors import table

from linkfix import Document, Envelope
from linkfix.encodings import get_encoding
from linkfix.files import GENERIC_TYPES, DeclaredType, declared_type, extract_mime_type, is_binary
from linkfix.files.data_formats import page_type
from linkfix.files.media_types import MimeType

HTML = "text/html"
PAGE = b"<!doctype html><title>t</title>"
ROWS = table("types")
#: No MIME types by the standard, so that the content decides. To Chromium they are unknown types.
NO_TYPE = frozenset({"text/", "/html", "text/html/x", '"text/html"', "text/html: charset=utf-8"})


def declared(fields):
    return declared_type(lambda wanted: [value for name, value in fields if name.lower() == wanted])


def name_of(row):
    return f"{row['fields']} {row['body'][:20]}"


@pytest.mark.parametrize("row", [row for row in ROWS if NO_TYPE.isdisjoint(dict(row["fields"]).values())], ids=name_of)
def test_the_type_is_that_of_chromium(row):
    """XML that is a page or picture has that type here, and the one that it was served as in Chromium."""
    body = row["body"].encode("latin-1")
    found = declared(row["fields"]).media_type(body)
    if row["media_type"]:
        is_page = row["media_type"] in GENERIC_TYPES and page_type(body)
        assert found == (is_page or row["media_type"])
    else:  # Chromium saves a file
        assert found.startswith(("application/octet-stream", "binary/octet-stream", "application/x-unknown"))


@pytest.mark.parametrize("value", sorted(NO_TYPE))
def test_content_decides_if_the_type_is_invalid(value):
    rows = [row for row in ROWS if row["fields"] == [["Content-Type", value]]]
    untyped = [row for row in ROWS if row["fields"] == []]
    assert len(rows) == len(untyped) > 5
    for row, other in zip(rows, untyped, strict=True):
        body = row["body"].encode("latin-1")
        assert declared(row["fields"]).media_type(body) == declared(other["fields"]).media_type(body)


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row["media_type"] == HTML and not row["body"].startswith("\0")], ids=name_of
)
def test_the_encoding_is_that_of_chromium(row):
    """Chromium guesses one for a page with NUL bytes."""
    charset = declared(row["fields"]).own.charset
    known = charset if charset and get_encoding(charset.encode()) else None
    document = Document(row["body"].encode("latin-1"), envelope=Envelope("http://h/", known, HTML))
    assert document.encoding.name == row["charset"].lower()


@pytest.mark.parametrize("wanted", [{HTML}, {"text/plain"}, {"application/xhtml+xml"}, {"text/xml", "image/svg+xml"}])
def test_an_invalid_type_is_never_a_page(wanted):
    """`may_be` says so of header fields alone."""
    answers = set()
    for row in ROWS:
        type_ = declared(row["fields"])
        answers.add(type_.may_be(wanted))
        assert type_.may_be(wanted) or type_.media_type(row["body"].encode("latin-1")) not in wanted
    assert answers == {True, False}


@pytest.mark.parametrize(
    ("own", "identified", "head", "expected"),
    [
        ("", HTML, b"text", HTML),
        ("*/*", "application/xhtml+xml", PAGE, "application/xhtml+xml"),
        ("text/plain", HTML, b"text", HTML),
        ("application/octet-stream", HTML, b"text", HTML),
        ("application/octet-stream", "application/rss+xml", b"<rss>", "application/rss+xml"),
        ("", "application/xml", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"),
        ("application/json", HTML, PAGE, HTML),
        ("text/javascript", HTML, b"document.write('<a href=x>')", "text/javascript"),
        ("text/css", "text/plain", b"a{}", "text/css"),
        ("application/xml", "application/rss+xml", b"<x/>", "application/xml"),
        (HTML, "application/xhtml+xml", PAGE, HTML),
        ("application/xhtml+xml", HTML, PAGE, "application/xhtml+xml"),
        (HTML, "application/pdf", PAGE, HTML),
        ("", "text/plain", PAGE, HTML),
        ("", "unknown/unknown", PAGE, HTML),
        ("", "", PAGE, HTML),
    ],
)
def test_the_identified_type_is_used_if_the_response_is_not_html(own, identified, head, expected):
    """A body with another known type, such as a script, has to look like HTML too."""
    type_ = DeclaredType(extract_mime_type([own]), extract_mime_type([identified]))
    assert type_.media_type(head) == expected
    assert type_.may_be({expected})


def test_the_charset_of_another_type_is_ignored():
    assert extract_mime_type(["text/html; charset=utf-8", "text/plain", "text/html"]) == MimeType(HTML)
    assert extract_mime_type(["text/html; charset=koi8-r", "*/*; charset=utf-8"]) == MimeType(HTML, "koi8-r")
    assert extract_mime_type([]) == MimeType("")


@pytest.mark.parametrize(
    ("head", "expected"),
    [(b"a\0", True), (b"a\x1b", False), (b"\xff\xfea\0", False), (b"a" * 1445 + b"\0", False), (b"", False)],
)
def test_binary(head, expected):
    assert is_binary(head) is expected


@pytest.mark.growth
@pytest.mark.parametrize("piece", [",", ";", '"', '\\"', ";a=b", ",text/html", ' "', "\t", ";charset="])
def test_long_values_take_linear_time(piece):
    def prepare(size):
        value = "text/html;" + piece * size
        return lambda: extract_mime_type([value])

    assert_linear(prepare, 20_000)
