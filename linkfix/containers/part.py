"""The interface of a container format: what it is asked for, and what it gives.

A format never chooses a base: it gives envelopes with their enclosing envelopes, and `linkfix.document.base` decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple, Protocol, TypeAlias

from linkfix.model import MARKUP_TYPES, Envelope, Options, Problem

__all__ = [
    "MAX_RATIO",
    "MAX_TOTAL",
    "Change",
    "Container",
    "LeaveAlone",
    "Limits",
    "Note",
    "Part",
    "PartsFunction",
    "Report",
    "RewriteFunction",
    "ignore_count",
]


#: The defaults of `Limits`.
MAX_RATIO = 200
MAX_TOTAL = 1 << 36


class Limits(NamedTuple):
    """How a container is read: within which limits, what of it, and by which specification."""

    part: int = 1 << 30
    """The largest part, in bytes, when all its encodings are decoded."""
    ratio: int = MAX_RATIO
    """How many times more bytes a part may have decoded than encoded, and all parts than the container; the first
    `linkfix.containers.allowance.UNCHECKED` ones do not count.
    """
    total: int = MAX_TOTAL
    """How many bytes all parts of a container may have, decoded."""
    depth: int = 100
    """How deep entities may be nested."""
    parts: int = 10_000_000
    """How many parts there may be."""
    media_types: frozenset[str] = MARKUP_TYPES
    """Those of wanted parts, lower case; a format need not give others."""
    break_signatures: bool = False
    """Whether what a signature covers may be changed, so that the signature is not valid any more."""
    options: Options = Options()
    """Those of its documents: a URL in a header is resolved by their specification."""


class Part(NamedTuple):
    """One entity of a container, with its encodings decoded."""

    name: str
    """What messages call it, within the container."""
    data: bytes
    media_type: str
    """The one that its header states, lower case, without parameters; "" for none."""
    envelope: Envelope
    """All that is known of it from outside its bytes, with the enclosing entities' envelopes as parents."""
    siblings: frozenset[str] = frozenset()
    """The absolute URLs of other entities of the container, where references to these work offline."""
    files: frozenset[str] = frozenset()
    """The names of the archive's files, of which `name` is one; none in a container whose parts have no file names."""


#: Gives the new data of a part; None where it stays as it is.
Change = Callable[[Part], bytes | None]
#: Is called where parts that `Change` gave new data for stay as they are after all: with how many of the last ones.
LeaveAlone = Callable[[int], None]
#: Is called with each problem of a container; its offsets are bytes of the container.
Note = Callable[[Problem], None]
#: Is called with what makes a problem: a code of `PROBLEMS`, the detail, the offset in bytes.
Report = Callable[[str, str, int], None]


def ignore_count(_count: int) -> None:
    """A `LeaveAlone` for those who do not count."""


#: `Container.parts` as a function of a module.
PartsFunction: TypeAlias = Callable[[BinaryIO, Envelope, Note, Limits], Iterator[Part]]


class RewriteFunction(Protocol):
    """`Container.rewrite` as a function of a module."""

    def __call__(  # noqa: PLR0913, PLR0917 - see Container.rewrite
        self,
        source: BinaryIO,
        out: BinaryIO,
        envelope: Envelope,
        change: Change,
        note: Note,
        limits: Limits,
        *,
        leave_alone: LeaveAlone = ignore_count,
    ) -> None:
        """See `Container.rewrite`."""


class Container(Protocol):
    """What the module of a format has. Nothing here raises because of a container's bytes; `OSError` passes through."""

    def parts(self, source: BinaryIO, envelope: Envelope, note: Note, limits: Limits) -> Iterator[Part]:
        """Its parts, in order. `envelope`: the container's own."""

    def rewrite(  # noqa: PLR0913, PLR0917 - what one pass over a container needs
        self,
        source: BinaryIO,
        out: BinaryIO,
        envelope: Envelope,
        change: Change,
        note: Note,
        limits: Limits,
        *,
        leave_alone: LeaveAlone = ignore_count,
    ) -> None:
        """Copy it, with the parts that `change` changes. Where it changes none, the copy is byte for byte the same.

        A part whose new data cannot be written stays as it is: `leave_alone` is called, and `note` with the reason.
        """
