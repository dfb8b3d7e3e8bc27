"""`python -m fuzz`: see `--help` and README.md beside this file."""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from pathlib import Path

from fuzz.case import read_findings
from fuzz.invariants import INVARIANTS, check
from fuzz.run import Run

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Run the command line; returns the exit code: 1 where something was found."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Check linkfix with inputs made at random.")
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on (60)")
    parser.add_argument("--count", type=int, help="how many inputs to make at most")
    parser.add_argument(
        "--seed", type=int, help="what the inputs are made from: the same seed, the same inputs (a new one)"
    )
    parser.add_argument(
        "--only", action="append", default=[], choices=INVARIANTS, help="check this invariant; repeatable"
    )
    parser.add_argument("--found", type=Path, default=Path("build/fuzz"), help="folder for found cases (build/fuzz)")
    parser.add_argument(
        "--replay", type=Path, metavar="FILE", help="check the cases in this file again, and nothing else"
    )
    chosen = parser.parse_args(arguments)
    if chosen.replay is not None:
        return _replay(chosen.replay)
    seed = secrets.randbelow(1 << 32) if chosen.seed is None else chosen.seed
    print(f"python -m fuzz --seconds {chosen.seconds:g} --seed {seed}", flush=True)
    run = Run(seed, chosen.found, tuple(chosen.only))
    start = time.monotonic()
    run.go(chosen.seconds, chosen.count)
    print(run.report(time.monotonic() - start))
    return 1 if run.found else 0


def _replay(path: Path) -> int:
    """Check found cases again."""
    failed = 0
    for name, case, _ in read_findings(path):
        message = check(name, case)
        failed += message is not None
        print(f"{name}: {'holds' if message is None else message}\n    {case!r}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
