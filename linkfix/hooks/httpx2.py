"""Hook for the HTTP client httpx2: the links of all documents that a client reads are made absolute.

    with linkfix.hooks.httpx2.install(httpx2.Client(http2=True)) as client:
        response = client.get("https://example.com/")  # .content, .text and .iter_bytes() with absolute links
        response.linkfix.links  # and .base, .problems, .rewritten, .encoding: see linkfix.hooks.response.Outcome

`install` changes the client and returns it, with all options that it was made with. It also takes an
`httpx2.AsyncClient`. The response to a request with `extensions={"linkfix": False}` stays as it is.

`Transport` and `AsyncTransport` wrap a single transport. Like any transport that is passed to a client, they replace
the transport that the client would make from its options and from the environment's proxies.
"""

from __future__ import annotations

from typing import TypeVar, Unpack

from linkfix.errors import Needs

with Needs("linkfix.hooks.httpx2", "httpx2"):
    import httpx2

from linkfix.hooks.httpx_like import AbsolutizedMixin, AsyncTransportMixin, TransportMixin, decoded_codings, install_in
from linkfix.hooks.response import SettingFields

__all__ = ["AbsolutizedResponse", "AsyncTransport", "Transport", "install"]

_Client = TypeVar("_Client", httpx2.Client, httpx2.AsyncClient)


class AbsolutizedResponse(AbsolutizedMixin, httpx2.Response):
    """A response of httpx2 whose body has absolute links once it is read. Clients read it, unless it is streamed.

    `content` of a page has absolute links, and `headers` match: no `Content-Encoding`, the new `Content-Length`. A page
    without a link to rewrite keeps both. If the Content-Type has no charset and the document declares one, `encoding`
    is set to it, unless it was set before; `text` is then the text that browsers show. Redirects are left alone, and so
    is a streamed response unless `read()` reads all of it. Pickling gives a plain response of httpx2 with the current
    body.
    """

    _decoded = decoded_codings(httpx2.Client(transport=httpx2.BaseTransport()))


class Transport(TransportMixin[httpx2.BaseTransport, httpx2.Request, httpx2.Response], httpx2.BaseTransport):
    """A transport for `httpx2.Client` whose responses have absolute links.

    `inner`: the transport that sends the requests. The default is `httpx2.HTTPTransport()`, which knows neither the
    client's `proxy`, `verify`, `cert`, `http1`, `http2` and `limits` nor the environment's proxies; a warning says so
    once. `install` keeps them. `fields`: the fields of `Settings` and `Options`. Raises InvalidBase, InvalidOption and
    UnknownSpec for wrong values, and TypeError for other names and for an `inner` that is not such a transport.
    """

    _response_class = AbsolutizedResponse

    def _default(self) -> httpx2.BaseTransport:
        return httpx2.HTTPTransport()


class AsyncTransport(
    AsyncTransportMixin[httpx2.AsyncBaseTransport, httpx2.Request, httpx2.Response], httpx2.AsyncBaseTransport
):
    """A transport for `httpx2.AsyncClient`: see `Transport`."""

    _response_class = AbsolutizedResponse

    def _default(self) -> httpx2.AsyncBaseTransport:
        return httpx2.AsyncHTTPTransport()


def install(client: _Client, **fields: Unpack[SettingFields]) -> _Client:
    """Make the links of all pages that a client reads absolute, and return the client.

    The client's transports and mounts are wrapped, with their proxies, certificates and caches. So the hook acts after
    a cache such as hishel's. A second call replaces the settings. `fields`: the fields of `Settings` and `Options`.
    Raises InvalidBase, InvalidOption and UnknownSpec for wrong values, and TypeError for other names and other clients.
    """
    kinds = {httpx2.Client: Transport, httpx2.AsyncClient: AsyncTransport}
    wrap = next((transport for kind, transport in kinds.items() if isinstance(client, kind)), None)
    install_in(client, wrap, "httpx2", **fields)
    return client
