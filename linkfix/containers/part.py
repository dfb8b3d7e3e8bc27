"""The interface of a container format: what it is asked for, and what it gives.

A format never chooses a base: it gives envelopes with their enclosing envelopes, and `linkfix.document.base` decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple, Protocol, TypeAlias

from linkfix.model import MARKUP_TYPES, Envelope, Options, Problem

#: The defaults of `Limits`.
MAX_RATIO = 200

MAX_TOTAL = 1 << 36


class Limits(NamedTuple):
    """How a container is read: within which limits, what of it, and by which specification."""

    part: int = 1 << 30
    """The largest part, in bytes, when all its encodings are decoded."""
    ratio: int = MAX_RATIO
    """How many times more bytes a part may have decoded than encoded, and all parts than the container; the first
    `linkfix.containers.part.UNCHECKED` ones do not count.
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

    def __call__(
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

    def rewrite(
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


# How much of a container may be decoded: what decompression bombs are held to.
#
# A part, and all parts together, have two limits: a number of bytes, and a ratio to what they are decoded from. The
# ratio is not looked at before there are `UNCHECKED` bytes: a small part, such as a page of blank lines, may be packed
# very densely.


#: So many bytes are decoded whatever the ratio.
UNCHECKED = 1 << 24


class LimitReached(NamedTuple):
    """Why a part is left alone."""

    code: str
    """A code of `linkfix.model.PROBLEMS`."""
    detail: str


class Allowance:
    """What may still be decoded of one container. `size`: its own, in bytes."""

    def __init__(self, limits: Limits, size: int) -> None:
        self._limits = limits
        self._size = size
        self._total = min(limits.total, max(UNCHECKED, limits.ratio * size))
        self._left = self._total
        #: The largest part, in bytes.
        self.largest: int = limits.part
        #: Whether a part did not fit any more: those after it are not looked at.
        self.is_spent: bool = False

    def limit(self, encoded: int) -> int:
        """How many bytes a part may have that is decoded from `encoded` bytes."""
        return min(self.own_limit(encoded), self._left)

    def own_limit(self, encoded: int) -> int:
        """The same, whatever the other parts have."""
        return min(self.largest, max(UNCHECKED, self._limits.ratio * encoded))

    def spend(self, decoded: int) -> None:
        """Count a part's decoded bytes."""
        self._left -= decoded

    def reached(self, encoded: int) -> LimitReached:
        """The limit that is reached by a part with more than `limit(encoded)` bytes."""
        if self.own_limit(encoded) > self._left:
            self.is_spent = True
            if self._total == self._limits.total:
                return LimitReached("total-too-large", f"more than the {self._total:,} bytes of --max-total")
            detail = f"from {self._size:,} bytes, more than {self._limits.ratio:,} (--max-ratio) times as many"
            return LimitReached("total-too-large", detail)
        return self.own_reached(encoded)

    def own_reached(self, encoded: int) -> LimitReached:
        """The limit that is reached by a part with more than `own_limit(encoded)` bytes."""
        if self.own_limit(encoded) == self.largest:
            return LimitReached("part-too-large", f"more than the {self.largest:,} bytes of --max-size")
        detail = f"from {encoded:,} bytes, more than {self._limits.ratio:,} (--max-ratio) times as many"
        return LimitReached("part-ratio", detail)
