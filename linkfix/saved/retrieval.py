"""The retrieval URL of a saved page, the source that states it, and the sources that it overrules.

In order of precedence, the sources are: the caller; the container; the saver's mark in the page; the saver's index; the
folders' names; the page's canonical URL (only on request, since no specification allows it); and the URL that the
caller gave for the whole tree.
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
from linkfix.model import PAGE_TYPES, Candidate, Envelope, Layer, Problem, Saver
from linkfix.resolvers import RESOLVERS
from linkfix.saved.canonical import stated_urls
from linkfix.saved.layout import locate
from linkfix.saved.links import FilesBeside, HTTrackPage, OwnFiles, TeleportReferences, WgetPage
from linkfix.saved.markers import HEAD_SIZE, FoundMark, find_marks, original_bases, original_urls
from linkfix.saved.memory import Memory
from linkfix.saved.neighbours import Neighbours
from linkfix.saved.page import SavedPage
from linkfix.saved.url_map import UrlMap

__all__ = ["LAYOUTS", "Retrieval"]

LAYOUTS = ("wget", "httrack", "auto")

#: The URLs of frames that have none: they inherit the base of their container document (HTML §2.4.3).
_FRAMES = frozenset({"about:srcdoc", "about:blank"})
#: How browsers name the folder of a page's frames, and the suffixes that the page may have.
_FILES, _SUFFIXES = "_files", (".html", ".htm", ".xhtml")
#: The sources in order of precedence, as messages name them.
_CALLER, _CONTAINER, _MARK, _INDEX = "the caller's URL", "the container", "the saver's mark", "the saver's index"
_LAYOUT, _CANONICAL, _TREE = "the layout of the folders", "the page's canonical URL", "the URL of the tree"


class _Claim(NamedTuple):
    """The URL that one source states for a document."""

    source: str
    """One of the names above."""
    url: str
    where: str
    """Where the source states it, in words."""
    fault: str = ""
    """Why it cannot count; "" for none."""
    is_exact: bool = True
    """Whether the source states the URL, which otherwise follows from the file's location."""
    is_guessed: bool = False
    """Whether its scheme is assumed."""
    start: int = -1
    """Where it is in the page, in bytes; -1 for elsewhere."""


def _fault(url: str) -> str:
    """Why a URL cannot be a page's, or "". One with an opaque path is no base (URL standard §4.4, no scheme state)."""
    whatwg = RESOLVERS["whatwg"]
    if whatwg.normalize(url) is None:
        return "not an absolute URL"
    if whatwg.resolve(url, "x").target is None:
        return f"references cannot be relative to a {url.strip().partition(':')[0].lower()}: URL"
    return ""


def _disagree(one: _Claim, other: _Claim) -> bool:
    """Whether two claims cannot both be right. A file's location tells the host surely and the path only nearly; a
    page's canonical URL may differ from its own.
    """
    if _CANONICAL in {one.source, other.source}:
        return False
    first, second = (RESOLVERS["whatwg"].normalize(source.url) or "" for source in (one, other))
    if not (one.is_exact and other.is_exact):
        return urlsplit(first).netloc != urlsplit(second).netloc
    pages = [url.partition("#")[0] for url in (first, second)]
    if one.is_guessed or other.is_guessed:
        pages = [url.partition(":")[2] for url in pages]
    return pages[0] != pages[1]


def _mark_claims(page: SavedPage, marks: list[FoundMark]) -> Iterator[_Claim]:
    for mark, value, start in marks:
        if value.url:
            where = f"{mark.saver}'s mark in {page.position_text(start)}"
            fault = value.fault or _fault(value.url)
            yield _Claim(_MARK, value.url, where, fault, is_guessed=value.is_guessed, start=start)


def _rejected_candidates(claims: list[_Claim], chosen: _Claim | None) -> tuple[Candidate, ...]:
    """The claims that were not chosen, each with the reason."""
    rejected = []
    for claim in claims:
        if claim is not chosen:
            first = "" if chosen is None else chosen.where if claim.source == chosen.source else chosen.source
            reason = claim.fault or f"{first} comes first"
            rejected.append(Candidate(Layer.RETRIEVAL, claim.url, claim.where, reason, claim.start))
    return tuple(rejected)


def _problems(page: SavedPage, claims: list[_Claim], chosen: _Claim | None) -> Iterator[Problem]:
    for claim in claims:
        if claim.fault and claim.source in {_MARK, _INDEX}:
            yield page.problem("marker-bad", f"{claim.where}: {claim.url!r}: {claim.fault}", max(claim.start, 0))
        elif chosen is not None and not claim.fault and _disagree(chosen, claim):
            detail = f"{chosen.where}: {chosen.url}; {claim.where}: {claim.url}"
            yield page.problem("sources-disagree", detail, max(chosen.start, claim.start, 0))


class Retrieval:
    """Finds the retrieval URLs of a run's documents. It remembers files beside them: have one for each process.

    `url`: the one given for a single document. `url_map`: see `UrlMap.load`. `layout`: the program whose names of
    folders are read, one of `LAYOUTS`, or None. `trust_canonical`: a page's `link rel=canonical` or `og:url` counts
    where nothing better is known. The URL of a tree is `FileTree.url`.

    Raises `InvalidOption` and `InvalidBase`.
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
        self._urls: Memory[str | None] = Memory()

    def __reduce__(self) -> tuple[Callable[[], Retrieval], tuple[()]]:
        make = partial(
            Retrieval,
            url=self.url,
            url_map=self.url_map,
            layout=self.layout,
            trust_canonical=self.trust_canonical,
        )
        return make, ()

    def envelope(
        self, tree: FileTree | None, name: str, data: bytes, media_type: str, known: Envelope | None = None
    ) -> tuple[Envelope, tuple[Problem, ...]]:
        """The envelope of a document, and the problems of its sources.

        `tree`, `name`: where the file is; None, and a name for messages, where it is in no tree. `data`: all its bytes,
        in which problems are located. `known`: what its container says of it. Where that is a URL, references are not
        mapped by what a saver did.
        """
        known = known or Envelope(media_type=media_type or None)
        page = SavedPage(data)
        marks = find_marks(page.data) if media_type in PAGE_TYPES else []
        framing = self._framing_envelope(tree, name, marks)
        claims = list(self._caller_claims(tree, name))
        if framing is not None and known.url is None:
            base = establish([], framing, RESOLVERS["whatwg"])
            where = f"the page that this frame was saved with ({base.where})"
            known = replace(known, base=base.url, where=where, parent=framing)
        else:
            claims += self._other_claims(tree, name, page, media_type, marks, known)
        chosen = next((claim for claim in claims if not claim.fault), None)
        url = chosen.url if chosen else None
        if chosen is not None and chosen.source != _CALLER:  # normalized, it is absolute by every specification
            url = RESOLVERS["whatwg"].normalize(chosen.url)
        envelope = replace(known, url=url, rejected=(*known.rejected, *_rejected_candidates(claims, chosen)))
        if chosen is not None and chosen.source != _CONTAINER and not known.base:
            envelope = replace(envelope, where=chosen.where)
        if known.url is None and known.saver.map_reference is None:
            envelope = replace(envelope, saver=self._saver(tree, name, page, marks, envelope.url))
        return envelope, tuple(_problems(page, claims, chosen))

    # Sources

    def _caller_claims(self, tree: FileTree | None, name: str) -> Iterator[_Claim]:
        if self.url is not None:
            yield _Claim(_CALLER, self.url, "given for this document")
        row = self.url_map.find(tree, name) if self.url_map else None
        if row:
            yield _Claim(_CALLER, *row)

    def _other_claims(  # noqa: PLR0913, PLR0917 - everything that can state a URL
        self,
        tree: FileTree | None,
        name: str,
        page: SavedPage,
        media_type: str,
        marks: list[FoundMark],
        known: Envelope,
    ) -> Iterator[_Claim]:
        """The claims of all sources but the caller, in order of precedence."""
        if known.url:
            yield _Claim(_CONTAINER, known.url, known.where or "the container", _fault(known.url))
        yield from _mark_claims(page, marks)
        if tree is not None:
            yield from self._neighbour_claims(tree, name)
        if self.trust_canonical and media_type in PAGE_TYPES:
            for url, where, start in stated_urls(page.original, media_type):
                yield _Claim(_CANONICAL, url, f"{where}: no specification makes it a base", _fault(url), start=start)
        in_tree = tree.url_of(name) if tree is not None else None
        if in_tree:
            yield _Claim(_TREE, in_tree, "the URL given for the tree, and the file's name", is_exact=False)

    def _neighbour_claims(self, tree: FileTree, name: str) -> Iterator[_Claim]:
        """The claims of the files and folders around a document."""
        mirror = self._neighbours.mirror(tree, name)
        row = mirror.row(name) if mirror else None
        if mirror and row:
            yield _Claim(_INDEX, row[0], f"{mirror.listing.path}, line {row[1]}", _fault(row[0]))
        place = self._neighbours.place(tree, name)
        if place:
            where = f"the names that {place.layout} gives to folders and files"
            yield _Claim(_LAYOUT, place.url, where, _fault(place.url), is_exact=False)

    def url_of(self, tree: FileTree, name: str) -> str | None:
        """The URL of another file of a tree, by all sources but its canonical URL and the URL of the tree."""

        def find() -> str | None:
            return next((claim.url for claim in self._file_claims(tree, name) if not claim.fault), None)

        return self._urls.get((tree.root, name), find)

    def _file_claims(self, tree: FileTree, name: str) -> Iterator[_Claim]:
        """The claims for another file. HTTrack's index states what its mark does, and spares reading the file."""
        yield from self._caller_claims(tree, name)
        claims = list(self._neighbour_claims(tree, name))
        yield from (claim for claim in claims if claim.source == _INDEX)
        try:
            with tree.open(name) as file:
                page = SavedPage(file.read(HEAD_SIZE))
        except OSError:
            return
        yield from _mark_claims(page, find_marks(page.data))
        yield from claims

    def _framing_envelope(self, tree: FileTree | None, name: str, marks: list[FoundMark]) -> Envelope | None:
        """The envelope of the page with which a frame without a URL was saved; None for another document."""
        folder, _, _ = name.rpartition("/")
        if tree is None or not folder.endswith(_FILES) or not any(one.value.url.lower() in _FRAMES for one in marks):
            return None
        names = [folder.removesuffix(_FILES) + suffix for suffix in _SUFFIXES]
        page = next((one for one in names if self._neighbours.exists(tree, one)), None)
        if page is None:
            return None
        try:
            with tree.open(page) as file:
                head = file.read(HEAD_SIZE)
        except OSError:
            return None
        outer = Retrieval(url_map=self.url_map, layout=self.layout)
        outer._neighbours = self._neighbours
        return outer.envelope(tree, page, head, "text/html")[0]

    # Savers

    def _saver(
        self, tree: FileTree | None, name: str, page: SavedPage, marks: list[FoundMark], url: str | None
    ) -> Saver:
        found = next((one for one in marks if one.mark.links), None)
        exists: Callable[[str], bool] = partial(self._neighbours.exists, tree) if tree else _has_no_file
        file = name if tree else ""
        if found is not None and found.mark.links == "folder":
            return Saver(found.mark.saver, found.mark.own_bases, original_bases(page), OwnFiles(file, exists))
        if found is not None and found.mark.links == "beside":
            return Saver(found.mark.saver, map_reference=FilesBeside(file, exists))
        if found is not None and found.mark.links == "attribute":
            return Saver(found.mark.saver, map_reference=TeleportReferences(original_urls(page.data)))
        if tree is None:
            return Saver()
        mirror, place = self._neighbours.mirror(tree, name), self._neighbours.place(tree, name)
        url = RESOLVERS["whatwg"].normalize(url) if url else None
        url_of = partial(self.url_of, tree)
        if found is not None or mirror or (place and place.layout == "httrack"):
            location = place.location if place else locate(tree.root, name, "httrack")
            return Saver("HTTrack", map_reference=HTTrackPage(name, url, location, exists, url_of, mirror))
        if place:
            is_converted = self._is_converted(tree, name, page)
            return Saver("wget", map_reference=WgetPage(name, url, place.location, exists, url_of, is_converted))
        return Saver()

    def _is_converted(self, tree: FileTree, name: str, page: SavedPage) -> bool:
        """Whether `wget -k` is known to have converted a page's links: -K kept the original, or a BASE is empty."""
        originals = (f"{name}.orig", f"{name.removesuffix('.html')}.orig")
        return any(self._neighbours.exists(tree, one) for one in originals) or b'<base href=""' in page.data[:HEAD_SIZE]


def _has_no_file(_: str) -> bool:
    return False
