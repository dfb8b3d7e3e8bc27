"""The files beside a saved page in its tree: which there are, HTTrack's index of them, and their URLs by the layout.

The file system is read as rarely as possible, and results are remembered: have one object for each process.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache, partial
from typing import NamedTuple
from urllib.parse import urlsplit

from linkfix.files.folder import FileTree
from linkfix.saved.companions import is_companion, name_key
from linkfix.saved.layout import HTTrackIndex, Layout, Location, layout_url, locate
from linkfix.saved.memory import Memory

__all__ = ["ArchiveMember", "HTTrackMirror", "LayoutPlace", "Neighbours", "Surroundings"]

#: How many folders above a tree are searched for HTTrack's index: the tree may be a host's folder, or one in that.
_ABOVE = 3


class HTTrackMirror(NamedTuple):
    """An HTTrack mirror that holds the tree, or is in it. Paths of folders are empty or end with a slash."""

    listing: HTTrackIndex
    root: str
    """The path of the mirror in the tree."""
    above: str
    """The path of the tree in the mirror."""

    def row(self, name: str) -> tuple[str, int] | None:
        """The URL of a file of the tree, and the line of the index that states it."""
        return self.listing.rows.get(self._name(name))

    def failed(self, name: str) -> str | None:
        """The URL of a page that could not be fetched, by the name that links use for it."""
        return self.listing.failed.get(self._name(name))

    def _name(self, name: str) -> str:
        return self.above + name[len(self.root) :] if name.startswith(self.root) else ""


class ArchiveMember(NamedTuple):
    """A document in an archive."""

    name: str
    """Its name in the archive."""
    files: frozenset[str]
    """The names of all files of the archive."""


def _has_none(_: str) -> bool:
    return False


class Surroundings(NamedTuple):
    """The files around a saved page, in a tree or an archive. Names that differ only in case or in Unicode
    normalization are one: moving files between file systems changes both.
    """

    name: str = ""
    """The page's name; "" where nothing is known of the files around it."""
    has_file: Callable[[str], bool] = _has_none
    """Whether there is a file of this name."""
    has_folder: Callable[[str], bool] = _has_none
    """Whether there is a folder of this name."""
    is_in_companion: bool = False
    """Whether the page is in a folder that is named as those of saved pages are."""

    @property
    def folder(self) -> str:
        """The path of the page's folder; empty or ends with a slash."""
        return self.name[: self.name.rfind("/") + 1]

    @classmethod
    def in_archive(cls, member: ArchiveMember) -> Surroundings:
        """What is around a document of an archive."""

        def has_file(name: str) -> bool:
            return name in member.files or name_key(name) in _keys(member.files)[0]

        def has_folder(name: str) -> bool:
            return name_key(name) in _keys(member.files)[1]

        folder = member.name.rpartition("/")[0]
        return cls(member.name, has_file, has_folder, is_companion(folder.rpartition("/")[2]))


@lru_cache(maxsize=2)
def _keys(names: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The keys of files, and those of the folders that they are in."""
    files = frozenset(map(name_key, names))
    folders: set[str] = set()
    for name in files:
        folder = name.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return files, frozenset(folders)


class LayoutPlace(NamedTuple):
    """Where a file is by the layout of its tree."""

    layout: Layout
    location: Location
    url: str
    """The URL that follows from it."""


class Neighbours:
    """The files of trees, read by a layout."""

    def __init__(self, layout: str | None) -> None:
        self.layout = layout
        self._exists: Memory[bool] = Memory()
        self._listings: Memory[dict[str, str]] = Memory()
        self._indexes: Memory[HTTrackIndex | None] = Memory()

    def exists(self, tree: FileTree, name: str) -> bool:
        """Whether a tree has a regular file of this name."""
        return self._exists.get((tree.root, name), lambda: tree.has_file(name))

    def surroundings(self, tree: FileTree, name: str) -> Surroundings:
        """What is around a file of a tree."""
        folder = name.rpartition("/")[0] or tree.root
        is_in_companion = is_companion(os.path.basename(folder))
        return Surroundings(name, partial(self._has_file, tree), partial(self._has_folder, tree), is_in_companion)

    def names_in(self, tree: FileTree, folder: str) -> list[str]:
        """The names in a folder of a tree, sorted."""
        return sorted(self._listing(tree, folder).values())

    def find(self, tree: FileTree, name: str) -> str | None:
        """The file or folder that a name means: the one of this name, or one that `Surroundings` takes for it."""
        found = ""
        for part in name.split("/"):
            listing = self._listing(tree, found)
            real = listing.get(name_key(part))
            if real is None:
                return None
            found = f"{found}/{real}" if found else real
        return found

    def _has_file(self, tree: FileTree, name: str) -> bool:
        if self.exists(tree, name):
            return True
        found = self.find(tree, name)
        return found is not None and found != name and self.exists(tree, found)

    def _has_folder(self, tree: FileTree, name: str) -> bool:
        if tree.has_folder(name):
            return True
        found = self.find(tree, name)
        return found is not None and found != name and tree.has_folder(found)

    def _listing(self, tree: FileTree, folder: str) -> dict[str, str]:
        """The names in a folder of a tree, by what is alike in them."""

        def read() -> dict[str, str]:
            return {name_key(name): name for name in sorted(tree.names_in(folder), reverse=True)}

        return self._listings.get((tree.root, folder), read)

    def mirror(self, tree: FileTree, name: str) -> HTTrackMirror | None:
        """The HTTrack mirror that a file is in, where its index is there."""
        folder = name.rpartition("/")[0]
        while True:
            index = self._index(tree.path(folder), tree)
            if index is not None:
                return HTTrackMirror(index, folder and f"{folder}/", "")
            if not folder:
                break
            folder = folder.rpartition("/")[0]
        outer, above = tree.root, ""
        for _ in range(_ABOVE):
            outer, last = os.path.split(outer)
            above = f"{last}/{above}"
            index = self._index(outer) if last else None
            if index is not None:
                return HTTrackMirror(index, "", above)
        return None

    def _index(self, folder: str, tree: FileTree | None = None) -> HTTrackIndex | None:
        """The index in a folder: of the tree, or above one."""
        return self._indexes.get((folder, ""), lambda: HTTrackIndex.load(folder, tree.root if tree else None))

    def place(self, tree: FileTree, name: str) -> LayoutPlace | None:
        """Where a file is by the layout of the run, and the URL that follows from it.

        "auto" is HTTrack's layout where its index is there, else wget's where the tree's own folder, or one of its
        first, is named after a host.
        """
        if self.layout is None:
            return None
        httrack = self.layout == "httrack" or (self.layout == "auto" and self.mirror(tree, name) is not None)
        layout: Layout = "httrack" if httrack else "wget"
        location = locate(tree.root, name, layout)
        if location is None or (self.layout == "auto" and not location.is_top_level):
            return None
        own = urlsplit(tree.url or "")
        scheme = own.scheme if own.netloc == location.authority else "http"
        return LayoutPlace(layout, location, layout_url(location, layout, scheme))
