"""The memo of references: the results of checks by row and raw value, for all pages of a folder.

Real pages repeat a few hundred references thousands of times. The text of a plain reference decides its file, in any
row. Results that depend on more of a page than its folder, its encoding and its view are not remembered.
`tests/audit/test_reader.py` and `test_check_result.py` check that the findings are the same without the memo.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

from linkfix.auditing.generators.model import ContentPlugin
from linkfix.auditing.page_document import PageDocument
from linkfix.auditing.private_hosts import PRIVATE_LABELS
from linkfix.auditing.repository import Repository
from linkfix.auditing.rule import Issue, LinkRule
from linkfix.auditing.site import Destination, DestinationKind, Site
from linkfix.auditing.unchecked import UNCHECKED
from linkfix.auditing.views import View
from linkfix.document.decide import Decider
from linkfix.lazy import lazy_pattern
from linkfix.model import Base, Envelope, Layer, Link, Options, Row
from linkfix.saved.companions import is_companion
from linkfix.urls import scheme_of

#: A path with the same meaning under every specification, and without anything that a rule reports. It consists of dot
#: segments at its beginning, names, and perhaps a final slash.
_PATH = lazy_pattern(
    rb"(?:/|(?:\./)?(?:\.\./)*+)(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*+/)*+(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*+)?"
)

#: The prefixes of references that mean the same on every page, and that no rule reports.
_SAME_ANYWHERE = (b"https://", b"mailto:", b"tel:", b"data:")

#: An absolute reference to a host with a domain, without anything that a rule reports or parsers disagree on. It has no
#: port, no user information, no number as host, no private name, no dot segments, and no character that has to be
#: escaped.
_PLAIN_EXTERNAL = lazy_pattern(
    rb"(https?):/(?:/(?=([a-z0-9.-]++)(?:[/?#]|\Z))(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)++(?!"
    rb"(?:" + "|".join(PRIVATE_LABELS).encode() + rb")(?:[/?#]|\Z))[a-z]{2,63})"
    rb"(?:/[A-Za-z0-9_~-][A-Za-z0-9_.~-]*+)*+/?(?:\?[A-Za-z0-9_.~/=+-]*+)?(?:#[A-Za-z0-9_./=+-]*+)?"
)

#: The first bytes of references to the page itself, its query or its parameters; "&" and "\\" begin an escape.
_OF_THE_PAGE = b"#?;&\\"

#: The sizes of caches: references, and folders.
_REMEMBERED = 1 << 16

_FOLDERS = 512

_OPTIONS = Options()

#: The destinations of sources that do not depend on the URL of the page that a generator makes.
_SAME_IN_FOLDER = frozenset({DestinationKind.EXTERNAL, DestinationKind.OPAQUE})

#: The number that stands for a target on another site, instead of a file's number.
EXTERNAL = -1


class FolderKey(NamedTuple):
    """The facts about a page that the meaning of its references depends on."""

    folder: str
    """The URL of the base's folder."""
    encoding: str
    is_source: bool
    has_base: bool
    """Whether a BASE element sets the base."""
    plugin: ContentPlugin | None = None
    """The plugin of Docusaurus that makes the page."""
    page_folder: str | None = None
    """The folder of the page in its site, if its references count from there: see `MadePages.page_folder`."""
    is_unbuilt: bool = False
    """Whether no page is made of the source: it may refer to other such sources."""


#: The key of a result: the number of the folder's memo, the row, or its number in HTML, and the raw value.
Key = tuple[int, Row | int, bytes]


class CheckResult(NamedTuple):
    """The result of checking a reference."""

    link: Link
    place: Destination
    issues: tuple[tuple[LinkRule, Issue], ...]
    root_relative: bool
    is_unexplained: bool
    """Whether the reference begins with "/", its target is missing, and no rule explains that."""
    unchecked: str
    """The reason that the reference is not checked, though its target is missing; "" if it is checked."""
    fragment: bytes
    """The fragment, if the target is a file; b"" for none."""
    offset: int = 0
    """The offset of the reference from the beginning of the raw value, in bytes."""


class FolderMemo:
    """The references of pages with the same key. `number`: its own. `results`: the results for all folders.

    `name`, `base`: the first of these pages, and its base URL.
    """

    def __init__(
        self, number: int, key: FolderKey, view: View, name: str, base: str, results: dict[Key, CheckResult]
    ) -> None:
        self._number = number
        self._view = view
        self._name = name
        #: Whether Docusaurus makes the pages. In its sources, only links of Markdown are plain references.
        self._is_of_plugin = key.plugin is not None
        self._results = results
        #: Whether results are remembered. MkDocs' settings may leave some pages of a folder out of its site.
        self.is_shared: bool = not key.has_base and view.mkdocs is None
        site = view.site
        self._decider = Decider(_OPTIONS, Base(base, Layer.RETRIEVAL, ""), Envelope())
        folder = site.folder(base)
        #: The depth of the folder in the tree; -1 outside. The rules check references that climb higher.
        self._depth = -1 if folder is None or view.mkdocs else folder.count("/") + bool(folder)
        #: The folders that replace a path's leading "../", by the number of "../". Empty if names alone do not decide.
        self._above: tuple[str, ...] = ()
        if (
            folder is not None
            and not (site.rules or site.mounts or site.finds_detours or site.host.left_out)
            and "%" not in base
        ):
            names = folder.split("/") if folder else []
            self._above = tuple("".join(f"{name}/" for name in names[:end]) for end in range(len(names), -1, -1))
        #: Plain path -> the number of its file, or `EXTERNAL`.
        self.files: dict[bytes, int] = {}
        #: Plain paths that lead to no file. References to one missing file often differ only in their fragments.
        self._missing: set[bytes] = set()

    def file_number(self, path: bytes) -> int | None:
        """The number of the file that a path leads to, which is remembered.

        None if the path is not plain, leads to no file, or climbs above the root.
        """
        climbed = path.count(b"../")
        if path in self._missing or self._depth < climbed or _PATH.fullmatch(path) is None:
            return None
        text = path.decode("ascii")
        number = None
        if self._above and not text.startswith("/"):
            number = self._view.site.numbers.get(self._above[climbed] + text.removeprefix("./")[3 * climbed :])
        if number is None:
            place = self._view.destination(self._decider.target(text))
            made = self._view.made
            is_moved = place.mount and made is not None and made.moves_away(self._name, text)
            is_direct = not (self._view.site.finds_detours or place.redirect or place.fragment or is_moved)
            number = place.number if place.kind is DestinationKind.FILE and is_direct else None
        if number is not None and not self._is_certain(number, text):
            number = None
        if number is not None:
            self.files[path] = number
        elif len(self._missing) < _REMEMBERED:
            self._missing.add(path)
        return number

    def _is_certain(self, number: int, path: str) -> bool:
        """Whether the page of the file at a path is what every link with this path leads to."""
        made = self._view.made
        if self._view.lacks(self._name, self._view.site.files[number]):
            return False
        if made is None or made.is_plain(self._name, self._view.site.files[number], path):
            return True
        return self._is_of_plugin and made.source_number(self._name, path) == number

    def learn_external(self, path: bytes) -> None:
        """Remember that a path leads to another site, if the path is plain."""
        if path and _PATH.fullmatch(path):
            self.files[path] = EXTERNAL

    def get(self, document: PageDocument, number: int, raw: bytes) -> CheckResult | None:
        """The remembered result for a record with a raw value."""
        return self._results.get((self._number, document.row(number), raw)) if raw and self.is_shared else None

    def remember(self, document: PageDocument, number: int, raw: bytes, result: CheckResult) -> None:
        """Remember the result for a record with a raw value, if it is the same on every page of the folder."""
        if not raw or not self.is_shared or raw[0] <= ord(" ") or raw[0] in _OF_THE_PAGE:
            return
        link = result.link
        if self._view.made is not None and result.place.kind not in _SAME_IN_FOLDER:
            return  # the settings of one page decide about its URL
        if link.base == document.document_base.url and self._is_same_in_folder(result, document, number):
            if len(self._results) >= _REMEMBERED:
                self._results.clear()
            offset = link.start - document.start(number)
            self._results[self._number, document.row(number), raw] = result._replace(offset=offset)

    def _is_same_in_folder(self, result: CheckResult, document: PageDocument, number: int) -> bool:
        link, place, issues, *_ = result
        is_of_form = link.role == "form" and place.kind is not DestinationKind.FILE  # its method is another attribute
        if document.has_any_element(number) or is_of_form or any(issue.span is not None for _, issue in issues):
            return False
        if place.redirect and link.element == "link":
            return False  # whether a page will do depends on its types
        site = self._view.site
        if site.url.startswith("https:") and link.target is not None and link.target.startswith("http:"):
            return False  # mixed content: the result also depends on the tag
        if place.kind is DestinationKind.MISSING and is_companion(site.missing_folder(place.name).rpartition("/")[2]):
            return False  # the files of a saved page
        # "http:?x" is relative to the page (URL standard §4.4, "special relative or authority state").
        return scheme_of(link.reference) is None or document.decider.resolver.is_absolute_reference(link.reference)


class Memo:
    """The memo of references, for all pages that one process reads."""

    def __init__(self, site: Site, repository: Repository | None) -> None:
        self._repository = repository
        self._folders: dict[FolderKey, FolderMemo] = {}
        self._numbers = itertools.count()
        self._results: dict[Key, CheckResult] = {}
        #: Absolute reference -> the reason that it is not checked, if the reason is the same on every page.
        self.unchecked: dict[bytes, str] = {}
        urls = (site.origin, *(mount.site.origin for mount in site.mounts))
        #: The hosts of the tree and the mounts.
        self._hosts = frozenset(url.rpartition("//")[2].partition(":")[0].encode() for url in urls)
        #: The hosts with URLs that a link checker found broken.
        self._failing = frozenset(url.partition("://")[2].partition("/")[0].encode() for url in site.failures)
        #: On a page that is served with https, the element decides whether an "http:" reference is mixed content. An
        #: archive can have captures of any host, and the element decides whether it needs them.
        same = _SAME_ANYWHERE + ((b"http://",) if site.url.startswith("http:") else ())
        self._same_anywhere: tuple[bytes, ...] = () if site.is_captured else same

    def folder(self, document: PageDocument, view: View, name: str) -> FolderMemo | None:
        """The memo of the folder of the base URL of the page `name`; None if there is none.

        `view`: the tree as the page sees it.
        """
        base = document.document_base.url
        if base is None:
            return None
        folder = base.partition("#")[0].partition("?")[0].rpartition("/")[0]
        has_base = document.document_base.layer is Layer.EMBEDDED
        is_source = document.kind == "markdown"
        plugin = view.made.plugin_of(name) if is_source and view.made is not None else None
        at = view.made.page_folder(name) if view.made is not None else None
        key = FolderKey(folder, document.encoding.name, is_source, has_base, plugin, at, view.is_unbuilt(name))
        found = self._folders.get(key)
        if found is None:
            if len(self._folders) >= _FOLDERS:
                self._folders.clear()
            found = self._folders[key] = FolderMemo(next(self._numbers), key, view, name, base, self._results)
        return found

    def learn_external(self, raw: bytes) -> bool:
        """Whether a reference plainly leads to another host on every page. Such a reference is cached."""
        match = _PLAIN_EXTERNAL.fullmatch(raw)
        if match is None or not raw.startswith(self._same_anywhere):
            return False
        host = match[2]
        if (
            host in self._hosts or host in self._failing or b"--" in host or self._is_own(raw)
        ):  # "xn--" has to be decoded
            return False
        self.remember_unchecked(raw, UNCHECKED[DestinationKind.EXTERNAL])
        return True

    def remember_unchecked(self, raw: bytes, reason: str) -> None:
        """Remember the reason that an absolute reference is not checked, if the reason is the same on every page."""
        if raw.startswith(self._same_anywhere) and not self._is_own(raw):
            if len(self.unchecked) >= _REMEMBERED:
                self.unchecked.clear()
            self.unchecked[raw] = reason

    def _is_own(self, raw: bytes) -> bool:
        """Whether a reference leads to another site from pages, and to a file of the tree from sources."""
        return self._repository is not None and self._repository.path_of(raw.decode("utf-8", "replace")) is not None
