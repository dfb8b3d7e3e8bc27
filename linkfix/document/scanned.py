"""A scanned document: its encoding, outline, base and references, and the decision about each.

`linkfix.document.document` makes links and new bytes from it.
"""

from __future__ import annotations

from _thread import get_ident  # threading's, without the time that its import takes
from _weakref import ref  # weakref's, likewise
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Generic, Self, TypeVar, Unpack

from linkfix.document.base import (
    BaseElement,
    Policy,
    establish,
    fallback_base,
    meta_policy,
    reason_dropped,
    reason_excluded,
)
from linkfix.document.base_element import base_decoys
from linkfix.document.budget import BASES, DELIMITERS, Budget, longest_base
from linkfix.document.decide import Decider, Decision, resolver_of
from linkfix.document.layers import has_xml_base
from linkfix.document.references import Finder, Reference
from linkfix.document.source import Source
from linkfix.document.validation import check_types, document_kind, require_absolute_urls
from linkfix.document.without_markup import records_without_markup
from linkfix.encodings.encoding import Encoding
from linkfix.html.vocabulary import WITHOUT_MARKUP, is_parsed_at_once, row_index
from linkfix.kernels.outline import Outline
from linkfix.kernels.positions import Positions
from linkfix.kernels.record import Record
from linkfix.model import PROBLEMS, Base, DocumentKind, Envelope, Html, Layer, OptionFields, Options, Problem, Row

if TYPE_CHECKING:
    from linkfix.document.import_maps import ImportMaps
    from linkfix.html.xml_outline import XmlOutline
    from linkfix.markdown.outline import MarkdownOutline


#: The syntaxes whose values are documents.
DOCUMENTS = frozenset({"srcdoc", "html"})

AnyOutline = TypeVar("AnyOutline", bound="Outline | XmlOutline | MarkdownOutline")

_DEFAULT_OPTIONS = Options()
#: The place of a policy in a document; it has no references.
_POLICY = Row("meta", "content", "", "", "http-equiv=content-security-policy", "§4.2.5.3")


class ScannedDocument(Generic[Html]):
    """One document, scanned once, on first use. Its arguments are those of `Document`."""

    options: Options
    """The options for resolving and rewriting references."""
    envelope: Envelope
    """The facts about the document from outside."""
    kind: DocumentKind
    """The kind of document, which decides whose syntax rules hold; see `linkfix.model.DOCUMENT_KINDS`."""
    source: Source[Html]
    """The document as it came, and its working bytes."""
    encoding: Encoding
    """The document's character encoding, and the source that decided it."""
    budget: Budget | None = None
    """The limits on checking references; None: no limits. Set it before any other use of the document."""
    ask_longest_base: Callable[[], int] | None = None
    """Returns the maximum length of a base in characters, if an enclosing document or tree limits it. None: the limit
    follows from this document's own references.
    """
    _inherited_policies: Sequence[Policy] = ()
    """The policies of the enclosing documents, for a srcdoc document."""

    def __init__(
        self,
        html: Html,
        *,
        url: str | None = None,
        charset: str | None = None,
        media_type: str | None = None,
        default_base: str | None = None,
        content_security_policy: str | None = None,
        envelope: Envelope | None = None,
        options: Options | None = None,
        **fields: Unpack[OptionFields],
    ) -> None:
        chosen = _DEFAULT_OPTIONS if options is None else options
        self.options = chosen = replace(chosen, **fields) if fields else chosen
        self.envelope = envelope or Envelope(
            url, charset, media_type, default=default_base, content_security_policy=content_security_policy
        )
        check_types(self.envelope, chosen)
        self._resolver = resolver_of(chosen)
        require_absolute_urls(self.envelope, self._resolver)
        self.kind = document_kind(self.envelope.media_type)
        self.source = Source(html, self.kind, self.envelope.charset, self.envelope.identified_charset)
        self.encoding = self.source.encoding
        self._data: bytes = self.source.data
        self._working: Encoding = self.source.working
        self._noted: list[tuple[str, str, int]] = []
        self._positions: dict[int, Positions] = {}
        if self.source.fault and self.encoding.name != "replacement":
            self._note(self.source.fault, 0, self.encoding.name if self.source.fault == "encoding-round-trip" else "")

    def _note(self, code: str, offset: int, detail: str = "") -> None:
        message = f"{PROBLEMS[code]}: {detail}" if detail else PROBLEMS[code]
        self._noted.append((code, message, offset))

    @cached_property
    def _outline(self) -> Outline | XmlOutline | MarkdownOutline:
        if self.kind == "xml":
            from linkfix.html.xml_outline import XmlOutline  # few documents are XML
            from linkfix.html.xml_vocabulary import xml_table

            svg_bases = has_xml_base(self.options.spec, in_svg=True)
            return self._noting_faults(
                XmlOutline(xml_table(self.options), self._data, self.source.start, svg_bases=svg_bases)
            )
        if self.kind == "markdown":
            from linkfix.markdown.outline import MarkdownOutline  # few documents are Markdown

            scripting = self.options.scripting == "on"
            check = None if self.budget is None else self.budget.check_time
            return self._noting_faults(
                MarkdownOutline(row_index(self.options), self._data, self.source.start, self._working, scripting, check)
            )
        data = self._data if self.kind == "html" else b""
        return Outline(row_index(self.options), data, 0, self.options.scripting == "on")

    def _noting_faults(self, outline: AnyOutline) -> AnyOutline:
        """Return the outline, after noting the parts of the document that could not be read."""
        for code, offset, detail in () if isinstance(outline, Outline) or not self._data else outline.faults:
            self._note(code, offset, detail)
        return outline

    @cached_property
    def base(self) -> Base:
        """The document's base URL, the layer that gave it, and every other candidate with its reason.

        The candidates include text that only looks like a BASE element (at most the first hundred).
        """
        seen = {self._outline.record(number).tag_start for number in self._outline.bases}
        seen |= {original.start for original in self.envelope.saver.bases}
        decoys = base_decoys(self._data, self._working, seen, self.positions)
        base = self.document_base
        return replace(base, rejected=base.rejected + tuple(decoys)) if decoys else base

    @cached_property
    def document_base(self) -> Base:
        """`base`, without candidates that only look like a BASE element."""
        if self.kind == "header":
            from linkfix.document.header_lines import header_base, stated_urls  # few documents are headers

            return header_base(stated_urls(self._whole, self._finder), self.envelope, self._resolver)
        outline = self._outline
        if not outline.bases and not self.envelope.saver.bases:
            return fallback_base(self.envelope, self._resolver)
        elements = self._base_elements
        base = establish(elements, self.envelope, self._resolver, self.encoding.name, self._policies)
        first = self._first_base
        if first >= 0 and base.layer is not Layer.EMBEDDED:
            where = elements[outline.bases.index(first)].where
            reason = next(candidate.reason for candidate in base.rejected if candidate.where == where)
            self._note(base.problem or "base-unusable", outline.record(first).start, reason)
        elif first >= 0 and base.problem is not None:
            self._note(base.problem, outline.record(first).start)
        return base

    @cached_property
    def _policies(self) -> list[Policy]:
        """The policies that hold for BASE elements, without the response's own policies."""
        found: list[Policy] = [*self._inherited_policies]
        for tag_start, start, end, quote in self._outline.policies:
            content = self._finder.value(Record(_POLICY, start, end, tag_start, quote)).text
            line, column = self.positions.of(tag_start)
            policy = meta_policy(content, f"meta element in line {line}, column {column}", tag_start)
            if policy is not None:
                found.append(policy)
        return found

    @cached_property
    def _first_base(self) -> int:
        """The index of the first BASE element's record that can count, or -1."""
        pairs = zip(self._outline.bases, self._base_elements, strict=True)
        return next((number for number, element in pairs if not element.excluded), -1)

    @cached_property
    def _base_elements(self) -> list[BaseElement]:
        return [self._base_element(number) for number in self._outline.bases]

    def _base_element(self, number: int) -> BaseElement:
        record = self._outline.record(number)
        href = self._finder.value(record).text
        line, column = self.positions.of(record.tag_start)
        reason = reason_dropped(
            in_template=record.in_template, in_noscript=record.in_noscript, in_frameset=record.in_frameset
        ) or reason_excluded(href, self.envelope)
        in_body = number >= self._outline.head_count
        return BaseElement(href, f"line {line}, column {column}", reason, record.tag_start, in_body)

    @cached_property
    def _finder(self) -> Finder:
        fallback = None
        if self.kind == "header" and self.encoding.source == "default":
            from linkfix.html.header_fields import FALLBACK_ENCODING as fallback  # noqa: N811 - see `_whole`
        xml, escapes = self.kind == "xml", self.options.escape_ampersands
        return Finder(self._data, self._working, self.source.output, xml=xml, escapes=escapes, fallback=fallback)

    @cached_property
    def decider(self) -> Decider:
        """The decider for the document's references."""
        return Decider(
            self.options,
            self.document_base,
            self.envelope,
            query_encoding=self._query_encoding,
            longest_base=self._ask_longest_base(),
        )

    @property
    def _query_encoding(self) -> str:
        """The encoding of queries in attributes: the document's encoding in HTML, XHTML and SVG, as in browsers.

        References in feeds and similar XML are IRIs (RFC 4287 §2), and Markdown is not a page yet: both use UTF-8.
        """
        if self.kind == "xml":
            from linkfix.html.xml_outline import XmlOutline  # few documents are XML

            outline = self._outline
            return "utf-8" if isinstance(outline, XmlOutline) and outline.is_data else self.encoding.name
        return self.encoding.name if self.kind == "html" else "utf-8"

    def _ask_longest_base(self) -> Callable[[], int]:
        """Return a function for `_longest_base`. A weak reference keeps it from holding the document in a cycle."""
        if self.ask_longest_base is not None:
            return self.ask_longest_base
        document = ref(self)
        return lambda: BASES if (asked := document()) is None else asked._longest_base

    @cached_property
    def _longest_base(self) -> int:
        """The maximum length of a base, in characters, if the target of each reference repeats it."""
        count = 1
        for number in range(self._count()):
            record = self._record(number)
            if record.row.syntax in DOCUMENTS:
                value = self._data[record.start : record.end]
                # an upper bound of the number of references
                count += len(value) - len(value.translate(None, DELIMITERS.encode()))
            else:
                count += sum(1 for _ in self._finder.references(record, self._decoded(number)))
        return longest_base(count, len(self._data), BASES)

    def _decoded(self, number: int) -> str | None:
        """The value of a record if its outline has decoded it, else None."""
        return None if isinstance(self._outline, Outline) else self._outline.decoded.get(number)

    @property
    def positions(self) -> Positions:
        """The lines and columns of `source.data`, one object per thread, since it remembers the last offset."""
        thread = get_ident()
        found = self._positions.get(thread)
        if found is None:
            found = self._positions[thread] = Positions(self._data, self._working)
        return found

    def _count(self) -> int:
        return len(self._whole) if self.kind in WITHOUT_MARKUP else self._outline.count

    def _record(self, number: int) -> Record:
        return self._whole[number] if self.kind in WITHOUT_MARKUP else self._outline.record(number)

    @cached_property
    def _whole(self) -> list[Record]:
        """The records of a document without markup."""
        return records_without_markup(self.kind, self._data, self.source.start)

    @cached_property
    def import_maps(self) -> ImportMaps:
        """The import maps of a page."""
        from linkfix.document.import_maps import ImportMaps  # few documents have modules

        found = ImportMaps(self._resolver)
        for number in range(0 if self.kind in WITHOUT_MARKUP else self._count()):
            record = self._record(number)
            if record.row.syntax == "importmap" and not record.in_template:
                base = self.decider.base_for(record.row, keeps_fallback=self._keeps_fallback(record))
                if base:
                    found.add(self._finder.value(record).text, base)
        return found

    def _keeps_fallback(self, record: Record) -> bool:
        """Whether a record's references are parsed before the parser comes to the BASE element that decides."""
        return record.tag_start < self.document_base.start and is_parsed_at_once(
            record.row, partial(self._finder.attribute, record)
        )

    @cached_property
    def records_before_base(self) -> int:
        """The number of HTML records before the BASE element that decides: they can have either of two bases."""
        base, outline = self.document_base, self._outline
        if base.start < 0 or base.url == base.fallback or not isinstance(outline, Outline):
            return 0
        return bisect_left(range(outline.count), base.start, key=outline.tag_start)

    def _own_bases(self, number: int) -> tuple[str, ...]:
        """The values of `xml:base` that apply to a record, outermost first."""
        outline = self._outline
        return () if isinstance(outline, Outline) else outline.own_bases.get(number, ())

    def _decisions(self, number: int) -> Iterator[tuple[Reference, Decision]]:
        """The references of one record, without the references of inner documents."""
        record = self._record(number)
        row = record.row
        if row.syntax in DOCUMENTS:
            return
        own_bases = self._own_bases(number)
        decider = self.decider
        codebase = self._finder.attribute(record, "codebase") if row.role == "code" else None
        keeps_fallback = self._keeps_fallback(record)
        base = decider.base_for(row, keeps_fallback=keeps_fallback, own_bases=own_bases, codebase=codebase)
        decided = self._decided(record, base, self._finder.references(record, self._decoded(number)))
        if row.syntax == "importmap":
            from linkfix.document.import_maps import with_keys_in_values  # few documents have an import map

            decided = with_keys_in_values(decided)
        for reference, decision in decided:
            if decision.problem is not None and row.role != "base":
                self._note(decision.problem, reference.span()[0], reference.found.reference)
            if self.budget is not None:
                self.budget.spend(decision.target)
            yield reference, decision

    def _decided(
        self, record: Record, base: str | None, references: Iterable[Reference]
    ) -> Iterator[tuple[Reference, Decision]]:
        """The references of one record, each with its decision."""
        row = record.row
        for reference in references:
            found = reference.found
            place = row._replace(role=found.role) if found.role else row
            decision = self.decider.decide(found, place, base, undecodable=reference.value.undecodable)
            if place.role == "module" and self.kind not in WITHOUT_MARKUP and base and self.import_maps:
                decision = Decision(self.import_maps.resolve(found.reference, base), base)
            new = decision.new
            if new is not None and not new.isascii() and not reference.can_write_host(new):
                decision = decision._replace(problem="host-unwritable", new=None)
            yield reference, decision

    def references(self, element: str | None = None) -> Iterator[tuple[Reference, Decision]]:
        """Every reference with its place in the working data, and its decision. The references of inner documents are
        omitted.

        `element`: the element name whose rows of the vocabulary to use; None: all rows.
        """
        for number in range(self._count()) if element is None else self._numbers_of(element):
            yield from self._decisions(number)

    def _numbers_of(self, element: str) -> list[int]:
        """The indexes of the records in an element's rows of the vocabulary."""
        outline = self._outline
        numbers = range(self._count())
        if self.kind in WITHOUT_MARKUP or not isinstance(outline, Outline):
            return [number for number in numbers if self._record(number).row.element == element]
        rows = {number for number, row in enumerate(row_index(self.options).rows) if row.element == element}
        return [number for number in numbers if outline.row_number(number) in rows]

    def _problems_so_far(self) -> tuple[Problem, ...]:
        """The `problems` known so far: a reference's problem is known once the reference was checked."""
        if not self._noted and not self.encoding.problems:
            return ()
        unit = self.source.units()
        found = []
        for code, message, offset in sorted(dict.fromkeys(self._noted), key=lambda noted: noted[2]):
            found.append(Problem(code, message, unit(offset), *self.positions.of(offset)))
        for code, message, offset in self.encoding.problems:
            found.append(Problem(code, message, offset, *self.positions.of(min(offset, len(self._data)))))
        return tuple(sorted(found, key=lambda problem: problem.start))

    def with_url(self, url: str) -> Self:
        """The same document, retrieved from another URL."""
        return self._with(replace(self.envelope, url=url))

    def with_base(self, base: Base, *, fragments_leave_page: bool | None = None) -> Self:
        """The same document with a base that is known from elsewhere, whatever its markup and envelope say.

        `fragments_leave_page`: whether "#x" refers to another document; None: if a BASE element makes it so.
        """
        other = self._with(self.envelope)
        other.document_base = base
        other.decider = Decider(
            self.options,
            base,
            self.envelope,
            query_encoding=self._query_encoding,
            fragments_leave_page=fragments_leave_page,
            longest_base=other._ask_longest_base(),
        )
        return other

    def _with(self, envelope: Envelope) -> Self:
        other = type(self)(self.source.html, envelope=envelope, options=self.options)
        other._outline = other._noting_faults(self._outline)
        return other
