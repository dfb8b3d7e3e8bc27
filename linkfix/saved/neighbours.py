"""What stands beside a saved page in its tree: which files there are, HTTrack's list of them, and their own URLs.

Read as rarely as can be, and remembered: one for each process.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar
from urllib.parse import urlsplit

from linkfix.files.folder import FileTree
from linkfix.saved.layout import HTTrackIndex, Layout, Location, layout_url, locate

__all__ = ["HTTrackMirror", "LayoutPlace", "Neighbours"]

#: How many facts of a kind are remembered.
_REMEMBERED = 1 << 16
#: How far above a tree HTTrack's list is looked for: the tree may be one host's folder, or one in that.
_ABOVE = 3

_Fact = TypeVar("_Fact")


class _Memory(Generic[_Fact]):
    """Facts by key, found out once; forgotten all at once when there are too many."""

    def __init__(self) -> None:
        self._facts: dict[tuple[str, str], _Fact] = {}

    def get(self, key: tuple[str, str], find: Callable[[], _Fact]) -> _Fact:
        if key not in self._facts:
            if len(self._facts) >= _REMEMBERED:
                self._facts.clear()
            self._facts[key] = find()
        return self._facts[key]


class HTTrackMirror(NamedTuple):
    """An HTTrack mirror. `root`: what the names of its files in the tree begin with; `above`: or else the tree's place
    in it. One of both is empty, the other has a final slash or is empty too.
    """

    listed: HTTrackIndex
    root: str
    above: str

    def row(self, name: str) -> tuple[str, int] | None:
        """The URL of a file of the tree, and the line that says it."""
        return self.listed.rows.get(self._name(name))

    def failed(self, name: str) -> str | None:
        """The URL of a page that was not there, to which links have this name."""
        return self.listed.failed.get(self._name(name))

    def _name(self, name: str) -> str:
        return self.above + name[len(self.root) :] if name.startswith(self.root) else ""


class LayoutPlace(NamedTuple):
    """Where a file stands by the layout of its tree."""

    layout: Layout
    location: Location
    url: str


class Neighbours:
    """The files of trees, read as mirrors of a layout."""

    def __init__(self, layout: str | None) -> None:
        self.layout = layout
        self._exists: _Memory[bool] = _Memory()
        self._indexes: _Memory[HTTrackIndex | None] = _Memory()

    def exists(self, tree: FileTree, name: str) -> bool:
        """Whether a tree has a file of this name; a symbolic link is none."""
        return self._exists.get((tree.root, name), lambda: _is_file(tree.path(name)))

    def mirror(self, tree: FileTree, name: str) -> HTTrackMirror | None:
        """The HTTrack mirror that a file is in, if its list is there."""
        folder = name.rpartition("/")[0]
        while True:
            index = self._index(tree.path(folder))
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

    def _index(self, folder: str) -> HTTrackIndex | None:
        return self._indexes.get((folder, ""), lambda: HTTrackIndex.load(folder))

    def placed(self, tree: FileTree, name: str) -> LayoutPlace | None:
        """Where a file stands by the layout of the run, and the URL that follows.

        "auto": HTTrack's where its list is there; wget's where the first folder of the tree, or the tree's own, is
        named as a host is.
        """
        if self.layout is None:
            return None
        httrack = self.layout == "httrack" or (self.layout == "auto" and self.mirror(tree, name) is not None)
        layout: Layout = "httrack" if httrack else "wget"
        location = locate(tree.root, name, layout)
        if location is None or (self.layout == "auto" and not location.plain):
            return None
        own = urlsplit(tree.url or "")
        scheme = own.scheme if own.netloc == location.authority else "http"
        return LayoutPlace(layout, location, layout_url(location, layout, scheme))


def _is_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except (OSError, ValueError):  # a name that no file can have
        return False
