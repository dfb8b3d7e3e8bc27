"""What holds of the tests themselves."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from support.paths import CHECKOUT, TESTS

import linkfix
from linkfix.html.compiled import HOT_MODULES

FILES = {path.relative_to(TESTS).as_posix(): path.read_text("utf-8") for path in sorted(TESTS.rglob("*.py"))}
HELPERS = [name for name in FILES if name.startswith("support/")]
#: They wait for something, at most so long; nothing else goes by the clock on the wall.
WITH_DEADLINES = {
    "browser/test_when_parsed.py",
    "cli/test_links_output.py",
    "cli/test_runs.py",
    "runs/test_workers.py",
    "spark/test_scripts.py",
    "spark/test_tasks.py",
    "support/browser/chromium.py",
    "support/browser/proxied.py",
    "support/browser/verdicts.py",
    "support/kills.py",
    "test_isolation.py",
}
MEASURING = {"assert_linear", "processor_limit"}


def test_time_is_processor_time():
    clocks = re.compile(r"perf_counter|monotonic|\btime\.time\b")
    assert {name for name, text in FILES.items() if clocks.search(text)} == WITH_DEADLINES | {"test_suite.py"}


@pytest.mark.parametrize("name", [name for name, text in FILES.items() if "from support.growth import" in text])
def test_what_measures_growth_is_marked(name):
    tree = ast.parse(FILES[name])
    whole_file = "pytestmark = pytest.mark.growth" in FILES[name]
    for test in ast.walk(tree):
        if isinstance(test, ast.FunctionDef) and test.name.startswith("test_"):
            measures = MEASURING & {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
            marked = whole_file or "pytest.mark.growth" in map(ast.unparse, test.decorator_list)
            assert marked or not measures, test.name


@pytest.mark.parametrize("name", HELPERS)
def test_a_helper_is_used_and_says_what_it_is_for(name):
    module = name.removesuffix(".py").replace("/", ".")
    assert ast.get_docstring(ast.parse(FILES[name]))
    names = (f"{module} ", f"{module}\n", f"{module}.", f"{module},", f'"{name.rpartition("/")[2]}"')
    assert any(other != name and any(one in text for one in names) for other, text in FILES.items())


def collect(folder, *, expected=None, compiled=HOT_MODULES):
    """Start `python -m pytest` on a copy of the checkout's plain source, beside an installed linkfix."""
    checkout, installed = folder / "checkout", folder / "installed"
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(Path(linkfix.__file__).parent, checkout / "linkfix", ignore=ignored)
    shutil.copytree(TESTS / "support", checkout / "tests" / "support", ignore=ignored)
    shutil.copy(TESTS / "conftest.py", checkout / "tests")
    shutil.copy(CHECKOUT / "pyproject.toml", checkout)
    (checkout / "tests" / "test_one.py").write_text("def test_one():\n    pass\n")
    (installed / "linkfix-1.dist-info").mkdir(parents=True)
    (installed / "linkfix-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: linkfix\nVersion: 1\n")
    for module in compiled:
        path = installed.joinpath(*module.split(".")).with_suffix(EXTENSION_SUFFIXES[0])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    environment = {key: value for key, value in os.environ.items() if key not in {"LINKFIX_EXPECT", "PYTHONSAFEPATH"}}
    environment |= {"PYTHONPATH": str(installed)} | ({"LINKFIX_EXPECT": expected} if expected else {})
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
class TestWhichLinkfixIsTested:
    def test_plain_source_hides_no_compiled_linkfix(self, tmp_path):
        code, output = collect(tmp_path)
        assert code == pytest.ExitCode.USAGE_ERROR
        assert f"the linkfix in linkfix is plain, and the installed one in {tmp_path}" in output
        assert "LINKFIX_EXPECT=plain" in output

    def test_on_demand_it_does(self, tmp_path):
        assert collect(tmp_path, expected="plain")[0] == 0

    @pytest.mark.skipif(
        linkfix.COMPILED and Path(linkfix.__file__).parents[1] != CHECKOUT,
        reason="what is installed is compiled",
    )
    def test_where_nothing_is_compiled_the_source_is_what_there_is(self, tmp_path):
        assert collect(tmp_path, compiled=())[0] == 0

    def test_what_is_expected_is_there(self, tmp_path):
        code, output = collect(tmp_path, expected="compiled", compiled=())
        assert code == pytest.ExitCode.USAGE_ERROR
        assert "LINKFIX_EXPECT=compiled, but the linkfix in linkfix is plain" in output
