"""The files of a project around the audited tree, and the beginnings of its sources."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path

from linkfix.auditing.generators.front_matter import LARGEST
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath

#: The folders that have no sources, and the largest number of files of a project.
_PASSED_OVER = frozenset({"node_modules", "__pycache__", "vendor"})
_MANY = 50_000


def project_files(root: str, passed_over: Collection[str]) -> Iterator[str]:
    """Yield the names of the files in a folder, without hidden ones. `passed_over`: the paths of folders to leave out.

    At most 50,000 files are read.
    """
    return islice(_walk(root, passed_over), _MANY)


def _walk(root: str, passed_over: Collection[str]) -> Iterator[str]:
    for folder, inner, files in os.walk(root):
        inner[:] = sorted(
            one
            for one in inner
            if one not in _PASSED_OVER and one[0] != "." and str(Path(folder, one)) not in passed_over
        )
        place = os.path.relpath(folder, root).replace(os.sep, "/")
        yield from (one if place == os.curdir else f"{place}/{one}" for one in sorted(files))


def read_beginning(root: str, name: str, limit: int = LARGEST) -> str:
    """The beginning of a file in a folder, where its front matter is; "" if it cannot be read."""
    try:
        with atomic.open_file(FilePath(f"{root}/{name}", root)) as file:
            return file.read(limit).decode("utf-8", "replace") if root else ""
    except OSError:
        return ""
