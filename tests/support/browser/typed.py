"""Responses whose Content-Type says little, and a browser's view of each.

A real server on 127.0.0.1 sends them: a browser ignores the first bytes of responses that DevTools supplies.
"""

from __future__ import annotations

import itertools
import socketserver
import threading
from typing import NamedTuple

from support.browser.chromium import Chromium, Page
from support.browser.engine import BrowserError, Request
from support.browser.engines import require_chromium

__all__ = ["BODIES", "HEADERS", "RESPONSES", "Shown", "TypedResponse", "shown"]

#: The values of Content-Type fields.
HEADERS: tuple[tuple[str, ...], ...] = (
    # no type, and invalid types
    (),
    ("",),
    ("*/*",),
    ("*/*; charset=utf-8",),
    ("unknown/unknown",),
    ("unknown/unknown; charset=utf-8",),
    ("application/unknown",),
    ("html",),
    ("html; charset=utf-8",),
    ("x-unknown",),
    ("none",),
    ("; charset=utf-8",),
    ("text / html",),
    ("text/",),
    ("/html",),
    ("text/html/x",),
    ('"text/html"',),
    ("text/html: charset=utf-8",),
    # one
    ("text/html",),
    (" TEXT/HTML ; CHARSET=UTF8",),
    ("text/html charset=utf-8",),
    ("text/html\tcharset=utf-8",),
    ("text/html(comment); charset=utf-8",),
    ("text/html;",),
    ("text/html;;charset=utf-8",),
    ("text/html; x; charset=utf-8",),
    ("text/html; charset=koi8-r; charset=utf-8",),
    ('text/html; charset="utf-8"',),
    ('text/html; charset="ut\\f-8" x',),
    ('text/html; charset="utf-8',),
    ("text/html; charset='utf-8'",),
    ("text/html; charset = utf-8",),
    ("text/html; charset=utf-8 x",),
    ("text/html; charset=",),
    ('text/html; charset=""; charset=utf-8',),
    ('text/html; x=";charset=koi8-r,text/plain"; charset=utf-8',),
    ("text/html; charset=klingon",),
    # several
    ("text/html,text/html",),
    ("text/html, text/html; charset=utf-8",),
    ("text/html; charset=utf-8, text/html",),
    ("text/html; charset=utf-8", "text/html"),
    ("text/html; charset=utf-8", "text/plain", "text/html"),
    ("text/html; charset=utf-8", "text/html; charset=koi8-r"),
    ("charset=utf-8, text/html",),
    ("text/html, charset=utf-8",),
    ("text/html; charset=utf-8,",),
    ("text/html, */*",),
    ("*/*, text/html",),
    ("text/html", ""),
    ("text/html, text/plain",),
    ("text/plain; charset=koi8-r, text/html",),
    ("text/html, unknown/unknown",),
    # others
    ("text/plain",),
    ("text/*",),
    ("text/xml",),
    ("application/xml; charset=utf-8",),
    ("application/xhtml+xml",),
    ("image/svg+xml",),
    ("application/json",),
    ("application/octet-stream",),
    ("binary/octet-stream",),
    ("application/x-unknown",),
    ("text/x-unknown",),
)
_NOSNIFF = ("X-Content-Type-Options", "nosniff")

BODIES: tuple[bytes, ...] = (
    b"<!doctype html><title>t</title><a href=x>",
    b"\n<!-- saved --><a href=x>",
    b"<ul><li><a href=x>x</a></ul>",
    b"<article><a href=x>x</a></article>",
    b"text <a href=x>x</a>",
    b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><a href="x">x</a></body></html>',
    b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><a href="x"><text>x</text></a></svg>',
    b'{"a": "<a href=x>"}',
    b"\0\1\2<a href=x>",
    b"GIF89a<a href=x>",
    b"\xef\xbb\xbf<html><a href=x>",
)


class TypedResponse(NamedTuple):
    """A response."""

    fields: tuple[tuple[str, str], ...]
    body: bytes


class Shown(NamedTuple):
    """A browser's view of a response."""

    media_type: str
    """`document.contentType`; "" if it shows none and saves a file."""
    charset: str
    """`document.characterSet`."""
    links: int
    """The number of hyperlinks in the document."""


def _responses() -> list[TypedResponse]:
    named = [tuple(("Content-Type", value) for value in values) for values in HEADERS]
    named += [(*named[number], _NOSNIFF) for number in (0, 2, 7)]
    named += [
        (("Content-Type", "html"), (name, f"{first}, {second}"))
        for name, first, second in (
            (_NOSNIFF[0], "NoSniff", "x"),
            (_NOSNIFF[0], "x", "nosniff"),
        )
    ]
    return [TypedResponse(fields, body) for fields, body in itertools.product(named, BODIES)]


RESPONSES = _responses()


class _Server(socketserver.ThreadingTCPServer):
    """Sends one response to whoever asks, byte for byte as it is."""

    daemon_threads = True
    response: TypedResponse = TypedResponse((), b"")


class _Handler(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        while self.rfile.readline().strip():
            pass
        fields, body = self.server.response
        lines = [f"{name}: {value}\r\n" for name, value in (*fields, ("Content-Length", str(len(body))))]
        head = f"HTTP/1.1 200 OK\r\n{''.join(lines)}Connection: close\r\n\r\n"
        self.wfile.write(head.encode("latin-1") + body)


class _FetchingPage(Page):
    """A tab whose requests go to the server."""

    def _answer(self, request_id: str, request: Request) -> None:
        self.requests.append(request)
        self._browser.post("Fetch.continueRequest", self._session, requestId=request_id)


def shown(responses: list[TypedResponse]) -> tuple[str, list[Shown]]:
    """The version of the installed Chromium, and its view of each response."""
    with (
        _Server(("127.0.0.1", 0), _Handler) as server,
        Chromium(require_chromium(), "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1") as browser,
    ):
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            return browser.version(), [_shown(browser, server, response) for response in responses]
        finally:
            server.shutdown()


def _shown(browser: Chromium, server: _Server, response: TypedResponse) -> Shown:
    server.response = response
    with _FetchingPage(browser, {}, scripts=False) as page:
        try:
            page.load(f"http://127.0.0.1:{server.server_address[1]}/d/page")
        except BrowserError as error:
            if "ERR_ABORTED" not in str(error):  # as for downloads
                raise
            return Shown("", "", 0)
        return Shown(*page.evaluate("[document.contentType, document.characterSet, document.links.length]"))
