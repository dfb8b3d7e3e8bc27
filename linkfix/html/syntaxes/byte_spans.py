"""Where the URLs of CSS, of a srcset and of a refresh stand, found in a value's raw bytes: the quick way.

It finds what the syntaxes `css`, `srcset` and `refresh` find in the decoded text, where bytes can tell: URLs without
escapes and without problems. What is rare it leaves to them (`NOT_PLAIN`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

try:
    import cython
except ImportError:
    from linkfix.html import no_cython as cython

if not cython.compiled:
    from linkfix.html.bytesearch import find_byte
    from linkfix.html.cells import grown_longs, longs, new_longs
    from linkfix.html.constants import (
        AMPERSAND,
        APOSTROPHE,
        ASTERISK,
        AT_SIGN,
        BACKSLASH,
        COMMA,
        CSS,
        DIGIT_ZERO,
        EQUALS,
        FULL_STOP,
        HYPHEN,
        LEFT_PARENTHESIS,
        LOWER_W,
        LOWER_X,
        NUMBER_SIGN,
        QUOTATION_MARK,
        RIGHT_PARENTHESIS,
        SEMICOLON,
        SPACE_CHARACTER,
        SRCSET,
    )

    from .byte_runs import begins_with, css_name_end, find_member, is_ascii, skip_css

if TYPE_CHECKING:
    from array import array


#: The value is not plain: the slow way decides.
NOT_PLAIN = -1


def _table(members: bytes) -> bytes:
    """The set of these bytes, see `byte_runs`."""
    return bytes([byte in members for byte in range(256)])


def _all_but(members: bytes) -> bytes:
    return bytes([byte not in members for byte in range(256)])


_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_NUMERALS = b"0123456789"
_SPACES = b"\t\n\f\r "

IN_CSS = _table(b"\"'/\\(@")
#: The same in an attribute's value that has character references.
IN_CSS_ATTRIBUTE = _table(b"\"'/\\(@&")
# What ends a string, or makes it one for the slow way: an escape, a newline.
DOUBLE_QUOTED = _table(b'"\\\n\f\r')
SINGLE_QUOTED = _table(b"'\\\n\f\r")
REFERENCE_QUOTED = _table(b"&\\\n\f\r")
#: What ends the contents of an unquoted url(), or makes it a bad one (CSS Syntax 3 §4.3.6).
UNQUOTED_URL = _table(bytes(range(1, 0x21)) + b"\"'()\\\x7f")
#: What is no name code point (CSS Syntax 3 §4.2); NUL becomes U+FFFD, which is one.
NO_NAME = _all_but(b"\0-_" + _NUMERALS + _LETTERS + bytes(range(0x80, 0x100)))
SPACE, NO_SPACE = _table(_SPACES), _all_but(_SPACES)
NO_SEPARATOR = _all_but(_SPACES + b",")
NO_DIGIT, NO_TIME = _all_but(_NUMERALS), _all_but(_NUMERALS + b".")
AFTER_TIME = _table(_SPACES + b";,")
NO_ALPHANUMERIC = _all_but(_NUMERALS + _LETTERS)


class ByteSpans:
    """Where the URLs of one value after another stand.

    `ascii_trails`: see `Encoding.has_ascii_trails`. `spans`: after `find`, the start and end of each of the `count`
    URLs in turn, without quotation marks and white space, in rising order.
    """

    def __init__(self, ascii_trails: bool) -> None:
        self.ascii_trails: bool = ascii_trails
        self.count: int = 0
        self.capacity: int = 64
        self.memory: array[int] = new_longs(2 * 64)
        self.spans: array[int] = longs(self.memory)
        self.quoted: bool = False

    def find(self, kind: int, data: bytes, start: int, end: int, text: bool) -> int:
        """The number of URLs in the value data[start:end], or NOT_PLAIN. `kind`: CSS, SRCSET or REFRESH.

        `text`: the value is text without character references, not an attribute's value. The URLs of an attribute's
        have character references as they are written, of "&" alone where the URL is not quoted.
        """
        self.count = 0
        self.quoted = False
        if self.ascii_trails and not is_ascii(data, start, end):
            return NOT_PLAIN
        references = not text and find_byte(data, AMPERSAND, start, end) < end
        if references and not self._references_are_plain(kind, data, start, end):
            return NOT_PLAIN
        if kind == CSS:
            return self._css(data, start, end, references)
        if kind == SRCSET:
            return self._srcset(data, start, end)
        return self._refresh(data, start, end)

    def _push(self, start: int, end: int) -> None:
        if self.count == self.capacity:
            self.capacity *= 2
            self.memory = grown_longs(self.memory, 2 * self.capacity)
            self.spans = longs(self.memory)
        self.spans[2 * self.count] = start
        self.spans[2 * self.count + 1] = end
        self.count += 1

    # Character references

    def _references_are_plain(self, kind: int, data: bytes, start: int, end: int) -> bool:
        """Whether every "&" of an attribute's value is none of a reference, or that of `&amp;`, or, in CSS, of the
        `&quot;` that is then the only double quotation mark there; nor is there then an escape in CSS.
        """
        at = find_byte(data, AMPERSAND, start, end)
        while at < end:
            after = find_member(data, at + 1, end, NO_ALPHANUMERIC)
            if after == at + 1:
                if after < end and data[after] == NUMBER_SIGN:
                    return False
            elif after == end:
                return False
            elif data[after] == SEMICOLON:
                if self._is_quote(data, at, end):
                    self.quoted = True
                elif not begins_with(data, at, end, b"&amp;"):
                    return False
            elif data[after] != EQUALS:  # before "=" a name without a semicolon is text (HTML §13.2.5.73)
                return False
            at = find_byte(data, AMPERSAND, after, end)
        if kind != CSS:
            return not self.quoted
        if find_byte(data, BACKSLASH, start, end) < end:
            return False
        return not self.quoted or find_byte(data, QUOTATION_MARK, start, end) == end

    def _is_quote(self, data: bytes, at: int, end: int) -> bool:
        """Whether `&quot;` is at `at`."""
        return at + 6 <= end and data[at : at + 6] == b"&quot;"

    # CSS, as in css.py

    def _css(self, data: bytes, start: int, end: int, references: bool) -> int:
        at = start
        while True:
            first = at  # no name begins before it
            at = skip_css(data, at, end, IN_CSS_ATTRIBUTE if references else IN_CSS)
            if at == end:
                return self.count
            byte = data[at]
            if byte == LEFT_PARENTHESIS:
                at = self._function(data, first, at, end)
            elif byte == AT_SIGN:
                at = self._at_rule(data, at, end)
            elif byte == BACKSLASH:
                at = self._escaped_name(data, first, at, end)
            elif self._is_quote(data, at, end):
                at = self._string(data, at, end, False)
            else:
                at += 1
            if at == NOT_PLAIN:
                return NOT_PLAIN

    def _function(self, data: bytes, first: int, at: int, end: int) -> int:
        """Past what is read of the function whose parenthesis is at `at`, or past that alone. Its name, if it has one,
        begins at `first` or later.
        """
        if self._is_whole_name(data, first, at, b"url"):
            argument = find_member(data, at + 1, end, NO_SPACE)
            after = self._string(data, argument, end, True)
            return after if after != argument else self._unquoted_url(data, argument, end)
        if self._is_whole_name(data, first, at, b"src"):
            return self._string(data, self._space_and_comments_end(data, at + 1, end), end, True)
        is_set = self._is_whole_name(data, first, at, b"image-set") or (
            self._is_whole_name(data, first, at, b"-webkit-image-set")
        )
        return NOT_PLAIN if is_set else at + 1

    def _is_whole_name(self, data: bytes, first: int, end: int, name: bytes) -> bool:
        """Whether the ident that ends at `end` is `name`: what begins at `first` or later is not a longer one, a hash
        or an at-keyword.
        """
        start = end - len(name)
        if start < first or not begins_with(data, start, end, name):
            return False
        if start == first:
            return True
        before = data[start - 1]
        if before == HYPHEN:
            return start - 4 >= first and begins_with(data, start - 4, end, b"<!--")
        return before not in (NUMBER_SIGN, AT_SIGN) and NO_NAME[before] != 0

    def _at_rule(self, data: bytes, at: int, end: int) -> int:
        """Past what is read of an at-rule."""
        after = find_member(data, at + 1, end, NO_NAME)
        if after < end and data[after] == BACKSLASH:
            return NOT_PLAIN
        if after - at == len(b"@import") and begins_with(data, at, end, b"@import"):
            return self._string(data, self._space_and_comments_end(data, after, end), end, True)
        is_namespace = after - at == len(b"@namespace") and begins_with(data, at, end, b"@namespace")
        return NOT_PLAIN if is_namespace else after  # its URL is none of the document

    def _escaped_name(self, data: bytes, first: int, at: int, end: int) -> int:
        """Past the name that has an escape at `at`, or past a backslash that is none."""
        after = css_name_end(data, at, end)
        if after == at:
            return at + 1
        if after < end and data[after] == LEFT_PARENTHESIS:
            return NOT_PLAIN
        while at > first and not NO_NAME[data[at - 1]]:
            at -= 1
        return NOT_PLAIN if at > first and data[at - 1] == AT_SIGN else after

    def _space_and_comments_end(self, data: bytes, at: int, end: int) -> int:
        while True:
            at = find_member(data, at, end, NO_SPACE)
            if not begins_with(data, at, end, b"/*"):
                return at
            at += 2
            while not begins_with(data, at, end, b"*/"):
                at = find_byte(data, ASTERISK, at + 1, end)
                if at == end:
                    return end
            at += 2

    def _string(self, data: bytes, at: int, end: int, is_url: bool) -> int:
        """Past the string at `at`, or `at` where there is none; NOT_PLAIN where it has an escape or a newline."""
        if at == end:
            return at
        quote = data[at]
        if quote == QUOTATION_MARK:
            start = at + 1
            stop = find_member(data, start, end, DOUBLE_QUOTED)
        elif quote == APOSTROPHE:
            start = at + 1
            stop = find_member(data, start, end, SINGLE_QUOTED)
        elif self.quoted and self._is_quote(data, at, end):
            start = at + len(b"&quot;")
            stop = find_member(data, start, end, REFERENCE_QUOTED)
            while stop < end and data[stop] == AMPERSAND and not self._is_quote(data, stop, end):
                stop = find_member(data, stop + 1, end, REFERENCE_QUOTED)
        else:
            return at
        if stop < end and data[stop] != quote:
            return NOT_PLAIN
        if is_url:
            self._push(start, stop)
        return min(end, stop + start - at)

    def _unquoted_url(self, data: bytes, start: int, end: int) -> int:
        """Past the url token whose contents begin at `start`; NOT_PLAIN where it has an escape or is a bad one."""
        stop = find_member(data, start, end, UNQUOTED_URL)
        after = find_member(data, stop, end, NO_SPACE)
        if after < end and data[after] != RIGHT_PARENTHESIS:
            return NOT_PLAIN
        if self.quoted and data.find(b"&quot;", start, stop) >= 0:
            return NOT_PLAIN
        self._push(start, stop)
        return min(end, after + 1)

    # srcset, as in srcset.py

    def _srcset(self, data: bytes, start: int, end: int) -> int:
        at = start
        while True:
            at = find_member(data, at, end, NO_SEPARATOR)
            if at == end:
                return self.count
            after = find_member(data, at, end, SPACE)
            stop = after
            while data[stop - 1] == COMMA:
                stop -= 1
            self._push(at, stop)
            at = after if stop < after else self._descriptor_end(data, after, end)
            if at == NOT_PLAIN:
                return NOT_PLAIN

    def _descriptor_end(self, data: bytes, at: int, end: int) -> int:
        """Past a candidate's width or density and the space around it; NOT_PLAIN where there is anything else."""
        at = find_member(data, at, end, NO_SPACE)
        if at == end or data[at] == COMMA:
            return at
        first = at
        at = find_member(data, at, end, NO_DIGIT)
        if at in (first, end):
            return NOT_PLAIN
        if data[at] == LOWER_W:
            while data[first] == DIGIT_ZERO:
                first += 1
            if first == at:
                return NOT_PLAIN
        else:
            if data[at] == FULL_STOP:
                first = at + 1
                at = find_member(data, first, end, NO_DIGIT)
            if at in (first, end) or data[at] != LOWER_X:
                return NOT_PLAIN
        at = find_member(data, at + 1, end, NO_SPACE)
        return at if at == end or data[at] == COMMA else NOT_PLAIN

    # Refresh, as in refresh.py

    def _refresh(self, data: bytes, start: int, end: int) -> int:
        at = find_member(data, start, end, NO_SPACE)
        if find_member(data, at, end, NO_DIGIT) == at and not (at < end and data[at] == FULL_STOP):
            return 0
        at = find_member(data, at, end, NO_TIME)
        if at == end or not AFTER_TIME[data[at]]:
            return 0
        at = find_member(data, at, end, NO_SPACE)
        if at < end and (data[at] in (SEMICOLON, COMMA)):
            at = find_member(data, at + 1, end, NO_SPACE)
        if at == end:
            return 0
        if begins_with(data, at, end, b"url"):
            equals = find_member(data, at + 3, end, NO_SPACE)
            if equals < end and data[equals] == EQUALS:
                at = find_member(data, equals + 1, end, NO_SPACE)
        stop = end
        if at < end and (data[at] in (QUOTATION_MARK, APOSTROPHE)):
            stop = find_byte(data, data[at], at + 1, end)
            at += 1
        while at < stop and 0 < data[at] <= SPACE_CHARACTER:  # NUL becomes U+FFFD, which is not trimmed
            at += 1
        while at < stop and 0 < data[stop - 1] <= SPACE_CHARACTER:
            stop -= 1
        self._push(at, stop)
        return self.count
