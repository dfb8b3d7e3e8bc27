"""The reference has fewer than two slashes before its host.

Browsers read `http:/host/` and `http:host/` as `http://host/` where the base has another scheme; by RFC 3986 there is
no host in it. With the base's own scheme they read it otherwise: `same-scheme-relative`.

Fails::

    <a href="http:/elsewhere.example/">one slash</a>

Passes::

    <a href="http://elsewhere.example/">two</a>
"""

from __future__ import annotations

from linkfix.audit.model import Hint, Level
from linkfix.audit.references import ReadingKind, reading, same_target, slashless
from linkfix.audit.rule import Issue, Seen

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF407"
LEVEL = Level.WARNING


def check_link(seen: Seen) -> Issue | None:
    """Report `http:g` and `http:/g` on a base of another scheme."""
    found = slashless(seen.link)
    if found is None or found.same_scheme or reading(seen).kind is not ReadingKind.SCHEME:
        return None
    reference = found.scheme + "://" + found.rest.lstrip("/\\")
    return Issue(
        "there are not two slashes before the host: browsers add them, other programs find no host",
        Hint("write both slashes", reference, same_target(seen, reference)),
    )
