"""Splitting, recomposing, and the removal of segments against the texts' own iterative wording."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.vectors import SEEDS, needs_seeds

from linkfix.resolvers.common import (
    _URI_REFERENCE,
    URI,
    recompose,
    remove_dots,
    rfc1738_scheme,
    separate_path,
    split,
    strip_reference,
)
from linkfix.resolvers.fielding1994 import _remove_segments

PATHS = st.lists(st.sampled_from([".", "..", "", "b", "c", "...", ".b"])).map("/".join)


def repeat(pattern, replacement, text):
    """Remove "iteratively, removing the leftmost matching pattern on each iteration"."""
    while (removed := re.sub(pattern, replacement, text, count=1)) != text:
        text = removed
    return text


def literal_rfc2396(path):
    """RFC 2396 §5.2 steps 6C-6F. The slash before the first segment is no part of a pattern."""
    root, path = ("/", path[1:]) if path.startswith("/") else ("", path)
    path = repeat(r"(^|/)\./", r"\1", path)
    path = re.sub(r"(^|/)\.\Z", r"\1", path)
    path = repeat(r"(^|/)(?!\.\./)[^/]*/\.\./", r"\1", path)
    return root + re.sub(r"(^|/)(?!\.\./)[^/]*/\.\.\Z", r"\1", path)


def literal_fielding1994(path):
    """Rule 3d2."""
    path = repeat(r"/\.(?=/|\Z)", "", path)
    root, path = ("/", path[1:]) if path.startswith("/") else ("", path)
    return root + repeat(r"(^|/)(?!\.\./)[^/]*/\.\./", r"\1", path)


@given(PATHS)
def test_remove_dots_is_the_iteration_of_the_text(path):
    assert remove_dots(path) == literal_rfc2396(path)


@given(PATHS)
def test_remove_segments_is_the_iteration_of_the_rule(path):
    assert _remove_segments(path) == literal_fielding1994(path)


@given(st.text(alphabet=":/?#ab.\n"))
def test_split_and_recompose_are_inverse(text):
    """RFC 2396 Appendix B: "we can recreate a URI reference from its components"."""
    assert recompose(split(text)) == text


@needs_seeds
def test_the_expression_is_that_of_appendix_b():
    text = (SEEDS / "003_dce64beaf347fbf3.txt").read_text("utf-8")
    assert f"\n{_URI_REFERENCE.pattern}\n" in text


@pytest.mark.parametrize(
    ("text", "components"),
    [
        (
            "http://www.ics.uci.edu/pub/ietf/uri/#Related",
            URI("http", "www.ics.uci.edu", "/pub/ietf/uri/", None, "Related"),
        ),
        ("//a/b?c", URI(None, "a", "/b", "c", None)),
        ("//a", URI(None, "a", "", None, None)),
        ("//u?p@h", URI(None, "u", "", "p@h", None)),
        ("foo:/bar", URI("foo", None, "/bar", None, None)),
        ("foo:bar", URI("foo", None, "bar", None, None)),
        ("", URI(None, None, "", None, None)),
        ("?#", URI(None, None, "", "", "")),
        ("//a?b/c", URI(None, "a", "", "b/c", None)),
        ("a:b:c", URI("a", None, "b:c", None, None)),
        ("./a:b", URI(None, None, "./a:b", None, None)),
        (":b", URI(None, None, ":b", None, None)),
        ("///p", URI(None, "", "/p", None, None)),
    ],
)
def test_split_keeps_undefined_and_empty_apart(text, components):
    assert split(text) == components


@pytest.mark.parametrize(
    ("text", "scheme"),
    [("HTTP:x", "http"), ("a+b-c.1:", "a+b-c.1"), (":x", None), ("a b:x", None), ("é:x", None), ("x", None)],
)
def test_rfc1738_scheme(text, scheme):
    assert rfc1738_scheme(text) == scheme


@pytest.mark.parametrize(
    ("path", "authority", "safe"),
    [("g", "a", "/g"), ("", "a", ""), ("//g", "a", "//g"), ("//g", None, "/.//g"), ("g", None, "g"), ("g", "", "/g")],
)
def test_separate_path(path, authority, safe):
    assert separate_path(path, authority) == safe


def test_strip_reference():
    assert strip_reference("\t\n\f\r /a b\r\n\t/c \n") == "/a b/c"
    assert strip_reference("\u00a0g") == "\u00a0g"
