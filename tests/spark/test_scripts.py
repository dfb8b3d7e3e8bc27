"""The scripts for Spark: a killed driver resumes; archives are converted. docs/scale.md starts them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from support.crawls import crawl
from support.extras import missing
from support.paths import CHECKOUT
from support.running import ENVIRONMENT

pytest.importorskip("pyspark", reason=missing("pyspark"))

import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq

import linkfix.arrow

pytestmark = pytest.mark.slow

SCRIPTS = CHECKOUT / "examples" / "scale"
COLUMNS = ["page", "element", "target"]
FILES = 6


@pytest.fixture
def environment(spark_environment):
    submit = "--master local[2,4] --conf spark.ui.enabled=false --conf spark.log.level=ERROR pyspark-shell"
    return ENVIRONMENT | spark_environment | {"PYSPARK_SUBMIT_ARGS": submit, "PYTHONWARNINGS": "ignore"}


def complete(output):
    return {path.parent.name for path in output.glob("part=*/_SUCCESS")}


def test_a_driver_that_is_killed_twice_and_run_again_has_every_row_once(environment, tmp_path):
    crawl(tmp_path / "crawl", files=FILES, pages=30)
    files = sorted((tmp_path / "crawl").iterdir())
    script = tmp_path / "links.py"
    text = (SCRIPTS / "links_spark.py").read_text("utf-8")
    assert "FILES = 1000" in text
    script.write_text(text.replace("FILES = 1000", "FILES = 1"), "utf-8")
    output = tmp_path / "links"
    command = [sys.executable, script, output, *files]
    made: list[set[str]] = []
    for kill in (True, True, False):
        before = complete(output)
        driver = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, start_new_session=True)
        until = time.monotonic() + 240
        while driver.poll() is None and time.monotonic() < until:
            # In the middle of the second part after the ones that were there.
            if kill and len(complete(output)) > len(before) and (output / f"part={len(before) + 1:06}").exists():
                os.killpg(driver.pid, signal.SIGKILL)
                break
            time.sleep(0.02)
        _, errors = driver.communicate(timeout=60)
        made.append(complete(output))
        assert kill or driver.returncode == 0, errors.decode()[-3000:]
    assert 0 < len(made[0]) < len(made[1]) < FILES
    assert len(made[2]) == FILES
    table = pyarrow.dataset.dataset(output, format="parquet").to_table(columns=COLUMNS)
    expected = [
        row
        for path in files
        for batch in linkfix.arrow.links(linkfix.arrow.warc(path), columns=COLUMNS)
        for row in batch.to_pylist()
    ]
    assert sorted(map(repr, table.to_pylist())) == sorted(map(repr, expected))


def test_a_column_is_converted(environment, tmp_path):
    crawl(tmp_path / "crawl", files=1, pages=20)
    batches = list(linkfix.arrow.warc(tmp_path / "crawl" / "0.warc.gz", columns=["url", "html"]))
    table = pa.Table.from_batches(batches).rename_columns(["url", "body"])
    pq.write_table(table, tmp_path / "pages.parquet")
    command = [sys.executable, SCRIPTS / "column_spark.py", tmp_path / "pages.parquet", tmp_path / "converted"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found = pyarrow.dataset.dataset(tmp_path / "converted", format="parquet").to_table().to_pylist()
    assert sorted((row["url"], row["body"], row["problem"]) for row in found) == sorted(
        (row["url"], linkfix.absolutize(row["body"], row["url"], base_element="remove"), None)
        for row in table.to_pylist()
    )


def test_archives_are_converted(environment, tmp_path):
    crawl(tmp_path / "crawl", files=2, pages=8)
    files = sorted((tmp_path / "crawl").iterdir())
    (tmp_path / "converted").mkdir()
    command = [sys.executable, SCRIPTS / "convert_archives.py", tmp_path / "converted", *files]
    for _ in range(2):  # existing output is skipped
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
        assert done.stdout.split() == [f"{tmp_path}/converted/{path.name}" for path in files]
    for path in files:
        before = [row for batch in linkfix.arrow.warc(path) for row in batch.to_pylist()]
        after = [row for batch in linkfix.arrow.warc(tmp_path / "converted" / path.name) for row in batch.to_pylist()]
        captured = {row["url"] for row in before}
        kept = {"keep": lambda url, captured=captured: url.partition("#")[0] in captured}
        expected = [linkfix.absolutize(row["html"], row["url"], **kept) for row in before]
        assert [row["html"] for row in after] == expected
