"""Removal of the delimiters around a reference (RFC 2396 Appendix E)."""

from __future__ import annotations

import re

from linkfix.errors import check_str
from linkfix.lazy import lazy_pattern
from linkfix.urls import SCHEME

_WHITE_SPACE = lazy_pattern(r"\s+")
_LINE_BREAK = lazy_pattern(r"\s*[\t\n\r]\s*")
#: An opening delimiter, an optional prefix, the reference, and the closing delimiter, which may be missing.
_DELIMITED = lazy_pattern(
    r"""
    \s*+ (?:
        < \s*+ (?: UR[LI]: )?+ ([^<>]*+) >?+
      | " \s*+ (?: UR[LI]: )?+ ([^"]*+) "?+
      | [“„] \s*+ (?: UR[LI]: )?+ ([^“”]*+) [“”]?+      # typographic quotes of word processors
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
#: Punctuation of the sentence after the closing delimiter.
_AFTER = lazy_pattern(r"[\s.,;:!?)]*+\Z")
_PREFIXED = lazy_pattern(rf"(?i:UR[LI]):(?=\s*+{SCHEME}:)")
_ABSOLUTE = lazy_pattern(rf"{SCHEME}:")


def undelimited(text: str) -> str | None:
    """The delimited reference at the beginning of `text`, without any white space; None if there is no delimiter.

    Delimiters are angle brackets and double quotes, optionally followed by the prefix `URL:` or `URI:` (RFC 1808 §3.1,
    RFC 2396 Appendix E, RFC 3986 Appendix C). The closing delimiter may be missing; text after it is ignored.
    """
    check_str("text", text)
    span = delimited_span(text)
    return None if span is None else _WHITE_SPACE.sub("", text[span[0] : span[1]])


def delimited_span(text: str) -> tuple[int, int] | None:
    """The start and end of the delimited reference in `text`, without white space at its ends; None if no delimiter."""
    match = _DELIMITED.match(text)
    if match is None:
        return None
    start, end = match.span(match.lastindex or 0)
    reference = text[start:end]
    start = end - len(reference.lstrip())
    return start, max(start, start + len(reference.strip()))


def strip_delimiters(user_input: str) -> str:
    r"""The reference that a person typed or pasted, without delimiters and embedded white space (RFC 2396 Appendix E).

    As the appendix says, all white space is removed from a delimited reference and from an absolute URI. A relative
    reference without delimiters may be a file name: it keeps the spaces within a line, and loses line breaks, tabs, and
    the white space around them.

    >>> strip_delimiters(' <URL:http://www.ics.uci.edu/pub/ietf/uri/\n   historical.html#WARNING>. ')
    'http://www.ics.uci.edu/pub/ietf/uri/historical.html#WARNING'
    >>> strip_delimiters('"http://www.w3.org/ Addressing/"'), strip_delimiters("My Page.html")
    ('http://www.w3.org/Addressing/', 'My Page.html')
    """
    check_str("text", user_input)
    match = _DELIMITED.match(user_input)
    if match and _AFTER.match(user_input, match.end()):
        return _WHITE_SPACE.sub("", match[match.lastindex or 0])
    text = user_input.strip()
    prefix = _PREFIXED.match(text)
    text = text[prefix.end() :].lstrip() if prefix else text
    return (_WHITE_SPACE if _ABSOLUTE.match(text) else _LINE_BREAK).sub("", text)
