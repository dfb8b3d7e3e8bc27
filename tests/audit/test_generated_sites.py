"""Sites that the real generators build: their broken references are found, and nothing else, built and in sources."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.generated_sites import SITES, compare, why_not

#: The folder with the packages of the generators, as `support.generated_sites` describes it.
FOLDER = os.environ.get("LINKFIX_GENERATORS", "")


@pytest.mark.slow
@pytest.mark.parametrize("name", SITES)
def test_a_generated_site(name):
    if not FOLDER:
        pytest.skip("LINKFIX_GENERATORS names no folder with site generators")
    if reason := why_not(Path(FOLDER), name):
        pytest.skip(reason)
    assert compare(Path(FOLDER), name) == []
