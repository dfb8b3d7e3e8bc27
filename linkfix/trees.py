"""Trees in hand, by the same vocabulary, syntaxes and base rules: what is alike for the trees of every library.

A tree has lost its bytes, so that nothing can be said of those; its text is Unicode, so that queries are those of a
UTF-8 document unless `charset` tells what it was. How a library models elements is the business of its module in
`linkfix.hooks`, which gives them as `Element`s.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol, Unpack

from linkfix.base import BaseElement, document_url, establish, page
from linkfix.encoding import STR, lookup
from linkfix.errors import InvalidOption
from linkfix.html.syntaxes import SYNTAXES
from linkfix.html.vocabulary import RowTable, row_table
from linkfix.linker import Judged, Linker, resolver_of
from linkfix.model import PROBLEMS, Base, Envelope, Layer, Link, OptionFields, Options, Problem, Row
from linkfix.walker import Document

__all__ = ["Context", "Element", "TreeConversion", "TreeFields", "absolutize_elements", "context"]

_NAMESPACES = {
    "http://www.w3.org/1999/xhtml": "html",
    "http://www.w3.org/2000/svg": "svg",
    "http://www.w3.org/1998/Math/MathML": "mathml",
}
_ROOTS = {"svg": "svg", "math": "mathml"}
#: Elements of foreign content whose children are HTML (HTML §13.2.6.5).
_POINTS = frozenset({"foreignobject", "desc", "title", "mi", "mo", "mn", "ms", "mtext", "annotation-xml"})


class Element(Protocol):
    """One element of somebody's tree.

    `namespace`, `name`: as the vocabulary has them. `in_template`: inside a template element. `values`: its attributes
    by the vocabulary's names. `line`: the parser's, 0 where it kept none. `own_bases`: the values of `xml:base` that
    hold for it, outermost first, in a tree of an XML document.
    """

    namespace: str
    name: str
    in_template: bool
    values: dict[str, str]
    line: int
    own_bases: tuple[str, ...]

    def set(self, attribute: str, value: str | None) -> None:
        """Sets an attribute (None removes it); "" is the element's text."""

    def text(self) -> str:
        """The text that the element holds directly."""

    def remove(self) -> None:
        """Takes the element out of the tree; the text after it stays."""


class TreeConversion(NamedTuple):
    """What absolutizing made of a tree.

    `links`: as they were, in document order, with no spans and no columns (0); `line` is the parser's, 0 where it kept
    none. `rewritten`: how many of their references changed. `problems`: their offsets and columns are 0 too.
    """

    links: list[Link]
    problems: tuple[Problem, ...]
    base: Base
    rewritten: int


class TreeFields(OptionFields, total=False):
    """What a tree takes beside its URL, as keywords of a function: see `linkfix.Document`."""

    charset: str | None
    default_base: str | None
    envelope: Envelope | None


class Context(NamedTuple):
    """What an element inherits. `inner`: the namespace that children are in where the tree has no namespaces."""

    inner: str = "html"
    in_template: bool = False
    own_bases: tuple[str, ...] = ()


def context(name: str, uri: str, around: Context, own_base: str | None = None) -> tuple[str, Context]:
    """An element's namespace, and the context of its children.

    `name`: lower case. `uri`: its namespace, "" where the tree has none: then it is read as HTML, where what is in
    `svg` is SVG. `own_base`: its `xml:base`, where that counts.
    """
    namespace = _NAMESPACES.get(uri, "") if uri else _ROOTS.get(name, around.inner)
    inner = "html" if namespace != "html" and name in _POINTS else namespace
    in_template = around.in_template or (namespace == "html" and name == "template")
    bases = around.own_bases if own_base is None else (*around.own_bases, own_base)
    return namespace, Context(inner, in_template, bases)


def absolutize_elements(
    elements: Sequence[Element],
    url: str | None = None,
    *,
    charset: str | None = None,
    default_base: str | None = None,
    envelope: Envelope | None = None,
    **given: Unpack[OptionFields],
) -> TreeConversion:
    """Makes the links of a tree's elements, which come in document order, absolute in place.

    `given`: the fields of `Options`, but that base_element cannot be "insert". Raises what `Document` raises.
    """
    options = Options(**given)
    if options.base_element == "insert":
        message = "base_element='insert': a tree's references are rewritten; insert a BASE with the tree's own means"
        raise InvalidOption(message)
    envelope = envelope or Envelope(url, charset, default=default_base)
    return _Conversion(elements, envelope, options).run()


class _Conversion:
    """One tree's way to absolute links."""

    def __init__(self, elements: Sequence[Element], envelope: Envelope, options: Options) -> None:
        Document("", envelope=envelope, options=options)  # raises for what the caller got wrong
        encoding = lookup(envelope.charset) if envelope.charset else "utf-8"
        chosen = resolver_of(options)
        own = document_url(envelope)
        self.elements = elements
        self.options = options
        self.bases = [element for element in elements if _is_base(element)]
        self.base = base = establish([_base_element(element) for element in self.bases], envelope, chosen, encoding)
        elsewhere = base.layer is Layer.EMBEDDED and page(base.url) != page(own and (chosen.normalize(own) or own))
        self.linker = Linker(b"", STR, encoding, chosen, options, base, own, elsewhere=elsewhere)
        self.table: RowTable = row_table(options)
        self.around = Envelope(base=base.url, parent=envelope)
        self.problems: list[Problem] = []
        self.rewritten = 0

    def run(self) -> TreeConversion:
        counting = [element for element in self.bases if not element.in_template]
        if counting and self.base.layer is not Layer.EMBEDDED:
            self._note("base-unusable", counting[0].values["href"], counting[0].line)
        links = [link for element in self.elements for link in self._links(element)]
        self._settle(counting)
        return TreeConversion(links, tuple(self.problems), self.base, self.rewritten)

    def _note(self, code: str, particular: str, line: int) -> None:
        self.problems.append(Problem(code, f"{PROBLEMS[code]}: {particular}", 0, line, 0))

    def _links(self, element: Element) -> Iterator[Link]:
        for attribute in ("", *element.values):
            row = self.table.row(element.namespace, element.name, attribute, element.values)
            if row is None:
                continue
            text = element.values[attribute] if attribute else element.text()
            if row.syntax == "srcdoc":
                yield from self._srcdoc_links(element, attribute, text)
            elif text or attribute:
                yield from self._row_links(element, row, text)

    def _srcdoc_links(self, element: Element, attribute: str, text: str) -> Iterator[Link]:
        if self.options.srcdoc_depth < 1:
            self._note("srcdoc-depth", "0", element.line)
            return
        deeper = replace(self.options, srcdoc_depth=self.options.srcdoc_depth - 1)
        inner = Document(text, envelope=self.around, options=deeper)
        inner._elsewhere_outside = self.linker.elsewhere  # noqa: SLF001
        yield from (link._replace(start=0, end=0, line=element.line, column=0) for link in inner.links)
        conversion = inner.convert()
        self.rewritten += conversion.rewritten
        self.problems += (problem._replace(start=0, line=element.line, column=0) for problem in conversion.problems)
        _change(element, attribute, text, str(conversion.data))

    def _row_links(self, element: Element, row: Row, text: str) -> Iterator[Link]:
        linker = self.linker
        base = linker.base.fallback if row.role == "base" else self._base_of(element, row)
        pieces: list[str] = []
        done = 0
        encoding = "utf-8" if row.syntax == "css" and row.attribute else None
        for found in SYNTAXES[row.syntax](text):
            judged = linker.judge(found, row.role, base, encoding=encoding)
            if judged.problem is not None and row.role != "base":
                self._note(judged.problem, found.reference, element.line)
            if found.kind != "fault":
                yield _link(element, row, found.reference, judged)
            if judged.new is not None and row.role != "base":
                pieces += (text[done : found.start], found.escape(judged.new))
                done = found.end
                self.rewritten += 1
        if pieces:
            _change(element, row.attribute, text, "".join([*pieces, text[done:]]))

    def _base_of(self, element: Element, row: Row) -> str | None:
        """The base of one of the element's references (XML Base §4; HTML 4.01 §13.3 `codebase`)."""
        linker = self.linker
        base = linker.base.url
        for reference in element.own_bases:
            base = linker.resolver.resolve(base, reference).target or base
        if row.role == "code" and element.values.get("codebase"):
            target = linker.resolver.resolve(base, element.values["codebase"], linker.query_encoding).target
            return target if target and linker.resolver.is_absolute(target) else base
        return base

    def _settle(self, counting: list[Element]) -> None:
        """What becomes of the BASE elements (`Options.base_element`)."""
        for element in counting:
            if self.options.base_element == "remove":
                element.remove()
            elif self.options.base_element == "drop-href":
                element.set("href", None)
            elif (
                element is counting[0]
                and self.base.layer is Layer.EMBEDDED
                and self.base.url != element.values["href"].strip()
            ):
                element.set("href", self.base.url)


def _is_base(element: Element) -> bool:
    return element.namespace == "html" and element.name == "base" and "href" in element.values


def _base_element(element: Element) -> BaseElement:
    where = f"line {element.line}" if element.line else "a BASE element"
    return BaseElement(element.values["href"], where, "in a template" if element.in_template else "")


def _change(element: Element, attribute: str, old: str, new: str) -> None:
    if new != old:
        element.set(attribute, new)


def _link(element: Element, row: Row, reference: str, judged: Judged) -> Link:
    target, base, problem, _new = judged
    return Link(
        element.name, row.attribute, row.syntax, row.role, reference, target, base, 0, 0, element.line, 0, problem
    )
