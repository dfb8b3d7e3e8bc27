"""The ladder of the retrieval layer: which URL a saved page came from, how that is known, and what the others said.

Given by the caller, then the container, the saver's mark in the page, the saver's index, the folders' names, what the
page says of itself (only on request: no specification allows it), and the URL that the caller gave for all the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

from linkfix.document.base import establish
from linkfix.errors import InvalidBase, InvalidOption
from linkfix.files.folder import FileTree
from linkfix.model import Candidate, Envelope, Layer, Problem, Saver
from linkfix.resolvers import RESOLVERS
from linkfix.saved.canonical import stated_urls
from linkfix.saved.layout import locate
from linkfix.saved.links import FilesBeside, HTTrackMirrorPage, OwnFiles, TeleportReferences, WgetMirror
from linkfix.saved.markers import HEAD_SIZE, FoundMark, find_marks, original_bases, original_urls
from linkfix.saved.neighbours import Neighbours
from linkfix.saved.page import SavedPage
from linkfix.saved.url_map import UrlMap

__all__ = ["LAYOUTS", "Retrieval"]

LAYOUTS = ("wget", "httrack", "auto")

#: The media types of pages in which savers leave marks.
_PAGES = frozenset({"text/html", "application/xhtml+xml"})
#: Frames without a URL: their container document's base is theirs (HTML §2.4.3, "fallback base URL").
_FRAMES = frozenset({"about:srcdoc", "about:blank"})
#: What browsers put a page's frames into, and how its name may end.
_FILES, _SUFFIXES = "_files", (".html", ".htm", ".xhtml")
#: How many URLs of other files are remembered.
_REMEMBERED = 1 << 16
#: How the rungs are called, first to last.
_CALLER, _CONTAINER, _MARK, _INDEX = "what the caller gave", "the container", "the saver's mark", "the saver's index"
_LAYOUT, _CANONICAL, _TREE = "the layout of the folders", "what the page says of itself", "the URL of the tree"


class _Claim(NamedTuple):
    """A rung of the ladder that says something.

    `where`: in words. `fault`: why it cannot count, or "". `whole`: it states a URL, and does not follow from where the
    file is. `guessed`: its scheme is assumed. `start`: where in the page, or -1.
    """

    rung: str
    url: str
    where: str
    fault: str = ""
    whole: bool = True
    guessed: bool = False
    start: int = -1


def _fault(url: str) -> str:
    """Why no page can come from a URL, or "": one with an opaque path is no base (URL §4.4, no scheme state)."""
    whatwg = RESOLVERS["whatwg"]
    if whatwg.normalize(url) is None:
        return "not an absolute URL"
    if whatwg.resolve(url, "x").target is None:
        return f"references cannot be relative to a {url.strip().partition(':')[0].lower()}: URL"
    return ""


def _disagree(one: _Claim, other: _Claim) -> bool:
    """Whether two sources cannot both be right. A file's place tells the host, and the path only nearly; what a page
    calls its canonical URL may be another.
    """
    if _CANONICAL in {one.rung, other.rung}:
        return False
    first, second = (RESOLVERS["whatwg"].normalize(source.url) or "" for source in (one, other))
    if not (one.whole and other.whole):
        return urlsplit(first).netloc != urlsplit(second).netloc
    pages = [url.partition("#")[0] for url in (first, second)]
    if one.guessed or other.guessed:
        pages = [url.partition(":")[2] for url in pages]
    return pages[0] != pages[1]


def _marked(page: SavedPage, marks: list[FoundMark]) -> Iterator[_Claim]:
    for mark, reading, start in marks:
        if reading.url:
            where = f"{mark.saver}'s mark in {page.place(start)}"
            fault = reading.fault or _fault(reading.url)
            yield _Claim(_MARK, reading.url, where, fault, guessed=reading.guessed, start=start)


def _rejected(sources: list[_Claim], chosen: _Claim | None) -> tuple[Candidate, ...]:
    """All sources but the one that was chosen, each with the reason."""
    lost = []
    for source in sources:
        if source is not chosen:
            first = "" if chosen is None else chosen.where if source.rung == chosen.rung else chosen.rung
            reason = source.fault or f"{first} comes first"
            lost.append(Candidate(Layer.RETRIEVAL, source.url, source.where, reason, source.start))
    return tuple(lost)


def _problems(page: SavedPage, sources: list[_Claim], chosen: _Claim | None) -> Iterator[Problem]:
    for source in sources:
        if source.fault and source.rung in {_MARK, _INDEX}:
            yield page.problem("marker-bad", f"{source.where}: {source.url!r}: {source.fault}", max(source.start, 0))
        elif chosen is not None and not source.fault and _disagree(chosen, source):
            detail = f"{chosen.where}: {chosen.url}; {source.where}: {source.url}"
            yield page.problem("sources-disagree", detail, max(chosen.start, source.start, 0))


class Retrieval:
    """How retrieval URLs are found in a run; remembers what it read of the files beside: one for each process.

    `url`: of the one document that is asked about. `url_map`: see `UrlMap.load`. `layout`: whose folder names are read,
    one of `LAYOUTS`; None: nobody's. `trust_canonical`: a page's `link rel=canonical` or `og:url` counts where nothing
    better is known. The URL of a tree is the tree's own (`FileTree.url`).

    Raises InvalidOption and InvalidBase.
    """

    def __init__(
        self,
        *,
        url: str | None = None,
        url_map: UrlMap | None = None,
        layout: str | None = None,
        trust_canonical: bool = False,
    ) -> None:
        if layout is not None and layout not in LAYOUTS:
            message = f"layout={layout!r}: it is one of {', '.join(LAYOUTS)}"
            raise InvalidOption(message)
        if url is not None and _fault(url):
            message = f"{url!r}: {_fault(url)}; give one as https://host/path"
            raise InvalidBase(message)
        self.url = url
        self.url_map = url_map
        self.layout = layout
        self.trust_canonical = trust_canonical
        self._neighbours = Neighbours(layout)
        self._urls: dict[tuple[str, str], str | None] = {}

    def __reduce__(self) -> tuple[Callable[[], Retrieval], tuple[()]]:
        same = partial(
            Retrieval,
            url=self.url,
            url_map=self.url_map,
            layout=self.layout,
            trust_canonical=self.trust_canonical,
        )
        return same, ()

    def envelope(
        self, tree: FileTree | None, name: str, data: bytes, media_type: str, known: Envelope | None = None
    ) -> tuple[Envelope, tuple[Problem, ...]]:
        """The envelope of a document, and what is wrong with what was found.

        `tree`, `name`: where the file is; None, and a name for messages, where it is in no tree. `data`: all of it.
        `known`: what its container says of it: where that is the URL, what a saver did to the links is the document's
        own affair. Problems are in bytes of `data`.
        """
        known = known or Envelope(media_type=media_type or None)
        page = SavedPage(data)
        marks = find_marks(page.data) if media_type in _PAGES else []
        around = self._framing(tree, name, marks)
        sources = list(self._given(tree, name))
        if around is not None and known.url is None:
            base = establish([], around, RESOLVERS["whatwg"])
            where = f"the page that this frame was saved with ({base.where})"
            known = replace(known, base=base.url, where=where, parent=around)
        else:
            sources += self._found(tree, name, page, media_type, marks, known)
        chosen = next((source for source in sources if not source.fault), None)
        url = chosen.url if chosen else None
        if chosen is not None and chosen.rung != _CALLER:  # absolute by every specification, whatever it held
            url = RESOLVERS["whatwg"].normalize(chosen.url)
        envelope = replace(known, url=url, rejected=(*known.rejected, *_rejected(sources, chosen)))
        if chosen is not None and chosen.rung != _CONTAINER and not known.base:
            envelope = replace(envelope, where=chosen.where)
        if known.url is None and known.saver.map_reference is None:
            envelope = replace(envelope, saver=self._saver(tree, name, page, marks, envelope.url))
        return envelope, tuple(_problems(page, sources, chosen))

    # The ladder

    def _given(self, tree: FileTree | None, name: str) -> Iterator[_Claim]:
        if self.url is not None:
            yield _Claim(_CALLER, self.url, "given for this document")
        row = self.url_map.find(tree, name) if self.url_map else None
        if row:
            yield _Claim(_CALLER, *row)

    def _found(  # noqa: PLR0913, PLR0917 - all that can say something
        self,
        tree: FileTree | None,
        name: str,
        page: SavedPage,
        media_type: str,
        marks: list[FoundMark],
        known: Envelope,
    ) -> Iterator[_Claim]:
        """All but the caller that say where a document came from, the first first."""
        if known.url:
            yield _Claim(_CONTAINER, known.url, known.where or "the container", _fault(known.url))
        yield from _marked(page, marks)
        if tree is not None:
            yield from self._around(tree, name)
        if self.trust_canonical and media_type in _PAGES:
            for url, where, start in stated_urls(page.original, media_type):
                yield _Claim(_CANONICAL, url, f"{where}: no specification makes it a base", _fault(url), start=start)
        placed = tree.url_of(name) if tree is not None else None
        if placed:
            yield _Claim(_TREE, placed, "the URL given for the tree, and the file's name", whole=False)

    def _around(self, tree: FileTree, name: str) -> Iterator[_Claim]:
        """What the files and folders around a document say."""
        mirror = self._neighbours.mirror(tree, name)
        row = mirror.row(name) if mirror else None
        if mirror and row:
            yield _Claim(_INDEX, row[0], f"{mirror.listed.path}, line {row[1]}", _fault(row[0]))
        placed = self._neighbours.placed(tree, name)
        if placed:
            where = f"the names that {placed.layout} gives to folders and files"
            yield _Claim(_LAYOUT, placed.url, where, _fault(placed.url), whole=False)

    def url_of(self, tree: FileTree, name: str) -> str | None:
        """The URL of a file of a tree, from all but what the page says of itself and the URL of the tree."""
        key = (tree.root, name)
        if key not in self._urls:
            if len(self._urls) >= _REMEMBERED:
                self._urls.clear()
            sources = self._beside(tree, name)
            self._urls[key] = next((source.url for source in sources if not source.fault), None)
        return self._urls[key]

    def _beside(self, tree: FileTree, name: str) -> Iterator[_Claim]:
        """As `envelope` does it, but HTTrack's list, which says what its mark says, is asked before a file is read."""
        yield from self._given(tree, name)
        around = list(self._around(tree, name))
        yield from (source for source in around if source.rung == _INDEX)
        try:
            with open(tree.path(name), "rb") as file:
                page = SavedPage(file.read(HEAD_SIZE))
        except OSError:
            return
        yield from _marked(page, find_marks(page.data))
        yield from around

    def _framing(self, tree: FileTree | None, name: str, marks: list[FoundMark]) -> Envelope | None:
        """The envelope of the page that a frame without a URL was saved with, into that page's folder."""
        folder, _, _ = name.rpartition("/")
        if tree is None or not folder.endswith(_FILES) or not any(one.reading.url.lower() in _FRAMES for one in marks):
            return None
        names = [folder.removesuffix(_FILES) + suffix for suffix in _SUFFIXES]
        page = next((one for one in names if self._neighbours.exists(tree, one)), None)
        if page is None:
            return None
        try:
            with open(tree.path(page), "rb") as file:
                head = file.read(HEAD_SIZE)
        except OSError:
            return None
        outer = Retrieval(url_map=self.url_map, layout=self.layout)
        outer._neighbours = self._neighbours
        return outer.envelope(tree, page, head, "text/html")[0]

    # What the saver did

    def _saver(
        self, tree: FileTree | None, name: str, page: SavedPage, marks: list[FoundMark], url: str | None
    ) -> Saver:
        found = next((one for one in marks if one.mark.links), None)
        exists: Callable[[str], bool] = partial(self._neighbours.exists, tree) if tree else _nowhere
        place = name if tree else ""
        if found is not None and found.mark.links == "folder":
            return Saver(found.mark.saver, found.mark.own_bases, original_bases(page), OwnFiles(place, exists))
        if found is not None and found.mark.links == "beside":
            return Saver(found.mark.saver, map_reference=FilesBeside(place, exists))
        if found is not None and found.mark.links == "attribute":
            return Saver(found.mark.saver, map_reference=TeleportReferences(original_urls(page.data)))
        if tree is None:
            return Saver()
        mirror, placed = self._neighbours.mirror(tree, name), self._neighbours.placed(tree, name)
        url = RESOLVERS["whatwg"].normalize(url) if url else None
        url_of = partial(self.url_of, tree)
        if found is not None or mirror or (placed and placed.layout == "httrack"):
            location = placed.location if placed else locate(tree.root, name, "httrack")
            return Saver("HTTrack", map_reference=HTTrackMirrorPage(name, url, location, exists, url_of, mirror))
        if placed:
            converted = self._is_converted(tree, name, page)
            return Saver("wget", map_reference=WgetMirror(name, url, placed.location, exists, url_of, converted))
        return Saver()

    def _is_converted(self, tree: FileTree, name: str, page: SavedPage) -> bool:
        """Whether `wget -k` is known to have made links lead to files: -K kept the original, or a BASE is empty."""
        originals = (f"{name}.orig", f"{name.removesuffix('.html')}.orig")
        return any(self._neighbours.exists(tree, one) for one in originals) or b'<base href=""' in page.data[:HEAD_SIZE]


def _nowhere(_: str) -> bool:
    return False
