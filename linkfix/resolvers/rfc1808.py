"""RFC 1808, "Relative Uniform Resource Locators" (June 1995), by the steps of its §4.

A URL has six components, parsed in the order of §2.4. An absent component equals an empty component, so a bare "?", ";"
or "#" is lost. Unlike in later RFCs, the network location ends only at a slash (§2.4.3), and the parameters begin at
the path's first semicolon (§2.4.5) and can contain slashes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from linkfix.model import Resolution, SameScheme
from linkfix.resolvers.common import (
    NO_BASE,
    UNRESOLVABLE,
    merge,
    remove_dots,
    rfc1738_scheme,
    separate_path,
    strip_reference,
)
from linkfix.schemes.uses import NEVER_RELATIVE


class _URL(NamedTuple):
    """The components of §2.1 without the scheme."""

    net_loc: str | None
    """None if there is no "//". This differs from "" only in recombining: `file:///a` keeps its three slashes."""
    path: str
    """The path, with the slash that may precede it (§2.4.6)."""
    params: str
    query: str
    fragment: str


@dataclass(frozen=True, slots=True)
class RFC1808:
    """The resolver `rfc1808`.

    >>> print(RFC1808().resolve("http://a/b/c/d;p?q#f", "../../../g;x?"))
    http://a/../g;x
    """

    name: ClassVar[str] = "rfc1808"
    choices: ClassVar[frozenset[str]] = frozenset({"same_scheme"})
    empty_base_allowed: ClassVar[bool] = True
    relative_base_allowed: ClassVar[bool] = False
    empty_action_is_document: ClassVar[bool] = False

    same_scheme: SameScheme = "absolute"
    """The meaning of `http:g` on an http base: "absolute", or "relative" as in some older parsers. §5.2 calls the
    latter a loophole that "should be avoided by future parsers".
    """

    def resolve(self, base: str | None, reference: str, encoding: str = "utf-8") -> Resolution:
        """Resolve an embedded URL: §4, steps 1 and 2. The rest is steps 3-7."""
        reference = strip_reference(reference)
        scheme = rfc1738_scheme(reference)
        if not base:  # step 1
            return NO_BASE if base is None and scheme is None else Resolution(reference)
        base = strip_reference(base)
        base_scheme = rfc1738_scheme(base)
        if scheme is not None:  # step 2b
            if self.same_scheme == "absolute" or scheme != base_scheme or scheme in NEVER_RELATIVE:
                return Resolution(reference)
            reference = reference[len(scheme) + 1 :]
        if base_scheme is None or base_scheme in NEVER_RELATIVE:  # §2.3
            return UNRESOLVABLE
        scheme, _, rest = base.partition(":")  # step 2c
        embedded = _parse(reference)
        if not any(embedded):  # step 2a
            return Resolution(base)
        return Resolution(f"{scheme}:{_recombine(_inherit(_parse(rest), embedded))}")

    def is_absolute_reference(self, reference: str) -> bool:
        """Whether `reference` has a scheme, and no base can make it relative (step 2b)."""
        reference = strip_reference(reference)
        scheme = rfc1738_scheme(reference)
        if scheme is None:
            return False
        follows_base = self.same_scheme == "relative" and scheme not in NEVER_RELATIVE
        return not follows_base or reference.startswith("//", len(scheme) + 1)

    def is_absolute(self, url: str) -> bool:
        """Whether `url` has a scheme, except the schemes that are never used with relative URLs (§2.3)."""
        scheme = rfc1738_scheme(strip_reference(url))
        return scheme is not None and scheme not in NEVER_RELATIVE

    def normalize(self, url: str) -> str | None:
        """The absolute URL, unchanged: the RFC does not define equivalence. None if `url` has no scheme."""
        url = strip_reference(url)
        return None if rfc1738_scheme(url) is None else url


def _parse(text: str) -> _URL:
    """Parse the text after the scheme: §2.4.1, then §2.4.3-§2.4.6."""
    text, _, fragment = text.partition("#")
    net_loc = None
    if text.startswith("//"):
        end = text.find("/", 2)
        end = len(text) if end < 0 else end
        net_loc, text = text[2:end], text[end:]
    text, _, query = text.partition("?")
    path, _, params = text.partition(";")
    return _URL(net_loc, path, params, query, fragment)


def _inherit(base: _URL, embedded: _URL) -> _URL:
    """The embedded URL with the components that it inherits from the base: §4, steps 3-6."""
    net_loc, path, params, query, fragment = embedded
    if net_loc:  # step 3
        return embedded
    if path.startswith("/"):  # step 4
        return embedded._replace(net_loc=base.net_loc)
    if path:  # step 6
        return embedded._replace(net_loc=base.net_loc, path=remove_dots(merge(base.path, path)))
    if not params:  # step 5
        params = base.params
        query = query or base.query
    return _URL(base.net_loc, base.path, params, query, fragment)


def _recombine(url: _URL) -> str:
    """Recombine the components (step 7).

    After a network location, the path begins with a slash (§2.2: `net_path`, `abs_path`).
    """
    net_loc, path, params, query, fragment = url
    tail = (f";{params}" if params else "") + (f"?{query}" if query else "")
    if net_loc is not None and tail and not path:
        path = "/"
    return "".join(
        (
            "" if net_loc is None else f"//{net_loc}",
            separate_path(path, net_loc),
            tail,
            f"#{fragment}" if fragment else "",
        )
    )
