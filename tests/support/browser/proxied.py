"""The common part of browsers behind the tests' proxy: processes, one tab, and pages whose scripts are off."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from support.browser.engine import TIMEOUT, BrowserError, Closing, Request, Response, Tab
from support.browser.proxy import Proxy

__all__ = ["ProxiedBrowser", "awaited"]

#: HTML §7.1.5: without allow-scripts, scripting is disabled for a document, as if a reader turned scripts off: the
#: parser reads the content of noscript, and the driver can still evaluate. A refresh is blocked too, unlike there.
NO_SCRIPTS = ("Content-Security-Policy", "sandbox allow-same-origin allow-forms allow-popups allow-top-navigation")


def awaited(ask: Callable[[], object | None], what: str) -> Any:
    """Call `ask` until it returns a result other than None, for at most `TIMEOUT` seconds, and return that."""
    deadline = time.monotonic() + TIMEOUT
    while (found := ask()) is None:
        if time.monotonic() > deadline:
            message = f"no {what} in {TIMEOUT:.0f} seconds"
            raise BrowserError(message)
        time.sleep(0.02)
    return found


class ProxiedBrowser(ABC, Closing):
    """A browser with one tab, to be used as a context manager."""

    name: str

    def __init__(self) -> None:
        self.lost = False
        self.folder = Path(tempfile.mkdtemp(prefix=f"linkfix-{self.name}-"))
        self.proxy = Proxy()
        self._processes: list[subprocess.Popen[bytes]] = []
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    @abstractmethod
    def _start(self) -> None:
        """Start the browser, and take control of it."""

    @abstractmethod
    def _navigate(self, url: str) -> None:
        """Go to a URL and wait until it has loaded."""

    @abstractmethod
    def evaluate(self, expression: str) -> Any:
        """Evaluate JavaScript in the page that is open; a promise is awaited."""

    def run(self, *command: str, environment: Mapping[str, str], keep: tuple[int, ...] = ()) -> subprocess.Popen[bytes]:
        """Start a process of the browser, in a group of its own, with the given file descriptors."""
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(self.folder), **environment},
            pass_fds=keep,
            process_group=0,
        )
        self._processes.append(process)
        return process

    def close(self) -> None:
        """End the browser and remove its files."""
        for process in reversed(self._processes):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.proxy.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def open(self, url: str, responses: Mapping[str, Response], *, scripts: bool = False) -> Tab:
        """Open `url` and wait until it has loaded; its requests are answered from `responses`."""
        if not scripts:
            page = responses[url]
            responses = {**responses, url: page._replace(headers=(*page.headers, NO_SCRIPTS))}
        tab = _OnlyTab(self, self.proxy.serve(responses))
        self._navigate(url)
        return tab

    def leave(self) -> None:
        """Leave the page that is open."""
        self._navigate("about:blank")
        self.proxy.serve(None)


class _OnlyTab(Closing):
    """The page that a browser has open."""

    def __init__(self, browser: ProxiedBrowser, requests: list[Request]) -> None:
        self._browser = browser
        self.requests = requests

    def evaluate(self, expression: str) -> Any:
        return self._browser.evaluate(expression)

    def wait(self, done: Callable[[], bool]) -> None:
        self._browser.proxy.wait(done)

    def close(self) -> None:
        self._browser.leave()
