"""Middleware for ASGI applications: the pages that an application sends have absolute links.

    app = linkfix.hooks.asgi.Absolutize(app, base_url="https://example.com/")

Starlette and FastAPI: `app.add_middleware(Absolutize, base_url="https://example.com/")`. ASGI 3.0:
https://asgi.readthedocs.io/en/latest/specs/www.html.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, Unpack
from urllib.parse import unquote

from linkfix.containers.http_body import BODY_HEADERS
from linkfix.hooks.response import SettingFields
from linkfix.hooks.server import ASGI, Reply, Rewrite, Server, check_application, encode_path, public_url

__all__ = ["Absolutize"]

_Scope = MutableMapping[str, Any]
_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_App = Callable[[_Scope, _Receive, _Send], Awaitable[None]]

#: Extensions by which an application has the server send a file. A page must come as bytes instead.
_FILES = frozenset({"http.response.pathsend", "http.response.zerocopysend"})

_BODY = "http.response.body"


class Absolutize:
    """An ASGI application that makes the links in the pages of another one absolute.

    `app`: the application. `base_url`: the public URL of its root, to which each request's path (without `root_path`)
    is appended. None: the URL of each request, with its Host; then the server or the application must refuse foreign
    hosts. `rewrite`: receives the absolute URL of each link and returns the URL to write, or None to write that URL.
    `fields`: the fields of `linkfix.hooks.response.Settings` (`max_size`, here 8 MiB; `media_types`) and of
    `linkfix.Options`; `header_fields` also rewrites Location, Link, Refresh and Content-Location. Raises InvalidBase,
    InvalidOption and UnknownSpec for wrong values, and TypeError for an object that is no such application.

    Responses that may be pages are held until they are whole. Longer ones than `max_size`, parts (206), event streams,
    responses with `Cache-Control: no-transform`, and all that are no pages pass through as they come. WebSocket and
    lifespan scopes are passed on. The application's errors are not caught.
    """

    def __init__(
        self, app: _App, *, base_url: str | None, rewrite: Rewrite | None = None, **fields: Unpack[SettingFields]
    ) -> None:
        self._server = Server.of(base_url, rewrite, **fields)
        check_application(app, ASGI)
        self.app = app

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        url = _url_of(scope, self._server.base_url)
        sender = _Sender(Reply(self._server, scope["method"], url, _field(scope, b"if-none-match")), send)
        if _FILES & (scope.get("extensions") or {}).keys():
            extensions = {name: value for name, value in scope["extensions"].items() if name not in _FILES}
            scope = {**scope, "extensions": extensions}
        await self.app(scope, receive, sender)
        await sender.release()


class _Sender:
    """Sends the messages of an application, changed."""

    def __init__(self, reply: Reply, send: _Send) -> None:
        self._reply = reply
        self._send = send
        self._start: _Message = {}

    async def __call__(self, message: _Message) -> None:
        reply = self._reply
        kind = message["type"]
        if kind == "http.response.start":
            self._start = message
            reply.begin(message["status"], _pairs(message))
            if not reply.holds:
                await self._send_start()
        elif kind == _BODY and reply.holds:
            pieces = reply.hold(message.get("body", b""))
            if reply.holds and not message.get("more_body", False):
                pieces = reply.finish()
            if not reply.holds:
                await self._send_start()
                await self._send_body(pieces, message)
        elif kind == "http.response.trailers" and reply.changed:
            kept = [(name, value) for name, value in _pairs(message) if name.lower() not in BODY_HEADERS]
            await self._send({**message, "headers": _raw(kept)})
        else:
            await self._send(message)

    async def release(self) -> None:
        """Send what is held of a response that the application did not end, so that the server sees that."""
        if self._reply.holds:
            await self._send_start()
            await self._send_body(self._reply.release(), {"type": _BODY, "more_body": True})

    async def _send_start(self) -> None:
        headers = self._reply.headers
        if self._reply.changed and self._start.get("trailers"):  # only a body of chunks can have them
            headers = tuple(field for field in headers if field[0].lower() != "content-length")
        await self._send({**self._start, "headers": _raw(headers)})

    async def _send_body(self, pieces: list[bytes], last: _Message) -> None:
        """Send the pieces of a body. `last`: the message that ends them."""
        for piece in pieces[:-1]:
            await self._send({"type": _BODY, "body": piece, "more_body": True})
        await self._send({**last, "body": pieces[-1] if pieces else b""})


def _text(value: bytes) -> str:
    return bytes(value).decode("latin-1")


def _pairs(message: _Message) -> list[tuple[str, str]]:
    return [(_text(name), _text(value)) for name, value in message.get("headers", ())]


def _raw(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode("latin-1"), value.encode("latin-1", "replace")) for name, value in headers]


def _field(scope: _Scope, name: bytes) -> str:
    """The value of a field of the request; its values joined by ", "."""
    return ", ".join(_text(value) for given, value in scope.get("headers", ()) if given.lower() == name)


def _url_of(scope: _Scope, base_url: str | None) -> str | None:
    """The URL of a request.

    Servers and frameworks differ on whether `path` contains `root_path`. `raw_path` has the path's own escapes, unless
    a framework changed `path` alone.
    """
    root = scope.get("root_path", "").rstrip("/")
    path = scope["path"]
    written = encode_path(path)
    raw = _text(scope.get("raw_path") or b"")
    if raw and unquote(raw) == path:
        written = encode_path(raw, encoded=True)
    root_written = encode_path(root)
    if root and (written == root_written or written.startswith(f"{root_written}/")):
        written = written[len(root_written) :]
    host = _field(scope, b"host")
    if not host and scope.get("server"):
        name, port = scope["server"]
        host = f"[{name}]" if ":" in name else name
        host += f":{port}" if port else ""
    origin = (scope.get("scheme", "http"), host)
    return public_url(base_url, origin, root_written, written, scope.get("query_string", b""))
