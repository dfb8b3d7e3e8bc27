"""Every import path that README, docs and examples name works, each in a fresh interpreter."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from itertools import groupby

import pytest
from support.each import for_each
from support.paths import CHECKOUT
from support.running import ENVIRONMENT

pytestmark = pytest.mark.slow

#: Public module -> its public names that README, docs and examples use. They keep working.
PUBLIC = {
    "linkfix": """
        absolutize_fragment audit hyperlinks
        COMPILED PROBLEMS Base Candidate Conversion Document DocumentProblem Envelope InvalidBase InvalidOption Layer
        Link LinkfixError Options Problem Resolution Row UnknownCharset UnknownSpec absolutize absolutize_tree base_url
        links move relativize resolve rewrite urljoin
    """,
    "linkfix.text": "Delimiter TextReference complete escape find strip_delimiters undelimited",
    "linkfix.schemes": """
        REGISTRY_DATE VERDICTS Registry Scheme Template Verdict check_name check_uri load lookup near search
    """,
    "linkfix.schemes.iana": "load main",
    "linkfix.arrow": "LINKS_SCHEMA PAGES_SCHEMA WARC_SCHEMA WARC_SCHEMA.field absolutize links links_schema pages warc",
    "linkfix.spark": "absolutize links pages read register",
    "linkfix.hooks": "TREES absolutize_tree outcome",
    "linkfix.hooks.asgi": "Absolutize",
    "linkfix.hooks.wsgi": "Absolutize",
    "linkfix.hooks.feedparser": "parse",
    "linkfix.hooks.response": """
        HTML MAX_SIZE Inspection Outcome Response SettingFields Settings absolutize mime_type settings
    """,
    "linkfix.hooks.generic": "Headers Url from_headers from_response make_links_absolute",
    "linkfix.hooks.aiohttp": "Absolutize AbsolutizedResponse absolutize",
    "linkfix.hooks.bs4": "absolutize",
    "linkfix.hooks.httpx": "AbsolutizedResponse AsyncTransport Transport install",
    "linkfix.hooks.httpx2": "AbsolutizedResponse AsyncTransport Transport install",
    "linkfix.hooks.lxml": "absolutize",
    "linkfix.hooks.parsel": "absolutize",
    "linkfix.hooks.playwright": "Content absolutize absolutize_async frames frames_async",
    "linkfix.hooks.requests": "Absolutize absolutize install",
    "linkfix.hooks.scrapy": "PRIORITY LinkExtractor LinkfixAddon LinkfixMiddleware absolutize settings_of",
    "linkfix.hooks.selectolax": "absolutize",
}
NAMES = {f"{module}.{name}" for module, names in PUBLIC.items() for name in names.split()}

TEXTS = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").rglob("*.md"))]
EXAMPLES = sorted((CHECKOUT / "examples").rglob("*.py"))
#: A dotted name that is not a file such as linkfix.toml.
_DOTTED = re.compile(r"(?<![\w./-])linkfix(?!\.(?:toml|json|csv|html|sarif|ya?ml)\b)(?:\.[A-Za-z_]\w*)+")
_IMPORT = re.compile(r"^from (linkfix[\w.]*) import (.+)$", re.MULTILINE)
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)

#: For each dotted name, imports the longest prefix that is a module, and looks up the rest.
RESOLVE = """
import importlib, sys
for path in sys.argv[1:]:
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        try:
            found = importlib.import_module(name)
            break
        except ModuleNotFoundError as error:
            if not name.startswith(f"{error.name}.") and error.name != name:
                sys.exit(f"not installed: {error.name}")
    for part in parts[length:]:
        found = getattr(found, part)
"""


def imported(code):
    """The dotted names that code imports or uses. Blocks that are parts of scripts are not all Python by themselves."""
    for module, names in _IMPORT.findall(code):
        yield from (f"{module}.{name.strip().split(' ')[0]}" for name in names.strip("()").split(",") if name.strip())
    yield from _DOTTED.findall(code)


def in_blocks():
    return {name for path in TEXTS for block in _BLOCK.findall(path.read_text("utf-8")) for name in imported(block)}


def in_examples():
    for path in EXAMPLES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] == "linkfix":
                yield from (f"{node.module}.{name.name}" for name in node.names)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from _DOTTED.findall(node.value)


def home_of(name):
    """The module of the table that a dotted name is in."""
    return max((module for module in PUBLIC if f"{name}.".startswith(f"{module}.")), key=len)


def in_prose():
    return {name for path in TEXTS for name in _DOTTED.findall(path.read_text("utf-8"))}


def test_the_table_has_the_paths_in_code_blocks_and_examples():
    used = in_blocks() | set(in_examples())
    assert len(used) > 20
    assert {name for name in used if name not in NAMES and name not in PUBLIC} == set()


#: The dotted names by the module that they are in: the longest one of the table.
BY_MODULE = {
    module: sorted(names)
    for module, names in groupby(
        sorted(NAMES | in_prose() | set(PUBLIC), key=home_of),
        key=home_of,
    )
}


@for_each(BY_MODULE)
def test_public_paths_can_be_imported(module):
    done = subprocess.run(
        [sys.executable, "-c", RESOLVE, *BY_MODULE[module]],
        capture_output=True,
        env=ENVIRONMENT,
        text=True,
        timeout=60,
        check=False,
    )
    if "not installed: " in done.stderr and not done.stderr.startswith("not installed: linkfix"):
        pytest.skip(done.stderr.strip())
    assert (done.returncode, done.stderr) == (0, "")


@for_each(PUBLIC)
def test_a_public_module_states_its_purpose(module):
    program = f"import importlib; print(importlib.import_module({module!r}).__doc__)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, env=ENVIRONMENT, text=True, timeout=60, check=False
    )
    if "ModuleNotFoundError" in done.stderr and "No module named 'linkfix" not in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    assert len(done.stdout) > 40
    assert "public name" not in done.stdout


@pytest.mark.parametrize("module", ["linkfix", "linkfix.schemes.iana"])
def test_a_public_module_can_be_run(module):
    done = subprocess.run(
        [sys.executable, "-m", module, "--help"],
        capture_output=True,
        env=ENVIRONMENT,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.lower().startswith("usage: ")
