"""Fielding's proposal of 27 July 1994: its examples, and its rules where these say more."""

from __future__ import annotations

import pytest
from support.resolutions import NO_BASE, UNRESOLVABLE

from linkfix import Resolution
from linkfix.resolvers import resolver

RESOLVER = resolver("fielding1994")

#: "Examples: within an object with a well defined base URL of <URL:magic://a/b/c/d>", but for its last two: the
#: table prints magic://a/g/h and magic://a/h, against rule 3d2. Here is what the rule gives.
EXAMPLES = {
    "g:h": "g:h",
    "magic:g": "magic://a/b/c/g",
    "magic:": "magic://a/b/c/d",
    "g": "magic://a/b/c/g",
    "./g": "magic://a/b/c/g",
    "/g": "magic://a/g",
    "//g": "magic://g",
    "../g": "magic://a/b/g",
    "../../g": "magic://a/g",
    "../../../g": "magic://a/../g",
    "./../g": "magic://a/b/g",
    "/./g": "magic://a/./g",
    "g/./h": "magic://a/b/c/g/h",
    "g/../h": "magic://a/b/c/h",
}


def resolved(base, reference):
    return RESOLVER.resolve(base, reference).target


@pytest.mark.parametrize(("reference", "target"), EXAMPLES.items())
def test_examples(reference, target):
    assert RESOLVER.resolve("magic://a/b/c/d", reference) == Resolution(target)


def test_rule_1_without_a_base_only_absolute_urls_mean_something():
    assert RESOLVER.resolve(None, "g:h") == Resolution("g:h")
    assert RESOLVER.resolve(None, "") == NO_BASE


@pytest.mark.parametrize("scheme", ["gopher", "telnet", "wais", "mailto", "news"])
def test_rule_2_schemes_without_relative_forms(scheme):
    base = f"{scheme}://a/b/c"
    assert RESOLVER.resolve(base, f"{scheme}:g") == Resolution(f"{scheme}:g")
    assert RESOLVER.resolve(base, "g") == UNRESOLVABLE
    assert not RESOLVER.is_absolute(base)


@pytest.mark.parametrize("reference", ["g:h", "g:", "g:../h", "ftp://x/../y"])
def test_rule_2_a_url_of_another_scheme_is_absolute(reference):
    assert RESOLVER.resolve("magic://a/b/c", reference) == Resolution(reference)


def test_rule_2_a_scheme_is_the_same_in_upper_case():
    assert RESOLVER.resolve("http://a/b", "HTTP:g").target == "http://a/g"


class TestRule3:
    @pytest.mark.parametrize("scheme", ["", "magic:", "MAGIC:"])
    def test_a_scheme_that_is_the_bases_counts_no_more_than_none(self, scheme):
        assert resolved("magic://a/b/c", f"{scheme}../g") == "magic://a/g"
        assert resolved("magic://a/b/c", f"{scheme}/g") == "magic://a/g"

    def test_the_text_after_the_scheme_begins_with_no_other_scheme(self):
        assert resolved("magic://a/b/c", "magic:g:h") == "magic://a/b/g:h"

    @pytest.mark.parametrize("reference", ["", "magic:"])
    def test_a_an_empty_remainder_is_the_base(self, reference):
        assert resolved("magic://a/b/./c?q", reference) == "magic://a/b/./c?q"

    @pytest.mark.parametrize("scheme", ["", "magic:"])
    @pytest.mark.parametrize("remainder", ["//x/y", "//x", "//x/./y/../z"])
    def test_b_a_double_slash_begins_an_absolute_url(self, scheme, remainder):
        assert resolved("magic://a/b", scheme + remainder) == f"magic:{remainder}"

    @pytest.mark.parametrize(
        ("base", "reference", "target"),
        [
            ("magic://a/b/c", "/g", "magic://a/g"),
            ("magic://a/b/c", "/./g/../h", "magic://a/./g/../h"),  # the result "is interpreted as an absolute URL"
            ("magic://a", "/g", "magic://a/g"),  # no following slash
            ("magic://a?b/c", "/g", "magic://a?b/g"),  # the slash alone ends the part
            ("magic:/b/c", "/g", "magic:/g"),  # no initial part
        ],
    )
    def test_c_a_slash_follows_the_bases_initial_part(self, base, reference, target):
        assert resolved(base, reference) == target

    @pytest.mark.parametrize(("base", "initial"), [("magic://a/b/c", "//a"), ("magic://u@a:1/b/c", "//u@a:1")])
    def test_d_otherwise_the_initial_part_is_the_bases(self, base, initial):
        assert resolved(base, "g") == f"magic:{initial}/b/g"
        assert resolved(base, "../../../../g") == f"magic:{initial}/../../../g"

    @pytest.mark.parametrize(
        ("base", "reference", "target"),
        [
            ("magic://a", "g", "magic://a/g"),
            ("magic://a", "./../g", "magic://a/./../g"),  # nothing is removed
            ("magic://a", "?y", "magic://a/?y"),
        ],
    )
    def test_d1_a_slash_comes_before_a_url_path_of_its_own(self, base, reference, target):
        assert resolved(base, reference) == target

    @pytest.mark.parametrize(
        ("base", "reference", "target"),
        [
            ("magic://a/", "./g", "magic://a/g"),  # the slash is a url-path
            ("magic://a/b/c/", "g", "magic://a/b/c/g"),
            ("magic://a/b/c/d", ".", "magic://a/b/c"),  # "/." goes, slash and all
            ("magic://a/d", ".", "magic://a"),
            ("magic://a/b/c/d", "..", "magic://a/b/c/.."),  # "xxx/../" asks for the last slash
            ("magic://a/b/c/d", "../", "magic://a/b/"),
            ("magic://a/b/c/d", "../../../../g", "magic://a/../../g"),  # "xxx" is not ".."
            ("magic://a/b//d", "../g", "magic://a/b/g"),  # "xxx" may be empty
            ("magic://a/b/./c/../d", "g", "magic://a/b/g"),  # of the base too: "within the result"
            ("magic://a/b/c", "g/././h", "magic://a/b/g/h"),  # "recursively"
            ("magic://a/b/c", "g/./../h", "magic://a/b/h"),  # "/." before "xxx/../"
            ("magic://a/b/c", ".g/..h/i./j..", "magic://a/b/.g/..h/i./j.."),  # "complete path segments"
            ("magic:b/d", "./g", "magic:b/g"),
            ("magic:d", "./g", "magic:./g"),  # no slash before the dot
            ("magic:b", "a/../g", "magic:g"),
            ("magic:/a", ".//g", "magic:/.//g"),  # not an initial part
        ],
    )
    def test_d2_the_last_segment_is_replaced_and_dots_are_removed(self, base, reference, target):
        assert resolved(base, reference) == target


def test_a_query_is_part_of_the_url_path():
    assert RESOLVER.resolve("http://a/b/c?x/y", "g").target == "http://a/b/c?x/g"
    assert RESOLVER.resolve("http://a/b/c", "g?x/../y").target == "http://a/b/y"


def test_a_fragment_is_set_aside():
    assert RESOLVER.resolve("http://a/b/c#f/g", "d#s/../t").target == "http://a/b/d#s/../t"
    assert RESOLVER.resolve("http://a/b/c#f", "#s").target == "http://a/b/c#s"
    assert RESOLVER.resolve("http://a/b/c#f", "").target == "http://a/b/c"


def test_a_base_needs_a_scheme():
    assert RESOLVER.is_absolute("magic:")
    assert not RESOLVER.is_absolute("//a/b")
    assert RESOLVER.resolve("//a/b", "g") == UNRESOLVABLE


def test_the_normal_form_is_the_url():
    assert RESOLVER.normalize(" HTTP://A/./b ") == "HTTP://A/./b"
    assert RESOLVER.normalize("b") is None


def test_a_reference_with_scheme_and_host_keeps_its_schemes_letters():
    assert RESOLVER.resolve("HTTP://a/b", "http://c/").target == "http://c/"
    assert RESOLVER.resolve("http://a/b", "HTTP://c/d/../e").target == "HTTP://c/d/../e"
    assert RESOLVER.resolve("HTTP://a/b", "http:c").target == "HTTP://a/c"
