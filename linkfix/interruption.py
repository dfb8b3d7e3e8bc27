"""Signals are held back while a process starts: one that gets them before it can handle them prints a traceback.

A terminal sends Ctrl-C and its own end to all processes that run in it. Those that this one started never receive them:
it ends them itself.

Internal: it can change in any release.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterable, Iterator

__all__ = ["held_back", "receive"]

_NAMES = ("SIGINT", "SIGHUP", "SIGTERM")


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Hold back what interrupts this process. Processes that are started meanwhile hold it back until `receive`."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {getattr(signal, name) for name in _NAMES})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def receive(numbers: Iterable[int]) -> None:
    """Receive signals that were held back when this process was started."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)
