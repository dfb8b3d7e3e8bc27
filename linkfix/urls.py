"""URL primitives that all packages share: stripping, and the syntax of schemes.

Internal: it can change in any release.
"""

from __future__ import annotations

import re

from linkfix.lazy import lazy_pattern

__all__ = [
    "AUTHORITY_SCHEMES",
    "C0_CONTROL_OR_SPACE",
    "SCHEME",
    "SPECIAL_SCHEME",
    "scheme_of",
    "specifier_takes_base",
    "strip_url",
    "without_credentials",
    "without_fragment",
]

#: The characters that the URL parser strips from both ends (URL standard §4.4 step 1).
C0_CONTROL_OR_SPACE = "".join(map(chr, range(0x21)))
#: The characters that it removes everywhere (URL standard §4.4 step 3).
_NO_TAB_OR_NEWLINE = str.maketrans("", "", "\t\n\r")
#: An expression for a scheme (RFC 3986 §3.1; URL standard §4.3 "URL-scheme string"), without the colon.
SCHEME = r"[A-Za-z][A-Za-z0-9+.\-]*+"
_SCHEME_AND_COLON = lazy_pattern(rf"({SCHEME}):")
#: The special schemes (URL standard §4.2) but file:, whose URLs have no user information. What follows is an authority
#: with any number of slashes before it, and both kinds of them.
AUTHORITY_SCHEMES = ("https", "http", "wss", "ws", "ftp")
_REMOVED = "[\t\n\r]*"
#: An expression for one of these schemes with its colon, with what the URL parser removes.
SPECIAL_SCHEME = "(?:" + "|".join(_REMOVED.join(f"{scheme}:") for scheme in AUTHORITY_SCHEMES) + ")"
_CREDENTIALS = lazy_pattern(
    rf"\A([\x00-\x20]*(?:{SPECIAL_SCHEME}{_REMOVED}[/\\\t\n\r]*|[/\\]{_REMOVED}[/\\][/\\\t\n\r]*))[^/\\?#]*@"
    rf"|\A([\x00-\x20]*(?!{SPECIAL_SCHEME})[A-Za-z][A-Za-z0-9+.\-\t\n\r]*+:{_REMOVED}/{_REMOVED}/)[^/?#]*@",
    re.IGNORECASE,
)


def strip_url(text: str) -> str:
    r"""Strip a reference as the URL parser does (URL standard §4.4 steps 1 and 3).

    >>> strip_url(" java\tscript:x ")
    'javascript:x'
    """
    if text.isprintable() and text[:1] != " " and text[-1:] != " ":  # nearly all: there is nothing to strip
        return text
    return text.strip(C0_CONTROL_OR_SPACE).translate(_NO_TAB_OR_NEWLINE)


def scheme_of(text: str) -> str | None:
    """The scheme of a stripped reference in lower case; None if it has none.

    >>> scheme_of("HTTP:g"), scheme_of("a/b:c")
    ('http', None)
    """
    match = _SCHEME_AND_COLON.match(text)
    return match[1].lower() if match else None


def specifier_takes_base(specifier: str) -> bool:
    """Whether a module specifier that is a URL is parsed with a base; one with a scheme is not (HTML §8.1.6.2).

    >>> specifier_takes_base("../a.js"), specifier_takes_base("https:a.js")
    (True, False)
    """
    return specifier.startswith(("/", "./", "../"))


def without_credentials(url: str) -> str:
    """An absolute URL without user name and password, which must not be logged, kept or passed on.

    >>> without_credentials("https://me:secret@example.com/x")
    'https://example.com/x'
    """
    return _CREDENTIALS.sub(r"\1\2", url) if "@" in url else url


def without_fragment(url: str | None) -> str | None:
    """A URL without its fragment; None for none, or an empty one.

    >>> without_fragment("https://example.com/a?b#c")
    'https://example.com/a?b'
    """
    return url.partition("#")[0] if url else None
