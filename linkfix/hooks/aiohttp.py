"""Hook for aiohttp (3.12 and later): all pages that a session reads have absolute links.

    async with aiohttp.ClientSession(middlewares=(linkfix.hooks.aiohttp.absolutize,)) as session:
        async with session.get("https://example.com/") as response:
            await response.text()  # or read(), with absolute links
            response.linkfix.links  # and .base, .problems, .rewritten, .encoding: see linkfix.hooks.response.Outcome

Use `Absolutize` for other settings. A request with `middlewares=()` is not processed.
"""

from __future__ import annotations

from typing import ClassVar, Unpack

from linkfix.errors import Needs

with Needs("linkfix.hooks.aiohttp", "aiohttp"):
    import aiohttp
    from aiohttp import hdrs
    from multidict import CIMultiDict, CIMultiDictProxy

from linkfix.hooks.response import (
    Outcome,
    Response,
    SettingFields,
    Settings,
    log_once,
    settings,
    unprocessed,
    wrong_argument,
)
from linkfix.hooks.response import absolutize as absolutize_response

__all__ = ["Absolutize", "AbsolutizedResponse", "absolutize"]

#: The status codes of the redirects that aiohttp follows.
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
#: The content codings that aiohttp can decode, for versions whose stream does not tell whether it decoded.
_UNDONE = frozenset({"gzip", "deflate", "br"})


class AbsolutizedResponse(aiohttp.ClientResponse):
    """A response of aiohttp whose body has absolute links once it is read.

    `read()` and `text()` of a page return absolute links, and `headers` match: no `Content-Encoding`, the new
    `Content-Length`. A page without a link to rewrite keeps both. If the Content-Type has no charset and the document
    declares one, `get_encoding()` returns the document's, so that `text()` is the text that browsers show. The stream
    `content` is left alone; so are redirects, a body that was partly streamed, and a body that aiohttp did not decode
    (`auto_decompress=False`).
    """

    linkfix: Outcome | None = None
    """The result of the hook; None before the body is read."""
    _settings: ClassVar[Settings] = Settings()

    async def read(self) -> bytes:
        """Read the whole body, with absolute links."""
        body = await super().read()
        if self.linkfix is None:
            headers = tuple(self._headers.items())
            self.linkfix = outcome = self._outcome(body, headers)
            if outcome.body is not body:
                self._body = body = outcome.body
            if outcome.headers is not headers:
                self._headers = CIMultiDictProxy(CIMultiDict(outcome.headers))
                self._raw_headers = tuple((_raw(name), _raw(value)) for name, value in outcome.headers)
                for name in ("headers", "raw_headers"):
                    self._cache.pop(name, None)
        return body

    def get_encoding(self) -> str:
        """The name of the body's encoding."""
        declared = self.linkfix.declared_codec if self.linkfix else ""
        return declared or super().get_encoding()

    def _outcome(self, body: bytes, headers: tuple[tuple[str, str], ...]) -> Outcome:
        redirect = self.status in _REDIRECTS and (hdrs.LOCATION in self._headers or hdrs.URI in self._headers)
        # The property `history` caches its value, and aiohttp sets it only after the middlewares.
        history = tuple(str(hop.url) for hop in self._history)
        response = Response(body, str(self.url), headers, history, coded=self._is_coded(body))
        is_whole = len(body) == self.content.total_bytes
        return (absolutize_response if is_whole and not redirect else unprocessed)(response, self._settings)

    def _is_coded(self, body: bytes) -> bool:
        """Whether the body that was read still has its content coding."""
        coding = self._headers.get(hdrs.CONTENT_ENCODING, "").lower()
        if coding in {"", "identity"}:
            return False
        if hasattr(self.content, "total_compressed_bytes"):  # since 3.14
            return self.content.total_compressed_bytes is None  # nothing was decompressed
        return coding not in _UNDONE or self._headers.get(hdrs.CONTENT_LENGTH) == f"{len(body)}"


class Absolutize:
    """A middleware for `aiohttp.ClientSession` whose responses have absolute links.

    `fields`: the fields of `Settings` and `Options`. Raises InvalidBase, InvalidOption and UnknownSpec for wrong
    values, and TypeError for other names. The middleware sets the request's `response_class`. If another middleware
    makes a response without that class, the response is left alone.
    """

    def __init__(self, **fields: Unpack[SettingFields]) -> None:
        self._settings = settings(**fields)
        self._classes: dict[type[aiohttp.ClientResponse], type[AbsolutizedResponse]] = {}

    async def __call__(
        self, request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        """Send a request; the links of the response become absolute on reading. Raises TypeError for other objects."""
        if not isinstance(request, aiohttp.ClientRequest):
            call = "linkfix.hooks.aiohttp.absolutize"
            raise wrong_argument(call, "aiohttp.ClientRequest", request)
        given = request.response_class
        if issubclass(given, AbsolutizedResponse):
            log_once("hook-twice", str(request.url))
            return await handler(request)
        request.response_class = self._class_over(given)
        try:
            return await handler(request)
        finally:
            request.response_class = given  # an outer middleware may send the request again

    def _class_over(self, given: type[aiohttp.ClientResponse]) -> type[AbsolutizedResponse]:
        if given not in self._classes:
            fields = {"_settings": self._settings, "__doc__": AbsolutizedResponse.__doc__}
            self._classes[given] = type(given.__name__, (AbsolutizedResponse, given), fields)
        return self._classes[given]


#: The middleware with the default settings.
absolutize: Absolutize = Absolutize()


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
