"""JSON with the spans of its strings: what the syntaxes that are written in JSON read.

The grammar is RFC 8259's to the letter, with no limit to depth: arrays and objects are read by a loop, never by
recursion. Of several members with one name the last counts, as in browsers (ECMA-262, JSON.parse).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias, Union

from .found import Found
from .scan import past
from .url import verbatim

__all__ = ["JsonObject", "JsonString", "JsonValue", "Member", "NotJson", "find_strings", "parse", "strings_in"]


class JsonString(NamedTuple):
    """A string: its value, and where it stands in the text, without its quotes."""

    start: int
    end: int
    value: str


class Member(NamedTuple):
    """A member of an object: its name as it stands in the text, and its value."""

    name: JsonString
    value: JsonValue


#: Numbers, true, false and null are all None: no reference can be in them.
JsonValue: TypeAlias = Union["JsonObject", "list[JsonValue]", JsonString, None]
JsonObject: TypeAlias = dict[str, Member]


class NotJson(ValueError):
    """The text is not JSON; `position` is where reading it stopped. It never leaves this package."""

    def __init__(self, position: int) -> None:
        super().__init__(f"not JSON at {position}")
        self.position = position


_SPACE = r"[ \t\n\r]*+"
_CONTENTS = r'(?:[^"\\\x00-\x1f]++|\\[\s\S]?)*+'
_TOKEN = re.compile(
    rf"""
    {_SPACE}
    (?: "(?P<string>{_CONTENTS})"
      | (?P<scalar> true | false | null | -?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)? )
      | (?P<mark> []{{}}:,[] | \Z )
    )
    """,
    re.VERBOSE,
)
_STOPPED = re.compile(rf'{_SPACE}(?:"{_CONTENTS})?')
_SHORT = {'"': '\\"', "\\": "\\\\"}
_MUST_BE_ESCAPED = re.compile(r'["\\\x00-\x1f<>\u2028\u2029\ud800-\udfff]')

# Kinds of token: "string", "scalar", a mark as itself, and the end of the text, which is an empty mark. These sets are
# the kinds that can come next, by what is being read.
_VALUE = frozenset(("string", "scalar", "[", "{"))
_FIRST_ELEMENT = _VALUE | {"]"}
_NAME = frozenset(("string",))
_FIRST_NAME = _NAME | {"}"}
_COLON = frozenset((":",))
_AFTER_ELEMENT = frozenset((",", "]"))
_AFTER_MEMBER = frozenset((",", "}"))
_AFTER_TEXT = frozenset(("",))


def _string(token: re.Match[str]) -> JsonString:
    start, end = token.span("string")
    raw = token["string"]
    if "\\" not in raw:
        return JsonString(start, end, raw)
    try:
        return JsonString(start, end, json.loads(f'"{raw}"'))
    except json.JSONDecodeError as error:
        raise NotJson(start - 1 + error.pos) from None


class _Reader:
    """The state of reading one text: the containers that are open, and which kinds of token can come next.

    `root` stands for the text: an array that gets the text's value as its one element.
    """

    __slots__ = ("expected", "name", "path", "root")

    def __init__(self) -> None:
        self.root: list[JsonValue] = []
        self.path: list[JsonObject | list[JsonValue]] = [self.root]
        self.name = JsonString(0, 0, "")
        self.expected = _VALUE

    def take(self, kind: str, token: re.Match[str]) -> None:
        """Take the next token, which is of a kind that is expected."""
        if kind == "string":
            self.string(_string(token))
        elif kind == "scalar":
            self.place(None)
        elif kind == "{":
            self.open({}, _FIRST_NAME)
        elif kind == "[":
            self.open([], _FIRST_ELEMENT)
        elif kind == ":":
            self.expected = _VALUE
        elif kind == ",":
            self.expected = _NAME if isinstance(self.path[-1], dict) else _VALUE
        else:
            self.path.pop()
            self.end_value()

    def string(self, string: JsonString) -> None:
        if self.expected <= _FIRST_NAME:
            self.name, self.expected = string, _COLON
        else:
            self.place(string)

    def open(self, container: JsonObject | list[JsonValue], expected: frozenset[str]) -> None:
        self.place(container)
        self.path.append(container)
        self.expected = expected

    def place(self, value: JsonValue) -> None:
        container = self.path[-1]
        if isinstance(container, dict):
            container[self.name.value] = Member(self.name, value)
        else:
            container.append(value)
        self.end_value()

    def end_value(self) -> None:
        if len(self.path) == 1:
            self.expected = _AFTER_TEXT
        else:
            self.expected = _AFTER_MEMBER if isinstance(self.path[-1], dict) else _AFTER_ELEMENT


def parse(text: str) -> JsonValue:
    """Read a JSON text (RFC 8259 §2). Raises `NotJson` for exactly the texts that are none."""
    reader = _Reader()
    position = 0
    while True:
        token = _TOKEN.match(text, position)
        if token is None:
            raise NotJson(past(_STOPPED, text, position))
        group = token.lastgroup or ""
        kind = token["mark"] if group == "mark" else group
        if kind not in reader.expected:
            raise NotJson(token.start(group) - (group == "string"))
        if not kind:
            return reader.root[0]
        reader.take(kind, token)
        position = token.end()


def strings_in(value: JsonValue) -> Iterator[JsonString]:
    """The string that `value` is, or the strings that are its elements."""
    for element in value if isinstance(value, list) else [value]:
        if isinstance(element, JsonString):
            yield element


def _escape(url: str) -> str:
    """The contents of a JSON string (RFC 8259 §7) that cannot end the script, or the CDATA section, that it is in."""
    return _MUST_BE_ESCAPED.sub(lambda character: _SHORT.get(character[0]) or f"\\u{ord(character[0]):04x}", url)


def find_strings(text: str, references: Callable[[JsonValue], Iterable[JsonString]]) -> list[Found]:
    """Find the strings that `references` picks from a JSON text; for a text that is none, one "fault" where it errs."""
    try:
        strings = references(parse(text))
    except NotJson as error:
        return [Found(error.position, error.position, "", verbatim, "fault", "json-syntax")]
    return [Found(start, end, value, _escape) for start, end, value in sorted(strings)]
