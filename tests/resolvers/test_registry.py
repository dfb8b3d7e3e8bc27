"""The registry: names, options, and a caller's mistakes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from linkfix import PROBLEMS, InvalidBase, InvalidOption, Resolution, UnknownCharset, UnknownSpec, resolve
from linkfix.resolvers import RESOLVERS, Resolver, resolver
from linkfix.resolvers.common import CHOICES, NO_BASE, UNRESOLVABLE

RFCS = ["fielding1994", "rfc1808", "rfc2396", "rfc3986"]


def test_the_names_are_in_the_order_of_the_texts():
    assert list(RESOLVERS) == [*RFCS, "whatwg"]


@pytest.mark.parametrize("name", RESOLVERS)
def test_a_name_selects_its_resolver(name):
    found: Resolver = resolver(name)
    assert found.name == name
    assert found is RESOLVERS[name]


def test_browsers_are_the_default():
    assert resolver().name == "whatwg"


def test_choices_that_the_texts_leave_open():
    assert {name: set(found.choices) for name, found in RESOLVERS.items()} == {
        "fielding1994": set(),
        "rfc1808": {"same_scheme"},
        "rfc2396": {"excess_dots", "same_scheme"},
        "rfc3986": {"same_scheme"},
        "whatwg": set(),
    }


def test_specifications_that_allow_a_relative_base_element():
    assert {name: found.relative_base_allowed for name, found in RESOLVERS.items()} == {
        "fielding1994": False,
        "rfc1808": False,
        "rfc2396": False,
        "rfc3986": True,
        "whatwg": True,
    }


def test_specifications_with_the_document_as_an_empty_action():
    assert {name for name, found in RESOLVERS.items() if found.empty_action_is_document} == {"whatwg"}


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(UnknownSpec, match=r"'rfc9999'.*fielding1994, rfc1808, rfc2396, rfc3986, whatwg"):
        resolver("rfc9999")


@pytest.mark.parametrize("name", RESOLVERS)
@pytest.mark.parametrize("choice", CHOICES)
def test_a_choice_is_accepted_only_if_the_text_leaves_it_open(name, choice):
    options = {choice: CHOICES[choice][-1]}
    if choice in RESOLVERS[name].choices:
        assert resolver(name, **options) != resolver(name)
    else:
        with pytest.raises(InvalidOption, match=f"{choice} is not an option of {name}.*rfc2396"):
            resolver(name, **options)


@pytest.mark.parametrize("choice", CHOICES)
def test_a_choice_has_only_its_values(choice):
    with pytest.raises(
        InvalidOption, match=f"{choice}='maybe': expected {', '.join(map(repr, CHOICES[choice][:-1]))} or"
    ):
        resolver("rfc2396", **{choice: "maybe"})


def test_options_do_not_stick():
    assert resolve("http://a/", "../g", "rfc2396", excess_dots="drop").target == "http://a/g"
    assert resolve("http://a/", "../g", "rfc2396").target == "http://a/../g"


@pytest.mark.parametrize("name", RESOLVERS)
@pytest.mark.parametrize("base", ["#s", "x/y", "/x", "//host/x"])
def test_a_relative_base_is_the_caller_s_mistake(name, base):
    with pytest.raises(InvalidBase, match="not an absolute URL"):
        resolve(base, "g", name)


@pytest.mark.parametrize("reference", ["g", "../g", "//h/g", "", "#s", "a:g"])
@pytest.mark.parametrize("name", RESOLVERS)
def test_an_empty_base_is_unknown(name, reference):
    """Fielding's rule 1; RFC 1808 §3.4 and §4 step 1. The later texts have no such base, and treat it as none."""
    found = resolve("", reference, name)
    if name in {"fielding1994", "rfc1808"}:
        assert found == Resolution(reference)
    else:
        assert found == resolve(None, reference, name)


def test_an_empty_base_has_no_scheme():
    """RFC 1808 §5.2: the base's own scheme can be ignored; here the base has no scheme."""
    assert resolve("", "http:g", "rfc1808", same_scheme="relative").target == "http:g"


@pytest.mark.parametrize("name", ["fielding1994", "rfc1808", "rfc2396", "whatwg"])
def test_a_base_that_nothing_can_be_relative_to_is_absolute_all_the_same(name):
    assert resolve("mailto:someone@example.org", "g", name) == UNRESOLVABLE
    assert resolve("mailto:someone@example.org", "http://a/g", name).target == "http://a/g"


@pytest.mark.parametrize("name", RESOLVERS)
def test_without_a_base_absolute_references_resolve_and_relative_ones_do_not(name):
    assert resolve(None, "http://a/g", name) == Resolution("http://a/g")
    assert [resolve(None, reference, name) for reference in ("g", "/g", "//g", "?g")] == [NO_BASE] * 4


def test_a_label_of_an_encoding_is_looked_up():
    assert resolve("http://a/", "?é", encoding="Latin1").target == "http://a/?%E9"
    with pytest.raises(UnknownCharset, match="'klingon' is not a label of the Encoding standard"):
        resolve("http://a/", "g", encoding="klingon")


def test_problems_are_codes_of_the_model():
    assert {NO_BASE.problem, UNRESOLVABLE.problem, "excess-dots"} <= PROBLEMS.keys()


def test_the_engine_is_loaded_at_first_use():
    code = (
        "import sys; from linkfix.resolvers import resolve; "
        "before = 'ada_url' in sys.modules; resolve('http://a/', 'g'); print(before, 'ada_url' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True"]


def test_every_problem_has_the_reason_for_a_missing_target():
    texts = {code: str(Resolution(None, problem=code)) for code in PROBLEMS}
    assert texts == {code: f"(none): {sentence} [{code}]" for code, sentence in PROBLEMS.items()}


@pytest.mark.parametrize(
    ("resolution", "text"),
    [
        (resolve("http://a/b", "../g"), "http://a/g"),
        (resolve("http://a/b", "", "rfc2396"), ""),  # the same document: the target is the reference itself
        (resolve(None, "../g"), f"(none): {PROBLEMS['no-base']} [no-base]"),
        (resolve("http://a/", "http://["), "(none): the reference cannot be parsed as a URL [unresolvable]"),
        (Resolution(None), "(none)"),
    ],
)
def test_the_text_of_a_resolution(resolution, text):
    assert str(resolution) == f"{resolution}" == text
