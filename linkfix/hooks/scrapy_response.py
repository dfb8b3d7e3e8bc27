"""Responses of Scrapy and of linkfix: conversion between them, and resolution of references by a page's base."""

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
from scrapy.http import HtmlResponse, TextResponse, XmlResponse
from scrapy.http import Response as AnyResponse
from scrapy.http.headers import Headers
from scrapy.link import Link
from scrapy.selector import Selector
from w3lib.encoding import resolve_encoding
from webencodings.labels import LABELS

from linkfix.document.base import as_base
from linkfix.document.decide import resolver_of
from linkfix.document.document import Document
from linkfix.errors import InvalidBase
from linkfix.files.media_types import declared_type
from linkfix.hooks.response import (
    Outcome,
    Response,
    Settings,
    absolute_fields,
    absolutize,
    with_scripting,
)
from linkfix.model import Envelope, Options
from linkfix.resolvers import Resolver
from linkfix.urls import without_fragment

#: The flag of a response whose body was changed.
FLAG = "linkfix"
#: The flag and the key of `meta` that scrapy-playwright sets for pages that it renders.
RENDERED = "playwright"
#: Python's name of an encoding, which Scrapy uses -> its name in the Encoding standard.
_ENCODINGS = {resolve_encoding(name): name for name in LABELS.values()}
#: Prefixes of the names of encodings that are not used for output (Encoding standard, "get an output encoding").
_NO_OUTPUT = ("utf-16", "utf-32")
_FOLLOW = inspect.signature(TextResponse.follow)


class PageResolver(NamedTuple):
    """Resolves the references of a page."""

    envelope: Envelope
    """The page's envelope. Its `base` is the page's base URL, or None."""
    encoding: str = "utf-8"
    """The page's encoding, for queries."""
    resolver: Resolver = resolver_of(Options())
    """The specification's resolver."""
    late_href: str | None = None
    """The href of the BASE element that decides, if there are references before it; else None."""
    fallback: str | None = None
    """The base URL of references that are parsed at once."""

    def join(self, reference: str) -> str | None:
        """The target of a reference on this page, or None."""
        return self.resolver.resolve(self.envelope.base, reference.strip("\t\n\f\r "), self.encoding).target


#: The resolvers of responses that no middleware has processed.
_resolvers: WeakKeyDictionary[AnyResponse, PageResolver] = WeakKeyDictionary()


class Absolutized:
    """A mixin for responses that the middleware has processed: `linkfix`, and resolution by the page's own base."""

    linkfix: Outcome = Outcome(b"", ())
    """The result of the hook: `.links`, `.base`, `.problems`, `.rewritten`, `.left_alone`."""

    def urljoin(self, url: str) -> str:
        """Resolve `url` as browsers do on this page, by its base URL and encoding.

        A reference that cannot be resolved is returned unchanged.
        """
        if self.linkfix.document is None:
            return cast("str", super().urljoin(url))  # type: ignore[misc]
        return page_resolver(_response(self)).join(url) or url

    @property
    def selector(self) -> Selector:
        """Scrapy's selector. If BASE leads away from the page, forms without an action get the page's URL as action.

        Browsers submit such forms to the page (HTML §4.10.22.3 step 12), FormRequest and form2request to the base URL.
        """
        is_new = _response(self)._cached_selector is None  # noqa: SLF001 - Scrapy keeps it there
        made = cast("Selector", super().selector)  # type: ignore[misc]
        if is_new and self.linkfix.document is not None and isinstance(self, HtmlResponse):
            _complete_forms(made.root, _response(self).url, self.linkfix.document.document_base.url)
        return made

    def follow(self, url: str | Link | parsel.Selector, *args: Any, **kwargs: Any) -> Request:
        """Scrapy's `follow`, except that requests from a page in UTF-16 are encoded in UTF-8, as in browsers."""
        call = _FOLLOW.bind(self, url, *args, **kwargs)
        if call.arguments.get("encoding") is None and _response(self).encoding.startswith(_NO_OUTPUT):
            call.arguments["encoding"] = "utf-8"
        return cast("Request", super().follow(*call.args[1:], **call.kwargs))  # type: ignore[misc]

    def follow_all(
        self,
        urls: Iterable[str | Link] | parsel.SelectorList[Any] | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> Iterable[Request]:
        """Scrapy's `follow_all`, without the URLs that cannot be requested: `http://[`, `mailto:`."""
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

    def replace(self, *args: Any, cls: type[AnyResponse] | None = None, **kwargs: Any) -> AnyResponse:
        """Scrapy's `replace`. The new response keeps `linkfix`; a new URL counts as the page's retrieval URL."""
        if cls is not None:  # Scrapy before 2.12 reads None as a class
            kwargs["cls"] = cls
        new = cast("AnyResponse", super().replace(*args, **kwargs))  # type: ignore[misc]
        outcome = self.linkfix
        if isinstance(new, Absolutized):
            if outcome.document is not None and new.url != _response(self).url:
                with suppress(InvalidBase):
                    outcome = replace(outcome, document=outcome.document.with_url(new.url))
            _set_outcome(new, outcome)
        return new

    def to_dict(self) -> dict[str, Any]:
        """Scrapy's `to_dict`, for the original class of the response, so that it can be loaded without linkfix."""
        return self._plain().to_dict()

    def __copy__(self) -> AnyResponse:
        return _response(self).copy()

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        return copy, (self._plain(),)

    def _plain(self) -> AnyResponse:
        return _response(self).replace(cls=type(self).__mro__[2])


def _complete_forms(root: Any, url: str, base: str | None) -> None:
    """Set the action of forms, and the formaction of buttons, that is missing or empty."""
    if without_fragment(url) == without_fragment(base):
        return
    for form in root.iter("form"):
        if not (form.get("action") or "").strip("\t\n\f\r "):
            form.set("action", url)
    for button in root.iter("button", "input"):
        action = button.get("formaction")
        if action is not None and not action.strip("\t\n\f\r "):
            button.set("formaction", url)


def _response(response: Absolutized) -> TextResponse:
    return cast("TextResponse", response)


#: A class of responses -> its class after processing.
_classes: dict[type[TextResponse], type[TextResponse]] = {}


def _class_over(plain: type[TextResponse]) -> type[TextResponse]:
    if plain not in _classes:
        _classes[plain] = type(plain.__name__, (Absolutized, plain), {"__module__": __name__})
    return _classes[plain]


def _headers(response: TextResponse) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name.decode("latin-1"), value.decode("latin-1"))
        for name in response.headers
        for value in response.headers.getlist(name)
    )


def _given_encoding(response: TextResponse) -> str | None:
    """The encoding that a response was made with; None if it is the one that Scrapy infers.

    `replace()` and `to_dict()` pass on an inferred encoding as if it had been given.
    """
    encoding = getattr(response, "_encoding", None)
    if not encoding:
        return None
    inferred = TextResponse(response.url, headers=response.headers, body=response.body).encoding
    return None if resolve_encoding(encoding) == inferred else encoding


def _presumed_type(response: TextResponse) -> str:
    """The media type that Scrapy has decided, for a response whose server does not state one; "" for any text."""
    if isinstance(response, HtmlResponse):
        return "text/html"
    return "application/xml" if isinstance(response, XmlResponse) else ""


def to_response(response: TextResponse, history: Iterable[str] = ()) -> Response:
    """Convert a response of Scrapy. An encoding that it was made with has precedence over its headers."""
    headers = _headers(response)
    stated = declared_type(lambda wanted: (value for name, value in headers if name.lower() == wanted)).own
    encoding = _given_encoding(response)
    # If the server does not state the media type, Scrapy's decision counts. The last field of a name counts.
    type_ = _presumed_type(response) if stated.is_unknown else stated.essence
    if encoding:
        type_ = f"{type_}; charset={_ENCODINGS.get(resolve_encoding(encoding), encoding)}"
    headers = (*headers, ("Content-Type", type_))
    coded = (response.headers.get("Content-Encoding") or b"identity").lower() != b"identity"
    return Response(response.body, response.url, headers, tuple(history), coded)


def settings_for(response: TextResponse, settings: Settings, request: Request | None) -> Settings:
    """The settings for a response: scripts have run only if scrapy-playwright rendered it."""
    meta = request.meta if request is not None else {}
    kwargs = meta.get("playwright_context_kwargs") or {}
    rendered = RENDERED in response.flags or bool(meta.get(RENDERED))
    on = rendered and kwargs.get("java_script_enabled") is not False
    return replace(settings, options=with_scripting(settings.options, on=on))


def with_outcome(response: TextResponse, outcome: Outcome) -> TextResponse:
    """The response with absolute links, matching header fields, `linkfix`, and the methods of `Absolutized`."""
    changes: dict[str, Any] = {}
    fields = received = _headers(response)
    if outcome.body is not response.body:
        fields = Response(b"", response.url, fields).renewed_headers(len(outcome.body))
        changes |= {"body": outcome.body, "flags": [*response.flags, FLAG]}
    if outcome.settings.options.header_fields and outcome.received is not None:
        fields = absolute_fields(fields, outcome.received, outcome.settings)
    if fields is not received:
        changes["headers"] = headers = Headers()
        for name, value in fields:
            headers.appendlist(name, value.encode("latin-1"))
    new = response.replace(cls=_class_over(type(response)), **changes)
    _set_outcome(new, outcome)
    return new


def _set_outcome(response: AnyResponse, outcome: Outcome) -> None:
    """Set the outcome of a response of a class of `_classes`."""
    cast("Absolutized", response).linkfix = outcome
    if outcome.document is not None:
        _cache_base(response, _resolver(response.url, outcome.document))


def page_resolver(response: TextResponse) -> PageResolver:
    """The resolver of a page's references, processed by the middleware or not. Never raises."""
    if isinstance(response, Absolutized):
        return _resolver(response.url, response.linkfix.document)
    if response not in _resolvers:
        document = None
        if isinstance(response, HtmlResponse):
            document = absolutize(to_response(response), settings_for(response, Settings(), response.request)).document
        _resolvers[response] = resolver = _resolver(response.url, document)
        _cache_base(response, resolver)
    return _resolvers[response]


def _resolver(url: str, document: Document[bytes] | Document[str] | None) -> PageResolver:
    if document is None:
        return PageResolver(Envelope(base=as_base(url, resolver_of(Options()))))
    base = document.document_base
    own = Envelope(document.envelope.url, document.encoding.name, base=base.url)
    late_href = None
    if document.records_before_base:
        late_href = next(
            (link.reference for link in document.links if link.role == "base" and link.target == base.url), None
        )
    return PageResolver(own, document.encoding.name, resolver_of(document.options), late_href, base.fallback)


def _cache_base(response: AnyResponse, resolver: PageResolver) -> None:
    """Put the base URL in the cache of `get_base_url`, which Scrapy's selectors and link extractors use."""
    cache = getattr(scrapy.utils.response, "_baseurl_cache", None)
    if resolver.envelope.base is not None and isinstance(cache, MutableMapping):
        cache[response] = resolver.envelope.base
