"""BeautifulSoup's trees, of any of its tree builders, in place.

    soup = BeautifulSoup(html, "html.parser")
    conversion = linkfix.hooks.bs4.absolutize(soup, "https://example.com/dir/page")
    conversion.links, conversion.problems, conversion.base

A soup of the builders "xml" and "lxml-xml" is an XML document's, unless its root is an `html` without a namespace. A
soup stands for its document, a tag for itself and what is in it, and its base is the document's still.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from linkfix.trees.conversion import TreeConversion, TreeFields, absolutize_elements
from linkfix.trees.element import Element, stylesheet_instruction

__all__ = ["absolutize"]


#: Strings that are no text.
_NO_TEXT = (Comment, Declaration, Doctype, ProcessingInstruction)


class _Element(Element):
    """A tag. `_runs`: where in its contents text is, up to the first element, and of which kind."""

    __slots__ = ("_runs", "tag")

    def __init__(self, tag: Tag, kind: ElementKind, outer: Context, inner: Context, *, inside: bool = True) -> None:
        attributes = [(_known(key, outer), key, _join_value(value)) for key, value in tag.attrs.items()]
        super().__init__(kind, outer, inner, attributes, inside=inside, line=tag.sourceline or 0)
        self.tag = tag

    def set(self, name: str, value: str | None) -> None:
        attrs: dict[str, Any] = self.tag.attrs
        if value is None:
            del attrs[name]
        else:
            attrs[name] = value.split() if isinstance(attrs[name], list) else value

    def texts(self) -> Sequence[str]:
        self._runs: list[tuple[int, type[NavigableString]]] = []
        for index, child in enumerate(self.tag.contents):
            if isinstance(child, Tag):
                break
            if isinstance(child, NavigableString) and not isinstance(child, _NO_TEXT):
                self._runs.append((index, type(child)))
        return [str(self.tag.contents[index]) for index, _ in self._runs]

    def set_texts(self, new: Mapping[int, str]) -> None:
        # One by one, BeautifulSoup would look for the place of each.
        contents: list[PageElement] = list(self.tag.contents)
        for number, text in new.items():
            index, string_class = self._runs[number]
            contents[index] = string_class(text)
        self.tag.clear()
        self.tag.extend(contents)

    def remove(self) -> None:
        self.tag.extract()


def _join_value(value: Any) -> str:  # noqa: ANN401 - a string, or a list of them
    return " ".join(value) if isinstance(value, list) else str(value or "")


def _known(key: str, around: Context) -> str:
    """An attribute's name in the vocabulary; "" for none."""
    uri = getattr(key, "namespace", None)
    return around.attribute(uri or "", str(getattr(key, "name", None) or "") if uri else key)


class _Tree:
    """`top`: the tag that was given. `above`: the tags around it, outermost first. `document`: what is around all."""

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

    def elements(self, around: Context) -> Iterator[Element]:
        exact = not self.is_xml()
        if self.document is self.top:
            yield from _walk(self.top, around, exact=exact)
            return
        inside = {id(tag) for tag in self.top.find_all("base")}
        outside = [tag for tag in self.document.find_all("base") if id(tag) not in inside and tag is not self.top]
        following = {id(tag) for tag in self.top.find_all_next("base")}
        yield from (_outside(tag, around) for tag in outside if id(tag) not in following)
        inner = around
        for tag in self.above:
            inner = _inside(tag, _kind(tag, inner), inner)
        yield from _walk(self.top, inner, exact=exact)
        yield from (_outside(tag, around) for tag in outside if id(tag) in following)


def _outside(tag: Tag, around: Context) -> Element:
    """A BASE element that is not in the part of the document that was given."""
    for parent in reversed(list(tag.parents)):
        if not isinstance(parent, BeautifulSoup):
            around = _inside(parent, _kind(parent, around), around)
    return _Element(tag, _kind(tag, around), around, around, inside=False)


def _kind(tag: Tag, around: Context) -> ElementKind:
    name, uri = tag.name, tag.namespace or ""
    kind = around.kinds.get((uri, name))
    if kind is None:
        local = name.removeprefix(f"{tag.prefix}:") if tag.prefix else name
        kind = around.kind((uri, name), uri, local, tag.get)  # type: ignore[arg-type]
    return kind


def _inside(tag: Tag, kind: ElementKind, around: Context) -> Context:
    """What the children of a tag inherit."""
    if not (around.xml and kind.namespace == "svg"):
        return kind.inner
    own = next((_join_value(value) for key, value in tag.attrs.items() if _known(key, around) == "xml:base"), None)
    return kind.inner if own is None else kind.inner.with_base(own)


def _walk(top: Tag, around: Context, *, exact: bool) -> Iterator[Element]:
    """What can have references in `top`, in document order. `exact`: its names are written as the vocabulary's."""
    attributes = around.attributes
    stack: list[tuple[Any, Context]] = [(top, around)]
    while stack:
        node, outer = stack.pop()
        if isinstance(node, XMLProcessingInstruction):
            yield from _instruction(node, outer)
            continue
        inner = outer
        if not isinstance(node, BeautifulSoup):
            kind = _kind(node, outer)
            inner = _inside(node, kind, outer)
            if kind.text or (
                not attributes.isdisjoint(node.attrs)
                if exact
                else any(_known(key, outer) in attributes for key in node.attrs)
            ):
                yield _Element(node, kind, outer, inner)
        kinds = (Tag, XMLProcessingInstruction) if inner.xml and isinstance(node, BeautifulSoup) else Tag
        stack.extend((child, inner) for child in reversed(node.contents) if isinstance(child, kinds))


def _instruction(node: XMLProcessingInstruction, around: Context) -> Iterator[Element]:
    """An xml-stylesheet processing instruction beside the root element."""
    target, _, text = str(node).partition(" ")
    if target == "xml-stylesheet":
        yield stylesheet_instruction(text, lambda new: _replace(node, f"{target} {new}"), around)


def _replace(node: XMLProcessingInstruction, text: str) -> None:
    node.replace_with(XMLProcessingInstruction(text))


def absolutize(tree: Tag, url: str | None = None, **fields: Unpack[TreeFields]) -> TreeConversion:
    """Makes the links of a soup, or of a tag and what is in it, absolute in place: see `linkfix.hooks.lxml.absolutize`.

    Raises TypeError for what is neither.
    """
    if not isinstance(tree, Tag):
        message = f"{type(tree).__name__}: give a BeautifulSoup object or a tag"
        raise TypeError(message)
    return absolutize_elements(_Tree(tree), url, **fields)
