"""Trees in hand, by the same vocabulary, syntaxes and base rules: what is alike for the trees of every library.

A tree has lost its bytes, so that nothing can be said of those; its text is Unicode, so that queries are those of a
UTF-8 document unless `charset` tells what it was. How a library models elements is the business of its module in
`linkfix.hooks`, which gives them as `Element`s.

The base is that of the document that the tree is, or is a part of: its first BASE element with an href, wherever that
stands. Only what is in the tree that was given is rewritten. The rules are HTML's, or XML's for a tree of an XML
document: there names have one case, elements without a namespace are not HTML's, and `xml:base` and xml-stylesheet
processing instructions count. `media_type` says which; without it the library's module tells from the tree.
"""

from __future__ import annotations

import abc
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, Protocol, Unpack

from linkfix.document.base import BaseElement, document_url, establish, excluded, page, usable
from linkfix.document.document import Document
from linkfix.document.linker import READ_AT_ONCE, Judged, Linker, is_absolute_reference, resolver_of
from linkfix.encodings.codecs import lookup
from linkfix.encodings.encoding import STR
from linkfix.errors import InvalidOption
from linkfix.html.charrefs import decode, escape_attribute
from linkfix.html.syntaxes import SYNTAXES
from linkfix.html.vocabulary import row_table
from linkfix.html.xml_outline import STYLESHEET, XML_BASE
from linkfix.model import DOCUMENT_KINDS, PROBLEMS, Base, Envelope, Layer, Link, OptionFields, Options, Problem, Row
from linkfix.trees.context import Context, Place, context

__all__ = ["Element", "Tree", "TreeConversion", "TreeFields", "absolutize_elements", "instruction"]

_XML_ROWS = {(row.element, row.attribute): row for row in (STYLESHEET, XML_BASE)}
_HREF = re.compile(r"""(?<!\S)href\s*=\s*(?:"([^"]*)"|'([^']*)')""")


class Element(abc.ABC):
    """An element of somebody's tree that can have references.

    `place`: what it is. `context`: what its references inherit, its own `xml:base` included; `outer`: what it inherits
    itself. `inside`: it stands in the tree that was given, and not only in the same document. `names`: the vocabulary's
    name of each attribute that it knows -> the library's. `values`: their values by the vocabulary's names. `line`: the
    parser's, 0 where it kept none.
    """

    __slots__ = ("context", "inside", "line", "names", "outer", "place", "values")

    def __init__(  # noqa: PLR0913 - what an element is
        self,
        place: Place,
        outer: Context,
        context: Context,
        attributes: Iterable[tuple[str, str, str]],
        *,
        inside: bool = True,
        line: int = 0,
    ) -> None:
        """`attributes`: the vocabulary's name, "" for none; the library's; the value. The first of a name counts."""
        self.place = place
        self.outer = outer
        self.context = context
        self.inside = inside
        self.line = line
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
        super().__init__(Place("svg", STYLESHEET.element, text=False, inner=around), around, around, href, line=line)
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


def instruction(text: str, write: Callable[[str], None], around: Context, line: int = 0) -> Element:
    """An xml-stylesheet processing instruction beside the root element (Associating Style Sheets with XML §3).

    `text`: its pseudo-attributes. `write`: puts a new text in its place. `around`: the root element's context.
    """
    return _Instruction(text, write, around, line)


class Tree(Protocol):
    """A tree, or a part of one, as its library's module reads it."""

    def is_xml(self) -> bool:
        """Whether the tree is that of an XML document."""

    def elements(self, around: Context) -> Iterable[Element]:
        """What can have references, in document order; and the BASE elements of the same document that stand outside.

        `around`: the context of the document's root element.
        """


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
    media_type: str | None
    default_base: str | None
    envelope: Envelope | None


def absolutize_elements(  # noqa: PLR0913 - the parts of an envelope
    tree: Tree,
    url: str | None = None,
    *,
    charset: str | None = None,
    media_type: str | None = None,
    default_base: str | None = None,
    envelope: Envelope | None = None,
    **given: Unpack[OptionFields],
) -> TreeConversion:
    """Makes the links of a tree absolute in place.

    `given`: the fields of `Options`, but that base_element cannot be "insert". Raises what `Document` raises.
    """
    options = Options(**given)
    if options.base_element == "insert":
        message = "base_element='insert': a tree's references are rewritten; insert a BASE with the tree's own means"
        raise InvalidOption(message)
    envelope = envelope or Envelope(url, charset, media_type, default=default_base)
    Document("", envelope=envelope, options=options)  # raises for what the caller got wrong
    media_type = media_type or envelope.media_type
    kind = DOCUMENT_KINDS.get(media_type.lower()) if media_type else "xml" if tree.is_xml() else "html"
    if kind not in {"html", "xml"}:
        message = f"media type {media_type!r}: a tree is that of an HTML or XML document"
        raise InvalidOption(message)
    return _Conversion(tree, envelope, options, xml=kind == "xml").run()


class _Conversion:
    """One tree's way to absolute links."""

    def __init__(self, tree: Tree, envelope: Envelope, options: Options, *, xml: bool) -> None:
        encoding = lookup(envelope.charset) if envelope.charset else "utf-8"
        chosen = resolver_of(options)
        own = document_url(envelope)
        self.table = row_table(options)
        self.xml = xml
        self.elements = list(tree.elements(context(self.table, xml=xml)))
        self.options = options
        self.bases = [element for element in self.elements if _is_base(element)]
        stated = [_base_element(element, envelope) for element in self.bases]
        self.counting = [element for element, base in zip(self.bases, stated, strict=True) if not base.excluded]
        self.base = base = establish(stated, envelope, chosen, encoding)
        elsewhere = base.layer is Layer.EMBEDDED and page(base.url) != page(own and usable(own, chosen))
        self.linker = Linker(
            b"",
            STR,
            encoding,
            chosen,
            options,
            base,
            own,
            elsewhere=elsewhere,
            map_reference=envelope.saver.map_reference,
        )
        self.envelope = envelope
        self.decides = self.counting[0] if self.counting and base.layer is Layer.EMBEDDED else None
        #: Whether the BASE that decides comes later (`Linker.base_so_far`).
        self.base_to_come = self.decides is not None
        self.own_bases: dict[tuple[str, ...], str | None] = {}
        self.links: list[Link] = []
        self.problems: list[Problem] = []
        self.rewritten = 0

    def run(self) -> TreeConversion:
        if self.counting and self.base.layer is not Layer.EMBEDDED:
            self._note("base-unusable", self.counting[0].values["href"], self.counting[0].line)
        for element in self.elements:
            if element is self.decides:
                self.base_to_come = False
            if element.inside and not element.outer.left_alone:
                self._take(element)
        self._settle()
        return TreeConversion(self.links, tuple(self.problems), self.base, self.rewritten)

    def _note(self, code: str, particular: str, line: int) -> None:
        self.problems.append(Problem(code, f"{PROBLEMS[code]}: {particular}", 0, line, 0))

    def _take(self, element: Element) -> None:
        """The references of an element: its attributes', then its text's."""
        place = element.place
        for attribute, value in element.values.items():
            row = self._row(place, attribute, element.values)
            if row is not None:
                new, count = self._rewritten(element, row, value)
                if new != value:
                    self._write(element, partial(element.set, element.names[attribute], new), count)
        row = self.table.row(place.namespace, place.name, "", element.values) if place.text else None
        if row is not None:
            found = {number: self._rewritten(element, row, text) for number, text in enumerate(element.texts()) if text}
            changed = {number: new for number, (new, count) in found.items() if count}
            if changed:
                self._write(element, partial(element.set_texts, changed), sum(count for _, count in found.values()))

    def _row(self, place: Place, attribute: str, values: Mapping[str, str]) -> Row | None:
        if self.xml and place.namespace == "svg":
            row = _XML_ROWS.get((place.name, attribute)) or _XML_ROWS.get(("*", attribute))
            if row is not None:
                return row
        return self.table.row(place.namespace, place.name, attribute, values)

    def _rewritten(self, element: Element, row: Row, text: str) -> tuple[str, int]:
        """A value with its new references, and how many changed. Keeps the links."""
        if row.syntax == "srcdoc":
            return self._srcdoc(element, text)
        linker = self.linker
        base = linker.base.fallback if row.role == "base" else self._base_of(element, row)
        # Chromium writes queries of CSS in attributes in UTF-8, and of style elements in the document's encoding.
        encoding = "utf-8" if row.syntax == "css" and row.attribute else None
        pieces: list[str] = []
        done = count = 0
        for found in SYNTAXES[row.syntax](text):
            judged = linker.judge(found, row.role, base, encoding=encoding)
            if judged.problem is not None and row.role != "base":
                self._note(judged.problem, found.reference, element.line)
            if found.kind != "fault":
                self.links.append(_link(element, row, found.reference, judged))
            if judged.new is not None and row.role != "base":
                pieces += (text[done : found.start], found.escape(judged.new))
                done = found.end
                count += 1
        return "".join([*pieces, text[done:]]) if count else text, count

    def _srcdoc(self, element: Element, text: str) -> tuple[str, int]:
        if self.options.srcdoc_depth < 1:
            self._note("srcdoc-depth", "0", element.line)
            return text, 0
        deeper = replace(self.options, srcdoc_depth=self.options.srcdoc_depth - 1)
        base = self.base.fallback if self.base_to_come else self.base.url
        inner = Document(text, envelope=Envelope(base=base, parent=self.envelope), options=deeper)
        inner._elsewhere_outside = self.linker.elsewhere  # noqa: SLF001
        self.links += (link._replace(start=0, end=0, line=element.line, column=0) for link in inner.links)
        conversion = inner.convert()
        self.problems += (problem._replace(start=0, line=element.line, column=0) for problem in conversion.problems)
        return str(conversion.data), conversion.rewritten

    def _write(self, element: Element, write: Callable[[], None], count: int) -> None:
        """Writes a value in which `count` references changed."""
        try:
            write()
        except ValueError as error:
            self._note("tree-left-alone", f"{element.place.name}: {error}", element.line)
        else:
            self.rewritten += count

    def _base_of(self, element: Element, row: Row) -> str | None:
        """The base of one of the element's references (XML Base §4; HTML 4.01 §13.3 `codebase`)."""
        linker = self.linker
        own_bases = (element.outer if row is XML_BASE else element.context).own_bases
        if own_bases:
            base = self._own_base(own_bases)
        elif self.base_to_come and row.syntax in READ_AT_ONCE:
            base = linker.base.fallback
        else:
            base = linker.base.url
        if row.role == "code" and element.values.get("codebase"):
            target = linker.resolver.resolve(base, element.values["codebase"], linker.query_encoding).target
            return target if target and linker.resolver.is_absolute(target) else base
        return base

    def _own_base(self, own_bases: tuple[str, ...]) -> str | None:
        if own_bases not in self.own_bases:
            base = self.base.url
            for reference in own_bases:
                base = self.linker.resolver.resolve(base, reference).target or base
            self.own_bases[own_bases] = base
        return self.own_bases[own_bases]

    def _settle(self) -> None:
        """What becomes of the BASE elements (`Options.base_element`)."""
        for element in self.counting:
            if not element.inside:
                continue
            if self.options.base_element == "remove":
                element.remove()
            elif self.options.base_element == "drop-href":
                element.set(element.names["href"], None)
            elif element is self.decides and self.base.url and not is_absolute_reference(element.values["href"]):
                self._write(element, partial(element.set, element.names["href"], self.base.url), 0)


def _is_base(element: Element) -> bool:
    place = element.place
    return place.namespace == "html" and place.name == "base" and "href" in element.values


def _base_element(element: Element, envelope: Envelope) -> BaseElement:
    href = element.values["href"]
    where = f"line {element.line}" if element.line else "a BASE element"
    reason = "in a template" if element.outer.in_template else excluded(href, envelope)
    return BaseElement(href, where, reason)


def _link(element: Element, row: Row, reference: str, judged: Judged) -> Link:
    target, base, problem, _new = judged
    name = element.place.name
    return Link(name, row.attribute, row.syntax, row.role, reference, target, base, 0, 0, element.line, 0, problem)
