"""References to documents in another place: relative references, and the new URLs of a site that moves.

A site moves as a whole: its pages get new URLs, and so do the targets of their references. A reference stays where the
new base gives the new target. Otherwise it is written in its own form: absolute, without the scheme, from the root, or
relative to the page.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple
from urllib.parse import unquote

from linkfix.errors import InvalidOption
from linkfix.resolvers import RESOLVERS, Resolver
from linkfix.urls import scheme_of, strip_url, without_credentials

#: An absolute URL: scheme, authority, path, and the query and fragment.
_URL = re.compile(r"([a-z][a-z0-9+.-]*:)//([^/?#]*)([^?#]*)(.*)", re.DOTALL)

#: The start of a path that no syntax reads as its own mark: a letter, a digit, or an escape of a letter.
_PLAIN_START = re.compile(r"[A-Za-z0-9._~-]|%[89A-Fa-f]")

#: The mark before a query or a fragment.
_QUERY = re.compile("[?#]")

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


def leads_alike(reference: str, located: str, target: str) -> bool:
    """Whether a reference with this target is a relative path that leads to the same file as another one.

    `located`: a relative reference to the file of `target`. Files are named by the decoded segments of a path, and a
    query counts only if both have it.

    >>> leads_alike("./b%2C.png?q", "b,.png?q", "https://h/b%2C.png?q"), leads_alike("/b", "b", "https://h/b")
    (True, False)
    """
    text = strip_url(reference)
    path, other = (_QUERY.split(one, maxsplit=1)[0] for one in (text, located))
    if not path or path.startswith("/") or "\\" in path or scheme_of(text):
        return False
    rest = target[len(_QUERY.split(target, maxsplit=1)[0]) :]
    return located[len(other) :] == rest and _steps(path) == _steps(other)


def _steps(path: str) -> list[str]:
    """The decoded segments of a relative path, without dots."""
    steps: list[str] = []
    segments = [unquote(segment, errors="surrogateescape") for segment in path.split("/")]
    for segment in segments:
        if segment == ".." and steps and steps[-1] != "..":
            steps.pop()
        elif segment != ".":
            steps.append(segment)
    return [*steps, ""] if segments[-1] in {".", ".."} else steps


class Move(NamedTuple):
    """The old and the new URL of a page, or of a folder with all that is in it."""

    old: str
    new: str
    where: str = ""
    """The place that states the move, in messages: "moves.csv:2"."""


class _Urls:
    """URLs without a final slash, each a page or a folder with all that is in it."""

    def __init__(self, urls: Iterable[str]) -> None:
        self._urls = {_comparable(url): url for url in urls}
        self._lengths = sorted(set(map(len, self._urls)), reverse=True)

    def split(self, url: str) -> tuple[str, str]:
        """The longest of the URLs that is a URL or a folder it is in, and the rest of it; "" and `url` for none."""
        compared = _comparable(url)
        for length in self._lengths:
            found = self._urls.get(compared[:length])
            if found is not None and compared[length : length + 1] in {"", "/", "?", "#"}:
                return found, url[_end_of_segment(url, found.count("/")) :]
        return "", url


def _comparable(url: str) -> str:
    """A URL in a form that is equal for equal URLs, by RFC 3986 §6.2.2.1 and §6.2.2.2.

    An escape of an unreserved character means the character, and the case of its digits means nothing.
    """
    return _ESCAPE.sub(lambda escape: _UNESCAPED.get(escape[0].upper(), escape[0].upper()), url) if "%" in url else url


def _end_of_segment(url: str, slashes: int) -> int:
    """The end of the path's segment after so many slashes of a URL."""
    end = -1
    for _ in range(slashes):
        end = url.index("/", end + 1)
    found = _SEGMENT.match(url, end + 1)
    return found.end() if found else len(url)


class UrlMoves:
    """The new URL of each URL: `moves(url)`. Of several rows that have the URL, the longest one counts.

    `rows`: pairs of an old and a new URL, both http or https, without query and fragment, or `Move`s. A row is about
    its URL and all URLs in it as a folder: "https://old.example/docs" is not about "https://old.example/docs2".
    Percent-encoding is compared by RFC 3986 §6.2.2: "/%7ea" is "/~a". A user name moves with its URL. Raises
    InvalidOption.
    """

    def __init__(self, rows: Mapping[str, str] | Iterable[tuple[str, str] | Move]) -> None:
        pairs = rows.items() if isinstance(rows, Mapping) else rows
        #: URL in its comparable form -> its move. URLs have no final slash.
        known: dict[str, Move] = {}
        for pair in pairs:
            row = _normalized(Move(*pair))
            first = known.setdefault(_comparable(row.old), row)
            if first.new != row.new:
                other = f" in {first.where}" if first.where else ""
                message = f"{row.old} moves to {row.new}, and{other} to {first.new}: give one new URL"
                raise InvalidOption(_at(row, message))
        if not known:
            message = "no URL moves: give an old and a new URL"
            raise InvalidOption(message)
        if all(row.old == row.new for row in known.values()):
            message = "no URL moves: the old and the new URL are the same"
            raise InvalidOption(message)
        self._new: dict[str, str] = {row.old: row.new for row in known.values()}
        self._olds, self._targets = _Urls(self._new), _Urls(self._new.values())
        #: Old host -> the new hosts of its URLs, without ports.
        self._hosts: dict[bytes, set[bytes]] = {}
        for old, new in self._new.items():
            self._hosts.setdefault(_host(old), set()).add(_host(new))
        have_labels = all(b"." in host and b"[" not in host for host in self._hosts)
        self._words: re.Pattern[bytes] = _LABELS if have_labels else _WORDS

    def __call__(self, url: str) -> str:
        """The new URL of a URL in the URL standard's serialization; the same URL if it does not move."""
        user = _USER.match(url)
        old, rest = self._olds.split(url[: user.start(1)] + url[user.end(1) :] if user else url)
        if not old:
            return url
        new = self._new[old]
        new += rest if rest.startswith("/") or new.count("/") > _SLASHES else f"/{rest}"
        return new.replace("://", f"://{user[1]}", 1) if user else new

    def old_urls(self, data: bytes) -> Iterator[OldUrl]:
        """The texts of a converted document that are old URLs, with any scheme, in ASCII; in order.

        They are where linkfix rewrites nothing: in scripts, texts, comments and policies, and with another scheme.
        """
        policies = list(_POLICY.finditer(data)) if _POLICY_NAME.search(data) else []
        passed = end = 0
        for match in self._words.finditer(data):
            host, start = match[0].rstrip(b".").lower(), match.start()
            if host.startswith(b"2f") and data[start - 1 : start] == b"%":  # an escaped slash
                host, start = host[2:], start + 2
            if start < end or host not in self._hosts or not _begins_host(data, start):
                continue
            while passed < len(policies) and policies[passed].end() <= start:
                passed += 1
            policy = policies[passed] if passed < len(policies) and policies[passed].start() <= start else None
            rest = _REST.match(data, start + len(host))
            end = rest.end() if rest else start
            if self._is_old(data[start:end]) or (policy and self._lacks_new_host(host, policy[0].lower())):
                yield OldUrl(start, policy is not None)

    def _lacks_new_host(self, host: bytes, policy: bytes) -> bool:
        """Whether a policy in lower case has an old host, and not the host of its URLs after the move."""
        return not any(new in policy for new in self._hosts[host])

    def _is_old(self, text: bytes) -> bool:
        """Whether a text without a scheme is an old URL, and no new one that is in an old folder."""
        rest = text.replace(b"\\/", b"/").decode("utf-8", "replace").rstrip(".,;:!?)")
        if _ESCAPED_SLASH.match(rest):  # in a query
            rest = unquote(rest)
        urls = [url for scheme in ("https", "http") if (url := _WHATWG.normalize(f"{scheme}://{rest}"))]
        old, new = (max((len(rows.split(url)[0]) for url in urls), default=0) for rows in (self._olds, self._targets))
        return new < old


class OldUrl(NamedTuple):
    """A text that is an old URL after a move."""

    start: int
    """Its offset in bytes."""
    in_policy: bool
    """True for a source of a Content-Security-Policy, which may block the new URL."""


#: The slashes of a URL without a path, as in https://host.
_SLASHES = 2

#: The user information of a URL in the URL standard's serialization.
_USER = re.compile(r"https?://([^/?#]*@)")

_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")

#: RFC 3986 §2.3: the escapes of unreserved characters, and the characters.
_UNESCAPED = {f"%{ord(one):02X}": one for one in f"{string.ascii_letters}{string.digits}-._~"}

_SEGMENT = re.compile(r"[^/?#]*")

#: The port of a host; an IPv6 address ends with a bracket.
_PORT = re.compile(r":\d+$")

#: Words in ASCII that may be a host: with labels, and any. A host has no word character before it.
_LABELS, _WORDS = (
    re.compile(rb"(?<![\w-])[\w-]+\.[\w.-]+"),
    re.compile(rb"(?<![\w-])(?:[\w-][\w.-]*|\[[\da-fA-F:.]+\])"),
)

#: The rest of a URL after its host, up to a character that ends it in scripts, texts and attributes.
_REST = re.compile(
    rb"(?::\d+)?(?:(?:%2[Ff])+[^\s\"'<>()`\\&]*|\\?[/?#](?:[^\s\"'<>()`\\&]|\\/|&(?!(?:quot|apos|lt|gt|#\w+);))*)?"
)

#: A host before an escaped slash.
_ESCAPED_SLASH = re.compile(r"[^/?#%]*%2[Ff]")

#: The user information before a host.
_USER_BEFORE = re.compile(rb"//[^\s/@\"'<>\\]*@\Z")

#: The maximum length of user information in texts, in bytes.
_LONGEST_USER = 200

_POLICY_NAME = re.compile(rb"content-security-policy", re.IGNORECASE)

#: The elements and the header fields with a Content-Security-Policy.
_POLICY = re.compile(
    rb"<meta[^<>]*content-security-policy[^<>]*>|^[ \t]*content-security-policy(?:-report-only)?:[^\r\n]*",
    re.IGNORECASE | re.MULTILINE,
)


def _host(url: str) -> bytes:
    """The host of a URL of a move, without a port."""
    return _PORT.sub("", url.split("/")[_SLASHES]).encode()


def _begins_host(data: bytes, start: int) -> bool:
    """Whether a word is a whole host: no part of one, and no host of a mail address."""
    before = data[start - 1 : start] if start else b""
    is_user = before == b"@" and _USER_BEFORE.search(data, max(0, start - _LONGEST_USER), start) is not None
    return is_user or before not in {b".", b"@"}


def _normalized(row: Move) -> Move:
    """A move with URLs in the URL standard's serialization, without a final slash. Raises InvalidOption."""
    return Move(_root(row.old, row), _root(row.new, row), row.where)


def _root(url: str, row: Move) -> str:
    found = _WHATWG.normalize(strip_url(url)) or ""
    if not found.startswith(("http://", "https://")) or "?" in found or "#" in found or _USER.match(found):
        message = f"{url!r} cannot move: give the http or https URL of a page or folder, without query and fragment"
        raise InvalidOption(_at(row, message))
    return found.removesuffix("/")


def _at(row: Move, message: str) -> str:
    """A message about a row."""
    return f"{row.where}: {message}" if row.where else message


def moved_reference(
    move: Callable[[str], str], resolver: Resolver, base: str | None, reference: str, target: str, encoding: str
) -> str | None:
    """The reference to write after a move; None if it stays.

    `base`, `target`: before the move. `encoding`: of queries. A user name and a password of the base are no part of the
    links that are relative to it.
    """
    if base is not None and "@" in base and not resolver.is_absolute_reference(reference):
        base = without_credentials(base)
        target = resolver.resolve(base, reference, encoding).target or target
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
