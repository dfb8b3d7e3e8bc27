"""What holds of the tests themselves."""

from __future__ import annotations

import ast
import re

import pytest
from support.paths import TESTS

FILES = {path.relative_to(TESTS).as_posix(): path.read_text("utf-8") for path in sorted(TESTS.rglob("*.py"))}
HELPERS = [name for name in FILES if name.startswith("support/")]
#: They wait for something, at most so long; nothing else goes by the clock on the wall.
WITH_DEADLINES = {
    "browser/test_when_parsed.py",
    "cli/test_runs.py",
    "journal/test_kills.py",
    "runs/test_workers.py",
    "support/browser/chromium.py",
    "support/browser/proxied.py",
    "support/browser/verdicts.py",
    "support/kills.py",
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
