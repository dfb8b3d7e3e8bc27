from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.browser.chromium import Chromium
from support.browser.engine import Engine
from support.browser.engines import ENGINES, Running


@pytest.fixture(scope="session")
def running() -> Iterator[Running]:
    browsers = Running()
    yield browsers
    browsers.close()


@pytest.fixture(scope="session")
def browser(running: Running) -> Chromium:
    """The browser that has DevTools."""
    chromium = running["chromium"]
    assert isinstance(chromium, Chromium)
    return chromium


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, running: Running) -> Engine:
    """Each engine that is installed."""
    return running[request.param]
