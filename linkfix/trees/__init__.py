"""Parsed trees: what is alike for all, a module a library, and their registry."""

from __future__ import annotations

import importlib
from typing import Protocol, Unpack, cast

from linkfix.model import Link
from linkfix.trees.conversion import TreeConversion, TreeFields

__all__ = ["TREES", "absolutize_tree"]


class TreeHook(Protocol):
    """What a parser's module has."""

    def absolutize(self, tree: object, url: str | None = None, **fields: Unpack[TreeFields]) -> TreeConversion:
        """Makes the links of a tree absolute in place."""


#: The package that a tree's class comes from -> its hook.
TREES = {
    "lxml": "linkfix.trees.lxml",
    "bs4": "linkfix.trees.bs4",
    "parsel": "linkfix.trees.parsel",
    "scrapy": "linkfix.trees.parsel",
    "selectolax": "linkfix.trees.selectolax",
}


def absolutize_tree(tree: object, url: str | None = None, **fields: Unpack[TreeFields]) -> list[Link]:
    """Makes the links of a tree absolute in place, and returns them as they were: see `linkfix.hooks.lxml.absolutize`.

    `tree`: lxml's, BeautifulSoup's, parsel's or selectolax's. Raises TypeError for another kind of tree.
    """
    hooks = (TREES.get(kind.__module__.partition(".")[0]) for kind in type(tree).__mro__)
    module = next(filter(None, hooks), None)
    if module is None:
        message = f"{type(tree).__name__}: give a tree of lxml, BeautifulSoup, parsel or selectolax"
        raise TypeError(message)
    return cast("TreeHook", importlib.import_module(module)).absolutize(tree, url, **fields).links
