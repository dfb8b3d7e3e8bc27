"""The page that a folder of saved files belongs to: the one that a browser saved, whatever either is called now."""

from __future__ import annotations

import os
import unicodedata
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from linkfix.files.folder import FileTree
from linkfix.saved.companions import is_companion, page_stem
from linkfix.saved.mark import Mark
from linkfix.saved.markers import HEAD_SIZE, find_marks
from linkfix.saved.memory import Memory
from linkfix.saved.neighbours import Neighbours
from linkfix.saved.page import SavedPage

__all__ = ["CompanionPage", "CompanionPages"]

#: The suffixes of pages that browsers save.
_SUFFIXES = (".html", ".htm", ".xhtml")
#: How many pages beside a folder are searched for its name, and how many bytes of each.
_PAGES, _SIZE = 256, 1 << 22


class CompanionPage(NamedTuple):
    """A page that a browser saved, with its own files in a folder beside it."""

    tree: FileTree
    """The tree that it is in: that of the files, or the folder above."""
    name: str
    """Its name in that tree."""
    head: bytes
    """Its first `HEAD_SIZE` bytes."""
    mark: Mark
    """The browser's."""


class CompanionPages:
    """Finds the pages that folders belong to, and remembers them."""

    def __init__(self, neighbours: Neighbours) -> None:
        self._neighbours = neighbours
        self._pages: Memory[CompanionPage | None] = Memory()

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
        names = [self._neighbours.find(tree, above + slash + page_stem(last) + suffix) for suffix in _SUFFIXES]
        named = next((page for name in names if name and (page := self._marked_page(tree, name, ""))), None)
        if named is not None:
            return named
        others = [name for name in self._neighbours.names_in(tree, above) if name.lower().endswith(_SUFFIXES)][:_PAGES]
        pages = (self._marked_page(tree, above + slash + name, last) for name in others)
        return next((page for page in pages if page is not None), None)

    def _marked_page(self, tree: FileTree, name: str, folder: str) -> CompanionPage | None:
        """The page of this name, if it has a browser's mark and, for a folder that is not "", refers to the folder."""
        if not self._neighbours.exists(tree, name):
            return None
        try:
            with tree.open(name) as file:
                head = file.read(HEAD_SIZE)
                mark = next((one.mark for one in find_marks(SavedPage(head).data) if one.mark.links == "folder"), None)
                if mark is None or (folder and not _refers_to(folder, head + file.read(_SIZE - HEAD_SIZE))):
                    return None
        except OSError:
            return None
        return CompanionPage(tree, name, head, mark)


def _refers_to(folder: str, data: bytes) -> bool:
    """Whether a page holds the name of a folder, followed by a slash."""
    text = unquote_to_bytes(SavedPage(data).data.replace(b"&amp;", b"&"))
    forms = {folder, unicodedata.normalize("NFC", folder), unicodedata.normalize("NFD", folder)}
    return any(os.fsencode(form) + b"/" in text for form in forms)
