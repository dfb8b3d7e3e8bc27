"""Which fragments of references exist: those that pages refer to, looked up in the IDs that pages have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from linkfix.audit.facts import PageFacts
from linkfix.audit.page_scripts import Script
from linkfix.audit.rule import FragmentStatus
from linkfix.audit.suggestions import IdSuggestions
from linkfix.files.xml_types import DATA_TYPES
from linkfix.lazy import lazy_pattern
from linkfix.model import DOCUMENT_KINDS, PAGE_TYPES

__all__ = ["FragmentVerdict", "check_fragments"]

#: The media types of files in which fragments are no IDs, or are those of another format.
_WITHOUT_IDS = DATA_TYPES | {"text/css"}
#: How many redirect pages are followed.
_HOPS = 20
#: `#12-34`, `#L12-L34`: ranges of lines in code viewers.
_LINES = lazy_pattern(r"([A-Za-z]*)(\d+)-(\1\d+|\d+)")
#: Fragments of images that are no IDs (SVG 2 §16.3, Media Fragments).
_MEDIA_FRAGMENT = lazy_pattern(r"(?:svgView\(|xywh=|t=|track=|id=)")
#: How many pages' IDs are kept at a time: redirect pages often have the same target.
_CACHED = 64
#: What a script that follows the fragment takes for a route, and no ID is like: `#/guide`, `#!guide`.
_ROUTE = ("/", "!")


class FragmentVerdict(NamedTuple):
    """What was found out about one fragment of one file; see `linkfix.audit.rule.MissingFragment`."""

    status: FragmentStatus
    redirected_to: str = ""
    suggestion: tuple[str, bool] | None = None
    script: str = ""


def _forms_of(fragment: bytes) -> tuple[str, ...]:
    """The fragment as it is written, and percent-decoded (HTML §7.4.6.3, steps 1-9)."""
    raw = fragment.decode("utf-8", "surrogatepass")
    if "%" not in raw:
        return (raw,)
    return raw, unquote_to_bytes(raw).decode("utf-8", "replace")


class _TargetPage:
    """A page in which fragments are looked up."""

    def __init__(self, facts: PageFacts) -> None:
        self.facts = facts
        self.ids = frozenset(facts.ids.split(b"\0"))

    @cached_property
    def suggestions(self) -> IdSuggestions:
        """The IDs that are similar to a missing one."""
        return IdSuggestions(one.decode("utf-8", "replace") for one in self.ids)

    def has(self, fragment: bytes) -> bool:
        """Whether a fragment indicates an element; "top" is the top of the document."""
        if fragment in self.ids or fragment.lower() == b"top":
            return True
        return any(
            text.encode("utf-8", "surrogatepass") in self.ids or text.lower() == "top" for text in _forms_of(fragment)
        )


def check_fragments(
    pages: Iterable[PageFacts], numbers: Mapping[str, int], scripts: Callable[[str], Sequence[Script]]
) -> dict[tuple[int, bytes], FragmentVerdict]:
    """Verdicts on all fragments that are not simply present, by the file's number and the fragment.

    `scripts(name)`: the scripts of a page. It is called only for pages in which a fragment is missing.
    """
    facts = {numbers[page.name]: page for page in pages}
    wanted: dict[int, set[bytes]] = {}
    for page in facts.values():
        if page.fragments is not None:
            for number, fragment in page.fragments.pairs():
                wanted.setdefault(number, set()).add(fragment)
    target_of = lru_cache(maxsize=_CACHED)(lambda number: _TargetPage(facts[number]))
    found: dict[tuple[int, bytes], FragmentVerdict] = {}
    for number, fragments in wanted.items():
        if not _has_ids(facts.get(number)):
            found.update(((number, fragment), FragmentVerdict(FragmentStatus.UNCHECKED)) for fragment in fragments)
            continue
        unknown = fragments - target_of(number).ids
        if unknown:
            checker = _FragmentChecker(number, facts, target_of, scripts)
            for fragment in sorted(unknown):
                verdict = checker.verdict(fragment)
                if verdict.status is not FragmentStatus.PRESENT:
                    found[number, fragment] = verdict
    return found


class _FragmentChecker:
    """Checks the fragments that are not among the IDs of one page."""

    def __init__(
        self,
        number: int,
        facts: Mapping[int, PageFacts],
        target_of: Callable[[int], _TargetPage],
        scripts: Callable[[str], Sequence[Script]],
    ) -> None:
        self._target = target_of(number)
        self._scripts = scripts
        end, self._carries, self._own = _follow(number, facts)
        self._final = target_of(end) if end is not None else None

    def verdict(self, fragment: bytes) -> FragmentVerdict:
        """The verdict on one fragment."""
        target = self._target
        if target.has(fragment):
            return FragmentVerdict(FragmentStatus.PRESENT)
        text = _forms_of(fragment)[-1]
        if target.facts.media_type not in PAGE_TYPES and _MEDIA_FRAGMENT.match(text):
            return FragmentVerdict(FragmentStatus.UNCHECKED)
        # The scripts of code viewers read the fragment as it is written.
        lines = _LINES.fullmatch(fragment.decode("utf-8", "replace"))
        if lines is not None and self._has_lines(lines):
            return FragmentVerdict(FragmentStatus.LINES)
        final = self._final
        if final is None:
            return FragmentVerdict(FragmentStatus.UNCHECKED)
        redirected_to = final.facts.name if final is not target else ""
        if redirected_to and final.has(fragment):
            is_carried = self._carries or text == _forms_of(self._own.encode())[-1]
            return FragmentVerdict(FragmentStatus.CARRIED if is_carried else FragmentStatus.DROPPED, redirected_to)
        script = self._script_that_knows(text, redirects=not redirected_to)
        if script is not None:
            return FragmentVerdict(FragmentStatus.SCRIPTED, script=script.name)
        if final.facts.is_generated:
            return FragmentVerdict(FragmentStatus.UNCHECKED)
        return FragmentVerdict(FragmentStatus.MISSING, redirected_to, final.suggestions.suggest(text))

    def _has_lines(self, lines: re.Match[str]) -> bool:
        prefix, first, last = lines.groups()
        last = last if last.startswith(prefix) else prefix + last
        return {(prefix + first).encode(), last.encode()} <= self._target.ids

    def _script_that_knows(self, fragment: str, *, redirects: bool) -> Script | None:
        """The first script of the page that may make something of the fragment. `redirects`: perhaps by going on."""
        is_route = fragment.startswith(_ROUTE)
        for script in self._page_scripts:
            if script.knows(fragment) or (is_route and script.follows_fragment):
                return script
            if redirects and not script.name and script.sends_on:
                return script
        return None

    @cached_property
    def _page_scripts(self) -> Sequence[Script]:
        return self._scripts(self._target.facts.name)


def _follow(number: int, facts: Mapping[int, PageFacts]) -> tuple[int | None, bool, str]:
    """The number of the page at the end of a chain of redirect pages; whether all carry the fragment over; the fragment
    that the last one sets itself.

    The number is the page's own where it does not redirect, None where the chain leaves the tree or is a circle.
    """
    carries = True
    own = ""
    for _ in range(_HOPS + 1):
        page = facts.get(number)
        if page is None or not _has_ids(page):
            return None, carries, own
        if page.redirect is None:
            return number, carries, own
        number, own = page.redirect.number, page.redirect.fragment
        carries = carries and page.redirect.carries
    return None, carries, own


def _has_ids(page: PageFacts | None) -> bool:
    """Whether fragments of a file are the IDs of a page that was read."""
    return (
        page is not None
        and not page.unread
        and page.media_type not in DATA_TYPES
        and DOCUMENT_KINDS.get(page.media_type) in {"html", "xml", "markdown"}
    )
