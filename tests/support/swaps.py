"""Swaps two names in one step, as somebody does who wants a running command to go astray."""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

_EXCHANGE = 2
_HERE = -100


def exchange(one: Path, other: Path) -> None:
    """Swap two names (Linux: `renameat2` with RENAME_EXCHANGE)."""
    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "renameat2"):
        pytest.skip("this system has no renameat2")
    if library.renameat2(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(one))


@contextlib.contextmanager
def exchanging(one: Path, other: Path) -> Iterator[None]:
    """Swap two names over and over, on another thread, and leave them as they were."""
    done = threading.Event()

    def run() -> None:
        while not done.is_set():
            exchange(one, other)
            done.wait(0.0002)
            exchange(one, other)
            done.wait(0.0002)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
