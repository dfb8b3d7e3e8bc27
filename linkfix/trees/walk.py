"""Walks a parsed tree and collects what can have references, each with what it inherits.

Most elements have nothing: the names of their attributes say so, which are looked up once for each kind of element. A
walk uses what its library does fastest, and knows nothing else of it: the library's module says the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from linkfix.trees.context import Context, ElementKind
from linkfix.trees.element import Element, TreeColumns

#: Lexbor numbers the names that it knows from 0 on; those of others are numbers of a single document, and higher.
NUMBERED = 256


class Walk:
    """Finds what can have references in one tree, and adds it to `columns`, in document order.

    `make`: makes one. `known`: an attribute's name in the vocabulary, "" for none. `kind_of`: the kind of an element
    whose name is new. `inside`: what the children of an element of that kind inherit, where that depends on it alone.
    """

    def __init__(
        self,
        columns: TreeColumns,
        make: Callable[..., Element],
        known: Callable[[Any, Context], str],
        kind_of: Callable[[Any, Context], ElementKind],
        inside: Callable[[Any, ElementKind], Context],
    ) -> None:
        self.columns: TreeColumns = columns
        self.make: Callable[..., Element] = make
        self.known: Callable[[Any, Context], str] = known
        self.kind_of: Callable[[Any, Context], ElementKind] = kind_of
        self.inside: Callable[[Any, ElementKind], Context] = inside

    def lxml(
        self,
        top: Any,
        nodes: Iterator[Any],
        around: Context,
        following: Callable[..., Any],
        keys: Callable[[Any], Iterable[Any]],
        get: Callable[[Any, str], Any],
    ) -> None:
        """Walks lxml's own iteration over the elements in `top`, which tells no depth: a context ends at a node.

        `following`: see `linkfix.trees.lxml`. `keys` and `get`: lxml's methods of an element, not looked up for each.
        """
        stack: list[tuple[Any, Any, Context]] = []  # the three below, as they are around an inner context
        owner, end = top, None  # the element whose children inherit `around`, and where it ends
        for node in nodes:
            while node is end and end is not None:
                owner, end, around = stack.pop()
            kind = around.kinds.get(node.tag)
            if kind is None:
                kind = self.kind_of(node, around)
            inner = kind.inner
            if inner.xml and kind.namespace == "svg":
                inner = self.inside(node, kind)
            if kind.namespace:
                self._see(node, kind, around, inner, keys, get)
            if inner is not around and len(node):
                stack.append((owner, end, around))
                owner, end, around = node, following(node, owner, end), inner

    def lexbor(  # noqa: C901, PLR0912 - one loop
        self,
        top: Any,
        around: Context,
        following: Callable[..., int],
        marked: Callable[[Any, Context], dict[int, set[int]] | None],
    ) -> None:
        """Walks selectolax's own iteration, which tells no depth: a context ends at a node. Templates' contents count.

        `following`: see `linkfix.trees.selectolax`, as for `marked`: most elements' attributes are never read.
        """
        is_asked = True
        marks = marked(top, around)
        if marks is None:
            is_asked = False
            marks = {}
        nodes = top.traverse()
        stack: list[tuple[int, int, Context]] = []  # the three below, as they are around an inner context
        owner = end = 0  # the element whose children inherit `around`, and where it ends
        waiting: list[tuple[Any, list[tuple[int, int, Context]], int, int, Context]] = []  # what a template interrupts
        while True:
            for node in nodes:
                while end and end == node.mem_id:
                    owner, end, around = stack.pop()
                number = node.tag_id
                kind = around.kinds.get(number)
                if kind is None:
                    kind = self.kind_of(node, around)
                    if number < NUMBERED and around.kinds.get(node.tag) is kind:
                        around.kinds[number] = kind
                inner = kind.inner
                outer = around
                if kind.namespace:
                    is_read = kind.has_rows or not is_asked
                    if not is_read:
                        of_name = marks.get(number)
                        is_read = of_name is not None and node.mem_id in of_name
                    if is_read and not self._add(node, kind, outer, node.attributes, 0):
                        self.columns.add_element(self.make(node, kind, outer, kind.inner, 0))
                if inner is not outer and self._has_elements(node):
                    stack.append((owner, end, outer))
                    end = following(node, owner, end)
                    owner, around = node.mem_id, inner
                if kind.name == "template" and kind.namespace == "html":
                    contents = node.template_fragments()
                    if contents:
                        waiting.append((nodes, stack, owner, end, around))
                        if is_asked:
                            for number, more in (marked(contents[0], around) or {}).items():
                                marks.setdefault(number, set()).update(more)
                        nodes, stack, owner, end, around = contents[0].traverse(), [], 0, 0, inner
                        break
            else:
                if not waiting:
                    return
                nodes, stack, owner, end, around = waiting.pop()

    def soup(self, top: Any, around: Context, tag_class: type, whole_class: type) -> None:
        """Walks what BeautifulSoup's tags contain. Elements of XML and foreign ones have names with a namespace in one
        string: each needs a closer look. `whole_class`: the class of a document, which is a tag and no element.
        """
        stack: list[tuple[Any, Context]] = [(top, around)]
        while stack:
            node, outer = stack.pop()
            inner = outer
            if not isinstance(node, whole_class):
                kind = outer.kinds.get((node.namespace, node.prefix, node.name))
                if kind is None:
                    kind = self.kind_of(node, outer)
                inner = kind.inner
                if outer.xml or kind.namespace not in {"html", ""}:
                    inner = self.inside(node, kind)
                    if kind.has_text or self._any_known(outer, node.attrs):
                        self.columns.add_element(self.make(node, kind, outer, inner, node.sourceline or 0))
                elif kind.namespace and not self._add(node, kind, outer, node.attrs, node.sourceline or 0):
                    self.columns.add_element(self.make(node, kind, outer, inner, node.sourceline or 0))
            for child in reversed(node.contents):
                if isinstance(child, tag_class):
                    stack.append((child, inner))  # noqa: PERF401 - compiled functions have no closures

    def _see(
        self,
        node: Any,
        kind: ElementKind,
        outer: Context,
        inner: Context,
        keys: Callable[[Any], Iterable[Any]],
        get: Callable[[Any, str], Any],
    ) -> None:
        """Adds what an element of lxml has."""
        names = tuple(keys(node))
        shape = kind.shapes.get(names)
        if shape is None:
            shape = outer.shape(kind, names, self.known)
        if shape.is_empty:
            return
        line = node.sourceline or 0
        needs_look = shape.needs_look
        for key, words in shape.guards:
            if shape.is_guard(words, get(node, key)):
                needs_look = True
        if needs_look:
            self.columns.add_element(self.make(node, kind, outer, inner, line))
        else:
            for attribute in shape.attributes:
                self.columns.add(node, kind, attribute, get(node, attribute.key), line)

    def _has_elements(self, node: Any) -> bool:
        """Whether a node of selectolax has children that are no text."""
        child = node.child
        while child is not None and child.is_text_node:
            child = child.next
        return child is not None

    def _any_known(self, outer: Context, names: Iterable[Any]) -> bool:
        """Whether an attribute of these names can have a reference in some element."""
        attributes = outer.attributes
        for name in names:  # noqa: SIM110
            if self.known(name, outer) in attributes:
                return True
        return False

    def _add(self, node: Any, kind: ElementKind, outer: Context, values: Mapping[Any, Any], line: int) -> bool:
        """Adds what an element with such attributes has; False where it needs a closer look."""
        keys = tuple(values)
        shape = kind.shapes.get(keys)
        if shape is None:
            shape = outer.shape(kind, keys, self.known)
        if shape.needs_look:
            return False
        for key, words in shape.guards:
            if shape.is_guard(words, values[key]):
                return False
        for attribute in shape.attributes:
            if type(values[attribute.key]) is not str:
                return False
        for attribute in shape.attributes:
            self.columns.add(node, kind, attribute, values[attribute.key], line)
        return True
