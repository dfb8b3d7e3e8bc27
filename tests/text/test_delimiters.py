from __future__ import annotations

import pytest
from support.growth import processor_limit

from linkfix.text import strip_delimiters, undelimited


@pytest.mark.parametrize(
    ("typed", "reference"),
    [
        ("http://a/b", "http://a/b"),
        (" http://a/b\n", "http://a/b"),
        ("<http://a/b>", "http://a/b"),
        ("<URL:http://a/b>", "http://a/b"),
        ("<url: http://a/b >.", "http://a/b"),
        ('"http://a/b",', "http://a/b"),
        ('"URI:http://a/b"', "http://a/b"),
        ("“http://a/b”", "http://a/b"),
        ("<http://a/b", "http://a/b"),
        ("<http://a/\n   b c>", "http://a/bc"),
        ("http://a/\r\n  b", "http://a/b"),
        ("http://a/ b", "http://a/b"),
        ("URL:http://a/b", "http://a/b"),
        ("url: http://a/b", "http://a/b"),
        ("<URL:../x>", "../x"),
        ('"../x y"', "../xy"),
        ("../x", "../x"),
        ("My Page.html", "My Page.html"),
        ("My Pa\n  ge.html", "My Page.html"),
        ("URL:x", "URL:x"),
        ("<b>/x", "<b>/x"),
        ("<>", ""),
        ("", ""),
        ("'x'", "'x'"),
    ],
)
def test_delimiters_and_embedded_white_space_are_stripped(typed, reference):
    assert strip_delimiters(typed) == reference
    assert strip_delimiters(reference) == reference


@pytest.mark.parametrize(
    ("text", "reference"),
    [("<URL: http://a/ b> x", "http://a/b"), ('"a" b', "a"), ("<a", "a"), ("<>", ""), ("a <b>", None), ("", None)],
)
def test_text_between_delimiters(text, reference):
    assert undelimited(text) == reference


@pytest.mark.growth
@pytest.mark.parametrize("unit", ["<", '"', " ", "<URL:", "a ", "\n", "“", "> ", "URL: "])
def test_long_input_takes_linear_time(unit):
    with processor_limit(5):
        strip_delimiters(unit * 500_000)
        undelimited(unit * 500_000)
