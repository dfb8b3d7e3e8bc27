"""The parsers whose trees have hooks, and the content of a tree afterwards, for every library."""

from __future__ import annotations

import importlib
import re

import html5lib
import lxml.etree
import lxml.html
import parsel
import pytest
from bs4 import BeautifulSoup
from selectolax.lexbor import LexborHTMLParser

URL = "https://h/d/p"


def page(body, head=""):
    """Without anything that parsers treat differently: every element is written, and closed."""
    return f"<!DOCTYPE html><html><head><title>t</title>{head}</head><body>{body}</body></html>"


def document(source):
    """lxml's tree of a whole document."""
    return lxml.html.document_fromstring(source)


def with_html5lib(source):
    """html5lib's tree, of lxml's elements in the namespace of HTML."""
    return html5lib.parse(source, treebuilder="lxml")


def with_html5lib_without_namespaces(source):
    """The same of elements in no namespace."""
    return html5lib.parse(source, treebuilder="lxml", namespaceHTMLElements=False)


def soup_by(parser):
    """BeautifulSoup's constructor with a parser."""

    def parse(source):
        return BeautifulSoup(source, parser)

    return parse


PARSERS = {
    "lxml.html": document,
    "html5lib": with_html5lib,
    "html5lib without namespaces": with_html5lib_without_namespaces,
    "bs4 html.parser": soup_by("html.parser"),
    "bs4 lxml": soup_by("lxml"),
    "bs4 html5lib": soup_by("html5lib"),
    "parsel": parsel.Selector,
    "selectolax": LexborHTMLParser,
}
every_parser = pytest.mark.parametrize("parse", PARSERS.values(), ids=PARSERS.keys())


def nodes(tree):
    """Name, attributes and text of every element in document order."""
    if isinstance(tree, BeautifulSoup):
        return [(tag.name, dict(tag.attrs), tag.string) for tag in tree.find_all(name=True)]
    if isinstance(tree, LexborHTMLParser):
        return list(lexbor_nodes(tree.root))
    root = tree.getroot() if hasattr(tree, "getroot") else getattr(tree, "root", tree)
    return [(node.tag.rpartition("}")[2], dict(node.attrib), node.text) for node in root.iter(lxml.etree.Element)]


def lexbor_nodes(root):
    """The same below a node of selectolax, with the content of templates."""
    for node in root.traverse():
        if node.is_element_node:
            values = {key: value or "" for key, value in node.attributes.items()}
            yield node.tag, values, node.text(deep=False)
        if node.tag == "template":
            for content in node.template_fragments():
                yield from lexbor_nodes(content)


def attributes(tree):
    """All attributes of a tree in document order, by their names in HTML, and the text of style and script elements."""
    found = []
    for name, values, text in nodes(tree):
        for key in sorted(values, key=str):
            known = str(key).replace("{http://www.w3.org/1999/xlink}", "xlink:")
            value = values[key]
            found.append((name.lower(), known, " ".join(value) if isinstance(value, list) else value))
        if name in {"style", "script"}:
            found.append((name, "", text))
    return found


def facts(links):
    """The fields of links except their places."""
    return sorted(
        (link.element, link.attribute, link.role, link.reference, link.target, link.base, link.problem)
        for link in links
    )


def absolutize(tree, url, **fields):
    """The whole outcome of the tree's own hook."""
    library = next(
        part
        for kind in type(tree).__mro__
        for part in [kind.__module__.partition(".")[0]]
        if part in {"lxml", "bs4", "parsel", "selectolax"}
    )
    return importlib.import_module(f"linkfix.hooks.{library}").absolutize(tree, url, **fields)


def written(tree):
    """A tree as its library writes it."""
    if isinstance(tree, BeautifulSoup):
        return re.sub(r"(<\?xml-stylesheet.*?\?>)", lambda match: match[1].replace("'", '"'), str(tree))
    if isinstance(tree, LexborHTMLParser):
        return tree.html
    root = getattr(tree, "root", tree)
    root = root.getroottree() if isinstance(root, lxml.etree._Element) else root
    return lxml.etree.tostring(root, encoding="unicode").replace("'", '"')
