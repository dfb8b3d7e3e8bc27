"""httpx: all pages that a client reads have absolute links.

    with httpx.Client(transport=linkfix.hooks.httpx.Transport()) as client:
        response = client.get("https://example.com/")  # .content, .text and .iter_bytes() with absolute links
        response.linkfix.links  # and .base, .problems, .rewritten, .encoding: see linkfix.hooks.response.Outcome

`AsyncTransport` is for `httpx.AsyncClient`. As with any transport passed to a client, connection options belong to the
inner transport, and each proxy needs a mount, even those of the environment:

    proxy = httpx.HTTPTransport(proxy="http://localhost:3128")
    httpx.Client(transport=Transport(httpx.HTTPTransport(retries=2)), mounts={"https://": Transport(proxy)})

A request with `extensions={"linkfix": False}` is not processed.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self, Unpack

import httpx

from linkfix.hooks.logs import log_seen_before
from linkfix.hooks.response import Outcome, Response, SettingFields, Settings, absolutize, settings

__all__ = ["AbsolutizedResponse", "AsyncTransport", "Transport"]

#: The content codings that httpx decodes, depending on what is installed: those that its clients accept.
_DECODED = {"", "identity", *httpx.Client(transport=httpx.BaseTransport()).headers["accept-encoding"].split(", ")}


class AbsolutizedResponse(httpx.Response):
    """A response of httpx whose body has absolute links once it is read. Clients read it, unless it is streamed.

    `content` of a page has absolute links, and `headers` fit it: no `Content-Encoding`, the new `Content-Length`. A
    page without a link to rewrite keeps both. If the Content-Type has no charset and the document declares one,
    `encoding` is set to that, unless it was set before, so that `text` is what browsers show. Redirects are left
    alone, and so is a streamed response unless `read()` reads all of it. Pickling gives a plain response of httpx
    with the current body.
    """

    linkfix: Outcome | None = None
    """The result of the hook; None before the body is read."""
    _settings: Settings

    @classmethod
    def of(cls, response: httpx.Response, request: httpx.Request, settings: Settings) -> Self:
        """A copy of the response for a request, since a transport may return one response to many requests."""
        own = cls.__new__(cls)
        vars(own).update(vars(response), _settings=settings)
        own.request = request
        return own

    def read(self) -> bytes:
        """Read the whole body, with absolute links."""
        super().read()
        return self._absolutize()

    async def aread(self) -> bytes:
        """Read the whole body, with absolute links."""
        await super().aread()
        return self._absolutize()

    def __reduce__(self) -> tuple[Any, ...]:
        state = {name: value for name, value in self.__getstate__().items() if name not in {"linkfix", "_settings"}}
        return object.__new__, (httpx.Response,), state

    def _absolutize(self) -> bytes:
        if self.linkfix is None:
            encoding = self.headers.encoding
            headers = tuple((name.decode(encoding), value.decode(encoding)) for name, value in self.headers.raw)
            self.linkfix = outcome = self._outcome(headers)
            if outcome.declared_codec and "_encoding" not in vars(self):
                self.encoding = outcome.declared_codec
            if outcome.body is not self._content:
                self._content = outcome.body
                self.headers: httpx.Headers = httpx.Headers(outcome.headers, encoding)
                vars(self).pop("_text", None)
        return self._content

    def _outcome(self, headers: tuple[tuple[str, str], ...]) -> Outcome:
        if self.has_redirect_location:
            return Outcome(self._content, headers)
        history = tuple(str(hop.url) for hop in self.history if hop.has_redirect_location)
        codings = {coding.lower() for coding in self.headers.get_list("content-encoding", split_commas=True)}
        response = Response(self._content, str(self.url), headers, history, coded=not codings <= _DECODED)
        return absolutize(response, self._settings)


def _wrap(response: httpx.Response, request: httpx.Request, settings: Settings) -> httpx.Response:
    if not request.extensions.get("linkfix", True):
        return response
    if isinstance(response, AbsolutizedResponse):
        log_seen_before(str(request.url))
        return response
    return AbsolutizedResponse.of(response, request, settings)


class Transport(httpx.BaseTransport):
    """A transport for `httpx.Client` whose responses have absolute links.

    `inner` sends the requests; by default `httpx.HTTPTransport()`. `fields` are those of `Settings` and `Options`.
    Raises InvalidBase, InvalidOption and UnknownSpec for their values, TypeError for other names.
    """

    def __init__(self, inner: httpx.BaseTransport | None = None, **fields: Unpack[SettingFields]) -> None:
        self._settings = settings(**fields)
        self.inner: httpx.BaseTransport = inner or httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; the links of the response become absolute when it is read."""
        return _wrap(self.inner.handle_request(request), request, self._settings)

    def close(self) -> None:
        """Close the inner transport."""
        self.inner.close()

    def __enter__(self) -> Self:
        self.inner.__enter__()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        self.inner.__exit__(exc_type, exc_value, traceback)


class AsyncTransport(httpx.AsyncBaseTransport):
    """A transport for `httpx.AsyncClient`: see `Transport`."""

    def __init__(self, inner: httpx.AsyncBaseTransport | None = None, **fields: Unpack[SettingFields]) -> None:
        self._settings = settings(**fields)
        self.inner: httpx.AsyncBaseTransport = inner or httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; the links of the response become absolute when it is read."""
        return _wrap(await self.inner.handle_async_request(request), request, self._settings)

    async def aclose(self) -> None:
        """Close the inner transport."""
        await self.inner.aclose()

    async def __aenter__(self) -> Self:
        await self.inner.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        await self.inner.__aexit__(exc_type, exc_value, traceback)
