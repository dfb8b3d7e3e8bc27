"""Plain references: references whose target is a prefix, which depends only on the base, followed by their own text.

Most references of real pages are plain: ASCII, with a path, query and fragment that the URL standard's parser leaves as
they are. `PlainReferences` recognizes them in place and knows the prefix. All other references go to the resolver. Both
ways give the same target; tests compare them.
"""

from __future__ import annotations

from collections.abc import Callable

from linkfix.encodings.character_references import LEGACY_NAMES
from linkfix.kernels.edits import Edits
from linkfix.kernels.names import NameTable

try:
    import cython
except ImportError:
    from linkfix.kernels import no_cython as cython

if not cython.compiled:
    from linkfix.kernels.bytesearch import find_byte, find_member, is_ascii
    from linkfix.kernels.constants import (
        APOSTROPHE,
        EQUALS,
        GREATER_THAN,
        HYPHEN,
        LESS_THAN,
        NUMBER_SIGN,
        SPACE_CHARACTER,
    )


# Classes of bytes in a reference. ODD bytes need the resolver; ENCODED bytes are percent-encoded.
ODD, PLAIN, ALPHA, SLASH, DOT, COLON, QUESTION, HASH, AMPERSAND, PERCENT, DIGIT, ENCODED = range(12)
PLUS, ZERO, TWO, UPPER_Z, VERTICAL_LINE, DELETE, FIRST_NON_ASCII = 0x2B, 0x30, 0x32, 0x5A, 0x7C, 0x7F, 0x80
LOWER_A, LOWER_E, LOWER_G, LOWER_L, LOWER_M, LOWER_P, LOWER_T, SEMICOLON = b"aeglmpt;"

_SINGLE = {SLASH: b"/", DOT: b".", COLON: b":", QUESTION: b"?", HASH: b"#", AMPERSAND: b"&", PERCENT: b"%"}
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_DIGITS = b"0123456789"
_OTHERS = b"-_~!$()*+,;=@"


def _classes(members: dict[int, bytes]) -> bytes:
    table = bytearray(256)
    for name, of_class in members.items():
        for byte in of_class:
            table[byte] = name
    return bytes(table)


#: Classes of bytes at the start of a reference, and in its scheme and host.
BYTES = _classes({PLAIN: _OTHERS, ALPHA: _LETTERS, DIGIT: _DIGITS, **_SINGLE})
#: Letters, digits, hyphens, dots and underscores.
HOST_BYTES = _classes({PLAIN: _LETTERS + _DIGITS + b"-._"})
#: All bytes but those of a label, without hyphens; but those of a label in lower case.
LABEL_STOPS = bytes([byte not in _LETTERS + _DIGITS + b"_" for byte in range(256)])
LOWER_LABEL_STOPS = bytes([byte not in _LETTERS.lower() + _DIGITS + b"_" for byte in range(256)])
#: Classes of bytes in the path, the query and the fragment: three tables in one. URL standard §1.3: the percent-encode
#: sets.
_ALWAYS = _LETTERS + _DIGITS + _OTHERS + b"%.[]|"
PATH, QUERY, FRAGMENT = 0, 256, 512
REST = (
    _classes({**_SINGLE, PLAIN: _ALWAYS + b"'", ENCODED: b' "<>`^'})
    + _classes({HASH: b"#", AMPERSAND: b"&", PLAIN: _ALWAYS + b"/:?^`", ENCODED: b" \"'<>"})
    + _classes({AMPERSAND: b"&", PLAIN: _ALWAYS + b"/:?#^'", ENCODED: b' "<>`'})
)
#: The bytes that are not PLAIN in each of these tables. Most bytes of a URL are, and a search passes them.
_STOPS = bytes([kind != PLAIN for kind in REST])
PATH_STOPS, QUERY_STOPS, FRAGMENT_STOPS = _STOPS[:QUERY], _STOPS[QUERY:FRAGMENT], _STOPS[FRAGMENT:]
#: The bytes to look at in an opaque path: other printable characters are never encoded (URL standard §1.3).
OPAQUE_STOPS = bytes([byte in b"?#&" or not SPACE_CHARACTER < byte < DELETE for byte in range(256)])

#: Special schemes, whose URLs need a host that can be parsed (URL standard §4.2 "special scheme"). FILE_SCHEME is an
#: exception.
SPECIAL = NameTable(("file", "http", "https", "ws", "wss", "ftp"))
FILE_SCHEME = 1
#: References with a longer scheme go to the resolver.
LONGEST_SCHEME = 64
#: Names of character references that need no semicolon.
LEGACY = NameTable(sorted(set(map(str.lower, LEGACY_NAMES))))
HTTP, HTTPS, FILE = b"http://", b"https://", b"file://"
LARGEST_PORT, HTTP_PORT, HTTPS_PORT = 65535, 80, 443

#: The verdicts of `PlainReferences.classify`. RESOLVE: use the resolver. LEAVE: the reference is unchanged. From PREFIX
#: on: PREFIX + the prefix's number + (the length of the text that it replaces << SKIP).
RESOLVE, LEAVE, PREFIX = 0, 1, 2
SKIP, NUMBER = 16, 0xFFFF
#: The numbers of the texts: prefixes, the path of a URL without a path, percent-encoded bytes, "&amp;". From FOLDER on:
#: the base's folder, its parent, … the root, each with its last "/".
SCHEME, ROOT, PAGE, DOCUMENT, NO_PATH, FIRST_ENCODED = range(6)
_ENCODED = b" \"'<>`^&"
AFTER_BASE = (b"/", *[b"%%%02X" % byte for byte in _ENCODED[:-1]], b"&amp;")
FOLDER = FIRST_ENCODED + len(_ENCODED)
#: Byte -> number of the text that is written for it.
WRITTEN = bytes([FIRST_ENCODED + _ENCODED.index(byte) if byte in _ENCODED else 0 for byte in range(DELETE)])


def name_end(data: bytes, at: int, end: int) -> int:
    """The end of the letters, digits, dots and plain bytes at `at`; of a scheme, if a colon follows."""
    while at < end and BYTES[data[at]] in (ALPHA, DIGIT, PLAIN, DOT):
        at += 1
    return at


def needs_no_path(data: bytes, start: int, end: int, has_root: bool) -> bool:
    """Whether the reference data[start:end] has a scheme, or begins with "/" and `has_root`.

    If it is plain, its target does not depend on the path of the base.
    """
    if start < end and BYTES[data[start]] == SLASH:
        return has_root
    if start == end or BYTES[data[start]] != ALPHA:
        return False
    at = name_end(data, start, end)
    return at < end and BYTES[data[at]] == COLON


class PlainReferences:
    """The plain references to one special, hierarchical base URL; immutable.

    `fragments`: references that are only a fragment get a prefix too. `escaped`: references are raw attribute values,
    where "&" can begin a character reference, and prefixes are escaped; otherwise both are text. `escapes`: in
    `escaped` references, "&" becomes "&amp;".
    """

    def __init__(self, texts: list[bytes], fragments: bool, escaped: bool, escapes: bool) -> None:
        """`texts`: the texts by number, see SCHEME."""
        self.fragments: bool = fragments
        self.escaped: bool = escaped
        self.escapes: bool = escapes
        self.texts: list[bytes] = texts
        self.deepest: int = len(texts) - 1 - FOLDER

    def target(self, reference: bytes, encode: Callable[[bytes, bool], bytes | None] | None = None) -> bytes | None:
        """The target of a plain reference that is not escaped; None for any other reference, and for the empty one.

        `encode`: as in `Edits`, for a reference in UTF-8.
        """
        end = len(reference)
        if not end:
            return None
        target = self._unedited_target(reference, end)
        if target is None:
            lowered = self._lowered(reference, end)
            if lowered != reference:
                target = self._unedited_target(lowered, end)
            if target is None:
                target = self._edited_target(lowered, end, encode)
        return target

    def _unedited_target(self, reference: bytes, end: int) -> bytes | None:
        """The target of a reference that is plain without edits after its prefix; None for any other reference."""
        verdict = self.classify(reference, 0, end, None)
        if verdict >= PREFIX:
            verdict -= PREFIX
            return self.texts[verdict & NUMBER] + reference[verdict >> SKIP :]
        if verdict == LEAVE:
            if BYTES[reference[0]] == HASH:
                return self.texts[DOCUMENT] + reference
            if self.is_serialized(reference, 0, end, None):
                return reference
        return None

    def _lowered(self, reference: bytes, end: int) -> bytes:
        """A reference with its scheme in lower case, if it has one, and its host if the scheme is special."""
        at = name_end(reference, 0, end)
        if at == end or BYTES[reference[at]] != COLON:
            return reference
        special = SPECIAL.find(reference, 0, at)
        if special not in (0, FILE_SCHEME):
            at = self._host_end(reference, at + 3, end, False)
        return reference[:at].lower() + reference[at:]

    def _edited_target(
        self, reference: bytes, end: int, encode: Callable[[bytes, bool], bytes | None] | None
    ) -> bytes | None:
        """The target of a reference that is plain except for edits after its prefix; None for any other reference."""
        if reference[0] <= SPACE_CHARACTER or reference[end - 1] <= SPACE_CHARACTER:
            return None  # the URL parser strips it
        edits = Edits(reference, encode)
        edits.add_texts(self.texts)
        verdict = self.write(reference, 0, end, edits)
        if verdict == LEAVE and BYTES[reference[0]] == HASH:
            edits.push(0, 0, DOCUMENT)
            self._rest_is_plain(reference, 0, end, edits)
        elif verdict == RESOLVE or (verdict == LEAVE and not self.is_serialized(reference, 0, end, edits)):
            return None
        return edits.apply()

    def write(self, data: bytes, start: int, end: int, edits: Edits) -> int:
        """Add the edits that make the reference data[start:end] absolute. Return the verdict of `classify`.

        `edits`: the edits of `data`; their `shift` is the number of the first of this object's texts.
        """
        number = edits.count
        edits.push(start, start, 0)  # the prefix precedes the edits in the rest, but is known after them
        verdict = self.classify(data, start, end, edits)
        if verdict >= PREFIX:
            edits.put(number, start, start + ((verdict - PREFIX) >> SKIP), (verdict - PREFIX) & NUMBER)
        else:
            edits.count = number
        return verdict

    def classify(self, data: bytes, start: int, end: int, edits: Edits | None) -> int:
        """The verdict on the reference data[start:end], which is not empty: RESOLVE, LEAVE, or a number from PREFIX on.

        `edits`: receives the edits after the prefix. None: a reference that needs such edits gets RESOLVE.
        """
        first = BYTES[data[start]]
        if first == ALPHA:
            at = name_end(data, start, end)
            if at < end and BYTES[data[at]] == COLON:
                return self._absolute(data, start, at, end, edits)
            return PREFIX + FOLDER if self._rest_is_plain(data, at, end, edits) else RESOLVE
        if first == SLASH:
            if start + 1 < end and BYTES[data[start + 1]] == SLASH:
                at = self._host_end(data, start + 2, end, True)
                if not at:
                    return RESOLVE
                if at == end or BYTES[data[at]] != SLASH:
                    if edits is None:
                        return RESOLVE
                    edits.push(at, at, NO_PATH)
                return PREFIX + SCHEME if self._rest_is_plain(data, at, end, edits) else RESOLVE
            return PREFIX + ROOT if self._rest_is_plain(data, start, end, edits) else RESOLVE
        if first == HASH:
            if not self._rest_is_plain(data, start, end, edits):
                return RESOLVE
            return PREFIX + DOCUMENT if self.fragments else LEAVE
        if first == DOT:
            return self._dotted(data, start, end, edits)
        if first == QUESTION:
            return PREFIX + PAGE if self._rest_is_plain(data, start, end, edits) else RESOLVE
        if data[start] >= FIRST_NON_ASCII or (
            first in (PLAIN, DIGIT, PERCENT) and self._is_no_dot_segment(data, start, end)
        ):
            return PREFIX + FOLDER if self._rest_is_plain(data, start, end, edits) else RESOLVE
        return RESOLVE

    def _dotted(self, data: bytes, start: int, end: int, edits: Edits | None) -> int:
        """The verdict on a reference that begins with "." and ".." segments."""
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
        # After "./", a further empty segment, "a:b" and similar segments go to the resolver.
        if at < end and (BYTES[data[at]] == SLASH or not self._is_no_dot_segment(data, at, end)):
            return RESOLVE
        if not self._rest_is_plain(data, at, end, edits):
            return RESOLVE
        up = min(up, self.deepest)  # the URL standard's "shorten": ".." stays at the root
        return PREFIX + FOLDER + up + ((at - start) << SKIP)

    def _absolute(self, data: bytes, start: int, colon: int, end: int, edits: Edits | None) -> int:
        """The verdict on a reference with a scheme. It is LEAVE if the URL parser cannot fail: the host is plain, or
        there is no host.
        """
        at = colon + 1
        special = SPECIAL.find(data, start, colon)
        slashes = 0
        while at < end and slashes < 2 and BYTES[data[at]] == SLASH:
            slashes += 1
            at += 1
        if not special:
            if not self._is_scheme(data, start, colon):
                return RESOLVE
            # A character reference or a newline could hide a further slash.
            if slashes < 2 and at < end and (BYTES[data[at]] == AMPERSAND or data[at] <= SPACE_CHARACTER):
                return RESOLVE
            if slashes == 2:
                while at < end and HOST_BYTES[data[at]]:
                    at += 1
                if at < end and BYTES[data[at]] not in (SLASH, QUESTION, HASH):
                    return RESOLVE
        elif slashes < 2:
            return RESOLVE
        elif special == FILE_SCHEME:
            if at == end or BYTES[data[at]] != SLASH:
                return RESOLVE
        else:
            at = self._host_end(data, at, end, False)
            if not at:
                return RESOLVE
        if is_ascii(data, at, end):  # all encodings decode ASCII alike
            return LEAVE
        return LEAVE if edits is not None and edits.is_text(start, end) else RESOLVE

    def _is_scheme(self, data: bytes, start: int, end: int) -> bool:
        """Whether data[start:end], which begins with a letter, is a scheme of usual length (URL standard §4.4)."""
        at = start
        while at < end and (BYTES[data[at]] in (ALPHA, DIGIT, DOT) or data[at] in (PLUS, HYPHEN)):
            at += 1
        return at == end and end - start <= LONGEST_SCHEME

    def _host_end(self, data: bytes, start: int, end: int, serialized: bool) -> int:
        """The end of the host and port that begin at `start`, or 0. The host must be letters, digits, hyphens, dots and
        underscores, and neither an IPv4 address nor Punycode. `serialized`: host and port must also be their own
        serialization.
        """
        if start >= end:
            return 0
        stops = LOWER_LABEL_STOPS if serialized else LABEL_STOPS
        label = start
        at = find_member(data, start, end, stops)
        while at < end:
            if BYTES[data[at]] == DOT:
                if at == label:
                    return 0
                label = at + 1
            elif data[at] != HYPHEN:
                break
            elif at == label + 3 and data[at - 1] == HYPHEN:
                return 0  # "xn--"
            at = find_member(data, at + 1, end, stops)
        if at == label or BYTES[data[label]] != ALPHA:
            return 0
        if at < end and BYTES[data[at]] == COLON:
            label = at + 1
            port = 0
            at = label
            while at < end and BYTES[data[at]] == DIGIT:
                port = port * 10 + data[at] - ZERO
                if port > LARGEST_PORT:
                    return 0
                at += 1
            if serialized and (at == label or data[label] == ZERO or port in (HTTP_PORT, HTTPS_PORT)):
                return 0
        if at < end and BYTES[data[at]] not in (SLASH, QUESTION, HASH):
            return 0
        return at

    def _is_no_dot_segment(self, data: bytes, at: int, end: int) -> bool:
        """Whether the path segment at `at` is certainly not ".", "..", "%2e" or a similar dot segment."""
        if at >= end:
            return True
        kind = BYTES[data[at]]
        if kind == PERCENT:
            return at + 2 < end and (data[at + 1] != TWO or data[at + 2] | 0x20 != LOWER_E)
        return kind != DOT or (at + 1 < end and BYTES[data[at + 1]] in (ALPHA, DIGIT, PLAIN))

    def _rest_is_plain(self, data: bytes, start: int, end: int, edits: Edits | None) -> bool:
        """Whether data[start:end], which begins within a path, is its own serialization except for the `edits`."""
        part = PATH
        stops = PATH_STOPS
        slashed = False
        at = find_member(data, start, end, stops)
        while at < end:
            kind = REST[part + data[at]]
            length = 1
            byte = data[at]
            if kind == SLASH:
                slashed = True
                if not self._is_no_dot_segment(data, at + 1, end):
                    return False
            elif kind == QUESTION:
                part = QUERY
                stops = QUERY_STOPS
            elif kind == HASH:
                part = FRAGMENT
                stops = FRAGMENT_STOPS
            elif kind == AMPERSAND:
                if self.escaped:
                    length = self._ampersand_length(data, at, end)
                    if not length:
                        return False
                    if length == 4 and data[at + 3] == SEMICOLON:
                        byte = LESS_THAN if data[at + 1] == LOWER_L else GREATER_THAN
                        kind = ENCODED
                    elif self.escapes and data[at + length - 1] != SEMICOLON:
                        length = 1
                        kind = ENCODED
            elif kind == COLON:
                if not slashed:
                    return False  # "a:b" after "./"
            elif byte >= FIRST_NON_ASCII:
                while at + length < end and data[at + length] >= FIRST_NON_ASCII:
                    length += 1
                if edits is None or not edits.push_encoded(at, at + length, part == QUERY):
                    return False
            elif kind != ENCODED:
                return False
            if kind == ENCODED:
                if edits is None:
                    return False
                if byte == LESS_THAN and at + length < end and BYTES[data[at + length]] in (PERCENT, QUESTION):
                    return False  # a template's placeholder
                edits.push(at, at + length, WRITTEN[byte])
            at = find_member(data, at + length, end, stops)
        return True

    def _ampersand_length(self, data: bytes, at: int, end: int) -> int:
        """The length in bytes of "&amp;", "&lt;", "&gt;", or of a bare "&" and the name after it.

        0 for all other character references, which could mean a delimiter, and for text that may be one (HTML
        §13.2.5.72-73).
        """
        after = at + 1
        while after < end and BYTES[data[after]] in (ALPHA, DIGIT):
            after += 1
        length = after - at
        if length == 1:
            return 0 if after < end and data[after] == NUMBER_SIGN else 1
        if after == end or data[after] not in (SEMICOLON, EQUALS):
            return 0 if LEGACY.find(data, at + 1, after) else length
        if data[after] == EQUALS:
            return length
        if length == 4:
            is_known = data[at + 1] == LOWER_A and data[at + 2] == LOWER_M and data[at + 3] == LOWER_P
        else:
            is_known = length == 3 and data[at + 2] == LOWER_T and data[at + 1] in (LOWER_L, LOWER_G)
        return length + 1 if is_known else 0

    def _after(self, text: bytes, data: bytes, start: int, end: int) -> int:
        """The offset after `text` if data[start:end] begins with it, else 0."""
        length = len(text)
        at = 0
        while at < length and start + at < end and data[start + at] == text[at]:
            at += 1
        return start + at if at == length else 0

    def is_serialized_http(self, data: bytes, start: int, end: int, edits: Edits | None) -> bool:
        """Whether data[start:end] is an http(s) URL and its own serialization, except for the `edits`."""
        at = self._after(HTTPS, data, start, end) or self._after(HTTP, data, start, end)
        if at:
            at = self._host_end(data, at, end, True)
        if not at:
            return False
        if at == end or BYTES[data[at]] != SLASH:
            if edits is None:
                return False
            edits.push(at, at, NO_PATH)
        return self._rest_is_plain(data, at, end, edits)

    def is_serialized(self, data: bytes, start: int, end: int, edits: Edits | None) -> bool:
        """Whether a reference with the verdict LEAVE, not a fragment, is its own serialization, except for `edits`."""
        if self.is_serialized_http(data, start, end, edits):
            return True
        at = self._after(FILE, data, start, end)
        if not at:
            return self._is_of_other_scheme(data, start, end, edits)
        # The text before a "|" can be a drive (URL standard §4.2 "Windows drive letter").
        is_drive = at + 2 < end and data[at + 2] == VERTICAL_LINE
        return at < end and BYTES[data[at]] == SLASH and not is_drive and self._rest_is_plain(data, at, end, edits)

    def _is_of_other_scheme(self, data: bytes, start: int, end: int, edits: Edits | None) -> bool:
        """Whether data[start:end] is a serialized URL such as mailto:a@b or app://h/path, except for the `edits`, and
        its scheme is not special.
        """
        at = start
        # Queries of these schemes keep an apostrophe (URL standard §1.3).
        of_query = edits if find_byte(data, APOSTROPHE, start, end) == end else None
        while at < end and BYTES[data[at]] != COLON:
            if data[at] <= UPPER_Z and BYTES[data[at]] == ALPHA:
                return False
            at += 1
        if at == end or SPECIAL.find(data, start, at):
            return False
        at += 1
        if at < end and BYTES[data[at]] == SLASH:
            at += 2
            host = at
            while at < end and HOST_BYTES[data[at]]:
                at += 1
            return host < at and data[host - 1] == data[host - 2] and self._rest_is_plain(data, at, end, of_query)
        at = find_member(data, at, end, OPAQUE_STOPS)
        while at < end:
            kind = BYTES[data[at]]
            length = 1
            if kind in (QUESTION, HASH):
                return self._rest_is_plain(data, at, end, of_query)
            if kind == AMPERSAND and self.escaped:
                length = self._ampersand_length(data, at, end)
                if not length or (length == 4 and data[at + 3] == SEMICOLON):
                    return False
            elif data[at] >= FIRST_NON_ASCII:
                while at + length < end and data[at + length] >= FIRST_NON_ASCII:
                    length += 1
                if edits is None or not edits.push_encoded(at, at + length, False):
                    return False
            elif data[at] == SPACE_CHARACTER:  # it stays, except at the end
                if at + 1 == end or data[at + 1] <= SPACE_CHARACTER or BYTES[data[at + 1]] in (QUESTION, HASH):
                    return False
            elif kind != AMPERSAND:
                return False
            at = find_member(data, at + length, end, OPAQUE_STOPS)
        return True
