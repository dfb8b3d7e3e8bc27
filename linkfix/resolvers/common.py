"""The interface of resolvers, and the functions that the resolvers of the RFCs share: splitting, merging, recomposing.

The RFCs describe the removal of dot segments as repeated pattern matching. One pass with a stack of segments gives the
same result in linear time (RFC 1808 §4 and RFC 2396 §5.2 suggest it).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, ClassVar, NamedTuple, Protocol, get_args

from linkfix.lazy import lazy_pattern
from linkfix.model import ExcessDots, Resolution, SameScheme
from linkfix.urls import SCHEME

#: The name of a choice -> its possible values.
CHOICES: dict[str, tuple[str, ...]] = {"excess_dots": get_args(ExcessDots), "same_scheme": get_args(SameScheme)}

#: The result for a relative reference without a base.
NO_BASE = Resolution(None, problem="no-base")
#: The result for a reference that is not a URL, or relative to a base that cannot have relative references.
UNRESOLVABLE = Resolution(None, problem="unresolvable")


class Resolver(Protocol):
    """A resolver of references by one specification.

    A resolver is a frozen dataclass without state. Its fields, if any, are the choices that the specification leaves
    open (keys of `CHOICES`). Their defaults are the values in the specification's own examples.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    name: ClassVar[str]
    """The specification's name, a key of `linkfix.resolvers.RESOLVERS`."""
    choices: ClassVar[frozenset[str]]
    """The choices that the specification leaves open."""
    empty_base_allowed: ClassVar[bool]
    """Whether "" is the unknown base, against which each reference counts as absolute (RFC 1808 §3.4)."""
    relative_base_allowed: ClassVar[bool]
    """Whether a BASE element's URL may be relative (HTML §4.2.3); otherwise it must be absolute (RFC 1808 §10)."""
    empty_action_is_document: ClassVar[bool]
    """Whether a form's empty action means the document's URL (HTML §4.10.22.3 step 12); otherwise it means the base
    (RFC 2396 §4.2)."""

    def __hash__(self) -> int:
        """Return the hash. Resolvers with the same choices are equal, so that results can be cached by resolver."""

    def resolve(self, base: str | None, reference: str, encoding: str = "utf-8") -> Resolution:
        """Resolve `reference` against `base`, an absolute URL or None. Never raises.

        Resolvers that do not allow an empty base treat it as None.

        `encoding`: the name (not a label) of the encoding of the document that contains the reference; only `whatwg`
        uses it. Problems: "no-base", "unresolvable", "excess-dots".
        """

    def is_absolute_reference(self, reference: str) -> bool:
        """Whether `reference` has the same target against every base."""

    def is_absolute(self, url: str) -> bool:
        """Whether `url` can be a base: it is absolute, and references can be relative to it."""

    def normalize(self, url: str) -> str | None:
        """The specification's normal form of an absolute URL; None if `url` is not one."""


# Splitting, merging and recomposing references.

#: RFC 2396 Appendix B, RFC 3986 Appendix B.
_URI_REFERENCE = lazy_pattern(r"^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?", re.DOTALL)

#: RFC 1738 §2.1, RFC 1808 §2.4.2. Unlike `linkfix.urls.SCHEME`, it may begin with a digit or a mark.
_RFC1738_SCHEME = lazy_pattern(r"([A-Za-z0-9+.\-]+):")
#: RFC 2396 §3.1, RFC 3986 §3.1.
_SCHEME = lazy_pattern(SCHEME)

_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_WHITE_SPACE = "\t\n\f\r "
_LINE_BREAKS = str.maketrans("", "", "\t\n\r")


class URI(NamedTuple):
    """The components of a URI reference (RFC 2396 §4.3). None: *undefined*, its separator is absent; "": *empty*."""

    scheme: str | None
    """The scheme, without the colon."""
    authority: str | None
    """The authority, without the two slashes."""
    path: str
    """The path; never undefined."""
    query: str | None
    """The query, without the question mark."""
    fragment: str | None
    """The fragment, without the number sign."""


def strip_reference(text: str) -> str:
    r"""Remove the white space around a reference, and the line breaks and tabs inside it.

    A URI has no white space (RFC 2396 §2.4.3); it must be removed before parsing (RFC 1808 §2.4, RFC 2396 Appendix E).
    Spaces inside the reference stay: in documents they are part of a name that should have been escaped.

    >>> strip_reference(" /a\n /b ")
    '/a /b'
    """
    return text.strip(_WHITE_SPACE).translate(_LINE_BREAKS)


def rfc1738_scheme(text: str) -> str | None:
    """The scheme by RFC 1808 §2.4.2, in lower case: RFC 1738 §2.1 treats upper case as equivalent.

    >>> rfc1738_scheme("HTTP:g"), rfc1738_scheme("a/b:c")
    ('http', None)
    """
    match = _RFC1738_SCHEME.match(text)
    return match[1].lower() if match else None


def is_scheme(text: str | None) -> bool:
    """Whether the grammar allows a scheme that Appendix B's expression has matched."""
    return text is not None and _SCHEME.fullmatch(text) is not None


def split(reference: str) -> URI:
    """Split a URI reference into its components by the expression of Appendix B.

    >>> split("http://www.ics.uci.edu/pub/ietf/uri/#Related")
    URI(scheme='http', authority='www.ics.uci.edu', path='/pub/ietf/uri/', query=None, fragment='Related')
    """
    match = _URI_REFERENCE.match(reference)
    assert match is not None  # noqa: S101  every part of the expression is optional
    return URI(match[2], match[4], match[5], match[7], match[9])


def recompose(uri: URI) -> str:
    """Recompose a URI reference from its components (RFC 2396 §5.2 step 7, RFC 3986 §5.3).

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
    """Convert the host's ASCII letters to lower case. User information is case-sensitive."""
    userinfo, at, hostport = authority.rpartition("@")
    return userinfo + at + hostport.translate(_LOWER)


def merge(base_path: str, path: str) -> str:
    """Replace the text after the last slash of the base's path by a relative path.

    RFC 1808 §4 step 6, RFC 2396 §5.2 steps 6A and 6B, RFC 3986 §5.2.3.
    """
    return base_path[: base_path.rfind("/") + 1] + path


def separate_path(path: str, authority: str | None) -> str:
    """Change the path so that recomposing does not move characters between the path and the authority.

    After an authority, a path begins with a slash (RFC 1808 §2.2 `net_path`, RFC 2396 §3 `net_path`, RFC 3986 §3.3).
    Taken literally, RFC 2396 §5.2 resolves `g` on `http://a` to `http://ag`, another host. Without an authority, a path
    cannot begin with two slashes (RFC 3986 §3.3): `.//g` on `file:/a` must not become `file://g`. The path gets a
    prefix "/.", as in the URL standard's serializer.
    """
    if authority is None:
        return f"/.{path}" if path.startswith("//") else path
    return path if path.startswith("/") or not path else f"/{path}"


def remove_dots(path: str) -> str:
    """Remove "." segments, and ".." segments with the segment before them (RFC 1808 §4 step 6, RFC 2396 §5.2 6C-6F).

    A ".." without such a segment is kept.

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
    """Remove each "<segment>/../" whose segment is not "..", leftmost first, until none is left.

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
