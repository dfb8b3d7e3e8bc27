"""The places with references in a parsed tree: attributes on the fast path, and elements on the slow path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from linkfix.html.vocabulary import ascii_lower, is_parsed_at_once
from linkfix.trees.context import Context, ElementKind, UrlAttribute

#: The maximum nesting of elements in a head: HTML's parser makes no noscript inside a noscript there.
DEEPEST = 64


class Element:
    """An element that can have references.

    `node`: the library's element. `kind`: its kind. `context`: the state for its references, including its own
    `xml:base`. `outer`: the state that it inherits. `line`: the parser's line, 0 if it kept none. `inside`: whether it
    is in the given tree, not only in the same document.
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
        """The vocabulary's name of each known attribute -> the library's name."""
        return self._read()[0]

    @property
    def values(self) -> dict[str, str]:
        """The vocabulary's name of each known attribute -> its value at the first access."""
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
        """Whether this is a BASE element with an href."""
        kind = self.kind
        return kind.name == "base" and kind.namespace == "html" and "href" in self._read()[1]

    def policy(self) -> str | None:
        """The Content-Security-Policy that this meta in the head states (HTML §4.2.5.3); None for any other element."""
        kind = self.kind
        if kind.name != "meta" or kind.namespace != "html" or self.outer.in_template:
            return None
        values = self._read()[1]
        if "content" not in values or ascii_lower(values.get("http-equiv", "")) != "content-security-policy":
            return None
        return values["content"] if self.is_in_head() else None

    def is_in_head(self) -> bool:
        """Whether this is in a head element; or, in a tree that implies no head, directly in html."""
        for depth, name in enumerate(self.ancestors()):
            if name == "head":
                return True
            if name not in {"html", "noscript"} or depth > DEEPEST:
                return False
        return True

    def ancestors(self) -> Iterable[str]:
        """The names of the ancestors, innermost first, in lower case."""
        raise NotImplementedError

    def read_attributes(self) -> Iterable[tuple[str, str, str]]:
        """Each attribute: the vocabulary's name or "", the library's name, and the value. The first counts."""
        raise NotImplementedError

    def set(self, name: str, value: str | None) -> None:
        """Set an attribute, by the library's name; None removes it. Raises ValueError for an invalid value."""
        raise NotImplementedError

    def texts(self) -> Sequence[str]:
        """The runs of text directly in the element, up to its first child element."""
        raise NotImplementedError

    def set_texts(self, new: Mapping[int, str]) -> None:
        """Replace some of `texts()`, which was called before, by index. Raises ValueError without any change."""
        raise NotImplementedError

    def remove(self) -> None:
        """Remove the element from the tree; the text after it stays."""
        raise NotImplementedError


class TreeColumns:
    """The places of a tree that can have references, in document order, as columns.

    A place is a URL attribute (`UrlAttribute`) or an element that needs the slow path. Such an element is in `nodes`
    itself, with None as its attribute. `write`: sets an attribute of a library's node, by the library's name.
    `make`: makes an `Element` of it.
    """

    def __init__(
        self,
        write: Callable[[Any, str, str], object],
        make: Callable[..., Element],
        elements: Iterable[Element] = (),
    ) -> None:
        self.write: Callable[[Any, str, str], object] = write
        self.make: Callable[..., Element] = make
        self.nodes: list[Any] = []
        self.kinds: list[ElementKind] = []
        self.attributes: list[UrlAttribute | None] = []
        self.values: list[str] = []
        self.lines: list[int] = []
        for element in elements:
            self.add_element(element)

    def add(self, node: Any, kind: ElementKind, attribute: UrlAttribute, value: str, line: int) -> None:
        """Add an attribute of a library's node."""
        self.nodes.append(node)
        self.kinds.append(kind)
        self.attributes.append(attribute)
        self.values.append(value)
        self.lines.append(line)

    def add_element(self, element: Element) -> None:
        """Add an element that needs the slow path."""
        self.nodes.append(element)
        self.kinds.append(element.kind)
        self.attributes.append(None)
        self.values.append("")
        self.lines.append(element.line)

    def mark_early(self, last: Element, around: Context) -> None:
        """Mark the attributes before `last` that are parsed at once, in a tree of HTML. `around`: any context of it."""
        for number, node in enumerate(self.nodes):
            if node is last:
                return
            attribute = self.attributes[number]
            if attribute is not None and attribute.row.parsed:
                element = self.make(node, self.kinds[number], around, around, self.lines[number])
                if is_parsed_at_once(attribute.row, element.values.get):
                    self.attributes[number] = UrlAttribute(attribute.key, attribute.row, True)

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
        """The meta elements that state a Content-Security-Policy, each with its index."""
        found: list[tuple[int, Element]] = []
        for number, attribute in enumerate(self.attributes):
            if attribute is None:
                element: Element = self.nodes[number]
                if element.policy() is not None:
                    found.append((number, element))
        return found
