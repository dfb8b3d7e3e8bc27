"""lxml's trees: `absolutize(tree, url)` for HtmlElement, Element and ElementTree, of HTML and of XML.

Trees without namespaces (`lxml.html`) are read as HTML: what is in `svg` is SVG.
"""

from __future__ import annotations

from typing import Any, Unpack

from linkfix.trees import Context, Element, TreeConversion, TreeFields, absolutize_elements, context

__all__ = ["absolutize", "elements"]

_PREFIXES = {"http://www.w3.org/1999/xlink": "xlink:", "http://www.w3.org/XML/1998/namespace": "xml:"}


class _Element:
    """An lxml element. `_keys`: the tree's own names of the attributes in `values`."""

    def __init__(self, node: Any, namespace: str, name: str, around: Context) -> None:  # noqa: ANN401 - lxml's
        self.node = node
        self.namespace = namespace
        self.name = name
        self.in_template = around.in_template
        self.own_bases = around.own_bases
        self.line: int = node.sourceline or 0
        self._keys: dict[str, str] = {}
        self.values: dict[str, str] = {}
        for key, value in node.attrib.items():
            uri, _, local = key.rpartition("}")
            known = _PREFIXES.get(uri[1:], uri and f"{uri} ") + (local if uri else local.lower())
            self._keys.setdefault(known, key)
            self.values.setdefault(known, value)

    def set(self, attribute: str, value: str | None) -> None:
        if not attribute:
            self.node.text = value
        elif value is None:
            del self.node.attrib[self._keys[attribute]]
        else:
            self.node.set(self._keys[attribute], value)

    def text(self) -> str:
        return self.node.text or ""

    def remove(self) -> None:
        parent = self.node.getparent()
        if self.node.tail:  # lxml keeps the text after an element in it
            before = self.node.getprevious()
            if before is None:
                parent.text = (parent.text or "") + self.node.tail
            else:
                before.tail = (before.tail or "") + self.node.tail
        parent.remove(self.node)


def elements(tree: Any) -> list[Element]:  # noqa: ANN401 - lxml's classes have no common public one
    """The elements of a tree, or of an element and what is in it, in document order."""
    root = tree.getroot() if hasattr(tree, "getroot") else tree
    found: list[Element] = []
    stack = [(root, Context())]
    while stack:
        node, around = stack.pop()
        if not isinstance(node.tag, str):
            continue
        uri, _, local = node.tag.rpartition("}")
        name = local.lower()
        namespace, inner = context(name, uri[1:], around)
        found.append(_Element(node, namespace, name, around))
        stack.extend((child, inner) for child in reversed(node))
    return found


def absolutize(tree: Any, url: str | None = None, **fields: Unpack[TreeFields]) -> TreeConversion:  # noqa: ANN401
    """Makes the links of an lxml tree absolute in place; what they were, and what is wrong with them.

    `url`: the retrieval URL, after redirects. `fields`: `charset`, `default_base`, `envelope` and those of `Options`,
    but that base_element cannot be "insert". Raises a LinkfixError for a caller's mistake.
    """
    return absolutize_elements(elements(tree), url, **fields)
