"""The installed engines: their requirements, and one running browser of each for a session."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.browser.chromium import Chromium
from support.browser.engine import Engine
from support.browser.firefox import Firefox
from support.browser.webkit import WebKit

__all__ = ["ENGINES", "Running", "require_chromium", "required"]

#: Names under which systems install Chromium, in the order of the search.
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FIREFOX = ("firefox-esr", "firefox")

#: Debian's folder for programs outside PATH, in libwebkit2gtk-4.1-0.
MINI_BROWSERS = ("/usr/lib", "**/webkit2gtk-4.*/MiniBrowser")

REQUIRED = "LINKFIX_REQUIRE_BROWSER"


def _first(*names: str) -> str | None:
    return next(filter(None, map(shutil.which, names)), None)


def _mini_browser() -> str | None:
    folder, pattern = MINI_BROWSERS
    return next(map(str, sorted(Path(folder).glob(pattern), reverse=True)), None)


def _chromium() -> list[str | None]:
    found = os.environ.get("LINKFIX_CHROMIUM") or _first(*CHROMIUM)
    # Windows gives processes no file descriptors by number.
    return [found if hasattr(os, "posix_spawn") else None]


def _firefox() -> list[str | None]:
    return [os.environ.get("LINKFIX_FIREFOX") or _first(*FIREFOX)]


def _webkit() -> list[str | None]:
    return [_first("WebKitWebDriver"), _mini_browser(), _first("Xvfb")]


#: name -> its start function, the paths that this needs, and the packages to install.
ENGINES: dict[str, tuple[Callable[..., Any], Callable[[], list[str | None]], str]] = {
    "chromium": (Chromium, _chromium, "no Chromium found: install one, or name it in LINKFIX_CHROMIUM"),
    "firefox": (Firefox, _firefox, "no Firefox found: install one (firefox-esr), or name it in LINKFIX_FIREFOX"),
    "webkit": (WebKit, _webkit, "no WebKitGTK found: install webkit2gtk-driver and xvfb"),
}


def required(name: str) -> list[str]:
    """Return the paths that an engine needs.

    Skips the test if it is not installed. Fails instead if the environment's `LINKFIX_REQUIRE_BROWSER` is "all", or "1"
    for Chromium.
    """
    _, find, reason = ENGINES[name]
    found = find()
    paths = [path for path in found if path]
    if len(paths) == len(found):
        return paths
    if os.environ.get(REQUIRED) in {"all", "1" if name == "chromium" else "all"}:
        pytest.fail(reason)
    pytest.skip(reason)


def require_chromium() -> str:
    """Return the path of a Chromium; without one, skips or fails the test, as `required` has it."""
    [path] = required("chromium")
    return path


class Running:
    """The browsers that run; each is started when it is first asked for, and again if it went away."""

    def __init__(self) -> None:
        self._engines: dict[str, Engine] = {}

    def __getitem__(self, name: str) -> Engine:
        paths = required(name)
        if name in self._engines and self._engines[name].lost:
            self._engines.pop(name).close()
        if name not in self._engines:
            self._engines[name] = ENGINES[name][0](*paths)
        return self._engines[name]

    def close(self) -> None:
        """End them all."""
        while self._engines:
            self._engines.popitem()[1].close()
