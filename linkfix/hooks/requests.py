"""Hook for requests: all pages that a session gets have absolute links.

    session = linkfix.hooks.requests.install(requests.Session())
    response = session.get("https://example.com/")  # .content, .text and .iter_content() with absolute links
    response.linkfix.links  # and .base, .problems, .rewritten, .encoding: see linkfix.hooks.response.Outcome

For a single request there is a response hook: `requests.get(url, hooks={"response": absolutize})`, and `Absolutize` for
other settings. In a session with a cache, such as requests-cache's, a response hook acts before the cache, which then
keeps rewritten pages. `install` acts after the cache.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any, SupportsIndex, TypeVar, Unpack, cast

from linkfix.errors import Needs

with Needs("linkfix.hooks.requests", "requests"):
    import requests
    from requests.structures import CaseInsensitiveDict
    from urllib3.response import HTTPResponse

from linkfix.constraints import check
from linkfix.files.media_types import extract_mime_type
from linkfix.hooks.response import (
    Response,
    SettingFields,
    Settings,
    library_of,
    log_once,
    settings,
    unprocessed,
    wrong_argument,
)
from linkfix.hooks.response import absolutize as absolutize_response

__all__ = ["Absolutize", "absolutize", "install"]

_Session = TypeVar("_Session", bound=requests.Session)

#: The content codings that urllib3 decodes if a package for them is installed.
_PACKAGED = frozenset({"br", "zstd"})


class Absolutize:
    """A response hook of requests that makes the links of pages absolute.

    `stream`: whether to read and process responses to requests with `stream=True` too; otherwise they are left alone.
    `fields`: the fields of `linkfix.hooks.response.Settings` (`max_size`, `media_types`, `default_base`) and of
    `linkfix.Options`. Raises InvalidBase, InvalidOption and UnknownSpec for wrong values, and TypeError for other
    names.

    `content` of a page has absolute links, and `headers` match: no `Content-Encoding`, the new `Content-Length`. A page
    without a link to rewrite keeps both. `raw` has been read to its end. If the Content-Type has no charset (requests
    assumes ISO-8859-1) and the document declares one, `encoding` is set to it; `text` is then the text that browsers
    show. The attribute `linkfix` is not pickled.

    Redirects are left alone. Errors while reading a body are raised as without the hook.
    """

    def __init__(self, *, stream: bool = False, **fields: Unpack[SettingFields]) -> None:
        check("stream", stream, "bool")
        self.stream = stream
        self.settings: Settings = settings(**fields)

    def __call__(self, response: requests.Response, **request: Any) -> requests.Response:
        """Process a response. `request`: the keywords that requests passes. Raises TypeError for other objects."""
        if library_of(response) not in {"requests", ""} or not hasattr(response, "is_redirect"):
            call = "linkfix.hooks.requests.absolutize"
            raise wrong_argument(call, "requests.Response", response)
        if hasattr(response, "linkfix"):
            log_once("hook-twice", response.url)
            return response
        if response.is_redirect:  # requests itself reads the body
            headers = tuple(response.headers.items())
            response.linkfix = unprocessed(Response(b"", response.url, headers), self.settings)  # type: ignore[attr-defined]
            return response
        if request.get("stream") and not (self.stream and _is_page(response, self.settings)):
            return response
        headers = tuple(response.headers.items())
        body = response.content or b""
        history = tuple(hop.url for hop in response.history)  # requests sets it after its hooks
        received = Response(body, response.url, headers, history, coded=_is_coded(response))
        outcome = absolutize_response(received, self.settings)
        if outcome.body is not body:
            response._content = outcome.body  # noqa: SLF001 - requests has no public way to set it
        if outcome.headers is not headers:
            response.headers = CaseInsensitiveDict(outcome.headers)
        if outcome.declared_codec:
            response.encoding = outcome.declared_codec
        response.linkfix = outcome  # type: ignore[attr-defined]
        return response


def _is_coded(response: requests.Response) -> bool:
    """Whether `content` still has a content coding."""
    codings = {coding.strip() for coding in response.headers.get("content-encoding", "").lower().split(",")}
    return not codings & _PACKAGED <= set(HTTPResponse.CONTENT_DECODERS)


def _is_page(response: requests.Response, chosen: Settings) -> bool:
    """Whether to read a body: its headers say that it is a page, and not too large."""
    length = response.headers.get("content-length", "")
    too_large = length.isdecimal() and int(length) > chosen.max_size
    return not too_large and extract_mime_type([response.headers.get("content-type", "")]).essence in chosen.media_types


#: The hook with the default settings.
absolutize: Absolutize = Absolutize()


class _Sending(threading.local):
    """The state of the requests of one thread."""

    session: requests.Session | None = None
    """The session whose `send` was called last and has not returned yet."""
    follower: requests.Session | None = None
    """The session that follows a redirect with its next request."""
    made: Callable[[], requests.Response | None] | None = None
    """A weak reference to the response that was processed last."""


_sending = _Sending()


class _Installed:
    """The methods of a session with the hook, in front of its own class's methods."""

    _linkfix_hook: Absolutize
    _linkfix_send: Callable[..., requests.Response] | None = None
    """The `send` that somebody had set on the session."""

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:
        """Send a request as before, and process the final response, after all redirects."""
        session = cast("requests.Session", self)
        send: Callable[..., requests.Response] = self._linkfix_send or super().send  # type: ignore[misc]
        if _sending.follower is session:
            _sending.follower = None  # a request that a response hook makes now is independent
            return send(request, **options)
        before, _sending.session = _sending.session, session
        try:
            response = send(request, **options)
        finally:
            _sending.session = before
        if _sending.made is not None and _sending.made() is response:  # the session's class calls itself
            return response
        # A cache may keep the response itself.
        own = _copy_of(response)
        made = self._linkfix_hook(own, stream=options.get("stream", session.stream))
        if not hasattr(made, "linkfix"):
            return response
        _sending.made = weakref.ref(made)
        return made

    def resolve_redirects(self, *args: Any, **options: Any) -> Iterator[Any]:
        """Follow redirects as before. Takes the arguments of `requests.Session.resolve_redirects`."""
        followed: Iterator[Any] = super().resolve_redirects(*args, **options)  # type: ignore[misc]
        if options.get("yield_requests") or _sending.session is not cast("Any", self):
            yield from followed
            return
        while True:
            _sending.follower = cast("requests.Session", self)
            try:
                one = next(followed, None)
            finally:
                _sending.follower = None
            if one is None:
                return
            yield one

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        reduced = super().__reduce_ex__(protocol)
        if isinstance(reduced, str):
            return reduced
        make, arguments, *rest = reduced
        plain = type(self).__mro__[2]
        arguments = tuple(plain if one is type(self) else one for one in arguments)
        return (_made_again, (self._linkfix_hook, make, arguments), *rest)


def _made_again(hook: Absolutize, make: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Make a copied or unpickled session, with the hook."""
    return _with_hook(make(*arguments), hook)


#: A class of sessions -> its class with the hook.
_classes: dict[type, type] = {}


def _with_hook(session: Any, hook: Absolutize) -> Any:
    plain = type(session)
    if not issubclass(plain, _Installed):
        if plain not in _classes:
            fields = {"__module__": plain.__module__, "__qualname__": plain.__qualname__, "__doc__": plain.__doc__}
            _classes[plain] = type(plain.__name__, (_Installed, plain), fields)
        session.__class__ = _classes[plain]
        session._linkfix_send = vars(session).pop("send", None)  # noqa: SLF001
    session._linkfix_hook = hook  # noqa: SLF001
    return session


def _copy_of(response: requests.Response) -> requests.Response:
    """Copy a response with its content and connection: `copy.copy` drops the connection."""
    own = object.__new__(type(response))
    vars(own).update(vars(response))
    return own


def install(session: _Session, *, stream: bool = False, **fields: Unpack[SettingFields]) -> _Session:
    """Make the links of all pages that a session gets absolute, and return the session.

    The hook acts on the session's results, after redirects, hooks and caches (requests-cache, CacheControl), which see
    and keep pages as they were sent. Copies and pickles of the session keep the hook. A second call replaces the
    settings. The arguments and errors are the same as for `Absolutize`. Raises TypeError if `session` is not a session
    of requests.
    """
    if not isinstance(session, requests.Session):
        call = "linkfix.hooks.requests.install"
        raise wrong_argument(call, "requests.Session", session, example="requests.Session()")
    return cast("_Session", _with_hook(session, Absolutize(stream=stream, **fields)))
