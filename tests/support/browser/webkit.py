"""WebKitGTK's MiniBrowser behind the tests' proxy, on a display of its own (Xvfb).

Speaks WebDriver (https://w3c.github.io/webdriver/) with WebKitWebDriver, of WebKitGTK's own: JSON over HTTP.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
from typing import Any

from support.browser.engine import TIMEOUT, BrowserError
from support.browser.proxied import ProxiedBrowser, awaited

__all__ = ["WebKit"]

#: It needs no bus, no accessibility, no graphics card, and no sandbox: it loads only the tests' own pages.
ENVIRONMENT = {
    "DBUS_SESSION_BUS_ADDRESS": "disabled:",
    "GDK_BACKEND": "x11",
    "GIO_USE_VFS": "local",
    "GSETTINGS_BACKEND": "memory",
    "LIBGL_ALWAYS_SOFTWARE": "1",
    "NO_AT_BRIDGE": "1",
    "WEBKIT_DISABLE_COMPOSITING_MODE": "1",
    "WEBKIT_DISABLE_DMABUF_RENDERER": "1",
    "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
}

ARGUMENTS = ["--automation", "--private", "--enable-page-cache=false", "--enable-dns-prefetching=false"]

#: A script that calls its last argument with JSON: a list of one value, or the text of an error.
EVALUATION = """const done = arguments[arguments.length - 1];
(async () => (await (%s)) ?? null)().then((value) => done(JSON.stringify([value])), (error) => done(
    JSON.stringify(String(error))))"""


class WebKit(ProxiedBrowser):
    """A running MiniBrowser. `driver`, `browser`, `display`: the paths of WebKitWebDriver, MiniBrowser and Xvfb."""

    name = "webkit"

    def __init__(self, driver: str, browser: str, display: str) -> None:
        self._paths = (driver, browser, display)
        self._session = ""
        self._closing = contextlib.ExitStack()
        super().__init__()

    def _start(self) -> None:
        driver, browser, display = self._paths
        environment = {**ENVIRONMENT, "DISPLAY": f":{self._display(display)}", "XDG_RUNTIME_DIR": str(self.folder)}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        process = self.run(driver, f"--port={port}", environment=environment)
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2 * TIMEOUT)
        self._closing.callback(self._connection.close)

        def listening() -> bool | None:
            if process.poll() is not None:
                message = "WebKitWebDriver ended as soon as it was started"
                raise BrowserError(message)
            try:
                self._connection.connect()
            except ConnectionRefusedError:
                return None
            return True

        awaited(listening, "WebKitWebDriver")
        proxy = f"127.0.0.1:{self.proxy.port}"
        wanted = {
            "proxy": {"proxyType": "manual", "httpProxy": proxy, "sslProxy": proxy},
            "webkitgtk:browserOptions": {"binary": browser, "args": ARGUMENTS},
            "timeouts": {"script": int(TIMEOUT * 1000), "pageLoad": int(TIMEOUT * 1000)},
        }
        session = self.command("POST", "/session", capabilities={"alwaysMatch": wanted})
        self._session = f"/session/{session['sessionId']}"
        self._version = session["capabilities"]["browserVersion"]

    def _display(self, executable: str) -> int:
        """Start a display, and return its number."""
        read, write = os.pipe()
        try:
            self.run(
                *(executable, "-displayfd", str(write), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"),
                environment={},
                keep=(write,),
            )
        finally:
            os.close(write)
        with os.fdopen(read, "rb") as number:  # ends when the display says it, or ends
            line = number.readline()
        if not line:
            message = "Xvfb ended as soon as it was started"
            raise BrowserError(message)
        return int(line)

    def close(self) -> None:
        """End the browser and remove its files."""
        self._closing.close()
        super().close()

    def version(self) -> str:
        """Return the product and version, as in `WebKitGTK/2.50.6`."""
        return f"WebKitGTK/{self._version}"

    def command(self, method: str, path: str, **parameters: object) -> Any:
        """Send a command of the session, and return the value of its answer."""
        body = json.dumps(parameters) if method == "POST" else None
        try:
            self._connection.request(method, self._session + path, body, {"Content-Type": "application/json"})
            answer = json.loads(self._connection.getresponse().read())["value"]
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()  # so that the next command does not get this one's answer
            self.lost = True
            message = f"{path}: {error!r}"
            raise BrowserError(message) from error
        if isinstance(answer, dict) and "error" in answer:
            message = f"{path}: {answer['error']}: {answer['message']}"
            raise BrowserError(message)
        return answer

    def evaluate(self, expression: str) -> Any:
        """Evaluate JavaScript in the page that is open; a promise is awaited."""
        answer = json.loads(self.command("POST", "/execute/async", script=EVALUATION % expression, args=[]))
        if isinstance(answer, str):
            raise BrowserError(answer)
        [value] = answer
        return value

    def _navigate(self, url: str) -> None:
        self.command("POST", "/url", url=url)
