"""What hooks log, under `linkfix.hooks`: problems of responses, and failures of linkfix itself.

Log lines have no control characters from outside, and no credentials of URLs.

Internal: it can change in any release.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable

from linkfix.display import MESSAGE_LENGTH, clip, hide_passwords, visible_line
from linkfix.model import PROBLEMS, Problem
from linkfix.urls import without_credentials

__all__ = ["log_failure", "log_once", "log_problems"]

_LOG = logging.getLogger("linkfix.hooks")
#: The codes of problems that are warned of once in a process.
_warned: set[str] = set()

#: Problems of single references, or of how a page is written: common, and therefore logged as information only.
_COMMON = frozenset(
    {
        "unresolvable",
        "template-syntax",
        "srcset-descriptor",
        "css-bad-url",
        "json-syntax",
        "import-map-key",
        "undecodable",
        "charset-late",
    }
)
#: Problems of a page that each of its references has: the first one is logged, with how many there are.
_ONCE = frozenset({"no-base"})


def log_problems(url: str | None, problems: Iterable[Problem]) -> None:
    """Log the problems of the response from a URL, one line each; one of `_ONCE` once, whatever its number."""
    problems = tuple(problems)
    numbers = Counter(problem.code for problem in problems if problem.code in _ONCE)
    logged = set()
    for problem in problems:
        code = problem.code
        level = logging.INFO if code in _COMMON else logging.WARNING
        if code in logged or not _LOG.isEnabledFor(level):
            continue
        if code in _ONCE:
            logged.add(code)
        more = f" (and {numbers[code] - 1:,} more)" if numbers[code] > 1 else ""
        message = clip(hide_passwords(problem.message), MESSAGE_LENGTH)
        _LOG.log(level, "%s:%d:%d: %s%s [%s]", _display_url(url), problem.line, problem.column, message, more, code)


def log_failure(url: str | None) -> None:
    """Log the exception that is being handled, which is a fault of linkfix."""
    _LOG.exception("%s: %s", _display_url(url), PROBLEMS["hook-failed"])


def log_once(code: str, url: str | None = None) -> None:
    """Log a problem of how a hook is used: a warning once in a process, then a debug message."""
    level = logging.DEBUG if code in _warned else logging.WARNING
    _warned.add(code)
    place = f"{_display_url(url)}: " if url else ""
    _LOG.log(level, "%s%s [%s]", place, PROBLEMS[code], code)


def _display_url(url: str | None) -> str:
    return visible_line(hide_passwords(without_credentials(url))) if url else "(no URL)"
