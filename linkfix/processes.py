"""Child processes: a pool that shares jobs, and an isolated process that may die or never end."""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.resource_tracker
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, BinaryIO, Generic, NamedTuple, NoReturn, Self, TypeVar, cast

# Blocking of signals while a process starts: a process that receives a signal before it can handle it prints a
# traceback.
#
# A terminal sends SIGINT (Ctrl-C) and SIGHUP to all processes that run in it. Child processes never receive them: this
# process ends its children itself.


_NAMES = ("SIGINT", "SIGHUP", "SIGTERM")


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Block SIGINT, SIGHUP and SIGTERM in this thread. Processes started in the block inherit that until `receive`."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {getattr(signal, name) for name in _NAMES})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def receive(numbers: Iterable[int]) -> None:
    """Unblock signals that were blocked when this process was started."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)


# Jobs in an isolated child process: a job that crashes or never ends is lost, but the calling process survives.
#
# `Isolated` is for programs that do not own their processes, such as the workers of a cluster. It does one job at a
# time, and starts Python as `sys.executable`. Runs of linkfix itself spread their work with `Pool`.


J = TypeVar("J")

R = TypeVar("R")

#: A child ends itself after the time limit times this factor: the parent that would end it at the limit is gone then.
_ORPHANED = 2

_PROGRAM = "import sys; sys.path[:] = {path!r}; from linkfix.processes import main; main()"


class LostJob(Exception):
    """The child process ended before it returned a result."""

    def __init__(self, reason: str, *, is_late: bool) -> None:
        super().__init__(reason)
        self.is_late = is_late
        """Whether the process was ended because the job reached the time limit."""


class Isolated(Generic[J, R]):
    """Does jobs in a child process, which is started again after each job that ended it."""

    def __init__(self, work: bytes, seconds: float | None) -> None:
        """`work`: the pickled function that does a job. `seconds`: the time limit of a job; None for no limit."""
        self._work = work
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._end(self._process)

    def __call__(self, job: J) -> R:
        """Return `work(job)`, or raise its exception. Raises `LostJob` if the process ended instead."""
        process = self._process or self._start()
        with _Limit(process, self._seconds) as limit:
            answer = _exchange(process, job)
        if answer is None or limit.reached:
            code = self._end(process)
            reason = f"signal {-code}" if code < 0 else f"exit code {code}"
            raise LostJob(f"{self._seconds} s" if limit.reached else reason, is_late=limit.reached)
        result, error = answer
        if error is not None:
            raise error
        return cast("R", result)

    def _start(self) -> subprocess.Popen[bytes]:
        program = _PROGRAM.format(path=sys.path)
        with held_back():
            process = self._process = subprocess.Popen(  # noqa: S603 - this interpreter
                [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        # No time limit for its start: it may import modules from a slow file system.
        if _exchange(process, (self._work, self._seconds)) is None:
            message = f"a child process cannot start: {sys.executable} ended with {self._end(process)}"
            raise RuntimeError(message)
        return process

    def _end(self, process: subprocess.Popen[bytes]) -> int:
        """End the process. Returns its exit code."""
        self._process = None
        if process.poll() is None:
            process.kill()
        with contextlib.suppress(OSError):
            process.communicate()
        return process.wait()


class _Limit:
    """A context that kills a process when the time limit is reached, and never after the context has ended."""

    def __init__(self, process: subprocess.Popen[bytes], seconds: float | None) -> None:
        self._process = process
        self._lock = threading.Lock()
        self._is_over = False
        self._timer = None if seconds is None else threading.Timer(seconds, self._kill)
        self.reached = False

    def __enter__(self) -> Self:
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._is_over = True
        if self._timer is not None:
            self._timer.cancel()

    def _kill(self) -> None:
        with self._lock:
            if not self._is_over:
                self.reached = True
                self._process.kill()


def _exchange(process: subprocess.Popen[bytes], message: object) -> tuple[object, BaseException | None] | None:
    """Send a message, and return the answer: a result and an error. None if the process ended instead."""
    try:
        _send(cast("BinaryIO", process.stdin), message)
        return cast("tuple[object, BaseException | None]", pickle.load(cast("BinaryIO", process.stdout)))  # noqa: S301 - its own
    except (EOFError, OSError, pickle.UnpicklingError):
        return None


def _send(file: BinaryIO, message: object) -> None:
    pickle.dump(message, file, protocol=pickle.HIGHEST_PROTOCOL)
    file.flush()


def main() -> None:  # pragma: no cover - in the child, which is not measured
    """Run the child process."""
    jobs = sys.stdin.buffer
    # Output that the function prints goes to standard error, since answers use standard output.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _be_the_first_to_go()
    serve(jobs, answers)


def serve(jobs: BinaryIO, answers: BinaryIO) -> None:
    """Read a function and its time limit, then answer each job until the input ends."""
    receive({signal.SIGTERM})
    with contextlib.suppress(EOFError, BrokenPipeError):
        work, seconds = pickle.load(jobs)  # noqa: S301 - from the process that started this one
        function: Callable[[object], object] = pickle.loads(work)  # noqa: S301 - likewise
        _send(answers, (None, None))
        while True:
            job = pickle.load(jobs)  # noqa: S301 - likewise
            _alarm(seconds)
            answer: tuple[object, Exception | None]
            try:
                answer = function(job), None
            except Exception as error:  # noqa: BLE001 - the parent raises it
                answer = None, error
            _alarm(None)
            _send(answers, answer)


def _be_the_first_to_go() -> None:  # pragma: no cover - likewise
    """If memory runs out, have Linux kill this process and not its parent. Disable its core dumps."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # not on every system

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _alarm(seconds: float | None) -> None:
    """Have this process end itself if a job takes `_ORPHANED` times its limit. None cancels that."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0 if seconds is None else seconds * _ORPHANED + 1)


# A pool of worker processes. If a job kills its process, the other jobs continue.
#
# `concurrent.futures` gives up all jobs when one of its processes is killed (out of memory, a crash in compiled code).
# It leaves its processes behind when the parent is killed. Neither suits a long run over many files.


#: The number of messages with jobs that wait at a process, so that it is never idle.
_QUEUE = 4

#: The number of messages for each process that may be sent beyond the oldest unfinished job.
_AHEAD = 8

#: The time that a process may take to end before it is killed, in seconds.
_GRACE = 5

#: The start method that works on every system, and is safe in a program with threads.
_CONTEXT = multiprocessing.get_context("spawn")


class _Numbered(NamedTuple, Generic[J]):
    """A job with its number."""

    number: int
    job: J
    weight: float
    """The fraction of a message that the job fills, at most 1."""


@dataclass(slots=True, eq=False)
class _Worker(Generic[J]):
    """A worker process and its jobs."""

    process: BaseProcess
    connection: Connection
    """The parent's end of the pipe."""
    jobs: deque[_Numbered[J]]
    """The jobs that were sent to the process and are not answered yet."""
    load: float = 0
    """The total weight of these jobs, in messages."""
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
        """Yield the results of jobs, in the order of the jobs."""
        waiting: deque[_Numbered[J]] = deque()  # unfinished jobs of processes that died
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
        """A function that returns the next job, or None if there are no more. Jobs in `waiting` come first."""

        def take() -> _Numbered[J] | None:
            if waiting:
                return waiting.popleft()
            number, job = next(jobs, (-1, None))
            return None if number < 0 else _Numbered(number, cast("J", job), min(1, self._weight(cast("J", job))))

        return take

    def _send(self, worker: _Worker[J], take: Callable[[], _Numbered[J] | None]) -> float:
        """Send a process the jobs that fill a message. Returns their total weight, 0 if no jobs are left."""
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
        """End the processes, and interrupt processes that are busy."""
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
        """The process with the smallest load, for the next jobs; None if all processes have enough jobs."""
        if len(self._workers) < self._size:
            return self._start()
        worker = min(self._workers.values(), key=lambda worker: worker.load)
        return worker if worker.load < _QUEUE else None

    def _start(self) -> _Worker[J]:
        if os.name == "posix":  # otherwise the first `start` would start it, and unblock the signals afterwards
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
        """Receive a result. If the process died instead, record its first job as lost, and return its other jobs."""
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
    """Run a worker process: report that it runs, then answer each job of each message until the other end closes."""
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
    """End this process when its parent ends. The pipe does not show that: other children keep its end open."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
