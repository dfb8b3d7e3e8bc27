from __future__ import annotations

import pytest
from support.scraped_site import serving


@pytest.fixture(scope="session")
def site():
    with serving() as running:
        yield running
