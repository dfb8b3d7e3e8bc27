"""What a caller can do wrong. A document's own faults never raise: they are `Problem`s (see `linkfix.model`)."""

from __future__ import annotations

__all__ = [
    "InvalidBase",
    "InvalidOption",
    "InvalidRegistry",
    "LinkfixError",
    "UnknownCharset",
    "UnknownSpec",
]


class LinkfixError(ValueError):
    """The base class of everything that linkfix raises: one sentence that says what was wrong and what to do."""


class InvalidBase(LinkfixError):
    """A URL that was given as a base (`url=`, `default_base=`, `resolve(base, …)`) is not an absolute URL."""


class InvalidOption(LinkfixError):
    """An option has a value that it cannot have, or two options contradict each other."""


class InvalidRegistry(LinkfixError):
    """A file that was given as IANA's registry of URI schemes is not one; the message names the line."""


class UnknownCharset(LinkfixError):
    """A `charset=` that is no label of the Encoding standard (https://encoding.spec.whatwg.org/#names-and-labels)."""


class UnknownSpec(LinkfixError):
    """A `spec=` that names no resolver."""


class UnknownRule(LinkfixError):
    """A word that names no rule of the audit."""
