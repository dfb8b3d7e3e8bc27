"""Trees of ../shared/cases/audit, made after reports about tools of this kind, with their findings."""

from __future__ import annotations

import json

import pytest
from support.audit_trees import write
from support.paths import SHARED
from support.running import run

FILE = SHARED / "cases/audit/cases.jsonl"
CASES = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()] if FILE.is_file() else []

#: Findings beside the expected ones, in cases whose notes say that users disagree, or that linkfix had no rule.
ALSO = {
    "c34_localhost": [
        ("http://localhost:4000/x", "LF701"),
        ("http://localhost:3000/a.png", "LF701"),
        ("http://127.0.0.1:8080/", "LF701"),
    ],
    "c38_404": [("a.css", "LF702"), ("index.html", "LF702")],
    "c43_form_action": [("/search", "LF101")],
}


@pytest.mark.skipif(not CASES, reason="no ../shared/cases/audit: trees that are not part of the project")
def test_the_cases_are_there():
    assert len(CASES) > 50
    assert ALSO.keys() <= {case["name"] for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_findings(tmp_path, case):
    files = {
        name: data if isinstance(data, str) else bytes.fromhex(data["bytes"]) for name, data in case["files"].items()
    }
    write(tmp_path, files)
    for name, target in case["symlinks"]:
        (tmp_path / name).symlink_to(target)
    arguments = [one.replace("@TREE", str(tmp_path)) for one in case["args"]]
    result = run("audit", str(tmp_path / case["folder"]), "--format", "json", "--no-config", *arguments)
    found = sorted((one.get("reference") or "", one["code"]) for one in json.loads(result.stdout)["findings"])
    expected = sorted([*((one[0], one[1]) for one in case["expect"]), *ALSO.get(case["name"], [])])
    assert [reference for reference, _ in found] == [reference for reference, _ in expected]
    assert [one for one in zip(found, expected, strict=True) if not one[0][1].startswith(one[1][1])] == []
