"""The reference is relative, and the page has no base URL.

No layer gives one (RFC 3986 §5.1), or the one that it gives is such that nothing can be relative to it: a `mailto:` URL
has no path to go on from.

Fails::

    <base href="mailto:someone@site.example"><a href="other.html">relative to what?</a>

Passes::

    <a href="other.html">relative to the page</a>
"""

from __future__ import annotations

from linkfix.audit.model import Level
from linkfix.audit.references import is_path
from linkfix.audit.rule import Issue, Seen

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF201"
LEVEL = Level.ERROR


def check_link(seen: Seen) -> Issue | None:
    """Report a relative reference that nothing can be made of."""
    link = seen.link
    if link.problem == "no-base":
        return Issue("it is relative, and no layer gives the page a base URL", cause="no base URL")
    if link.problem == "unresolvable" and is_path(link):
        return Issue("it is relative, and nothing can be relative to the base URL", cause="the base URL")
    return None
