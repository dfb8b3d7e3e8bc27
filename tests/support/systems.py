"""Marks of tests that need a feature which some systems lack."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

__all__ = ["is_root", "needs_full_device", "needs_open_files", "needs_pipes"]

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are Unix's")
needs_full_device = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
needs_open_files = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="Linux alone lists what is open")


def is_root() -> bool:
    """Whether this process has the rights of Unix's administrator."""
    return hasattr(os, "geteuid") and os.geteuid() == 0
