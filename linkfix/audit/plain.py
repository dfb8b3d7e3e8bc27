"""Plain references: looked up by their text, not resolved one by one and not passed to the rules.

Real pages repeat a few hundred references thousands of times. `tests/audit/test_reader.py` checks that the results are
the same as on the slow path.
"""

from __future__ import annotations

from linkfix.audit.site import DestinationKind, Site
from linkfix.audit.unchecked import UNCHECKED
from linkfix.document.decide import Decider
from linkfix.lazy import lazy_pattern
from linkfix.model import Base, Envelope, Layer, Options

#: A path with the same meaning under every specification, and without anything that a rule reports. It consists of dot
#: segments at its beginning, names, and perhaps a final slash.
_PATH = lazy_pattern(
    rb"(?:/|(?:\./)?(?:\.\./)*+)(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*+/)*+(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*+)?"
)
#: The prefixes of references that mean the same on every page, and that no rule reports.
_SAME_ANYWHERE = (b"https://", b"mailto:", b"tel:", b"data:")
#: An absolute reference to a host with a domain, without anything that a rule reports or parsers disagree on. It has no
#: port, no user information, no number as host, no dot segments, and no character that has to be escaped.
_PLAIN_EXTERNAL = lazy_pattern(
    rb"(https?):/(?:/(?=([a-z0-9.-]++)(?:[/?#]|\Z))(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)++[a-z]{2,63})"
    rb"(?:/[A-Za-z0-9_~-][A-Za-z0-9_.~-]*+)*+/?(?:\?[A-Za-z0-9_.~/=+-]*+)?(?:#[A-Za-z0-9_./=+-]*+)?"
)
#: The sizes of caches: references (also missing paths per folder), and folders.
_REMEMBERED = 1 << 16
_FOLDERS = 512
_OPTIONS = Options()
#: The number that stands for a target on another site, instead of a file's number.
EXTERNAL = -1


class FolderTargets:
    """The plain references on pages of one folder."""

    def __init__(self, site: Site, base: str) -> None:
        self._site = site
        self._decider = Decider(_OPTIONS, Base(base, Layer.RETRIEVAL, ""), Envelope())
        folder = site.folder(base)
        #: The depth of the folder in the tree; -1 outside. The rules check references that climb higher.
        self._depth = -1 if folder is None else folder.count("/") + bool(folder)
        #: The folders that replace a path's leading "../", by the number of "../". Empty if names alone do not decide.
        self._above: tuple[str, ...] = ()
        if folder is not None and site.redirects is None and not site.mounts and "%" not in base:
            names = folder.split("/") if folder else []
            self._above = tuple("".join(f"{name}/" for name in names[:end]) for end in range(len(names), -1, -1))
        #: The results: path -> the number of its file, or `EXTERNAL`.
        self.known: dict[bytes, int] = {}
        #: Plain paths that lead to no file. References to one missing file often differ only in their fragments.
        self._missing: set[bytes] = set()

    def file_number(self, path: bytes) -> int | None:
        """The number of the file that a path leads to; `EXTERNAL` for another site.

        None if the path is not plain, leads to no file, or climbs above the root.
        """
        number = self.known.get(path)
        if number is None:
            number = self._find(path)
            if number is not None:
                self.known[path] = number
        return number

    def learn_external(self, path: bytes) -> None:
        """Remember that a path leads to another site, if the path is plain."""
        if path and _PATH.fullmatch(path):
            self.known[path] = EXTERNAL

    def _find(self, path: bytes) -> int | None:
        climbed = path.count(b"../")
        if path in self._missing or self._depth < climbed or _PATH.fullmatch(path) is None:
            return None
        text = path.decode("ascii")
        if self._above and not text.startswith("/"):
            number = self._site.numbers.get(self._above[climbed] + text.removeprefix("./")[3 * climbed :])
            if number is not None:
                return number
        target = self._decider.target(text)
        destination = self._site.destination(target)
        if destination.kind is DestinationKind.FILE:
            return destination.number
        if len(self._missing) < _REMEMBERED:
            self._missing.add(path)
        return None


class PlainTargets:
    """The targets of plain references, for all pages that one process reads."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._folders: dict[str, FolderTargets] = {}
        #: Absolute reference -> the reason that it is not checked, if the reason is the same on every page.
        self.unchecked: dict[bytes, str] = {}
        urls = (site.origin, *(mount.site.origin for mount in site.mounts))
        #: The hosts of the tree and the mounts.
        self._hosts = frozenset(url.rpartition("//")[2].partition(":")[0].encode() for url in urls)
        #: On a page that is served with https, the element decides whether an "http:" reference is mixed content.
        self._same_anywhere = _SAME_ANYWHERE + ((b"http://",) if site.url.startswith("http:") else ())

    def folder(self, base: str) -> FolderTargets:
        """The plain references on pages of the folder of a base URL."""
        folder = base.partition("#")[0].partition("?")[0].rpartition("/")[0]
        found = self._folders.get(folder)
        if found is None:
            if len(self._folders) >= _FOLDERS:
                self._folders.clear()
            found = self._folders[folder] = FolderTargets(self._site, base)
        return found

    def learn_external(self, raw: bytes) -> bool:
        """Whether a reference plainly leads to another host on every page. Such a reference is cached."""
        match = _PLAIN_EXTERNAL.fullmatch(raw)
        if match is None or not raw.startswith(self._same_anywhere):
            return False
        host = match[2]
        if host in self._hosts or b"--" in host:  # "xn--" has to be decoded
            return False
        self.remember_unchecked(raw, UNCHECKED[DestinationKind.EXTERNAL])
        return True

    def remember_unchecked(self, raw: bytes, reason: str) -> None:
        """Remember the reason that an absolute reference is not checked, if the reason is the same on every page."""
        if raw.startswith(self._same_anywhere):
            if len(self.unchecked) >= _REMEMBERED:
                self.unchecked.clear()
            self.unchecked[raw] = reason
