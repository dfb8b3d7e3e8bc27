"""Makes the links of a parsed tree absolute, by the same vocabulary, syntaxes and decisions as those of a document.

A tree has lost its bytes, so that there are no spans; its text is Unicode, so that queries are written as in a UTF-8
document unless `charset` names another encoding. A library's module gives its elements as `linkfix.trees.element` has
them.

The base is that of the document that the tree is, or is a part of: its first BASE element with an href, wherever that
stands. Only what is in the tree that was given is rewritten. The rules are HTML's, or XML's for a tree of an XML
document: there names have one case, elements without a namespace are not HTML's, and `xml:base` and xml-stylesheet
processing instructions count. `media_type` says which; without it the library's module tells from the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, Unpack

from linkfix.document.base import BaseElement, establish, reason_excluded
from linkfix.document.decide import Decider, Decision, resolver_of
from linkfix.document.document import srcdoc_document
from linkfix.document.validation import validate
from linkfix.encodings.labels import lookup
from linkfix.errors import InvalidOption
from linkfix.html.syntaxes import SYNTAXES
from linkfix.html.syntaxes.url import find
from linkfix.html.vocabulary import row_table
from linkfix.html.xml_outline import STYLESHEET, XML_BASE
from linkfix.model import DOCUMENT_KINDS, PROBLEMS, Base, Envelope, Layer, Link, OptionFields, Options, Problem, Row
from linkfix.trees.context import ElementKind, root_context
from linkfix.trees.element import Element, Tree

__all__ = ["TreeConversion", "TreeFields", "absolutize_elements"]

_XML_ROWS = {(row.element, row.attribute): row for row in (STYLESHEET, XML_BASE)}


class TreeConversion(NamedTuple):
    """What absolutizing made of a tree. A tree has no spans and columns: those of links and problems are 0."""

    links: list[Link]
    """The links as they were, in document order; `line` is the parser's, 0 where it kept none."""
    problems: tuple[Problem, ...]
    """What is wrong with the document."""
    base: Base
    """The document's base URL."""
    rewritten: int
    """How many references changed."""


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
    validate(envelope, options)
    media_type = media_type or envelope.media_type
    kind = DOCUMENT_KINDS.get(media_type.lower()) if media_type else "xml" if tree.is_xml() else "html"
    if kind not in {"html", "xml"}:
        message = f"media type {media_type!r}: a tree is that of an HTML or XML document"
        raise InvalidOption(message)
    return _TreeConverter(tree, envelope, options, xml=kind == "xml").run()


class _TreeConverter:
    """Makes the links of one tree absolute."""

    def __init__(self, tree: Tree, envelope: Envelope, options: Options, *, xml: bool) -> None:
        encoding = lookup(envelope.charset) if envelope.charset else "utf-8"
        self.table = row_table(options)
        self.xml = xml
        self.elements = list(tree.elements(root_context(self.table, xml=xml)))
        self.options = options
        bases = [element for element in self.elements if _is_base(element)]
        candidates = [_base_element(element, envelope) for element in bases]
        self.counting = [element for element, base in zip(bases, candidates, strict=True) if not base.excluded]
        self.base = establish(candidates, envelope, resolver_of(options), encoding)
        self.decider = Decider(options, self.base, envelope, query_encoding=encoding)
        self.envelope = envelope
        self.deciding = self.counting[0] if self.counting and self.base.layer is Layer.EMBEDDED else None
        #: Whether the BASE element that decides comes later in the tree.
        self.before_base = self.deciding is not None
        self.links: list[Link] = []
        self.problems: list[Problem] = []
        self.rewritten = 0

    def run(self) -> TreeConversion:
        if self.counting and self.base.layer is not Layer.EMBEDDED:
            self._note("base-unusable", self.counting[0].values["href"], self.counting[0].line)
        for element in self.elements:
            if element is self.deciding:
                self.before_base = False
            if element.inside and not element.outer.has_too_many_bases:
                self._convert(element)
        self._convert_bases()
        return TreeConversion(self.links, tuple(self.problems), self.base, self.rewritten)

    def _note(self, code: str, detail: str, line: int) -> None:
        self.problems.append(Problem(code, f"{PROBLEMS[code]}: {detail}", 0, line, 0))

    def _convert(self, element: Element) -> None:
        """The references of an element: its attributes', then its text's."""
        kind = element.kind
        for attribute, value in element.values.items():
            row = self._row(kind, attribute, element.values)
            if row is not None:
                new, count = self._convert_value(element, row, value)
                if new != value:
                    self._write(element, partial(element.set, element.names[attribute], new), count)
        row = self.table.row(kind.namespace, kind.name, "", element.values) if kind.text else None
        if row is not None:
            found = {
                number: self._convert_value(element, row, text) for number, text in enumerate(element.texts()) if text
            }
            changed = {number: new for number, (new, count) in found.items() if count}
            if changed:
                self._write(element, partial(element.set_texts, changed), sum(count for _, count in found.values()))

    def _row(self, kind: ElementKind, attribute: str, values: Mapping[str, str]) -> Row | None:
        if self.xml and kind.namespace == "svg":
            row = _XML_ROWS.get((kind.name, attribute)) or _XML_ROWS.get(("*", attribute))
            if row is not None:
                return row
        return self.table.row(kind.namespace, kind.name, attribute, values)

    def _convert_value(self, element: Element, row: Row, text: str) -> tuple[str, int]:
        """A value with its new references, and how many changed. Keeps the links."""
        if row.syntax == "srcdoc":
            return self._srcdoc(element, row, text)
        base = self.decider.base_for(
            row,
            before_base=self.before_base,
            own_bases=(element.outer if row is XML_BASE else element.context).own_bases,
            codebase=element.values.get("codebase"),
        )
        pieces: list[str] = []
        done = count = 0
        for found in SYNTAXES[row.syntax](text):
            decision = self.decider.decide(found, row, base)
            if decision.problem is not None and row.role != "base":
                self._note(decision.problem, found.reference, element.line)
            if found.kind != "fault":
                self.links.append(_link(element, row, found.reference, decision))
            if decision.new is not None and row.role != "base":
                pieces += (text[done : found.start], found.escape(decision.new))
                done = found.end
                count += 1
        return "".join([*pieces, text[done:]]) if count else text, count

    def _srcdoc(self, element: Element, row: Row, text: str) -> tuple[str, int]:
        limit = self.options.srcdoc_depth
        if limit < 1:
            self._note("srcdoc-depth", f"{limit}", element.line)
            return text, 0
        base = self.decider.base_for(row, before_base=self.before_base)
        inner = srcdoc_document(text, base, "", self.envelope, self.decider, 1)
        self.links += (link._replace(start=0, end=0, line=element.line, column=0, tag_start=0) for link in inner.links)
        conversion = inner.convert()
        self.problems += (problem._replace(start=0, line=element.line, column=0) for problem in conversion.problems)
        return conversion.data, conversion.rewritten

    def _write(self, element: Element, write: Callable[[], None], count: int) -> None:
        """Writes a value in which `count` references changed."""
        try:
            write()
        except ValueError as error:
            self._note("tree-left-alone", f"{element.kind.name}: {error}", element.line)
        else:
            self.rewritten += count

    def _convert_bases(self) -> None:
        """What becomes of the BASE elements (`Options.base_element`)."""
        for element in self.counting:
            if not element.inside:
                continue
            if self.options.base_element == "remove":
                element.remove()
            elif self.options.base_element == "drop-href":
                element.set(element.names["href"], None)
            elif element is self.deciding:
                self._convert_base(element)

    def _convert_base(self, element: Element) -> None:
        """Makes the href of the BASE element that decides absolute."""
        href = element.values["href"]
        found = find(href)[0]
        url = self.decider.base_href(found.reference)
        if url is not None:
            new = href[: found.start] + found.escape(url) + href[found.end :]
            self._write(element, partial(element.set, element.names["href"], new), 1)


def _is_base(element: Element) -> bool:
    kind = element.kind
    return kind.namespace == "html" and kind.name == "base" and "href" in element.values


def _base_element(element: Element, envelope: Envelope) -> BaseElement:
    href = element.values["href"]
    where = f"line {element.line}" if element.line else "a BASE element"
    reason = "in a template" if element.outer.in_template else reason_excluded(href, envelope)
    return BaseElement(href, where, reason)


def _link(element: Element, row: Row, reference: str, decision: Decision) -> Link:
    target, base, problem, _new = decision
    name = element.kind.name
    return Link(name, row.attribute, row.syntax, row.role, reference, target, base, 0, 0, element.line, 0, problem)
