"""docs/install.md: packages and their importers."""

import re
import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BENCH = runpy.run_path(str(ROOT / "bench" / "dependencies.py"))
TEXT = (ROOT / "docs" / "install.md").read_text()
ROWS = {
    cells[0]: cells[1:]
    for line in TEXT.splitlines()
    if (cells := [cell.strip() for cell in line.strip("|").split("|")]) and len(cells) == 4
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_every_dependency_is_in_the_table():
    named = {re.match(r"[\w-]+", one)[0] for one in PROJECT["dependencies"]}
    assert {name for name, (_, by, _) in ROWS.items() if by == "linkfix"} == named


def test_every_extra_is_named():
    assert set(re.findall(r"`([\w-]+)`", TEXT.partition("| extra | for |")[2].partition("\n\n")[0])) >= set(
        PROJECT["optional-dependencies"]
    )


@pytest.mark.slow
@pytest.mark.parametrize("use", BENCH["USES"])
def test_imports_of_each_package(use):
    """For distinguishable packages: others with the same top-level name may be installed too."""
    stated = {name for name, (*_, uses) in ROWS.items() if use in uses.split(", ")}
    assert BENCH["imported"](BENCH["USES"][use]) & set(ROWS) - {"linkfix"} == stated
