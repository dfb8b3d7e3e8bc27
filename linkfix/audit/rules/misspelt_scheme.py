"""The scheme, or what separates it from the rest, is misspelt.

`htpp:`, `http//`, `http;//`, `mailo:`; a scheme that stands twice; three slashes; a quotation mark of a word processor
before it. Names are compared with the schemes that pages use most, and the rest of the reference has to fit.

Fails::

    <a href="htpp://example.com/">letters</a>

Fails::

    <a href="http//example.com/">the colon</a>

Fails::

    <a href="https://http://example.com/">twice</a>

Fails::

    <a href="mailo:someone@example.com">a letter</a>

Passes::

    <a href="https://elsewhere.example/?url=http://example.com/">a URL in another's query</a>

Passes::

    <a href="mailto:someone@example.com">write</a>
"""

from __future__ import annotations

from linkfix.audit.model import Hint, Level
from linkfix.audit.references import ReadingKind, reading, same_target
from linkfix.audit.rule import Issue, PlaceKind, Seen

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF405"
LEVEL = Level.ERROR

#: What comes of it.
_LEADS_TO = {
    PlaceKind.NONE: "it is no URL",
    PlaceKind.OPAQUE: "no program knows what it is",
    PlaceKind.EXTERNAL: "it leads to another host than was meant",
}


def check_link(seen: Seen) -> Issue | None:
    """Report a scheme that was meant and is not there."""
    read = reading(seen)
    if read.kind is not ReadingKind.MISSPELT or read.mended is None:
        return None
    if same_target(seen, read.mended):
        hint = Hint("write it as browsers read it", read.mended, certain=True)
        return Issue("what separates the scheme is misspelt: browsers overlook it", hint, level=Level.WARNING)
    consequence = _LEADS_TO.get(seen.place.kind, "it is read as a path")
    return Issue(f"the scheme or what separates it is misspelt: {consequence}", Hint("mend the scheme", read.mended))
