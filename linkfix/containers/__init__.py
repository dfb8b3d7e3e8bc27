"""Containers: files that hold documents, such as messages and archives. They give parts with what is known of them, and
take changed parts back; they choose no base.

A new format is a module beside these, with the functions of `linkfix.containers.part.Container`, a row here, and one in
`linkfix.containers.suffixes`.

Internal: it can change in any release.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import cast

from linkfix.containers import unread
from linkfix.containers.part import Container
from linkfix.containers.suffixes import SUFFIXES
from linkfix.files.folder import ContainerFormats

__all__ = ["CONTAINERS", "FORMATS", "container", "recognise"]

#: Format -> its module, imported at first use. The first one that recognises a file has it: formats that a file's first
#: bytes tell come before those that only its name tells, and mail, which can begin with any word, is the last.
CONTAINERS: dict[str, str] = {
    "epub": "linkfix.containers.epub",
    "wacz": "linkfix.containers.wacz",
    "maff": "linkfix.containers.maff",
    "htz": "linkfix.containers.htz",
    "warc": "linkfix.containers.warc",
    "har": "linkfix.containers.har",
    "mime": "linkfix.containers.mime",
}


def container(name: str) -> Container:
    """The container format of this name. Raises `KeyError`."""
    return cast("Container", import_module(CONTAINERS[name]))


def recognise(head: bytes, name: str) -> str:
    """The name of the format that a file has, by its first 4,096 bytes and its name; "" for none."""
    return next((format_ for format_ in CONTAINERS if container(format_).recognise(head, name)), "")


@cache
def _suffixes() -> tuple[str, ...]:
    return (*(suffix for suffixes in SUFFIXES.values() for suffix in suffixes), *unread.SUFFIXES)


#: For `linkfix.files.folder.FileTree`, which stores the format of each container in its entry.
FORMATS = ContainerFormats(_suffixes, recognise, unread.explain)
