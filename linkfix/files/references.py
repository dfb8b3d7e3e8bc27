"""References that name files by a relative path, in a tree or in an archive."""

from __future__ import annotations

import os
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from linkfix.files.descriptors import PATH_MAX

__all__ = ["FileReference", "readings", "resolve_reference"]


class FileReference(NamedTuple):
    """A reference to a file."""

    name: str
    """The file's path below the root, with "/" between folders."""
    query: str | None
    """Without its "?"; None where there is none."""
    fragment: str
    """With its "#"; "" where there is none."""


def resolve_reference(reference: str, folder: str) -> FileReference | None:
    """Resolve a path-relative reference, without white space around it, in a folder below the root ("" for the root).

    None where it has another form, ends with a slash, or names the root or something above it.

    >>> resolve_reference("../img/a%20b.png?v=1#x", "docs")
    FileReference(name='img/a b.png', query='v=1', fragment='#x')
    >>> resolve_reference("/img/a.png", "docs"), resolve_reference("../../a", "docs")
    (None, None)
    """
    before, mark, fragment = reference.partition("#")
    path, question, query = before.partition("?")
    name = _resolve_path([os.fsdecode(unquote_to_bytes(segment)) for segment in _segments(path)], folder)
    return FileReference(name, query if question else None, mark + fragment) if name else None


def readings(reference: str, folder: str) -> list[str]:
    """The names that a path-relative reference can mean, as `resolve_reference` takes it, first as a URL.

    Savers also write file names as they are: then "%" and "#" are part of the name. None of them leaves "?" in a name.

    >>> readings("C%23_files/a.css", ""), readings("C#_files/a.css", "d"), readings("a b/c.png", "")
    (['C#_files/a.css', 'C%23_files/a.css'], ['d/C', 'd/C#_files/a.css'], ['a b/c.png'])
    """
    as_url = resolve_reference(reference, folder)
    names = [as_url.name] if as_url is not None else []
    if "?" not in reference and ("%" in reference or "#" in reference):
        names.append(_resolve_path(_segments(reference), folder))
    return list(dict.fromkeys(name for name in names if name))


def _segments(path: str) -> list[str]:
    """The segments of a relative path that names a file; none for any other path."""
    path = path.replace("\\", "/")
    if path.startswith("/") or path.endswith("/") or len(path) > PATH_MAX:
        return []
    return path.split("/") if path else []


def _resolve_path(segments: list[str], folder: str) -> str:
    """The path below the root of a path in a folder; "" for the root and what is above it."""
    names: list[str] = []
    for name in (*folder.split("/"), *segments) if segments else ():
        if name == "..":
            if not names:
                return ""
            names.pop()
        elif name not in {"", "."}:
            names.append(name)
    whole = "/".join(names)
    return "" if "\0" in whole else whole
