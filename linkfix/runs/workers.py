"""A function that does many jobs in several processes, with results in the order of the jobs.

Runs, audits and tables of links use it. If there are few jobs or only one process, this process does the work.
Otherwise `linkfix.processes` is imported, which has the processes.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Generator, Iterable
from typing import TypeVar

J = TypeVar("J")
R = TypeVar("R")

#: The smallest number of jobs for which other processes are started: fewer jobs are done before a process has started.
FEW = 48


def core_count() -> int:
    """The number of cores that this process may use."""
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
    """Yield `work(job)` for each job, in order, with `processes` processes.

    `work`, jobs and results are pickled. `work` must not raise. `jobs`: read as needed, so the iterable may be endless.
    `lost(job, reason)`: returns the result of a job whose process died. `few`: this process does the work if there are
    fewer jobs than `few`, or if `processes` is 1; never if `few` is 0. `weight(job)`: returns the fraction of a message
    to a process that a job fills, more than 0. Small jobs are sent together.
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
