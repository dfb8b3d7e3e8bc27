"""Child processes that may die or never end: one for jobs that might end it, and a pool that shares many jobs.

A child is a fresh Python that does jobs, one after the other. It loads only the modules of its work, so that a program
needs no `if __name__ == "__main__":`. A thread of the parent receives its answers.

`concurrent.futures` gives up all jobs when one of its processes is killed (out of memory, a crash in compiled code).
It leaves its processes behind when the parent is killed. Neither suits a long run over many files.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from multiprocessing.spawn import get_command_line
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO, Generic, NamedTuple, NoReturn, Self, TypeAlias, TypeVar, cast

J = TypeVar("J")

R = TypeVar("R")

#: The result of a job, and the exception that it raised instead or None.
_Answer: TypeAlias = "tuple[object, Exception | None]"

#: The answers of children: None of a child that has ended.
_Answers: TypeAlias = "SimpleQueue[tuple[_Child[Any], _Answer | None]]"

#: A child ends itself after the time limit times this factor: the parent that would end it at the limit is gone then.
_ORPHANED = 2

#: The time that a child may take to end before it is killed, in seconds.
_GRACE = 5

_PROGRAM = "import sys; sys.path[:] = {path!r}; from linkfix.processes import main; main(first_to_go={first_to_go})"

_NAMES = ("SIGINT", "SIGHUP", "SIGTERM")


@contextlib.contextmanager
def _held_back() -> Iterator[None]:
    """Block SIGINT, SIGHUP and SIGTERM in this thread. Threads and processes that start in the block inherit that.

    A process that receives a signal before it can handle it prints a traceback. A terminal sends SIGINT (Ctrl-C) and
    SIGHUP to all processes that run in it. Children never receive them: this process ends its children itself.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {getattr(signal, name) for name in _NAMES})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Numbered(NamedTuple, Generic[J]):
    """A job with its number."""

    number: int
    job: J
    weight: float
    """The fraction of a message that the job fills, at most 1."""


class _Child(Generic[J]):
    """A child process, and its unanswered jobs. Make it while signals are held back.

    `work`: the pickled function that does a job. `seconds`: the time limit of a job, or None. `answers`: receives the
    child with each answer: one when it is ready, one for each job, and None when it has ended. `first_to_go`: have the
    system end it before other processes if memory runs out.
    """

    def __init__(self, work: bytes, seconds: float | None, answers: _Answers, *, first_to_go: bool = False) -> None:
        self.answers = answers
        self.jobs: deque[_Numbered[J]] = deque()
        #: The total weight of these jobs, in messages.
        self.load: float = 0
        #: Whether it has reported that it runs.
        self.is_ready = False
        program = _PROGRAM.format(path=sys.path, first_to_go=first_to_go)
        command = [*get_command_line()[:-3], "-c", program]  # this Python, with its options
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - likewise
        threading.Thread(target=self._receive, daemon=True).start()
        self.send((work, seconds))

    def _receive(self) -> None:
        try:
            with (
                cast("BinaryIO", self._process.stdout) as answers,
                contextlib.suppress(EOFError, pickle.UnpicklingError),
            ):
                while True:
                    self.answers.put((self, pickle.load(answers)))  # noqa: S301 - its own
        finally:
            self.answers.put((self, None))

    def send(self, message: object) -> None:
        """Send a list of jobs; or None, which ends an idle child."""
        with contextlib.suppress(OSError):  # it died, which `_receive` notices
            _send(cast("BinaryIO", self._process.stdin), message)

    def interrupt(self) -> None:
        """Have the child unwind its stack, so that a temporary file is removed, and end."""
        self._process.terminate()

    def end(self, grace: float = 0) -> str:
        """End the process. Returns the reason why it ended. `grace`: the time until it is killed, in seconds.

        Raises RuntimeError if it could not start.
        """
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(grace)
        self._process.kill()
        code = self._process.wait()
        with contextlib.suppress(OSError):
            cast("BinaryIO", self._process.stdin).close()
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def reason(self) -> str:
        """End the process that gave no answer. Returns the reason. Raises RuntimeError if it could not start."""
        reason = self.end()
        if not self.is_ready:
            message = f"a child process cannot start: {sys.executable} ended with {reason}"
            raise RuntimeError(message)
        return reason


def _next(answers: _Answers) -> tuple[_Child[Any], _Answer | None]:
    """Wait for an answer. Windows notices Ctrl-C only between waits."""
    while True:
        with contextlib.suppress(Empty):
            return answers.get(timeout=1)


class LostJob(Exception):
    """The child process ended before it returned a result."""

    def __init__(self, reason: str, *, is_late: bool) -> None:
        super().__init__(reason)
        self.is_late = is_late
        """Whether the process was ended because the job reached the time limit."""


class Isolated(Generic[J, R]):
    """Does jobs in a child process, which is started again after each job that ended it.

    It is for programs that do not own their processes, such as the workers of a cluster.
    """

    def __init__(self, work: bytes, seconds: float | None) -> None:
        """`work`: the pickled function that does a job. `seconds`: the time limit of a job; None for no limit."""
        self._work = work
        self._seconds = seconds
        self._child: _Child[J] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def __call__(self, job: J) -> R:
        """Return `work(job)`, or raise its exception. Raises `LostJob` if the process ended instead."""
        child = self._child or self._start()
        child.send([job])
        try:
            _, answer = child.answers.get(timeout=self._seconds)
        except Empty:
            self.__exit__()
            reason = f"{self._seconds} s"
            raise LostJob(reason, is_late=True) from None
        if answer is None:
            self._child = None
            raise LostJob(child.reason(), is_late=False)
        result, error = answer
        if error is not None:
            raise error
        return cast("R", result)

    def _start(self) -> _Child[J]:
        with _held_back():
            child = self._child = _Child(self._work, self._seconds, SimpleQueue(), first_to_go=True)
        # No time limit for its start: it may import modules from a slow file system.
        child.is_ready = _next(child.answers)[1] is not None
        if not child.is_ready:
            self._child = None
            child.reason()
        return child


#: The number of messages with jobs that wait at a process, so that it is never idle.
_QUEUE = 4

#: The number of messages for each process that may be sent beyond the oldest unfinished job.
_AHEAD = 8


class Pool(Generic[J, R]):
    """Does jobs in several processes. If a job kills its process, the other jobs continue.

    For the arguments see `linkfix.runs.workers.map_in_order`.
    """

    def __init__(
        self, work: Callable[[J], R], processes: int, lost: Callable[[J, str], R], weight: Callable[[J], float]
    ) -> None:
        self._work = pickle.dumps(work)
        self._size = processes
        self._lost = lost
        self._weight = weight
        self._children: list[_Child[J]] = []
        self._answers: _Answers = SimpleQueue()
        self._done: dict[int, tuple[R, float]] = {}

    def run(self, jobs: Iterator[J]) -> Generator[R, None, None]:
        """Yield the results of jobs, in the order of the jobs."""
        waiting: deque[_Numbered[J]] = deque()  # unfinished jobs of processes that died
        numbered = self._take(enumerate(jobs), waiting)
        given = 0
        ahead = 0.0
        while True:
            while ahead < self._size * _AHEAD and (child := self._least_busy()):
                weight = self._send(child, numbered)
                if not weight:
                    break
                ahead += weight
            if not any(child.jobs for child in self._children):
                return
            returned = self._receive(*_next(self._answers))
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

    def _send(self, child: _Child[J], take: Callable[[], _Numbered[J] | None]) -> float:
        """Send a process the jobs that fill a message. Returns their total weight, 0 if no jobs are left."""
        message: list[J] = []
        weight = 0.0
        while weight < 1 and (numbered := take()) is not None:
            child.jobs.append(numbered)
            message.append(numbered.job)
            weight += numbered.weight
        child.load += weight
        if message:
            child.send(message)
        return weight

    def stop(self) -> None:
        """End the processes, and interrupt processes that are busy."""
        for child in self._children:
            if child.jobs:
                child.interrupt()
            else:
                child.send(None)
        for child in self._children:
            child.end(_GRACE)

    def _least_busy(self) -> _Child[J] | None:
        """The process with the smallest load, for the next jobs; None if all processes have enough jobs."""
        if len(self._children) < self._size:
            with _held_back():
                self._children.append(_Child(self._work, None, self._answers))
            return self._children[-1]
        child = min(self._children, key=lambda child: child.load)
        return child if child.load < _QUEUE else None

    def _receive(self, child: _Child[J], answer: _Answer | None) -> Iterable[_Numbered[J]]:
        """Record a result. If the process died instead, record its first job as lost, and return its other jobs."""
        if answer is None:
            self._children.remove(child)
            reason = child.reason()
        elif not child.is_ready:
            child.is_ready = True
            return ()
        else:
            result, error = answer
            reason = f"{type(error).__name__}: {error}"
        if not child.jobs:
            return ()
        number, job, weight = child.jobs.popleft()
        child.load -= weight
        lost = answer is None or error is not None
        self._done[number] = (self._lost(job, reason) if lost else cast("R", result)), weight
        return child.jobs if answer is None else ()


# The program of a child.


def main(*, first_to_go: bool) -> None:  # pragma: no cover - in the child, which is not measured
    """Run the child process."""
    jobs, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)  # if standard error is closed, this is standard error
    os.dup2(2, 1)  # the output of the work is no answer
    if first_to_go:
        _be_the_first_to_go()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _exit)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    serve(jobs, answers)


def serve(jobs: BinaryIO, answers: BinaryIO) -> None:
    """Read a function and its time limit, then answer each job of each message until a message is None."""
    messages: SimpleQueue[list[object] | None] = SimpleQueue()
    work, seconds = pickle.load(jobs)  # noqa: S301 - from the process that started this one
    function: Callable[[object], object] = pickle.loads(work)  # noqa: S301 - likewise
    threading.Thread(target=_read, args=(jobs, messages), daemon=True).start()
    with contextlib.suppress(BrokenPipeError):
        _send(answers, (None, None))
        for job in (job for message in iter(messages.get, None) for job in message):
            _alarm(seconds)
            answer: _Answer
            try:
                answer = function(job), None
            except Exception as error:  # noqa: BLE001 - the parent raises or reports it
                answer = None, error
            _alarm(None)
            _send(answers, answer)


def _send(file: BinaryIO, message: object) -> None:
    pickle.dump(message, file, protocol=pickle.HIGHEST_PROTOCOL)
    file.flush()


def _read(jobs: BinaryIO, messages: SimpleQueue[list[object] | None]) -> None:
    """Pass on the messages of the parent. If it ends, end this process at once."""
    try:
        while (message := pickle.load(jobs)) is not None:  # noqa: S301 - from the process that started this one
            messages.put(message)
    except EOFError:  # pragma: no cover - in the child, which is not measured
        os._exit(1)
    finally:
        messages.put(None)


def _exit(_number: int, _frame: object) -> NoReturn:
    """Unwind the stack, so that a temporary file is removed."""
    sys.exit(128 + signal.SIGTERM)


def _be_the_first_to_go() -> None:  # pragma: no cover - in the child, which is not measured
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
