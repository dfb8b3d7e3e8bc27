"""A folder for temporary files that has to be empty in the end."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

__all__ = ["nothing_stays"]


@contextmanager
def nothing_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in `tmp_path`, where temporary files have a folder of their own, and check that it is empty in the end."""
    monkeypatch.chdir(tmp_path)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    yield tmp_path
    assert not list(temporary.iterdir()), "the temporary folder is removed"
