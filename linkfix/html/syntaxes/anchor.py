"""An ID or name that a fragment can refer to (HTML §7.4.6.3, "find a potential indicated element"): syntax "anchor"."""

from __future__ import annotations

from .found import Found


def find(_text: str) -> list[Found]:
    """Find nothing: the name is not a reference."""
    return []
