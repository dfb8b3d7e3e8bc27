"""Exceptions for a caller's mistakes. Faults of a document never raise: they are `linkfix.model.Problem`s.

Internal: it can change in any release.
"""

from __future__ import annotations

from typing import Self

from linkfix.credentials import hide_passwords

__all__ = [
    "InvalidBase",
    "InvalidJournal",
    "InvalidOption",
    "InvalidRegistry",
    "LinkfixError",
    "UnknownCharset",
    "UnknownRule",
    "UnknownSpec",
]

#: How much of a wrong value a message quotes, in characters.
_LONGEST = 200


class LinkfixError(ValueError):
    """The base class of all exceptions of linkfix. The message says what is wrong and what to do.

    It has "…" for the passwords of URLs: exceptions are logged.
    """

    def __init__(self, *arguments: object) -> None:
        super().__init__(*(hide_passwords(one) if isinstance(one, str) else one for one in arguments))


class InvalidBase(LinkfixError):
    """A URL given as a base (`url=`, `default_base=`, `resolve(base, …)`) is not an absolute URL."""


class InvalidJournal(LinkfixError):
    """A file is not a journal of a run, is damaged, or belongs to a run that still goes on."""


class InvalidOption(LinkfixError):
    """An option has an invalid value, or two options cannot be combined."""

    option: str = ""
    """The option's name, where a single one has an invalid value; else ""."""
    value: object = None
    """That value."""
    expected: str = ""
    """What the option takes, in words."""

    @classmethod
    def of(cls, option: str, value: object, expected: str) -> Self:
        """The error for the value of one option.

        >>> InvalidOption.of("max_size", "10", "a whole number of bytes, 0 or more")
        InvalidOption("max_size='10': expected a whole number of bytes, 0 or more")
        """
        shown = hide_passwords(repr(value))
        error = cls(f"{option}={shown if len(shown) <= _LONGEST else shown[:_LONGEST] + '…'}: expected {expected}")
        error.option, error.value, error.expected = option, value, expected
        return error


class InvalidRegistry(LinkfixError):
    """A file given as IANA's registry of URI schemes is not one; the message names the line."""


class UnknownCharset(LinkfixError):
    """A `charset=` is not a label of the Encoding standard (https://encoding.spec.whatwg.org/#names-and-labels)."""


class UnknownSpec(LinkfixError):
    """A `spec=` does not name a resolver."""


class UnknownRule(LinkfixError):
    """A name is not that of an audit rule."""
