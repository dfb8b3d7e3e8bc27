"""The page that a folder of saved files belongs to: the one that a browser saved, whatever either is called now."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import NamedTuple

from linkfix.files.folder import FileTree
from linkfix.saved.companions import companions_in, is_companion, name_key, page_stem
from linkfix.saved.mark import Mark
from linkfix.saved.markers import HEAD_SIZE, find_marks
from linkfix.saved.memory import Memory
from linkfix.saved.neighbours import Neighbours
from linkfix.saved.page import SavedPage

__all__ = ["CompanionPage", "CompanionPages"]

#: The suffixes of pages that browsers save.
_SUFFIXES = (".html", ".htm", ".xhtml")
#: How many pages beside a folder are searched for the names of folders, and how many bytes of each.
_PAGES, _SIZE = 4096, 1 << 22


class CompanionPage(NamedTuple):
    """A page that a browser saved, with its own files in a folder beside it."""

    tree: FileTree
    """The tree that it is in: that of the files, or the folder above."""
    name: str
    """Its name in that tree."""
    mark: Mark
    """The browser's."""

    def head(self) -> bytes:
        """Its first `HEAD_SIZE` bytes; none where it cannot be read."""
        return _read(self.tree, self.name, HEAD_SIZE)


class CompanionPages:
    """Finds the pages that folders belong to, and remembers them."""

    def __init__(self, neighbours: Neighbours) -> None:
        self._neighbours = neighbours
        self._pages: Memory[CompanionPage | None] = Memory()
        self._named: Memory[dict[str, CompanionPage]] = Memory()

    def page_of(self, tree: FileTree, name: str) -> CompanionPage | None:
        """The page that a file of a tree was saved with; None for a file in another folder than that of such a page.

        A tree may be such a folder itself; then the page is beside the tree.
        """
        folder, slash, _ = name.rpartition("/")
        if not slash:
            above, folder = os.path.split(tree.root)
            tree = replace(tree, root=above, url=None)
        if not is_companion(folder.rpartition("/")[2]):
            return None
        return self._pages.get((tree.root, folder), lambda: self._find(tree, folder))

    def _find(self, tree: FileTree, folder: str) -> CompanionPage | None:
        """The page that is named as the folder is, or else one that refers to it."""
        above, slash, last = folder.rpartition("/")
        for suffix in _SUFFIXES:
            name = self._neighbours.find(tree, above + slash + page_stem(last) + suffix)
            mark = _browser_mark(_read(tree, name, HEAD_SIZE)) if name and self._neighbours.exists(tree, name) else None
            if name and mark:
                return CompanionPage(tree, name, mark)
        named = self._named.get((tree.root, above), lambda: self._pages_by_folder(tree, above))
        return named.get(name_key(last))

    def _pages_by_folder(self, tree: FileTree, above: str) -> dict[str, CompanionPage]:
        """The key of a folder's name -> the first of the pages beside it that a browser saved and that refers to it."""
        names = self._neighbours.names_in(tree, above)
        folders = {name_key(name) for name in names if is_companion(name)}
        found: dict[str, CompanionPage] = {}
        for last in [name for name in names if name.lower().endswith(_SUFFIXES)][:_PAGES]:
            name = f"{above}/{last}" if above else last
            data = _read(tree, name, _SIZE) if self._neighbours.exists(tree, name) else b""
            mark = _browser_mark(data[:HEAD_SIZE])
            if mark is not None:
                page = CompanionPage(tree, name, mark)
                for key in companions_in(SavedPage(data).data, folders):
                    found.setdefault(key, page)
        return found


def _read(tree: FileTree, name: str, size: int) -> bytes:
    """The first bytes of a file; none where it cannot be read."""
    try:
        with tree.open(name) as file:
            return file.read(size)
    except OSError:
        return b""


def _browser_mark(head: bytes) -> Mark | None:
    """The mark of the browser that saved a page."""
    return next((one.mark for one in find_marks(SavedPage(head).data) if one.links == "folder"), None)
