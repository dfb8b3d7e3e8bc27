"""Rules for the tests themselves."""

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
from support.each import for_each
from support.paths import CHECKOUT, TESTS

import linkfix
from linkfix.kernels.compiled import HOT_MODULES

FILES = {path.relative_to(TESTS).as_posix(): path.read_text("utf-8") for path in sorted(TESTS.rglob("*.py"))}
HELPERS = [name for name in FILES if name.startswith("support/")]
#: They wait for something, at most so long; nothing else goes by the clock on the wall.
WITH_DEADLINES = {
    "browser/test_when_parsed.py",
    "cli/test_runs.py",
    "runs/test_workers.py",
    "spark/test_scripts.py",
    "spark/test_tasks.py",
    "support/browser/chromium.py",
    "support/browser/proxied.py",
    "support/browser/verdicts.py",
    "support/kills.py",
    "test_processes.py",
}
CLOCKS = {"perf_counter", "monotonic", "time.time"}
MEASURING = {"assert_linear", "processor_limit"}


def names_in(node):
    """The names and attributes of a function or a file: `monotonic` and `time.monotonic`."""
    names = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            names.add(part.id)
        elif isinstance(part, ast.Attribute):
            owner = part.value.id if isinstance(part.value, ast.Name) else ""
            names |= {part.attr, f"{owner}.{part.attr}"}
    return names


def marks_of(tree, test):
    """The marks of a test: its own, and the marks of the whole file."""
    whole_file = [ast.unparse(node.value) for node in tree.body if ast.unparse(node).startswith("pytestmark = ")]
    return set(re.findall(r"pytest\.mark\.(\w+)", " ".join([*whole_file, *map(ast.unparse, test.decorator_list)])))


def test_time_is_processor_time():
    perhaps = [name for name, text in FILES.items() if any(clock in text for clock in CLOCKS)]
    assert {name for name in perhaps if CLOCKS & names_in(ast.parse(FILES[name]))} == WITH_DEADLINES


@for_each(name for name in sorted(WITH_DEADLINES) if not name.startswith("support/"))
def test_tests_that_use_the_clock_are_marked(name):
    tree = ast.parse(FILES[name])
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    waiting = {one.name for one in functions if CLOCKS & names_in(one)}
    while more := {one.name for one in functions if waiting & names_in(one)} - waiting:
        waiting |= more
    tests = [one for one in functions if one.name.startswith("test_") and one.name in waiting]
    assert tests
    assert [test.name for test in tests if not {"slow", "browser"} & marks_of(tree, test)] == []


@for_each(name for name, text in FILES.items() if "from support.growth import" in text)
def test_tests_that_measure_growth_are_marked(name):
    tree = ast.parse(FILES[name])
    for test in ast.walk(tree):
        if isinstance(test, ast.FunctionDef) and test.name.startswith("test_") and MEASURING & names_in(test):
            assert "growth" in marks_of(tree, test), test.name


@for_each(HELPERS)
def test_a_helper_is_used_and_documented(name):
    module = name.removesuffix(".py").replace("/", ".")
    assert ast.get_docstring(ast.parse(FILES[name]))
    names = (f"{module} ", f"{module}\n", f"{module}.", f"{module},", f'"{name.rpartition("/")[2]}"')
    assert any(other != name and any(one in text for one in names) for other, text in FILES.items())


class TestForEach:
    def test_all_failures_are_named_with_their_errors(self):
        @for_each([0, 1, 2, 3, 4], label=lambda number: f"number {number}")
        def test(number):
            assert number != 1, "it is 1"
            assert {0: 0, 3: 3, 4: 4}[number] == number
            if number == 4:
                pytest.fail("it is 4")

        with pytest.raises(AssertionError) as failure:
            test()
        lines = str(failure.value).splitlines()
        assert lines[0] == "3 of 5 fail: number 1, number 2, number 4"
        assert lines[1] == "number 1: it is 1"
        assert lines[-2:] == ["number 2: KeyError(2)", "number 4: it is 4"]

    def test_an_input_can_be_several(self):
        seen = []
        for_each([(1, 2), (3, 4)])(lambda one, other: seen.append(one + other))()
        assert seen == [3, 7]

    def test_no_input_is_a_fault(self):
        with pytest.raises(pytest.fail.Exception, match="there is no input"):
            for_each(name for name in ())(print)()

    def test_skipped_inputs_are_named_and_hide_no_fault(self):
        def skip_letters(name):
            if name.isalpha():
                pytest.skip("a letter")
            assert name == "1"

        with pytest.raises(pytest.skip.Exception, match=r"^a: a letter; b: a letter$"):
            for_each("a1b")(skip_letters)()
        with pytest.raises(AssertionError, match=r"^1 of 3 fail: 2\n"):
            for_each("a2b")(skip_letters)()


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
class TestTestedBuild:
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
    def test_without_compiled_modules_the_source_is_tested(self, tmp_path):
        assert collect(tmp_path, compiled=())[0] == 0

    def test_the_expected_build_is_tested(self, tmp_path):
        code, output = collect(tmp_path, expected="compiled", compiled=())
        assert code == pytest.ExitCode.USAGE_ERROR
        assert "LINKFIX_EXPECT=compiled, but the linkfix in linkfix is plain" in output
