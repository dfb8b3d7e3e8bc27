"""The common part of the middleware for ASGI and WSGI: from an application's response to the changed one.

It knows neither protocol.

A page has to be whole before its links are absolute, so that a response that may be a page is held: its header and its
pieces, up to `max_size`. All other responses pass through as they come. Nothing that an application sends raises.

A held response gets a weak ETag, even if its bytes stay (RFC 9110 §8.8.1). Its body depends on the settings too, so a
strong validator could name different bytes. If-None-Match compares weakly (§13.1.2), and so works as before, while the
parts of the old body cannot be combined with those of the new body (§15.3.7.3). A response to HEAD has no body, and
gets the same ETag.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Unpack
from urllib.parse import quote

from linkfix.constraints import check
from linkfix.containers.http_body import BODY_HEADERS, encode_body, renew_body_headers
from linkfix.document.document import Document
from linkfix.errors import InvalidBase
from linkfix.files.media_types import HEADER, declared_type
from linkfix.hooks.generic import absolutize_coded
from linkfix.hooks.response import (
    Outcome,
    Response,
    SettingFields,
    Settings,
    absolute_fields,
    absolutize,
    log_failure,
    settings,
    wrong_argument,
)
from linkfix.model import Link
from linkfix.urls import hide_passwords, scheme_of

__all__ = ["MAX_SIZE", "Pairs", "Reply", "Rewrite", "Server", "public_url"]

#: Header fields as pairs of name and value; names may be repeated.
Pairs = tuple[tuple[str, str], ...]

#: A function that receives the absolute URL of a link and returns the URL to write, or None to write the absolute URL.
Rewrite = Callable[[str], str | None]

#: The default for the maximum size of a body that is held, in bytes. Each response in progress takes that memory.
MAX_SIZE = 8 << 20

#: Media types of bodies that need not end, and are never held.
_ENDLESS = frozenset({"text/event-stream", "multipart/x-mixed-replace"})

#: Status codes of responses without content (RFC 9110 §6.4.1), and of a part of a representation (§15.3.7).
_WITHOUT_BODY = frozenset({204, 205, 304})
_PARTIAL = 206
_NOT_MODIFIED = 304

#: Fields that describe the bytes of a body, and that a response without its body may omit (RFC 9110 §9.3.2).
_OF_BYTES = (BODY_HEADERS.keys() | {"accept-ranges"}) - {"etag", "content-encoding"}

#: A host with a port (RFC 3986 §3.2.2), without characters that would end it in a URL.
_HOST = re.compile(r"(?:[A-Za-z0-9._~%!$&'()*+,;=-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{0,5})?")

#: The characters of a path and a query that stay. "#" would end them.
_PATH = "/:@!$&'()*+,;=~"
_QUERY = "%/?:@!$&'()*+,;=~[]{}|^`\\"

_OPAQUE_TAG = re.compile(r'(W/)?("[^"]*")')


def public_url(base_url: str | None, origin: tuple[str, str], root: str, path: str, query: bytes) -> str | None:
    """The URL of a response; None if the request does not tell it.

    `base_url`: see `linkfix.hooks.asgi.Absolutize`. `origin`: the scheme and the Host of the request, which count if
    there is no `base_url`. `root`: the path at which the application is mounted; `path`: the path in the application,
    both percent-encoded. `query`: without "?".

    >>> public_url("https://example.com/shop/", ("http", "10.0.0.1"), "/app", "/a%20b", b"q=1")
    'https://example.com/shop/a%20b?q=1'
    >>> public_url(None, ("http", "10.0.0.1"), "/app", "/a", b"")
    'http://10.0.0.1/app/a'
    """
    scheme, host = origin
    if base_url is None and not _HOST.fullmatch(host):
        return None
    start = f"{scheme}://{host}{root}" if base_url is None else base_url
    end = f"?{quote(query, safe=_QUERY)}" if query else ""
    return f"{start.rstrip('/')}/{path.removeprefix('/')}{end}"


def encode_path(path: str | bytes, *, encoded: bool = False) -> str:
    """A path with all characters percent-encoded that may not be in a URL. `encoded`: the path has escapes already."""
    return quote(path, safe=_PATH + "%" * encoded)


class Protocol(NamedTuple):
    """A protocol between servers and applications."""

    name: str
    module: str
    """The module of its middleware."""
    arguments: int
    """The number of arguments of an application."""
    is_async: bool | None
    """Whether applications are coroutine functions; None: they may be."""

    def may_be_of(self, app: Any) -> bool:
        """Whether an object may be an application of the protocol."""
        if not callable(app):
            return False
        call = app if inspect.isroutine(app) or isinstance(app, type) else getattr(app, "__call__", app)  # noqa: B004
        if self.is_async is False and inspect.iscoroutinefunction(call):
            return False
        try:
            inspect.signature(app).bind(*[None] * self.arguments)
        except TypeError:
            return False
        except ValueError:  # an object without a signature
            return True
        return True


WSGI = Protocol("WSGI", "linkfix.hooks.wsgi", 2, is_async=False)
ASGI = Protocol("ASGI", "linkfix.hooks.asgi", 3, is_async=None)


def check_application(app: object, protocol: Protocol) -> None:
    """Raise TypeError for an object that cannot be an application of a protocol."""
    if protocol.may_be_of(app):
        return
    other = ASGI if protocol is WSGI else WSGI
    meant = f"{other.module}.Absolutize" if other.may_be_of(app) else ""
    call, expected = f"{protocol.module}.Absolutize", f"an application of {protocol.name}"
    raise wrong_argument(call, expected, app, meant)


@dataclass(frozen=True, slots=True)
class Server:
    """The settings of the middleware for an application. Raises InvalidBase, InvalidOption and UnknownSpec."""

    base_url: str | None
    """The public URL of the application's root; None: from each request."""
    rewrite: Rewrite | None
    """Returns the URL to write for the absolute URL of a link."""
    settings: Settings
    """The settings of all hooks."""

    @classmethod
    def of(cls, base_url: str | None, rewrite: Rewrite | None, **fields: Unpack[SettingFields]) -> Server:
        """Make the settings from the keywords of the middleware."""
        check("base_url", base_url, "str | None")
        check("rewrite", rewrite, "Callable[[str], str | None] | None")
        if base_url is not None and (scheme_of(base_url) not in {"http", "https"} or set(base_url) & set("?#")):
            shown = hide_passwords(repr(base_url))
            message = f"base_url={shown}: expected the http or https URL of the application's root, without a query"
            raise InvalidBase(message)
        chosen: SettingFields = {"max_size": MAX_SIZE}
        chosen.update(fields)
        made = settings(**chosen)
        settings(default_base=base_url)  # whether it is absolute
        return cls(base_url, rewrite, made)

    def change(self, response: Response) -> Outcome:
        """The outcome of a whole response, whose body may have its content codings."""
        outcome = absolutize_coded(response, self.settings)
        if self.rewrite is None or outcome.left_alone or outcome.document is None:
            return outcome
        document = outcome.document
        whole = document.source.html if outcome.body is response.body else outcome.body
        if not isinstance(whole, bytes):
            return outcome
        # The longer URLs may have moved a META element with the charset too far back to count.
        envelope = document.envelope._replace(charset=document.encoding.name)
        absolute = Document(whole, envelope=envelope, options=document.options)
        return replace(outcome, body=self._rewrite_all(absolute))

    def change_fields(self, response: Response) -> Pairs:
        """The header fields of a response, with new URLs if the option `header_fields` is set."""
        if not self.settings.options.header_fields:
            return response.headers
        headers = absolutize(replace(response, body=b""), self.settings).headers
        if self.rewrite is not None:
            return absolute_fields(headers, replace(response, headers=headers), self.settings, self._rewrite_all)
        return headers

    def _rewrite_all(self, document: Document[bytes]) -> bytes:
        return document.rewrite(self._new_reference)

    def _new_reference(self, link: Link) -> str | None:
        """The new reference of a link in a document whose links are absolute; those that stay relative stay."""
        target, keep = link.target, self.settings.options.keep
        if self.rewrite is None or target is None or scheme_of(link.reference.strip()) is None:
            return None
        return None if keep is not None and keep(target) else self.rewrite(target)


class Reply:
    """The response to a request, while it comes from the application.

    Call `begin` for its header, `hold` for each piece of its body while `holds`, and `finish` at its end. `headers` are
    right to send whenever the response is not held.
    """

    headers: Pairs = ()
    """The header fields to send."""
    holds: bool = False
    """Whether the response is held."""
    changed: bool = False
    """Whether the body was changed."""

    def __init__(self, server: Server, method: str, url: str | None, if_none_match: str) -> None:
        """`url`: the URL of the response. `if_none_match`: the value of the request's field, or ""."""
        self._server = server
        self._is_head = method == "HEAD"
        self._url = url
        self._if_none_match = if_none_match
        self._pieces: list[bytes] = []
        self._size = 0
        self._is_undecided = False

    def begin(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        """Take the status code and the header fields of the response. A second call replaces the response."""
        self.release()
        response = Response(b"", self._url, tuple(headers))
        try:
            self.headers = self._server.change_fields(response)
        except Exception:  # noqa: BLE001 - no header may end a response, not even by a fault of `rewrite`
            log_failure(self._url)
            self.headers = response.headers
        chosen = self._server.settings
        type_ = declared_type(response.values)
        if status == _NOT_MODIFIED:
            self._revalidate(may_be_page=not response.values("content-type") or type_.may_be(chosen.media_types))
            return
        if (
            status in _WITHOUT_BODY
            or status == _PARTIAL
            or response.values("content-range")
            or type_.own.essence in _ENDLESS
            or not type_.may_be(chosen.media_types)
            or _forbids_changes(response)
        ):
            return
        length = response.header("content-length").strip()
        if length.isdecimal() and int(length[:20]) > chosen.max_size:
            return
        self.headers = tuple((name, _weak(value) if name.lower() == "etag" else value) for name, value in self.headers)
        self.holds = True
        self._is_undecided = not type_.states_one_of(chosen.media_types) and not response.values("content-encoding")

    def hold(self, piece: bytes) -> list[bytes]:
        """Hold a piece of the body.

        Returns the pieces to send: all of them, if the response proves to be too large or no page.
        """
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size > self._server.settings.max_size:
            return self.release()
        if self._is_undecided and self._size >= HEADER:
            self._is_undecided = False
            type_ = declared_type(Response(b"", None, self.headers).values)
            if type_.media_type(b"".join(self._pieces)) not in self._server.settings.media_types:
                return self.release()
        return []

    def finish(self) -> list[bytes]:
        """End the body. Returns the pieces to send: the new body, if the response was held and has one."""
        if not self.holds:
            return []
        body = b"".join(self.release())
        if not body:
            if self._is_head:  # only the body would tell them
                self.headers = tuple(field for field in self.headers if field[0].lower() not in _OF_BYTES)
            return []
        try:
            return [self._convert(Response(body, self._url, self.headers))]
        except Exception:  # noqa: BLE001 - no page may end a response, not even by a fault of `rewrite`
            log_failure(self._url)
            return [body]

    def release(self) -> list[bytes]:
        """Hold the response no longer. Returns the pieces that were held."""
        pieces, self._pieces = self._pieces, []
        self._size, self.holds = 0, False
        return pieces

    def _convert(self, response: Response) -> bytes:
        outcome = self._server.change(response)
        old = outcome.document.source.html if outcome.document else response.body
        if outcome.body is response.body or outcome.body == old or not isinstance(old, bytes):
            return response.body
        codings = [value.strip().lower() for value in response.values("content-encoding")]
        encoded = encode_body(outcome.body, codings[0]) if len(codings) == 1 else None
        body = outcome.body if encoded is None else encoded
        self.headers = _renewed(response, [response.body, old], body, has_coding=encoded is not None)
        self.changed = True
        return body

    def _revalidate(self, *, may_be_page: bool) -> None:
        """Give a 304 the ETag of the response that the client has: If-None-Match shows it. In doubt it is weak."""
        known = {tag: weak for weak, tag in _OPAQUE_TAG.findall(self._if_none_match)}
        self.headers = tuple(
            (name, _weak(value) if name.lower() == "etag" and may_be_page and known.get(value) != "" else value)
            for name, value in self.headers
        )


def _weak(tag: str) -> str:
    """An ETag as a weak one (RFC 9110 §8.8.3)."""
    return tag if tag.startswith("W/") else f"W/{tag.strip()}"


def _forbids_changes(response: Response) -> bool:
    """Whether the response forbids to change its content (RFC 9111 §5.2.2.6, RFC 9110 §7.7)."""
    members = (member.strip().lower() for value in response.values("cache-control") for member in value.split(","))
    return "no-transform" in members


def _renewed(response: Response, old: list[bytes], new: bytes, *, has_coding: bool) -> Pairs:
    """The header fields of a response with a new body.

    `old`: the old body as it was sent, and decoded. `has_coding`: whether `new` has the response's content coding.
    """
    stated: dict[str, str] = {}
    for name, value in response.headers:
        key = name.lower()
        stated[key] = f"{stated[key]}, {value}" if key in stated else value
    described = {name: value for name, value in stated.items() if name in BODY_HEADERS and name != "etag"}
    renewed = renew_body_headers({"content-length": "", **described}, old, new, lambda _code, _detail: None)
    if has_coding:
        renewed["content-encoding"] = described["content-encoding"]
        if "digest" in renewed:  # its algorithms "id-…" cover the body without the coding (RFC 5843 §2.2)
            renewed["digest"] = None
    # The ranges that the application serves are those of the old body.
    dropped = renewed.keys() | {"accept-ranges"}
    kept = tuple(field for field in response.headers if field[0].lower() not in dropped)
    written = ((name.title(), value) for name, value in renewed.items() if value is not None)
    return (*kept, *written)
