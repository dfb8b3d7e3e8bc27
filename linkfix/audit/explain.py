"""A second look at the pages whose fragments are lost: where their references stand.

Which fragments are lost is known only when all pages were read. To keep the place of every reference meanwhile would
take more memory than to read the few pages again that have a lost one.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple
from urllib.parse import unquote

from linkfix.audit.comments import exemptions
from linkfix.audit.fragments import Fate
from linkfix.audit.listing import PageFile
from linkfix.audit.model import Finding
from linkfix.audit.plain import PLAIN_FRAGMENT
from linkfix.audit.reader import Reader, Task, fragment_of, is_inner, links_by_record
from linkfix.audit.region import Regions
from linkfix.audit.rule import LostFragment, Page, Seen
from linkfix.audit.rules import Rule, rules
from linkfix.audit.site import PlaceKind
from linkfix.audit.summary import finding, tree_finding
from linkfix.files import atomic
from linkfix.model import Link

__all__ = ["Explainer", "Lost", "Quest", "script_text"]

_CHANGED = "the file was changed while the tree was read"


class Lost(NamedTuple):
    """A lost fragment's file, and what became of it."""

    name: str
    fate: Fate


class Quest(NamedTuple):
    """A page, when its file was changed as it was read, and its lost fragments by file and text."""

    page: PageFile
    stamp: int
    lost: dict[tuple[int, bytes], Lost]


class Explainer:
    """Finds the references of one page to lost fragments, and asks the rules. Pickled with its task alone."""

    def __init__(self, task: Task) -> None:
        self._reader = Reader(task)
        self._rules = [rule for rule in rules() if rule.info.code in task.codes and rule.check_fragment]

    def __reduce__(self) -> tuple[type[Explainer], tuple[Task]]:
        return Explainer, (self._reader.task,)

    def __call__(self, quest: Quest) -> tuple[list[Finding], Counter[str]]:
        """The findings of one page, and how many comments let pass. Never raises."""
        hidden: Counter[str] = Counter()
        try:
            document, stamp = self._reader.open(quest.page)
        except OSError as error:
            return [tree_finding("LF901", quest.page.name, error.strerror or str(error))], hidden
        if stamp != quest.stamp:
            return [tree_finding("LF901", quest.page.name, _CHANGED)], hidden
        site = self._reader.task.site
        page = Page(quest.page.name, site.page_url(quest.page.name), document, site)
        regions = Regions(document)
        exempt = exemptions(document.source.data)
        found = []
        survey = document.survey
        lost = {fragment for _, fragment in quest.lost}
        numbers = [n for raw, group in survey.references.items() if _may_mean(raw, lost) for n in group]
        for number, link in links_by_record(document, sorted(numbers + survey.others)):
            if is_inner(document, number, link):
                continue
            for rule, seen in self._lost(page, link, quest):
                issue = rule.check_fragment(seen) if rule.check_fragment else None
                if issue is None:
                    continue
                if exempt.let_pass(link.start, rule.info.code):
                    hidden["comment"] += 1
                else:
                    found.append(finding(page, regions, rule, issue, link))
        return found, hidden

    def _lost(self, page: Page, link: Link, quest: Quest) -> list[tuple[Rule, LostFragment]]:
        if link.target is None or "#" not in link.target:
            return []
        place = self._reader.place(link.target.partition("#")[0])
        if place.kind is not PlaceKind.FILE:
            return []
        fragment = fragment_of(link.target, place)
        lost = quest.lost.get((place.number, fragment.encode()))
        if lost is None:
            return []
        fate = lost.fate
        seen = LostFragment(Seen(page, link, place), lost.name, unquote(fragment), fate.fate, fate.onto, fate.near)
        return [(rule, seen) for rule in self._rules]


def _may_mean(raw: bytes, fragments: set[bytes]) -> bool:
    """Whether a reference as it is written can mean one of some fragments."""
    fragment = raw.partition(b"#")[2]
    return fragment in fragments or b"&" in raw or not PLAIN_FRAGMENT.fullmatch(fragment)


def script_text(page: PageFile, limit: int) -> str:
    """The text of the scripts that stand in a page; "" where it cannot be read."""
    try:
        data = atomic.read(page.path, limit=limit).data
    except OSError:
        return ""
    lower = data.lower()
    pieces = []
    end = 0
    while (start := lower.find(b"<script", end)) >= 0 and (start := lower.find(b">", start)) >= 0:
        end = lower.find(b"</script", start)
        if end < 0:
            end = len(data)
        pieces.append(data[start + 1 : end])
    return b"\n".join(pieces).decode("utf-8", "replace")
