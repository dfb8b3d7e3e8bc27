"""selectolax's trees (its lexbor engine), in place.

    tree = LexborHTMLParser(html)
    conversion = linkfix.hooks.selectolax.absolutize(tree, "https://example.com/dir/page")
    conversion.links, conversion.problems, conversion.base

A parser stands for its document, a node for itself and what is in it, templates' contents too; its base is the
document's still. Lines are not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Unpack

from selectolax.lexbor import LexborHTMLParser, LexborNode

from linkfix.trees.context import Context, ElementKind
from linkfix.trees.conversion import TreeConversion, TreeFields, absolutize_elements
from linkfix.trees.element import Element

__all__ = ["absolutize"]


class _Element(Element):
    """An element node."""

    __slots__ = ("_runs", "node")

    def __init__(
        self,
        node: LexborNode,
        kind: ElementKind,
        outer: Context,
        attributes: dict[str, str | None],
        *,
        inside: bool = True,
    ) -> None:
        values = [(outer.attribute("", key), key, value or "") for key, value in attributes.items()]
        super().__init__(kind, outer, kind.inner, values, inside=inside)
        self.node = node

    def set(self, name: str, value: str | None) -> None:
        attrs = self.node.attrs
        if value is None:
            del attrs[name]
            return
        # To set "href" would set an "xlink:href" that comes before it.
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

    def remove(self) -> None:
        self.node.decompose()


class _Tree:
    """`top`: the node that was given, None for an empty fragment. `parser`: its document's. `whole`: that is all."""

    def __init__(self, tree: LexborHTMLParser | LexborNode) -> None:
        self.parser = tree if isinstance(tree, LexborHTMLParser) else tree.parser
        self.top = tree.root if isinstance(tree, LexborHTMLParser) else tree
        root = self.parser.root
        # A fragment's root is told from its first node by nothing.
        self.whole = tree is self.parser or (root is not None and root.tag == "html" and root == tree)

    def is_xml(self) -> bool:
        return False

    def elements(self, around: Context) -> Iterator[Element]:
        top, root = self.top, self.parser.root
        if top is None or root is None:
            return
        if self.whole:
            yield from _walk(top, around)
            return
        before, after = _outside(top, root, around)
        yield from before
        yield from _walk(top, _around(top, around))
        yield from after


def _outside(top: LexborNode, root: LexborNode, around: Context) -> tuple[list[Element], list[Element]]:
    """The document's BASE elements before `top`, and those after it."""
    sides: tuple[list[Element], list[Element]] = [], []
    outside = {node.mem_id for node in root.css("base")} - {node.mem_id for node in top.css("base")}
    side = 0
    for node in root.traverse() if outside else ():
        if node.mem_id == top.mem_id:
            side = 1
        elif node.mem_id in outside:
            outer = _around(node, around)
            sides[side].append(_Element(node, _kind(node, outer), outer, node.attributes, inside=False))
    return sides


def _nothing(_name: str) -> None:
    """Gives the attributes of what has none."""


def _kind(node: LexborNode, around: Context) -> ElementKind:
    tag = node.tag or ""
    return around.kinds.get(tag) or around.kind(tag, "", tag, node.attrs.get if node.is_element_node else _nothing)


def _around(node: LexborNode, around: Context) -> Context:
    """What a node inherits. A template's content is in a fragment, whose nodes do not know the template."""
    above = []
    parent = node.parent
    while parent is not None and parent.tag != "-document":
        above.append(parent)
        parent = parent.parent
    for parent in reversed(above):
        if parent.tag is None:
            around = around.kind("template", "", "template", _nothing).inner
        else:
            around = _kind(parent, around).inner
    return around


def _walk(top: LexborNode, around: Context) -> Iterator[Element]:
    """What can have references in `top`, in document order, templates' contents included."""
    attributes = around.attributes
    walks = [_nodes(top, around)]
    while walks:
        for node, kind, outer in walks[-1]:
            values = node.attributes
            if kind.text or not attributes.isdisjoint(values):
                yield _Element(node, kind, outer, values)
            if kind.name == "template" and kind.namespace == "html":
                walks += [_nodes(content, kind.inner) for content in node.template_fragments()[:1]]
                break
        else:
            walks.pop()


def _nodes(top: LexborNode, around: Context) -> Iterator[tuple[LexborNode, ElementKind, Context]]:
    """The nodes in `top` with their places and what they inherit, in document order.

    They come from selectolax's own iteration, which tells no depth: `end` is the node at which a context ends.
    """
    stack: list[tuple[int, int, Context]] = []  # the element, where it ends, the context around it
    end = 0
    for node in top.traverse():
        if end:
            known = node.mem_id
            while end == known:
                around = stack.pop()[2]
                end = stack[-1][1] if stack else 0
        kind = _kind(node, around)
        yield node, kind, around
        if kind.inner is not around:
            end = _following(node, stack[-1][0] if stack else 0, end)
            stack.append((node.mem_id, end, around))
            around = kind.inner


def _following(node: LexborNode | None, owner: int, end: int) -> int:
    """The first node after `node` and what is in it, within `owner` (0 for anywhere); `end`, the one after that, where
    none is.
    """
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
    """Makes the links of a parser's document, or of a node and what is in it, absolute: see `linkfix.hooks.lxml`.

    Raises TypeError for what is neither.
    """
    if not isinstance(tree, LexborHTMLParser | LexborNode):
        message = f"{type(tree).__name__}: give a LexborHTMLParser or a LexborNode"
        raise TypeError(message)
    return absolutize_elements(_Tree(tree), url, **fields)
