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
    """A request that a page made: the URL as sent, and what for.

    `kind`: Document, Stylesheet, Image, Script … as DevTools has it (`Network.ResourceType`). Of engines that do not
    say it, what the header Accept tells: Document, Stylesheet and Image; Other is the rest.
    """

    url: str
    kind: str


#: Answers to requests for what the table does not have; other kinds fail.
EMPTY: Mapping[str, Response] = {
    "Document": Response(b"", "text/html"),
    "Stylesheet": Response(b"", "text/css"),
}


class Tab(Protocol):
    """A page that has loaded. `requests` are those that it made, in order, those of its frames included."""

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
        """Give back what it holds."""
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
