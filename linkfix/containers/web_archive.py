"""The interface of a container format with WARC files. Their records can refer to each other across files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Protocol, TypeAlias, runtime_checkable

from linkfix.containers.part import Change, Container, LeaveAlone, Limits, Note, ignore_count, ignore_problem
from linkfix.model import Envelope

if TYPE_CHECKING:
    from linkfix.containers.warc_revisits import RevisitOutcomes


class WarcFile(NamedTuple):
    """A WARC file in a container, or a WARC file of its own."""

    key: str
    """The unique key of the WARC file in the container; "" if the file itself is the WARC file."""
    name: str
    """The name of the WARC file in the container; "" if the file itself is the WARC file."""
    source: BinaryIO
    """A seekable stream of the WARC file."""
    note: Note = ignore_problem
    """Function that is called with each problem of the WARC file, as a problem of the container."""


#: A function that returns the `RevisitOutcomes` of a WARC file by its `WarcFile.key`, or None.
OutcomesOf: TypeAlias = Callable[[str], "RevisitOutcomes | None"]


@runtime_checkable
class WebArchive(Container, Protocol):
    """The functions of the module of such a format."""

    def archives(self, source: BinaryIO, limits: Limits, note: Note = ignore_problem) -> Iterator[WarcFile]:
        """Yield the readable WARC files of a container. Each stays open until the next one is requested.

        `note`: called with each problem of the container.
        """

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
        """See `Container.rewrite`. `revisits`: the outcomes of revisit records; None if revisit records stay."""


class ArchiveFile(NamedTuple):
    """A file that contains WARC files."""

    display_name: str
    """The file's name in messages, which is unique in the run."""
    format: WebArchive
    envelope: Envelope
    """The envelope of the file."""
    open: Callable[[], AbstractContextManager[BinaryIO]]
    """Function that opens the file as a seekable stream."""
