"""RFC 1808: the examples of §5, the parsing of §2.4, the steps of §4."""

from __future__ import annotations

import pytest
from support.resolutions import NO_BASE, UNRESOLVABLE

from linkfix import Resolution
from linkfix.resolvers import resolver
from linkfix.resolvers.rfc1808 import _parse

RESOLVER = resolver("rfc1808")
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


def resolved(base, reference):
    return RESOLVER.resolve(base, reference).target


class TestParsing:
    """§2.4: the rest of the parse string after each of its sections."""

    @pytest.mark.parametrize(
        ("text", "components"),
        [
            ("//n/p;r?q#f", ("n", "/p", "r", "q", "f")),
            ("p", (None, "p", "", "", "")),
            ("", (None, "", "", "", "")),
        ],
    )
    def test_each_component_may_be_absent(self, text, components):
        """§2.1, <net_loc> to <fragment>. None: there is no "//"."""
        assert _parse(text) == components

    @pytest.mark.parametrize(
        ("text", "fragment", "rest"),
        [("p#f", "f", "p"), ("p#f#g", "f#g", "p"), ("#f?q;r/..", "f?q;r/..", ""), ("p#", "", "p"), ("p", "", "p")],
    )
    def test_the_fragment_begins_at_the_first_crosshatch(self, text, fragment, rest):
        """§2.4.1."""
        assert _parse(text) == (None, rest, "", "", fragment)

    @pytest.mark.parametrize(
        ("reference", "scheme"),
        [
            ("g:h", "g:h"),
            ("g+h-i.1:j", "g+h-i.1:j"),
            ("G:h:i", "G:h:i"),
            (":h", None),  # "after the first character"
            ("g/h:i", None),  # "before any characters not allowed as part of a scheme name"
            ("g_h:i", None),
            ("g", None),
        ],
    )
    def test_the_scheme_ends_at_a_colon_that_only_its_characters_precede(self, reference, scheme):
        """§2.4.2."""
        assert resolved(BASE, reference) == (scheme or f"http://a/b/c/{reference}")

    @pytest.mark.parametrize(
        ("text", "net_loc", "rest"),
        [
            ("//n/p", "n", "/p"),
            ("//n", "n", ""),
            ("///p", "", "/p"),
            ("//n:1@o//p", "n:1@o", "//p"),
            ("/p", None, "/p"),
        ],
    )
    def test_the_network_location_ends_at_the_next_slash(self, text, net_loc, rest):
        """§2.4.3."""
        assert _parse(text)[:2] == (net_loc, rest)

    @pytest.mark.parametrize(
        ("base", "reference", "target"),
        [("http://a?q/b", "g", "http://a?q/g"), ("http://a;x/b", "g", "http://a;x/g"), (BASE, "//c?y", "http://c?y")],
    )
    def test_only_a_slash_ends_a_network_location(self, base, reference, target):
        """§2.4.3 comes before §2.4.4; §2.2: net_loc = *( pchar | ";" | "?" )."""
        assert resolved(base, reference) == target

    @pytest.mark.parametrize(
        ("text", "query", "rest"),
        [("p?q", "q", "p"), ("p?q?r/..", "q?r/..", "p"), ("?q;r", "q;r", ""), ("p?", "", "p")],
    )
    def test_the_query_begins_at_the_first_question_mark(self, text, query, rest):
        """§2.4.4 comes before §2.4.5, so that a semicolon of the query begins no parameters."""
        assert _parse(text) == (None, rest, "", query, "")

    @pytest.mark.parametrize(
        ("text", "params", "rest"),
        [("p;r", "r", "p"), ("p;r;s/../t", "r;s/../t", "p"), (";r", "r", ""), ("p;", "", "p")],
    )
    def test_the_parameters_begin_at_the_first_semicolon(self, text, params, rest):
        """§2.4.5."""
        assert _parse(text) == (None, rest, params, "", "")

    @pytest.mark.parametrize(("reference", "target"), [("g", "http://a/b/c/g"), ("/g", "http://a/g")])
    def test_the_path_keeps_the_slash_before_it(self, reference, target):
        """§2.4.6: relative and absolute paths are told apart by it."""
        assert _parse(reference).path == reference
        assert resolved(BASE, reference) == target

    @pytest.mark.parametrize("scheme", ["ftp", "file", "http"])
    def test_the_reserved_characters_are_the_same_for_every_scheme(self, scheme):
        """§2.2; §2.3 NOTE: RFC 1738 allows "?" in a segment of ftp and file, and ";" in one of http."""
        assert resolved(f"{scheme}://a/b/c?d/e", "g") == f"{scheme}://a/b/g"
        assert resolved(f"{scheme}://a/b/c;d/e", "?y") == f"{scheme}://a/b/c;d/e?y"
        assert resolved(f"{scheme}://a/b/c;d/e", "g") == f"{scheme}://a/b/g"

    @pytest.mark.parametrize("reference", ["a b", "a|b", 'a"b', "a%b", "é", "{a}", "a[b]"])
    def test_characters_that_the_grammar_excludes_are_kept(self, reference):
        """§2.2 defines valid URLs; §4 does not require a parser to check them."""
        assert resolved(BASE, reference) == f"http://a/b/c/{reference}"


class TestSteps:
    """§4, by its steps."""

    @pytest.mark.parametrize("reference", ["", "#", "?", ";", "//"])
    def test_step_2a_an_empty_url_is_the_whole_base(self, reference):
        """§2.4.1, §2.4.4 and §2.4.5 treat empty components as absent ones."""
        assert resolved(BASE, reference) == BASE

    def test_step_2b_a_url_with_a_scheme_is_absolute(self):
        assert resolved(BASE, "x:../g;?#") == "x:../g;?#"
        assert resolved(BASE, "http:g") == "http:g"

    @pytest.mark.parametrize("reference", ["g", "/g", "//g", "?g", ";g", "#g"])
    def test_step_2c_the_scheme_is_inherited(self, reference):
        assert resolved("magic://a/b", reference).startswith("magic:")

    @pytest.mark.parametrize(
        ("base", "reference", "target"),
        [
            (BASE, "//g", "http://g"),
            (BASE, "//g/../h", "http://g/../h"),  # to step 7: nothing is removed
            (BASE, "///g", "http://a/g"),  # an empty network location is inherited
            ("file:///a/b", "g", "file:///a/g"),
            ("file:/a/b", "g", "file:/a/g"),  # "if any"
        ],
    )
    def test_step_3_the_network_location(self, base, reference, target):
        assert resolved(base, reference) == target

    @pytest.mark.parametrize("path", ["/g", "/./g", "/../g", "/g/../h", "/"])
    def test_step_4_a_path_after_a_slash_is_not_relative(self, path):
        assert resolved(BASE, path) == f"http://a{path}"
        assert resolved("file:///a/b", path) == f"file://{path}"

    @pytest.mark.parametrize(
        ("base", "reference", "target"),
        [
            ("http://a/b/../c", "?y", "http://a/b/../c?y"),  # to step 7: nothing is removed
            ("http://a/b", "#s", "http://a/b#s"),
            ("http://a", "?y", "http://a/?y"),  # §2.2: net_loc [ "/" rel_path ]
            ("http://a", ";x", "http://a/;x"),
            ("http://a", "#s", "http://a#s"),
        ],
    )
    def test_step_5_an_empty_path_is_inherited(self, base, reference, target):
        assert resolved(base, reference) == target

    def test_step_5a_missing_parameters_are_inherited(self):
        assert resolved(BASE, ";x") == "http://a/b/c/d;x"  # to step 7: no query is inherited
        assert resolved(BASE, "?y") == "http://a/b/c/d;p?y"
        assert resolved("http://a/b?q", "?y") == "http://a/b?y"  # "if any"

    def test_step_5b_a_missing_query_is_inherited(self):
        assert resolved(BASE, "?y") == "http://a/b/c/d;p?y"
        assert resolved(BASE, "#s") == "http://a/b/c/d;p?q#s"
        assert resolved("http://a/b;p", "#s") == "http://a/b;p#s"  # "if any"

    @pytest.mark.parametrize(
        ("base", "target"),
        [
            ("http://a/b/c/d", "http://a/b/c/g"),
            ("http://a/b/c/", "http://a/b/c/g"),
            ("x:d", "x:g"),  # "the entire path if no slash is present"
            ("http://a", "http://a/g"),
            ("http://a/b/c/d;p/e?q/r", "http://a/b/c/g"),  # neither is part of the path
        ],
    )
    def test_step_6_the_last_segment_of_the_path_is_replaced(self, base, target):
        assert resolved(base, "g") == target

    @pytest.mark.parametrize(
        ("reference", "target"),
        [("./g", "/b/c/g"), ("g/./h", "/b/c/g/h"), ("././g", "/b/c/g"), ("g./h", "/b/c/g./h"), (".g/h", "/b/c/.g/h")],
    )
    def test_step_6a_a_dot_segment_before_a_slash(self, reference, target):
        assert resolved(BASE, reference) == f"http://a{target}"

    @pytest.mark.parametrize(
        ("reference", "target"), [(".", "/b/c/"), ("g/.", "/b/c/g/"), ("g.", "/b/c/g."), ("./.", "/b/c/")]
    )
    def test_step_6b_a_dot_segment_at_the_end(self, reference, target):
        assert resolved(BASE, reference) == f"http://a{target}"

    @pytest.mark.parametrize(
        ("reference", "target"),
        [
            ("../g", "/b/g"),
            ("g/h/../../i", "/b/c/i"),  # again, "until no matching pattern remains"
            ("../../../../g", "/../../g"),  # a segment "not equal to '..'"
            ("../../../g/../h", "/../h"),
            ("g../h", "/b/c/g../h"),  # "a complete path segment"
            ("g//../h", "/b/c/g/h"),  # a segment may be empty (§2.2: segment = *pchar)
        ],
    )
    def test_step_6c_a_segment_and_two_dots_before_a_slash(self, reference, target):
        assert resolved(BASE, reference) == f"http://a{target}"

    @pytest.mark.parametrize(
        ("reference", "target"),
        [("..", "/b/"), ("../..", "/"), ("../../..", "/.."), ("g/..", "/b/c/"), ("g..", "/b/c/g..")],
    )
    def test_step_6d_a_segment_and_two_dots_at_the_end(self, reference, target):
        assert resolved(BASE, reference) == f"http://a{target}"

    @pytest.mark.parametrize(
        ("base", "reference", "target"),
        [
            (BASE, "g;x?y#s", "http://a/b/c/g;x?y#s"),
            (BASE, "g;?#", "http://a/b/c/g"),  # a component that is empty is absent
            ("file:/a/b", ".//g", "file:/a//g"),
            ("file:/a", ".//g", "file:/.//g"),  # not a network location
            ("x:a/b", "../../g", "x:../g"),
        ],
    )
    def test_step_7_the_components_are_recombined(self, base, reference, target):
        assert resolved(base, reference) == target

    @pytest.mark.parametrize("params", ["", ";type=d", ";a/b/c"])
    def test_parameters_are_not_part_of_the_path(self, params):
        """After step 7, of ";type=d" on an ftp URL."""
        assert resolved(f"ftp://h/a/b{params}", "../g") == "ftp://h/g"

    def test_fragments_are_inherited_by_an_empty_url_alone(self):
        assert resolved(BASE, "").endswith("#f")
        assert {resolved(BASE, one).partition("#")[2] for one in ("g", "?y", ";x", "/", "//g")} == {""}
        assert resolved(BASE, "#s").endswith("#s")


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("this:that", "this:that"),
        ("./this:that", "http://a/b/c/this:that"),
        ("this%3Athat", "http://a/b/c/this%3Athat"),
        ("/this:that", "http://a/this:that"),
    ],
)
def test_a_colon_in_the_first_segment_ends_a_scheme(reference, target):
    """§5.3."""
    assert resolved(BASE, reference) == target


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
    assert resolver("rfc1808", same_scheme="relative").resolve(BASE, reference).target == target


@pytest.mark.parametrize("scheme", ["mailto", "news", "telnet"])
def test_schemes_that_are_never_used_with_relative_urls(scheme):
    base = f"{scheme}:a/b"
    assert RESOLVER.resolve(base, "g") == UNRESOLVABLE
    assert resolver("rfc1808", same_scheme="relative").resolve(base, f"{scheme}:g") == Resolution(f"{scheme}:g")
    assert not RESOLVER.is_absolute(base)


@pytest.mark.parametrize("base", ["gopher://a/b/c", "wais://a/b/c", "prospero://a/b/c"])
def test_other_schemes_are_used_if_the_base_follows_the_syntax(base):
    assert RESOLVER.is_absolute(base)
    assert RESOLVER.resolve(base, "../g").target == base.replace("b/c", "g")


def test_the_type_of_a_gopher_url_is_a_part_of_its_path():
    """§2.3: a URL below the folder has the type of the base."""
    assert resolved("gopher://h/00/a/b", "../g") == "gopher://h/00/g"
    assert resolved("gopher://h/00/a/b", "/11/g") == "gopher://h/11/g"


def test_step_1_without_a_base():
    assert RESOLVER.resolve(None, "g:h/../?") == Resolution("g:h/../?")
    assert RESOLVER.resolve(None, "") == NO_BASE
    assert RESOLVER.resolve("//a/b", "g") == UNRESOLVABLE


def test_the_normal_form_is_the_url():
    assert RESOLVER.normalize(" HTTP://A/./b ") == "HTTP://A/./b"
    assert RESOLVER.normalize("b") is None
