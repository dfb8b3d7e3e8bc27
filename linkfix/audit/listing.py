"""The files and folders of a tree, and which files are pages.

Symbolic links are followed if they point into the tree.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from linkfix.dataclass import dataclass, field
from linkfix.files.atomic import open_file
from linkfix.files.descriptors import FilePath, is_inside, open_folder, open_parent
from linkfix.files.media_types import RESOURCE_HEADER, media_type, sniff_html
from linkfix.files.temporary import is_temporary

__all__ = ["Listing", "PageFile", "list_tree"]

#: How often a folder is entered through symbolic links: folders that link to each other have very many such paths.
_ENTERED = 64


class PageFile(NamedTuple):
    """A document of the tree."""

    name: str
    """In the tree."""
    size: int
    """Of the file, in bytes."""
    media_type: str
    identity: tuple[int, int]
    """Device and inode: names with the same identity are one file."""
    path: str
    """On disk, without symbolic links."""
    root: str
    """The real path of the tree."""

    @property
    def file(self) -> FilePath:
        """The path, for functions that follow no symbolic link on the way to it."""
        return FilePath(self.path, self.root)


@dataclass(slots=True)
class Listing:
    """The names in a tree, with "/" between folders, sorted."""

    root: str
    """The real path of the tree."""
    size: int = 0
    """Of all pages, in bytes."""
    files: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    pages: list[PageFile] = field(default_factory=list)
    dangling: dict[str, str] = field(default_factory=dict)
    """Symbolic links that are not followed -> why."""
    failed: dict[str, str] = field(default_factory=dict)
    """Names of what could not be read -> why."""


def list_tree(root: str, chosen: Callable[[str], bool] = lambda _: True) -> Listing:
    """List the tree at the real path `root`; files that are not `chosen` are no pages.

    Never raises `OSError`: what cannot be read is in `Listing.failed`.
    """
    listing = Listing(root)
    waiting = [_PendingFolder("", root, (root,))]
    entered: Counter[str] = Counter()
    real_folder = cache(os.path.realpath)
    while waiting:
        folder = waiting.pop()
        listing.folders.append(folder.name)
        try:
            with open_folder(FilePath(folder.path, root)) as opened:
                for entry in sorted(opened.entries(), key=lambda entry: entry.name):
                    name = f"{folder.name}/{entry.name}" if folder.name else entry.name
                    if is_temporary(entry.name):
                        continue
                    try:
                        found = _find(listing, folder, name, entry, real_folder)
                        if found is None:
                            continue
                        path, status = found
                        if not stat.S_ISDIR(status.st_mode):
                            _file(listing, name, path, status, chosen)
                        elif entered[path] < _ENTERED or path == os.path.join(root, name):
                            entered[path] += 1
                            waiting.append(_PendingFolder(name, path, (*folder.above, path)))
                        else:
                            listing.dangling[name] = "too many symbolic links point to this folder"
                    except OSError as error:
                        listing.failed[name] = error.strerror or str(error)
        except OSError as error:
            listing.failed[folder.name] = error.strerror or str(error)
    listing.files.sort()
    listing.folders.sort()
    listing.pages.sort()
    return listing


class _PendingFolder(NamedTuple):
    """A folder that is still to be listed."""

    name: str
    path: str
    """Its real path."""
    above: tuple[str, ...]
    """The real paths of the folders on the way to it, and its own."""


def _find(
    listing: Listing,
    folder: _PendingFolder,
    name: str,
    entry: os.DirEntry[str],
    real_folder: Callable[[str], str],
) -> tuple[str, os.stat_result] | None:
    """The real path of a name, and what is there; None for a symbolic link that is not followed, which is recorded."""
    path = os.path.join(folder.path, entry.name)
    if not entry.is_symlink():
        return path, entry.stat(follow_symlinks=False)
    text = os.readlink(path)
    real = _real_path(path, real_folder)
    if not os.path.exists(real):
        reason = f"symbolic link to {text}, which does not exist"
    elif not is_inside(real, listing.root):
        reason = f"symbolic link out of the tree, to {text}"
    elif real in folder.above:
        reason = f"symbolic link to {text}, a folder that contains it"
    else:
        with open_parent(FilePath(real, listing.root)) as (parent, last):
            return real, parent.status(last)
    listing.dangling[name] = reason
    return None


def _real_path(path: str, real_folder: Callable[[str], str]) -> str:
    """The real path of a symbolic link. `real_folder`: that of the folder of its target, which many links share."""
    folder, name = os.path.split(os.path.join(os.path.dirname(path), os.readlink(path)))
    real = os.path.join(real_folder(folder), name)
    return os.path.realpath(path) if name in {"", os.curdir, os.pardir} or os.path.islink(real) else real


def _file(listing: Listing, name: str, path: str, status: os.stat_result, chosen: Callable[[str], bool]) -> None:
    if not stat.S_ISREG(status.st_mode):
        return
    listing.files.append(name)
    found = media_type(name.rpartition("/")[2]) if chosen(name) else None
    if found == "":
        with open_file(FilePath(path, listing.root)) as file:
            found = sniff_html(file.read(RESOURCE_HEADER))
    if found:
        identity = (status.st_dev, status.st_ino)
        listing.pages.append(PageFile(name, status.st_size, found, identity, path, listing.root))
        listing.size += status.st_size
