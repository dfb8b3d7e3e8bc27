"""What the containers share: how a fault is said, which URLs count, what a name tells of a file, and which references
lead to files beside it.
"""

from __future__ import annotations

import mimetypes
import os
import re
from urllib.parse import unquote

from linkfix.base import usable
from linkfix.containers.tree import RESOURCE_HEADER, media_type, sniff
from linkfix.model import PROBLEMS, Problem
from linkfix.resolvers import RESOLVERS

__all__ = ["absolute_url", "content_type", "fault", "guess", "led", "suffix_type"]

_WHATWG = RESOLVERS["whatwg"]
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+:")
_CHARSET = re.compile(r""";[ \t]*+charset[ \t]*+=[ \t]*+(?:"([^"\\]*+)"|([^\s;"]++))""", re.IGNORECASE)
#: The table that Python comes with, the same on every system.
_SUFFIXES = mimetypes.MimeTypes()
#: HTML's ASCII whitespace.
_SPACE = "\t\n\f\r "


def fault(code: str, offset: int, particular: str) -> Problem:
    """A problem of a container, at an offset in bytes; a container counts as one line."""
    return Problem(code, f"{PROBLEMS[code]}: {particular}", offset, 1, offset + 1)


def absolute_url(text: str) -> str | None:
    """A URL that a container states, without white space around it; None where it is not absolute."""
    url = text.strip()
    return url if _SCHEME.match(url) and usable(url, _WHATWG) else None


def content_type(value: str) -> tuple[str, str | None]:
    """The media type, lower case and without parameters, and the charset of a Content-Type (RFC 9110 §8.3.1)."""
    charset = _CHARSET.search(value)
    return value.partition(";")[0].strip().lower(), (charset and (charset[1] or charset[2])) or None


def guess(name: str, data: bytes) -> str:
    """The media type of a part that has nothing but a file name; "" for none."""
    stated = media_type(os.path.basename(name))
    if stated:
        return stated
    return (sniff(data[:RESOURCE_HEADER]) if stated == "" else None) or suffix_type(name)


def suffix_type(name: str) -> str:
    """The media type that a file name's last suffix stands for; "" for none."""
    return _SUFFIXES.types_map[True].get(os.path.splitext(name)[1].lower(), "")


def led(name: str, names: frozenset[str], reference: str, _base: str | None = None) -> str | None:
    """What `Saver.leads` says of a relative reference in the file `name` of an archive whose files are `names`.

    "": it leads to one of these, and works there whatever the URL of the page was, so it has to stay; None: it does
    not, and means what it says. A file can have the query in its name, as savers write it, or the query means nothing.
    """
    path, mark, query = reference.strip(_SPACE).partition("#")[0].replace("\\", "/").partition("?")
    if not path or path.startswith("/"):
        return None
    place = name.split("/")[:-1]
    for segment in map(unquote, path.split("/")):
        if segment == ".." and not place:
            return None
        if segment == "..":
            place.pop()
        elif segment != ".":
            place.append(segment)
    target = "/".join(place)
    return "" if target in names or f"{target}{mark}{unquote(query)}" in names else None
