"""There are slashes after a scheme that has no hosts.

"//" begins a host, and schemes without a hierarchy should not have it after the colon (RFC 4395 §2.2). Programs take
the slashes for a part of the address, the number or the data; in a script they begin a comment.

Fails::

    <a href="mailto://someone@example.com">write</a>

Fails::

    <a href="tel://+15551234">call</a>

Passes::

    <a href="mailto:someone@example.com">write</a>

Passes::

    <a href="news://elsewhere.example/x">has hosts</a>
"""

from __future__ import annotations

from linkfix.audit.model import Hint, Level
from linkfix.audit.references import ReadingKind, reading
from linkfix.audit.rule import Issue, Seen
from linkfix.schemes.uses import WITHOUT_HIERARCHY

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF406"
LEVEL = Level.WARNING

#: What follows can be nothing but the address or the number.
_CERTAIN = frozenset({"mailto", "tel"})


def check_link(seen: Seen) -> Issue | None:
    """Report `mailto://`."""
    read = reading(seen)
    if read.kind is not ReadingKind.SLASHED:
        return None
    if read.scheme == "javascript":
        return Issue('"//" begins a comment in a script: the first line of it does nothing')
    return Issue(
        f'"//" begins a host, and {read.scheme}: has none ({WITHOUT_HIERARCHY[read.scheme]})',
        Hint("leave the slashes out", read.mended, read.scheme in _CERTAIN),
        level=Level.ERROR if seen.link.problem == "unresolvable" else None,  # what follows them is no host
    )
