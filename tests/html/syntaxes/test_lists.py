from __future__ import annotations

import pytest

from linkfix.html.syntaxes import SYNTAXES


def references(syntax, text):
    found = SYNTAXES[syntax](text)
    assert [text[one.start : one.end] for one in found] == [one.reference for one in found]
    return [one.reference for one in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", ["a"]),
        ("  a\tb\nc\fd\re  ", ["a", "b", "c", "d", "e"]),
        ("a,b", ["a,b"]),
        ("a\x0bb\xa0c", ["a\x0bb\xa0c"]),
        ("a a", ["a", "a"]),
        (" ", []),
    ],
)
def test_space_separated_tokens(text, expected):
    assert references("space-list", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", ["a"]),
        (" a.jar , b c.jar,\n\td.jar ", ["a.jar", "b c.jar", "d.jar"]),
        (",a,, ,b,", ["a", "b"]),
        (",", []),
    ],
)
def test_comma_separated_tokens(text, expected):
    assert references("comma-list", text) == expected


def test_a_url_cannot_end_its_token():
    assert SYNTAXES["space-list"]("a")[0].escape("http://x/ \t\n\f\r,") == "http://x/%20%09%0A%0C%0D,"
    assert SYNTAXES["comma-list"]("a")[0].escape("http://x/ a,b,") == "http://x/ a%2Cb%2C"
