"""httpx: every page that a client reads has absolute links.

    with httpx.Client(transport=linkfix.hooks.httpx.Transport()) as client:
        response = client.get("https://example.com/")  # .content, .text and .iter_bytes() with absolute links
        response.linkfix.links  # and .base, .problems, .rewritten, .encoding: see linkfix.hooks.response.Outcome

`AsyncTransport` is for `httpx.AsyncClient`. As with any transport that a client is given, options of connections belong
to the transport inside, and each proxy to a mount, those of the environment too:

    proxy = httpx.HTTPTransport(proxy="http://localhost:3128")
    httpx.Client(transport=Transport(httpx.HTTPTransport(retries=2)), mounts={"https://": Transport(proxy)})

A request with `extensions={"linkfix": False}` goes without the hook.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self, Unpack

import httpx

from linkfix.hooks.response import Outcome, Response, SettingFields, Settings, absolutize, seen_before, settings

__all__ = ["AbsolutizedResponse", "AsyncTransport", "Transport"]

#: The content codings that httpx undoes, which depends on what is installed: those that its clients accept, and none.
_UNDONE = {"", "identity", *httpx.Client(transport=httpx.BaseTransport()).headers["accept-encoding"].split(", ")}


class AbsolutizedResponse(httpx.Response):
    """httpx's response, whose body has absolute links once it was read, which clients do unless they are to stream it.

    `linkfix`: what became of it; None before. A page's `content` is the one with absolute links, and `headers` fit it:
    no `Content-Encoding`, the new `Content-Length`. A page without a link to rewrite keeps both as they were. Where the
    Content-Type has no charset and the document declares one, `encoding` becomes that, so that `text` is what browsers
    show; but for one that was set before. What is streamed is left alone, unless `read()` reads the whole of it; so are
    redirects. A pickled response comes back as httpx's own, with the body as it is now.
    """

    linkfix: Outcome | None = None
    _settings: Settings

    @classmethod
    def of(cls, response: httpx.Response, request: httpx.Request, settings: Settings) -> Self:
        """A copy of the response to that request: transports may give one response to many requests."""
        own = cls.__new__(cls)
        vars(own).update(vars(response), _settings=settings)
        own.request = request
        return own

    def read(self) -> bytes:
        """The whole body, with absolute links."""
        super().read()
        return self._absolutized()

    async def aread(self) -> bytes:
        """The whole body, with absolute links."""
        await super().aread()
        return self._absolutized()

    def __reduce__(self) -> tuple[Any, ...]:
        state = {name: value for name, value in self.__getstate__().items() if name not in {"linkfix", "_settings"}}
        return object.__new__, (httpx.Response,), state

    def _absolutized(self) -> bytes:
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
        response = Response(self._content, str(self.url), headers, history, coded=not codings <= _UNDONE)
        return absolutize(response, self._settings)


def _hand_on(response: httpx.Response, request: httpx.Request, settings: Settings) -> httpx.Response:
    if not request.extensions.get("linkfix", True):
        return response
    if isinstance(response, AbsolutizedResponse):
        seen_before(str(request.url))
        return response
    return AbsolutizedResponse.of(response, request, settings)


class Transport(httpx.BaseTransport):
    """A transport for `httpx.Client` whose responses have absolute links.

    `inner`: the transport that sends the requests; `httpx.HTTPTransport()` where none is given. `fields`: those of
    `Settings` and `Options`. Raises InvalidBase, InvalidOption, UnknownSpec, and TypeError for other keywords.
    """

    def __init__(self, inner: httpx.BaseTransport | None = None, **fields: Unpack[SettingFields]) -> None:
        self._settings = settings(**fields)
        self.inner: httpx.BaseTransport = inner or httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The inner transport's response, to become absolute when it is read."""
        return _hand_on(self.inner.handle_request(request), request, self._settings)

    def close(self) -> None:
        """Closes the inner transport."""
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
        """The inner transport's response, to become absolute when it is read."""
        return _hand_on(await self.inner.handle_async_request(request), request, self._settings)

    async def aclose(self) -> None:
        """Closes the inner transport."""
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
