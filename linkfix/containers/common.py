"""Functions for several container formats: problems, stated URLs, references within an archive."""

from __future__ import annotations

from urllib.parse import unquote

from linkfix.document.base import as_base
from linkfix.files.folder import resolve_reference
from linkfix.model import PROBLEMS, Problem
from linkfix.resolvers import RESOLVERS
from linkfix.urls import scheme_of, strip_url

_WHATWG = RESOLVERS["whatwg"]


def container_problem(code: str, offset: int, detail: str) -> Problem:
    """Return a problem at a byte offset of a container. A container counts as one line."""
    return Problem(code, f"{PROBLEMS[code]}: {detail}", offset, 1, offset + 1)


def absolute_url(text: str) -> str | None:
    """Return the URL that a container states, without surrounding white space; None if it is not absolute.

    >>> absolute_url(" http://h/a "), absolute_url("a.html")
    ('http://h/a', None)
    """
    url = text.strip()
    return url if scheme_of(url) and as_base(url, _WHATWG) else None


def map_archive_reference(name: str, names: frozenset[str], reference: str, _base: str | None = None) -> str | None:
    """`Saver.map_reference` for the file `name` of an archive with the files `names`.

    Return "" if the reference names one of these files: it works within the archive and stays. Otherwise return None. A
    query is either a part of the file's name, as savers write it, or has no meaning.

    >>> map_archive_reference("docs/a.html", frozenset({"img/b.png"}), "../img/b.png?v=1")
    ''
    """
    file = resolve_reference(strip_url(reference), name.rpartition("/")[0])
    if file is None:
        return None
    with_query = file.name if file.query is None else f"{file.name}?{unquote(file.query)}"
    return "" if file.name in names or with_query in names else None
