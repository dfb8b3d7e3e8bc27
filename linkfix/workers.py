"""Work spread over processes: results in the order of the jobs, and no job's death takes the others with it.

`concurrent.futures` gives up all jobs when one of its processes is killed (out of memory, a fault in compiled code),
and leaves its processes behind when the parent is; neither suits a long run over many files.
"""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, NoReturn, TypeVar, cast

__all__ = ["available", "ordered"]

J = TypeVar("J")
R = TypeVar("R")

#: So few jobs are done before a second process has started.
_FEW = 48
#: How many jobs a process may be ahead of the oldest that is not done.
_AHEAD = 8
#: The same on every system, and safe beside threads.
_CONTEXT = multiprocessing.get_context("spawn")


def available() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def ordered(
    work: Callable[[J], R], jobs: Iterable[J], *, processes: int, lost: Callable[[J, str], R]
) -> Generator[R, None, None]:
    """Yield `work(job)` for each job, in order, by `processes` processes.

    `work`, jobs and results are pickled. `work` must not raise. `lost(job, reason)` stands in for the result of a job
    whose process died. Jobs are taken as they are needed: an endless iterable is fine.
    """
    remaining = iter(jobs)
    first = list(itertools.islice(remaining, _FEW if processes > 1 else 0))
    if len(first) < _FEW:
        yield from map(work, itertools.chain(first, remaining))
        return
    pool: _Pool[J, R] = _Pool(work, processes, lost)
    try:
        yield from pool.run(itertools.chain(first, remaining))
    finally:
        pool.stop()


class _Pool(Generic[J, R]):
    def __init__(self, work: Callable[[J], R], processes: int, lost: Callable[[J, str], R]) -> None:
        self._work = work
        self._size = processes
        self._lost = lost
        self._processes: dict[Connection, BaseProcess] = {}
        self._busy: dict[Connection, tuple[int, J]] = {}
        self._starting: set[Connection] = set()

    def run(self, jobs: Iterator[J]) -> Iterator[R]:
        idle: deque[Connection] = deque()
        done: dict[int, R] = {}
        taken = given = 0
        while True:
            while taken - given < self._size * _AHEAD and (idle or len(self._processes) < self._size):
                job = next(jobs, None)
                if job is None:
                    break
                connection = idle.popleft() if idle else self._start()
                connection.send(job)
                self._busy[connection] = (taken, job)
                taken += 1
            if not self._busy:
                return
            for ready in cast("list[Connection]", wait(list(self._busy))):
                try:
                    message = ready.recv()
                except (EOFError, ConnectionError):
                    number, job = self._busy.pop(ready)
                    done[number] = self._lost(job, self._bury(ready))
                    continue
                if ready in self._starting:
                    self._starting.remove(ready)
                    continue
                done[self._busy.pop(ready)[0]] = message
                idle.append(ready)
            while given in done:
                yield done.pop(given)
                given += 1

    def stop(self) -> None:
        """End the processes: at once where they are at work."""
        for connection, process in self._processes.items():
            connection.close()
            if connection in self._busy:
                process.terminate()
        for process in self._processes.values():
            process.join()

    def _start(self) -> Connection:
        connection, other = _CONTEXT.Pipe()
        process = _CONTEXT.Process(target=_serve, args=(other, self._work), daemon=True)
        with _uninterrupted():
            process.start()
        other.close()
        self._processes[connection] = process
        self._starting.add(connection)
        return connection

    def _bury(self, connection: Connection) -> str:
        process = self._processes.pop(connection)
        connection.close()
        process.join()
        if connection in self._starting:
            message = "a worker process cannot start: run the program's own code under `if __name__ == '__main__':`"
            raise RuntimeError(message)
        code = process.exitcode or 0
        return f"signal {-code}" if code < 0 else f"exit code {code}"


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C back, and from the processes started meanwhile for good: the parent stops them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(connection: Connection, work: Callable[[Any], Any]) -> None:
    """A process: say that it runs, then answer each job until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        connection.send(None)
        while True:
            connection.send(work(connection.recv()))
    except (EOFError, ConnectionError):
        return


def _leave(_number: int, _frame: object) -> NoReturn:
    """Unwind, so that a temporary file is removed."""
    sys.exit(128 + signal.SIGTERM)


def _end_with_parent() -> None:
    """A parent that was killed closes nothing: its children hold both ends of each other's pipes."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
