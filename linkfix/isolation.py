"""Work done by a child process, so that what kills it, or never ends, loses one job and not the process that asks.

For programs whose processes belong to somebody else, such as those of a cluster: one job at a time, no other start of
Python than `sys.executable`. Runs of linkfix itself spread their work with `linkfix.runs.workers`.

Internal: it can change in any release.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import BinaryIO, Generic, Self, TypeVar, cast

from linkfix.interruption import held_back, receive

__all__ = ["Isolated", "LostJob"]

J = TypeVar("J")
R = TypeVar("R")

#: After so many times the limit a child ends itself: its parent, which ends it at the limit, is gone then.
_ORPHANED = 2
_PROGRAM = "import sys; sys.path[:] = {path!r}; from linkfix.isolation import main; main()"


class LostJob(Exception):
    """The process ended before it gave a result."""

    def __init__(self, reason: str, *, is_late: bool) -> None:
        super().__init__(reason)
        self.is_late = is_late
        """Whether that was because the limit of time was reached."""


class Isolated(Generic[J, R]):
    """Does jobs in a child process, which is started again after each one that it did not survive."""

    def __init__(self, work: bytes, seconds: float | None) -> None:
        """`work`: a pickled function of a job. `seconds`: how long a job may take, None: as long as it takes."""
        self._work = work
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._end(self._process)

    def __call__(self, job: J) -> R:
        """`work(job)`. Raises what that raises, and LostJob where the process ended instead."""
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
        # Its start is not limited: what it imports may come from a slow file system.
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
    """Kills a process unless this context ends in time. It never does afterwards."""

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
    """Send a message and wait for the answer: a result and an error. None where the process ended instead."""
    try:
        _send(cast("BinaryIO", process.stdin), message)
        return cast("tuple[object, BaseException | None]", pickle.load(cast("BinaryIO", process.stdout)))  # noqa: S301 - its own
    except (EOFError, OSError, pickle.UnpicklingError):
        return None


def _send(file: BinaryIO, message: object) -> None:
    pickle.dump(message, file, protocol=pickle.HIGHEST_PROTOCOL)
    file.flush()


def main() -> None:  # pragma: no cover - in the child, which is not measured
    """What the child runs."""
    jobs = sys.stdin.buffer
    # What the function prints goes to standard error: standard output is the answers'.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _be_the_first_to_go()
    serve(jobs, answers)


def serve(jobs: BinaryIO, answers: BinaryIO) -> None:
    """Take a function and its limit of time, then answer each job, until there are no more."""
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
    """Where memory runs out, Linux shall end this process and not the one that asks; and no core of it is kept."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:  # noqa: PTH123
        file.write("1000")
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415 - not on every system

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _alarm(seconds: float | None) -> None:
    """End this process if it is still busy long after it should have been ended."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0 if seconds is None else seconds * _ORPHANED + 1)
