"""`absolutize --diff` of archives and messages, and the result of a single one in a file."""

from __future__ import annotations

import json

import pytest
from support.running import run
from support.zip_samples import Sample, archive

from linkfix.runs import convert

PAGE = "<p>1\n<a href=x>é</a>\n<p>3\n"


def har(*pages):
    entries = [
        {"request": {"url": url}, "response": {"content": {"mimeType": "text/html", "text": text}}}
        for url, text in pages
    ]
    return json.dumps({"log": {"entries": entries}}).encode()


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = har(("http://h/1/", PAGE), ("http://h/2/", "no link"), ("http://h/3/", "<a href=y>"))
    (tmp_path / "a.har").write_bytes(data)
    return tmp_path / "a.har"


def test_each_changed_part_has_a_diff(path):
    before = path.read_bytes()
    made = run("absolutize", "a.har", "--diff")
    assert made.stdout == (
        "--- a/a.har!log.entries[0]\n+++ b/a.har!log.entries[0]\n@@ -1,3 +1,3 @@\n"
        " <p>1\n-<a href=x>é</a>\n+<a href=http://h/1/x>é</a>\n <p>3\n"
        "--- a/a.har!log.entries[2]\n+++ b/a.har!log.entries[2]\n@@ -1,1 +1,1 @@\n"
        "-<a href=y>\n\\ No newline at end of file\n+<a href=http://h/3/y>\n\\ No newline at end of file\n"
    )
    assert (made.exit_code, path.read_bytes()) == (0, before)


def test_a_part_in_utf_16_is_shown_in_utf_8(tmp_path):
    page = '<meta charset=utf-16><!-- saved from url=(0009)http://h/ -->\n<a href="x">é</a>'.encode("utf-16")
    (tmp_path / "a.htz").write_bytes(archive([Sample("index.html", page, comment=b"http://h/")]))
    assert '\n+<a href="http://h/x">é</a>' in run("absolutize", tmp_path / "a.htz", "--diff").stdout


def test_no_password_is_in_the_names(tmp_path):
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=x>"
    record = b"http://u:secret@h/ 192.0.2.1 20030101000000 text/html %d\n%s\n" % (len(block), block)
    (tmp_path / "a.arc").write_bytes(record)
    lines = run("absolutize", tmp_path / "a.arc", "--diff").stdout.splitlines()
    assert [line.replace('"', "").startswith(("--- a/", "+++ b/")) for line in lines[:2]] == [True, True]
    assert all("secret" not in line for line in lines[:2])


def test_a_part_that_is_not_written_has_no_diff(tmp_path):
    page = b"<html data-sfz><!--" + b"x" * 9
    members = [Sample("index.html", b"<a href=x>", comment=b"http://h/")]
    (tmp_path / "a.html").write_bytes(archive(members, prefix=page) + b"-->")
    made = run("absolutize", tmp_path / "a.html", "--diff")
    assert made.stdout == ""
    assert "[self-extracting]" in made.stderr


@pytest.mark.usefixtures("path")
def test_a_large_diff_is_cut(monkeypatch):
    monkeypatch.setattr(convert, "_LARGEST_DIFF", 10)
    made = run("absolutize", "a.har", "--diff")
    assert made.stdout.count("+++ ") == 1
    assert "a.har: the diff has no more room for 1 part" in made.stderr


@pytest.mark.parametrize("name", ["new.har", "sub.d/new.har"])
def test_the_result_of_one_archive_in_a_file(path, name):
    (path.parent / "sub.d").mkdir()
    assert run("absolutize", "a.har", "--output", name).exit_code == 0
    assert json.loads((path.parent / name).read_bytes())["log"]["entries"][2]["response"]["content"]["text"] == (
        "<a href=http://h/3/y>"
    )
