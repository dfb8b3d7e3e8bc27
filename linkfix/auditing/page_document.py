"""A page of a tree as the audit reads it: a document with queries that only the audit needs, such as all BASE tags."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property, lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple, Self, cast

from linkfix.auditing.source_ids import SourceIds
from linkfix.document.document import DOCUMENTS, Document
from linkfix.encodings.character_references import decode
from linkfix.files.data_formats import DATA_TYPES
from linkfix.html.places import RAW_TEXT_ELEMENTS
from linkfix.html.syntaxes.url import Found, verbatim
from linkfix.html.values import Value
from linkfix.html.vocabulary import RowTable, index_rows
from linkfix.kernels.columns import PlainLinks
from linkfix.kernels.names import RowIndex
from linkfix.kernels.needles import Needles
from linkfix.kernels.outline import Outline, Record
from linkfix.kernels.reference_index import ReferenceIndex, has_tag, index_records
from linkfix.kernels.tokenizer import KINDS, Tokenizer, attributes, tag_end
from linkfix.lazy import lazy_pattern
from linkfix.model import Layer, Link, Problem, Row
from linkfix.urls import scheme_of, specifier_takes_base

if TYPE_CHECKING:
    from linkfix.html.xml_outline import XmlOutline
    from linkfix.markdown.outline import MarkdownOutline


#: The cached properties that depend only on the bytes of a page, and are the same under each of its names.
_OF_BYTES = frozenset({"reference_index", "ids", "_marks"})

#: The roles of URLs that are resolved against another base than the document's, or depend on more than the base.
_OTHER_BASES = frozenset({"base", "code", "codebase"})

#: The syntaxes that resolve a mere fragment against the page itself (SVG 2 §16.1.2, CSS Values 4 §4.5).
LOCAL = frozenset({"css", "local-url"})

#: The syntaxes of values that are one name or one URL.
_NAMES = frozenset({"anchor", "url", "local-url"})

#: The word in each comment that suppresses findings.
IGNORE = b"linkfix-ignore"

#: The time 0 in a refresh.
_NO_TIME = lazy_pattern(rb"[\t\n\f\r ]*+(?:0++|(?=\.))(?![0-9])")

#: The word `IGNORE`, the beginnings of BASE tags, and the attribute for image maps in its usual spellings.
_BASES = (b"<ba", b"<bA", b"<Ba", b"<BA")
_USEMAPS = (b"usemap=", b"USEMAP=", b"useMap=", b"UseMap=")
_MARKS = Needles((IGNORE, *_BASES, *_USEMAPS), (b"x-", b"<b", b"<B", b"p=", b"P="))


def _stand_for_themselves(names: bytes, is_utf_8: bool) -> bool:
    """Whether raw names equal their decoded form in UTF-8."""
    without = names.translate(None, b"\r&\0")
    return len(without) == len(names) and (is_utf_8 or names.isascii())


def _is_utf_8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


class PageDocument(Document[bytes]):
    """A page. Its records are identified by their numbers in the outline."""

    heading_ids: str = "any"
    """The scheme for the IDs of headings, if a program makes the page from Markdown."""
    reads_attributes: bool | None = None
    """Whether MkDocs reads attributes in braces; None if that is not known."""
    names_headings: bool = True
    """Whether headings may have IDs that are made of their text."""
    footnotes: str | None = None
    """As in `linkfix.auditing.generators.model.SourceSettings`."""
    has_tags: bool = False
    """Whether a site generator fills tags in that references have."""
    replace: Callable[[str], str] | None = None
    """A function from a reference to the reference that is judged in its place."""

    wikilink_url: Callable[[str], str] | None = None
    """A function from the page in a wikilink to its URL; None if the page has no wikilinks."""

    @cached_property
    def written(self) -> dict[int, str]:
        """The start of each link that is judged as another -> its reference as written. `links_of` adds them."""
        return {}

    @cached_property
    def reference_index(self) -> ReferenceIndex:
        """The names that fragments can refer to (with `Options.anchors`), and the records with the same reference."""
        outline = self._outline
        if self.kind == "html" and isinstance(outline, Outline):
            return ReferenceIndex(outline)
        found = index_records(self._data, [self._record(number) for number in range(self._count())])
        if self.kind == "markdown":
            others = found.others[:]
            found.others.clear()
            for number in others:
                raw = self._destination(number)
                (found.others if raw is None else found.references.setdefault(raw, [])).append(number)
        return found

    def _destination(self, number: int) -> bytes | None:
        """The raw destination of a record in Markdown; None for raw HTML and wikilinks."""
        record = self._record(number)
        return self._data[record.start : record.end] if record.row.section.startswith("CommonMark") else None

    @cached_property
    def ids(self) -> tuple[bytes, ...]:
        """The names in HTML that fragments can refer to, decoded, in UTF-8."""
        encoding = self.source.working
        plain = encoding.name == "utf-8"
        anchors = self.reference_index.anchors
        if _stand_for_themselves(b"".join(anchors), plain):
            return tuple(anchors)
        made = []
        for raw in anchors:
            one = raw
            if b"\r" in one:  # HTML §13.2.3.5 "normalize newlines"; character references stay
                one = one.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            if b"&" in one or not (plain or one.isascii()):
                one = decode(encoding.decode(one)).text.encode("utf-8", "surrogatepass")
            made.append(one.replace(b"\0", b"\xef\xbf\xbd") if b"\0" in one else one)
        return tuple(made)

    @property
    def assumed_encoding(self) -> str:
        """The name of the encoding that browsers assume, if the page declares none and this is not UTF-8; else ""."""
        encoding = self.encoding
        return encoding.name if encoding.source == "default" and encoding.name != "utf-8" else ""

    @cached_property
    def misread_names(self) -> tuple[Record, ...]:
        """The IDs and references that browsers misread if the page is in UTF-8, which it does not declare.

        Empty if the page cannot be in UTF-8.
        """
        data = self._data
        if not self.assumed_encoding or data.isascii() or not _is_utf_8(data):
            return ()
        records = (self._record(number) for number in range(self._count()))
        return tuple(one for one in records if one.row.syntax in _NAMES and not data[one.start : one.end].isascii())

    @property
    def source_ids(self) -> SourceIds | None:
        """The parts that the other names are made of; None for a page that is not Markdown."""
        if self.kind != "markdown":
            return None
        from linkfix.markdown.heading_ids import WIKIS  # few trees have Markdown

        outline = cast("MarkdownOutline", self._outline)
        names = outline.names if self.wikilinks and WIKIS[self.wikilinks].reads_links else []
        headings, stated, notes = outline.headings, outline.ids, outline.footnotes
        if not self.names_headings:
            named = [heading for heading in headings if heading.explicit_id]
            return SourceIds("mkdocs", named, stated, notes, names, True, self.footnotes)
        return SourceIds(self.heading_ids, headings, stated, notes, names, self.reads_attributes, self.footnotes)

    @property
    def is_generated(self) -> bool:
        """Whether a program adds content to the page that is not in its source."""
        return self.kind == "markdown" and cast("MarkdownOutline", self._outline).is_generated

    @cached_property
    def fault(self) -> str:
        """A code of `linkfix.model.PROBLEMS` if the page could not be read, else ""."""
        if self.source.fault or self.kind != "markdown":
            return self.source.fault
        return cast("MarkdownOutline", self._outline).fault

    @cached_property
    def _marks(self) -> tuple[bool, bool, bool]:
        """Whether the page can have comments that suppress findings, BASE tags, and images with an image map."""
        data = self.source.data
        comment, *found = _MARKS.first(data, len(data))
        bases, maps = found[: len(_BASES)], found[len(_BASES) :]
        return comment >= 0, max(bases) >= 0 and has_tag(data, b"base"), max(maps) >= 0

    @property
    def may_have_exemptions(self) -> bool:
        """Whether the page can have comments that suppress findings."""
        return self._marks[0]

    @property
    def markup(self) -> bytes:
        """The bytes of the page; in Markdown, with spaces in place of everything but raw HTML."""
        return cast("MarkdownOutline", self._outline).html if self.kind == "markdown" else self.source.data

    @property
    def may_have_base(self) -> bool:
        """Whether the page can have BASE elements. HTML needs text that looks like a BASE tag."""
        return self.kind == "xml" or (self.kind == "html" and self._marks[1])

    @property
    def may_use_image_maps(self) -> bool:
        """Whether the page can have images with an image map."""
        return self.kind == "html" and self._marks[2]

    def with_url(self, url: str) -> Self:
        """The same page under another name."""
        other = super().with_url(url)
        other.names_headings = self.names_headings
        other.heading_ids, other.reads_attributes, other.replace = self.heading_ids, self.reads_attributes, self.replace
        other.wikilinks, other.footnotes, other.dialect = self.wikilinks, self.footnotes, self.dialect
        other.has_tags = self.has_tags
        vars(other).update((name, value) for name, value in vars(self).items() if name in _OF_BYTES)
        return other

    @property
    def is_data(self) -> bool:
        """Whether the document is for programs, not a page for browsers: a feed, a sitemap, a description."""
        return self.envelope.media_type in DATA_TYPES

    def inner_syntax(self, number: int) -> str:
        """The syntax of a record that holds a document of its own, of `DOCUMENTS`; "" for other records."""
        syntax = self._record(number).row.syntax
        return syntax if syntax in DOCUMENTS else ""

    def is_in_noscript(self, number: int) -> bool:
        """Whether a record's element is in a noscript element, and scripts are on."""
        return self._record(number).in_noscript

    def is_immediate(self, number: int) -> bool:
        """Whether a record's refresh is not in noscript, and its time is 0 (HTML §4.2.5.3 ignores the fraction)."""
        record = self._record(number)
        if not _NO_TIME.match(self._data, record.start, record.end):
            return False
        before = takewhile(lambda tag: tag.start < record.tag_start, tags(self._data, self.source.start))
        in_noscript = False
        for tag in before:
            in_noscript = tag.is_start if tag.name == b"noscript" else in_noscript
        return not in_noscript

    def row(self, number: int) -> Row | int:
        """The row of a record: in HTML its number, which is found faster."""
        outline = self._outline
        return outline.row_number(number) if isinstance(outline, Outline) else self._record(number).row

    def start(self, number: int) -> int:
        """The start of a record's raw value, in bytes."""
        outline = self._outline
        return outline.start(number) if isinstance(outline, Outline) else self._record(number).start

    def has_any_element(self, number: int) -> bool:
        """Whether a record's row applies to every element."""
        return self._record(number).row.element == "*"

    def links_of(self, numbers: Iterable[int]) -> Iterator[Link]:
        """The links of some records, as they are judged. Spans are in bytes of `source.data`."""
        links = self._links_as_written(numbers)
        return links if self.replace is None and self.wikilink_url is None else map(self._judged, links)

    def _judged(self, link: Link) -> Link:
        """A link with the reference that is judged in its place, and with that reference's target."""
        reference = link.reference
        # Only import maps decide about the names of modules.
        is_name = link.role == "module" and not (specifier_takes_base(reference) or scheme_of(reference))
        new = reference if self.replace is None or is_name else self.replace(reference)
        if link.syntax == "wikilink" and self.wikilink_url is not None:
            new = self.wikilink_url(new)
        if new == reference:
            return link
        self.written[link.start] = reference
        is_local = new.startswith("#") and link.syntax in LOCAL
        found = Found(0, len(new), new, verbatim, "local" if is_local else "url")
        decision = self.decider.decide(found, Row(link.element, link.attribute, link.syntax, link.role), link.base)
        return link._replace(reference=new, target=decision.target, problem=decision.problem)

    def _links_as_written(self, numbers: Iterable[int]) -> Iterator[Link]:
        for number in numbers:
            link = self._plain_link(number)
            if link is not None:
                yield link
            else:
                yield from self._links_of(number)

    @cached_property
    def _plain(self) -> PlainLinks | None:
        """The targets of plain references; None if options require a check of each reference."""
        return self.decider.plain_links() if self.kind == "html" else None

    def _plain_link(self, number: int) -> Link | None:
        """The link of an HTML record whose value is one plain reference, the same as from `_links_of`; else None."""
        plain = self._plain
        if plain is None or self.budget is not None or number < self.records_before_base:
            return None
        record = self._record(number)
        element, attribute, syntax, role, *_ = record.row
        if syntax != "url" or record.text or role in _OTHER_BASES:
            return None
        start, end = record.start, record.end
        raw = self._data[start:end]
        target = plain.texts.target(raw) if raw.isascii() and b"&" not in raw else None
        if target is None:
            return None
        if element == "*":
            element = self._finder.element_name(record)
        line, column = self.positions.of(start)
        reference, url = raw.decode("ascii"), target.decode("ascii")
        values = (element, attribute, syntax, role, reference, url, plain.base, start, end, line, column, None)
        return Link(*values, record.tag_start)

    def module_scripts(self) -> Iterator[Link]:
        """The links in the `src` of scripts that are loaded as modules."""
        for number in range(self._count()):
            record = self._record(number)
            if (record.row.element, record.row.attribute) == ("script", "src") and not record.in_template:
                kind = self._finder.attribute(record, "type") or ""
                if kind.strip("\t\n\f\r ").lower() == "module":
                    yield from self.links_of((number,))

    def problems_so_far(self) -> tuple[Problem, ...]:
        """The problems found so far. The problem of a reference is found when the reference is checked."""
        return self._problems_so_far()


class Tag(NamedTuple):
    """A tag of a page."""

    is_start: bool
    """True for a start tag, False for an end tag."""
    name: bytes
    """The name of its element, in lower case."""
    start: int
    end: int


def tags(data: bytes, start: int = 0) -> Iterator[Tag]:
    """The tags in data[start:]. The texts of scripts, styles and other elements with raw text have no tags."""
    tokenizer = Tokenizer(data, start, len(data))
    while (kind := KINDS[tokenizer.next_tag(False)]) != "EOF":
        name = data[tokenizer.name_start : tokenizer.name_end].lower()
        first = tokenizer.tag_start
        while tokenizer.next_attribute():
            pass
        yield Tag(kind == "start tag", name, first, tokenizer.tag_end)
        if kind == "start tag" and name == b"script":
            tokenizer.script_text()
        elif kind == "start tag" and name in RAW_TEXT_ELEMENTS:
            tokenizer.raw_text(name)


# The image maps of a page (HTML §4.8.13), and the images that use them.


class ImageMaps(NamedTuple):
    """The image maps of a page."""

    names: frozenset[str]
    """The names and IDs of its maps."""
    uses: tuple[tuple[str, int, int], ...]
    """The `usemap` of each image, decoded, with the span of its raw value."""


def image_maps(document: PageDocument) -> ImageMaps:
    """The image maps of a page, without the content of templates."""
    data, encoding = document.source.data, document.source.working
    names: set[str] = set()
    uses: list[tuple[str, int, int]] = []
    templates = 0
    for tag in tags(data, document.source.start):
        if tag.name == b"template":
            templates = max(templates + (1 if tag.is_start else -1), 0)
        if not tag.is_start or templates or tag.name not in {b"img", b"map"}:
            continue
        for one in attributes(data, tag.start):
            text = decode(encoding.decode(data[one.start : one.end])).text
            if tag.name == b"map" and one.name in {"id", "name"}:
                names.add(text)
            elif tag.name == b"img" and one.name == "usemap":
                uses.append((text, one.start, one.end))
    return ImageMaps(frozenset(names), tuple(uses))


# The BASE tags of a page, also in places without effect, for the rules about BASE.


#: The places where a BASE tag is no BASE element.
NO_ELEMENT = frozenset({"svg", "mathml", "template", "frameset"})

#: The rows of BASE. In SVG and MathML, a BASE tag has no effect, and is reported.
_ROWS = tuple(
    Row("base", "href", "url", "base", section="§4.2.3", namespace=name) for name in ("html", "svg", "mathml")
)

#: The start tags that do not end the head (HTML §13.2.6.4.4).
_HEAD = frozenset(b"html head base basefont bgsound link meta noframes noscript script style template title".split())


class BaseTag(NamedTuple):
    """A BASE tag with an href. Spans are in bytes of the page's data."""

    start: int
    end: int
    href: str
    """The value of the attribute, decoded."""
    href_span: tuple[int, int]
    inside: str = ""
    """The place of a tag that is not effective or misplaced, else "".

    In "svg", "mathml", "template" and "frameset", the tag is no BASE element. In "noscript", it is a BASE element only
    if scripts are off. In "body", it is a misplaced BASE element.
    """

    @property
    def is_base_element(self) -> bool:
        """Whether browsers that run scripts read the tag as a BASE element."""
        return self.inside in {"", "body"}


@cache
def _index() -> RowIndex:
    return index_rows(_ROWS)


@lru_cache(maxsize=1)  # several rules ask about one page in turn
def base_tags(document: PageDocument) -> tuple[BaseTag, ...]:
    """The BASE tags with an href, in document order. Text in comments, scripts and attributes does not count."""
    if not document.may_have_base:
        return ()
    base = document.base
    if base.start < 0 and all(candidate.start < 0 for candidate in base.rejected):
        return ()
    data, start = document.source.data, document.source.start
    is_xml = document.kind == "xml"
    scripting = document.options.scripting == "on"
    outline = _xml_outline(data, start) if is_xml else Outline(_index(), data, start, scripting)
    records = [record for number in range(outline.count) if (record := outline.record(number)).row.role == "base"]
    places = dict(_places(data, records[-1].tag_start)) if records and not is_xml else {}
    return tuple(_tag(document, record, places) for record in records)


def _xml_outline(data: bytes, start: int) -> XmlOutline:
    from linkfix.html.xml_outline import XmlOutline  # few pages are XML

    return XmlOutline(RowTable(_ROWS), data, start)


def _tag(document: PageDocument, record: Record, places: dict[int, str]) -> BaseTag:
    data, start = document.source.data, record.tag_start
    inside = places.get(start, "")
    if record.in_template:
        inside = "template"
    elif record.in_frameset:
        inside = "frameset"
    elif record.row.namespace != "html":
        inside = record.row.namespace
    elif record.in_noscript:
        inside = "noscript"
    href = Value(data, record, document.source.working, xml=document.kind == "xml").text
    return BaseTag(start, tag_end(data, start), href.strip("\t\n\f\r "), (record.start, record.end), inside)


def _places(data: bytes, last: int) -> Iterator[tuple[int, str]]:
    """The BASE tags in noscript or in the body, up to byte `last`: start of the tag, and "noscript" or "body"."""
    templates = 0
    noscript = body = False
    for tag in tags(data):
        if tag.start > last:
            return
        if tag.name == b"noscript":
            noscript = tag.is_start
        elif tag.name == b"template":
            templates = max(templates + (1 if tag.is_start else -1), 0)
        elif tag.is_start:
            body = body or not (templates or tag.name in _HEAD)
            if tag.name == b"base" and (noscript or body):
                yield tag.start, "noscript" if noscript else "body"


def effective_base(document: PageDocument) -> BaseTag | None:
    """The BASE tag that sets the document base URL; None if no tag sets it."""
    base = document.document_base
    if base.layer is not Layer.EMBEDDED:
        return None
    return next((tag for tag in base_tags(document) if tag.start == base.start), None)
