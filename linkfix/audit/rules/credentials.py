"""The reference holds a password.

Whoever reads the page can read it, and so can every program that the reference passes through (RFC 3986 §3.2.1, §7.5).
Browsers show a warning, or ignore it. A user's name alone is no fault.

Fails::

    <a href="https://user:secret@elsewhere.example/">with a password</a>

Passes::

    <a href="ftp://anonymous@elsewhere.example/">without</a>
"""

from __future__ import annotations

import re

from linkfix.audit.model import Hint, Level
from linkfix.audit.references import is_placeholder
from linkfix.audit.rule import Issue, Seen
from linkfix.urls import SCHEME, strip_url

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF307"
LEVEL = Level.WARNING

#: Of a reference's authority: what comes before the user information, that itself, and what comes after it.
_USERINFO = re.compile(rf"((?:{SCHEME}:)?[/\\]{{2,}})([^/\\?#]*)@([^/\\?#@]*)")


def check_link(seen: Seen) -> Issue | None:
    """Report a password in the user information. It is in neither the message nor the cause."""
    if "@" not in seen.link.reference or is_placeholder(seen.link):
        return None
    text = strip_url(seen.link.reference)
    match = _USERINFO.match(text)
    if match is None or not match[2].partition(":")[2]:
        return None
    return Issue(
        "it holds a password, which everybody who reads the page can read",
        Hint("leave the user information out, and change the password", match[1] + match[3] + text[match.end() :]),
        cause=f"a password for {match[3] or 'no host'}",
    )
