"""The spans of values in a JSON text. The text is read in pieces, and need not fit in memory.

The grammar is exactly that of RFC 8259, without a limit of depth. Only the names of members are decoded. If several
members have one name, the last counts, as in browsers (ECMA-262, JSON.parse). Offsets are byte offsets in the window.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from linkfix.containers.window import Window
from linkfix.html.syntaxes.json_data import InvalidJson

#: The number of bytes that are read at a time.
_PIECE = 1 << 20
#: The number of nested arrays and objects that one match can skip: the depth of the header fields of a HAR's entry.
_LEVELS = 2
#: RFC 8259 §7: the maximum length of an escaped character, `\u` and four digits.
_ESCAPE = 6

_SPACE = re.compile(rb"[ \t\n\r]*+")
_CONTENTS = re.compile(rb'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*+')
_SCALAR = re.compile(rb"true|false|null|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?")


@cache
def _value(levels: int = _LEVELS) -> re.Pattern[bytes]:
    """Return the pattern of a value with at most `levels` nested arrays and objects. It is compiled when needed."""
    space, string = _SPACE.pattern, rb'"' + _CONTENTS.pattern + rb'"'
    simple = rb"(?:" + string + rb"|" + _SCALAR.pattern + rb")"
    if not levels:
        return re.compile(simple)
    inner = _value(levels - 1).pattern + space
    members = rb"(?:" + string + space + rb":" + space + inner + rb"(?:," + space + rb'(?=")|(?=\})))*+'
    elements = rb"(?:" + inner + rb"(?:," + space + rb"(?!\])|(?=\])))*+"
    return re.compile(rb"(?:" + simple + rb"|\{" + space + members + rb"\}|\[" + space + elements + rb"\])")


_CLOSERS = {b"{": b"}", b"[": b"]"}


class JsonSpan(NamedTuple):
    """The span of a value, and its requested members."""

    start: int
    end: int
    members: dict[str, JsonSpan]
    """The requested members of an object, by name."""

    def member(self, *path: str) -> JsonSpan | None:
        """Return the value at a path of member names, or None."""
        found: JsonSpan | None = self
        for name in path:
            found = found and found.members.get(name)
        return found


#: The names of requested members, each with the names of its own requested members.
Names = Mapping[str, "Names"]


class JsonSpans:
    """The values of a JSON text in a window."""

    def __init__(self, raw: Window) -> None:
        self._raw = raw
        #: The current piece, and its offset.
        self._text = b""
        self._from = 0

    def whole(self, start: int, names: Names) -> JsonSpan:
        """Return the value that fills the text from `start` on, with the named members. Raises `InvalidJson`."""
        value = self.value(self._skip_space(start), names)
        after = self._skip_space(value.end)
        if after < self._raw.size:
            raise InvalidJson(after)
        return value

    def value(self, start: int, names: Names) -> JsonSpan:
        """Return the value at an offset, with the named members. Raises `InvalidJson`."""
        found: dict[str, JsonSpan] = {}
        if not names or self._byte(start) != b"{":
            return JsonSpan(start, self._end(start), found)
        at = self._skip_space(start + 1)
        if self._byte(at) == b"}":
            return JsonSpan(start, at + 1, found)
        longest = max(map(len, names)) * _ESCAPE
        while True:
            member = self._skip_space(self._colon(at))
            name = self._short_string(at, longest)
            if name in names:
                found[name] = self.value(member, names[name])
                at = found[name].end
            else:
                at = self._end(member)
            at = self._skip_space(at)
            if self._byte(at) == b"}":
                return JsonSpan(start, at + 1, found)
            if self._byte(at) != b",":
                raise InvalidJson(at)
            at = self._skip_space(at + 1)

    def is_string(self, value: JsonSpan | None) -> bool:
        """Whether a value exists and is a string. The contents of a string are between its quotation marks."""
        return value is not None and self._byte(value.start) == b'"'

    def elements(self, value: JsonSpan | None, names: Names) -> Iterator[JsonSpan] | None:
        """Return the elements of an array, with their named members; None if the value is not an array. The array must
        already have been checked to be JSON.
        """
        is_array = value is not None and self._byte(value.start) == b"["
        return self._elements(value.start, names) if value is not None and is_array else None

    def _elements(self, start: int, names: Names) -> Iterator[JsonSpan]:
        at = self._skip_space(start + 1)
        while self._byte(at) != b"]":
            element = self.value(at, names)
            yield element
            at = self._skip_space(element.end)
            if self._byte(at) == b",":
                at = self._skip_space(at + 1)

    def _short_string(self, at: int, longest: int) -> str:
        """Return the string at an offset; "" for a string with more than `longest` bytes."""
        head = self._raw.read(at + 1, longest + 1)
        raw = head[: self._match(_CONTENTS, 0, head)]
        if not head.startswith(b'"', len(raw)):
            return ""
        text: str = json.loads(b'"' + raw + b'"') if b"\\" in raw else raw.decode("utf-8", "replace")
        return text

    # The grammar

    def _end(self, at: int) -> int:
        """Return the end of the value at an offset."""
        closers: list[bytes] = []
        while True:
            end = self._quick_end(at)
            if end < 0:
                opener = self._byte(at)
                closer = _CLOSERS.get(opener)
                if closer is not None:
                    at = self._skip_space(at + 1)
                    if self._byte(at) != closer:
                        closers.append(closer)
                        at = at if opener == b"[" else self._skip_space(self._colon(at))
                        continue
                    end = at + 1
                else:
                    end = self._string_end(at) if opener == b'"' else self._scalar_end(at)
            at = self._next_value(end, closers)
            if not closers:
                return at

    def _next_value(self, at: int, closers: list[bytes]) -> int:
        """Return the offset of the next value, after a value that ended at `at`. If all arrays and objects are closed,
        return the end of the outermost value.
        """
        while closers:
            at = self._skip_space(at)
            byte = self._byte(at)
            if byte == b",":
                at = self._skip_space(at + 1)
                return at if closers[-1] == b"]" else self._skip_space(self._colon(at))
            if byte != closers[-1]:
                raise InvalidJson(at)
            closers.pop()
            at += 1
        return at

    def _colon(self, at: int) -> int:
        """Return the offset after the colon of a member. `at`: the offset of the member's name."""
        if self._byte(at) != b'"':
            raise InvalidJson(at)
        at = self._skip_space(self._string_end(at))
        if self._byte(at) != b":":
            raise InvalidJson(at)
        return at + 1

    def _quick_end(self, at: int) -> int:
        """Return the end of a value that one match can skip; -1 for a larger or deeper value, and for invalid JSON."""
        pattern = _value()
        place = self._place(at)
        found = pattern.match(self._text, place)
        if (found is None or found.end() == len(self._text)) and len(self._text) - place < _PIECE // 2:
            self._load(at)
            found = pattern.match(self._text)
        if found is None or (found.end() == len(self._text) and not self._is_last()):
            return -1
        return self._from + found.end()

    def _string_end(self, at: int) -> int:
        """Return the end of the string at an offset, after its closing quotation mark."""
        at += 1
        while True:
            place = self._place(at)
            stop = self._match(_CONTENTS, place, self._text)
            if self._text[stop : stop + 1] == b'"':
                return self._from + stop + 1
            at = self._from + stop
            in_escape = self._text[stop : stop + 1] in {b"\\", b""} and len(self._text) - stop < _ESCAPE
            if not in_escape or self._is_last():
                raise InvalidJson(at)
            self._load(at)

    def _scalar_end(self, at: int) -> int:
        length = _PIECE
        while True:
            self._load(at, length)
            found = _SCALAR.match(self._text)
            if found is None:
                raise InvalidJson(at)
            if found.end() < len(self._text) or self._is_last():
                return at + found.end()
            length *= 2

    def _skip_space(self, at: int) -> int:
        while True:
            stop = self._match(_SPACE, self._place(at), self._text)
            at = self._from + stop
            if stop < len(self._text) or self._is_last():
                return at

    def _byte(self, at: int) -> bytes:
        """Return the byte at an offset; b"" at the end."""
        place = self._place(at)
        return self._text[place : place + 1]

    @staticmethod
    def _match(pattern: re.Pattern[bytes], place: int, text: bytes) -> int:
        """Return the end of the match of a pattern that can match the empty string."""
        found = pattern.match(text, place)
        return place if found is None else found.end()

    # The current piece

    def _place(self, at: int) -> int:
        """Return the index in `_text` of an offset. Unless `at` is the end, `_text` then contains its byte."""
        if not self._from <= at < self._from + len(self._text):
            self._load(at)
        return at - self._from

    def _load(self, at: int, length: int = _PIECE) -> None:
        self._text = self._raw.read(at, length)
        self._from = at

    def _is_last(self) -> bool:
        return self._from + len(self._text) >= self._raw.size
