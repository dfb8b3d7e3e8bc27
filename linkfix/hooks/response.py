"""The common part of all hooks for clients: from a response to a document with its envelope, and to an outcome.

No server can make this raise. Problems are logged under `linkfix.hooks`, and a response that cannot be processed is
left alone.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from types import ModuleType
from typing import Literal, Unpack, get_args

from linkfix.constraints import check, check_fields
from linkfix.containers.http_body import BODY_HEADERS, is_content_coding
from linkfix.display import MESSAGE_LENGTH, clip, visible_line
from linkfix.document.base import as_base
from linkfix.document.decide import resolver_of, validate
from linkfix.document.document import Document
from linkfix.encodings.encoding import get_encoding
from linkfix.files.media_types import HEADER, binary_type, declared_type, extract_mime_type, is_json
from linkfix.html.vocabulary import HTTP_FIELDS
from linkfix.model import (
    DEFAULT_OPTIONS,
    FEED_TYPES,
    HTTP_HEADER_TYPE,
    PAGE_TYPES,
    PROBLEMS,
    Base,
    Candidate,
    Envelope,
    Layer,
    Link,
    OptionFields,
    Options,
    Problem,
    make_options,
)
from linkfix.resolvers import Resolver
from linkfix.urls import excerpt, hide_passwords, without_credentials

__all__ = [
    "HTML",
    "MAX_SIZE",
    "FieldName",
    "Inspection",
    "Outcome",
    "Response",
    "SettingFields",
    "Settings",
    "absolute_fields",
    "absolutize",
    "leave_alone",
    "mime_type",
    "settings",
    "unprocessed",
]


# Log messages under `linkfix.hooks`: problems of responses, and failures of linkfix itself.
#
# Log lines have no control characters from outside, and no credentials of URLs.


_LOG = logging.getLogger("linkfix.hooks")

#: The codes of problems that were already logged as a warning in this process.
_warned: set[str] = set()

#: Problems of single references, or of a page's markup: common, and therefore logged only as information.
_COMMON = frozenset(
    {
        "unresolvable",
        "template-syntax",
        "srcset-descriptor",
        "css-bad-url",
        "json-syntax",
        "import-map-key",
        "undecodable",
        "lone-surrogate",
        "charset-late",
    }
)

#: Problems of a page that each of its references repeats: only the first is logged, with their number.
_ONCE = frozenset({"no-base"})


def log_problems(url: str | None, problems: Iterable[Problem]) -> None:
    """Log the problems of the response from a URL, one line each; a problem of `_ONCE` only once, with its number."""
    problems = tuple(problems)
    if not problems:
        return
    numbers = Counter(problem.code for problem in problems if problem.code in _ONCE)
    logged = set()
    for problem in problems:
        code = problem.code
        level = logging.INFO if code in _COMMON else logging.WARNING
        if code in logged or not _LOG.isEnabledFor(level):
            continue
        if code in _ONCE:
            logged.add(code)
        more = f" (and {numbers[code] - 1:,} more)" if numbers[code] > 1 else ""
        message = clip(problem.message, MESSAGE_LENGTH)
        _LOG.log(level, "%s:%d:%d: %s%s [%s]", _display_url(url), problem.line, problem.column, message, more, code)


def log_failure(url: str | None) -> None:
    """Log the exception that is being handled, which is a fault of linkfix."""
    _LOG.exception("%s: %s", _display_url(url), PROBLEMS["hook-failed"])


def log_once(code: str, url: str | None = None) -> None:
    """Log a problem in the use of a hook: as a warning once in a process, then as a debug message."""
    level = logging.DEBUG if code in _warned else logging.WARNING
    _warned.add(code)
    place = f"{_display_url(url)}: " if url else ""
    _LOG.log(level, "%s%s [%s]", place, PROBLEMS[code], code)


def _display_url(url: str | None) -> str:
    return visible_line(hide_passwords(without_credentials(url))) if url else "(no URL)"


# The settings of a hook: for resolving and rewriting links, and for selecting responses.


#: The media types of HTML documents.
HTML = PAGE_TYPES

#: The maximum size of a decoded body that is processed, in bytes.
MAX_SIZE = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a hook. Raises InvalidBase, InvalidOption and UnknownSpec."""

    options: Options = DEFAULT_OPTIONS
    """The options for resolving and rewriting links."""
    max_size: int = MAX_SIZE
    """The maximum size of a decoded body that is processed, in bytes."""
    media_types: frozenset[str] = HTML
    """The media types of the responses that are processed, in lower case."""
    default_base: str | None = None
    """The base URL to use if nothing else gives one."""

    def __post_init__(self) -> None:
        check_fields(self)
        validate(Envelope(default=self.default_base), self.options)


class SettingFields(OptionFields, total=False):
    """The fields of `Settings` as keywords of a function, with the fields of `Options` instead of `options`."""

    max_size: int
    """See `Settings.max_size`."""
    media_types: Collection[str]
    """See `Settings.media_types`."""
    default_base: str | None
    """See `Settings.default_base`."""


#: The settings of a hook without arguments.
DEFAULT_SETTINGS = Settings()

#: The keywords of hooks, besides the fields of `Options`.
_KEYWORDS = tuple(name for name in Settings.__annotations__ if name != "options")


def settings(
    *,
    max_size: int = MAX_SIZE,
    media_types: Collection[str] = HTML,
    default_base: str | None = None,
    **options: Unpack[OptionFields],
) -> Settings:
    """Make `Settings` from a hook's keywords (`SettingFields`). Raises the errors of `Settings`."""
    check("media_types", media_types)  # before a string becomes a set of its characters
    return Settings(
        options=make_options(options, _KEYWORDS),
        max_size=max_size,
        media_types=frozenset(media_types),
        default_base=default_base,
    )


def with_scripting(options: Options, *, on: bool) -> Options:
    """The options for a client in which scripts run or not, unless the caller set `scripting`."""
    return options if options.scripting is not None else replace(options, scripting="on" if on else "off")


#: Header fields that describe the original body. The client may still send its ETag to the server.
_STALE = BODY_HEADERS.keys() - {"etag"}

#: The Python codecs that remove a byte order mark, by the encoding's name.
_WITHOUT_MARK = {"utf-8": "utf-8-sig", "utf-16le": "utf-16", "utf-16be": "utf-16"}

#: Header fields that look like a base URL but are not, each with the reason.
_NOT_BASES = {
    "content-location": "Content-Location does not set a base in HTTP (RFC 9110 §8.7)",
    "content-base": "HTTP has removed Content-Base (RFC 2616 §19.6.3)",
    "base": "HTTP has no Base field",
}


#: The header fields that hooks ask for by name. Those of a response are gone through once, and the others left out,
#: since the time of a small page shows it.
FieldName = Literal[
    "cache-control",
    "content-encoding",
    "content-length",
    "content-range",
    "content-security-policy",
    "content-type",
    "x-content-type-options",
]

_READ = frozenset(get_args(FieldName)) | HTTP_FIELDS | _NOT_BASES.keys()


@dataclass(slots=True)  # not frozen: making frozen objects takes more than twice the time
class Response:
    """A response as a client received it."""

    body: bytes
    """The body, content codings decoded."""
    url: str | None
    """The URL, after redirects."""
    headers: tuple[tuple[str, str], ...] = ()
    """The header fields as pairs of name and value; names may be repeated."""
    history: tuple[str, ...] = ()
    """The URLs before the redirects, oldest first."""
    coded: bool = False
    """Whether the client left a content coding in the body (RFC 9110 §8.4)."""
    fields: dict[str, list[str]] = field(init=False, repr=False, compare=False)
    """The values of the header fields in `_READ` by their names, in lower case."""
    lasting: list[tuple[str, str]] = field(init=False, repr=False, compare=False)
    """The header fields that do not describe the original body."""

    def __post_init__(self) -> None:
        fields: dict[str, list[str]] = {}
        lasting = []
        for pair in self.headers:
            name, value = pair
            name = name.lower()
            if name in _READ:
                fields.setdefault(name, []).append(value)
            if name not in _STALE:
                lasting.append(pair)
        self.fields, self.lasting = fields, lasting

    def values(self, name: FieldName) -> list[str]:
        """The values of all header fields with a name. `name`: the name, in lower case."""
        return self.fields.get(name, [])

    def header(self, name: FieldName) -> str:
        """The last value of a header field, or "". `name`: the field's name, in lower case."""
        return self.fields[name][-1] if name in self.fields else ""

    @property
    def has_coding(self) -> bool:
        """Whether the client left a real content coding in the body: `none` and `utf-8` are not content codings."""
        if not self.coded:
            return False
        codings = [name.strip().lower() for value in self.values("content-encoding") for name in value.split(",")]
        return not codings or any(map(is_content_coding, codings))

    def renewed_headers(self, length: int) -> tuple[tuple[str, str], ...]:
        """The header fields of the response with another body, decoded and `length` bytes long."""
        return (*self.lasting, ("Content-Length", str(length)))


@dataclass(kw_only=True)  # not frozen: making frozen objects takes more than twice the time
class Inspection:
    """The findings of a hook in a page."""

    rewritten: int = 0
    """The number of references whose text changed."""
    problems: tuple[Problem, ...] = ()
    """The problems of the response and of the document."""
    left_alone: str = ""
    """The code of the problem that kept the page from being processed, or ""."""
    document: Document[bytes] | Document[str] | None = field(default=None, repr=False)
    """The page as it was received; None if it was not processed."""

    @cached_property
    def links(self) -> list[Link]:
        """The links of the page as it was received, in document order."""
        return self.document.links if self.document else []

    @property
    def base(self) -> Base | None:
        """The page's base URL, with all rejected candidates; None if the page was not processed."""
        return self.document.base if self.document else None

    @property
    def encoding(self) -> str | None:
        """The page's encoding, in which its queries are encoded: a name of the Encoding standard."""
        return self.document.encoding.name if self.document else None


@dataclass
class Outcome(Inspection):
    """The result of a hook for one response."""

    body: bytes = field(repr=False)
    """The body with absolute links; the same object as received if nothing changed."""
    headers: tuple[tuple[str, str], ...]
    """The header fields that match `body`. With the option `header_fields`, their URLs are absolute."""
    received: Response | None = field(default=None, repr=False, compare=False)
    """The response as the client received it; None if there was none."""
    settings: Settings = field(default=DEFAULT_SETTINGS, repr=False, compare=False)
    """The settings of the hook."""

    @cached_property
    def header_links(self) -> list[Link]:
        """The links in the header fields as they were received: Link, Location, Refresh, Content-Location, URI.

        They are resolved against the response's URL, whatever BASE elements the page has (RFC 8288 §3.2, RFC 9110
        §10.2.2). `line` is the number of the field, from 1.
        """
        document = _header_document(self.received, self.settings) if self.received else None
        return document.links if document else []

    @property
    def declared_codec(self) -> str:
        """Python's codec for the encoding that the page itself declares, if its Content-Type has no charset; else "".

        A byte order mark takes precedence over the Content-Type (Encoding §6), and is not part of the text.
        """
        if self.document is None or self.left_alone:
            return ""
        encoding = self.document.encoding
        if encoding.bom:
            return _WITHOUT_MARK[encoding.name]
        return "" if encoding.source in {"default", "transport"} else encoding.codec


def absolutize(response: Response, settings: Settings = DEFAULT_SETTINGS) -> Outcome:
    """Make the links of a response's body absolute. No server can make it raise."""
    try:
        outcome = _absolutize(response, settings)
        if settings.options.header_fields:
            outcome = replace(outcome, headers=absolute_fields(outcome.headers, response, settings))
    except Exception as error:  # noqa: BLE001 - no page may end a crawl, not even by a fault of linkfix
        log_failure(response.url)
        return _leave_unprocessed(response, settings, "hook-failed", type(error).__name__)
    log_problems(response.url, outcome.problems)
    return outcome


def mime_type(value: str) -> tuple[str, str | None]:
    """The media type ("" if none) and charset of a Content-Type, which may be a list (Fetch "extract a MIME type")."""
    found = extract_mime_type([value])
    return found.essence, found.charset


def leave_alone(response: Response, settings: Settings, code: str, detail: str) -> Outcome:
    """Log a problem, and return the outcome of a response that it keeps from being processed."""
    outcome = _leave_unprocessed(response, settings, code, detail)
    log_problems(response.url, outcome.problems)
    return outcome


def unprocessed(response: Response, settings: Settings) -> Outcome:
    """The outcome of a response that is no page, or a redirect: its body and headers stay as they are."""
    return Outcome(response.body, response.headers, response, settings)


def _absolutize(response: Response, settings: Settings) -> Outcome:
    if not response.body:  # such as in a response to HEAD: not even a BASE can be inserted
        return unprocessed(response, settings)
    type_ = declared_type(response.values)
    media_type = type_.media_type(response.body)
    if media_type not in settings.media_types:
        if media_type in FEED_TYPES:
            log_once("hook-feed", response.url)
        return unprocessed(response, settings)
    if response.has_coding:
        return _leave_unprocessed(response, settings, "response-coded", repr(response.header("content-encoding")))
    if response.header("content-range"):
        return _leave_unprocessed(response, settings, "response-partial", response.header("content-range"))
    if len(response.body) > settings.max_size:
        return _leave_unprocessed(response, settings, "too-large", f"{len(response.body):,} bytes")
    if media_type == "text/html" and (format_ := _other_format(response.body)):
        return _leave_unprocessed(response, settings, "not-html", format_)
    problems: list[Problem] = []
    charset = type_.own.charset
    if charset is not None and get_encoding(charset) is None:
        problems.append(_problem("charset-unknown", f"{charset!r} of the Content-Type is ignored"))
        charset = None
    envelope = _envelope(response, media_type, charset, settings, problems)
    document = Document.of_checked(response.body, envelope, settings.options)
    conversion = document.convert()
    body = conversion.data
    headers = response.headers if body is response.body else response.renewed_headers(len(body))
    return Outcome(
        body,
        headers,
        response,
        settings,
        rewritten=conversion.rewritten,
        problems=(*problems, *conversion.problems),
        left_alone=document.source.fault,
        document=document,
    )


def _envelope(
    response: Response, media_type: str, charset: str | None, settings: Settings, problems: list[Problem]
) -> Envelope:
    url = _base_of(response.url, resolver_of(settings.options))
    is_plain = not response.history and _NOT_BASES.keys().isdisjoint(response.fields)  # as most are
    if url is None:
        problems.append(_problem("response-url", repr(response.url or "")))
    return Envelope(
        url,
        charset,
        media_type,
        default=settings.default_base,
        rejected=() if is_plain else _rejected(response),
        where="the response's URL" if url else "",
        content_security_policy=", ".join(response.values("content-security-policy")) or None,  # RFC 9110 §5.3
    )


def _rejected(response: Response) -> tuple[Candidate, ...]:
    """The URLs of a response that are not its base."""
    found = []
    for number, url in enumerate(response.history, 1):
        where, reason = f"redirect {number} of {len(response.history)}", "the last URL is used (RFC 1808 §3.3)"
        found.append(Candidate(Layer.RETRIEVAL, without_credentials(url), where, reason))
    for name, value in response.headers:
        reason = _NOT_BASES.get(name.lower(), "")
        if reason:
            found.append(Candidate(Layer.ENCAPSULATING, value, f"{name} of the response", reason))
    return tuple(found)


def _base_of(url: str | None, resolver: Resolver) -> str | None:
    url = url and without_credentials(url)
    return url if url and as_base(url, resolver) else None


def _other_format(body: bytes) -> str:
    """The format of a body that is not HTML; "" for HTML, and for a body that looks like it."""
    if body.startswith(b"<"):  # most pages
        return ""
    head = body[:HEADER]
    if binary_type(head):
        return f"it begins with {head[:8]!r}"
    return "it is JSON" if is_json(head) else ""


def _problem(code: str, detail: str) -> Problem:
    return Problem(code, f"{PROBLEMS[code]}: {detail}", 0, 1, 1)


def _leave_unprocessed(response: Response, settings: Settings, code: str, detail: str) -> Outcome:
    problems = (_problem(code, detail),)
    return Outcome(response.body, response.headers, response, settings, problems=problems, left_alone=code)


# The header fields of responses that have URLs: see `HTTP_FIELDS`.


def _header_document(response: Response, settings: Settings) -> Document[bytes] | None:
    """The header of a response as a document with one line for each field; None if no field has URLs."""
    if HTTP_FIELDS.isdisjoint(response.fields):
        return None
    # A field without URLs is a line too, so that the lines count the fields.
    lines = [_line(name, value) if name.lower() in HTTP_FIELDS else "-:" for name, value in response.headers]
    data = "\n".join(lines).encode(_codec(lines), "surrogateescape")
    url = _base_of(response.url, resolver_of(settings.options))
    envelope = Envelope(url, media_type=HTTP_HEADER_TYPE, default=settings.default_base)
    return Document.of_checked(data, envelope, settings.options)


def _line(name: str, value: str) -> str:
    return f"{name}:{value}".replace("\r", " ").replace("\n", " ")


def _codec(lines: Iterable[str]) -> str:
    """The codec that turns decoded header fields into their bytes: most clients decode them as Latin-1."""
    return "latin-1" if all(max(line) < "\u0100" for line in lines) else "utf-8"


def absolute_fields(
    headers: tuple[tuple[str, str], ...],
    response: Response,
    settings: Settings,
    convert: Callable[[Document[bytes]], bytes] = Document.absolutize,
) -> tuple[tuple[str, str], ...]:
    """The header fields `headers` of a response, with absolute URLs; the same object if none changes.

    `convert(document)` returns the new lines of the fields.
    """
    document = _header_document(replace(response, headers=headers), settings)
    if document is None:
        return headers
    old, new = document.source.data.split(b"\n"), convert(document).split(b"\n")
    if old == new:
        return headers
    codec = _codec(_line(name, value) for name, value in headers if name.lower() in HTTP_FIELDS)
    return tuple(
        # a field with URLs has a name in ASCII
        (name, value if before == after else after[len(name) + 1 :].decode(codec, "surrogateescape"))
        for (name, value), before, after in zip(headers, old, new, strict=True)
    )


# Errors for arguments that belong to another hook, or to none.


#: A library's package -> the way to make its links absolute.
_MEANT = {
    "aiohttp": "aiohttp.ClientSession(middlewares=(linkfix.hooks.aiohttp.absolutize,))",
    "bs4": "linkfix.hooks.bs4.absolutize",
    "httpx": "linkfix.hooks.httpx.install",
    "httpx2": "linkfix.hooks.httpx2.install",
    "lxml": "linkfix.hooks.lxml.absolutize",
    "parsel": "linkfix.hooks.parsel.absolutize",
    "playwright": "linkfix.hooks.playwright.absolutize",
    "requests": "linkfix.hooks.requests.install",
    "scrapy": "linkfix.hooks.scrapy.LinkfixAddon",
    "selectolax": "linkfix.hooks.selectolax.absolutize",
}

#: The maximum length of a wrong value in a message, in characters.
_SHOWN = 80


def library_of(value: object) -> str:
    """The library in `_MEANT` that a value's class (or the class itself) comes from, or ""."""
    return _library(value if isinstance(value, type) else type(value))


@lru_cache(maxsize=64)
def _library(kind: type) -> str:
    packages = (base.__module__.partition(".")[0] for base in kind.__mro__)
    return next((package for package in packages if package in _MEANT), "")


def wrong_argument(call: str, expected: str, value: object, meant: str | None = None, example: str = "") -> TypeError:
    """The error for an argument of a wrong type.

    `call`: the function. `expected`: the valid arguments, in words. `value`: the wrong argument. `meant`: the right way
    for this value; None: the entry of the value's library. `example`: a valid argument as code.
    """
    kind = value if isinstance(value, type) else type(value)
    is_class, is_module = kind is value, False
    if isinstance(value, ModuleType):
        is_module = True
        given = f"the module {value.__name__}"
    elif kind.__module__ == "builtins" and not is_class:
        given = f"{kind.__name__} {excerpt(repr(value), _SHOWN)}"
    else:
        given = f"{'the class ' if is_class else ''}{kind.__module__}.{kind.__qualname__}"
    library = library_of(value)
    if meant is None:
        meant = _MEANT.get(library, "")
    advice = f": use {meant}"
    if is_module or meant in {call, ""} or (is_class and call.startswith(f"linkfix.hooks.{library}.")):
        such = f", such as {example}" if example else ""
        advice = f": pass an object of that class{such}" if is_module or is_class or such else ""
    return TypeError(f"{call}() takes {expected}, not {given}{advice}")
