"""What systems lack: marks of tests that need it."""

from __future__ import annotations

import os

import pytest

__all__ = ["is_root", "needs_pipes"]

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are Unix's")


def is_root() -> bool:
    """Whether this process may do what only the administrator of Unix may."""
    return hasattr(os, "geteuid") and os.geteuid() == 0
