"""Work spread over processes, with results in the order of the jobs. Few jobs, and those of one process, are done here.

What needs several processes is `linkfix.processes`, which is imported when they start.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Generator, Iterable
from typing import TypeVar

J = TypeVar("J")
R = TypeVar("R")

#: Fewer jobs than these are done before a second process has started.
FEW = 48


def core_count() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _fills_message(_job: object) -> float:
    return 1


def map_in_order(
    work: Callable[[J], R],
    jobs: Iterable[J],
    *,
    processes: int,
    lost: Callable[[J, str], R],
    few: int = FEW,
    weight: Callable[[J], float] = _fills_message,
) -> Generator[R, None, None]:
    """Yield `work(job)` for each job, in order, by `processes` processes.

    `work`, jobs and results are pickled. `work` must not raise. `lost(job, reason)` gives the result of a job whose
    process died. Jobs are taken as they are needed: an endless iterable is fine. Fewer than `few` jobs are done by this
    process, and so are all where `processes` is 1; where `few` is 0, none is. `weight(job)`: which part of a message to
    a process a job fills, more than 0: small jobs are sent together.
    """
    remaining = iter(jobs)
    first = list(itertools.islice(remaining, few if processes > 1 else 0))
    if few and len(first) < few:
        yield from map(work, itertools.chain(first, remaining))
        return
    from linkfix.processes import Pool  # its import takes as long as a hundred files

    pool: Pool[J, R] = Pool(work, processes, lost, weight)
    try:
        yield from pool.run(itertools.chain(first, remaining))
    finally:
        pool.stop()
