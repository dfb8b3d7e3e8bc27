"""Values of header fields: syntaxes "header-url", "header-absolute-url", "header-urls", "header-links" and
"header-refresh".

A value is text with the line ends of its folding (RFC 5322 §2.2.3). A new URL is written in ASCII, percent-encoded,
between the delimiters of the old URL.
"""

from __future__ import annotations

import binascii
import re
from bisect import bisect_right
from collections.abc import Callable
from functools import partial
from typing import NamedTuple
from urllib.parse import quote

from linkfix.encodings.encoding import codec, get_encoding
from linkfix.lazy import lazy_pattern
from linkfix.text import delimited_span
from linkfix.urls import SCHEME

from .url import Found, find_in_refresh, trim

#: ASCII white space; it is stripped from the fields of a message.
_WHITE_SPACE = " \t\n\r\v\f"
_FOLDING = lazy_pattern(r"\r?\n[ \t]")
_ANY_WHITE_SPACE = lazy_pattern(r"\s+")
#: RFC 2557 §4.2: "[CFWS]" may follow a URI; in the example of §9.5, a semicolon and words follow it.
_COMMENT = lazy_pattern(r"[ \t][;(]")
#: An encoded-word (RFC 2047 §2), with the language of RFC 2231 §5.
_ENCODED_WORD = lazy_pattern(r"=\?([^?\s*]+)(?:\*[^?\s]*)?\?([QqBb])\?([^?\s]*)\?=")
_BETWEEN_ENCODED_WORDS = lazy_pattern(r"(?<=\?=)[ \t]+(?==\?)")
_SCHEME = lazy_pattern(rf"{SCHEME}:")
#: Characters that are not allowed in a URL in a header field (RFC 3986 §2, RFC 5322 §2.2).
_UNSAFE = lazy_pattern(r"[\x00-\x20\"<>\\\x7f-\U0010ffff]")

_PREFIX = lazy_pattern(r"\s*+(?:UR[LI]:)?+\s*+", re.IGNORECASE)
_BRACKETED = lazy_pattern(r"<([^<>]*+)>")
#: Parentheses of comments, and quoted pairs in them (RFC 5322 §3.2.2).
_IN_COMMENT = lazy_pattern(r"\\.|[()]", re.DOTALL)

#: RFC 8288 Appendix B.2; members of a list may be empty (RFC 9110 §5.6.1).
_LINK_TARGET = lazy_pattern(r"[ \t\r\n,]*+<([^>]*+)>")
#: RFC 8288 Appendix B.3 and B.4: the name, and the value in quotation marks or as a token.
_LINK_PARAMETER = lazy_pattern(
    r"""[ \t\r\n]*+;[ \t\r\n]*+([^\s=;,]*+)[ \t\r\n]*+(?:=[ \t\r\n]*+(?:"((?:[^"\\]|\\.)*+)"|([^"\s;,][^;,]*+)?+))?+""",
    re.DOTALL,
)
_LINK_END = lazy_pattern(r"[ \t\r\n]*+,")
_QUOTED_PAIR = lazy_pattern(r"\\(.)", re.DOTALL)


class FieldUrl(NamedTuple):
    """A URL in the value of a field."""

    start: int
    """The start of the URL in the value."""
    end: int
    """The end of the URL in the value."""
    reference: str
    """The reference, without folding, and with its encoded-words decoded."""


def _decode_word(match: re.Match[str]) -> str:
    name = get_encoding(match[1])
    written = match[3].encode("utf-8", "replace")
    if name is None:
        return match[0]
    try:
        data = binascii.a2b_qp(written, header=True) if match[2] in "Qq" else binascii.a2b_base64(written)
    except binascii.Error:
        return match[0]
    return codec(name).decode(data)


def _decode(text: str) -> str:
    """The reference for an unfolded text: encoded-words are decoded (RFC 2557 §4.4.1), and spaces become `%20`."""
    text = _ENCODED_WORD.sub(_decode_word, text).strip()
    return text.replace("\t", "").replace("\r", "").replace("\n", "").replace(" ", "%20")


def read_url(value: str) -> FieldUrl | None:
    r"""Read the URL of a field with one URL; return None if the value is empty.

    The white space of folding is removed (RFC 2017 §3.1, RFC 2557 §4.4.2), and encoded-words are decoded (RFC 2557
    §4.4.1). The delimiters of `<URL:…>` are removed, with all white space between them (RFC 1808 §3.1; Netscape wrote
    quotation marks). Other spaces belong to the URL and become `%20`. Comments before and after the URL are removed.

    >>> read_url(" <URL:http://h/a\n b>")
    FieldUrl(start=6, end=19, reference='http://h/ab')
    >>> read_url(" a b.html ").reference
    'a%20b.html'
    """
    pieces: list[str] = []
    #: The start of each piece in the joined text and in the value.
    in_joined, in_value = [], []
    length, position = 0, _after_comments(value)
    for line in value[position:].split("\n"):
        comment = _COMMENT.search(line.rstrip(_WHITE_SPACE), 1)
        text = line[: comment.start()] if comment else line
        piece = text.strip(_WHITE_SPACE)
        if piece:
            in_joined.append(length)
            in_value.append(position + len(text) - len(text.lstrip(_WHITE_SPACE)))
            pieces.append(piece)
            length += len(piece)
        if comment:
            break
        position += len(line) + 1
    joined = "".join(pieces)
    span = delimited_span(joined)
    if span is not None:
        start, end = span
        reference = _decode(_ANY_WHITE_SPACE.sub("", joined[start:end]))
    else:
        start, end = 0, length
        reference = _decode(_BETWEEN_ENCODED_WORDS.sub("", joined))
    if not reference:
        return None

    def at(offset: int) -> int:
        number = bisect_right(in_joined, offset) - 1
        return in_value[number] + offset - in_joined[number]

    return FieldUrl(at(start), at(end - 1) + 1, reference)


def _after_comments(value: str) -> int:
    """The first possible start of a value's URL: after the comments, if white space or an angle bracket follows them.

    Otherwise the start is 0, since parentheses can begin a URL.
    """
    end = _skip(value, 0, _WHITE_SPACE)
    is_ended = value[:end].endswith(tuple(_WHITE_SPACE)) or value.startswith("<", end)
    return end if is_ended and "(" in value[:end] else 0


def _escape(url: str) -> str:
    """The URL, with characters escaped that would end it in a field or be decoded there."""
    url = _escape_unsafe(url)
    if not _ENCODED_WORD.search(url):
        return url
    path, mark, query = url.partition("?")  # no encoded-word ends with the first question mark
    return path + mark + query.replace("?=", "%3F=")


def _escape_unsafe(url: str) -> str:
    """The URL, with characters escaped that no URL has in a header field."""
    return _UNSAFE.sub(lambda character: quote(character[0], safe="", errors="replace"), url)


def find_url(text: str) -> list[Found]:
    """Find the URL of a field with one URL: Content-Location, Location."""
    read = read_url(text)
    return [] if read is None else [Found(*read, _escape)]


def find_absolute_url(text: str) -> list[Found]:
    """Find the URL of a field whose URL must be absolute: Base, Content-Base. A relative URL there has no base.

    "http:x" is relative to some bases, and a URL without a hierarchy cannot be a base.
    """
    return [_absolute(found) for found in find_url(text)]


def _absolute(found: Found) -> Found:
    scheme = _SCHEME.match(found.reference)
    if scheme is None:
        return found._replace(kind="bare", problem="no-base")
    return found if found.reference.startswith("/", scheme.end()) else found._replace(kind="bare")


def _skip(text: str, at: int, skipped: str) -> int:
    """The position after the characters `skipped` and comments (RFC 5322 §3.2.2).

    An unclosed comment extends to the end of the text.
    """
    while at < len(text):
        if text[at] == "(":
            depth = 0
            for match in _IN_COMMENT.finditer(text, at):
                depth += (match[0] == "(") - (match[0] == ")")
                if not depth:
                    at = match.end()
                    break
            else:
                return len(text)
        elif text[at] in skipped:
            at += 1
        else:
            break
    return at


def find_urls(text: str) -> list[Found]:
    """Find the URLs of a list in angle brackets: List-Help and similar fields, Archived-At, URI.

    RFC 2369 §2: white space in angle brackets is ignored. A value that begins with anything else is ignored. If no
    comma follows a URL, the rest of the value is ignored.
    """
    found: list[Found] = []
    at = 0
    while True:
        bracketed = _BRACKETED.match(text, _skip(text, at, _WHITE_SPACE + ","))
        if bracketed is None:
            return found
        start, end = bracketed.span(1)
        prefix = _PREFIX.match(text, start, end)
        start = prefix.end() if prefix else start
        end = start + len(text[start:end].rstrip())
        reference = _decode(_ANY_WHITE_SPACE.sub("", text[start:end]))
        if reference:
            found.append(Found(start, end, reference, _escape))
        at = _skip(text, bracketed.end(), _WHITE_SPACE)
        if not text.startswith(",", at):
            return found


def _link_target(text: str, start: int, end: int) -> Found:
    start, end = trim(text, start, end)
    return Found(start, end, _FOLDING.sub("", text[start:end]), _escape)


def _anchor(text: str, parameter: re.Match[str]) -> Found | None:
    """The URL of an `anchor` parameter; None if the parameter has no value."""
    quoted = parameter[2] is not None
    start, end = parameter.span(2 if quoted else 3)
    if start < 0:
        return None
    if not quoted:
        end = start + len(text[start:end].rstrip())
    reference = _FOLDING.sub("", text[start:end])
    reference = _QUOTED_PAIR.sub(r"\1", reference) if quoted else reference
    # A token cannot contain characters of absolute URLs (RFC 9110 §5.6.2).
    return Found(start, end, reference, _escape if quoted else lambda url: f'"{_escape(url)}"', role="metadata")


def find_links(text: str) -> list[Found]:
    """Find the URLs of a Link field (RFC 8288 §3): targets, and the first `anchor` parameter of each link."""
    found: list[Found] = []
    at = 0
    while (target := _LINK_TARGET.match(text, at)) is not None:
        found.append(_link_target(text, *target.span(1)))
        at = target.end()
        has_anchor = False
        while (parameter := _LINK_PARAMETER.match(text, at)) is not None:
            if parameter[1].lower() == "anchor" and not has_anchor:
                has_anchor = True
                anchor = _anchor(text, parameter)
                found += [] if anchor is None else [anchor]
            at = parameter.end()
        comma = _LINK_END.match(text, at)
        if comma is None:
            break
        at = comma.end()
    return found


def find_refresh(text: str) -> list[Found]:
    """Find the URL of a Refresh field, which has the syntax of the refresh pragma (HTML §4.2.5.3)."""
    return [found._replace(escape=partial(_escape_refresh, found.escape)) for found in find_in_refresh(text)]


def _escape_refresh(escape: Callable[[str], str], url: str) -> str:
    return _escape_unsafe(escape(url))
