"""JSON: the loop over the tokens of a value, in a text or in a file that is read in pieces.

The grammar is exactly RFC 8259's, without a limit of depth: arrays and objects are read by a loop, not by recursion.
A subclass says what becomes of names and values: `linkfix.html.syntaxes.json_data` makes a tree,
`linkfix.containers.har` the spans of some members.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any, AnyStr, Generic, Protocol, TypeAlias

#: The number of bytes that are read at a time.
STEP = 1 << 20

#: RFC 8259 §7: the maximum length of an escaped character, `\u` and four digits. At the end of a piece, so many bytes
#: may belong to a character, number or name that is cut.
_ESCAPE = 6

SPACE = r"[ \t\n\r]*+"

#: The contents of a string.
CONTENTS = r'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*+'

SCALAR = r"true|false|null|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?"

_SPACES = re.compile(SPACE.encode())

_CONTENTS = re.compile(CONTENTS.encode())

# The grammar: the kinds of token that are allowed next. They are the names of the groups of `token_pattern`.
_VALUE = frozenset(("string", "scalar", "array", "object"))

_FIRST_ELEMENT = _VALUE | {"array_end"}

_NAME = frozenset(("string",))

_FIRST_NAME = _NAME | {"object_end"}

_COLON = frozenset(("colon",))

_AFTER_ELEMENT = frozenset(("comma", "array_end"))

_AFTER_MEMBER = frozenset(("comma", "object_end"))

#: The kind of a token, its start, and its end.
Token: TypeAlias = tuple[str, int, int]


def token_pattern(contents: str) -> str:
    """The pattern of a token, or of the text before an error. `contents`: the pattern of the contents of a string."""
    return (
        rf'{SPACE}(?:(?P<string>"{contents}")|(?P<colon>:)|(?P<comma>,)|(?P<object>\{{)|(?P<object_end>\}})'
        rf'|(?P<array>\[)|(?P<array_end>\])|(?P<scalar>{SCALAR})|(?P<over>\Z)|(?P<fault>(?:"{contents})?))'
    )


class InvalidJson(ValueError):
    """The text is not JSON. `position`: the position of the error."""

    def __init__(self, position: int) -> None:
        super().__init__(f"not JSON at {position}")
        self.position = position


class PieceSource(Protocol):
    """A text in bytes that is read in pieces."""

    size: int

    def read(self, start: int, length: int, /) -> bytes:
        """Return `length` bytes from `start` on; fewer at the end."""


class JsonReader(Generic[AnyStr]):
    """Reads values, and hands their spans to the methods of a subclass. The span of a string has its quotation marks.

    `tokens`: the compiled `token_pattern`. `text`: the text; or b"" and its `source`, to read it in pieces.
    """

    def __init__(self, tokens: re.Pattern[AnyStr], text: AnyStr, source: PieceSource | None = None) -> None:
        self._match: Callable[..., re.Match[AnyStr] | None] = tokens.match
        self._source = source
        #: The current piece, its offset, and the index from which on the end of a token may be wrong.
        self._text: Any = text
        self._from = 0
        self._bound = sys.maxsize if source is None else 0

    def on_name(self, start: int, end: int) -> None:
        """Receive the name of a member."""
        raise NotImplementedError

    def on_value(self, kind: str, start: int, end: int) -> None:
        """Receive a value that is no object or array."""
        raise NotImplementedError

    def on_begin(self, kind: str, start: int) -> int:
        """Receive the start of an object or array. Returns its end if it is not to be read further; otherwise -1."""
        raise NotImplementedError

    def on_end(self, end: int) -> None:
        """Receive the end of the innermost object or array."""
        raise NotImplementedError

    def read_value(self, at: int) -> int:
        """Read the value at an offset. Returns its end. Raises `InvalidJson`."""
        if at < self._from:
            self._load(at, STEP)
        match = self._match
        expected = _VALUE
        path: list[bool] = []  # for each open container, whether it is an object
        while True:
            found = match(self._text, at - self._from)
            if found is None or found.end() >= self._bound:
                kind, start, at = self.token(at)
            else:
                kind = found.lastgroup or ""
                start, at = self._from + found.start(kind), self._from + found.end()
            if kind not in expected:
                raise InvalidJson(at if kind == "fault" else start)
            if kind == "string":
                if expected <= _FIRST_NAME:
                    self.on_name(start, at)
                    expected = _COLON
                    continue
                self.on_value(kind, start, at)
            elif kind == "colon":
                expected = _VALUE
                continue
            elif kind == "comma":
                expected = _NAME if path[-1] else _VALUE
                continue
            elif kind == "scalar":
                self.on_value(kind, start, at)
            elif kind in {"object", "array"}:
                end = self.on_begin(kind, start)
                if end < 0:
                    is_object = kind == "object"
                    path.append(is_object)
                    expected = _FIRST_NAME if is_object else _FIRST_ELEMENT
                    continue
                at = end
            else:
                path.pop()
                self.on_end(at)
            if not path:
                return at
            expected = _AFTER_MEMBER if path[-1] else _AFTER_ELEMENT

    def read_over(self, at: int) -> None:
        """Read the end of the text at an offset. Raises `InvalidJson` if there is something else."""
        kind, start, end = self.token(at)
        if kind != "over":
            raise InvalidJson(end if kind == "fault" else start)

    def token(self, at: int) -> Token:
        """The next token from an offset on. A string that is longer than a piece is not kept."""
        place = at - self._from
        found = self._match(self._text, place) if 0 <= place <= len(self._text) else None
        length = STEP
        while found is None or found.end() >= self._bound:
            if length > STEP:  # a piece from the token's start on does not have its end
                at = self._past(_SPACES, at)
                if self._byte(at) == b'"':
                    end = self._past(_CONTENTS, at + 1)
                    return ("string", at, end + 1) if self._byte(end) == b'"' else ("fault", at, end)
            self._load(at, length)
            found = self._match(self._text)
            length *= 2
        kind = found.lastgroup or ""
        return kind, self._from + found.start(kind), self._from + found.end()

    # The current piece

    def _past(self, pattern: re.Pattern[bytes], at: int) -> int:
        """The end of the match of a pattern at an offset. The pattern can match the empty string."""
        while True:
            self._load(at, max(STEP, 2 * _ESCAPE))
            found = pattern.match(self._text)
            stop = found.end() if found else 0
            at += stop
            if stop < self._bound:
                return at

    def _byte(self, at: int) -> bytes:
        """The byte at an offset; b"" at the end."""
        if not self._from <= at < self._from + len(self._text):
            self._load(at, STEP)
        place = at - self._from
        byte: bytes = self._text[place : place + 1]
        return byte

    def _load(self, at: int, length: int) -> None:
        if self._source is not None:
            self._text = self._source.read(at, length)
            self._from = at
            end = at + len(self._text)
            self._bound = sys.maxsize if end >= self._source.size else len(self._text) - _ESCAPE
