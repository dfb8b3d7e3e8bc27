"""Tests of time. They go by processor time: machines are shared, and other work does not count in it."""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Callable, Iterator

import pytest

__all__ = ["assert_linear", "processor_limit"]

#: A shorter time says nothing: the input is doubled until the work takes longer, or so often.
MEASURABLE = 0.001
DOUBLINGS = 6


@contextlib.contextmanager
def processor_limit(seconds: float) -> Iterator[None]:
    """Fail if the block takes more processor time: for work whose growth would show as minutes, not seconds."""
    start = time.process_time()
    yield
    spent = time.process_time() - start
    assert spent < seconds, f"{spent:.2f} seconds of processor time, and no more than {seconds} are allowed"


def assert_linear(prepare: Callable[[int], Callable[[], object]], size: int, factor: int = 8) -> None:
    """Fail if the time of `prepare(size)()` grows clearly faster than `size`, from the given size to `factor` times it.

    The bound is factor to the power of 1.5, between linear (factor) and quadratic (its square). Only the call is
    measured, not `prepare`. The shortest of several calls counts: other work can make one slower, but none quicker.
    """

    def seconds(count: int) -> float:
        work = prepare(count)
        gc.disable()  # a full collection scans the objects of earlier tests, and a large input causes more of them
        try:
            start = time.process_time()
            work()
            return time.process_time() - start
        finally:
            gc.enable()

    seconds(size)  # imports, caches
    for _ in range(DOUBLINGS):
        if seconds(size) >= MEASURABLE:
            break
        size *= 2
    small, large = seconds(size), float("inf")
    for _ in range(4):
        small = min(small, seconds(size), seconds(size))
        large = min(large, seconds(factor * size))
        if large < factor**1.5 * max(small, MEASURABLE):
            return
    pytest.fail(f"{factor} times the input takes {large / small:.0f} times the processor time: {large:.3f} seconds")
