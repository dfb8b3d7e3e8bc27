"""The scheme of the reference is not known.

IANA's registry (RFC 4395 §5) does not have it, it is none of those in use that nobody registered, and not a private one
by its name (`web+…`, `x-…`, `ms-…`, a domain turned round). Where a file is meant whose name has a colon, `./` has to
stand before it (RFC 3986 §4.2). What is certainly something else is `misspelt-scheme` or `colon-in-first-segment`.

Fails::

    <a href="Category:Links">no scheme is called so</a>

Passes::

    <a href="mailto:someone@example.com">a scheme</a>

Passes::

    <a href="./Category:Links">a file</a>
"""

from __future__ import annotations

import re

from linkfix.audit.model import Hint, Level
from linkfix.audit.references import ReadingKind, reading
from linkfix.audit.rule import Issue, Seen
from linkfix.schemes.registry import near
from linkfix.urls import strip_url

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF403"
LEVEL = Level.WARNING

#: HTML §8.7.1.1 "web+"; RFC 6648 and RFC 7595 §3.8 on private names.
_PRIVATE = re.compile(r"web\+|x-|ms-|(?:com|edu|gov|io|net|org)\.")


def check_link(seen: Seen) -> Issue | None:
    """Report a scheme that nobody uses."""
    read = reading(seen)
    if read.kind is not ReadingKind.UNKNOWN or _PRIVATE.match(read.scheme) or seen.link.problem:
        return None
    text = strip_url(seen.link.reference)
    meant = near(read.scheme)
    if meant is not None:
        hint = Hint(f"did you mean {meant}:?", meant + text[len(read.scheme) :])
    elif text.startswith(("//", ":"), len(read.scheme) + 1):
        hint = None
    else:
        hint = Hint("write ./ before it, if it is the name of a file", f"./{text}")
    return Issue("what stands before the colon is no scheme that is known", hint, f"{read.scheme}:")
