"""The values of host files in JSON and TOML, and their places. The parsers do not keep places, so values are searched.

Values are asked for in the order of the file, so that the second of two equal values has its own place.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import deque
from typing import Any

from linkfix.lazy import lazy_pattern

#: A comment of JSON files that hosts accept, or a string, which may contain the signs of one.
_JSON_COMMENT = lazy_pattern(r'"(?:[^"\\\n]|\\.)*+"|//[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/')


def text_of(value: object) -> str:
    """A value if it is text; else ""."""
    return value if isinstance(value, str) else ""


def entries(value: object) -> list[dict[str, Any]]:
    """The objects of a list; none if the value is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def read_json(data: bytes) -> dict[str, Any]:
    """The object of a JSON file, which may have comments; nothing if it is not valid."""
    text = data.decode("utf-8-sig", "replace")
    for form in (text, _JSON_COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else " ", text)):
        try:
            found = json.loads(form)
        except (ValueError, RecursionError):
            continue
        return found if isinstance(found, dict) else {}
    return {}


#: A key and its value, a string on one line.
_ENTRY = lazy_pattern(
    rb"(?:^|(?<=[\s,{]))[\"']?([A-Za-z-]{1,40})[\"']?[ \t]{0,20}[:=][ \t]{0,20}"
    rb"(?:\"((?:[^\"\\\n]|\\.)*+)\"|'([^'\n]*+)')",
    re.MULTILINE,
)


class ValuePlaces:
    """The places of values in a file."""

    def __init__(self, data: bytes) -> None:
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
        return bisect_right(self._starts, found[0]) if found else 1


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"')) if "\\" in text else text
    except ValueError:
        return text
