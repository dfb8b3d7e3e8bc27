"""The reference means another thing by one standard than by the next.

RFC 1808, RFC 2396, RFC 3986 and the URL standard resolve it to different places: an older program goes elsewhere than
a browser. `?x` is the best known: by RFC 2396 it goes with the folder, by the others with the page. What differs by a
normal form alone is not reported, and what has a rule of its own is left to that: `same-scheme-relative`, `above-root`,
`backslash`, `colon-in-first-segment`.

Fails::

    <a href="?x">a query alone</a>

Fails::

    <a href=";x">parameters alone</a>

Passes::

    <a href="page.html?x">a path</a>

Passes::

    <a href="../docs/./other.html">normal forms of one target</a>
"""

from __future__ import annotations

import re
from collections import defaultdict

from linkfix.audit.model import Hint, Level
from linkfix.audit.references import ReadingKind, is_path, reading
from linkfix.audit.rule import Issue, Seen
from linkfix.resolvers import RESOLVERS
from linkfix.urls import strip_url

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF312"
LEVEL = Level.NOTE

#: The standards. Fielding's proposal of 1994 was none: where it alone differs, nothing comes of it.
_STANDARDS = frozenset({"rfc1808", "rfc2396", "rfc3986", "whatwg"})
#: Without a query, parameters or percent-encoded dots they agree, but for normal forms and what other rules report.
_SUSPECT = re.compile(r"[^?#;]*[?;]|[^?#]*%2e", re.IGNORECASE)
_LAST_SEGMENT = re.compile(r"[^?#]*/([^/?#]*)")


def check_link(seen: Seen) -> Issue | None:
    """Report a relative reference of which the standards make different targets."""
    link = seen.link
    if link.problem or link.base is None or not _SUSPECT.match(link.reference) or not is_path(link):
        return None
    if reading(seen).kind is not ReadingKind.PATH or "\\" in link.reference:
        return None
    meanings = _meanings(seen, strip_url(link.reference))
    if sum(not _STANDARDS.isdisjoint(names) for names in meanings.values()) <= 1:
        return None
    site = seen.page.site
    parts = [f"{', '.join(names)}: {url.removeprefix(site.url) or '/'}" for url, names in meanings.items()]
    return Issue(f"what it means depends on the standard ({'; '.join(parts)})", _hint(seen))


def _meanings(seen: Seen, reference: str) -> dict[str, list[str]]:
    """Targets in one normal form, without what an empty component leaves of it -> the resolvers that make it."""
    encoding = seen.page.document.encoding.name
    found: dict[str, list[str]] = defaultdict(list)
    for name, resolver in RESOLVERS.items():
        target = resolver.resolve(seen.link.base, reference, encoding).target
        normal = RESOLVERS["whatwg"].resolve(None, target, encoding).target if target else None
        if normal is not None:
            found[normal.partition("#")[0].removesuffix("?")].append(name)
    return found


def _hint(seen: Seen) -> Hint | None:
    """Another way to write the target that browsers make, which all make alike."""
    reference = strip_url(seen.link.reference)
    here = _LAST_SEGMENT.match(seen.link.base or "")
    wanted = _target(seen)
    for other in (f"{here[1]}{reference}" if here else "", f"./{reference}"):
        if other and list(_meanings(seen, other)) == [wanted]:
            return Hint("write the path out, as browsers read it", other, certain=True)
    return None


def _target(seen: Seen) -> str:
    return (seen.link.target or "").partition("#")[0].removesuffix("?")
