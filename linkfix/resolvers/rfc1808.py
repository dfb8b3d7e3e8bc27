"""RFC 1808, "Relative Uniform Resource Locators" (June 1995), by the steps of its §4.

A URL has six components, parsed in the order of §2.4, and one that is absent is the same as one that is empty: a bare
"?", ";" or "#" is lost. What belongs where is the text's too, and is not what later texts say: the network location
ends at a slash only (§2.4.3), and the parameters begin at the path's first semicolon (§2.4.5), slashes included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from linkfix.model import Resolution
from linkfix.resolvers.components import merge, remove_dots, rooted, scheme_of, separated
from linkfix.resolvers.interface import NO_BASE, UNRESOLVABLE, SameScheme
from linkfix.schemes.uses import NEVER_RELATIVE

__all__ = ["RFC1808"]


class _URL(NamedTuple):
    """The components of §2.1 but for the scheme. `path` has the slash that may precede it (§2.4.6).

    `net_loc` is None where there was no "//", which counts as empty too: the two differ only in being recombined, so
    that `file:///a` keeps its three slashes.
    """

    net_loc: str | None
    path: str
    params: str
    query: str
    fragment: str


@dataclass(frozen=True, slots=True)
class RFC1808:
    """The resolver `rfc1808`.

    `same_scheme`: §5.2 calls `http:g` on an http base a loophole that "should be avoided by future parsers"
    ("absolute"); some older ones allow it ("relative").

    >>> print(RFC1808().resolve("http://a/b/c/d;p?q#f", "../../../g;x?"))
    http://a/../g;x
    """

    name: ClassVar[str] = "rfc1808"
    choices: ClassVar[frozenset[str]] = frozenset({"same_scheme"})
    relative_base_allowed: ClassVar[bool] = False

    same_scheme: SameScheme = "absolute"

    def resolve(self, base: str | None, reference: str, encoding: str = "utf-8") -> Resolution:  # noqa: ARG002
        """Resolve an embedded URL: §4, steps 1 and 2. The rest is steps 3-7."""
        reference = separated(reference)
        scheme = scheme_of(reference)
        if base is None:  # step 1
            return NO_BASE if scheme is None else Resolution(reference)
        base = separated(base)
        base_scheme = scheme_of(base)
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

    def is_absolute(self, url: str) -> bool:
        """Say whether `url` has a scheme, and not one that is never used with relative URLs (§2.3)."""
        scheme = scheme_of(separated(url))
        return scheme is not None and scheme not in NEVER_RELATIVE

    def normalize(self, url: str) -> str | None:
        """Give the absolute URL as it is: the text says nothing of equivalence."""
        url = separated(url)
        return None if scheme_of(url) is None else url


def _parse(text: str) -> _URL:
    """Parse what follows the scheme: §2.4.1, then §2.4.3-§2.4.6."""
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
    """Let the embedded URL inherit from the base: §4, steps 3-6."""
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
    """Step 7. What follows a network location begins with a slash (§2.2: `net_path`, `abs_path`)."""
    net_loc, path, params, query, fragment = url
    tail = (f";{params}" if params else "") + (f"?{query}" if query else "")
    if net_loc is not None and tail and not path:
        path = "/"
    return "".join(
        (
            "" if net_loc is None else f"//{net_loc}",
            rooted(path, net_loc),
            tail,
            f"#{fragment}" if fragment else "",
        )
    )
