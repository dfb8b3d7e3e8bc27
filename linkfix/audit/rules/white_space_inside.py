"""There is white space inside the reference.

Browsers remove tabs and line breaks, and percent-encode spaces; other programs stop at them or keep them. White space
around a reference is no fault (HTML §2.4.1). White space in a host is `unresolvable`; scripts and data: URLs are left
alone.

Fails::

    <a href="ot
    her.html">a line break</a>

Fails::

    <a href="with space.html">a space</a>

Passes::

    <a href="with%20space.html">a space</a>

Passes::

    <a href=" other.html ">around it</a>
"""

from __future__ import annotations

import re

from linkfix.audit.model import Hint, Level
from linkfix.audit.references import ReadingKind, is_placeholder, reading, same_target, would_be
from linkfix.audit.rule import Issue, PlaceKind, Seen
from linkfix.urls import C0_CONTROL_OR_SPACE, strip_url

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF305"
LEVEL = Level.WARNING

_WHITE_SPACE = re.compile(r"[\t\n\f\r ]")
#: In these white space is code or data.
_FREE = re.compile(r"\s*(?:data|javascript|vbscript):", re.IGNORECASE)
#: A telephone number's parts are set apart by hyphens (RFC 3966 §3).
_NUMBER = re.compile(r"(?:tel|sms):", re.IGNORECASE)
#: A line break and the next line's indentation inside the reference (RFC 2396 Appendix E), or what is left of them.
_WRAPPED = re.compile(r"[^#]*  ")
_LEFT = frozenset({ReadingKind.DRIVE, ReadingKind.MISSPELT, ReadingKind.UNKNOWN, ReadingKind.GIVEN_UP})


def check_link(seen: Seen) -> Issue | None:
    """Report tabs, line breaks, form feeds and spaces that are not at an end."""
    link = seen.link
    inner = link.reference.strip(C0_CONTROL_OR_SPACE)
    if not _WHITE_SPACE.search(inner) or link.problem or is_placeholder(link):
        return None
    text = strip_url(inner)
    if _FREE.match(text) or reading(seen).kind in _LEFT:
        return None
    if text != inner:
        message = "browsers remove the tab or line break inside it, other programs do not"
    else:
        message = "there is a space inside it: browsers percent-encode it, other programs stop there"
    return Issue(message, _hint(seen, inner, text))


def _hint(seen: Seen, inner: str, text: str) -> Hint:
    """What to write; `inner` is the reference without white space around it, `text` as the URL parser has it."""
    joined = _WHITE_SPACE.sub("", inner)
    if _NUMBER.match(text):
        return Hint("write hyphens or nothing between the parts of the number", text.replace(" ", "-"))
    missing = seen.place.kind is PlaceKind.MISSING
    if _WRAPPED.match(text) or (missing and would_be(seen, joined).kind is PlaceKind.FILE):
        return Hint("remove the white space: the reference seems to have been wrapped", joined)
    reference = text.replace(" ", "%20").replace("\f", "%0C")
    what = "remove it" if joined == reference else "write %20 for a space"
    return Hint(what, reference, not missing and same_target(seen, reference))
