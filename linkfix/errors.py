"""Exceptions for a caller's mistakes. Faults of a document are `linkfix.model.Problem`s: they raise only on request."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from linkfix.model import Problem
from linkfix.urls import hide_passwords

#: The maximum length of a quoted value in a message, in characters.
_MAX_QUOTED = 200

#: The maximum length of a problem's message in an exception, in characters.
_MAX_MESSAGE = 500


class LinkfixError(ValueError):
    """The base class of all exceptions of linkfix. The message says what is wrong and what to do.

    Passwords in URLs appear as "…" in the message, because exceptions are logged.
    """

    def __init__(self, *arguments: object) -> None:
        super().__init__(*(hide_passwords(value) if isinstance(value, str) else value for value in arguments))


class DocumentProblem(LinkfixError):
    """A document has problems, and the caller asked for an exception (`strict=True`)."""

    problems: tuple[Problem, ...] = ()
    """All problems of the document, in document order. The message is about the first."""

    @classmethod
    def of(cls, problems: tuple[Problem, ...], arguments: Sequence[str]) -> Self:
        """Return the error for the problems of a document.

        `arguments`: names of the arguments that can solve the first problem.

        >>> DocumentProblem.of((Problem("binary", "the file is not text", 0, 1, 1),), [])
        DocumentProblem('line 1, column 1: the file is not text [binary]')
        """
        first = problems[0]
        message = first.message if len(first.message) <= _MAX_MESSAGE else f"{first.message[:_MAX_MESSAGE]}…"
        more = f" (1 of {len(problems):,} problems)" if len(problems) > 1 else ""
        advice = f"; pass {' or '.join(f'{name}=' for name in arguments)}" if arguments else ""
        error = cls(f"line {first.line}, column {first.column}: {message} [{first.code}]{more}{advice}")
        error.problems = problems
        return error


class InvalidBase(LinkfixError):
    """A URL given as a base (`url=`, `default_base=`, `resolve(base, …)`) is not an absolute URL."""


class InvalidJournal(LinkfixError):
    """A file is not a journal of a run, is damaged, or belongs to a run that is still active."""


class InvalidOption(LinkfixError):
    """An option has an invalid value, or two options cannot be combined."""

    option: str = ""
    """The option's name; "" if the error is about several options."""
    value: object = None
    """The invalid value."""
    expected: str = ""
    """The valid values of the option, in words."""

    @classmethod
    def of(cls, option: str, value: object, expected: str) -> Self:
        """Return the error for an invalid value of one option.

        >>> InvalidOption.of("max_size", "10", "a whole number of bytes, 0 or more")
        InvalidOption("max_size='10': expected a whole number of bytes, 0 or more")
        """
        shown = hide_passwords(repr(value))
        quoted = shown if len(shown) <= _MAX_QUOTED else f"{shown[:_MAX_QUOTED]}…"
        error = cls(f"{option}={quoted}: expected {expected}")
        error.option, error.value, error.expected = option, value, expected
        return error


class InvalidRegistry(LinkfixError):
    """A file given as IANA's registry of URI schemes is not such a registry. The message names the line."""


class UnknownCharset(LinkfixError):
    """A `charset=` is not a label of the Encoding standard (https://encoding.spec.whatwg.org/#names-and-labels)."""


class UnknownSpec(LinkfixError):
    """No resolver has the name given as `spec=`."""


class UnknownRule(LinkfixError):
    """No audit rule has the given name."""


def check_str(name: str, value: object) -> None:
    """Raise TypeError if an argument is not a str. `name`: the argument, in words.

    >>> check_str("text", b"x")
    Traceback (most recent call last):
    TypeError: the text must be a str, not bytes: decode it first
    """
    if not isinstance(value, str):
        advice = ": decode it first" if isinstance(value, bytes | bytearray | memoryview) else ""
        message = f"the {name} must be a str, not {type(value).__name__}{advice}"
        raise TypeError(message)


# Libraries that linkfix does not install itself: the module that needs a library, and the extra that installs it.


class Needs:
    """A context manager for the import of a library. If the library is not installed, the error names the extra to
    install.

    `module`: the module that needs the library. `library`: the library's package name. `extra`: the extra of linkfix;
    None: the extra has the library's name.
    """

    def __init__(self, module: str, library: str, extra: str | None = None) -> None:
        self._module = module
        self._library = library
        self._extra = extra or library

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] == self._library:
            message = f"{self._module} needs {self._library}: pip install 'linkfix[{self._extra}]'"
            raise ModuleNotFoundError(message, name=error.name) from error
