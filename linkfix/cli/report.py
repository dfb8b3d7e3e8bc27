"""The report of a run: lines for people on standard error, one JSON object on standard output."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import click

from linkfix.cli.progress import Progress
from linkfix.display import display_name, pluralize, visible
from linkfix.files import atomic
from linkfix.model import Problem
from linkfix.runs.convert import FileOutcome

__all__ = ["Report", "format_problem", "outcome_record", "removed_line", "write_bytes", "write_diff", "write_file"]

#: The counts of the JSON totals, in order.
_TOTALS = (
    "files",
    "copied",
    "linked",
    "refused",
    "failed",
    "links",
    "rewritten",
    "problems",
    "bytes",
    "removed",
    "separated",
)


def format_problem(name: str, problem: Problem) -> str:
    """A problem in the form of compilers: `path:line:column: message [code]`."""
    return f"{visible(name)}:{problem.line}:{problem.column}: {visible(problem.message)} [{problem.code}]"


def outcome_record(outcome: FileOutcome) -> dict[str, Any]:
    """An outcome as a JSON object."""
    base = outcome.base
    return {
        "path": display_name(outcome.display_name),
        "action": outcome.action,
        "message": outcome.message or None,
        "url": outcome.url,
        "base": base.url if base else None,
        "layer": base.layer.value if base else None,
        "encoding": outcome.encoding or None,
        "bytes": outcome.size,
        "links": outcome.links,
        "rewritten": outcome.rewritten,
        "problem_count": outcome.problem_count,
        "problems": [
            {"code": problem.code, "message": problem.message, "line": problem.line, "column": problem.column}
            for problem in outcome.problems
        ],
    }


def removed_line(count: int) -> str:
    """What is said of temporary files that were removed."""
    return f"removed {pluralize(count, 'temporary file')} that a killed run left behind"


def write_file(path: str, data: bytes, *, quiet: bool) -> None:
    """Write a report or another file that the caller named, and remove what a killed run left in its folder."""
    removed = atomic.remove_leftovers(str(Path(path).parent))
    if removed and not quiet:
        click.echo(removed_line(len(removed)), err=True)
    atomic.write(path, data)


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output, which may take only a part at a time if it is not buffered."""
    sys.stdout.flush()
    rest = memoryview(data)
    while rest:
        rest = rest[sys.stdout.buffer.write(rest) :]
    sys.stdout.buffer.flush()


def write_diff(diff: bytes) -> None:
    """Write a diff to standard output: with escapes for a terminal, unchanged for `patch`."""
    write_bytes(_escape(diff) if sys.stdout.isatty() else diff)


def _escape(diff: bytes) -> bytes:
    lines = diff.decode("utf-8", "backslashreplace").split("\n")
    return "\n".join("\t".join(map(visible, line.split("\t"))) for line in lines).encode()


class Report:
    """Reports outcomes as they come, and their totals at the end."""

    def __init__(self, progress: Progress, *, machine: bool, listing: bool, quiet: bool, dry_run: bool) -> None:
        """`machine`: write JSON to standard output; `listing`: list what would change there; `quiet`: only errors."""
        self._progress = progress
        self._machine = machine
        self._listing = listing
        self._quiet = quiet
        self._dry_run = dry_run
        self._started = time.monotonic()
        self._totals: Counter[str] = Counter()
        if machine:
            sys.stdout.write('{"files": [')

    def add(self, outcome: FileOutcome) -> None:
        """Count an outcome, and report it."""
        totals = self._totals
        if outcome.action == "removed":
            totals["removed"] += 1
            return
        self._write(outcome, first=not totals["rows"])
        regular = outcome.action in {"converted", "same", "copied"}
        totals.update(
            {
                "rows": 1,
                "files": int(regular),
                outcome.action: 1,
                "links": outcome.links,
                "rewritten": outcome.rewritten,
                "problems": outcome.problem_count,
                "bytes": outcome.size,
                "separated": int(outcome.separated),
            }
        )
        self._progress.advance(size=outcome.size, links=outcome.links)
        if outcome.message and (outcome.action == "failed" or not self._quiet):
            self._progress.say(f"{visible(outcome.display_name)}: {visible(outcome.message)}")
        if not self._quiet:
            for problem in outcome.problems:
                self._progress.say(format_problem(outcome.display_name, problem))
            more = outcome.problem_count - len(outcome.problems)
            if more:
                self._progress.say(f"{visible(outcome.display_name)}: and {pluralize(more, 'problem')} more")

    def finish(self) -> None:
        """Complete the JSON object, and print the summary line."""
        seconds = time.monotonic() - self._started
        totals = self._totals
        if self._machine:
            sums = {name: totals[name] for name in _TOTALS} | {"seconds": round(seconds, 3)}
            sys.stdout.write(f'\n], "totals": {json.dumps(sums)}}}\n')
        if self._quiet:
            return
        if totals["removed"]:
            click.echo(removed_line(totals["removed"]), err=True)
        if totals["separated"]:
            separated = "would separate" if self._dry_run else "separated"
            click.echo(
                f"{separated} the hard links of {pluralize(totals['separated'], 'file')}: "
                "--keep-hard-links keeps them together",
                err=True,
            )
        done = "to make absolute" if self._dry_run else "made absolute"
        parts = [
            pluralize(totals["files"], "file"),
            *(f"{totals[action]:,} {action}" for action in ("copied", "linked", "refused") if totals[action]),
            pluralize(totals["links"], "link"),
            f"{totals['rewritten']:,} {done}",
            pluralize(totals["problems"], "problem"),
            *([pluralize(totals["failed"], "error")] if totals["failed"] else []),
        ]
        click.echo(f"{', '.join(parts)} in {seconds:.2f} s", err=True)

    def exit_code(self, *, strict: bool) -> int:
        """2 if a file failed; 1 if there are problems and `strict` is set; else 0."""
        if self._totals["failed"]:
            return 2
        return int(strict and bool(self._totals["problems"] or self._totals["refused"]))

    def _write(self, outcome: FileOutcome, *, first: bool) -> None:
        if self._machine:
            sys.stdout.write(("\n" if first else ",\n") + json.dumps(outcome_record(outcome)))
        elif outcome.diff:
            write_diff(outcome.diff)
        elif self._listing and outcome.action == "converted":
            links = pluralize(outcome.links, "link")
            click.echo(f"{visible(outcome.display_name)}: {outcome.rewritten:,} of {links} to make absolute")
