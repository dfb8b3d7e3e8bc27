"""lxml's trees, in place: of HTML and of XML, whole or a part, whichever parser built them (html5lib's too).

    tree = lxml.html.parse("page.html")
    conversion = linkfix.hooks.lxml.absolutize(tree, "https://example.com/dir/page")
    conversion.links, conversion.problems, conversion.base

A tree is XML's if one of lxml's XML parsers read it, `lxml.html.XHTMLParser` among them; HTML's if an HTML parser did,
if its elements were made one by one, as html5lib and `lxml.builder` do, and if its root is an `html` without a
namespace. A tree of HTML without namespaces (`lxml.html`) is read as HTML's parser would: what is in `svg` is SVG.

The root element stands for its document, xml-stylesheet processing instructions included; another element for itself
and what is in it, and its base is the document's still.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Unpack

from lxml import etree

from linkfix.html.xml_outline import XML
from linkfix.trees.context import HTML_URI, Context, ElementKind
from linkfix.trees.conversion import TreeConversion, TreeFields, absolutize_elements
from linkfix.trees.element import Element, stylesheet_instruction

__all__ = ["absolutize"]

_BASES = ("base", f"{{{HTML_URI}}}base")
_XML_BASE = f"{{{XML}}}base"


class _Names(dict[str, str]):
    """Attributes by lxml's names -> by the vocabulary's, "" for those that it has nothing to say of."""

    def __init__(self, around: Context) -> None:
        super().__init__()
        self.around = around

    def __missing__(self, key: str) -> str:
        uri, _, local = key.rpartition("}")
        name = self[key] = self.around.attribute(uri[1:], local)
        return name


class _Element(Element):
    """An lxml element. `_runs`: the nodes in it that text follows, up to the first element; text comes first, too."""

    __slots__ = ("_in_cdata", "_runs", "node")

    def __init__(  # noqa: PLR0913 - what an element is
        self,
        node: Any,  # noqa: ANN401 - lxml's classes have no common public one
        names: _Names,
        kind: ElementKind,
        outer: Context,
        inner: Context,
        *,
        inside: bool = True,
    ) -> None:
        attributes = [(names[key], key, value) for key, value in node.items()]
        super().__init__(kind, outer, inner, attributes, inside=inside, line=node.sourceline or 0)
        self.node = node

    def set(self, name: str, value: str | None) -> None:
        if value is None:
            del self.node.attrib[name]
        else:
            self.node.set(name, value)

    def texts(self) -> Sequence[str]:
        self._runs = []
        for child in self.node.iterchildren():
            if isinstance(child.tag, str):
                break
            self._runs.append(child)
        self._in_cdata = self.outer.xml and b"<![CDATA[" in etree.tostring(self.node, with_tail=False)
        return [self.node.text or "", *(child.tail or "" for child in self._runs)]

    def set_texts(self, new: Mapping[int, str]) -> None:
        trial = etree.Element("trial")
        for text in new.values():
            trial.text = text  # lxml raises for characters that XML does not have
        for number, text in new.items():
            written = etree.CDATA(text) if self._in_cdata and "]]>" not in text else text
            if number:
                self._runs[number - 1].tail = written
            else:
                self.node.text = written

    def remove(self) -> None:
        parent = self.node.getparent()
        if parent is None:
            return
        if self.node.tail:  # lxml keeps the text after an element in it
            before = self.node.getprevious()
            if before is None:
                parent.text = (parent.text or "") + self.node.tail
            else:
                before.tail = (before.tail or "") + self.node.tail
        parent.remove(self.node)


class _Tree:
    """`top`: the element that was given, None for none. `above`: those around it, the root element first."""

    def __init__(self, top: Any) -> None:  # noqa: ANN401 - lxml's classes have no common public one
        self.top = top
        self.above = [] if top is None else list(top.iterancestors())[::-1]

    def is_xml(self) -> bool:
        if self.top is None or self.top.getroottree().docinfo.xml_version is None:
            return False
        root = self.above[0] if self.above else self.top
        # A copy of an HTML parser's tree has that parser still, and yet a version of XML.
        if root.tag.lower() == "html" or isinstance(root.getroottree().parser, etree.HTMLParser):
            return False
        placed = next((child for child in root.iterchildren() if child.sourceline), None)
        return placed is not None or (root.sourceline is not None and next(root.iterchildren(), None) is None)

    def elements(self, around: Context) -> Iterator[Element]:
        if self.top is None:
            return
        if self.above:
            before, after = self._outside(around)
            yield from before
            for node in self.above:
                around = _inside(node, _kind(node, around))
            yield from _walk(self.top, around)
            yield from after
        else:
            yield from _instructions(reversed(list(self.top.itersiblings(preceding=True))), around)
            yield from _walk(self.top, around)
            yield from _instructions(self.top.itersiblings(), around)

    def _outside(self, around: Context) -> tuple[list[Element], list[Element]]:
        """The document's BASE elements before `top`, and those after it."""
        names = _Names(around)
        inside = set(self.top.iter(*_BASES))
        sides: tuple[list[Element], list[Element]] = [], []
        side = 0
        for node in self.above[0].iter(self.top.tag, *_BASES):
            if node is self.top:
                side = 1
            elif node.tag in _BASES and node not in inside:
                outer = around
                for ancestor in reversed(list(node.iterancestors())):
                    outer = _inside(ancestor, _kind(ancestor, outer))
                sides[side].append(_Element(node, names, _kind(node, outer), outer, outer, inside=False))
        return sides


def _kind(node: Any, around: Context) -> ElementKind:  # noqa: ANN401
    tag = node.tag
    if tag in around.kinds:
        return around.kinds[tag]
    uri, _, local = tag.rpartition("}")
    return around.kind(tag, uri[1:], local, node.get)


def _inside(node: Any, kind: ElementKind) -> Context:  # noqa: ANN401
    """What the children of an element inherit."""
    own_base = node.get(_XML_BASE) if kind.inner.xml and kind.namespace == "svg" else None
    return kind.inner if own_base is None else kind.inner.with_base(own_base)


def _instructions(nodes: Iterator[Any], around: Context) -> Iterator[Element]:
    """The xml-stylesheet processing instructions beside a root element."""
    for node in nodes if around.xml else ():
        if node.tag is etree.PI and node.target == "xml-stylesheet":
            yield stylesheet_instruction(node.text or "", partial(setattr, node, "text"), around, node.sourceline or 0)


def _walk(top: Any, around: Context) -> Iterator[Element]:  # noqa: ANN401
    """What can have references in `top`, in document order.

    Nodes come from lxml's own iteration, which tells no depth: `ends` are the nodes at which an inner context ends.
    """
    names = _Names(around)
    known = names.__getitem__
    attributes = around.attributes
    stack: list[tuple[Any, Any, Context]] = []  # the element, where it ends, the context around it
    end = None
    for node in top.iter(etree.Element):
        while node is end and end is not None:
            _, _, around = stack.pop()
            end = stack[-1][1] if stack else None
        kind = around.kinds.get(node.tag) or _kind(node, around)
        inner = kind.inner
        if inner.xml and kind.namespace == "svg":
            inner = _inside(node, kind)
        if kind.text or (kind.namespace and not attributes.isdisjoint(map(known, node.keys()))):
            yield _Element(node, names, kind, around, inner)
        if inner is not around:
            end = _following(node, stack[-1][0] if stack else top, end)
            stack.append((node, end, around))
            around = inner


def _following(node: Any, owner: Any, end: Any) -> Any:  # noqa: ANN401
    """The first element after `node` and what is in it, within `owner`; `end`, the one after that, where none is."""
    while node is not owner:
        sibling = next(node.itersiblings(etree.Element), None)
        if sibling is not None:
            return sibling
        node = node.getparent()
    return end


def absolutize(tree: Any, url: str | None = None, **fields: Unpack[TreeFields]) -> TreeConversion:  # noqa: ANN401
    """Makes the links of an lxml tree absolute in place; what they were, and what is wrong with them.

    `tree`: an element or an ElementTree. `url`: the retrieval URL, after redirects. `fields`: `charset`, `media_type`
    ("text/html", "application/xhtml+xml" or "image/svg+xml": whose rules hold), `default_base`, `envelope` and those of
    `Options`, but that base_element cannot be "insert". Raises a LinkfixError for a caller's mistake, TypeError for
    what is no tree.
    """
    top = tree.getroot() if hasattr(tree, "getroot") else tree
    if top is not None and not etree.iselement(top):
        message = f"{type(tree).__name__}: give an lxml element or ElementTree"
        raise TypeError(message)
    return absolutize_elements(_Tree(top if top is not None and isinstance(top.tag, str) else None), url, **fields)
