"""Plain references: those whose target is a prefix that the base alone gives, and the rest of their own text.

Most references of real pages are plain: ASCII, a path, a query, a fragment that the URL standard's parser leaves as
they are. `PlainReferences` recognizes them in place and knows the prefix; all others are for the resolver. Both ways
give the same target: tests hold them against each other.
"""

from __future__ import annotations

import re
from functools import lru_cache

from linkfix.html.charrefs import escape_attribute
from linkfix.html.names import NameTable

__all__ = ["PlainReferences", "plain_references"]

# Classes of bytes in a reference. Only ODD ones ask for the resolver.
ODD, PLAIN, ALPHA, SLASH, DOT, COLON, QUESTION, HASH, AMPERSAND, PERCENT, DIGIT = range(11)
# Single bytes.
HYPHEN, SOLIDUS, UPPER_Z = 0x2D, 0x2F, 0x5A
LOWER_A, LOWER_M, LOWER_P, COLON_BYTE, SEMICOLON = 0x61, 0x6D, 0x70, 0x3A, 0x3B
TO_LOWER = 0x20
NOT_ASCII = 0x80


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

#: What `PlainReferences.classify` finds: the reference is for the resolver; it stays; or, from PREFIX on, a prefix goes
#: before it. Such a verdict is PREFIX + the prefix's number + the length of what it replaces << SKIP.
RESOLVE, LEAVE, PREFIX = 0, 1, 2
SKIP, NUMBER = 16, 0xFFFF
#: The prefixes by number. Those from FOLDER on are the base's folder, its parent, … the root, each with its last "/".
SCHEME, ROOT, PAGE, DOCUMENT, FOLDER = range(5)
#: The prefixes of a base take as much memory as the square of its folders: one in more has no plain references.
_MOST_FOLDERS = 100


class PlainReferences:
    """The plain references to one special, hierarchical base URL; immutable.

    `fragments`: references that are only a fragment get a prefix too. `escaped`: references are raw attribute values,
    in which "&" has to be "&amp;", and so are the prefixes; otherwise both are text.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - compiled functions take no keywords
        self, scheme: bytes, root: bytes, path: bytes, query: bytes, fragments: bool, escaped: bool
    ) -> None:
        """`scheme`: "https:". `root`: "https://host". `path` and `query`: the base's."""
        self.fragments: bool = fragments
        self.escaped: bool = escaped
        self.prefixes: list[bytes] = [scheme, root, root + path, root + path + query]
        while path:
            path = path[: path.rindex(b"/")]
            self.prefixes.append(root + path + b"/")
        self.deepest: int = len(self.prefixes) - 1 - FOLDER
        self.opaque: NameTable = OPAQUE

    def target(self, reference: bytes) -> bytes | None:
        """The target of a plain reference that is not escaped; None for all others, and for the empty one."""
        end = len(reference)
        if not end:
            return None
        verdict = self.classify(reference, 0, end)
        if verdict >= PREFIX:
            verdict -= PREFIX
            return self.prefixes[verdict & NUMBER] + reference[verdict >> SKIP :]
        if verdict == LEAVE:
            if BYTES[reference[0]] == HASH:
                return self.prefixes[DOCUMENT] + reference
            if self._is_serialized(reference, end):
                return reference
        return None

    def classify(self, data: bytes, start: int, end: int) -> int:
        """What becomes of the reference data[start:end], which is not empty: RESOLVE, LEAVE, or from PREFIX on."""
        first = BYTES[data[start]]
        if first == ALPHA:
            at = start + 1
            while at < end and BYTES[data[at]] in (ALPHA, DIGIT, PLAIN, DOT):
                at += 1
            if at < end and BYTES[data[at]] == COLON:
                return self._absolute(data, start, at, end)
            return PREFIX + FOLDER if self._rest_is_plain(data, at, end) else RESOLVE
        if first == SLASH:
            if start + 1 < end and BYTES[data[start + 1]] == SLASH:
                at = self._host_end(data, start + 2, end)
                if not at or at >= end or BYTES[data[at]] != SLASH:
                    return RESOLVE
                return PREFIX + SCHEME if self._rest_is_plain(data, at, end) else RESOLVE
            return PREFIX + ROOT if self._rest_is_plain(data, start, end) else RESOLVE
        if first == HASH:
            if not self._fragment_is_plain(data, start + 1, end):
                return RESOLVE
            return PREFIX + DOCUMENT if self.fragments else LEAVE
        if first == DOT:
            return self._dotted(data, start, end)
        if first == QUESTION:
            return PREFIX + PAGE if self._rest_is_plain(data, start, end) else RESOLVE
        if first in (PLAIN, DIGIT):
            return PREFIX + FOLDER if self._rest_is_plain(data, start, end) else RESOLVE
        return RESOLVE

    def _dotted(self, data: bytes, start: int, end: int) -> int:
        """A reference that begins with "." and ".." segments."""
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
        # Past "./", a further empty segment, "a:b" and the like are the resolver's.
        if at < end and BYTES[data[at]] == SLASH:
            return RESOLVE
        if not self._rest_is_plain(data, at, end):
            return RESOLVE
        up = min(up, self.deepest)  # the URL standard's "shorten": ".." stays at the root
        return PREFIX + FOLDER + up + ((at - start) << SKIP)

    def _absolute(self, data: bytes, start: int, colon: int, end: int) -> int:
        """A reference with a scheme: LEAVE where it is an http(s) URL whose host needs no second look, or one that has
        no host and so always parses.
        """
        if colon + 1 < end and BYTES[data[colon + 1]] in (ALPHA, DIGIT) and self.opaque.find(data, start, colon):
            return LEAVE if self._is_ascii(data, colon, end) else RESOLVE
        length = colon - start
        if not 4 <= length <= 5 or colon + 2 >= end or data[colon + 1] != SOLIDUS or data[colon + 2] != SOLIDUS:
            return RESOLVE
        at = 0
        while at < length:
            if data[start + at] | TO_LOWER != HTTPS[at]:
                return RESOLVE
            at += 1
        at = self._host_end(data, colon + 3, end)
        return LEAVE if at and self._is_ascii(data, at, end) else RESOLVE

    def _is_ascii(self, data: bytes, start: int, end: int) -> bool:
        """Whether there is nothing that the document's encoding could fail to decode."""
        at = start
        while at < end and data[at] < NOT_ASCII:
            at += 1
        return at == end

    def _host_end(self, data: bytes, start: int, end: int) -> int:
        """Where the host that begins at `start` ends; 0 unless it is lower-case letters, digits, hyphens and dots that
        are no IPv4 address, no Punycode and no port.
        """
        at = start
        label = start
        while at < end and (BYTES[data[at]] in (ALPHA, DIGIT, DOT) or data[at] == HYPHEN):
            if data[at] <= UPPER_Z and BYTES[data[at]] == ALPHA:
                return 0
            if BYTES[data[at]] == DOT:
                if at == label:
                    return 0
                label = at + 1
            elif data[at] == HYPHEN and at == label + 3 and data[at - 1] == HYPHEN:
                return 0  # "xn--"
            at += 1
        if at == label or BYTES[data[label]] != ALPHA:
            return 0
        if at < end and BYTES[data[at]] not in (SLASH, QUESTION, HASH):
            return 0
        return at

    def _rest_is_plain(self, data: bytes, start: int, end: int) -> bool:
        """Whether data[start:end], from a path on, is its own serialization."""
        at = start
        slashed = False
        while at < end:
            kind = BYTES[data[at]]
            if kind == QUESTION:
                return self._query_is_plain(data, at + 1, end)
            if kind == HASH:
                return self._fragment_is_plain(data, at + 1, end)
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
            elif kind == AMPERSAND and self.escaped:
                if not self._is_ampersand(data, at, end):
                    return False
                at += 4
            at += 1
        return True

    def _query_is_plain(self, data: bytes, start: int, end: int) -> bool:
        at = start
        while at < end:
            kind = BYTES[data[at]]
            if kind == HASH:
                return self._fragment_is_plain(data, at + 1, end)
            if kind == ODD:
                return False
            if kind == AMPERSAND and self.escaped:
                if not self._is_ampersand(data, at, end):
                    return False
                at += 4
            at += 1
        return True

    def _fragment_is_plain(self, data: bytes, start: int, end: int) -> bool:
        at = start
        while at < end:
            kind = BYTES[data[at]]
            if kind in (ODD, HASH) or (kind == AMPERSAND and self.escaped):
                return False
            at += 1
        return True

    def _is_ampersand(self, data: bytes, at: int, end: int) -> bool:
        """Whether "&amp;" stands at `at`: any other reference could stand for a delimiter."""
        return (
            at + 4 < end
            and data[at + 1] == LOWER_A
            and data[at + 2] == LOWER_M
            and data[at + 3] == LOWER_P
            and data[at + 4] == SEMICOLON
        )

    def _is_serialized(self, data: bytes, end: int) -> bool:
        """Whether an absolute reference that stays is an http(s) URL that is its own serialization."""
        at = 4
        if data[at] != COLON_BYTE:
            at = 5
        if end <= at + 2 or data[at] != COLON_BYTE or data[at + 1] != SOLIDUS:
            return False
        start = 0
        while start < at:
            if data[start] != HTTPS[start]:
                return False
            start += 1
        at = self._host_end(data, at + 3, end)
        return at > 0 and at < end and BYTES[data[at]] == SLASH and self._rest_is_plain(data, at, end)


_SPLIT = re.compile(r"(https?:)(//[^/?#]+)(/[^?#]*)(\?[^#]*)?(?:#.*)?", re.DOTALL)


@lru_cache(maxsize=1024)
def plain_references(base: str, *, fragments: bool, escaped: bool) -> PlainReferences | None:
    """The plain references to a base that the URL standard has serialized; None where it is not http or https."""
    match = _SPLIT.fullmatch(base)
    if match is None or not base.isascii() or match[3].count("/") > _MOST_FOLDERS:
        return None
    parts = (part or "" for part in match.groups())
    scheme, root, path, query = ((escape_attribute(part, 39) if escaped else part).encode() for part in parts)
    return PlainReferences(scheme, scheme + root, path, query, fragments, escaped)
