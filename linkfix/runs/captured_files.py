"""The parts of a container that become files, the paths of these files, and the file at each captured URL."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from typing import NamedTuple, Protocol
from urllib.parse import quote

from linkfix.containers.exchanges import Exchange, readable_time
from linkfix.containers.part import Part
from linkfix.document.relocation import relative_path
from linkfix.errors import LinkfixError
from linkfix.resolvers import RESOLVERS
from linkfix.runs.unpack import wanted_path
from linkfix.urls import scheme_of, without_credentials

_WHATWG = RESOLVERS["whatwg"]

#: The maximum number of redirects that a reference follows, as in browsers (Fetch §4.4).
_REDIRECTS = 20

#: The lowest status code of an error (RFC 9110 §15).
_ERROR = 400

#: The status code of a response whose content is elsewhere (RFC 9110 §15.4.5), as that of a revisit.
_NOT_MODIFIED = 304

_OTHER_SCHEME = {"http": "https", "https": "http"}


class PartFile(NamedTuple):
    """A file that a part becomes."""

    url: str
    """The URL that the file is of; "" for none."""
    path: str
    """Its path below the output folder, with slashes."""
    wanted: str
    """The path that the part asks for."""
    time: str
    """As in `Exchange.time`."""
    status: int = 0
    """The status code of the response; 0 in a container that is no web archive."""


class FreePaths(Protocol):
    """Free paths."""

    def take(self, wanted: list[str]) -> str:
        """Take a free path: the one that is wanted, or one like it."""


class _Version(NamedTuple):
    """The exchange about a URL at one time."""

    number: int
    time: str
    status: int
    records: frozenset[int]
    """Hashes of `Exchange.records`, which take less memory."""
    payload: int
    """The number of the exchange with the payload; -1 if `digest` and `revisited` tell it."""
    digest: str
    revisited: str
    location: str


class FilesByUrl:
    """The file at each captured URL. A URL that redirects has the file of the URL that it leads to."""

    def __init__(self, paths: dict[str, str], redirects: dict[str, str], statuses: dict[str, int]) -> None:
        """`paths`: by the keys of URLs. `redirects`: the keys of URLs that redirect, with the keys of their targets.

        `statuses`: the keys of URLs with a response that is no file, with its status code.
        """
        self._paths = paths
        self._redirects = redirects
        self._statuses = statuses

    def end_of_redirects(self, url: str) -> str | None:
        """The URL that the redirects from a URL lead to, itself without any; None if they form a circle."""
        key, seen = _bare(url), set[str]()
        while (form := next((one for one in _forms(key) if one in self._redirects), None)) is not None:
            if form in seen or len(seen) > _REDIRECTS:
                return None
            seen.add(form)
            key = self._redirects[form]
        return key

    def status_at(self, url: str) -> int | None:
        """The status code of a response that is no file: a redirect, or a response without a body; None for no such.

        The URL is in the URL standard's serialization.
        """
        return next((self._statuses[form] for form in _forms(_bare(url)) if form in self._statuses), None)

    def path_at(self, url: str) -> str | None:
        """The path of the file at a URL in the URL standard's serialization; None if the container has none.

        Its http and https forms count as one URL.
        """
        return self._find(_bare(url), set())

    def _find(self, key: str, seen: set[str]) -> str | None:
        for form in _forms(key):
            if form in seen or len(seen) > _REDIRECTS:
                continue
            seen.add(form)
            target = self._redirects.get(form)
            found = self._find(target, seen) if target is not None else None
            found = found or self._paths.get(form)
            if found:
                return found
        return None

    def locator(self, path: str) -> Callable[[str], str | None]:
        """A function for `Options.locate`: the references in the file at a path."""
        own = _quote(path)

        def locate(target: str) -> str | None:
            found = self.path_at(target)
            _, mark, fragment = target.partition("#")
            return None if found is None else relative_path(own, _quote(found)) + mark + fragment

        return locate


class NoCapture(LinkfixError):
    """Raised if an archive has no capture at or before a time."""


class CapturedFiles:
    """The files of one container.

    Of several captures of a URL in a web archive, the latest one becomes a file: `at` or before, if given, as the first
    digits of a time. An error becomes one only if there is no other. In other containers, each part becomes a file.
    Nothing is here of a request other than GET.
    """

    def __init__(self, exchanges: Iterable[Exchange], folder: FreePaths, at: str = "") -> None:
        """Read all exchanges, and take a path in the folder for each file.

        Raises `NoCapture` if there are captures, all after `at`.
        """
        self._files: dict[int, list[PartFile]] = defaultdict(list)
        survey = _Versions(at)
        for number, exchange in enumerate(exchanges):
            survey.add(number, exchange)
        paths: dict[str, str] = {}
        found = survey.files()
        if not found and (first := survey.first_time()):
            message = f"nothing was captured at or before that time: the first capture is of {readable_time(first)} UTC"
            raise NoCapture(message)
        for number, urls in sorted(found.items()):
            part = survey.parts[number]
            for url, time, status in urls:
                wanted = part(url)
                path = folder.take(wanted)
                self._files[number].append(PartFile(url, path, "/".join(wanted), time, status))
                if url and scheme_of(url) != "about":  # frames that share this URL have different content
                    paths.setdefault(_key(url), path)
        for url, number in survey.further_urls:
            paths.setdefault(_key(url), self._files[number][0].path)
        self.by_url: FilesByUrl = FilesByUrl(paths, survey.redirects(), survey.no_files())
        self._used = survey.used()
        self._without_payload = survey.without_payload()

    def __bool__(self) -> bool:
        """Whether there are files."""
        return bool(self._files)

    def files(self, number: int) -> list[PartFile]:
        """The files that the part of an exchange becomes. `number`: of the exchange in its container."""
        return self._files.get(number, [])

    def lacks_payload(self, number: int) -> bool:
        """Whether an exchange is a revisit of what is not in the container, and its URL has no file."""
        return number in self._without_payload

    def is_used(self, number: int) -> bool:
        """Whether an exchange is the one that counts for its URL. `number`: of the exchange in its container."""
        return number in self._used


def at_url(part: Part, url: str) -> Part:
    """A part at the URL that its file is of, if a web archive has it at another one."""
    if part.labels or not url or part.envelope.url in {None, url}:
        return part
    return part._replace(envelope=part.envelope._replace(url=url))


def _key(url: str) -> str:
    """A URL as it is compared."""
    return _bare(_WHATWG.normalize(url) or url)


def _bare(url: str) -> str:
    url = url.partition("#")[0]
    return without_credentials(url) if "@" in url else url


def _forms(key: str) -> Iterator[str]:
    yield key
    scheme, _, rest = key.partition(":")
    if scheme in _OTHER_SCHEME:
        yield f"{_OTHER_SCHEME[scheme]}:{rest}"
    elif scheme == "mid" and "/" in rest:  # RFC 2392: mid:message/content
        yield f"cid:{rest.partition('/')[2]}"


@lru_cache(maxsize=1 << 14)
def _quote(path: str) -> str:
    return quote(path, "/", errors="surrogateescape")


class _Versions:
    """The results of the first reading of a container."""

    def __init__(self, at: str) -> None:
        self._at = at
        self._versions: dict[str, list[_Version]] = defaultdict(list)
        self._urls: dict[str, str] = {}
        """The URL of each key, as the container states it."""
        self._own: list[tuple[int, str]] = []
        """The parts of no web archive and those without a URL, each with its URL."""
        self._digests: dict[str, int] = {}
        self._payloads: dict[str, tuple[list[str], list[int]]] = {}
        """See `_with_payload`."""
        self._not_get: set[int] = set()
        self.parts: dict[int, Callable[[str], list[str]]] = {}
        """The wanted path of each part, as a function of its URL."""
        self.further_urls: list[tuple[str, int]] = []
        """Other URLs of parts."""

    def add(self, number: int, exchange: Exchange) -> None:
        """Add an exchange."""
        part, url = exchange.part, next(iter(exchange.urls), "")
        records = frozenset(map(hash, exchange.records))
        if exchange.method not in {"", "GET"}:
            self._not_get |= records
            return
        if exchange.status == 0 and not (part is not None and part.data):  # a request without a response
            return
        if part is not None:
            light = part._replace(data=b"", files=frozenset(), siblings=frozenset(), labels=frozenset())
            self.parts[number] = lambda url: wanted_path(light, url, number)
            self.further_urls += [(other, number) for other in exchange.urls[1:]]
            if exchange.digest:
                self._digests[exchange.digest] = number
            if exchange.status is None or not url:
                self._own.append((number, url))
                return
        if not url or not (part is not None or exchange.revisited or exchange.location or exchange.status):
            return
        key = _key(url)
        self._urls.setdefault(key, url)
        payload = number if part is not None else -1
        status = exchange.status or 0
        fields = (exchange.digest, exchange.revisited, exchange.location)
        self._versions[key].append(_Version(number, exchange.time, status, records, payload, *fields))

    def files(self) -> dict[int, list[tuple[str, str, int]]]:
        """The captures that become files, each with the URLs, times and status codes of its files."""
        found: dict[int, list[tuple[str, str, int]]] = defaultdict(list)
        for number, url in self._own:
            found[number].append((url, "", 0))
        for key in self._versions:
            for version in self._usable(key):
                payload = -1 if version.location else self._payload(version)
                if payload >= 0:
                    found[payload].append((self._urls[key], version.time, version.status))
                    break
        return found

    def used(self) -> frozenset[int]:
        """The numbers of the exchanges that count for their URLs."""
        return frozenset(version.number for version in self._first.values())

    def no_files(self) -> dict[str, int]:
        """The keys of the URLs with a response that is no file, each with the status code."""
        found = {key: one for key, one in self._first.items() if one.location or self._payload(one) < 0}
        return {key: _NOT_MODIFIED if one.revisited else one.status for key, one in found.items()}

    def without_payload(self) -> frozenset[int]:
        """The numbers of the revisits whose records with the payload are missing, if their URLs have no file."""
        found = set()
        for key in self._versions:
            usable = self._usable(key)
            if usable and not any(one.location or self._payload(one) >= 0 for one in usable):
                first = usable[0]
                originals = (one for one in self._versions.get(_key(first.revisited), ()) if not one.revisited)
                if first.revisited and next(originals, None) is None:
                    found.add(first.number)
        return frozenset(found)

    def first_time(self) -> str:
        """The time of the first capture after `at`; "" for none, and without `at`."""
        times = (version.time for versions in self._versions.values() for version in versions)
        return min((time for time in times if self._at and time[: len(self._at)] > self._at), default="")

    def redirects(self) -> dict[str, str]:
        """The keys of the URLs that redirect, each with the key of the URL that it leads to."""
        return {key: _key(one.location) for key, one in self._first.items() if one.location}

    @cached_property
    def _first(self) -> dict[str, _Version]:
        """The capture of each URL that counts, after all exchanges were added."""
        return {key: usable[0] for key in self._versions if (usable := self._usable(key))}

    def _usable(self, key: str) -> list[_Version]:
        """The captures of a URL, the one to use first."""
        usable = [one for one in self._versions[key] if self._counts(one, self._not_get)]
        return sorted(usable, key=lambda one: (one.status < _ERROR, one.time, one.number), reverse=True)

    def _counts(self, version: _Version, not_get: AbstractSet[int]) -> bool:
        return version.records.isdisjoint(not_get) and version.time[: len(self._at)] <= self._at

    def _payload(self, version: _Version) -> int:
        """The number of the part that an exchange shows; -1 for none."""
        if version.payload >= 0 or not version.revisited:
            return version.payload
        if version.digest in self._digests:
            return self._digests[version.digest]
        times, payloads = self._with_payload(_key(version.revisited))
        return payloads[max(bisect_right(times, version.time) - 1, 0)] if payloads else -1

    def _with_payload(self, key: str) -> tuple[list[str], list[int]]:
        """The times and payloads of the exchanges about a URL that have a payload, in order of time."""
        if key not in self._payloads:
            found = sorted((one.time, one.payload) for one in self._versions.get(key, ()) if one.payload >= 0)
            self._payloads[key] = [time for time, _ in found], [payload for _, payload in found]
        return self._payloads[key]
