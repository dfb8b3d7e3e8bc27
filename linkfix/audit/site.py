"""What a URL means in the tree, as a server would serve it. Only names are used; no file is opened.

The tree's root is served at `Site.url`. Names are compared byte for byte, as on a server's file system, whatever the
local one does; a name that differs only in case is a finding of its own.
"""

from __future__ import annotations

import enum
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes

from linkfix.audit.listing import Listing, PageFile, list_tree
from linkfix.audit.redirects import Redirect, Redirects
from linkfix.display import visible
from linkfix.document.document import Document
from linkfix.errors import InvalidBase, InvalidOption
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath
from linkfix.files.folder import INDEX_NAMES, FileTree
from linkfix.files.media_types import media_type_of_suffix
from linkfix.html.tokenizer import attributes
from linkfix.lazy import lazy_pattern
from linkfix.model import PAGE_TYPES, Layer
from linkfix.resolvers import RESOLVERS
from linkfix.saved.root_url import root_url
from linkfix.schemes.uses import SPECIAL
from linkfix.urls import SCHEME

# The URL that a tree is served at: given by the caller, inferred from its pages, or made up.


#: The root of some host (RFC 6761 §6.4: the name is nobody's).
MADE_UP = "http://tree.invalid/"

#: How many pages are sampled, and how large they may be, in bytes.
_SAMPLE = 12

_SIZE = 1 << 20


class TreeUrl(NamedTuple):
    """A tree's URL: see `linkfix.audit.model.Audit`."""

    url: str
    """The URL of the root, with a final slash."""
    where: str
    """Where it was found, in words."""
    layer: Layer
    """RETRIEVAL: given. DEFAULT: inferred. NONE: made up."""


def find_tree_url(listing: Listing, base_url: str | None) -> TreeUrl:
    """The URL of a tree's root. Raises `InvalidBase` for a `base_url` that is not that of a folder."""
    if base_url is not None:
        return TreeUrl(root_url(base_url), "--root-url", Layer.RETRIEVAL)
    sample = list(_sample(listing.pages))
    votes = Counter(url for page in sample if (url := _canonical_root(page)))
    # One that differs from the others is from a page that was copied from another site with its head.
    if len(votes) == 1 and votes.total() > 1:
        where = f"the canonical links of {votes.total()} of {len(sample)} pages"
        return TreeUrl(next(iter(votes)), where, Layer.DEFAULT)
    return TreeUrl(MADE_UP, "not known: the tree is taken for the root of a host", Layer.NONE)


def _sample(pages: list[PageFile]) -> Iterator[PageFile]:
    """A sample of pages from all over the tree."""
    html = [page for page in pages if page.media_type in PAGE_TYPES and page.size <= _SIZE]
    return iter(html[:: max(1, len(html) // _SAMPLE)][:_SAMPLE])


def _canonical_root(page: PageFile) -> str | None:
    """The root's URL by a page's canonical link, where that ends as the page's name does."""
    try:
        document = Document(atomic.read(page.file, limit=_SIZE).data, media_type=page.media_type)
    except OSError:
        return None
    data = document.source.data
    if b"canonical" not in data.lower():
        return None
    for reference, decision in document.references("link"):
        record = reference.record
        if record.row.attribute == "href" and not record.in_template and _is_canonical(data, record.tag_start):
            return _root(decision.target or "", page.name)
    return None


def _is_canonical(data: bytes, tag_start: int) -> bool:
    """Whether a tag says rel=canonical."""
    values = (data[one.start : one.end] for one in attributes(data, tag_start) if one.name == "rel")
    return b"canonical" in next(values, b"").lower().split()


def _root(url: str, name: str) -> str | None:
    """What is left of a page's URL before its name in the tree."""
    if not url.startswith(("http://", "https://")):
        return None
    for ending in _endings(name):
        if url.endswith("/" + ending):
            try:
                return root_url(url[: len(url) - len(ending)])
            except InvalidBase:
                return None
    return None


def _endings(name: str) -> Iterable[str]:
    """How a page's URL may end: its name, its folder, its name without the suffix."""
    path = quote_from_bytes(name.encode("utf-8", "surrogateescape"), "/!$&'()*+,;=:@")
    folder, _, last = path.rpartition("/")
    yield path
    if last in INDEX_NAMES:
        yield f"{folder}/" if folder else ""
    elif "." in last:
        yield path.rpartition(".")[0]


# Pages that are made of the tree's files: what a reference in Markdown leads to once its site is built.
#
# Programs that build sites give `guide.md` the URLs `guide`, `guide/` or `guide.html`, by their settings. All of them
# count, since references are written for the site, and the tree says nothing of those settings.


#: The suffixes of sources, in the order in which they are looked for.
_SUFFIXES = (".md", ".markdown", ".mdown", ".mkd", ".mdx")

#: The sources of a folder's own page, without suffixes.
_INDEXES = ("index", "README", "readme", "Readme")

_MADE = (".html", ".htm")

#: The settings of Sphinx, and the suffixes of what it reads.
_SPHINX_SETTINGS = "conf.py"

_OF_SPHINX = (".rst", ".md", ".txt")

#: The settings of MkDocs, and how much of them is read, in bytes.
_MKDOCS = ("mkdocs.yml", "mkdocs.yaml")

_SETTINGS_SIZE = 1 << 20


def source_names(name: str) -> Iterator[str]:
    """The files that a page with a name can be made of. `name`: in the tree; a folder's may end with a slash.

    >>> list(source_names("a/guide.html"))[:2]
    ['a/guide.md', 'a/guide.markdown']
    """
    stem = next((name.removesuffix(suffix) for suffix in _MADE if name.endswith(suffix)), name)
    stem = stem.removesuffix("/")
    is_made = stem != name.removesuffix("/")
    folder, _, last = stem.rpartition("/")
    if is_made and last == "index":
        stem = folder
    if stem:
        yield from (stem + suffix for suffix in _SUFFIXES)
    if not is_made or last == "index":
        inside = f"{stem}/" if stem else ""
        yield from (f"{inside}{index}{suffix}" for index in _INDEXES for suffix in _SUFFIXES)


def sphinx_folders(names: Collection[str]) -> Iterator[str]:
    """How the names begin of the files in folders that Sphinx builds sites of: they have its settings, and an index."""
    for name in names:
        if name.endswith(_SPHINX_SETTINGS):
            folder, slash, last = name.rpartition("/")
            if last == _SPHINX_SETTINGS and any(f"{folder}{slash}index{suffix}" in names for suffix in _OF_SPHINX):
                yield folder + slash


def is_file_name(name: str) -> bool:
    """Whether a name has the suffix of some type of file; names of objects in programs have dots, too.

    >>> is_file_name("docs/guide.md"), is_file_name("package.module"), is_file_name("label")
    (True, False, False)
    """
    return bool(media_type_of_suffix(name)) or name.endswith(_OF_SPHINX)


def infer_heading_ids(root: str) -> str:
    """How headings get their IDs, by the settings beside a tree: those of MkDocs, if they leave that to it."""
    for name in _MKDOCS:
        try:
            with (Path(root).parent / name).open("rb") as file:
                return "any" if b"slugify" in file.read(_SETTINGS_SIZE) else "mkdocs"
        except OSError:
            continue
    return "any"


_ORIGIN = lazy_pattern(rf"{SCHEME}://[^/?#]*")

#: A name that the URL parser leaves as it is, in a URL.
_PLAIN_NAME = lazy_pattern(r"(?:[A-Za-z0-9_][A-Za-z0-9_.-]*+/)*+[A-Za-z0-9_][A-Za-z0-9_.-]*+")

#: Schemes whose URLs have a host.
_HOSTED = frozenset({*SPECIAL, "gopher"})

#: How savers write "?" and "/" of a query in a file's name: wget, wget for Windows, and as URLs do.
_QUERY_MARKS = ("?", "@", "%3F")

#: How many redirects a browser follows (Fetch §4.4 "HTTP-redirect fetch").
_REDIRECTS = 20


class DestinationKind(enum.Enum):
    """What a target is in the tree."""

    if not TYPE_CHECKING:
        __hash__ = object.__hash__  # Enum's own is a function in Python, and each member is one object

    FILE = "a file of the tree"
    MISSING = "below the tree's URL, but not in the tree"
    CASE = "a file of the tree but for upper and lower case"
    NO_INDEX = "a folder of the tree without an index file"
    FOLDER = "a folder of the tree, whose files are shown"
    UNFOLLOWED = "behind a symbolic link or redirect that is not followed"
    OUTSIDE = "on the tree's host, but not below the tree's URL"
    LABEL = "perhaps a label, which the program that builds the page knows"
    AROUND = "a file outside the folder of the tree, which a source refers to"
    EXTERNAL = "another site"
    LOCAL = "a file of one computer: file:"
    OPAQUE = "no file: mailto:, data:, javascript: and similar"
    NONE = "no target"


class Destination(NamedTuple):
    """What a target is in the tree, and which file."""

    kind: DestinationKind
    name: str = ""
    """Of the file or folder, whether it exists or not; "" outside the tree."""
    number: int = -1
    """Of the file among the tree's files; -1 if there is none."""
    near: str = ""
    """CASE: the name that exists; UNFOLLOWED: the symbolic link."""
    fragment: str = ""
    """The fragment that a redirect sets."""
    mount: str = ""
    """The mounted folder that the target is in, as `Mount.label`; "" for the tree."""


class Mount(NamedTuple):
    """A folder that is served beside the tree: references lead to its files, and its own are not checked."""

    label: str
    """How the names of its files begin: a path or URL without its final slash."""
    site: Site
    """Its names and URL."""
    number: int
    """Of its first file among the files of the tree and all mounts."""

    def destination(self, url: str) -> Destination:
        """What one of its URLs is, with names and numbers as the tree has them."""
        found = self.site.destination(url)
        number = found.number if found.number < 0 else found.number + self.number
        near = f"{self.label}/{found.near}" if found.near else ""
        return found._replace(name=f"{self.label}/{found.name}", number=number, near=near, mount=self.label or "/")

    def holds(self, url: str) -> bool:
        """Whether a URL is one of its own."""
        return url.startswith(self.site.url) or url.partition("?")[0] == self.site.url[:-1]


#: With these, only forced redirects apply.
_EXISTING = frozenset({DestinationKind.FILE, DestinationKind.EXTERNAL, DestinationKind.OPAQUE})

_RESOLVER = RESOLVERS["whatwg"]

_NOWHERE = Destination(DestinationKind.NONE)

_EXTERNAL = Destination(DestinationKind.EXTERNAL)

_LOCAL = Destination(DestinationKind.LOCAL)

_OPAQUE = Destination(DestinationKind.OPAQUE)


class Site:
    """The names of a tree and how they are served.

    `url`: of the root, ends with "/". `files`, `folders`: names relative to the root, which is "". `dangling`: symbolic
    links that are not followed -> why. `known`: whether `url` was given or inferred, and not made up. `clean_urls`:
    whether "/a" is answered with "/a.html". `mounts`: label -> what is served beside the tree; the longest URL counts.
    """

    def __init__(
        self,
        url: str,
        files: Sequence[str],
        folders: Iterable[str],
        *,
        dangling: Mapping[str, str] | None = None,
        known: bool = True,
        clean_urls: bool = False,
        redirects: Redirects | None = None,
        mounts: Mapping[str, Site] | None = None,
    ) -> None:
        self.url = url
        origin = _ORIGIN.match(url)
        self.origin: str = origin[0] if origin else ""
        self.prefix: str = url[len(self.origin) :]
        #: The tree's files, then those of mounts, whose names begin with their label.
        self.files: Sequence[str] = files
        self._own = len(files)
        self.mounts: tuple[Mount, ...] = ()
        self.folders: frozenset[str] = frozenset(folders)
        self.dangling: Mapping[str, str] = dangling or {}
        self.known = known
        self.clean_urls = clean_urls
        self.redirects = redirects
        if mounts:
            self._mount(mounts)
        self.numbers: Mapping[str, int] = {name: number for number, name in enumerate(self.files)}
        self._folded: dict[str, str] | None = None
        self._inner: dict[str, list[str]] | None = None
        self._by_last: dict[str, list[str]] | None = None
        #: Whether the URL of a page with a plain name is that name behind the tree's URL.
        is_normal = not known or _RESOLVER.resolve(None, url).target == url  # made up ones are
        self._is_plain = redirects is None and is_normal and url.endswith("/")
        self._queries = any(mark in name for name in files for mark in _QUERY_MARKS)
        #: Whether files count for the pages that are made of them, and whether a folder's files are shown.
        self.has_sources = self.shows_folders = False

    def _mount(self, mounts: Mapping[str, Site]) -> None:
        files = list(self.files)
        found = []
        dangling = dict(self.dangling)
        for label, site in mounts.items():
            found.append(Mount(label, site, len(files)))
            files += [f"{label}/{name}" for name in site.files]
            dangling |= {f"{label}/{name}": reason for name, reason in site.dangling.items()}
        self.files = files
        self.dangling = dangling
        self.mounts = tuple(sorted(found, key=lambda mount: -len(mount.site.url)))

    @cached_property
    def may_have_colons(self) -> bool:
        """Whether a path with a colon may lead to a file of the tree."""
        return self.redirects is not None or any(":" in name for name in self.files)

    def with_sources(self, *, shows_folders: bool) -> Site:
        """The same, as references in sources of pages mean it: see `linkfix.audit.site`.

        `shows_folders`: whether the URL of a folder without an index shows its files, as on GitHub.
        """
        other = copy(self)
        other.has_sources, other.shows_folders = True, shows_folders
        return other

    def destination(self, target: str | None) -> Destination:
        """What an absolute URL is in the tree."""
        if target is None:
            return _NOWHERE
        url = target.partition("#")[0]
        if self.redirects is None:
            return self._at_url(url)
        fragment = ""
        seen = url
        for _ in range(_REDIRECTS + 1):
            rule = self._rule(self.redirects, url)
            found = self._at_url(url) if rule is None or not rule.force else _NOWHERE
            if rule is None or found.kind in _EXISTING:
                return found._replace(fragment=fragment) if fragment else found
            url, _, own = rule.target.partition("#")
            fragment = own or fragment
            if rule.rewrites:
                return self._at_url(url)
        return Destination(DestinationKind.UNFOLLOWED, percent_decode(seen[len(self.origin) :]))

    def _rule(self, redirects: Redirects, url: str) -> Redirect | None:
        """The rule for a URL, with an absolute target; None if that is the URL itself, which hosts ignore."""
        rule = redirects.match(url[len(self.origin) :].partition("?")[0]) if self._is_own(url) else None
        if rule is None:
            return None
        target = _RESOLVER.resolve(self.url, rule.target).target or rule.target
        return None if target.rstrip("/") == url.rstrip("/") else rule._replace(target=target)

    def _at_url(self, url: str) -> Destination:
        """What a URL without a fragment is in the tree, without redirects."""
        for mount in self.mounts:
            if mount.holds(url) and len(mount.site.url) > len(self._own_prefix(url)):
                return mount.destination(url)
        if not self._is_own(url):
            return self._outside(url)
        path, mark, query = url[len(self.origin) :].partition("?")
        if path + "/" == self.prefix:
            path = self.prefix
        if not path.startswith(self.prefix):
            return Destination(DestinationKind.OUTSIDE, path)
        return self._destination_of_path(path[len(self.prefix) :], mark, query)

    def _own_prefix(self, url: str) -> str:
        return self.url if url.startswith(self.url) else ""

    def _is_own(self, url: str) -> bool:
        return url.startswith(self.origin) and url[len(self.origin) : len(self.origin) + 1] in {"/", "?", ""}

    @staticmethod
    def _outside(url: str) -> Destination:
        scheme = url.partition(":")[0].lower()
        if scheme == "file":
            return _LOCAL
        return _EXTERNAL if scheme in _HOSTED else _OPAQUE

    def _destination_of_path(self, path: str, mark: str, query: str) -> Destination:
        """What a percent-encoded path below the root is in the tree."""
        name = percent_decode(path)
        if mark and self._queries:
            saved = self._with_query(name, path, query)
            if saved is not None:
                return saved
        found = self._file(name)
        if found is not None:
            return found
        if "%" in path and path in self.numbers:  # savers write names percent-encoded, as in the URL
            return self._at(path)
        folder = name.rstrip("/") if name.endswith("/") and not name.endswith("//") else name
        if folder in self.folders:
            return Destination(DestinationKind.FOLDER if self.shows_folders else DestinationKind.NO_INDEX, folder)
        symlink = self._dangling_link(name) if self.dangling else None
        if symlink is not None:
            return Destination(DestinationKind.UNFOLLOWED, name, near=symlink)
        near = self.other_case(name)
        if near is not None:
            return Destination(DestinationKind.CASE, name, self.numbers.get(near, -1), near)
        return Destination(DestinationKind.MISSING, name)

    def _dangling_link(self, name: str) -> str | None:
        """The symbolic link that is not followed and that a name is, or is behind."""
        link = self.missing_folder(name) or name
        return link if link in self.dangling else None

    def _at(self, name: str) -> Destination:
        return Destination(DestinationKind.FILE, name, self.numbers[name])

    def _file(self, name: str) -> Destination | None:
        """The file that a server sends for a decoded path: itself, the index of a folder, or a clean URL's."""
        if name in self.numbers:
            return self._at(name)
        folder = name.removesuffix("/")
        if folder in self.folders:
            for index in INDEX_NAMES:
                inner = f"{folder}/{index}" if folder else index
                if inner in self.numbers:
                    return self._at(inner)
        if self.clean_urls and folder and folder + ".html" in self.numbers:
            return self._at(folder + ".html")
        if self.has_sources:
            return next((self._at(source) for source in source_names(name) if source in self.numbers), None)
        return None

    def _with_query(self, name: str, path: str, query: str) -> Destination | None:
        """The file in whose name a saver kept the query; for a folder, its index file."""
        plain = percent_decode(query)
        folder = name.removesuffix("/")
        indexes = [f"{folder}/{index}".lstrip("/") for index in INDEX_NAMES] if folder in self.folders else []
        for stem in dict.fromkeys((name, path, *indexes)):
            for mark in _QUERY_MARKS:
                for text in dict.fromkeys((query, plain, plain.replace("/", "%2F"))):
                    for suffix in ("", ".html"):
                        saved = f"{stem}{mark}{text}{suffix}"
                        if saved in self.numbers:
                            return self._at(saved)
        return None

    def other_case(self, name: str) -> str | None:
        """A file, or a folder with an index, whose name differs from `name` only in case."""
        if self._folded is None:
            self._folded = {}
            for one in (*self.folders, *self.files[: self._own]):
                self._folded[one.casefold()] = one
        bare = name.rstrip("/")
        near = self._folded.get(bare.casefold())
        if near is None or near == bare:
            return None
        found = self._file(near + name[len(bare) :])
        return found.name if found is not None else None

    def page_url(self, name: str) -> str:
        """The URL of a page: an index file has its folder's, and "?" begins a query, if that URL leads to the file."""
        for mount in self.mounts:
            if self.numbers[name] >= self._own and name.startswith(f"{mount.label}/"):
                return mount.site.page_url(name[len(mount.label) + 1 :])
        is_plain = self._is_plain and _PLAIN_NAME.fullmatch(name) is not None
        if is_plain and name.rpartition("/")[2].lower() not in INDEX_NAMES:
            return self.url + name
        text = FileTree("", self.url).url_of(name) or ""
        url = text if is_plain else _RESOLVER.resolve(None, text).target
        return url if url is not None and self.destination(url).name == name else self.origin + self.url_path(name)

    def folder(self, url: str) -> str | None:
        """The folder of the tree that references relative to a base URL start in; None if it is not in the tree."""
        path = url.partition("#")[0].partition("?")[0].rpartition("/")[0] + "/"
        if not path.startswith(self.url) or (self.redirects is not None and self.redirects.forced):
            return None
        name = percent_decode(path[len(self.url) : -1])
        return name if name in self.folders else None

    def number(self, name: str) -> int | None:
        """The number of the file for a name: its own, its folder's index, or its clean URL's; None if there is none."""
        number = self.numbers.get(name)
        if number is None:
            found = self._file(name)
            number = found.number if found is not None else None
        return number

    def has(self, name: str) -> bool:
        """Whether there is a file for a name, or a folder with an index."""
        return self._file(name) is not None

    def name_at_root(self, path: str) -> str | None:
        """The file for a URL's path, if the tree were the root of its host."""
        found = self._file(percent_decode(path.lstrip("/")))
        return found.name if found is not None else None

    def missing_folder(self, name: str) -> str:
        """The outermost missing folder of a missing name; "" if only the file itself is missing."""
        end = name.find("/")
        while end >= 0:
            if name[:end] not in self.folders:
                return name[:end]
            end = name.find("/", end + 1)
        return ""

    def names_in(self, folder: str) -> tuple[str, ...]:
        """The names of the files in a folder, without its own."""
        if self._inner is None:
            self._inner = {}
            for name in self.files[: self._own]:
                place, _, last = name.rpartition("/")
                self._inner.setdefault(place, []).append(last)
        return tuple(self._inner.get(folder, ()))

    def files_named(self, last: str) -> tuple[str, ...]:
        """The files whose names end so, in whatever folder."""
        if self._by_last is None:
            self._by_last = {}
            for name in self.files[: self._own]:
                self._by_last.setdefault(name.rpartition("/")[2], []).append(name)
        return tuple(self._by_last.get(last, ()))

    def url_path(self, name: str) -> str:
        """The path of the URL of a name, from the host's root."""
        return self.prefix + quote_from_bytes(os.fsencode(name), "/!$&'()*+,;=:@")


def percent_decode(path: str) -> str:
    """A percent-encoded path as a file name."""
    return os.fsdecode(unquote_to_bytes(os.fsencode(path))) if "%" in path else path


# Folders that are served beside the tree, such as a distribution's /usr/share/javascript, or another site's copy.


_SCHEMES = ("http://", "https://")


class Tree(NamedTuple):
    """A folder, and where it is served."""

    url: str
    """A URL, or a path on the host of the first tree."""
    folder: str


class MountedFolder(NamedTuple):
    """A folder, and where it is served."""

    label: str
    """How the names of its files begin in reports: what was asked for, without the final slash."""
    site: Site
    listing: Listing

    def page(self, name: str) -> PageFile | None:
        """The page of that name, which begins with the label; None for another file."""
        found = next((page for page in self.listing.pages if page.name == self._inner(name)), None)
        return found and found._replace(name=name)

    def holds(self, name: str) -> bool:
        """Whether a name is one of its files."""
        return name.startswith(f"{self.label}/")

    def path(self, name: str) -> FilePath:
        """The path of a file whose name begins with the label."""
        return FilePath(f"{self.listing.root}/{self._inner(name)}", self.listing.root)

    def _inner(self, name: str) -> str:
        return name[len(self.label) + 1 :]


def mounted_folders(mounts: Iterable[tuple[str, str]], url: str, *, clean_urls: bool) -> list[MountedFolder]:
    """List the folders of `mounts`, each a path or URL and a folder. `url`: of the tree, whose host paths are on.

    Raises InvalidOption for what is no path or URL, what is no folder, and for two folders at one URL.
    """
    found: dict[str, MountedFolder] = {}
    for prefix, folder in mounts:
        label = prefix.rstrip("/")
        if not (prefix.startswith(_SCHEMES) or (prefix.startswith("/") and not prefix.startswith("//"))):
            message = f"mount {visible(prefix)}: begin with a slash, or give an http: or https: URL"
            raise InvalidOption(message)
        if not Path(folder).is_dir():
            message = f"mount {visible(prefix)}: {visible(folder)} is not a folder"
            raise InvalidOption(message)
        target = RESOLVERS["whatwg"].resolve(url, f"{label}/").target
        if target is None or "?" in target or "#" in target or label.endswith(":"):
            message = f"mount {visible(prefix)}: this is not the URL of a folder"
            raise InvalidOption(message)
        if target in found:
            message = f"mount {visible(prefix)}: another folder is mounted there"
            raise InvalidOption(message)
        listing = list_tree(os.path.realpath(folder))
        site = Site(
            target, listing.files, listing.folders, dangling=listing.dangling, known=True, clean_urls=clean_urls
        )
        found[target] = MountedFolder(label, site, listing)
    return list(found.values())
