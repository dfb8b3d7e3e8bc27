"""Walk a parsed tree and collect the places that can have references, each with its inherited context.

Most elements have none. The names of their attributes show it, and are looked up once per kind of element. A walk uses
the fastest iteration of its library, and nothing else of it. The library's module does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from linkfix.trees.context import Context, ElementKind
from linkfix.trees.element import TreeColumns

#: Lexbor gives the names that it knows numbers from 0 on. Other names have higher numbers, each for one document only.
NUMBERED = 256


class Walk:
    """Finds the places that can have references in one tree, and adds them to `columns`, in document order.

    `known`: returns an attribute's name in the vocabulary, or "". `kind_of`: returns the kind of an element with a new
    name. `inside`: returns the context of an element's children, if it depends on more than the name.
    """

    def __init__(
        self,
        columns: TreeColumns,
        known: Callable[[Any, Context], str],
        kind_of: Callable[[Any, Context], ElementKind],
        inside: Callable[[Any, ElementKind], Context],
    ) -> None:
        self.columns: TreeColumns = columns
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
        """Walk lxml's own iteration over the elements in `top`. It tells no depth, so a context ends at a given node.

        `following`: see `linkfix.hooks.lxml`. `keys` and `get`: lxml's methods of an element, looked up only once.
        """
        stack: list[tuple[Any, Any, Context]] = []  # `owner`, `end` and `around` outside each inner context
        owner, end = top, None  # the element whose children inherit `around`, and the node at its end
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
        """Walk selectolax's own iteration, including templates' contents. It tells no depth, so a context ends at a
        given node.

        `following` and `marked`: see `linkfix.hooks.selectolax`. With `marked`, most elements' attributes are never
        read.
        """
        is_asked = True
        marks = marked(top, around)
        if marks is None:
            is_asked = False
            marks = {}
        nodes = top.traverse()
        stack: list[tuple[int, int, Context]] = []  # `owner`, `end` and `around` outside each inner context
        owner = end = 0  # the element whose children inherit `around`, and the node at its end
        # the walks that a template interrupts
        waiting: list[tuple[Any, list[tuple[int, int, Context]], int, int, Context]] = []
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
                        self.columns.add_element(self.columns.make(node, kind, outer, kind.inner, 0))
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
        """Walk the contents of BeautifulSoup's tags. Elements of XML and foreign elements have attribute names with a
        namespace in one string, so each needs the slow path. `whole_class`: the class of a document, which is a tag but
        not an element.
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
                        self.columns.add_element(self.columns.make(node, kind, outer, inner, node.sourceline or 0))
                elif kind.namespace and not self._add(node, kind, outer, node.attrs, node.sourceline or 0):
                    self.columns.add_element(self.columns.make(node, kind, outer, inner, node.sourceline or 0))
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
        """Add the places of an lxml element that can have references."""
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
            self.columns.add_element(self.columns.make(node, kind, outer, inner, line))
        else:
            for attribute in shape.attributes:
                self.columns.add(node, kind, attribute, get(node, attribute.key), line)

    def _has_elements(self, node: Any) -> bool:
        """Whether a node of selectolax has children other than text."""
        child = node.child
        while child is not None and child.is_text_node:
            child = child.next
        return child is not None

    def _any_known(self, outer: Context, names: Iterable[Any]) -> bool:
        """Whether any attribute name can have a reference in some element."""
        attributes = outer.attributes
        for name in names:  # noqa: SIM110
            if self.known(name, outer) in attributes:
                return True
        return False

    def _add(self, node: Any, kind: ElementKind, outer: Context, values: Mapping[Any, Any], line: int) -> bool:
        """Add the places of an element with these attributes. Return False if it needs the slow path."""
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
