"""A headless Firefox behind the tests' proxy.

Speaks WebDriver BiDi (https://w3c.github.io/webdriver-bidi/) with the browser itself: JSON messages over a WebSocket.
"""

from __future__ import annotations

import contextlib
import itertools
import json
from typing import Any

from support.browser.engine import TIMEOUT, BrowserError
from support.browser.proxied import ProxiedBrowser, awaited
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

__all__ = ["Firefox"]

#: Additions to the preferences that Firefox sets when a driver controls it: it loads nothing on its own, and everything
#: through the proxy.
PREFERENCES: dict[str, object] = {
    "dom.security.https_first": False,
    "dom.security.https_first_schemeless": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.http.speculative-parallel-limit": 0,
    "network.proxy.allow_hijacking_localhost": True,
    "network.proxy.failover_direct": False,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.no_proxies_on": "",
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.type": 1,
}

#: Evaluated out of reach of the page: the page does not see its definitions, and no Content-Security-Policy applies.
SANDBOX = "linkfix"


class Firefox(ProxiedBrowser):
    """A running Firefox."""

    name = "firefox"

    def __init__(self, executable: str) -> None:
        self._executable = executable
        self._numbers = itertools.count(1)
        self._connection = contextlib.ExitStack()
        super().__init__()

    def _start(self) -> None:
        port = self.proxy.port
        preferences = {**PREFERENCES, "network.proxy.http_port": port, "network.proxy.ssl_port": port}
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items()]
        (self.folder / "user.js").write_text("".join(lines), "utf-8")
        process = self.run(
            *(self._executable, "--headless", "--no-remote", "--profile", str(self.folder)),
            "--remote-debugging-port=0",
            environment={"MOZ_CRASHREPORTER_DISABLE": "1"},
        )
        file = self.folder / "WebDriverBiDiServer.json"

        def address() -> str | None:
            if process.poll() is not None:
                message = "Firefox ended as soon as it was started"
                raise BrowserError(message)
            try:
                found = json.loads(file.read_bytes())
            except (FileNotFoundError, ValueError):  # not there, or not all of it
                return None
            return f"ws://{found['ws_host']}:{found['ws_port']}/session"

        # No pings: they come from a thread and draw from the module `random`, which Hypothesis takes for the doing of
        # whatever test runs in this process meanwhile.
        started = awaited(address, "Firefox")
        connected = connect(started, proxy=None, open_timeout=TIMEOUT, ping_interval=None, max_size=None)
        self._socket: ClientConnection = self._connection.enter_context(connected)
        self._version = self.command("session.new", capabilities={})["capabilities"]["browserVersion"]
        self._context = self.command("browsingContext.getTree", maxDepth=0)["contexts"][0]["context"]
        self.command("network.setCacheBehavior", cacheBehavior="bypass")

    def close(self) -> None:
        """End the browser and remove its files."""
        self._connection.close()
        super().close()

    def version(self) -> str:
        """Return the product and version, as in `Firefox/153.7.0`."""
        return f"Firefox/{self._version}"

    def command(self, method: str, **parameters: object) -> Any:
        """Send a command and return its result."""
        number = next(self._numbers)
        try:
            self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
            while (answer := json.loads(self._socket.recv(TIMEOUT))).get("id") != number:
                pass  # an event
        except (TimeoutError, WebSocketException) as error:
            self.lost = True
            message = f"{method}: {error!r}"
            raise BrowserError(message) from error
        if answer["type"] == "error":
            message = f"{method}: {answer['error']}: {answer['message']}"
            raise BrowserError(message)
        return answer["result"]

    def evaluate(self, expression: str) -> Any:
        """Evaluate JavaScript in the page that is open; a promise is awaited."""
        answer = self.command(
            "script.evaluate",
            expression=f"(async () => JSON.stringify((await ({expression})) ?? null))()",
            target={"context": self._context, "sandbox": SANDBOX},
            awaitPromise=True,
        )
        if answer["type"] == "exception":
            raise BrowserError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def _navigate(self, url: str) -> None:
        self.command("browsingContext.navigate", context=self._context, url=url, wait="complete")
