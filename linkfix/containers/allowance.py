"""How much of a container may be decoded: what decompression bombs are held to.

A part, and all parts together, have two limits: a number of bytes, and a ratio to what they are decoded from. The
ratio is not looked at before there are `UNCHECKED` bytes: a small part, such as a page of blank lines, may be packed
very densely.
"""

from __future__ import annotations

from typing import NamedTuple

from linkfix.containers.part import Limits

__all__ = ["UNCHECKED", "Allowance", "LimitReached"]

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
