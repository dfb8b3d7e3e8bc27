"""Values of header fields by RFC 2557, RFC 2369, RFC 5064 and RFC 8288; requests is the judge of Link."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from requests.utils import parse_header_links

from linkfix.html.syntaxes import SYNTAXES
from linkfix.html.syntaxes.header_field import read_url

URL = "https://h.example/x"


def found(syntax, text):
    """The references, each with the text that it stands in."""
    return [(one.reference, text[one.start : one.end]) for one in SYNTAXES[syntax](text)]


def replaced(syntax, text, url=URL):
    """The text with a URL in the place of each reference."""
    for one in reversed(SYNTAXES[syntax](text)):
        text = text[: one.start] + one.escape(url) + text[one.end :]
    return text


# One URL


@pytest.mark.parametrize(
    ("value", "reference", "written"),
    [
        (" a.html", "a.html", "a.html"),
        (" a.html\r", "a.html", "a.html"),
        (" a b.html ", "a%20b.html", "a b.html"),
        (" http://h/a\r\n b/\r\n\tc", "http://h/ab/c", "http://h/a\r\n b/\r\n\tc"),
        ("\r\n a", "a", "a"),
        (" <URL:http://h/a\n b>", "http://h/ab", "http://h/a\n b"),
        (" <URL: http://h/a b >", "http://h/ab", "http://h/a b"),
        (" <uri:a", "a", "a"),
        (' "a b"', "ab", "a b"),
        (" a (a comment)", "a", "a"),
        (" a ; type=x", "a", "a"),
        (" a(b);c", "a(b);c", "a(b);c"),
        (" =?utf-8?q?=C3=A9?=", "é", "=?utf-8?q?=C3=A9?="),
        (" =?utf-8?q?a?= =?utf-8?b?Yg==?=", "ab", "=?utf-8?q?a?= =?utf-8?b?Yg==?="),
        (" =?utf-8*de?q?a?=.html", "a.html", "=?utf-8*de?q?a?=.html"),
        (" =?no-such-charset?q?a?=", "=?no-such-charset?q?a?=", "=?no-such-charset?q?a?="),
        (" =?utf-8?b?Y?=", "=?utf-8?b?Y?=", "=?utf-8?b?Y?="),
        (" <=?utf-8?q?a?=\r\n =?utf-8?q?b?=>", "ab", "=?utf-8?q?a?=\r\n =?utf-8?q?b?="),
        (" é", "é", "é"),
    ],
)
def test_the_url_of_a_field(value, reference, written):
    assert found("header-url", value) == [(reference, written)]
    assert replaced("header-url", value) == value.replace(written, URL, 1)


@pytest.mark.parametrize("value", ["", " ", "\r\n ", " <>", " <URL:>", ' ""', " < \n >", " =?utf-8?q??="])
def test_a_field_without_a_url(value):
    assert read_url(value) is None
    assert found("header-url", value) == []


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("http://h/é", "http://h/%C3%A9"),
        ('http://h/a b"<c>\\', "http://h/a%20b%22%3Cc%3E%5C"),
        ("http://h/\r\n\x7f\ud800", "http://h/%0D%0A%7F%3F"),
        ("http://h/?a=?utf-8?q?b?=", "http://h/?a=?utf-8?q?b%3F="),
        ("http://h/?a=?b", "http://h/?a=?b"),
        ("http://h/=?a?q?b?=?c?q?d?=", "http://h/=?a?q?b%3F=?c?q?d%3F="),
        ("http://h/(a);b", "http://h/(a);b"),
    ],
)
@pytest.mark.parametrize("value", [" x", " <URL:x>", ' "x"'])
def test_a_new_url_is_ascii_and_reads_the_same(value, url, written):
    new = replaced("header-url", value, url)
    assert new == value.replace("x", written)
    assert read_url(new).reference == written


@pytest.mark.parametrize(
    ("value", "kind", "problem"),
    [
        (" http://h/a", "url", None),
        (" cid:a", "bare", None),
        (" http:a", "bare", None),
        (" ../a", "bare", "no-base"),
        (" //h/a", "bare", "no-base"),
    ],
)
def test_a_base_must_be_absolute(value, kind, problem):
    (one,) = SYNTAXES["header-absolute-url"](value)
    assert (one.reference, one.kind, one.problem) == (value.strip(), kind, problem)


# Lists in angle brackets: the examples of RFC 2369 §3

HELP = "<mailto:list@host.com?subject=help> (List Instructions)"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (f" {HELP}", ["mailto:list@host.com?subject=help"]),
        (
            " <ftp://ftp.host.com/list.txt>, <mailto:list@host.com>",
            ["ftp://ftp.host.com/list.txt", "mailto:list@host.com"],
        ),
        (" <http://www.host.com/list/>,\r\n\t<mailto:l@h>", ["http://www.host.com/list/", "mailto:l@h"]),
        (" (Use this) <mailto:a@b>, (or (this, <no>)) <c> (\\) yes)", ["mailto:a@b", "c"]),
        (" NO (posting not allowed on this list)", []),
        (" http://h/a", []),
        (" http://h/a, <b>", []),
        (" <a> b, <c>", ["a"]),
        (" <a> (b), <c>", ["a", "c"]),
        (" <a>,, ,<b>,", ["a", "b"]),
        (" <a", []),
        (" <a>, <b", ["a"]),
        (" <a<b>>", []),
        (" <>, < >, <a>", ["a"]),
        (" (an open comment <a>", []),
        (" <a> (an open comment, <b>", ["a"]),
        (" <URL:a>", ["a"]),
    ],
)
def test_lists_of_urls(value, expected):
    assert [reference for reference, _ in found("header-urls", value)] == expected


def test_white_space_in_angle_brackets_is_ignored():
    """RFC 5064 §2.1 ("folded-URI"), RFC 2369 §2."""
    value = " < http://h/\r\n  a b\t> "
    assert found("header-urls", value) == [("http://h/ab", "http://h/\r\n  a b")]
    assert replaced("header-urls", value) == f" < {URL}\t> "


# Link: RFC 8288 §3


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (' <http://example.com/TheBook/chapter2>; rel="previous"; title="previous chapter"', "http://example.com/TheBook/chapter2"),
        (' </>; rel="http://example.net/foo"', "/"),
        (' </terms>; rel="copyright"; anchor="#foo"', "/terms #foo"),
        (" </a>; rel=\"x\"; title*=UTF-8'de'letztes%20Kapitel,\r\n </b>; rel=next", "/a /b"),
        (' <a,b;c>; title="<no>, <\\"no\\">; anchor=no", <d>', "a,b;c d"),
        (' <a>; anchor="b"; anchor="c"', "a b"),
        (' <a>; ANCHOR = "b\\"\\c"', 'a b"c'),
        (" <a>; anchor=b ; rel=x", "a b"),
        (" <a>; title=a b; anchor=c", "a c"),
        (" <a>; anchor, <b>; anchor=;x", "a b"),
        (' <a>; anchor="b', "a"),
        (" <a>;;, ,<b>", "a b"),
        (" <a> b, <c>", "a"),
        (" a, <b>", ""),
        (" <a", ""),
        (" <a\r\n b>", "ab"),
        (" < a >", "a"),
    ],
)  # fmt: skip
def test_links(value, expected):
    assert [reference for reference, _ in found("header-links", value)] == expected.split()


def test_an_empty_target_is_one():
    assert found("header-links", " <>; rel=self") == [("", "")]


def test_roles_of_links():
    roles = [one.role for one in SYNTAXES["header-links"]('<a>; anchor="b", <c>')]
    assert roles == ["", "metadata", ""]  # the row's role, if it is empty


def test_an_anchor_that_is_a_token_gets_quotation_marks():
    """An absolute URL is no token (RFC 9110 §5.6.2)."""
    assert replaced("header-links", " <a>; anchor=b ;rel=c") == f' <{URL}>; anchor="{URL}" ;rel=c'
    assert (
        replaced("header-links", ' <a>; anchor="b"', 'http://h/"\\') == ' <http://h/%22%5C>; anchor="http://h/%22%5C"'
    )


#: requests splits a link's target at semicolons, and links at ", <", wherever they are.
TARGETS = st.text("abc/?=.%", min_size=1, max_size=8)
TITLES = st.text("abc ;,", max_size=6)


@given(st.lists(st.tuples(TARGETS, TITLES), min_size=1, max_size=4))
def test_requests_finds_the_same_links(links):
    value = ", ".join(f'<{target}>; rel="next"; title="{title}"' for target, title in links)
    expected = [link["url"] for link in parse_header_links(value)]
    assert [reference for reference, _ in found("header-links", value)] == expected == [target for target, _ in links]
