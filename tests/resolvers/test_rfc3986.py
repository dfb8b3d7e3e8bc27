"""RFC 3986: the examples of §5.4, the algorithms of §5.2 and §6.2.2."""

from __future__ import annotations

from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.resolutions import NO_BASE, UNRESOLVABLE

from linkfix import Resolution
from linkfix.resolvers import resolver
from linkfix.resolvers.rfc3986 import remove_dot_segments

RESOLVER = resolver("rfc3986")
BASE = "http://a/b/c/d;p?q"

#: §5.4.1 and §5.4.2.
EXAMPLES = {
    "g:h": "g:h",
    "g": "http://a/b/c/g",
    "./g": "http://a/b/c/g",
    "g/": "http://a/b/c/g/",
    "/g": "http://a/g",
    "//g": "http://g",
    "?y": "http://a/b/c/d;p?y",
    "g?y": "http://a/b/c/g?y",
    "#s": "http://a/b/c/d;p?q#s",
    "g#s": "http://a/b/c/g#s",
    "g?y#s": "http://a/b/c/g?y#s",
    ";x": "http://a/b/c/;x",
    "g;x": "http://a/b/c/g;x",
    "g;x?y#s": "http://a/b/c/g;x?y#s",
    "": "http://a/b/c/d;p?q",
    ".": "http://a/b/c/",
    "./": "http://a/b/c/",
    "..": "http://a/b/",
    "../": "http://a/b/",
    "../g": "http://a/b/g",
    "../..": "http://a/",
    "../../": "http://a/",
    "../../g": "http://a/g",
    "../../../g": "http://a/g",
    "../../../../g": "http://a/g",
    "/./g": "http://a/g",
    "/../g": "http://a/g",
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
    resolution = RESOLVER.resolve(BASE, reference)
    assert resolution == Resolution(target, same_document=reference in ("", "#s"))


@pytest.mark.parametrize(
    ("base", "reference", "target"),
    [
        (BASE, "g?", "http://a/b/c/g?"),
        (BASE, "#", "http://a/b/c/d;p?q#"),
        (BASE, "?", "http://a/b/c/d;p?"),
        (f"{BASE}#f", "", BASE),  # §5.1: the base is stripped of its fragment
        ("http://a", "g", "http://a/g"),  # §5.2.3
        ("http://a?q", "../g", "http://a/g"),
        ("http://a", "?y", "http://a?y"),
        ("file:///a/b", "g", "file:///a/g"),
        ("mailto:a/b", "g", "mailto:a/g"),
        ("urn:a", "g", "urn:g"),
        (BASE, "x://h/./y/../z", "x://h/z"),  # absolute references lose their dot segments too
        (BASE, "//h/../z", "http://h/z"),
        ("file:/a", ".//g", "file:/.//g"),  # §3.3: no path begins with "//" without an authority
        ("file:/a", "/.//g", "file:/.//g"),
    ],
)
def test_transform_references(base, reference, target):
    assert RESOLVER.resolve(base, reference).target == target


@pytest.mark.parametrize(
    ("reference", "same"),
    [("d;p?q", True), ("d;p?q#s", True), (BASE, True), ("d;p", False), ("?q", True), (".", False)],
)
def test_same_document_references(reference, same):
    """§4.4: "aside from its fragment component (if any), identical to the base URI"."""
    assert RESOLVER.resolve(BASE, reference).same_document is same


@pytest.mark.parametrize(
    ("reference", "target"),
    [("http:g", "http://a/b/c/g"), ("HTTP:g", "http://a/b/c/g"), ("http:", BASE), ("ftp:g", "ftp:g")],
)
def test_parsers_that_are_not_strict(reference, target):
    assert resolver("rfc3986", same_scheme="relative").resolve(BASE, reference).target == target


def test_bases():
    assert RESOLVER.is_absolute("mailto:x")
    assert not RESOLVER.is_absolute("//a/b")
    assert not RESOLVER.is_absolute("1x:y")
    assert RESOLVER.resolve("//a/b", "g") == UNRESOLVABLE
    assert RESOLVER.resolve(None, "g") == NO_BASE
    assert RESOLVER.resolve(None, "http://a/./g") == Resolution("http://a/g")
    assert resolver("rfc3986", same_scheme="relative").resolve(None, "http:g") == Resolution("http:g")


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D"),  # §6.2.2
        ("HTTP://www.EXAMPLE.com/", "http://www.example.com/"),  # §6.2.2.1
        ("http://%55ser@H%4Fst%c3/%7E%2e%2E/%2e%2e/x?%41%2f#%c3", "http://User@host%C3/x?A%2F#%C3"),
        ("http://A:80?", "http://a:80?"),  # a port is §6.2.3's
        ("http://a/%2541", "http://a/%2541"),  # decoded once
        ("x:%2e%2F/..//y", "x:/.//y"),
        ("mailto:A%40b", "mailto:A%40b"),
        ("/g", None),
        ("1x:g", None),
    ],
)
def test_syntax_based_normalization(url, normal):
    assert RESOLVER.normalize(url) == normal


def transcribed(path):
    """§5.2.4, letter by letter."""
    output = ""
    while path:
        if path.startswith("../"):
            path = path[3:]
        elif path.startswith(("./", "/./")):
            path = path[2:]
        elif path == "/.":
            path = "/"
        elif path.startswith("/../"):
            path = path[3:]
            output = output[: max(output.rfind("/"), 0)]
        elif path == "/..":
            path = "/"
            output = output[: max(output.rfind("/"), 0)]
        elif path in (".", ".."):
            path = ""
        else:
            end = path.find("/", 1)
            end = len(path) if end < 0 else end
            output, path = output + path[:end], path[end:]
    return output


@given(st.lists(st.sampled_from([".", "..", "", "g", "h", "...", ".g"])).map("/".join))
def test_remove_dot_segments_is_the_transcription(path):
    assert remove_dot_segments(path) == transcribed(path)


SEGMENTS = st.lists(st.sampled_from([".", "..", "b", "c", "d.html"]), min_size=1).map("/".join)


@given(base=SEGMENTS, path=SEGMENTS, slash=st.booleans(), query=st.sampled_from(["", "?q=/../", "?q#f"]))
def test_urljoin_agrees_on_its_domain(base, path, slash, query):
    """The standard library resolves http references with neither empty components nor empty segments as RFC 3986 does.

    The base is resolved first: urljoin keeps the base's own dot segments if the reference has no path.
    """
    base = f"http://h/{base}"
    reference = "/" * slash + path + query
    assert RESOLVER.resolve(base, reference).target == urljoin(base, reference)
