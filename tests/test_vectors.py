"""The tables of published facts: they equal their script's output, and name their sources."""

from __future__ import annotations

import hashlib
import io
import re
import runpy
import tarfile

import pytest
from support.each import for_each
from support.paths import SHARED, VECTORS
from support.vectors import needs_sources, table

MAKE = runpy.run_path(str(VECTORS / "make.py"))
FETCH = runpy.run_path(str(VECTORS / "fetch.py"))
TABLES = MAKE["TABLES"]
#: Tables that the scripts tests/vectors/record*.py observe of programs.
OBSERVED = ["engines", "heading-ids", "types"]


@needs_sources
def test_the_tables_equal_the_output_of_their_script():
    different = [
        name
        for name, make in TABLES.items()
        if (VECTORS / f"{name}.jsonl").read_text("ascii") != MAKE["written"](make(SHARED))
    ]
    assert different == []


def test_every_table_is_made_and_described():
    described = re.findall(r"^\| `([a-z-]+)\.jsonl` \|", (VECTORS / "README.md").read_text("utf-8"), re.MULTILINE)
    files = [path.stem for path in VECTORS.glob("*.jsonl")]
    assert sorted(described) == sorted(files) == sorted([*TABLES, *OBSERVED])


@for_each([*TABLES, *OBSERVED])
def test_a_table_names_its_source_and_licence(name):
    lines = (VECTORS / f"{name}.jsonl").read_text("ascii").splitlines()
    assert [line.partition(": ")[0] for line in lines[1:4]] == ["# source", "# licence", "# columns"]
    assert lines[0].startswith("# ")
    assert table(name)


def test_the_tables_are_small():
    assert sum(path.stat().st_size for path in VECTORS.glob("*.jsonl")) < 1_500_000


def test_only_the_expected_package_is_unpacked(tmp_path):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name in ("a/b/one", "a/b/two"):
            archive.addfile(tarfile.TarInfo(name))
    data = out.getvalue()
    package = FETCH["Package"]("http://a/", hashlib.sha256(data).hexdigest(), "folder", ("a/b/two",))
    FETCH["unpack"](package, data, tmp_path)
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")] == ["folder", "folder/two"]
    with pytest.raises(ValueError, match="SHA-256"):
        FETCH["unpack"](package, data + b"x", tmp_path)
