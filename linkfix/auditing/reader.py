"""Read a page and check all that the page and the names of the tree decide: the work of one process.

Most references of real pages are plain, and repeat references to the same existing file. Their targets are looked up by
their text. Only the rest are resolved and passed to the rules.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from linkfix.auditing.findings import Regions, new_finding
from linkfix.auditing.generators.model import NO_SOURCES, SourceSettings
from linkfix.auditing.interpretation import (
    fragment_of,
    has_placeholder,
    interpretation,
    is_error_page,
    is_for_program,
    is_loaded,
    is_own_address,
    is_posted,
    is_root_relative,
    is_shown_for_errors,
    needs_file,
)
from linkfix.auditing.listing import PageFile
from linkfix.auditing.made_redirects import in_made_site
from linkfix.auditing.memo import CheckResult, FolderMemo, Memo
from linkfix.auditing.model import Finding, FindingLevel, FragmentReferences, PageFacts, RedirectPage, Refresh, RuleInfo
from linkfix.auditing.page_document import PageDocument
from linkfix.auditing.private_hosts import private_host_of
from linkfix.auditing.repository import Repository
from linkfix.auditing.rule import AuditedLink, AuditedPage, FragmentRule, Issue, LinkRule, LinkTraits, PageRule, Rule
from linkfix.auditing.rules import rules, template_rule
from linkfix.auditing.selection import NO_EXEMPTIONS, Replacements, exemptions
from linkfix.auditing.site import (
    FAILING,
    Destination,
    DestinationKind,
    Site,
)
from linkfix.auditing.template_tags import UNKNOWN_TAG
from linkfix.auditing.unchecked import (
    IN_TEMPLATE,
    INFERRED,
    NOT_NEEDED,
    OF_ERROR_PAGE,
    POSTED,
    UNCHECKED,
    UNFILLED,
    why_not,
    why_unchecked,
)
from linkfix.auditing.views import (
    ANY,
    WITH_FRAGMENTS,
    LinkPlace,
    MkDocsLinks,
    View,
    WikiLinks,
    source_view,
    view_of_pages,
)
from linkfix.display import pluralize
from linkfix.errors import InvalidOption
from linkfix.files import atomic
from linkfix.kernels.reference_index import PlainReferenceCounts
from linkfix.lazy import lazy_pattern
from linkfix.model import Layer, Link, MarkdownDialect, Options, Row

if TYPE_CHECKING:
    from linkfix.auditing.modules import PageModules


#: The rule of a finding that is not yet one of any rule.
_NO_RULE = RuleInfo("", "", FindingLevel.NOTE, "", "")

#: The schemes of heading IDs whose programs read `$x$` as math.
_WITH_MATH = frozenset({ANY, "github", "gitlab"})

#: The size of the cache of rules by the traits of links.
_TRAITS_REMEMBERED = 1 << 12

#: The roles of links without a target of their own.
_NO_TARGET = frozenset({"base", "codebase", "document", "identifier"})

#: The cause of the findings about templates: the step that fills them in, or their place in the tree.
_TEMPLATES = "templates that were not filled in"

#: The least number of references with placeholders in a template, unless it has a tag of a template language.
_TEMPLATE = 2
_TAG = lazy_pattern(rb"\{%-?\s*[a-z]|<%[\s=-]|<\?(?:php|=)")

#: The kinds of targets that `--root-url` or `--mount` may explain.
_UNEXPLAINED = frozenset({DestinationKind.MISSING, DestinationKind.OUTSIDE})

#: The kinds of targets that a rule of the host may answer with a page of another path, or with a program.
_ANSWERED = frozenset({DestinationKind.FILE, DestinationKind.CAUGHT, DestinationKind.CONDITIONAL})

#: The destinations that a refresh can reach. With any other, the browser stays on the page or shows an error.
_REFRESHABLE = frozenset({DestinationKind.FILE, DestinationKind.EXTERNAL})


@dataclass(frozen=True, slots=True)
class PageReaderSettings:
    """The settings that every process needs."""

    site: Site
    """The tree's names and URL."""
    codes: frozenset[str]
    """The rules that run."""
    charset: str | None
    """The caller's encoding label for all pages, or None."""
    max_size: int
    """The largest page that is read, in bytes."""
    options: Options
    """The options for scanning pages."""
    inferred: bool = False
    """Whether the tree's URL was inferred or made up."""
    lack_of_url: str = ""
    """The reason that the tree's URL is not known, if the settings of its generator should name it."""
    heading_ids: str = ANY
    """As in `AuditOptions`."""
    follows_generator: bool = True
    """Whether the generator of a source decides the IDs of its headings, if it is known."""
    sources: SourceSettings = NO_SOURCES
    """The settings of the program that makes pages from the sources."""
    replacements: tuple[str, ...] = ()
    """As in `AuditOptions`."""
    repository: Repository | None = None
    """As in `View`, for source files."""
    wikilinks: str = ""
    """As in `AuditOptions`; "" for none."""
    quick: bool = True
    """Whether to take the fast path; tests compare both paths.

    The fast path looks up plain references by their text, and skips rules that cannot find anything in a link.
    """


class PageReader:
    """A reader of pages, one after the other. Pickling keeps only the settings."""

    def __init__(self, settings: PageReaderSettings) -> None:
        self.settings = settings
        chosen = [rule for rule in rules() if rule.info.code in settings.codes]
        #: Whether text fragments are compared with the texts of pages.
        self.reads_texts: bool = any(rule.reads_texts for rule in chosen)
        self.link_rules: list[LinkRule] = [rule for rule in chosen if isinstance(rule, LinkRule)]
        self.fragment_rules: list[FragmentRule] = [rule for rule in chosen if isinstance(rule, FragmentRule)]
        self._rules_by_traits: dict[LinkTraits, list[LinkRule]] = {}
        about_pages: list[PageRule] = [rule for rule in chosen if isinstance(rule, PageRule)]
        groups = itertools.groupby(about_pages, attrgetter("concerns"))
        self.page_rules: list[tuple[Any, list[PageRule]]] = [(concerns, list(some)) for concerns, some in groups]
        self._pages = view_of_pages(self._sources, settings.site)
        self.destination: Callable[[str | None], Destination] = self._pages.destination
        self.memo: Memo = Memo(self._pages.site, settings.repository)
        self.replacements: Replacements = Replacements(settings.replacements)
        #: The rows whose empty references refer to their own page.
        self.own_rows: set[Row | int] = set()

    def __reduce__(self) -> tuple[type[PageReader], tuple[PageReaderSettings]]:
        return PageReader, (self.settings,)

    def __call__(self, pages: list[PageFile]) -> list[PageFacts]:
        """Read pages, and return the facts about each. Never raises.

        Names of the same file have to be neighbours in `pages`; the file is read once.
        """
        facts = []
        before: PageFile | None = None
        document: PageDocument | None = None
        for page in pages:
            try:
                if document is not None and before is not None and before.identity == page.identity:
                    document = document.with_url(self.settings.site.page_url(page.name))
                    self._set_replace(document, page)
                    self._set_wikilinks(document, page)
                else:
                    document, stamp = self.open(page)
                    before = page
                facts.append(_PageAudit(self, page, document).facts(stamp))
            except OSError as error:
                is_large = isinstance(error, atomic.FileTooLarge)
                reason = error.strerror or str(error)
                unread = PageFacts(page.name, page.size, 0, reason, is_refused=not is_large, is_too_large=is_large)
                facts.append(unread)
            except MemoryError:
                facts.append(PageFacts(page.name, page.size, 0, unread="not enough memory", is_refused=True))
            except InvalidOption as error:
                return [PageFacts(page.name, page.size, 0, mistake=str(error))]
            except Exception as error:  # noqa: BLE001 - a fault of linkfix in one page is no reason to stop the others
                reason = f"internal error, please report it: {type(error).__name__}: {error}"
                facts.append(PageFacts(page.name, page.size, 0, unread=reason, is_refused=True))
        return facts

    def rules_for(self, audited: AuditedLink) -> list[LinkRule]:
        """The rules that can find something in a link."""
        if not self.settings.quick:
            return self.link_rules
        traits = LinkTraits.of(audited)
        known = self._rules_by_traits.get(traits)
        if known is None:
            if len(self._rules_by_traits) >= _TRAITS_REMEMBERED:
                self._rules_by_traits.clear()
            known = [rule for rule in self.link_rules if rule.concerns is None or rule.concerns(traits)]
            self._rules_by_traits[traits] = known
        return known

    def is_replaced(self, raw: bytes) -> bool:
        """Whether a raw reference may be judged as another. Without its decoded text, that is possible."""
        if not self.replacements or not raw.isascii() or b"&" in raw or b"\\" in raw:
            return bool(self.replacements)
        text = raw.decode("ascii")
        return self.replacements.of(text) != text

    def is_published(self, name: str) -> bool:
        """Whether a file of the tree is part of the site that is made from it."""
        return self._sources.has(name)

    def place_in_source(self, name: str, link: Link) -> LinkPlace:
        """The place of a link of a source."""
        return self._sources.place_of(name, link)

    def place_of_rule(self, name: str, link: Link) -> LinkPlace:
        """The place of the target of a rule in the file `name` of a host: in the site that is made of the sources."""
        if self._sources.made is not None:
            return LinkPlace(in_made_site(self._sources.made, name, link), link, self._sources.site)
        url = link.target and link.target.partition("#")[0]
        mkdocs = self.links_of_mkdocs
        places = [
            LinkPlace(view.destination(url), link, view.site)
            for view in ((self._pages,) if mkdocs is None else mkdocs.built)
        ]
        return next((one for one in places if one.destination.kind not in FAILING), places[0])

    def view(self, document: PageDocument) -> View:
        """The tree as a page's references see it."""
        return self._sources if document.kind == "markdown" else self._pages

    def folder_memo(self, document: PageDocument, name: str) -> FolderMemo | None:
        """The memo of the references of the page `name`; None if there is none."""
        return self.memo.folder(document, self.view(document), name) if self.settings.quick else None

    @property
    def links_of_mkdocs(self) -> MkDocsLinks | None:
        """As in `View`, for source files."""
        return self._sources.mkdocs

    def folders_of_sphinx(self) -> list[str]:
        """The prefix of each folder that Sphinx makes a site from."""
        return [folder.prefix for folder in self._sources.sphinx]

    @cached_property
    def _sources(self) -> View:
        settings = self.settings
        view = source_view(settings.site, settings.heading_ids, settings.sources, settings.repository)
        notes = self._wikilinks
        return view if notes is None or not notes.reads_links else view._replace(notes=notes)

    @cached_property
    def _dialect(self) -> MarkdownDialect:
        settings, sources, repository = self.settings, self.settings.sources, self.settings.repository
        is_mkdocs = self._sources.mkdocs is not None
        has_math = settings.heading_ids in _WITH_MATH and not is_mkdocs
        bare_urls = repository.place if repository is not None and not is_mkdocs else ""
        in_html = is_mkdocs and sources.markdown_in_html
        has_tags = self._sources.made is not None and self._sources.made.fills_tags
        return MarkdownDialect(is_mkdocs, in_html, sources.blocks, has_math, has_tags, bare_urls)

    def open(self, page: PageFile) -> tuple[PageDocument, int]:
        """The document of a page, and the time of the file's last change in nanoseconds. Raises `OSError`."""
        data, status, _ = atomic.read(page.file, limit=self.settings.max_size)
        envelope = self.settings.site.envelope(page)
        if self.settings.charset is not None:
            envelope = envelope._replace(charset=self.settings.charset)
        made = self._sources.made
        has_tags = made is not None and made.has_tags(page.name, data)
        data = made.without_tags(page.name, data) if made is not None and has_tags else data
        document = PageDocument(data, envelope=envelope, options=self.settings.options)
        document.has_tags = has_tags
        of_generator = made if self.settings.follows_generator else None
        own_ids = "" if of_generator is None else of_generator.heading_ids(page.name)
        document.heading_ids = own_ids or self.settings.heading_ids
        document.names_headings = of_generator is None or of_generator.names_headings(page.name)
        document.reads_attributes = self.settings.sources.attributes
        document.footnotes = self.settings.sources.footnotes
        is_myst = self._sources.is_of_sphinx(page.name)
        document.dialect = self._dialect._replace(comment="%") if is_myst else self._dialect
        self._set_replace(document, page)
        self._set_wikilinks(document, page)
        return document, status.st_mtime_ns

    def _set_replace(self, document: PageDocument, page: PageFile) -> None:
        first = self.replacements.of if self.replacements else None
        made = self._sources.made
        if made is None or not document.has_tags:
            document.replace = first
        else:
            filled = partial(made.filled, page.name)
            document.replace = filled if first is None else lambda reference: filled(first(reference))

    def _set_wikilinks(self, document: PageDocument, page: PageFile) -> None:
        if self._wikilinks is not None and document.kind == "markdown":
            document.wikilinks = self.settings.wikilinks
            document.wikilink_url = partial(self._wikilinks.url, page.name)

    @cached_property
    def _wikilinks(self) -> WikiLinks | None:
        return WikiLinks(self.settings.site, self.settings.wikilinks) if self.settings.wikilinks else None


class _PageAudit:
    """The audit of one page."""

    def __init__(self, reader: PageReader, file: PageFile, document: PageDocument) -> None:
        self.reader = reader
        self.file = file
        self.document = document
        self.view = reader.view(document)
        self.memo = reader.folder_memo(document, file.name)
        self.page = AuditedPage(file.name, document.envelope.url or "", document, self.view.site)
        self.number = reader.settings.site.numbers[file.name]
        self.wanted: dict[tuple[int, bytes], int] = defaultdict(int)
        self.findings: list[Finding] = []
        self.exemptions = NO_EXEMPTIONS
        self.links = self.checked = self.root_relative = self.own_fragments = 0
        self.unchecked: dict[str, int] = defaultdict(int)
        self.hidden: dict[str, int] = defaultdict(int)
        self.linked: set[int] = set()
        self.missing: dict[str, int] = defaultdict(int)
        self.failing = 0
        self.suffixless: dict[str, int] = defaultdict(int)
        self.redirect: RedirectPage | None = None
        #: Whether a refresh that leads somewhere was seen; and the first one, as in `PageFacts`.
        self.has_refresh = False
        self.refresh: Refresh | None = None
        #: The places of findings, in ascending order; None before the first finding.
        self.regions: Regions | None = None
        self.has_modules = False
        self.is_error_page = is_error_page(file.name) or is_shown_for_errors(self.view.site, file.name)
        #: The records of empty references.
        self.empty: set[int] = set()

    def facts(self, stamp: int) -> PageFacts:
        """Check the whole page, and return the facts about it. `stamp`: the time of the file's last change."""
        document = self.document
        if document.fault:
            unread = document.problems_so_far()[0].message
            self._ask_page_rules()
            return PageFacts(self.file.name, self.file.size, stamp, unread, findings=tuple(self.findings))
        survey = document.reference_index
        ids = document.ids
        if self.view.made is not None and document.kind == "markdown":
            ids += self.view.made.ids(self.file.name)
        self.exemptions = exemptions(document)
        if survey.templated:
            self._leave(IN_TEMPLATE, survey.templated)
        slow = self._quick(survey.references, ids)
        slow += [(number, b"") for number in survey.others]
        slow.sort()
        self._slow(slow)
        self._leave_template()
        self._ask_page_rules()
        return PageFacts(
            self.file.name,
            self.file.size,
            stamp,
            ids=b"\0".join(ids),
            media_type=self.file.media_type,
            encoding=document.assumed_encoding,
            redirect=self.redirect,
            refresh=self.refresh,
            fragments=FragmentReferences.of(self.wanted),
            findings=tuple(self.findings),
            links=self.links,
            checked=self.checked,
            own_fragments=self.own_fragments,
            unchecked=self.unchecked,
            linked=frozenset(self.linked),
            root_relative=self.root_relative,
            root_relative_missing=self.missing,
            failing=self.failing,
            suffixless=self.suffixless,
            hidden=self.hidden,
            source_ids=document.source_ids,
            is_generated=document.is_generated or self.view.is_of_sphinx(self.file.name),
            modules=self._modules.facts() if self.has_modules or "_modules" in vars(self) else None,
        )

    def _quick(self, references: dict[bytes, list[int]], ids: Iterable[bytes]) -> list[tuple[int, bytes]]:
        """Check plain references, and return the records of the other references with their raw values."""
        document, memo, plain = self.document, self.memo, self.reader.memo
        if memo is None:
            return _records(references)
        replaced: dict[bytes, list[int]] = {}
        if self.reader.replacements:
            replaced = {raw: numbers for raw, numbers in references.items() if self.reader.is_replaced(raw)}
            references = {raw: numbers for raw, numbers in references.items() if raw not in replaced}
        # Not every program makes the IDs of Markdown: they decide after all pages were read.
        own = set() if document.kind == "markdown" else set(ids)
        counts = PlainReferenceCounts(self.number, own, memo.is_shared, document.records_before_base)
        counts.count(references, memo.files, plain.unchecked, memo.file_number, plain.learn_external)
        self.links += counts.checked
        self.checked += counts.checked
        self.root_relative += counts.root_relative
        self.own_fragments += counts.own_fragments
        self.linked |= counts.linked
        self.wanted.update(counts.wanted)
        for reason, count in counts.unchecked:
            self._leave(reason, count)
        if counts.external:
            self._leave(UNCHECKED[DestinationKind.EXTERNAL], counts.external)
        empty = [(number, b"") for number in counts.empty if not self._is_own(number)]
        return counts.rest + empty + _records(replaced)

    def _is_own(self, number: int) -> bool:
        """Count an empty reference to the page itself if a reference of the same row was already checked.

        Returns whether it was counted.
        """
        document = self.document
        self.empty.add(number)
        if document.row(number) not in self.reader.own_rows or not self._is_base_own():
            return False
        self.links += 1
        self.checked += 1
        return True

    def _is_base_own(self) -> bool:
        """Whether the base URL leads to the page."""
        base = self.document.document_base
        return base.layer is not Layer.EMBEDDED and self.reader.destination(base.url).number == self.number

    def _leave(self, reason: str, count: int) -> None:
        self.links += count
        self.unchecked[reason] += count

    def _slow(self, records: list[tuple[int, bytes]]) -> None:
        """Check references in document order: from the cache, or by the rules."""
        # The own address of an error page is another reference than the same one in a page beside it.
        memo = None if self.is_error_page else self.memo
        for number, raw in records:
            known = memo.get(self.document, number, raw) if memo is not None else None
            if known is not None:
                self._count(known, self._moved(known, number) if known.issues else known.link, number)
                continue
            for link in self.document.links_of((number,)):
                if link.role in _NO_TARGET:
                    self.has_modules |= link.syntax == "importmap"
                    continue
                if reason := self._why_unchecked(link, number):
                    self._leave(reason, 1)
                    continue
                result = self._check(link)
                self._count(result, result.link, number)
                if link.start in self.document.written or _depends_on_text(result):
                    continue  # the raw value alone says nothing about what was judged
                if memo is not None:
                    memo.remember(self.document, number, raw, result)
                if not result.issues and not result.unchecked and link.syntax in {"url", "local-url"}:
                    self._learn(raw, result)
                    if number in self.empty:
                        self._learn_own(number, result)

    @cached_property
    def _modules(self) -> PageModules:
        from linkfix.auditing.modules import PageModules  # few pages have modules

        return PageModules(self.page, self.reader.link_rules, self.view.destination, self.exemptions)

    def _why_unchecked(self, link: Link, number: int) -> str:
        if link.role == "module":
            return self._modules.why_unchecked(link)
        reason = why_unchecked(self.document, number, link) or self.view.why_unchecked(self.file.name, link)
        return reason or (UNKNOWN_TAG if self.document.has_tags and has_placeholder(link) else "")

    def _moved(self, known: CheckResult, number: int) -> Link:
        """The cached link, moved to the place of a record."""
        link = known.link
        start = self.document.start(number) + known.offset
        line, column = self.document.positions.of(start)
        return link._replace(start=start, end=start + link.end - link.start, line=line, column=column)

    def _learn_own(self, number: int, result: CheckResult) -> None:
        """Remember that empty references of a row refer to the page, and that no rule reports them."""
        link, place, document = result.link, result.place, self.document
        is_page = place.kind is DestinationKind.FILE and place.number == self.number and not result.fragment
        if is_page and link.target == link.base == document.document_base.url and self._is_base_own():
            self.reader.own_rows.add(document.row(number))

    def _learn(self, raw: bytes, result: CheckResult) -> None:
        """Remember the destination of a raw value that no rule reports on any page."""
        kind = result.place.kind
        if kind in {DestinationKind.EXTERNAL, DestinationKind.OPAQUE}:
            self.reader.memo.remember_unchecked(raw, UNCHECKED[kind])
        is_of_base = result.link.base == self.document.document_base.url
        if kind is DestinationKind.EXTERNAL and self.memo is not None and is_of_base:
            self.memo.learn_external(raw.partition(b"#")[0])

    def _check(self, link: Link) -> CheckResult:
        """The destination of a link, and the issues that the rules find in it."""
        place, link, site = self.view.place_of(self.file.name, link)
        if place.redirect and place.kind in _ANSWERED and link.target and needs_file(self.document, link):
            place = site.without_rewrite(link.target, place)
        page = self.page if site is self.page.site else self.page._replace(site=site)
        # If BASE leads to another site, such a reference says nothing about this site.
        root_relative = is_root_relative(link.reference) and place.kind is not DestinationKind.EXTERNAL
        unchecked = self._why_not_missing(link, place) if place.kind in FAILING else ""
        if unchecked:
            return CheckResult(link, place, (), root_relative, is_unexplained=False, unchecked=unchecked, fragment=b"")
        seen = AuditedLink(page, link, place)
        asked = self.reader.rules_for(seen)
        issues = tuple([(rule, issue) for rule in asked if (issue := rule.check(seen)) is not None])
        fragment = ""
        if place.kind in WITH_FRAGMENTS and link.target is not None and link.element != "?xml-stylesheet":
            fragment = fragment_of(link.target, place, directives=self.reader.reads_texts)
        is_unexplained = root_relative and place.kind in _UNEXPLAINED and not (place.mount or place.redirect)
        if is_unexplained and self.view.made is not None and self.view.made.knows_base(self.file.name):
            is_unexplained = False
        if is_unexplained:
            is_unexplained = not (interpretation(seen).explains_missing_target or is_for_program(link))
        return CheckResult(link, place, issues, root_relative, is_unexplained, "", fragment.encode())

    def _count(self, result: CheckResult, link: Link, number: int) -> None:
        """Count a reference of a record, and add the findings about it.

        `link`: the link at its place in this page. It is needed only if there are findings.
        """
        place = result.place
        self.links += 1
        self.root_relative += result.root_relative
        if result.unchecked:
            self.unchecked[result.unchecked] += 1
            return
        if place.kind in UNCHECKED:
            self.unchecked[why_not(place)] += 1
        else:
            self.checked += 1
        self._count_missing(result)
        for rule, issue in result.issues:
            self._find(rule, issue, link)
        if place.kind is DestinationKind.FILE and link.target is not None and place.number != self.number:
            self.linked.add(place.number)
        if result.fragment:
            self.wanted[place.number, result.fragment] += 1
        if link.syntax == "refresh" and link.target and place.kind in _REFRESHABLE:
            self._refresh(link, link.target, place, number)

    def _refresh(self, link: Link, target: str, place: Destination, number: int) -> None:
        """Remember the first refresh of the page that leads somewhere. `number`: its record."""
        document = self.document
        if self.redirect is not None or document.is_in_noscript(number) or document.is_data:
            return
        data = document.source.data
        if not self.has_refresh:
            self.has_refresh = True
            # A script may navigate first, and a server may answer a query in another way.
            is_certain = not (b"location" in data or "#" in target or "?" in target)
            if is_certain and place.number >= 0 and document.is_immediate(number):
                finding = new_finding(self.page, self._places(), _NO_RULE, Issue(""), link)
                codes = self.reader.settings.codes
                exempt = frozenset(code for code in codes if self.exemptions.covers(link.start, code))
                self.refresh = Refresh(place.number, place.name, finding, exempt)
        if place.number != self.number:
            name, fragment = place.name, fragment_of(target, place)
            self.redirect = RedirectPage(place.number, name, fragment, b"location.hash" in data)

    def _count_missing(self, result: CheckResult) -> None:
        place, site = result.place, self.view.site
        if place.kind in FAILING and not place.mount:
            self.failing += 1
            if site.lacks_suffix(place):
                self.suffixless[place.name] += 1
        if result.is_unexplained:
            self.missing[site.path_of(place)] += 1

    def _why_not_missing(self, link: Link, place: Destination) -> str:
        """The reason that a reference to a missing file may work, or need not work; "" for no reason."""
        if self.is_error_page and is_own_address(self.document, link):
            return OF_ERROR_PAGE
        if is_posted(self.document, link):
            return POSTED
        if place.kind is DestinationKind.UNCAPTURED and not self._needs_capture(link, place.name):
            return NOT_NEEDED
        if link.target is not None and self.view.is_own(link.target):
            return ""
        is_absolute = self.document.decider.resolver.is_absolute_reference
        is_of_host = link.reference.startswith("//") or is_absolute(link.reference)
        is_named = link.syntax == "wikilink"  # it has no URL of its own
        if self.reader.settings.lack_of_url and is_root_relative(link.reference) and not is_named:
            return self.reader.settings.lack_of_url
        return INFERRED if self.reader.settings.inferred and is_of_host and not is_named else ""

    def _needs_capture(self, link: Link, url: str) -> bool:
        """Whether an archive should have the target of a link: the page loads it, or a crawler should have found it."""
        is_followed = link.role == "hyperlink" and link.attribute != "ping"
        return is_loaded(self.document, link) or (is_followed and self.view.site.should_have(url))

    def _leave_template(self) -> None:
        """If most references have placeholders, the page is a template: leave one finding, and check nothing."""
        code = template_rule().info.code
        unfilled = [one for one in self.findings if one.code == code]
        least = 1 if unfilled and _TAG.search(self.document.source.data) else _TEMPLATE
        if len(unfilled) < least or len(unfilled) * 2 < self.links:
            return
        have = "has a placeholder" if len(unfilled) == 1 else "have placeholders"
        message = (
            f"{len(unfilled):,} of {pluralize(self.links, 'reference')} {have}: the file is a template, not a page"
        )
        self.findings = [unfilled[0]._replace(message=message, cause=_TEMPLATES)]
        self.unchecked = {UNFILLED: self.links}
        self.checked = self.root_relative = self.own_fragments = 0
        self.wanted.clear()
        self.missing.clear()
        self.failing = 0
        self.suffixless.clear()
        self.redirect = self.refresh = None

    def _ask_page_rules(self) -> None:
        self.regions = None  # the issues of the page itself start again at its beginning
        issues: list[tuple[PageRule, Issue]] = []
        for concerns, asked in self.reader.page_rules:
            if concerns is None or concerns(self.document):
                issues += [(rule, issue) for rule in asked for issue in rule.check(self.page)]
        issues.sort(key=lambda one: one[1].span or ((one[1].link.start, one[1].link.end) if one[1].link else (0, 0)))
        for rule, issue in issues:
            self._find(rule, issue, issue.link)

    def _find(self, rule: Rule[Any], issue: Issue, link: Link | None) -> None:
        start = issue.span[0] if issue.span else link.start if link else 0
        if self.exemptions.covers(start, rule.info.code):
            self.hidden["comment"] += 1
            return
        self.findings.append(new_finding(self.page, self._places(), rule.info, issue, link))

    def _places(self) -> Regions:
        """The places of findings, in ascending order."""
        if self.regions is None:
            self.regions = Regions(self.document)
        return self.regions


def _depends_on_text(result: CheckResult) -> bool:
    """Whether the result of a check depends on the text of the link: an address that readers see is theirs to open."""
    return result.place.kind is DestinationKind.EXTERNAL and private_host_of(result.link.target) is not None


def _records(references: dict[bytes, list[int]]) -> list[tuple[int, bytes]]:
    """The records of references, each with its raw value."""
    return [(number, raw) for raw, numbers in references.items() for number in numbers]
