"""A JSON text that need not fit in memory: where its values are, found by reading it in pieces.

The grammar is exactly RFC 8259's, without a limit of depth. Nothing is decoded but the names of members. Of several
members with one name the last counts, as in browsers (ECMA-262, JSON.parse). Offsets are those of the window, in bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from linkfix.containers.window import Window
from linkfix.html.syntaxes.json_text import InvalidJson

#: How many bytes are looked at together.
_PIECE = 1 << 20
#: How many arrays and objects inside each other one match goes through: as many as the header fields of a HAR's entry.
_LEVELS = 2
#: RFC 8259 §7: an escaped character is `\u` and four digits at most.
_ESCAPE = 6

_SPACE = re.compile(rb"[ \t\n\r]*+")
_CONTENTS = re.compile(rb'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*+')
_SCALAR = re.compile(rb"true|false|null|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?")


@cache
def _value(levels: int = _LEVELS) -> re.Pattern[bytes]:
    """A value with no more than `levels` arrays and objects inside each other. It is compiled when it is needed."""
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
    """Where a value is, and which of its members were asked for."""

    start: int
    end: int
    members: dict[str, JsonSpan]
    """The members of an object."""

    def member(self, *path: str) -> JsonSpan | None:
        """The value at a path of member names; None where there is none."""
        found: JsonSpan | None = self
        for name in path:
            found = found and found.members.get(name)
        return found


#: Names of members that are asked for, with those of their own members that are.
Names = Mapping[str, "Names"]


class JsonSpans:
    """The values of a JSON text in a window."""

    def __init__(self, raw: Window) -> None:
        self._raw = raw
        #: The bytes that are looked at, and their offset.
        self._text = b""
        self._from = 0

    def whole(self, start: int, names: Names) -> JsonSpan:
        """The value that the text from `start` to its end is, with the members of these names. Raises `InvalidJson`."""
        value = self.value(self._skip_space(start), names)
        after = self._skip_space(value.end)
        if after < self._raw.size:
            raise InvalidJson(after)
        return value

    def value(self, start: int, names: Names) -> JsonSpan:
        """The value at an offset, with the members of these names. Raises `InvalidJson`."""
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
        """Whether a value is there, and a string. Its contents are between its quotation marks."""
        return value is not None and self._byte(value.start) == b'"'

    def elements(self, value: JsonSpan | None, names: Names) -> Iterator[JsonSpan] | None:
        """The elements of an array that was seen to be JSON, with these members of theirs; None for another value."""
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
        """The string at an offset; "" for one with more than `longest` bytes."""
        head = self._raw.read(at + 1, longest + 1)
        raw = head[: self._match(_CONTENTS, 0, head)]
        if not head.startswith(b'"', len(raw)):
            return ""
        text: str = json.loads(b'"' + raw + b'"') if b"\\" in raw else raw.decode("utf-8", "replace")
        return text

    # The grammar

    def _end(self, at: int) -> int:
        """The end of the value at an offset."""
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
        """Where the next value begins after one that ended at an offset; where the last one ended without another."""
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
        """The offset after a member's name, which begins at `at`, and its colon."""
        if self._byte(at) != b'"':
            raise InvalidJson(at)
        at = self._skip_space(self._string_end(at))
        if self._byte(at) != b":":
            raise InvalidJson(at)
        return at + 1

    def _quick_end(self, at: int) -> int:
        """The end of a value that one match goes through; -1 for a larger or deeper one, and for none."""
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
        """The end of the string at an offset, after its quotation mark."""
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
        """The byte at an offset; none at the end."""
        place = self._place(at)
        return self._text[place : place + 1]

    @staticmethod
    def _match(pattern: re.Pattern[bytes], place: int, text: bytes) -> int:
        """Where the match of a pattern that can match nothing ends."""
        found = pattern.match(text, place)
        return place if found is None else found.end()

    # The bytes that are looked at

    def _place(self, at: int) -> int:
        """Where in `_text` an offset is, whose byte is there unless it is the end."""
        if not self._from <= at < self._from + len(self._text):
            self._load(at)
        return at - self._from

    def _load(self, at: int, length: int = _PIECE) -> None:
        self._text = self._raw.read(at, length)
        self._from = at

    def _is_last(self) -> bool:
        return self._from + len(self._text) >= self._raw.size
