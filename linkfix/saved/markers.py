"""A saved page and the marks of savers in it: a table with the pattern, the URL and the consequences of each mark.

The formats come from the programs' sources, or from files that they wrote. Marks are untrusted: any page may contain
a mark, of any length.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Literal, NamedTuple
from urllib.parse import quote_from_bytes

from linkfix.encodings.character_references import decode
from linkfix.html.places import is_attribute_at, place_at
from linkfix.kernels.needles import Needles
from linkfix.lazy import lazy_pattern
from linkfix.model import PROBLEMS, Candidate, Layer, Problem
from linkfix.saved.companions import has_companion

# The bytes of a document in an ASCII-compatible encoding, for reading marks, with positions for messages.


_UTF16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


class SavedPage:
    """A document that may have a saver's mark."""

    def __init__(self, original: bytes) -> None:
        #: The document's bytes.
        self.original = original
        #: The document's bytes. UTF-16 is converted to UTF-8, without the byte order mark.
        self.data: bytes = original
        self._utf16 = _UTF16.get(original[:2])
        if self._utf16:
            self.data = original[2:].decode(self._utf16, "replace").encode("utf-8")

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset in `data`, both from 1. The column counts characters of UTF-8."""
        start = self.data.rfind(b"\n", 0, offset) + 1
        return self.data.count(b"\n", 0, offset) + 1, len(self.data[start:offset].decode("utf-8", "replace")) + 1

    def position_text(self, offset: int) -> str:
        """Return the line and column of an offset in `data`, in words."""
        return "line {}, column {}".format(*self.position(offset))

    def problem(self, code: str, detail: str, offset: int) -> Problem:
        """Return a problem at an offset in `data`. The problem's own offset refers to `original`.

        `code`: a key of `PROBLEMS`.
        """
        start = offset
        if self._utf16:
            start = 2 + len(self.data[:offset].decode("utf-8", "replace").encode(self._utf16))
        return Problem(code, f"{PROBLEMS[code]}: {detail}", start, *self.position(offset))


# The types of the table of marks, and the functions that decode the text of a mark.


#: The meaning of relative references in a saved page. "folder": references into NAME_files/ name the page's own files.
#: "dotted": only references into NAME_files/ that begin with "./" do. "beside": references to existing files do.
#: "mirror": references name files of a mirror. "attribute": an attribute states the original reference.
Links = Literal["", "folder", "dotted", "beside", "mirror", "attribute"]


class MarkValue(NamedTuple):
    """The URL that a mark states, and its reliability."""

    url: str
    """The URL as the mark writes it; "" if the mark has no URL."""
    fault: str = ""
    """The reason why the URL cannot be trusted; "" if it can."""
    assumes_scheme: bool = False
    """Whether the mark lacks the scheme, so that the scheme of `url` is assumed."""
    guess: str = ""
    """The reason why the URL is only a guess, in words that follow the mark's name; "" if it is not a guess."""


class Mark(NamedTuple):
    """A row of the table."""

    saver: str
    """The name of the program in messages."""
    place: Literal["comment", "root", "top", "head", "page"]
    """The part of the page that can contain the mark. "comment": a comment before the content; the expression must
    match the whole comment. "root": the html tag. "top": the first `TOP_SIZE` bytes. "head": the first `HEAD_SIZE`
    bytes. "page": the whole page."""
    needle: bytes
    """Bytes that occur within the first 32 bytes of the mark. A longer needle makes the search faster."""
    expression: re.Pattern[bytes]
    read: Callable[[re.Match[bytes]], MarkValue | None]
    """Function that returns the value of a match, or None if the match is not a mark."""
    meaning: str
    """The consequences for a page with this mark. The documentation uses the same words."""
    own_bases: frozenset[str] = frozenset()
    """See `linkfix.model.Saver`."""
    links: Links = ""
    inside: Literal["", "script", "tag"] = ""
    """The syntax that must surround the mark. "script": the code of a script, outside strings and comments; the match
    is then bounded by that script. "tag": the start of a tag or an attribute. "": anywhere in `place`."""
    evidence: str = ""
    """The description in the documentation of a mark that a web archive writes into the pages that it serves. "" for
    the marks of other savers."""
    states: str = ""
    """The URL or host that an archive's mark states, and guesses from it. The documentation uses the same words."""

    @property
    def is_archive(self) -> bool:
        """Whether a web archive writes this mark. `find_marks` chooses among several marks of one archive."""
        return bool(self.evidence)


def url_text(raw: bytes) -> str:
    """Return a URL as a saver wrote it, with all non-ASCII bytes percent-encoded, whatever their encoding."""
    raw = raw.strip()
    return raw.decode("ascii") if raw.isascii() else quote_from_bytes(raw, "".join(map(chr, range(0x21, 0x7F))))


def attribute_text(raw: bytes) -> str:
    """Return the value of an attribute, decoded and without surrounding white space."""
    return decode(raw.decode("utf-8", "replace")).text.strip()


def script_string(raw: bytes) -> str:
    """Return the value of a string in a script. Archives also escape such strings for HTML."""
    import json  # few pages contain such a string

    text = raw.decode("utf-8", "replace")
    with contextlib.suppress(ValueError):  # escapes that JSON does not have: take the text literally
        text = str(json.loads(f'"{text}"'))
    return decode(text).text


# The marks that web archives write into the pages that they serve.
#
# Such a page was retrieved from the archive, and its rewritten links point into the archive. A mark therefore states a
# URL of the archive, of the form PREFIX/TIMESTAMP[MODIFIER]/URL. A modifier such as "im_" or "mp_" says how the archive
# rewrites the response.


_ARCHIVE = "https://web.archive.org/"

WAYBACK, _PYWB, TODAY = "the Wayback Machine", "pywb", "archive.today"

_INTO_WAYBACK = "the page was retrieved from the archive, and its links lead into the archive: /web/TIMESTAMP/URL"

_INTO_ARCHIVE = "the page was retrieved from the archive, and its links lead into the archive"

_URL = "the URL"

#: A string of a script, without its quotation marks.
_STRING = rb"((?:[^\"\\\r\n]|\\[^\r\n]){1,8192}+)"

#: The distance from a mark within which related text is searched for, in bytes.
_AROUND = 4096


def _wombat(match: re.Match[bytes]) -> MarkValue:
    url, timestamp, prefix, collection = (script_string(part or b"") for part in match.groups())
    return MarkValue(f"{prefix or _ARCHIVE}{collection or 'web'}/{timestamp}/{url}")


def _printed_header(match: re.Match[bytes]) -> MarkValue:
    return MarkValue(attribute_text(match[1]))


def _toolbar_script(match: re.Match[bytes]) -> MarkValue:
    collection, url, timestamp = map(script_string, match.groups())
    return MarkValue(f"{_ARCHIVE}{collection}/{timestamp}/{url}")


_ACTION = lazy_pattern(rb"[\t\n\f\r ]action=\"([^\"]{1,1024})\"")

_DATE = lazy_pattern(rb"name=\"date\"[^>]{0,200}? value=\"(\d{4,14})\"")


def _toolbar_form(match: re.Match[bytes]) -> MarkValue | None:
    """The form states URL and time. Its action identifies the archive, since many archives run OpenWayback."""
    data, start = match.string, match.start()
    form = data.rfind(b"<form", max(start - _AROUND, 0), start)
    action = _ACTION.search(data, form, start) if form >= 0 else None
    date = _DATE.search(data, match.end(), match.end() + _AROUND)
    if action is None or date is None:
        return None
    target = attribute_text(action[1])
    if target.endswith(("/form-submit.jsp", "/web/submit")):
        prefix = f"{_ARCHIVE}web/"
    elif target.endswith("/query") and "://" in target:
        prefix = target.removesuffix("query")
    else:
        return None
    return MarkValue(f"{prefix}{attribute_text(date[1])}/{attribute_text(match[1])}")


_TOOLBAR_URL = lazy_pattern(rb'id="wmtbURL"[^>]{0,200}? value="([^"]{1,8192})"')


def _old_wombat(match: re.Match[bytes]) -> MarkValue:
    """The script states only the host. The toolbar, if the page has one, states the whole URL."""
    prefix, timestamp, host = (script_string(part or b"") for part in match.groups()[1:])
    if prefix.startswith("/"):
        prefix = _ARCHIVE + prefix[1:]
    before = f"{prefix.rstrip('/')}/{timestamp}/"
    toolbar = _TOOLBAR_URL.search(match.string, match.end())
    if toolbar is not None and is_attribute_at(match.string, toolbar.start()):
        return MarkValue(before + attribute_text(toolbar[1]))
    return MarkValue(f"{before}http://{host}/", guess="states only the host")


_PYWB_VALUES = {
    name: lazy_pattern(rb"wbinfo\." + name + rb"\s*=\s*(?:decodeURI\(\s*)?\"" + _STRING + rb"?\"")
    for name in (b"timestamp", b"prefix", b"mod", b"top_url")
}

_ORIGIN = lazy_pattern(r"https?://[^/?#]+")


def _pywb(match: re.Match[bytes]) -> MarkValue:
    """Source: pywb/templates/head_insert.html. If there is no modifier, the archive serves the page outside a frame."""
    data, start = match.string, max(match.start() - _AROUND, match.pos)
    end = min(match.end() + _AROUND, match.endpos)
    found = {name: pattern.search(data, start, end) for name, pattern in _PYWB_VALUES.items()}
    values = {name.decode(): script_string(value[1] or b"") for name, value in found.items() if value is not None}
    url, prefix, timestamp = script_string(match[1]), values.get("prefix", ""), values.get("timestamp", "")
    if prefix.startswith("/"):
        origin = _ORIGIN.match(values.get("top_url", ""))
        prefix = origin[0] + prefix if origin else ""
    return MarkValue(f"{prefix}{timestamp}{values.get('mod', 'mp_')}/{url}" if prefix and timestamp else url)


def _pywb_frame(match: re.Match[bytes]) -> MarkValue | None:
    """Source: pywb/templates/frame_insert.html, the page that shows the archived page in a frame."""
    url, prefix, timestamp = (script_string(part or b"") for part in match.groups())
    if not _ORIGIN.match(prefix):
        return None
    return MarkValue(f"{prefix}{timestamp}{'/' if timestamp else ''}{url}")


_TODAY_HOST = rb"https?://archive\.(?:today|is|ph|li|fo|md|vn)/"

_LONG = _TODAY_HOST + rb"(?:\d{8,14}|\d{4}\.\d\d\.\d\d-\d{6})/https?://[^\"]{1,8192}"

_TODAY_CANONICAL = lazy_pattern(rb'<link rel="canonical" href="' + _TODAY_HOST)

_SEARCH = lazy_pattern(rb'action="(' + _TODAY_HOST + rb')search/"')

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _today_bookmark(match: re.Match[bytes]) -> MarkValue:
    """Any page may bookmark a page of the archive. A page of the archive has its short URL as its canonical URL."""
    canonical = _TODAY_CANONICAL.search(match.string, max(match.start() - _AROUND, 0), match.end() + _AROUND)
    is_own = canonical is not None and is_attribute_at(match.string, canonical.start())
    return MarkValue(attribute_text(match[1]), guess="" if is_own else "is not confirmed by a canonical link")


def _today_form(match: re.Match[bytes]) -> MarkValue | None:
    """The form above the page states the URL, and the time in milliseconds since 1970."""
    data, start = match.string, match.start()
    form = data.rfind(b"<form", max(start - _AROUND, 0), start)
    action = _SEARCH.search(data, form, start) if form >= 0 else None
    if action is None:
        return None
    time = _EPOCH + timedelta(seconds=int(match[2]) // 1000)
    return MarkValue(f"{attribute_text(action[1])}{time:%Y%m%d%H%M%S}/{attribute_text(match[1])}")


#: The number of bytes of a page that are searched for marks. `HEAD_SIZE` is for marks in the prolog and the head,
#: `TOP_SIZE` for marks that archives put at the top.
HEAD_SIZE, TOP_SIZE = 1 << 16, 1 << 14

#: The maximum number of comments, tags and declarations that are read before the content.
_STEPS = 32


class FoundMark(NamedTuple):
    """A mark in a page."""

    mark: Mark
    value: MarkValue
    start: int
    """The byte offset of the mark."""
    links: Links
    """The meaning of relative references in a page with this mark."""


#: Chromium writes this in place of a URL that it conceals (WebFrameSerializer, `save_with_empty_url`). Many authors
#: write it too, so that Internet Explorer runs the scripts of a local page. Only Chromium writes "./" in references.
_NO_URL = "about:internet"

# Reading


def _plain(match: re.Match[bytes]) -> MarkValue:
    return MarkValue(url_text(match[1]))


def _attribute(match: re.Match[bytes]) -> MarkValue:
    return MarkValue(attribute_text(match[2]))


def _saved_from(match: re.Match[bytes]) -> MarkValue:
    """The stated length is the length of the URL as written. Blink writes every second hyphen of a run as %2D, because
    an HTML comment cannot contain two hyphens in a row.
    """
    stated, raw = int(match[1]), match[2]
    url = url_text(raw).replace("-%2D", "--")
    lengths = {len(raw), len(raw.decode("utf-8", "replace"))}
    if stated not in lengths:
        return MarkValue(url, f"the mark states a length of {stated} characters, and the URL has {min(lengths)}")
    return MarkValue(url, f"{url} is not the URL of a page" if url.lower().startswith("about:") else "")


def _mirrored_url(match: re.Match[bytes]) -> MarkValue:
    """HTTrack before August 2026 omits the scheme, which is then http."""
    url = url_text(match[1])
    absolute = re.match(r"[a-z][a-z0-9+.-]*://", url, re.IGNORECASE)
    return MarkValue(url) if absolute else MarkValue(f"http://{url}", assumes_scheme=True)


def _firefox(match: re.Match[bytes]) -> MarkValue | None:
    """Any page may have such a comment, but a page that Firefox saved also refers to its NAME_files/ folder."""
    return MarkValue("") if has_companion(match.string) else None


def _teleport(_: re.Match[bytes]) -> MarkValue:
    return MarkValue("")


_BROWSER = frozenset({"."})

#: All marks. The expressions of comments match the whole text between `<!--` and `-->`; the others are searched for.
MARKS: tuple[Mark, ...] = (
    Mark(
        "the browser",
        "comment",
        b"saved from url=",
        lazy_pattern(rb"\s*saved from url=\((\d{1,9})\)(\S*)\s*"),
        _saved_from,
        "Chromium, Internet Explorer: links are absolute; other references are relative to the BASE, which is a "
        "comment now. The folder NAME_files/ beside the page holds its own files",
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
        "the page is one file; links are absolute (Zotero's snapshots are such files)",
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
        "the page is one file; the URL lacks its fragment and its password",
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
        "its BASE is used; it has the original BASE's URL, or the page's URL",
    ),
    Mark(
        "Firefox",
        "head",
        b"<!-- base href=",
        lazy_pattern(rb'<!-- base href="[^">]{1,8192}"'),
        _firefox,
        "no URL; links are absolute; the BASE is a comment now; the folder NAME_files/ beside the page holds "
        "its own files",
        links="folder",
    ),
    Mark(
        "Teleport",
        "head",
        b'tppabs="http',
        lazy_pattern(rb"[\t\n\f\r \"']tppabs=\"https?://"),
        _teleport,
        "no URL; the attribute tppabs beside each rewritten reference states its original URL",
        links="attribute",
    ),
    # Archives. The rows of the Wayback Machine are sorted by the amount of information, the largest first. They were
    # derived from pages that it served from 2010 to 2026.
    Mark(
        WAYBACK,
        "top",
        b"__wm.wombat(",
        lazy_pattern(
            rb'__wm\.wombat\(\s*"' + _STRING + rb'"\s*,\s*"(\d{4,14})"(?:\s*,\s*"([^"]{0,1024})"\s*,\s*"([^"]{0,99})")?'
        ),
        _wombat,
        _INTO_WAYBACK,
        inside="script",
        evidence="`__wm.wombat(…)` in the script at the top",
        states=_URL,
    ),
    Mark(
        WAYBACK,
        "page",
        b'id="wm-ipp-print"',
        lazy_pattern(rb'id="wm-ipp-print"[^<>]{0,200}>\s{0,99}The Wayback Machine - (https?://[^<>\s]{1,8192})'),
        _printed_header,
        _INTO_WAYBACK,
        inside="tag",
        evidence='the header of printed pages, `id="wm-ipp-print"`',
        states=_URL,
    ),
    Mark(
        WAYBACK,
        "page",
        b"__wm.bt(",
        lazy_pattern(rb'__wm\.bt\([\d, ]{0,99}"([^"/]{1,99})","' + _STRING + rb'","(\d{4,14})"'),
        _toolbar_script,
        _INTO_WAYBACK,
        inside="script",
        evidence="`__wm.bt(…)`, the toolbar's script",
        states=_URL,
    ),
    Mark(
        WAYBACK,
        "top",
        b"WB_wombat_Init(",
        lazy_pattern(
            rb"WB_wombat_Init\(\s*([\"'])([^\"']{1,1024})\1\s*,\s*[\"'](\d{4,14})[\"']\s*,\s*[\"']([^\"']{1,1024})[\"']"
        ),
        _old_wombat,
        _INTO_WAYBACK,
        inside="script",
        evidence="`WB_wombat_Init(…)` in the script at the top",
        states="the host; the toolbar or rewritten links add the path; else the root of the host, a guess",
    ),
    Mark(
        WAYBACK,
        "page",
        b'id="wmtbURL"',
        _TOOLBAR_URL,
        _toolbar_form,
        _INTO_WAYBACK,
        inside="tag",
        evidence="the toolbar's form, `id=\"wmtbURL\"` (also OpenWayback's)",
        states=_URL,
    ),
    Mark(
        _PYWB,
        "top",
        b"wbinfo.url",
        lazy_pattern(rb'wbinfo\.url\s*=\s*"' + _STRING + rb'"'),
        _pywb,
        _INTO_ARCHIVE,
        inside="script",
        evidence="`wbinfo.url`, with `wbinfo.timestamp`, `.prefix` and `.mod`",
        states=_URL,
    ),
    Mark(
        _PYWB,
        "page",
        b"new ContentFrame({",
        lazy_pattern(
            rb'new ContentFrame\(\{"url":\s*"' + _STRING + rb'"[^"]{0,99}"prefix":\s*"' + _STRING + rb'"'
            rb'\s*,\s*"request_ts":\s*"(\d{0,14})"'
        ),
        _pywb_frame,
        _INTO_ARCHIVE,
        inside="script",
        evidence="`new ContentFrame(…)` in the page that shows the archived page in a frame",
        states=_URL,
    ),
    Mark(
        TODAY,
        "head",
        b'<link rel="bookmark" href="http',
        lazy_pattern(rb'<link rel="bookmark" href="(' + _LONG + rb')"'),
        _today_bookmark,
        _INTO_ARCHIVE,
        inside="tag",
        evidence="`link rel=bookmark` in the head",
        states="the URL; a guess without a canonical link to the archive",
    ),
    Mark(
        TODAY,
        "head",
        b'<link rel="canonical" href="http',
        lazy_pattern(rb'<link rel="canonical" href="(' + _LONG + rb')"'),
        _printed_header,
        _INTO_ARCHIVE,
        inside="tag",
        evidence="`link rel=canonical` with a time and a URL in its path",
        states=_URL,
    ),
    Mark(
        TODAY,
        "head",
        b'name="q" value="http',
        lazy_pattern(
            rb'name="q" value="(https?://[^"]{1,8192})"[^<>]{0,200}><input[^<>]{0,200}? name="t" value="(\d{13})"'
        ),
        _today_form,
        _INTO_ARCHIVE,
        inside="tag",
        evidence='the form above the page, `name="q"` and `name="t"`',
        states=_URL,
    ),
)


# Finding

_PROLOG_MARKS = [mark for mark in MARKS if mark.place in {"comment", "root"}]

_BEFORE = 32

_LIMITS = {"top": TOP_SIZE, "head": HEAD_SIZE}

_IN_PAGE = [mark for mark in MARKS if mark.place == "page"]

_IN_HEAD = [mark for mark in MARKS if mark.place in _LIMITS]

#: The pairs of bytes are rare in pages, and each needle contains one of them. Together they occur once in 15,000 bytes;
#: "tp" occurs once in 1,900.
_IN_PAGE_NEEDLES = Needles((mark.needle for mark in _IN_PAGE), (b"wm", b"-u", b"({"))

_IN_HEAD_NEEDLES = Needles((mark.needle for mark in _IN_HEAD), (b"wm", b"WB", b"wb", b"!-", b"tp"))

_SPACE = lazy_pattern(rb"[\t\n\f\r ]*+")

#: The code of a script before an offset outside strings and comments. Before their marks, archives' scripts have no
#: regular expressions.
_CODE = lazy_pattern(
    rb"""(?:[^"'`/]++|"(?:[^"\\\r\n]|\\.)*+"|'(?:[^'\\\r\n]|\\.)*+'|`(?:[^`\\]|\\.)*+`"""
    rb"""|//[^\r\n]*+[\r\n]|/\*.*?\*/|/(?![/*]))*+""",
    re.DOTALL,
)

_DECLARATION = lazy_pattern(rb"<(?:!(?!--)|\?)[^>]*+>")

_ROOT = lazy_pattern(rb"<html(?=[\t\n\f\r />])(?:[^\"'>]|\"[^\"]*+\"|'[^']*+')*+>", re.IGNORECASE)


def _prolog(data: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield the comments and the html tag before the content of a page, at most 32, as (place, start, end)."""
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
    """Return the marks outside the prolog whose needles occur in a page, each with the offset of the first occurrence.
    The order is that of the table.
    """
    in_page = zip(_IN_PAGE, _IN_PAGE_NEEDLES.first(data, len(data)), strict=True)
    in_head = zip(_IN_HEAD, _IN_HEAD_NEEDLES.first(data, HEAD_SIZE), strict=True)
    found = [(mark, at) for mark, at in (*in_page, *in_head) if at >= 0]
    return sorted(found, key=lambda one: MARKS.index(one[0])) if len(found) > 1 else found


def _search(mark: Mark, data: bytes, at: int, limit: int) -> re.Match[bytes] | None:
    """Return the match of a mark whose needle is at offset `at`; None if its saver would not write it there."""
    if mark.inside == "script":
        script = place_at(data, at)
        match = mark.expression.search(data, script.start, script.end) if script.kind == "script" else None
        return match if match and _CODE.fullmatch(data, script.start, match.start()) else None
    match = mark.expression.search(data, max(at - _BEFORE, 0), limit)
    return match if match and (not mark.inside or is_attribute_at(data, match.start())) else None


def find_marks(data: bytes) -> list[FoundMark]:
    """Return the marks of an HTML page in an ASCII-compatible encoding, in document order.

    If one archive left several marks, the first row that states the URL counts, else the first row that implies it.
    """
    found: list[FoundMark] = []
    guesses: dict[str, FoundMark] = {}
    archives: set[str] = set()
    for mark, match, start in _matches(data):
        value = mark.read(match) if mark.saver not in archives else None
        if value is None:
            continue
        one = FoundMark(mark, value, start, "dotted" if value.url.lower() == _NO_URL else mark.links)
        if value.guess:
            guesses.setdefault(mark.saver, one)
        else:
            found.append(one)
            archives |= {mark.saver} if mark.is_archive else set()
    found += (guess for saver, guess in guesses.items() if saver not in archives)
    return sorted(found, key=lambda one: one.start)


# Other data that savers write into pages

_COMMENTED = lazy_pattern(rb"<!--(?:(?=<base[\t\n\f\r ])| (?=base href=))", re.IGNORECASE)

_LONGEST = 8192

_HREF = lazy_pattern(rb"[\t\n\f\r ]href=(\"[^\"]*\"|'[^']*'|[^\t\n\f\r >]+)", re.IGNORECASE)


def original_bases(page: SavedPage) -> tuple[Candidate, ...]:
    """Return the BASE elements with an href that a browser turned into comments. Only the first 32 comments that look
    like a BASE are checked.
    """
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


#: An attribute that Teleport rewrote, and the tppabs attribute after it.
_REWRITTEN = lazy_pattern(
    rb"""=(?:"([^"]{1,8192})"|'([^']{1,8192})')[\t\n\f\r ]++"""
    rb"""tppabs=(?:"((?:https?|ftp)://[^"]{1,8192})"|'((?:https?|ftp)://[^']{1,8192})')"""
)


def original_urls(data: bytes) -> dict[str, str]:
    """Return a mapping of references to their original URLs, from the attributes that Teleport adds."""
    pairs = (match.groups() for match in _REWRITTEN.finditer(data))
    return {attribute_text(first or second): attribute_text(third or fourth) for first, second, third, fourth in pairs}
