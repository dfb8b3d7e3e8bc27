"""Hook for lxml: makes the links of a tree, or of an element in it, absolute in place.

    tree = lxml.html.parse("page.html")
    conversion = linkfix.hooks.lxml.absolutize(tree, "https://example.com/dir/page", charset=tree.docinfo.encoding)
    conversion.links, conversion.problems, conversion.base

The tree is HTML or XML, from any parser (html5lib too). It is XML if one of lxml's XML parsers read it, including
`lxml.html.XHTMLParser`. It is HTML if an HTML parser read it, if its elements were made one by one (as html5lib and
`lxml.builder` do), or if its root is an `html` without a namespace. A tree of HTML without namespaces
(`lxml.html`) is read as HTML's parser would: content of `svg` is SVG.

The root element means its document, including xml-stylesheet processing instructions. Any other element means itself
and its content, but its base is still the document's base.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Unpack

from lxml import etree

from linkfix.html.xml_outline import XML
from linkfix.trees.context import HTML_URI, Context, ElementKind
from linkfix.trees.conversion import (
    Token,
    TreeConversion,
    TreeFields,
    absolutize_elements,
    before_frameset,
    stylesheet_instruction,
)
from linkfix.trees.element import Element, TreeColumns
from linkfix.trees.walk import Walk

__all__ = ["absolutize"]

_BASES = tuple(f"{{{uri}}}{name}" if uri else name for name in ("base", "meta") for uri in ("", HTML_URI))
_XML_BASE = f"{{{XML}}}base"
#: `lxml.html` overrides this with a slower one.
_set = etree.ElementBase.set
_get, _keys = etree.ElementBase.get, etree.ElementBase.keys


class _Element(Element):
    """An lxml element. `_runs`: the child nodes before the first element; text follows each, and comes before them."""

    __slots__ = ("_in_cdata", "_runs")

    def read_attributes(self) -> Iterable[tuple[str, str, str]]:
        return known_attributes(self.node, lambda key: _known(key, self.outer))

    def set(self, name: str, value: str | None) -> None:
        if value is None:
            del self.node.attrib[name]
        else:
            _set(self.node, name, value)

    def texts(self) -> Sequence[str]:
        self._runs = []
        for child in self.node.iterchildren():
            if isinstance(child.tag, str):
                break
            self._runs.append(child)
        self._in_cdata = self.outer.xml and b"<![CDATA[" in etree.tostring(self.node, with_tail=False)
        return [self.node.text or "", *(child.tail or "" for child in self._runs)]

    def set_texts(self, new: Mapping[int, str]) -> None:
        if len(new) > 1:  # all or none
            trial = etree.Element("trial")
            for text in new.values():
                trial.text = text  # lxml raises for characters that XML does not have
        for number, text in new.items():
            written = etree.CDATA(text) if self._in_cdata and "]]>" not in text else text
            if number:
                self._runs[number - 1].tail = written
            else:
                self.node.text = written

    def ancestors(self) -> Iterable[str]:
        return (_name(node) for node in self.node.iterancestors())

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
    """`top`: the given element, or None. `above`: the elements around it, the root element first.

    `is_parsed`: whether an HTML parser of lxml made the tree.
    """

    def __init__(self, top: Any) -> None:
        self.top = top
        self.above = [] if top is None else list(top.iterancestors())[::-1]
        self.is_parsed = top is not None and isinstance(top.getroottree().parser, etree.HTMLParser)

    def is_xml(self) -> bool:
        if self.top is None or self.top.getroottree().docinfo.xml_version is None:
            return False
        root = self.above[0] if self.above else self.top
        # A copy of an HTML parser's tree still has that parser, but also a version of XML.
        if root.tag.lower() == "html" or self.is_parsed:
            return False
        placed = next((child for child in root.iterchildren() if child.sourceline), None)
        return placed is not None or (root.sourceline is not None and next(root.iterchildren(), None) is None)

    def columns(self, around: Context) -> TreeColumns:
        if self.top is None:
            return TreeColumns(_set, _Element)
        before: Iterable[Element]
        after: Iterable[Element]
        if self.above:
            before, after = self._outside(around)
            for node in self.above:
                around = _inside(node, _kind(node, around))
        else:
            before = _instructions(reversed(list(self.top.itersiblings(preceding=True))), around)
            after = _instructions(self.top.itersiblings(), around)
        columns = TreeColumns(_set, _Element, before)
        walk = Walk(columns, _known, _kind, _inside)
        walk.lxml(self.top, self.top.iter(etree.Element), around, _following, _keys, _get)
        for element in after:
            columns.add_element(element)
        return columns

    def bases_before_frameset(self, *, scripting: bool) -> list[Any] | None:
        root = self.above[0] if self.above else self.top
        if self.is_parsed and next(root.iter("frameset"), None) is None:
            return None  # an HTML parser writes names in lower case and without a namespace
        return before_frameset(_tokens(root), _names_around, implies_body=True, scripting=scripting)

    def _outside(self, around: Context) -> tuple[list[Element], list[Element]]:
        """The document's BASE and meta elements before `top`, and the ones after it."""
        inside = set(self.top.iter(*_BASES))
        sides: tuple[list[Element], list[Element]] = [], []
        side = 0
        contexts: dict[Any, Context] = {None: around}
        for node in self.above[0].iter(self.top.tag, *_BASES):
            if node is self.top:
                side = 1
            elif node.tag in _BASES and node not in inside:
                outer = _around(node.getparent(), contexts)
                sides[side].append(_Element(node, _kind(node, outer), outer, outer, node.sourceline or 0, False))
        return sides


def _name(node: Any) -> str:
    return str(node.tag.rpartition("}")[2].lower())


def _names_around(node: Any) -> Iterator[str]:
    yield _name(node)
    yield from map(_name, node.iterancestors())


def _tokens(root: Any) -> Iterator[Token]:
    for event, node in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        if event == "start":
            yield Token(node, _name(node), "", node.attrib)
            if node.text:
                yield Token(node, "", node.text, {})
        elif node.tail and node is not root:
            yield Token(node.getparent(), "", node.tail, {})


def _kind(node: Any, around: Context) -> ElementKind:
    tag = node.tag
    if tag in around.kinds:
        return around.kinds[tag]
    uri, _, local = tag.rpartition("}")
    return around.kind(tag, uri[1:], local, node.get)


def _inside(node: Any, kind: ElementKind) -> Context:
    """The context of an element's children."""
    own_base = node.get(_XML_BASE) if kind.inner.xml and kind.namespace == "svg" else None
    return kind.inner if own_base is None else kind.inner.with_base(own_base)


def _around(node: Any, contexts: dict[Any, Context]) -> Context:
    """The context of an element's children, cached in `contexts`; the key None has the root element's context."""
    above = []
    while node not in contexts:
        above.append(node)
        node = node.getparent()
    for each in reversed(above):
        contexts[each] = _inside(each, _kind(each, contexts[node]))
        node = each
    return contexts[node]


def _instructions(nodes: Iterator[Any], around: Context) -> list[Element]:
    """The xml-stylesheet processing instructions beside a root element."""
    return [
        stylesheet_instruction(node.text or "", partial(setattr, node, "text"), around, node.sourceline or 0)
        for node in (nodes if around.xml else ())
        if node.tag is etree.PI and node.target == "xml-stylesheet"
    ]


def _known(key: str, around: Context) -> str:
    """The vocabulary's name of an attribute, or ""."""
    uri, _, local = key.rpartition("}")
    return around.attribute(uri[1:], local)


def known_attributes(node: Any, known: Callable[[str], str]) -> list[tuple[str, str, str]]:
    """The result of `Element.read_attributes`, without attributes that do not count.

    `known`: returns an attribute's name in the vocabulary. lxml finds a value by searching all attributes of its
    element, so `items()` takes quadratic time.
    """
    found: dict[str, str] = {}
    for key in node.keys():  # noqa: SIM118 - an element is no mapping
        found.setdefault(known(key), key)
    return [(name, key, node.get(key)) for name, key in found.items() if name]


def _following(node: Any, owner: Any, end: Any) -> Any:
    """The first element within `owner` after `node` and its content; `end` if there is none."""
    while node is not owner:
        sibling = next(node.itersiblings(etree.Element), None)
        if sibling is not None:
            return sibling
        node = node.getparent()
    return end


def absolutize(tree: Any, url: str | None = None, **fields: Unpack[TreeFields]) -> TreeConversion:
    """Make the links of an lxml tree absolute in place. Returns the old links, and the problems.

    `tree`: an element or an ElementTree. `url`: the retrieval URL, after redirects. `fields`: `charset`, `media_type`
    ("text/html", "application/xhtml+xml" or "image/svg+xml", which selects the rules), `default_base`, `envelope` and
    the fields of `Options`; base_element cannot be "insert". Raises a LinkfixError for a caller's mistake, and
    TypeError if `tree` is not a tree.
    """
    is_tree = callable(getattr(tree, "getroot", None))  # a soup has every attribute, as None
    top = tree.getroot() if is_tree else tree
    if not etree.iselement(top) and not (is_tree and top is None):
        message = f"{type(tree).__name__}: give an lxml element or ElementTree"
        raise TypeError(message)
    return absolutize_elements(_Tree(top if top is not None and isinstance(top.tag, str) else None), url, **fields)
