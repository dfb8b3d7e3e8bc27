"""References to documents in another place: relative references, and the new URLs of a site that moves.

A site moves as a whole: its pages get new URLs, and so do the targets of their references. A reference stays where the
new base gives the new target. Otherwise it is written in its own form: absolute, without the scheme, from the root, or
relative to the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

from linkfix.errors import InvalidOption
from linkfix.resolvers import RESOLVERS, Resolver
from linkfix.urls import strip_url

#: An absolute URL: scheme, authority, path, and the query and fragment.
_URL = re.compile(r"([a-z][a-z0-9+.-]*:)//([^/?#]*)([^?#]*)(.*)", re.DOTALL)

#: The start of a path that no syntax reads as its own mark: a letter, a digit, or an escape of a letter.
_PLAIN_START = re.compile(r"[A-Za-z0-9._~-]|%[89A-Fa-f]")

_WHATWG = RESOLVERS["whatwg"]


def relative_reference(base: str, target: str) -> str | None:
    """The reference that gives `target` on `base`, as a path relative to the folder of `base`.

    Both are URLs in the URL standard's serialization. Returns None where there is none: on other hosts, and for URLs
    without a host. RFC 3986 §4.2: a first segment with a colon needs "./" before it.

    >>> relative_reference("https://h/a/b.html", "https://h/c/?q#f")
    '../c/?q#f'
    >>> relative_reference("https://h/a/b.html", "https://h/a/b.html#f"), relative_reference("https://h/a/b", "https://h/a/")
    ('#f', './')
    """
    own, other = _URL.fullmatch(base), _URL.fullmatch(target)
    if own is None or other is None or own.group(1, 2) != other.group(1, 2):
        return None
    document = base.partition("#")[0]
    if target.startswith(document + "#"):
        return target[len(document) :]
    reference = relative_path(own[3], other[3]) + other[4]
    return reference if _WHATWG.resolve(base, reference).target == target else None


def relative_to(url: str) -> Callable[[str], str | None]:
    """A function for `Options.locate`: the references on the page with this URL, as `relative_reference` makes them."""
    return partial(relative_reference, _WHATWG.normalize(url) or url)


def relative_path(base: str, target: str) -> str:
    """The path of `target` relative to the folder of `base`: never empty, and never like a URL with a scheme or host.

    It begins with no mark that a srcset, a refresh or a lazy loader reads as its own, such as a comma or a quote.

    >>> relative_path("/a/b.html", "/a/c:d"), relative_path("a/b.html", "c.html")
    ('./c:d', '../c.html')
    """
    folders, segments = base.split("/")[:-1], target.split("/")
    shared = 0
    while shared < min(len(folders), len(segments) - 1) and folders[shared] == segments[shared]:
        shared += 1
    climbs = "../" * (len(folders) - shared)
    rest = "/".join(segments[shared:])
    if climbs:
        return climbs + rest
    return rest if _PLAIN_START.match(rest) and ":" not in rest.partition("/")[0] else "./" + rest


class Move(NamedTuple):
    """The old and the new URL of a page, or of a folder with all that is in it."""

    old: str
    new: str


class _Urls:
    """URLs without a final slash, each a page or a folder with all that is in it."""

    def __init__(self, urls: Iterable[str]) -> None:
        self._urls = frozenset(urls)
        self._lengths = sorted(set(map(len, self._urls)), reverse=True)

    def longest(self, url: str) -> str:
        """The longest of the URLs that is a URL or a folder that it is in; "" for none."""
        for length in self._lengths:
            if url[:length] in self._urls and url[length : length + 1] in {"", "/", "?", "#"}:
                return url[:length]
        return ""


class UrlMoves:
    """The new URL of each URL: `moves(url)`. Of several rows that have the URL, the longest one counts.

    `rows`: pairs of an old and a new URL, both http or https, without query and fragment. A row is about its URL and
    all URLs in it as a folder: "https://old.example/docs" is not about "https://old.example/docs2". Raises
    InvalidOption.
    """

    def __init__(self, rows: Mapping[str, str] | Iterable[tuple[str, str]]) -> None:
        pairs = rows.items() if isinstance(rows, Mapping) else rows
        self.rows: tuple[Move, ...] = tuple(Move(_root(old), _root(new)) for old, new in pairs)
        if not self.rows:
            message = "no URL moves: give an old and a new URL"
            raise InvalidOption(message)
        if all(old == new for old, new in self.rows):
            message = "no URL moves: the old and the new URL are the same"
            raise InvalidOption(message)
        #: URL -> new URL, both without a final slash.
        self._new: dict[str, str] = {}
        for old, new in self.rows:
            known = self._new.setdefault(old.rstrip("/"), new.rstrip("/"))
            if known != new.rstrip("/"):
                message = f"{old} moves to {known} and to {new}: give one new URL"
                raise InvalidOption(message)
        self._olds, self._targets = _Urls(self._new), _Urls(self._new.values())
        hosts = sorted({old.split("/")[_SLASHES].encode() for old, _ in self.rows})
        #: A text that begins with an old host, up to a character that ends a URL in scripts and texts.
        self._on_hosts: re.Pattern[bytes] = re.compile(
            rb"(?<![\w.@-])(?:%s)(?![\w-]|:\d|\.\w)(?:\\?[/?#](?:[^\s\"'<>()`\\]|\\/)*)?"
            % b"|".join(map(re.escape, hosts)),
            re.IGNORECASE,
        )

    def __call__(self, url: str) -> str:
        """The new URL of a URL in the URL standard's serialization; the same URL if it does not move."""
        key = self._olds.longest(url)
        if not key:
            return url
        new, rest = self._new[key], url[len(key) :]
        return new + (rest if rest.startswith("/") or new.count("/") > _SLASHES else f"/{rest}")

    def old_urls(self, data: bytes) -> list[int]:
        """The offsets in a converted document of texts that are old URLs, with any scheme, in ASCII.

        They are where linkfix rewrites nothing: in scripts, texts and comments, and with another scheme.
        """
        return [match.start() for match in self._on_hosts.finditer(data) if self._is_old(match[0])]

    def _is_old(self, text: bytes) -> bool:
        """Whether a text without a scheme is an old URL, and no new one that is in an old folder."""
        rest = text.replace(b"\\/", b"/").decode("ascii", "replace").rstrip(".,;:!?)")
        urls = [f"{scheme}://{rest}" for scheme in ("https", "http")]
        old, new = (max(len(rows.longest(url)) for url in urls) for rows in (self._olds, self._targets))
        return new < old


#: The slashes of a URL without a path, as in https://host.
_SLASHES = 2


def _root(url: str) -> str:
    found = _WHATWG.normalize(strip_url(url)) or ""
    if not found.startswith(("http://", "https://")) or "?" in found or "#" in found or "@" in found.split("/")[2]:
        message = f"{url!r} cannot move: give the http or https URL of a page or folder, without query and fragment"
        raise InvalidOption(message)
    return found


def moved_reference(
    move: Callable[[str], str], resolver: Resolver, base: str | None, reference: str, target: str, encoding: str
) -> str | None:
    """The reference to write after a move; None if it stays.

    `base`, `target`: before the move. `encoding`: of queries.
    """
    wanted, own = move(target), move(base) if base else base
    if resolver.is_absolute_reference(reference):
        return wanted if wanted != target else None
    if wanted == target and own == base:
        return None
    if resolver.resolve(own, reference, encoding).target == wanted:
        return None
    here, there = _URL.fullmatch(own or ""), _URL.fullmatch(wanted)
    new = wanted
    if here is None or there is None or here[1] != there[1]:
        return new
    text = strip_url(reference).replace("\\", "/")
    if text.startswith("//"):
        new = wanted[len(there[1]) :]
    elif here[2] == there[2]:
        new = wanted[there.start(3) :] if text.startswith("/") else relative_reference(own or "", wanted) or wanted
    return new if resolver.resolve(own, new, encoding).target == wanted else wanted
