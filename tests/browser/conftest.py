from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.browser.chromium import Chromium, require_chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[Chromium]:
    with Chromium(require_chromium()) as running:
        yield running
