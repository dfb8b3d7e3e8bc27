"""Make a `Link` and its texts. Compiled modules use the functions in `new_link.pxd`."""

from __future__ import annotations

from typing import Any

from linkfix.model import Link


def new_link(type_: type[Link], *fields: Any) -> Link:
    """Make a link from its fields."""
    return type_(*fields)


def ascii_text(data: bytes, start: int, end: int) -> str:
    """The text data[start:end], which is ASCII."""
    return data[start:end].decode("ascii")


def prefixed_text(prefix: str, data: bytes, start: int, end: int) -> str:
    """A prefix, which is ASCII too, followed by the text data[start:end]."""
    return prefix + data[start:end].decode("ascii")
