"""What single sources state of a document's retrieval URL, in which order they count, and where they disagree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

from linkfix.model import PAGE_TYPES, Candidate, Layer, Problem
from linkfix.resolvers import RESOLVERS
from linkfix.saved.canonical import stated_urls
from linkfix.saved.captures import captured, complete_capture
from linkfix.saved.companion_pages import CompanionPage
from linkfix.saved.markers import FoundMark
from linkfix.saved.page import SavedPage

__all__ = [
    "CALLER",
    "CONTAINER",
    "INDEX",
    "LAYOUT",
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
_GUESS, _CAPTURED = "a guess by the saver's mark", "a link that an archive rewrote"
#: Sources whose URL may differ from the page's own one.
_UNSURE = frozenset({_CANONICAL, _GUESS, _CAPTURED})
#: Where it is not asked for, a guess does not count.
_ONLY_A_GUESS = "a guess, which only --trust-canonical takes"
#: What tells quickly that a page has no URL of an archive.
_CAPTURED_URL = re.compile(rb"/\d{14}(?:[a-z]{2}_)?/https?:")


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
        if value.is_guess:
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
    """The URLs of which marks state the host alone. `is_trusted`: whether they count."""
    for mark, value, start in marks:
        if value.is_guess:
            where = f"a guess: {mark.saver}'s mark in {page.position_text(start)} states the host alone"
            fault = fault_of(value.url) or ("" if is_trusted else _ONLY_A_GUESS)
            yield Claim(_GUESS, value.url, where, fault, start=start)


def captured_claims(page: SavedPage, media_type: str, marks: list[FoundMark]) -> Iterator[Claim]:
    """The claim of the links that an archive rewrote, in a page without any mark of the archive."""
    stated = None
    is_marked = any(one.mark.is_archive for one in marks)
    if media_type in PAGE_TYPES and not is_marked and _CAPTURED_URL.search(page.data):
        stated = captured(stated_urls(page.original, media_type))
    if stated is not None:
        where = f"{stated.where}, which an archive rewrote"
        yield Claim(_CAPTURED, stated.url, where, fault_of(stated.url), start=stated.start)


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
