"""A run: makes and checks inputs until the time is over; minimizes findings and writes them to files."""

from __future__ import annotations

import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import linkfix
from fuzz.case import Case, Finding, write_finding
from fuzz.inputs import make
from fuzz.invariants import INVARIANTS, RAISES_NOTHING_ELSE, check
from fuzz.minimize import minimize

__all__ = ["Run"]

#: The number of cases kept per invariant: more cases seldom have other causes.
_KEPT = 5
#: The time for making one case smaller, in seconds.
_MINIMIZING = 10.0


class Run:
    """One run. `seed`: the seed of the inputs. `only`: the invariants to check; all if it is empty.

    `folder`: the folder for found cases.
    """

    def __init__(self, seed: int, folder: Path, only: tuple[str, ...] = ()) -> None:
        self.seed = seed
        self.folder = folder
        self.only = frozenset(only or INVARIANTS)
        self.inputs: Counter[str] = Counter()
        """The number of inputs of each kind."""
        self.checked: Counter[str] = Counter()
        """The number of checks of each invariant."""
        self.seconds: defaultdict[str, float] = defaultdict(float)
        """The wall time of the checks of each invariant, in seconds."""
        self.found: list[Finding] = []
        """The findings, minimized."""

    def go(self, seconds: float, count: int | None = None) -> None:
        """Check inputs for `seconds`, at most `count` inputs."""
        end = time.monotonic() + seconds
        number = 0
        while time.monotonic() < end and (count is None or number < count):
            for finding in self._findings(number):
                self._keep(finding, number)
            number += 1

    def _findings(self, number: int) -> Iterator[Finding]:
        """The violations of invariants by an input."""
        case = make(self.seed, number)
        self.inputs[case.kind] += 1
        nth = self.inputs[case.kind]
        for name, invariant in INVARIANTS.items():
            if invariant.kind != case.kind or name not in self.only | {RAISES_NOTHING_ELSE} or nth % invariant.every:
                continue
            start = time.monotonic()
            message = check(name, case)
            self.seconds[name] += time.monotonic() - start
            self.checked[name] += 1
            if message is not None:
                yield Finding(name, case, message)
            if name == RAISES_NOTHING_ELSE and (message is not None or not _is_accepted(case)):
                return

    def _keep(self, finding: Finding, number: int) -> None:
        """Make a finding small and write it, unless there are enough of its invariant."""
        name, case, _ = finding
        if sum(one.invariant == name for one in self.found) >= _KEPT:
            return
        start = time.monotonic()
        small = minimize(case, lambda tried: check(name, tried) is not None, _MINIMIZING)
        self.seconds["making cases small"] += time.monotonic() - start
        self.checked["making cases small"] += 1
        if any(one.invariant == name and one.case == small for one in self.found):
            return
        small_finding = Finding(name, small, check(name, small) or finding.message)
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{name}-{self.seed}-{number}.json"
        write_finding(path, small_finding)
        self.found.append(small_finding)
        print(f"{path}: {small_finding.message[:600]}\n    {small!r}", flush=True)

    def report(self, seconds: float) -> str:
        """The summary of the run, as a text."""
        total = sum(self.inputs.values())
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(self.inputs.items()))
        speed = "compiled, beside plain" if linkfix.COMPILED else "plain; compiled and plain are not compared"
        lines = [
            f"linkfix {linkfix.__version__} ({speed}), seed {self.seed}, {os.cpu_count()} processors",
            f"{total:,} inputs ({kinds}) in {seconds:.1f} s, {total / max(seconds, 0.001):.0f} inputs/s",
            f"{'invariant':<40} {'checked':>9} {'seconds':>8} {'found':>6}",
        ]
        for name in self.checked:
            found = sum(one.invariant == name for one in self.found)
            lines.append(f"{name:<40} {self.checked[name]:>9,} {self.seconds[name]:>8.1f} {found:>6}")
        return "\n".join(lines)


def _is_accepted(case: Case) -> bool:
    """Whether a document's URL, charset and options are valid."""
    if case.kind != "document":
        return True
    try:
        case.document()
    except linkfix.LinkfixError:
        return False
    return True
