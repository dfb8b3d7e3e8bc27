"""The references that docs/feeds.md names are found."""

from __future__ import annotations

import pytest
from support.paths import CHECKOUT

from linkfix.text import find

DOC = CHECKOUT / "docs" / "feeds.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in DOC.read_text("utf-8").partition("| linkify-it-py |")[2].splitlines()
    if line.startswith("| `")
]


def test_the_table_is_read():
    assert len(ROWS) > 10


@pytest.mark.parametrize(("text", "said"), [row[:2] for row in ROWS])
def test_differences_are_as_documented(text, said):
    written = text.strip("`").replace("⏎", "\n")
    found = [one.reference for one in find(written)]
    expected = {"–": [], "itself": [written], "both": written.strip("'").split("','")}
    assert found == expected.get(said, [said.strip("`")])
