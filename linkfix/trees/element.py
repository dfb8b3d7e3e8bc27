"""What a library's module gives of a parsed tree: its elements that can have references, and how to change them."""

from __future__ import annotations

import abc
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from linkfix.html.charrefs import decode, escape_attribute
from linkfix.html.xml_outline import STYLESHEET
from linkfix.trees.context import Context, ElementKind

__all__ = ["Element", "Tree", "stylesheet_instruction"]

_HREF = re.compile(r"""(?<!\S)href\s*=\s*(?:"([^"]*)"|'([^']*)')""")


class Tree(Protocol):
    """A tree, or a part of one, as its library's module reads it."""

    def is_xml(self) -> bool:
        """Whether the tree is that of an XML document."""

    def elements(self, around: Context) -> Iterable[Element]:
        """What can have references, in document order; and the BASE elements of the same document that stand outside.

        `around`: the context of the document's root element.
        """


class Element(abc.ABC):
    """An element that can have references.

    `kind`: what it is. `context`: what its references inherit, its own `xml:base` included; `outer`: what it inherits
    itself. `inside`: it is in the tree that was given, and not only in the same document. `names`: the vocabulary's
    name of each attribute that it knows -> the library's. `values`: their values by the vocabulary's names. `line`: the
    parser's, 0 where it kept none.
    """

    __slots__ = ("context", "inside", "kind", "line", "names", "outer", "values")

    def __init__(  # noqa: PLR0913 - what an element is
        self,
        kind: ElementKind,
        outer: Context,
        context: Context,
        attributes: Iterable[tuple[str, str, str]],
        *,
        inside: bool = True,
        line: int = 0,
    ) -> None:
        """`attributes`: the vocabulary's name, "" for none; the library's; the value. The first of a name counts."""
        self.kind: ElementKind = kind
        self.outer: Context = outer
        self.context: Context = context
        self.inside: bool = inside
        self.line: int = line
        self.names: dict[str, str] = {}
        self.values: dict[str, str] = {}
        for known, name, value in attributes:
            if known and known not in self.names:
                self.names[known] = name
                self.values[known] = value

    @abc.abstractmethod
    def set(self, name: str, value: str | None) -> None:
        """Sets an attribute, by the library's name; None removes it. Raises ValueError for what it cannot hold."""

    @abc.abstractmethod
    def texts(self) -> Sequence[str]:
        """The runs of text that the element holds directly, up to the first element in it."""

    @abc.abstractmethod
    def set_texts(self, new: Mapping[int, str]) -> None:
        """Sets some of `texts()`, which was asked for, by their numbers; all, or none and raises ValueError."""

    @abc.abstractmethod
    def remove(self) -> None:
        """Takes the element out of the tree; the text after it stays."""


class _Instruction(Element):
    """An xml-stylesheet processing instruction."""

    __slots__ = ("_text", "_write")

    def __init__(self, text: str, write: Callable[[str], None], around: Context, line: int) -> None:
        match = _HREF.search(text)
        href = [("href", "href", decode(match[match.lastindex or 0]).text)] if match else []
        super().__init__(
            ElementKind("svg", STYLESHEET.element, text=False, inner=around), around, around, href, line=line
        )
        self._text = text
        self._write = write

    def set(self, name: str, value: str | None) -> None:
        written = f'{name}="{escape_attribute(value or "", 34).replace("<", "&lt;")}"'
        self._write(_HREF.sub(lambda _: written, self._text, count=1))

    def texts(self) -> Sequence[str]:
        return ()

    def set_texts(self, new: Mapping[int, str]) -> None:
        raise NotImplementedError

    def remove(self) -> None:
        raise NotImplementedError


def stylesheet_instruction(text: str, write: Callable[[str], None], around: Context, line: int = 0) -> Element:
    """An xml-stylesheet processing instruction beside the root element (Associating Style Sheets with XML §3).

    `text`: its pseudo-attributes. `write`: puts a new text in its place. `around`: the root element's context.
    """
    return _Instruction(text, write, around, line)
