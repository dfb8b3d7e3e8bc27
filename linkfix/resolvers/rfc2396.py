"""RFC 2396, "Uniform Resource Identifiers (URI): Generic Syntax" (August 1998), by the steps of its §5.2.

References are split by Appendix B's expression; an undefined component differs from an empty component. RFC 3986
(`rfc3986`) differs on `?y`, on same-document references, and on dot segments. Here dot segments have a meaning "when,
and only when" a relative path is resolved (§4, §5).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from linkfix.model import ExcessDots, Resolution, SameScheme
from linkfix.resolvers.common import (
    NO_BASE,
    UNRESOLVABLE,
    URI,
    is_scheme,
    lower_host,
    merge,
    recompose,
    remove_dots,
    separate_path,
    split,
    strip_reference,
)
from linkfix.schemes.uses import DEFAULT_PORTS, GENERIC_SYNTAX

#: Step 6G: the "one or more complete path segments of '..'" that remain at the start of the path.
_EXCESS_DOTS = re.compile(r"/?(?:\.\.(?:/|\Z))+")


@dataclass(frozen=True, slots=True)
class RFC2396:
    """The resolver `rfc2396`.

    >>> print(RFC2396().resolve("http://a/b/c/d;p?q", "../../../g"))
    http://a/../g
    >>> print(RFC2396(excess_dots="drop").resolve("http://a/b/c/d;p?q", "../../../g"))
    http://a/g
    """

    name: ClassVar[str] = "rfc2396"
    choices: ClassVar[frozenset[str]] = frozenset({"excess_dots", "same_scheme"})
    empty_base_allowed: ClassVar[bool] = False
    relative_base_allowed: ClassVar[bool] = False
    empty_action_is_document: ClassVar[bool] = False

    excess_dots: ExcessDots = "keep"
    """The treatment of ".." segments above the root (step 6G): "keep" them in the target, as in C.2; "drop" them, as
    "some implementations" in C.2 do; or reject the reference as an "error".
    """
    same_scheme: SameScheme = "absolute"
    """The meaning of `http:g` on an http base: "absolute" ("for validating parsers", C.2), or "relative" ("for
    backwards compatibility", step 3).
    """

    def resolve(self, base: str | None, reference: str, encoding: str = "utf-8") -> Resolution:
        """Resolve a URI reference: §5.2, steps 1-3. The rest is steps 4-7.

        A same-document reference (§4.2) is not resolved: with or without a base, it is its own target.
        """
        reference = strip_reference(reference)
        uri = split(reference)  # step 1
        if not reference or reference.startswith("#"):  # step 2
            return Resolution(reference, same_document=True)
        if not base:
            return NO_BASE if uri.scheme is None else Resolution(reference)
        base_uri = split(strip_reference(base))
        if uri.scheme is not None and not self._is_loophole(base_uri, uri.scheme):  # step 3
            return Resolution(reference)
        if not _has_hier_part(base_uri):
            return UNRESOLVABLE
        path = self._path(base_uri, uri)
        if path is None:
            return Resolution(None, problem="excess-dots")
        authority = base_uri.authority if uri.authority is None else uri.authority
        target = URI(base_uri.scheme, authority, separate_path(path, authority), uri.query, uri.fragment)
        return Resolution(recompose(target))  # step 7

    def is_absolute_reference(self, reference: str) -> bool:
        """Whether `reference` has a scheme, and no base can make it relative (step 3)."""
        uri = split(strip_reference(reference))
        if uri.scheme is None or not is_scheme(uri.scheme):
            return False
        follows_base = self.same_scheme == "relative" and uri.scheme.lower() in GENERIC_SYNTAX
        return not follows_base or uri.authority is not None

    def is_absolute(self, url: str) -> bool:
        """Whether `url` "fits within the <hier_part> syntax" (§5): a scheme, and a slash after it."""
        return _has_hier_part(split(strip_reference(url)))

    def normalize(self, url: str) -> str | None:
        """Apply the equivalences of §6: put scheme and host in lower case, and remove the scheme's default port."""
        uri = split(strip_reference(url))
        if uri.scheme is None or not is_scheme(uri.scheme):
            return None
        scheme, authority = uri.scheme.lower(), uri.authority
        if authority is not None:
            authority = lower_host(authority)
            host, colon, port = authority.rpartition(":")
            if colon and scheme in DEFAULT_PORTS and port in ("", str(DEFAULT_PORTS[scheme])):
                authority = host
        return recompose(uri._replace(scheme=scheme, authority=authority))

    def _is_loophole(self, base: URI, scheme: str) -> bool:
        """Whether step 3 allows removing the scheme.

        It must match the base's scheme, and be "known to always use the <hier_part> syntax".
        """
        return (
            self.same_scheme == "relative"
            and base.scheme is not None
            and scheme.lower() == base.scheme.lower()
            and scheme.lower() in GENERIC_SYNTAX
        )

    def _path(self, base: URI, uri: URI) -> str | None:
        """The target's path by steps 4-6; None if the reference is "considered to be in error" (6G)."""
        if uri.authority is not None or uri.path.startswith("/"):
            return uri.path
        path = remove_dots(merge(base.path, uri.path))
        excess = _EXCESS_DOTS.match(path)
        if excess is None or self.excess_dots == "keep":
            return path
        return None if self.excess_dots == "error" else f"/{path[excess.end() :]}"


def _has_hier_part(uri: URI) -> bool:
    """Whether an absolute URI is hierarchical, not opaque (§3)."""
    return is_scheme(uri.scheme) and (uri.authority is not None or uri.path.startswith("/"))
