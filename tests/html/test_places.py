"""The element and the attribute at a byte of a page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkfix.html.places import is_attribute_at, place_at

#: A piece of a page, with "^" before the byte in question, and the byte's place.
PIECES = [
    ("^text ", "text"),
    ("<p>^text</p>", "text"),
    ("^<p>", "tag"),
    ("<p^>", "tag"),
    ('<p title="^x">', "tag"),
    ("<p title='<script>^'>", "tag"),
    ("</^p>", "other"),
    ("^<!-- -->", "text"),
    ("<!-- <script>^x()</script> -->", "text"),
    ("<!--><script>^x()</script>", "script"),
    ("<!DOCTYPE ^html>", "text"),
    ("<?x ^?>", "text"),
    ("<script>^x()</script>", "script"),
    ("<script>x(^)</script>", "script"),
    ("<script>x()^</script>", "other"),
    ("<script><!-- <script>^x()</script> --></script>", "script"),
    ("<SCRIPT TYPE=' Text/JavaScript '>^x()</script>", "script"),
    ("<script type=module>^x()</script>", "script"),
    ("<script type>^x()</script>", "script"),
    ("<script type=x type=module>^x()</script>", "other"),
    ('<script type="application/json">^"x"</script>', "other"),
    ("<textarea><script>^x()</script></textarea>", "other"),
    ("<title>^<p></title>", "other"),
    ("<style>^<!-- </style>", "other"),
    ("<noscript>^x</noscript>", "text"),
]
#: Those that go to the end of the page.
LAST = [
    ("<plaintext><script>^x()</script>", "other"),
    ("<textarea><script>^x()</script>", "other"),
    ("<script>^x()", "script"),
    ("<!-- ^x", "text"),
    ("<p title='^x", "other"),
    ("<p ^x", "other"),
]


@pytest.mark.parametrize(("piece", "kind"), PIECES + LAST)
def test_the_kind_of_place_of_a_byte(piece, kind):
    before, after = piece.encode().split(b"^")
    place = place_at(before + after, len(before))
    assert place.kind == kind
    if kind in {"tag", "script"}:
        assert place.start <= len(before) < place.end
    else:
        assert (place.start, place.end) == (-1, -1)


@given(st.lists(st.sampled_from(PIECES), max_size=8), st.sampled_from(PIECES + LAST))
def test_earlier_pieces_do_not_change_the_kind_of_place(before, last):
    data, asked = b"", []
    for piece, kind in [*before, last]:
        first, rest = piece.encode().split(b"^")
        asked.append((len(data) + len(first), kind))
        data += first + rest
    assert [place_at(data, offset).kind for offset, _ in asked] == [kind for _, kind in asked]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('^<p id="x">', True),
        ('<p ^id="x">', True),
        ('<p i^d="x">', False),
        ('<p id="^x">', False),
        ("<p a='^id=x'>", False),
        ('<p id=x ^id="y">', False),
        ("^<!-- -->", False),
        ("^</p>", False),
        ('<!-- <p ^id="x"> -->', False),
    ],
)
def test_start_of_a_tag_or_an_attribute(text, expected):
    before, after = text.encode().split(b"^")
    assert is_attribute_at(before + after, len(before)) is expected
