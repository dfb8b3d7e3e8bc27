"""A JSON parser that keeps the spans of strings, for the syntaxes that are JSON.

The grammar is exactly RFC 8259's, without a limit of depth: arrays and objects are parsed by a loop, not by recursion.
If several members have the same name, the last one counts, as in browsers (ECMA-262, JSON.parse).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias, Union

from linkfix.lazy import lazy_pattern

from .found import Found
from .scan import past
from .url import verbatim


class JsonString(NamedTuple):
    """A string in a JSON text."""

    start: int
    """The start of the string in the text, without its quotation mark."""
    end: int
    """The end of the string in the text, without its quotation mark."""
    value: str
    """The string, with its escapes decoded."""


class JsonMember(NamedTuple):
    """A member of an object."""

    name: JsonString
    """The member's name, with its span."""
    value: JsonValue
    """The member's value."""


#: Numbers, true, false and null are None: they have no references.
JsonValue: TypeAlias = Union["JsonObject", "list[JsonValue]", JsonString, None]


class JsonObject(dict[str, JsonMember]):
    """An object: its members by name, in the order of ECMA-262's JSON.parse."""

    overridden: Sequence[JsonMember] = ()
    """The members that a later member with the same name overrides."""

    def add(self, member: JsonMember) -> None:
        """Add a member. It overrides an earlier member with the same name and takes its place."""
        earlier = self.get(member.name.value)
        if earlier is not None:
            if not isinstance(self.overridden, list):
                self.overridden = []
            self.overridden.append(earlier)
        self[member.name.value] = member

    def in_text_order(self) -> list[JsonMember]:
        """All members in the order of the text, including overridden members."""
        return sorted((*self.values(), *self.overridden), key=lambda member: member.name.start)


class InvalidJson(ValueError):
    """The text is not JSON. `position`: the position of the error."""

    def __init__(self, position: int) -> None:
        super().__init__(f"not JSON at {position}")
        self.position = position


_SPACE = r"[ \t\n\r]*+"
_CONTENTS = r'(?:[^"\\\x00-\x1f]++|\\[\s\S]?)*+'
_TOKEN = lazy_pattern(
    rf"""
    {_SPACE}
    (?: "(?P<string>{_CONTENTS})"
      | (?P<scalar> true | false | null | -?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)? )
      | (?P<mark> []{{}}:,[] | \Z )
    )
    """,
    re.VERBOSE,
)
_BEFORE_ERROR = lazy_pattern(rf'{_SPACE}(?:"{_CONTENTS})?')
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\"}
_UNSAFE = lazy_pattern(r'["\\\x00-\x1f<>\u2028\u2029\ud800-\udfff]')

# The kinds of token are "string", "scalar", each structural character, and "" for the end of the text. Each set has the
# kinds that the grammar allows next.
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
        raise InvalidJson(start - 1 + error.pos) from None


class _JsonParser:
    """The state of the parser: the open arrays and objects, and the kinds of token that the grammar allows next.

    `root`: an array whose only element is the text's value.
    """

    __slots__ = ("expected", "name", "path", "root")

    def __init__(self) -> None:
        self.root: list[JsonValue] = []
        self.path: list[JsonObject | list[JsonValue]] = [self.root]
        self.name = JsonString(0, 0, "")
        self.expected = _VALUE

    def take(self, kind: str, token: re.Match[str]) -> None:
        """Process the next token, of an expected kind."""
        if kind == "string":
            self.string(_string(token))
        elif kind == "scalar":
            self.place(None)
        elif kind == "{":
            self.open(JsonObject(), _FIRST_NAME)
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
            container.add(JsonMember(self.name, value))
        else:
            container.append(value)
        self.end_value()

    def end_value(self) -> None:
        if len(self.path) == 1:
            self.expected = _AFTER_TEXT
        else:
            self.expected = _AFTER_MEMBER if isinstance(self.path[-1], dict) else _AFTER_ELEMENT


def parse(text: str) -> JsonValue:
    """Parse a JSON text (RFC 8259 §2). Raises `InvalidJson` exactly for texts that are not JSON."""
    parser = _JsonParser()
    position = 0
    while True:
        token = _TOKEN.match(text, position)
        if token is None:
            raise InvalidJson(past(_BEFORE_ERROR, text, position))
        group = token.lastgroup or ""
        kind = token["mark"] if group == "mark" else group
        if kind not in parser.expected:
            raise InvalidJson(token.start(group) - (group == "string"))
        if not kind:
            return parser.root[0]
        parser.take(kind, token)
        position = token.end()


def strings_in(value: JsonValue) -> Iterator[JsonString]:
    """Yield `value` if it is a string, or its elements that are strings."""
    for element in value if isinstance(value, list) else [value]:
        if isinstance(element, JsonString):
            yield element


def _escape(url: str) -> str:
    """The URL as the contents of a JSON string (RFC 8259 §7).

    Characters that could end the script or CDATA section around the JSON text are escaped too.
    """
    return _UNSAFE.sub(lambda character: _SHORT_ESCAPES.get(character[0]) or f"\\u{ord(character[0]):04x}", url)


def find_strings(text: str, references: Callable[[JsonValue], Iterable[JsonString]]) -> list[Found]:
    """Find the strings that `references` picks from a JSON text.

    In a text that is not JSON, find a "fault" at the position of the error.
    """
    try:
        strings = references(parse(text))
    except InvalidJson as error:
        return [Found(error.position, error.position, "", verbatim, "fault", "json-syntax")]
    return [Found(start, end, value, _escape) for start, end, value in sorted(strings)]
