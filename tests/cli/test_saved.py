"""Trees that savers made, through the command line."""

from __future__ import annotations

import json

import pytest
from support.fixtures_site import FIXTURES, ROOT
from support.running import run

SAVED = FIXTURES / "saved"


def urls(*arguments):
    lines = run("base", *arguments, "--format", "json").stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    return {row["path"].rpartition("/")[2]: row["fallback"] for row in rows}


def test_browsers_marks_count_by_themselves():
    found = urls(SAVED / "chromium", "--include", "/*.html")
    assert found["frames.html"] == f"{ROOT}elements/frames.html"
    assert found["styles.html"] == f"{ROOT}elements/styles.html"


def test_own_files_stay_and_links_come_back(tmp_path):
    result = run("absolutize", SAVED / "chromium", "--output", tmp_path / "out")
    assert result.exit_code == 0, result.stderr
    page = (tmp_path / "out" / "styles.html").read_bytes()
    assert b"styles_files/main.css" in page


@pytest.mark.parametrize("name", ["wget", "httrack"])
def test_layouts_and_indexes(name):
    found = urls(SAVED / name, "--layout", "auto")
    assert f"{ROOT}elements/legacy.html" in found.values()
    assert {url.partition("//")[2].partition("/")[0] for url in found.values() if url} == {"127.0.0.1:8765"}


def test_a_map_of_urls(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.html").write_bytes(b'<a href="x">')
    (tmp_path / "b.html").write_bytes(b'<a href="x">')
    (tmp_path / "urls.jsonl").write_text('{"path": "a.html", "url": "https://h/a/"}\n')
    result = run("absolutize", ".", "--in-place", "--url-map", "urls.jsonl", "--default-base", "https://d/")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "a.html").read_bytes() == b'<a href="https://h/a/x">'
    assert (tmp_path / "b.html").read_bytes() == b'<a href="https://d/x">'


def test_a_map_that_cannot_be_read_is_wrong_use(tmp_path):
    (tmp_path / "urls.csv").write_text("a.html,https://h/\nb.html,x\n")
    result = run("links", tmp_path, "--url-map", tmp_path / "urls.csv")
    assert result.exit_code == 2
    assert "urls.csv:2: 'x' cannot be the URL of a page" in result.stderr


def test_sources_that_disagree_are_a_problem():
    page = b'<!-- saved from url=(0023)https://example.com/s/p -->\n<a href="x">'
    result = run("absolutize", "-", "--url", "https://other.example/", "--strict", stdin=page)
    assert result.stdout_bytes == page.replace(b'"x"', b'"https://other.example/x"')
    assert "https://other.example/; " in result.stderr
    assert "[sources-disagree]" in result.stderr
    assert result.exit_code == 1


def test_canonical_urls_count_on_request_alone():
    page = b'<link rel=canonical href="https://h/c"><a href="x">'
    assert b"https://h/x" not in run("absolutize", "-", stdin=page).stdout_bytes
    assert b"https://h/x" in run("absolutize", "-", "--trust-canonical", stdin=page).stdout_bytes
