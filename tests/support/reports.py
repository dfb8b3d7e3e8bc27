"""Runs reporters for their tests, and compares their reports with the expected ones.

`LINKFIX_SNAPSHOTS=write pytest tests/audit/reporters` writes the expected reports to tests/audit/reporters/snapshots;
every test that wrote one fails, so that such a run never passes. Read the diff, then run the tests again.
"""

from __future__ import annotations

import io
import os
import re

import pytest
from support.paths import TESTS

from linkfix import __version__
from linkfix.auditing.reporters import reporter

__all__ = ["check_snapshot", "lines_of", "report"]

SNAPSHOTS = TESTS / "audit" / "reporters" / "snapshots"


class Stream(io.StringIO):
    """A text stream that cannot hold what UTF-8 cannot, and that says what it was told of terminals."""

    def __init__(self, *, is_terminal=False):
        super().__init__(newline="")
        self._is_terminal = is_terminal

    def isatty(self):
        return self._is_terminal

    def write(self, text):
        text.encode()
        return super().write(text)


def report(name, audit, *, is_terminal=False, **options):
    """All that a reporter writes."""
    out = Stream(is_terminal=is_terminal)
    reporter(name)(audit, out, **options)
    return out.getvalue()


def lines_of(text):
    """The lines that end in LF alone, as files and terminals have them."""
    assert text.endswith("\n")
    return text[:-1].split("\n")


def check_snapshot(name, text):
    """That `text` is the expected report of that name, whatever the version of linkfix is."""
    path = SNAPSHOTS / name
    data = re.sub(f'(ersion": "){re.escape(__version__)}"', r'\1VERSION"', text).encode()
    if os.environ.get("LINKFIX_SNAPSHOTS") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        pytest.fail(f"{path.name} was written, not compared")
    assert data.decode() == path.read_bytes().decode()
