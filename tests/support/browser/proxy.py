"""A proxy on 127.0.0.1 that answers every request itself: pages have any http URL, and nothing leaves the machine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from support.browser.engine import EMPTY, TIMEOUT, BrowserError, Request, Response

__all__ = ["Proxy"]


class Proxy:
    """A running proxy, for one browser. `port`: on 127.0.0.1. `requests`: since the last call of `serve`."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._responses: Mapping[str, Response] | None = None
        self._changed = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_ProxyHandler,), {"proxy": self}))
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def serve(self, responses: Mapping[str, Response] | None) -> list[Request]:
        """Answer from `responses` from now on; None: nothing. The list that is returned takes the requests."""
        with self._changed:
            self._responses = responses
            self.requests = []
            return self.requests

    def wait(self, done: Callable[[], bool], seconds: float = TIMEOUT) -> None:
        """Wait until `done`, which is asked after each request."""
        with self._changed:
            if not self._changed.wait_for(done, seconds):
                message = f"not so in {seconds:.0f} seconds; requested: {[request.url for request in self.requests]}"
                raise BrowserError(message)

    def close(self) -> None:
        """End it."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, request: Request) -> Response | None:
        """Note a request, and return its answer."""
        with self._changed:
            if self._responses is None:
                return None
            requests, responses = self.requests, self._responses
            requests.append(request)
            self._changed.notify_all()
            response = responses.get(request.url, EMPTY.get(request.kind))
            if response is not None and response.after:
                self._changed.wait_for(lambda: response.after <= {known.url for known in requests}, TIMEOUT)
            return response


def _kind(accept: str) -> str:
    """The kind of a request, by its Accept field (Fetch §2.2.5, "default Accept value")."""
    first = accept.partition(",")[0]
    if first == "text/html":
        return "Document"
    if first == "text/css":
        return "Stylesheet"
    return "Image" if first.startswith("image/") else "Other"


class _ProxyHandler(BaseHTTPRequestHandler):
    """Answers GET from the proxy, and all other methods, CONNECT above all, with an error."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    proxy: Proxy

    def do_GET(self) -> None:  # the base class has the name so
        response = self.proxy.answer(Request(self.path, _kind(self.headers.get("Accept", ""))))
        if response is None:
            self._send(HTTPStatus.NOT_FOUND, Response(b"", "text/plain"))
        else:
            self._send(HTTPStatus.OK, response)

    def do_POST(self) -> None:
        self.do_GET()

    def _send(self, status: HTTPStatus, response: Response) -> None:
        self.send_response_only(status)
        self.send_header("Content-Type", response.content_type)
        self.send_header("Content-Length", str(len(response.body)))
        self.send_header("Cache-Control", "no-store")
        for name, value in response.headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(response.body)

    def log_message(self, *_: Any) -> None:
        pass
