"""The host of a tree: its files, in the tree and above it, and what it serves without any rule."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from linkfix.auditing.hosts.apache import ApacheRules
from linkfix.auditing.hosts.azure import read_azure
from linkfix.auditing.hosts.cloudflare import (
    WRANGLER_FILES,
    environments,
    has_clean_urls,
    is_worker,
    read_wrangler,
    wrangler_folder,
)
from linkfix.auditing.hosts.firebase import add_languages, firebase_sites, left_out, read_firebase
from linkfix.auditing.hosts.ignored import IGNORE_FILES, Never, ignored_files
from linkfix.auditing.hosts.netlify import DIALECTS, in_production, read_netlify_toml, read_redirects
from linkfix.auditing.hosts.published import Published, find_published
from linkfix.auditing.hosts.rules import HostFault, HostFile, HostRules, Read
from linkfix.auditing.hosts.values import (
    InvalidHostFile,
    ValuePlaces,
    decoded_text,
    read_json,
    read_unmarked_toml,
    text_of,
    with_texts,
)
from linkfix.auditing.hosts.vercel import read_vercel
from linkfix.display import pluralize, visible
from linkfix.files import atomic
from linkfix.files.descriptors import FilePath, is_inside
from linkfix.files.folder import is_repository_root, reason_to_doubt

#: The largest size of a host file, in bytes.
_LARGEST = 1 << 20

#: The number of folders above the tree that are searched, and of files `.htaccess` that are read.
_LEVELS = 8

_MANY = 500

#: The number of folders that a line of the report names.
_SHOWN = 3

#: The file in the tree's root that several hosts read.
REDIRECTS = "_redirects"

_HTACCESS = ".htaccess"

_NETLIFY_TOML = "netlify.toml"

_AZURE = "staticwebapp.config.json"

_ASSETSIGNORE = ".assetsignore"


class HostKind(NamedTuple):
    """The behavior of a host without any rule."""

    name: str
    """Its name in reports."""
    domains: tuple[str, ...] = ()
    """The endings of the hosts of its sites."""
    clean_urls: bool = False
    """Whether it answers `/a` with `a.html`."""
    serves_slashed: bool = False
    """Whether it answers `/a/` with `a.html`, or redirects to it."""
    strips_suffix: bool = False
    """Whether it redirects from `/a.html` to `/a`, and from `/a/index.html` to `/a/`."""
    merges_slashes: bool = False
    """Whether it reads repeated slashes as one."""
    reserved: tuple[str, ...] = ()
    """The beginnings of paths that it answers itself."""
    files: str = ""
    """The names of its files, in words; "" if it has none."""
    never: tuple[str, ...] = ()
    """The files that it never gets, as lines of an ignore file. For a host that builds, see `_HostFiles._vercel`."""


_CLOUDFLARE = HostKind(
    "Cloudflare Pages",
    (".pages.dev",),
    clean_urls=True,
    serves_slashed=True,
    strips_suffix=True,
    reserved=("/cdn-cgi/",),
    files="_redirects or wrangler.toml",
)

#: The value of `--host` -> the host. "" is one that is not known, but reads `_redirects`.
HOST_KINDS: Mapping[str, HostKind] = {
    "": HostKind("", reserved=("/.netlify/",)),
    "none": HostKind("no host"),
    "netlify": HostKind(
        "Netlify",
        (".netlify.app",),
        clean_urls=True,
        serves_slashed=True,
        reserved=("/.netlify/",),
        files="netlify.toml or _redirects",
        # The files that `ignoreFile` of netlify/open-api and `getDeployFilesFilter` of netlify-cli leave out.
        never=(".*", "!.well-known", "/__MACOSX*", "_redirects", "_headers"),
    ),
    "cloudflare": _CLOUDFLARE._replace(
        # `IGNORE_LIST` of Wrangler's `pages/validate.ts`
        never=(
            *("/_worker.js", "/_redirects", "/_headers", "/_routes.json", "/functions", "/.wrangler"),
            *(".DS_Store", "node_modules", ".git"),
        ),
    ),
    "cloudflare-workers": _CLOUDFLARE._replace(
        name="Cloudflare Workers",
        domains=(".workers.dev",),
        never=("/.assetsignore", "/_redirects", "/_headers"),  # `createAssetsIgnoreFunction` of workers-shared
    ),
    "vercel": HostKind(
        "Vercel",
        (".vercel.app",),
        reserved=("/api/", "/_vercel/"),
        files="vercel.json",
        # `getVercelIgnore` of Vercel's client
        never=tuple(
            ".hg .git .gitmodules .svn .cache .next .now .vercel .npmignore .dockerignore .gitignore .*.swp .DS_Store "
            ".wafpicke-* .lock-wscript .env.local .env.*.local .venv .yarn/cache .pnp* npm-debug.log config.gypi "
            "node_modules __pycache__ venv CVS".split()
        ),
    ),
    "github-pages": HostKind("GitHub Pages", (".github.io",), clean_urls=True, never=(".git", ".github")),
    "firebase": HostKind(
        "Firebase",
        (".web.app", ".firebaseapp.com"),
        merges_slashes=True,
        reserved=("/__/",),
        files="firebase.json",
        never=("firebase-debug.log", "firebase-debug.*.log", "/.firebase/*"),  # `listFiles` of firebase-tools
    ),
    "azure": HostKind(
        "Azure Static Web Apps",
        (".azurestaticapps.net",),
        clean_urls=True,
        serves_slashed=True,
        reserved=("/.auth/", "/api/"),
        files="staticwebapp.config.json",
        never=("staticwebapp.config.json",),  # `isSWAConfigFileUrl` of static-web-apps-cli; packages are uploaded
    ),
    "apache": HostKind("Apache", merges_slashes=True, files=".htaccess"),
}


class TreeHost(NamedTuple):
    """The host of a tree."""

    words: str = ""
    """Its name and files, in words; "" if nothing is known."""
    name: str = ""
    """The name of the only host that is known; "" for none, or several."""
    rules: tuple[HostRules, ...] = ()
    """The rules of each host that has files here: a reference has to work on one of them."""
    files: tuple[HostFile, ...] = ()
    faults: tuple[HostFault, ...] = ()
    """The parts of the files that are not valid, in order."""
    failed: Mapping[str, str] = {}  # a NamedTuple's default, which nothing changes
    """The name of a host file that could not be read -> the reason."""
    clean_urls: bool = False
    serves_slashed: bool = False
    strips_suffix: bool = False
    trailing_slash: bool | None = None
    """Whether the URLs of pages end with a slash; None if both forms are served."""
    removes_slash: bool = False
    """Whether it redirects from any URL with a slash at the end to the one without."""
    adds_slash: bool = True
    """Whether it redirects from the name of a folder to the URL with a slash."""
    indexes: tuple[str, ...] | None = None
    """The names of index files; None for the usual ones."""
    lists_folders: bool = False
    ignores_case: bool = False
    merges_slashes: bool = False
    error_pages: frozenset[str] = frozenset()
    """The paths of the pages that its files name for errors, from the host's root."""
    reserved: tuple[str, ...] = ()
    inner: Mapping[str, Read] = {}
    """The facts of files in inner folders: the name of a folder, with a slash at the end -> the facts."""
    left_out: Mapping[str, str] = {}
    """The name of a file that is not deployed -> what leaves it out, in words."""
    published: Published | None = None
    """The inner folder that the tree's files say is published; None if there is none, or the tree itself is."""

    def indexes_in(self, folder: str) -> tuple[str, ...] | None:
        """The names of index files by files in inner folders. `folder`: its name, with a slash at the end."""
        return next((one.indexes for one in self._about(folder) if one.indexes is not None), None)

    def has_clean_urls(self, folder: str) -> bool | None:
        """Whether `a` is answered with `a.html`, by files in inner folders. `folder`: as in `indexes_in`."""
        return next((one.clean_urls for one in self._about(folder) if one.clean_urls is not None), None)

    def lists(self, folder: str) -> bool:
        """Whether a folder without an index shows its files. `folder`: its name, with a slash at the end."""
        own = (one.lists_folders for one in self._about(folder) if one.lists_folders is not None)
        return next(own, self.lists_folders)

    def direct_name(self, name: str, *, is_index: bool, clean_urls: bool) -> str:
        """A file's name as it is in its direct URL: an index has the folder's name, and a page of clean URLs no suffix.

        `is_index`: whether it is its folder's index. `clean_urls`: whether the host knows clean URLs.
        """
        if is_index:
            folder, slash, _ = name.rpartition("/")
            return folder if self.trailing_slash is False else folder + slash
        stem = name.removesuffix(".htm").removesuffix(".html")
        return stem + "/" * (self.trailing_slash is True) if clean_urls and stem != name else name

    def _about(self, folder: str) -> Iterator[Read]:
        """Yield the facts about a folder, the innermost first."""
        while folder and self.inner:
            if folder in self.inner:
                yield self.inner[folder]
            end = folder.rfind("/", 0, -1)
            folder = folder[: end + 1]


NO_HOST = TreeHost()

#: The kinds of Cloudflare's hosts: Pages and Workers.
_CLOUDFLARES = ("cloudflare", "cloudflare-workers")


_T = TypeVar("_T")


def _read_inside(path: str, folder: str) -> atomic.Snapshot:
    """The content of a file in a real folder, or of the one in it that a symbolic link leads to. Raises `OSError`."""
    real = os.path.realpath(path)
    return atomic.read(FilePath(real if is_inside(real, folder) else path, folder), limit=_LARGEST)


def _redirects_text(data: bytes) -> str:
    """The text of a file `_redirects`, with its mark of the byte order, so that places stay."""
    text = decoded_text(data)
    return f"\ufeff{text}" if data.startswith(b"\xef\xbb\xbf") else text


class Build(NamedTuple):
    """The folders of generators that make a site from a tree, or made the tree."""

    projects: Collection[str] = ()
    """The real paths of the folders of their projects."""
    built: Collection[str] = ()
    """The real paths of the folders that they build."""
    served: Sequence[str] = ()
    """The real paths of the folders whose files they copy to the root of the site."""


NO_BUILD = Build()


class _HostWithFiles(NamedTuple):
    """A host with files in a tree, or above it."""

    kind: str
    rules: HostRules
    files: tuple[HostFile, ...]
    read: Read
    site: str = ""
    """The site or the environment, in words, if a file has several; "" for none."""
    note: str = ""
    """A part of the files that is not considered, in words; "" for none."""
    is_plain: bool = False
    """Whether it knows neither clean URLs nor index files, by its settings."""

    def behavior(self) -> HostKind:
        """The behavior of the host without its rules."""
        kind = HOST_KINDS[self.kind]
        return kind._replace(clean_urls=False, serves_slashed=False, strips_suffix=False) if self.is_plain else kind


def find_host(root: str, files: Collection[str], url: str, chosen: str | None, build: Build = NO_BUILD) -> TreeHost:
    """The host of the tree at the real path `root`. Never raises.

    `files`: the names of its files. `url`: its URL. `chosen`: the value of `--host`; None to infer it.
    """
    failed: dict[str, str] = {}
    named = chosen or _by_domain(url)
    finder = _HostFiles(root, files, url, failed, build)
    found = [one for one in finder.find(chosen, named) if one is not None]
    kinds = [one.behavior() for one in found]
    lefts = [one.read.left_out for one in found]
    is_named = any(one.kind.startswith(named) for one in found)  # the files say which of Cloudflare's hosts it is
    if named and not is_named:
        kinds.append(HOST_KINDS[named])
        lefts.append(_never(named, files))
    faults = (*finder.faults, *(fault for one in found for fault in one.rules.faults))
    about = _words(found, "" if is_named else named, has_files=bool(finder.invalid or finder.others))
    words = "; ".join(filter(None, [about, *finder.words()]))
    files_read = (*(file for one in found for file in one.files), *finder.invalid)
    published = None if found else find_published(root, files)
    if not found and not named:
        return NO_HOST._replace(words=words, files=files_read, faults=faults, failed=failed, published=published)
    slashes = {one.read.trailing_slash for one in found}
    names = {one.name for one in kinds}
    reads = [one.read for one in found]
    return TreeHost(
        words,
        next(iter(names)) if len(names) == 1 else "",
        tuple(one.rules for one in found),
        files_read,
        faults,
        failed,
        clean_urls=any(one.clean_urls for one in kinds) or any(one.clean_urls for one in reads),
        serves_slashed=any(one.serves_slashed for one in kinds) or any(one.serves_slashed for one in reads),
        strips_suffix=len(kinds) == 1
        and (
            kinds[0].strips_suffix or any(one.kind in {"vercel", "firebase"} and one.read.clean_urls for one in found)
        ),
        trailing_slash=next(iter(slashes)) if len(slashes) == 1 and len(kinds) == len(found) else None,
        removes_slash=any(one.kind == "vercel" and one.read.trailing_slash is False for one in found),
        adds_slash=not any(
            one.read.trailing_slash is not True
            and (one.kind == "vercel" or (one.kind == "firebase" and one.read.clean_urls))
            for one in found
        ),
        indexes=next((one.indexes for one in reads if one.indexes is not None), None),
        lists_folders=any(one.lists_folders is True for one in reads),
        ignores_case=any(one.ignores_case for one in reads),
        merges_slashes=any(kind.merges_slashes for kind in kinds),
        error_pages=frozenset(
            page for read in reads for one in (read, *read.inner.values()) for page in one.error_pages
        ),
        reserved=tuple(path for kind in kinds for path in kind.reserved),
        inner=next((one.inner for one in reads if one.inner), {}),
        left_out=_left_out(lefts),
        published=published,
    )


def _left_out(lefts: list[Mapping[str, str]]) -> dict[str, str]:
    """The files that no host deploys."""
    first, *others = lefts
    return {name: what for name, what in first.items() if all(name in one for one in others)}


def _never(kind: str, files: Collection[str]) -> dict[str, str]:
    """The files that a host never gets, if it has no ignore file."""
    host = HOST_KINDS[kind]
    return ignored_files(Never(host.name, host.never), "", "", ".", files)


def _by_domain(url: str) -> str:
    """The host of sites at a URL with its own domain; "" for none."""
    domain = url.partition("://")[2].partition("/")[0].partition(":")[0]
    return next((key for key, kind in HOST_KINDS.items() if kind.domains and domain.endswith(kind.domains)), "")


def _words(found: list[_HostWithFiles], named: str, *, has_files: bool) -> str:
    """The hosts in words. `named`: one without files. `has_files`: whether there are files besides those of `found`."""
    parts = []
    for one in found:
        shown_names = [visible(file.name) for file in one.files]
        shown = ", ".join(shown_names[:3]) + f" and {len(shown_names) - 3:,} more" * (len(shown_names) > 3)
        facts = [pluralize(len(one.rules), "rule")]
        facts += [f"{len(one.rules.faults):,} invalid"] * bool(one.rules.faults)
        left = sum(what != HOST_KINDS[one.kind].name for what in one.read.left_out.values())
        facts += [f"{pluralize(left, 'file')} not deployed"] * bool(left)
        facts += ["clean URLs"] * bool(one.read.clean_urls) * (one.kind in {"vercel", "firebase", "apache"})
        facts += [visible(one.note)] * bool(one.note)
        host = f"{HOST_KINDS[one.kind].name}, " if one.kind else ""
        host += f"{visible(one.site)}, " if one.site else ""
        parts.append(f"{host}{shown}: {', '.join(facts)}")
    if named:
        names = HOST_KINDS[named].files
        lack = f": there is no {names} for this folder" if names and not has_files else ""
        parts.append(f"{HOST_KINDS[named].name}{lack}")
    return "; ".join(parts)


class _WranglerSettings(NamedTuple):
    """The settings of Wrangler about a tree."""

    name: str
    """The name of the file from the tree's root."""
    data: bytes
    settings: dict[str, Any]
    site: str
    """The environment, in words; "" for that of the top level."""
    note: str
    """The environments with other assets, in words; "" for none."""


def _above(folder: Path) -> Iterator[Path]:
    """Yield the folders above a folder, as far as the root of the repository."""
    for _ in range(_LEVELS):
        if is_repository_root(folder) or folder.parent == folder:
            return
        folder = folder.parent
        yield folder


class _NetlifyToml(NamedTuple):
    """A file `netlify.toml`."""

    folder: Path
    data: bytes
    settings: dict[str, Any]
    """Those of production."""


class _HostFiles:
    """Reads the host files of a tree, and those above it that are about it."""

    def __init__(self, root: str, files: Collection[str], url: str, failed: dict[str, str], build: Build) -> None:
        self.root = root
        self.files = files
        self.failed = failed
        self.build = build
        self.invalid: list[HostFile] = []
        self.faults: list[HostFault] = []
        #: The name of a file that is about other folders -> these.
        self.others: dict[str, str] = {}
        self.prefix = "/" + url.partition("://")[2].partition("/")[2]

    def find(self, chosen: str | None, named: str) -> Iterator[_HostWithFiles | None]:
        """Yield each host with files. `named`: the host that is chosen, or that the site's domain names."""
        if chosen in {None, *DIALECTS}:
            yield from self._netlify(named)
        if chosen in {None, "vercel"}:
            yield self._vercel()
        if chosen in {None, "firebase"}:
            yield from self._firebase()
        if chosen in {None, "azure"}:
            yield from self._azure()
        if chosen in {None, "apache"}:
            yield self._apache()

    def _own(self, name: str) -> bytes | None:
        """The content of a host file in the tree; None if there is none."""
        if name not in self.files:
            return None
        try:
            return _read_inside(f"{self.root}/{name}", self.root).data
        except OSError as error:
            self.failed[name] = error.strerror or str(error)
            return None

    def _at(self, folder: Path, name: str) -> bytes | None:
        """The content of the user's host file in a folder that may be outside the tree; None if there is none."""
        try:
            file = _read_inside(str(folder / name), str(folder))
        except OSError as error:
            if os.path.lexists(folder / name) and not os.path.isdir(folder / name):
                self.failed[self._name(folder, name)] = error.strerror or str(error)
            return None
        return None if reason_to_doubt(folder / name, None, file.status) else file.data

    def _at_roots(self, name: str) -> Iterator[tuple[Path, bytes]]:
        """Yield the folder and the content of each host file at the root of a site.

        It is in the root of the tree, or in a folder that a generator copies to that of its site.
        """
        if (data := self._own(name)) is not None:
            yield Path(self.root), data
        yield from self._in((Path(one) for one in self.build.served if one != self.root), name)

    def _all(self, name: str) -> Iterator[tuple[Path, bytes]]:
        """Yield the folder and the content of each file with a name: in the tree, above it, and in projects in it."""
        if (data := self._own(name)) is not None:
            yield Path(self.root), data
        yield from self._in(_above(Path(self.root)), name)
        projects = filter(self._is_inner, map(Path, self.build.projects))
        around = (folder for project in projects for folder in (project, *project.parents) if self._is_inner(folder))
        yield from self._in(dict.fromkeys(around), name)

    def _in(self, folders: Iterable[Path], name: str) -> Iterator[tuple[Path, bytes]]:
        """Yield each of the folders that has a file with a name, and its content."""
        for folder in folders:
            if (data := self._at(folder, name)) is not None:
                yield folder, data

    def words(self) -> list[str]:
        """The files that do not count at all, in words."""
        lines = [f"{visible(file.name)}: not valid, so it does not count" for file in self.invalid]
        return lines + [
            f"{visible(name)}: it publishes {visible(folders)}, not this folder, so it does not count"
            for name, folders in self.others.items()
        ]

    def _note_other(self, name: str, *folders: str) -> None:
        """Note that a file is about other folders."""
        shown = dict.fromkeys(os.path.normpath(f"./{folder}") + "/" for folder in folders)
        self.others[name] = ", ".join([*shown][:_SHOWN])

    def _read(self, read: Callable[[bytes], _T], data: bytes, name: str) -> _T | None:
        """The content of a file; None if it is not valid, which is noted."""
        try:
            return read(data)
        except InvalidHostFile as error:
            self.invalid.append(HostFile(name, data, []))
            hint = "correct the file: none of its rules counts"
            self.faults.append(HostFault(error.place(name, data), error.message, hint))
            return None

    def _settings(self, read: Callable[[bytes], _T], name: str) -> Iterator[tuple[Path, bytes, _T]]:
        """Yield the folder, the data and the content of each valid file with a name."""
        for folder, data in self._all(name):
            settings = self._read(read, data, self._name(folder, name))
            if settings is not None:
                yield folder, data, settings

    def _name(self, folder: Path, name: str) -> str:
        """The name of a file from the tree's root."""
        return os.path.relpath(folder / name, self.root).replace(os.sep, "/")

    def _is_tree(self, folder: Path, name: str) -> bool:
        """Whether a folder that a host file names is the tree, or is built from it."""
        try:
            return os.path.realpath(folder / name.lstrip("/")) in {self.root, *self.build.built}
        except ValueError:  # text that file names cannot have here
            return False

    def _is_inner(self, folder: Path) -> bool:
        """Whether a folder is inside the tree, and not the tree itself."""
        return str(folder) != self.root and folder.is_relative_to(self.root)

    def _is_own(self, folder: Path) -> bool:
        """Whether a host file in a folder that names no other one is about the tree."""
        return str(folder) in {self.root, *self.build.projects}

    def _netlify(self, named: str) -> Iterator[_HostWithFiles | None]:
        """Yield the host of each file `_redirects`, with the `netlify.toml` above it, and of each other such file."""
        tomls = {} if named.startswith("cloudflare") else {toml.folder: toml for toml in self._netlify_tomls()}
        redirects = list(self._at_roots(REDIRECTS))
        about = [next((one for one in tomls if folder.is_relative_to(one)), None) for folder, _ in redirects]
        for file, folder in zip(redirects, about, strict=True):
            yield self._with_redirects(named, file, tomls[folder] if folder is not None else None)
        others = [toml for folder, toml in tomls.items() if folder not in about]
        for toml in others if redirects or others else (None,):
            yield self._with_redirects(named, None, toml)

    def _with_redirects(
        self, named: str, file: tuple[Path, bytes] | None, own: _NetlifyToml | None
    ) -> _HostWithFiles | None:
        """The host of a file `_redirects` and a file `netlify.toml`; None if there are no files at all."""
        wrangler = None if own is not None or named not in {"", *_CLOUDFLARES} else self._wrangler
        kind = "netlify" if own is not None else named if named in DIALECTS else ""
        if wrangler is not None:
            kind = _CLOUDFLARES[is_worker(wrangler.settings)]
        elif kind in {"", "cloudflare"} and _ASSETSIGNORE in self.files:
            kind = "cloudflare-workers"
        dialect = DIALECTS[kind]
        dialect = dialect if dialect.error_page in self.files else dialect._replace(error_page="")
        # Netlify reads /a and /a/ as one URL, and leaves out a rule from one to the other.
        rules = HostRules(ignores_slash=dialect.ignores_slash, ignores_own=dialect.ignores_slash)
        files: list[HostFile] = []
        name, data = (self._name(file[0], REDIRECTS), file[1]) if file is not None else (REDIRECTS, None)
        redirects = None if data is None else self._read(_redirects_text, data, name)
        if data is not None and redirects is not None:
            files.append(HostFile(name, data, read_redirects(redirects, rules, dialect, name)))
        if own is not None:
            name = self._name(own.folder, _NETLIFY_TOML)
            files.append(HostFile(name, own.data, read_netlify_toml(own.settings, own.data, rules, name)))
        read = Read([])
        if wrangler is not None:
            files.append(HostFile(wrangler.name, wrangler.data, []))
            read = read_wrangler(wrangler.settings, wrangler.data, rules, wrangler.name)
        host = _HostWithFiles(kind, rules, tuple(files), read)
        if wrangler is not None:
            is_plain = not has_clean_urls(wrangler.settings)
            host = host._replace(is_plain=is_plain, site=wrangler.site, note=wrangler.note)
        # The installed packages of the folder of `netlify.toml` are not part of the site, if the site is that folder.
        packages = ("/node_modules",) if own is not None and str(own.folder) == self.root else ()
        is_read = kind == "cloudflare-workers"
        # Not above the tree: Wrangler reads the one in the folder that it deploys.
        never = (*HOST_KINDS[kind].never, *packages)
        return self._without_ignored(host, _ASSETSIGNORE, lambda folder: is_read and str(folder) == self.root, never)

    @cached_property
    def _wrangler(self) -> _WranglerSettings | None:
        """The settings of Wrangler about the tree; None if there are none."""
        for name, reader in WRANGLER_FILES.items():
            for folder, data, settings in self._settings(reader, name):
                found = list(environments(settings))
                for site, own in found:
                    published = wrangler_folder(own)
                    if published and self._is_tree(folder, published):
                        others = [other for other, its in found if other and its.get("assets") != own.get("assets")]
                        note = f"{', '.join(others[:3])}: other assets, not considered" if others else ""
                        return _WranglerSettings(self._name(folder, name), data, own, site, note)
                if folders := list(filter(None, (wrangler_folder(own) for _, own in found))):
                    self._note_other(self._name(folder, name), *folders)
        return None

    def _without_ignored(
        self, host: _HostWithFiles, name: str, is_deployed: Callable[[Path], bool], lines: Sequence[str]
    ) -> _HostWithFiles | None:
        """A host without the files that it does not get; None if it has no files of its own at all.

        `name`: that of its ignore file. `is_deployed`: whether the files of a folder get to the host as they are.
        `lines`: those that come before the lines of the ignore file.
        """
        never = Never(HOST_KINDS[host.kind].name, lines)
        for folder, data, text in self._settings(IGNORE_FILES[name], name):
            if is_deployed(folder):
                shown = self._name(folder, name)
                left = ignored_files(never, text, shown, os.path.relpath(self.root, folder), self.files)
                file = HostFile(shown, data, [])
                return host._replace(files=(*host.files, file), read=host.read._replace(left_out=left))
        left = ignored_files(never, "", "", ".", self.files)
        return host._replace(read=host.read._replace(left_out=left)) if host.files else None

    def _netlify_tomls(self) -> Iterator[_NetlifyToml]:
        """Yield the nearest file `netlify.toml` about the tree, in or above it, and those of projects in it."""
        reader = with_texts(read_unmarked_toml, "build/publish", "build/base")
        is_found = False
        for folder, data, written in self._settings(reader, _NETLIFY_TOML):
            settings = in_production(written)
            build = settings.get("build")
            build = build if isinstance(build, dict) else {}
            base, publish = text_of(build.get("base")).lstrip("/"), text_of(build.get("publish"))
            # `publish` is relative to `base`; without it, the base is published. The base is in the repository, whose
            # root may be above the file. Settings that are not in the file may name it.
            roots = [folder, *(_above(folder) if publish else ())]
            is_about = any(self._is_tree(root / base, publish) for root in roots)
            if not (is_about or (not publish and self._is_own(folder))):
                self._note_other(self._name(folder, _NETLIFY_TOML), f"{base}/{publish}")
            elif not is_found or self._is_inner(folder):
                is_found = True
                yield _NetlifyToml(folder, data, settings)

    def _vercel(self) -> _HostWithFiles | None:
        host = _HostWithFiles("vercel", HostRules(), (), Read([]))
        known: dict[Path, dict[str, Any]] = {}
        for folder, data, settings in self._settings(with_texts(read_json, "outputDirectory"), "vercel.json"):
            known[folder] = settings
            if self._is_on_vercel(folder, settings):
                has_slash = isinstance(settings.get("trailingSlash"), bool)
                rules = HostRules(ignores_slash=has_slash, ignores_own=has_slash)
                name = self._name(folder, "vercel.json")
                read = read_vercel(settings, data, rules, name)
                read = read._replace(serves_slashed=bool(read.clean_urls))
                host = _HostWithFiles("vercel", rules, (HostFile(name, data, read.targets),), read)
                known = {folder: settings}
                break
            if output := text_of(settings.get("outputDirectory")):
                self._note_other(self._name(folder, "vercel.json"), output)

        def is_deployed(folder: Path) -> bool:
            """A build comes after the ignored files are left out: it may make any file."""
            settings = known.get(folder, {})
            is_built = bool(settings.get("buildCommand")) or os.path.exists(folder / "package.json")
            return not is_built and (folder in known or not host.files) and self._is_on_vercel(folder, settings)

        is_built = bool(host.files) and not all(map(is_deployed, known))
        return self._without_ignored(host, ".vercelignore", is_deployed, () if is_built else HOST_KINDS["vercel"].never)

    def _is_on_vercel(self, folder: Path, settings: Mapping[str, Any]) -> bool:
        """Whether the tree is what Vercel publishes of a folder. `settings`: those of the file `vercel.json` there."""
        output = text_of(settings.get("outputDirectory"))
        is_own = self._is_own(folder) and not (output and not self._is_tree(folder, output))
        # Without a framework, a folder `public` is published if there is one.
        return is_own or self._is_tree(folder, output or "public")

    def _firebase(self) -> Iterator[_HostWithFiles]:
        """Yield each site of the nearest file `firebase.json` whose folder is the tree."""
        for folder, data, settings in self._settings(read_json, "firebase.json"):
            name = self._name(folder, "firebase.json")
            finder = ValuePlaces(data, name)
            found = []
            for prefix, site in firebase_sites(settings):
                finder.prefix = prefix
                rules = HostRules(is_decoded=True, ignores_slash=True)
                add_languages(site, finder, rules, self.files)
                read = read_firebase(site, finder, rules)
                if self._is_tree(folder, text_of(site.get("public"))):
                    left = {**_never("firebase", self.files), **left_out(site, finder, self.files)}
                    read = read._replace(left_out=left)
                    label = text_of(site.get("target") or site.get("site"))
                    label = f"site {label}" if label else ""
                    file = HostFile(name, data, read.targets)
                    found.append(_HostWithFiles("firebase", rules, (file,), read, label))
            yield from found if len(found) > 1 else (one._replace(site="") for one in found)
            if found:
                return
            if folders := [public for _, site in firebase_sites(settings) if (public := text_of(site.get("public")))]:
                self._note_other(name, *folders)

    def _azure(self) -> Iterator[_HostWithFiles]:
        for folder, data in self._at_roots(_AZURE):
            name = self._name(folder, _AZURE)
            settings = self._read(read_json, data, name)
            if settings is not None:
                rules = HostRules(ignores_own=True)
                read = read_azure(settings, data, rules, name)._replace(left_out=_never("azure", self.files))
                yield _HostWithFiles("azure", rules, (HostFile(name, data, read.targets),), read)

    def _apache(self) -> _HostWithFiles | None:
        rules = ApacheRules(self.prefix)
        found = []
        root = Read([])
        inner: dict[str, Read] = {}
        names = [name for name in self.files if name.endswith(_HTACCESS) and f"/{name}".endswith(f"/{_HTACCESS}")]
        files = {name: self._own(name) for name in sorted(names)[:_MANY]}
        files |= {self._name(folder, _HTACCESS): data for folder, data in self._at_roots(_HTACCESS)}
        served = tuple(f"{self._name(Path(folder), '.')}/" for folder in self.build.served)
        for name, data in files.items():
            if data is not None:
                at = next((name.removeprefix(one) for one in served if name.startswith(one)), name)
                folder = at.removesuffix(_HTACCESS)
                read = rules.read(data, name, folder)
                if folder:
                    inner[folder] = read
                else:
                    root = read
                found.append(HostFile(name, data, read.targets))
        return _HostWithFiles("apache", rules, tuple(found), root._replace(inner=inner)) if found else None
