"""The files that URLs lead to, as a server for the tree would answer. Only names are used; no file is opened.

The tree's root is served at `Site.url`. Names are compared byte for byte, as on a server's file system, whatever the
local file system does. A name that differs only in case is a finding of its own.
"""

from __future__ import annotations

import enum
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import chain
from posixpath import splitext
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes

from linkfix.auditing.external import ExternalFailure
from linkfix.auditing.hosts.find import NO_HOST, TreeHost
from linkfix.auditing.hosts.rules import Asked, Effect, HostRules, decoded, with_query
from linkfix.auditing.listing import PageFile
from linkfix.auditing.source_names import MADE, SOURCE_SUFFIXES, mkdocs_order, mkdocs_page, source_names
from linkfix.files.folder import INDEX_NAMES, FileTree
from linkfix.files.media_types import PROGRAM_SUFFIXES, media_type_of_suffix
from linkfix.lazy import lazy_pattern
from linkfix.model import PAGE_TYPES, Envelope
from linkfix.resolvers import RESOLVERS
from linkfix.schemes.uses import SPECIAL
from linkfix.urls import SCHEME

#: The names of index files that servers look for by default, the first that exists: Apache with its modules for CGI,
#: PHP and SSI, nginx, Tomcat, IIS. A tree with such a file is meant for such a server.
INDEXES = (
    *INDEX_NAMES,
    *("index.shtml", "index.php", "index.cgi", "index.pl", "index.jsp", "index.asp", "index.aspx"),
    *("default.htm", "default.asp", "default.aspx", "Default.htm", "Default.asp", "Default.aspx"),
)

#: The file that hosts of repositories show with its folder. Of several, the first suffix counts.
_README = "readme"

_README_SUFFIXES = (*SOURCE_SUFFIXES, ".rst", ".txt", "")

_SLASH = lazy_pattern("/")

_REPEATED_SLASHES = lazy_pattern("//+")

_ORIGIN = lazy_pattern(rf"{SCHEME}://[^/?#]*")

#: A name that the URL parser does not change.
_PLAIN_NAME = lazy_pattern(r"(?:[A-Za-z0-9_][A-Za-z0-9_.-]*+/)*+[A-Za-z0-9_][A-Za-z0-9_.-]*+")

#: The names of images, style sheets, scripts, fonts, audio and video: servers have them as files.
_COPIED = lazy_pattern(
    r"\.(?:avif|bmp|css|eot|flac|gif|ico|jpe?g|m4[av]|m?js|mp[34]|og[agv]|opus|otf|png|svg|tiff?|ttf|wav|web[mp]|woff2?)\Z",
    re.IGNORECASE,
)

#: Such names that programs answer: the icon of WordPress (`do_favicon`), and what Drupal puts together on demand.
_MADE_BY_PROGRAMS = lazy_pattern(r"(?:^|/)(?:favicon\.ico\Z|files/(?:css|js|styles)/)")

#: The beginnings of URLs that servers answer.
SERVED_SCHEMES = ("http://", "https://")

#: The schemes of URLs with a host.
_HOSTED = frozenset({*SPECIAL, "gopher"})

#: The spellings of a query's "?" in the names of saved files: by wget, by wget for Windows, and percent-encoded.
_QUERY_MARKS = ("?", "@", "%3F")

#: The number of rules of a circle that a message names.
_SHOWN = 3

#: The number of redirects that a browser follows (Fetch §4.4 "HTTP-redirect fetch").
MOST_REDIRECTS = 20


#: The number of a folder whose files are shown, in place of a file's number.
FOLDER = -2


class DestinationKind(enum.Enum):
    """The kinds of targets."""

    if not TYPE_CHECKING:
        __hash__ = object.__hash__  # Enum's own is a function in Python, and each member is one object

    FILE = "a file of the tree"
    MISSING = "below the tree's URL, but not in the tree"
    CASE = "a file of the tree but for upper and lower case"
    NO_INDEX = "a folder of the tree without an index file"
    SLASHED = "a page of the tree, without its suffix and with a slash, which not all hosts know"
    FOLDER = "a folder of the tree, whose files are shown"
    UNFOLLOWED = "behind a symbolic link or redirect that is not followed"
    UNREAD = "at or below a name that the system does not let linkfix read"
    OUTSIDE = "on the tree's host, but not below the tree's URL"
    CONDITIONAL = "the path of a rule of the host that the tree does not decide"
    CAUGHT = "a path without a file that a rule of the host answers with a page, as all others in its folder"
    LABEL = "perhaps a label, which the program that builds the page knows"
    AROUND = "a file outside the folder of the tree, which a source refers to"
    GENERATED = "made by the generator, without a source in the tree"
    ERROR_RESPONSE = "a response in the archive that reports an error"
    UNCAPTURED = "a URL that the archive does not have"
    EMPTY = "a response in the archive without content"
    EXTERNAL = "another site"
    LOCAL = "a file of one computer: file:"
    OPAQUE = "no file: mailto:, data:, javascript: and similar"
    NONE = "no target"


class Destination(NamedTuple):
    """The place that a target leads to: its kind, and its file."""

    kind: DestinationKind
    name: str = ""
    """The name of the file or folder, even if it does not exist; "" outside the tree."""
    number: int = -1
    """The number of the file among the tree's files; -1 if there is no file, `FOLDER` for the kind FOLDER."""
    near: str = ""
    """CASE, SLASHED: the existing name. UNFOLLOWED: the symbolic link. ERROR_RESPONSE: the status code. CONDITIONAL:
    the place of the rule, in words. MISSING: the page that a rule answers with instead.
    """
    fragment: str = ""
    """The fragment that a redirect sets."""
    mount: str = ""
    """The mounted folder that contains the target, as `Mount.label`; "" for the tree."""
    redirect: str = ""
    """For a missing target: the place of the host's rule that leads to it, in words; "" for none. So for a page that a
    rule answers with in place of the path, and for CAUGHT; for CONDITIONAL, if a program answers all paths.
    """
    status: int = 0
    """The status of the error that this rule answers with; 0 for none."""
    source: str = ""
    """For a missing target: the source at this path, which a generator makes no page of, or one at another URL."""
    moved: tuple[str, str] = ("", "")
    """The path of that page from the root of its site, and a reference to it; "" for what is not known."""
    why: str = ""
    """For a missing target: what its generator does about it, in words; "" for nothing."""


class UrlWalk(NamedTuple):
    """The way of a URL by the rules of a host."""

    found: Destination
    url: str
    """The URL at the end of the redirects, which a browser shows."""
    possible: list[tuple[str, Effect]]
    """The effects of rules that may apply instead, each with its URL."""
    redirects: list[Effect]


class Mount(NamedTuple):
    """A folder that is served beside the tree: a target of references, but not checked itself."""

    label: str
    """The prefix of its file names: a path or URL without the final slash."""
    site: Site
    """The folder's names and URL."""
    number: int
    """The number of its first file among the files of the tree and all mounts."""

    def destination(self, url: str) -> Destination:
        """The destination of one of its URLs, with names and numbers as in the tree."""
        found = self.site.destination(url)
        number = found.number if found.number < 0 else found.number + self.number
        near = f"{self.label}/{found.near}" if found.near else ""
        return found._replace(name=f"{self.label}/{found.name}", number=number, near=near, mount=self.label or "/")

    def holds(self, url: str) -> bool:
        """Whether a URL is inside this folder."""
        return url.startswith(self.site.url) or url.partition("?")[0] == self.site.url[:-1]


#: The kinds of destinations that fail, unless a redirect applies.
FAILING = frozenset(
    {
        *(DestinationKind.MISSING, DestinationKind.CASE, DestinationKind.NO_INDEX, DestinationKind.SLASHED),
        *(DestinationKind.ERROR_RESPONSE, DestinationKind.UNCAPTURED),
    }
)

#: The kinds of destinations that a host answers with an error.
_NO_ANSWER = FAILING | {DestinationKind.UNFOLLOWED}

#: The number of rules under conditions that are followed one after the other.
_CONDITIONS = 3

#: For these kinds, only forced redirects apply.
_EXISTING = frozenset({DestinationKind.FILE, DestinationKind.UNREAD, DestinationKind.EXTERNAL, DestinationKind.OPAQUE})

_RESOLVER = RESOLVERS["whatwg"]

_NOWHERE = Destination(DestinationKind.NONE)

_EXTERNAL = Destination(DestinationKind.EXTERNAL)

_LOCAL = Destination(DestinationKind.LOCAL)

_OPAQUE = Destination(DestinationKind.OPAQUE)


def is_page(name: str) -> bool:
    """Whether a file is a page, by its name."""
    return media_type_of_suffix(name) in PAGE_TYPES


def origin_of(url: str) -> str:
    """The scheme and the host of a URL; "" for a URL without a host."""
    origin = _ORIGIN.match(url)
    return origin[0] if origin else ""


def path_of_url(url: str) -> str:
    """The path of an absolute URL, from the host's root."""
    return "/" + url.partition("://")[2].partition("#")[0].partition("?")[0].partition("/")[2]


def is_program(name: str) -> bool:
    """Whether a file is a program that a server runs, by its name."""
    return splitext(name)[1].lower() in PROGRAM_SUFFIXES


def _is_copied(name: str) -> bool:
    """Whether a missing name is that of a file which programs such as WordPress do not make themselves."""
    return _COPIED.search(name) is not None and _MADE_BY_PROGRAMS.search(name) is None


class Site:
    """The names of a tree and their URLs.

    `url`: the URL of the root; it ends with "/".

    `files`, `folders`: names relative to the root; "" is the root.

    `dangling`: symbolic link that is not followed -> the reason.

    `unread`: names that could not be read. Files that are not listed may exist there.

    `known`: whether `url` was given or inferred, not made up.

    `clean_urls`: whether the server answers "/a" with "/a.html".

    `indexes`: the names of index files. The URL of a folder leads to the first of them that the folder contains.

    `host`: the host's rules, and what else it serves.

    `mounts`: label -> the names served beside the tree. If several URLs match, the longest counts.
    """

    is_captured: bool = False
    """Whether the names are captures of an archive: URLs of any hosts."""
    failures: Mapping[str, ExternalFailure] = MappingProxyType({})
    """The URLs of other sites that a link checker found broken."""

    def __init__(
        self,
        url: str,
        files: Sequence[str],
        folders: Iterable[str],
        *,
        dangling: Mapping[str, str] | None = None,
        unread: Iterable[str] = (),
        known: bool = True,
        clean_urls: bool = False,
        indexes: Sequence[str] = INDEXES,
        host: TreeHost = NO_HOST,
        mounts: Mapping[str, Site] | None = None,
    ) -> None:
        self.url = url
        self.origin: str = origin_of(url)
        self.prefix: str = url[len(self.origin) :]
        #: The tree's files, then the files of the mounts. The name of a mounted file begins with the mount's label.
        self.files: Sequence[str] = files
        self._own = len(files)
        self.mounts: tuple[Mount, ...] = ()
        self.folders: frozenset[str] = frozenset(folders)
        self.dangling: Mapping[str, str] = dangling or {}
        self._unread = frozenset(unread)
        self.known = known
        self.clean_urls = clean_urls
        self.indexes = indexes
        self._folded_indexes = frozenset(index.casefold() for index in indexes)
        self.host = host
        self.rules: tuple[HostRules, ...] = host.rules
        #: Whether detours are asked for: references to files that work, but not directly.
        self.finds_detours = False
        if mounts:
            self._mount(mounts)
        self.numbers: Mapping[str, int] = {name: number for number, name in enumerate(self.files)}
        self._folded: dict[str, str] | None = None
        self._inner: dict[str, list[str]] | None = None
        self._by_last: dict[str, list[str]] | None = None
        #: Whether the URL of a page with a plain name is the tree's URL followed by that name.
        is_normal = not known or _RESOLVER.resolve(None, url).target == url  # a made-up URL is normal
        self._is_plain = not host.rules and is_normal and url.endswith("/")
        self._queries = any(mark in name for name in files for mark in _QUERY_MARKS)
        #: Whether a source file counts as the page made from it, and whether the URL of a folder shows its files.
        self.has_sources = self.is_mdbook = False
        #: The paths that the settings of generators name and that are no folders of the tree: bases and routes.
        self.routes: frozenset[str] = frozenset()
        self.shows_folders: bool = host.lists_folders
        #: Whether a folder is its README, and never a page made from a source beside it, as on hosts of repositories.
        self.is_hosted = False
        #: The tree that the names of this one are made from, if they are the files that MkDocs makes.
        self.sources: Site | None = None

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
    def overlays(self) -> tuple[Site, ...]:
        """The folders that are mounted at the tree's own URL."""
        return tuple(mount.site for mount in self.mounts if mount.site.url == self.url)

    @cached_property
    def may_have_colons(self) -> bool:
        """Whether a path with a colon may lead to a file of the tree."""
        return bool(self.rules) or any(":" in name for name in self.files)

    @cached_property
    def has_signs(self) -> bool:
        """Whether the name of a file contains a character that is percent-encoded in a reference to it."""
        return any("#" in name or "?" in name or "%" in name for name in self.files)

    def built_source(self, source: str) -> str | None:
        """The source of the page that a source would become in this site; None if that page is not part of it.

        It is another one if two sources become one page: `a/index.md` for `a/README.md`.
        """
        if self.sources is None:
            return source
        pages = (mkdocs_page(source, directory_urls=choice) for choice in (True, False))
        return next((self.sources.files[self.numbers[page]] for page in pages if page in self.numbers), None)

    def is_index(self, last: str) -> bool:
        """Whether a name without its folder is that of an index file, in any case."""
        return last.casefold() in self._folded_indexes

    def indexes_in(self, inner: str) -> Sequence[str]:
        """The names of index files in a folder. `inner`: its name, with a slash at the end; "" for the root."""
        own = self.host.indexes_in(inner)
        return self.indexes if own is None else own

    def has_clean_urls(self, name: str) -> bool:
        """Whether a name without a suffix is answered with the page in the same folder."""
        own = self.host.has_clean_urls(name[: name.rfind("/") + 1]) if self.host.inner else None
        return self.clean_urls if own is None else own

    def with_sources(self, *, shows_folders: bool, is_hosted: bool = False, is_mdbook: bool = False) -> Site:
        """The same tree for references in source files, as described in `source_names`.

        `shows_folders`: whether the URL of a folder without an index shows its files. `is_hosted`: whether the sources
        are shown by a host of repositories. `is_mdbook`: as in `source_names`.
        """
        other = copy(self)
        other.has_sources, other.shows_folders = True, shows_folders
        other.is_hosted, other.is_mdbook = is_hosted, is_mdbook
        return other

    def as_hosted(self) -> Site:
        """The same tree as a host of repositories shows it at its own URLs: files by their whole names, and folders."""
        other = copy(self)
        other.shows_folders = other.is_hosted = True
        return other

    def built_by_mkdocs(self, is_excluded: Callable[[str], bool], *, directory_urls: bool) -> Site:
        """The site that MkDocs makes from the tree. The number of a file is the number of its source.

        A file that is not part of the site has the name "". `is_excluded`: whether the settings leave a source out.
        `directory_urls`: as in `SourceSettings`.
        """
        names = [""] * self._own
        made: dict[str, int] = {}
        for source in sorted(self.files[: self._own], key=mkdocs_order):
            if not is_excluded(source):
                name = mkdocs_page(source, directory_urls=directory_urls)
                number = self.numbers[source]
                names[made.get(name, number)] = ""
                made[name], names[number] = number, name
        folders = {name[: match.start()] for name in made for match in _SLASH.finditer(name)}
        other = Site(
            self.url,
            names,
            {"", *folders},
            dangling=self.dangling,
            unread=self._unread,
            known=self.known,
            clean_urls=self.clean_urls,
            indexes=self.indexes,
            host=self.host,
            mounts={mount.label: mount.site for mount in sorted(self.mounts, key=lambda mount: mount.number)},
        )
        other.numbers = {name: number for name, number in other.numbers.items() if name}
        other.sources = self
        other.failures = self.failures
        return other

    def destination(self, target: str | None) -> Destination:
        """The destination of an absolute URL."""
        if target is None:
            return _NOWHERE
        url = target.partition("#")[0]
        if not self.rules:
            return self._at_url(url)
        found = [self._by_rules(rules, url) for rules in self.rules]
        return next((one for one in found if one.kind not in FAILING), found[0])

    def _by_rules(self, rules: HostRules, url: str, depth: int = 0, shown: str = "") -> Destination:
        """The destination of a URL without a fragment on the host with some rules. `shown`: as in `_walk`."""
        walk = self._walk(rules, url, shown)
        found = walk.found
        if found.kind in _NO_ANSWER and not found.near and self.is_own(url):
            for at, effect in walk.possible:
                if self._may_answer(rules, at, effect, depth, walk.url if effect.rewrites else ""):
                    return found._replace(kind=DestinationKind.CONDITIONAL, near=effect.place.words(), redirect="")
        return found

    def _may_answer(self, rules: HostRules, url: str, effect: Effect, depth: int, shown: str) -> bool:
        """Whether a rule that may apply to a URL leads to something. The same path on another host is no other place.

        `depth`: the number of such rules that were followed before. `shown`: as in `_walk`.
        """
        if effect.is_unknown or depth > _CONDITIONS:
            return True
        target = self._absolute(effect.target)
        if not effect.target or path_of_url(target) == path_of_url(url):
            return False
        return self._by_rules(rules, target, depth + 1, shown).kind not in _NO_ANSWER

    def _walk(self, rules: HostRules, url: str, shown: str = "") -> UrlWalk:
        """Follow the rules that certainly apply, from a URL without a fragment.

        `shown`: the URL that a browser asked for, if a rewrite led from it to `url`.
        """
        fragment, place = "", ""
        seen, shown, has_ended = url, shown or url, False
        possible: list[tuple[str, Effect]] = []
        redirects: list[Effect] = []
        rewrite: Effect | None = None
        for _ in range(MOST_REDIRECTS + 1):
            effect, more = self.effect(rules, url, Asked(shown[len(self.origin) :] or "/", has_ended))
            possible += [(url, one) for one in more]
            found = _NOWHERE if effect is not None and effect.force and not effect.keeps else self._at_url(url)
            if rules.forced and self.host.strips_suffix and (short := self._without_suffix(rules, url, found)):
                url = shown = short
                continue
            if effect is None or effect.keeps or found.kind in _EXISTING:
                return UrlWalk(self._reached(found, fragment, place, rewrite), shown, possible, redirects)
            place = effect.place.words()
            if not effect.target:
                name = percent_decode(path_of_url(url).removeprefix(self.prefix))
                if effect.force:
                    found = Destination(DestinationKind.MISSING, name, redirect=place, status=effect.status)
                return UrlWalk(found, url, possible, redirects)
            url, _, own = effect.target.partition("#")
            rewrite = effect if effect.rewrites else None
            if not effect.rewrites:
                fragment = own or fragment  # of several redirects, the last with a fragment counts
                redirects.append(effect)
                shown, has_ended = url, False
            elif rules.repeats:
                has_ended = has_ended or effect.ends
            else:
                return UrlWalk(self._reached(self._at_url(url), "", place, effect), shown, possible, redirects)
        circle = {one.target: one.place.words() for one in redirects}
        names = sorted(path_of_url(one) for one in circle if self.is_own(one)) if url in circle else []
        name = percent_decode(names[0] if names and len(circle) < len(redirects) else seen[len(self.origin) :])
        found = Destination(DestinationKind.UNFOLLOWED, name, redirect=" and ".join(list(circle.values())[:_SHOWN]))
        return UrlWalk(found, url, possible, redirects)

    def _without_suffix(self, rules: HostRules, url: str, found: Destination) -> str:
        """The URL of a page that a host redirects to, and reads its rules for again; "" if it does not redirect."""
        if found.kind is not DestinationKind.FILE or not found.name.endswith(MADE) or not url.startswith(self.url):
            return ""
        short = self.origin + self.url_path(self.direct_name(found.name))
        bare, mark, query = url.partition("?")
        names = [percent_decode(one).rstrip("/" * rules.ignores_slash) for one in (bare, short)]
        return "" if names[0] == names[1] else short + mark + query

    @staticmethod
    def _reached(found: Destination, fragment: str, place: str, rewrite: Effect | None) -> Destination:
        """The destination of rules, with the fragment of a redirect, and the place of the last rule if it is missing.

        `rewrite`: the rule that serves the destination under another path; None for none.
        """
        if found.kind in FAILING:
            return found._replace(redirect=place or found.redirect)
        if rewrite is not None and rewrite.catches_all and is_program(found.name):
            words = rewrite.place.words()
            return Destination(DestinationKind.CONDITIONAL, found.name, near=words, redirect=words)
        if rewrite is not None and found.kind is DestinationKind.FILE and is_page(found.name):
            kind = DestinationKind.CAUGHT if rewrite.catches_all else found.kind
            return found._replace(kind=kind, redirect=rewrite.place.words())
        return found._replace(fragment=fragment) if fragment else found

    def effect(self, rules: HostRules, url: str, asked: Asked) -> tuple[Effect | None, tuple[Effect, ...]]:
        """The effect that the rules have on a URL, with an absolute target, and those that they may have.

        There is none if the target is the URL itself, and the host ignores such a rule. Nor is there one if a program
        answers all paths, but the tree does not have it: the tree is a copy of what it answered.
        """
        if not self.is_own(url):
            return None, ()
        path, _, query = url[len(self.origin) :].partition("?")
        effect, possible = rules.outcome(path or "/", query, self._kind_at, asked)
        if effect is None or not effect.target:
            return effect, possible
        target, is_certain = with_query(self._absolute(effect.target), query, effect.query)
        is_of_program = effect.rewrites and effect.catches_all and is_program(path_of_url(target))
        if rules.ignores(url, target, effect) or (is_of_program and self._at_url(target).kind in FAILING):
            return None, possible
        return effect._replace(target=target, is_exact=effect.is_exact and is_certain), possible

    def _absolute(self, target: str) -> str:
        return _RESOLVER.resolve(self.url, target).target or target

    def _kind_at(self, path: str) -> str:
        """The kind of the entry at a decoded path from the host's root, as a `Lookup`."""
        name = path.removeprefix(decoded(self.prefix))
        if not f"{path}/".startswith(decoded(self.prefix)):
            return ""
        if name in self.dangling:
            return "link"
        return "file" if name in self.numbers else "folder" if name.rstrip("/") in self.folders else ""

    def without_rewrite(self, target: str, place: Destination) -> Destination:
        """The destination of a URL for a reference that a page is of no use to, which a rule answers with.

        Programs may answer with something else than a page, unless the name is that of a file.
        """
        name = percent_decode(path_of_url(target).removeprefix(self.prefix))
        if place.kind is DestinationKind.CONDITIONAL and (name in self.numbers or not _is_copied(name)):
            return place
        return Destination(DestinationKind.MISSING, name, near=place.name, redirect=place.redirect)

    def walk(self, url: str) -> UrlWalk:
        """The way of a URL without a fragment to its destination, on the first host that has one."""
        walks = [self._walk(rules, url) for rules in self.rules] or [UrlWalk(self._at_url(url), url, [], [])]
        return next((one for one in walks if one.found.kind not in _NO_ANSWER), walks[0])

    def _at_url(self, url: str) -> Destination:
        """The destination of a URL without a fragment. Redirects do not apply."""
        for mount in self.mounts:
            if mount.holds(url) and len(mount.site.url) > len(self._own_prefix(url)):
                return mount.destination(url)
        if not self.is_own(url):
            return self._outside(url)
        path, mark, query = url[len(self.origin) :].partition("?")
        if path + "/" == self.prefix:
            path = self.prefix
        if not path.startswith(self.prefix):
            return Destination(DestinationKind.OUTSIDE, path)
        found = self._destination_of_path(path[len(self.prefix) :], mark, query)
        if found.kind in FAILING and path.startswith(self.host.reserved):
            return found._replace(kind=DestinationKind.CONDITIONAL, near="an address that the host answers itself")
        if found.kind is DestinationKind.FILE and found.name in self.host.left_out:
            return Destination(DestinationKind.MISSING, found.name, redirect=self.host.left_out[found.name])
        if found.kind is not DestinationKind.FILE and self.mounts:
            inner = [mount.destination(url) for mount in self.mounts if mount.site in self.overlays]
            kinds = (DestinationKind.FILE, *[DestinationKind.CASE] * (found.kind is DestinationKind.MISSING))
            return next((one for kind in kinds for one in inner if one.kind is kind), found)
        return found

    def _own_prefix(self, url: str) -> str:
        return self.url if url.startswith(self.url) else ""

    def is_own(self, url: str) -> bool:
        """Whether a URL is on the tree's host."""
        return url.startswith(self.origin) and url[len(self.origin) : len(self.origin) + 1] in {"/", "?", ""}

    @staticmethod
    def _outside(url: str) -> Destination:
        scheme = url.partition(":")[0].lower()
        if scheme == "file":
            return _LOCAL
        return _EXTERNAL if scheme in _HOSTED else _OPAQUE

    def _destination_of_path(self, path: str, mark: str, query: str) -> Destination:
        """The destination of a percent-encoded path below the root."""
        name = percent_decode(path)
        if mark and self._queries:
            saved = self._with_query(name, path, query)
            if saved is not None:
                return saved
        found = self._file(name)
        if found is not None:
            return found
        if "%" in path and path in self.numbers:  # some programs save files under percent-encoded names, as in the URL
            return self._at(path)
        folder = name.rstrip("/") if name.endswith("/") and not name.endswith("//") else name
        if "//" in path and self.host.merges_slashes:
            return self._destination_of_path(_REPEATED_SLASHES.sub("/", path), mark, query)
        if self._unread and self._may_be_unread(folder):
            return Destination(DestinationKind.UNREAD, name)
        return self._missing(name, folder)

    def _missing(self, name: str, folder: str) -> Destination:
        """The destination of a decoded path without a file. `folder`: the path without its final slash."""
        page = self.page_of_clean(folder) if folder != name and self.has_clean_urls(folder) else None
        if page is not None:
            slashed = Destination(DestinationKind.SLASHED, folder, self.numbers[page], page)
            return self._at(page) if self.host.serves_slashed else slashed
        if self.host.removes_slash and folder in self.numbers:
            return self._at(folder)
        if folder in self.folders:
            no_index = Destination(DestinationKind.NO_INDEX, folder)
            is_shown = self.shows_folders if self.has_sources or self.is_hosted else self.host.lists(f"{folder}/")
            return no_index._replace(kind=DestinationKind.FOLDER, number=FOLDER) if is_shown else no_index
        symlink = self._dangling_link(name) if self.dangling else None
        if symlink is not None:
            return Destination(DestinationKind.UNFOLLOWED, name, near=symlink)
        near = self.other_case(name)
        if near is not None and self.host.ignores_case:
            return self._at(near)
        if near is not None:
            return Destination(DestinationKind.CASE, name, self.numbers.get(near, -1), near)
        return Destination(DestinationKind.MISSING, name)

    def _may_be_unread(self, name: str) -> bool:
        """Whether the file for a name may exist, but could not be listed: the name, a folder above it or its index."""
        parts = name.split("/")
        above = ("/".join(parts[:end]) for end in range(len(parts) + 1))
        indexes = (f"{name}/{index}".lstrip("/") for index in self.indexes_in(f"{name}/"))
        return not self._unread.isdisjoint([*above, *indexes])

    def _dangling_link(self, name: str) -> str | None:
        """The unfollowed symbolic link at or above a name; None if there is no such link."""
        link = self.missing_folder(name) or name
        return link if link in self.dangling else None

    def _at(self, name: str) -> Destination:
        return Destination(DestinationKind.FILE, name, self.numbers[name])

    def _file(self, name: str) -> Destination | None:
        """The file that a server sends for a decoded path.

        It is the file itself, a folder's index, or the file of a clean URL.
        """
        if name in self.numbers:
            return self._at(name)
        # Hosts prefer it to the folder of the same name.
        page = self.page_of_clean(name) if self.has_clean_urls(name) else None
        if page is not None:
            return self._at(page)
        folder = name.removesuffix("/")
        inner = f"{folder}/" if folder else ""
        if folder in self.folders:
            pages = self._hosted_pages(inner) if self.is_hosted else (inner + index for index in self.indexes_in(inner))
            found = next((self._at(page) for page in pages if page in self.numbers), None)
            if found is not None or self.is_hosted:
                return found
        if self.has_sources:
            shows = self.indexes and self.shows_folders and folder in self.folders
            readme = self._hosted_pages(inner) if shows else ()
            names = source_names(name, have_indexes=bool(self.indexes), is_mdbook=self.is_mdbook)
            return next((self._at(source) for source in chain(names, readme) if source in self.numbers), None)
        return None

    def _hosted_pages(self, inner: str) -> Iterator[str]:
        """The possible pages of a folder on a host of repositories: its README, or the index that a tool makes of it.

        `inner`: the name of the folder with a final slash. A source beside the folder is none, whatever its name.
        """
        found = self._readmes.get(inner.removesuffix("/"), ())
        yield from (
            inner + name for suffix in _README_SUFFIXES for name in found if splitext(name)[1].lower() == suffix
        )
        if self.has_sources:
            yield from (inner + name for name in self.indexes)
            yield from (name for name in source_names(inner) if name.startswith(inner))

    @cached_property
    def _readmes(self) -> Mapping[str, list[str]]:
        """The READMEs of each folder that has one, without the folder's name."""
        found: dict[str, list[str]] = {}
        for name in self.files[: self._own]:
            folder, _, last = name.rpartition("/")
            if splitext(last)[0].lower() == _README:
                found.setdefault(folder, []).append(last)
        return found

    def page_of_clean(self, name: str) -> str | None:
        """The page that a name without its suffix stands for if the server knows clean URLs; None for no page."""
        if not name or name.endswith("/"):
            return None
        return next((name + suffix for suffix in MADE if name + suffix in self.numbers), None)

    def lacks_suffix(self, place: Destination) -> bool:
        """Whether a missing target would be a page if the server knew clean URLs."""
        name = place.name.rstrip("/")
        return not self.has_clean_urls(name) and self.page_of_clean(name) is not None

    def suffixed(self, name: str) -> tuple[str, ...]:
        """The names of pages that a name without a suffix can stand for; none if the server knows no clean URLs."""
        has_none = name.endswith(("/", *MADE)) or not self.has_clean_urls(name)
        return () if has_none else tuple(name + suffix for suffix in MADE)

    def listed(self, name: str) -> str | None:
        """The file with this name; with clean URLs, also the page that the name stands for."""
        return next((one for one in (name, *self.suffixed(name)) if one in self.numbers), None)

    def _with_query(self, name: str, path: str, query: str) -> Destination | None:
        """The file that was saved with the query in its name. For a folder, also the index file with the query."""
        plain = percent_decode(query)
        folder = name.removesuffix("/")
        indexes = [f"{folder}/{index}".lstrip("/") for index in self.indexes] if folder in self.folders else []
        for stem in dict.fromkeys((name, path, *indexes)):
            for mark in _QUERY_MARKS:
                for text in dict.fromkeys((query, plain, plain.replace("/", "%2F"))):
                    for suffix in ("", ".html"):
                        saved = f"{stem}{mark}{text}{suffix}"
                        if saved in self.numbers:
                            return self._at(saved)
        return None

    def other_case(self, name: str) -> str | None:
        """The file whose name differs from `name` only in case; None if there is no such file.

        If a folder differs only in case, the result is its index.
        """
        if self._folded is None:
            self._folded = {}
            for one in (*self.folders, *self.files[: self._own]):
                self._folded[one.casefold()] = one
        bare = name.rstrip("/")
        near = self._folded.get(bare.casefold())
        if near is None and bare == name and self.has_clean_urls(name):
            pages = (self._folded.get((bare + suffix).casefold()) for suffix in MADE)
            near = next((page.rpartition(".")[0] for page in pages if page is not None), None)
        if near is None or near == bare:
            return None
        found = self._file(near + name[len(bare) :])
        return found.name if found is not None else None

    def page_url(self, name: str) -> str:
        """The URL of a page. An index file gets its folder's URL, and "?" in a name begins a query.

        Either form is used only if that URL leads to the file.
        """
        for mount in self.mounts:
            if self.numbers[name] >= self._own and name.startswith(f"{mount.label}/"):
                return mount.site.page_url(name[len(mount.label) + 1 :])
        if self.host.trailing_slash is not None and not self.has_sources:
            direct = self.origin + self.url_path(self.direct_name(name))
            if self.destination(direct).name == name:
                return direct
        is_plain = self._is_plain and _PLAIN_NAME.fullmatch(name) is not None
        if is_plain and not self.is_index(name.rpartition("/")[2]):
            return self.url + name
        text = FileTree("", self.url).url_of(name, self._folded_indexes) or ""
        url = text if is_plain else _RESOLVER.resolve(None, text).target
        return url if url is not None and self.destination(url).name == name else self.origin + self.url_path(name)

    def envelope(self, page: PageFile) -> Envelope:
        """The envelope of a document: as its archive states it, or with its URL in the tree."""
        return page.envelope or Envelope(self.page_url(page.name), media_type=page.media_type)

    def should_have(self, url: str) -> bool:
        """Whether the names should include the target of a hyperlink, by its URL."""
        return True

    def folder(self, url: str) -> str | None:
        """The folder of the tree for references relative to a base URL; None if the folder is not in the tree."""
        path = url.partition("#")[0].partition("?")[0].rpartition("/")[0] + "/"
        if not path.startswith(self.url) or any(rules.forced for rules in self.rules):
            return None
        name = percent_decode(path[len(self.url) : -1])
        return name if name in self.folders else None

    def number(self, name: str) -> int | None:
        """The number of the file for a name: itself, a folder's index, or the page of a clean URL; None for no file."""
        number = self.numbers.get(name)
        if number is None:
            found = self._file(name)
            number = found.number if found is not None else None
        return number

    def has(self, name: str) -> bool:
        """Whether a name leads to a file: the file itself, a folder's index, or the file of a clean URL."""
        return self._file(name) is not None

    def name_at_root(self, path: str) -> str | None:
        """The name of the file for a URL's path, if the tree were the root of its host; None if there is no file."""
        found = self._file(percent_decode(path.lstrip("/")))
        return found.name if found is not None else None

    def shown(self, url: str) -> str:
        """A URL for messages: the path, if the site's own URL is not known."""
        return url if self.known or not self.is_own(url) else url[len(self.origin) :] or "/"

    def path_of(self, place: Destination) -> str:
        """The path of a missing target: from the host's root, with the decoded name if it is below the tree's URL."""
        return place.name if place.kind is DestinationKind.OUTSIDE else self.prefix + place.name

    def missing_folder(self, name: str) -> str:
        """The outermost missing folder of a missing name; "" if only the file is missing, or the name is in a route."""
        end = name.find("/")
        while end >= 0:
            if not any(name[:end] in site.folders for site in (self, *self.overlays)):
                return "" if name[:end] in self.routes else name[:end]
            end = name.find("/", end + 1)
        return ""

    def names_in(self, folder: str) -> tuple[str, ...]:
        """The names of the files in a folder, without the folder's name. Files of inner folders are not included."""
        if self._inner is None:
            self._inner = {}
            for name in self.files[: self._own]:
                place, _, last = name.rpartition("/")
                self._inner.setdefault(place, []).append(last)
        return tuple(self._inner.get(folder, ()))

    @property
    def own_files(self) -> Sequence[str]:
        """The tree's files, without the files of the mounts."""
        return self.files[: self._own]

    def files_named(self, last: str) -> tuple[str, ...]:
        """The files with this last name, in any folder."""
        if self._by_last is None:
            self._by_last = {}
            for name in self.own_files:
                self._by_last.setdefault(name.rpartition("/")[2], []).append(name)
        return tuple(self._by_last.get(last, ()))

    def spelling(self, name: str, path: str) -> str:
        """A file's name as a path would spell it: with clean URLs, without the suffix, if `path` has none either.

        The name of a folder's index is that of the folder, with a slash.
        """
        if path.lower().endswith(MADE) or not self.has_clean_urls(name):
            return name
        stem, _, suffix = name.rpartition(".")
        if f".{suffix}" not in MADE:
            return name
        folder, slash, last = name.rpartition("/")
        short = folder + slash if last in INDEX_NAMES else stem
        return short if self.number(short) == self.numbers.get(name) else name

    def suggested_name(self, name: str, path: str) -> str:
        """A file's name as a hint about a path spells it: if detours are reported, the direct name."""
        return self.direct_name(name) if self.finds_detours else self.spelling(name, path)

    def direct_name(self, name: str) -> str:
        """A file's name as it is in the URL that the host sends the file at, and redirects to from other forms."""
        above = name[: name.rfind("/") + 1]
        is_index = name[len(above) :] in self.indexes_in(above) and self.number(above) == self.numbers.get(name)
        return self.host.direct_name(name, is_index=is_index, clean_urls=self.has_clean_urls(name))

    def url_path(self, name: str) -> str:
        """The path of a name's URL, from the host's root."""
        return self.prefix + quote_from_bytes(os.fsencode(name), "/!$&'()*+,;=:@")


def percent_decode(path: str) -> str:
    """Decode a percent-encoded path to a file name."""
    return os.fsdecode(unquote_to_bytes(os.fsencode(path))) if "%" in path else path
