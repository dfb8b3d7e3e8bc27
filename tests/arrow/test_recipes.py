"""The recipes of docs/tables.md, each beside the same question asked of `linkfix.links`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from urllib.parse import urlsplit

import pytest
from support.documentation import blocks, examples_with
from support.extras import needed
from support.paths import CHECKOUT, FIXTURES
from support.running import ENVIRONMENT
from support.running_containers import read

import linkfix
from linkfix.containers import container

RECIPES = CHECKOUT / "examples" / "recipes"
WARC = FIXTURES / "warc" / "site.warc.gz"


def run(name, cwd):
    """The output of a recipe."""
    needed(name)
    done = subprocess.run(
        [sys.executable, "-W", "error", RECIPES / f"tables_{name}.py"],
        capture_output=True,
        check=False,
        cwd=cwd,
        env=ENVIRONMENT,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture
def crawl(tmp_path):
    """A folder with a WARC file, and the table of its links."""
    shutil.copy(WARC, tmp_path / "crawl.warc.gz")
    command = [sys.executable, "-m", "linkfix", "links", "crawl.warc.gz", "--output", "links"]
    subprocess.run(command, check=True, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, timeout=60)
    return tmp_path


@pytest.fixture(scope="module")
def documents():
    parts, _ = read(container("warc"), WARC.read_bytes())
    return [linkfix.Document(part.data, envelope=part.envelope) for part in parts]


def hyperlinks(documents):
    return [link for document in documents for link in document.links if link.role == "hyperlink"]


def test_polars_counts_hosts(crawl, documents):
    hosts = Counter()
    for link in hyperlinks(documents):
        is_web = (link.target or "").startswith(("http://", "https://"))
        hosts[urlsplit(link.target).netloc if is_web else "None"] += 1
    printed = [line.split() for line in run("polars", crawl).splitlines()]
    assert {host: int(count) for count, host in printed} == hosts
    assert [int(count) for count, _ in printed] == sorted(hosts.values(), reverse=True)


def test_duckdb_finds_links_whose_target_was_not_captured(crawl, documents):
    captured = {document.envelope.url for document in documents}
    missing = Counter()
    for link in hyperlinks(documents):
        if (link.target or "").startswith("http") and link.target.partition("#")[0] not in captured:
            missing[link.target] += 1
    printed = [line.split() for line in run("duckdb", crawl).splitlines()]
    assert {target: int(count) for count, target, _ in printed} == missing
    assert missing
    assert {page for _, _, page in printed} <= captured


def test_pandas_gets_absolute_links(tmp_path):
    assert run("pandas", tmp_path) == "<a href=http://a.example/d>d</a>\npage,links,problem\nhttp://a.example/b/c,1,\n"


def test_each_recipe_is_in_the_documentation():
    shown = [path for block in blocks(CHECKOUT / "docs/tables.md", "python") for path in examples_with(block)]
    assert sorted(shown) == sorted(RECIPES.glob("tables_*.py"))
