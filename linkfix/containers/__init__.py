"""What holds documents: it gives them with what is known of them from outside, and takes them back; no base is chosen
here.

A new container is a new module beside these, with the functions of `linkfix.containers.part.Container`, and its row.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import cast

from linkfix.containers.part import Container
from linkfix.files.folder import ContainerFormats

__all__ = ["CONTAINERS", "FORMATS", "container", "recognise"]

#: name -> the module, which is imported at first use. The first one that recognises a file has it, so what says what
#: it is in its first bytes precedes what can be told by its name alone, and mail, which can begin with any word, is
#: the last.
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
    """The container of a row, by its name. Raises `KeyError`."""
    return cast("Container", import_module(CONTAINERS[name]))


@cache
def _suffixes() -> tuple[str, ...]:
    return tuple(suffix for name in CONTAINERS for suffix in container(name).SUFFIXES)


def recognise(head: bytes, name: str) -> str:
    """The row of the container that a file is, by its first bytes (4,096) and its name; "" for one that is none."""
    return next((row for row in CONTAINERS if container(row).recognise(head, name)), "")


#: What a tree of files asks (`linkfix.files.folder.FileTree`).
FORMATS = ContainerFormats(_suffixes, recognise)
