"""Which references mean the same against every base: each resolver says so of its own specification."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkfix.resolvers import RESOLVERS, resolver

STRICT = tuple(RESOLVERS.values())
LOOSE = tuple(resolver(name, same_scheme="relative") for name in ("rfc1808", "rfc2396", "rfc3986"))
WHATWG, FIELDING = RESOLVERS["whatwg"], RESOLVERS["fielding1994"]


@pytest.mark.parametrize("one", [*STRICT, *LOOSE], ids=repr)
@pytest.mark.parametrize(
    ("reference", "absolute"),
    [
        ("https://h/", True),
        ("ht\ntp:/\t/h", True),
        ("mailto:x", True),
        ("//h/x", False),
        ("a b:x", False),
        ("x/y:z", False),
        (":x", False),
        ("?x:y", False),
        ("#x:y", False),
        ("", False),
    ],
)
def test_all_specifications_agree(one, reference, absolute):
    if one in LOOSE[1:] and reference == "mailto:x":
        absolute = one is LOOSE[1]  # RFC 3986 §5.2.2 names no scheme, RFC 2396 §5.2 the hierarchical ones
    assert one.is_absolute_reference(reference) is absolute


@pytest.mark.parametrize(
    ("reference", "resolvers"),
    [
        # URL standard §4.4: relative if the base's scheme is the same; RFC 3986 §5.2.2: absolute to a strict parser
        ("http:x", {"rfc1808", "rfc2396", "rfc3986"}),
        ("https:/x", {"rfc1808", "rfc2396", "rfc3986"}),
        ("file:x", {"rfc1808", "rfc2396", "rfc3986"}),
        ("HTTP:\\\\h", {"rfc1808", "rfc2396", "rfc3986", "whatwg"}),
        # Fielding 1994 rule 2: schemes outside of NO_RELATIVE_FORM are relative on a base of the same scheme
        ("urn:x", {"rfc1808", "rfc2396", "rfc3986", "whatwg"}),
        ("a+b-c.d:", {"rfc1808", "rfc2396", "rfc3986", "whatwg"}),
        # RFC 1738 §2.1: a scheme may begin with a digit
        ("1a:x", {"rfc1808"}),
        ("1a://x", {"fielding1994", "rfc1808"}),
        (" \x00\x1fhttp://h", {"whatwg"}),  # only the URL standard strips C0 controls
    ],
)
def test_specifications_differ(reference, resolvers):
    assert {one.name for one in STRICT if one.is_absolute_reference(reference)} == resolvers


@pytest.mark.parametrize("one", LOOSE, ids=repr)
def test_the_loophole_makes_the_base_s_scheme_relative(one):
    assert not one.is_absolute_reference("http:x")
    assert one.is_absolute_reference("http://h/x")


BASES = ["http://h/a/b", "https://h2/c/", "ftp://h3/", "file:///d/e", "urn:x:y", "1a:2/b", "1a://h/b", "data:a/b"]
REFERENCES = st.tuples(
    st.sampled_from(["", "http:", "https:", "ftp:", "file:", "urn:", "1a:", "data:", "mailto:", " HTTP:"]),
    st.sampled_from(["", "/", "//h/", "//g"]),
    st.sampled_from(["", "x", "x/../y", "?q", "#f", "./z"]),
).map("".join)


@given(REFERENCES)
def test_an_absolute_reference_has_one_target(reference):
    for one in (*STRICT, *LOOSE):
        if one.is_absolute_reference(reference):
            targets = {one.resolve(base, reference).target for base in BASES if one.is_absolute(base)}
            targets = {target and (one.normalize(target) or target).lower() for target in targets}  # HTTP: is http:
            assert len(targets) == 1, (one, targets)
