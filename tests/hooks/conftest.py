from __future__ import annotations

import importlib
from types import SimpleNamespace

import pytest
from support.extras import needed
from support.scraped_site import serving


@pytest.fixture(scope="session")
def site():
    with serving() as running:
        yield running


@pytest.fixture(scope="module", params=["httpx", "httpx2"])
def httpx(request):
    """The names of httpx, or of httpx2, and of its hook."""
    library = needed(request.param)
    hook = importlib.import_module(f"linkfix.hooks.{request.param}")
    names = {name: getattr(library, name) for name in dir(library) if not name.startswith("__")}
    return SimpleNamespace(**names | {name: getattr(hook, name) for name in hook.__all__}, library=request.param)
