"""Hook for parsel and Scrapy: makes the links of a selector of HTML or XML absolute in place.

    selector = parsel.Selector(text)
    linkfix.hooks.parsel.absolutize(selector, "https://example.com/dir/page")
    selector.css("a::attr(href)").getall()  # absolute

A selector's tree is lxml's, and its selections share it: see `linkfix.hooks.lxml`. Without `charset`, queries are
encoded as in a UTF-8 page. Give the response's charset if it is another one.
"""

from __future__ import annotations

from typing import Unpack

from lxml import etree

from linkfix.errors import Needs

with Needs("linkfix.hooks.parsel", "parsel"):
    from parsel import Selector

from linkfix.hooks import lxml
from linkfix.trees.conversion import TreeConversion, TreeFields

__all__ = ["absolutize"]


def absolutize(tree: Selector, url: str | None = None, **fields: Unpack[TreeFields]) -> TreeConversion:
    """Make the links of a selector's element and of its content absolute: see `linkfix.hooks.lxml.absolutize`.

    Raises TypeError for a list of selectors, and for a selector of an attribute, a text or JSON.
    """
    if not isinstance(tree, Selector):
        message = f"{type(tree).__name__}: give one Selector"
        raise TypeError(message)
    if not etree.iselement(tree.root):
        message = f"a selector of {type(tree.root).__name__}: give the selector of an element"
        raise TypeError(message)
    return lxml.absolutize(tree.root, url, **fields)
