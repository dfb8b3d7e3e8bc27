"""Fielding's proposal "Appendix B: Relative URLs" (to uri@bunyip.com, 27 July 1994), by its rules 1-3.

Its URLs follow the URL draft of its time (later RFC 1738): a scheme, an *initial scheme-specific part* (from "//" to
the next slash), and a *url-path*, the rest. A query is part of the url-path, so a slash in the query counts. A fragment
is not part of a URL: it is removed before resolution and appended to the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from linkfix.model import Resolution
from linkfix.resolvers.common import (
    NO_BASE,
    UNRESOLVABLE,
    collapse,
    merge,
    rfc1738_scheme,
    separate_path,
    strip_reference,
)
from linkfix.schemes.uses import NO_RELATIVE_FORM


@dataclass(frozen=True, slots=True)
class Fielding1994:
    """The resolver `fielding1994`.

    >>> print(Fielding1994().resolve("magic://a/b/c/d", "magic:../g"))
    magic://a/b/g
    """

    name: ClassVar[str] = "fielding1994"
    choices: ClassVar[frozenset[str]] = frozenset()
    empty_base_allowed: ClassVar[bool] = True
    relative_base_allowed: ClassVar[bool] = False
    empty_action_is_document: ClassVar[bool] = False

    def resolve(self, base: str | None, reference: str, encoding: str = "utf-8") -> Resolution:
        """Interpret an embedded URL relative to the base URL of its enclosing object."""
        reference = strip_reference(reference)
        scheme = rfc1738_scheme(reference)
        if not base:  # rule 1
            return NO_BASE if base is None and scheme is None else Resolution(reference)
        base_url = strip_reference(base).partition("#")[0]
        base_scheme = rfc1738_scheme(base_url)
        if scheme is not None and (scheme != base_scheme or self.is_absolute_reference(reference)):  # rules 2 and 3b
            return Resolution(reference)
        if base_scheme is None or base_scheme in NO_RELATIVE_FORM:
            return UNRESOLVABLE
        url, number_sign, fragment = reference.partition("#")
        remainder = url if scheme is None else url[len(scheme) + 1 :]
        return Resolution(_relative(base_url, remainder) + number_sign + fragment)

    def is_absolute_reference(self, reference: str) -> bool:
        """Whether `reference` has a scheme and no base of the same scheme makes it relative (rules 2 and 3b)."""
        reference = strip_reference(reference)
        scheme = rfc1738_scheme(reference)
        if scheme is None:
            return False
        return scheme in NO_RELATIVE_FORM or reference.startswith("//", len(scheme) + 1)

    def is_absolute(self, url: str) -> bool:
        """Whether `url` has a scheme that can be used in relative form."""
        scheme = rfc1738_scheme(strip_reference(url))
        return scheme is not None and scheme not in NO_RELATIVE_FORM

    def normalize(self, url: str) -> str | None:
        """The absolute URL, unchanged: the proposal does not define equivalence. None if `url` has no scheme."""
        url = strip_reference(url)
        return None if rfc1738_scheme(url) is None else url


def _relative(base: str, remainder: str) -> str:
    """The target by rule 3. `remainder`: the embedded URL without its scheme and colon."""
    scheme, _, specific = base.partition(":")
    initial = _initial_part(specific)
    url_path = specific[len(initial) :]
    if not remainder:  # a
        return base
    if remainder.startswith("//"):  # b
        return f"{scheme}:{remainder}"
    if remainder.startswith("/"):  # c
        return f"{scheme}:{initial}{remainder}"
    if not url_path:  # d 1: no removal of segments here
        return f"{scheme}:{initial}/{remainder}"
    url_path = _remove_segments(merge(url_path, remainder))  # d 2
    return f"{scheme}:{initial}{separate_path(url_path, initial or None)}"


def _initial_part(specific: str) -> str:
    """The part "starting with the double slash and continuing until the following slash, if any" (rule 3c)."""
    if not specific.startswith("//"):
        return ""
    end = specific.find("/", 2)
    return specific if end < 0 else specific[:end]


def _remove_segments(path: str) -> str:
    """Remove all "/.", then "xxx/../", leftmost first (rule 3d2).

    Unlike in the later RFCs, no slash is needed after "/.", but a slash is needed after "..": "/b/." becomes "/b", and
    a final ".." stays. As in the RFCs, "xxx" means any segment except "..".

    >>> _remove_segments("/b/./c/../g"), _remove_segments("/b/c/.."), _remove_segments("/b/c/.")
    ('/b/g', '/b/c/..', '/b/c')
    """
    root = path.startswith("/")
    *segments, last = (segment for i, segment in enumerate(path.split("/")) if i == 0 or segment != ".")
    return "/".join((*segments[:root], *collapse(segments[root:]), last))
