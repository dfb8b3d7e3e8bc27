"""The URL of a file in a mirror, by the name that wget or HTTrack gave it, and HTTrack's own index of a mirror.

Names are ambiguous: wget writes `/` and `/index.html` to one file, its `-E` adds a suffix that a URL may have had, and
HTTrack puts four digits in place of a query. Each function says how it decides.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Literal, NamedTuple
from urllib.parse import quote_from_bytes, urlsplit

from linkfix.files.atomic import FilePath, open_file
from linkfix.files.folder import INDEX_NAMES
from linkfix.files.media_types import MEDIA_TYPES, SERVED_SUFFIXES
from linkfix.lazy import lazy_pattern

__all__ = ["INDEX", "HTTrackIndex", "Layout", "Location", "host_of_folder", "locate"]

#: The program that named the folders of a tree.
Layout = Literal["wget", "httrack"]

#: HTTrack's index of what it fetched, in the folder of a mirror.
INDEX = "hts-cache/new.txt"

#: Names of the folders that wget --protocol-directories makes.
_SCHEMES = frozenset({"http", "https", "ftp", "ftps"})
#: Suffixes of common folder names in projects and saved pages, which are no top-level domains.
_NO_DOMAINS = frozenset(
    (
        *("bak", "css", "d", "dist", "doc", "docs", "files", "git", "html", "htm", "js", "json", "jsx", "lib", "mhtml"),
        *("min", "node", "old", "orig", "out", "php", "png", "svg", "test", "tests", "tmp", "ts", "txt", "xml", "zip"),
    )
)
_HOST = lazy_pattern(
    r"(?P<host>localhost|(?:\d{1,3}\.){3}\d{1,3}|\[[0-9A-Fa-f:.]{2,45}\]"
    r"|(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,20}(?P<last>(?:xn--)?[^\W\d_](?:[^\W_]|-){0,60}))"
    r"(?:(?P<mark>[:+_])(?P<port>\d{1,5}))?"
)
_PORT_MARKS: dict[Layout, str] = {"wget": ":+", "httrack": "_:"}

# RFC 3986 §3.3, §3.4: characters that need no escape in a path and in a query, without the percent sign.
_IN_PATH = "/!$&'()*+,;=:@"
_IN_QUERY = _IN_PATH + "?"
_LONE_PERCENT = lazy_pattern(r"%(?![0-9A-Fa-f]{2})")
#: Escapes of --restrict-file-names=windows that a URL need not have: `*` and `:`; in a query `/` and `?` too.
_PLAIN_IN_PATH = lazy_pattern(r"%(2A|3A)", re.IGNORECASE)
_PLAIN_IN_QUERY = lazy_pattern(r"%(2A|2F|3A|3F)", re.IGNORECASE)
#: A name with a query: `name.ext@query` and `name@key=value`, but not `name@2x`.
_WINDOWS_QUERY = lazy_pattern(
    r"(?P<file>[^@]*\.(?:[sp]?html?|xht(?:ml)?|php\d?|aspx?|jspx?|cgi|cfm|do|pl|css|js|png|jpe?g|gif|svg|webp|ico"
    r"|woff2?|ttf)|[^@]+(?=@[^@=]+=))@(?P<query>.+)",
    re.IGNORECASE | re.DOTALL,
)


class Location(NamedTuple):
    """Where a file is in a mirror. Paths of folders are empty or end with a slash."""

    root: str
    """The path of the host's folder in the tree; "" where the tree itself is in the host's folder."""
    above: str
    """The path of the tree in the host's folder; "" where the host's folder is in the tree."""
    authority: str
    """The host, with its port."""
    scheme: str
    """Empty where no folder states it."""
    rest: str
    """The path of the file in the host's folder."""

    @property
    def is_top_level(self) -> bool:
        """Whether the host's folder is the tree's own or directly in it, but for a scheme's folder between them."""
        return not self.above and self.root.count("/") <= 1 + bool(self.scheme)

    def folder_of(self, path: str) -> str | None:
        """The path in the tree of a folder of the host; None for one outside the tree."""
        whole = self.root + path
        return whole[len(self.above) :] if whole.startswith(self.above) else None


def host_of_folder(folder: str, layout: Layout | None = None) -> str | None:
    """The host, with its port, of a folder that is named after one, else None. `layout` None means any layout."""
    match = _HOST.fullmatch(folder)
    if match is None or (match["last"] or "").lower() in _NO_DOMAINS:
        return None
    if match["port"] is None:
        return match["host"]
    marks = _PORT_MARKS[layout] if layout else "".join(_PORT_MARKS.values())
    return f"{match['host']}:{match['port']}" if match["mark"] in marks else None


def locate(root: str, name: str, layout: Layout | None) -> Location | None:
    """Where a file of a tree is in a mirror; None where no folder is named after a host.

    `root`: the tree's path. Of several folders that are named after hosts, the outermost one in the tree counts, or
    else the innermost one above it.
    """
    folders = name.split("/")[:-1]
    for number, folder in enumerate(folders):
        host = host_of_folder(folder, layout)
        if host is not None:
            before = folders[number - 1] if number else os.path.basename(root)
            rest = name.split("/", number + 1)[number + 1]
            return Location(name[: len(name) - len(rest)], "", host, before if before in _SCHEMES else "", rest)
    outer = root.split(os.sep)
    for number in range(len(outer) - 1, 0, -1):
        host = host_of_folder(outer[number], layout)
        if host is not None:
            scheme = outer[number - 1] if outer[number - 1] in _SCHEMES else ""
            above = "".join(f"{folder}/" for folder in outer[number + 1 :])
            return Location("", above, host, scheme, above + name)
    return None


def _quote(text: str, safe: str) -> str:
    """Percent-encode characters that a URL cannot hold. Existing escapes stay."""
    return quote_from_bytes(os.fsencode(_LONE_PERCENT.sub("%25", text)), safe + "%")


def _unescape(match: re.Match[str]) -> str:
    return chr(int(match[1], 16))


def _without_suffix(name: str, *, query: bool) -> str:
    """A name without the suffix that `wget -E` adds after a query or another suffix of a document, or that -K adds."""
    stem, suffix = os.path.splitext(name)
    if suffix.lower() == ".orig":
        return stem
    if suffix.lower() not in {".html", ".css"} or not stem:
        return name
    inner = os.path.splitext(stem)[1].lower()
    return stem if query or (inner and (inner in MEDIA_TYPES or inner in SERVED_SUFFIXES)) else name


def wget_path(rest: str) -> str:
    """The path and query of the URL whose file wget put at `rest` in its host's folder (url.c, `url_file_name`).

    "@" begins a query where it looks like one. `index.html` stands for its folder.
    """
    folder, slash, last = rest.rpartition("/")
    last, mark, query = last.partition("?")
    windows = _WINDOWS_QUERY.fullmatch(last) if not mark else None
    if windows:
        last, mark, query = windows["file"], "?", windows["query"]
    if mark:
        query = _PLAIN_IN_QUERY.sub(_unescape, _without_suffix(query, query=True))
    else:
        last = _without_suffix(last, query=False)
    if last == INDEX_NAMES[0]:
        last = ""
    path = _PLAIN_IN_PATH.sub(_unescape, folder + slash + last)
    return "/" + _quote(path, _IN_PATH) + mark + _quote(query, _IN_QUERY)


def httrack_path(rest: str) -> str:
    """The path of the URL whose file HTTrack put at `rest` in its host's folder. Its names have no queries."""
    folder, slash, last = rest.rpartition("/")
    return "/" + _quote(folder + slash + ("" if last == INDEX_NAMES[0] else last), _IN_PATH)


def layout_url(location: Location, layout: Layout, scheme: str) -> str:
    """The URL of a file by its location. `scheme`: the one to use where no folder states it."""
    path = (wget_path if layout == "wget" else httrack_path)(location.rest)
    return f"{location.scheme or scheme}://{location.authority}{path}"


_ERROR_PAGE = lazy_pattern(r"(.+)\.[0-9a-f]{1,8}\.delayed")
#: new.txt: date, sizes, flags, status code, status, MIME type, date or ETag, URL, local file, from.
_FIELDS, _URL, _FILE = 9, 7, 8


@dataclass(frozen=True, slots=True)
class HTTrackIndex:
    """HTTrack's index of a mirror."""

    path: str
    """The path of the index."""
    rows: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Name in the mirror -> URL and line."""
    failed: dict[str, str] = field(default_factory=dict)
    """Name that links use for a page that could not be fetched -> its URL."""

    @classmethod
    def load(cls, mirror: str, tree: str | None = None) -> HTTrackIndex | None:
        """Read the index of the mirror in a folder, in the tree at `tree`; None where none can be read."""
        index = cls(os.path.join(mirror, *INDEX.split("/")))
        names = _ErrorPageNames()
        try:
            with open_file(FilePath(index.path, tree) if tree else index.path) as file:
                for line, (url, name) in _rows(file, mirror):
                    error = _ERROR_PAGE.fullmatch(name)
                    if error is None:
                        index.rows.setdefault(name, (url, line))
                        names.taken.add(name.lower())
                    else:
                        index.failed.setdefault(names.next_name(error[1]), url)
        except OSError:
            return None
        return index


class _ErrorPageNames:
    """The names that HTTrack gives to error pages, which it does not keep: `x.html`, or `x-2.html`, `x-3.html` where
    another file has that name, case-insensitively.
    """

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self._last: dict[str, int] = {}

    def next_name(self, stem: str) -> str:
        number = self._last.get(stem.lower(), 0)
        name = ""
        while not name or name.lower() in self.taken:
            number += 1
            name = f"{stem}.html" if number == 1 else f"{stem}-{number}.html"
        self._last[stem.lower()] = number
        self.taken.add(name.lower())
        return name


def _rows(file: BinaryIO, mirror: str) -> Iterator[tuple[int, tuple[str, str]]]:
    for line, raw in enumerate(file, 1):
        fields = raw.split(b"\t")
        if line == 1 or len(fields) < _FIELDS:
            continue
        url, path = os.fsdecode(fields[_URL]), os.fsdecode(fields[_FILE]).replace("\\", "/")
        name = _in_mirror(url, path, mirror)
        if name and url.partition("://")[0] in _SCHEMES:
            yield line, (url, name)


def _in_mirror(url: str, path: str, mirror: str) -> str:
    """A file's name in its mirror. Where the mirror was moved since, the folder of the URL's host tells."""
    if path.startswith("./"):
        return path[2:]
    if path.startswith(mirror + "/"):
        return path[len(mirror) + 1 :]
    try:
        host = urlsplit(url).netloc.rpartition("@")[2]
    except ValueError:
        return ""
    at = path.find(f"/{host.replace(':', '_')}/")
    return path[at + 1 :] if at >= 0 else ""
