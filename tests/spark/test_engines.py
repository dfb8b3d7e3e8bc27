"""The scripts for other engines, and for Sail: the links of one process, each once."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys

import pyarrow.dataset
import pytest
from support.crawls import crawl
from support.paths import CHECKOUT
from support.running import ENVIRONMENT

import linkfix
import linkfix.arrow

pytestmark = pytest.mark.slow

SCRIPTS = CHECKOUT / "examples" / "scale"
#: The script -> its further requirements.
NEEDS = {
    "links_dask": ["dask", "pandas"],
    "links_ray": ["ray"],
    "links_daft": ["daft"],
    "links_beam": ["apache_beam"],
    "links_sail": ["pysail", "pyspark"],
}


def run(script, folder):
    done = subprocess.run(
        [sys.executable, SCRIPTS / f"{script}.py"],
        cwd=folder,
        env=ENVIRONMENT | {"PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]


def require(*modules):
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")


@pytest.mark.parametrize("script", NEEDS)
def test_links_by_an_engine(script, tmp_path):
    require(*NEEDS[script])
    crawl(tmp_path / "crawl")
    run(script, tmp_path)
    found = pyarrow.dataset.dataset(tmp_path / "links", format="parquet", exclude_invalid_files=True)
    columns = ["page", "element", "target"]
    expected = [
        tuple(row.values())
        for path in sorted((tmp_path / "crawl").iterdir())
        for batch in linkfix.arrow.links(linkfix.arrow.warc(path), columns=columns)
        for row in batch.to_pylist()
    ]
    rows = [tuple(row[name] for name in columns) for row in found.to_table(columns=columns).to_pylist()]
    assert len(expected) > 1000
    assert sorted(rows, key=repr) == sorted(expected, key=repr)


def test_a_step_of_datatrove(tmp_path):
    require("datatrove", "orjson")
    run("absolutize_datatrove", tmp_path)
    (path,) = (tmp_path / "converted").iterdir()
    assert json.loads(path.read_text("utf-8"))["text"] == '<a href="https://example.com/a/x">x</a>'


def test_every_script_is_run():
    names = {path.stem for path in SCRIPTS.glob("*.py")}
    assert names == {*NEEDS, "absolutize_datatrove", "links_spark", "column_spark", "convert_archives"}
    assert os.environ.get("LINKFIX_REQUIRE_ENGINES", "") in {"", "1"}
    if os.environ.get("LINKFIX_REQUIRE_ENGINES"):
        needed = {module for modules in NEEDS.values() for module in modules}
        assert [name for name in sorted(needed) if importlib.util.find_spec(name) is None] == []
