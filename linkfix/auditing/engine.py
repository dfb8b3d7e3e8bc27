"""The audit of a tree: list its files, read each page once, look up fragments, apply the rules, sum up."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from posixpath import splitext
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote_from_bytes

from linkfix.auditing.captures import CapturedSite, captured_hosts, captured_listing, captured_url
from linkfix.auditing.external import read_results
from linkfix.auditing.findings import (
    count_in_folder,
    file_finding,
    group_by_cause,
    name_in,
    refresh_finding,
    sort_causes,
    with_fingerprints,
)
from linkfix.auditing.fragments import HostedSources, TreeFiles, check_fragments, page_text
from linkfix.auditing.generators.model import (
    NO_INNER_SITES,
    NO_SETTINGS,
    NO_SOURCES,
    InnerSites,
    SourceSettings,
    UnknownPages,
)
from linkfix.auditing.generators.search import (
    find_inner_sites,
    find_settings,
    find_sources,
    invalid_settings,
    usual_sources,
)
from linkfix.auditing.generators.settings_files import short_path
from linkfix.auditing.generators.sphinx import SETTINGS
from linkfix.auditing.hosts.find import NO_HOST, Build, TreeHost, find_host
from linkfix.auditing.listing import Listing, PageFile, list_tree
from linkfix.auditing.model import (
    Audit,
    AuditOptions,
    Coverage,
    Finding,
    Folder,
    PageFacts,
    sum_coverage,
)
from linkfix.auditing.mounts import mounted_folders
from linkfix.auditing.page_sources import with_sources
from linkfix.auditing.private_hosts import AllowedHosts, private_host_of
from linkfix.auditing.reader import PageReader, PageReaderSettings
from linkfix.auditing.repository import HOSTS, find_repository
from linkfix.auditing.rule import (
    REPORTED_STATUSES,
    FragmentResult,
    FragmentStatus,
    Issue,
    MissingPath,
    TreeFacts,
    TreeRule,
)
from linkfix.auditing.rules import host_rule, rules, unread_rule
from linkfix.auditing.second_pass import SecondPass, SecondPassJob, SecondPassResult
from linkfix.auditing.selection import IgnoredTargets, chosen_codes, ignored_codes_by_file, selected_codes
from linkfix.auditing.served import MADE_UP, find_tree_url
from linkfix.auditing.settings_audit import SettingsAudit
from linkfix.auditing.site import FOLDER, INDEXES, Site
from linkfix.auditing.source_names import source_names
from linkfix.auditing.unchecked import INVALID_SETTINGS, OUTSIDE, UNREAD_SETTINGS
from linkfix.auditing.unused import UnusedFile, find_unused
from linkfix.auditing.views import ANY
from linkfix.encodings.encoding import lookup
from linkfix.errors import InvalidOption
from linkfix.files.data_formats import DATA_TYPES
from linkfix.files.folder import selector
from linkfix.html.vocabulary import MODULES
from linkfix.model import DOCUMENT_KINDS, PAGE_TYPES, SOURCE_TYPES, Layer
from linkfix.runs.workers import map_in_order
from linkfix.urls import hide_passwords

if TYPE_CHECKING:
    from linkfix.runs.captured_documents import Captures

#: The number of projects that the report names.
_NAMED = 5

#: The words about a project that may have more pages than its settings say.
_UNREAD = ", and settings in a form that is not read, so missing paths from its root do not count"

#: The reason that a finding is left out: a baseline contains it.
_KNOWN = "baseline"


class _Cost(NamedTuple):
    """The time that reading takes, in seconds."""

    page: float
    byte: float


#: The kind of a document -> the usual cost of a page. Pages of other kinds cost as much as HTML.
_COSTS = {
    "html": _Cost(250e-6, 18e-9),
    "markdown": _Cost(700e-6, 110e-9),
    "xml": _Cost(400e-6, 260e-9),
}

#: The cost of a job.
_JOB = 0.02

#: A tree of a smaller cost is read by one process: starting more takes a third of a second.
_SMALL = 2.0

#: The types of files that reports count as pages.
_PAGES_FOR_PEOPLE = PAGE_TYPES | SOURCE_TYPES


class _FragmentResults(NamedTuple):
    """The results for fragments that were not found: number of the file and fragment -> result."""

    pages: Mapping[tuple[int, bytes], FragmentResult]
    sources: Mapping[tuple[int, bytes], FragmentResult]
    """The results for references in Markdown files that a host may show."""

    def of(self, page: PageFacts) -> Mapping[tuple[int, bytes], FragmentResult]:
        """The results for the references of a page."""
        return self.sources if self.sources and page.media_type in SOURCE_TYPES else self.pages


def audit_captures(
    captures: Captures, options: AuditOptions, *, progress: Callable[[int, int], None] | None = None
) -> Audit:
    """Check the references of the documents in an archive, by URL. Raises the same errors as `audit`."""
    listing = captured_listing(captures, selector(options.include, options.exclude))
    return _TreeAudit(captures.folder, options, progress or _ignore, listing, captures=captures).run(time.monotonic())


def _ignore(_size: int, _links: int) -> None:
    """A `progress` that shows nothing."""


def audit(root: str, options: AuditOptions, *, progress: Callable[[int, int], None] | None = None) -> Audit:
    """Check the references of the pages in a folder.

    `progress(bytes, links)` is called once for each page. Raises `InvalidBase`, `UnknownCharset`, `UnknownRule` and
    `InvalidOption`. Faults in a page or file raise nothing: they are findings, or are listed in the coverage.
    """
    started = time.monotonic()
    if not os.path.isdir(root):
        fault = "is not a folder" if os.path.lexists(root) else "does not exist"
        message = f"{root} {fault}: give the folder that contains the pages"
        raise InvalidOption(message)
    if options.charset is not None:
        lookup(options.charset)
    progress = progress or _ignore
    chosen = selector(options.include, options.exclude)
    listing = list_tree(os.path.realpath(root), chosen, with_ignored=options.include_ignored)
    names = [page.name for page in listing.pages]
    found = find_inner_sites(listing.root, listing.files, names, options.site)
    inner = _without_told(found, options)
    parts = {folder: part for folder in inner if (part := listing.take_out(folder)).pages}
    outer = _TreeAudit(root, options, progress, listing, inner=tuple(parts), sites=found).run(started)
    alone = replace(options, base_url=None)
    results = [_TreeAudit(root, alone, progress, part, folder).run(started) for folder, part in parts.items()]
    return _with_inner(outer, {(folder, inner[folder]): one for folder, one in zip(parts, results, strict=True)})


def _without_told(found: InnerSites, options: AuditOptions) -> dict[str, str]:
    """The inner sites that are audited by themselves: folder -> the generator and its settings file.

    Options that say otherwise win: the program that makes pages, or the URL that the whole tree is served at.
    """
    inner = dict(found.sources) if options.heading_ids in {None, "mkdocs"} else {}
    inner |= found.built if options.base_url is None else {}
    return {
        one: words for one, words in inner.items() if not any(one != other and one.startswith(other) for other in inner)
    }


def _with_inner(outer: Audit, inner: Mapping[tuple[str, str], Audit]) -> Audit:
    """The audit of a tree together with the audits of sites in it. `inner`: folder and generator -> audit."""
    findings, causes = list(outer.findings), list(outer.causes)
    for (folder, _), result in inner.items():
        causes += [
            cause._replace(findings=tuple(number + len(findings) for number in cause.findings))
            for cause in result.causes
        ]
        findings += [at_url_of(one, outer.base_url, folder, result) for one in result.findings]
    if not inner:
        return outer
    results = [outer, *inner.values()]
    settings = [
        text
        for (folder, words), one in inner.items()
        for text in (f"{words}: {folder} is a site of its own", one.settings)
    ]
    return replace(
        outer,
        settings="; ".join(filter(None, (outer.settings, *dict.fromkeys(settings)))),
        findings=tuple(findings),
        causes=sort_causes(causes),
        coverage=sum_coverage([one.coverage for one in results], ["", *(folder for folder, _ in inner)]),
        folders={
            **outer.folders,
            **{
                (place + name).rstrip("/"): one
                for (place, _), result in inner.items()
                for name, one in result.folders.items()
            },
        },
        hidden=sum((one.hidden for one in results), Counter()),
        known=frozenset().union(*(one.known for one in results)),
        pages=frozenset(outer.pages).union(folder + name for (folder, _), one in inner.items() for name in one.pages),
        seconds=max(one.seconds for one in results),
        urls=url_texts([(outer.root, outer), *((folder, one) for (folder, _), one in inner.items())]),
    )


class _TreeAudit:
    """One run of an audit.

    `listing`: the tree. `folder`: its name in the folder `root`, with a slash at the end; "" if it is `root` itself.
    `inner`: the folders of the tree that are audited by themselves. `sites`: the sites in it. `captures`: the
    archive that the names of the tree are captures of.
    """

    def __init__(
        self,
        root: str,
        options: AuditOptions,
        progress: Callable[[int, int], None],
        listing: Listing,
        folder: str = "",
        inner: tuple[str, ...] = (),
        sites: InnerSites = NO_INNER_SITES,
        captures: Captures | None = None,
    ) -> None:
        self.root = root
        self.folder = folder
        self.inner = inner
        self.options = options
        self.progress = progress
        self.codes = chosen_codes(options)
        self.ignored_codes = ignored_codes_by_file(options)
        self.listing = listing
        self.captures = captures
        is_told = captures is not None or (options.base_url is not None and options.clean_urls is not None)
        self.settings = NO_SETTINGS if is_told else find_settings(self.listing.root, options.site)
        self.indexes = INDEXES if options.indexes is None else options.indexes
        self.served = (
            find_tree_url(self.listing, options.base_url, self.settings, self.indexes)
            if captures is None
            else captured_url(captures)
        )
        self.sources = self._source_settings(sites)
        self.host = self._host()
        if options.clean_urls is not None:
            facts = {folder: read._replace(clean_urls=None) for folder, read in self.host.inner.items()}
            self.host = self.host._replace(inner=facts)
        if options.indexes is not None:
            facts = {folder: read._replace(indexes=None) for folder, read in self.host.inner.items()}
            self.host = self.host._replace(inner=facts)
        elif self.host.indexes is not None:
            self.indexes = self.host.indexes
        by_files = self.settings.clean_urls or self.host.clean_urls
        self.clean_urls = by_files if options.clean_urls is None else options.clean_urls
        mounts = [*options.mounts, *self._assets()]
        found = mounted_folders(mounts, self.served.url, clean_urls=self.clean_urls, indexes=self.indexes)
        #: The longest label first: a mount may be inside another.
        self.mounts = sorted(found, key=lambda mount: -len(mount.label))
        self.site = self._site(self.listing)
        self.site.finds_detours = any(rule.finds_detours and rule.info.code in self.codes for rule in rules())
        heading_ids = options.heading_ids or self.sources.heading_ids
        has_sources = any(page.media_type in SOURCE_TYPES for page in self.listing.pages)
        settings = PageReaderSettings(
            self.site,
            self.codes,
            options.charset,
            options.max_size,
            replace(options.options, anchors=True, rows=(*MODULES, *options.options.rows)),
            inferred=captures is None and self.served.layer is not Layer.RETRIEVAL,
            lack_of_url=self._lack_of_url() if self.served.layer is Layer.NONE else "",
            heading_ids=heading_ids,
            follows_generator=options.heading_ids is None,
            sources=self.sources,
            replacements=options.replacements,
            wikilinks=options.wikilinks or "",
            repository=find_repository(self.listing.root) if has_sources and heading_ids in HOSTS else None,
        )
        self.reader = PageReader(settings)
        if (has_sources or self.sources.templates) and not options.include_ignored:
            self.listing.leave_out(lambda name: not self.reader.is_published(name), "not part of the built site")
        if not options.include_ignored:
            self.listing.leave_out(lambda name: name in self.site.host.left_out, "not deployed")
        is_selected = selector(options.include, options.exclude)
        self.settings_files = SettingsAudit(
            self.reader,
            self.host,
            self.listing.root,
            self.codes,
            lambda name: is_selected(name_in(folder, name)),
            has_url=self.served.layer is Layer.RETRIEVAL,
        )
        self.pages = {page.name: page for page in self.listing.pages}
        self.ignored_targets = IgnoredTargets(options.ignore_target, self.served.url, folder)
        self.allowed_hosts = AllowedHosts(options.allow_host)
        self.hidden: Counter[str] = Counter()
        #: The fingerprints of the baseline's findings that occurred again.
        self.known: set[str] = set()

    def _source_settings(self, inner: InnerSites) -> SourceSettings:
        """The settings of the generator of the sources, unless there are none, or options name another program."""
        if not any(page.media_type in SOURCE_TYPES for page in self.listing.pages):
            return NO_SOURCES._replace(roots=inner.roots, templates=inner.templates)
        site = self.options.site
        found = find_sources(self.listing.root, site)
        if not (found.file or found.projects or inner.projects):
            sources = [page.file for page in self.listing.pages if page.media_type in SOURCE_TYPES]
            found = usual_sources(self.listing.root, site, sources)
        is_other = found.file and self.options.heading_ids not in {None, found.heading_ids, "mkdocs"}
        found = NO_SOURCES if is_other else found
        projects = tuple(dict.fromkeys((*found.projects, *inner.projects)))
        templates = (*found.templates, *inner.templates)
        return found._replace(roots=inner.roots, projects=projects, templates=templates, root=self.listing.root)

    def _assets(self) -> list[tuple[str, str]]:
        """The folder of assets, as a mount at the tree's URL, unless the caller mounts another folder there."""
        path = "/" + self.served.url.partition("://")[2].partition("/")[2]
        given = {prefix.rstrip("/") for prefix, _ in self.options.mounts}
        is_free = given.isdisjoint({path.rstrip("/"), self.served.url.rstrip("/")})
        return [(path, self.sources.assets)] if self.sources.assets and is_free else []

    def _host(self) -> TreeHost:
        """The host of the tree; none for an archive."""
        self._has_invalid_settings = False
        if self.captures is not None:
            return NO_HOST
        made = [*self.sources.projects, *filter(None, [self.settings.project])]
        build = Build(
            tuple(dict.fromkeys(one.at for one in made)),
            frozenset(one.built for one in made if one.built),
            tuple(dict.fromkeys(folder for one in self.sources.projects for folder in one.served)),
        )
        found = find_host(self.listing.root, self.listing.files, self.served.url, self.options.host, build)
        if self.sources.file or any(not one.folder for one in self.sources.projects):
            found = found._replace(left_out={})  # these are files of the site that is made, not sources
        self.listing.failed.update(found.failed)
        invalid = list(invalid_settings(self.listing.root, self.options.site))
        self._has_invalid_settings = bool(invalid)
        invalid = [] if self.folder else invalid  # the tree around reports them
        files, faults = [file for file, _ in invalid], [fault for _, fault in invalid]
        return found._replace(files=(*found.files, *files), faults=(*found.faults, *faults))

    def _lack_of_url(self) -> str:
        """The reason that the settings of a generator do not name the URL of the tree; "" if there are none."""
        if self._has_invalid_settings:
            return INVALID_SETTINGS
        return UNREAD_SETTINGS if self.settings.is_unread else ""

    def _site(self, listing: Listing) -> Site:
        if self.captures is not None:
            return CapturedSite(self.captures, listing)
        site = Site(
            self.served.url,
            listing.files,
            listing.folders,
            dangling=listing.dangling,
            unread=listing.failed,
            known=self.served.layer is not Layer.NONE,
            clean_urls=self.clean_urls,
            indexes=self.indexes,
            host=self.host,
            mounts={mount.label: mount.site for mount in self.mounts},
        )
        if self.options.external_results is not None:
            site.failures = read_results(self.options.external_results)
        return site

    def _settings_used(self) -> str:
        """The settings of generators that the audit follows, with their files, in words."""
        settings, options = self.settings, self.options
        by_path = MADE_UP + (settings.path or "")[1:]
        served = settings.served * (self.served.url == (settings.url or by_path))
        if not served and self.served.url == by_path != MADE_UP:
            served = settings.served[-1:]  # the path, without the URL, which is that of a private host
        used = [*served * (options.base_url is None), *settings.links * (options.clean_urls is None)]
        lines = [f"{settings.file}: {', '.join(used)}"] if used else []
        sources = self.sources
        if sources.file:
            ids = [f"heading-ids = {sources.heading_ids}"] if options.heading_ids is None else []
            lines += [f"{sources.file}: {', '.join([*ids, *sources.used])}"] if ids or sources.used else []
        for project in sources.projects[:_NAMED]:
            base = f", base = /{project.base}/" if project.base else ""
            unread = _UNREAD if project.routes.unknown is UnknownPages.ALL else ""
            lines.append(f"{project.words}: it makes the pages of the sources{base}{unread}")
        if len(sources.projects) > _NAMED:
            lines.append(f"{len(sources.projects) - _NAMED:,} more make the pages of other sources")
        for page in self._sphinx_settings()[:_NAMED]:
            lines.append(f"Sphinx, {page}: it makes the pages of the sources")
        for path, folder in self._assets():
            lines.append(f"{sources.assets_file}: {os.path.basename(folder)}/ is served at {path}")
        return "; ".join([*lines, *filter(None, [settings.lack * (not sources.projects), self.host.words])])

    def _sphinx_settings(self) -> list[str]:
        """The settings file of each folder of Sphinx that has sources, as a name."""
        names = [page.name for page in self.listing.pages if page.media_type in SOURCE_TYPES]
        folders = self.reader.folders_of_sphinx() if names else []
        with_sources = [one for one in folders if any(name.startswith(one) for name in names)]
        return [short_path(Path(self.listing.root, folder, SETTINGS)) for folder in with_sources]

    def run(self, started: float) -> Audit:
        """Run the audit. `started`: the time of its start, from `time.monotonic`."""
        pages = list(self._read_pages())
        results = self._check_fragments(pages)
        second = list(self._second_pass(pages, results))
        findings = [finding for page in pages for finding in page.findings]
        findings += [finding for result in second for finding in result.findings]
        findings += self.settings_files.findings(results.pages, {(one.code, one.cause) for one in findings})
        facts = self._tree_facts(pages)
        findings += self._tree_findings(facts)
        findings += list(self._unread_findings(pages, second, findings))
        findings = [one._replace(path=name_in(self.folder, one.path)) for one in self._with_modules(findings, pages)]
        reported, superseded = _separate_superseded(with_fingerprints(findings), facts)
        kept = self._with_sources(self._kept(reported))
        return Audit(
            root=self.root,
            base_url=self.served.url,
            base_source=self.served.where,
            base_layer=self.served.layer,
            findings=tuple(kept),
            superseded={
                code: tuple(one for one in replaced if not self._why_hidden(one))
                for code, replaced in superseded.items()
            },
            causes=group_by_cause(kept),
            coverage=self._coverage(pages, results, second),
            rules=tuple(rule.info for rule in rules() if rule.info.code in self.codes),
            folders=_folders(self.listing, pages, kept, self.folder),
            hidden=self.hidden,
            seconds=time.monotonic() - started,
            files=self.listing.files,
            pages=frozenset(page.name for page in pages if not page.unread).union(self.settings_files.names),
            known=frozenset(self.known),
            selected=selected_codes(self.options),
            settings=self._settings_used(),
            indexes=self.indexes,
            repository=self.reader.settings.repository,
            urls=() if self.captures is None else captured_hosts(self.captures),
        )

    def _with_sources(self, findings: list[Finding]) -> list[Finding]:
        """The findings with their places in the sources of the built pages."""
        if self.captures is not None or not findings:
            return findings
        settings, folder = self.settings, self.folder
        inner = [one._replace(path=one.path.removeprefix(folder)) for one in findings] if folder else findings
        placed = with_sources(inner, self.listing.root, settings.project, settings.folder)
        return [one._replace(source=found.source) for one, found in zip(findings, placed, strict=True)]

    def _read_pages(self) -> Iterator[PageFacts]:
        """Read the pages to check, and yield the facts about each."""
        for page in self._read(self.reader, self.listing.pages):
            self.progress(page.size, page.links)
            _add(self.hidden, page.hidden)
            yield page

    def _read(self, reader: PageReader, pages: list[PageFile]) -> Iterator[PageFacts]:
        """Read pages in jobs, and yield the facts about each."""

        def failed(job: list[PageFile], reason: str) -> list[PageFacts]:
            reason = f"the process that read the page died: {reason}"
            return [PageFacts(page.name, page.size, 0, unread=reason, is_refused=True) for page in job]

        for facts in map_in_order(reader, _jobs(pages), processes=self._processes(pages), lost=failed):
            for page in facts:
                if page.mistake:
                    raise InvalidOption(page.mistake)
                yield page

    def _processes(self, pages: Iterable[PageFile]) -> int:
        """The number of processes that read some pages: more than one only if reading takes long."""
        return self.options.processes if sum(map(_cost, pages)) > _SMALL else 1

    def _check_fragments(self, pages: list[PageFacts]) -> _FragmentResults:
        """Look up the fragments of all pages. Hosts may show source files, so that more fragments work there."""
        files = TreeFiles(self.site, self.pages, self.mounts, self.listing, self.options.max_size)
        host = HOSTS.get(self.reader.settings.heading_ids)
        pages = [*pages, *self.settings_files.facts()]
        everything = list(self._with_targets(pages))
        check = partial(check_fragments, everything, self.site.numbers, files.scripts, text_of=self._text_of)
        if host is None:
            return _FragmentResults(check(wanting=pages), {})
        hosted = HostedSources(host, files.count_lines, self._other_sources)
        sources = [page for page in pages if page.media_type in SOURCE_TYPES]
        others = [page for page in pages if page.media_type not in SOURCE_TYPES]
        return _FragmentResults(check(wanting=others), check(wanting=sources, sources=hosted))

    def _other_sources(self, name: str) -> list[str]:
        """The other sources that a page may be made from, if it is not known what makes pages of the sources."""
        if self.reader.settings.heading_ids != ANY:
            return []
        stem, slash, last = splitext(name)[0].rpartition("/")
        page = stem if last.lower() in {"index", "readme"} else stem + slash + last
        return [one for one in source_names(page) if one in self.site.numbers and one != name]

    def _with_targets(self, pages: list[PageFacts]) -> Iterable[PageFacts]:
        """The facts about the checked pages, and about all other pages that fragments have to be looked up in.

        These are pages of mounted folders, and pages that are not checked. Only their IDs and redirects count.
        """
        known = {self.site.numbers[page.name]: page for page in pages}
        reader = PageReader(replace(self.reader.settings, codes=frozenset()))
        followed: set[int] = set()
        wanted: set[int] = set()
        wanted = wanted.union(*(page.fragments.files for page in pages if page.fragments is not None)) - {FOLDER}
        if any(page.media_type in SOURCE_TYPES for page in pages):
            names = [self.site.files[number] for number in wanted]
            wanted |= {self.site.numbers[one] for name in names for one in self._other_sources(name)}
        while wanted:
            targets = []
            for number in sorted(wanted - known.keys()):
                try:
                    target = self._page_at(self.site.files[number])
                    targets += [target] if target is not None else []
                except OSError as error:
                    reason = error.strerror or str(error)
                    known[number] = PageFacts(self.site.files[number], 0, 0, unread=reason, is_refused=True)
            for page in self._read(reader, targets):
                known[self.site.numbers[page.name]] = replace(page, fragments=None, findings=())
            self.pages |= {target.name: target for target in targets}
            followed |= wanted
            redirects = (known[number].redirect for number in wanted if number in known)
            wanted = {redirect.number for redirect in redirects if redirect is not None} - followed - {-1}
        return known.values()

    def _page_at(self, name: str) -> PageFile | None:
        """The page with a name in the tree or in a mounted folder; None if the file is no page. Raises `OSError`."""
        mount = next((one for one in self.mounts if one.holds(name)), None)
        return self.listing.page_at(name) if mount is None else mount.page(name)

    def _text_of(self, name: str) -> str | None:
        """The text of a page; None if it is not HTML, or cannot be read."""
        page = self.pages[name]
        if DOCUMENT_KINDS.get(page.media_type) != "html":
            return None
        try:
            return page_text(self.reader.open(page)[0])
        except OSError:
            return None

    def _second_pass(self, pages: list[PageFacts], results: _FragmentResults) -> Iterator[SecondPassResult]:
        """Read the pages that refer to missing fragments again."""
        files = {
            number for some in results for (number, _), result in some.items() if result.status in REPORTED_STATUSES
        }
        jobs = []
        for page in pages:
            if page.fragments is None or files.isdisjoint(page.fragments.files):
                continue
            known = results.of(page)
            mine = {pair: known[pair] for pair in page.fragments.pairs() if pair in known}
            mine = {pair: result for pair, result in mine.items() if result.status in REPORTED_STATUSES}
            if mine:
                jobs.append(SecondPassJob(self.pages[page.name], page.stamp, mine))

        def failed(job: SecondPassJob, reason: str) -> SecondPassResult:
            error = f"the process that read the page again died: {reason}"
            return SecondPassResult(job.page.name, [], Counter(), Counter(), error)

        processes = self._processes(job.page for job in jobs)
        for result in map_in_order(SecondPass(self.reader), jobs, processes=processes, lost=failed):
            self.hidden += result.hidden
            yield result

    def _with_modules(self, findings: list[Finding], pages: list[PageFacts]) -> list[Finding]:
        """Apply the import maps to the findings about modules.

        Drop the findings in scripts about modules that an import map moves, and add the findings of the import maps.
        """
        if not any(page.modules is not None and page.modules.maps for page in pages):
            return findings
        from linkfix.auditing.modules import MOVED, ModuleGraph  # few trees have import maps

        graph = ModuleGraph(self.site, pages)
        kept = [one for one in findings if not graph.moves(one)]
        self.hidden += Counter({MOVED: len(findings) - len(kept)})
        return [*kept, *graph.unmapped()]

    def _tree_findings(self, facts: TreeFacts) -> Iterator[Finding]:
        for rule in rules():
            if isinstance(rule, TreeRule) and rule.info.code in self.codes:
                for place, issue in rule.check(facts):
                    if isinstance(place, str):
                        yield file_finding(rule.info, place, issue)
                    elif rule.info.code in place.exempt:
                        self.hidden["comment"] += 1
                    else:
                        yield refresh_finding(rule.info, place, issue)

    def _tree_facts(self, pages: list[PageFacts]) -> TreeFacts:
        missing = self._sum_missing((page.name, page.root_relative_missing) for page in pages)
        readers = (page for page in pages if page.media_type not in DATA_TYPES)
        linked = {self.site.files[number] for page in readers for number in page.linked}
        html = [page.name for page in pages if page.media_type in PAGE_TYPES]
        return TreeFacts(
            pages=tuple(html),
            linked=frozenset(linked),
            entry=frozenset(self.site.indexes) | self.settings_files.targets(),
            root_relative=sum(page.root_relative for page in pages),
            root_relative_missing=missing,
            failing=sum(page.failing for page in pages),
            suffixless=self._sum_missing((page.name, page.suffixless) for page in pages),
            site=self.site,
            refreshes={page.name: page.refresh for page in pages if page.refresh is not None},
            unused=partial(self._unused, pages),
        )

    def _unused(self, pages: list[PageFacts]) -> dict[str, UnusedFile]:
        """The files of the tree that nothing refers to."""
        if self.captures is not None:
            return {}
        numbers = {number for page in pages for number in page.linked}
        numbers |= {number for page in pages if page.modules is not None for number in page.modules.imports}
        chosen = selector(self.options.include, self.options.exclude)
        return find_unused(
            self.listing,
            {self.site.files[number] for number in numbers if number >= 0},
            self.site.is_index,
            lambda name: chosen(name) and not name.startswith(self.inner),
        )

    def _sum_missing(self, pages: Iterable[tuple[str, dict[str, int]]]) -> dict[str, MissingPath]:
        """The missing paths of all pages that no option ignores. `pages`: name -> path -> number of references."""
        missing: dict[str, MissingPath] = {}
        summing = {rule.info.code for rule in rules() if rule.supersedes is not None}
        for page, numbers in pages:
            for path, number in numbers.items():
                if self.ignored_targets.covers_path(summing, path):
                    continue
                known = missing.get(path, MissingPath(0, page))
                missing[path] = known._replace(number=known.number + number)
        return missing

    def _unread_findings(
        self, pages: list[PageFacts], second: list[SecondPassResult], findings: list[Finding]
    ) -> Iterator[Finding]:
        """Yield a finding for each unreadable file that has no finding of the rule for unreadable files yet."""
        rule = unread_rule().info
        if rule.code not in self.codes:
            return
        reported = {finding.path for finding in findings if finding.code == rule.code}
        errors = [*self.listing.failed.items(), *((page.name, page.unread) for page in pages)]
        errors += [(result.name, result.error) for result in second]
        for name, error in errors:
            if error and name not in reported and not f"{name}/".startswith(self.inner):
                yield file_finding(rule, name, Issue(error))

    def _kept(self, findings: list[Finding]) -> list[Finding]:
        """The findings that no option hides. The others are counted as hidden."""
        kept = []
        for finding in findings:
            reason = self._why_hidden(finding)
            if not reason:
                kept.append(finding)
                continue
            self.hidden[reason] += 1
            if reason == _KNOWN:
                self.known.add(finding.fingerprint)
        return kept

    def _why_hidden(self, finding: Finding) -> str:
        """The option that hides a finding, as a key of `Audit.hidden`; "" for none."""
        options = self.options
        if finding.code in self.ignored_codes(finding.path):
            return "per-file-ignores"
        if options.only is not None and finding.path not in options.only:
            return "unchanged"
        if self.ignored_targets.covers(finding):
            return "ignore-target"
        if (
            self.allowed_hosts
            and finding.code == host_rule().info.code
            and self.allowed_hosts.has(private_host_of(finding.target))
        ):
            return "allow-host"
        return _KNOWN if finding.fingerprint in options.known else ""

    def _coverage(self, pages: list[PageFacts], results: _FragmentResults, second: list[SecondPassResult]) -> Coverage:
        listing = self.listing
        coverage = Coverage(
            files=len(listing.files) * (not self.folder),  # the files of an inner site are files of the tree, too
            unread=dict(listing.failed),
            refused=set(listing.failed),
            left_out=listing.left_out,
        )
        for page in pages:
            if page.unread:
                coverage.unread[page.name] = hide_passwords(page.unread)
                coverage.refused |= {page.name} if page.is_refused else set()
                continue
            coverage.pages += 1
            coverage.other += page.media_type not in _PAGES_FOR_PEOPLE
            coverage.bytes += page.size
            coverage.links += page.links
            coverage.checked += page.checked
            _add(coverage.unchecked, page.unchecked)
            _count_fragments(coverage.fragments, page, results)
        recounted = sum((result.recounted for result in second), Counter())
        coverage.fragments -= Counter({FragmentStatus.NOT_FOUND.value: recounted.total()})
        coverage.fragments += recounted
        if self.site.known and OUTSIDE in coverage.unchecked:
            coverage.unchecked[f"outside {hide_passwords(self.site.url)}"] = coverage.unchecked.pop(OUTSIDE)
        return coverage


def _cost(page: PageFile) -> float:
    """The time that reading a page is estimated to take, in seconds."""
    cost = _COSTS.get(DOCUMENT_KINDS.get(page.media_type, "html"), _COSTS["html"])
    return cost.page + cost.byte * page.size


def _jobs(pages: Iterable[PageFile]) -> Iterator[list[PageFile]]:
    """Split the pages into jobs. The names of one file are neighbours in the same job."""
    groups: dict[tuple[int, int], list[PageFile]] = {}
    for page in pages:
        groups.setdefault(page.identity, []).append(page)
    job: list[PageFile] = []
    cost = 0.0
    for group in groups.values():
        job += group
        cost += _cost(group[0]) + _COSTS["html"].page * (len(group) - 1)  # the other names take no reading
        if cost >= _JOB:
            yield job
            job, cost = [], 0.0
    if job:
        yield job


def _separate_superseded(findings: list[Finding], facts: TreeFacts) -> tuple[list[Finding], dict[str, list[Finding]]]:
    """Separate the findings that another rule's finding replaces: the other findings, and the replaced by that rule."""
    codes = {finding.code for finding in findings}
    superseded: dict[str, list[Finding]] = {}
    for rule in rules():
        code = rule.info.code
        if rule.supersedes is not None and code in codes:
            replaced = [one for one in findings if one.code != code and rule.supersedes(one, facts)]
            marks = {one.fingerprint for one in replaced}
            findings = [one for one in findings if one.fingerprint not in marks]
            superseded[code] = replaced
    return findings, superseded


def _add(total: Counter[str], counts: dict[str, int]) -> None:
    """Add counts to a total, faster than `Counter` does: most counts are empty."""
    for what, count in counts.items():
        total[what] += count


def _count_fragments(counts: Counter[str], page: PageFacts, results: _FragmentResults) -> None:
    """Count the references of a page that have a fragment, by the fragment's status."""
    found = page.own_fragments
    if page.fragments is not None:
        for pair, count in zip(page.fragments.pairs(), page.fragments.counts, strict=True):
            result = results.of(page).get(pair)
            if result is None:
                found += count
            else:
                counts[result.status.value] += count
    if found:
        counts[FragmentStatus.FOUND.value] += found


def _folders(listing: Listing, pages: list[PageFacts], findings: list[Finding], prefix: str) -> dict[str, Folder]:
    folders = {name: Folder() for name in listing.folders}
    for page in pages:
        folder = folders[page.name.rpartition("/")[0]]
        folder.pages += 1
        folder.links += page.links
    for finding in findings:
        count_in_folder(folders, finding, prefix)
    return folders


def url_texts(sites: Iterable[tuple[str, Audit]]) -> tuple[str, ...]:
    """The URLs of sites, as `Audit.urls`: empty if none is known. `sites`: folders with their audits."""
    known = {place: "" if one.base_layer is Layer.NONE else hide_passwords(one.base_url) for place, one in sites}
    return (
        tuple(f"{place}: {url or 'the URL is not known'}" for place, url in known.items())
        if any(known.values())
        else ()
    )


def at_url_of(finding: Finding, url: str, folder: str, result: Audit) -> Finding:
    """A finding with a target at a made-up URL below a folder of another tree. `url`: the URL of that tree."""
    target = finding.target
    if target is not None and result.base_layer is Layer.NONE and target.startswith(result.base_url):
        target = f"{url}{quote_from_bytes(os.fsencode(folder))}{target[len(result.base_url) :]}"
    return finding._replace(target=target)
