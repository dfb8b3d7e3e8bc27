r"""The path has a backslash.

Browsers read it as "/" in http:, https:, ftp:, ws: and file: URLs (URL standard §4.4). By RFC 3986 no URL has one:
servers and other programs take it for a character of a name, or refuse it. A drive (`C:\`) is
`colon-in-first-segment`, `http:\x` is `missing-slashes`.

Fails::

    <a href="folder\index.html">a path of one system</a>

Passes::

    <a href="folder/index.html">a path</a>

Passes::

    <a href="other.html?a\b">not in the path</a>
"""

from __future__ import annotations

import re

from linkfix.audit.model import Hint, Level
from linkfix.audit.references import (
    ReadingKind,
    is_placeholder,
    reading,
    same_target,
    slashless,
    special_scheme,
)
from linkfix.audit.rule import Issue, Seen
from linkfix.urls import strip_url

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF304"
LEVEL = Level.WARNING

_BEFORE_QUERY = re.compile(r"[^?#]*")
_LEFT = frozenset({ReadingKind.DRIVE, ReadingKind.MISSPELT})


def check_link(seen: Seen) -> Issue | None:
    """Report a backslash that browsers make a slash of."""
    link = seen.link
    path = _BEFORE_QUERY.match(link.reference)
    if path is None or "\\" not in path[0] or link.problem or not special_scheme(link) or is_placeholder(link):
        return None
    if reading(seen).kind in _LEFT or slashless(link) is not None:
        return None
    reference = path[0].replace("\\", "/") + link.reference[path.end() :]
    if strip_url(path[0]).startswith("\\\\"):  # a share of a network, as Windows writes it
        return Issue(r"\\ begins the name of another host: browsers read it as //", Hint("write slashes", reference))
    return Issue(
        "browsers read the backslash as a slash, servers and other programs do not",
        Hint("write slashes", reference, same_target(seen, reference)),
    )
