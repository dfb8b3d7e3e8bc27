"""A helper of the scanners in this package."""

from __future__ import annotations

import re


def past(pattern: re.Pattern[str], text: str, position: int) -> int:
    """The position after what `pattern` matches at `position`, or `position` where it does not match."""
    match = pattern.match(text, position)
    return match.end() if match else position
