"""Puts edits into bytes: what nobody edits is copied as it is.

Most references of real pages are plain ASCII: a path, a query, a fragment. What their target begins with depends on
the base alone, and the rest of the value stays as it is written, character references included. `Prefixes` holds those
beginnings for one base; `Splicer` recognises such references in place and puts the beginning before them. All others
it hands to the caller, who resolves them one by one. Both ways give the same target: tests hold them against each
other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

try:
    import cython
except ImportError:
    from linkfix.html import plain as cython

from linkfix.html.charrefs import escape_attribute
from linkfix.html.names import NameTable
from linkfix.html.outline import Outline, Record
from linkfix.model import Options

if not cython.compiled:
    from linkfix.html.bytesearch import lacks_references
    from linkfix.html.outline import CSS, LOCAL_URL, TEXT, URL, WIDTH

__all__ = ["Edit", "Prefixes", "Splicer", "plain_prefixes", "prefixes_for", "splice", "unemptied"]

#: Replace data[start:end] by these bytes.
Edit = tuple[int, int, bytes]

# Classes of bytes in a reference. Only ODD ones ask for the resolver.
ODD, PLAIN, ALPHA, SLASH, DOT, COLON, QUESTION, HASH, AMPERSAND, PERCENT, DIGIT = range(11)


def _classes() -> bytes:
    table = bytearray(256)
    for name, members in (
        (PLAIN, b"-_~!$()*+,;=@"),
        (ALPHA, b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
        (DIGIT, b"0123456789"),
        (SLASH, b"/"),
        (DOT, b"."),
        (COLON, b":"),
        (QUESTION, b"?"),
        (HASH, b"#"),
        (AMPERSAND, b"&"),
        (PERCENT, b"%"),
    ):
        for byte in members:
            table[byte] = name
    return bytes(table)


BYTES = _classes()
HTTPS = b"https"
#: Schemes of references that are not hierarchical, as pages have them: they stay.
OPAQUE = NameTable(("mailto", "tel", "javascript", "data", "sms", "about", "urn", "cid", "mid", "news", "callto"))

# What `Splicer._classify` finds.
RESOLVE, LEAVE, PREFIX = 0, 1, 2


class Prefixes:
    """What targets begin with, for one special, hierarchical base URL, escaped for an attribute.

    `scheme` ("https:"), `root` ("https://host"), `folders` (the base's folder, its parent, … the root, each with its
    last "/"), `page` (the base without query and fragment), `document` (without fragment). `fragments`: whether
    references that are only a fragment get a prefix too.
    """

    def __init__(self, scheme: bytes, root: bytes, path: bytes, query: bytes, fragments: bool) -> None:
        self.scheme = scheme
        self.root = root
        self.page = root + path
        self.document = root + path + query
        self.fragments = fragments
        folders = []
        while path:
            path = path[: path.rindex(b"/")]
            folders.append(root + path + b"/")
        self.folders = folders
        self.deepest = len(folders) - 1


_NO_PREFIXES = Prefixes(b"", b"", b"", b"", fragments=False)


_PREFIXED = re.compile(r"(https?:)(//[^/?#]+)(/[^?#]*)(\?[^#]*)?(?:#.*)?", re.DOTALL)


@lru_cache(maxsize=1024)
def prefixes_for(base: str, fragments: bool) -> Prefixes | None:
    """The prefixes of a base that the URL standard has serialized; None where it is not http or https."""
    match = _PREFIXED.fullmatch(base)
    if match is None or not base.isascii():
        return None
    scheme, host, path, query = (escape_attribute(part or "", 39).encode() for part in match.groups())
    return Prefixes(scheme, scheme + host, path, query, fragments)


def plain_prefixes(options: Options, base: str | None, *, elsewhere: bool) -> Prefixes | None:
    """The prefixes for a document's plain references; None where options ask for a look at each.

    `elsewhere`: a BASE makes a fragment alone a reference to another document.
    """
    if options.spec != "whatwg" or options.normalize or options.keep is not None or base is None:
        return None
    return prefixes_for(base, elsewhere or options.fragments == "absolutize")


class Splicer:
    """Rewrites the references of an outline. `resolve(number)` gives the edits of a record that is not plain.

    `prefixes` None: every record goes to `resolve`. After `run()`: `seen` and `rewritten` count the plain references.
    """

    def __init__(self, outline: Outline, prefixes: Prefixes | None, resolve: Callable[[int], list[Edit]]) -> None:
        self.outline = outline
        self.data = outline.data
        self.plain = prefixes is not None
        self.prefixes = prefixes or _NO_PREFIXES
        self.resolve = resolve
        self.pieces: list[bytes] = []
        self.done = 0
        self.seen = 0
        self.rewritten = 0
        self.prefix = b""
        self.skip = 0
        self.opaque = OPAQUE

    def run(self) -> bytes:
        """The edited bytes; the same object where nothing changes."""
        outline = self.outline
        data = self.data
        cells = outline.cells
        kinds = outline.index.kinds
        plain = self.plain
        number = 0
        while number < outline.count:
            at = number * WIDTH
            kind = kinds[cells[at]]
            verdict = RESOLVE
            bits = cells[at + 4]
            if plain and (kind == URL or kind == LOCAL_URL) and not bits & TEXT:  # noqa: PLR1714, SIM109
                start = cells[at + 1]
                end = cells[at + 2]
                if start == end:
                    verdict = RESOLVE
                elif kind == LOCAL_URL and data[start] == 35:
                    verdict = LEAVE
                else:
                    verdict = self._classify(start, end)
                if verdict != RESOLVE:
                    self.seen += 1
                    if verdict == PREFIX:
                        self.rewritten += 1
                        self.pieces.append(data[self.done : start])
                        self.pieces.append(self.prefix)
                        self.done = start + self.skip
            elif kind == CSS and lacks_references(data, cells[at + 1], cells[at + 2]):
                verdict = LEAVE
            if verdict == RESOLVE:
                self._put(self.resolve(number))
            number += 1
        if not self.pieces:
            return data
        self.pieces.append(data[self.done :])
        return b"".join(self.pieces)

    def _put(self, edits: list[Edit]) -> None:
        for start, end, text in edits:
            self.pieces.append(self.data[self.done : start])
            self.pieces.append(text)
            self.done = end

    def _classify(self, start: int, end: int) -> int:
        """What to do with the reference data[start:end]; for PREFIX, `prefix` goes before it, without `skip` bytes."""
        data = self.data
        prefixes = self.prefixes
        first = BYTES[data[start]]
        self.skip = 0
        if first == ALPHA:
            at = start + 1
            while at < end and BYTES[data[at]] in (ALPHA, DIGIT, PLAIN, DOT):
                at += 1
            if at < end and BYTES[data[at]] == COLON:
                return self._absolute(start, at, end)
            self.prefix = prefixes.folders[0]
            return PREFIX if self._rest_is_plain(at, end) else RESOLVE
        if first == SLASH:
            if start + 1 < end and BYTES[data[start + 1]] == SLASH:
                at = self._host_end(start + 2, end)
                if not at or at >= end or BYTES[data[at]] != SLASH:
                    return RESOLVE
                self.prefix = prefixes.scheme
                return PREFIX if self._rest_is_plain(at, end) else RESOLVE
            self.prefix = prefixes.root
            return PREFIX if self._rest_is_plain(start, end) else RESOLVE
        if first == HASH:
            if not self._fragment_is_plain(start + 1, end):
                return RESOLVE
            if not prefixes.fragments:
                return LEAVE
            self.prefix = prefixes.document
            return PREFIX
        if first == DOT:
            return self._dotted(start, end)
        if first == QUESTION:
            self.prefix = prefixes.page
        elif first in (PLAIN, DIGIT):
            self.prefix = prefixes.folders[0]
        else:
            return RESOLVE
        return PREFIX if self._rest_is_plain(start, end) else RESOLVE

    def _dotted(self, start: int, end: int) -> int:
        """A reference that begins with "." and ".." segments."""
        data = self.data
        prefixes = self.prefixes
        at = start
        up = 0
        while at < end and BYTES[data[at]] == DOT:
            length = 2 if at + 1 < end and BYTES[data[at + 1]] == DOT else 1
            after = at + length
            if after < end and BYTES[data[after]] == SLASH:
                after += 1
            elif after < end and BYTES[data[after]] not in (QUESTION, HASH):
                return RESOLVE  # "..." or ".hidden"
            up += length - 1
            at = after
        up = min(up, prefixes.deepest)  # the URL standard's "shorten": ".." stays at the root
        self.prefix = prefixes.folders[up]
        self.skip = at - start
        # Past "./", a further empty segment, "a:b" and the like are the resolver's.
        if at < end and BYTES[data[at]] == SLASH:
            return RESOLVE
        return PREFIX if self._rest_is_plain(at, end) else RESOLVE

    def _absolute(self, start: int, colon: int, end: int) -> int:
        """A reference with a scheme: LEAVE where it is an http(s) URL whose host needs no second look, or one that has
        no host and so always parses.
        """
        data = self.data
        if colon + 1 < end and BYTES[data[colon + 1]] in (ALPHA, DIGIT) and self.opaque.find(data, start, colon):
            return LEAVE
        length = colon - start
        if not 4 <= length <= 5 or colon + 2 >= end or data[colon + 1] != 47 or data[colon + 2] != 47:
            return RESOLVE
        at = 0
        while at < length:
            if data[start + at] | 32 != HTTPS[at]:
                return RESOLVE
            at += 1
        return LEAVE if self._host_end(colon + 3, end) else RESOLVE

    def _host_end(self, start: int, end: int) -> int:
        """Where the host that begins at `start` ends; 0 unless it is lower-case letters, digits, hyphens and dots that
        are no IPv4 address, no Punycode and no port.
        """
        data = self.data
        at = start
        label = start
        while at < end and (BYTES[data[at]] in (ALPHA, DIGIT, DOT) or data[at] == 45):
            if data[at] < 91 and BYTES[data[at]] == ALPHA:
                return 0
            if BYTES[data[at]] == DOT:
                if at == label:
                    return 0
                label = at + 1
            elif data[at] == 45 and at == label + 3 and data[at - 1] == 45:
                return 0  # "xn--"
            at += 1
        if at == label or BYTES[data[label]] != ALPHA:
            return 0
        if at < end and BYTES[data[at]] not in (SLASH, QUESTION, HASH):
            return 0
        return at

    def _rest_is_plain(self, start: int, end: int) -> bool:
        """Whether data[start:end], from a path on, is its own serialization."""
        data = self.data
        at = start
        slashed = False
        while at < end:
            kind = BYTES[data[at]]
            if kind == QUESTION:
                return self._query_is_plain(at + 1, end)
            if kind == HASH:
                return self._fragment_is_plain(at + 1, end)
            if kind == SLASH:
                slashed = True
                if at + 1 < end and BYTES[data[at + 1]] in (DOT, PERCENT):
                    return False  # perhaps a dot segment
            elif kind == ODD:
                return False
            elif kind == PERCENT:
                if at == start:
                    return False
            elif kind == COLON:
                if not slashed:
                    return False  # "a:b" after "./"
            elif kind == AMPERSAND:
                if not self._is_ampersand(at, end):
                    return False
                at += 4
            at += 1
        return True

    def _query_is_plain(self, start: int, end: int) -> bool:
        data = self.data
        at = start
        while at < end:
            kind = BYTES[data[at]]
            if kind == HASH:
                return self._fragment_is_plain(at + 1, end)
            if kind == ODD:
                return False
            if kind == AMPERSAND:
                if not self._is_ampersand(at, end):
                    return False
                at += 4
            at += 1
        return True

    def _fragment_is_plain(self, start: int, end: int) -> bool:
        data = self.data
        at = start
        while at < end:
            kind = BYTES[data[at]]
            if kind in (ODD, HASH, AMPERSAND):
                return False
            at += 1
        return True

    def _is_ampersand(self, at: int, end: int) -> bool:
        """Whether "&amp;" stands at `at`: any other reference could stand for a delimiter."""
        data = self.data
        return (
            at + 4 < end and data[at + 1] == 97 and data[at + 2] == 109 and data[at + 3] == 112 and data[at + 4] == 59
        )


def unemptied(record: Record, edits: list[Edit]) -> list[Edit]:
    """The edits of an unquoted value, which must leave something: else the next attribute would be the value."""
    if any(text for _, _, text in edits) or sum(end - start for start, end, _ in edits) < record.end - record.start:
        return edits
    return [(record.start, record.end, b'""')]


def splice(data: bytes, edits: list[Edit]) -> bytes:
    """`data` with the edits, which are in order and disjoint."""
    if not edits:
        return data
    pieces: list[bytes] = []
    done = 0
    for start, end, text in edits:
        pieces += (data[done:start], text)
        done = end
    pieces.append(data[done:])
    return b"".join(pieces)
