from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import for_each

from linkfix.schemes import VERDICTS, Registry, Scheme, check_name, search
from linkfix.schemes.names import LEVELS, LONG


def codes(name, **fields):
    return [verdict.code for verdict in check_name(name, **fields)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("lantern", ["name-rights"]),
        ("http", ["name-registered"]),
        ("HTTP", ["name-registered", "name-case"]),
        ("Htpp", ["name-case", "name-near", "name-rights"]),
        ("mialto", ["name-near", "name-rights"]),
        ("javascript", ["name-used", "name-rights"]),
        ("q", ["name-short", "name-rights"]),
        ("x" * LONG, ["name-rights"]),
        ("x" * (LONG + 1), ["name-long", "name-rights"]),
        ("universal", ["name-general", "name-rights"]),
        ("lamp-standard", ["name-general", "name-rights"]),
        ("standardised", ["name-rights"]),
        ("bgp", ["name-taken", "name-rights"]),
        ("google.maps", ["name-mark", "name-rights"]),
        ("com-example-info", ["name-private"]),
        ("com.example.universal-standard-of-all", ["name-private"]),
        ("org.example", ["name-private"]),
        ("example-com", ["name-domain", "name-rights"]),
        ("lamps.example.org", ["name-domain", "name-rights"]),
        ("x-lamp", ["name-experimental", "name-rights"]),
        ("", ["name-syntax"]),
        ("1a", ["name-syntax"]),
        ("-a", ["name-syntax"]),
        ("a b", ["name-syntax"]),
        ("http:", ["name-syntax"]),
        ("schéma", ["name-syntax"]),
        ("ſcheme", ["name-syntax"]),
        ("\u212a", ["name-syntax"]),  # the Kelvin sign, whose lower case is a letter of ASCII
    ],
)
def test_verdicts(name, expected):
    assert codes(name) == expected


@pytest.mark.parametrize(
    ("code", "level", "name"),
    [
        ("name-registered", "error", "http"),
        ("name-case", "error", "Lantern"),
        ("name-used", "warning", "javascript"),
        ("name-near", "warning", "mialto"),
        ("name-short", "warning", "q"),
        ("name-long", "warning", "x" * (LONG + 1)),
        ("name-general", "warning", "universal"),
        ("name-taken", "warning", "bgp"),
        ("name-mark", "warning", "google.maps"),
        ("name-domain", "warning", "example-com"),
        ("name-experimental", "warning", "x-lamp"),
        ("name-private", "note", "com-example-info"),
        ("name-rights", "note", "lantern"),
        ("name-syntax", "error", "1a"),
    ],
)
def test_levels(code, level, name):
    assert (code, level) in [(verdict.code, verdict.level) for verdict in check_name(name)]


def test_a_character_is_named_with_its_place():
    [verdict] = check_name("sché")
    assert verdict.message.startswith("'sché': 'é' (character 4) is not allowed in a scheme name")
    assert (verdict.level, verdict.section) == ("error", "RFC 3986 §3.1")


@for_each(search(""), label=lambda scheme: scheme.name)
def test_every_registered_name_is_reported(scheme):
    registered = check_name(scheme.name.upper())[0]
    assert (registered.code, registered.level) == ("name-registered", "error")
    assert f"({scheme.status})" in registered.message
    assert scheme.reference in registered.message


def test_another_registry():
    registry = Registry([Scheme("lamp", "provisional", "Lamps")], "", "x.csv")
    assert codes("lamp", registry=registry) == ["name-registered"]
    assert codes("lapm", registry=registry) == ["name-near", "name-rights"]
    assert "name-registered" not in codes("http", registry=registry)


@given(st.text(max_size=12) | st.from_regex(r"[A-Za-z][A-Za-z0-9+.-]{0,30}", fullmatch=True))
def test_a_valid_name_matches_the_grammar(name):
    """RFC 3986 §3.1: scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )."""
    verdicts = check_name(name)
    assert (codes(name) == ["name-syntax"]) == (re.fullmatch(r"[A-Za-z][A-Za-z0-9+.\-]*", name) is None)
    assert {verdict.code for verdict in verdicts} <= set(VERDICTS)
    assert [verdict.level for verdict in verdicts] == sorted((one.level for one in verdicts), key=LEVELS.index)
    assert all(verdict.section.startswith(("RFC 4395 §", "RFC 3986 §", "RFC 7595 §")) for verdict in verdicts)
