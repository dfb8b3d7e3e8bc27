"""Facts about files, each found out once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Memory"]

#: How many facts are remembered.
_REMEMBERED = 1 << 16

_Fact = TypeVar("_Fact")


class Memory(Generic[_Fact]):
    """Facts by tree and name. All are forgotten when there are too many."""

    def __init__(self) -> None:
        self._facts: dict[tuple[str, str], _Fact] = {}

    def get(self, key: tuple[str, str], find: Callable[[], _Fact]) -> _Fact:
        """The fact of a key, which `find` finds out at the first call."""
        if key not in self._facts:
            fact = find()
            if len(self._facts) >= _REMEMBERED:
                self._facts.clear()
            self._facts[key] = fact
        return self._facts[key]
