"""A headless Chromium that opens given bytes at any http(s) URL, and nothing else: no page reaches the network.

Speaks the Chrome DevTools Protocol (https://chromedevtools.github.io/devtools-protocol/) over
`--remote-debugging-pipe`: JSON messages that end in NUL, on the browser's file descriptors 3 (in) and 4 (out). Every
request stops in `Fetch.requestPaused` and is answered from a table. Scripts of pages do not run.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Mapping
from typing import Any

from support.browser.engine import EMPTY, TIMEOUT, BrowserError, Closing, Request, Response

__all__ = ["Chromium", "Message", "Page"]

Message = dict[str, Any]

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-features=LocalNetworkAccessChecks",  # a page at a public name may load the same as one at 127.0.0.1
    "--disable-site-isolation-trials",  # one session sees the requests of all frames
    "--host-resolver-rules=MAP * ~NOTFOUND",  # a request without a prepared answer does not leave the machine
    "--remote-debugging-pipe",
)


class Chromium(Closing):
    """A running browser, to be used as a context manager. Not safe for threads. `flags`: further ones."""

    name = "chromium"

    def __init__(self, executable: str, *flags: str) -> None:
        self.lost = False
        self._profile = tempfile.mkdtemp(prefix="linkfix-chromium-")
        command_read, self._write = os.pipe()
        self._read, answer_write = os.pipe()
        spare = max(command_read, answer_write, 4) + 1
        self._pid = os.posix_spawn(
            executable,
            [executable, *FLAGS, *flags, f"--user-data-dir={self._profile}", "about:blank"],
            os.environ,
            file_actions=[
                *((os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in range(3)),
                # By way of a spare: one end may have the other's number.
                (os.POSIX_SPAWN_DUP2, answer_write, spare),
                (os.POSIX_SPAWN_DUP2, command_read, 3),
                (os.POSIX_SPAWN_DUP2, spare, 4),
                (os.POSIX_SPAWN_CLOSE, spare),
            ],
            setpgroup=0,
        )
        os.close(command_read)
        os.close(answer_write)
        self._buffer = bytearray()
        self._last_id = 0
        self._answers: dict[int, Message] = {}
        self._unawaited: set[int] = set()
        self._listeners: dict[str, Callable[[Message], None]] = {}

    def close(self) -> None:
        """End the browser and remove its profile."""
        for fd in (self._write, self._read):
            os.close(fd)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        shutil.rmtree(self._profile, ignore_errors=True)

    def version(self) -> str:
        """Return the product and version, as in `Chrome/156.0.8078.79`."""
        return str(self.command("Browser.getVersion")["product"])

    def open(self, url: str, responses: Mapping[str, Response], *, scripts: bool = False) -> Page:
        """Open `url` in a tab of its own and wait until it has loaded; its requests are answered from `responses`.

        `scripts`: let the page's own scripts run.
        """
        page = Page(self, responses, scripts=scripts)
        page.load(url)
        return page

    def listen(self, session: str, listener: Callable[[Message], None]) -> None:
        """Hand every event of `session` to `listener` from now on."""
        self._listeners[session] = listener

    def forget(self, session: str) -> None:
        """Drop the events of `session`."""
        del self._listeners[session]

    def post(self, method: str, session: str = "", **parameters: object) -> None:
        """Send a command whose answer nobody waits for."""
        self._unawaited.add(self._send(method, session, parameters))

    def command(self, method: str, session: str = "", **parameters: object) -> Message:
        """Send a command and return its result; events that come before it go to their listeners."""
        number = self._send(method, session, parameters)
        self.pump(lambda: number in self._answers)
        answer = self._answers.pop(number)
        if "error" in answer:
            message = f"{method}: {answer['error']['message']}"
            raise BrowserError(message)
        result: Message = answer["result"]
        return result

    def pump(self, done: Callable[[], bool]) -> None:
        """Read messages until `done`: keep the answers, hand the events to their session's listener."""
        deadline = time.monotonic() + TIMEOUT
        while not done():
            message = self._receive(deadline)
            if message.get("id") in self._unawaited:
                self._unawaited.remove(message["id"])
            elif "id" in message:
                self._answers[message["id"]] = message
            elif listener := self._listeners.get(message.get("sessionId", "")):
                listener(message)

    def _send(self, method: str, session: str, parameters: Message) -> int:
        self._last_id += 1
        message: Message = {"id": self._last_id, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = memoryview(json.dumps(message).encode("ascii") + b"\0")
        while data:
            data = data[os.write(self._write, data) :]
        return self._last_id

    def _receive(self, deadline: float) -> Message:
        while (end := self._buffer.find(b"\0")) < 0:
            if not select.select([self._read], [], [], max(0.0, deadline - time.monotonic()))[0]:
                self.lost = True
                reason = f"no answer in {TIMEOUT:.0f} seconds"
                raise BrowserError(reason)
            chunk = os.read(self._read, 1 << 16)
            if not chunk:
                self.lost = True
                reason = "the browser went away"
                raise BrowserError(reason)
            self._buffer += chunk
        message: Message = json.loads(self._buffer[:end])
        del self._buffer[: end + 1]
        return message


class Page(Closing):
    """A tab. `requests`: its requests in order, those of its frames included."""

    def __init__(self, browser: Chromium, responses: Mapping[str, Response], *, scripts: bool) -> None:
        self._browser = browser
        self._responses = responses
        self.requests: list[Request] = []
        self._held: list[tuple[str, Request]] = []
        self._loaded: set[str] = set()
        self._target = browser.command("Target.createTarget", url="about:blank")["targetId"]
        self._session = browser.command("Target.attachToTarget", targetId=self._target, flatten=True)["sessionId"]
        browser.listen(self._session, self._event)
        self.command("Page.enable")
        self.command("Page.setLifecycleEventsEnabled", enabled=True)
        self.command("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.command("Fetch.enable", patterns=[{"urlPattern": "*"}])

    def close(self) -> None:
        """Close the tab."""
        self._browser.forget(self._session)
        self._browser.command("Target.closeTarget", targetId=self._target)

    def command(self, method: str, **parameters: object) -> Message:
        """Send a command to this tab and return its result."""
        return self._browser.command(method, self._session, **parameters)

    def load(self, url: str) -> None:
        """Navigate to `url` and wait for its load event."""
        # In a tab behind another nothing is painted, and a page with masks or filters of another file waits for that.
        self.command("Page.bringToFront")
        result = self.command("Page.navigate", url=url)
        if "errorText" in result:
            message = f"{url}: {result['errorText']}"
            raise BrowserError(message)
        self.wait(lambda: result["loaderId"] in self._loaded)

    def wait(self, done: Callable[[], bool]) -> None:
        """Handle the browser's messages until `done`: requests, above all."""
        self._browser.pump(done)

    def evaluate(self, expression: str) -> Any:
        """Evaluate JavaScript in a world of its own in the main frame; a promise is awaited."""
        frame = self.command("Page.getFrameTree")["frameTree"]["frame"]["id"]
        context = self.command("Page.createIsolatedWorld", frameId=frame)["executionContextId"]
        result = self.command(
            "Runtime.evaluate", expression=expression, contextId=context, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in result:
            raise BrowserError(result["exceptionDetails"]["exception"]["description"])
        return result["result"].get("value")

    def _event(self, message: Message) -> None:
        parameters = message["params"]
        if message["method"] == "Page.lifecycleEvent" and parameters["name"] == "load":
            self._loaded.add(parameters["loaderId"])
        elif message["method"] == "Fetch.requestPaused":
            self._answer(parameters["requestId"], Request(parameters["request"]["url"], parameters["resourceType"]))

    def _answer(self, request_id: str, request: Request) -> None:
        self.requests.append(request)
        self._held.append((request_id, request))
        requested = {known.url for known in self.requests}
        held, self._held = self._held, []
        for one in held:
            response = self._responses.get(one[1].url, EMPTY.get(one[1].kind))
            if response is not None and not response.after <= requested:
                self._held.append(one)
            else:
                self._respond(one[0], response)

    def _respond(self, request_id: str, response: Response | None) -> None:
        if response is None:
            self._browser.post("Fetch.failRequest", self._session, requestId=request_id, errorReason="Failed")
            return
        self._browser.post(
            "Fetch.fulfillRequest",
            self._session,
            requestId=request_id,
            responseCode=200,
            responseHeaders=[
                {"name": name, "value": value}
                for name, value in (("Content-Type", response.content_type), *response.headers)
            ],
            body=base64.b64encode(response.body).decode("ascii"),
        )
