"""What is in a tree: the names of its files and folders, and which of them are pages. Symbolic links are followed where
they lead into the tree.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from linkfix.files import atomic
from linkfix.files.media_types import RESOURCE_HEADER, media_type, sniff_html

__all__ = ["Listing", "PageFile", "listed"]

#: By how many ways of symbolic links a folder is entered: folders that link to each other have a great many.
_ENTERED = 64


class PageFile(NamedTuple):
    """A document of the tree: its name, the size of its file in bytes, its media type, which file it is (names with the
    same `identity` are one file), and where that is on disk.
    """

    name: str
    size: int
    media_type: str
    identity: tuple[int, int]
    path: str


@dataclass(slots=True)
class Listing:
    """The names in a tree, "/" between folders, sorted. `size`: of all pages, in bytes.

    `dangling`: symbolic links that lead out of the tree, to nothing, or in a circle -> why. `failed`: what could not
    be read -> why.
    """

    root: str
    size: int = 0
    files: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    pages: list[PageFile] = field(default_factory=list)
    dangling: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def listed(root: str, chosen: Callable[[str], bool] = lambda _: True) -> Listing:
    """Read the folders of the tree at the real path `root`. Files that are not `chosen` are no pages. Never raises
    `OSError`: what cannot be read is `failed`.
    """
    listing = Listing(root)
    waiting = [_Folder("", root, (root,))]
    entered: Counter[str] = Counter()
    while waiting:
        folder = waiting.pop()
        listing.folders.append(folder.name)
        try:
            with os.scandir(folder.path) as entries:
                inner = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            listing.failed[folder.name] = error.strerror or str(error)
            continue
        for entry in inner:
            name = f"{folder.name}/{entry.name}" if folder.name else entry.name
            if atomic.is_temporary(entry.name):
                continue
            try:
                path = _followed(listing, folder, name, entry)
                if path is None:
                    continue
                if not entry.is_dir():
                    _file(listing, name, path, entry, chosen)
                elif entered[path] < _ENTERED or path == os.path.join(root, name):
                    entered[path] += 1
                    waiting.append(_Folder(name, path, (*folder.above, path)))
                else:
                    listing.dangling[name] = "symbolic links lead to this folder in too many ways"
            except OSError as error:
                listing.failed[name] = error.strerror or str(error)
    listing.files.sort()
    listing.folders.sort()
    listing.pages.sort()
    return listing


class _Folder(NamedTuple):
    """A folder: its name in the tree, its real path, and the real paths of the folders that it was reached by."""

    name: str
    path: str
    above: tuple[str, ...]


def _followed(listing: Listing, folder: _Folder, name: str, entry: os.DirEntry[str]) -> str | None:
    """The real path of a name; None, and noted, where it is a symbolic link that is not followed."""
    path = os.path.join(folder.path, entry.name)
    if not entry.is_symlink():
        return path
    text = os.readlink(path)
    real = os.path.realpath(path)
    if not os.path.exists(real):
        reason = f"symbolic link to {text}, which is not there"
    elif not atomic.is_inside(real, listing.root):
        reason = f"symbolic link out of the tree, to {text}"
    elif real in folder.above:
        reason = f"symbolic link to {text}, a folder that it is in itself"
    else:
        return real
    listing.dangling[name] = reason
    return None


def _file(listing: Listing, name: str, path: str, entry: os.DirEntry[str], chosen: Callable[[str], bool]) -> None:
    status = entry.stat()
    if not stat.S_ISREG(status.st_mode):
        return
    listing.files.append(name)
    found = media_type(entry.name) if chosen(name) else None
    if found == "":
        with open(path, "rb") as file:
            found = sniff_html(file.read(RESOURCE_HEADER))
    if found:
        listing.pages.append(PageFile(name, status.st_size, found, (status.st_dev, status.st_ino), path))
        listing.size += status.st_size
