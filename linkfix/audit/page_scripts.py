"""The scripts of a page, as far as they say which fragments it has when they have run.

What a script does is not known without running it. Taken as signs are the strings in it, and that it reads the
fragment: then what looks like a route is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache

from linkfix.audit.listing import PageFile
from linkfix.audit.mounts import MountedFolder
from linkfix.audit.site import DestinationKind, Site
from linkfix.document.document import Document
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath
from linkfix.lazy import lazy_pattern

__all__ = ["PageScripts", "Script"]

#: How many scripts that pages share are kept at a time.
_CACHED = 16
#: A script navigates.
_MOVES = lazy_pattern(r"\blocation(?:\.href)?\s*=(?![=>])|\blocation\.(?:replace|assign)\s*\(")
#: A script follows the fragment as it changes, or reads it.
_FOLLOWS = lazy_pattern(r"\b(?:hashchange|location\s*\.\s*hash|popstate)\b")
#: A script gives an element that ID: `e.id = "x"`, `setAttribute("id", "x")`, `{id: "x"}`, `"<p id='x'>"`.
_SET_ID = lazy_pattern(r"""(?:\.id\s*=\s*|["'`]id["'`]\s*,\s*|\bid\s*[:=]\s*\\?)["'`]([^"'`\\<>\s]++)""")


class Script:
    """A script of a page. `name`: of its file in the tree; "" for one that is in the page itself. `text`: its code."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self._text = text

    @cached_property
    def follows_fragment(self) -> bool:
        """Whether it reads the fragment."""
        return _FOLLOWS.search(self._text) is not None

    @cached_property
    def sends_on(self) -> bool:
        """Whether it reads the fragment and navigates."""
        return "location.hash" in self._text and _MOVES.search(self._text) is not None

    def knows(self, fragment: str) -> bool:
        """Whether a string of it is the fragment, or an ID that it gives an element."""
        return fragment in self._names

    @cached_property
    def _names(self) -> frozenset[str]:
        """Of a file, the IDs that it sets, no more: libraries have all words. Of the page's own scripts, strings that
        are fragments, and all where they read the fragment.
        """
        text = self._text
        if self.name:
            return frozenset(_SET_ID.findall(text))
        strings = {string for quote in "\"'`" for string in text.split(quote)[1:-1]}
        fragments = frozenset(string[1:] for string in strings if string.startswith("#"))
        return fragments | strings if "hash" in text else fragments


class PageScripts:
    """The scripts of the pages of one tree: those in a page, and the files of the tree that it loads."""

    def __init__(self, site: Site, pages: Mapping[str, PageFile], mounts: Sequence[MountedFolder], limit: int) -> None:
        self._site = site
        self._pages = pages
        self._mounts = mounts
        self._limit = limit
        self._script = lru_cache(maxsize=_CACHED)(self._read_script)

    def of(self, name: str) -> list[Script]:
        """The scripts of a page; none where it cannot be read."""
        page = self._pages[name]
        if page.media_type == "text/markdown":
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
    """The text of the scripts in a page."""
    lower = data.lower()
    pieces = []
    end = 0
    while (start := lower.find(b"<script", end)) >= 0 and (start := lower.find(b">", start)) >= 0:
        end = lower.find(b"</script", start)
        if end < 0:
            end = len(data)
        pieces.append(data[start + 1 : end])
    return b"\n".join(pieces).decode("utf-8", "replace")
