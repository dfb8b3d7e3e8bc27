"""The marks that savers leave in a page: a table of how each is found, which URL it states, and what follows from it.

The formats were read from the programs' sources, or from files that they wrote. Marks are untrusted: any page may hold
one, of any length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from linkfix.html.needles import Needles
from linkfix.html.places import is_attribute_at, place_at
from linkfix.lazy import lazy_pattern
from linkfix.model import Candidate, Layer
from linkfix.saved.archive_marks import ARCHIVE_MARKS
from linkfix.saved.companions import has_companion
from linkfix.saved.mark import Links, Mark, MarkValue, attribute_text, url_text
from linkfix.saved.page import SavedPage

__all__ = ["HEAD_SIZE", "MARKS", "FoundMark", "find_marks", "original_bases", "original_urls"]

#: How many bytes of a page are searched for marks in its prolog and head, and for those that archives put at its top.
HEAD_SIZE, TOP_SIZE = 1 << 16, 1 << 14
#: How many comments, tags and declarations before the content are read.
_STEPS = 32


class FoundMark(NamedTuple):
    """A mark in a page."""

    mark: Mark
    value: MarkValue
    start: int
    """Where it begins, in bytes."""

    @property
    def links(self) -> Links:
        """What its saver did to relative references."""
        return "dotted" if self.value.url.lower() == _NO_URL else self.mark.links


#: What Chromium writes in place of a URL that it keeps to itself (WebFrameSerializer, `save_with_empty_url`), and what
#: many authors write, so that Internet Explorer runs the scripts of a local page. Only Chromium writes "./".
_NO_URL = "about:internet"

# Reading


def _plain(match: re.Match[bytes]) -> MarkValue:
    return MarkValue(url_text(match[1]))


def _attribute(match: re.Match[bytes]) -> MarkValue:
    return MarkValue(attribute_text(match[2]))


def _saved_from(match: re.Match[bytes]) -> MarkValue:
    """The length is that of the URL as it is written. Blink writes every second hyphen of a run as %2D: HTML's comments
    cannot have two.
    """
    stated, raw = int(match[1]), match[2]
    url = url_text(raw).replace("-%2D", "--")
    lengths = {len(raw), len(raw.decode("utf-8", "replace"))}
    if stated not in lengths:
        return MarkValue(url, f"the mark states a length of {stated} characters, and the URL has {min(lengths)}")
    return MarkValue(url, f"{url} is not the URL of a page" if url.lower().startswith("about:") else "")


def _mirrored_url(match: re.Match[bytes]) -> MarkValue:
    """HTTrack before August 2026 leaves the scheme out, which is http then."""
    url = url_text(match[1])
    absolute = re.match(r"[a-z][a-z0-9+.-]*://", url, re.IGNORECASE)
    return MarkValue(url) if absolute else MarkValue(f"http://{url}", assumes_scheme=True)


def _firefox(match: re.Match[bytes]) -> MarkValue | None:
    """Any page may have such a comment, but one that Firefox saved refers to its NAME_files/ folder too."""
    return MarkValue("") if has_companion(match.string) else None


def _teleport(_: re.Match[bytes]) -> MarkValue:
    return MarkValue("")


_BROWSER = frozenset({"."})

#: Comments are matched whole, without `<!--` and `-->`; the rest is searched for.
MARKS: tuple[Mark, ...] = (
    Mark(
        "the browser",
        "comment",
        b"saved from url=",
        lazy_pattern(rb"\s*saved from url=\((\d{1,9})\)(\S*)\s*"),
        _saved_from,
        "Chromium, Internet Explorer: links are absolute already; other references are relative to the BASE that was "
        "turned into a comment; a folder NAME_files/ beside it holds the page's own files",
        _BROWSER,
        "folder",
    ),
    Mark(
        "SingleFile",
        "comment",
        b"url: ",
        lazy_pattern(
            rb"\s*(?:Page saved with|Archive processed by) SingleFile[\t\r ]*\n\s*url: (\S+)[^\n]*(?:\n.*)?", re.DOTALL
        ),
        _plain,
        "all in one file, links absolute (Zotero's snapshots are such files)",
    ),
    Mark(
        "MaoXian",
        "comment",
        b"OriginalSrc:",
        lazy_pattern(rb"\s*OriginalSrc: (\S+)\s*"),
        _plain,
        "links are absolute; relative references name files that were saved with the page",
        links="beside",
    ),
    Mark(
        "HTTrack",
        "comment",
        b"Mirrored from ",
        lazy_pattern(rb"\s*Mirrored from (\S+) by HTTrack .*", re.DOTALL),
        _mirrored_url,
        "relative references name files of the mirror",
        links="mirror",
    ),
    Mark(
        "monolith",
        "comment",
        b"using monolith ",
        lazy_pattern(rb"\s*Saved from (\S+) at \S+ using monolith .*", re.DOTALL),
        _plain,
        "all in one file; the URL has lost its fragment and its password",
    ),
    Mark(
        "WebScrapBook",
        "root",
        b"data-scrapbook-source",
        lazy_pattern(rb"[\t\n\f\r \"']data-scrapbook-source=([\"'])(.*?)\1", re.DOTALL | re.IGNORECASE),
        _attribute,
        "links are absolute; relative references name files that were saved with the page",
        links="beside",
    ),
    Mark(
        "Save Page WE",
        "page",
        b'<meta name="savepage-url" content="',
        lazy_pattern(rb"<meta name=\"savepage-url\" content=(\")([^\"]{0,8192})\""),
        _attribute,
        "its BASE counts: it is the original's, or the page's URL",
    ),
    Mark(
        "Firefox",
        "head",
        b"<!-- base href=",
        lazy_pattern(rb'<!-- base href="[^">]{1,8192}"'),
        _firefox,
        "no URL; links are absolute; its BASE was turned into a comment; a folder NAME_files/ beside it holds the "
        "page's own files",
        links="folder",
    ),
    Mark(
        "Teleport",
        "head",
        b'tppabs="http',
        lazy_pattern(rb"[\t\n\f\r \"']tppabs=\"https?://"),
        _teleport,
        "no URL; an attribute beside each rewritten reference states its original URL",
        links="attribute",
    ),
    *ARCHIVE_MARKS,
)


# Finding

_PROLOG_MARKS = [mark for mark in MARKS if mark.place in {"comment", "root"}]
_BEFORE = 32
_LIMITS = {"top": TOP_SIZE, "head": HEAD_SIZE}
_IN_PAGE = [mark for mark in MARKS if mark.place == "page"]
_IN_HEAD = [mark for mark in MARKS if mark.place in _LIMITS]
#: Pairs of bytes that pages seldom have, and each of the needles has one: once in 15,000 bytes of all, "tp" in 1,900.
_IN_PAGE_NEEDLES = Needles((mark.needle for mark in _IN_PAGE), (b"wm", b"-u", b"({"))
_IN_HEAD_NEEDLES = Needles((mark.needle for mark in _IN_HEAD), (b"wm", b"WB", b"wb", b"!-", b"tp"))
_SPACE = lazy_pattern(rb"[\t\n\f\r ]*+")
#: A script up to a place that is in no string and no comment. Archives' scripts have no regular expressions before it.
_CODE = lazy_pattern(
    rb"""(?:[^"'`/]++|"(?:[^"\\\r\n]|\\.)*+"|'(?:[^'\\\r\n]|\\.)*+'|`(?:[^`\\]|\\.)*+`"""
    rb"""|//[^\r\n]*+[\r\n]|/\*.*?\*/|/(?![/*]))*+""",
    re.DOTALL,
)
_DECLARATION = lazy_pattern(rb"<(?:!(?!--)|\?)[^>]*+>")
_ROOT = lazy_pattern(rb"<html(?=[\t\n\f\r />])(?:[^\"'>]|\"[^\"]*+\"|'[^']*+')*+>", re.IGNORECASE)


def _prolog(data: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield the comments and the html tag before a page's content, 32 at most: place and span of the text."""
    at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    for _ in range(_STEPS):
        space = _SPACE.match(data, at, HEAD_SIZE)
        at = space.end() if space else at
        if data.startswith(b"<!--", at):
            end = data.find(b"-->", at + 4, HEAD_SIZE)
            if end < 0:
                return
            yield "comment", at + 4, end
            at = end + 3
            continue
        root = _ROOT.match(data, at, HEAD_SIZE)
        if root:
            yield "root", *root.span()
        tag = root or _DECLARATION.match(data, at, HEAD_SIZE)
        if tag is None:
            return
        at = tag.end()


def _matches(data: bytes) -> Iterator[tuple[Mark, re.Match[bytes], int]]:
    for place, start, end in _prolog(data):
        for mark in _PROLOG_MARKS:
            if mark.place == place and data.find(mark.needle, start, end) >= 0:
                whole = place == "comment"
                match = (mark.expression.fullmatch if whole else mark.expression.search)(data, start, end)
                if match is not None:
                    yield mark, match, start - len("<!--") if whole else match.start()
    for mark, at in _other_needles(data):
        limit = _LIMITS.get(mark.place, len(data))
        match = _search(mark, data, at, limit) if at + len(mark.needle) <= limit else None
        if match is not None:
            yield mark, match, match.start()


def _other_needles(data: bytes) -> list[tuple[Mark, int]]:
    """The marks outside the prolog whose needles are in a page, in the order of the table, and where they are first."""
    in_page = zip(_IN_PAGE, _IN_PAGE_NEEDLES.first(data, len(data)), strict=True)
    in_head = zip(_IN_HEAD, _IN_HEAD_NEEDLES.first(data, HEAD_SIZE), strict=True)
    found = [(mark, at) for mark, at in (*in_page, *in_head) if at >= 0]
    return sorted(found, key=lambda one: MARKS.index(one[0])) if len(found) > 1 else found


def _search(mark: Mark, data: bytes, at: int, limit: int) -> re.Match[bytes] | None:
    """The match of a mark whose needle is at `at`, if it is where its saver puts it."""
    if mark.inside == "script":
        script = place_at(data, at)
        match = mark.expression.search(data, script.start, script.end) if script.kind == "script" else None
        return match if match and _CODE.fullmatch(data, script.start, match.start()) else None
    match = mark.expression.search(data, max(at - _BEFORE, 0), limit)
    return match if match and (not mark.inside or is_attribute_at(data, match.start())) else None


def find_marks(data: bytes) -> list[FoundMark]:
    """The marks of an HTML page in an ASCII-compatible encoding, in the order of the page.

    Of several by one archive, the first row that states the URL counts; where none does, the first that lets guess it.
    """
    found: list[FoundMark] = []
    guesses: dict[str, FoundMark] = {}
    archives: set[str] = set()
    for mark, match, start in _matches(data):
        value = mark.read(match) if mark.saver not in archives else None
        if value is not None and value.guess:
            guesses.setdefault(mark.saver, FoundMark(mark, value, start))
        elif value is not None:
            found.append(FoundMark(mark, value, start))
            archives |= {mark.saver} if mark.is_archive else set()
    found += (guess for saver, guess in guesses.items() if saver not in archives)
    return sorted(found, key=lambda one: one.start)


# What else such pages hold

_COMMENTED = lazy_pattern(rb"<!--(?:(?=<base[\t\n\f\r ])| (?=base href=))", re.IGNORECASE)
_LONGEST = 8192
_HREF = lazy_pattern(rb"[\t\n\f\r ]href=(\"[^\"]*\"|'[^']*'|[^\t\n\f\r >]+)", re.IGNORECASE)


def original_bases(page: SavedPage) -> tuple[Candidate, ...]:
    """The BASE elements with an href that a browser turned into comments, among the first 32 candidates."""
    data = page.data
    found = []
    for match in islice(_COMMENTED.finditer(data), _STEPS):
        start = match.end()
        end = data.find(b"-->", start, start + _LONGEST)
        href = _HREF.search(data, start, end) if end >= 0 else None
        if href is not None:
            where = f"{page.position_text(start)}: a BASE that the browser turned into a comment"
            found.append(Candidate(Layer.EMBEDDED, attribute_text(href[1].strip(b"\"'")), where, "", start))
    return tuple(found)


#: Teleport's tppabs attribute, after the attribute that it rewrote.
_REWRITTEN = lazy_pattern(
    rb"""=(?:"([^"]{1,8192})"|'([^']{1,8192})')[\t\n\f\r ]++"""
    rb"""tppabs=(?:"((?:https?|ftp)://[^"]{1,8192})"|'((?:https?|ftp)://[^']{1,8192})')"""
)


def original_urls(data: bytes) -> dict[str, str]:
    """Reference -> its original URL, by the attributes that Teleport adds."""
    pairs = (match.groups() for match in _REWRITTEN.finditer(data))
    return {attribute_text(first or second): attribute_text(third or fourth) for first, second, third, fourth in pairs}
