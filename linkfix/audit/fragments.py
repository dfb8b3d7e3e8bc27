"""The check of fragments after all pages are read: IDs, redirect pages, and scripts that may handle a fragment.

`linkfix.audit.engine` calls it. It reads from disk only the pages that lack a wanted fragment, and their scripts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from linkfix.audit.listing import PageFile
from linkfix.audit.model import PageFacts
from linkfix.audit.rule import FragmentStatus
from linkfix.audit.site import DestinationKind, MountedFolder, Site
from linkfix.audit.suggestions import IdSuggestions
from linkfix.document.document import Document
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath
from linkfix.files.media_types import DATA_TYPES
from linkfix.lazy import lazy_pattern
from linkfix.model import DOCUMENT_KINDS, PAGE_TYPES, SOURCE_TYPES

# The scripts of a page: they may create IDs, or handle fragments, when they run.
#
# A script's effect is known only after running it. Instead, its strings count as signs, and whether it reads the
# fragment: then a fragment that looks like a route counts as a route.


#: The size of the cache of scripts that pages share.
_SCRIPTS_CACHED = 16

#: The code of a script that navigates.
_MOVES = lazy_pattern(r"\blocation(?:\.href)?\s*=(?![=>])|\blocation\.(?:replace|assign)\s*\(")

#: The code of a script that reads the fragment, or watches it for changes.
_FOLLOWS = lazy_pattern(r"\b(?:hashchange|location\s*\.\s*hash|popstate)\b")

#: The code of a script that sets the ID of an element: `e.id = "x"`, `setAttribute("id", "x")`, `{id: "x"}`, `"<p
#: id='x'>"`.
_SET_ID = lazy_pattern(r"""(?:\.id\s*=\s*|["'`]id["'`]\s*,\s*|\bid\s*[:=]\s*\\?)["'`]([^"'`\\<>\s]++)""")


class Script:
    """A script of a page.

    `name`: the name of its file in the tree; "" for a script in the page itself. `text`: its code.
    """

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self._text = text

    @cached_property
    def follows_fragment(self) -> bool:
        """Whether the script reads the fragment."""
        return _FOLLOWS.search(self._text) is not None

    @cached_property
    def sends_on(self) -> bool:
        """Whether the script reads the fragment and navigates."""
        return "location.hash" in self._text and _MOVES.search(self._text) is not None

    def knows(self, fragment: str) -> bool:
        """Whether a string of the script is the fragment, or an ID that the script sets."""
        return fragment in self._names

    @cached_property
    def _names(self) -> frozenset[str]:
        """The fragments that the script may handle.

        In a script file, only IDs that it sets count: libraries contain all kinds of words. In a script of the page
        itself, strings that begin with "#" count, and all strings if the script reads the fragment.
        """
        text = self._text
        if self.name:
            return frozenset(_SET_ID.findall(text))
        strings = {string for quote in "\"'`" for string in text.split(quote)[1:-1]}
        fragments = frozenset(string[1:] for string in strings if string.startswith("#"))
        return fragments | strings if "hash" in text else fragments


class PageScripts:
    """The scripts of the pages of one tree: inline scripts, and the script files of the tree that a page loads."""

    def __init__(self, site: Site, pages: Mapping[str, PageFile], mounts: Sequence[MountedFolder], limit: int) -> None:
        self._site = site
        self._pages = pages
        self._mounts = mounts
        self._limit = limit
        self._script = lru_cache(maxsize=_SCRIPTS_CACHED)(self._read_script)

    def of(self, name: str) -> list[Script]:
        """The scripts of a page. An unreadable file counts as empty."""
        page = self._pages[name]
        if page.media_type in SOURCE_TYPES:
            return []
        data = self._read(page.file)
        scripts = [Script("", _inline_text(data))]
        if b"src" in data:
            document = Document(data, url=self._site.page_url(name), media_type=page.media_type)
            targets = (decision.target for _, decision in document.references("script"))
            for target in dict.fromkeys(filter(None, targets)):
                place = self._site.destination(target)
                if place.kind is DestinationKind.FILE:
                    scripts.append(self._script(place.name, page.root))
        return scripts

    def _read_script(self, name: str, root: str) -> Script:
        mount = next((one for one in self._mounts if one.holds(name)), None)
        file = FilePath(f"{root}/{name}", root) if mount is None else mount.path(name)
        return Script(name, self._read(file).decode("utf-8", "replace"))

    def _read(self, file: FilePath) -> bytes:
        try:
            return atomic.read(file, limit=self._limit).data
        except OSError:
            return b""


def _inline_text(data: bytes) -> str:
    """The text of all inline scripts in a page."""
    lower = data.lower()
    pieces = []
    end = 0
    while (start := lower.find(b"<script", end)) >= 0 and (start := lower.find(b">", start)) >= 0:
        end = lower.find(b"</script", start)
        if end < 0:
            end = len(data)
        pieces.append(data[start + 1 : end])
    return b"\n".join(pieces).decode("utf-8", "replace")


#: The media types of files whose fragments are no IDs, or IDs of another format.
_WITHOUT_IDS = DATA_TYPES | {"text/css"}

#: The number of redirect pages that are followed.
_HOPS = 20

#: `#12-34`, `#L12-L34`: ranges of lines in code viewers.
_LINES = lazy_pattern(r"([A-Za-z]*)(\d+)-(\1\d+|\d+)")

#: The fragments of images that are no IDs (SVG 2 §16.3, Media Fragments).
_MEDIA_FRAGMENT = lazy_pattern(r"(?:svgView\(|xywh=|t=|track=|id=)")

#: The size of the cache of pages with their IDs: redirect pages often share their target.
_PAGES_CACHED = 64

#: The beginnings of routes, which scripts that read fragments handle. IDs do not look like this: `#/guide`, `#!guide`.
_ROUTE = ("/", "!")


class FragmentResult(NamedTuple):
    """The result for one fragment of one file; see `linkfix.audit.rule.MissingFragment`."""

    status: FragmentStatus
    redirected_to: str = ""
    suggestion: tuple[str, bool] | None = None
    script: str = ""


def _forms_of(fragment: bytes) -> tuple[str, ...]:
    """The fragment as written and, if it contains "%", percent-decoded (HTML §7.4.6.3, steps 1-9)."""
    raw = fragment.decode("utf-8", "surrogatepass")
    if "%" not in raw:
        return (raw,)
    return raw, unquote_to_bytes(raw).decode("utf-8", "replace")


class _TargetPage:
    """A page that fragments lead to."""

    def __init__(self, facts: PageFacts) -> None:
        self.facts = facts
        self.ids = frozenset(facts.ids.split(b"\0"))

    @cached_property
    def suggestions(self) -> IdSuggestions:
        """The IDs that are similar to a missing one."""
        return IdSuggestions(one.decode("utf-8", "replace") for one in self.ids)

    def has(self, fragment: bytes) -> bool:
        """Whether a fragment refers to an element; "top" is the top of the document."""
        if fragment in self.ids or fragment.lower() == b"top":
            return True
        return any(
            text.encode("utf-8", "surrogatepass") in self.ids or text.lower() == "top" for text in _forms_of(fragment)
        )


def check_fragments(
    pages: Iterable[PageFacts], numbers: Mapping[str, int], scripts: Callable[[str], Sequence[Script]]
) -> dict[tuple[int, bytes], FragmentResult]:
    """The results for all fragments that were not found: number of the file and fragment -> result.

    `scripts(name)`: a function that returns the scripts of a page. It is called only for pages that lack a fragment.
    """
    facts = {numbers[page.name]: page for page in pages}
    wanted: dict[int, set[bytes]] = {}
    for page in facts.values():
        if page.fragments is not None:
            for number, fragment in page.fragments.pairs():
                wanted.setdefault(number, set()).add(fragment)
    target_of = lru_cache(maxsize=_PAGES_CACHED)(lambda number: _TargetPage(facts[number]))
    found: dict[tuple[int, bytes], FragmentResult] = {}
    for number, fragments in wanted.items():
        if not _has_ids(facts.get(number)):
            found.update(((number, fragment), FragmentResult(FragmentStatus.NOT_CHECKED)) for fragment in fragments)
            continue
        unknown = fragments - target_of(number).ids
        if unknown:
            checker = _FragmentChecker(number, facts, target_of, scripts)
            for fragment in sorted(unknown):
                result = checker.check(fragment)
                if result.status is not FragmentStatus.FOUND:
                    found[number, fragment] = result
    return found


class _FragmentChecker:
    """A check for fragments that are not IDs of their target page."""

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

    def check(self, fragment: bytes) -> FragmentResult:
        """Look up one fragment."""
        target = self._target
        if target.has(fragment):
            return FragmentResult(FragmentStatus.FOUND)
        text = _forms_of(fragment)[-1]
        if target.facts.media_type not in PAGE_TYPES and _MEDIA_FRAGMENT.match(text):
            return FragmentResult(FragmentStatus.NOT_CHECKED)
        # The scripts of code viewers read the raw fragment.
        lines = _LINES.fullmatch(fragment.decode("utf-8", "replace"))
        if lines is not None and self._has_lines(lines):
            return FragmentResult(FragmentStatus.FOUND_LINES)
        final = self._final
        if final is None:
            return FragmentResult(FragmentStatus.NOT_CHECKED)
        redirected_to = final.facts.name if final is not target else ""
        if redirected_to and final.has(fragment):
            is_carried = self._carries or text == _forms_of(self._own.encode())[-1]
            return FragmentResult(
                FragmentStatus.FOUND_AFTER_REDIRECT if is_carried else FragmentStatus.LOST_IN_REDIRECT, redirected_to
            )
        script = self._script_that_knows(text, redirects=not redirected_to)
        if script is not None:
            return FragmentResult(FragmentStatus.ONLY_IN_SCRIPT, script=script.name)
        if final.facts.is_generated:
            return FragmentResult(FragmentStatus.NOT_CHECKED)
        return FragmentResult(FragmentStatus.NOT_FOUND, redirected_to, final.suggestions.suggest(text))

    def _has_lines(self, lines: re.Match[str]) -> bool:
        prefix, first, last = lines.groups()
        last = last if last.startswith(prefix) else prefix + last
        return {(prefix + first).encode(), last.encode()} <= self._target.ids

    def _script_that_knows(self, fragment: str, *, redirects: bool) -> Script | None:
        """The first script of the page that may handle the fragment; None for none.

        `redirects`: whether a script that navigates also counts.
        """
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
    """Follow a chain of redirect pages.

    Returns the number of the last page, whether all pages pass the fragment on, and the fragment that the last redirect
    sets. The number is the page's own if it does not redirect, and None if the chain leaves the tree or is a circle.
    """
    passes_fragment_on = True
    own = ""
    for _ in range(_HOPS + 1):
        page = facts.get(number)
        if page is None or not _has_ids(page):
            return None, passes_fragment_on, own
        if page.redirect is None:
            return number, passes_fragment_on, own
        number, own = page.redirect.number, page.redirect.fragment
        passes_fragment_on = passes_fragment_on and page.redirect.passes_fragment_on
    return None, passes_fragment_on, own


def _has_ids(page: PageFacts | None) -> bool:
    """Whether fragments in a file refer to IDs of a page that was read."""
    return (
        page is not None
        and not page.unread
        and page.media_type not in DATA_TYPES
        and DOCUMENT_KINDS.get(page.media_type) in {"html", "xml", "markdown"}
    )
