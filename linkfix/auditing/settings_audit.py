"""The findings about the settings files of a tree: the rules of its host, the paths in the settings of generators."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Container, Iterator, Mapping
from functools import cached_property
from itertools import groupby
from typing import Any

from linkfix.auditing.findings import Regions, new_finding
from linkfix.auditing.hosts.find import TreeHost
from linkfix.auditing.hosts.rules import HostFile
from linkfix.auditing.interpretation import fragment_of
from linkfix.auditing.model import Finding, FragmentReferences, Hint, PageFacts
from linkfix.auditing.page_document import PageDocument
from linkfix.auditing.reader import PageReader
from linkfix.auditing.rule import (
    REPORTED_STATUSES,
    AuditedLink,
    AuditedPage,
    AuditedSettings,
    FragmentResult,
    Issue,
    Rule,
    SettingsRule,
)
from linkfix.auditing.rules import rules
from linkfix.auditing.second_pass import missing_fragment
from linkfix.auditing.settings_links import (
    entries_of_nav,
    files_with_paths,
    redirects_of_mdbook,
    redirects_of_mkdocs,
    rule_targets,
    settings_page,
)
from linkfix.auditing.site import FAILING, DestinationKind
from linkfix.auditing.views import WITH_FRAGMENTS
from linkfix.urls import scheme_of

#: The kinds of destinations for which the targets of a host's rules are reported. Some other sites are private hosts.
_FAILING_TARGETS = FAILING | {DestinationKind.UNFOLLOWED, DestinationKind.EXTERNAL}


def _is_external(audited: AuditedLink) -> bool:
    return audited.destination.kind is DestinationKind.EXTERNAL


class SettingsAudit:
    """The settings files whose paths are checked.

    `reader`: reads the pages of the tree. `host`: what the files of its host say. `root`: the real path of the tree.
    `codes`: the rules that run. `is_selected`: whether a file counts, by its name in the tree. `has_url`: whether the
    URL of the tree is known.
    """

    def __init__(
        self,
        reader: PageReader,
        host: TreeHost,
        root: str,
        codes: Collection[str],
        is_selected: Callable[[str], bool],
        *,
        has_url: bool,
    ) -> None:
        self._reader = reader
        self._host = host
        self._root = root
        self._codes = codes
        self._is_selected = is_selected
        self._has_url = has_url

    @cached_property
    def names(self) -> list[str]:
        """The names of the files."""
        generators = map(self._name_of_settings, files_with_paths(self._reader.settings.sources))
        return [*(file.name for file in self._host_files), *filter(None, generators)]

    def findings(
        self, results: Mapping[tuple[int, bytes], FragmentResult], known: Container[tuple[str, str]]
    ) -> Iterator[Finding]:
        """Yield the findings. `results`: the results for fragments. `known`: the code and the cause of each finding."""
        yield from self._host_findings(results, known)
        yield from self._host_faults()
        yield from self._nav_findings()
        yield from self._redirect_findings()

    @cached_property
    def _host_files(self) -> tuple[HostFile, ...]:
        """The files of hosts whose targets are checked."""
        return tuple(one for one in self._host.files if self._is_selected(one.name))

    @cached_property
    def _rule_targets(self) -> list[AuditedLink]:
        """The targets of the host's rules, as links of their files."""
        site = self._reader.settings.site
        found = []
        for file in self._host_files:
            url = site.url + file.name
            document = PageDocument(file.data, url=url, media_type="text/plain")
            places = (self._reader.place_of_rule(file.name, one) for one in rule_targets(document, file))
            targets = [
                AuditedLink(AuditedPage(file.name, url, document, one.site), one.link, one.destination)
                for one in places
            ]
            found += [
                one for one in targets if one.link.reference.startswith("/") or self._has_url or _is_external(one)
            ]
        return found

    def targets(self) -> frozenset[str]:
        """The names of the files that the host's rules lead to."""
        kinds = {DestinationKind.FILE, DestinationKind.CAUGHT}
        return frozenset(one.destination.name for one in self._rule_targets if one.destination.kind in kinds)

    def facts(self) -> Iterator[PageFacts]:
        """Yield the facts about the files of hosts that have targets with fragments to look up."""
        for file in self._host_files:
            targets = [
                (one.destination, one.link.target or "") for one in self._rule_targets if one.page.name == file.name
            ]
            named = [(place, fragment_of(target, place)) for place, target in targets if place.kind in WITH_FRAGMENTS]
            wanted = {(place.number, fragment.encode()): 1 for place, fragment in named if fragment}
            if wanted and file.name in self._reader.settings.site.numbers:
                yield PageFacts(file.name, 0, 0, media_type="text/plain", fragments=FragmentReferences.of(wanted))

    def _host_findings(
        self, results: Mapping[tuple[int, bytes], FragmentResult], known: Container[tuple[str, str]]
    ) -> Iterator[Finding]:
        """Yield the findings about the targets of the host's rules that no page uses.

        `results`: the results for fragments. `known`: the code and the cause of each finding. A used rule has the same
        finding where a page refers to it.
        """
        for _, targets in groupby(self._rule_targets, key=lambda one: one.page.name):
            audited = list(targets)
            regions = Regions(audited[0].page.document)
            for one in audited:
                yield from self._findings_of_settings(one, regions, known, results)

    def _host_faults(self) -> Iterator[Finding]:
        """Yield the findings about the parts of the host's files that are not valid."""
        chosen = [rule for rule in rules() if isinstance(rule, SettingsRule) and rule.info.code in self._codes]
        site = self._reader.settings.site
        for file in self._host_files if self._host.faults else ():
            document = PageDocument(file.data, url=site.url + file.name, media_type="text/plain")
            page, regions = AuditedPage(file.name, site.url, document, site), Regions(document)
            settings = AuditedSettings(file, tuple(one for one in self._host.faults if one.place.file == file.name))
            for rule in chosen:
                for issue in rule.check(settings):
                    yield new_finding(page, regions, rule.info, issue, None)

    def _name_of_settings(self, path: str) -> str:
        """The name of a settings file whose paths are checked, from the tree's root; "" for none."""
        name = os.path.relpath(path, self._root).replace(os.sep, "/") if path else ""
        return name if name and self._is_selected(name) else ""

    def _settings_page(self, path: str) -> Iterator[tuple[AuditedPage, Regions]]:
        """Yield a settings file with paths that are checked, if there is one."""
        name = self._name_of_settings(path)
        page = settings_page(path, name, self._reader.settings.site) if name else None
        if page is not None:
            yield page, Regions(page.document)

    def _nav_findings(self) -> Iterator[Finding]:
        """Yield the findings about the entries of `nav` and the redirects in the settings of MkDocs."""
        sources, links = self._reader.settings.sources, self._reader.links_of_mkdocs
        for page, regions in self._settings_page(sources.nav or sources.redirects) if links is not None else ():
            for link in (*(entries_of_nav(page) if sources.nav else ()), *redirects_of_mkdocs(page)):
                path = link.reference
                if links is None or scheme_of(path) or path.startswith("/" * (1 + sources.nav_from_root)):
                    continue
                audited = AuditedLink(page, link, links.place_in_nav(link))
                for one in self._findings_of_settings(audited, regions):
                    yield one._replace(hint=one.hint and Hint(one.hint.text))  # an entry is relative to the sources

    def _redirect_findings(self) -> Iterator[Finding]:
        """Yield the findings about the redirects in the settings of mdBook."""
        for project in self._reader.settings.sources.projects:
            for page, regions in self._settings_page(project.file * (project.listed is not None)):
                for name, link in redirects_of_mdbook(page, project):
                    place = self._reader.place_in_source(name, link)
                    yield from self._findings_of_settings(AuditedLink(page, place.link, place.destination), regions)

    def _findings_of_settings(
        self,
        audited: AuditedLink,
        regions: Regions,
        known: Container[tuple[str, str]] = (),
        results: Mapping[tuple[int, bytes], FragmentResult] = {},
    ) -> Iterator[Finding]:
        """Yield the findings about a path in a file of settings, except those that are known."""
        missing = missing_fragment(audited, results, self._reader.settings.site.files)
        issues: list[tuple[Rule[Any], Issue | None]] = []
        if audited.destination.kind in _FAILING_TARGETS:
            issues = [(rule, rule.check(audited)) for rule in self._reader.link_rules]
        elif missing is not None and missing.result.status in REPORTED_STATUSES:
            issues = [(rule, rule.check(missing)) for rule in self._reader.fragment_rules]
        for rule, issue in issues:
            if issue is not None and (rule.info.code, issue.cause or audited.link.reference) not in known:
                hint = issue.hint and issue.hint._replace(certain=False)  # `--fix` writes only documents
                yield new_finding(audited.page, regions, rule.info, issue._replace(hint=hint), audited.link)
