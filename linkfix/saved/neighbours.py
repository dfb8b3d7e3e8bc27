"""The files around a saved page in its tree: their existence, HTTrack's index of them, and their URLs by the layout.

The file system is read as rarely as possible, and results are cached. Use one object per process.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache, partial
from typing import BinaryIO, Literal, NamedTuple
from urllib.parse import quote_from_bytes, urlsplit

from linkfix.files.atomic import open_file
from linkfix.files.descriptors import FilePath
from linkfix.files.folder import INDEX_NAMES, FileTree
from linkfix.files.media_types import MEDIA_TYPES, SERVED_SUFFIXES
from linkfix.lazy import lazy_pattern
from linkfix.saved.companions import companions_in, is_companion, name_key, page_stem
from linkfix.saved.markers import HEAD_SIZE, Mark, SavedPage, find_marks

# The URL of a file in a mirror, from the name that wget or HTTrack gave it, and HTTrack's own index of a mirror.
#
# Names are ambiguous. wget writes `/` and `/index.html` to one file, and its `-E` adds a suffix that a URL may already
# have. HTTrack puts four digits in place of a query. Each function documents its choice.


#: The program that named the folders of a tree.
Layout = Literal["wget", "httrack"]

#: HTTrack's index of the fetched URLs, relative to the folder of the mirror.
INDEX = "hts-cache/new.txt"

#: Names of the folders that wget --protocol-directories makes.
_SCHEMES = frozenset({"http", "https", "ftp", "ftps"})

#: Suffixes of common folder names in projects and saved pages. A folder with such a suffix is not named after a host.
_NO_DOMAINS = frozenset(
    (
        *("bak", "css", "d", "dist", "doc", "docs", "files", "git", "html", "htm", "js", "json", "jsx", "lib", "mhtml"),
        *("min", "node", "old", "orig", "out", "php", "png", "svg", "test", "tests", "tmp", "ts", "txt", "xml", "zip"),
    )
)

#: Countries and other top-level domains that are suffixes of files or programs too.
_SUFFIX_DOMAINS = frozenset(("app", "cc", "md", "pl", "ps", "py", "rs", "sh", "so"))

#: First labels of reversed domains: names of packages and programs, such as com.example.app.
_REVERSED = frozenset(("com", "edu", "gov", "io", "net", "org"))

#: Folders of projects. A folder in one of them is named after a library or a subject rather than a host.
_PROJECT_FOLDERS = frozenset(
    (
        *("app", "apps", "assets", "bin", "build", "components", "content", "dist", "doc", "docs", "examples", "lib"),
        *("node_modules", "packages", "pages", "public", "site-packages", "src", "static", "test", "tests", "vendor"),
        *("wiki", "www"),
    )
)

#: Files that wget saves in the folder of a host.
_ROOT_FILES = (INDEX_NAMES[0], "robots.txt")

_HOST = lazy_pattern(
    r"(?P<host>localhost|(?:\d{1,3}\.){3}\d{1,3}|\[[0-9A-Fa-f:.]{2,45}\]"
    r"|(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,20}(?P<last>xn--[0-9a-z-]{1,59}|[^\W\d_]{2,63}))"
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
    """The location of a file in a mirror. Paths of folders are empty or end with a slash."""

    root: str
    """The path of the host's folder in the tree; "" if the tree itself is in the host's folder."""
    above: str
    """The path of the tree in the host's folder; "" if the host's folder is in the tree."""
    authority: str
    """The host, with its port."""
    scheme: str
    """The scheme; "" if neither a folder nor the URL of the tree states it."""
    rest: str
    """The path of the file in the host's folder."""

    def folder_of(self, path: str) -> str | None:
        """Return the path in the tree of a folder of the host; None if the folder is outside the tree."""
        whole = self.root + path
        return whole[len(self.above) :] if whole.startswith(self.above) else None


def host_of_folder(folder: str, layout: Layout | None = None) -> str | None:
    """Return the host, with its port, that a folder is named after; None if it is not named after a host.

    `layout`: the layout of the tree; None for any layout.
    """
    match = _HOST.fullmatch(folder)
    if match is None or (match["last"] or "").lower() in _NO_DOMAINS:
        return None
    if match["port"] is None:
        return match["host"]
    marks = _PORT_MARKS[layout] if layout else "".join(_PORT_MARKS.values())
    return f"{match['host']}:{match['port']}" if match["mark"] in marks else None


def is_doubtful_host(folder: str) -> bool:
    """Whether a folder named after a host may have its name for another reason. Only `--layout auto` doubts names.

    wget writes hosts in lower case. Four numbers may be a version.
    """
    labels = folder.split(".")
    if folder != folder.lower() or (len(labels) > 1 and labels[0] in _REVERSED):
        return True
    return folder.replace(".", "").isdecimal() or labels[-1] in _SUFFIX_DOMAINS


def location_at(root: str, name: str, number: int, layout: Layout | None) -> Location | None:
    """Return the location of a file in a mirror by one of its folders; None if that is not named after a host.

    `root`: the tree's path.
    `number`: 0 for the first folder of `name`; -1 for the tree's own folder, -2 for the folder above it.
    """
    outer, folders = root.split(os.sep), name.split("/")[:-1]
    at = len(outer) + number
    path = [*outer, *folders]
    host = host_of_folder(path[at], layout) if 0 < at < len(path) else None
    if host is None:
        return None
    scheme = path[at - 1] if path[at - 1] in _SCHEMES else ""
    if number < 0:
        above = "".join(f"{folder}/" for folder in outer[at + 1 :])
        return Location("", above, host, scheme, above + name)
    rest = name.split("/", number + 1)[number + 1]
    return Location(name[: len(name) - len(rest)], "", host, scheme, rest)


def locate(root: str, name: str, layout: Layout | None) -> Location | None:
    """Return the location of a tree's file in a mirror; None if no folder is named after a host.

    If several folders are named after hosts, the first counts in this order: the first folder in the tree, with or
    without a folder of its scheme around it; the tree's own folder; the outermost other folder in the tree; the
    innermost folder above the tree.

    `root`: the tree's path.
    """
    folders = name.split("/")[:-1]
    first = 1 if len(folders) > 1 and folders[0] in _SCHEMES else 0
    numbers = [*([first] if folders else []), -1, *range(len(folders)), *range(-2, -len(root.split(os.sep)), -1)]
    located = (location_at(root, name, number, layout) for number in numbers)
    return next((location for location in located if location is not None), None)


def _quote(text: str, safe: str) -> str:
    """Percent-encode characters that a URL cannot hold. Existing escapes stay."""
    return quote_from_bytes(os.fsencode(_LONE_PERCENT.sub("%25", text)), safe + "%")


def _unescape(match: re.Match[str]) -> str:
    return chr(int(match[1], 16))


def _without_suffix(name: str, *, query: bool) -> str:
    """Return a name without the suffix that -K adds, or that `wget -E` adds after a query or another suffix."""
    stem, suffix = os.path.splitext(name)
    if suffix.lower() == ".orig":
        return stem
    if suffix.lower() not in {".html", ".css"} or not stem:
        return name
    inner = os.path.splitext(stem)[1].lower()
    return stem if query or (inner and (inner in MEDIA_TYPES or inner in SERVED_SUFFIXES)) else name


def wget_path(rest: str) -> str:
    """Return the path and query of the URL that wget saved at `rest` in its host's folder (url.c, `url_file_name`).

    "@" begins a query if the name looks like a file with a query. `index.html` stands for its folder.
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
    """Return the path of the URL that HTTrack saved at `rest` in its host's folder. Its names contain no queries."""
    folder, slash, last = rest.rpartition("/")
    return "/" + _quote(folder + slash + ("" if last == INDEX_NAMES[0] else last), _IN_PATH)


def layout_url(location: Location, layout: Layout) -> str:
    """Return the URL of a file from its location. The scheme is http if it is not stated."""
    path = (wget_path if layout == "wget" else httrack_path)(location.rest)
    return f"{location.scheme or 'http'}://{location.authority}{path}"


_ERROR_PAGE = lazy_pattern(r"(.+)\.[0-9a-f]{1,8}\.delayed")

#: new.txt: date, sizes, flags, status code, status, MIME type, date or ETag, URL, local file, from.
_FIELDS, _URL, _FILE = 9, 7, 8


class HTTrackIndex(NamedTuple):
    """HTTrack's index of a mirror."""

    path: str
    """The path of the index."""
    rows: dict[str, tuple[str, int]]
    """A mapping of names in the mirror to (URL, line in the index)."""
    failed: dict[str, str]
    """A mapping of names to URLs, for pages that could not be fetched. Links use these names."""

    @classmethod
    def load(cls, mirror: str, tree: str | None = None) -> HTTrackIndex | None:
        """Read the index of the mirror in the folder `mirror`; return None if it cannot be read.

        `tree`: the path of the tree that contains the folder; None if no tree does.
        """
        index = cls(os.path.join(mirror, *INDEX.split("/")), {}, {})
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
    """The names that HTTrack gives to error pages, whose files it does not keep. The name is `x.html`, or `x-2.html`,
    `x-3.html` if another file has that name, case-insensitively.
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
    """Return the name of a file in its mirror; "" if it is unknown. If the mirror was moved since, the name begins
    with the folder of the URL's host.
    """
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


# The files and folders around a page: what is found, and the facts about a folder.


#: The number of folders above a tree that are searched for HTTrack's index. The tree may be a host's folder, or be in
#: a host's folder.
_ABOVE = 3


class HTTrackMirror(NamedTuple):
    """An HTTrack mirror that contains the tree, or is in the tree. Paths of folders are empty or end with a slash."""

    listing: HTTrackIndex
    root: str
    """The path of the mirror in the tree."""
    above: str
    """The path of the tree in the mirror."""

    def row(self, name: str) -> tuple[str, int] | None:
        """Return the URL of a file of the tree and the number of its line in the index; None for an unlisted file."""
        return self.listing.rows.get(self._name(name))

    def url_of(self, name: str) -> str | None:
        """Return the URL of a listed file or of a page that could not be fetched, by the name that links use for it."""
        listed = self._name(name)
        row = self.listing.rows.get(listed)
        return row[0] if row else self.listing.failed.get(listed)

    def _name(self, name: str) -> str:
        return self.above + name[len(self.root) :] if name.startswith(self.root) else ""


class ArchiveMember(NamedTuple):
    """A document in an archive."""

    name: str
    """The name of the document in the archive."""
    files: frozenset[str]
    """The names of all files of the archive."""


def _has_none(_: str) -> bool:
    return False


class Surroundings(NamedTuple):
    """The files around a saved page, in a tree or an archive. Names that differ only in case or in Unicode
    normalization are treated as equal, because moving files between file systems changes both.
    """

    name: str = ""
    """The page's name; "" if the surrounding files are unknown."""
    has_file: Callable[[str], bool] = _has_none
    """Function that returns whether a file of this name exists."""
    has_folder: Callable[[str], bool] = _has_none
    """Function that returns whether a folder of this name exists."""
    is_in_companion: bool = False
    """Whether the page is in a folder with the name of a saved page's folder, such as NAME_files."""

    @classmethod
    def in_archive(cls, member: ArchiveMember) -> Surroundings:
        """Return the surroundings of a document in an archive."""

        def has_file(name: str) -> bool:
            return name in member.files or name_key(name) in _keys(member.files)[0]

        def has_folder(name: str) -> bool:
            return name_key(name) in _keys(member.files)[1]

        folder = member.name.rpartition("/")[0]
        return cls(member.name, has_file, has_folder, is_companion(folder.rpartition("/")[2]))


@lru_cache(maxsize=2)
def _keys(names: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the keys of file names, and the keys of the names of their folders."""
    files = frozenset(map(name_key, names))
    folders: set[str] = set()
    for name in files:
        folder = name.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return files, frozenset(folders)


class LayoutPlace(NamedTuple):
    """The location of a file by the layout of its tree."""

    layout: Layout
    location: Location
    url: str
    """The URL that follows from the location."""


class HostFolder(NamedTuple):
    """A folder of a mirror that tells the URLs of the files in it."""

    layout: Layout
    """The program that made the mirror."""
    folder: str
    """The path of the folder in the tree; "" for the tree's own folder."""


# The page that a browser saved together with a folder of files. Both may have been renamed since.


#: The suffixes of pages that browsers save.
_SUFFIXES = (".html", ".htm", ".xhtml")

#: The maximum number of pages beside a folder that are searched for references to it, and the bytes read of each page.
_PAGES, _SIZE = 4096, 1 << 22


class CompanionPage(NamedTuple):
    """A page that a browser saved, with its own files in a folder beside it."""

    tree: FileTree
    """The tree that contains the page: the tree of the files, or the folder above that tree."""
    name: str
    """The page's name in that tree."""
    mark: Mark
    """The mark of the browser."""

    def head(self) -> bytes:
        """Return the first `HEAD_SIZE` bytes of the page; b"" if it cannot be read."""
        return _read(self.tree, self.name, HEAD_SIZE)


def _read(tree: FileTree, name: str, size: int) -> bytes:
    """Return the first `size` bytes of a file; b"" if it cannot be read."""
    try:
        with tree.open(name) as file:
            return file.read(size)
    except OSError:
        return b""


#: The maximum number of folders and of files of a tree whose facts are cached.
_FOLDERS, _FILES = 1 << 14, 1 << 16


class SavedTree:
    """A tree of saved pages, read by a layout."""

    def __init__(self, tree: FileTree, layout: str | None) -> None:
        self.tree = tree
        self.layout = layout
        #: Functions that return whether the tree has a regular file of this name, and the folder of this name.
        self.exists: Callable[[str], bool] = lru_cache(maxsize=_FILES)(tree.has_file)
        self.folder: Callable[[str], SavedFolder] = lru_cache(maxsize=_FOLDERS)(partial(SavedFolder, self))

    @cached_property
    def detected(self) -> SavedTree:
        """The same tree, read by a layout that is detected."""
        return SavedTree(self.tree, "auto")

    @cached_property
    def outer(self) -> SavedTree:
        """The folder above the tree, as a tree."""
        return SavedTree(self.tree._replace(root=os.path.dirname(self.tree.root), url=None), self.layout)

    def of(self, name: str) -> SavedFolder:
        """Return the folder of a file."""
        return self.folder(name.rpartition("/")[0])

    def surroundings(self, name: str) -> Surroundings:
        """Return the surroundings of a file."""
        folder = name.rpartition("/")[0] or self.tree.root
        has_file, has_folder = (partial(self._has, has) for has in (self.exists, self.tree.has_folder))
        return Surroundings(name, has_file, has_folder, is_companion(os.path.basename(folder)))

    def _has(self, has: Callable[[str], bool], name: str) -> bool:
        if has(name):
            return True
        found = self._find(name)
        return found is not None and found != name and has(found)

    def _find(self, name: str) -> str | None:
        """Return the real name of the file or folder that `name` means; None if no such file or folder exists. Names
        are compared as in `Surroundings`.
        """
        found = ""
        for part in name.split("/"):
            folder = self.folder(found)
            real = folder.names.get(name_key(part))
            if real is None:
                return None
            found = folder.prefix + real
        return found


class SavedFolder:
    """A folder of a tree, and the facts about it that tell the URLs of its files. Each fact is found once, at its first
    use.
    """

    def __init__(self, saved: SavedTree, name: str) -> None:
        self.tree: FileTree = saved.tree
        self.name = name
        #: The path of the folder in the tree. It is empty or ends with a slash.
        self.prefix: str = name and f"{name}/"
        self._saved = saved

    @cached_property
    def names(self) -> dict[str, str]:
        """A mapping of keys to the names in the folder. For the keys, see `name_key`."""
        return {name_key(name): name for name in sorted(self.tree.names_in(self.name), reverse=True)}

    @property
    def above(self) -> SavedFolder:
        """The folder above, which is not in the tree if this is the tree's own."""
        return self._saved.of(self.name) if self.name else self._saved.outer.folder("")

    @cached_property
    def index(self) -> HTTrackIndex | None:
        """HTTrack's index in the folder; None if the folder has none."""
        return HTTrackIndex.load(self.tree.path(self.name), self.tree.root)

    @cached_property
    def mirror(self) -> HTTrackMirror | None:
        """The HTTrack mirror that contains the folder; None if no index of a mirror is found."""
        folder = self
        while folder.index is None and folder.name:
            folder = folder.above
        if folder.index is not None:
            return HTTrackMirror(folder.index, folder.prefix, "")
        return folder.outer_mirror

    @cached_property
    def outer_mirror(self) -> HTTrackMirror | None:
        """The HTTrack mirror that contains the tree."""
        outer, above = self.tree.root, ""
        for _ in range(_ABOVE):
            outer, last = os.path.split(outer)
            above = f"{last}/{above}"
            index = HTTrackIndex.load(outer) if last else None
            if index is not None:
                return HTTrackMirror(index, "", above)
        return None

    @cached_property
    def page(self) -> CompanionPage | None:
        """The page that the files of the folder were saved with; None if the folder does not belong to a page.

        It is the saved page with the name of the folder, else the first page that refers to the folder. The tree itself
        may be the folder of a saved page. Then the page is beside the tree.
        """
        last = os.path.basename(self.name or self.tree.root)
        if not is_companion(last):
            return None
        above = self.above
        for suffix in _SUFFIXES:
            name = above.names.get(name_key(page_stem(last) + suffix))
            page = above.saved_page(name, HEAD_SIZE)[0] if name else None
            if page is not None:
                return page
        return above.pages.get(name_key(last))

    @cached_property
    def pages(self) -> dict[str, CompanionPage]:
        """A mapping of the keys of folders to pages: for each folder, the first page in this folder that a browser
        saved and that refers to it.
        """
        names = sorted(self.names.values())
        folders = {name_key(name) for name in names if is_companion(name)}
        found: dict[str, CompanionPage] = {}
        for name in [name for name in names if name.lower().endswith(_SUFFIXES)][:_PAGES]:
            page, data = self.saved_page(name, _SIZE)
            if page is not None:
                for key in companions_in(SavedPage(data).data, folders):
                    found.setdefault(key, page)
        return found

    def saved_page(self, last: str, size: int) -> tuple[CompanionPage | None, bytes]:
        """Return the page in a file of this name, if a browser saved it, and the first `size` bytes of the file."""
        name = self.prefix + last
        data = _read(self.tree, name, size) if self._saved.exists(name) else b""
        marks = find_marks(SavedPage(data[:HEAD_SIZE]).data)
        mark = next((one.mark for one in marks if one.links == "folder"), None)
        return (CompanionPage(self.tree, name, mark) if mark else None), data

    def place(self, last: str) -> LayoutPlace | None:
        """Return the location of a file in the folder by the layout of the run, with the URL that follows from it."""
        place = self._place
        if place is None:
            return None
        location = place.location._replace(rest=place.location.rest + last)
        named = location
        if place.layout == "wget" and (stem := self._original_stem(last)):
            named = place.location._replace(rest=place.location.rest + stem)
        return place._replace(location=location, url=layout_url(named, place.layout))

    def _original_stem(self, last: str) -> str:
        """Return the name without the suffix that `wget -E` added to it; "" for other names.

        -K keeps the original of `page` as `page.orig` beside `page.html`, since -E renames a page after -K (and after
        the redirects that led to it). The original of `page.html` is `page.html.orig`.
        """
        stem, suffix = os.path.splitext(last)
        is_one = suffix.lower() == ".html" and stem and name_key(f"{stem}.orig") in self.names
        return stem if is_one and name_key(f"{last}.orig") not in self.names else ""

    @cached_property
    def _place(self) -> LayoutPlace | None:
        """The location of the folder by the layout of the run.

        The layout "auto" means HTTrack's layout if an index exists, else wget's. See `_detect` for its folders.
        """
        wanted = self._saved.layout
        if wanted is None:
            return None
        mirror = self.mirror if wanted == "auto" else None
        layout: Layout = "httrack" if wanted == "httrack" or mirror is not None else "wget"
        if wanted != "auto":
            location = locate(self.tree.root, self.prefix, layout)
        else:  # the folders of hosts are directly in the folder of the index
            number = mirror.root.count("/") - mirror.above.count("/") if mirror is not None else self._detect()
            location = None if number is None else location_at(self.tree.root, self.prefix, number, layout)
        if location is None or (wanted == "auto" and location.above):
            return None
        own = urlsplit(self.tree.url or "")
        if not location.scheme and own.netloc == location.authority:
            location = location._replace(scheme=own.scheme)
        elif not location.scheme and own.hostname == location.authority:  # wget2 leaves out the port
            location = location._replace(scheme=own.scheme, authority=own.netloc.rpartition("@")[2])
        return LayoutPlace(layout, location, layout_url(location, layout))

    def host_folder(self, last: str) -> HostFolder | None:
        """Return the folder that tells the URL of a file by the layout of the run; None if no folder does."""
        if self._place is not None:
            return HostFolder(self._place.layout, self._place.location.root.rstrip("/"))
        mirror = self.mirror if self._saved.layout in {"httrack", "auto"} else None
        is_listed = mirror is not None and mirror.row(self.prefix + last) is not None
        return HostFolder("httrack", mirror.root.rstrip("/")) if mirror is not None and is_listed else None

    def _detect(self) -> int | None:
        """Return the number of the folder that wget named after the host of the files, as `location_at` counts; None if
        no folder is, or if it is uncertain which one.

        The tree's own folder comes first, then the outermost folder in the tree. A folder directly in the tree needs
        only its name, as does the tree's own. Any other folder needs evidence.
        """
        root, folders = self.tree.root, self.name.split("/") if self.name else []
        inner = next((number for number in range(len(folders)) if _may_be_host(root, folders, number)), None)
        is_own = _may_be_host(root, [], -1)
        top = self._saved.folder("")
        if (inner is None and not is_own) or top.is_in_host:
            return None
        is_evident = inner is not None and self._saved.folder("/".join(folders[: inner + 1])).is_evident
        if is_own:
            is_first = inner is not None and all(folder in _SCHEMES for folder in folders[:inner])
            return None if is_first and is_evident and not top.has_root_file else -1
        return inner if is_evident or inner == 0 else None

    @property
    def is_evident(self) -> bool:
        """Whether the folder, which is named after a host, is in a mirror. Evidence: a folder of a scheme around it,
        its port, its "www.", or its neighbours. Those must all be named after hosts. Also, one of them must have a page
        or file that wget saves there, or two must belong to one domain.
        """
        *outer, last = self.name.split("/")
        if (outer and outer[-1] in _SCHEMES) or last.startswith("www.") or ":" in (host_of_folder(last) or ""):
            return True
        is_project = not _PROJECT_FOLDERS.isdisjoint([os.path.basename(self.tree.root), *outer])
        return not is_project and self.above.is_mirror

    @cached_property
    def is_mirror(self) -> bool:
        """Whether the folder has folders of hosts, and no others, and a sign that they are a mirror's."""
        tree, names = self.tree, sorted(self.names.values())
        hosts = [name for name in names if host_of_folder(name, "wget") and not is_doubtful_host(name)]
        if any(tree.has_folder(self.prefix + name) for name in names if name not in set(hosts)):
            return False
        hosts = [name for name in hosts if tree.has_folder(self.prefix + name)]
        domains = {tuple(name.split(".")[-2:]) for name in hosts}
        inner = (self._saved.folder(self.prefix + name) for name in hosts)
        return len(domains) < len(hosts) or any(folder.has_root_file for folder in inner)

    @property
    def has_root_file(self) -> bool:
        """Whether the folder has a file that wget saves in the folder of a host."""
        return any(self._saved.exists(self.prefix + name) for name in _ROOT_FILES)

    @cached_property
    def is_in_host(self) -> bool:
        """Whether a folder above the tree is the folder of a host. The tree's own name then says nothing."""
        path = os.path.dirname(self.tree.root)
        while path != os.path.dirname(path):
            above, last = os.path.split(path)
            is_named = host_of_folder(last, "wget") and not is_doubtful_host(last)
            has_file = any(os.path.isfile(os.path.join(path, name)) for name in _ROOT_FILES)
            if is_named and (has_file or last.startswith("www.") or os.path.basename(above) in _SCHEMES):
                return True
            path = above
        return False


def _may_be_host(root: str, folders: list[str], number: int) -> bool:
    """Whether a folder may be named after a host, as `location_at` counts. A folder of a scheme dispels doubts."""
    location = location_at(root, "/".join([*folders, ""]), number, "wget")
    folder = folders[number] if number >= 0 else os.path.basename(root)
    return location is not None and (location.scheme != "" or not is_doubtful_host(folder))
