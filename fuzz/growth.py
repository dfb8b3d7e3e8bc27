"""Whether the work grows faster than the input: by processor time, so that other work on the machine does not count."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["growth_beyond_linear"]

#: Input of this size in bytes that takes no longer than this, in seconds, has no fault that matters: quadratic work
#: takes many times as long.
_LARGE = 128_000
_QUICK = 0.15
_FACTOR = 8
#: Between linear (8) and quadratic (64).
_BOUND = _FACTOR**1.6


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def growth_beyond_linear(repeated: Callable[[int], bytes], convert: Callable[[bytes], object]) -> str | None:
    """The growth of the time of `convert(repeated(n))`, as a text, if it is clearly faster than n; else None.

    `repeated`: a document with n copies of a part.
    """
    per_piece = max(1, len(repeated(2)) - len(repeated(1)))
    count = max(_FACTOR, _LARGE // per_piece)
    large_data, small_data = repeated(count), repeated(count // _FACTOR)
    large = _seconds(lambda: convert(large_data))
    if large < _QUICK:
        return None
    small = float("inf")
    for _ in range(4):
        small = min(small, _seconds(lambda: convert(small_data)), _seconds(lambda: convert(small_data)))
        large = min(large, _seconds(lambda: convert(large_data)))
        if large < _BOUND * small:
            return None
    return f"{len(large_data):,} bytes take {large:.2f} s, {len(small_data):,} bytes {small:.3f} s"
