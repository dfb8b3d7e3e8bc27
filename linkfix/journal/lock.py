"""Who may use a journal: the processes of one run together, or one process alone.

The lock ends with the processes that hold it, however they end. Systems without `flock` have no lock.
"""

from __future__ import annotations

import importlib

from linkfix.errors import InvalidJournal

__all__ = ["lock"]


def lock(descriptor: int, path: str, *, alone: bool) -> None:
    """Lock an open journal until it is closed. Raises `InvalidJournal` where another process has a lock against it."""
    try:
        fcntl = importlib.import_module("fcntl")
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        message = f"{path} is in use: a run that writes or undoes it has not ended yet"
        raise InvalidJournal(message) from None
