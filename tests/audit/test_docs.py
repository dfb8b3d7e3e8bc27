"""The statements of docs/audit.md are true."""

from __future__ import annotations

import re
import tomllib

import pytest
from support.audit_trees import audited
from support.documentation import blocks
from support.paths import CHECKOUT
from support.running import runner

from linkfix.auditing.reporters import REPORTERS
from linkfix.auditing.selection import codes_matching
from linkfix.cli import cli

DOCS = CHECKOUT / "docs/audit.md"
pytestmark = pytest.mark.skipif(not DOCS.is_file(), reason="docs/ is not installed with the package")
TEXT = DOCS.read_text("utf-8") if DOCS.is_file() else ""


def block(language):
    return blocks(DOCS, language)[0].text


def test_the_documented_rules_exist():
    result = runner().invoke(cli, ["audit", "--list-rules"])
    assert block("text") == result.output


def test_the_documented_options_exist():
    told = set(re.findall(r"--[a-z][a-z-]+", TEXT))
    known = runner().invoke(cli, ["audit", "--help"], terminal_width=100).output
    assert len(told) > 12
    assert {option for option in told if option not in known} == set()


def test_the_documented_formats_exist():
    listed = re.search(r"`--format` (.*?);", TEXT, re.DOTALL)[1]
    assert set(re.findall(r"\w+", listed)) - {"or"} == set(REPORTERS)


def test_the_settings_can_be_used(tmp_path, monkeypatch):
    settings = tomllib.loads(block("toml"))["tool"]["linkfix"]["audit"]
    assert codes_matching(settings["ignore"]) == {"LF305", "LF312"}
    (tmp_path / "pyproject.toml").write_text(block("toml"), "utf-8")
    (tmp_path / "site/archive").mkdir(parents=True)
    (tmp_path / "site/archive/a.html").write_text("<a href=gone><a href='https://example.com/x#a b'>")
    (tmp_path / "site/b.html").write_text("<a href=//example.com/docs/archive/a.html>")
    monkeypatch.chdir(tmp_path)
    result = runner().invoke(cli, ["audit", "site"])
    assert result.exit_code == 0, result.output
    assert "1 per-file-ignores" in result.output
    assert "https://example.com/docs/" in result.output


def test_the_comments_work(tmp_path):
    first, around, whole, reason = block("html").splitlines()
    start, end = around.split(" … ")
    page = "\n".join(
        [
            first.partition("-->")[0] + "-->",
            "<a href=gone1>",
            f"{start}<a href=gone2>{end}<a href=gone3>",
            whole.partition("-->")[0] + "--><img src='http://elsewhere.example/x.png'>",
            reason.partition("-->")[0] + "-->",
            "<a href=gone4>",
        ]
    )
    found = audited(tmp_path, {"a.html": page})
    assert [(one.reference, one.code) for one in found.findings] == [("gone3", "LF101")]
    assert found.hidden["comment"] == 4
