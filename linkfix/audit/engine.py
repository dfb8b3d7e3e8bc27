"""The audit of a tree: list it, read each page once, join references with fragments, ask the rules, sum up."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator

from linkfix.audit.explain import Explainer, Lost, Quest, script_text
from linkfix.audit.facts import PageFacts
from linkfix.audit.fragments import Fate, fates
from linkfix.audit.listing import Listing, PageFile, listed
from linkfix.audit.model import Audit, Coverage, Finding, Folder
from linkfix.audit.options import AuditOptions
from linkfix.audit.reader import Reader, Task
from linkfix.audit.redirects import Redirects
from linkfix.audit.rule import FragmentFate, TreeFacts
from linkfix.audit.rules import rules
from linkfix.audit.selection import chosen_codes, exempt
from linkfix.audit.served import served
from linkfix.audit.site import Site
from linkfix.audit.summary import causes, fingerprinted, tree_finding
from linkfix.encodings.codecs import lookup
from linkfix.errors import InvalidOption
from linkfix.files.atomic import read
from linkfix.files.folder import INDEX_NAMES, selector
from linkfix.model import PAGE_TYPES, Layer, Options
from linkfix.runs.workers import map_in_order

__all__ = ["AuditOptions", "audit"]

#: How many bytes of pages are a job, and how many pages at most.
_JOB = 1 << 20
_PAGES = 64
#: A smaller tree, in bytes of pages, is done before other processes are worth their memory.
_SMALL = 1 << 27
#: The file of redirects at a site's root, in bytes at most.
_REDIRECTS = "_redirects"
_REDIRECTS_SIZE = 1 << 20


def audit(root: str, options: AuditOptions, *, progress: Callable[[int, int], None] | None = None) -> Audit:
    """Judge the references of the pages in a folder.

    `progress(bytes, links)` is called once a page. Raises `InvalidBase`, `UnknownCharset`, `UnknownRule` and
    `InvalidOption`; what is wrong with a page, or with a file, is a finding or stands in the coverage.
    """
    started = time.monotonic()
    if not os.path.isdir(root):
        message = f"{root} is no folder: give the folder that holds the pages"
        raise InvalidOption(message)
    if options.charset is not None:
        lookup(options.charset)
    return _Audit(root, options, progress or (lambda _size, _links: None)).run(started)


class _Audit:
    """One audit on its way."""

    def __init__(self, root: str, options: AuditOptions, progress: Callable[[int, int], None]) -> None:
        self.root = root
        self.options = options
        self.progress = progress
        self.codes = chosen_codes(options)
        self.exempt = exempt(options)
        self.listing = listed(os.path.realpath(root), selector(options.include, options.exclude))
        self.pages = {page.name: page for page in self.listing.pages}
        self.served = served(self.listing, options.base_url)
        self.site = self._site(self.listing)
        self.task = Task(
            self.site,
            self.codes,
            options.charset,
            options.max_size,
            Options(anchors=True, lazy=options.lazy, social=options.social, json_ld=options.json_ld),
            inferred=self.served.layer is not Layer.RETRIEVAL,
        )
        self.processes = options.processes if self.listing.size > _SMALL else 1
        self.hidden: Counter[str] = Counter()

    def _site(self, listing: Listing) -> Site:
        redirects = None
        if _REDIRECTS in listing.files:
            try:
                data = read(os.path.join(listing.root, _REDIRECTS), limit=_REDIRECTS_SIZE).data
                redirects = Redirects(data.decode("utf-8", "replace"))
            except OSError as error:
                listing.failed[_REDIRECTS] = error.strerror or str(error)
        return Site(
            self.served.url,
            listing.files,
            listing.folders,
            dangling=listing.dangling,
            known=self.served.layer is not Layer.NONE,
            clean_urls=self.options.clean_urls,
            redirects=redirects,
        )

    def run(self, started: float) -> Audit:
        """Do it."""
        pages = list(self._read())
        lost = fates(pages, self.site.numbers, self._scripts)
        findings = [finding for page in pages for finding in page.findings]
        findings += self._lost_fragments(pages, lost)
        findings = self._with_tree_findings(findings, pages)
        kept = self._kept(fingerprinted(findings))
        return Audit(
            root=self.root,
            base_url=self.served.url,
            base_where=self.served.where,
            base_layer=self.served.layer,
            findings=tuple(kept),
            causes=causes(kept),
            coverage=self._coverage(pages, lost),
            rules=tuple(rule.info for rule in rules() if rule.info.code in self.codes),
            folders=_folders(self.listing, pages, kept),
            hidden=self.hidden,
            seconds=time.monotonic() - started,
        )

    def _read(self) -> Iterator[PageFacts]:
        """Every page, read in jobs."""

        def lost(job: list[PageFile], reason: str) -> list[PageFacts]:
            reason = f"the process that read it died: {reason}"
            return [PageFacts(page.name, page.size, 0, unread=reason) for page in job]

        for facts in map_in_order(Reader(self.task), _jobs(self.listing), processes=self.processes, lost=lost):
            for page in facts:
                self.progress(page.size, page.links)
                self.hidden += page.hidden
                yield page

    def _scripts(self, name: str) -> str:
        return script_text(self.pages[name], self.options.max_size)

    def _lost_fragments(self, pages: list[PageFacts], lost: dict[tuple[int, bytes], Fate]) -> list[Finding]:
        """The findings of fragments, which a second look at the pages that want them tells the places of."""
        told = {FragmentFate.DEAD, FragmentFate.DROPPED, FragmentFate.SCRIPTED}
        bad = {pair: fate for pair, fate in lost.items() if fate.fate in told}
        if not bad:
            return []
        targets = {number for number, _ in bad}
        quests = []
        for page in pages:
            if page.wanted is None or targets.isdisjoint(page.wanted.files):
                continue
            mine = {pair: Lost(self.site.files[pair[0]], bad[pair]) for pair in page.wanted.pairs() if pair in bad}
            if mine:
                quests.append(Quest(self.pages[page.name], page.stamp, mine))

        def gone(quest: Quest, reason: str) -> tuple[list[Finding], Counter[str]]:
            message = f"the process that read it again died: {reason}"
            return [tree_finding("LF901", quest.page.name, message)], Counter()

        found = []
        for findings, hidden in map_in_order(Explainer(self.task), quests, processes=self.processes, lost=gone):
            found += findings
            self.hidden += hidden
        return found

    def _with_tree_findings(self, findings: list[Finding], pages: list[PageFacts]) -> list[Finding]:
        facts = self._tree_facts(pages)
        for rule in rules():
            if rule.check_tree is None or rule.info.code not in self.codes:
                continue
            for name, issue in rule.check_tree(facts):
                findings.append(tree_finding(rule.info.code, name, issue.message, issue.hint, issue.cause))
                if rule.info.name == "root-relative":
                    findings = [one for one in findings if not _told_at_once(one)]
        for name, reason in self.listing.failed.items():
            if "LF901" in self.codes:
                findings.append(tree_finding("LF901", name, reason))
        for page in pages:
            if page.unread and "LF901" in self.codes and not any(one.code == "LF901" for one in page.findings):
                findings.append(tree_finding("LF901", page.name, page.unread))
        return findings

    def _tree_facts(self, pages: list[PageFacts]) -> TreeFacts:
        missing: Counter[str] = Counter()
        for page in pages:
            missing.update(page.root_relative_missing)
        linked = {self.site.files[number] for page in pages for number in page.linked}
        html = [page.name for page in pages if page.media_type in PAGE_TYPES]
        return TreeFacts(
            pages=tuple(html),
            linked=frozenset(linked),
            entry=frozenset(INDEX_NAMES),
            root_relative=sum(page.root_relative for page in pages),
            root_relative_missing=dict(missing),
            site=self.site,
        )

    def _kept(self, findings: list[Finding]) -> list[Finding]:
        """The findings that are wanted."""
        options = self.options
        kept = []
        for finding in findings:
            if finding.code in self.exempt(finding.path):
                self.hidden["per-file-ignores"] += 1
            elif options.only is not None and finding.path not in options.only:
                self.hidden["unchanged"] += 1
            elif finding.fingerprint in options.known:
                self.hidden["baseline"] += 1
            else:
                kept.append(finding)
        return kept

    def _coverage(self, pages: list[PageFacts], lost: dict[tuple[int, bytes], Fate]) -> Coverage:
        coverage = Coverage(files=len(self.listing.files), unread=dict(self.listing.failed))
        for page in pages:
            if page.unread:
                coverage.unread[page.name] = page.unread
                continue
            coverage.pages += 1
            coverage.bytes += page.size
            coverage.links += page.links
            coverage.judged += page.judged
            coverage.unjudged += page.unjudged
            coverage.fragments += _fragments(page, lost)
        return coverage


def _jobs(listing: Listing) -> Iterator[list[PageFile]]:
    """The pages in jobs; names of one file are together, in the place of the first."""
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


def _told_at_once(finding: Finding) -> bool:
    """Whether the finding on root-relative references stands for this one."""
    return (
        finding.name in {"missing-target", "case-mismatch", "folder-without-index", "outside-tree"}
        and finding.reference.startswith("/")
        and not finding.reference.startswith("//")
    )


def _fragments(page: PageFacts, lost: dict[tuple[int, bytes], Fate]) -> Counter[str]:
    """What becomes of the fragments that a page's references mean."""
    there = page.own_fragments
    told: Counter[str] = Counter()
    if page.wanted is not None:
        for pair, count in zip(page.wanted.pairs(), page.wanted.counts, strict=True):
            fate = lost.get(pair)
            if fate is None:
                there += count
            else:
                told[fate.fate.value] += count
    return told + Counter({FragmentFate.PRESENT.value: there})


def _folders(listing: Listing, pages: list[PageFacts], findings: list[Finding]) -> dict[str, Folder]:
    folders = {name: Folder() for name in listing.folders}
    for page in pages:
        folder = folders[page.name.rpartition("/")[0]]
        folder.pages += 1
        folder.links += page.links
    for finding in findings:
        folders[finding.path.rpartition("/")[0]].findings[finding.level.value] += 1
    return folders
