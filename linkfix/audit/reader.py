"""Reads a page and judges it as far as the page itself and the names of the tree allow; the work of one process.

Most references of real pages are plain, and written like others to the same existing file. Their targets are looked up
by their text (`linkfix.audit.plain`); only the rest are resolved and passed to the rules.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from linkfix.audit.comments import Exemptions, exemptions
from linkfix.audit.facts import FragmentReferences, PageFacts, RedirectPage
from linkfix.audit.findings import finding
from linkfix.audit.listing import PageFile
from linkfix.audit.model import Finding
from linkfix.audit.page_document import PageDocument
from linkfix.audit.plain import EXTERNAL, PLAIN_FRAGMENT, PlainTargets
from linkfix.audit.region import Regions
from linkfix.audit.rule import AuditedLink, AuditedPage, Issue, LinkRule, PageRule, Rule
from linkfix.audit.rules import rules
from linkfix.audit.site import Destination, DestinationKind, Site
from linkfix.files import atomic
from linkfix.html.charrefs import decode
from linkfix.model import Layer, Link, Options

__all__ = ["PageReader", "PageReaderSettings", "fragment_of", "is_inner", "links_by_record"]

#: How many destinations are remembered.
_REMEMBERED = 1 << 16
#: Roles of links without a target of their own.
_NO_TARGET = frozenset({"base", "codebase", "document"})
#: A fragment directive (URL Fragment Text Directives §3.1) is not part of the fragment.
_DIRECTIVE = ":~:"

_UNJUDGED = {
    DestinationKind.EXTERNAL: "another site",
    DestinationKind.OPAQUE: "no place: mailto:, data:, javascript: and the like",
    DestinationKind.OUTSIDE: "on the same host, outside the tree",
    DestinationKind.NONE: "no target",
}
#: Below the tree's URL, and no file.
_MISSING = frozenset({DestinationKind.MISSING, DestinationKind.CASE, DestinationKind.NO_INDEX})
#: Destinations to which a refresh can go: others leave the page where it is, or with an error.
_REFRESHABLE = frozenset({DestinationKind.FILE, DestinationKind.EXTERNAL})
_IN_TEMPLATE = "within a template"
_IN_SRCDOC = "a fragment within a srcdoc document"
#: An absolute reference that an inferred base URL places in the tree, where it is not: the base may be another tree's.
_INFERRED = "absolute, and not in the tree under the inferred base URL"


@dataclass(frozen=True, slots=True)
class PageReaderSettings:
    """What every process knows."""

    site: Site
    """The tree's names and URL."""
    codes: frozenset[str]
    """The rules that run."""
    charset: str | None
    """The caller's encoding label for all pages, or None."""
    max_size: int
    """The largest page that is read, in bytes."""
    options: Options
    """How pages are scanned."""
    inferred: bool = False
    """Whether the tree's URL was inferred or made up."""
    quick: bool = True
    """Whether plain references are looked up by their text; tests compare both ways."""


def fragment_of(target: str, place: Destination) -> str:
    """The fragment that a target means in the file of its place, without a fragment directive."""
    return (place.fragment or target.partition("#")[2]).partition(_DIRECTIVE)[0]


class PageReader:
    """Reads pages, one after the other. Pickled with its settings only."""

    def __init__(self, settings: PageReaderSettings) -> None:
        self.settings = settings
        chosen = [rule for rule in rules() if rule.info.code in settings.codes]
        self.link_rules: list[LinkRule] = [rule for rule in chosen if isinstance(rule, LinkRule)]
        self.page_rules: list[PageRule] = [rule for rule in chosen if isinstance(rule, PageRule)]
        remember = lru_cache(maxsize=_REMEMBERED)
        self.destination: Callable[[str | None], Destination] = remember(settings.site.destination)
        self.plain: PlainTargets = PlainTargets(settings.site)

    def __reduce__(self) -> tuple[type[PageReader], tuple[PageReaderSettings]]:
        return PageReader, (self.settings,)

    def __call__(self, pages: list[PageFile]) -> list[PageFacts]:
        """Read pages; those that are one file follow each other, and it is read once. Never raises."""
        facts = []
        before: PageFile | None = None
        document: PageDocument | None = None
        for page in pages:
            try:
                if document is not None and before is not None and before.identity == page.identity:
                    document = document.with_url(self._url(page.name))
                else:
                    document, stamp = self.open(page)
                    before = page
                facts.append(_PageAudit(self, page, document).facts(stamp))
            except OSError as error:
                facts.append(PageFacts(page.name, page.size, 0, unread=error.strerror or str(error)))
            except MemoryError:
                facts.append(PageFacts(page.name, page.size, 0, unread="not enough memory"))
            except Exception as error:  # noqa: BLE001 - a fault of linkfix in one page is no reason to stop the others
                reason = f"internal error, please report it: {type(error).__name__}: {error}"
                facts.append(PageFacts(page.name, page.size, 0, unread=reason))
        return facts

    def open(self, page: PageFile) -> tuple[PageDocument, int]:
        """A page's document, and when its file was changed. Raises `OSError`."""
        data, status = atomic.read(page.file, limit=self.settings.max_size)
        document = PageDocument(
            data,
            url=self._url(page.name),
            charset=self.settings.charset,
            media_type=page.media_type,
            options=self.settings.options,
        )
        return document, status.st_mtime_ns

    def _url(self, name: str) -> str:
        return self.settings.site.page_url(name)


class _PageAudit:
    """The audit of one page."""

    def __init__(self, reader: PageReader, file: PageFile, document: PageDocument) -> None:
        self.reader = reader
        self.file = file
        self.document = document
        site = reader.settings.site
        self.page = AuditedPage(file.name, site.page_url(file.name), document, site)
        self.number = site.numbers[file.name]
        self.wanted: Counter[tuple[int, bytes]] = Counter()
        self.findings: list[Finding] = []
        self.exemptions = Exemptions()
        self.links = self.judged = self.root_relative = self.own_fragments = 0
        self.unjudged: Counter[str] = Counter()
        self.hidden: Counter[str] = Counter()
        self.linked: set[int] = set()
        self.missing: Counter[str] = Counter()
        self.redirect: RedirectPage | None = None

    def facts(self, stamp: int) -> PageFacts:
        """Judge all of the page."""
        document = self.document
        if document.source.fault:
            unread = document.problems_so_far()[0].message
            self._ask_page_rules()
            return PageFacts(self.file.name, self.file.size, stamp, unread, findings=tuple(self.findings))
        survey = document.reference_index
        ids = _decode_anchors(survey.anchors, document)
        self.exemptions = exemptions(document.source.data)
        if survey.templated:
            self._leave(_IN_TEMPLATE, survey.templated)
        slow = self._quick(survey.references, ids)
        slow += [(number, b"") for number in survey.others]
        slow.sort()
        self.regions = Regions(document)
        self._slow(slow)
        self._ask_page_rules()
        fragments = FragmentReferences(
            array("i", (number for number, _ in self.wanted)),
            b"\0".join(text for _, text in self.wanted),
            array("i", self.wanted.values()),
        )
        return PageFacts(
            self.file.name,
            self.file.size,
            stamp,
            ids=b"\0".join(ids),
            media_type=self.file.media_type,
            redirect=self.redirect,
            fragments=fragments if self.wanted else None,
            findings=tuple(self.findings),
            links=self.links,
            judged=self.judged,
            own_fragments=self.own_fragments,
            unjudged=self.unjudged,
            linked=frozenset(self.linked),
            root_relative=self.root_relative,
            root_relative_missing=dict(self.missing),
            hidden=self.hidden,
        )

    def _quick(self, references: dict[bytes, list[int]], ids: Iterable[bytes]) -> list[tuple[int, bytes]]:
        """Judge plain references; return the others: record numbers with their raw values."""
        document = self.document
        base = document.document_base
        local = base.layer is not Layer.EMBEDDED
        if not self.reader.settings.quick or base.url is None:
            return [(number, raw) for raw, numbers in references.items() for number in numbers]
        plain = self.reader.plain
        folder = plain.folder(base.url)
        own = set(ids)
        rest: list[tuple[int, bytes]] = []
        for raw, numbers in references.items():
            path, mark, fragment = raw.partition(b"#")
            number = folder.file_number(path) if path else self.number if local and mark else None
            if number is None or (mark and not PLAIN_FRAGMENT.fullmatch(fragment)):
                reason = plain.unjudged_reason(raw)
                if reason is None:
                    rest += [(one, raw) for one in numbers]
                else:
                    self._leave(reason, len(numbers))
            elif number == EXTERNAL:
                self._leave(_UNJUDGED[DestinationKind.EXTERNAL], len(numbers))
            else:
                self._good(number, len(numbers), root_relative=path.startswith(b"/"))
                if fragment and number == self.number and fragment in own:
                    self.own_fragments += len(numbers)
                elif fragment:
                    self.wanted[number, fragment] += len(numbers)
        return rest

    def _leave(self, reason: str, count: int) -> None:
        self.links += count
        self.unjudged[reason] += count

    def _good(self, number: int, count: int, *, root_relative: bool) -> None:
        self.links += count
        self.judged += count
        if number != self.number:
            self.linked.add(number)
        if root_relative:
            self.root_relative += count

    def _slow(self, records: list[tuple[int, bytes]]) -> None:
        """Resolve references, in document order, and pass them to the rules."""
        reader = self.reader
        base = self.document.document_base.url
        raws = dict(records)
        for number, link in links_by_record(self.document, raws):
            if link.role in _NO_TARGET:
                continue
            self.links += 1
            if is_inner(self.document, number, link):
                self.unjudged[_IN_SRCDOC] += 1
                continue
            place = reader.destination(None if link.target is None else link.target.partition("#")[0])
            issues = self._judge(link, place)
            if issues or link.syntax not in {"url", "local-url"}:
                continue
            raw = raws[number]
            if place.kind in {DestinationKind.EXTERNAL, DestinationKind.OPAQUE}:
                reader.plain.remember_unjudged(raw, _UNJUDGED[place.kind])
            if place.kind is DestinationKind.EXTERNAL and base is not None and link.base == base:
                reader.plain.folder(base).learn_external(raw.partition(b"#")[0])

    def _judge(self, link: Link, place: Destination) -> bool:
        """Count a reference and pass it to the rules; return whether any reported it."""
        reference = link.reference
        root_relative = reference.startswith("/") and not reference.startswith("//")
        self.root_relative += root_relative
        if self._only_inferred(link, place):
            self.unjudged[_INFERRED] += 1
            return True
        if place.kind in _UNJUDGED:
            self.unjudged[_UNJUDGED[place.kind]] += 1
        else:
            self.judged += 1
        seen = AuditedLink(self.page, link, place)
        found = [(rule, issue) for rule in self.reader.link_rules if (issue := rule.check(seen)) is not None]
        if root_relative and (place.kind in _MISSING or place.kind is DestinationKind.OUTSIDE):
            self.missing[place.name] += 1
        for rule, issue in found:
            self._find(rule, issue, link)
        if place.kind is DestinationKind.FILE and link.target is not None:
            if place.number != self.number:
                self.linked.add(place.number)
            fragment = fragment_of(link.target, place)
            if fragment and link.element != "?xml-stylesheet":
                self.wanted[place.number, fragment.encode()] += 1
        if (
            link.syntax == "refresh"
            and self.redirect is None
            and link.target
            and place.number != self.number
            and place.kind in _REFRESHABLE
        ):
            carries = b"location.hash" in self.document.source.data
            self.redirect = RedirectPage(place.number, place.name, fragment_of(link.target, place), carries)
        return bool(found)

    def _only_inferred(self, link: Link, place: Destination) -> bool:
        """Whether an inferred base URL alone makes an absolute reference one to a file that is not there."""
        if not self.reader.settings.inferred or place.kind not in _MISSING:
            return False
        return link.reference.startswith("//") or self.document.decider.resolver.is_absolute_reference(link.reference)

    def _ask_page_rules(self) -> None:
        self.regions = Regions(self.document)
        issues = [(rule, issue) for rule in self.reader.page_rules for issue in rule.check(self.page)]
        for rule, issue in sorted(issues, key=lambda one: one[1].span or (0, 0)):
            self._find(rule, issue, None)

    def _find(self, rule: Rule[Any], issue: Issue, link: Link | None) -> None:
        start = issue.span[0] if issue.span else link.start if link else 0
        code = rule.info.code
        if self.exemptions.covers(start, code):
            self.hidden["comment"] += 1
            return
        self.findings.append(finding(self.page, self.regions, rule, issue, link))


def links_by_record(document: PageDocument, numbers: Iterable[int]) -> Iterator[tuple[int, Link]]:
    """The links of some records, each with its record's number in the document's survey."""
    for number in numbers:
        for link in document.links_of((number,)):
            yield number, link


def is_inner(document: PageDocument, number: int, link: Link) -> bool:
    """Whether a link of a record is one within a srcdoc document, whose names are not those of the page."""
    return link.reference.startswith("#") and document.is_srcdoc(number)


def _decode_anchors(anchors: Iterable[bytes], document: PageDocument) -> list[bytes]:
    """Raw values of ids as UTF-8."""
    encoding = document.source.working
    plain = encoding.name == "utf-8"
    made = []
    for raw in anchors:
        one = raw
        if b"\r" in one:  # HTML §13.2.3.5 "normalize newlines"; what is written as a character reference stays
            one = one.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if b"&" in one or not (plain or one.isascii()):
            one = decode(encoding.decode(one)).text.encode("utf-8", "surrogatepass")
        made.append(one.replace(b"\0", b"\xef\xbf\xbd") if b"\0" in one else one)
    return made
