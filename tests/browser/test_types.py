"""Chromium still reads responses with odd header fields as tests/vectors/types.jsonl says.

It tests a part of the table; tests/vectors/record_types.py records all of it.
"""

from __future__ import annotations

import pytest
from support.browser.typed import RESPONSES, shown
from support.vectors import table

pytestmark = pytest.mark.browser

#: Step between the tested rows; it shares no factor with the number of bodies.
STEP = 17


def test_chromium_and_odd_types():
    rows = table("types")
    assert [(row["fields"], row["body"]) for row in rows] == [
        ([list(field) for field in fields], body.decode("latin-1")) for fields, body in RESPONSES
    ]
    _, found = shown(RESPONSES[::STEP])
    assert [list(one) for one in found] == [[row["media_type"], row["charset"], row["links"]] for row in rows[::STEP]]
