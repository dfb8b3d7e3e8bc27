"""The changes of the next release, in files of changes/, and their way into CHANGELOG.md."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys

import pytest
from support.paths import CHECKOUT

FOLDER = CHECKOUT / "changes"
SCRIPT = FOLDER / "collect.py"


@pytest.fixture(scope="module")
def collect():
    spec = importlib.util.spec_from_file_location("collect", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_file_is_well_formed(collect):
    collect.collected(collect.fragments(FOLDER))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("- One.\n- Two,\n  three.\n", ""),
        ("", "items begin"),
        ("One.\n", "items begin"),
        ("- One\n", "full stop"),
        ("- One,\ntwo.\n", "two spaces"),
        ("- One.", "items begin"),
        ("- One.\n\n- Two.\n", "items begin"),
        (f"- {'x' * 120}.\n", "120 characters"),
    ],
)
def test_a_file_has_items(collect, tmp_path, text, reason):
    path = tmp_path / "a.md"
    path.write_text(text, "utf-8")
    if reason:
        with pytest.raises(ValueError, match=f"^a.md: .*{reason}"):
            collect.collected([path])
    else:
        assert collect.collected([path, path]) == text * 2


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# C\n\n## Unreleased\n\n- B.\n\n## 1.0\n\n- A.\n", "# C\n\n## 1.1\n\n- N.\n- B.\n\n## 1.0\n\n- A.\n"),
        ("# C\n\n## 1.0\n\n- A.\n", "# C\n\n## 1.1\n\n- N.\n\n## 1.0\n\n- A.\n"),
    ],
)
def test_a_release_has_a_part_of_its_own(collect, before, after):
    assert collect.released(before, "- N.\n", "## 1.1") == after


def test_the_script_writes_one_part_and_removes_the_files(tmp_path):
    (tmp_path / "changes").mkdir()
    shutil.copy(SCRIPT, tmp_path / "changes")
    shutil.copy(FOLDER / "README.md", tmp_path / "changes")
    for name in "ba":
        (tmp_path / "changes" / f"{name}.md").write_text(f"- {name}.\n")
    changelog = tmp_path / "CHANGELOG.md"
    changelog.write_text("# C\n\n## Unreleased\n\n- Old.\n")

    def run(*arguments):
        command = [sys.executable, tmp_path / "changes" / "collect.py", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout

    assert run() == "- a.\n- b.\n"
    assert run("2.0.0", "--date", "2027-01-15") == ""
    assert changelog.read_text() == "# C\n\n## 2.0.0 (2027-01-15)\n\n- a.\n- b.\n- Old.\n"
    assert {path.name for path in (tmp_path / "changes").iterdir()} == {"README.md", "collect.py"}
