"""What becomes of the fragments of references: the join of what pages want with what pages have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from linkfix.audit.facts import PageFacts, Stub
from linkfix.audit.near import NearIds
from linkfix.audit.rule import FragmentFate

__all__ = ["Fate", "fates"]

#: How many redirect pages are followed.
_HOPS = 20
#: `#12-34`, `#L12-L34`: code viewers take them for ranges of lines.
_LINES = re.compile(r"([A-Za-z]*)(\d+)-(\1\d+|\d+)")
#: What fragments of images mean (SVG 2 §16.3, Media Fragments).
_MEDIA_FRAGMENT = re.compile(r"(?:svgView\(|xywh=|t=|track=|id=)")
_HTML = frozenset({"text/html", "application/xhtml+xml"})


class Fate(NamedTuple):
    """What becomes of one fragment of one file; see `linkfix.audit.rule.LostFragment`."""

    fate: FragmentFate
    onto: str = ""
    near: tuple[str, bool] | None = None


def _texts(fragment: bytes) -> tuple[str, ...]:
    """The fragment as it stands and percent-decoded (HTML §7.4.6.3, steps 1-9)."""
    raw = fragment.decode("utf-8", "surrogatepass")
    if "%" not in raw:
        return (raw,)
    return raw, unquote_to_bytes(raw).decode("utf-8", "replace")


class _Target:
    """A page that fragments are looked for in."""

    def __init__(self, facts: PageFacts) -> None:
        self.facts = facts
        self.ids = frozenset(facts.ids.split(b"\0"))

    def has(self, fragment: bytes) -> bool:
        """Whether an element is indicated; "top" is the top of the document."""
        if fragment in self.ids or fragment.lower() == b"top":
            return True
        return any(
            text.encode("utf-8", "surrogatepass") in self.ids or text.lower() == "top" for text in _texts(fragment)
        )


def fates(
    pages: Iterable[PageFacts], numbers: Mapping[str, int], scripts: Callable[[str], str]
) -> dict[tuple[int, bytes], Fate]:
    """The fates of all fragments that are not simply there, by the file's number and the fragment as it was wanted.

    `scripts(name)`: the text of a page's own scripts, which is asked for only where a fragment is lost.
    """
    facts = {numbers[page.name]: page for page in pages}
    wanted: dict[int, set[bytes]] = {}
    for page in facts.values():
        if page.wanted is not None:
            for number, fragment in page.wanted.pairs():
                wanted.setdefault(number, set()).add(fragment)
    found: dict[tuple[int, bytes], Fate] = {}
    for number, fragments in wanted.items():
        page_facts = facts.get(number)
        if page_facts is None or page_facts.unread or page_facts.media_type == "text/css":
            found.update(((number, fragment), Fate(FragmentFate.UNJUDGED)) for fragment in fragments)
            continue
        target = _Target(page_facts)
        lost = fragments - target.ids
        if lost:
            judge = _Judge(target, facts, scripts)
            for fragment in sorted(lost):
                fate = judge.fate(fragment)
                if fate.fate is not FragmentFate.PRESENT:
                    found[number, fragment] = fate
    return found


class _Judge:
    """Judges the fragments that one page does not simply have."""

    def __init__(self, target: _Target, facts: Mapping[int, PageFacts], scripts: Callable[[str], str]) -> None:
        self._target = target
        self._facts = facts
        self._scripts = scripts
        self._text: str | None = None
        self._final = self._follow()
        ids = (self._final[0] or target).ids
        self._ids = NearIds(one.decode("utf-8", "replace") for one in ids)

    def _follow(self) -> tuple[_Target | None, bool, Stub | None]:
        """The page that redirect pages lead to at last (None: elsewhere), whether all carry the fragment on, and the
        last of them.
        """
        facts = self._target.facts
        carries = True
        stub = facts.stub
        last = None
        for _ in range(_HOPS):
            if facts.stub is None:
                return (_Target(facts) if last else self._target), carries, last
            last = facts.stub
            carries = carries and last.carries
            onward = self._facts.get(last.number)
            if onward is None:
                return None, carries, last
            facts = onward
        return None, carries, stub

    def fate(self, fragment: bytes) -> Fate:
        """The fate of one fragment."""
        target = self._target
        if target.has(fragment):
            return Fate(FragmentFate.PRESENT)
        text = _texts(fragment)[-1]
        if target.facts.media_type not in _HTML and _MEDIA_FRAGMENT.match(text):
            return Fate(FragmentFate.UNJUDGED)
        lines = _LINES.fullmatch(text)
        if lines is not None and self._has_lines(lines):
            return Fate(FragmentFate.LINES)
        final, carries, stub = self._final
        if stub is not None:
            if final is None:
                return Fate(FragmentFate.UNJUDGED)
            if final.has(fragment):
                return Fate(FragmentFate.CARRIED if carries else FragmentFate.DROPPED, final.facts.name)
        if self._named_by_script(text):
            return Fate(FragmentFate.SCRIPTED)
        onto = final.facts.name if final is not None and stub is not None else ""
        return Fate(FragmentFate.DEAD, onto, self._ids.near(text))

    def _has_lines(self, lines: re.Match[str]) -> bool:
        prefix, first, last = lines.groups()
        last = last if last.startswith(prefix) else prefix + last
        return {(prefix + first).encode(), last.encode()} <= self._target.ids

    def _named_by_script(self, text: str) -> bool:
        """Whether a script of the page has the fragment as a string of its own."""
        if self._text is None:
            self._text = self._scripts(self._target.facts.name)
        marks = ("#", "") if "hash" in self._text else ("#",)
        return any(f"{quote}{mark}{text}{quote}" in self._text for quote in "\"'`" for mark in marks)
