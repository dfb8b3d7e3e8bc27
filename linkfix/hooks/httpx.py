"""httpx: all pages that a client reads have absolute links.

    with linkfix.hooks.httpx.install(httpx.Client(http2=True)) as client:
        response = client.get("https://example.com/")  # .content, .text and .iter_bytes() with absolute links
        response.linkfix.links  # and .base, .problems, .rewritten, .encoding: see linkfix.hooks.response.Outcome

`install` keeps everything that the client was made with, and is for `httpx.AsyncClient` too. A request with
`extensions={"linkfix": False}` is not processed.

`Transport` and `AsyncTransport` wrap a single transport. As any transport that is passed to a client, they replace the
one that the client would make of its options and of the environment's proxies.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

from linkfix.extras import Needs

with Needs("linkfix.hooks.httpx", "httpx"):
    import httpx

from linkfix.hooks.logs import log_once
from linkfix.hooks.response import Outcome, Response, SettingFields, Settings, absolutize, settings

__all__ = ["AbsolutizedResponse", "AsyncTransport", "Transport", "install"]

_Client = TypeVar("_Client", httpx.Client, httpx.AsyncClient)

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
        log_once("hook-twice", str(request.url))
        return response
    return AbsolutizedResponse.of(response, request, settings)


class Transport(httpx.BaseTransport):
    """A transport for `httpx.Client` whose responses have absolute links.

    `inner` sends the requests. By default it is `httpx.HTTPTransport()`, which knows neither the client's `proxy`,
    `verify`, `cert`, `http1`, `http2` and `limits` nor the environment's proxies; a warning says so once. `install`
    keeps them. `fields` are those of `Settings` and `Options`. Raises InvalidBase, InvalidOption and UnknownSpec for
    their values, TypeError for other names.
    """

    def __init__(self, inner: httpx.BaseTransport | None = None, **fields: Unpack[SettingFields]) -> None:
        self._settings = settings(**fields)
        if inner is None:
            log_once("hook-transport")
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
        if inner is None:
            log_once("hook-transport")
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


def install(client: _Client, **fields: Unpack[SettingFields]) -> _Client:
    """Make the links of all pages absolute that a client reads, and return the client.

    The transports and mounts that the client has are wrapped, with their proxies, certificates and caches, so that it
    acts after a cache such as hishel's. A second call replaces the settings. `fields` are those of `Settings` and
    `Options`. Raises InvalidBase, InvalidOption and UnknownSpec for their values, TypeError for other names.
    """
    wrap: Any = Transport if isinstance(client, httpx.Client) else AsyncTransport

    def wrapped(transport: Any) -> Any:  # noqa: ANN401 - of the kind that the client has
        if transport is None:  # a mount that uses the client's own transport
            return None
        return wrap(transport.inner if isinstance(transport, wrap) else transport, **fields)

    # httpx has no public way to the transports of a client.
    client._transport = wrapped(client._transport)  # noqa: SLF001
    client._mounts = {pattern: wrapped(mount) for pattern, mount in client._mounts.items()}  # noqa: SLF001
    return client
