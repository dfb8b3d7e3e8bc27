"""Regular expressions that somebody else may have written, on text that somebody else wrote: they cannot hang a run.

Python's `re` goes back and tries again, and `(a+)+$` does so for ever. How often it can is bounded by the text's length
and the expression's repetitions and choices. Where that is little, as for nearly all, it is searched here; else in a
child process that is ended when the time is over.
"""

from __future__ import annotations

import math
import pickle
import re
import weakref
from time import monotonic
from typing import TYPE_CHECKING

from linkfix.errors import InvalidOption
from linkfix.lazy import lazy_pattern

if TYPE_CHECKING:
    from linkfix.processes import Isolated


#: The time limit of all searches together, in seconds, and the time that each search adds to it.
_SECONDS, _EACH = 5.0, 0.0001
#: The binary logarithm of the number of ways to match up to which text is searched here: a fraction of a second.
_WAYS = 24
#: Constructs without a bound: a repeated group, verbose mode, a backreference, a conditional.
_NO_BOUND = lazy_pattern(r"\)[*+{]|\(\?[a-zA-Z-]*x|\\[1-9]|\(\?P=|\(\?\(")


class LimitedSearches:
    """The regular expressions of one option, and what they may take together."""

    def __init__(self) -> None:
        self._left = _SECONDS
        self._child: Isolated[tuple[str, int, str], bool] | None = None

    def search(self, name: str, expression: re.Pattern[str], text: str) -> bool:
        """Whether an expression is found in a text. Raises `InvalidOption` where that takes too long.

        `name`: the option and its value, for the message.
        """
        start = monotonic()
        found: bool | None
        if _log_ways(expression.pattern, len(text)) <= _WAYS:
            found = expression.search(text) is not None
        else:
            found = self._search_apart(expression, text)
        self._left -= monotonic() - start - _EACH
        if found is None or self._left < 0:
            message = f"{name}: it takes too long on what it is compared with: write it without nested repetitions"
            raise InvalidOption(message)
        return found

    def _search_apart(self, expression: re.Pattern[str], text: str) -> bool | None:
        """Search in a child process; None where it had to be ended."""
        from linkfix.processes import Isolated, LostJob  # few runs have such an expression

        if self._child is None:
            self._child = Isolated(pickle.dumps(_search), _SECONDS)
            weakref.finalize(self, self._child.__exit__)
        try:
            return self._child((expression.pattern, expression.flags, text))
        except LostJob:
            return None


def _search(job: tuple[str, int, str]) -> bool:
    """What the child process does."""
    expression, flags, text = job
    return re.search(expression, text, flags) is not None


def _log_ways(source: str, length: int) -> float:
    """The binary logarithm of the number of ways that a search tries at most; infinity for no bound.

    From each place in the text, each repetition of a character can end at each place, and each choice has two outcomes.
    """
    if _NO_BOUND.search(source):
        return math.inf
    repetitions = sum(map(source.count, "*+{"))
    choices = sum(map(source.count, "?|"))
    return (repetitions + 1) * math.log2(length + 2) + choices
