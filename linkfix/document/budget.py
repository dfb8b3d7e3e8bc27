"""How much a document may take: seconds, and characters of what its references mean.

Both are linear in a document's size, but for one that was made to be slow or large: a base of a megabyte is in the
target of each of its links.
"""

from __future__ import annotations

from time import monotonic

#: The characters that a base may have in all targets of one document: so many, or so many times its bytes. With a
#: longer base, references stay as they are, whoever asks.
BASES, BASES_RATIO = 1 << 26, 64
#: What is before each reference in a document that is a value, as it is or as a character reference.
DELIMITERS = " \t\n\f\r,=(&\"'"


def longest_base(references: int, size: int, bases: int = BASES) -> int:
    """How many characters a base may have that is in the target of so many references, in a document of so many bytes.

    `bases`: how many all targets may have of it at least.
    """
    return max(bases, BASES_RATIO * size) // max(references, 1)


class OverBudget(Exception):
    """A document takes more than it may."""

    code = "time-limit"
    """A code of `PROBLEMS`."""


class LinksTooLarge(OverBudget):
    """Its links have too many characters."""

    code = "links-too-large"


class Budget:
    """What one document may take. The clock starts when this is made.

    `seconds`: None for as long as it takes; looked at after each reference that takes time, so that a value is scanned
    to its end. `characters`: of all targets that the resolver is asked for.
    """

    def __init__(self, seconds: float | None, characters: int) -> None:
        self._seconds = seconds
        self._until = None if seconds is None else monotonic() + seconds
        self._characters = characters
        #: How many characters are left.
        self.left: int = characters

    def spend(self, target: str | None) -> None:
        """Count what a reference means. Raises OverBudget."""
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
