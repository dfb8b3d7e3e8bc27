"""A "%" is not followed by two hexadecimal digits.

It stands for no byte (RFC 3986 §2.1). Browsers keep it as it is, and servers refuse it, guess, or take what follows
for something else. Scripts, data: URLs and placeholders are left alone; in a host it is `unresolvable`.

Fails::

    <a href="other.html?off=100%">a percent sign</a>

Passes::

    <a href="other.html?off=100%25">a percent sign</a>
"""

from __future__ import annotations

import re

from linkfix.audit.model import Hint, Level
from linkfix.audit.references import is_placeholder
from linkfix.audit.rule import Issue, Seen
from linkfix.urls import strip_url

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF306"
LEVEL = Level.WARNING

_BAD = re.compile(r"%(?![0-9A-Fa-f]{2})")
_FREE = re.compile(r"(?:data|javascript|vbscript):", re.IGNORECASE)


def check_link(seen: Seen) -> Issue | None:
    """Report percent signs that begin no percent-encoded byte."""
    link = seen.link
    if "%" not in link.reference or link.problem or is_placeholder(link):
        return None
    text = strip_url(link.reference)
    if not _BAD.search(text) or _FREE.match(text):
        return None
    return Issue(
        'a "%" is not followed by two hexadecimal digits: it stands for no byte',
        Hint("write %25 where a percent sign is meant", _BAD.sub("%25", text)),
    )
