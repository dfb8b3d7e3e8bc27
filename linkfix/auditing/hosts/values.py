"""The values of host files in JSON and TOML, and their places. The parsers do not keep places, so values are searched.

Values are asked for in the order of the file, so that the second of two equal values has its own place.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Mapping
from typing import Any

from linkfix.auditing.hosts.rules import HostRules, RulePlace
from linkfix.lazy import lazy_pattern

CORRECT_LIST = "write a list of rules: what is not a rule does not count"

#: A comment of JSON files that hosts accept, or a string, which may contain the signs of one.
_JSON_COMMENT = lazy_pattern(r'"(?:[^"\\\n]|\\.)*+"|//[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/')


def text_of(value: object) -> str:
    """A value if it is text; else ""."""
    return value if isinstance(value, str) else ""


def entries(value: object) -> list[dict[str, Any]]:
    """The objects of a list; none if the value is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


class InvalidHostFile(Exception):
    """A file that its host cannot read: what is wrong, as one clause, and the line."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def decoded_text(data: bytes) -> str:
    """The text of a file. Raises `InvalidHostFile` if it is not UTF-8."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = "the file is not UTF-8"
        raise InvalidHostFile(msg, data.count(b"\n", 0, error.start) + 1) from None
    if "\0" in text:
        msg = "the file is not UTF-8"
        raise InvalidHostFile(msg, text.count("\n", 0, text.index("\0")) + 1)
    return text


def read_json(data: bytes) -> dict[str, Any]:
    """The object of a JSON file, which may have comments. Raises `InvalidHostFile`."""
    text = decoded_text(data)
    try:
        return _object(text)
    except InvalidHostFile:
        return _object(_JSON_COMMENT.sub(_without_comment, text))


#: A string, or a comma that no value follows.
_LAST_COMMA = lazy_pattern(r"\"(?:[^\"\\]|\\.)*\"|,(?=\s*[}\]])", re.DOTALL)


def read_jsonc(data: bytes) -> dict[str, Any]:
    """The object of a JSON file, which may have comments, and commas after last values. Raises `InvalidHostFile`."""
    text = _JSON_COMMENT.sub(_without_comment, decoded_text(data))
    return _object(_LAST_COMMA.sub(lambda found: found[0] if found[0] != "," else " ", text))


def _without_comment(found: re.Match[str]) -> str:
    """A string as it is, and a comment as its line ends, so that lines keep their numbers."""
    return found[0] if found[0][0] == '"' else " " + "\n" * found[0].count("\n")


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        msg = f"the file is not valid JSON: {error.msg}"
        raise InvalidHostFile(msg, error.lineno) from None
    except (ValueError, RecursionError):  # a number of very many digits, or very many levels
        msg = "the file is not valid JSON"
        raise InvalidHostFile(msg) from None
    if not isinstance(found, dict):
        msg = "the file has no object"
        raise InvalidHostFile(msg)
    return found


#: The line of an error, as `tomllib` tells it.
_TOML_LINE = lazy_pattern(r" \(at (?:line (\d+), column \d+|end of document)\)")


#: A key of more names than any settings have: the time of `tomllib` grows with the square of their number.
_TOML_LONG_KEY = lazy_pattern(r"(?<![\w.-])(?:[\w-]++[ \t]*+\.[ \t]*+){100}")


def read_toml(data: bytes) -> dict[str, Any]:
    """The content of a TOML file. Raises `InvalidHostFile`."""
    import tomllib  # few sites have such a file

    text = decoded_text(data)
    if _TOML_LONG_KEY.search(text):
        msg = "the file is not valid TOML: a key of very many names"
        raise InvalidHostFile(msg)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        words = str(error) if isinstance(error, tomllib.TOMLDecodeError) else ""
        place = _TOML_LINE.search(words)
        last = text.rstrip().count("\n") + 1
        line = int(place[1]) if place and place[1] else last if place else 1
        what = _TOML_LINE.sub("", words)
        msg = f"the file is not valid TOML{': ' * bool(what)}{what}"
        raise InvalidHostFile(msg, line) from None


def rule_entries(
    settings: Mapping[str, Any], key: str, finder: ValuePlaces, rules: HostRules, name: str
) -> list[dict[str, Any]]:
    """The rules that a key of a file has. A value of another type is noted."""
    value = settings.get(key)
    found = entries(value)
    if value is not None and not (isinstance(value, list) and len(found) == len(value)):
        what = "has an entry that is not an object" if isinstance(value, list) else "is not a list"
        rules.reject(RulePlace(name, finder.line_of_key(key)), f"{key} {what}", CORRECT_LIST)
    return found


#: A key and its value, a string on one line.
_ENTRY = lazy_pattern(
    rb"(?:^|(?<=[\s,{]))[\"']?([A-Za-z-]{1,40})[\"']?[ \t]{0,20}[:=][ \t]{0,20}"
    rb"(?:\"((?:[^\"\\\n]|\\.)*+)\"|'([^'\n]*+)')",
    re.MULTILINE,
)


class ValuePlaces:
    """The places of values in a file."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._starts = [0, *(match.end() for match in re.finditer(b"\n", data))]
        self._spans: dict[tuple[str, str], deque[tuple[int, int]]] = {}
        for found in _ENTRY.finditer(data):
            number = 3 if found[2] is None else 2
            key, value = found[1].decode("ascii"), _unescaped(found[number].decode("utf-8", "replace"))
            self._spans.setdefault((key, value), deque()).append(found.span(number))

    def value(self, key: str, value: str) -> tuple[int, int] | None:
        """The start and end of the next value of a key, without quotation marks; None if it is not found."""
        spans = self._spans.get((key, value))
        return spans.popleft() if spans else None

    def line(self, key: str, value: str) -> int:
        """The line of the next value of a key, from 1; 1 if it is not found."""
        found = self.value(key, value)
        return self.line_at(found[0]) if found else 1

    def line_at(self, start: int) -> int:
        """The line of a place in the data, from 1."""
        return bisect_right(self._starts, start)

    def line_of_key(self, key: str) -> int:
        """The line of a key, whatever its value is; 1 if it is not found."""
        found = re.search(rb"(?<![\w-])%s(?![\w-])" % re.escape(key.encode()), self._data)
        return self.line_at(found.start()) if found else 1


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"')) if "\\" in text else text
    except ValueError:
        return text
