from __future__ import annotations

import json
import re
import sys
import unicodedata
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.growth import assert_linear

from linkfix.cli.tables import width
from linkfix.display import (
    UNSAFE,
    display_name,
    json_text,
    name_without_commands,
    pluralize,
    visible,
    visible_line,
    visible_path,
)

BIDIRECTIONAL_CONTROLS = {"RLO", "LRO", "RLE", "LRE", "PDF", "RLI", "LRI", "FSI", "PDI"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain é 漢字 \U0001f600", "plain é 漢字 \U0001f600"),
        ("\x1b[31mred\x1b]0;title\x07", "\\x1b[31mred\\x1b]0;title\\x07"),
        ("a\nb\tc\r\x00\x7f", "a\\nb\\tc\\r\\x00\\x7f"),
        ("\x85\x9b31m", "\\x85\\x9b31m"),
        ("\u202eevil\u2066\u200f\u061c", "\\u202eevil\\u2066\\u200f\\u061c"),
        ("\u2028\u2029\ufeff", "\\u2028\\u2029\\ufeff"),
        ("caf\udce9", "caf\\xe9"),
        ("\ud800", "\\ud800"),
        ("a ##[set-output name=x]y ## [z]", "a \\x23#[set-output name=x]y ## [z]"),
        ("a##vso[task.x]y ###VSO[x", "a\\x23#vso[task.x]y #\\x23#VSO[x"),
        ("##teamcity[x] ##octopus[x] ##é", "\\x23#teamcity[x] \\x23#octopus[x] \\x23#é"),
        ("#\u00ad#\u200b[x] #\u2060#vso[x]", "\\x23\u00ad#\u200b[x] \\x23\u2060#vso[x]"),
        ("a## b #1 ##2 ##-", "a## b #1 ##2 ##-"),
    ],
)
def test_visible(text, expected):
    assert visible(text) == expected


@given(st.text(st.characters()))
def test_visible_text_is_printable_by_any_terminal(text):
    seen = visible(text)
    assert not any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in seen)
    assert not any(
        unicodedata.bidirectional(character) in {"RLO", "LRO", "RLE", "LRE", "PDF", "RLI", "LRI", "FSI", "PDI"}
        for character in seen
    )
    assert visible(seen) == seen
    seen.encode()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a::b.html", "a::b.html"),
        ("::error::x", "./::error::x"),
        (" ::x", "./ ::x"),
        ("\n::x", "\\n::x"),
        ("\u00ad:\u200b:error::x", "./\u00ad:\u200b:error::x"),
        ("--- x", "./--- x"),
        ("+++ x", "./+++ x"),
        ("~~~ x", "./~~~ x"),
        ("^^^ +++", "./^^^ +++"),
        ("---x", "---x"),
        ("--output", "--output"),
    ],
)
def test_no_path_begins_a_command_of_a_runner(name, expected):
    assert visible_path(name) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a::b", "a::b"),
        ("  ::error::x", "\\x3a:error::x"),
        ("\u200b::x", "\\u200b::x"),
        ("--- x", "\\x2d-- x"),
        ("##vso[x]", "\\x23#vso[x]"),
    ],
)
def test_no_line_begins_a_command_of_a_runner(text, expected):
    assert visible_line(text) == expected
    assert visible_line(expected) == expected


@given(st.text("#[vV:-+~^ x\u00ad\u200b\n\x1b"))
def test_shown_text_has_no_command(text):
    """The commands that the runners look for; JSON round-trips."""
    for shown in (visible(text), json_text(text), name_without_commands(text)):
        assert not re.search(r"##(\[|v)", re.sub("[\u00ad\u200b]", "", shown), re.IGNORECASE)
    assert json.loads(json_text(text)) == text
    assert visible(visible(text)) == visible(text)
    for line in (visible_line(text), visible_path(text)):
        bare = re.sub("[\u00ad\u200b]", "", line)
        assert not re.match(r"\s*::|(---|\+\+\+|~~~)\s|\^\^\^\s\+\+\+", bare)


@pytest.mark.growth
@pytest.mark.parametrize("unit", ["#", "#\u00ad", "\u00ad", " ", "##v", ":"])
def test_text_is_made_visible_in_linear_time(unit):
    assert_linear(lambda number: partial(visible_line, unit * number), 20_000)


@given(st.text(st.characters()))
def test_json_is_printable_and_comes_back(text):
    written = json_text({text: [text + "##[x]\x7f"]})
    assert written.isascii()
    assert not UNSAFE & set(map(ord, written))
    assert "##[" not in written
    assert json.loads(written) == {text: [text + "##[x]\x7f"]}


def test_shown_keeps_ordinary_text():
    assert display_name("a\nb é") == "a\nb é"
    assert display_name("caf\udce9.html") == "caf\\xe9.html"


@pytest.mark.parametrize(("number", "expected"), [(0, "0 links"), (1, "1 link"), (1204, "1,204 links")])
def test_pluralize(number, expected):
    assert pluralize(number, "link") == expected


@pytest.mark.parametrize(("text", "expected"), [("abc", 3), ("漢字", 4), ("e\u0301", 1), ("", 0)])
def test_width(text, expected):
    assert width(text) == expected


def test_exactly_the_unsafe_characters_are_escaped():
    for code in range(sys.maxunicode + 1):
        shown = visible(chr(code))
        assert (shown != chr(code)) == (code in UNSAFE)
        assert not UNSAFE.intersection(map(ord, shown))
