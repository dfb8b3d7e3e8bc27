"""What is published says the same everywhere: classifiers, what is tested, and what wheels are built for."""

from __future__ import annotations

import re
import tomllib

from support.paths import CHECKOUT

import linkfix

SETTINGS = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))
WORKFLOWS = CHECKOUT / ".github" / "workflows"


def supported():
    """The versions of Python that the classifiers name."""
    pattern = re.compile(r"Programming Language :: Python :: (3\.\d+)")
    return [match[1] for one in SETTINGS["project"]["classifiers"] if (match := pattern.fullmatch(one))]


def test_the_first_version_is_the_one_that_is_required():
    assert SETTINGS["project"]["requires-python"] == f">={supported()[0]}"


def test_each_version_is_tested():
    matrix = re.search(r"^ +python: \[(.*)\]$", (WORKFLOWS / "tests.yml").read_text("utf-8"), re.MULTILINE)
    assert matrix is not None
    assert matrix[1] == ", ".join(f'"{version}"' for version in supported())


def test_each_version_has_wheels():
    builds = SETTINGS["tool"]["cibuildwheel"]["build"]
    minors = ",".join(version.partition(".")[2].removeprefix("1") for version in supported())
    assert builds == [f"cp31{{{minors}}}-*", "cp314t-*"]


def test_the_version_is_the_packages():
    assert SETTINGS["project"]["version"] == linkfix.__version__


def test_contributors_are_told_all_stages():
    """CONTRIBUTING.md has a table of those of `.ci/run`, and one of those of `.ci/nightly`."""
    text = (CHECKOUT / "CONTRIBUTING.md").read_text("utf-8")
    for script in ("run", "nightly"):
        source = (CHECKOUT / ".ci" / script).read_text("utf-8")
        [stages] = re.findall(r'^(?:all_)?stages "(.*)" "\$@"$', source, re.MULTILINE)
        table = text.partition(f"| stage of `.ci/{script}` |")[2].partition("\n\n")[0]
        assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == stages.split()
        for stage in stages.split():
            assert re.search(rf"^{stage}\(\) \{{$", source, re.MULTILINE), stage


def test_what_is_called_is_there():
    for workflow in WORKFLOWS.glob("*.yml"):
        scripts = re.findall(r"\.ci/[\w.]+", workflow.read_text("utf-8"))
        assert scripts
        assert all((CHECKOUT / script).is_file() for script in scripts)
