"""Runs the command line: in this process, to read its output, or as a process of its own."""

from __future__ import annotations

import contextlib
import inspect
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import linkfix
from linkfix.cli import cli

_SHAPING = {"COLUMNS", "FORCE_COLOR", "NO_COLOR", "PYTHONUNBUFFERED"}

ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if name not in _SHAPING},
    "PYTHONPATH": str(Path(linkfix.__file__).parents[1]),
    "PYTHONUTF8": "1",
}


def runner() -> CliRunner:
    """Runs commands in this process, and keeps standard error apart, which click before 8.2 does only when asked."""
    return CliRunner(**({"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}))


def run(*arguments: str | os.PathLike[str], stdin: bytes | None = None) -> Result:
    """Run the command in this process."""
    return runner().invoke(cli, list(map(os.fspath, arguments)), input=stdin)


def command(*arguments: str | os.PathLike[str]) -> list[str]:
    """The words that start the command as a process."""
    return [sys.executable, "-m", "linkfix", *map(os.fspath, arguments)]


def terminal(*arguments: str | os.PathLike[str], cwd: Path, **environment: str) -> str:
    """The output of the command in a terminal of 70 columns, with empty standard input."""
    import pty  # Unix's

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command(*arguments),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env=ENVIRONMENT | {"COLUMNS": "70", "TERM": "xterm-256color"} | environment,
    ):
        os.close(theirs)
        output = b""
        with contextlib.suppress(OSError):  # Linux ends a terminal with EIO
            while chunk := os.read(ours, 1 << 16):
                output += chunk
    os.close(ours)
    return output.decode()


def bash(script: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a bash script; "$0" is Python."""
    program = shutil.which("bash")
    if program is None:
        pytest.skip("bash is not installed")
    return subprocess.run(
        [program, "-c", script, sys.executable],
        cwd=cwd,
        capture_output=True,
        timeout=60,
        env=ENVIRONMENT | environment,
        check=False,
    )


def process(
    *arguments: str | os.PathLike[str], cwd: Path, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run the command as a process, with standard input from a pipe."""
    return subprocess.run(
        command(*arguments),
        cwd=cwd,
        input=stdin,
        capture_output=True,
        timeout=60,
        env=ENVIRONMENT | environment,
        check=False,
    )
