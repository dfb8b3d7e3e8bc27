"""The retrieval URL of a saved page or of a folder, the source that states it, and the sources that it overrules.

The sources in order of precedence:

1. the caller
2. the container
3. the saver's mark in the page
4. the saver's index
5. the names of the folders
6. the page's canonical URL, and a URL that a mark implies: both only on request, since they are guesses
7. the URL that the caller gave for the whole tree
8. the page's links that an archive rewrote: partly a guess
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple, get_args
from urllib.parse import urlsplit

from linkfix.constraints import check
from linkfix.document.base import as_base, establish
from linkfix.errors import InvalidBase
from linkfix.files.folder import URL_OF_TREE, FileTree
from linkfix.html.places import place_at
from linkfix.lazy import lazy_pattern
from linkfix.model import PAGE_TYPES, ArchivedLinks, Candidate, Envelope, Layer, Layout, Problem, Saver
from linkfix.resolvers import RESOLVERS
from linkfix.saved.captures import (
    ArchiveCopy,
    ArchivedPage,
    FilesBeside,
    HTTrackPage,
    MirrorPage,
    OriginalLinks,
    OwnFiles,
    TeleportReferences,
    WgetPage,
    archive_name,
    capture_of,
    captured,
    complete_capture,
    guess_from_links,
    origin_of,
    stated_urls,
)
from linkfix.saved.markers import HEAD_SIZE, FoundMark, SavedPage, find_marks, original_bases, original_urls
from linkfix.saved.neighbours import (
    ArchiveMember,
    CompanionPage,
    HostFolder,
    SavedFolder,
    SavedTree,
    Surroundings,
    locate,
)

if TYPE_CHECKING:
    from linkfix.saved.url_map import UrlMap


# The claims of single sources about a document's retrieval URL, their order of precedence, and their contradictions.


#: The sources in order of precedence, as messages name them.
CALLER, CONTAINER, MARK, INDEX = (
    "the caller's URL",
    "the container",
    "the mark of the saving program",
    "the index of the saving program",
)

LAYOUT, _CANONICAL, TREE = "the layout of the folders", "the page's canonical URL", "the URL of the folder"

_GUESS, _CAPTURED = "a guess", "a link that an archive rewrote"

#: Sources whose URL may differ from the page's own URL.
_UNSURE = frozenset({_CANONICAL, _GUESS, _CAPTURED})

#: The fault of a guess if the caller did not ask for guesses.
_ONLY_A_GUESS = "a guess, used only with --trust-canonical"

#: A quick test for URLs of archives: a page without a match contains none.
_CAPTURED_URL = lazy_pattern(rb"/\d{14}(?:[a-z]{2}_)?/https?:")

#: Other traces of archives in comments and scripts: the Wayback Machine and OpenWayback; pywb.
_TRACES = lazy_pattern(
    rb"(?P<text><!--[\t\n\r ]{0,99}(?:FILE ARCHIVED ON|(?:Start|End) Wayback Rewrite JS Include"
    rb"|BEGIN WAYBACK TOOLBAR INSERT|WB Insert|End WB Insert))"
    rb"|(?P<script>archive_analytics|__w(?:m|bhack)\.init\(|_WBWombatInit)"
)

#: The evidence in the links of an archived page, in addition to its marks, as (evidence, the URL that it states). The
#: documentation uses the same words.
LINK_EVIDENCE = (
    ("a rewritten `link rel=canonical` or `og:url`, in a page with an archive's comments or other scripts", "the URL"),
    (
        "rewritten links to fragments of the page itself, with the same traces or on the host of `WB_wombat_Init(…)`",
        "a guess: the URL",
    ),
    (
        "other rewritten links, in a page with the same traces",
        "a guess: the root of the most frequent host; links without a host in the original page are preferred",
    ),
)

#: The maximum number of traces that are checked. Each check scans the page up to the trace.
_TRACES_READ = 8


def _has_traces(data: bytes) -> bool:
    """Whether a page has a URL of an archive, and another trace of an archive in a comment or script as expected."""
    if not _CAPTURED_URL.search(data):
        return False
    traces = islice(_TRACES.finditer(data), _TRACES_READ)
    return any(place_at(data, match.start()).kind == match.lastgroup for match in traces)


class Claim(NamedTuple):
    """The URL that one source states for a document."""

    source: str
    """The source's name, one of the constants above."""
    url: str
    where: str
    """The place where the source states the URL, in words."""
    fault: str = ""
    """The reason why the claim cannot count; "" if it can."""
    is_exact: bool = True
    """Whether the source states the URL. If not, the URL follows from the file's location."""
    assumes_scheme: bool = False
    """Whether the scheme of `url` is assumed."""
    is_archive: bool = False
    """Whether an archive states the URL. A browser may have saved the page under another URL of the archive."""
    start: int = -1
    """The byte offset of the claim in the page; -1 if it is not in the page."""


class Suggestion(NamedTuple):
    """A URL that a document may have, and that the options of a run do not allow."""

    url: str
    where: str
    """The place that states the URL, in words."""
    option: str
    """The option that allows it: "layout" or "trust_canonical"."""


@lru_cache(maxsize=16)  # the sources of one document state the same few URLs, and each is asked about several times
def _normalize(url: str) -> str | None:
    """Return the URL as browsers write it; None if it is not absolute."""
    return RESOLVERS["whatwg"].normalize(url)


@lru_cache(maxsize=16)
def fault_of(url: str) -> str:
    """Return the reason why a URL cannot be the URL of a page, or "".

    A URL with an opaque path is not a base (URL standard §4.4, no scheme state).
    """
    if _normalize(url) is None:
        return "not an absolute URL"
    if RESOLVERS["whatwg"].resolve(url, "x").target is None:
        return f"references cannot be relative to a {url.strip().partition(':')[0].lower()}: URL"
    return ""


def _disagree(one: Claim, other: Claim) -> bool:
    """Whether two claims contradict each other. A file's location determines the host exactly, but the path only
    approximately. A page's canonical URL may differ from its own URL, and an archive has several URLs for one page.
    """
    if not _UNSURE.isdisjoint({one.source, other.source}) or (one.source == other.source and other.is_archive):
        return False
    first, second = (_normalize(source.url) or "" for source in (one, other))
    if not (one.is_exact and other.is_exact):
        return urlsplit(first).netloc != urlsplit(second).netloc
    pages = [url.partition("#")[0] for url in (first, second)]
    if one.assumes_scheme or other.assumes_scheme:
        pages = [url.partition(":")[2] for url in pages]
    return pages[0] != pages[1]


def mark_claims(page: SavedPage, marks: list[FoundMark]) -> Iterator[Claim]:
    """Yield the claims of the marks in a page. If a mark states only the host, the page's other statements complete the
    URL.
    """
    for mark, value, start, _ in marks:
        url, where = value.url, f"{mark.saver}'s mark in {page.position_text(start)}"
        if value.guess:
            stated = complete_capture(url, stated_urls(page.original, "text/html", bases=True))
            if stated is None:
                continue
            url, where = stated.url, f"{where}, and {stated.where}"
        if url:
            fault = value.fault or fault_of(url)
            yield Claim(
                MARK, url, where, fault, assumes_scheme=value.assumes_scheme, is_archive=mark.is_archive, start=start
            )


def neighbour_claims(folder: SavedFolder, name: str) -> Iterator[Claim]:
    """Yield the claims of the files and folders around a document. `folder`: the folder of the document."""
    mirror = folder.mirror
    row = mirror.row(name) if mirror else None
    if mirror and row:
        yield Claim(INDEX, row[0], f"{mirror.listing.path}, line {row[1]}", fault_of(row[0]))
    place = folder.place(name[len(folder.prefix) :])
    if place:
        where = f"the names that {place.layout} gives to folders and files"
        yield Claim(LAYOUT, place.url, where, fault_of(place.url), is_exact=False)


def canonical_claims(page: SavedPage, media_type: str) -> Iterator[Claim]:
    """Yield claims for the URLs that a page states for itself."""
    for stated in stated_urls(page.original, media_type) if media_type in PAGE_TYPES else ():
        where = f"{stated.where}: no specification makes it a base"
        yield Claim(_CANONICAL, stated.url, where, fault_of(stated.url), start=stated.start)


def guessed_claims(page: SavedPage, marks: list[FoundMark], *, is_trusted: bool) -> Iterator[Claim]:
    """Yield claims for the URLs that marks imply. `is_trusted`: whether guesses count."""
    for mark, value, start, _ in marks:
        if value.guess:
            where = f"{mark.saver}'s mark in {page.position_text(start)} {value.guess}"
            known = capture_of(value.url)
            guess = guess_from_links(page.original, known) if known else None
            if guess is not None and guess.is_page:
                yield _guess(guess.url, f"{where}; {guess.reason}", start, is_trusted=is_trusted)
            else:
                yield _guess(value.url, where, start, is_trusted=is_trusted)


def _guess(url: str, where: str, start: int, *, is_trusted: bool) -> Claim:
    fault = fault_of(url) or ("" if is_trusted else _ONLY_A_GUESS)
    return Claim(_GUESS, url, f"a guess: {where}", fault, start=start)


def captured_claims(page: SavedPage, media_type: str, marks: list[FoundMark], *, is_trusted: bool) -> Iterator[Claim]:
    """Yield the claim of the links that an archive rewrote. The page has no mark of an archive, but other traces.

    A canonical link alone is not enough, because sites that were restored from an archive also have rewritten canonical
    links. Without a canonical link, other links imply a guess.

    `is_trusted`: whether guesses count.
    """
    if media_type not in PAGE_TYPES or any(one.mark.is_archive for one in marks) or not _has_traces(page.data):
        return
    stated = captured(stated_urls(page.original, media_type))
    if stated is not None:
        where = f"{stated.where}, which an archive rewrote"
        yield Claim(_CAPTURED, stated.url, where, fault_of(stated.url), start=stated.start)
        return
    guess = guess_from_links(page.original)
    if guess is not None:
        yield _guess(guess.url, guess.reason, guess.start, is_trusted=is_trusted)


def rejected_candidates(claims: list[Claim], chosen: Claim | None) -> tuple[Candidate, ...]:
    """Return the claims that were not chosen, each with the reason."""
    rejected = []
    for claim in claims:
        if claim is not chosen:
            first = "" if chosen is None else chosen.where if claim.source == chosen.source else chosen.source
            reason = claim.fault or f"{first} comes first"
            rejected.append(Candidate(Layer.RETRIEVAL, claim.url, claim.where, reason, claim.start))
    return tuple(rejected)


def problems_of(page: SavedPage, claims: list[Claim], chosen: Claim | None) -> Iterator[Problem]:
    """Yield problems for marks and indexes that cannot count, and for claims that contradict the chosen claim."""
    for claim in claims:
        if claim.fault and claim.source in {MARK, INDEX}:
            yield page.problem("marker-bad", f"{claim.where}: {claim.url!r}: {claim.fault}", max(claim.start, 0))
        elif chosen is not None and not claim.fault and _disagree(chosen, claim):
            detail = f"{chosen.where}: {chosen.url}; {claim.where}: {claim.url}"
            yield page.problem("sources-disagree", detail, max(chosen.start, claim.start, 0))


def drop_url_of_tree(claim: Claim, page: CompanionPage) -> Claim:
    """Return the claim with a fault if it is the tree's claim for a file that was saved with a page. The saver, not the
    site, chose the file's place below the tree's URL.
    """
    if claim.source != TREE:
        return claim
    return claim._replace(fault=f"the file was saved with {page.name}, and has a URL of its own")


#: The values of `layout`.
LAYOUTS: tuple[str, ...] = get_args(Layout)

#: The URLs of frames without a URL of their own. They inherit the base of their container document (HTML §2.4.3).
_FRAMES = frozenset({"about:srcdoc", "about:blank"})

_NO_SAVER = Envelope().saver

#: The values of `Mark.links` for savers that keep files beside a page.
_WITH_FILES = frozenset({"folder", "dotted", "beside"})


#: The maximum number of trees whose facts are cached.
_TREES = 16


class Retrieval:
    """Finds the retrieval URLs of a run's documents. It caches facts about the files beside them, so use one object per
    process. The URL of a tree is `FileTree.url`.

    `url`: the caller's URL for a single document.
    `url_map`: see `UrlMap.load`.
    `layout`: the program that named the folders, one of `LAYOUTS`; None to ignore names of folders.
    `trust_canonical`: whether guesses count if the URL is not known otherwise: a page's `link rel=canonical` or
    `og:url`, or the traces of an archive.
    `archived_links`: whether the links of a page from a web archive lead to copies in the archive, as they do there, or
    to the original sites.

    Raises `InvalidOption` and `InvalidBase`.
    """

    def __init__(
        self,
        *,
        url: str | None = None,
        url_map: UrlMap | None = None,
        layout: Layout | None = None,
        trust_canonical: bool = False,
        archived_links: ArchivedLinks = "archive",
    ) -> None:
        check("layout", layout, "Layout | None")
        check("trust_canonical", trust_canonical, "bool")
        check("archived_links", archived_links, "ArchivedLinks")
        if url is not None and fault_of(url):
            message = f"{url!r}: {fault_of(url)}; give a URL such as https://host/path"
            raise InvalidBase(message)
        self.url = url
        self.url_map = url_map
        self.layout = layout
        self.trust_canonical = trust_canonical
        self.archived_links = archived_links
        self._trees: dict[tuple[str, str | None], SavedTree] = {}
        #: Function that returns the URL of another file of a tree. The file's canonical URL and the URL of the tree are
        #: not used.
        self._url_of: Callable[[SavedTree, str], str | None] = lru_cache(maxsize=1 << 16)(self._find_url)

    def __reduce__(self) -> tuple[Callable[[], Retrieval], tuple[()]]:
        make = partial(
            Retrieval,
            url=self.url,
            url_map=self.url_map,
            layout=self.layout,
            trust_canonical=self.trust_canonical,
            archived_links=self.archived_links,
        )
        return make, ()

    def envelope(
        self,
        tree: FileTree | None,
        name: str,
        data: bytes,
        media_type: str,
        known: Envelope | None = None,
        member: ArchiveMember | None = None,
    ) -> tuple[Envelope, tuple[Problem, ...]]:
        """Return the envelope of a document, and the problems of its sources.

        `tree`: the tree that contains the file; None if no tree does.
        `name`: the name of the file in the tree; without a tree, a name for messages.
        `data`: all bytes of the document. Problems are located in them.
        `known`: the envelope from the document's container. If it has a URL, references that a saver rewrote are not
        mapped, except in an archive of files.
        `member`: the document's place in an archive of files.
        """
        known = known or Envelope(media_type=media_type or None)
        page = SavedPage(data)
        marks = find_marks(page.data) if media_type in PAGE_TYPES else []
        plain = None if marks or member is not None else self._plain_envelope(tree, name, known)
        if plain is not None:
            return plain, ()
        saved = self._saved(tree) if tree else None
        folder = saved.of(name) if saved else None
        outer = folder.page if folder else None
        framing = self._framing_envelope(outer, marks)
        claims = list(self._caller_claims(tree, name))
        if framing is not None and known.url is None:
            base = establish([], framing, RESOLVERS["whatwg"])
            where = f"the page that this frame was saved with ({base.where})"
            known = known._replace(base=base.url, where=where, parent=framing)
        else:
            claims += self._other_claims(folder, name, page, media_type, marks, known)
        if outer is not None:
            claims = [drop_url_of_tree(claim, outer) for claim in claims]
        if framing is None and all(claim.fault for claim in claims):
            claims += captured_claims(page, media_type, marks, is_trusted=self.trust_canonical)
        chosen = next((claim for claim in claims if not claim.fault), None)
        url = chosen.url if chosen else None
        if chosen is not None and chosen.source != CALLER:  # normalized, it is absolute by every specification
            url = _normalize(chosen.url)
        envelope = known._replace(url=url, rejected=(*known.rejected, *rejected_candidates(claims, chosen)))
        if chosen is not None and chosen.source != CONTAINER and not known.base:
            envelope = envelope._replace(where=chosen.where)
        if member is not None:
            envelope = envelope._replace(saver=_saver_in_archive(known.saver, page, marks, member))
        elif known.url is None and known.saver.map_reference is None:
            saver = self._saver(saved, name, page, marks, envelope.url)
            if saver.map_reference is None and saved is not None and outer is not None:
                saver = Saver(outer.mark.saver, map_reference=FilesBeside(saved.surroundings(name)))
            envelope = envelope._replace(saver=saver)
        envelope = self._from_archive(envelope, chosen, marks)
        return envelope, tuple(problems_of(page, *_comparable(claims, chosen, envelope.saver)))

    def _from_archive(self, envelope: Envelope, chosen: Claim | None, marks: list[FoundMark]) -> Envelope:
        """Return the envelope of a page that may come from a web archive, by `archived_links`. It names the archive."""
        mark = next((one for one in marks if one.mark.is_archive), None)
        name = mark.mark.saver if mark is not None else archive_name(envelope.url or "")
        if not name and chosen is not None and chosen.source == _CAPTURED:
            name = "a web archive"
        own = ArchiveCopy.of(envelope.url or "") if name else None
        copy = own or (ArchiveCopy.of(mark.value.url) if mark is not None else None)
        if copy is None:
            return envelope
        saver = envelope.saver._replace(archive=name)
        if self.archived_links == "archive":
            return envelope._replace(saver=saver)
        mapped = OriginalLinks(copy, None if isinstance(saver.map_reference, ArchivedPage) else saver.map_reference)
        url = envelope.url if own is None else _normalize(own.original)
        return envelope._replace(url=url, saver=saver._replace(map_reference=mapped, maps_absolute=True))

    def host_folder(self, tree: FileTree, name: str) -> HostFolder | None:
        """Return the folder whose name tells the URL of a file; None if the layout of the run finds none."""
        folder = self._saved(tree).of(name)
        return folder.host_folder(name[len(folder.prefix) :])

    def url_of_file(self, tree: FileTree, name: str) -> str | None:
        """The URL of any file of a tree; None if it is not known. Canonical URLs and guesses do not count."""
        saved = self._saved(tree)
        url = self._url_of(saved, name)
        return tree.url_of(name) if url is None and saved.of(name).page is None else url

    def layout_url(self, tree: FileTree, name: str) -> str | None:
        """Return the URL of a file by the layout of the run; None if that tells none."""
        folder = self._saved(tree).of(name)
        place = folder.place(name[len(folder.prefix) :])
        return place.url if place else None

    def _saved(self, tree: FileTree) -> SavedTree:
        key = tree.root, tree.url
        saved = self._trees.get(key)
        if saved is None:
            if len(self._trees) >= _TREES:
                self._trees.clear()
            saved = self._trees[key] = SavedTree(tree, self.layout)
        return saved

    # Sources

    def _plain_envelope(self, tree: FileTree | None, name: str, known: Envelope) -> Envelope | None:
        """Return the envelope of a document if only one source can state its URL; None if sources must be compared. The
        document has no marks, and is not in an archive of files.
        """
        if tree is None:
            return known if self._only_container_states_url(known) else None
        if not self._only_tree_states_url(tree, name, known):
            return None
        # `replace` would take as long as the rest of this method. `_only_tree_states_url` excludes other fields.
        url = _normalized(tree, name)
        return Envelope(url, known.charset, known.media_type, where=URL_OF_TREE, default=known.default)

    def _only_container_states_url(self, known: Envelope) -> bool:
        """Whether the container is the only source of the URL, apart from the document's own bytes, and the URL is
        already normalized. Both are true for most documents of archives.
        """
        url = known.url
        if url is None or self.url is not None or self.url_map is not None or self.trust_canonical:
            return False
        return url.startswith(("http://", "https://")) and as_base(url, RESOLVERS["whatwg"]) == url

    def _only_tree_states_url(self, tree: FileTree, name: str, known: Envelope) -> bool:
        """Whether the tree is the only source that can state the URL, apart from the document's own bytes.

        This is true for most documents of most runs. Then no sources are compared, and the document has no saver.
        """
        if self.url is not None or self.url_map is not None or self.trust_canonical or tree.url is None:
            return False
        if known.url or known.base or known.parent is not None or known.inherits_base_element:
            return False
        if known.rejected or known.saver is not _NO_SAVER:
            return False
        folder = self._saved(tree).of(name)
        return folder.page is None and folder.mirror is None and folder.place("") is None

    def _caller_claims(self, tree: FileTree | None, name: str) -> Iterator[Claim]:
        if self.url is not None:
            yield Claim(CALLER, self.url, "given for this document")
        row = self.url_map.find(tree, name) if self.url_map else None
        if row:
            yield Claim(CALLER, *row)

    def _other_claims(
        self,
        folder: SavedFolder | None,
        name: str,
        page: SavedPage,
        media_type: str,
        marks: list[FoundMark],
        known: Envelope,
    ) -> Iterator[Claim]:
        """Yield the claims of all sources except the caller, in order of precedence."""
        if known.url:
            yield Claim(CONTAINER, known.url, known.where or "the container", fault_of(known.url))
        exact = list(mark_claims(page, marks))
        yield from exact
        if folder is not None:
            yield from neighbour_claims(folder, name)
        if self.trust_canonical:
            yield from canonical_claims(page, media_type)
        if not any(claim.is_archive for claim in exact):
            yield from guessed_claims(page, marks, is_trusted=self.trust_canonical)
        in_tree = folder.tree.url_of(name) if folder is not None else None
        if in_tree:
            yield Claim(TREE, in_tree, URL_OF_TREE, is_exact=False)

    def suggest(self, tree: FileTree | None, name: str, data: bytes, media_type: str) -> Suggestion | None:
        """Return the URL that other options would find for a document without one; None if they would find none.

        The arguments are those of `envelope`.
        """
        page = SavedPage(data)
        marks = find_marks(page.data) if media_type in PAGE_TYPES else []
        claims = chain(
            neighbour_claims(self._saved(tree).detected.of(name), name) if tree is not None else (),
            canonical_claims(page, media_type),
            guessed_claims(page, marks, is_trusted=True),
            captured_claims(page, media_type, marks, is_trusted=True),
        )
        chosen = next((claim for claim in claims if not claim.fault), None)
        if chosen is None:
            return None
        url = _normalize(chosen.url) or chosen.url
        return Suggestion(url, chosen.where, "layout" if chosen.source in {INDEX, LAYOUT} else "trust_canonical")

    def _find_url(self, saved: SavedTree, name: str) -> str | None:
        return next((claim.url for claim in self._file_claims(saved, name) if not claim.fault), None)

    def _file_claims(self, saved: SavedTree, name: str) -> Iterator[Claim]:
        """Yield the claims for another file. HTTrack's index states the same URL as its mark. Its claim comes first, so
        that the file need not be read.
        """
        yield from self._caller_claims(saved.tree, name)
        claims = list(neighbour_claims(saved.of(name), name))
        yield from (claim for claim in claims if claim.source == INDEX)
        try:
            with saved.tree.open(name) as file:
                page = SavedPage(file.read(HEAD_SIZE))
        except OSError:
            return
        yield from mark_claims(page, find_marks(page.data))
        yield from claims

    def _framing_envelope(self, page: CompanionPage | None, marks: list[FoundMark]) -> Envelope | None:
        """Return the envelope of the page that a frame without a URL was saved with; None for other documents."""
        if page is None or not any(one.value.url.lower() in _FRAMES for one in marks):
            return None
        outer = Retrieval(url_map=self.url_map, layout=self.layout, archived_links=self.archived_links)
        outer._trees = self._trees
        return outer.envelope(page.tree, page.name, page.head(), "text/html")[0]

    # Savers

    def _saver(
        self, saved: SavedTree | None, name: str, page: SavedPage, marks: list[FoundMark], url: str | None
    ) -> Saver:
        if self.url_map is not None and saved is not None and self.url_map.leads_by_path(saved.tree, name):
            map_reference = partial(self.url_map.url_by_path, saved.tree, name)
            return Saver("linkfix unpack", map_reference=map_reference, maps_inner=True)
        found = next((one for one in marks if one.links), None)
        if found is not None and found.links in _WITH_FILES:
            around = saved.surroundings(name) if saved else Surroundings()
            return _saver_of_files(found, page, around)
        if found is not None and found.links == "attribute":
            return Saver(found.mark.saver, map_reference=TeleportReferences(original_urls(page.data)))
        guess = next((one for one in marks if one.value.guess), None)
        origin = origin_of(guess.value.url) if guess else ""
        if guess and origin and not (url or "").startswith(origin):
            return Saver(guess.mark.saver, map_reference=ArchivedPage(origin))
        if saved is None:
            return Saver()
        folder = saved.of(name)
        mirror, place = folder.mirror, folder.place(name[len(folder.prefix) :])
        is_httrack = found is not None or mirror or (place and place.layout == "httrack")
        if not is_httrack and not place:
            return Saver()
        location = place.location if place else locate(saved.tree.root, name, "httrack")
        url = _normalize(url) if url else None
        mirrored = MirrorPage(name, url, location, saved.exists, partial(self._url_of, saved))
        if is_httrack:
            return Saver("HTTrack", map_reference=HTTrackPage(mirrored, mirror))
        # -K kept the original, or -k made a BASE empty.
        is_converted = any(map(saved.exists, (f"{name}.orig", f"{name.removesuffix('.html')}.orig")))
        is_converted = is_converted or b'<base href=""' in page.data[:HEAD_SIZE]
        return Saver("wget", map_reference=WgetPage(mirrored, is_converted))


def _comparable(claims: list[Claim], chosen: Claim | None, saver: Saver) -> tuple[list[Claim], Claim | None]:
    """Return the claims and the chosen one, with original URLs if the links of the page lead to the original sites.

    The URLs of a page and of its copy then do not contradict each other.
    """
    if not saver.maps_absolute:
        return claims, chosen
    claims = [claim._replace(url=_original_url(claim.url)) for claim in claims]
    return claims, next((claim for claim in claims if not claim.fault), None)


def _original_url(url: str) -> str:
    """Return the URL of a page outside the archive that a URL is of, or the same URL."""
    copy = ArchiveCopy.of(url)
    return url if copy is None else copy.original


def _normalized(tree: FileTree, name: str) -> str | None:
    """Return the normalized URL of a file of a tree that has a URL."""
    url = tree.url_of(name)
    if url is None or ("?" not in name and tree.url is not None and _keeps_names(tree.url)):
        return url
    return RESOLVERS["whatwg"].normalize(url)


@lru_cache(maxsize=64)
def _keeps_names(url: str) -> bool:
    """Whether the URL of a tree is normalized. Then the URLs from `FileTree.url_of` are normalized too: the URL
    standard's parser escapes no other characters than `url_of` does, and no file has the name "." or "..".
    """
    return url.startswith(("http://", "https://")) and url.endswith("/") and RESOLVERS["whatwg"].normalize(url) == url


def _saver_of_files(found: FoundMark, page: SavedPage, around: Surroundings) -> Saver:
    """Return the `Saver` of a page whose files are kept beside it."""
    mark = found.mark
    if mark.links == "folder":
        own = OwnFiles(around, only_dotted=found.links == "dotted")
        return Saver(mark.saver, mark.own_bases, original_bases(page), own, own.is_missing)
    beside = FilesBeside(around)
    return Saver(mark.saver, map_reference=beside, is_missing=beside.is_missing)


def _saver_in_archive(archive: Saver, page: SavedPage, marks: list[FoundMark], member: ArchiveMember) -> Saver:
    """Return the `Saver` of a page in an archive of files. It maps a reference by the archive's saver first, then by
    the page's saver.
    """
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

    return saver._replace(map_reference=map_reference)
