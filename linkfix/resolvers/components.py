"""Taking references apart and putting them together: what the RFC resolvers truly share.

The texts describe the removal of dot segments as pattern matches that are repeated until none is left. One pass with
a stack of segments gives the same result in linear time (both RFCs suggest it: RFC 1808 §4, RFC 2396 §5.2).
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable
from typing import NamedTuple

__all__ = [
    "URI",
    "collapse",
    "is_scheme",
    "lower_host",
    "merge",
    "recompose",
    "remove_dots",
    "rooted",
    "scheme_of",
    "separated",
    "split",
]

#: RFC 2396 Appendix B, RFC 3986 Appendix B.
_URI_REFERENCE = re.compile(r"^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?", re.DOTALL)

#: RFC 1738 §2.1, RFC 1808 §2.4.2: up to the first colon, unless a character comes before it that no scheme has.
_SCHEME = re.compile(r"([A-Za-z0-9+.\-]+):")

#: RFC 2396 §3.1, RFC 3986 §3.1.
_SCHEME_NAME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*")

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_WHITE_SPACE = "\t\n\f\r "
_LINE_BREAKS = str.maketrans("", "", "\t\n\r")


class URI(NamedTuple):
    """A URI reference's four components and fragment (RFC 2396 §4.3).

    None is *undefined* (the separator was not there), "" is *empty*; a path is never undefined.
    """

    scheme: str | None
    authority: str | None
    path: str
    query: str | None
    fragment: str | None


def separated(text: str) -> str:
    r"""Separate a reference from the white space around it, and from the line breaks and tabs inside it.

    No URI has any (RFC 2396 §2.4.3), and the texts expect it gone before parsing (RFC 1808 §2.4, RFC 2396 Appendix E).
    Spaces inside are kept: in documents these are part of a name that ought to have been escaped.

    >>> separated(" /a\n /b ")
    '/a /b'
    """
    return text.strip(_WHITE_SPACE).translate(_LINE_BREAKS)


def scheme_of(text: str) -> str | None:
    """Find the scheme as RFC 1808 §2.4.2 does. Lower case: RFC 1738 §2.1 treats upper case as equivalent.

    >>> scheme_of("HTTP:g"), scheme_of("a/b:c")
    ('http', None)
    """
    match = _SCHEME.match(text)
    return match[1].lower() if match else None


def is_scheme(text: str | None) -> bool:
    """Say whether a component that Appendix B's expression takes for a scheme is one by the grammar."""
    return text is not None and _SCHEME_NAME.fullmatch(text) is not None


def split(reference: str) -> URI:
    """Break a URI reference down into its components by the expression of Appendix B.

    >>> split("http://www.ics.uci.edu/pub/ietf/uri/#Related")
    URI(scheme='http', authority='www.ics.uci.edu', path='/pub/ietf/uri/', query=None, fragment='Related')
    """
    match = _URI_REFERENCE.match(reference)
    assert match is not None  # noqa: S101  every part of the expression is optional
    return URI(match[2], match[4], match[5], match[7], match[9])


def recompose(uri: URI) -> str:
    """Put a URI reference together from its components (RFC 2396 §5.2 step 7, RFC 3986 §5.3).

    >>> recompose(URI("http", "a", "/g", "", None))
    'http://a/g?'
    """
    scheme, authority, path, query, fragment = uri
    return "".join(
        (
            "" if scheme is None else f"{scheme}:",
            "" if authority is None else f"//{authority}",
            path,
            "" if query is None else f"?{query}",
            "" if fragment is None else f"#{fragment}",
        )
    )


def lower_host(authority: str) -> str:
    """Write the host in lower case, ASCII letters only: user information is case-sensitive, a port has no letters."""
    userinfo, at, hostport = authority.rpartition("@")
    return userinfo + at + hostport.translate(_LOWER)


def merge(base_path: str, path: str) -> str:
    """Replace what follows the rightmost slash of the base's path by a relative path.

    RFC 1808 §4 step 6, RFC 2396 §5.2 steps 6A and 6B, RFC 3986 §5.2.3.
    """
    return base_path[: base_path.rfind("/") + 1] + path


def rooted(path: str, authority: str | None) -> str:
    """Keep path and authority apart: what one of them is, recomposing must not make the other.

    After an authority a path begins with a slash (RFC 1808 §2.2 `net_path`, RFC 2396 §3 `net_path`, RFC 3986 §3.3):
    taken by the letter, RFC 2396 §5.2 makes `http://ag` of `g` on `http://a`, which is another host. Without one it
    cannot begin with two (RFC 3986 §3.3): `.//g` on `file:/a` must not become `file://g`, and gets the "/." that the
    URL standard's serializer writes there.
    """
    if authority is None:
        return f"/.{path}" if path.startswith("//") else path
    return path if path.startswith("/") or not path else f"/{path}"


def remove_dots(path: str) -> str:
    """Remove "." segments, then ".." segments with what they undo (RFC 1808 §4 steps 6a-6d, RFC 2396 §5.2 6C-6F).

    A ".." that has no segment left of it to undo is kept.

    >>> remove_dots("/b/c/./../../../g/."), remove_dots("b/../.."), remove_dots("/b//../g")
    ('/../g/', '..', '/b/g')
    """
    root = path[: path.startswith("/")]
    *segments, last = path[len(root) :].split("/")
    kept = collapse(segment for segment in segments if segment != ".")
    if last == ".":
        last = ""
    elif last == ".." and kept and kept[-1] != "..":
        kept.pop()
        last = ""
    return root + "/".join((*kept, last))


def collapse(segments: Iterable[str]) -> list[str]:
    """Remove "<segment>/../", where the segment is not "..", leftmost first, until there is none left.

    >>> collapse(["b", "c", "..", "..", "..", "..", "g"])
    ['..', '..', 'g']
    """
    kept: list[str] = []
    for segment in segments:
        if segment == ".." and kept and kept[-1] != "..":
            kept.pop()
        else:
            kept.append(segment)
    return kept
