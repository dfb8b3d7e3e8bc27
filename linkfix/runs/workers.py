"""Work spread over processes, with results in the order of the jobs. A job that kills its process stops no other job.

`concurrent.futures` gives up all jobs when one of its processes is killed (out of memory, a crash in compiled code),
and leaves its processes behind when the parent is killed; neither suits a long run over many files.
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
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, NoReturn, TypeVar, cast

__all__ = ["FEW", "core_count", "map_in_order"]

J = TypeVar("J")
R = TypeVar("R")

#: Fewer jobs than these are done before a second process has started.
FEW = 48
#: The most jobs that wait at a process, so that it is never idle.
_QUEUE = 4
#: How many jobs for each process may be started beyond the oldest unfinished one.
_AHEAD = 8
#: How many seconds a process may take to end before it is killed.
_GRACE = 5
#: The start method that works on every system, and is safe beside threads.
_CONTEXT = multiprocessing.get_context("spawn")


def core_count() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_in_order(
    work: Callable[[J], R], jobs: Iterable[J], *, processes: int, lost: Callable[[J, str], R], few: int = FEW
) -> Generator[R, None, None]:
    """Yield `work(job)` for each job, in order, by `processes` processes.

    `work`, jobs and results are pickled. `work` must not raise. `lost(job, reason)` gives the result of a job whose
    process died. Jobs are taken as they are needed: an endless iterable is fine. Fewer than `few` jobs are done by this
    process, and so are all where `processes` is 1; where `few` is 0, none is.
    """
    remaining = iter(jobs)
    first = list(itertools.islice(remaining, few if processes > 1 else 0))
    if few and len(first) < few:
        yield from map(work, itertools.chain(first, remaining))
        return
    pool: _Pool[J, R] = _Pool(work, processes, lost)
    try:
        yield from pool.run(itertools.chain(first, remaining))
    finally:
        pool.stop()


@dataclass(slots=True, eq=False)
class _Worker(Generic[J]):
    """A process and its jobs."""

    process: BaseProcess
    connection: Connection
    """This end of its pipe."""
    jobs: deque[tuple[int, J]]
    """The jobs that it was given, each with its number."""
    ready: bool = False
    """Whether it has reported that it runs."""


class _Pool(Generic[J, R]):
    def __init__(self, work: Callable[[J], R], processes: int, lost: Callable[[J, str], R]) -> None:
        self._work = work
        self._size = processes
        self._lost = lost
        self._workers: dict[Connection, _Worker[J]] = {}
        self._done: dict[int, R] = {}

    def run(self, jobs: Iterator[J]) -> Iterator[R]:
        numbered = enumerate(jobs)
        again: deque[tuple[int, J]] = deque()
        taken = given = 0
        while True:
            while taken - given < self._size * _AHEAD and (worker := self._least_busy()):
                job = again.popleft() if again else next(numbered, None)
                if job is None:
                    break
                taken = max(taken, job[0] + 1)
                worker.jobs.append(job)
                with contextlib.suppress(ConnectionError):  # it died, which `_receive` notices
                    worker.connection.send(job[1])
            busy = [worker.connection for worker in self._workers.values() if worker.jobs]
            if not busy:
                return
            for connection in cast("list[Connection]", wait(busy)):
                again.extend(self._receive(self._workers[connection]))
            while given in self._done:
                yield self._done.pop(given)
                given += 1

    def stop(self) -> None:
        """End the processes, and interrupt those that are at work."""
        for worker in self._workers.values():
            worker.connection.close()
            if worker.jobs:
                worker.process.terminate()
        for worker in self._workers.values():
            worker.process.join(_GRACE)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()

    def _least_busy(self) -> _Worker[J] | None:
        """The process to give the next job to; None where all have enough."""
        if len(self._workers) < self._size:
            return self._start()
        worker = min(self._workers.values(), key=lambda worker: len(worker.jobs))
        return worker if len(worker.jobs) < _QUEUE else None

    def _start(self) -> _Worker[J]:
        connection, other = _CONTEXT.Pipe()
        process = _CONTEXT.Process(target=_serve, args=(other, self._work), daemon=True)
        with _without_interruption():
            process.start()
        other.close()
        worker: _Worker[J] = _Worker(process, connection, deque())
        self._workers[connection] = worker
        return worker

    def _receive(self, worker: _Worker[J]) -> Iterable[tuple[int, J]]:
        """Take a result. Where the process died instead, its first job is lost, and the others are returned."""
        try:
            result = worker.connection.recv()
        except (EOFError, ConnectionError):
            reason = self._remove_dead(worker)
            number, job = worker.jobs.popleft()
            self._done[number] = self._lost(job, reason)
            return worker.jobs
        if worker.ready:
            self._done[worker.jobs.popleft()[0]] = result
        worker.ready = True
        return ()

    def _remove_dead(self, worker: _Worker[J]) -> str:
        del self._workers[worker.connection]
        worker.connection.close()
        worker.process.join()
        if not worker.ready:
            message = "a worker process cannot start: run the program's own code under `if __name__ == '__main__':`"
            raise RuntimeError(message)
        code = worker.process.exitcode or 0
        return f"signal {-code}" if code < 0 else f"exit code {code}"


@contextlib.contextmanager
def _without_interruption() -> Iterator[None]:
    """Hold Ctrl-C back; processes started meanwhile never receive it, since the parent stops them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(connection: Connection, work: Callable[[Any], Any]) -> None:
    """The work of a process: report that it runs, then answer each job until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _exit)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        connection.send(None)
        while True:
            connection.send(work(connection.recv()))
    except (EOFError, ConnectionError):
        return


def _exit(_number: int, _frame: object) -> NoReturn:
    """Unwind the stack, so that a temporary file is removed."""
    sys.exit(128 + signal.SIGTERM)


def _end_with_parent() -> None:
    """End when the parent does: its pipe does not close then, since its other children hold the end too."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
