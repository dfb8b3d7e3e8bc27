"""The settings of a hook: how links are resolved, what is rewritten, and which responses are processed.

Internal: it can change in any release.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Unpack

from linkfix.constraints import check, check_fields
from linkfix.document.validation import validate
from linkfix.model import PAGE_TYPES, Envelope, OptionFields, Options

__all__ = ["HTML", "MAX_SIZE", "SettingFields", "Settings", "settings", "with_scripting"]

#: The media types of HTML documents.
HTML = PAGE_TYPES
#: The largest body that is processed, decoded, in bytes.
MAX_SIZE = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a hook. Raises InvalidBase, InvalidOption and UnknownSpec."""

    options: Options = field(default=Options())
    """How links are resolved, and what is rewritten."""
    max_size: int = MAX_SIZE
    """The largest body that is processed, decoded, in bytes."""
    media_types: frozenset[str] = HTML
    """The media types of the responses that are processed, in lower case."""
    default_base: str | None = None
    """The base URL to use if nothing else gives one."""

    def __post_init__(self) -> None:
        check_fields(self)
        validate(Envelope(default=self.default_base), self.options)


class SettingFields(OptionFields, total=False):
    """The fields of `Settings` as keywords of a function, with those of `Options` instead of `options`."""

    max_size: int
    """See `Settings.max_size`."""
    media_types: Collection[str]
    """See `Settings.media_types`."""
    default_base: str | None
    """See `Settings.default_base`."""


def settings(
    *,
    max_size: int = MAX_SIZE,
    media_types: Collection[str] = HTML,
    default_base: str | None = None,
    **options: Unpack[OptionFields],
) -> Settings:
    """Make `Settings` of the keywords given to a hook (`SettingFields`). Raises what `Settings` raises."""
    check("media_types", media_types)  # before a string becomes a set of its characters
    return Settings(
        options=Options(**options), max_size=max_size, media_types=frozenset(media_types), default_base=default_base
    )


def with_scripting(options: Options, *, on: bool) -> Options:
    """The options for a client in which scripts run or not, unless the caller said which of the two is meant."""
    return options if options.scripting is not None else replace(options, scripting="on" if on else "off")
