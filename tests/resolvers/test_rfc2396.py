"""RFC 2396: the examples of Appendix C, the steps of §5.2 and the choices that they leave open, §6."""

from __future__ import annotations

import pytest
from support.resolutions import NO_BASE, UNRESOLVABLE

from linkfix import Resolution
from linkfix.resolvers import resolver

RESOLVER = resolver("rfc2396")
BASE = "http://a/b/c/d;p?q"

#: C.1 and C.2.
EXAMPLES = {
    "g:h": "g:h",
    "g": "http://a/b/c/g",
    "./g": "http://a/b/c/g",
    "g/": "http://a/b/c/g/",
    "/g": "http://a/g",
    "//g": "http://g",
    "?y": "http://a/b/c/?y",
    "g?y": "http://a/b/c/g?y",
    "g#s": "http://a/b/c/g#s",
    "g?y#s": "http://a/b/c/g?y#s",
    ";x": "http://a/b/c/;x",
    "g;x": "http://a/b/c/g;x",
    "g;x?y#s": "http://a/b/c/g;x?y#s",
    ".": "http://a/b/c/",
    "./": "http://a/b/c/",
    "..": "http://a/b/",
    "../": "http://a/b/",
    "../g": "http://a/b/g",
    "../..": "http://a/",
    "../../": "http://a/",
    "../../g": "http://a/g",
    "../../../g": "http://a/../g",
    "../../../../g": "http://a/../../g",
    "/./g": "http://a/./g",
    "/../g": "http://a/../g",
    "g.": "http://a/b/c/g.",
    ".g": "http://a/b/c/.g",
    "g..": "http://a/b/c/g..",
    "..g": "http://a/b/c/..g",
    "./../g": "http://a/b/g",
    "./g/.": "http://a/b/c/g/",
    "g/./h": "http://a/b/c/g/h",
    "g/../h": "http://a/b/c/h",
    "g;x=1/./y": "http://a/b/c/g;x=1/y",
    "g;x=1/../y": "http://a/b/c/y",
    "g?y/./x": "http://a/b/c/g?y/./x",
    "g?y/../x": "http://a/b/c/g?y/../x",
    "g#s/./x": "http://a/b/c/g#s/./x",
    "g#s/../x": "http://a/b/c/g#s/../x",
    "http:g": "http:g",
}


@pytest.mark.parametrize(("reference", "target"), EXAMPLES.items())
def test_examples(reference, target):
    assert RESOLVER.resolve(BASE, reference) == Resolution(target)


def test_the_example_of_an_embedded_base():
    assert RESOLVER.resolve("http://www.ics.uci.edu/Test/a/b/c", "../x").target == "http://www.ics.uci.edu/Test/a/x"


@pytest.mark.parametrize("base", [BASE, "mailto:x", None])
@pytest.mark.parametrize("reference", ["", "#s", "#"])
def test_a_same_document_reference_has_nothing_to_do_with_the_base(base, reference):
    assert RESOLVER.resolve(base, reference) == Resolution(reference, same_document=True)


@pytest.mark.parametrize(
    ("base", "reference", "target"),
    [
        (BASE, "g?", "http://a/b/c/g?"),  # step 2: empty is not undefined
        (BASE, "g#", "http://a/b/c/g#"),
        (BASE, "?", "http://a/b/c/?"),
        (BASE, "//g?y", "http://g?y"),
        (BASE, "//", "http://"),
        ("http://a?x/y", "g", "http://a/g"),  # §3.2: a question mark ends the authority
        ("http://a", "g", "http://a/g"),  # by the letter http://ag
        ("http://a", "../g", "http://a/../g"),
        ("http://a", "?y", "http://a?y"),
        ("http://a", ".", "http://a"),
        ("file:///a/b", "g", "file:///a/g"),
        ("file:/a/b", "../g", "file:/g"),
        ("file:/a", ".//g", "file:/.//g"),  # not an authority
        ("x://a//d", "../g", "x://a/g"),  # "<segment>" may be empty
        (BASE, "%2e%2e/g", "http://a/b/c/%2e%2e/g"),  # §2.4.2: nothing is decoded
        (BASE, "%2E/g%2F..", "http://a/b/c/%2E/g%2F.."),
        (BASE, "this:that", "this:that"),  # §5: a scheme
        (BASE, "./this:that", "http://a/b/c/this:that"),
        (BASE, "g;x=1/./y;z", "http://a/b/c/g;x=1/y;z"),  # §3.3: parameters are in any segment
        (BASE, "www.w3.org/Addressing/", "http://a/b/c/www.w3.org/Addressing/"),  # Appendix F
    ],
)
def test_steps(base, reference, target):
    assert RESOLVER.resolve(base, reference).target == target


@pytest.mark.parametrize(
    "data",
    [
        ";:@&=+$,-_.!~*'()",  # §2.2 "reserved" except "/" and "?", §2.3 "mark"
        "%7e%7E~%25%2525%zz%",  # §2.4.2: "not to escape or unescape the same string more than once"
        '<>"{}|\\^[]` \x01\x7f\u00e9',  # §2.4.3, §2.1: characters that the author should have escaped
    ],
)
def test_a_reference_keeps_its_characters(data):
    assert RESOLVER.resolve(BASE, f"/{data}?{data}#{data}").target == f"http://a/{data}?{data}#{data}"
    assert RESOLVER.resolve(BASE, f"x/{data}", "windows-1252").target == f"http://a/b/c/x/{data}"


@pytest.mark.parametrize(
    ("base", "reference", "target"),
    [
        (BASE, "../../../g", "http://a/g"),
        (BASE, "../../../../g", "http://a/g"),
        (BASE, "../../..", "http://a/"),
        (BASE, "../../../..", "http://a/"),
        (BASE, "../../../..//g", "http://a//g"),
        (BASE, "../../g", "http://a/g"),
        ("http://a", "../g", "http://a/g"),
        ("file:/a", "..//g", "file:/.//g"),
        (BASE, "/../g", "http://a/../g"),  # not a relative path: nothing to be in error
        (BASE, "../../../..g", "http://a/..g"),
    ],
)
def test_excess_dots_dropped_or_an_error(base, reference, target):
    assert resolver("rfc2396", excess_dots="drop").resolve(base, reference).target == target
    kept = RESOLVER.resolve(base, reference).target
    error = resolver("rfc2396", excess_dots="error").resolve(base, reference)
    assert error == (Resolution(kept) if kept == target else Resolution(None, problem="excess-dots"))


@pytest.mark.parametrize(
    ("base", "reference", "target"),
    [
        (BASE, "http:g", "http://a/b/c/g"),
        (BASE, "HTTP:g", "http://a/b/c/g"),
        (BASE, "http:/g", "http://a/g"),
        (BASE, "http://g", "http://g"),
        (BASE, "http:", "http://a/b/c/"),  # step 2 has been passed
        (BASE, "ftp:g", "ftp:g"),
        ("x://a/b", "x:g", "x:g"),  # not "known to always use the <hier_part> syntax"
        ("ftp://a/b", "ftp:g", "ftp://a/g"),
    ],
)
def test_the_loophole(base, reference, target):
    assert resolver("rfc2396", same_scheme="relative").resolve(base, reference).target == target


@pytest.mark.parametrize("base", ["mailto:x", "news:comp.lang", "x:y/z", "http:", "http:?y", "//a/b", "1x:/y"])
def test_a_base_that_is_not_hierarchical_is_unsuitable(base):
    assert not RESOLVER.is_absolute(base)
    assert RESOLVER.resolve(base, "g") == UNRESOLVABLE


@pytest.mark.parametrize("base", ["http://a", "HTTP:/", "file:///x", "thismessage:/", "gopher://a/1/b"])
def test_a_hierarchical_base_with_any_scheme_is_suitable(base):
    assert RESOLVER.is_absolute(base)


def test_without_a_base():
    assert RESOLVER.resolve(None, "g:h/../?") == Resolution("g:h/../?")
    assert RESOLVER.resolve(None, "?y") == NO_BASE


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("HTTP://www.XEROX.com", "http://www.xerox.com"),  # §6
        ("http://A:80/B/../c", "http://a/B/../c"),
        ("http://User@A:/?Q", "http://User@a/?Q"),
        ("https://a:80/", "https://a:80/"),
        ("https://a:443/", "https://a/"),
        ("http://a:/", "http://a/"),  # §3.2.2: port = *digit
        ("http://a/%7e", "http://a/%7e"),  # §2.4.2: not without an algorithm of the scheme
        ("X://A:80/", "x://a:80/"),
        ("http://[::80]/", "http://[::80]/"),
        ("MAILTO:X", "mailto:X"),
        ("g", None),
        ("1x:g", None),
    ],
)
def test_equivalence(url, normal):
    assert RESOLVER.normalize(url) == normal
