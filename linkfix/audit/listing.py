"""The files and folders of a tree, and which files are pages.

Symbolic links are followed if they point into the tree.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from linkfix.files.atomic import is_temporary, open_file
from linkfix.files.descriptors import FilePath, is_inside, open_folder, open_parent
from linkfix.files.media_types import HEADER, ROBOTS, media_type, script_type, sniff, source_type
from linkfix.files.patterns import IgnoreScope, ignore_scope
from linkfix.model import PAGE_TYPES

#: How often a folder is entered through symbolic links: folders that link to each other have very many such paths.
_ENTERED = 64
#: Folders of version control systems, and of installed packages.
_VERSION_CONTROL = frozenset({".git", ".hg", ".jj", ".svn"})
_INSTALLED = frozenset({"node_modules"})
#: The folder in which Sphinx keeps copies of the sources that it has built a site of.
_COPIES = "_sources"


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
    left_out: Counter[str] = field(default_factory=Counter)
    """Why files are no pages that have the name of one -> how many."""


def list_tree(root: str, chosen: Callable[[str], bool] = lambda _: True, *, with_ignored: bool = True) -> Listing:
    """List the tree at the real path `root`; files that are not `chosen` are no pages.

    Not `with_ignored`: what git ignores and installed packages (`node_modules/`) are no pages either, and version
    control's own folders are not listed at all. Never raises `OSError`: what cannot be read is in `Listing.failed`.
    """
    listing = Listing(root)
    scope = None if with_ignored else ignore_scope(root)
    waiting = [_PendingFolder("", root, (root,), scope)]
    entered: Counter[str] = Counter()
    real_folder = cache(os.path.realpath)
    while waiting:
        folder = waiting.pop()
        listing.folders.append(folder.name)
        try:
            with open_folder(FilePath(folder.path, root)) as opened:
                for entry in sorted(opened.entries(), key=lambda entry: entry.name):
                    name = f"{folder.name}/{entry.name}" if folder.name else entry.name
                    if is_temporary(entry.name) or (not with_ignored and entry.name in _VERSION_CONTROL):
                        continue
                    try:
                        found = _find(listing, folder, name, entry, real_folder)
                        if found is None:
                            continue
                        path, status = found
                        if not stat.S_ISDIR(status.st_mode):
                            _file(listing, name, found, chosen, None if with_ignored else folder)
                        elif entered[path] < _ENTERED or path == os.path.join(root, name):
                            entered[path] += 1
                            waiting.append(folder.inner(name, path))
                        else:
                            listing.dangling[name] = "too many symbolic links point to this folder"
                    except OSError as error:
                        listing.failed[name] = error.strerror or str(error)
        except OSError as error:
            listing.failed[folder.name] = error.strerror or str(error)
    _without_copies(listing)
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
    scope: IgnoreScope | None
    """What git ignores in it; None where nothing is asked, or the tree is in no repository."""
    is_installed: bool = False
    """Whether it is one of installed packages, or in one."""

    def inner(self, name: str, path: str) -> _PendingFolder:
        """A folder in this one."""
        scope = self.scope and self.scope.inner(path)
        is_installed = self.is_installed or name.rpartition("/")[2] in _INSTALLED
        return _PendingFolder(name, path, (*self.above, path), scope, is_installed)

    def why_left_out(self, path: str) -> str:
        """Why a file in this folder is left out; "" where it is not."""
        if self.is_installed:
            return "in node_modules"
        if self.scope is None or not (self.scope.ignored or self.scope.patterns):
            return ""
        return "ignored by git" if self.scope.ignores(path, is_folder=False) else ""


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
    real, exists = _real_path(path, text, real_folder)
    if not exists:
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


def _real_path(path: str, text: str, real_folder: Callable[[str], str]) -> tuple[str, bool]:
    """The real path of a symbolic link, and whether there is anything. `text`: what is written in the link.
    `real_folder`: gives that of the folder of its target, which many links share.
    """
    folder, name = os.path.split(os.path.join(os.path.dirname(path), text))
    if name not in {"", os.curdir, os.pardir}:
        real = os.path.join(real_folder(folder), name)
        try:
            if not stat.S_ISLNK(os.lstat(real).st_mode):
                return real, True
        except OSError:
            return real, False
    real = os.path.realpath(path)
    return real, os.path.exists(real)


def _media_type(name: str) -> str | None:
    """The media type of a page or a page's source; "" where the content decides.

    Sphinx puts copies of sources into `_sources`, without what they refer to.
    """
    *folders, last = name.split("/")
    found = media_type(last)
    if found == ROBOTS and folders:
        return None  # RFC 9309 §2.3: it is read at the root of a host alone
    if found is None:
        found = script_type(last) or (None if _COPIES in folders else source_type(last))
    return found


def _without_copies(listing: Listing) -> None:
    """Take Markdown for no page that has the page made of it beside it: that one is read."""
    if all(page.media_type != "text/markdown" for page in listing.pages):
        return
    made = {page.name.rpartition(".")[0] for page in listing.pages if page.media_type in PAGE_TYPES}
    kept = []
    for page in listing.pages:
        if page.media_type == "text/markdown" and page.name.rpartition(".")[0] in made:
            listing.left_out["beside the page made of it"] += 1
            listing.size -= page.size
        else:
            kept.append(page)
    listing.pages = kept


def _file(
    listing: Listing,
    name: str,
    place: tuple[str, os.stat_result],
    chosen: Callable[[str], bool],
    folder: _PendingFolder | None,
) -> None:
    """`place`: its real path, and what is there. `folder`: the one that it is in, if what is ignored is left out."""
    path, status = place
    if not stat.S_ISREG(status.st_mode):
        return
    listing.files.append(name)
    found = _media_type(name) if chosen(name) else None
    if found is not None and folder is not None and (reason := folder.why_left_out(path)):
        listing.left_out[reason] += 1
        found = None
    if found == "":
        with open_file(FilePath(path, listing.root)) as file:
            found = sniff(name.rpartition("/")[2], file.read(HEADER))
    if found:
        identity = (status.st_dev, status.st_ino)
        listing.pages.append(PageFile(name, status.st_size, found, identity, path, listing.root))
        listing.size += status.st_size
