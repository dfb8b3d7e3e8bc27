"""The URL standard: expected values are worked out by hand; comments name the state if it matters."""

from __future__ import annotations

import pytest
from support.resolutions import NO_BASE, UNRESOLVABLE
from support.vectors import table

from linkfix import Resolution
from linkfix.resolvers import resolver

RESOLVER = resolver("whatwg")
BASE = "http://a/b/c/d;p?q"


@pytest.mark.parametrize(
    ("base", "reference", "target"),
    [
        # Differences from RFC 3986.
        (BASE, "///x", "http://x/"),  # special authority ignore slashes state
        (BASE, r"\\h\p", "http://h/p"),  # special URLs: "\" is "/"
        (BASE, r"..\g", "http://a/b/g"),
        (BASE, "%2e%2e/x", "http://a/b/x"),  # a double-dot URL path segment
        (BASE, ".%2E/x", "http://a/b/x"),
        (BASE, "%2E/x", "http://a/b/c/x"),
        (BASE, "x?", "http://a/b/c/x?"),  # an empty query is not null
        (BASE, "#", "http://a/b/c/d;p?q#"),
        (BASE, "?", "http://a/b/c/d;p?"),
        ("http://a/b//c/d", "../x", "http://a/b//x"),  # empty segments are segments
        ("http://a//b/c", "x", "http://a//b/x"),
        (BASE, ".//x", "http://a/b/c//x"),
        ("file:///C:/a/b", "/x", "file:///C:/x"),  # file slash state
        ("file:///C:/a/b", "../../../x", "file:///C:/x"),  # shorten: the drive letter stays
        ("file:///C:/a/b", "D:/x", "d:/x"),
        ("file:///C:/a/b", "/D|/x", "file:///D:/x"),
        ("file:///C:/a/b", "//h/x", "file://h/x"),
        (BASE, "  x \n", "http://a/b/c/x"),
        (BASE, "x y ", "http://a/b/c/x%20y"),
        (BASE, "\0x\x1f", "http://a/b/c/x"),
        (BASE, "a\tb\r\nc", "http://a/b/c/abc"),
        (BASE, "ht\ntp://h/", "http://h/"),
        # Schemes that are not special.
        ("thismessage:/", "x.gif", "thismessage:/x.gif"),
        ("thismessage:/a/b", "../../x", "thismessage:/x"),
        ("app:/a/b", "c", "app:/a/c"),
        ("app://h/a/b", "../../c?d#e", "app://h/c?d#e"),
        ("app:/a/b", "//h/x", "app://h/x"),
        ("app:/a/b", ".//x", "app:/a//x"),
        ("app:/b", ".//x", "app:/.//x"),  # the URL serializer, step 3
        ("app:/a/b", r"c\d", r"app:/a/c\d"),
        # The same scheme: special scheme-relative.
        (BASE, "http:g", "http://a/b/c/g"),
        (BASE, "http:", "http://a/b/c/d;p?q"),
        (BASE, "https:g", "https://g/"),  # special authority slashes state
        (BASE, "HTTP://G", "http://g/"),
        (BASE, "../../../../g", "http://a/g"),
        (BASE, "//g:80", "http://g/"),
        (BASE, "//\u00e9.example/\u00e9#\u00e9", "http://xn--9ca.example/%C3%A9#%C3%A9"),
        (BASE, "mailto:x@y?subject=\u00e9", "mailto:x@y?subject=%C3%A9"),
        ("http://a", "g", "http://a/g"),
        (" http://a/b ", "g", "http://a/g"),
    ],
)
def test_references(base, reference, target):
    assert RESOLVER.resolve(base, reference).target == target


@pytest.mark.parametrize("reference", ["http://[", "//[::1", "http://a:b/", "//a b/", "http://", "//%zz/", "//a:65536"])
def test_references_that_cannot_be_parsed(reference):
    assert RESOLVER.resolve(BASE, reference) == UNRESOLVABLE


@pytest.mark.parametrize("base", ["mailto:x", "data:text/html,x", "about:blank", "javascript:0"])
def test_only_a_fragment_is_relative_to_an_opaque_path(base):
    assert RESOLVER.resolve(base, "#s") == Resolution(f"{base}#s", same_document=True)
    assert [RESOLVER.resolve(base, reference) for reference in ("", "g", "/g", "//g", "?g")] == [UNRESOLVABLE] * 5


@pytest.mark.parametrize("reference", ["", "#", "#s", " ", "\t#s", "\0 \n"])
def test_same_document_references(reference):
    assert RESOLVER.resolve(BASE, reference) == Resolution(BASE + reference.strip("\0\t\n "), same_document=True)


@pytest.mark.parametrize("reference", ["d;p?q", "?q", "\u00a0#s", "!", '"'])
def test_other_references_ask_for_the_document_again(reference):
    assert not RESOLVER.resolve(BASE, reference).same_document


def test_without_a_base():
    assert RESOLVER.resolve(None, " HTTP:A ") == Resolution("http://a/")
    assert [RESOLVER.resolve(None, reference) for reference in ("", "#s", "g", "//g", "1:g", "\u00e9:g")] == [
        NO_BASE
    ] * 6
    assert [RESOLVER.resolve(None, reference) for reference in ("http://[", " ht\ntp://[")] == [UNRESOLVABLE] * 2


def test_lone_surrogates_become_replacement_characters():
    """The URL parser gets a USVString; a surrogate pair is not lone."""
    assert RESOLVER.resolve(BASE, "\ud800?\udfff").target == "http://a/b/c/%EF%BF%BD?%EF%BF%BD"
    assert RESOLVER.resolve(BASE, "\ud83d\ude00").target == "http://a/b/c/%F0%9F%98%80"
    assert RESOLVER.resolve("http://a/\ud800/", "g").target == "http://a/%EF%BF%BD/g"
    assert RESOLVER.resolve(BASE, "?\ud800", "windows-1252").target == "http://a/b/c/d;p?%26%2365533%3B"


@pytest.mark.parametrize(
    ("base", "reference", "encoding", "target"),
    [
        (BASE, "?\u044f", "windows-1251", "http://a/b/c/d;p?%FF"),
        (BASE, "\u044f?\u044f#\u044f", "windows-1251", "http://a/b/c/%D1%8F?%FF#%D1%8F"),  # the query alone
        (BASE, "?\u044f?\u044f", "windows-1251", "http://a/b/c/d;p?%FF?%FF"),
        (BASE, "#?\u044f", "windows-1251", "http://a/b/c/d;p?q#?%D1%8F"),
        (BASE, "?\u044f'\"<> ", "windows-1251", "http://a/b/c/d;p?%FF%27%22%3C%3E"),
        (BASE, "?\u20ac\u4e2d", "windows-1252", "http://a/b/c/d;p?%80%26%2320013%3B"),
        (BASE, "?\u044f\n\u044f \n", "windows-1251", "http://a/b/c/d;p?%FF%FF"),
        (BASE, "?a&b=%41", "windows-1251", "http://a/b/c/d;p?a&b=%41"),
        (BASE, "?\u044f", "utf-16le", "http://a/b/c/d;p?%D1%8F"),
        (BASE, "?\u044f", "utf-16be", "http://a/b/c/d;p?%D1%8F"),
        (BASE, "?\u044f", "replacement", "http://a/b/c/d;p?%D1%8F"),
        # "url is not special or url's scheme is ws or wss": UTF-8.
        ("ws://a/", "?\u044f", "windows-1251", "ws://a/?%D1%8F"),
        ("wss://a/", "?\u044f", "windows-1251", "wss://a/?%D1%8F"),
        ("app:/a", "?\u044f", "windows-1251", "app:/a?%D1%8F"),
        ("file:///a", "?\u044f", "windows-1251", "file:///a?%FF"),
        # The scheme is the resulting URL's.
        (BASE, "app:/x?\u044f", "windows-1251", "app:/x?%D1%8F"),
        (BASE, "WS:/x?\u044f", "windows-1251", "ws://x/?%D1%8F"),
        ("app:/a", " FTP://a/?\u044f", "windows-1251", "ftp://a/?%FF"),
        (" HTTPS://a/", "?\u044f", "windows-1251", "https://a/?%FF"),
        (None, "http://a/?\u044f", "windows-1251", "http://a/?%FF"),
        (None, "app:?\u044f", "windows-1251", "app:?%D1%8F"),
        # ISO-2022-JP writes some of ASCII otherwise.
        (BASE, "?\x0eA", "iso-2022-jp", "http://a/b/c/d;p?%26%2365533%3BA"),
        (BASE, "A\x0eA", "iso-2022-jp", "http://a/b/c/A%0EA"),
        (BASE, "?\u3042\n", "iso-2022-jp", "http://a/b/c/d;p?%1B$B$%22%1B(B"),
    ],
)
def test_the_query_is_in_the_encoding_of_the_document(base, reference, encoding, target):
    assert RESOLVER.resolve(base, reference, encoding).target == target


VECTORS = table("percent-encoding", "input", "encoding", "output")


@pytest.mark.parametrize(("text", "encoding", "output"), VECTORS)
def test_published_vectors_of_percent_encoding(text, encoding, output):
    """web-platform-tests, url/resources/percent-encoding.json: as a query, and as a fragment (always UTF-8)."""
    fragment = {encoding: output for row, encoding, output in VECTORS if row == text}["utf-8"]
    resolution = RESOLVER.resolve(None, f"https://doesnotmatter.invalid/?{text}#{text}", encoding)
    assert resolution.target == f"https://doesnotmatter.invalid/?{output}#{fragment}"


@pytest.mark.parametrize(
    ("url", "href"),
    [
        ("HTTP://A:80", "http://a/"),
        ("http://a/%7e/../%41", "http://a/%41"),
        ("mailto:X", "mailto:X"),
        ("http://a/\ud800", "http://a/%EF%BF%BD"),
        ("/x", None),
        ("http://[", None),
        ("", None),
    ],
)
def test_the_normal_form_is_the_href(url, href):
    assert RESOLVER.normalize(url) == href
    assert RESOLVER.is_absolute(url) is (href is not None)
