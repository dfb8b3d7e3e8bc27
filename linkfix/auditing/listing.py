"""The listing of a tree: its files, its folders and its pages.

Symbolic links are followed if they point into the tree.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import BinaryIO, NamedTuple

from linkfix.files.atomic import is_temporary, open_file
from linkfix.files.descriptors import FilePath, is_inside, join_inside, open_folder, open_parent
from linkfix.files.media_types import HEADER, ROBOTS, media_type, script_type, sniff, source_type
from linkfix.files.patterns import IgnoreScope, ignore_scope
from linkfix.model import PAGE_TYPES, SOURCE_TYPES, Envelope

#: The number of times that a folder is entered through symbolic links. Folders that link to each other have very many
#: such paths.
_ENTERED = 64
#: The folders of version control systems, and of installed packages.
_VERSION_CONTROL = frozenset({".git", ".hg", ".jj", ".svn"})
_INSTALLED = frozenset({"node_modules"})
#: The folder for Sphinx's copies of the source files of a site.
_COPIES = "_sources"


class PageFile(NamedTuple):
    """A document of the tree."""

    name: str
    """The document's name in the tree."""
    size: int
    """The size of the file, in bytes."""
    media_type: str
    identity: tuple[int, int]
    """The device and the inode. Names with the same identity are one file."""
    path: str
    """The path on disk, without symbolic links."""
    root: str
    """The real path of the tree."""
    envelope: Envelope | None = None
    """The facts about the document that its archive states; None for a file of a folder."""

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
    """The size of all pages, in bytes."""
    files: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    pages: list[PageFile] = field(default_factory=list)
    dangling: dict[str, str] = field(default_factory=dict)
    """Symbolic link that is not followed -> the reason."""
    failed: dict[str, str] = field(default_factory=dict)
    """Name of a file or folder that could not be read -> the reason."""
    documents: dict[str, PageFile] = field(default_factory=dict)
    """All documents, whether or not they are checked, if the names are no paths below the root; else empty."""
    left_out: Counter[str] = field(default_factory=Counter)
    """The reason that documents are left out -> their number."""

    def page_at(self, name: str) -> PageFile | None:
        """The document with a name, whether or not it is checked; None for any other file. Raises `OSError`."""
        return self.documents.get(name) if self.documents else page_at(self.root, name)

    def file(self, name: str) -> FilePath:
        """The path of a file."""
        document = self.documents.get(name)
        return FilePath(os.path.join(self.root, name), self.root) if document is None else document.file

    def take_out(self, folder: str) -> Listing:
        """Take the pages of a folder out of the listing, and return the listing of the folder.

        `folder`: its name with a slash at the end. Its files stay in this listing, too.
        """
        start = len(folder)
        inner = Listing(
            f"{self.root}/{folder[:-1]}",
            files=[name[start:] for name in self.files if name.startswith(folder)],
            folders=[name[start:] for name in self.folders if f"{name}/".startswith(folder)],
            pages=[page._replace(name=page.name[start:]) for page in self.pages if page.name.startswith(folder)],
            dangling={name[start:]: why for name, why in self.dangling.items() if name.startswith(folder)},
            failed={name[start:]: why for name, why in self.failed.items() if name.startswith(folder)},
        )
        inner.size = sum(page.size for page in inner.pages)
        self.pages = [page for page in self.pages if not page.name.startswith(folder)]
        self.size -= inner.size
        return inner

    def leave_out(self, is_left_out: Callable[[str], bool], reason: str) -> None:
        """Leave out documents. `is_left_out`: whether the one with a name is left out."""
        left = [page for page in self.pages if is_left_out(page.name)]
        if left:
            self.pages = [page for page in self.pages if not is_left_out(page.name)]
            self.size -= sum(page.size for page in left)
            self.left_out[reason] += len(left)


def list_tree(root: str, chosen: Callable[[str], bool] = lambda _: True, *, with_ignored: bool = True) -> Listing:
    """List the tree at the real path `root`. Never raises `OSError`: unreadable names are in `Listing.failed`.

    `chosen`: whether the file with a name may be a page.

    `with_ignored`: whether files that git ignores and installed packages (`node_modules/`) may be pages. If not, the
    folders of version control systems are not listed at all.
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
    """A folder that has yet to be listed."""

    name: str
    path: str
    """The folder's real path."""
    above: tuple[str, ...]
    """The real paths of the folders on the way to it, and its own real path."""
    scope: IgnoreScope | None
    """The files that git ignores in it; None if they do not matter, or if the tree is in no repository."""
    is_installed: bool = False
    """Whether the folder holds installed packages, or is inside such a folder."""

    def inner(self, name: str, path: str) -> _PendingFolder:
        """A folder inside this one."""
        scope = self.scope and self.scope.inner(path)
        is_installed = self.is_installed or name.rpartition("/")[2] in _INSTALLED
        return _PendingFolder(name, path, (*self.above, path), scope, is_installed)

    def why_left_out(self, path: str) -> str:
        """The reason that a file in this folder is left out; "" if it is not left out."""
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
    """The real path and the status of a name; None for a symbolic link that is not followed, which is recorded."""
    path = os.path.join(folder.path, entry.name)
    if not entry.is_symlink():
        return path, entry.stat(follow_symlinks=False)
    text = os.readlink(path)
    real, exists = _real_path(path, text, real_folder)
    if not exists:
        reason = f"symbolic link to {text}, which does not exist"
    elif not is_inside(real, listing.root):
        reason = f"symbolic link out of the site, to {text}"
    elif real in folder.above:
        reason = f"symbolic link to {text}, a folder that contains it"
    else:
        with open_parent(FilePath(real, listing.root)) as (parent, last):
            return real, parent.status(last)
    listing.dangling[name] = reason
    return None


def _real_path(path: str, text: str, real_folder: Callable[[str], str]) -> tuple[str, bool]:
    """The real path of a symbolic link, and whether it exists.

    `text`: the target that is written in the link. `real_folder`: a function that returns the real path of a folder;
    many links share the folder of their target.
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
    """The media type of a page or of a page's source file; "" if the content decides; None for any other file.

    Sphinx puts copies of source files into `_sources`, but not the files that they refer to.
    """
    *folders, last = name.split("/")
    found = media_type(last)
    if found == ROBOTS and folders:
        return None  # RFC 9309 §2.3: crawlers read it only at the root of a host
    return script_type(last) or _source_type(name) if found is None else found


def _source_type(name: str) -> str | None:
    *folders, last = name.split("/")
    return None if _COPIES in folders else source_type(last)


def _sniff(name: str, file: BinaryIO) -> str | None:
    """The media type of a file whose name leaves it open: `what?.md` may be a source, or a page with its query."""
    return sniff(name.rpartition("/")[2], file.read(HEADER)) or _source_type(name)


def page_at(root: str, name: str) -> PageFile | None:
    """The document with a name in the tree at the real path `root`, whether or not it is checked.

    None for any other file. Raises `OSError`.
    """
    found = _media_type(name)
    path = os.path.realpath(join_inside(root, name))
    if found is None or not is_inside(path, root):
        return None
    with open_file(FilePath(path, root)) as file:
        status = os.fstat(file.fileno())
        found = found or _sniff(name, file)
    return PageFile(name, status.st_size, found, (status.st_dev, status.st_ino), path, root) if found else None


def _without_copies(listing: Listing) -> None:
    """Drop Markdown files that have the page made from them beside them: that page is read instead."""
    if all(page.media_type not in SOURCE_TYPES for page in listing.pages):
        return
    made = {page.name.rpartition(".")[0] for page in listing.pages if page.media_type in PAGE_TYPES}
    kept = []
    for page in listing.pages:
        if page.media_type in SOURCE_TYPES and page.name.rpartition(".")[0] in made:
            listing.left_out["Markdown with its page beside it"] += 1
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
    """Add a file to the listing.

    `place`: its real path and its status. `folder`: the file's folder; None if no file is left out as ignored.
    """
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
            found = _sniff(name, file)
    if found:
        identity = (status.st_dev, status.st_ino)
        listing.pages.append(PageFile(name, status.st_size, found, identity, path, listing.root))
        listing.size += status.st_size
