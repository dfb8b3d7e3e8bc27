"""RFC 1808: the examples of §5, the parsing of §2.4, the steps of §4."""

from __future__ import annotations

import pytest

from linkfix.model import Resolution
from linkfix.resolvers.interface import NO_BASE, UNRESOLVABLE
from linkfix.resolvers.rfc1808 import RFC1808

RESOLVER = RFC1808()
BASE = "http://a/b/c/d;p?q#f"

#: §5.1 and §5.2.
EXAMPLES = {
    "g:h": "g:h",
    "g": "http://a/b/c/g",
    "./g": "http://a/b/c/g",
    "g/": "http://a/b/c/g/",
    "/g": "http://a/g",
    "//g": "http://g",
    "?y": "http://a/b/c/d;p?y",
    "g?y": "http://a/b/c/g?y",
    "g?y/./x": "http://a/b/c/g?y/./x",
    "#s": "http://a/b/c/d;p?q#s",
    "g#s": "http://a/b/c/g#s",
    "g#s/./x": "http://a/b/c/g#s/./x",
    "g?y#s": "http://a/b/c/g?y#s",
    ";x": "http://a/b/c/d;x",
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
    "": "http://a/b/c/d;p?q#f",
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
    "http:g": "http:g",
    "http:": "http:",
}


@pytest.mark.parametrize(("reference", "target"), EXAMPLES.items())
def test_examples(reference, target):
    assert RESOLVER.resolve(BASE, reference) == Resolution(target)


def test_the_example_of_an_embedded_base():
    assert RESOLVER.resolve("http://www.ics.uci.edu/Test/a/b/c", "../x").target == "http://www.ics.uci.edu/Test/a/x"


@pytest.mark.parametrize(
    ("base", "reference", "target"),
    [
        (BASE, "g?", "http://a/b/c/g"),  # §2.4.4: a query that is absent is empty
        (BASE, "g#", "http://a/b/c/g"),
        (BASE, "g;?#", "http://a/b/c/g"),
        (BASE, "#", BASE),  # so this is "entirely empty"
        (BASE, "?", BASE),
        (BASE, "//", BASE),
        ("http://a/b;x/y", "g", "http://a/g"),  # §2.4.5: the parameters begin at the first semicolon
        ("http://a/b", "g;x/../y", "http://a/g;x/../y"),
        ("http://a?q/b", "g", "http://a?q/g"),  # §2.4.3: the network location ends at a slash
        ("http://a/b", "//c?y", "http://c?y"),
        ("http://a/b", "?y;z", "http://a/b?y;z"),  # §2.4.4 comes before §2.4.5
        ("http://a", "g", "http://a/g"),  # §2.2: net_loc [ "/" rel_path ]
        ("http://a", "../g", "http://a/../g"),
        ("http://a", "?y", "http://a/?y"),
        ("http://a", ";x", "http://a/;x"),
        ("http://a", "#s", "http://a#s"),
        ("http://a/b", "///g", "http://a/g"),  # step 3: an empty network location is inherited
        ("file:///a/b", "g", "file:///a/g"),
        ("file:///a/b", "/g", "file:///g"),
        ("file:/a/b", "g", "file:/a/g"),
        ("file:/a/b", ".//g", "file:/a//g"),
        ("file:/a", ".//g", "file:/.//g"),  # not a network location
        ("x:a/b", "../../g", "x:../g"),
    ],
)
def test_steps(base, reference, target):
    assert RESOLVER.resolve(base, reference).target == target


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("http:g", "http://a/b/c/g"),
        ("HTTP:g", "http://a/b/c/g"),
        ("http:", BASE),
        ("http:?y", "http://a/b/c/d;p?y"),
        ("ftp:g", "ftp:g"),
    ],
)
def test_the_loophole(reference, target):
    assert RFC1808(same_scheme="relative").resolve(BASE, reference).target == target


@pytest.mark.parametrize("scheme", ["mailto", "news", "telnet"])
def test_schemes_that_are_never_used_with_relative_urls(scheme):
    base = f"{scheme}:a/b"
    assert RESOLVER.resolve(base, "g") == UNRESOLVABLE
    assert RFC1808(same_scheme="relative").resolve(base, f"{scheme}:g") == Resolution(f"{scheme}:g")
    assert not RESOLVER.is_absolute(base)


@pytest.mark.parametrize("base", ["gopher://a/b/c", "wais://a/b/c", "prospero://a/b/c"])
def test_other_schemes_are_used_where_the_base_follows_the_syntax(base):
    assert RESOLVER.is_absolute(base)
    assert RESOLVER.resolve(base, "../g").target == base.replace("b/c", "g")


def test_step_1_without_a_base():
    assert RESOLVER.resolve(None, "g:h/../?") == Resolution("g:h/../?")
    assert RESOLVER.resolve(None, "") == NO_BASE
    assert RESOLVER.resolve("//a/b", "g") == UNRESOLVABLE


def test_the_normal_form_is_the_url():
    assert RESOLVER.normalize(" HTTP://A/./b ") == "HTTP://A/./b"
    assert RESOLVER.normalize("b") is None
