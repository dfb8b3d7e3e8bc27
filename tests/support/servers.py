"""Applications for tests of the middleware, called by the rules of their protocols."""

from __future__ import annotations

import asyncio
import io
from dataclasses import dataclass, field
from typing import NamedTuple
from wsgiref.util import setup_testing_defaults
from wsgiref.validate import validator

from linkfix.hooks import asgi, wsgi


@dataclass
class Sent:
    """A response of an application, with its body in pieces."""

    headers: list = field(default_factory=lambda: [("Content-Type", "text/html; charset=utf-8")])
    pieces: list = field(default_factory=lambda: [b'<!DOCTYPE html><p><a href="x?a">', b'<img src="/i.png">'])
    status: int = 200


class Got(NamedTuple):
    status: int
    headers: list
    """Pairs of name, in lower case, and value."""
    pieces: list

    @property
    def body(self):
        return b"".join(self.pieces)

    def values(self, name):
        return [value for given, value in self.headers if given == name]


class Strict:
    """An ASGI server's `send`, which checks the messages (ASGI's HTTP and its trailers)."""

    def __init__(self):
        self.messages = []
        self.is_ended = False

    async def __call__(self, message):
        assert not self.is_ended, message
        kind = message["type"]
        starts = [one for one in self.messages if one["type"] == "http.response.start"]
        if kind == "http.response.start":
            assert not starts
            assert isinstance(message["status"], int)
            for name, value in message["headers"]:
                assert type(name) is type(value) is bytes
                assert name == name.lower()
                assert b"\n" not in name + value
                assert b"\r" not in name + value
        elif kind == "http.response.body":
            assert len(starts) == 1
            assert not self.body_is_ended
            assert isinstance(message.get("body", b""), bytes)
            self.is_ended = not message.get("more_body", False) and not starts[0].get("trailers")
        elif kind == "http.response.trailers":
            assert self.body_is_ended
            assert starts[0]["trailers"]
            self.is_ended = not message.get("more_trailers", False)
        else:
            assert kind in {"http.response.debug", "http.response.early_hint"}
            assert not starts
        self.messages.append(message)

    @property
    def body_is_ended(self):
        return any(one["type"] == "http.response.body" and not one.get("more_body", False) for one in self.messages)

    @property
    def got(self):
        [start] = [one for one in self.messages if one["type"] == "http.response.start"]
        headers = [(name.decode(), value.decode("latin-1")) for name, value in start["headers"]]
        pieces = [one.get("body", b"") for one in self.messages if one["type"] == "http.response.body"]
        return Got(start["status"], headers, pieces)


def scope_of(path="/a/page", query=b"", method="GET", headers=(), **fields):
    pairs = [(name.lower().encode(), value.encode()) for name, value in headers]
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.5"},
        "http_version": "1.1",
        "scheme": "http",
        "server": ("10.0.0.1", 8000),
        "method": method,
        "path": path,
        "raw_path": None,
        "query_string": query,
        "root_path": "",
        "headers": pairs,
        **fields,
    }


async def receive():
    return {"type": "http.request", "body": b"", "more_body": False}


def asgi_app(sent):
    async def app(_scope, _receive, send):
        headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in sent.headers]
        await send({"type": "http.response.start", "status": sent.status, "headers": headers})
        for piece in sent.pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body"})

    return app


def by_asgi(
    sent, method="GET", headers=(), *, path="/a/page", query="", root="", base_url="https://e.example/", **fields
):
    """The response of the middleware around an ASGI application."""
    strict = Strict()
    app = asgi.Absolutize(asgi_app(sent), base_url=base_url, **fields)
    scope = scope_of(root + path, query.encode(), method, headers, root_path=root)
    asyncio.run(app(scope, receive, strict))
    assert strict.is_ended
    return strict.got


def wsgi_app(sent):
    def app(_environ, start_response):
        start_response(f"{sent.status} Fine", list(sent.headers))
        return iter(sent.pieces)

    return app


def call_wsgi(app, method="GET", headers=(), *, path="/a/page", query="", root=""):
    """The response of a WSGI application, checked by `wsgiref.validate`."""
    environ = {"REQUEST_METHOD": method, "PATH_INFO": path, "SCRIPT_NAME": root, "QUERY_STRING": query}
    environ |= {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers}
    environ |= {"SERVER_NAME": "10.0.0.1", "SERVER_PORT": "8000", "SERVER_PROTOCOL": "HTTP/1.1"}
    environ["wsgi.input"], environ["wsgi.errors"] = io.BytesIO(), io.StringIO()
    has_host = any(name.lower() == "host" for name, _ in headers)
    setup_testing_defaults(environ)
    if not has_host:
        del environ["HTTP_HOST"]
    started = []
    written = []

    def start_response(status, fields, exc_info=None):
        if started and exc_info:
            raise exc_info[1]
        started.append((status, fields))
        return written.append

    result = validator(app)(environ, start_response)
    try:
        pieces = [*result]
    finally:
        result.close()
    [(status, fields)] = started
    return Got(int(status[:3]), [(name.lower(), value) for name, value in fields], written + pieces)


def by_wsgi(
    sent, method="GET", headers=(), *, path="/a/page", query="", root="", base_url="https://e.example/", **fields
):
    """The response of the middleware around a WSGI application; both keep WSGI's rules."""
    app = wsgi_app(sent)
    if sent.status not in {204, 304}:  # the validator refuses a Content-Type there, which applications send
        app = validator(app)
    made = wsgi.Absolutize(app, base_url=base_url, **fields)
    return call_wsgi(made, method, headers, path=path, query=query, root=root)
