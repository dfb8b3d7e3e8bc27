"""The valid values of each option, by option name: one table for the library, the hooks and the command line.

Options from `scrapy -s`, settings files and the command line are text. They are converted before the check. The modules
that use the options define the meaning of a value, and check combinations of options.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, NamedTuple, get_args

from linkfix.errors import InvalidOption
from linkfix.model import (
    DOCUMENT_KINDS,
    BaseElementMode,
    ExcessDots,
    FragmentMode,
    Options,
    Row,
    SameScheme,
    Scripting,
)

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


class Constraint(NamedTuple):
    """The valid values of an option."""

    expected: str
    """The valid values, in words, for messages."""
    is_met: Callable[[object], bool]
    """Whether a value is valid."""
    choices: tuple[str, ...] = ()
    """All valid values, if they are words."""


def _choice(words: tuple[str, ...], *, optional: bool = False) -> Constraint:
    *others, last = map(repr, words)
    expected = f"{', '.join(others)} or {last}{', or None' if optional else ''}"
    constraint = Constraint(expected, lambda value: _is_text(value) and value in words, words)
    return constraint._replace(is_met=_or_none(constraint.is_met)) if optional else constraint


def _or_none(is_met: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: value is None or is_met(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_whole_number(minimum: int) -> Callable[[object], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= minimum


def _are_texts(value: object) -> bool:
    return isinstance(value, Collection) and not isinstance(value, str | bytes) and all(map(_is_text, value))


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
_BOOLEAN = Constraint("True or False", lambda value: isinstance(value, bool))
_TEXT = Constraint("a string", _is_text)
_TEXT_OR_NONE = Constraint("a string or None", _or_none(_is_text))
_TEXTS = Constraint("a tuple of strings", _is_tuple_of_texts)

#: Option name -> valid values. The options are fields of `Envelope`, `Options`, `linkfix.hooks.response.Settings`,
#: `linkfix.runs.plan.RunSettings` and `linkfix.audit.model.AuditOptions`.
CONSTRAINTS: dict[str, Constraint] = {
    "url": _TEXT_OR_NONE,
    "charset": _TEXT_OR_NONE,
    "media_type": _TEXT_OR_NONE,
    "default_base": _TEXT_OR_NONE,
    "content_security_policy": _TEXT_OR_NONE,
    "base_url": _TEXT_OR_NONE,
    "output": _TEXT_OR_NONE,
    "spec": _TEXT,
    "excess_dots": _choice(get_args(ExcessDots), optional=True),
    "same_scheme": _choice(get_args(SameScheme), optional=True),
    "fragments": _choice(get_args(FragmentMode)),
    "base_element": _choice(get_args(BaseElementMode)),
    "scripting": _choice(get_args(Scripting), optional=True),
    "heading_ids": _choice(("github", "gitlab", "bitbucket", "mkdocs", "pandoc", "any"), optional=True),
    "wikilinks": _choice(("obsidian", "quartz", "github", "mkdocs"), optional=True),
    "layout": _choice(("wget", "httrack", "auto"), optional=True),
    "archived_links": _choice(("archive", "original")),
    "revisits": _choice(("keep", "expand")),
    **dict.fromkeys(("normalize", "plain_text", "header_fields", "lazy", "social", "json_ld", "anchors"), _BOOLEAN),
    **dict.fromkeys(("escape_ampersands", "keep_existing", "keep_parts", "trust_canonical"), _BOOLEAN),
    "clean_urls": Constraint("True, False or None", _or_none(_BOOLEAN.is_met)),
    **dict.fromkeys(("in_place", "dry_run", "diff", "stream"), _BOOLEAN),
    "rows": Constraint("a tuple of linkfix.Row, whose fields are strings", _are_rows),
    "keep": Constraint("a function of a URL, or None", _or_none(callable)),
    "srcdoc_depth": Constraint("a whole number, 0 or more", _is_whole_number(0)),
    "max_size": Constraint("a whole number of bytes, 0 or more", _is_whole_number(0)),
    "processes": Constraint("a whole number, 1 or more", _is_whole_number(1)),
    "media_types": Constraint(
        f"a set of media types in lower case, one or more; linkfix reads {', '.join(DOCUMENT_KINDS)}", _are_media_types
    ),
    "seconds": Constraint("a number of seconds, more than 0, or None", _or_none(_is_duration)),
    "options": Constraint("an Options", lambda value: isinstance(value, Options)),
    **dict.fromkeys(("select", "ignore", "include", "exclude"), _TEXTS),
    "indexes": Constraint("a tuple of strings, or None", _or_none(_is_tuple_of_texts)),
    "mounts": Constraint("a tuple of pairs of strings, a URL and a folder", _are_pairs),
    "per_file_ignores": Constraint("a tuple of patterns, each with a tuple of strings", _are_ignores),
    "known": Constraint("a collection of strings", _are_texts),
    "only": Constraint("a collection of strings, or None", _or_none(_are_texts)),
}


def choices(option: str) -> tuple[str, ...]:
    """Return the valid values of an option, if they are words."""
    return CONSTRAINTS[option].choices


def check(option: str, value: object) -> None:
    """Raise InvalidOption if a value is not valid for an option."""
    constraint = CONSTRAINTS[option]
    if not constraint.is_met(value):
        raise InvalidOption.of(option, value, constraint.expected)


def check_fields(options: DataclassInstance) -> None:
    """Raise InvalidOption for the first field with an invalid value."""
    kind = type(options)
    if kind not in _FIELD_CONSTRAINTS:
        _FIELD_CONSTRAINTS[kind] = _constraints_of(kind)
    for name, is_met, expected in _FIELD_CONSTRAINTS[kind]:
        value = getattr(options, name)
        if not is_met(value):
            raise InvalidOption.of(name, value, expected)


#: Annotation -> valid values, for fields that have no row in `CONSTRAINTS`.
_BY_TYPE = {
    "bool": _BOOLEAN,
    "str": _TEXT,
    "str | None": _TEXT_OR_NONE,
    "int": Constraint("a whole number, 0 or more", _is_whole_number(0)),
    "int | None": Constraint("a whole number, 0 or more, or None", _or_none(_is_whole_number(0))),
    "tuple[str, ...]": _TEXTS,
}


def _constraints_of(kind: type[DataclassInstance]) -> tuple[tuple[str, Callable[[object], bool], str], ...]:
    """Return (name, check, valid values in words) for each field that has a constraint."""
    fields = ((name, CONSTRAINTS.get(name) or _BY_TYPE.get(text)) for name, text in kind.__annotations__.items())
    return tuple((name, constraint.is_met, constraint.expected) for name, constraint in fields if constraint)


#: Class of options -> the constraints of its fields.
_FIELD_CONSTRAINTS: dict[type, tuple[tuple[str, Callable[[object], bool], str], ...]] = {}
