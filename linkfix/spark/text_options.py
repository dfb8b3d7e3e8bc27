"""Options of data sources, which Spark passes as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from linkfix.errors import InvalidOption
from linkfix.spark.paths import SLICE_SIZE

_BOOLEANS = {"true": True, "false": False}


class TextReader(NamedTuple):
    """The conversion of an option from text."""

    read: Callable[[str], object]
    """Converts the text. Raises ValueError or KeyError for an invalid text."""
    expected: str


def _texts(text: str) -> frozenset[str]:
    return frozenset(filter(None, (word.strip() for word in text.split(","))))


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


_TEXT = TextReader(str, "a string")
_BOOLEAN = TextReader(lambda text: _BOOLEANS[text.lower()], "true or false")
_NUMBER = TextReader(int, "a whole number")
_SIZE = TextReader(_positive, "a whole number of bytes, 1 or more")
_SECONDS = TextReader(float, "a number of seconds")

#: Options for reading documents: keywords of `linkfix.arrow.links` and `linkfix.arrow.pages`. `rows` and `keep` have no
#: text form.
DOCUMENTS: dict[str, TextReader] = {
    "seconds": _SECONDS,
    "default_base": _TEXT,
    "max_size": _NUMBER,
    **dict.fromkeys(("spec", "excess_dots", "same_scheme", "fragments", "base_element", "scripting"), _TEXT),
    **dict.fromkeys(("normalize", "plain_text", "header_fields", "lazy", "social", "json_ld", "anchors"), _BOOLEAN),
    "escape_ampersands": _BOOLEAN,
    "srcdoc_depth": _NUMBER,
}
#: Options for selecting documents: keywords of `linkfix.arrow.warc`.
_ARCHIVES: dict[str, TextReader] = {"max_size": _NUMBER, "media_types": TextReader(_texts, "media types, with commas")}


class SourceOptions(NamedTuple):
    """The options of a data source."""

    paths: list[str]
    slice_size: int
    """The size of a partition, in bytes."""
    archives: dict[str, Any]
    """Keywords of `linkfix.arrow.warc`."""
    documents: dict[str, Any]
    """Keywords of `linkfix.arrow.links` and `linkfix.arrow.pages`."""


def read_options(options: Mapping[str, str], documents: Mapping[str, TextReader] = DOCUMENTS) -> SourceOptions:
    """Read the options of a data source that takes `documents`. Raises InvalidOption for a wrong name or value."""
    given = {name.lower(): text for name, text in options.items()}
    paths = [given.pop("path")] if "path" in given else []
    paths += json.loads(given.pop("paths", "[]"))
    if not paths:
        message = "nothing to read: give paths to load()"
        raise InvalidOption(message)
    known = {"slice_size": _SIZE, **_ARCHIVES, **documents}
    if unknown := sorted(set(given) - set(known)):
        message = f"unknown option {unknown[0]}: use one of {', '.join(sorted(known))}"
        raise InvalidOption(message)
    values: dict[str, Any] = {}
    for name, text in given.items():
        try:
            values[name] = known[name].read(text)
        except (ValueError, KeyError):
            raise InvalidOption.of(name, text, known[name].expected) from None
    return SourceOptions(
        paths,
        values.get("slice_size", SLICE_SIZE),
        {name: values[name] for name in _ARCHIVES if name in values},
        {name: values[name] for name in documents if name in values},
    )
