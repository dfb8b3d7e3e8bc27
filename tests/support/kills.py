"""Kills commands: at each step that changes a file system, and at random moments.

    for number in itertools.count():
        folder = fresh_copy()
        if not killed_at_step(number, "absolutize", folder, "--in-place"):
            break  # it has no more steps
        ...  # each file is old or new

    for moment in moments(seconds_of("absolutize", fresh_copy(), "--in-place"), seed=1):
        folder = fresh_copy()
        killed_after(moment, "absolutize", folder, "--in-place")

Steps are counted in one process: give `--jobs 1`. LINKFIX_KILLS is the number of random moments in each test.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from support.running import ENVIRONMENT, command

from linkfix.cli import cli

#: The number of random moments that a test tries.
KILLS = int(os.environ.get("LINKFIX_KILLS", "6"))
#: Events of `sys.audit` for changes of the file system.
_CHANGES = frozenset(
    (
        *("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.symlink", "os.link"),
        *("os.utime", "os.chmod", "os.chown", "os.truncate", "fcntl.flock"),
    )
)


def killed_at_step(number: int, *arguments: str | os.PathLike[str]) -> bool:
    """Run the command, in one process, until its step `number`, from 0, is about to begin. False if it ends before.

    A step is a call that changes the file system; of a call of `os.write`, half is written.
    """
    pid = os.fork()  # a new interpreter would take a second
    if pid == 0:
        _run_until(number, list(map(os.fspath, arguments)))
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in {0, 1, -signal.SIGKILL}, code
    return code == -signal.SIGKILL


def _run_until(number: int, arguments: list[str]) -> NoReturn:
    write = os.write
    left = itertools.count(number, -1)

    def step(half: Callable[[], object] = lambda: None) -> None:
        if next(left) == 0:
            half()
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(event: str, values: tuple[Any, ...]) -> None:
        if event in _CHANGES or (event == "open" and (values[2] or 0) & (os.O_WRONLY | os.O_RDWR)):
            step()

    def write_half(descriptor: int, data: bytes) -> int:
        step(lambda: write(descriptor, bytes(data)[: len(data) // 2]))
        return write(descriptor, data)

    code = 3
    try:
        sys.dont_write_bytecode = True
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        sys.stdout, sys.stderr = (io.TextIOWrapper(io.BytesIO()) for _ in range(2))
        sys.addaudithook(hook)
        os.write = write_half
        cli(arguments, prog_name="linkfix")
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        os._exit(code)


def killed_after(seconds: float, *arguments: str | os.PathLike[str], cwd: Path | None = None) -> bool:
    """Run the command, and kill it and its processes after a time. False if it ends before."""
    with subprocess.Popen(
        command(*arguments),
        cwd=cwd,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
            return False
        os.killpg(process.pid, signal.SIGKILL)
    await_end(process.pid)
    return True


def await_end(group: int) -> None:
    """Wait until no process of a group is left: one that is killed holds its locks until it has ended."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.01)
    message = "a process of the run is left"
    raise AssertionError(message)


def seconds_of(*arguments: str | os.PathLike[str], cwd: Path | None = None) -> float:
    """The duration of the whole command."""
    started = time.monotonic()
    killed_after(600, *arguments, cwd=cwd)
    return time.monotonic() - started


def moments(seconds: float, seed: int, count: int = KILLS) -> list[float]:
    """Random moments of a command of this duration. Few are in its first fifth, which starts Python."""
    chosen = random.Random(seed)  # noqa: S311 - no secret
    return [chosen.uniform(0.2 * seconds, 1.05 * seconds) for _ in range(count)]


def temporary_files(folder: Path) -> list[str]:
    """The temporary files that a killed command left in a folder and its subfolders."""
    return sorted(path.name for path in folder.rglob(".linkfix-*"))


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder by their names, without the temporary files of a killed command."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith(".linkfix-")
    }
