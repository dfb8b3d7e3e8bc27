from __future__ import annotations

import re

import pytest
from support.vectors import table

from linkfix.html.syntaxes import SYNTAXES

find = SYNTAXES["refresh"]


def test_published_vectors():
    vectors = table("refresh")
    for vector in vectors:
        # Neither a content that fails to parse nor a time alone, which means the document itself, has a URL.
        url = vector["expected"][1] if vector["expected"] else "__filename__"
        # The vectors have URLs as the URL parser reads them: it removes tabs and newlines.
        references = [re.sub(r"[\t\n\r]", "", found.reference) for found in find(vector["input"])]
        assert references == ([] if url == "__filename__" else [url]), vector
    assert len(vectors) == 73


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5", []),
        ("5;", []),
        ("5; ", []),
        (" . ; ", []),
        ("", []),
        ("5url=a", []),
        ("5; url=a", [(7, 8)]),
        (".;a", [(2, 3)]),
        ("5; URL = ' a ' b", [(11, 12)]),
        ("5; url='a", [(8, 9)]),
        ("5;'a\"b'", [(3, 6)]),
        ('5;url=""', [(7, 7)]),
        ("5;url=", [(6, 6)]),
        ("5;url", [(2, 5)]),
        ("5;url'a'", [(2, 8)]),
        ("5 ; url\f=\fa b\x00 ", [(10, 13)]),
        ("5;;a", [(2, 4)]),
        ("5,,a", [(2, 4)]),
    ],
)
def test_spans(text, expected):
    found = find(text)
    assert [(one.start, one.end) for one in found] == expected
    assert [one.reference for one in found] == [text[start:end] for start, end in expected]


def test_a_url_cannot_end_its_quotes():
    assert [find(text)[0].escape("http://x/'\"") for text in ["0;url=a", "0;url='a'", '0;url="a', "0;'a'"]] == [
        "http://x/'\"",
        'http://x/%27"',
        "http://x/'%22",
        'http://x/%27"',
    ]
