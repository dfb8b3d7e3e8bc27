"""Hooks that make the links of other libraries absolute: one module per client, crawler, server protocol and parser.

Clients and crawlers: `aiohttp`, `httpx`, `httpx2`, `requests`, `scrapy`, `playwright`, and `generic` for any other
client. Servers: `asgi`, `wsgi`. Feeds: `feedparser`. Parsed trees: `bs4`, `lxml`, `parsel`, `selectolax`. Each module
imports only its own library. The common part, such as `Settings` and `Outcome`, is in `linkfix.hooks.response`.
"""

from __future__ import annotations

import importlib
from typing import Protocol, Unpack, cast

from linkfix.hooks.response import Outcome
from linkfix.model import Link
from linkfix.trees.conversion import TreeConversion, TreeFields

__all__ = ["TREES", "absolutize_tree", "outcome"]


class TreeHook(Protocol):
    """The interface of a library's module."""

    def absolutize(self, tree: object, url: str | None = None, **fields: Unpack[TreeFields]) -> TreeConversion:
        """Make the links of a tree absolute in place."""


#: Package of a tree's class -> its module.
TREES = {
    "lxml": "linkfix.hooks.lxml",
    "bs4": "linkfix.hooks.bs4",
    "parsel": "linkfix.hooks.parsel",
    "scrapy": "linkfix.hooks.parsel",
    "selectolax": "linkfix.hooks.selectolax",
}


def absolutize_tree(tree: object, url: str | None = None, **fields: Unpack[TreeFields]) -> list[Link]:
    """Make the links of a tree absolute in place, and return the old links: see `linkfix.hooks.lxml.absolutize`.

    `tree`: a tree of lxml, BeautifulSoup, parsel or selectolax. Raises TypeError for any other tree.
    """
    hooks = (TREES.get(kind.__module__.partition(".")[0]) for kind in type(tree).__mro__)
    module = next(filter(None, hooks), None)
    if module is None:
        message = f"{type(tree).__name__}: give a tree of lxml, BeautifulSoup, parsel or selectolax"
        raise TypeError(message)
    return cast("TreeHook", importlib.import_module(module)).absolutize(tree, url, **fields).links


def outcome(response: object) -> Outcome | None:
    """The result of a client's hook for a response: its links, base, problems, and more.

    `response`: of aiohttp, httpx, httpx2, requests or Scrapy. None if no hook has looked at the response: there is no
    hook, the response was streamed or excluded, or its body is not read yet. It is the attribute `linkfix` of the
    response, with a type.
    """
    made = getattr(response, "linkfix", None)
    return made if isinstance(made, Outcome) else None
