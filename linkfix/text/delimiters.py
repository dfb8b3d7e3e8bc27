"""What stands around a reference and is no part of it: the wrappers of RFC 2396 Appendix E, taken off."""

from __future__ import annotations

import re

from linkfix.urls import SCHEME

__all__ = ["strip_delimiters", "undelimited"]

_WHITE_SPACE = re.compile(r"\s+")
_LINE_BREAK = re.compile(r"\s*[\t\n\r]\s*")
#: An opening delimiter with the prefix that may follow it, and what closes it; the last may have been lost.
_DELIMITED = re.compile(
    r"""
    \s*+ (?:
        < \s*+ (?: UR[LI]: )?+ ([^<>]*+) >?+
      | " \s*+ (?: UR[LI]: )?+ ([^"]*+) "?+
      | [“„] \s*+ (?: UR[LI]: )?+ ([^“”]*+) [“”]?+      # what word processors make of the double quotes
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
#: What a sentence goes on with after the closing delimiter.
_AFTER = re.compile(r"[\s.,;:!?)]*+\Z")
_PREFIXED = re.compile(rf"(?i:UR[LI]):(?=\s*+{SCHEME}:)")
_ABSOLUTE = re.compile(rf"{SCHEME}:")


def undelimited(text: str) -> str | None:
    """The reference between the delimiters that `text` begins with, without any white space; None where it has none.

    Delimiters are angle brackets and double quotes, with the prefix `URL:` or `URI:` or without it (RFC 1808 §3.1, RFC
    2396 Appendix E, RFC 3986 Appendix C). What follows the closing one is dropped, and it may be missing.
    """
    match = _DELIMITED.match(text)
    return _WHITE_SPACE.sub("", match[match.lastindex or 0]) if match else None


def strip_delimiters(user_input: str) -> str:
    r"""The reference that a person typed or pasted, without delimiters and embedded white space (RFC 2396 Appendix E).

    From between delimiters and from an absolute URI all white space goes, as the appendix wants it. A relative
    reference without delimiters may be the name of a file: it keeps the spaces within a line, and loses line breaks,
    tabs, and what surrounds them.

    >>> strip_delimiters(' <URL:http://www.ics.uci.edu/pub/ietf/uri/\n   historical.html#WARNING>. ')
    'http://www.ics.uci.edu/pub/ietf/uri/historical.html#WARNING'
    >>> strip_delimiters('"http://www.w3.org/ Addressing/"'), strip_delimiters("My Page.html")
    ('http://www.w3.org/Addressing/', 'My Page.html')
    """
    match = _DELIMITED.match(user_input)
    if match and _AFTER.match(user_input, match.end()):
        return _WHITE_SPACE.sub("", match[match.lastindex or 0])
    text = user_input.strip()
    prefix = _PREFIXED.match(text)
    text = text[prefix.end() :].lstrip() if prefix else text
    return (_WHITE_SPACE if _ABSOLUTE.match(text) else _LINE_BREAK).sub("", text)
