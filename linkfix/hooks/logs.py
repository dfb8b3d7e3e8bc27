"""What hooks log, under `linkfix.hooks`: problems of responses, and failures of linkfix itself.

Log lines have no control characters from outside, and no credentials of URLs.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable

from linkfix.display import visible
from linkfix.model import PROBLEMS, Problem
from linkfix.urls import SCHEME

__all__ = ["log_failure", "log_once", "log_problems", "without_credentials"]

_LOG = logging.getLogger("linkfix.hooks")
#: The codes of problems that are warned of once in a process.
_warned: set[str] = set()

_CREDENTIALS = re.compile(rf"\A({SCHEME}:[/\\]{{2}})[^/?#\\]*@")
#: Problems of single references: common, and therefore logged as information only.
_COMMON = frozenset(
    {"unresolvable", "template-syntax", "srcset-descriptor", "css-bad-url", "json-syntax", "undecodable"}
)


def log_problems(url: str | None, problems: Iterable[Problem]) -> None:
    """Log the problems of the response from a URL, one line each."""
    for problem in problems:
        level = logging.INFO if problem.code in _COMMON else logging.WARNING
        if _LOG.isEnabledFor(level):
            place = _display_url(url)
            _LOG.log(
                level, "%s:%d:%d: %s [%s]", place, problem.line, problem.column, visible(problem.message), problem.code
            )


def log_failure(url: str | None) -> None:
    """Log the exception that is being handled, which is a fault of linkfix."""
    _LOG.exception("%s: %s", _display_url(url), PROBLEMS["hook-failed"])


def log_once(code: str, url: str | None = None) -> None:
    """Log a problem of how a hook is used: a warning once in a process, then a debug message."""
    level = logging.DEBUG if code in _warned else logging.WARNING
    _warned.add(code)
    place = f"{_display_url(url)}: " if url else ""
    _LOG.log(level, "%s%s [%s]", place, PROBLEMS[code], code)


def without_credentials(url: str) -> str:
    """A URL without user name and password, which must not be logged, kept or passed on."""
    return _CREDENTIALS.sub(r"\1", url)


def _display_url(url: str | None) -> str:
    return visible(without_credentials(url)) if url else "(no URL)"
