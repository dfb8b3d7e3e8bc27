from __future__ import annotations

import pytest

from linkfix.html.syntaxes import SYNTAXES


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("a/b", 0, 3),
        (" \t\n\f\ra b\r\n", 5, 8),
        ("\x00\x1f a \x0b\x01", 3, 4),
        ("\xa0a\xa0", 0, 3),
        ("ja\tva\nscript:", 0, 13),
        ("", 0, 0),
        (" \n ", 3, 3),
    ],
)
@pytest.mark.parametrize("syntax", ["url", "local-url"])
def test_c0_controls_and_spaces_around_are_no_part_of_the_reference(syntax, text, start, end):
    (found,) = SYNTAXES[syntax](text)
    assert (found.start, found.end, found.reference, found.kind) == (start, end, text[start:end], "url")


def test_a_url_is_its_own_serialization():
    (found,) = SYNTAXES["url"]("x")
    assert found.escape("http://x/'\"<>& ,") == "http://x/'\"<>& ,"


@pytest.mark.parametrize("text", ["#a", "#", " \n#a"])
def test_a_fragment_is_local_by_the_rule_of_its_attribute(text):
    assert SYNTAXES["local-url"](text)[0].kind == "local"
    assert SYNTAXES["url"](text)[0].kind == "url"


@pytest.mark.parametrize("text", ["a#b", "\xa0#a", "./#a"])
def test_a_fragment_of_something_is_not_local(text):
    assert SYNTAXES["local-url"](text)[0].kind == "url"
