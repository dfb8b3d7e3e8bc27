"""RFC 2396 Appendix A: a URI derived from its grammar is split into the components of its derivation.

The rules are regular expressions under their own names.
"""

from __future__ import annotations

import re

from hypothesis import assume, example, given
from hypothesis import strategies as st
from support.resolutions import UNRESOLVABLE

from linkfix.resolvers import resolver
from linkfix.resolvers.common import URI, recompose, split

_ESCAPED = "%[0-9A-Fa-f]{2}"
_ALPHANUM = "A-Za-z0-9"
_UNRESERVED = rf"{_ALPHANUM}\-_.!~*'()"
_URIC = rf"(?:[;/?:@&=+$,{_UNRESERVED}]|{_ESCAPED})"
_PCHAR = rf"(?:[:@&=+$,{_UNRESERVED}]|{_ESCAPED})"

_SCHEME = rf"[A-Za-z][{_ALPHANUM}+\-.]{{0,9}}"
_DOMAIN_LABEL = rf"(?:[{_ALPHANUM}]|[{_ALPHANUM}][{_ALPHANUM}\-]{{0,9}}[{_ALPHANUM}])"
_TOP_LABEL = rf"(?:[A-Za-z]|[A-Za-z][{_ALPHANUM}\-]{{0,9}}[{_ALPHANUM}])"
_HOST = rf"(?:(?:{_DOMAIN_LABEL}\.){{0,3}}{_TOP_LABEL}\.?|[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{3}})"
_USERINFO = rf"(?:[;:&=+$,{_UNRESERVED}]|{_ESCAPED}){{0,9}}"
_SERVER = rf"(?:(?:{_USERINFO}@)?{_HOST}(?::[0-9]{{0,5}})?)?"
_REG_NAME = rf"(?:[$,;:@&=+{_UNRESERVED}]|{_ESCAPED}){{1,9}}"
_SEGMENT = rf"{_PCHAR}{{0,5}}(?:;{_PCHAR}{{0,5}}){{0,2}}"
_ABS_PATH = rf"/{_SEGMENT}(?:/{_SEGMENT}){{0,4}}"
_REL_PATH = rf"(?:[;@&=+$,{_UNRESERVED}]|{_ESCAPED}){{1,9}}(?:{_ABS_PATH})?"
_OPAQUE_PART = rf"(?:[;?:@&=+$,{_UNRESERVED}]|{_ESCAPED}){_URIC}{{0,9}}"


def derived(rule: str) -> st.SearchStrategy[str]:
    return st.from_regex(re.compile(rf"\A{rule}\Z", re.ASCII), fullmatch=True).map(lambda text: text.rstrip("\n"))


schemes = derived(_SCHEME)
authorities = derived(f"(?:{_SERVER}|{_REG_NAME})")
absolute_paths = derived(_ABS_PATH)
queries = fragments = st.none() | derived(f"{_URIC}{{0,9}}")
#: (authority, path) of `net_path` and of `abs_path`.
hierarchical = st.tuples(authorities, absolute_paths | st.just("")) | st.tuples(st.none(), absolute_paths)

RESOLVER = resolver("rfc2396")


@given(schemes, hierarchical, queries, fragments)
@example("file", ("", "/x"), None, None)
def test_a_hierarchical_uri(scheme, place, query, fragment):
    """absoluteURI = scheme ":" hier_part, with a fragment as in URI-reference."""
    expected = URI(scheme, *place, query, fragment)
    assume(expected.authority is not None or not expected.path.startswith("//"))  # see the test of §4.3
    reference = recompose(expected)
    assert split(reference) == expected
    assert RESOLVER.is_absolute(reference)
    assert RESOLVER.is_absolute_reference(reference)
    assert RESOLVER.resolve("http://a/b", reference).target == reference
    assert RESOLVER.normalize(reference) is not None


@given(schemes, derived(_OPAQUE_PART), fragments)
@example("mailto", "a@b?c/d", None)
def test_an_opaque_uri(scheme, opaque_part, fragment):
    """absoluteURI = scheme ":" opaque_part. Appendix B's expression takes the part after a "?" in it for a query."""
    reference = recompose(URI(scheme, None, opaque_part, None, fragment))
    found = split(reference)
    assert (found.scheme, found.authority, found.fragment) == (scheme, None, fragment)
    assert found.path + ("" if found.query is None else f"?{found.query}") == opaque_part
    assert not RESOLVER.is_absolute(reference)
    assert RESOLVER.is_absolute_reference(reference)
    assert RESOLVER.resolve("http://a/b", reference).target == reference
    assert RESOLVER.resolve(reference, "g") == UNRESOLVABLE


@given(hierarchical | st.tuples(st.none(), derived(_REL_PATH)), queries, fragments)
def test_a_relative_uri(place, query, fragment):
    """relativeURI = ( net_path | abs_path | rel_path ) [ "?" query ], with a fragment as in URI-reference."""
    expected = URI(None, *place, query, fragment)
    assume(expected.authority is not None or not expected.path.startswith("//"))
    reference = recompose(expected)
    assert split(reference) == expected
    assert not RESOLVER.is_absolute(reference)
    assert not RESOLVER.is_absolute_reference(reference)
    target = split(RESOLVER.resolve("x://a/b/c", reference).target)
    assert (target.scheme, target.query, target.fragment) == ("x", query, fragment)
    assert target.authority == ("a" if place[0] is None else place[0])


@given(st.none() | schemes, absolute_paths)
@example(None, "//x")
def test_two_slashes_begin_an_authority(scheme, path):
    """§4.3: of an abs_path that begins with two slashes "the authority component wins"."""
    found = split(recompose(URI(scheme, None, f"/{path}", None, None)))
    assert found == URI(scheme, path[1:].partition("/")[0], path[len(path[1:].partition("/")[0]) + 1 :], None, None)
