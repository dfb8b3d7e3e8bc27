"""What is told of each file of a run, and what is counted while a container is converted."""

from __future__ import annotations

import array
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from linkfix.model import Base, Conversion, Problem

__all__ = ["REPORTED", "ContainerCounts", "FileOutcome"]

#: How many problems of one document are kept; all are counted.
REPORTED = 1000

#: What was done with an entry. "same": a document that needed no change; "refused": left alone on purpose; "removed": a
#: temporary file that a killed run left behind; "finished before": before the run was stopped that is going on now.
Action = Literal["converted", "same", "copied", "linked", "folder", "refused", "failed", "removed", "finished before"]


class FileOutcome(NamedTuple):
    """The result of a job. A container's counts are those of its documents; it has no base, encoding and diff."""

    action: Action
    display_name: str
    """What messages call the file."""
    size: int = 0
    """In bytes, before conversion."""
    message: str = ""
    """Why it was refused or failed."""
    url: str | None = None
    """Its retrieval URL."""
    base: Base | None = None
    """Its document base URL."""
    encoding: str = ""
    """A name of the Encoding standard."""
    links: int = 0
    """How many references it has."""
    rewritten: int = 0
    """How many of them were changed."""
    problem_count: int = 0
    problems: tuple[Problem, ...] = ()
    """The first `REPORTED` problems."""
    separated: bool = False
    """Whether it was replaced in place, and had other names (hard links), which are not names of the new file."""
    diff: bytes = b""
    """A unified diff for `patch -p1`, where the settings ask for one."""

    @classmethod
    def of(cls, display_name: str, data: bytes, made: Conversion[bytes], url: str | None) -> FileOutcome:
        """The outcome of a conversion of `data`."""
        return cls(
            action="same" if made.data == data else "converted",
            display_name=display_name,
            size=len(data),
            url=url,
            base=made.base,
            encoding=made.encoding,
            links=made.links,
            rewritten=made.rewritten,
            problem_count=len(made.problems),
            problems=made.problems[:REPORTED],
        )

    @classmethod
    def unread(cls, display_name: str, size: int, problem: Problem) -> FileOutcome:
        """The outcome of an archive in a format that is not read, or of a file that is no page."""
        return cls("copied", display_name, size, problem_count=1, problems=(problem,))

    @classmethod
    def too_large(cls, display_name: str, size: int, message: str) -> FileOutcome:
        """The outcome of a document that was left alone because of its size."""
        return cls("same", display_name, size, problem_count=1, problems=(Problem("too-large", message, 0, 1, 1),))


@dataclass(slots=True)
class ContainerCounts:
    """What is counted while a container is converted."""

    links: int = 0
    rewritten: array.array[int] = field(default_factory=lambda: array.array("Q"))
    """For each part that was changed, how many of its references were."""
    revisits_changed: bool = False
    """Whether a revisit record was changed."""
    problem_count: int = 0
    problems: list[Problem] = field(default_factory=list)

    def note(self, problem: Problem) -> None:
        """Count a problem."""
        self.problem_count += 1
        if len(self.problems) < REPORTED:
            self.problems.append(problem)

    def leave_alone(self, count: int) -> None:
        """Forget the last parts that were changed: they are not written."""
        del self.rewritten[len(self.rewritten) - count :]

    def outcome(self, display_name: str, size: int, url: str | None) -> FileOutcome:
        """The container's outcome."""
        return FileOutcome(
            action="converted" if self.rewritten or self.revisits_changed else "same",
            display_name=display_name,
            size=size,
            url=url,
            links=self.links,
            rewritten=sum(self.rewritten),
            problem_count=self.problem_count,
            problems=tuple(self.problems),
        )
