"""requests: all pages that a session gets have absolute links.

    session = linkfix.hooks.requests.install(requests.Session())
    response = session.get("https://example.com/")  # .content, .text and .iter_content() with absolute links
    response.linkfix.links  # and .base, .problems, .rewritten, .encoding: see linkfix.hooks.response.Outcome

For a single request there is a response hook: `requests.get(url, hooks={"response": absolutize})`, and `Absolutize` for
other settings. In a session with a cache, such as requests-cache's, a response hook acts before the cache, which then
keeps rewritten pages: `install` acts after it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar, Unpack

from linkfix.extras import Needs

with Needs("linkfix.hooks.requests", "requests"):
    import requests
    from urllib3.response import HTTPResponse

from linkfix.files.mime_sniffing import extract_mime_type
from linkfix.hooks.logs import log_once
from linkfix.hooks.response import Response, SettingFields, Settings, settings
from linkfix.hooks.response import absolutize as absolutize_response

__all__ = ["Absolutize", "absolutize", "install"]

_Session = TypeVar("_Session", bound=requests.Session)

#: The content codings that urllib3 decodes if a package for them is installed.
_PACKAGED = frozenset({"br", "zstd"})


class Absolutize:
    """A response hook of requests that makes the links of pages absolute.

    With `stream`, responses to requests with `stream=True` are read and processed too; otherwise they are left alone.
    `fields` are those of `linkfix.hooks.response.Settings` (`max_size`, `media_types`, `default_base`) and of
    `linkfix.Options`. Raises InvalidBase, InvalidOption and UnknownSpec for their values, TypeError for other names.

    `content` of a page has absolute links, and `headers` fit it: no `Content-Encoding`, the new `Content-Length`. A
    page without a link to rewrite keeps both. `raw` has been read to its end. If the Content-Type has no charset
    (requests assumes ISO-8859-1) and the document declares one, `encoding` is set to that, so that `text` is what
    browsers show. The attribute `linkfix` is not pickled.

    Redirects are left alone. Errors while reading a body are raised as without the hook.
    """

    def __init__(self, *, stream: bool = False, **fields: Unpack[SettingFields]) -> None:
        self.stream = stream
        self.settings: Settings = settings(**fields)

    def __call__(self, response: requests.Response, **request: Any) -> requests.Response:  # noqa: ANN401 - as requests
        """Process a response. `request` has the keywords that requests passes to hooks."""
        if response.is_redirect:
            return response
        if hasattr(response, "linkfix"):
            log_once("hook-twice", response.url)
            return response
        if request.get("stream") and not (self.stream and _is_page(response, self.settings)):
            return response
        headers = tuple(response.headers.items())
        body = response.content or b""
        history = tuple(hop.url for hop in response.history)  # which requests sets after its hooks
        received = Response(body, response.url, headers, history, coded=_is_coded(response))
        outcome = absolutize_response(received, self.settings)
        if outcome.body is not body:
            response._content = outcome.body  # noqa: SLF001 - requests has no public way to set it
            response.headers.clear()
            response.headers.update(outcome.headers)
        if outcome.declared_codec:
            response.encoding = outcome.declared_codec
        response.linkfix = outcome  # type: ignore[attr-defined]
        return response


def _is_coded(response: requests.Response) -> bool:
    """Whether `content` still has a content coding."""
    codings = {coding.strip() for coding in response.headers.get("content-encoding", "").lower().split(",")}
    return not codings & _PACKAGED <= set(HTTPResponse.CONTENT_DECODERS)


def _is_page(response: requests.Response, chosen: Settings) -> bool:
    """Whether to read a body: by its headers it is a page, and not too large."""
    length = response.headers.get("content-length", "")
    too_large = length.isdecimal() and int(length) > chosen.max_size
    return not too_large and extract_mime_type([response.headers.get("content-type", "")]).essence in chosen.media_types


#: The hook with the default settings.
absolutize: Absolutize = Absolutize()


class _Send:
    """Sends the requests of a session as before, and processes what comes back last: the end of all redirects."""

    def __init__(self, send: Callable[..., requests.Response], hook: Absolutize, session: requests.Session) -> None:
        self.send = send
        self._hook = hook
        self._session = session
        self._local = threading.local()

    def __call__(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:  # noqa: ANN401
        """Send a request. `options` are those of `requests.Session.send`."""
        if getattr(self._local, "is_sending", False):  # requests follows a redirect
            return self.send(request, **options)
        self._local.is_sending = True
        try:
            response = self.send(request, **options)
        finally:
            self._local.is_sending = False
        # The response itself may be what a cache keeps.
        own = _copy_of(response)
        made = self._hook(own, stream=options.get("stream", self._session.stream))
        return made if hasattr(made, "linkfix") else response


def _copy_of(response: requests.Response) -> requests.Response:
    """A copy with the same content and connection: `copy.copy` drops the connection."""
    own = object.__new__(type(response))
    vars(own).update(vars(response))
    own.headers = response.headers.copy()
    return own


def install(session: _Session, *, stream: bool = False, **fields: Unpack[SettingFields]) -> _Session:
    """Make the links of all pages absolute that a session gets, and return the session.

    It acts on what the session returns, after redirects, hooks and caches (requests-cache, CacheControl): these see
    and keep pages as they were sent. A second call replaces the settings. The arguments and errors are those of
    `Absolutize`.
    """
    hook = Absolutize(stream=stream, **fields)
    before = session.send
    send = before.send if isinstance(before, _Send) else before
    session.send = _Send(send, hook, session)  # type: ignore[method-assign]  # as its users do: requests has no other way
    return session
