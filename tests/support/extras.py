"""Libraries that are not installed everywhere: a test that needs one is skipped, and says how to install it."""

from __future__ import annotations

from typing import Any

import pytest

__all__ = ["missing", "needed"]

#: Distributions that no extra has, with their installed names: some versions of pip fail on the two spellings of one
#: extra of lxml that readability, newspaper4k and trafilatura require; niquests replaces urllib3; the others are large.
_APART = {
    "crawl4ai": "crawl4ai",
    "langchain_community": "langchain-community",
    "markitdown": "markitdown",
    "newspaper": "newspaper4k",
    "niquests": "niquests",
    "readability": "readability-lxml",
}


def missing(library: str) -> str:
    """The reason for skipping a test if the library is not installed."""
    package = _APART.get(library, "'.[test-all]'")
    return f"{library} is not installed: pip install {package}"


def needed(module: str) -> Any:
    """Import a module, or skip the test, or the whole file, where its library is not installed."""
    return pytest.importorskip(module, reason=missing(module.partition(".")[0]))
