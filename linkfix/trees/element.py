"""What can have references in a parsed tree: attributes that need no more than their values, and elements that need a
closer look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from linkfix.html.vocabulary import ascii_lower
from linkfix.trees.context import Context, ElementKind, UrlAttribute

#: A head has no elements in which so many others are: HTML's parser makes no noscript in a noscript there.
DEEPEST = 64


class Element:
    """An element that can have references.

    `node`: the library's. `kind`: what it is. `context`: what its references inherit, its own `xml:base` included;
    `outer`: what it inherits itself. `line`: the parser's, 0 where it kept none. `inside`: it is in the tree that was
    given, and not only in the same document.
    """

    def __init__(
        self,
        node: Any,
        kind: ElementKind,
        outer: Context,
        context: Context,
        line: int,
        inside: bool = True,
    ) -> None:
        self.node: Any = node
        self.kind: ElementKind = kind
        self.outer: Context = outer
        self.context: Context = context
        self.line: int = line
        self.inside: bool = inside
        self._names: dict[str, str] | None = None
        self._values: dict[str, str] | None = None

    @property
    def names(self) -> dict[str, str]:
        """The vocabulary's name of each attribute that it knows -> the library's."""
        return self._read()[0]

    @property
    def values(self) -> dict[str, str]:
        """Those attributes' values by the vocabulary's names, as they were when they were first asked for."""
        return self._read()[1]

    def _read(self) -> tuple[dict[str, str], dict[str, str]]:
        if self._names is None or self._values is None:
            self._names = {}
            self._values = {}
            for known, name, value in self.read_attributes():
                if known and known not in self._names:
                    self._names[known] = name
                    self._values[known] = value
        return self._names, self._values

    def is_base(self) -> bool:
        """Whether it is a BASE element with an href."""
        kind = self.kind
        return kind.name == "base" and kind.namespace == "html" and "href" in self._read()[1]

    def policy(self) -> str | None:
        """The Content-Security-Policy that it states, a meta in the head (HTML §4.2.5.3); None where it is no such."""
        kind = self.kind
        if kind.name != "meta" or kind.namespace != "html" or self.outer.in_template:
            return None
        values = self._read()[1]
        if "content" not in values or ascii_lower(values.get("http-equiv", "")) != "content-security-policy":
            return None
        return values["content"] if self.is_in_head() else None

    def is_in_head(self) -> bool:
        """Whether it is in a head element, or in a tree that implies none in no other element but html."""
        for depth, name in enumerate(self.ancestors()):
            if name == "head":
                return True
            if name not in {"html", "noscript"} or depth > DEEPEST:
                return False
        return True

    def ancestors(self) -> Iterable[str]:
        """The names of the elements around it, innermost first, in lower case."""
        raise NotImplementedError

    def read_attributes(self) -> Iterable[tuple[str, str, str]]:
        """Of each attribute: the vocabulary's name, "" for none; the library's; the value. The first counts."""
        raise NotImplementedError

    def set(self, name: str, value: str | None) -> None:
        """Sets an attribute, by the library's name; None removes it. Raises ValueError for what it cannot hold."""
        raise NotImplementedError

    def texts(self) -> Sequence[str]:
        """The runs of text that the element holds directly, up to the first element in it."""
        raise NotImplementedError

    def set_texts(self, new: Mapping[int, str]) -> None:
        """Sets some of `texts()`, which was asked for, by their numbers; all, or none and raises ValueError."""
        raise NotImplementedError

    def remove(self) -> None:
        """Takes the element out of the tree; the text after it stays."""
        raise NotImplementedError


class TreeColumns:
    """What can have references in a tree, in document order, in columns.

    That is URL attributes (`UrlAttribute`), and elements that need a closer look, which are in `nodes` themselves and
    have None for an attribute. `write`: gives an attribute of a library's node, by its name there, another value.
    """

    def __init__(self, write: Callable[[Any, str, str], object], elements: Iterable[Element] = ()) -> None:
        self.write: Callable[[Any, str, str], object] = write
        self.nodes: list[Any] = []
        self.kinds: list[ElementKind] = []
        self.attributes: list[UrlAttribute | None] = []
        self.values: list[str] = []
        self.lines: list[int] = []
        for element in elements:
            self.add_element(element)

    def add(self, node: Any, kind: ElementKind, attribute: UrlAttribute, value: str, line: int) -> None:
        """Adds an attribute of a library's node."""
        self.nodes.append(node)
        self.kinds.append(kind)
        self.attributes.append(attribute)
        self.values.append(value)
        self.lines.append(line)

    def add_element(self, element: Element) -> None:
        """Adds an element that needs a closer look."""
        self.nodes.append(element)
        self.kinds.append(element.kind)
        self.attributes.append(None)
        self.values.append("")
        self.lines.append(element.line)

    def bases(self) -> list[Element]:
        """The BASE elements with an href."""
        found: list[Element] = []
        for number, attribute in enumerate(self.attributes):
            if attribute is None:
                element: Element = self.nodes[number]
                if element.is_base():
                    found.append(element)
        return found

    def policy_metas(self) -> list[tuple[int, Element]]:
        """The meta elements that state a Content-Security-Policy, each after its number."""
        found: list[tuple[int, Element]] = []
        for number, attribute in enumerate(self.attributes):
            if attribute is None:
                element: Element = self.nodes[number]
                if element.policy() is not None:
                    found.append((number, element))
        return found
