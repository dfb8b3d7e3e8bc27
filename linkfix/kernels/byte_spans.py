"""The fast path for the URLs of CSS, srcset and refresh: spans found in a value's raw bytes.

It finds the same URLs as the syntaxes `css`, `srcset` and `refresh` find in the decoded text, if they have no escapes
and no problems. It leaves rare cases to these syntaxes (`NOT_PLAIN`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

try:
    import cython
except ImportError:
    from linkfix.kernels import no_cython as cython

from linkfix.kernels.second_bytes import second_bytes

if not cython.compiled:
    from linkfix.kernels.bytesearch import (
        begins_with,
        css_name_end,
        find_byte,
        find_member,
        hide_trails,
        is_ascii,
        skip_css,
    )
    from linkfix.kernels.constants import (
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
    from linkfix.kernels.memory import grown_longs, longs, new_longs

if TYPE_CHECKING:
    from array import array


#: The value is not plain: use the slow path.
NOT_PLAIN = -1


def _table(members: bytes) -> bytes:
    """The table of a set of bytes, see `bytesearch`."""
    return bytes([byte in members for byte in range(256)])


def _all_but(members: bytes) -> bytes:
    return bytes([byte not in members for byte in range(256)])


_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_NUMERALS = b"0123456789"
_SPACES = b"\t\n\f\r "

IN_CSS = _table(b"\"'/\\(@")
#: `IN_CSS` for an attribute's value with character references.
IN_CSS_ATTRIBUTE = _table(b"\"'/\\(@&")
# The bytes that end a string or require the slow path: an escape, a newline.
DOUBLE_QUOTED = _table(b'"\\\n\f\r')
SINGLE_QUOTED = _table(b"'\\\n\f\r")
REFERENCE_QUOTED = _table(b"&\\\n\f\r")
#: The bytes that end the contents of an unquoted url(), or make it a bad url (CSS Syntax 3 §4.3.6).
UNQUOTED_URL = _table(bytes(range(1, 0x21)) + b"\"'()\\\x7f")
#: The bytes that are not name code points (CSS Syntax 3 §4.2); NUL becomes U+FFFD, a name code point.
NO_NAME = _all_but(b"\0-_" + _NUMERALS + _LETTERS + bytes(range(0x80, 0x100)))
SPACE, NO_SPACE = _table(_SPACES), _all_but(_SPACES)
NO_SEPARATOR = _all_but(_SPACES + b",")
NO_DIGIT, NO_TIME = _all_but(_NUMERALS), _all_but(_NUMERALS + b".")
AFTER_TIME = _table(_SPACES + b";,")
NO_ALPHANUMERIC = _all_but(_NUMERALS + _LETTERS)


class ByteSpans:
    """The spans of the URLs in a value; one object serves many values.

    `encoding`: the encoding of the values, if a byte that looks like an ASCII character can be part of another one
    (`Encoding.has_ascii_trails`), by its name in the Encoding standard; else "". `spans`: after `find`, the start and
    end of each of the `count` URLs in turn, without quotation marks and white space, in ascending order.
    """

    def __init__(self, encoding: str) -> None:
        self.encoding: str = encoding
        self.count: int = 0
        self.capacity: int = 64
        self.memory: array[int] = new_longs(2 * 64)
        self.spans: array[int] = longs(self.memory)
        self.quoted: bool = False

    def find(self, kind: int, data: bytes, start: int, end: int, text: bool) -> int:
        """The number of URLs in the value data[start:end], or NOT_PLAIN. `kind`: CSS, SRCSET or REFRESH.

        `text`: the value is text without character references, not an attribute's value. URLs in an attribute's value
        keep their character references as written; an unquoted URL has only references to "&".
        """
        self.count = 0
        self.quoted = False
        if not self.encoding or is_ascii(data, start, end):
            return self._find(kind, data, start, end, text)
        hidden = hide_trails(data, start, end, second_bytes(self.encoding))
        if hidden is None:
            return NOT_PLAIN
        found = self._find(kind, hidden, 0, end - start, text)
        at = 0
        while at < 2 * self.count:
            self.spans[at] += start
            at += 1
        return found

    def _find(self, kind: int, data: bytes, start: int, end: int, text: bool) -> int:
        """`find`, if every byte that looks like an ASCII character is one."""
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
        """Whether the value's character references are plain enough for the fast path.

        Every "&" must be literal or begin `&amp;` or, in CSS, `&quot;`. CSS with references must have no escapes. CSS
        with `&quot;` must have no literal double quotation mark.
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
            first = at  # no name begins before this position
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
        """The position past the URL of the function whose parenthesis is at `at`, or past the parenthesis.

        The function's name, if any, begins at `first` or later.
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
        """Whether the token that ends at `end` is the ident `name`, not a longer ident, a hash or an at-keyword.

        The token begins at `first` or later.
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
        """The position past an at-rule's name, and past the string of `@import`; NOT_PLAIN for rare at-rules."""
        after = find_member(data, at + 1, end, NO_NAME)
        if after < end and data[after] == BACKSLASH:
            return NOT_PLAIN
        if after - at == len(b"@import") and begins_with(data, at, end, b"@import"):
            return self._string(data, self._space_and_comments_end(data, after, end), end, True)
        is_namespace = after - at == len(b"@namespace") and begins_with(data, at, end, b"@namespace")
        return NOT_PLAIN if is_namespace else after  # the URL of @namespace is not a reference

    def _escaped_name(self, data: bytes, first: int, at: int, end: int) -> int:
        """The position past the name that has an escape at `at`, or past a backslash that is not an escape."""
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
        """The position past the string at `at`, or `at` if no string is there.

        NOT_PLAIN if the string has an escape or a newline. `is_url`: add the string as a URL.
        """
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
        """The position past the url token whose contents begin at `start`; NOT_PLAIN for an escape or a bad url."""
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
        """The position past a candidate's width or density and the space around it; NOT_PLAIN for anything else."""
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

    # Refresh, as `find_in_refresh` in html/syntaxes/url.py

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
