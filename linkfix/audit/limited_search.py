"""Searches with untrusted regular expressions in untrusted text, limited in time so that they cannot hang a run.

Python's `re` backtracks, and `(a+)+$` can do so practically for ever. The length of the text and the number of
repetitions and choices in the expression bound the number of attempts. If the bound is small, as for nearly all
expressions, the search runs in this process. Otherwise it runs in a child process that is ended at the time limit.
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


#: The time limit of all searches together, and the time that each search adds to it, in seconds.
_SECONDS, _EACH = 5.0, 0.0001
#: The binary logarithm of the number of ways to match that may be tried in this process: a fraction of a second.
_WAYS = 24
#: The constructs without a bound: a repeated group, verbose mode, a backreference, a conditional.
_NO_BOUND = lazy_pattern(r"\)[*+{]|\(\?[a-zA-Z-]*x|\\[1-9]|\(\?P=|\(\?\(")


class LimitedSearches:
    """The searches for one option, and their common time limit."""

    def __init__(self) -> None:
        self._left = _SECONDS
        self._child: Isolated[tuple[str, int, str], bool] | None = None

    def search(self, name: str, expression: re.Pattern[str], text: str) -> bool:
        """Whether an expression is found in a text. Raises `InvalidOption` if the searches take too long.

        `name`: the option and its value, for the error message.
        """
        start = monotonic()
        found: bool | None
        if _log_ways(expression.pattern, len(text)) <= _WAYS:
            found = expression.search(text) is not None
        else:
            found = self._search_apart(expression, text)
        self._left -= monotonic() - start - _EACH
        if found is None or self._left < 0:
            message = f"{name}: the regular expression takes too long: write it without nested repetitions"
            raise InvalidOption(message)
        return found

    def _search_apart(self, expression: re.Pattern[str], text: str) -> bool | None:
        """Search in a child process; None if the process had to be ended."""
        from linkfix.processes import Isolated, LostJob  # few runs have such an expression

        if self._child is None:
            self._child = Isolated(pickle.dumps(_search), _SECONDS)
            weakref.finalize(self, self._child.__exit__)
        try:
            return self._child((expression.pattern, expression.flags, text))
        except LostJob:
            return None


def _search(job: tuple[str, int, str]) -> bool:
    """Search a text; this runs in the child process."""
    expression, flags, text = job
    return re.search(expression, text, flags) is not None


def _log_ways(source: str, length: int) -> float:
    """The binary logarithm of the largest number of ways that a search tries; infinity for no bound.

    From each place in the text, each repetition of a character can end at each place, and each choice has two outcomes.
    """
    if _NO_BOUND.search(source):
        return math.inf
    repetitions = sum(map(source.count, "*+{"))
    choices = sum(map(source.count, "?|"))
    return (repetitions + 1) * math.log2(length + 2) + choices
