"""How large documents are in tests of time and of growth."""

from __future__ import annotations

import linkfix

__all__ = ["sized"]


def sized(number: int) -> int:
    """So many pieces where the scanner is compiled, a tenth where it is plain: it is as many times slower."""
    return number if linkfix.COMPILED else number // 10
