"""Tabs to which the standard library's web server serves a folder, without a socket."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

from support.browser.chromium import Chromium, Page, Request

__all__ = ["Answer", "Folder", "ServedPage"]


class Answer(NamedTuple):
    """A server's answer: an HTTP status, headers, and a body."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder, and the URL that it is served at, which ends with "/"."""

    path: str
    url: str

    def holds(self, url: str) -> bool:
        """Whether a URL is one of the folder's."""
        return url.startswith(self.url)

    def answer(self, url: str) -> Answer:
        """The answer to a GET for one of the folder's URLs."""
        prefix = urlsplit(self.url).path[:-1]
        path = url[len(self.url) - 1 :].partition("#")[0]
        wire = _Wire(f"GET {path} HTTP/1.0\r\n\r\n".encode("ascii"))
        _Handler(cast("Any", wire), ("", 0), cast("Any", None), directory=self.path)
        head, _, body = bytes(wire.answer).partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = [cast("tuple[str, str]", tuple(line.split(": ", 1))) for line in lines]
        moved = [(name, prefix + value if name == "Location" else value) for name, value in headers]
        return Answer(int(first.split()[1]), tuple(moved), body)


class _Wire:
    """The part of a socket that the server needs."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self.answer = bytearray()

    def makefile(self, *_: object) -> io.BytesIO:
        return io.BytesIO(self._request)

    def sendall(self, data: bytes) -> None:
        self.answer += data


class _Handler(SimpleHTTPRequestHandler):
    """A server that lists no folders."""

    extensions_map = {  # noqa: RUF012 - the base class has it so
        "": "text/plain",
        ".htm": "text/html",
        ".html": "text/html",
        ".css": "text/css",
        ".svg": "image/svg+xml",
        ".xhtml": "application/xhtml+xml",
    }

    def list_directory(self, path: object) -> None:
        self.send_error(HTTPStatus.FORBIDDEN)

    def log_message(self, *_: object) -> None:
        pass


class ServedPage(Page):
    """A tab to which a folder is served. `statuses`: of the requests for its files, by URL."""

    def __init__(self, browser: Chromium, folder: Folder, *, scripts: bool) -> None:
        self._folder = folder
        self.statuses: dict[str, int] = {}
        super().__init__(browser, {}, scripts=scripts)

    def _answer(self, request_id: str, request: Request) -> None:
        if not self._folder.holds(request.url):
            super()._answer(request_id, request)
            return
        self.requests.append(request)
        answer = self._folder.answer(request.url)
        self.statuses[request.url] = answer.status
        self._browser.post(
            "Fetch.fulfillRequest",
            self._session,
            requestId=request_id,
            responseCode=answer.status,
            responseHeaders=[{"name": name, "value": value} for name, value in answer.headers],
            body=base64.b64encode(answer.body).decode("ascii"),
        )
