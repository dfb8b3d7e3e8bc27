r"""The name of a file, a drive or a host is read as a scheme.

What stands before the first colon of a reference is its scheme, so that a relative path cannot have a colon in its
first segment (RFC 3986 §4.2): `./` in front of it helps. A drive (`C:`) means something on one computer alone. What
looks like a scheme and like none of these is `unknown-scheme` or `misspelt-scheme`.

Fails::

    <a href="chapter1:intro.html">a file</a>

Fails::

    <a href="C:\docs\x.html">a file of one computer</a>

Fails::

    <a href="localhost:8000/x">a host with a port</a>

Passes::

    <a href="./chapter1:intro.html">a file</a>

Passes::

    <a href="folder/a:b.html">not in the first segment</a>
"""

from __future__ import annotations

from linkfix.audit.model import Hint, Level
from linkfix.audit.references import ReadingKind, reading, would_be
from linkfix.audit.rule import Issue, PlaceKind, Seen

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF303"
LEVEL = Level.WARNING


def check_link(seen: Seen) -> Issue | None:
    """Report a colon that makes a scheme of something else, or of nothing that can be one."""
    read = reading(seen)
    if read.kind is ReadingKind.DRIVE:
        return Issue("the letter of a drive is read as a scheme: no other computer has this file there")
    if read.kind is ReadingKind.HOST_PORT:
        return Issue(
            "a host with a port is read as a scheme with a path", Hint("write the scheme of the host", read.mended)
        )
    if read.kind is not ReadingKind.COLON or read.mended is None:
        return None
    hint = Hint("write ./ before it", read.mended, would_be(seen, read.mended).kind is PlaceKind.FILE)
    if read.scheme:
        return Issue("the first part of the name is read as a scheme because of the colon", hint)
    return Issue("its first segment has a colon: browsers take it for a path, for RFC 3986 it is no reference", hint)
