"""Processes that work for this one. A job that kills its process stops no other job.

`concurrent.futures` gives up all jobs when one of its processes is killed (out of memory, a crash in compiled code),
and leaves its processes behind when the parent is killed; neither suits a long run over many files.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.resource_tracker
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, NamedTuple, NoReturn, TypeVar, cast

from linkfix.interruption import held_back, receive

__all__ = ["Pool"]

J = TypeVar("J")
R = TypeVar("R")

#: How many messages of jobs wait at a process, so that it is never idle.
_QUEUE = 4
#: How many messages of jobs for each process may be sent beyond the oldest unfinished job.
_AHEAD = 8
#: How many seconds a process may take to end before it is killed.
_GRACE = 5
#: The start method that works on every system, and is safe beside threads.
_CONTEXT = multiprocessing.get_context("spawn")


class _Numbered(NamedTuple, Generic[J]):
    """A job that was taken."""

    number: int
    job: J
    weight: float
    """Which part of a message it fills."""


@dataclass(slots=True, eq=False)
class _Worker(Generic[J]):
    """A process and its jobs."""

    process: BaseProcess
    connection: Connection
    """This end of its pipe."""
    jobs: deque[_Numbered[J]]
    """The jobs that it was given and has not answered."""
    load: float = 0
    """What they weigh."""
    ready: bool = False
    """Whether it has reported that it runs."""


class Pool(Generic[J, R]):
    """Does jobs in several processes. For the arguments see `linkfix.runs.workers.map_in_order`."""

    def __init__(
        self, work: Callable[[J], R], processes: int, lost: Callable[[J, str], R], weight: Callable[[J], float]
    ) -> None:
        self._work = work
        self._size = processes
        self._lost = lost
        self._weight = weight
        self._workers: dict[Connection, _Worker[J]] = {}
        self._done: dict[int, tuple[R, float]] = {}

    def run(self, jobs: Iterator[J]) -> Generator[R, None, None]:
        """Yield the results of jobs, in their order."""
        waiting: deque[_Numbered[J]] = deque()  # those of a process that died
        numbered = self._take(enumerate(jobs), waiting)
        given = 0
        ahead = 0.0
        while True:
            while ahead < self._size * _AHEAD and (worker := self._least_busy()):
                weight = self._send(worker, numbered)
                if not weight:
                    break
                ahead += weight
            busy = [worker.connection for worker in self._workers.values() if worker.jobs]
            if not busy:
                return
            for connection in cast("list[Connection]", wait(busy)):
                returned = self._receive(self._workers[connection])
                ahead -= sum(job.weight for job in returned)
                waiting.extend(returned)
            while given in self._done:
                result, weight = self._done.pop(given)
                yield result
                ahead -= weight
                given += 1

    def _take(self, jobs: Iterator[tuple[int, J]], waiting: deque[_Numbered[J]]) -> Callable[[], _Numbered[J] | None]:
        """A function that gives the next job, if there is one."""

        def take() -> _Numbered[J] | None:
            if waiting:
                return waiting.popleft()
            number, job = next(jobs, (-1, None))
            return None if number < 0 else _Numbered(number, cast("J", job), min(1, self._weight(cast("J", job))))

        return take

    def _send(self, worker: _Worker[J], take: Callable[[], _Numbered[J] | None]) -> float:
        """Send a process the jobs that fill a message; return what they weigh, 0 where there are none left."""
        message: list[J] = []
        weight = 0.0
        while weight < 1 and (numbered := take()) is not None:
            worker.jobs.append(numbered)
            message.append(numbered.job)
            weight += numbered.weight
        worker.load += weight
        if message:
            with contextlib.suppress(ConnectionError):  # it died, which `_receive` notices
                worker.connection.send(message)
        return weight

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
        worker = min(self._workers.values(), key=lambda worker: worker.load)
        return worker if worker.load < _QUEUE else None

    def _start(self) -> _Worker[J]:
        if os.name == "posix":  # else the first start starts it, and no longer holds signals back then
            multiprocessing.resource_tracker.ensure_running()
        connection, other = _CONTEXT.Pipe()
        process = _CONTEXT.Process(target=_serve, args=(other, self._work), daemon=True)
        worker: _Worker[J] = _Worker(process, connection, deque())
        with held_back():
            process.start()
            self._workers[connection] = worker
        other.close()
        return worker

    def _receive(self, worker: _Worker[J]) -> Iterable[_Numbered[J]]:
        """Take a result. Where the process died instead, its first job is lost, and the others are returned."""
        try:
            result = worker.connection.recv()
        except (EOFError, ConnectionError):
            reason = self._remove_dead(worker)
            number, job, weight = worker.jobs.popleft()
            self._done[number] = self._lost(job, reason), weight
            return worker.jobs
        if worker.ready:
            number, _, weight = worker.jobs.popleft()
            worker.load -= weight
            self._done[number] = result, weight
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


def _serve(connection: Connection, work: Callable[[Any], Any]) -> None:
    """The work of a process: report that it runs, then answer each job of each message until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _exit)
    receive({signal.SIGTERM})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        connection.send(None)
        while True:
            for job in connection.recv():
                connection.send(work(job))
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
