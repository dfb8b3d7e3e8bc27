from __future__ import annotations

import pytest
from support.vectors import table

from linkfix.html.syntaxes import SYNTAXES

find = SYNTAXES["srcset"]


def test_published_vectors():
    vectors = table("srcset")
    for vector in vectors:
        candidates = [found for found in find(vector["input"]) if found.problem is None]
        # The vectors name the candidate that a browser selects. In one vector, only the first can be selected: the
        # others are dropped, or have the same density (HTML, "update the source set").
        selected = candidates[0].reference if candidates else ""
        assert selected == vector["expected"], vector
    assert len(vectors) == 236


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.png", ["a.png"]),
        ("a.png 1x, b.png 2x", ["a.png", "b.png"]),
        ("a.png, b.png", ["a.png", "b.png"]),
        ("a.png,b.png 2x", ["a.png,b.png"]),
        (",, a.png ,, b.png,,,", ["a.png", "b.png"]),
        ("data:image/gif;base64,R0lG,OD 1x, b 2x", ["data:image/gif;base64,R0lG,OD", "b"]),
        ("a 100w 50h,b 200w", ["a", "b"]),
        ("a (1x, 2x), b", ["a", "b"]),
        ("a (1x, b", ["a"]),
        ("a ) 1x, b", ["a", "b"]),
        ("a x(, )y z, b", ["a", "b"]),
        (" \t\n\f\r,", []),
    ],
)
def test_candidates_and_their_spans(text, expected):
    found = find(text)
    assert [one.reference for one in found] == expected
    assert [text[one.start : one.end] for one in found] == expected


@pytest.mark.parametrize(
    ("descriptors", "is_valid"),
    [
        ("", True),
        ("1x", True),
        ("-0x", True),
        ("-0.0e9x", True),
        ("1w", True),
        ("1w 1h", True),
        ("1h 1w", True),
        ("9" * 5000 + "w", True),
        ("0" * 5000 + "w", False),
        ("-1x", False),
        ("1h", False),
        ("1w 1w", False),
        ("1w 1x", False),
        ("1h 1w 1h", False),
        ("0w", False),
        ("+1w", False),
        ("1.5w", False),
        ("1.x", False),
        ("x", False),
        ("\u0661w", False),
        ("1x foo(a, b)", False),
        ("sync", False),
    ],
)
def test_a_candidate_with_invalid_descriptors_is_found_with_a_problem(descriptors, is_valid):
    first, second = find(f"a {descriptors}, b 7x")
    assert (first.reference, first.problem) == ("a", None if is_valid else "srcset-descriptor")
    assert (second.reference, second.problem) == ("b", None)


def test_a_url_may_not_have_white_space_nor_a_comma_at_its_ends():
    (found,) = find("a")
    assert found.escape("http://x/a b\t\n\f\r,c,") == "http://x/a%20b%09%0A%0C%0D,c%2C"
    assert found.escape(",a,,") == "%2Ca,%2C"
    assert found.escape(",") == "%2C"
    assert found.escape("") == ""
