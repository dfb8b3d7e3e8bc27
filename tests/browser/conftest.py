from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from support.browser.chromium import Chromium, find_chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[Chromium]:
    executable = find_chromium()
    if executable is None:
        reason = "no Chromium found: install one, or name it in LINKFIX_CHROMIUM"
        if os.environ.get("LINKFIX_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with Chromium(executable) as running:
        yield running
