"""The common part of all hooks for clients: from a response to a document with its envelope, and to an outcome.

Nothing that a server sends makes this raise: problems are logged under `linkfix.hooks`, and a response that cannot be
processed is left alone.
"""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Unpack

from linkfix.constraints import check, check_fields
from linkfix.containers.http_body import BODY_HEADERS, is_content_coding
from linkfix.display import MESSAGE_LENGTH, clip, visible_line
from linkfix.document.base import as_base
from linkfix.document.decide import resolver_of
from linkfix.document.document import Document
from linkfix.document.validation import validate
from linkfix.encodings.encoding import get_encoding
from linkfix.files.media_types import HEADER, declared_type, extract_mime_type
from linkfix.model import PAGE_TYPES, PROBLEMS, Base, Candidate, Envelope, Layer, Link, OptionFields, Options, Problem
from linkfix.resolvers import Resolver
from linkfix.urls import hide_passwords, without_credentials

__all__ = [
    "HTML",
    "MAX_SIZE",
    "Inspection",
    "Outcome",
    "Response",
    "SettingFields",
    "Settings",
    "absolutize",
    "leave_alone",
    "mime_type",
    "renew_headers",
    "settings",
]


# What hooks log, under `linkfix.hooks`: problems of responses, and failures of linkfix itself.
#
# Log lines have no control characters from outside, and no credentials of URLs.


_LOG = logging.getLogger("linkfix.hooks")

#: The codes of problems that are warned of once in a process.
_warned: set[str] = set()

#: Problems of single references, or of how a page is written: common, and therefore logged as information only.
_COMMON = frozenset(
    {
        "unresolvable",
        "template-syntax",
        "srcset-descriptor",
        "css-bad-url",
        "json-syntax",
        "import-map-key",
        "undecodable",
        "charset-late",
    }
)

#: Problems of a page that each of its references has: the first one is logged, with how many there are.
_ONCE = frozenset({"no-base"})


def log_problems(url: str | None, problems: Iterable[Problem]) -> None:
    """Log the problems of the response from a URL, one line each; one of `_ONCE` once, whatever its number."""
    problems = tuple(problems)
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
    """Log a problem of how a hook is used: a warning once in a process, then a debug message."""
    level = logging.DEBUG if code in _warned else logging.WARNING
    _warned.add(code)
    place = f"{_display_url(url)}: " if url else ""
    _LOG.log(level, "%s%s [%s]", place, PROBLEMS[code], code)


def _display_url(url: str | None) -> str:
    return visible_line(hide_passwords(without_credentials(url))) if url else "(no URL)"


# The settings of a hook: how links are resolved, what is rewritten, and which responses are processed.


#: The media types of HTML documents.
HTML = PAGE_TYPES

#: The largest body that is processed, decoded, in bytes.
MAX_SIZE = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a hook. Raises InvalidBase, InvalidOption and UnknownSpec."""

    options: Options = field(default=Options())
    """How links are resolved, and what is rewritten."""
    max_size: int = MAX_SIZE
    """The largest body that is processed, decoded, in bytes."""
    media_types: frozenset[str] = HTML
    """The media types of the responses that are processed, in lower case."""
    default_base: str | None = None
    """The base URL to use if nothing else gives one."""

    def __post_init__(self) -> None:
        check_fields(self)
        validate(Envelope(default=self.default_base), self.options)


class SettingFields(OptionFields, total=False):
    """The fields of `Settings` as keywords of a function, with those of `Options` instead of `options`."""

    max_size: int
    """See `Settings.max_size`."""
    media_types: Collection[str]
    """See `Settings.media_types`."""
    default_base: str | None
    """See `Settings.default_base`."""


def settings(
    *,
    max_size: int = MAX_SIZE,
    media_types: Collection[str] = HTML,
    default_base: str | None = None,
    **options: Unpack[OptionFields],
) -> Settings:
    """Make `Settings` of the keywords given to a hook (`SettingFields`). Raises what `Settings` raises."""
    check("media_types", media_types)  # before a string becomes a set of its characters
    return Settings(
        options=Options(**options), max_size=max_size, media_types=frozenset(media_types), default_base=default_base
    )


def with_scripting(options: Options, *, on: bool) -> Options:
    """The options for a client in which scripts run or not, unless the caller said which of the two is meant."""
    return options if options.scripting is not None else replace(options, scripting="on" if on else "off")


#: MIME Sniffing §6, §7: the first bytes of formats that some servers send as HTML: PDF, PostScript, GIF, PNG, JPEG,
#: RIFF, Ogg, MP3, WebM; WOFF, WOFF 2, OpenType, TrueType, icons; ZIP, RAR, gzip, zstd.
_MAGIC = tuple(
    bytes.fromhex(signature)
    for signature in (
        *("255044462d", "25215053", "47494638", "89504e47", "ffd8ff", "52494646", "4f676753", "494433", "1a45dfa3"),
        *("774f4646", "774f4632", "4f54544f", "00010000", "00000100", "504b0304", "52617221", "1f8b08", "28b52ffd"),
    )
)

_JSON = re.compile(rb"(?:\xef\xbb\xbf)?[\t\n\r ]*+[\[{]")

#: Header fields that describe the original body. The client may still send its ETag to the server.
_STALE = BODY_HEADERS.keys() - {"etag"}

#: The Python codecs that remove a byte order mark.
_WITHOUT_MARK = {"utf-8": "utf-8-sig", "utf-16le": "utf-16", "utf-16be": "utf-16"}

#: Header fields that look like a base URL and are not one.
_NOT_BASES = {
    "content-location": "HTTP's Content-Location sets no base (RFC 9110 §8.7)",
    "content-base": "HTTP has removed Content-Base (RFC 2616 §19.6.3)",
    "base": "HTTP has no Base field",
}


@dataclass(frozen=True, slots=True)
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

    def header(self, name: str) -> str:
        """The last value of a header field, named in lower case; "" for none."""
        return next((value for given, value in reversed(self.headers) if given.lower() == name), "")

    def values(self, name: str) -> list[str]:
        """The values of all header fields of a name, in lower case."""
        return [value for given, value in self.headers if given.lower() == name]

    @property
    def has_coding(self) -> bool:
        """Whether the client left a content coding that exists: `none` and `utf-8` do not, and mean nothing."""
        if not self.coded:
            return False
        codings = [name.strip().lower() for value in self.values("content-encoding") for name in value.split(",")]
        return not codings or any(map(is_content_coding, codings))


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """What a hook found in a page."""

    rewritten: int = 0
    """The number of references whose text changed."""
    problems: tuple[Problem, ...] = ()
    """The problems of the response and of the document."""
    left_alone: str = ""
    """The code of the problem because of which the page was not processed, or ""."""
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
        """The page's encoding, which its queries are written in: a name of the Encoding standard."""
        return self.document.encoding.name if self.document else None


@dataclass(frozen=True)
class Outcome(Inspection):
    """The result of a hook for one response."""

    body: bytes = field(repr=False)
    """The body with absolute links; the very object that was received if nothing changed."""
    headers: tuple[tuple[str, str], ...]
    """The header fields that fit `body`."""

    @property
    def declared_codec(self) -> str:
        """Python's codec for the encoding that the page itself declares if its Content-Type has none; else "".

        A byte order mark takes precedence over the Content-Type (Encoding §6), and is not part of the text.
        """
        if self.document is None or self.left_alone:
            return ""
        encoding = self.document.encoding
        if encoding.bom:
            return _WITHOUT_MARK[encoding.name]
        return "" if encoding.source in {"default", "transport"} else encoding.codec


#: The settings of a hook without arguments.
_DEFAULT = Settings()


def absolutize(response: Response, settings: Settings = _DEFAULT) -> Outcome:
    """Make the links of a response's body absolute. Nothing that a server can send makes it raise."""
    try:
        outcome = _absolutize(response, settings)
    except Exception as error:  # noqa: BLE001 - no page may end a crawl, not even by a fault of linkfix
        log_failure(response.url)
        return _leave_unprocessed(response, "hook-failed", type(error).__name__)
    log_problems(response.url, outcome.problems)
    return outcome


def mime_type(value: str) -> tuple[str, str | None]:
    """The media type, "" for none, and charset of a Content-Type, which may be a list (Fetch "extract a MIME type")."""
    found = extract_mime_type([value])
    return found.essence, found.charset


def renew_headers(headers: Iterable[tuple[str, str]], length: int) -> tuple[tuple[str, str], ...]:
    """The header fields of a response whose body was decoded and changed, and is now `length` bytes long."""
    kept = tuple((name, value) for name, value in headers if name.lower() not in _STALE)
    return (*kept, ("Content-Length", str(length)))


def leave_alone(response: Response, code: str, detail: str) -> Outcome:
    """The outcome of a response that cannot be processed because of a problem, which is logged."""
    outcome = _leave_unprocessed(response, code, detail)
    log_problems(response.url, outcome.problems)
    return outcome


def _absolutize(response: Response, settings: Settings) -> Outcome:
    if not response.body:  # as in a response to HEAD: not even a BASE can be inserted
        return Outcome(response.body, response.headers)
    type_ = declared_type(response.values)
    media_type = type_.media_type(response.body[:HEADER])
    if media_type not in settings.media_types:
        return Outcome(response.body, response.headers)
    if response.has_coding:
        return _leave_unprocessed(response, "response-coded", repr(response.header("content-encoding")))
    if response.header("content-range"):
        return _leave_unprocessed(response, "response-partial", response.header("content-range"))
    if len(response.body) > settings.max_size:
        return _leave_unprocessed(response, "too-large", f"{len(response.body):,} bytes")
    if media_type == "text/html" and (format_ := _other_format(response.body)):
        return _leave_unprocessed(response, "not-html", format_)
    problems: list[Problem] = []
    charset = type_.own.charset
    if charset is not None and get_encoding(charset.encode("utf-8", "replace")) is None:
        problems.append(_problem("charset-unknown", f"{charset!r} of the Content-Type is ignored"))
        charset = None
    envelope = _envelope(response, media_type, charset, settings, problems)
    document = Document(response.body, envelope=envelope, options=settings.options)
    conversion = document.convert()
    body = conversion.data
    headers = response.headers if body is response.body else renew_headers(response.headers, len(body))
    return Outcome(
        body,
        headers,
        rewritten=conversion.rewritten,
        problems=(*problems, *conversion.problems),
        left_alone=document.source.fault,
        document=document,
    )


def _envelope(
    response: Response, media_type: str, charset: str | None, settings: Settings, problems: list[Problem]
) -> Envelope:
    resolver = resolver_of(settings.options)
    url = _base_of(response.url, resolver)
    if url is None:
        problems.append(_problem("response-url", repr(response.url or "")))
    hops = len(response.history)
    rejected = [
        Candidate(
            Layer.RETRIEVAL,
            without_credentials(redirected),
            f"redirect {number} of {hops}",
            "the last URL is used (RFC 1808 §3.3)",
        )
        for number, redirected in enumerate(response.history, 1)
    ]
    for name, value in response.headers:
        reason = _NOT_BASES.get(name.lower())
        if reason:
            rejected.append(Candidate(Layer.ENCAPSULATING, value, f"{name} of the response", reason))
    return Envelope(
        url,
        charset,
        media_type,
        default=settings.default_base,
        rejected=tuple(rejected),
        where="the response's URL" if url else "",
        content_security_policy=", ".join(response.values("content-security-policy")) or None,  # RFC 9110 §5.3
    )


def _base_of(url: str | None, resolver: Resolver) -> str | None:
    url = url and without_credentials(url)
    return url if url and as_base(url, resolver) else None


def _other_format(body: bytes) -> str:
    """The format of a body that is not HTML; "" for HTML, and for what cannot be distinguished from it."""
    if body.startswith(_MAGIC):
        return f"it begins with {body[:8]!r}"
    if _JSON.match(body):
        try:
            json.loads(body)
        except (ValueError, RecursionError):
            return ""
        return "it is JSON"
    return ""


def _problem(code: str, detail: str) -> Problem:
    return Problem(code, f"{PROBLEMS[code]}: {detail}", 0, 1, 1)


def _leave_unprocessed(response: Response, code: str, detail: str) -> Outcome:
    return Outcome(response.body, response.headers, problems=(_problem(code, detail),), left_alone=code)
