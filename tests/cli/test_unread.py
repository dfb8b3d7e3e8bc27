"""Archives of pages in unsupported formats: every command says so and names a way out; nothing in them changes."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zipfile
from pathlib import Path

import pytest
from support.running import run
from support.web_archives import HTML, INFO, http, record
from support.zip_samples import Sample, archive

from linkfix.model import PROBLEMS

PAGE = b"<!doctype html><title>t</title><a href=x.html>x</a>"
ZIM = b"ZIM\x04\x05\0\0\0"


def self_extracting(page=PAGE):
    """A page in SingleFile's self-extracting format: HTML, a zip archive in it, and the rest of the HTML."""
    out = io.BytesIO(page + b"<!--")
    out.seek(0, io.SEEK_END)
    with zipfile.ZipFile(out, "a") as inner:
        inner.writestr("index.html", HTML)
        inner.comment = b"--><script>/* unpacks it */</script>"
    return out.getvalue()


HAR = json.dumps({"log": {"entries": []}}).encode()
UNREAD = {
    "crawl.warc.bz2": lambda: bz2.compress(INFO),
    "crawl.warc.xz": lambda: lzma.compress(INFO),
    "trace.har.gz": lambda: gzip.compress(HAR),
    "page.html.gz": lambda: gzip.compress(PAGE),
    "image.SVGZ": lambda: gzip.compress(b"<svg/>"),
    "page.mhtml.xz": lambda: lzma.compress(b"MIME-Version: 1.0\r\n\r\nx"),
    "page.html.zst": lambda: b"\x28\xb5\x2f\xfd\0",
    "page.wbn": lambda: b"\x85\x48\xf0\x9f\x8c\x90\xf0\x9f\x93\xa6\x44b2\0\0",
    "page.war": lambda: gzip.compress(b"index.html" + bytes(500)),
    "help.chm": lambda: b"ITSF\x03\0\0\0",
    "wiki.zim": lambda: ZIM,
    "mail.mbox": lambda: b"From a@example.com Sat Jan  1 00:00:00 2022\nSubject: x\n\nx\n",
    "mail.msg": lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500),
}
#: They have a name or a content of those above, but not both.
OTHERS = {
    "physics.arc": b"ArC\x01",
    "page.webarchive.txt": b"bplist00",
    "files.zip": archive([Sample("a.txt", b"x")]),
    "data.gz": gzip.compress(b"numbers"),
    "app.war": archive([Sample("WEB-INF/web.xml", b"<x/>")]),
    "program.exe": b"MZ" + archive([Sample("a.txt", b"x")]),
}


@pytest.fixture(params=UNREAD)
def unread(request, tmp_path):
    """A file in a folder of its own."""
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / request.param
    path.write_bytes(UNREAD[request.param]())
    return path


class TestAbsolutize:
    @pytest.mark.parametrize(("arguments", "code"), [([], 0), (["--strict"], 1)])
    def test_a_folder(self, unread, tmp_path, arguments, code):
        result = run("absolutize", unread.parent, "--output", tmp_path / "out", *arguments)
        assert result.stderr.startswith(f"{unread}:1:1: {PROBLEMS['archive-unread']}")
        assert "[archive-unread]\n1 file, 1 copied, 0 links, 0 made absolute, 1 problem" in result.stderr
        assert (result.exit_code, (tmp_path / "out" / unread.name).read_bytes()) == (code, unread.read_bytes())

    @pytest.mark.parametrize("how", ["--in-place", "--dry-run", "--diff"])
    def test_without_an_output_folder(self, unread, how):
        before = unread.read_bytes()
        result = run("absolutize", unread.parent, how, "--strict")
        assert "[archive-unread]" in result.stderr
        assert (result.exit_code, unread.read_bytes(), result.stdout) == (1, before, "")

    def test_a_file_to_standard_output(self, unread):
        result = run("absolutize", unread, "--url", "https://h.example/", "--strict")
        assert "[archive-unread]" in result.stderr
        assert (result.exit_code, result.stdout_bytes) == (1, unread.read_bytes())

    def test_the_report_in_json(self, unread):
        made = json.loads(run("absolutize", unread.parent, "--dry-run", "--format", "json").stdout)
        assert [(one["action"], one["problems"][0]["code"]) for one in made["files"]] == [("copied", "archive-unread")]


@pytest.mark.parametrize("command", ["links", "base"])
def test_commands_that_only_read(unread, command):
    for path in (unread, unread.parent):
        result = run(command, path)
        assert (result.stdout, result.exit_code) == ("", 0)
        assert "[archive-unread]" in result.stderr
    assert run("links", unread, "--strict").exit_code == 1


def test_unpack(unread, tmp_path):
    result = run("unpack", unread, "--output", tmp_path / "out")
    assert result.exit_code == 2
    assert f"{unread} is a" in result.stderr
    assert not (tmp_path / "out").exists()


def test_audit(unread):
    (unread.parent / "index.html").write_bytes(b"<!doctype html><a href=index.html>x</a>")
    result = run("audit", unread.parent, "--root-url", "https://h.example/")
    assert f"{unread}:1:1: linkfix does not read this format" in result.stderr
    assert "[archive-unread]" in result.stderr
    assert result.exit_code == 0
    assert "[archive-unread]" not in run("audit", unread.parent, "--exclude", unread.name).stderr
    assert run("audit", unread.parent, "--quiet").stderr == ""


def test_audit_names_the_containers_that_it_does_not_check(tmp_path):
    (tmp_path / "index.html").write_bytes(b"<!doctype html><a href=index.html>x</a>")
    for number in range(4):
        (tmp_path / f"{number}.warc").write_bytes(INFO)
    result = run("audit", tmp_path, "--root-url", "https://h.example/")
    assert "4 archives not checked (0.warc, 1.warc, 2.warc, …): give an archive alone" in result.stderr


def test_the_name_and_the_content_decide(tmp_path):
    for name, data in OTHERS.items():
        (tmp_path / name).write_bytes(data)
    result = run("absolutize", tmp_path, "--output", tmp_path.parent / "other", "--strict")
    assert (result.exit_code, "archive-unread" in result.stderr) == (0, False)


#: The names of archives of pages.
NAMES = [
    *("arc", "arc.gz", "har", "mht", "mhtml", "eml", "epub", "maff", "htz", "wacz", "warc", "warc.gz", "warc.zst"),
    *("chm", "zim", "wbn", "webarchive", "mbox", "html.gz", "svgz"),
]
#: Their contents, which are none.
CONTENTS = {
    "page": PAGE,
    "text": b"a note with a <a href=x.html>link</a>",
    "JSON": b"[1]",
    "binary data": b"\1\2<a href=x.html>",
}


@pytest.mark.parametrize("content", CONTENTS)
def test_a_file_with_the_name_of_an_archive_is_skipped(tmp_path, content):
    data = CONTENTS[content]
    (tmp_path / "in").mkdir()
    for suffix in NAMES:
        (tmp_path / "in" / f"a.{suffix}").write_bytes(data)
    result = run("absolutize", tmp_path / "in", "--output", tmp_path / "out", "--strict", "--full")
    lines = [line for line in result.stderr.splitlines() if line.endswith(("[archive-unread]", "[container-damaged]"))]
    assert (result.exit_code, len(lines)) == (1, len(NAMES))
    for suffix in NAMES:
        path = tmp_path / "in" / f"a.{suffix}"
        assert (tmp_path / "out" / path.name).read_bytes() == data
        alone = run("absolutize", path, "--url", "https://h.example/", "--strict")
        assert (alone.exit_code, alone.stdout_bytes) == (1, data)
        assert [line for line in lines if line.startswith(f"{path}:")] == alone.stderr.splitlines()[:1]


@pytest.mark.parametrize(
    "data", [HAR.decode().encode("utf-16"), b"// a comment\n" + HAR, b"[" + HAR + b"]"], ids=["UTF-16", "//", "list"]
)
def test_json_that_is_no_har_file(tmp_path, data):
    (tmp_path / "a.har").write_bytes(data)
    result = run("absolutize", tmp_path, "--in-place", "--strict")
    assert (result.exit_code, (tmp_path / "a.har").read_bytes()) == (1, data)
    assert "write it as a JSON object in UTF-8 without comments [archive-unread]" in result.stderr


@pytest.mark.parametrize("suffix", ["epub", "maff", "htz", "wacz"])
def test_an_archive_after_much_text(tmp_path, suffix):
    data = b"x" * 4097 + archive([Sample("mimetype", b"application/epub+zip", 0)])
    (tmp_path / f"a.{suffix}").write_bytes(data)
    result = run("links", tmp_path, "--strict")
    assert (result.exit_code, "remove the bytes before the archive" in result.stderr) == (1, True)


@pytest.mark.parametrize("suffix", ["war", "msg", "gz", "xz", "docx", "zip", "jar"])
def test_other_archives_are_no_pages(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(PAGE)
    made = run("absolutize", path, "--url", "https://h.example/")
    assert (made.stdout_bytes, "[media-type]" in made.stderr) == (PAGE, True)
    made = run("absolutize", path, "--url", "https://h.example/", "--media-type", "text/html")
    assert b"https://h.example/x.html" in made.stdout_bytes
    assert run("absolutize", tmp_path, "--in-place", "--strict").exit_code == 0


BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize("name", ["a.warc", "a.dat", "-"])
@pytest.mark.parametrize("before", [b"\r\n", b"\n\n\n", BOM, BOM + b"\r\n"])
def test_records_after_blank_lines_and_a_byte_order_mark(tmp_path, name, before):
    records = INFO + b"\r\n\r\n" + record(http())
    path = tmp_path / name if name != "-" else "-"
    if path != "-":
        path.write_bytes(before + records)
    made = run("absolutize", path, stdin=before + records if path == "-" else None)
    expected = run("absolutize", "-", stdin=records)
    assert b'"http://example.com/x.html"' in expected.stdout_bytes
    assert made.stdout_bytes == before + expected.stdout_bytes
    assert ("[" in made.stderr) == ("[" in expected.stderr)


def test_a_warc_file_that_lost_its_beginning(tmp_path):
    path = tmp_path / "a.warc"
    path.write_bytes(INFO[20:] + b"\r\n\r\n" + record(http()))
    made = run("absolutize", path, "--strict")
    assert (made.exit_code, made.stdout_bytes.startswith(INFO[20:])) == (1, True)
    assert "no WARC record at byte 0 [container-damaged]" in made.stderr
    assert b'"http://example.com/x.html"' in made.stdout_bytes


def test_standard_input():
    result = run("absolutize", "-", "--strict", stdin=ZIM)
    assert "(standard input):1:1: linkfix does not read this format" in result.stderr
    assert (result.exit_code, result.stdout_bytes) == (1, ZIM)
    assert "a ZIM file" in run("links", "-", stdin=ZIM).stderr
    assert run("unpack", "-", "--output", "/nowhere", stdin=ZIM).exit_code == 2


class TestSelfExtracting:
    @pytest.mark.parametrize("url", [[], ["--url", "https://h.example/"]])
    def test_it_is_skipped(self, tmp_path, url):
        page = tmp_path / "page.zip.html"
        page.write_bytes(self_extracting())
        result = run("absolutize", page, "--strict", *url)
        assert (result.exit_code, result.stdout_bytes) == (1, page.read_bytes())
        assert "[self-extracting]" in result.stderr
        assert "[self-extracting]" in run("links", page).stderr
        assert zipfile.ZipFile(page).read("index.html") == HTML

    def test_the_audit_does_not_check_it(self, tmp_path):
        (tmp_path / "page.html").write_bytes(self_extracting())
        result = run("audit", tmp_path, "--root-url", "https://h.example/")
        assert "LF901" in result.stdout
        assert "unpacks itself" in result.stdout

    @pytest.mark.parametrize("page", [PAGE + b"<p>PK\x03\x04" + b"x" * 100, PAGE + b"PK\x05\x06" + b"x" * (1 << 17)])
    def test_other_pages_are_converted(self, tmp_path, page):
        (tmp_path / "page.html").write_bytes(page)
        assert (
            b"https://h.example/x.html"
            in run("absolutize", tmp_path / "page.html", "--url", "https://h.example/").stdout_bytes
        )


def test_archives_in_a_folder_are_to_be_given_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("index.html").write_text("<a href=index.html>x</a>")
    with zipfile.ZipFile("book.epub", "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
    Path("page.mht").write_bytes(b"MIME-Version: 1.0\nContent-Type: text/html\n\n<p>x")
    said = run("audit", ".").stderr.splitlines()
    advice = "give an archive alone, as in 'linkfix audit book.epub'"
    assert said == [f"linkfix audit: 2 archives not checked (book.epub, page.mht): {advice}"]
