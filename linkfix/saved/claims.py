"""What single sources state of a document's retrieval URL, in which order they count, and where they disagree."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple
from urllib.parse import urlsplit

from linkfix.html.places import place_at
from linkfix.lazy import lazy_pattern
from linkfix.model import PAGE_TYPES, Candidate, Layer, Problem
from linkfix.resolvers import RESOLVERS
from linkfix.saved.canonical import stated_urls
from linkfix.saved.captures import capture_of, captured, complete_capture
from linkfix.saved.companion_pages import CompanionPage
from linkfix.saved.link_guess import guess_from_links
from linkfix.saved.markers import FoundMark
from linkfix.saved.page import SavedPage

__all__ = [
    "CALLER",
    "CONTAINER",
    "INDEX",
    "LAYOUT",
    "LINK_EVIDENCE",
    "TREE",
    "Claim",
    "canonical_claims",
    "captured_claims",
    "drop_url_of_tree",
    "fault_of",
    "guessed_claims",
    "mark_claims",
    "problems_of",
    "rejected_candidates",
]

#: The sources in order of precedence, as messages name them.
CALLER, CONTAINER, MARK, INDEX = "the caller's URL", "the container", "the saver's mark", "the saver's index"
LAYOUT, _CANONICAL, TREE = "the layout of the folders", "the page's canonical URL", "the URL of the tree"
_GUESS, _CAPTURED = "a guess", "a link that an archive rewrote"
#: Where the URL of a tree states that of a file, in words.
#: Sources whose URL may differ from the page's own one.
_UNSURE = frozenset({_CANONICAL, _GUESS, _CAPTURED})
#: Where it is not asked for, a guess does not count.
_ONLY_A_GUESS = "a guess, which only --trust-canonical takes"
#: What tells quickly that a page has no URL of an archive.
_CAPTURED_URL = lazy_pattern(rb"/\d{14}(?:[a-z]{2}_)?/https?:")
#: What archives leave in a page besides, as comments and in scripts: the Wayback Machine and OpenWayback; pywb.
_TRACES = lazy_pattern(
    rb"(?P<text><!--[\t\n\r ]{0,99}(?:FILE ARCHIVED ON|(?:Start|End) Wayback Rewrite JS Include"
    rb"|BEGIN WAYBACK TOOLBAR INSERT|WB Insert|End WB Insert))"
    rb"|(?P<script>archive_analytics|__w(?:m|bhack)\.init\(|_WBWombatInit)"
)
#: What the links of an archived page are evidence for, beside its marks: what is found, and what it states. The
#: documentation has the same words.
LINK_EVIDENCE = (
    ("a rewritten `link rel=canonical` or `og:url`, beside comments or other scripts of an archive", "the URL"),
    (
        "rewritten links to fragments that the page has, beside the same, or on the host of `WB_wombat_Init(…)`",
        "a guess: the URL",
    ),
    (
        "other rewritten links, beside the same",
        "a guess: the root of the host of most of them, first of those that the page wrote without one",
    ),
)
#: How many traces are looked at, each of which is a look through the page up to it.
_TRACES_READ = 8


def _has_traces(data: bytes) -> bool:
    """Whether a page has a URL of an archive, and something else that one left, where archives put it."""
    if not _CAPTURED_URL.search(data):
        return False
    traces = islice(_TRACES.finditer(data), _TRACES_READ)
    return any(place_at(data, match.start()).kind == match.lastgroup for match in traces)


class Claim(NamedTuple):
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
    assumes_scheme: bool = False
    """Whether its scheme is assumed."""
    is_archive: bool = False
    """Whether an archive states it, from which a browser may have saved the page under another of its URLs."""
    start: int = -1
    """Where it is in the page, in bytes; -1 for elsewhere."""


def fault_of(url: str) -> str:
    """Why a URL cannot be a page's, or "". One with an opaque path is no base (URL standard §4.4, no scheme state)."""
    whatwg = RESOLVERS["whatwg"]
    if whatwg.normalize(url) is None:
        return "not an absolute URL"
    if whatwg.resolve(url, "x").target is None:
        return f"references cannot be relative to a {url.strip().partition(':')[0].lower()}: URL"
    return ""


def _disagree(one: Claim, other: Claim) -> bool:
    """Whether two claims cannot both be right. A file's location tells the host surely and the path only nearly; a
    page's canonical URL may differ from its own, and an archive has several for one page.
    """
    if not _UNSURE.isdisjoint({one.source, other.source}) or (one.source == other.source and other.is_archive):
        return False
    first, second = (RESOLVERS["whatwg"].normalize(source.url) or "" for source in (one, other))
    if not (one.is_exact and other.is_exact):
        return urlsplit(first).netloc != urlsplit(second).netloc
    pages = [url.partition("#")[0] for url in (first, second)]
    if one.assumes_scheme or other.assumes_scheme:
        pages = [url.partition(":")[2] for url in pages]
    return pages[0] != pages[1]


def mark_claims(page: SavedPage, marks: list[FoundMark]) -> Iterator[Claim]:
    """The claims of the marks in a page. Of one that states the host alone, what else the page says is the rest."""
    for mark, value, start in marks:
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


def canonical_claims(page: SavedPage, media_type: str) -> Iterator[Claim]:
    """The URLs that a page states for itself."""
    for stated in stated_urls(page.original, media_type) if media_type in PAGE_TYPES else ():
        where = f"{stated.where}: no specification makes it a base"
        yield Claim(_CANONICAL, stated.url, where, fault_of(stated.url), start=stated.start)


def guessed_claims(page: SavedPage, marks: list[FoundMark], *, is_trusted: bool) -> Iterator[Claim]:
    """The URLs that marks let guess. `is_trusted`: whether they count."""
    for mark, value, start in marks:
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
    """The claim of the links that an archive rewrote, in a page that has no mark of an archive but other traces of one.

    A canonical link alone is not enough: sites that were restored from an archive have them too. Without one, other
    links let guess. `is_trusted`: whether that counts.
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
    """The claims that were not chosen, each with the reason."""
    rejected = []
    for claim in claims:
        if claim is not chosen:
            first = "" if chosen is None else chosen.where if claim.source == chosen.source else chosen.source
            reason = claim.fault or f"{first} comes first"
            rejected.append(Candidate(Layer.RETRIEVAL, claim.url, claim.where, reason, claim.start))
    return tuple(rejected)


def problems_of(page: SavedPage, claims: list[Claim], chosen: Claim | None) -> Iterator[Problem]:
    """Marks and indexes that cannot count, and claims that contradict the chosen one."""
    for claim in claims:
        if claim.fault and claim.source in {MARK, INDEX}:
            yield page.problem("marker-bad", f"{claim.where}: {claim.url!r}: {claim.fault}", max(claim.start, 0))
        elif chosen is not None and not claim.fault and _disagree(chosen, claim):
            detail = f"{chosen.where}: {chosen.url}; {claim.where}: {claim.url}"
            yield page.problem("sources-disagree", detail, max(chosen.start, claim.start, 0))


def drop_url_of_tree(claim: Claim, page: CompanionPage) -> Claim:
    """A claim for a file that was saved with a page. Its place below the tree's URL is the saver's, not its site's."""
    if claim.source != TREE:
        return claim
    return claim._replace(fault=f"the file was saved with {page.name}, and its own URL is another")
