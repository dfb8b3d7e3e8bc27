"""Properties of every resolver for any input."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.growth import assert_linear

from linkfix import PROBLEMS
from linkfix.resolvers import RESOLVERS, resolver

BASES = [
    "http://a/b/c/d;p?q#f",
    "http://a",
    "HTTP://User@A:80/./x/../y",
    "https://\u00e9.example/\u00e9?\u00e9",
    "file:///C:/a/b",
    "ws://a/b?c",
    "magic://a/b/c/d",
    "thismessage:/",
    "x:a/b",
    "mailto:x",
    "data:text/html,x",
    "about:blank",
    "http://[",
    "\ud800:",
]
#: RFC 3986 §5.2.2 gives the base's own path to a reference that has none, dot segments and all.
WITHOUT_DOTS = [base for base in BASES if "/./" not in base]
PIECES = st.sampled_from(
    ["http:", "x:", "//", "/", "\\", ".", "..", "%2e", "?", "#", ";", "[", "@", ":", " ", "\t", "\0", "a", "\u00e9"]
)
REFERENCES = st.one_of(
    st.lists(PIECES).map("".join), st.text(st.characters(codec=None)), st.text(st.characters(categories=["Cs", "Zs"]))
)
ENCODINGS = ["utf-8", "utf-16le", "replacement", "windows-1251", "iso-2022-jp", "shift_jis", "gb18030", "big5"]
CHOICES = [
    ("rfc1808", {"same_scheme": "relative"}),
    ("rfc2396", {"same_scheme": "relative", "excess_dots": "drop"}),
    ("rfc2396", {"excess_dots": "error"}),
    ("rfc3986", {"same_scheme": "relative"}),
]
ALL = [*RESOLVERS.values(), *(resolver(name, **options) for name, options in CHOICES)]


@settings(deadline=None)
@given(st.sampled_from(ALL), st.sampled_from([None, *BASES]), REFERENCES, st.sampled_from(ENCODINGS))
def test_a_reference_never_raises_and_has_a_target_or_a_problem(found, base, reference, encoding):
    resolution = found.resolve(base, reference, encoding)
    assert (resolution.target is None) != (resolution.problem is None)
    assert resolution.problem in {None, *PROBLEMS}


@settings(deadline=None)
@given(st.sampled_from(ALL), st.one_of(st.sampled_from(BASES), REFERENCES))
def test_a_base_never_raises(found, url):
    assert isinstance(found.is_absolute(url), bool)
    if found.is_absolute(url):
        assert found.normalize(url) is not None


@settings(deadline=None)
@given(st.sampled_from(["rfc3986", "whatwg"]), st.sampled_from(WITHOUT_DOTS), REFERENCES)
def test_a_target_resolves_to_itself(name, base, reference):
    found = RESOLVERS[name]
    target = found.resolve(base, reference).target
    if target is not None:
        assert found.resolve(base, target).target == target
        assert found.resolve(None, target).target == target


@settings(deadline=None)
@given(st.sampled_from(ALL), st.sampled_from(BASES), REFERENCES)
def test_a_normal_form_is_its_own(found, base, reference):
    target = found.resolve(base, reference).target
    normal = found.normalize(target or "")
    if normal is not None:
        assert found.normalize(normal) == normal


@pytest.mark.growth
@pytest.mark.parametrize("found", ALL, ids=lambda found: f"{found}")
@pytest.mark.parametrize(
    "reference",
    ["a/../", "../", "./", "/", "/./", "..", "a", "?", "#", ":", ";", " ", "%2e%2e/", "a:", "\u00e9", "?\u00e9\u3042"],
)
@pytest.mark.parametrize("base", ["http://a/b/c", "x:b/c"])
def test_time_grows_linearly(found, base, reference):
    def prepare(count):
        text = reference * count
        deepest = base + "/d" * count
        return lambda: (found.resolve(base, text, "shift_jis"), found.resolve(deepest, text, "iso-2022-jp"))

    assert_linear(prepare, 1_000)
