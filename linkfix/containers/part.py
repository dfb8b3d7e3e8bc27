"""What a container is: something that holds documents, tells what encloses them, and takes changed ones back.

A container is a module that has the functions of `Container`, and a row of the registry. It never chooses a base: it
gives envelopes with parents, and `linkfix.document.base` decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple, Protocol

from linkfix.model import MARKUP_TYPES, Envelope, Problem

__all__ = ["Change", "Container", "Limits", "Note", "Part"]


class Limits(NamedTuple):
    """What a container may ask for: sizes in bytes of one part when all its encodings are undone; how deep entities may
    stand inside each other; how many parts there may be. `media_types`: those of parts that are wanted, lower case; a
    container need not give others.
    """

    part: int = 1 << 30
    depth: int = 100
    parts: int = 10_000_000
    media_types: frozenset[str] = MARKUP_TYPES


class Part(NamedTuple):
    """One entity of a container, with its transfer encodings undone.

    `name` is what messages call it, within the container. `media_type` is what its header states, lower case, without
    parameters, "" for none. `envelope`: all that is known of it from outside its bytes, with the enclosing entities'
    as parents. `siblings`: absolute URLs that other entities of the same container stand for, where references to them
    work offline.
    """

    name: str
    data: bytes
    media_type: str
    envelope: Envelope
    siblings: frozenset[str] = frozenset()


#: Gives the new data of a part, or None where it stays as it is.
Change = Callable[[Part], bytes | None]
#: Is told what is wrong with a container; offsets of the `Problem` are bytes of the container.
Note = Callable[[Problem], None]


class Container(Protocol):
    """What a container's module has. None of it raises for what a container's bytes are; `OSError` passes through."""

    #: Suffixes of files, lower case, with their dots.
    SUFFIXES: tuple[str, ...]

    def recognise(self, head: bytes, name: str) -> bool:
        """Whether a file with these first bytes (4,096) and this name is one."""

    def parts(self, source: BinaryIO, envelope: Envelope, note: Note, limits: Limits) -> Iterator[Part]:
        """Its parts, in order. `envelope`: of the container itself."""

    def rewrite(  # noqa: PLR0913, PLR0917 - what it takes to go through it once
        self, source: BinaryIO, out: BinaryIO, envelope: Envelope, change: Change, note: Note, limits: Limits
    ) -> None:
        """Copy it, with the parts that `change` changes. Where it changes none, the copy is byte for byte the same."""
