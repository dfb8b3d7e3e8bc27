from __future__ import annotations

import json
import sys
import unicodedata
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.growth import assert_linear

from linkfix import display
from linkfix.cli.tables import width
from linkfix.display import UNSAFE, display_name, hide_passwords, json_text, pluralize, visible, visible_path

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
    [("a::b.html", "a::b.html"), ("::error::x", "./::error::x"), (" ::x", "./ ::x"), ("\n::x", "\\n::x")],
)
def test_no_path_begins_a_command_of_a_runner(name, expected):
    assert visible_path(name) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://me:secret@h/x", "https://me:…@h/x"),
        ("see 'ftp://me@h/' and 'WSS:\\\\me:a@b@h\\x'", "see 'ftp://me@h/' and 'WSS:\\\\me:…@h\\x'"),
        ('<a href="//:secret@h/">', '<a href="//:…@h/">'),
        ("https:me:secret@h/", "https:me:…@h/"),
        ("http:/me:secret@h/", "http:/me:…@h/"),
        ("https:///me:secret@h/", "https:///me:…@h/"),
        ("https://me:se\ncr\tet@h/", "https://me:…@h/"),
        ("https://h/@x https://h?a@b https://h#a@b", "https://h/@x https://h?a@b https://h#a@b"),
        ("mailto:me@example.com", "mailto:me@example.com"),
        ("http://h a@b.c", "http://h a@b.c"),
        ("dir//img@2x.png", "dir//img@2x.png"),
        ("https://h/ :@", "https://h/ :@"),
    ],
)
def test_hide_passwords(text, expected):
    assert hide_passwords(text) == expected
    assert hide_passwords(expected) == expected


@given(st.text(alphabet="ab:/\\@?#. \"'\n"), st.sampled_from(["https", "HTTP", "ftp", "x-y"]))
def test_no_password_of_a_url_is_left(text, scheme):
    """urllib's own view of what is a password."""
    url = f"{scheme}://me:secret@h/{text}"
    assert "secret" not in hide_passwords(f"{text} {url}")


@given(st.text(alphabet="ab:/\\@?#. \"'\n"), st.sampled_from(["", "https:", "HTTP://", "ftp:/", "//"]))
def test_no_password_is_passed_over_for_speed(text, scheme):
    text = f"{text}{scheme}{text}"
    assert hide_passwords(text) == display._PASSWORD.sub(r"\1\2…@", text)


@pytest.mark.growth
@pytest.mark.parametrize("unit", ["/", ":", "a:", "//a", "http:", "//a:", "a@", "http://a:"])
def test_hiding_passwords_takes_linear_time(unit):
    assert_linear(lambda number: partial(hide_passwords, "@ " + unit * number), 20_000)


@given(st.text(st.characters()))
def test_json_is_printable_and_comes_back(text):
    written = json_text({text: [text + "##[x]\x7f"]})
    assert written.isascii()
    assert not UNSAFE & set(map(ord, written))
    assert "##[" not in written
    assert json.loads(written) == {text: [text + "##[x]\x7f"]}


def test_shown_keeps_what_is_text():
    assert display_name("a\nb é") == "a\nb é"
    assert display_name("caf\udce9.html") == "caf\\xe9.html"


@pytest.mark.parametrize(("number", "expected"), [(0, "0 links"), (1, "1 link"), (1204, "1,204 links")])
def test_pluralize(number, expected):
    assert pluralize(number, "link") == expected


@pytest.mark.parametrize(("text", "expected"), [("abc", 3), ("漢字", 4), ("e\u0301", 1), ("", 0)])
def test_width(text, expected):
    assert width(text) == expected


def test_exactly_what_is_unsafe_is_escaped():
    for code in range(sys.maxunicode + 1):
        shown = visible(chr(code))
        assert (shown != chr(code)) == (code in UNSAFE)
        assert not UNSAFE.intersection(map(ord, shown))
