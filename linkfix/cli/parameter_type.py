"""`ParamType[T]`: click's class for a type of parameters, which gives a T; and patterns of files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import click

__all__ = ["Glob", "ParamType"]

if TYPE_CHECKING:
    ParamType = click.ParamType
else:

    class ParamType(click.ParamType):
        """click's class takes what it gives in brackets from 8.4 on; before that, only here."""

        def __class_getitem__(cls, _: type) -> type[Self]:
            return cls


class Glob(ParamType[str]):
    """A pattern for names of files, as in .gitignore."""

    name = "glob"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check a pattern."""
        from linkfix.files.patterns import NamePatterns  # noqa: PLC0415 - used by few runs

        try:
            NamePatterns([str(value)])
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)
        return str(value)
