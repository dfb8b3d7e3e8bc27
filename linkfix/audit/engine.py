"""The audit of a tree: list its files, read each page once, look up fragments, apply the rules, sum up."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote_from_bytes, unquote

from linkfix.audit.findings import Regions, file_finding, group_by_cause, new_finding, with_fingerprints
from linkfix.audit.fragments import FragmentResult, PageScripts, check_fragments
from linkfix.audit.generators import NO_SETTINGS, find_settings, infer_heading_ids
from linkfix.audit.interpretation import fragment_of
from linkfix.audit.listing import Listing, PageFile, list_tree
from linkfix.audit.model import Audit, AuditOptions, Cause, Coverage, Finding, Folder, PageFacts
from linkfix.audit.page_document import PageDocument
from linkfix.audit.reader import OUTSIDE, PageReader, PageReaderSettings, is_inner
from linkfix.audit.rule import (
    AuditedLink,
    AuditedPage,
    FragmentRule,
    FragmentStatus,
    Issue,
    MissingFragment,
    MissingPath,
    TreeFacts,
    TreeRule,
)
from linkfix.audit.rules import rules, unread_rule
from linkfix.audit.selection import IgnoredTargets, chosen_codes, exemptions, ignored_codes_by_file, selected_codes
from linkfix.audit.site import MADE_UP, DestinationKind, Redirects, Site, Tree, find_tree_url, mounted_folders
from linkfix.encodings.encoding import lookup
from linkfix.errors import InvalidOption
from linkfix.files.atomic import read
from linkfix.files.descriptors import FilePath
from linkfix.files.folder import INDEX_NAMES, is_repository_root, selector
from linkfix.files.media_types import DATA_TYPES
from linkfix.html.vocabulary import MODULES
from linkfix.kernels.reference_index import is_plain_fragment
from linkfix.model import PAGE_TYPES, SOURCE_TYPES, Layer, Link, Options
from linkfix.runs.workers import map_in_order
from linkfix.urls import hide_passwords

# A second pass over the pages that refer to missing fragments, to find the places of these references.
#
# The missing fragments are known only after all pages were read. Keeping the place of every reference until then would
# take more memory than reading a few pages again.


FILE_CHANGED = "the file changed during the audit"


class SecondPassJob(NamedTuple):
    """A page to read again."""

    page: PageFile
    stamp: int
    """The time of the page's last change, as of the first pass, in nanoseconds."""
    results: dict[tuple[int, bytes], FragmentResult]
    """The missing fragments that the page refers to: number of the file and fragment -> result."""


class SecondPassResult(NamedTuple):
    """The result of reading a page again."""

    name: str
    findings: list[Finding]
    hidden: Counter[str]
    """The reason that findings were left out -> the number of findings."""
    error: str = ""
    """The reason that the page could not be read again; "" if it was read."""


class SecondPass:
    """A function that finds the references of one page to missing fragments, using the cache of `reader`."""

    def __init__(self, reader: PageReader) -> None:
        self._reader = reader
        chosen = [rule for rule in rules() if rule.info.code in reader.settings.codes]
        self._rules = [rule for rule in chosen if isinstance(rule, FragmentRule)]

    def __reduce__(self) -> tuple[type[SecondPass], tuple[PageReader]]:
        return SecondPass, (self._reader,)

    def __call__(self, job: SecondPassJob) -> SecondPassResult:
        """Read one page again. Never raises."""
        result = SecondPassResult(job.page.name, [], Counter())
        try:
            document, stamp = self._reader.open(job.page)
        except OSError as error:
            return result._replace(error=error.strerror or str(error))
        if stamp != job.stamp:
            return result._replace(error=FILE_CHANGED)
        site = self._reader.view(document).site
        page = AuditedPage(job.page.name, site.page_url(job.page.name), document, site)
        regions = Regions(document)
        exempt = exemptions(document)
        for number in self._records(document, job):
            for link in document.links_of((number,)):
                missing = None if is_inner(document, number, link) else self._missing(page, link, job)
                if missing is None:
                    continue
                for rule in self._rules:
                    issue = rule.check(missing)
                    if issue is None:
                        continue
                    if exempt.covers(link.start, rule.info.code):
                        result.hidden["comment"] += 1
                    else:
                        result.findings.append(new_finding(page, regions, rule, issue, link))
        return result

    def _records(self, document: PageDocument, job: SecondPassJob) -> list[int]:
        """The numbers of the records of a page that may refer to a missing fragment, in order."""
        survey = document.reference_index
        fragments = {fragment for _, fragment in job.results}
        memory = self._reader.memory
        common = memory.common_key(document) if self._reader.settings.quick else None
        found = list(survey.others)
        for raw, numbers in survey.references.items():
            if not _may_mean(raw, fragments):
                continue
            for number in numbers:
                key = memory.key(document, common, number, raw)
                known = memory.get(key) if key is not None else None
                if known is None or (known.place.number, known.fragment) in job.results:
                    found.append(number)
        return sorted(found)

    def _missing(self, page: AuditedPage, link: Link, job: SecondPassJob) -> MissingFragment | None:
        """The missing fragment of a link; None if the link has no missing fragment."""
        if link.target is None or "#" not in link.target:
            return None
        destination = self._reader.view(page.document).place_of(link)
        if destination.kind is not DestinationKind.FILE:
            return None
        fragment = fragment_of(link.target, destination)
        result = job.results.get((destination.number, fragment.encode()))
        if result is None:
            return None
        file = page.site.files[destination.number]
        return MissingFragment(AuditedLink(page, link, destination), file, unquote(fragment), *result)


def _may_mean(raw: bytes, fragments: set[bytes]) -> bool:
    """Whether a raw reference can have one of some fragments."""
    if b"&" in raw:
        return True
    mark = raw.find(b"#")
    if mark < 0:
        return False
    return raw[mark + 1 :] in fragments or not is_plain_fragment(raw, mark + 1)


#: The size of a job: a number of bytes, and the largest number of pages.
_JOB = 1 << 20

_PAGES = 64

#: A tree with fewer bytes of pages is read by one process.
_SMALL = 1 << 27

#: The types of files that reports count as pages.
_PAGES_FOR_PEOPLE = PAGE_TYPES | SOURCE_TYPES

#: The redirects file at a site's root, and its largest size in bytes.
_REDIRECTS = "_redirects"

_REDIRECTS_SIZE = 1 << 20

#: The statuses of fragments that are reported.
_REPORTED = frozenset({FragmentStatus.NOT_FOUND, FragmentStatus.LOST_IN_REDIRECT, FragmentStatus.ONLY_IN_SCRIPT})

#: Number of the file and fragment -> result for the fragment.
_FragmentResults = Mapping[tuple[int, bytes], FragmentResult]


def audit(root: str, options: AuditOptions, *, progress: Callable[[int, int], None] | None = None) -> Audit:
    """Check the references of the pages in a folder.

    `progress(bytes, links)` is called once for each page. Raises `InvalidBase`, `UnknownCharset`, `UnknownRule` and
    `InvalidOption`. Faults in a page or file raise nothing: they are findings, or are listed in the coverage.
    """
    started = time.monotonic()
    if not os.path.isdir(root):
        message = f"{root} is not a folder: give the folder that contains the pages"
        raise InvalidOption(message)
    if options.charset is not None:
        lookup(options.charset)
    return _TreeAudit(root, options, progress or (lambda _size, _links: None)).run(started)


class _TreeAudit:
    """One run of an audit."""

    def __init__(self, root: str, options: AuditOptions, progress: Callable[[int, int], None]) -> None:
        self.root = root
        self.options = options
        self.progress = progress
        self.codes = chosen_codes(options)
        self.ignored_codes = ignored_codes_by_file(options)
        chosen = selector(options.include, options.exclude)
        self.listing = list_tree(os.path.realpath(root), chosen, with_ignored=options.include_ignored)
        self.pages = {page.name: page for page in self.listing.pages}
        is_told = options.base_url is not None and options.clean_urls is not None
        self.settings = NO_SETTINGS if is_told else find_settings(self.listing.root)
        self.served = find_tree_url(self.listing, options.base_url, self.settings)
        self.clean_urls = self.settings.clean_urls if options.clean_urls is None else options.clean_urls
        self.mounts = mounted_folders(options.mounts, self.served.url, clean_urls=self.clean_urls)
        self.site = self._site(self.listing)
        settings = PageReaderSettings(
            self.site,
            self.codes,
            options.charset,
            options.max_size,
            Options(
                anchors=True,
                rows=MODULES,
                lazy=options.lazy,
                social=options.social,
                json_ld=options.json_ld,
                scripting=options.scripting,
            ),
            inferred=self.served.layer is not Layer.RETRIEVAL,
            heading_ids=options.heading_ids or infer_heading_ids(self.listing.root).scheme,
        )
        self.reader = PageReader(settings)
        self.ignored_targets = IgnoredTargets(options.ignore_target, self.served.url)
        self.processes = options.processes if self.listing.size > _SMALL else 1
        self.hidden: Counter[str] = Counter()
        #: The fingerprints of the baseline's findings that occurred again.
        self.known: set[str] = set()

    def _site(self, listing: Listing) -> Site:
        redirects = None
        if _REDIRECTS in listing.files:
            try:
                data = read(FilePath(os.path.join(listing.root, _REDIRECTS), listing.root), limit=_REDIRECTS_SIZE).data
                redirects = Redirects(data.decode("utf-8", "replace"))
            except OSError as error:
                listing.failed[_REDIRECTS] = error.strerror or str(error)
        return Site(
            self.served.url,
            listing.files,
            listing.folders,
            dangling=listing.dangling,
            unread=listing.failed,
            known=self.served.layer is not Layer.NONE,
            clean_urls=self.clean_urls,
            redirects=redirects,
            mounts={mount.label: mount.site for mount in self.mounts},
        )

    def _settings_used(self) -> str:
        """The settings of generators that the audit follows, with their files, in words."""
        settings, options = self.settings, self.options
        is_served = options.base_url is None and self.served.url == (
            settings.url or MADE_UP + (settings.path or "")[1:]
        )
        used = [*settings.served * is_served, *settings.links * (options.clean_urls is None)]
        lines = [f"{settings.file}: {', '.join(used)}"] if used else []
        if options.heading_ids is None and any(page.media_type in SOURCE_TYPES for page in self.listing.pages):
            inferred = infer_heading_ids(self.listing.root)
            lines += [f"{inferred.file}: heading-ids = {inferred.scheme}"] if inferred.file else []
        return "; ".join(lines)

    def run(self, started: float) -> Audit:
        """Run the audit. `started`: the time of its start, from `time.monotonic`."""
        pages = list(self._read_pages())
        scripts = PageScripts(self.site, self.pages, self.mounts, self.options.max_size)
        results = check_fragments([*pages, *self._read_mounted(pages)], self.site.numbers, scripts.of)
        second = list(self._second_pass(pages, results))
        findings = [finding for page in pages for finding in page.findings]
        findings += [finding for result in second for finding in result.findings]
        findings += self._tree_findings(pages)
        findings += list(self._unread_findings(pages, second, findings))
        findings = self._with_modules(findings, pages)
        kept = self._kept(with_fingerprints(_without_superseded(findings)))
        return Audit(
            root=self.root,
            base_url=self.served.url,
            base_source=self.served.where,
            base_layer=self.served.layer,
            findings=tuple(kept),
            causes=group_by_cause(kept),
            coverage=self._coverage(pages, results),
            rules=tuple(rule.info for rule in rules() if rule.info.code in self.codes),
            folders=_folders(self.listing, pages, kept),
            hidden=self.hidden,
            seconds=time.monotonic() - started,
            files=self.listing.files,
            pages=frozenset(page.name for page in pages if not page.unread),
            known=frozenset(self.known),
            selected=selected_codes(self.options),
            settings=self._settings_used(),
        )

    def _read_pages(self) -> Iterator[PageFacts]:
        """Read all pages in jobs, and yield the facts about each."""

        def failed(job: list[PageFile], reason: str) -> list[PageFacts]:
            reason = f"the process that read the page died: {reason}"
            return [PageFacts(page.name, page.size, 0, unread=reason, is_refused=True) for page in job]

        for facts in map_in_order(self.reader, _jobs(self.listing), processes=self.processes, lost=failed):
            for page in facts:
                self.progress(page.size, page.links)
                _add(self.hidden, page.hidden)
                yield page

    def _read_mounted(self, pages: list[PageFacts]) -> list[PageFacts]:
        """Read the pages of mounted folders that fragments have to be looked up in. Only their IDs count."""
        if not self.mounts:
            return []
        reader = PageReader(replace(self.reader.settings, codes=frozenset()))
        wanted = {number for page in pages if page.fragments is not None for number in page.fragments.files}
        found: dict[int, PageFacts] = {}
        while wanted := {number for number in wanted if number >= len(self.listing.files) and number not in found}:
            for number in sorted(wanted):
                name = self.site.files[number]
                page = next((mount.page(name) for mount in self.mounts if mount.holds(name)), None)
                found[number] = PageFacts(name, 0, 0, unread="not a page")
                if page is not None:
                    self.pages[name] = page
                    found[number] = replace(reader([page])[0], fragments=None)
            redirects = (found[number].redirect for number in wanted)
            wanted = {redirect.number for redirect in redirects if redirect is not None}
        return list(found.values())

    def _second_pass(self, pages: list[PageFacts], results: _FragmentResults) -> Iterator[SecondPassResult]:
        """Read the pages that refer to missing fragments again."""
        reported = {pair: result for pair, result in results.items() if result.status in _REPORTED}
        files = {number for number, _ in reported}
        jobs = []
        for page in pages:
            if page.fragments is None or files.isdisjoint(page.fragments.files):
                continue
            mine = {pair: reported[pair] for pair in page.fragments.pairs() if pair in reported}
            if mine:
                jobs.append(SecondPassJob(self.pages[page.name], page.stamp, mine))

        def failed(job: SecondPassJob, reason: str) -> SecondPassResult:
            error = f"the process that read the page again died: {reason}"
            return SecondPassResult(job.page.name, [], Counter(), error)

        for result in map_in_order(SecondPass(self.reader), jobs, processes=self.processes, lost=failed):
            self.hidden += result.hidden
            yield result

    def _with_modules(self, findings: list[Finding], pages: list[PageFacts]) -> list[Finding]:
        """Apply the import maps to the findings about modules.

        Drop the findings in scripts about modules that an import map moves, and add the findings of the import maps.
        """
        if not any(page.modules is not None and page.modules.maps for page in pages):
            return findings
        from linkfix.audit.modules import MOVED, ModuleGraph  # few trees have import maps

        graph = ModuleGraph(self.site, pages)
        kept = [one for one in findings if not graph.moves(one)]
        self.hidden += Counter({MOVED: len(findings) - len(kept)})
        return [*kept, *graph.unmapped()]

    def _tree_findings(self, pages: list[PageFacts]) -> Iterator[Finding]:
        facts = self._tree_facts(pages)
        for rule in rules():
            if isinstance(rule, TreeRule) and rule.info.code in self.codes:
                for name, issue in rule.check(facts):
                    yield file_finding(rule.info, name, issue)

    def _tree_facts(self, pages: list[PageFacts]) -> TreeFacts:
        missing: dict[str, MissingPath] = {}
        summing = {rule.info.code for rule in rules() if rule.supersedes is not None}
        for page in pages:
            for path, number in page.root_relative_missing.items():
                if self.ignored_targets.covers_path(summing, path):
                    continue
                known = missing.get(path, MissingPath(0, page.name))
                missing[path] = known._replace(number=known.number + number)
        readers = (page for page in pages if page.media_type not in DATA_TYPES)
        linked = {self.site.files[number] for page in readers for number in page.linked}
        html = [page.name for page in pages if page.media_type in PAGE_TYPES]
        return TreeFacts(
            pages=tuple(html),
            linked=frozenset(linked),
            entry=frozenset(INDEX_NAMES),
            root_relative=sum(page.root_relative for page in pages),
            root_relative_missing=missing,
            site=self.site,
        )

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
            if error and name not in reported:
                yield file_finding(rule, name, Issue(error))

    def _kept(self, findings: list[Finding]) -> list[Finding]:
        """The findings that no option hides. The others are counted as hidden."""
        options = self.options
        kept = []
        for finding in findings:
            if finding.code in self.ignored_codes(finding.path):
                self.hidden["per-file-ignores"] += 1
            elif options.only is not None and finding.path not in options.only:
                self.hidden["unchanged"] += 1
            elif self.ignored_targets.covers(finding):
                self.hidden["ignore-target"] += 1
            elif finding.fingerprint in options.known:
                self.hidden["baseline"] += 1
                self.known.add(finding.fingerprint)
            else:
                kept.append(finding)
        return kept

    def _coverage(self, pages: list[PageFacts], results: _FragmentResults) -> Coverage:
        listing = self.listing
        coverage = Coverage(
            files=len(listing.files),
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
        if self.site.known and OUTSIDE in coverage.unchecked:
            coverage.unchecked[f"outside {hide_passwords(self.site.url)}"] = coverage.unchecked.pop(OUTSIDE)
        return coverage


def _jobs(listing: Listing) -> Iterator[list[PageFile]]:
    """Split the pages into jobs. The names of one file are neighbours in the same job."""
    groups: dict[tuple[int, int], list[PageFile]] = {}
    for page in listing.pages:
        groups.setdefault(page.identity, []).append(page)
    job: list[PageFile] = []
    size = 0
    for group in groups.values():
        job += group
        size += group[0].size
        if size >= _JOB or len(job) >= _PAGES:
            yield job
            job, size = [], 0
    if job:
        yield job


def _without_superseded(findings: list[Finding]) -> list[Finding]:
    """Drop findings that another rule's finding replaces."""
    codes = {finding.code for finding in findings}
    for rule in rules():
        if rule.supersedes is not None and rule.info.code in codes:
            findings = [one for one in findings if one.code == rule.info.code or not rule.supersedes(one)]
    return findings


def _add(total: Counter[str], counts: dict[str, int]) -> None:
    """Add counts to a total, faster than `Counter` does: most counts are empty."""
    for what, count in counts.items():
        total[what] += count


def _count_fragments(counts: Counter[str], page: PageFacts, results: _FragmentResults) -> None:
    """Count the references of a page that have a fragment, by the fragment's status."""
    found = page.own_fragments
    if page.fragments is not None:
        for pair, count in zip(page.fragments.pairs(), page.fragments.counts, strict=True):
            result = results.get(pair)
            if result is None:
                found += count
            else:
                counts[result.status.value] += count
    if found:
        counts[FragmentStatus.FOUND.value] += found


def _folders(listing: Listing, pages: list[PageFacts], findings: list[Finding]) -> dict[str, Folder]:
    folders = {name: Folder() for name in listing.folders}
    for page in pages:
        folder = folders[page.name.rpartition("/")[0]]
        folder.pages += 1
        folder.links += page.links
    for finding in findings:
        folders[finding.path.rpartition("/")[0]].findings[finding.level.value] += 1
    return folders


# Several trees in one audit: trees of one site, or of sites that refer to each other.
#
# Each tree is audited alone while the others are mounted. The results are merged below the folder that contains all
# trees.


def audit_trees(
    trees: Sequence[Tree], options: AuditOptions, *, progress: Callable[[int, int], None] | None = None
) -> Audit:
    """Check the references of the pages in several folders, including references from one folder to another.

    The paths of findings begin at the folder that contains all trees, which is `Audit.root`. The URL is the URL of the
    first tree. Raises the same errors as `audit`.
    """
    first = trees[0].url
    alone = replace(options, known=frozenset())
    results = []
    for tree in trees:
        others = tuple((other.url, other.folder) for other in trees if other is not tree)
        url = tree.url if "://" in tree.url else f"{'/'.join(first.split('/')[:3])}{tree.url.rstrip('/')}/"
        mine = replace(alone, base_url=url, mounts=(*options.mounts, *others))
        results.append(audit(tree.folder, mine, progress=progress))
    joined = _joined(results, [tree.folder for tree in trees], options)
    return replace(joined, base_source=f"--root-url, and {len(results) - 1} more from --tree")


def audit_sites(
    folders: Sequence[str], options: AuditOptions, *, progress: Callable[[int, int], None] | None = None
) -> Audit:
    """Check the references of the pages in several folders, each of which is a site of its own.

    The paths of findings begin at the folder that contains all folders, which is `Audit.root`. Raises the same errors
    as `audit`.
    """
    alone = replace(options, known=frozenset())
    results = [audit(folder, alone, progress=progress) for folder in folders]
    joined = _joined(results, list(folders), options)
    if all(result.base_layer is Layer.NONE for result in results):
        return replace(joined, base_url=MADE_UP)
    urls = tuple(
        f"{folder}: {'the URL is not known' if result.base_layer is Layer.NONE else hide_passwords(result.base_url)}"
        for folder, result in zip(folders, results, strict=True)
    )
    return replace(joined, base_url=MADE_UP, base_layer=Layer.NONE, base_source="several sites", urls=urls)


def _joined(results: list[Audit], folders: list[str], options: AuditOptions) -> Audit:
    real = [os.path.realpath(folder) for folder in folders]
    if len(set(real)) < len(real):
        message = "DIR and --tree name the same folder twice"
        raise InvalidOption(message)
    root, origin = os.path.commonpath(real), _origin()
    prefixes = ["" if path == root else os.path.relpath(path, root).replace(os.sep, "/") + "/" for path in real]
    findings: list[Finding] = []
    causes: list[Cause] = []
    hidden: Counter[str] = Counter()
    known: set[str] = set()
    for result, prefix, folder in zip(results, prefixes, real, strict=True):
        place = _path_from(origin, folder)
        marked = with_fingerprints([one._replace(path=f"{place}/{one.path}") for one in result.findings])
        numbers: dict[int, int] = {}
        for number, (finding, mark) in enumerate(zip(result.findings, marked, strict=True)):
            one = _moved(finding, prefix, result)._replace(fingerprint=mark.fingerprint)
            if one.fingerprint in options.known:
                hidden["baseline"] += 1
                known.add(one.fingerprint)
            else:
                numbers[number] = len(findings)
                findings.append(one)
        for cause in result.causes:
            kept = tuple(numbers[number] for number in cause.findings if number in numbers)
            if kept:
                causes.append(cause._replace(findings=kept, pages=len({findings[number].path for number in kept})))
    return replace(
        results[0],
        root=root if Path(folders[0]).is_absolute() else os.path.relpath(root),
        settings="; ".join(filter(None, (result.settings for result in results))),
        findings=tuple(findings),
        causes=tuple(sorted(causes, key=lambda one: (one.level.rank, -len(one.findings), one.code, one.text))),
        coverage=_sum([result.coverage for result in results], prefixes),
        folders={
            (prefix + name).rstrip("/"): folder
            for result, prefix in zip(results, prefixes, strict=True)
            for name, folder in result.folders.items()
        },
        hidden=hidden + sum((result.hidden for result in results), Counter()),
        known=frozenset(known),
        pages=frozenset(
            prefix + name for result, prefix in zip(results, prefixes, strict=True) for name in result.pages
        ),
        seconds=sum(result.seconds for result in results),
        unchecked_folders=tuple(
            folder for folder, result in zip(folders, results, strict=True) if not result.coverage.checked
        ),
        files=sorted(prefix + name for result, prefix in zip(results, prefixes, strict=True) for name in result.files),
    )


def _origin() -> str:
    """The folder that the paths in fingerprints begin at: the root of the repository here, else the working folder.

    It does not depend on the other folders of the audit, so that a baseline stays valid if folders are added.
    """
    here = Path.cwd()
    return str(next((folder for folder in (here, *here.parents) if is_repository_root(folder)), here))


def _path_from(origin: str, folder: str) -> str:
    try:
        return os.path.relpath(folder, origin).replace(os.sep, "/")
    except ValueError:  # another drive of Windows
        return Path(folder).as_posix()


def _moved(finding: Finding, prefix: str, result: Audit) -> Finding:
    """A finding with its path, and a target at a made-up URL, below the folder that contains all trees."""
    target = finding.target
    if target is not None and result.base_layer is Layer.NONE and target.startswith(result.base_url):
        target = f"{MADE_UP}{quote_from_bytes(os.fsencode(prefix))}{target[len(result.base_url) :]}"
    return finding._replace(path=(prefix + finding.path).rstrip("/"), target=target)


def _sum(parts: list[Coverage], prefixes: list[str]) -> Coverage:
    total = Coverage()
    for part, prefix in zip(parts, prefixes, strict=True):
        total.files += part.files
        total.pages += part.pages
        total.other += part.other
        total.bytes += part.bytes
        total.links += part.links
        total.checked += part.checked
        total.unchecked += part.unchecked
        total.unread |= {prefix + name: why for name, why in part.unread.items()}
        total.refused |= {(prefix + name).rstrip("/") for name in part.refused}
        total.fragments += part.fragments
        total.left_out += part.left_out
    return total
