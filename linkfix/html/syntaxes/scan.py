"""A helper for the scanners in this package."""

from __future__ import annotations

import re


def past(pattern: re.Pattern[str], text: str, position: int) -> int:
    """The end of the match of `pattern` at `position`, or `position` if it does not match."""
    match = pattern.match(text, position)
    return match.end() if match else position
