"""The values of host files in JSON and TOML, and their places. The parsers do not keep places, so values are searched.

Values are asked for in the order of the file, so that the second of two equal values has its own place.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from linkfix.auditing.hosts.rules import HostRules, RulePlace
from linkfix.files.mistakes import BYTE_ORDER_MARK, Mistake, json_mistake, toml_mistake
from linkfix.lazy import lazy_pattern

CORRECT_LIST = "write a list of rules: what is not a rule does not count"

#: A comment of JSON files that hosts accept, or a string, which may contain the signs of one.
_JSON_COMMENT = lazy_pattern(r'"(?:[^"\\\n]|\\.)*+"|//[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/')


def text_of(value: object) -> str:
    """A value if it is text; else ""."""
    return value if isinstance(value, str) else ""


def text_fault(entry: Mapping[str, Any], keys: Sequence[str], of: str) -> str:
    """The mistake of a rule that has no text for any of some keys; "" for none. `of`: the key of the list of rules."""
    if any(text_of(entry.get(key)) for key in keys):
        return ""
    wrong = next((key for key in keys if entry.get(key) is not None and entry[key] != ""), "")
    return f"the {wrong} of a rule of {of} is not a text" if wrong else f"a rule of {of} has no {keys[0]}"


def entries(value: object) -> list[dict[str, Any]]:
    """The objects of a list; none if the value is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


class InvalidHostFile(Exception):
    """A file that its host cannot read: what is wrong, as one clause, and the place."""

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column

    def place(self, name: str, data: bytes) -> RulePlace:
        """The place in a file's data. `name`: the name of the file."""
        start = data.startswith(b"\xef\xbb\xbf") * 3 if self.line == 1 else 0
        for _ in range(self.line - 1):
            start = data.find(b"\n", start) + 1
        before = data[start:].decode("utf-8", "replace")[: self.column - 1]
        return RulePlace(name, self.line, start + len(before.encode()))


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
    """A string as it is, and a comment as spaces, so that all that follows keeps its place."""
    return found[0] if found[0][0] == '"' else re.sub(r"[^\n]", " ", found[0])


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise _json_error(json_mistake(error)) from None
    except (ValueError, RecursionError):  # a number of very many digits, or very many levels
        msg = "the file is not valid JSON"
        raise InvalidHostFile(msg) from None
    if not isinstance(found, dict):
        msg = "the file has no object"
        raise InvalidHostFile(msg)
    return found


def _error(form: str, mistake: Mistake) -> InvalidHostFile:
    message = f"the file is not valid {form}{': ' * bool(mistake.words)}{mistake.words}"
    return InvalidHostFile(message, mistake.line, mistake.column)


_json_error, _toml_error = partial(_error, "JSON"), partial(_error, "TOML")


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
        raise _toml_error(toml_mistake(error, text)) from None


def read_unmarked_toml(data: bytes) -> dict[str, Any]:
    """The content of a TOML file for programs that refuse a byte order mark (Netlify CLI). Raises `InvalidHostFile`."""
    if data.startswith(b"\xef\xbb\xbf"):
        raise _toml_error(Mistake(BYTE_ORDER_MARK))
    return read_toml(data)


def with_texts(read: Callable[[bytes], dict[str, Any]], *paths: str) -> Callable[[bytes], dict[str, Any]]:
    """A reader of a file whose values at some paths, such as `build/publish`, have to be texts or null."""

    def checked(data: bytes) -> dict[str, Any]:
        settings = read(data)
        for path in paths:
            table, _, key = path.rpartition("/")
            inner = settings.get(table) if table else settings
            if isinstance(inner, dict) and not isinstance(inner.get(key), str | None):
                place = ValuePlaces(data, "").place_of_key(key)
                msg = f"{key} is not a text"
                raise InvalidHostFile(msg, place.line)
        return settings

    return checked


def rule_entries(
    settings: Mapping[str, Any], key: str, finder: ValuePlaces, rules: HostRules
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rules that a key has, each with its name (`redirects[3]`). A value of another type is noted."""
    value = settings.get(key)
    if value is not None and not (isinstance(value, list) and len(entries(value)) == len(value)):
        what = "has an entry that is not an object" if isinstance(value, list) else "is not a list"
        rules.reject(finder.place_of_key(key), f"{key} {what}", CORRECT_LIST)
    for number, one in enumerate(value if isinstance(value, list) else ()):
        if isinstance(one, dict):
            yield f"{key}[{number}]", one


#: A key and its value, a string on one line.
_ENTRY = lazy_pattern(
    rb"(?:^|(?<=[\s,{]))[\"']?([A-Za-z-]{1,40})[\"']?[ \t]{0,20}[:=][ \t]{0,20}"
    rb"(?:\"((?:[^\"\\\n]|\\.)*+)\"|'([^'\n]*+)')",
    re.MULTILINE,
)


class ValuePlaces:
    """The places of values in a file. `name`: its name.

    `prefix`: the beginning of the names of entries, which messages use if one line has several: `redirects[3]`.
    """

    def __init__(self, data: bytes, name: str) -> None:
        self._data = data
        self._name = name
        self.prefix: str = ""
        self._starts = [0, *(match.end() for match in re.finditer(b"\n", data))]
        self._is_one_line = b"\n" not in data.strip()
        self._spans: dict[tuple[str, str], deque[tuple[int, int]]] = {}
        #: The number of values of a key in a line.
        self._counts: Counter[tuple[str, int]] = Counter()
        for found in _ENTRY.finditer(data):
            number = 3 if found[2] is None else 2
            key, value = found[1].decode("ascii"), _unescaped(found[number].decode("utf-8", "replace"))
            self._spans.setdefault((key, value), deque()).append(found.span(number))
            self._counts[key, self._line(found.start())] += 1

    def value(self, key: str, value: str) -> tuple[int, int] | None:
        """The start and end of the next value of a key, without quotation marks; None if it is not found."""
        spans = self._spans.get((key, value))
        return spans.popleft() if spans else None

    def place(self, key: str, value: str, entry: str) -> RulePlace:
        """The place of the next value of a key; the beginning of the file if it is not found. `entry`: what has it."""
        found = self.value(key, value)
        start = found[0] if found else 0
        return self.place_at(start, entry, is_one=self._counts[key, self._line(start)] == 1)

    def place_at(self, start: int, entry: str, *, is_one: bool = True) -> RulePlace:
        """A place in the data, with its line. `entry`: what is there. `is_one`: whether the line shows that."""
        name = "" if is_one and not self._is_one_line else self.prefix + entry
        return RulePlace(self._name, self._line(start), start, name)

    def place_of_key(self, key: str) -> RulePlace:
        """The place of a key, whatever its value is; the beginning of the file if it is not found."""
        found = re.search(rb"(?<![\w-])%s(?![\w-])" % re.escape(key.encode()), self._data)
        return self.place_at(found.start() if found else 0, key)

    def place_of_entry(self, key: str, number: int, text: str) -> RulePlace:
        """The place of a text in the list that a key has; that of the key if the text is not found."""
        place = self.place_of_key(key)
        quoted = f'"{text}"'.encode("utf-8", "replace")
        start = self._data.find(quoted, place.at) + 1
        if not start:
            return place
        line = self._data[self._starts[self._line(start) - 1] :].partition(b"\n")[0]
        return self.place_at(start, f"{key}[{number}]", is_one=line.strip(b" \t\r,") == quoted)

    def _line(self, start: int) -> int:
        return bisect_right(self._starts, start)


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"')) if "\\" in text else text
    except ValueError:
        return text
