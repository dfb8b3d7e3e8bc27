"""`linkfix audit` of an archive whose references are URLs: WARC, WACZ, HAR and messages."""

from __future__ import annotations

import json
import zipfile

import pytest
from support.captured import exchange
from support.running import run
from support.temporary import nothing_stays

HOST = "https://a.example"
IMAGE = "image/png"
PAGE = (
    '<!DOCTYPE html><html lang="en"><title>x</title><link rel="stylesheet" href="/s.css">'
    '<link rel="preconnect" href="https://fonts.example"><link rel="canonical" href="https://other.example/">'
    '<p id="here"><a href="b">captured</a> <a href="b/c">below a page</a> <a href="gone">not captured</a>'
    '<a href="missing">404</a> <a href="nobody">404 without a body</a> <a href="away">redirect elsewhere</a>'
    '<a href="moved">redirect</a> <a href="moved#no">redirect</a> <a href="q?x=1#yes">query</a> <a href="q?x=2">2</a>'
    '<a href="//b.example/x">host without pages</a> <a href="mailto:a@b.example">mail</a> <a href="http:/b">b</a>'
    '<img src="https://cdn.example/i.png" alt><img src="https://cdn.example/j.png" alt><img src="empty.gif" alt>'
    '<form method="post" action="post"></form><form action="search"></form><a href="posted">only as POST</a>'
)


def crawl(*more: bytes) -> bytes:
    """A WARC file of a site with a page."""
    records = [
        exchange(f"{HOST}/", PAGE.encode(), "text/html; charset=utf-8"),
        exchange(f"{HOST}/b", b'<!DOCTYPE html><title>b</title><a href="/moved">m</a><p id="there">'),
        exchange(f"{HOST}/b/c", b'<!DOCTYPE html><title>c</title><a href="../#here">up</a>'),
        exchange(f"{HOST}/q?x=1", b'<!DOCTYPE html><title>q</title><a href="/#no">top</a><p id="yes">'),
        exchange(f"{HOST}/missing", b'<!DOCTYPE html><title>404</title><a href="nix">not judged</a>', status=404),
        exchange(f"{HOST}/nobody", status=410),
        exchange(f"{HOST}/moved", status=302, Location="/b"),
        exchange(f"{HOST}/away", status=302, Location="https://other.example/"),
        exchange(f"{HOST}/lost", status=301, Location="/nowhere"),
        exchange(f"{HOST}/posted", b"<p>answer", method="POST"),
        exchange(f"{HOST}/empty.gif", b"", "image/gif"),
        exchange(
            f"{HOST}/s.css", b"a { background: url(bg.png) } b { background: url(//cdn.example/i.png) }", "text/css"
        ),
        exchange("https://cdn.example/i.png", b"\x89PNG", IMAGE),
    ]
    return b"".join([*records, *more])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    with nothing_stays(tmp_path, monkeypatch):
        yield tmp_path


def findings(name, *options):
    made = run("audit", name, "--format", "jsonl", *options)
    lines = [json.loads(line) for line in made.stdout.splitlines()]
    return sorted(
        (one["code"], one["path"].partition("!")[2], one["cause"]) for one in lines if "code" in one and "path" in one
    )


EXPECTED = [
    ("LF102", f"{HOST}/", f"{HOST}/b#no"),
    ("LF102", f"{HOST}/q?x=1", f"{HOST}/#no"),
    ("LF601", f"{HOST}/", f"{HOST}/missing"),
    ("LF601", f"{HOST}/", f"{HOST}/nobody"),
    ("LF602", f"{HOST}/", "https://cdn.example/j.png"),
    ("LF602", f"{HOST}/s.css", f"{HOST}/bg.png"),
    ("LF603", f"{HOST}/", f"{HOST}/gone"),
    ("LF603", f"{HOST}/", f"{HOST}/posted"),
    ("LF603", f"{HOST}/", f"{HOST}/q?x=2"),
    ("LF603", f"{HOST}/lost HEADER", f"{HOST}/nowhere"),
]
TARGETS = ("--select", "LF1,LF6")


def test_a_crawl_is_judged_by_what_it_captured(folder):
    (folder / "crawl.warc").write_bytes(crawl())
    assert findings("crawl.warc", *TARGETS) == EXPECTED
    made = run("audit", "crawl.warc", *TARGETS)
    assert made.exit_code == 1
    assert "crawl.warc!https://a.example/:1:" in made.stdout
    assert (
        "error LF601 the response in the archive is 404 Not Found: missing -> https://a.example/missing" in made.stdout
    )
    assert "served at https://a.example/ (its captures)" in made.stdout
    assert "files in the archive" in made.stdout
    assert "1 file skipped: 1 the response reports an error" in made.stdout
    assert "--fix" not in made.stdout


def test_several_hosts_are_named(folder):
    (folder / "crawl.warc").write_bytes(crawl(exchange("http://c.example/", b'<!DOCTYPE html><a href="/x">x</a>')))
    made = run("audit", "crawl.warc", *TARGETS)
    assert "several sites: https://a.example; http://c.example" in made.stdout
    assert ("LF603", "http://c.example/", "http://c.example/x") in findings("crawl.warc", *TARGETS)


@pytest.mark.parametrize("processes", ["1", "2"])
def test_files_in_worker_processes(folder, monkeypatch, processes):
    monkeypatch.setattr("linkfix.auditing.engine._SMALL", 0)
    (folder / "crawl.warc").write_bytes(crawl())
    assert findings("crawl.warc", *TARGETS, "--jobs", processes) == EXPECTED


def test_the_latest_response_that_is_no_error_counts(folder):
    later = exchange(f"{HOST}/missing", b"<!DOCTYPE html><p>back", time="2024-02-01T00:00:00Z")
    worse = exchange(f"{HOST}/b", b"gone", status=404, time="2024-02-01T00:00:00Z")
    (folder / "crawl.warc").write_bytes(crawl(later, worse))
    assert ("LF601", f"{HOST}/", f"{HOST}/missing") not in findings("crawl.warc", *TARGETS)
    assert not [cause for _, _, cause in findings("crawl.warc", *TARGETS) if cause == f"{HOST}/b"]


def test_each_response_is_judged_under_its_own_base_and_charset(folder):
    html = '<!DOCTYPE html><base href="/d/"><a href="é#ü">x</a>'.encode("windows-1252")
    target = '<!DOCTYPE html><p id="ü">'.encode("windows-1252")
    stated = "text/html; charset=windows-1252"
    records = exchange(f"{HOST}/", html, stated) + exchange(f"{HOST}/d/%C3%A9", target, stated)
    (folder / "crawl.warc").write_bytes(records)
    assert findings("crawl.warc", *TARGETS) == []


def test_patterns_and_baselines_have_urls(folder):
    (folder / "crawl.warc").write_bytes(crawl())
    assert {path for _, path, _ in findings("crawl.warc", *TARGETS, "--include", "*.css")} == {f"{HOST}/s.css"}
    assert run("audit", "crawl.warc", *TARGETS, "--write-baseline", "known.json").exit_code == 0
    assert run("audit", "crawl.warc", *TARGETS, "--baseline", "known.json").exit_code == 0


def test_passwords_are_not_shown(folder):
    (folder / "crawl.warc").write_bytes(exchange("https://me:secret@a.example/", b'<!DOCTYPE html><a href="/x">x</a>'))
    made = run("audit", "crawl.warc", *TARGETS)
    assert "LF603" in made.stdout
    assert "secret" not in made.stdout + made.stderr


def entry(url, body, media_type="text/html", status=200, **fields):
    headers = [{"name": name, "value": value} for name, value in fields.items()]
    return {
        "startedDateTime": "2024-01-01T00:00:00Z",
        "request": {"method": "GET", "url": url},
        "response": {
            "status": status,
            "headers": headers,
            "redirectURL": fields.get("Location", ""),
            "content": {"mimeType": media_type, "text": body},
        },
    }


def test_a_har(folder):
    entries = [
        entry(f"{HOST}/", '<!DOCTYPE html><a href="/other">o</a><a href="/to">t</a><img src="i.png" alt>'),
        entry(f"{HOST}/to", "", status=302, Location="/"),
        entry(f"{HOST}/aborted.js", "", status=0),
        entry(f"{HOST}/b", '<!DOCTYPE html><script src="aborted.js"></script><a href="/#top">top</a>'),
    ]
    (folder / "page.har").write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}))
    # A hyperlink that was not followed is no fault of a recording.
    assert findings("page.har", *TARGETS) == [
        ("LF602", f"{HOST}/", f"{HOST}/i.png"),
        ("LF602", f"{HOST}/b", f"{HOST}/aborted.js"),
    ]


MESSAGE = """MIME-Version: 1.0\r
Content-Type: multipart/related; type="text/html"; boundary="B"\r
\r
--B\r
Content-Type: text/html; charset=utf-8\r
Content-Location: https://a.example/p\r
\r
<!DOCTYPE html><img src="a.png" alt><img src="cid:c@x" alt><img src="cid:gone@x" alt><img src="b.png" alt>\
<a href="other">x</a><a href="#no">x</a>\r
--B\r
Content-Type: image/png\r
Content-Location: https://a.example/a.png\r
\r
x\r
--B\r
Content-Type: image/png\r
Content-ID: <c@x>\r
\r
x\r
--B--\r
"""


@pytest.mark.parametrize("name", ["page.mhtml", "mail.eml"])
def test_a_message(folder, name):
    (folder / name).write_bytes(MESSAGE.encode())
    assert findings(name, *TARGETS) == [
        ("LF102", f"{HOST}/p", f"{HOST}/p#no"),
        ("LF602", f"{HOST}/p", "cid:gone@x"),
        ("LF602", f"{HOST}/p", f"{HOST}/b.png"),
    ]


def test_a_message_without_a_url(folder):
    without = MESSAGE.replace("Content-Location: https://a.example/p\r\n", "")
    (folder / "mail.eml").write_bytes(without.encode())
    assert findings("mail.eml", *TARGETS) == [
        ("LF102", "1", "1#no"),
        ("LF602", "1", "cid:gone@x"),
        ("LF602", "1", "thismessage:/a.png"),
        ("LF602", "1", "thismessage:/b.png"),
    ]


def test_a_wacz():
    with zipfile.ZipFile("crawl.wacz", "w") as archive:
        archive.writestr("datapackage.json", json.dumps({"profile": "data-package", "resources": []}))
        archive.writestr("archive/data.warc", crawl())
        archive.writestr("indexes/index.cdx", "")
        archive.writestr("pages/pages.jsonl", "")
    assert findings("crawl.wacz", *TARGETS) == EXPECTED


@pytest.mark.parametrize("data", [b"WARC/1.0\r\n", b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 9999\r\n\r\nx"])
def test_a_damaged_archive_is_a_problem_and_nothing_is_checked(folder, data):
    (folder / "crawl.warc").write_bytes(data)
    made = run("audit", "crawl.warc")
    assert made.exit_code == 1
    assert "LF901" in made.stdout
    assert "NOTHING WAS CHECKED" in made.stdout
    assert "crawl.warc" in made.stderr


@pytest.mark.parametrize("options", [["--fix"], ["."], ["--mount", "/x=."], ["--diff-base", "HEAD"]])
def test_options_for_folders_are_refused(folder, options):
    (folder / "crawl.warc").write_bytes(crawl())
    made = run("audit", "crawl.warc", *options)
    assert made.exit_code == 2
    assert "crawl.warc is an archive: give it alone" in made.stderr


def test_a_root_url_is_refused(folder):
    (folder / "crawl.warc").write_bytes(crawl())
    for option, words in {"--root-url=https://a.example/": "the root URL", "--clean-urls": "clean URLs"}.items():
        made = run("audit", "crawl.warc", option)
        assert made.exit_code == 2
        assert f"crawl.warc has URLs of its own: leave out {words}" in made.stderr


@pytest.mark.parametrize("format_", ["text", "json", "jsonl", "csv", "markdown", "github", "sarif", "junit", "html"])
def test_every_report(folder, format_):
    (folder / "crawl.warc").write_bytes(crawl())
    made = run("audit", "crawl.warc", *TARGETS, "--format", format_)
    assert made.exit_code == 1
    assert "gone" in made.stdout


@pytest.mark.parametrize("where", ["crawl.warc", "./crawl.warc"])
def test_no_report_replaces_the_archive(folder, where):
    data = crawl()
    (folder / "crawl.warc").write_bytes(data)
    for options in (["--format", "json", "-o", where], ["--write-baseline", where]):
        made = run("audit", "crawl.warc", *options)
        assert made.exit_code == 2
        assert "is the input" in made.stderr
    assert (folder / "crawl.warc").read_bytes() == data


def test_no_report_replaces_a_page(folder):
    (folder / "site").mkdir()
    for name, format_ in {"p.html": "html", "notes.md": "markdown", "page.php": "html"}.items():
        (folder / "site" / name).write_text("<!DOCTYPE html><a href=gone>x</a>")
        made = run("audit", "site", "-o", f"site/{name}", "--format", format_)
        assert made.exit_code == 2
        assert "is a file of the audited folder" in made.stderr
    for name in ("report.html", "report.md"):
        for _ in range(2):  # the second one replaces the first
            assert run("audit", "site", "-o", f"site/{name}").exit_code == 1


def one(*records: bytes, page: bytes = b'<!DOCTYPE html><img src="x.png" alt>') -> bytes:
    return exchange(f"{HOST}/", page) + b"".join(records)


@pytest.mark.parametrize(
    ("records", "code"),
    [
        ([exchange(f"{HOST}/x.png", status=302, Location="/gone.png")], "LF602"),
        ([exchange(f"{HOST}/x.png", status=302)], "LF602"),
        ([exchange(f"{HOST}/x.png", status=304)], "LF602"),
        ([exchange(f"{HOST}/x.png", revisit_of=b"elsewhere")], "LF602"),
        ([exchange(f"{HOST}/x.png", b"PNG", IMAGE, status=206)], "LF602"),
        ([exchange(f"{HOST}/x.png", status=302, Location="/e.png"), exchange(f"{HOST}/e.png", status=500)], "LF601"),
        ([exchange(f"{HOST}/x.png", status=302, Location="/x.png")], "LF107"),
        ([exchange(f"{HOST}/x.png", status=302, Location="/y"), exchange(f"{HOST}/y", b"P", IMAGE)], ""),
        ([exchange(f"{HOST}/x.png", status=204)], ""),
    ],
)
def test_responses_without_usable_content(folder, records, code):
    (folder / "crawl.warc").write_bytes(one(*records))
    found = [code for code, path, _ in findings("crawl.warc", *TARGETS) if path == f"{HOST}/"]
    assert found == ([code] if code else [])


def test_link_fields_that_load_a_file(folder):
    field = (
        '</a.css>; rel=stylesheet, </b.png>; as=image; rel="preload", </c>; rel=next, <d.js>; title="a, b"; rel=preload'
    )
    (folder / "crawl.warc").write_bytes(exchange(f"{HOST}/", b"<!DOCTYPE html><p>x", Link=field))
    assert findings("crawl.warc", *TARGETS) == [
        ("LF602", f"{HOST}/ HEADER", f"{HOST}/a.css"),
        ("LF602", f"{HOST}/ HEADER", f"{HOST}/b.png"),
        ("LF602", f"{HOST}/ HEADER", f"{HOST}/d.js"),
    ]


def test_what_is_lost_of_a_damaged_archive_is_a_finding(folder):
    (folder / "crawl.warc").write_bytes(crawl()[:-400])
    made = run("audit", "crawl.warc", "--select", "LF9")
    assert made.exit_code == 1
    assert "crawl.warc:1:1: error LF901 " in made.stdout
    assert "LF9" not in run("audit", "crawl.warc", "--select", "LF1").stdout


def test_fragments_of_a_page_without_a_url(folder):
    (folder / "mail.eml").write_bytes(
        b'Subject: x\nContent-Type: text/html\n\n<a href="#no">x</a><a href="#ok"><p id=ok>'
    )
    assert findings("mail.eml", *TARGETS) == [("LF102", "1", "1#no")]


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        (
            "mail.mbox",
            b"From a@example.com Sat Jan  1 00:00:00 2024\n\nx",
            "a mailbox; save its messages as .eml files",
        ),
        ("book.epub", b"", "a file with the suffix .epub and other content"),
    ],
)
def test_a_file_in_another_format_says_what_to_do(folder, name, data, words):
    (folder / name).write_bytes(data)
    made = run("audit", name)
    assert made.exit_code == 2
    assert f"{name} is {words}" in made.stderr
