"""Reports depend on the environment: it is the same for every test here."""

from __future__ import annotations

import contextlib
import time

import pytest


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


@pytest.fixture
def process_seconds():
    """A limit of processor time: the machine may have other work."""

    @contextlib.contextmanager
    def limit(seconds):
        started = time.process_time()
        yield
        assert time.process_time() - started < seconds

    return limit
