"""A second look at the pages that refer to missing fragments, to find where these references are.

Which fragments are missing is known only when all pages have been read. To keep the place of every reference until then
would take more memory than reading a few pages again.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple
from urllib.parse import unquote

from linkfix.audit.check_result import fragment_of
from linkfix.audit.comments import exemptions
from linkfix.audit.findings import finding
from linkfix.audit.fragments import FragmentVerdict
from linkfix.audit.listing import PageFile
from linkfix.audit.model import Finding
from linkfix.audit.page_document import PageDocument
from linkfix.audit.reader import PageReader
from linkfix.audit.reference_index import is_plain_fragment
from linkfix.audit.region import Regions
from linkfix.audit.rule import AuditedLink, AuditedPage, FragmentRule, MissingFragment
from linkfix.audit.rules import rules
from linkfix.audit.site import DestinationKind
from linkfix.audit.unchecked import is_inner
from linkfix.model import Link

__all__ = ["FILE_CHANGED", "SecondPass", "SecondPassJob", "SecondPassResult"]

FILE_CHANGED = "the file was changed while the tree was read"


class SecondPassJob(NamedTuple):
    """A page that is read again."""

    page: PageFile
    stamp: int
    """The time of its last change when it was first read."""
    verdicts: dict[tuple[int, bytes], FragmentVerdict]
    """The missing fragments that it refers to, by the file's number and the fragment."""


class SecondPassResult(NamedTuple):
    """What a second look at a page found."""

    name: str
    findings: list[Finding]
    hidden: Counter[str]
    """Why findings were left out -> how many."""
    error: str = ""
    """Why the page could not be read again."""


class SecondPass:
    """Finds the references of one page to missing fragments, with what `reader` remembers of them."""

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
                        result.findings.append(finding(page, regions, rule, issue, link))
        return result

    def _records(self, document: PageDocument, job: SecondPassJob) -> list[int]:
        """The records of a page that may refer to a missing fragment, in order."""
        survey = document.reference_index
        fragments = {fragment for _, fragment in job.verdicts}
        memory = self._reader.memory
        common = memory.keys_of(document) if self._reader.settings.quick else None
        found = list(survey.others)
        for raw, numbers in survey.references.items():
            if not _may_mean(raw, fragments):
                continue
            for number in numbers:
                key = memory.key(document, common, number, raw)
                known = memory.get(key) if key is not None else None
                if known is None or (known.place.number, known.fragment) in job.verdicts:
                    found.append(number)
        return sorted(found)

    def _missing(self, page: AuditedPage, link: Link, job: SecondPassJob) -> MissingFragment | None:
        """The missing fragment of a link, if it has one."""
        if link.target is None or "#" not in link.target:
            return None
        destination = self._reader.view(page.document).place_of(link)
        if destination.kind is not DestinationKind.FILE:
            return None
        fragment = fragment_of(link.target, destination)
        verdict = job.verdicts.get((destination.number, fragment.encode()))
        if verdict is None:
            return None
        file = page.site.files[destination.number]
        return MissingFragment(AuditedLink(page, link, destination), file, unquote(fragment), *verdict)


def _may_mean(raw: bytes, fragments: set[bytes]) -> bool:
    """Whether a reference, as it is written, can have one of some fragments."""
    if b"&" in raw:
        return True
    mark = raw.find(b"#")
    if mark < 0:
        return False
    return raw[mark + 1 :] in fragments or not is_plain_fragment(raw, mark + 1)
