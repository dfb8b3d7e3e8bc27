"""The second pass over the pages that refer to missing fragments: the places of these references.

The missing fragments are known only after all pages were read. Keeping the place of every reference until then would
take more memory than reading a few pages again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from linkfix.auditing.findings import Regions, new_finding
from linkfix.auditing.interpretation import fragment_of
from linkfix.auditing.listing import PageFile
from linkfix.auditing.model import Finding
from linkfix.auditing.page_document import PageDocument
from linkfix.auditing.reader import PageReader
from linkfix.auditing.rule import AuditedLink, AuditedPage, FragmentResult, FragmentStatus, MissingFragment
from linkfix.auditing.selection import exemptions
from linkfix.auditing.source_names import SOURCE_SUFFIXES
from linkfix.auditing.unchecked import why_unchecked
from linkfix.auditing.views import WITH_FRAGMENTS
from linkfix.errors import InvalidOption
from linkfix.kernels.reference_index import is_plain_fragment
from linkfix.model import Link
from linkfix.urls import DIRECTIVES

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
    recounted: Counter[str]
    """The status that references have in place of "not found" -> the number of references."""
    error: str = ""
    """The reason that the page could not be read again; "" if it was read."""


class SecondPass:
    """A function that finds the references of one page to missing fragments, using the cache of `reader`."""

    def __init__(self, reader: PageReader) -> None:
        self._reader = reader
        #: Whether rules of the host may set the fragment of a reference.
        self._may_be_redirected = bool(reader.settings.site.rules)

    def __reduce__(self) -> tuple[type[SecondPass], tuple[PageReader]]:
        return SecondPass, (self._reader,)

    def __call__(self, job: SecondPassJob) -> SecondPassResult:
        """Read one page again. Never raises."""
        result = SecondPassResult(job.page.name, [], Counter(), Counter())
        try:
            document, stamp = self._reader.open(job.page)
        except OSError as error:
            return result._replace(error=error.strerror or str(error))
        if stamp != job.stamp:
            return result._replace(error=FILE_CHANGED)
        try:
            self._find(result, document, job)
        except InvalidOption as error:
            return result._replace(error=str(error))
        return result

    def _find(self, result: SecondPassResult, document: PageDocument, job: SecondPassJob) -> None:
        """Add the findings in a page to the result."""
        site = self._reader.view(document).site
        page = AuditedPage(job.page.name, site.page_url(job.page.name), document, site)
        regions = Regions(document)
        exempt = exemptions(document)
        for number in self._records(document, job):
            for link in document.links_of((number,)):
                missing = None if why_unchecked(document, number, link) else self._missing(page, link, job)
                if missing is None:
                    continue
                if missing.result.source and not _names_source(link.reference):
                    result.recounted[FragmentStatus.FOUND_IN_OTHER_SOURCE.value] += 1
                    continue
                for rule in self._reader.fragment_rules:
                    issue = rule.check(missing)
                    if issue is None:
                        continue
                    if exempt.covers(link.start, rule.info.code):
                        result.hidden["comment"] += 1
                    else:
                        result.findings.append(new_finding(page, regions, rule.info, issue, missing.audited.link))

    def _records(self, document: PageDocument, job: SecondPassJob) -> list[int]:
        """The numbers of the records of a page that may refer to a missing fragment, in order."""
        survey = document.reference_index
        fragments = {fragment for _, fragment in job.results}
        memo = self._reader.folder_memo(document, job.page.name)
        found = list(survey.others)
        for raw, numbers in survey.references.items():
            if not (self._may_be_redirected or _may_mean(raw, fragments) or self._reader.is_replaced(raw)):
                continue
            for number in numbers:
                known = memo.get(document, number, raw) if memo is not None else None
                if known is None or (known.place.number, known.fragment) in job.results:
                    found.append(number)
        return sorted(found)

    def _missing(self, page: AuditedPage, link: Link, job: SecondPassJob) -> MissingFragment | None:
        """The missing fragment of a link; None if the link has no missing fragment."""
        if link.target is None or not ("#" in link.target or self._may_be_redirected):
            return None
        destination, link, site = self._reader.view(page.document).place_of(page.name, link)
        audited = AuditedLink(page._replace(site=site), link, destination)
        files = self._reader.settings.site.files
        return missing_fragment(audited, job.results, files, directives=self._reader.reads_texts)


def missing_fragment(
    audited: AuditedLink,
    results: Mapping[tuple[int, bytes], FragmentResult],
    files: Sequence[str],
    *,
    directives: bool = False,
) -> MissingFragment | None:
    """The missing fragment of a link; None if the link has none.

    `results`: number of the file and fragment -> result. `files`: the names of the files. `directives`: as in
    `linkfix.auditing.interpretation.fragment_of`.
    """
    link, destination = audited.link, audited.destination
    if destination.kind not in WITH_FRAGMENTS or link.target is None:
        return None
    fragment = fragment_of(link.target, destination, directives=directives)
    result = results.get((destination.number, fragment.encode()))
    if result is None:
        return None
    file = files[destination.number] if destination.number >= 0 else f"{destination.name}/"
    return MissingFragment(audited, file, unquote(fragment.partition(DIRECTIVES)[0]), result)


def _names_source(reference: str) -> bool:
    """Whether a reference names a source file, not the page made from it."""
    return reference.partition("#")[0].partition("?")[0].lower().endswith(SOURCE_SUFFIXES)


def _may_mean(raw: bytes, fragments: set[bytes]) -> bool:
    """Whether a raw reference can have one of some fragments."""
    if b"&" in raw:
        return True
    mark = raw.find(b"#")
    if mark < 0:
        return False
    return raw[mark + 1 :] in fragments or not is_plain_fragment(raw, mark + 1)
