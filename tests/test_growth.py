"""The helper that checks linear growth: it passes linear work and no quadratic work."""

from __future__ import annotations

import math
import time

import pytest
from support.growth import assert_linear, processor_limit

pytestmark = pytest.mark.growth


def counted(steps):
    """Work of `steps(size)` steps for a size."""

    def prepare(size):
        data = bytes(1000)
        return lambda: [data.count(1) for _ in range(int(steps(size)))]

    return prepare


@pytest.mark.parametrize(
    "steps",
    [lambda size: size, lambda size: size * math.log2(size), lambda _: 1, lambda size: 1000 + size],
    ids=["linear", "n log n", "constant", "linear after a start"],
)
@pytest.mark.parametrize("factor", [4, 8])
def test_linear_growth_passes(steps, factor):
    assert_linear(counted(steps), 500, factor)


@pytest.mark.parametrize(
    "steps",
    [lambda size: size**2 / 1000, lambda size: size**2 / 1000 + size / 10, lambda size: size**3 / 10_000_000],
    ids=["quadratic", "quadratic beside linear", "cubic"],
)
@pytest.mark.parametrize("factor", [4, 8])
def test_faster_growth_fails(steps, factor):
    with pytest.raises(pytest.fail.Exception, match="times the processor time"):
        assert_linear(counted(steps), 1000, factor)


def test_time_spent_waiting_does_not_count():
    with processor_limit(0.1):
        time.sleep(0.2)
    assert_linear(lambda size: lambda: time.sleep(0.1 if size == 800 else 0.001), 100)


def test_a_limit_is_applied():
    with pytest.raises(AssertionError, match="processor time"), processor_limit(0.01):
        sum(range(10_000_000))
