"""`linkfix.urljoin` beside `urllib.parse.urljoin`: agreements, differences in browsers, and no exceptions."""

from __future__ import annotations

import inspect
import itertools
import urllib.parse

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.each import for_each
from support.vectors import table

import linkfix
from linkfix import urljoin

BASE = "http://a/b/c/d;p?q"


@pytest.mark.parametrize(
    ("base", "reference", "target"),
    [
        (BASE, "///x", "http://x/"),
        (BASE, r"\\h\p", "http://h/p"),
        (BASE, r"..\x", "http://a/b/x"),
        (BASE, "%2e%2e/x", "http://a/b/x"),
        (BASE, "x?", "http://a/b/c/x?"),
        (BASE, "#", "http://a/b/c/d;p?q#"),
        (BASE, "", BASE),
        (BASE + "#f", "", BASE),
        (BASE, "x ", "http://a/b/c/x"),
        (BASE, " \n", BASE),
        (BASE, "a\nb", "http://a/b/c/ab"),
        (BASE, "java\tscript:void 0", "javascript:void 0"),
        (BASE, "http:g", "http://a/b/c/g"),
        (BASE, "é?é", "http://a/b/c/%C3%A9?%C3%A9"),
        (BASE, "\ud800", "http://a/b/c/%EF%BF%BD"),
        (BASE, "//É.example", "http://xn--9ca.example/"),
        ("http://h/a//b/c", "../x", "http://h/a//x"),
        ("http://h", "x", "http://h/x"),
        (" HTTP://H/a ", "x", "http://h/x"),
        ("file:///C:/a/b", "/x", "file:///C:/x"),
        ("file:///C:/a/b", "../../../x", "file:///C:/x"),
        ("thismessage:/", "x.gif", "thismessage:/x.gif"),
        ("app:/a/b", "../c", "app:/c"),
        ("app://h/a/b", "?q", "app://h/a/b?q"),
    ],
)
def test_references_that_browsers_read_otherwise(base, reference, target):
    assert urljoin(base, reference) == target
    if base.isascii() and reference.isascii():
        assert urljoin(base.encode(), reference.encode()) == target.encode()


def test_urllib_would_have_given_something_else():
    """If it ever does as browsers do, the drop-in has lost its use."""
    assert urllib.parse.urljoin(BASE, r"\\h\p") == r"http://a/b/c/\\h\p"
    assert urllib.parse.urljoin(BASE, "x?") == "http://a/b/c/x"
    assert urllib.parse.urljoin("app:/a/b", "../c") == "../c"


@pytest.mark.parametrize("reference", ["http://[", "//[::1", "http://a:b/", "//a b/", "http://", "//%zz/"])
def test_an_unresolvable_reference_is_returned_unchanged(reference):
    assert urljoin(BASE, reference) == reference
    assert urljoin(BASE.encode(), reference.encode()) == reference.encode()


@pytest.mark.parametrize("base", ["mailto:x", "data:text/html,x", "about:blank"])
def test_a_base_that_references_cannot_be_relative_to(base):
    assert [urljoin(base, reference) for reference in ("", "g", "/g", "#s")] == ["", "g", "/g", f"{base}#s"]


@pytest.mark.parametrize(
    ("base", "reference"),
    [("", ""), ("", "x"), ("", b"x"), (b"", "x"), (None, "x"), (BASE, None), (BASE, b""), (BASE.encode(), "")],
)
def test_an_empty_argument(base, reference):
    assert urljoin(base, reference) == urllib.parse.urljoin(base, reference)


@for_each(
    itertools.product(
        ["a", "a/b", "/a/b", "//h/a", "a?b#c", "http://[", "http://h:x/", "é/"],
        ["x", "../x", "/x", "?x", "#x", "", "http://h/", "http://[", "//[", "é"],
    )
)
def test_a_base_that_is_not_absolute_is_urllib_s(base, reference):
    try:
        expected = urllib.parse.urljoin(base, reference)
    except ValueError:
        expected = reference
    assert urljoin(base, reference) == expected


@pytest.mark.parametrize("reference", ["x#y", "#y", "x", "", "é"])
def test_fragments_can_be_no_fragments(reference):
    assert urljoin(BASE, reference, False) == urllib.parse.urljoin(BASE, reference, False)
    assert urljoin(BASE, "http://[", allow_fragments=False) == "http://["


@pytest.mark.parametrize(("base", "reference"), [(BASE, b"x"), (BASE.encode(), "x"), ("a", b"x")])
def test_str_and_bytes_are_not_mixed(base, reference):
    for join in (urllib.parse.urljoin, urljoin):
        with pytest.raises(TypeError, match="Cannot mix str and non-str arguments"):
            join(base, reference)


@pytest.mark.parametrize(
    ("encoding", "reference", "target"),
    [
        ("windows-1251", "я?я#я", "http://a/b/c/%D1%8F?%FF#%D1%8F"),
        ("cp1251", "?日", "http://a/b/c/d;p?%26%2326085%3B"),
        ("Shift_JIS", "?表", "http://a/b/c/d;p?%95\\"),
        ("utf-16", "?я", "http://a/b/c/d;p?%D1%8F"),
    ],
)
def test_the_query_is_in_the_encoding_of_the_document(encoding, reference, target):
    assert urljoin(BASE, reference, encoding=encoding) == target
    data = reference.encode(encoding.replace("utf-16", "utf-16-le"), "xmlcharrefreplace")
    if "日" not in reference:
        assert urljoin(BASE.encode(), data, encoding=encoding) == target.encode()


def test_bytes_that_are_no_characters():
    assert urljoin(BASE.encode(), b"?\xff") == b"http://a/b/c/d;p?%EF%BF%BD"
    assert urljoin(b"a", b"\xff") == b"\xff"
    assert urljoin(b"http://h/\xff/", b"x") == b"http://h/%EF%BF%BD/x"


@pytest.mark.parametrize("arguments", [(BASE, "x"), (BASE.encode(), b"x"), ("a", "x")])
def test_an_unknown_encoding_is_the_caller_s_mistake(arguments):
    with pytest.raises(linkfix.UnknownCharset, match="klingon"):
        urljoin(*arguments, encoding="klingon")


def test_the_parameters_equal_the_parameters_of_urllib():
    ours = list(inspect.signature(urljoin).parameters.values())
    theirs = list(inspect.signature(urllib.parse.urljoin).parameters.values())
    assert [(one.name, one.default, one.kind) for one in ours[:3]] == [
        (one.name, one.default, one.kind) for one in theirs
    ]


segments = st.lists(st.sampled_from(["a", "b.html", "c-d_e", "x~1", ".", "..", "%20"]), min_size=1, max_size=5)
paths = segments.map("/".join)
plain_references = st.one_of(
    paths,
    paths.map("/".__add__),
    st.builds("{}?{}".format, paths, st.sampled_from(["q", "q=1&r=2"])),
    st.builds("{}#{}".format, paths, st.sampled_from(["f", "top"])),
    st.sampled_from(["?q=1", "#top", "?q#f", "//other.example/x", "https://other.example/x?y#z", "mailto:a@b.example"]),
)


@given(st.from_regex(r"(http|https|ftp)://h\.example/([a-z]+/){0,3}[a-z]*", fullmatch=True), plain_references)
def test_plain_references_are_as_urllib_has_them(base, reference):
    assert urljoin(base, reference) == urllib.parse.urljoin(base, reference)
    assert urljoin(base.encode(), reference.encode()) == urllib.parse.urljoin(base.encode(), reference.encode())


texts = st.one_of(
    st.text(st.characters(), max_size=20),
    st.text(st.sampled_from("htp:/\\[]@#?%.;, \t\n\x00é日\ud800"), max_size=20),
    st.sampled_from(["http://h/a", "file:///C:/", "app:/x", "mailto:x", "http://[", "//", "a/b", "http://h:99999/"]),
)


@given(texts, texts, st.booleans(), st.sampled_from(["utf-8", "windows-1251", "iso-2022-jp", "utf-16le"]))
@example("http://[", "http://[", True, "utf-8")
@example("//\u2100", "//\u2100", False, "utf-8")
def test_nothing_raises(base, reference, fragments, encoding):
    joined = urljoin(base, reference, fragments, encoding=encoding)
    assert isinstance(joined, str)
    if fragments and linkfix.resolve(None, base).target is not None:
        assert joined == (linkfix.resolve(base, reference, encoding=encoding).target or reference)


@given(st.binary(max_size=20), st.binary(max_size=20), st.booleans())
def test_nothing_raises_for_bytes(base, reference, fragments):
    assert isinstance(urljoin(base, reference, fragments), bytes)
    assert isinstance(urljoin(b"http://h/" + base, reference, fragments), bytes)


def tables():
    return [row[1:] for row in table("resolution", "spec", "base", "reference", "expected") if row[0] == "rfc3986"]


#: RFC 3986's examples with another answer in browsers (URL standard): the empty path of a host is "/"; and "http:g" is
#: relative if the base is http too.
BROWSERS_DIFFER = {"//g": "http://g/", "http:g": "http://a/b/c/g"}


@pytest.mark.parametrize(("base", "reference", "target"), tables())
def test_published_examples(base, reference, target):
    assert urljoin(base, reference) == BROWSERS_DIFFER.get(reference, target)
