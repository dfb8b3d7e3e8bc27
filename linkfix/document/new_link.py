"""Makes a `Link` of all of its fields, and its texts. Compiled, the functions in `new_link.pxd` are used."""

from __future__ import annotations

from typing import Any

from linkfix.model import Link


def new_link(type_: type[Link], *fields: Any) -> Link:
    """The link of these fields."""
    return type_(*fields)


def ascii_text(data: bytes, start: int, end: int) -> str:
    """The text data[start:end], which is ASCII."""
    return data[start:end].decode("ascii")


def prefixed_text(prefix: str, data: bytes, start: int, end: int) -> str:
    """The same after a prefix, which is ASCII too."""
    return prefix + data[start:end].decode("ascii")
