"""Containers: files that hold documents, such as messages and archives. They give parts with what is known of them, and
take changed parts back; they choose no base.

A new format is a module beside these, with the functions of `linkfix.containers.part.Container`, and a row of
`CONTAINERS` in `linkfix.containers.formats`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

from linkfix.containers.formats import CONTAINERS, UNREAD_SUFFIXES, ZIP_END, explain_unread, is_certainly_unread
from linkfix.containers.part import Change, Container, Limits, Part
from linkfix.files.folder import ContainerFormats
from linkfix.lazy import lazy_attributes

if TYPE_CHECKING:
    from linkfix.containers.http_body import BodyFault, HeaderBlock, decode_body
    from linkfix.files.window import Window

__all__ = [
    "CONTAINERS",
    "FORMATS",
    "BodyFault",
    "Change",
    "Container",
    "HeaderBlock",
    "Limits",
    "Part",
    "Window",
    "container",
    "decode_body",
    "recognise",
]


def container(name: str) -> Container:
    """The container format of this name; its module is imported at first use. Raises `KeyError`."""
    return cast("Container", import_module(CONTAINERS[name].module))


def recognise(head: bytes, name: str) -> str:
    """The name of the format that a file has, by its first 4,096 bytes and its name; "" for none.

    A format that is not read and that the first bytes tell comes first.
    """
    if is_certainly_unread(head):
        return ""
    return next((format_ for format_, row in CONTAINERS.items() if row.recognise(head, name)), "")


#: The zip archive ends at most so many bytes before the end of a self-extracting page.
_TAIL = (1 << 16) + 1024


def _recognise_page(head: bytes, tail: Callable[[int], bytes]) -> str:
    """See `ContainerFormats.of_page`. A page without the archive is read as a page."""
    if CONTAINERS["http"].recognise(head, ""):
        return "http"
    format_ = "self-extracting"
    if not CONTAINERS[format_].recognise(head, ""):
        return ""
    return format_ if ZIP_END in tail(_TAIL) else ""


@cache
def _suffixes() -> tuple[str, ...]:
    return (*(suffix for row in CONTAINERS.values() for suffix in row.suffixes), *UNREAD_SUFFIXES)


#: For `linkfix.files.folder.FileTree`, which stores the format of each container in its entry.
FORMATS = ContainerFormats(_suffixes, recognise, explain_unread, _recognise_page)

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_attributes(
        __name__,
        {
            "linkfix.containers.http_body": "BodyFault HeaderBlock decode_body",
            "linkfix.files.window": "Window",
        },
    )
