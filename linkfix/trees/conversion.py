"""Make the links of a parsed tree absolute, with the vocabulary, syntaxes and decisions of a document.

A tree has lost its bytes, so there are no spans. Its text is Unicode, so queries are encoded as in a UTF-8 document
unless `charset` names another encoding. A library's module wraps its elements as in `linkfix.trees.element`.

The base is that of the whole document, even for a part of a tree: the first BASE element with an href decides, wherever
it is. Only the given tree is rewritten. The rules are HTML's, or XML's for the tree of an XML document. In XML, names
are case-sensitive, elements without a namespace are not HTML, and `xml:base` and xml-stylesheet processing instructions
count. `media_type` selects the rules; without it, the library's module detects them from the tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, Protocol, Unpack

from linkfix.document.base import (
    BaseElement,
    Policy,
    establish,
    has_xml_base,
    inherited,
    meta_policy,
    reason_dropped,
    reason_excluded,
)
from linkfix.document.budget import BASES, DELIMITERS, longest_base
from linkfix.document.decide import Decider, Decision, resolver_of, validate
from linkfix.document.document import DOCUMENTS, inner_document
from linkfix.encodings.character_references import decode
from linkfix.encodings.encoding import lookup
from linkfix.errors import InvalidOption
from linkfix.html.syntaxes import SYNTAXES
from linkfix.html.syntaxes.url import Found, find
from linkfix.html.values import escape_attribute
from linkfix.html.vocabulary import WHITE_SPACE, RowTable, is_parsed_at_once, row_table
from linkfix.html.xml_outline import STYLESHEET, XML_BASE
from linkfix.kernels.constants import NAMES_IN_HEAD, NAMES_NOT_FRAMESET_OK
from linkfix.model import (
    DOCUMENT_KEYWORDS,
    DOCUMENT_KINDS,
    PROBLEMS,
    Base,
    DocumentFields,
    Envelope,
    Layer,
    Link,
    OptionFields,
    Options,
    Problem,
    Row,
    make_options,
)
from linkfix.trees.context import TEXT_ONLY, Context, ElementKind, root_context
from linkfix.trees.element import Element, TreeColumns
from linkfix.trees.url_attributes import UrlAttributes, WholeDecision

# The values in a tree that can have references, and the maximum length of a base for them.


_XML_ROWS = {(row.element, row.attribute): row for row in (STYLESHEET, XML_BASE)}


def attribute_row(
    table: RowTable, kind: ElementKind, attribute: str, values: Mapping[str, str], *, xml: bool
) -> Row | None:
    """The row of the vocabulary for an attribute of an element, "" for its text."""
    if xml and attribute and kind.namespace == "svg":
        row = _XML_ROWS.get((kind.name, attribute)) or _XML_ROWS.get(("*", attribute))
        if row is not None:
            return row
    return table.row(kind.namespace, kind.name, attribute, values)


def longest_base_of(columns: TreeColumns, table: RowTable, parts: int, *, xml: bool) -> int:
    """The maximum length of a base, in characters, if each reference's target repeats it: see `budget.longest_base`."""
    count = size = 0
    for number, attribute in enumerate(columns.attributes):
        values = [(attribute.row, columns.values[number])] if attribute is not None else []
        if attribute is None:
            values = list(_values(columns.nodes[number], table, xml=xml))
        for row, text in values:
            size += len(text)
            if row.syntax in DOCUMENTS:
                count += 1 + sum(map(text.count, DELIMITERS))  # an upper bound of the number of references
            else:
                count += sum(1 for _ in SYNTAXES[row.syntax](text))
    return longest_base(count * parts, size, BASES)


class _LongestBase:
    """Asks for the maximum length of a base only once: `functools.cache` takes longer than most documents' bases."""

    __slots__ = ("_ask", "_length")

    def __init__(self, ask: Callable[[], int]) -> None:
        self._ask = ask
        self._length: int | None = None

    def __call__(self) -> int:
        if self._length is None:
            self._length = self._ask()
        return self._length


def _values(element: Element, table: RowTable, *, xml: bool) -> Iterator[tuple[Row, str]]:
    """The values of an element that can have references, each with its row."""
    kind, values = element.kind, element.values
    for attribute, value in values.items():
        row = attribute_row(table, kind, attribute, values, xml=xml)
        if row is not None:
            yield row, value
    row = table.row(kind.namespace, kind.name, "", values) if kind.has_text else None
    if row is not None:
        yield from ((row, text) for text in element.texts() if text)


class Tree(Protocol):
    """A tree or a part of a tree, as its library's module reads it."""

    def is_xml(self) -> bool:
        """Whether the tree is an XML document's."""

    def columns(self, around: Context) -> TreeColumns:
        """The places that can have references, in document order; also the document's BASE elements outside the tree.

        `around`: the context of the document's root element.
        """

    def bases_before_frameset(self, *, scripting: bool) -> list[Any] | None:
        """The BASE nodes that survive a frameset. None if no frameset takes effect, or the parser handled it."""


class TreeConversion(NamedTuple):
    """The result of making a tree's links absolute. Its links and problems have no spans and columns: they are 0."""

    links: list[Link]
    """The links before the conversion, in document order. `line` is the parser's, 0 if it kept none."""
    problems: tuple[Problem, ...]
    """The faults of the document."""
    base: Base
    """The document's base URL."""
    rewritten: int
    """The number of references that changed."""


class TreeFields(DocumentFields, total=False):
    """The keywords of a function that takes a tree, besides its URL: see `linkfix.Document`."""


def absolutize_elements(
    tree: Tree,
    url: str | None = None,
    *,
    charset: str | None = None,
    media_type: str | None = None,
    default_base: str | None = None,
    content_security_policy: str | None = None,
    envelope: Envelope | None = None,
    parts: int = 1,
    **given: Unpack[OptionFields],
) -> TreeConversion:
    """Make the links of a tree absolute in place.

    `parts`: the number of parts of one document that are converted one by one, this one included. `given`: the fields
    of `Options`; base_element cannot be "insert". Raises the errors of `Document`.
    """
    options = make_options(given, DOCUMENT_KEYWORDS)
    if options.base_element == "insert":
        message = "base_element='insert' is not for trees: insert the BASE element with the tree's own library"
        raise InvalidOption(message)
    envelope = envelope or Envelope(
        url, charset, media_type, default=default_base, content_security_policy=content_security_policy
    )
    validate(envelope, options)
    media_type = media_type or envelope.media_type
    kind = DOCUMENT_KINDS.get(media_type.lower()) if media_type else "xml" if tree.is_xml() else "html"
    if kind not in {"html", "xml"}:
        message = f"media type {media_type!r}: a tree must be an HTML or XML document"
        raise InvalidOption(message)
    return _TreeConverter(tree, envelope, options, xml=kind == "xml", parts=parts).run()


class _TreeConverter:
    """Makes the links of one tree absolute."""

    def __init__(self, tree: Tree, envelope: Envelope, options: Options, *, xml: bool, parts: int) -> None:
        encoding = lookup(envelope.charset) if envelope.charset else "utf-8"
        self.table = row_table(options)
        self.xml = xml
        self.options = options
        #: Whether `xml:base` counts on SVG elements; None before the first SVG element with one.
        self.svg_bases: bool | None = None
        self.envelope = envelope
        self._read(tree, encoding)
        self.longest_base = _LongestBase(partial(longest_base_of, self.columns, self.table, parts, xml=xml))
        self.decider = Decider(options, self.base, envelope, query_encoding=encoding, longest_base=self.longest_base)
        #: Whether the BASE element that decides comes later in the tree.
        self.before_base = self.deciding is not None
        self.links: list[Link] = []
        self.urls = UrlAttributes(
            self.decider.plain()[1],
            self.base.url,
            self.base.fallback,
            not self.decider.fragments_are_written,
            self._decide_whole,
            self._convert_text,
            self._note,
            self.links,
        )
        self.problems: list[Problem] = []
        self.rewritten = 0

    def _read(self, tree: Tree, encoding: str) -> None:
        """Read the tree, and establish its base."""
        around = root_context(self.table, xml=self.xml, tree_class=type(tree))
        self.columns = tree.columns(around)
        found = self.columns.bases()
        scripting = self.options.scripting == "on"
        kept = tree.bases_before_frameset(scripting=scripting) if found and not self.xml else None
        kept_ids = None if kept is None else {id(node) for node in kept}
        candidates = [
            _base_element(
                element,
                self.envelope,
                self.options,
                in_frameset=kept_ids is not None and id(element.node) not in kept_ids,
            )
            for element in found
        ]
        self.counting = [element for element, base in zip(found, candidates, strict=True) if not base.excluded]
        first = self.counting[0] if self.counting else None
        policies, in_force = _policies(self.columns, first, scripting=scripting)
        resolver = resolver_of(self.options)
        self.base = establish(candidates, self.envelope, resolver, encoding, policies[:in_force])
        #: The document's policies, in the form that inner documents inherit.
        self.policies = inherited(self.envelope, policies)
        self.deciding = first if self.base.layer is Layer.EMBEDDED else None
        if self.deciding is not None and not self.xml and self.base.url != self.base.fallback:
            self.columns.mark_early(self.deciding, around)

    def run(self) -> TreeConversion:
        code = self.base.problem or ("base-unusable" if self.base.layer is not Layer.EMBEDDED else None)
        if self.counting and code is not None:
            self._note(code, self.counting[0].values["href"], self.counting[0].line)
        self.urls.convert(self.columns, self._convert)
        self._convert_bases()
        rewritten = self.rewritten + self.urls.rewritten
        del self.urls  # its bound methods make a cycle, which would keep the tree until it is collected
        return TreeConversion(self.links, tuple(self.problems), self.base, rewritten)

    def _decide_whole(self, row: Row, value: str, base: str | None) -> WholeDecision:
        """The decision about the value of a URL attribute with this base."""
        found = SYNTAXES[row.syntax](value)[0]
        target, base, problem, new = self.decider.decide(found, row, base)
        if new is not None:
            new = value[: found.start] + found.escape(new) + value[found.end :]
        return found.reference, target, base, new, problem

    def _note(self, code: str, detail: str, line: int) -> None:
        self.problems.append(Problem(code, f"{PROBLEMS[code]}: {detail}", 0, line, 0))

    def _convert(self, element: Element) -> None:
        """Convert the references of an element: first its attributes, then its text."""
        if element is self.deciding:
            self.before_base = False
        if not element.inside or (element.outer.has_too_many_bases and self._has_xml_base(element)):
            return
        kind, values = element.kind, element.values
        for attribute, value in values.items():
            row = attribute_row(self.table, kind, attribute, values, xml=self.xml)
            if row is not None and (row is not XML_BASE or self._has_xml_base(element)):
                new, count = self._convert_value(element, row, value)
                if new != value:
                    self._write(element, partial(element.set, element.names[attribute], new), count)
        row = self.table.row(kind.namespace, kind.name, "", values) if kind.has_text else None
        if row is not None:
            found = {
                number: self._convert_value(element, row, text) for number, text in enumerate(element.texts()) if text
            }
            changed = {number: new for number, (new, count) in found.items() if count}
            if changed:
                self._write(element, partial(element.set_texts, changed), sum(count for _, count in found.values()))

    def _has_xml_base(self, element: Element) -> bool:
        """Whether the `xml:base` of an SVG element, or of the elements around it, counts."""
        if self.svg_bases is None:
            root = [element.kind.name, *element.ancestors()][-1]
            self.svg_bases = has_xml_base(self.options.spec, in_svg=root == "svg")
        return self.svg_bases

    def _convert_value(self, element: Element, row: Row, text: str) -> tuple[str, int]:
        """The value with its new references, and the number of changes. Records the links."""
        own_bases = (element.outer if row is XML_BASE else element.context).own_bases
        base = self.decider.base_for(
            row,
            keeps_fallback=self.before_base and is_parsed_at_once(row, element.values.get),
            own_bases=own_bases if own_bases and self._has_xml_base(element) else (),
            codebase=element.values.get("codebase"),
        )
        if row.syntax in DOCUMENTS:
            return self._inner(element.line, row.syntax, text, base)
        if base == self.base.url and row.role != "base":
            found = self.urls.convert_several(element.kind, row, text, element.line)
            if found is not None:
                return found
        return self._convert_text(element.kind, element.line, row, text, base)

    def _convert_text(self, kind: ElementKind, line: int, row: Row, text: str, base: str | None) -> tuple[str, int]:
        """The value with its new references, and the number of changes, for any place and base."""
        pieces: list[str] = []
        done = count = 0
        decided: Iterable[tuple[Found, Decision]]
        decided = ((found, self._decide(found, row, base)) for found in SYNTAXES[row.syntax](text))
        if row.syntax == "importmap":
            from linkfix.document.import_maps import with_keys_that_stay  # few documents have one

            decided = with_keys_that_stay(text, decided)
        for found, decision in decided:
            if decision.problem is not None and row.role != "base":
                self._note(decision.problem, found.reference, line)
            if found.kind != "fault":
                self.links.append(_link(kind, line, row, found, decision))
            if decision.new is not None and row.role != "base":
                pieces += (text[done : found.start], found.escape(decision.new))
                done = found.end
                count += 1
        return "".join([*pieces, text[done:]]) if count else text, count

    def _decide(self, found: Found, row: Row, base: str | None) -> Decision:
        """The decision about a reference in any place."""
        if found.kind == "url" and found.problem is None and row.role != "base" and base == self.base.url:
            plain = self.urls.decide_plain(found.reference)
            if plain is not None:
                _, target, _, new, _ = plain
                return Decision(target, base, None, new)
        return self.decider.decide(found, row, base)

    def _inner(self, line: int, syntax: str, text: str, base: str | None) -> tuple[str, int]:
        limit = self.options.srcdoc_depth
        if limit < 1:
            self._note("srcdoc-depth", f"{limit}", line)
            return text, 0
        options = self.decider.options
        inner = inner_document(text, syntax, base, "", self.envelope, self.decider, 1, self.policies, options)
        inner.ask_longest_base = self.longest_base
        self.links += (link._replace(start=0, end=0, line=line, column=0, tag_start=0) for link in inner.links)
        conversion = inner.convert()
        self.problems += (problem._replace(start=0, line=line, column=0) for problem in conversion.problems)
        return conversion.data, conversion.rewritten

    def _write(self, element: Element, write: Callable[[], None], count: int) -> None:
        """Write a value in which `count` references changed."""
        try:
            write()
        except ValueError as error:
            self._note("tree-left-alone", f"{element.kind.name}: {error}", element.line)
        else:
            self.rewritten += count

    def _convert_bases(self) -> None:
        """Convert the BASE elements (`Options.base_element`)."""
        how = self.options.base_element if self.decider.base_can_go else "keep"
        for element in self.counting:
            if not element.inside:
                continue
            if how == "remove":
                element.remove()
            elif how in {"drop-href", "empty"}:
                element.set(element.names["href"], "" if how == "empty" else None)
            elif element is self.deciding or (self.base.problem == "base-blocked" and element is self.counting[0]):
                self._convert_base(element)

    def _convert_base(self, element: Element) -> None:
        """Make the href absolute of the BASE element that decides, or of one that a policy blocks."""
        href = element.values["href"]
        found = find(href)[0]
        decider = self.decider
        url = (decider.base_href if element is self.deciding else decider.blocked_href)(found.reference)
        if url is not None:
            new = href[: found.start] + found.escape(url) + href[found.end :]
            self._write(element, partial(element.set, element.names["href"], new), 1)


def _base_element(element: Element, envelope: Envelope, options: Options, *, in_frameset: bool) -> BaseElement:
    scripting = options.scripting == "on"
    href = element.values["href"]
    where = f"line {element.line}" if element.line else "a BASE element"
    outer = element.outer
    reason = reason_dropped(
        in_template=outer.in_template, in_noscript=scripting and outer.in_noscript, in_frameset=in_frameset
    ) or reason_excluded(href, envelope, options.base_element)
    return BaseElement(href, where, reason, in_body=not element.is_in_head())


def _policies(columns: TreeColumns, first: Element | None, *, scripting: bool) -> tuple[list[Policy], int]:
    """The policies that the document states, and the number of them before its first BASE element that can count."""
    policies: list[Policy] = []
    in_force = 0
    metas = columns.policy_metas()
    limit = next((number for number, node in enumerate(columns.nodes) if node is first), 0) if metas else 0
    for number, meta in metas:
        where = f"meta element in line {meta.line}" if meta.line else "a meta element"
        policy = meta_policy(meta.policy() or "", where)
        if policy is not None and not (scripting and meta.outer.in_noscript):
            policies.append(policy)
            in_force += number < limit
    return policies, in_force


def _link(kind: ElementKind, line: int, row: Row, found: Found, decision: Decision) -> Link:
    target, base, problem, _new = decision
    role = found.role or row.role
    return Link(kind.name, row.attribute, row.syntax, role, found.reference, target, base, 0, 0, line, 0, problem)


# The BASE elements that HTML's tree construction drops because of a frameset. Simpler parsers keep them.
#
# A frameset takes the body's place unless the body already shows something (the *frameset-ok flag*, HTML §13.2.4.5).
# Then the body's content is dropped, and so is any later BASE (§13.2.6.4.7, §13.2.6.4.20). libxml2 and html.parser keep
# both in place. The tree is read in source order until the answer is known, which in most documents is at the first
# word of the text.


_NOT_FRAMESET_OK = frozenset(NAMES_NOT_FRAMESET_OK.split())

#: Elements that neither start a body nor show in one.
_NEITHER = frozenset(NAMES_IN_HEAD.split()) - _NOT_FRAMESET_OK

_FOREIGN = frozenset({"svg", "math"})

#: The maximum number of ancestors to check, so that no input takes quadratic time.
_DEEPEST = 512


class Token(NamedTuple):
    """The start of an element, or a run of text, in source order."""

    node: Any
    """The library's element; for a text, its parent."""
    name: str
    """The element's name, in lower case; "" for a text."""
    text: str
    """The text; "" for an element."""
    attributes: Mapping[str, object]
    """The element's attributes."""


def before_frameset(
    tokens: Iterable[Token], names_around: Callable[[Any], Iterable[str]], *, implies_body: bool, scripting: bool
) -> list[Any] | None:
    """The BASE elements that survive a frameset; None if no frameset takes the body's place.

    `tokens`: the document's tokens. `names_around`: returns the names of an element (the library's) and its ancestors,
    innermost first, in lower case. `implies_body`: the parser makes a body if the source has none. A body without
    attributes is then taken as implied: a source with its own body shows that body, not frames.
    """
    text_only = TEXT_ONLY | {"noscript"} if scripting else TEXT_ONLY
    kept: list[Any] = []
    has_body = False
    is_ok = True
    for token in tokens:
        if token.name == "base" and not has_body:
            kept.append(token.node)
        outer = None if _is_neutral(token, implies_body=implies_body) else _names_outside(token, names_around)
        if outer is None or not outer.isdisjoint(text_only) or (token.name and not outer.isdisjoint(_FOREIGN)):
            continue
        if token.name == "frameset" and "template" not in outer:
            return kept
        is_ok = is_ok and not _shows(token)
        has_body = has_body or (token.name != "template" and "template" not in outer)
        if has_body and not is_ok:
            return None
    return None


def _is_neutral(token: Token, *, implies_body: bool) -> bool:
    """Whether a token neither starts a body nor shows in one."""
    if token.name == "body":
        return implies_body and not token.attributes
    return token.name in _NEITHER if token.name else not token.text.strip(WHITE_SPACE)


def _names_outside(token: Token, names_around: Callable[[Any], Iterable[str]]) -> frozenset[str]:
    """The names of the elements that contain a token."""
    return frozenset(islice(names_around(token.node), 1 if token.name else 0, _DEEPEST))


def _shows(token: Token) -> bool:
    """Whether a token keeps a frameset from taking its body's place."""
    if token.name == "input":
        return str(token.attributes.get("type", "")).lower() != "hidden"
    return token.name in _NOT_FRAMESET_OK or bool(token.text.strip(WHITE_SPACE + "\0"))


# The xml-stylesheet processing instructions beside a root element, as elements with an href.


_HREF = re.compile(r"""(?<!\S)href\s*=\s*(?:"([^"]*)"|'([^']*)')""")


class _Instruction(Element):
    """An xml-stylesheet processing instruction."""

    __slots__ = ("_text", "_write")

    def __init__(self, text: str, write: Callable[[str], None], around: Context, line: int) -> None:
        kind = ElementKind("svg", STYLESHEET.element, False, True, around)
        super().__init__(None, kind, around, around, line)
        self._text = text
        self._write = write

    def read_attributes(self) -> Iterable[tuple[str, str, str]]:
        match = _HREF.search(self._text)
        return [("href", "href", decode(match[match.lastindex or 0]).text)] if match else []

    def set(self, name: str, value: str | None) -> None:
        written = f'{name}="{escape_attribute(value or "", 34).replace("<", "&lt;")}"'
        self._write(_HREF.sub(lambda _: written, self._text, count=1))

    def texts(self) -> Sequence[str]:
        return ()

    def set_texts(self, new: Mapping[int, str]) -> None:
        raise NotImplementedError

    def ancestors(self) -> Iterable[str]:
        return ()

    def remove(self) -> None:
        raise NotImplementedError


def stylesheet_instruction(text: str, write: Callable[[str], None], around: Context, line: int = 0) -> Element:
    """The xml-stylesheet processing instruction beside the root element (Associating Style Sheets with XML §3).

    `text`: its pseudo-attributes. `write`: replaces its text. `around`: the root element's context.
    """
    return _Instruction(text, write, around, line)
