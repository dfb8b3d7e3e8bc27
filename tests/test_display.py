from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkfix.cli.tables import width
from linkfix.display import display_name, pluralize, visible

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


def test_shown_keeps_what_is_text():
    assert display_name("a\nb é") == "a\nb é"
    assert display_name("caf\udce9.html") == "caf\\xe9.html"


@pytest.mark.parametrize(("number", "expected"), [(0, "0 links"), (1, "1 link"), (1204, "1,204 links")])
def test_pluralize(number, expected):
    assert pluralize(number, "link") == expected


@pytest.mark.parametrize(("text", "expected"), [("abc", 3), ("漢字", 4), ("e\u0301", 1), ("", 0)])
def test_width(text, expected):
    assert width(text) == expected
