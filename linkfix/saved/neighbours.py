"""The files beside a saved page in its tree: which there are, HTTrack's index of them, and their URLs by the layout.

The file system is read as rarely as possible, and results are remembered: have one object for each process.
"""

from __future__ import annotations

import os
from typing import NamedTuple
from urllib.parse import urlsplit

from linkfix.files.folder import FileTree
from linkfix.saved.layout import HTTrackIndex, Layout, Location, layout_url, locate
from linkfix.saved.memory import Memory

__all__ = ["HTTrackMirror", "LayoutPlace", "Neighbours"]

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
        self._indexes: Memory[HTTrackIndex | None] = Memory()

    def exists(self, tree: FileTree, name: str) -> bool:
        """Whether a tree has a regular file of this name."""
        return self._exists.get((tree.root, name), lambda: tree.has_file(name))

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
