"""The retrieval URL of a saved page, the source that states it, and the sources that it overrules.

In order of precedence, the sources are: the caller; the container; the saver's mark in the page; the saver's index; the
folders' names; the page's canonical URL, and what a mark lets guess (both only on request, since they are guesses);
the URL that the caller gave for the whole tree; and what an archive left in the page's links, some of it a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from linkfix.constraints import check, choices
from linkfix.document.base import as_base, establish
from linkfix.errors import InvalidBase
from linkfix.files.folder import URL_OF_TREE, FileTree
from linkfix.model import PAGE_TYPES, Envelope, Problem, Saver
from linkfix.resolvers import RESOLVERS
from linkfix.saved.captures import origin_of
from linkfix.saved.claims import (
    CALLER,
    CONTAINER,
    INDEX,
    LAYOUT,
    TREE,
    Claim,
    canonical_claims,
    captured_claims,
    drop_url_of_tree,
    fault_of,
    guessed_claims,
    mark_claims,
    problems_of,
    rejected_candidates,
)
from linkfix.saved.companion_pages import CompanionPage, CompanionPages
from linkfix.saved.layout import locate
from linkfix.saved.links import (
    ArchivedPage,
    FilesBeside,
    HTTrackPage,
    MirrorPage,
    OwnFiles,
    TeleportReferences,
    WgetPage,
)
from linkfix.saved.markers import HEAD_SIZE, FoundMark, find_marks, original_bases, original_urls
from linkfix.saved.memory import Memory
from linkfix.saved.neighbours import ArchiveMember, Neighbours, Surroundings
from linkfix.saved.page import SavedPage

if TYPE_CHECKING:
    from linkfix.saved.url_map import UrlMap

__all__ = ["LAYOUTS", "Retrieval"]

LAYOUTS = choices("layout")

#: The URLs of frames that have none: they inherit the base of their container document (HTML §2.4.3).
_FRAMES = frozenset({"about:srcdoc", "about:blank"})
_NO_SAVER = Envelope().saver
#: What savers that keep files beside a page do to references.
_WITH_FILES = frozenset({"folder", "dotted", "beside"})


class Retrieval:
    """Finds the retrieval URLs of a run's documents. It remembers files beside them: have one for each process.

    `url`: the one given for a single document. `url_map`: see `UrlMap.load`. `layout`: the program whose names of
    folders are read, one of `LAYOUTS`, or None. `trust_canonical`: a page's `link rel=canonical` or `og:url`, or what
    an archive left and lets guess, counts where nothing better is known. The URL of a tree is `FileTree.url`.

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
        check("layout", layout)
        check("trust_canonical", trust_canonical)
        if url is not None and fault_of(url):
            message = f"{url!r}: {fault_of(url)}; give one as https://host/path"
            raise InvalidBase(message)
        self.url = url
        self.url_map = url_map
        self.layout = layout
        self.trust_canonical = trust_canonical
        self._neighbours = Neighbours(layout)
        self._companions = CompanionPages(self._neighbours)
        self._urls: Memory[str | None] = Memory()
        self._silent_folders: Memory[bool] = Memory()

    def __reduce__(self) -> tuple[Callable[[], Retrieval], tuple[()]]:
        make = partial(
            Retrieval,
            url=self.url,
            url_map=self.url_map,
            layout=self.layout,
            trust_canonical=self.trust_canonical,
        )
        return make, ()

    def envelope(  # noqa: PLR0913, PLR0917 - what is known of a document
        self,
        tree: FileTree | None,
        name: str,
        data: bytes,
        media_type: str,
        known: Envelope | None = None,
        member: ArchiveMember | None = None,
    ) -> tuple[Envelope, tuple[Problem, ...]]:
        """The envelope of a document, and the problems of its sources.

        `tree`, `name`: where the file is; None, and a name for messages, where it is in no tree. `data`: all its bytes,
        in which problems are located. `known`: what its container says of it. Where that is a URL, references are not
        mapped by what a saver did, except in an archive of files. `member`: where it is in such an archive.
        """
        known = known or Envelope(media_type=media_type or None)
        page = SavedPage(data)
        marks = find_marks(page.data) if media_type in PAGE_TYPES else []
        plain = None if marks or member is not None else self._plain_envelope(tree, name, known)
        if plain is not None:
            return plain, ()
        outer = self._companions.page_of(tree, name) if tree else None
        framing = self._framing_envelope(outer, marks)
        claims = list(self._caller_claims(tree, name))
        if framing is not None and known.url is None:
            base = establish([], framing, RESOLVERS["whatwg"])
            where = f"the page that this frame was saved with ({base.where})"
            known = replace(known, base=base.url, where=where, parent=framing)
        else:
            claims += self._other_claims(tree, name, page, media_type, marks, known)
        if outer is not None:
            claims = [drop_url_of_tree(claim, outer) for claim in claims]
        if framing is None and all(claim.fault for claim in claims):
            claims += captured_claims(page, media_type, marks, is_trusted=self.trust_canonical)
        chosen = next((claim for claim in claims if not claim.fault), None)
        url = chosen.url if chosen else None
        if chosen is not None and chosen.source != CALLER:  # normalized, it is absolute by every specification
            url = RESOLVERS["whatwg"].normalize(chosen.url)
        envelope = replace(known, url=url, rejected=(*known.rejected, *rejected_candidates(claims, chosen)))
        if chosen is not None and chosen.source != CONTAINER and not known.base:
            envelope = replace(envelope, where=chosen.where)
        if member is not None:
            envelope = replace(envelope, saver=_saver_in_archive(known.saver, page, marks, member))
        elif known.url is None and known.saver.map_reference is None:
            saver = self._saver(tree, name, page, marks, envelope.url)
            if saver.map_reference is None and tree is not None and outer is not None:
                saver = Saver(outer.mark.saver, map_reference=FilesBeside(self._neighbours.surroundings(tree, name)))
            envelope = replace(envelope, saver=saver)
        return envelope, tuple(problems_of(page, claims, chosen))

    # Sources

    def _plain_envelope(self, tree: FileTree | None, name: str, known: Envelope) -> Envelope | None:
        """The envelope of a document without marks that is in no archive of files, where there is nothing to weigh."""
        if tree is None:
            return known if self._only_container_states_url(known) else None
        if not self._only_tree_states_url(tree, name, known):
            return None
        # `replace` takes as long as all the rest of this. `_only_tree_states_url` knows that there is no more.
        url = _normalized(tree, name)
        return Envelope(url, known.charset, known.media_type, where=URL_OF_TREE, default=known.default)

    def _only_container_states_url(self, known: Envelope) -> bool:
        """Whether, of all sources but a document's own bytes, its container alone states a URL, and states it as it is
        normalized: as it is with most documents of archives.
        """
        url = known.url
        if url is None or self.url is not None or self.url_map is not None or self.trust_canonical:
            return False
        return url.startswith(("http://", "https://")) and as_base(url, RESOLVERS["whatwg"]) == url

    def _only_tree_states_url(self, tree: FileTree, name: str, known: Envelope) -> bool:
        """Whether, of all sources but a document's own bytes, the URL of its tree alone can state one for it.

        It is so for most documents of most runs. Then there is nothing to weigh, and no saver.
        """
        if self.url is not None or self.url_map is not None or self.trust_canonical or tree.url is None:
            return False
        if known.url or known.base or known.parent is not None or known.inherits_base_element:
            return False
        if known.rejected or known.saver is not _NO_SAVER:
            return False
        folder = name.rpartition("/")[0]
        return self._silent_folders.get((tree.root, folder), lambda: self._is_silent(tree, name))

    def _is_silent(self, tree: FileTree, name: str) -> bool:
        """Whether the files and folders around a document state no URL. It is the same for all files of its folder."""
        neighbours = self._neighbours
        surrounded = self._companions.page_of(tree, name) or neighbours.mirror(tree, name)
        return surrounded is None and neighbours.place(tree, name) is None

    def _caller_claims(self, tree: FileTree | None, name: str) -> Iterator[Claim]:
        if self.url is not None:
            yield Claim(CALLER, self.url, "given for this document")
        row = self.url_map.find(tree, name) if self.url_map else None
        if row:
            yield Claim(CALLER, *row)

    def _other_claims(  # noqa: PLR0913, PLR0917 - everything that can state a URL
        self,
        tree: FileTree | None,
        name: str,
        page: SavedPage,
        media_type: str,
        marks: list[FoundMark],
        known: Envelope,
    ) -> Iterator[Claim]:
        """The claims of all sources but the caller, in order of precedence."""
        if known.url:
            yield Claim(CONTAINER, known.url, known.where or "the container", fault_of(known.url))
        exact = list(mark_claims(page, marks))
        yield from exact
        if tree is not None:
            yield from self._neighbour_claims(tree, name)
        if self.trust_canonical:
            yield from canonical_claims(page, media_type)
        if not any(claim.is_archive for claim in exact):
            yield from guessed_claims(page, marks, is_trusted=self.trust_canonical)
        in_tree = tree.url_of(name) if tree is not None else None
        if in_tree:
            yield Claim(TREE, in_tree, URL_OF_TREE, is_exact=False)

    def _neighbour_claims(self, tree: FileTree, name: str) -> Iterator[Claim]:
        """The claims of the files and folders around a document."""
        mirror = self._neighbours.mirror(tree, name)
        row = mirror.row(name) if mirror else None
        if mirror and row:
            yield Claim(INDEX, row[0], f"{mirror.listing.path}, line {row[1]}", fault_of(row[0]))
        place = self._neighbours.place(tree, name)
        if place:
            where = f"the names that {place.layout} gives to folders and files"
            yield Claim(LAYOUT, place.url, where, fault_of(place.url), is_exact=False)

    def url_of(self, tree: FileTree, name: str) -> str | None:
        """The URL of another file of a tree, by all sources but its canonical URL and the URL of the tree."""

        def find() -> str | None:
            return next((claim.url for claim in self._file_claims(tree, name) if not claim.fault), None)

        return self._urls.get((tree.root, name), find)

    def _file_claims(self, tree: FileTree, name: str) -> Iterator[Claim]:
        """The claims for another file. HTTrack's index states what its mark does, and spares reading the file."""
        yield from self._caller_claims(tree, name)
        claims = list(self._neighbour_claims(tree, name))
        yield from (claim for claim in claims if claim.source == INDEX)
        try:
            with tree.open(name) as file:
                page = SavedPage(file.read(HEAD_SIZE))
        except OSError:
            return
        yield from mark_claims(page, find_marks(page.data))
        yield from claims

    def _framing_envelope(self, page: CompanionPage | None, marks: list[FoundMark]) -> Envelope | None:
        """The envelope of the page with which a frame without a URL was saved; None for another document."""
        if page is None or not any(one.value.url.lower() in _FRAMES for one in marks):
            return None
        outer = Retrieval(url_map=self.url_map, layout=self.layout)
        outer._neighbours = self._neighbours
        return outer.envelope(page.tree, page.name, page.head(), "text/html")[0]

    # Savers

    def _saver(
        self, tree: FileTree | None, name: str, page: SavedPage, marks: list[FoundMark], url: str | None
    ) -> Saver:
        found = next((one for one in marks if one.links), None)
        if found is not None and found.links in _WITH_FILES:
            around = self._neighbours.surroundings(tree, name) if tree else Surroundings()
            return _saver_of_files(found, page, around)
        if found is not None and found.links == "attribute":
            return Saver(found.mark.saver, map_reference=TeleportReferences(original_urls(page.data)))
        guess = next((one for one in marks if one.value.guess), None)
        origin = origin_of(guess.value.url) if guess else ""
        if guess and origin and not (url or "").startswith(origin):
            return Saver(guess.mark.saver, map_reference=ArchivedPage(origin))
        if tree is None:
            return Saver()
        exists = partial(self._neighbours.exists, tree)
        mirror, place = self._neighbours.mirror(tree, name), self._neighbours.place(tree, name)
        url = RESOLVERS["whatwg"].normalize(url) if url else None
        url_of = partial(self.url_of, tree)
        if found is not None or mirror or (place and place.layout == "httrack"):
            location = place.location if place else locate(tree.root, name, "httrack")
            return Saver("HTTrack", map_reference=HTTrackPage(MirrorPage(name, url, location, exists, url_of), mirror))
        if place:
            is_converted = self._is_converted(tree, name, page)
            mirrored = MirrorPage(name, url, place.location, exists, url_of)
            return Saver("wget", map_reference=WgetPage(mirrored, is_converted))
        return Saver()

    def _is_converted(self, tree: FileTree, name: str, page: SavedPage) -> bool:
        """Whether `wget -k` is known to have converted a page's links: -K kept the original, or a BASE is empty."""
        originals = (f"{name}.orig", f"{name.removesuffix('.html')}.orig")
        return any(self._neighbours.exists(tree, one) for one in originals) or b'<base href=""' in page.data[:HEAD_SIZE]


def _normalized(tree: FileTree, name: str) -> str | None:
    """The URL of a file of a tree that has one, normalized."""
    whatwg = RESOLVERS["whatwg"]
    url = tree.url_of(name)
    if url is None or ("?" not in name and tree.url is not None and _keeps_names(tree.url)):
        return url
    return whatwg.normalize(url)


@lru_cache(maxsize=64)
def _keeps_names(url: str) -> bool:
    """Whether the URL of a tree is normalized, and so are the paths below it that `FileTree.url_of` gives: what it does
    not escape, the URL standard's parser does not either, and no file is called "." or "..".
    """
    return url.startswith(("http://", "https://")) and url.endswith("/") and RESOLVERS["whatwg"].normalize(url) == url


def _saver_of_files(found: FoundMark, page: SavedPage, around: Surroundings) -> Saver:
    """What a saver that keeps files beside a page did to the page."""
    mark = found.mark
    if mark.links == "folder":
        own = OwnFiles(around, only_dotted=found.links == "dotted")
        return Saver(mark.saver, mark.own_bases, original_bases(page), own, own.is_missing)
    beside = FilesBeside(around)
    return Saver(mark.saver, map_reference=beside, is_missing=beside.is_missing)


def _saver_in_archive(archive: Saver, page: SavedPage, marks: list[FoundMark], member: ArchiveMember) -> Saver:
    """What the program did that made an archive of files, after the one that saved the page."""
    found = next((one for one in marks if one.links in _WITH_FILES), None)
    if found is None:
        return archive
    saver = _saver_of_files(found, page, Surroundings.in_archive(member))

    def map_reference(reference: str, base: str | None) -> str | None:
        for one in (archive.map_reference, saver.map_reference):
            mapped = one(reference, base) if one is not None else None
            if mapped is not None:
                return mapped
        return None

    return replace(saver, map_reference=map_reference)
