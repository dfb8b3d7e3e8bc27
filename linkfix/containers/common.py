"""What the containers share: how a fault is said, which URLs count, and which references lead to files beside a page."""

from __future__ import annotations

import re
from urllib.parse import unquote

from linkfix.document.base import as_base
from linkfix.model import PROBLEMS, Problem
from linkfix.resolvers import RESOLVERS
from linkfix.urls import SCHEME

__all__ = ["absolute_url", "fault", "led"]

_WHATWG = RESOLVERS["whatwg"]
_SCHEME = re.compile(rf"{SCHEME}:")
#: HTML's ASCII whitespace.
_SPACE = "\t\n\f\r "


def fault(code: str, offset: int, particular: str) -> Problem:
    """A problem of a container, at an offset in bytes; a container counts as one line."""
    return Problem(code, f"{PROBLEMS[code]}: {particular}", offset, 1, offset + 1)


def absolute_url(text: str) -> str | None:
    """A URL that a container states, without white space around it; None where it is not absolute."""
    url = text.strip()
    return url if _SCHEME.match(url) and as_base(url, _WHATWG) else None


def led(name: str, names: frozenset[str], reference: str, _base: str | None = None) -> str | None:
    """What `Saver.map_reference` says of a relative reference in the file `name` of an archive whose files are `names`.

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
