"""The interface of a container format that holds WARC files, whose records can refer to each other across files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Protocol, TypeAlias, runtime_checkable

from linkfix.containers.part import Change, Container, LeaveAlone, Limits, Note, ignore_count
from linkfix.model import Envelope

if TYPE_CHECKING:
    from linkfix.containers.warc_revisits import RevisitOutcomes


class WarcFile(NamedTuple):
    """A WARC file in a container, or a file that is one."""

    key: str
    """What tells it from others in the container; "" for the file itself."""
    name: str
    """Its name in the container; "" for the file itself."""
    source: BinaryIO
    """Seekable."""


#: Is given the `WarcFile.key` of a file.
OutcomesOf: TypeAlias = Callable[[str], "RevisitOutcomes | None"]


@runtime_checkable
class WebArchive(Container, Protocol):
    """What the module of such a format has."""

    def archives(self, source: BinaryIO, limits: Limits) -> Iterator[WarcFile]:
        """Its WARC files that can be read, each open until the next one is asked for."""

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
        revisits: OutcomesOf | None = None,
    ) -> None:
        """See `Container.rewrite`. `revisits` tells what becomes of revisit records; without it they stay."""


class ArchiveFile(NamedTuple):
    """A file with WARC files in it."""

    display_name: str
    """What messages call it; no other file of the run has the same."""
    format: WebArchive
    envelope: Envelope
    """Its own."""
    open: Callable[[], AbstractContextManager[BinaryIO]]
    """Opens it, seekable."""
