"""What all clients have alike: a response becomes a document in its envelope, and that an outcome. Nothing raises here
for what a server sent: what cannot be done is logged under `linkfix.hooks`, and the response passes as it is.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Unpack

from linkfix.display import visible
from linkfix.document.base import check, usable
from linkfix.document.document import Document
from linkfix.document.linker import resolver_of
from linkfix.encodings.codecs import get_encoding
from linkfix.errors import InvalidOption
from linkfix.files.media_types import RESOURCE_HEADER, content_type, sniff_html
from linkfix.html.vocabulary import row_index
from linkfix.model import (
    DOCUMENT_KINDS,
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
)
from linkfix.resolvers import Resolver

__all__ = [
    "HTML",
    "MAX_SIZE",
    "Inspection",
    "Outcome",
    "Response",
    "SettingFields",
    "Settings",
    "absolutize",
    "consistent",
    "failed",
    "left_alone",
    "mime_type",
    "seen_before",
    "settings",
    "tell",
]

_LOG = logging.getLogger("linkfix.hooks")
#: The codes of problems that are no page's, once they were logged as warnings.
_warned: set[str] = set()

#: The media types of HTML documents.
HTML = PAGE_TYPES
#: The largest body that is looked at, decoded, in bytes.
MAX_SIZE = 64 << 20

#: MIME Sniffing §6, §7: how formats begin that some servers send as HTML: PDF, PostScript, GIF, PNG, JPEG, RIFF, Ogg,
#: MP3, WebM; WOFF, WOFF 2, OpenType, TrueType, icons; ZIP, RAR, gzip, zstd.
_MAGIC = tuple(
    bytes.fromhex(signature)
    for signature in (
        *("255044462d", "25215053", "47494638", "89504e47", "ffd8ff", "52494646", "4f676753", "494433", "1a45dfa3"),
        *("774f4646", "774f4632", "4f54544f", "00010000", "00000100", "504b0304", "52617221", "1f8b08", "28b52ffd"),
    )
)
_CREDENTIALS = re.compile(r"\A([A-Za-z][A-Za-z0-9+.-]*:[/\\]{2})[^/?#\\]*@")
#: RFC 9110 §8.3.1, as far as it matters: two tokens.
_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+")
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?[\t\n\r ]*+[\[{]")
#: Fields of bytes that are not those of the body any more (RFC 9110 §8.4, RFC 9112 §6.1, RFC 9530, RFC 1864).
_STALE = frozenset(
    {
        "content-encoding",
        "content-length",
        "transfer-encoding",
        "content-digest",
        "repr-digest",
        "digest",
        "content-md5",
    }
)
#: Problems of a document's references: common, and of interest to who looks for them.
_COMMON = frozenset(
    {"unresolvable", "template-syntax", "srcset-descriptor", "css-bad-url", "json-syntax", "undecodable"}
)
#: The Python codecs that take a byte order mark off the text.
_WITHOUT_MARK = {"utf-8": "utf-8-sig", "utf-16le": "utf-16", "utf-16be": "utf-16"}
#: Fields that look like a base, and set none.
_NO_BASES = {
    "content-location": "HTTP's Content-Location sets no base (RFC 9110 §8.7)",
    "content-base": "HTTP has no Content-Base any more (RFC 2616 §19.6.3)",
    "base": "HTTP never had a Base",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a hook does: how links are resolved and what is rewritten (`options`), and which responses are looked at.

    `max_size`: the largest body, in bytes after decoding. `media_types`: those whose responses are looked at, lower
    case. `default_base`: the base of last resort. Raises InvalidBase, InvalidOption and UnknownSpec.
    """

    options: Options = field(default=Options())
    max_size: int = MAX_SIZE
    media_types: frozenset[str] = HTML
    default_base: str | None = None

    def __post_init__(self) -> None:
        resolver = resolver_of(self.options)
        row_index(self.options)
        if self.default_base is not None:
            check(self.default_base, resolver)
        for media_type in sorted(self.media_types - DOCUMENT_KINDS.keys()):
            message = f"media type {media_type!r}: linkfix reads {', '.join(DOCUMENT_KINDS)}"
            raise InvalidOption(message)


class SettingFields(OptionFields, total=False):
    """The fields of `Settings`, with those of `Options` in the place of `options`, as keywords of a function."""

    max_size: int
    media_types: Collection[str]
    default_base: str | None


def settings(
    *,
    max_size: int = MAX_SIZE,
    media_types: Collection[str] = HTML,
    default_base: str | None = None,
    **options: Unpack[OptionFields],
) -> Settings:
    """Makes `Settings` of the keywords that a hook was given (`SettingFields`). Raises what `Settings` raises."""
    return Settings(
        options=Options(**options), max_size=max_size, media_types=frozenset(media_types), default_base=default_base
    )


@dataclass(frozen=True, slots=True)
class Response:
    """What a client got. `body`: its bytes, content codings undone. `url`: the last one of the redirects.

    `headers`: names and values, a name as often as it was sent. `history`: the URLs before `url`, oldest first.
    `coded`: a content coding is left, which the client did not undo (RFC 9110 §8.4).
    """

    body: bytes
    url: str | None
    headers: tuple[tuple[str, str], ...] = ()
    history: tuple[str, ...] = ()
    coded: bool = False

    def header(self, name: str) -> str:
        """The last value of that name (lower case), "" for none."""
        return next((value for given, value in reversed(self.headers) if given.lower() == name), "")


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """What a hook found in a page.

    `rewritten`: references whose text changed. `problems`: what is wrong with the response or the document.
    `left_alone`: the code of the problem for which the page was not looked at, or "". `document`: the page as it was
    received, None where it was not looked at.
    """

    rewritten: int = 0
    problems: tuple[Problem, ...] = ()
    left_alone: str = ""
    document: Document | None = field(default=None, repr=False)

    @cached_property
    def links(self) -> list[Link]:
        """Every link of the page, as it was received, in document order."""
        return self.document.links if self.document else []

    @property
    def base(self) -> Base | None:
        """The page's base URL, with every candidate that lost; None where the page was not looked at."""
        return self.document.base if self.document else None

    @property
    def encoding(self) -> str | None:
        """What the page was decoded from, and its queries are written in: a name of the Encoding standard."""
        return self.document.encoding.name if self.document else None


@dataclass(frozen=True)
class Outcome(Inspection):
    """What became of a response.

    `body`: with absolute links; the same object as came in where nothing was changed. `headers`: those that fit it.
    """

    body: bytes = field(repr=False)
    headers: tuple[tuple[str, str], ...]

    @property
    def declared_codec(self) -> str:
        """Python's codec for the encoding that the page itself declares, where its Content-Type has none; else "".

        A byte order mark comes before the Content-Type (Encoding §6), and is no part of the text.
        """
        if self.document is None or self.left_alone:
            return ""
        encoding = self.document.encoding
        if encoding.bom:
            return _WITHOUT_MARK[encoding.name]
        return "" if encoding.source in {"default", "transport"} else encoding.codec


def absolutize(response: Response, settings: Settings = Settings()) -> Outcome:
    """The response's body with absolute links. Never raises for what a server can send."""
    try:
        outcome = _absolutize(response, settings)
    except Exception as error:  # noqa: BLE001 - a crawl must not die of a page, whatever is wrong with linkfix
        failed(response.url)
        return _left_alone(response, "hook-failed", type(error).__name__)
    tell(response.url, outcome.problems)
    return outcome


def mime_type(value: str) -> tuple[str, str | None]:
    """The media type and charset of a Content-Type, also of several in one (Fetch §2.2.2 "extract a MIME type")."""
    media_type, charset = "", None
    for one in value.split(","):
        found, label = content_type(one)
        if _MEDIA_TYPE.fullmatch(found):
            charset = label or (charset if found == media_type else None)
            media_type = found
    return media_type, charset


def consistent(headers: Iterable[tuple[str, str]], length: int) -> tuple[tuple[str, str], ...]:
    """The headers of a response whose body was decoded and changed, and is `length` bytes long now."""
    kept = tuple((name, value) for name, value in headers if name.lower() not in _STALE)
    return (*kept, ("Content-Length", str(length)))


def left_alone(response: Response, code: str, particular: str) -> Outcome:
    """The outcome of a response that cannot be looked at. Logs the problem: its code, and the particular."""
    outcome = _left_alone(response, code, particular)
    tell(response.url, outcome.problems)
    return outcome


def tell(url: str | None, problems: Iterable[Problem]) -> None:
    """Logs the problems of a response: one line for each, and never a control character from outside."""
    for problem in problems:
        level = logging.INFO if problem.code in _COMMON else logging.WARNING
        if _LOG.isEnabledFor(level):
            place = _shown(url)
            _LOG.log(
                level, "%s:%d:%d: %s [%s]", place, problem.line, problem.column, visible(problem.message), problem.code
            )


def failed(url: str | None) -> None:
    """Logs the exception that is being handled: the hook's own fault."""
    _LOG.exception("%s: %s", _shown(url), PROBLEMS["hook-failed"])


def seen_before(url: str | None) -> None:
    """Logs that a hook met a response which a hook has seen: a warning the first time in a process, then for debugging.

    `url`: the response's.
    """
    level = logging.DEBUG if "hook-twice" in _warned else logging.WARNING
    _warned.add("hook-twice")
    _LOG.log(level, "%s: %s [hook-twice]", _shown(url), PROBLEMS["hook-twice"])


def _shown(url: str | None) -> str:
    """A response's URL as a log may have it."""
    return visible(_without_credentials(url)) if url else "(no URL)"


def _without_credentials(url: str) -> str:
    """Names and passwords have no place in what is logged, kept or passed on."""
    return _CREDENTIALS.sub(r"\1", url)


def _absolutize(response: Response, settings: Settings) -> Outcome:
    media_type, charset = mime_type(response.header("content-type"))
    if not response.body:  # as that of an answer to HEAD: there is nothing to put a BASE into
        return Outcome(response.body, response.headers)
    if not media_type:
        media_type = sniff_html(response.body[:RESOURCE_HEADER]) or ""
    if media_type not in settings.media_types:
        return Outcome(response.body, response.headers)
    if response.coded:
        return _left_alone(response, "response-coded", repr(response.header("content-encoding")))
    if response.header("content-range"):
        return _left_alone(response, "response-partial", response.header("content-range"))
    if len(response.body) > settings.max_size:
        return _left_alone(response, "too-large", f"{len(response.body):,} bytes")
    if media_type == "text/html" and (format_ := _other_format(response.body)):
        return _left_alone(response, "not-html", format_)
    noted: list[Problem] = []
    if charset is not None and get_encoding(charset.encode("utf-8", "replace")) is None:
        noted.append(_problem("charset-unknown", f"the Content-Type's {charset!r}; as if it said nothing"))
        charset = None
    envelope = _envelope(response, media_type, charset, settings, noted)
    document = Document(response.body, envelope=envelope, options=settings.options)
    conversion = document.convert()
    body = response.body if conversion.data is response.body else bytes(conversion.data)  # type: ignore[arg-type]
    headers = response.headers if body is response.body else consistent(response.headers, len(body))
    problems = (*noted, *conversion.problems)
    return Outcome(
        body,
        headers,
        rewritten=conversion.rewritten,
        problems=problems,
        left_alone=document.source.fault,
        document=document,
    )


def _envelope(
    response: Response, media_type: str, charset: str | None, settings: Settings, noted: list[Problem]
) -> Envelope:
    resolver = resolver_of(settings.options)
    url = _own_url(response.url, resolver)
    if url is None:
        noted.append(_problem("response-url", repr(response.url or "")))
    hops = len(response.history)
    rejected = [
        Candidate(
            Layer.RETRIEVAL,
            _without_credentials(before),
            f"redirect {number} of {hops}",
            "the last URL counts (RFC 1808 §3.3)",
        )
        for number, before in enumerate(response.history, 1)
    ]
    for name, value in response.headers:
        reason = _NO_BASES.get(name.lower())
        if reason:
            rejected.append(Candidate(Layer.ENCAPSULATING, value, f"{name} of the response", reason))
    return Envelope(
        url,
        charset,
        media_type,
        default=settings.default_base,
        rejected=tuple(rejected),
        where="the response's URL" if url else "",
    )


def _own_url(url: str | None, resolver: Resolver) -> str | None:
    url = url and _without_credentials(url)
    return url if url and usable(url, resolver) else None


def _other_format(body: bytes) -> str:
    """What a body is that is no HTML, in a word; "" for HTML, and for what cannot be told from it."""
    if body.startswith(_MAGIC):
        return f"it begins with {body[:8]!r}"
    if _JSON.match(body):
        try:
            json.loads(body)
        except (ValueError, RecursionError):
            return ""
        return "it is JSON"
    return ""


def _problem(code: str, particular: str) -> Problem:
    return Problem(code, f"{PROBLEMS[code]}: {particular}", 0, 1, 1)


def _left_alone(response: Response, code: str, particular: str) -> Outcome:
    return Outcome(response.body, response.headers, problems=(_problem(code, particular),), left_alone=code)
