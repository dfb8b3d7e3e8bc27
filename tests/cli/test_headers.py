"""Header fields of messages on the command line: listed always, and rewritten with --headers."""

from __future__ import annotations

import json

import pytest
from support.running import run

MAIL = (
    b"Base: <URL:http://r.example/d/>\nList-Help: <help> (see)\nContent-Type: multipart/mixed; boundary=b\n\n"
    b"--b\nContent-Type: text/html\nContent-Location: p\n\n<a href=%bx>\n--b\nContent-Type: image/gif\n\ny\n--b--\n"
)
PLAIN = MAIL % b"http://r.example/d/"
ASKED = PLAIN.replace(b"<help>", b"<http://r.example/d/help>").replace(b": p", b": http://r.example/d/p")
LISTED = [
    "mail.eml!HEADER:1:12 [base] http://r.example/d/ -> http://r.example/d/",
    "mail.eml!HEADER:2:13 [list-help] help -> http://r.example/d/help",
    "mail.eml!1.MIME:2:19 [content-location] p -> http://r.example/d/p",
    "mail.eml!1:1:9 a[href] x -> http://r.example/d/x",
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mail.eml").write_bytes(MAIL % b"")
    return tmp_path


def test_links_lists_them():
    assert run("links", "mail.eml").stdout.splitlines() == LISTED
    rows = [json.loads(line) for line in run("links", "mail.eml", "--format", "jsonl").stdout.splitlines()]
    assert [(row["path"], row["attribute"], row["base"], row["target"]) for row in rows[1:3]] == [
        ("mail.eml!HEADER", "list-help", "http://r.example/d/", "http://r.example/d/help"),
        ("mail.eml!1.MIME", "content-location", "http://r.example/d/", "http://r.example/d/p"),
    ]


def test_tables_have_them(folder):
    pytest.importorskip("pyarrow")
    result = run("links", "mail.eml", "--output", "links.jsonl", "--columns", "path,attribute,target")
    assert result.exit_code == 0, result.output
    assert "1 document, 4 links, 0 problems" in result.stderr
    rows = [json.loads(line) for line in (folder / "links.jsonl").read_text().splitlines()]
    assert [(row["path"], row["attribute"]) for row in rows] == [
        (line.partition(":")[0], line.partition("[")[2].partition("]")[0]) for line in LISTED
    ]


def test_absolutize_changes_them_only_with_the_option():
    assert run("absolutize", "mail.eml").stdout_bytes == PLAIN
    assert run("absolutize", "mail.eml", "--no-headers").stdout_bytes == PLAIN
    result = run("absolutize", "mail.eml", "--headers")
    assert result.stdout_bytes == ASKED
    assert "4 links, 3 made absolute, 0 problems" in result.stderr


def test_a_settings_file_may_ask(folder):
    (folder / "linkfix.toml").write_text("[absolutize]\nheaders = true\n")
    assert run("absolutize", "mail.eml").stdout_bytes == ASKED
    assert run("absolutize", "mail.eml", "--no-headers").stdout_bytes == PLAIN


def test_in_place_it_can_be_undone(folder):
    assert run("absolutize", "mail.eml", "--headers", "--in-place").exit_code == 0
    assert (folder / "mail.eml").read_bytes() == ASKED
    assert run("undo", "mail.eml").exit_code == 0
    assert (folder / "mail.eml").read_bytes() == MAIL % b""


def test_a_header_is_no_document_of_its_own(folder):
    shown = [line for line in run("base", "mail.eml").stdout.splitlines() if not line.startswith(" ")]
    assert shown == ["mail.eml!1: http://r.example/d/p"]
    assert run("unpack", "mail.eml", "--raw", "--output", "out").exit_code == 0
    files = sorted(path.name for path in (folder / "out").rglob("*") if path.is_file())
    assert files == ["manifest.csv", "part-1.html", "part-2.gif"]


def test_the_charset_of_documents_is_not_that_of_headers():
    assert run("links", "mail.eml", "--charset", "utf-16").stdout.splitlines()[:3] == LISTED[:3]


def test_urls_of_the_message_alone_stay(folder):
    """RFC 2557 §5 (e): a reference that has no other base means something only in the message."""
    data = (MAIL % b"").replace(b"Base: <URL:http://r.example/d/>\n", b"")
    (folder / "mail.eml").write_bytes(data)
    assert run("absolutize", "mail.eml", "--headers").stdout_bytes == data
    assert "[content-location] p -> thismessage:/p" in run("links", "mail.eml").stdout
    given = run("absolutize", "mail.eml", "--headers", "--url", "http://r.example/d/m").stdout_bytes
    assert given == data.replace(b"<help>", b"<http://r.example/d/help>").replace(
        b"href=x", b"href=http://r.example/d/x"
    ).replace(b": p", b": http://r.example/d/p")


def test_problems_name_the_header(folder):
    data = b"DKIM-Signature: d=h; h=list-help\nList-Help: <a>\nLink: <//[>\nBase: http://h/\n\nx"
    (folder / "mail.eml").write_bytes(data)
    result = run("absolutize", "mail.eml", "--headers", "--strict")
    assert (result.stdout_bytes, result.exit_code) == (data, 1)
    assert "HEADER: the reference cannot be parsed as a URL: //[ [unresolvable]" in result.stderr
    assert "list-help of the message: DKIM-Signature (d=h) of the message [part-signed]" in result.stderr
    result = run("absolutize", "mail.eml", "--headers", "--break-signatures")
    assert result.stdout_bytes == data.replace(b"<a>", b"<http://h/a>")


def test_help_mentions_them():
    assert "--headers / --no-headers" in run("absolutize", "--help").stdout
