"""The valid values of each option: one check for the library, the hooks and the command line.

An option is declared once, as a field of a class: `linkfix.model.Options`, `linkfix.hooks.response.Settings`,
`linkfix.runs.plan.RunSettings` or `linkfix.auditing.model.AuditOptions`. The type of the field says which values are
valid; `CONSTRAINTS` has the options of which a type says too little.

Options from `scrapy -s`, settings files and the command line are text. They are converted before the check. The modules
that use the options define the meaning of a value, and check combinations of options.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, get_args

from linkfix import model
from linkfix.errors import InvalidOption
from linkfix.model import DOCUMENT_KINDS, Options, Row

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


class Constraint(NamedTuple):
    """The valid values of an option."""

    expected: str
    """The valid values, in words, for messages."""
    is_met: Callable[[object], bool]
    """Whether a value is valid."""


def _or_none(is_met: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: value is None or is_met(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_whole_number(minimum: int) -> Callable[[object], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= minimum


def _are_texts(value: object) -> bool:
    return isinstance(value, Collection) and not isinstance(value, str | bytes) and all(map(_is_text, value))


def _are_placeholders(value: object) -> bool:
    """Whether a value is a tuple of patterns. One without text would be in every reference."""
    return isinstance(value, tuple) and all(_is_text(pattern) and pattern.replace("*", "") for pattern in value)


def _is_tuple_of_texts(value: object) -> bool:
    return isinstance(value, tuple) and _are_texts(value)


def _are_rows(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(row, Row) and _are_texts(row) for row in value)


def _are_ignores(value: object) -> bool:
    def is_ignore(row: object) -> bool:
        if not isinstance(row, tuple):
            return False
        pattern, *codes = row
        return _is_text(pattern) and len(codes) == 1 and _is_tuple_of_texts(codes[0])

    return isinstance(value, tuple) and all(row and is_ignore(row) for row in value)


def _are_pairs(value: object) -> bool:
    return isinstance(value, tuple) and all(_is_tuple_of_texts(row) and len(row) == _PAIR for row in value)


def _are_media_types(value: object) -> bool:
    if not (_are_texts(value) and isinstance(value, Collection)):
        return False
    return len(value) > 0 and all(media_type in DOCUMENT_KINDS for media_type in value)


def _is_duration(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


_PAIR = 2

#: Option -> its valid values, if they are not all values of its type.
CONSTRAINTS: dict[str, Constraint] = {
    "max_size": Constraint("a whole number of bytes, 0 or more", _is_whole_number(0)),
    "processes": Constraint("a whole number, 1 or more", _is_whole_number(1)),
    "media_types": Constraint(
        f"a set of media types in lower case, one or more; linkfix reads {', '.join(DOCUMENT_KINDS)}", _are_media_types
    ),
    "placeholders": Constraint(
        "a tuple of strings, each with other characters than '*', such as '%%*%%'", _are_placeholders
    ),
    "seconds": Constraint("a number of seconds, more than 0, or None", _or_none(_is_duration)),
}

#: Options whose types are defined by packages above this one.
_UNCHECKED = frozenset({"url_map", "files"})

#: The text of a type -> its valid values, for types that are not a set of words.
_OF_TYPES = {
    "bool": Constraint("True or False", lambda value: isinstance(value, bool)),
    "bool | None": Constraint("True, False or None", _or_none(lambda value: isinstance(value, bool))),
    "str": Constraint("a string", _is_text),
    "str | None": Constraint("a string or None", _or_none(_is_text)),
    "int": Constraint("a whole number, 0 or more", _is_whole_number(0)),
    "tuple[str, ...]": Constraint("a tuple of strings", _is_tuple_of_texts),
    "Collection[str]": Constraint("a collection of strings", _are_texts),
    "tuple[tuple[str, str], ...]": Constraint("a tuple of pairs of strings, a URL and a folder", _are_pairs),
    "tuple[tuple[str, tuple[str, ...]], ...]": Constraint(
        "a tuple of patterns, each with a tuple of strings", _are_ignores
    ),
    "tuple[Row, ...]": Constraint("a tuple of linkfix.Row, whose fields are strings", _are_rows),
    "Callable[[str], bool]": Constraint("a function of a URL", callable),
    "Callable[[str], str | None]": Constraint("a function of a URL", callable),
    "Callable[[str], str]": Constraint("a function of a URL", callable),
    "Options": Constraint("an Options", lambda value: isinstance(value, Options)),
}


def words(type_: str) -> tuple[str, ...]:
    """Return the valid values of a type, without None, if they are words: a `Literal` in `linkfix.model`.

    >>> words("ExcessDots | None"), words("str")
    (('keep', 'drop', 'error'), ())
    """
    return get_args(vars(model).get(type_.removesuffix(" | None")))


@cache
def constraint(option: str, type_: str) -> Constraint:
    """Return the valid values of an option with a type. Raises KeyError for a type that has no check.

    >>> constraint("fragments", "FragmentMode | None").expected
    "'keep' or 'absolutize', or None"
    """
    if option in CONSTRAINTS:
        return CONSTRAINTS[option]
    if type_ not in _OF_TYPES and type_.endswith(" | None"):
        expected, is_met = constraint(option, type_.removesuffix(" | None"))
        return Constraint(f"{expected}, or None", _or_none(is_met))
    if choices := words(type_):
        *others, last = map(repr, choices)
        return Constraint(f"{', '.join(others)} or {last}", lambda value: _is_text(value) and value in choices)
    return _OF_TYPES[type_]


def check(option: str, value: object, type_: str = "") -> None:
    """Raise InvalidOption if a value is not valid for an option with a type."""
    expected, is_met = constraint(option, type_)
    if not is_met(value):
        raise InvalidOption.of(option, value, expected)


def check_fields(options: DataclassInstance) -> None:
    """Raise InvalidOption for the first field with an invalid value."""
    for name, expected, is_met in constraints_of(type(options)):
        value = getattr(options, name)
        if not is_met(value):
            raise InvalidOption.of(name, value, expected)


@cache
def constraints_of(kind: type) -> tuple[tuple[str, str, Callable[[object], bool]], ...]:
    """Return (name, valid values in words, check) for each field of a class, without those of `_UNCHECKED`."""
    types = kind.__annotations__
    return tuple((name, *constraint(name, types[name])) for name in types if name not in _UNCHECKED)
