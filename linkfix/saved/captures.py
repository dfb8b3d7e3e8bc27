"""Pages saved from a web archive: the URL of the capture, and the original URLs of links that the archive rewrote.

A capture is a page as a web archive has it. Its URL is PREFIX/TIMESTAMP[MODIFIER]/URL in the Wayback Machine,
OpenWayback and pywb. The archive rewrites links to such URLs, also those in a page's canonical link, `og:url` and BASE.
If the archive's scripts were removed, or state only the host of the page, these three places are the only source of its
URL.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from linkfix.document.document import Document
from linkfix.files.folder import INDEX_NAMES, FileReference, readings, resolve_reference
from linkfix.lazy import lazy_pattern
from linkfix.model import Envelope, Link, Row
from linkfix.saved.companions import SUFFIXES, is_companion, name_key, page_stem
from linkfix.saved.markers import TODAY, WAYBACK, attribute_text
from linkfix.saved.neighbours import HTTrackMirror, Location, Surroundings
from linkfix.urls import C0_CONTROL_OR_SPACE, SCHEME, strip_url, without_fragment

# The URL that a page states for itself: `link rel=canonical` and `og:url`. No specification makes either a base.
#
# BASE elements are also read, because the BASE of an archived page identifies the archive.


#: The role of both elements' rows. No other row of the vocabulary for these elements has this role.
_ROLE = "document"

_ROWS = (
    Row("link", "href", "url", _ROLE, "rel=canonical"),
    Row("meta", "content", "url", _ROLE, "property=og:url"),
)

#: The names of the elements in messages, in order of precedence.
_NAMES = {"link": "link rel=canonical", "meta": "og:url", "base": "BASE"}

_RANKS = {name: rank for rank, name in enumerate(_NAMES.values())}


class StatedUrl(NamedTuple):
    """A URL that a page states for itself."""

    url: str
    place: str
    """The kind of element: "link rel=canonical", "og:url" or "BASE"."""
    position: str
    """Line and column, in words."""
    start: int
    """The byte offset of the URL."""

    @property
    def where(self) -> str:
        """The kind and the position of the element, in words."""
        return f"{self.place}, {self.position}"


def stated_urls(data: bytes, media_type: str, *, bases: bool = False) -> list[StatedUrl]:
    """Return the URLs that a page states for itself, first those of link elements.

    `bases`: whether to include BASE elements, at the end.
    """
    if not bases and b"canonical" not in data and b"og:url" not in data:
        return []
    document = Document(data, envelope=Envelope(media_type=media_type), rows=_ROWS)
    stated = [
        StatedUrl(link.reference.strip(), _NAMES[link.element], f"line {link.line}, column {link.column}", link.start)
        for link in document.links
        if (link.role == _ROLE and link.element in _NAMES) or (bases and link.role == "base")
    ]
    return sorted(stated, key=lambda one: _RANKS[one.place])


_CAPTURE = lazy_pattern(
    r"(?P<prefix>(?:(?:https?:)?//[^/?#]+)?/(?:[^?#]*?/)?)(?P<timestamp>\d{4,14})(?:[a-z]{2}_)?/(?P<url>https?:/.+)",
    re.IGNORECASE | re.DOTALL,
)

_LONGEST = 8192

#: The number of digits of a whole timestamp.
_WHOLE = 14


class Capture(NamedTuple):
    """A page in an archive."""

    prefix: str
    """The text before the timestamp. It ends with a slash, and may lack the scheme, or the scheme and the host."""
    timestamp: str
    """The time of the capture: YYYYMMDDhhmmss, or a prefix of that form."""
    url: str
    """The page's URL outside the archive."""


def capture_of(url: str) -> Capture | None:
    """Return the page of an archive that a URL names; None for any other URL.

    >>> capture_of("https://arquivo.pt/wayback/20150101000000mp_/http://h.example/a?b")
    Capture(prefix='https://arquivo.pt/wayback/', timestamp='20150101000000', url='http://h.example/a?b')
    >>> capture_of("https://h.example/2015/http.html")
    """
    match = _CAPTURE.fullmatch(url) if len(url) <= _LONGEST else None
    return Capture(match["prefix"], match["timestamp"], match["url"]) if match else None


def origin_of(url: str) -> str:
    """Return the scheme and the host of an archive from the URL of a page in it, with the slash after them.

    The result is "" for any other URL.
    """
    capture = capture_of(url)
    scheme, slashes, rest = capture.prefix.partition("//") if capture else ("", "", "")
    return f"{scheme}//{rest.partition('/')[0]}/" if scheme and slashes else ""


#: Hosts whose URLs of the form PREFIX/TIMESTAMP/URL are always URLs of an archive, with the names of the archives.
_ARCHIVE_HOSTS = {
    "web.archive.org": WAYBACK,
    **dict.fromkeys((f"archive.{last}" for last in ("today", "is", "ph", "li", "fo", "md", "vn")), TODAY),
}

#: A URL in an archive, or a path on the archive's host. archive.today also writes its time with dots, and the links of
#: its pages as o/PAGE/URL. Some programs merge the two slashes after the scheme.
_COPY = lazy_pattern(
    r"(?:(?:https?:)?//(?P<host>[^/?#]+))?(?P<path>/(?:[^?#]*?/)?)"
    r"(?:\d{4,14}(?:[a-z]{2}_)?|\d{4}\.\d\d\.\d\d-\d{6}|o/[0-9A-Za-z]{4,12})/(?P<scheme>https?:)/+(?P<rest>[^/].*)",
    re.IGNORECASE | re.DOTALL,
)

_SCHEME = lazy_pattern(SCHEME + ":")

#: The beginning of the paths of the Wayback Machine's own files, which it refers to in the pages that it serves.
_OWN_FILES = "/_static/"


class ArchiveCopy(NamedTuple):
    """The URL of a page in a web archive, in parts."""

    origin: str
    """The scheme and the host of the archive."""
    path: str
    """The path before the time."""
    original: str
    """The page's URL outside the archive."""

    @classmethod
    def of(cls, url: str) -> ArchiveCopy | None:
        """Return the parts of an absolute URL; None if it is not of this form.

        >>> ArchiveCopy.of("https://archive.ph/o/AbCdE/http://h.example/a?b")
        ArchiveCopy(origin='https://archive.ph', path='/', original='http://h.example/a?b')
        """
        match = _COPY.fullmatch(url) if len(url) <= _LONGEST else None
        if match is None or match["host"] is None:
            return None
        return cls(url[: match.start("path")], match["path"], _original(match))


def _original(match: re.Match[str]) -> str:
    return f"{match['scheme']}//{match['rest']}"


def archive_name(url: str) -> str:
    """Return the name of the web archive whose host serves only copies of pages; "" for the URL of any other host."""
    return _ARCHIVE_HOSTS.get(host_of(url) or "", "")


def complete_capture(guess: str, stated: Iterable[StatedUrl]) -> StatedUrl | None:
    """Complete the URL of a page in an archive whose mark gives only the host of the page.

    The result is the first statement of the page about itself that the archive rewrote and that has this host; None if
    no statement does. Its prefix and its timestamp are those of the mark.

    `guess`: the URL from the mark.
    """
    known = capture_of(guess)
    if known is None:
        return None
    for one in stated:
        capture = capture_of(one.url)
        host = host_of(capture.url) if capture else None
        if capture and host and host == host_of(known.url):
            return one._replace(url=f"{known.prefix}{known.timestamp}/{capture.url}")
    return None


def captured(stated: Iterable[StatedUrl]) -> StatedUrl | None:
    """Return the first statement of a page about itself that an archive rewrote; None if no archive rewrote any."""
    for one in stated:
        capture = capture_of(one.url)
        if capture is not None and len(capture.timestamp) == _WHOLE and "//" in capture.prefix:
            prefix = f"https:{capture.prefix}" if capture.prefix.startswith("//") else capture.prefix
            return one._replace(url=f"{prefix}{capture.timestamp}/{capture.url}")
    return None


def host_of(url: str) -> str | None:
    """Return the host of a URL; None if the URL has no host or is invalid."""
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


# A guess of the URL of a page in a web archive, from the links in the page that the archive rewrote.
#
# All these links contain the time of the page's capture. A link to a fragment that exists in the page is most likely a
# link to the page itself. If no such link exists, the host of most links is most likely the page's own host.


#: The id and name attributes, whose values fragments refer to.
_NAME = lazy_pattern(
    rb"""[\t\n\f\r "'](?:id|name)[\t\n\f\r ]{0,9}=[\t\n\f\r ]{0,9}"""
    rb"""(?:"([^"]{1,256})"|'([^']{1,256})'|([^\t\n\f\r "'>]{1,256}))""",
    re.IGNORECASE,
)

#: The number of bytes of a page that are searched for links.
_LOOKED_AT = 1 << 20

_ORIGIN = lazy_pattern(r"https?://[^/?#]+")


class LinkGuess(NamedTuple):
    """A guess of a page's URL, and its evidence."""

    url: str
    reason: str
    """The reason for the guess, with the position, in words."""
    start: int
    """The byte offset of the first link that supports the guess."""
    is_page: bool
    """Whether `url` is a guess of the page's URL. If not, it is only a guess of the page's host."""


class _Rewritten(NamedTuple):
    capture: Capture
    link: Link


def guess_from_links(data: bytes, known: Capture | None = None) -> LinkGuess | None:
    """Return the guess that the links imply; None if no archive rewrote any link.

    `known`: the page in the archive as a mark states it, with the right host; None if no mark does. If `known` is
    given, only links to that host count.
    """
    links = Document(data[:_LOOKED_AT], envelope=Envelope(media_type="text/html")).links
    rewritten = [
        _Rewritten(capture, link)
        for link in links
        if (capture := capture_of(link.reference.strip())) is not None and len(capture.timestamp) == _WHOLE
    ]
    prefixes = Counter(one.capture.prefix for one in rewritten if one.capture.prefix.startswith(("http:", "https:")))
    if known is None and not prefixes:
        return None
    prefix = known.prefix if known else prefixes.most_common(1)[0][0]
    times = Counter(one.capture.timestamp for one in rewritten)
    time = known.timestamp if known else times.most_common(1)[0][0]
    host = host_of(known.url) if known else None
    own = [one for one in rewritten if one.capture.timestamp == time and host in {None, host_of(one.capture.url)}]
    return _page(data, own, f"{prefix}{time}/") or _host(own, f"{prefix}{time}/")


def _page(data: bytes, own: list[_Rewritten], before: str) -> LinkGuess | None:
    """Return the URL that most links with a fragment of this page go to; None if no link has such a fragment."""
    references = [(*one.capture.url.partition("#")[::2], one.link) for one in own]
    spellings = {fragment: {fragment, unquote(fragment)} for _, fragment, _ in references if fragment}
    if not spellings:
        return None
    wanted = frozenset[str]().union(*spellings.values())
    names = wanted.intersection(attribute_text(match[match.lastindex or 0]) for match in _NAME.finditer(data))
    pages: dict[str, list[Link]] = {}
    for page, fragment, link in references:
        if fragment and not names.isdisjoint(spellings[fragment]):
            pages.setdefault(page, []).append(link)
    if not pages:
        return None
    page, links = max(pages.items(), key=lambda item: len(item[1]))  # the first, if several have the maximum
    reason = f"links that an archive rewrote go to fragments of this page, {_first(links[0])}"
    return LinkGuess(before + page, reason, links[0].start, is_page=True)


def _host(own: list[_Rewritten], before: str) -> LinkGuess | None:
    """Return the root of the host that most references go to; None if no reference has a host.

    References that the page wrote without a host are counted, else hyperlinks, else all references. Archives rewrite a
    reference with a host to a whole URL, and a reference without a host to a path on the archive's host.
    """
    relative = [one for one in own if "//" not in one.capture.prefix]
    counted = relative or [one for one in own if one.link.element in {"a", "area"}] or own
    origins = [(match[0], one.link) for one in counted if (match := _ORIGIN.match(one.capture.url)) is not None]
    if not origins:
        return None
    origin = Counter(one for one, _ in origins).most_common(1)[0][0]
    first = next(link for one, link in origins if one == origin)
    reason = f"most links that an archive rewrote go to this host, {_first(first)}"
    return LinkGuess(f"{before}{origin}/", reason, first.start, is_page=False)


def _first(link: Link) -> str:
    return f"the first in line {link.line}, column {link.column}"


# `Saver.map_reference` for each saver: returns the original URL of a reference that the saver rewrote.
#
# Instances of each class are called as `map_reference(reference, base)`; see `linkfix.model.Saver`.


def _folder(name: str) -> str:
    return name[: name.rfind("/") + 1]


def _host_and_path(url: str) -> tuple[str, str]:
    """Return the host and path of a URL; ("", "") for a URL that a resolver accepts but Python rejects."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.netloc, parts.path


class _SavedFiles(ABC):
    """Leaves references to files that were saved with a page unchanged, whether or not the files still exist."""

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        #: The path of the page's folder. It is empty or ends with a slash.
        self.folder: str = _folder(around.name)
        self._last: tuple[str, bool | None] | None = None

    def __call__(self, reference: str, base: str | None) -> str | None:
        """Return "" for a reference to a file that was saved with the page."""
        return None if self._answer(reference) is None else ""

    def is_missing(self, reference: str) -> bool:
        """Whether a reference names a file that was saved with the page and is missing."""
        return self._answer(reference) is False

    def _answer(self, reference: str) -> bool | None:
        """Return the result of `_has`, cached for the last reference: both public methods are called in turn."""
        if self._last is None or self._last[0] != reference:
            self._last = reference, self._has(strip_url(reference))
        return self._last[1]

    @abstractmethod
    def _has(self, reference: str) -> bool | None:
        """Whether the file that a reference names exists; None if the file was not saved with the page."""


class OwnFiles(_SavedFiles):
    """A page that a browser saved, with its own files in a folder beside it. The page or the folder may have been
    renamed since. So any companion folder counts, unless the folder with the page's name exists and the other folder
    does not. If the page is itself in a companion folder, references to files beside it also count; browsers write
    them as "./name".
    """

    def __init__(self, around: Surroundings, *, only_dotted: bool = False) -> None:
        """`only_dotted`: whether only references that begin with "./" count."""
        super().__init__(around)
        self._only_dotted = only_dotted

    def _has(self, reference: str) -> bool | None:
        if self._only_dotted and not reference.startswith("./"):
            return None
        around = self.around
        folder = self.folder
        names = [name for name in readings(reference, folder) if name.startswith(folder)]
        own = [name for name in names if self._is_own(name[len(folder) :])]
        if any(map(around.has_file, own)):
            return True
        is_written_by_browser = any("/" in name[len(folder) :] for name in own) or reference.startswith("./")
        return not around.name if own and is_written_by_browser else None

    def _is_own(self, path: str) -> bool:
        """Whether a path, relative to the page's folder, is the path of one of the page's own files."""
        first, slash, _ = path.partition("/")
        if not slash:
            return self.around.is_in_companion
        return is_companion(first) and (self._is_companion_of_page(first) or not self._has_companion())

    def _is_companion_of_page(self, folder: str) -> bool:
        around = self.around
        return name_key(page_stem(folder)) == name_key(self._stem) or around.has_folder(self.folder + folder)

    def _has_companion(self) -> bool:
        """Whether a companion folder with the page's name exists."""
        around = self.around
        return bool(self._stem) and any(around.has_folder(self.folder + self._stem + suffix) for suffix in SUFFIXES)

    @property
    def _stem(self) -> str:
        return os.path.splitext(self.around.name[len(self.folder) :])[0]


class FilesBeside(_SavedFiles):
    """A page with its own files beside or below it. A relative reference to an existing file stays, and so does a
    relative reference into a companion folder.
    """

    def _has(self, reference: str) -> bool | None:
        around = self.around
        names = readings(reference, self.folder)
        if any(map(around.has_file, names)):
            return True
        below = [name[len(self.folder) :] for name in names if name.startswith(self.folder)]
        is_own = any(is_companion(path.partition("/")[0]) for path in below if "/" in path)
        return not around.name if is_own else None


@dataclass(frozen=True, slots=True)
class MirrorPage:
    """A page of a mirror."""

    name: str
    """The page's name in the tree."""
    url: str | None
    """The page's URL, normalized as browsers do; None if it is unknown."""
    location: Location | None
    """The page's location in the mirror; None if it is unknown."""
    exists: Callable[[str], bool]
    """Function that returns whether the tree has a file of this name."""
    url_of: Callable[[str], str | None]
    """Function that returns the URL of the file of this name; None if it is unknown."""

    def file(self, reference: str, base: str | None) -> FileReference | None:
        """Return the file that a reference names, relative to the page or to the location of its BASE in the mirror."""
        folder: str | None = _folder(self.name)
        if base is not None and self.url is not None and without_fragment(base) != without_fragment(self.url):
            (own, _), (host, path) = _host_and_path(self.url), _host_and_path(base)
            if self.location is None or own != host:
                return None
            folder = self.location.folder_of(_folder(unquote(path.lstrip("/"))))
        return None if folder is None else resolve_reference(strip_url(reference), folder)


@dataclass(frozen=True, slots=True)
class WgetPage:
    """A page of a wget mirror. Without -k, its links are the original links, with their queries. With -k, links to
    files have no query, and name the file.
    """

    page: MirrorPage
    is_converted: bool
    """Whether -k is known to have converted the page's links."""

    def __call__(self, reference: str, base: str | None) -> str | None:
        """Return the URL of the file that the reference names."""
        page = self.page
        file = page.file(reference, base)
        if file is None or file.query is not None or not page.exists(file.name):
            return None
        if not self.is_converted and file.name.rpartition("/")[2] == INDEX_NAMES[0]:
            return None  # it may be the original reference
        url = page.url_of(file.name)
        return url + file.fragment if url else None


@dataclass(frozen=True, slots=True)
class HTTrackPage:
    """A page of an HTTrack mirror: all links to its files are relative, and their queries are part of the file."""

    page: MirrorPage
    mirror: HTTrackMirror | None
    """The mirror; None if it has no index."""

    def __call__(self, reference: str, base: str | None) -> str | None:
        """Return the URL of the file that the reference names."""
        page = self.page
        file = page.file(reference, base)
        if file is None:
            return None
        url = None if self.mirror is None else self.mirror.url_of(file.name)
        if url is None and page.exists(file.name):
            url = page.url_of(file.name)
            if url is None:
                return ""  # a file that HTTrack itself added
        if url is None or (file.query is not None and "?" not in url):
            return None  # a reference that HTTrack did not see
        return url + file.fragment


@dataclass(frozen=True, slots=True)
class ArchivedPage:
    """A page from an archive, if its URL in the archive is unknown. The links that the archive rewrote are on the
    archive's host, and so are all references that begin with a slash, unless a base says otherwise.
    """

    origin: str
    """The archive's scheme and host, with the slash after them."""

    def __call__(self, reference: str, base: str | None) -> str | None:
        """Return the URL of a reference that begins with a slash."""
        text = strip_url(reference)
        if not text.startswith("/") or (base is not None and capture_of(text) is None):
            return None
        return self.origin.partition("//")[0] + text if text.startswith("//") else self.origin + text[1:]


@dataclass(frozen=True, slots=True)
class OriginalLinks:
    """A page from an archive whose links shall lead to the original sites."""

    copy: ArchiveCopy
    """The page in the archive."""
    inner: Callable[[str, str | None], str | None] | None
    """`Saver.map_reference` of the program that saved the page from the archive."""

    def __call__(self, reference: str, base: str | None) -> str | None:
        """Return the original URL of a reference that the archive rewrote."""
        text = strip_url(reference)
        match = _COPY.fullmatch(text) if len(text) <= _LONGEST else None
        if match is not None and self._is_in_archive(match):
            return _original(match)
        if text.startswith(_OWN_FILES):
            return self.copy.origin + text
        if _SCHEME.match(text):
            return None
        return None if self.inner is None else self.inner(reference, base)

    def _is_in_archive(self, match: re.Match[str]) -> bool:
        """Whether a reference names a copy in the archive of the page. A copy in another archive is the page's own
        link, such as a citation.
        """
        if match["host"] is None:
            return match["path"] == self.copy.path
        host, own = match["host"].lower(), self.copy.origin.partition("//")[2].lower()
        return host == own or _ARCHIVE_HOSTS.get(host, host) == _ARCHIVE_HOSTS.get(own)


@dataclass(frozen=True, slots=True)
class TeleportReferences:
    """A page that states the original URL of each rewritten reference in an attribute."""

    urls: dict[str, str]
    """A mapping of references to their original URLs."""

    def __call__(self, reference: str, base: str | None) -> str | None:
        """Return the original URL of the reference."""
        return self.urls.get(reference.strip(C0_CONTROL_OR_SPACE))
