"""The mistakes in files of JSON and TOML, in words. The messages of Python's parsers are for programmers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from linkfix.lazy import lazy_pattern


class Mistake(NamedTuple):
    """A mistake, and its place in a text."""

    words: str
    """The mistake, as a clause; "" if it is not known."""
    line: int = 1
    column: int = 1


#: The beginning of a message of `json` -> the mistake.
_JSON: Mapping[str, str] = {
    "Expecting property name": "a name in double quotation marks is missing",
    "Expecting ',' delimiter": "a comma is missing",
    "Expecting ':' delimiter": "a colon is missing",
    "Expecting value": "a value is missing, or has no double quotation marks",
    "Extra data": "there is text after the end",
    "Unterminated string": "nothing ends the text that begins here",
    "Invalid control character": "a text has a line break or another control character",
    "Invalid \\": "a text has a backslash that begins no escape",
}

BYTE_ORDER_MARK = "a byte order mark is before the text: save the file as UTF-8 without one"

_LAST_COMMA = "a comma is before the end of the list or object"

#: The beginning of a message of `tomllib` -> the mistake.
_TOML: Mapping[str, str] = {
    "Invalid value": "the value is not valid: put text in quotation marks",
    "Expected '=' after a key": "the key has no = after it",
    "Expected newline or end of document": "there is text after the end of the statement",
    "Expected ']": "nothing ends the name of the table",
    "Invalid initial character": "a key is missing",
    "Invalid statement": "the line is no statement",
    "Unterminated string": "nothing ends the text",
    "Expected '\"": "nothing ends the text",
    "Expected \"'": "nothing ends the text",
    "Illegal character '\\n'": "nothing ends the text in this line",
    "Illegal character": "a control character",
    "Found invalid character": "a control character",
    "Unclosed array": "nothing ends the list, or a comma is missing",
    "Unclosed inline table": "nothing ends the table, or a comma is missing",
    "Cannot overwrite a value": "the key has a value already",
    "Duplicate inline table key": "the key has a value already",
    "Cannot declare": "the table is declared twice",
    "Cannot mutate": "the key is part of a value that is complete",
    "Cannot redefine": "the key is part of a value that is complete",
    "Invalid date": "there is no such date",
    "Invalid hex": "a text has a backslash that begins no escape",
    "Unescaped '\\'": "a text has a backslash that begins no escape",
    "Escaped character": "an escape is no character",
}

#: The place of a mistake, as `tomllib` tells it.
_TOML_PLACE = lazy_pattern(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)


def _words(table: Mapping[str, str], message: str) -> str:
    return next((words for beginning, words in table.items() if message.startswith(beginning)), "")


def json_mistake(error: json.JSONDecodeError) -> Mistake:
    """The mistake that a parser of JSON found."""
    before = error.doc[: error.pos].rstrip()
    is_end = error.doc[error.pos : error.pos + 1] in {"]", "}"}
    if error.msg.startswith("Illegal trailing comma") or (is_end and before.endswith(",")):
        at = error.pos if not is_end else len(before) - 1
        line_start = error.doc.rfind("\n", 0, at) + 1
        return Mistake(_LAST_COMMA, error.doc.count("\n", 0, at) + 1, at - line_start + 1)
    return Mistake(_words(_JSON, error.msg), error.lineno, error.colno)


def toml_mistake(error: Exception, text: str) -> Mistake:
    """The mistake that `tomllib` found in a text. `error`: any error that it raises."""
    import tomllib  # few runs read such a file

    if text.startswith("\ufeff"):
        return Mistake(BYTE_ORDER_MARK)
    if isinstance(error, RecursionError):
        return Mistake("lists or tables are nested too deeply: write fewer levels")
    if not isinstance(error, tomllib.TOMLDecodeError):
        return Mistake("a number has too many digits")
    found = _TOML_PLACE.fullmatch(str(error))
    if found is None:
        return Mistake(_words(_TOML, str(error)))
    words = _words(_TOML, found[1])
    if found[2]:
        return Mistake(words, int(found[2]), int(found[3]))
    return Mistake(words or "the last statement is not complete", text.rstrip().count("\n") + 1)
