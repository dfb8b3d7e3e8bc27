"""Hook for BeautifulSoup: makes the links of a soup of any tree builder, or of a tag in it, absolute in place.

    soup = BeautifulSoup(body, "html.parser")
    conversion = linkfix.hooks.bs4.absolutize(soup, "https://example.com/dir/page", charset=soup.original_encoding)
    conversion.links, conversion.problems, conversion.base

A soup of the builders "xml" and "lxml-xml" is an XML document, unless its root is an `html` without a namespace. A soup
means its whole document. A tag means itself and its content, but its base is still the document's base.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Unpack

from bs4 import BeautifulSoup
from bs4.element import (
    Comment,
    Declaration,
    Doctype,
    NavigableString,
    PageElement,
    ProcessingInstruction,
    Tag,
    XMLProcessingInstruction,
)

from linkfix.trees.context import Context, ElementKind
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

#: Strings that are not text.
_NO_TEXT = (Comment, Declaration, Doctype, ProcessingInstruction)


class _Element(Element):
    """A tag. `_runs`: index and kind of each text among its children, up to the first element."""

    __slots__ = ("_runs",)

    def read_attributes(self) -> Iterable[tuple[str, str, str]]:
        return [(_known(key, self.outer), key, _join_value(value)) for key, value in self.node.attrs.items()]

    def set(self, name: str, value: str | None) -> None:
        attrs: dict[str, Any] = self.node.attrs
        if value is None:
            del attrs[name]
        else:
            attrs[name] = value.split() if isinstance(attrs[name], list) else value

    def texts(self) -> Sequence[str]:
        self._runs: list[tuple[int, type[NavigableString]]] = []
        for index, child in enumerate(self.node.contents):
            if isinstance(child, Tag):
                break
            if isinstance(child, NavigableString) and not isinstance(child, _NO_TEXT):
                self._runs.append((index, type(child)))
        return [str(self.node.contents[index]) for index, _ in self._runs]

    def set_texts(self, new: Mapping[int, str]) -> None:
        # Replacing them one by one would make BeautifulSoup search for each.
        contents: list[PageElement] = list(self.node.contents)
        for number, text in new.items():
            index, string_class = self._runs[number]
            contents[index] = string_class(text)
        self.node.clear()
        self.node.extend(contents)

    def ancestors(self) -> Iterable[str]:
        return islice(_names_around(self.node), 1, None)

    def remove(self) -> None:
        self.node.extract()


def _join_value(value: Any) -> str:
    return " ".join(value) if isinstance(value, list) else str(value or "")


def _known(key: str, around: Context) -> str:
    """The vocabulary's name of an attribute, or ""."""
    uri = getattr(key, "namespace", None)
    return around.attribute(uri or "", str(getattr(key, "name", None) or "") if uri else key)


class _Tree:
    """`top`: the given tag. `above`: the tags around it, outermost first. `document`: the outermost node."""

    def __init__(self, top: Tag) -> None:
        self.top = top
        parents = list(top.parents)[::-1]
        self.document = parents[0] if parents else top
        self.above = [parent for parent in parents if not isinstance(parent, BeautifulSoup)]

    def is_xml(self) -> bool:
        if not isinstance(self.document, BeautifulSoup):
            return bool(self.document.known_xml)
        root = next((child for child in self.document.contents if isinstance(child, Tag)), None)
        return bool(self.document.is_xml) and not (root and root.name.lower() == "html" and not root.namespace)

    def columns(self, around: Context) -> TreeColumns:
        if self.document is self.top:
            return _walk(self.top, around, TreeColumns(_write, _Element))
        names = ["base", "meta"]
        inside = {id(tag) for tag in self.top.find_all(names)}
        outside = [tag for tag in self.document.find_all(names) if id(tag) not in inside and tag is not self.top]
        following = {id(tag) for tag in self.top.find_all_next(names)}
        contexts: dict[int, Context] = {}
        before = [_outside(tag, around, contexts) for tag in outside if id(tag) not in following]
        after = [_outside(tag, around, contexts) for tag in outside if id(tag) in following]
        inner = around
        for tag in self.above:
            inner = _inside(tag, _kind(tag, inner))
        columns = _walk(self.top, inner, TreeColumns(_write, _Element, before))
        for element in after:
            columns.add_element(element)
        return columns

    def bases_before_frameset(self, *, scripting: bool) -> list[Any] | None:
        builder = self.document.builder if isinstance(self.document, BeautifulSoup) else None
        implies_body = builder is not None and builder.NAME != "html.parser"
        return before_frameset(_tokens(self.document), _names_around, implies_body=implies_body, scripting=scripting)


def _outside(tag: Tag, around: Context, contexts: dict[int, Context]) -> Element:
    """A BASE or meta element outside the given part of the document.

    `contexts`: a cache, from the identity of a tag around it to the context of the tag's children.
    """
    above: list[Tag] = []
    for parent in tag.parents:
        if id(parent) in contexts or isinstance(parent, BeautifulSoup):
            around = contexts.get(id(parent), around)
            break
        above.append(parent)
    for parent in reversed(above):
        around = contexts[id(parent)] = _inside(parent, _kind(parent, around))
    return _Element(tag, _kind(tag, around), around, around, tag.sourceline or 0, False)


def _name(tag: Tag) -> str:
    return tag.name.rpartition(":")[2].lower()


def _names_around(tag: Tag) -> Iterator[str]:
    """Yield the names of a tag and of the tags around it, innermost first, in lower case."""
    yield _name(tag)
    for parent in tag.parents:
        if not isinstance(parent, BeautifulSoup):
            yield _name(parent)


def _tokens(document: Tag) -> Iterator[Token]:
    for node in document.descendants:
        if isinstance(node, Tag):
            yield Token(node, _name(node), "", node.attrs)
        elif isinstance(node, NavigableString) and not isinstance(node, _NO_TEXT) and node.parent is not None:
            yield Token(node.parent, "", str(node), {})


def _kind(tag: Tag, around: Context) -> ElementKind:
    key = tag.namespace, tag.prefix, tag.name
    kind = around.kinds.get(key)
    if kind is None:
        local = tag.name.removeprefix(f"{tag.prefix}:") if tag.prefix else tag.name
        kind = around.kind(key, tag.namespace or "", local, tag.get)  # type: ignore[arg-type]
    return kind


def _inside(tag: Tag, kind: ElementKind) -> Context:
    """The context of a tag's children."""
    inner = kind.inner
    if not (inner.xml and kind.namespace == "svg"):
        return inner
    own = next((_join_value(value) for key, value in tag.attrs.items() if _known(key, inner) == "xml:base"), None)
    return inner if own is None else inner.with_base(own)


def _write(tag: Tag, name: str, value: str) -> None:
    tag.attrs[name] = value


def _walk(top: Tag, around: Context, columns: TreeColumns) -> TreeColumns:
    """Add all places in `top` that can have references, in document order."""
    walk = Walk(columns, _known, _kind, _inside)
    for node in list(top.contents) if around.xml and isinstance(top, BeautifulSoup) else (top,):
        if isinstance(node, XMLProcessingInstruction):
            for element in _instruction(node, around):
                columns.add_element(element)
        elif isinstance(node, Tag):
            walk.soup(node, around, Tag, BeautifulSoup)
    return columns


def _instruction(node: XMLProcessingInstruction, around: Context) -> Iterator[Element]:
    """The xml-stylesheet processing instruction beside the root element."""
    target, _, text = str(node).partition(" ")
    if target == "xml-stylesheet":
        yield stylesheet_instruction(text, lambda new: _replace(node, f"{target} {new}"), around)


def _replace(node: XMLProcessingInstruction, text: str) -> None:
    node.replace_with(XMLProcessingInstruction(text))


def absolutize(tree: Tag, url: str | None = None, **fields: Unpack[TreeFields]) -> TreeConversion:
    """Make the links of a soup, or of a tag and its content, absolute in place: see `linkfix.hooks.lxml.absolutize`.

    Raises TypeError for any other object.
    """
    if not isinstance(tree, Tag):
        message = f"{type(tree).__name__}: give a BeautifulSoup object or a tag"
        raise TypeError(message)
    return absolutize_elements(_Tree(tree), url, **fields)
