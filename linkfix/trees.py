"""Trees in hand, by the same vocabulary, syntaxes and base rules: lxml's and BeautifulSoup's, rewritten in place.

A tree has lost its bytes, so that nothing can be said of those; its text is Unicode, so that queries are those of a
UTF-8 document unless `charset` tells what it was. Trees without namespaces (`lxml.html`, `html.parser`) are read as
HTML: what is in `svg` is SVG.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Protocol, Unpack

from linkfix.base import BaseElement, document_url, establish, page
from linkfix.encoding import STR, lookup
from linkfix.errors import InvalidOption
from linkfix.html.syntaxes import SYNTAXES
from linkfix.html.vocabulary import RowTable, row_table
from linkfix.linker import Judged, Linker, resolver_of
from linkfix.model import Base, Envelope, Layer, Link, OptionFields, Options, Row
from linkfix.walker import Document

__all__ = ["absolutize_tree"]

_NAMESPACES = {
    "http://www.w3.org/1999/xhtml": "html",
    "http://www.w3.org/2000/svg": "svg",
    "http://www.w3.org/1998/Math/MathML": "mathml",
}
_PREFIXES = {"http://www.w3.org/1999/xlink": "xlink:", "http://www.w3.org/XML/1998/namespace": "xml:"}
_ROOTS = {"svg": "svg", "math": "mathml"}
#: Elements of foreign content whose children are HTML (§13.2.6.5).
_POINTS = frozenset({"foreignobject", "desc", "title", "mi", "mo", "mn", "ms", "mtext", "annotation-xml"})


class _Element(Protocol):
    """One element of somebody's tree. `values`: its attributes by the vocabulary's names."""

    namespace: str
    name: str
    in_template: bool
    values: dict[str, str]
    line: int

    def set(self, attribute: str, value: str | None) -> None:
        """Sets an attribute (None removes it); "" is the element's text."""

    def text(self) -> str:
        """The text that the element holds directly."""

    def remove(self) -> None:
        """Takes the element out of the tree."""


class _Node:
    """What elements of both libraries have alike. `keys`: the tree's own names of the attributes in `values`."""

    def __init__(self, node: Any, namespace: str, name: str, in_template: bool) -> None:  # noqa: ANN401, FBT001
        self.node = node
        self.namespace = namespace
        self.name = name
        self.in_template = in_template
        self.line = node.sourceline or 0
        self.keys: dict[str, str] = {}
        self.values: dict[str, str] = {}


class _Lxml(_Node):
    def __init__(self, node: Any, namespace: str, name: str, in_template: bool) -> None:  # noqa: ANN401, FBT001
        super().__init__(node, namespace, name, in_template)
        for key, value in node.attrib.items():
            uri, _, local = key.rpartition("}")
            known = _PREFIXES.get(uri[1:], uri and f"{uri} ") + (local if uri else local.lower())
            self.keys.setdefault(known, key)
            self.values.setdefault(known, value)

    def set(self, attribute: str, value: str | None) -> None:
        if not attribute:
            self.node.text = value
        elif value is None:
            del self.node.attrib[self.keys[attribute]]
        else:
            self.node.set(self.keys[attribute], value)

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


class _Soup(_Node):
    def __init__(self, node: Any, namespace: str, name: str, in_template: bool) -> None:  # noqa: ANN401, FBT001
        super().__init__(node, namespace, name, in_template)
        self.keys = {str(key).lower(): key for key in reversed(node.attrs)}
        self.values = {known: _joined(node.attrs[key]) for known, key in self.keys.items()}

    def set(self, attribute: str, value: str | None) -> None:
        if not attribute:
            kind = type(self.node.string)
            self.node.string.replace_with(kind(value))
            return
        key = self.keys[attribute]
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


def _context(name: str, uri: str, outer: str) -> tuple[str, str]:
    """An element's namespace, and the one that its children are in where the tree has none (`uri` "").

    `outer`: the latter for its parent.
    """
    namespace = _NAMESPACES.get(uri, "") if uri else _ROOTS.get(name, outer)
    return namespace, ("html" if namespace != "html" and name in _POINTS else namespace)


def _lxml_elements(tree: Any) -> Iterator[_Lxml]:  # noqa: ANN401
    root = tree.getroot() if hasattr(tree, "getroot") else tree
    stack = [(root, "html", False)]
    while stack:
        node, outer, in_template = stack.pop()
        if not isinstance(node.tag, str):
            continue
        uri, _, local = node.tag.rpartition("}")
        name = local.lower()
        namespace, inner = _context(name, uri[1:], outer)
        yield _Lxml(node, namespace, name, in_template)
        template = in_template or (namespace == "html" and name == "template")
        stack.extend((child, inner, template) for child in reversed(node))


def _soup_elements(tree: Any) -> Iterator[_Soup]:  # noqa: ANN401
    from bs4 import BeautifulSoup, Tag  # noqa: PLC0415 - only where a soup is given

    stack: list[tuple[Any, str, bool]] = [(tree, "html", False)]
    while stack:
        node, outer, in_template = stack.pop()
        inner, template = outer, in_template
        if not isinstance(node, BeautifulSoup):
            name = node.name.rpartition(":")[2].lower()
            namespace, inner = _context(name, node.namespace or "", outer)
            yield _Soup(node, namespace, name, in_template)
            template = in_template or (namespace == "html" and name == "template")
        stack.extend((child, inner, template) for child in reversed(node.contents) if isinstance(child, Tag))


def _elements(tree: object) -> list[_Element]:
    module = type(tree).__module__
    if module.startswith("lxml."):
        return list(_lxml_elements(tree))
    if module.startswith("bs4"):
        return list(_soup_elements(tree))
    message = f"{type(tree).__name__}: give an lxml element or tree, or a BeautifulSoup object or tag"
    raise TypeError(message)


def absolutize_tree(
    tree: object,
    url: str | None = None,
    *,
    charset: str | None = None,
    default_base: str | None = None,
    envelope: Envelope | None = None,
    **given: Unpack[OptionFields],
) -> list[Link]:
    """Makes the links of an lxml tree or a BeautifulSoup absolute in place, and returns them as they were.

    `given`: the fields of `Options`, but that base_element cannot be "insert". The links have no spans (0) and no
    columns; `line` is the parser's, 0 where it kept none. Raises TypeError for another kind of tree, and what
    `Document` raises.
    """
    options = Options(**given)
    if options.base_element == "insert":
        message = "base_element='insert': a tree's references are rewritten; insert a BASE with the tree's own means"
        raise InvalidOption(message)
    envelope = envelope or Envelope(url, charset, default=default_base)
    encoding = lookup(envelope.charset) if envelope.charset else "utf-8"
    Document("", envelope=envelope, options=options)  # raises for what the caller got wrong
    chosen = resolver_of(options)
    elements = _elements(tree)
    bases = [element for element in elements if _is_base(element)]
    base = establish([_base_element(element) for element in bases], envelope, chosen, encoding)
    own = document_url(envelope)
    elsewhere = base.layer is Layer.EMBEDDED and page(base.url) != page(own and (chosen.normalize(own) or own))
    linker = Linker(b"", STR, encoding, chosen, options, base, own, elsewhere=elsewhere)
    links = [
        link
        for element in elements
        for link in _element_links(element, linker, row_table(options), Envelope(base=base.url, parent=envelope))
    ]
    _settle(bases, base, options)
    return links


def _is_base(element: _Element) -> bool:
    return element.namespace == "html" and element.name == "base" and "href" in element.values


def _base_element(element: _Element) -> BaseElement:
    where = f"line {element.line}" if element.line else "a BASE element"
    return BaseElement(element.values["href"], where, "in a template" if element.in_template else "")


def _element_links(element: _Element, linker: Linker, table: RowTable, around: Envelope) -> Iterator[Link]:
    for attribute in ("", *element.values):
        row = table.row(element.namespace, element.name, attribute, element.values)
        if row is None:
            continue
        text = element.values[attribute] if attribute else element.text()
        if row.syntax == "srcdoc":
            if linker.options.srcdoc_depth < 1:
                continue
            deeper = replace(linker.options, srcdoc_depth=linker.options.srcdoc_depth - 1)
            inner = Document(text, envelope=around, options=deeper)
            inner._elsewhere_outside = linker.elsewhere  # noqa: SLF001
            yield from inner.links
            _change(element, attribute, text, str(inner.absolutize()))
        elif text or attribute:
            yield from _row_links(element, row, text, linker)


def _row_links(element: _Element, row: Row, text: str, linker: Linker) -> Iterator[Link]:
    base = linker.base.fallback if row.role == "base" else linker.base.url
    if row.role == "code" and element.values.get("codebase"):
        target = linker.resolver.resolve(base, element.values["codebase"], linker.query_encoding).target
        base = target if target and linker.resolver.is_absolute(target) else base
    pieces: list[str] = []
    done = 0
    for found in SYNTAXES[row.syntax](text):
        judged = linker.judge(
            found, row.role, base, encoding="utf-8" if row.syntax == "css" and row.attribute else None
        )
        if found.kind != "fault":
            yield _link(element, row, found.reference, judged)
        if judged.new is not None and row.role != "base":
            pieces += (text[done : found.start], found.escape(judged.new))
            done = found.end
    if pieces:
        _change(element, row.attribute, text, "".join([*pieces, text[done:]]))


def _change(element: _Element, attribute: str, old: str, new: str) -> None:
    if new != old:
        element.set(attribute, new)


def _link(element: _Element, row: Row, reference: str, judged: Judged) -> Link:
    target, base, problem, _new = judged
    place = (0, 0, element.line, 0)
    return Link(element.name, row.attribute, row.syntax, row.role, reference, target, base, *place, problem)


def _settle(bases: list[_Element], base: Base, options: Options) -> None:
    """What becomes of the BASE elements (`Options.base_element`)."""
    counting = [element for element in bases if not element.in_template]
    for element in counting:
        if options.base_element == "remove":
            element.remove()
        elif options.base_element == "drop-href":
            element.set("href", None)
        elif element is counting[0] and base.layer is Layer.EMBEDDED and base.url != element.values["href"].strip():
            element.set("href", base.url)
