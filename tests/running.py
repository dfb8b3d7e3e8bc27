"""Runs the command line: in this process, where what it prints is asked for, and as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner, Result

import linkfix
from linkfix.cli import cli

ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR", "COLUMNS"}},
    "PYTHONPATH": str(Path(linkfix.__file__).parents[1]),
    "PYTHONUTF8": "1",
}


def run(*arguments: str | os.PathLike[str], stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(cli, list(map(os.fspath, arguments)), input=stdin)


def command(*arguments: str | os.PathLike[str]) -> list[str]:
    return [sys.executable, "-m", "linkfix", *map(os.fspath, arguments)]


def process(
    *arguments: str | os.PathLike[str], cwd: Path, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # noqa: S603
        command(*arguments), cwd=cwd, input=stdin, capture_output=True, timeout=60, env=ENVIRONMENT | environment, check=False
    )
