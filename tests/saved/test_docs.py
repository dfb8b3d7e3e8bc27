"""The statements of docs/saved.md are true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.running import runner

from linkfix.cli import cli
from linkfix.containers import CONTAINERS
from linkfix.saved import LAYOUTS, MARKS
from linkfix.saved.retrieval import LINK_EVIDENCE

DOCS = Path(__file__).parents[2] / "docs/saved.md"
pytestmark = pytest.mark.skipif(not DOCS.is_file(), reason="docs/ is not installed with the package")
TEXT = DOCS.read_text("utf-8") if DOCS.is_file() else ""


def test_every_mark_has_a_row():
    table = TEXT.partition("| saver |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", table, re.MULTILINE)
    assert list(dict.fromkeys((mark.saver, mark.meaning) for mark in MARKS)) == rows


def test_every_archive_mark_has_a_row():
    table = TEXT.partition("| archive |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (.+?) \| (.+) \| (.+?) \|$", table, re.MULTILINE)
    marks = [(mark.saver, mark.evidence, mark.states) for mark in MARKS if mark.is_archive]
    assert rows == [*marks, *(("any", *row) for row in LINK_EVIDENCE)]
    assert all(all(row) for row in rows)


def test_every_container_has_a_row():
    told = set(re.findall(r"`(\.[a-z.]+)`", TEXT.partition("## The retrieval URL")[0]))
    for name in CONTAINERS:
        assert told & set(CONTAINERS[name].suffixes), name


def test_the_documented_options_exist():
    shown = "".join(runner().invoke(cli, [name, "--help"]).output for name in ("absolutize", "unpack"))
    told = set(re.findall(r"--[a-z][a-z-]+", TEXT))
    assert len(told) > 5
    assert {option.replace("--no-", "--") for option in told if option not in shown} == set()
    assert set(LAYOUTS) <= set(re.findall(r"`(?:--layout )?(\w+)`", TEXT))
