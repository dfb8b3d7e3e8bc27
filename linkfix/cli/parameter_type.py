"""`ParamType[T]`: click's class for a type of parameters, which gives a T."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import click

__all__ = ["ParamType"]

if TYPE_CHECKING:
    ParamType = click.ParamType
else:

    class ParamType(click.ParamType):
        """click's class takes what it gives in brackets from 8.4 on; before that, only here."""

        def __class_getitem__(cls, _: type) -> type[Self]:
            return cls
