"""Middleware for WSGI applications: the pages that an application sends have absolute links.

    app = linkfix.hooks.wsgi.Absolutize(app, base_url="https://example.com/")

Flask: `app.wsgi_app = Absolutize(app.wsgi_app, base_url=…)`. WSGI: PEP 3333.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, Unpack

from linkfix.hooks.response import SettingFields
from linkfix.hooks.server import WSGI, Reply, Rewrite, Server, check_application, encode_path, public_url

__all__ = ["Absolutize"]

_ExcInfo = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]
_Write = Callable[[bytes], object]
#: `start_response(status, headers, exc_info=None)`
_StartResponse = Callable[..., _Write]
_App = Callable[..., Iterable[bytes]]


class Absolutize:
    """A WSGI application that makes the links in the pages of another one absolute.

    `app`: the application. `base_url`: the public URL of its root (SCRIPT_NAME), to which PATH_INFO is appended. All
    else is as in `linkfix.hooks.asgi.Absolutize`. WSGI gives a path without its escapes, so that `%2F` in it is `/`.
    """

    def __init__(
        self, app: _App, *, base_url: str | None, rewrite: Rewrite | None = None, **fields: Unpack[SettingFields]
    ) -> None:
        self._server = Server.of(base_url, rewrite, **fields)
        check_application(app, WSGI)
        self.app = app

    def __call__(self, environ: dict[str, Any], start_response: _StartResponse) -> Iterable[bytes]:
        """Answer a request. A response that is not held keeps its own iterable, which may be a file of the server."""
        method, condition = environ["REQUEST_METHOD"], environ.get("HTTP_IF_NONE_MATCH", "")
        reply = Reply(self._server, method, _url_of(environ, self._server.base_url), condition)
        starter = _Starter(reply, start_response)
        result = self.app(environ, starter)
        return result if starter.is_done else _Body(result, reply, starter)


class _Starter:
    """The `start_response` for an application. It calls the server's when the response is no longer held."""

    is_done = False
    """Whether the server's `start_response` was called."""

    def __init__(self, reply: Reply, start_response: _StartResponse) -> None:
        self._reply = reply
        self._start_response = start_response
        self._status = ""
        self._write: _Write | None = None

    def __call__(
        self, status: str, headers: list[tuple[str, str]], exc_info: _ExcInfo | None = None, /
    ) -> Callable[[bytes], None]:
        if self.is_done:
            self._write = self._start_response(status, headers, exc_info)  # which raises: it is too late
        elif self._status and exc_info is None:
            message = "start_response was called twice, without exc_info"
            raise AssertionError(message)
        else:
            self._status = status
            self._reply.begin(int(status[:3]), headers)
            self.start()
        return self.write

    def check_begun(self) -> None:
        """Raise AssertionError if the application has not begun the response (PEP 3333)."""
        if not self._status:
            message = "the application did not call start_response before its body"
            raise AssertionError(message)

    def start(self) -> None:
        """Call the server's `start_response`, if the response is not held and the application has begun it."""
        if self._status and not self.is_done and not self._reply.holds:
            self.is_done = True
            self._write = self._start_response(self._status, list(self._reply.headers))

    def write(self, piece: bytes) -> None:
        """Send or hold a piece of the body, for applications that do not return it."""
        pieces = self._reply.hold(piece) if self._reply.holds else [piece]
        self.start()
        for one in pieces:
            if self._write is not None:
                self._write(one)


class _Body:
    """The body of a response that is held, or that the application has not begun.

    Its first piece comes after `start_response` (PEP 3333), and so after the end of a held response. Middleware that
    waits should yield empty pieces meanwhile, but none may come before the header, which depends on the body.
    """

    def __init__(self, result: Iterable[bytes], reply: Reply, starter: _Starter) -> None:
        self._result = result
        self._reply = reply
        self._starter = starter
        self._pieces = self._make()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return next(self._pieces)

    def close(self) -> None:
        """Close the application's iterable."""
        close = getattr(self._result, "close", None)
        if close is not None:
            close()

    def _make(self) -> Iterator[bytes]:
        reply, starter = self._reply, self._starter
        for piece in self._result:
            if piece:
                starter.check_begun()
            pieces = reply.hold(piece) if reply.holds else [piece]
            starter.start()
            yield from pieces
        starter.check_begun()
        pieces = reply.finish()
        starter.start()
        yield from pieces


def _url_of(environ: dict[str, Any], base_url: str | None) -> str | None:
    """The URL of a request. The values of `environ` are bytes as Latin-1 (PEP 3333, "Unicode Issues")."""
    root, path = (encode_path(environ.get(name, "").encode("latin-1")) for name in ("SCRIPT_NAME", "PATH_INFO"))
    host = environ.get("HTTP_HOST") or f"{environ['SERVER_NAME']}:{environ['SERVER_PORT']}"
    query = environ.get("QUERY_STRING", "").encode("latin-1")
    return public_url(base_url, (environ["wsgi.url_scheme"], host), root, path, query)
