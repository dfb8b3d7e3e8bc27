"""A page between Scrapy and linkfix: a response as linkfix reads it, the base, and the class that joins by it."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, MutableMapping
from contextlib import suppress
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple, SupportsIndex, cast
from weakref import WeakKeyDictionary

import parsel
import scrapy.utils.response
from scrapy import Request
from scrapy.http import HtmlResponse, TextResponse
from scrapy.http import Response as AnyResponse
from scrapy.http.headers import Headers
from scrapy.link import Link
from w3lib.encoding import resolve_encoding
from webencodings.labels import LABELS

from linkfix.document.base import as_base
from linkfix.document.decide import resolver_of
from linkfix.document.document import Document
from linkfix.errors import InvalidBase
from linkfix.hooks.response import Outcome, Response, absolutize, consistent
from linkfix.model import Envelope, Options
from linkfix.resolvers import Resolver

__all__ = ["FLAG", "Absolutized", "Page", "absolutized", "page_of", "received"]

#: What is among the flags of a response whose body was changed.
FLAG = "linkfix"
#: Scrapy names encodings as Python does: its name -> that of the Encoding standard.
_ENCODINGS = {resolve_encoding(name): name for name in LABELS.values()}
#: Names that begin so are of encodings that nothing is sent in (Encoding standard, "get an output encoding").
_NO_OUTPUT = ("utf-16", "utf-32")
_FOLLOW = inspect.signature(TextResponse.follow)


class Page(NamedTuple):
    """What references of a page are resolved by. `envelope.base`: the page's base URL, None where it has none."""

    envelope: Envelope
    encoding: str = "utf-8"
    resolver: Resolver = resolver_of(Options())

    def join(self, reference: str) -> str | None:
        """The absolute URL that a reference on this page means, or None."""
        return self.resolver.resolve(self.envelope.base, reference.strip("\t\n\f\r "), self.encoding).target


#: Of responses that no middleware looked at.
_pages: WeakKeyDictionary[AnyResponse, Page] = WeakKeyDictionary()


class Absolutized:
    """What the middleware adds to the class of a response: `linkfix`, and joining by the page's own base."""

    #: What became of the response: `.links`, `.base`, `.problems`, `.rewritten`, `.left_alone`.
    linkfix: Outcome = Outcome(b"", ())

    def urljoin(self, url: str) -> str:
        """The absolute URL that `url` means on this page, by the BASE that browsers go by, in the page's encoding.

        What cannot be resolved comes back as it is.
        """
        if self.linkfix.document is None:
            return cast("str", super().urljoin(url))  # type: ignore[misc]
        return page_of(_response(self)).join(url) or url

    def follow(self, url: str | Link | parsel.Selector, *args: Any, **kwargs: Any) -> Request:  # noqa: ANN401 - as Scrapy's
        """Scrapy's `follow`, but that a request from a page in UTF-16 is written in UTF-8, as browsers do."""
        call = _FOLLOW.bind(self, url, *args, **kwargs)
        if call.arguments.get("encoding") is None and _response(self).encoding.startswith(_NO_OUTPUT):
            call.arguments["encoding"] = "utf-8"
        return cast("Request", super().follow(*call.args[1:], **call.kwargs))  # type: ignore[misc]

    def follow_all(
        self,
        urls: Iterable[str | Link] | parsel.SelectorList[Any] | None = None,
        *args: Any,  # noqa: ANN401 - as Scrapy's
        **kwargs: Any,  # noqa: ANN401
    ) -> Iterable[Request]:
        """Scrapy's `follow_all`, which passes over what no request can be made for: `http://[`, `mailto:`."""
        queries = [name for name in ("css", "xpath") if kwargs.get(name) is not None]
        if (urls is not None) + len(queries) != 1:
            return cast("Iterable[Request]", super().follow_all(urls, *args, **kwargs))  # type: ignore[misc]
        if queries:
            urls = getattr(self, queries[0])(kwargs.pop(queries[0]))
        return self._follow_each(cast("Iterable[Any]", urls), args, kwargs)

    def _follow_each(self, urls: Iterable[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[Request]:
        for url in urls:
            one = type(urls)([url]) if isinstance(urls, parsel.SelectorList) else [url]
            with suppress(ValueError):
                yield from super().follow_all(one, *args, **kwargs)  # type: ignore[misc]

    def replace(self, *args: Any, cls: type[AnyResponse] | None = None, **kwargs: Any) -> AnyResponse:  # noqa: ANN401
        """Scrapy's `replace`. The new response keeps `linkfix`; with another URL, as retrieved from there."""
        new = cast("AnyResponse", super().replace(*args, cls=cls, **kwargs))  # type: ignore[misc]
        outcome = self.linkfix
        if isinstance(new, Absolutized):
            if outcome.document is not None and new.url != _response(self).url:
                with suppress(InvalidBase):
                    outcome = replace(outcome, document=outcome.document.with_url(new.url))
            _settle(new, outcome)
        return new

    def to_dict(self) -> dict[str, Any]:
        """Scrapy's `to_dict`, of a response of the class that was received: linkfix is not needed to read it."""
        return self._plain().to_dict()

    def __copy__(self) -> AnyResponse:
        return _response(self).copy()

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        return copy, (self._plain(),)

    def _plain(self) -> AnyResponse:
        return _response(self).replace(cls=type(self).__mro__[2])


def _response(response: Absolutized) -> HtmlResponse:
    return cast("HtmlResponse", response)


#: A class of responses -> that which they have once they were looked at.
_kinds: dict[type[HtmlResponse], type[HtmlResponse]] = {}


def _kind(plain: type[HtmlResponse]) -> type[HtmlResponse]:
    if plain not in _kinds:
        _kinds[plain] = type(plain.__name__, (Absolutized, plain), {"__module__": __name__})
    return _kinds[plain]


def _headers(response: TextResponse) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name.decode("latin-1"), value.decode("latin-1"))
        for name in response.headers
        for value in response.headers.getlist(name)
    )


def received(response: TextResponse, history: Iterable[str] = ()) -> Response:
    """A response as linkfix reads it. An encoding that was given with it comes before what its headers say of one."""
    type_ = (response.headers.get("Content-Type") or b"").decode("latin-1")
    encoding = getattr(response, "_encoding", None)
    if encoding:
        name = _ENCODINGS.get(resolve_encoding(encoding), encoding)
        type_ = f"{type_.partition(';')[0] or 'text/html'}; charset={name}"
    # Scrapy says that it is HTML; the last field of a name counts.
    headers = (*_headers(response), ("Content-Type", type_ or "text/html"))
    coded = (response.headers.get("Content-Encoding") or b"identity").lower() != b"identity"
    return Response(response.body, response.url, headers, tuple(history), coded)


def absolutized(response: HtmlResponse, outcome: Outcome) -> HtmlResponse:
    """The response with absolute links, its `linkfix` and its own way to join; headers fit its body."""
    changes: dict[str, Any] = {}
    if outcome.body is not response.body:
        headers = Headers()
        for name, value in consistent(_headers(response), len(outcome.body)):
            headers.appendlist(name, value.encode("latin-1"))
        changes |= {"body": outcome.body, "headers": headers, "flags": [*response.flags, FLAG]}
    new = response.replace(cls=_kind(type(response)), **changes)
    _settle(new, outcome)
    return new


def _settle(response: AnyResponse, outcome: Outcome) -> None:
    """Gives a response of a class of `_kinds` its outcome."""
    cast("Absolutized", response).linkfix = outcome
    if outcome.document is not None:
        _tell_scrapy(response, _page(response.url, outcome.document))


def page_of(response: TextResponse) -> Page:
    """What references of a page are resolved by, whether or not the middleware looked at it. Never raises."""
    if isinstance(response, Absolutized):
        return _page(response.url, response.linkfix.document)
    if response not in _pages:
        document = absolutize(received(response)).document if isinstance(response, HtmlResponse) else None
        _pages[response] = page = _page(response.url, document)
        _tell_scrapy(response, page)
    return _pages[response]


def _page(url: str, document: Document[bytes] | Document[str] | None) -> Page:
    if document is None:
        return Page(Envelope(base=as_base(url, resolver_of(Options()))))
    own = Envelope(document.envelope.url, document.encoding.name, base=document.document_base.url)
    return Page(own, document.encoding.name, resolver_of(document.options))


def _tell_scrapy(response: AnyResponse, page: Page) -> None:
    """Puts the base where `get_base_url` looks first, which Scrapy's selectors and link extractors ask."""
    known = getattr(scrapy.utils.response, "_baseurl_cache", None)
    if page.envelope.base is not None and isinstance(known, MutableMapping):
        known[response] = page.envelope.base
