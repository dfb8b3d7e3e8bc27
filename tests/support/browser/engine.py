"""The interface of browsers in tests: they open given bytes at any http URL, and no page reaches the network.

`chromium`, `firefox` and `webkit` are the engines behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, NamedTuple, Protocol, Self

__all__ = ["EMPTY", "TIMEOUT", "BrowserError", "Closing", "Engine", "Request", "Response", "Tab"]

#: Seconds that a browser may take to start, to answer, or to load a page, on a machine with much else to do.
TIMEOUT = 60.0


class BrowserError(Exception):
    """The browser refused a command, went away, or took too long."""


class Response(NamedTuple):
    """The answer to a request: `content_type` as it is, no charset added; `headers` are further ones.

    `after`: URLs; it is answered once all of them have been requested.
    """

    body: bytes
    content_type: str
    headers: tuple[tuple[str, str], ...] = ()
    after: frozenset[str] = frozenset()


class Request(NamedTuple):
    """A request by a page: the URL as sent, and its kind.

    `kind`: Document, Stylesheet, Image, Script … as DevTools has it (`Network.ResourceType`). For other engines, the
    header Accept decides: Document, Stylesheet, Image, or Other.
    """

    url: str
    kind: str


#: Answers to requests that are not in the table; other kinds fail.
EMPTY: Mapping[str, Response] = {
    "Document": Response(b"", "text/html"),
    "Stylesheet": Response(b"", "text/css"),
}


class Tab(Protocol):
    """A loaded page. `requests`: its requests in order, those of its frames included."""

    requests: list[Request]

    def evaluate(self, expression: str) -> Any:
        """Evaluate JavaScript in the main frame, out of reach of the page's scripts; a promise is awaited."""

    def wait(self, done: Callable[[], bool]) -> None:
        """Wait until `done`, which looks at the requests; BrowserError after `TIMEOUT` seconds."""

    def close(self) -> None:
        """Leave the page."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Closing:
    """An object that a with statement closes."""

    def close(self) -> None:
        """Release its resources."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Engine(Protocol):
    """A running browser. Not safe for threads; some have one tab only, so leave a page before you open another."""

    #: chromium, firefox or webkit
    name: str
    #: whether it went away, or does not answer any more
    lost: bool

    def version(self) -> str:
        """The product and its version."""

    def open(self, url: str, responses: Mapping[str, Response], *, scripts: bool = False) -> Tab:
        """Open `url` and wait until it has loaded; its requests are answered from `responses`, or with `EMPTY`.

        `scripts`: let the page's own scripts run.
        """

    def close(self) -> None:
        """End the browser."""
