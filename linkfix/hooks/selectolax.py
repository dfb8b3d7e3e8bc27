"""Hook for selectolax (its lexbor engine): makes the links of a parser, or of a node in it, absolute in place.

    tree = LexborHTMLParser(body)
    conversion = linkfix.hooks.selectolax.absolutize(tree, "https://example.com/dir/page")
    conversion.links, conversion.problems, conversion.base

A parser means its whole document. A node means itself and its content, including templates' contents; its base is still
the document's base. Lines are not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Unpack

from linkfix.errors import Needs

with Needs("linkfix.hooks.selectolax", "selectolax"):
    from selectolax.lexbor import LexborHTMLParser, LexborNode

from linkfix.trees.context import Context, ElementKind
from linkfix.trees.conversion import TreeConversion, TreeFields, absolutize_elements
from linkfix.trees.element import Element, TreeColumns
from linkfix.trees.walk import Walk

__all__ = ["absolutize"]

#: The maximum number of selectors to try: more take longer than reading the attributes of all elements.
_MOST_ASKED = 4


class _Element(Element):
    """An element node."""

    __slots__ = ("_runs",)

    def read_attributes(self) -> Iterable[tuple[str, str, str]]:
        return [(_known(key, self.outer), key, value or "") for key, value in self.node.attributes.items()]

    def set(self, name: str, value: str | None) -> None:
        attrs = self.node.attrs
        if value is None:
            del attrs[name]
            return
        # Setting "href" would set an earlier "xlink:href".
        others = [(key, old) for key, old in attrs.items() if key.endswith(f":{name}")]
        for key, _ in others:
            del attrs[key]
        attrs[name] = value
        for key, old in others:
            attrs[key] = old

    def texts(self) -> Sequence[str]:
        self._runs = []
        for child in self.node.iter(include_text=True):
            if child.is_element_node:
                break
            if child.is_text_node:
                self._runs.append(child)
        return [run.text_content or "" for run in self._runs]

    def set_texts(self, new: Mapping[int, str]) -> None:
        for number, text in new.items():
            self._runs[number].replace_with(text)

    def ancestors(self) -> Iterable[str]:
        node = self.node.parent
        while node is not None and node.tag not in {None, "-document"}:
            yield node.tag
            node = node.parent

    def remove(self) -> None:
        self.node.decompose()


class _Tree:
    """`top`: the given node, None for an empty fragment. `parser`: its document's. `whole`: whether that is all."""

    def __init__(self, tree: LexborHTMLParser | LexborNode) -> None:
        self.parser = tree if isinstance(tree, LexborHTMLParser) else tree.parser
        self.top = tree.root if isinstance(tree, LexborHTMLParser) else tree
        root = self.parser.root
        # selectolax cannot distinguish a fragment's root from its first node.
        self.whole = tree is self.parser or (root is not None and root.tag == "html" and root == tree)

    def is_xml(self) -> bool:
        return False

    def bases_before_frameset(self, *, scripting: bool) -> None:
        return None

    def columns(self, around: Context) -> TreeColumns:
        top, root = self.top, self.parser.root
        if top is None or root is None:
            return TreeColumns(_write, _Element)
        before, after = ([], []) if self.whole else _outside(top, root, around)
        columns = TreeColumns(_write, _Element, before)
        inner = around if self.whole else _around(top, around)
        Walk(columns, _known, _kind, _inside).lexbor(top, inner, _following, _marked)
        for element in after:
            columns.add_element(element)
        return columns


def _outside(top: LexborNode, root: LexborNode, around: Context) -> tuple[list[Element], list[Element]]:
    """The document's BASE and meta elements before `top`, and the ones after it."""
    sides: tuple[list[Element], list[Element]] = [], []
    outside = {node.mem_id for node in root.css("base,meta")} - {node.mem_id for node in top.css("base,meta")}
    side = 0
    contexts: dict[int, Context] = {}
    for node in root.traverse() if outside else ():
        if node.mem_id == top.mem_id:
            side = 1
        elif node.mem_id in outside:
            outer = _around(node, around, contexts)
            kind = _kind(node, outer)
            sides[side].append(_Element(node, kind, outer, kind.inner, 0, False))
    return sides


def _nothing(_name: str) -> None:
    """Return None: a node without attributes."""


def _kind(node: LexborNode, around: Context) -> ElementKind:
    tag = node.tag or ""
    return around.kinds.get(tag) or around.kind(tag, "", tag, node.attrs.get if node.is_element_node else _nothing)


def _around(node: LexborNode, around: Context, contexts: dict[int, Context] | None = None) -> Context:
    """The context that a node inherits. A template's content is in a fragment, whose nodes do not know the template.

    `contexts`: a cache of the contexts of the nodes around it.
    """
    contexts = {} if contexts is None else contexts
    above = []
    parent = node.parent
    while parent is not None and parent.tag != "-document" and parent.mem_id not in contexts:
        above.append(parent)
        parent = parent.parent
    if parent is not None:
        around = contexts.get(parent.mem_id, around)
    for parent in reversed(above):
        if parent.tag is None:
            around = around.kind("template", "", "template", _nothing).inner
        else:
            around = _kind(parent, around).inner
        contexts[parent.mem_id] = around
    return around


def _known(key: str, around: Context) -> str:
    """The vocabulary's name of an attribute, or ""."""
    return around.attribute("", key)


def _inside(_node: LexborNode, kind: ElementKind) -> Context:
    """The context of an element's children."""
    return kind.inner


def _write(node: LexborNode, name: str, value: str) -> None:
    node.attrs[name] = value


def _marked(top: LexborNode, around: Context) -> dict[int, set[int]] | None:
    """The nodes in `top` with an attribute that can have references on all HTML elements, grouped by tag number. None
    if there are too many such attributes: reading all attributes is then faster than selecting.
    """
    if len(around.everywhere) > _MOST_ASKED:
        return None
    found: dict[int, set[int]] = {}
    if around.everywhere:
        for node in top.css(_selector(around.everywhere)):
            found.setdefault(node.tag_id, set()).add(node.mem_id)
    return found


@lru_cache(maxsize=32)
def _selector(names: frozenset[str]) -> str:
    """A selector for elements with an attribute of one of these names."""
    return ",".join(f"[{name}]" for name in sorted(names))


def _following(node: LexborNode | None, owner: int, end: int) -> int:
    """The first node after `node` and its content, within `owner` (0: anywhere). `end` if there is none."""
    while node is not None and node.mem_id != owner:
        sibling = node.next
        while sibling is not None and sibling.is_text_node:
            sibling = sibling.next
        if sibling is not None:
            return sibling.mem_id
        node = node.parent
    return end


def absolutize(
    tree: LexborHTMLParser | LexborNode, url: str | None = None, **fields: Unpack[TreeFields]
) -> TreeConversion:
    """Make the links of a parser's document, or of a node and its content, absolute: see `linkfix.hooks.lxml`.

    Raises TypeError for any other object.
    """
    if not isinstance(tree, LexborHTMLParser | LexborNode):
        message = f"{type(tree).__name__}: give a LexborHTMLParser or a LexborNode"
        raise TypeError(message)
    return absolutize_elements(_Tree(tree), url, **fields)
