"""References that name files by a relative path, in a tree or in an archive."""

from __future__ import annotations

import os
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from linkfix.files.descriptors import PATH_MAX

__all__ = ["FileReference", "resolve_reference"]


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
    path = path.replace("\\", "/")
    if not path or path.startswith("/") or path.endswith("/") or len(path) > PATH_MAX:
        return None
    names: list[str] = []
    for name in (*folder.split("/"), *(os.fsdecode(unquote_to_bytes(segment)) for segment in path.split("/"))):
        if name == "..":
            if not names:
                return None
            names.pop()
        elif name not in {"", "."}:
            names.append(name)
    whole = "/".join(names)
    return FileReference(whole, query if question else None, mark + fragment) if whole and "\0" not in whole else None
