"""Limits per document: time in seconds, and the total length of its targets in characters.

Both grow linearly with a document's size, unless the document was made to be slow or large. For example, every target
repeats a base of a megabyte.
"""

from __future__ import annotations

from time import monotonic

#: The limit for the base in all targets of one document, in characters: `BASES`, or `BASES_RATIO` times the document's
#: bytes if that is more. If the base is longer, references stay as they are, for every caller.
BASES, BASES_RATIO = 1 << 26, 64

#: The possible bytes before a reference in a document inside a value: a delimiter, or the start of a character
#: reference.
DELIMITERS = " \t\n\f\r,=(&\"'"


def longest_base(references: int, size: int, bases: int = BASES) -> int:
    """The maximum length of a base in characters, if each of `references` targets repeats it.

    `size`: the document's size in bytes. `bases`: the minimum total limit for all targets, in characters.
    """
    return max(bases, BASES_RATIO * size) // max(references, 1)


class OverBudget(Exception):
    """A document exceeds a limit."""

    code = "time-limit"
    """A code of `PROBLEMS`."""


class LinksTooLarge(OverBudget):
    """The targets of the document have too many characters."""

    code = "links-too-large"


class Budget:
    """The limits of one document. The clock starts when the object is made.

    `seconds`: the time limit, None for no limit. It is checked after each reference that takes time; a value is always
    scanned to its end. `characters`: the maximum total length of the targets that the resolver makes.
    """

    def __init__(self, seconds: float | None, characters: int) -> None:
        self._seconds = seconds
        self._until = None if seconds is None else monotonic() + seconds
        self._characters = characters
        #: The remaining characters.
        self.left: int = characters

    def spend(self, target: str | None) -> None:
        """Count the characters of a target. Raises OverBudget."""
        self.left -= len(target or "")
        if self.left < 0:
            detail = f"more than {self._characters:,} characters of targets"
            raise LinksTooLarge(detail)
        self.check_time()

    def check_time(self) -> None:
        """Raise OverBudget if the time is over."""
        if self._until is not None and monotonic() > self._until:
            detail = f"{self._seconds:g} s"
            raise OverBudget(detail)
