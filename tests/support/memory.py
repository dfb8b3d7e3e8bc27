"""Memory of the command, in a process of its own, and of this process."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support.running import ENVIRONMENT

__all__ = ["peak", "peak_growth"]

#: The number of measurements before growth is believed.
_ATTEMPTS = 3
#: Runs the command twice, and prints the growth of the peak in the second run, in kB.
_SCRIPT = """
import sys
import linkfix.cli

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

def run(arguments):
    try:
        linkfix.cli.cli(arguments)
    except SystemExit:
        pass

first, second = " ".join(sys.argv[1:]).split(" -- ")
run(first.split())
before = peak()
run(second.split())
print(peak() - before, file=sys.stderr)
"""


def peak() -> int:
    """The peak of this process's memory, in kB."""
    if not sys.platform.startswith("linux"):
        pytest.skip("Linux tells it in kB, macOS in bytes, Windows in another way")
    import resource  # Unix's

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def peak_growth(small: list[str], large: list[str], bound: float) -> int:
    """The growth of the peak of memory, in bytes, from a run with `small` arguments to a run with `large` ones.

    The least of three attempts, or the first below `bound`: a system that needs memory takes pages of libraries from a
    waiting process. If it did so before the first peak and not before the second, the growth includes their size.
    """
    if not sys.platform.startswith("linux"):
        pytest.skip("Linux tells the peak of memory")
    words = [sys.executable, "-c", _SCRIPT, *small, "--", *large]
    least = sys.maxsize
    for _ in range(_ATTEMPTS):
        ran = subprocess.run(words, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
        least = min(least, int(ran.stderr.split()[-1]) << 10)
        if least < bound:
            break
    return least
