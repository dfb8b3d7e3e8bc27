"""BeautifulSoup's trees, of any of its tree builders: `absolutize(soup, url)`."""

from __future__ import annotations

from typing import Any, Unpack

from bs4 import BeautifulSoup, Tag

from linkfix.trees import Context, Element, TreeConversion, TreeFields, absolutize_elements, context

__all__ = ["absolutize", "elements"]


class _Element:
    """A tag. `_keys`: the tree's own names of the attributes in `values`."""

    def __init__(self, node: Any, namespace: str, name: str, around: Context) -> None:  # noqa: ANN401 - bs4's
        self.node = node
        self.namespace = namespace
        self.name = name
        self.in_template = around.in_template
        self.own_bases = around.own_bases
        self.line: int = node.sourceline or 0
        self._keys = {str(key).lower(): key for key in reversed(node.attrs)}
        self.values = {known: _joined(node.attrs[key]) for known, key in self._keys.items()}

    def set(self, attribute: str, value: str | None) -> None:
        if not attribute:
            kind = type(self.node.string)
            self.node.string.replace_with(kind(value))
            return
        key = self._keys[attribute]
        if value is None:
            del self.node.attrs[key]
        else:
            self.node.attrs[key] = value.split() if isinstance(self.node.attrs[key], list) else value

    def text(self) -> str:
        return str(self.node.string or "")

    def remove(self) -> None:
        self.node.extract()


def _joined(value: Any) -> str:  # noqa: ANN401
    return " ".join(value) if isinstance(value, list) else str(value)


def elements(tree: Tag) -> list[Element]:
    """The elements of a soup, or of a tag and what is in it, in document order."""
    found: list[Element] = []
    stack: list[tuple[Any, Context]] = [(tree, Context())]
    while stack:
        node, around = stack.pop()
        inner = around
        if not isinstance(node, BeautifulSoup):
            name = node.name.rpartition(":")[2].lower()
            namespace, inner = context(name, node.namespace or "", around)
            found.append(_Element(node, namespace, name, around))
        stack.extend((child, inner) for child in reversed(node.contents) if isinstance(child, Tag))
    return found


def absolutize(tree: Tag, url: str | None = None, **fields: Unpack[TreeFields]) -> TreeConversion:
    """Makes the links of a soup, or of a tag and what is in it, absolute in place: see `linkfix.hooks.lxml`."""
    return absolutize_elements(elements(tree), url, **fields)
