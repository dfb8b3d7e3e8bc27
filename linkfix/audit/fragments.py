"""What becomes of the fragments of references: the join of what pages want with what pages have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from linkfix.audit.facts import PageFacts
from linkfix.audit.near import NearIds
from linkfix.audit.rule import FragmentFate
from linkfix.model import PAGE_TYPES

__all__ = ["Fate", "fates"]

#: How many redirect pages are followed.
_HOPS = 20
#: `#12-34`, `#L12-L34`: code viewers take them for ranges of lines.
_LINES = re.compile(r"([A-Za-z]*)(\d+)-(\1\d+|\d+)")
#: What fragments of images mean (SVG 2 §16.3, Media Fragments).
_MEDIA_FRAGMENT = re.compile(r"(?:svgView\(|xywh=|t=|track=|id=)")
#: How many pages' names are held at a time: redirect pages often lead to the same one.
_HELD = 64
#: A script goes elsewhere.
_MOVES = re.compile(r"\blocation(?:\.href)?\s*=(?![=>])|\blocation\.(?:replace|assign)\s*\(")


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

    @cached_property
    def near(self) -> NearIds:
        """The names that fragments can mean, to look for a near one."""
        return NearIds(one.decode("utf-8", "replace") for one in self.ids)

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
    target_of = lru_cache(maxsize=_HELD)(lambda number: _Target(facts[number]))
    found: dict[tuple[int, bytes], Fate] = {}
    for number, fragments in wanted.items():
        if not _has_names(facts.get(number)):
            found.update(((number, fragment), Fate(FragmentFate.UNJUDGED)) for fragment in fragments)
            continue
        lost = fragments - target_of(number).ids
        if lost:
            judge = _Judge(number, facts, target_of, scripts)
            for fragment in sorted(lost):
                fate = judge.fate(fragment)
                if fate.fate is not FragmentFate.PRESENT:
                    found[number, fragment] = fate
    return found


class _Judge:
    """Judges the fragments that one page does not simply have."""

    def __init__(
        self,
        number: int,
        facts: Mapping[int, PageFacts],
        target_of: Callable[[int], _Target],
        scripts: Callable[[str], str],
    ) -> None:
        self._target = target_of(number)
        self._scripts = scripts
        end, self._carries, self._own = _followed(number, facts)
        self._final = target_of(end) if end is not None else None

    def fate(self, fragment: bytes) -> Fate:
        """The fate of one fragment."""
        target = self._target
        if target.has(fragment):
            return Fate(FragmentFate.PRESENT)
        text = _texts(fragment)[-1]
        if target.facts.media_type not in PAGE_TYPES and _MEDIA_FRAGMENT.match(text):
            return Fate(FragmentFate.UNJUDGED)
        # The scripts that read them take the fragment as it is written.
        lines = _LINES.fullmatch(fragment.decode("utf-8", "replace"))
        if lines is not None and self._has_lines(lines):
            return Fate(FragmentFate.LINES)
        final = self._final
        if final is None:
            return Fate(FragmentFate.UNJUDGED)
        onto = final.facts.name if final is not target else ""
        if onto and final.has(fragment):
            kept = self._carries or text == _texts(self._own.encode())[-1]
            return Fate(FragmentFate.CARRIED if kept else FragmentFate.DROPPED, onto)
        if (not onto and self._moved_by_script) or text in self._named_by_scripts:
            return Fate(FragmentFate.SCRIPTED)
        return Fate(FragmentFate.DEAD, onto, final.near.near(text))

    def _has_lines(self, lines: re.Match[str]) -> bool:
        prefix, first, last = lines.groups()
        last = last if last.startswith(prefix) else prefix + last
        return {(prefix + first).encode(), last.encode()} <= self._target.ids

    @cached_property
    def _script_text(self) -> str:
        return self._scripts(self._target.facts.name)

    @cached_property
    def _moved_by_script(self) -> bool:
        """Whether a script of the page sends readers on, with regard to the fragment."""
        return "location.hash" in self._script_text and _MOVES.search(self._script_text) is not None

    @cached_property
    def _named_by_scripts(self) -> frozenset[str]:
        """The strings of the page's scripts that are fragments; all of them where a script looks at fragments."""
        text = self._script_text
        strings = {string for quote in "\"'`" for string in text.split(quote)[1:-1]}
        fragments = frozenset(string[1:] for string in strings if string.startswith("#"))
        return fragments | strings if "hash" in text else fragments


def _followed(number: int, facts: Mapping[int, PageFacts]) -> tuple[int | None, bool, str]:
    """The page that redirect pages lead to at last, the page itself where it is none, None for elsewhere or a circle;
    whether all carry the fragment on; and the fragment that the last of them has of its own.
    """
    carries = True
    own = ""
    for _ in range(_HOPS + 1):
        page = facts.get(number)
        if page is None or not _has_names(page):
            return None, carries, own
        if page.stub is None:
            return number, carries, own
        number, own = page.stub.number, page.stub.fragment
        carries = carries and page.stub.carries
    return None, carries, own


def _has_names(page: PageFacts | None) -> bool:
    """Whether a page has names that fragments can mean, as far as that is known."""
    return page is not None and not page.unread and page.media_type != "text/css"
