from __future__ import annotations

import email
import gzip
import io
import json
import shutil
import zipfile
from pathlib import Path

import pytest
from support.extras import needed
from support.fixtures_site import FIXTURES
from support.running import bash, process, run, runner
from support.web_archives import INFO, http, record, zipped
from support.zip_samples import Sample, archive, contents

from linkfix import Envelope
from linkfix.cli import cli
from linkfix.containers import CONTAINERS, Limits, container
from linkfix.resolvers import RESOLVERS
from linkfix.runs import RunSettings

CHROMIUM = FIXTURES / "saved" / "chromium"
MHTML = CHROMIUM / "foreign.mhtml"
WARC = FIXTURES / "warc" / "site.warc.gz"
TRUNCATED = FIXTURES / "mime" / "truncated.mht"
MADE = zipped(INFO, record(http()))
PAGE = b'<a href="x.html">x</a>\n'
MARKED = b"<!-- saved from url=(0023)https://example.com/s/p -->\n" + PAGE
PACKAGE = '<package><manifest><item href="a.xhtml" media-type="application/xhtml+xml"/></manifest></package>'
BOOK = archive(
    [
        Sample("mimetype", b"application/epub+zip", 0),
        Sample("META-INF/container.xml", b'<container><rootfile full-path="p.opf"/></container>'),
        Sample("p.opf", PACKAGE.encode()),
        Sample("a.xhtml", b'<html xmlns="http://www.w3.org/1999/xhtml"><a href="b.xhtml">b</a></html>'),
    ]
)


def relative(data):
    """The references of a container's documents that are relative and have a target."""
    rows = [json.loads(line) for line in run("links", "-", "--format", "jsonl", stdin=data).stdout.splitlines()]
    return {row["reference"] for row in rows if row["target"] and row["reference"] != row["target"]}


def payloads(name, data):
    notes = []
    parts = list(container(name).parts(io.BytesIO(data), Envelope(), notes.append, Limits()))
    assert not notes
    return {part.name: part.data for part in parts}


@pytest.fixture
def mixed(tmp_path, monkeypatch):
    """A folder with a page, a message and two archives."""
    monkeypatch.chdir(tmp_path)
    root = tmp_path / "mixed"
    root.mkdir()
    (root / "page.html").write_bytes(MARKED)
    shutil.copyfile(MHTML, root / "page.mhtml")
    (root / "crawl.warc.gz").write_bytes(MADE)
    (root / "book.epub").write_bytes(BOOK)
    (root / "notes.zip").write_bytes(archive([Sample("notes.txt", b"x")]))
    return root


def content(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class TestLinks:
    def test_a_part_is_named_behind_its_file(self):
        lines = run("links", MHTML).stdout.splitlines()
        assert f"{MHTML}!5:3:14 css imported.css -> http://127.0.0.1:8765/css/imported.css" in lines
        assert any("../img/dot.png?list -> http://127.0.0.1:8765/img/dot.png?list" in line for line in lines)

    @pytest.mark.parametrize(("name", "path"), [("mime", MHTML), ("warc", WARC)])
    def test_standard_input_is_the_same_as_the_file(self, name, path):
        assert CONTAINERS[name].recognise(path.read_bytes()[:4096], "")
        there = run("links", path).stdout
        assert there
        assert run("links", "-", stdin=path.read_bytes()).stdout == there.replace(str(path), "(standard input)")

    @pytest.mark.usefixtures("mixed")
    def test_a_folder_of_all_kinds(self):
        found = [json.loads(line) for line in run("links", "mixed", "--format", "jsonl").stdout.splitlines()]
        assert {row["path"].partition("!")[0] for row in found} == {
            "mixed/book.epub",
            "mixed/crawl.warc.gz",
            "mixed/page.html",
            "mixed/page.mhtml",
        }
        targets = {row["reference"]: row["target"] for row in found if not row["path"].startswith("mixed/page.mhtml")}
        assert targets["../x.html"] == "http://example.com/x.html"
        assert targets["x.html"] == "https://example.com/s/x.html"
        assert targets["b.xhtml"] is None

    def test_a_damaged_container_is_a_problem(self):
        result = run("links", TRUNCATED, "--strict")
        assert "[mime-boundary]" in result.stderr
        assert result.stdout
        assert result.exit_code == 1


class TestBase:
    def test_every_layer_of_a_part(self):
        first = run("base", MHTML).stdout.split("\n  encoding")[0].splitlines()
        assert first[0] == f"{MHTML}!1: http://127.0.0.1:8765/"
        assert "http://127.0.0.1:8765/base/foreign.html  (Content-Location of part 1)  not used" in first[3]
        assert "(Snapshot-Content-Location of the message)  not used" in first[4]

    def test_a_record(self):
        rows = [json.loads(line) for line in run("base", WARC, "--format", "json").stdout.splitlines()]
        assert {row["layers"][-2]["where"] for row in rows} >= {"WARC-Target-URI"}
        assert all(row["path"].startswith(f"{WARC}!") for row in rows)

    def test_a_publication_takes_no_base_from_outside(self, tmp_path):
        book = tmp_path / "book.epub"
        book.write_bytes(BOOK)
        for options in (
            ["--url", "https://h/book.epub"],
            ["--default-base", "https://h/"],
            ["--root-url", "https://h/"],
        ):
            result = run("base", book, *options)
            assert result.stdout.startswith(f"{book}!a.xhtml: no base URL\n"), options

    def test_the_whole_ladder_of_a_saved_page(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "page.html").write_bytes(MARKED + b'<link rel=canonical href="https://c.example/">')
        (tmp_path / "urls.csv").write_text("path,url\npage.html,https://m.example/m\n")
        arguments = ["--root-url", "https://t.example/", "--trust-canonical"]
        result = run("base", "page.html", *arguments)
        lines = [line for line in result.stdout.splitlines() if "document's URL " in line]
        assert "https://example.com/s/p  (" in lines[0]
        assert lines[0].endswith("  used")
        reason = "not used: the mark of the saving program comes first"
        assert any("https://c.example/" in line and reason in line for line in lines)
        assert any("https://t.example/page.html" in line and "not used" in line for line in lines)
        mapped = run("base", "page.html", *arguments, "--url-map", "urls.csv")
        assert mapped.stdout.startswith("page.html: https://m.example/m\n")
        assert "(urls.csv:2)  used" in mapped.stdout
        assert "[sources-disagree]" in mapped.stderr

    def test_a_folder_of_messages_with_the_url_of_the_folder(self, tmp_path):
        """A message's path in the folder is weaker than its own URL, and does not contradict it."""
        for number in range(3):
            message = f"Snapshot-Content-Location: http://site.example/{number}/\nMIME-Version: 1.0\n"
            location = f"Content-Location: http://site.example/{number}/\n" if number else ""
            (tmp_path / f"{number}.mhtml").write_text(f"{message}{location}Content-Type: text/html\n\n<a href=g>")
        out = tmp_path.parent / "out"
        result = run("absolutize", tmp_path, "--root-url", "http://folder.example/", "--output", out, "--strict")
        assert (result.exit_code, "sources-disagree" in result.stderr) == (0, False)
        for number in range(3):
            assert (out / f"{number}.mhtml").read_text().endswith(f"<a href=http://site.example/{number}/g>")
        given = run("absolutize", tmp_path / "1.mhtml", "--url", "http://given.example/")
        assert "[sources-disagree]" in given.stderr

    def test_each_specification_has_its_own_base(self, tmp_path):
        message = tmp_path / "a.eml"
        fields = "Base: <URL:http://a.example/x/>\nContent-Location: http://b.example/y/\n"
        message.write_text(f"{fields}Content-Type: text/html\n\n<a href=g>")
        bases = {}
        for spec in RESOLVERS:
            bases[spec] = run("base", message, "--spec", spec).stdout.splitlines()[0].partition(": ")[2]
        assert bases == {
            "fielding1994": "no base URL",
            "rfc1808": "http://a.example/x/",
            "rfc2396": "http://b.example/y/",
            "rfc3986": "http://b.example/y/",
            "whatwg": "http://b.example/y/",
        }
        written = run("absolutize", message, "--spec", "rfc1808").stdout
        assert written.endswith("<a href=http://a.example/x/g>")


class TestMessagesWithoutABase:
    """A reference whose only base is `thismessage:/` stays (RFC 2557 §5 (e)), and all commands say so."""

    MESSAGE = b"MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<a href=g>x</a> <a href='#s'>x</a>\r\n"

    def test_links_and_absolutize_print_the_same_problems(self):
        shown = run("links", "-", stdin=self.MESSAGE)
        assert shown.stdout.splitlines() == [
            "(standard input)!1:1:9 a[href] g -> thismessage:/g [message-base]",
            "(standard input)!1:1:26 a[href] #s -> thismessage:/#s",
        ]
        done = run("absolutize", "-", stdin=self.MESSAGE)
        assert done.stdout_bytes == self.MESSAGE
        problem, _ = done.stderr.splitlines()
        assert problem.endswith(": g [message-base]")
        assert "--url or --default-base" in problem
        assert run("absolutize", "-", "--strict", stdin=self.MESSAGE).exit_code == 1

    @pytest.mark.parametrize("option", ["--url", "--default-base"])
    def test_the_options_that_it_names_help(self, option):
        done = run("absolutize", "-", option, "http://h/d/", stdin=self.MESSAGE)
        assert b"<a href=http://h/d/g>" in done.stdout_bytes
        assert "0 problems" in done.stderr

    def test_a_reference_to_another_part_is_no_problem(self):
        message = (
            b"Content-Type: multipart/related; boundary=x\r\n\r\n--x\r\nContent-Type: text/html\r\n\r\n"
            b"<img src=i.png><img src=j.png>\r\n--x\r\nContent-Type: image/png\r\nContent-Location: i.png\r\n\r\n"
            b"\r\n--x--\r\n"
        )
        done = run("absolutize", "-", stdin=message)
        assert done.stdout_bytes == message
        assert [line.partition("default-base: ")[2] for line in done.stderr.splitlines()[:-1]] == [
            "j.png [message-base]"
        ]


class TestAbsolutize:
    def test_a_message_read_back(self):
        result = run("absolutize", MHTML)
        assert result.exit_code == 0
        assert "7 made absolute, 0 problems" in result.stderr
        before = email.message_from_bytes(MHTML.read_bytes())
        after = email.message_from_bytes(result.stdout_bytes)
        assert [part.items() for part in after.walk()] == [part.items() for part in before.walk()]
        assert b'url("http://127.0.0.1:8765/img/dot.png?list")' in b"".join(
            part.get_payload(decode=True) for part in after.walk() if not part.is_multipart()
        )
        # The remaining references mean the document itself, or another part of the message.
        located = {part["Content-Location"] for part in after.walk()}
        left = {reference for reference in relative(result.stdout_bytes) if not reference.startswith("#")}
        assert {name.lstrip("./") for name in left} == {"img/dot.png", "imported.css", "imported.css?screen"}
        assert located >= {f"http://127.0.0.1:8765/{name}" for name in ("img/dot.png", "css/imported.css?screen")}

    def test_frames_stay_in_the_message_by_default(self):
        frames = CHROMIUM / "frames.mhtml"
        assert b"cid:frame-" in run("absolutize", frames).stdout_bytes
        message = (
            b"Content-Location: http://h/\r\nContent-Type: multipart/related; boundary=b\r\nMIME-Version: 1.0\r\n\r\n"
            b'--b\r\nContent-Type: text/html\r\nContent-Location: http://h/p\r\n\r\n<img src="i.png"><a href="a">\r\n'
            b"--b\r\nContent-Type: image/png\r\nContent-Location: http://h/i.png\r\n\r\nx\r\n--b--\r\n"
        )
        kept = run("absolutize", "-", stdin=message).stdout_bytes
        assert kept == message.replace(b'"a"', b'"http://h/a"')
        asked = run("absolutize", "-", "--no-keep-parts", stdin=message).stdout_bytes
        assert asked == kept.replace(b'"i.png"', b'"http://h/i.png"')

    def test_a_warc_keeps_all_but_the_links(self):
        result = run("absolutize", WARC)
        before, after = payloads("warc", WARC.read_bytes()), payloads("warc", result.stdout_bytes)
        assert before.keys() == after.keys()
        changed = [name for name in before if before[name] != after[name]]
        assert changed
        assert b"http://127.0.0.1:8765/" in after[changed[0]]
        assert run("absolutize", "-", stdin=result.stdout_bytes).stdout_bytes == result.stdout_bytes

    def test_warcio_accepts_the_output(self, tmp_path):
        checker = needed("warcio.checker")
        out = tmp_path / "out.warc.gz"
        out.write_bytes(run("absolutize", WARC).stdout_bytes)
        assert checker.Checker(type("Arguments", (), {"verbose": False, "inputs": [str(out)]})).process_all() == 0

    def test_a_publication_stays(self, tmp_path):
        book = tmp_path / "book.epub"
        book.write_bytes(BOOK)
        result = run("absolutize", book, "--url", "https://h/book.epub", "--default-base", "https://h/")
        assert result.stdout_bytes == BOOK

    def test_a_page_in_a_zip_archive(self, tmp_path):
        made = archive([Sample("index.html", MARKED + b'<img src="i.png">'), Sample("i.png", b"x")])
        page = tmp_path / "page.htz"
        page.write_bytes(made)
        done = run("absolutize", page)
        data = dict(row[:2] for row in contents(done.stdout_bytes)[0])
        assert data["index.html"] == (
            MARKED.replace(b'"x.html"', b'"https://example.com/s/x.html"') + b'<img src="i.png">'
        )
        assert data["i.png"] == b"x"

    @pytest.mark.parametrize("in_place", [True, False])
    def test_a_folder_of_all_kinds(self, mixed, in_place):
        before = content(mixed)
        arguments = ["--in-place"] if in_place else ["--output", "out"]
        result = run("absolutize", "mixed", *arguments, "--format", "json", "--jobs", "2")
        assert result.exit_code == 0, result.stderr
        rows = {row["path"]: row for row in json.loads(result.stdout)["files"]}
        assert {path: row["action"] for path, row in rows.items() if row["action"] != "copied"} == {
            "mixed/book.epub": "same",
            "mixed/crawl.warc.gz": "converted",
            "mixed/page.html": "converted",
            "mixed/page.mhtml": "converted",
        }
        assert (rows["mixed/page.mhtml"]["links"], rows["mixed/page.mhtml"]["rewritten"]) == (48, 7)
        assert rows["mixed/page.html"]["url"] == "https://example.com/s/p"
        after = content(mixed if in_place else Path("out"))
        assert after.keys() == before.keys()
        assert after["page.mhtml"] == run("absolutize", MHTML).stdout_bytes
        assert b"http://example.com/x.html" in b"".join(payloads("warc", after["crawl.warc.gz"]).values())
        assert {name for name in before if before[name] == after[name]} == {"book.epub", "notes.zip"}
        if not in_place:
            assert content(mixed) == before

    def test_dry_run_counts_changes_and_writes_nothing(self, mixed):
        before = content(mixed)
        result = run("absolutize", "mixed", "--dry-run")
        assert "mixed/page.mhtml: 7 of 48 links to make absolute" in result.stdout.splitlines()
        shown = run("absolutize", "mixed", "--diff")
        assert b"--- a/mixed/page.mhtml!" in shown.stdout_bytes
        assert b"+++ b/mixed/page.html\n" in shown.stdout_bytes
        assert content(mixed) == before

    def test_an_unchanged_container_is_not_written_again(self, tmp_path):
        book = tmp_path / "book.epub"
        book.write_bytes(BOOK)
        inode = book.stat().st_ino
        assert run("absolutize", book, "--in-place").exit_code == 0
        assert (book.stat().st_ino, book.read_bytes()) == (inode, BOOK)
        assert [path.name for path in tmp_path.iterdir()] == ["book.epub"]

    @pytest.mark.parametrize(
        ("name", "data", "code"),
        [
            ("cut.warc", INFO + record(http())[:-40], "container-damaged"),
            ("cut.mht", TRUNCATED.read_bytes(), "mime-boundary"),
            ("cut.epub", BOOK[:-30], "container-damaged"),
        ],
    )
    def test_a_damaged_container_is_a_problem_and_nothing_is_lost(self, tmp_path, name, data, code):
        path = tmp_path / name
        path.write_bytes(data)
        result = run("absolutize", path, "--in-place", "--strict")
        assert f"[{code}]" in result.stderr
        assert result.exit_code == 1
        assert len(path.read_bytes()) >= len(data)

    def test_problems_name_the_part(self, tmp_path):
        path = tmp_path / "a.warc"
        path.write_bytes(record(http(b'<p><a href="http://[">x</a>')))
        result = run("absolutize", path, "--strict")
        assert f"{path}:1:13: urn:uuid:" in result.stderr
        assert result.stderr.count("[unresolvable]") == 1
        assert result.exit_code == 1

    def test_a_pipe(self, tmp_path):
        done = bash(f'"$0" -m linkfix absolutize <(cat {MHTML}) --quiet', tmp_path)
        assert done.stdout == run("absolutize", MHTML).stdout_bytes, done.stderr

    def test_without_buffers(self, tmp_path):
        done = process("absolutize", MHTML, cwd=tmp_path, PYTHONUNBUFFERED="1")
        assert done.stdout == run("absolutize", MHTML).stdout_bytes, done.stderr

    def test_by_the_names_of_folders(self, tmp_path):
        page = tmp_path / "www.example.com" / "docs" / "a.html"
        page.parent.mkdir(parents=True)
        page.write_bytes(PAGE)
        assert run("absolutize", tmp_path, "--output", tmp_path / "none", "--dry-run").exit_code in {0, 2}
        done = run("absolutize", tmp_path / "www.example.com", "--layout", "wget", "--in-place")
        assert done.exit_code == 0
        assert page.read_bytes() == b'<a href="http://www.example.com/docs/x.html">x</a>\n'


MAIL = b"""MIME-Version: 1.0\r
Content-Type: text/html; charset=utf-8\r
\r
<a href="x.html">x</a>\r
"""


@pytest.mark.parametrize("options", [[], ["--no-keep-parts"]])
def test_references_that_only_the_message_resolves_stay(tmp_path, options):
    (tmp_path / "mail.eml").write_bytes(MAIL)
    result = runner().invoke(cli, ["absolutize", str(tmp_path / "mail.eml"), *options])
    assert (result.exit_code, result.stdout_bytes) == (0, MAIL)
    given = runner().invoke(cli, ["absolutize", str(tmp_path / "mail.eml"), "--url", "https://h/m/1", *options])
    assert b'href="https://h/m/x.html"' in given.stdout_bytes


def test_patterns_are_expanded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.eml", "sub/b.eml", "c.html", "[d].html"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(MAIL if name.endswith("eml") else PAGE)
    shown = [line.partition(":")[0] for line in run("links", "**/*.eml", "*.html").stdout.splitlines()]
    assert shown == ["a.eml!1", "sub/b.eml!1", "[d].html", "c.html"]
    assert run("links", "[d].html").stdout.startswith("[d].html:")
    assert "'*.none' does not exist" in run("links", "*.none").stderr


HAR = {"log": {"entries": [{"request": {"url": "https://h.example/a/b.html"}, "response": {"content": {
    "mimeType": "text/html", "text": '<a href="c.html">x</a>'}}}]}}  # fmt: skip
RDF = """<RDF:RDF xmlns:MAF="http://maf.mozdev.org/metadata/rdf#" xmlns:RDF="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<RDF:Description RDF:about="urn:root"><MAF:originalurl RDF:resource="https://h.example/a/b.html"/>
<MAF:indexfilename RDF:resource="index.html"/></RDF:Description></RDF:RDF>"""


def test_a_har_and_a_maff(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/x.har").write_text(json.dumps(HAR))
    with zipfile.ZipFile(tmp_path / "in/x.maff", "w") as archived:
        archived.writestr("1/index.rdf", RDF)
        archived.writestr("1/index.html", '<a href="c.html">x</a>')
    result = run("absolutize", tmp_path / "in", "--output", tmp_path / "out", "--strict")
    assert result.exit_code == 0, result.output
    (entry,) = json.loads((tmp_path / "out/x.har").read_text())["log"]["entries"]
    assert entry["response"]["content"]["text"] == '<a href="https://h.example/a/c.html">x</a>'
    with zipfile.ZipFile(tmp_path / "out/x.maff") as archived:
        assert archived.read("1/index.html") == b'<a href="https://h.example/a/c.html">x</a>'


class TestSignedMail:
    SIGNED = (
        b"DKIM-Signature: v=1; d=h.example; h=from; bh=x; b=y\r\nFrom: a@h.example\r\nMIME-Version: 1.0\r\n"
        b"Content-Type: text/html\r\nContent-Base: https://h.example/\r\n\r\n" + PAGE
    )

    @pytest.fixture(autouse=True)
    def message(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "a.eml").write_bytes(self.SIGNED)

    def test_it_is_skipped_and_reported(self):
        result = run("absolutize", "a.eml", "--strict")
        assert (result.stdout_bytes, result.exit_code) == (self.SIGNED, 1)
        assert "[part-signed]" in result.stderr
        assert "1 link, 0 made absolute, 1 problem" in result.stderr
        assert run("absolutize", "a.eml", "--in-place").exit_code == 0
        assert Path("a.eml").read_bytes() == self.SIGNED

    @pytest.mark.parametrize("setting", ["", "break-signatures = true\n"])
    def test_signatures_may_be_broken_by_an_option_and_a_setting(self, setting):
        Path("linkfix.toml").write_text(setting)
        result = run("absolutize", "a.eml", *([] if setting else ["--break-signatures"]))
        assert result.stdout_bytes == self.SIGNED.replace(b"x.html", b"https://h.example/x.html", 1)
        assert "[signature-broken]" in result.stderr
        result = run("absolutize", "a.eml", "--no-break-signatures")
        assert result.stdout_bytes == self.SIGNED


@pytest.fixture
def bomb(tmp_path, monkeypatch):
    """An archive with a page, a bomb, and a page; the first 10 kB of a part are not checked."""
    monkeypatch.setattr("linkfix.containers.part.UNCHECKED", 10_000)
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "bomb.warc"
    coded = gzip.compress(PAGE + bytes(1 << 20), mtime=0)
    path.write_bytes(record(http(PAGE)) + record(http(coded, "Content-Encoding: gzip")) + record(http(PAGE)))
    return path


@pytest.mark.parametrize("settings", ["", "max-ratio = 2000\n", 'max-total = "1M"\nmax-ratio = 2000\n'])
def test_a_bomb_in_a_run(bomb, settings):
    Path("linkfix.toml").write_text(settings, "utf-8")
    code = {"": "[part-ratio]", "max-ratio = 2000\n": ""}.get(settings, "[total-too-large]")
    links = {"": 2, "max-ratio = 2000\n": 3}.get(settings, 1)
    for arguments in (["absolutize", bomb, "--dry-run"], ["links", bomb], ["base", bomb]):
        result = run(*arguments)
        assert result.exit_code == 0
        assert (code in result.stderr) if code else "bytes" not in result.stderr
    assert run("links", bomb, "--strict").exit_code == bool(code)
    assert len(run("links", bomb).stdout.splitlines()) == links
    out = run("absolutize", bomb).stdout_bytes
    assert out.count(b"http://example.com/docs/x.html") == links
    assert (gzip.compress(PAGE + bytes(1 << 20), mtime=0) in out) == bool(code)


def test_invalid_limits_are_refused(bomb):
    for option in (["--max-ratio", "0"], ["--max-ratio", "x"], ["--max-total", "much"]):
        for command in (["absolutize", "--dry-run"], ["links"], ["base"], ["unpack", "--output", "out"]):
            assert run(*command, bomb, *option).exit_code == 2


def test_the_options_have_the_librarys_defaults():
    for name in ("absolutize", "links", "base", "unpack"):
        stated = {option.name: option for option in cli.get_command(None, name).params}
        assert stated["max_ratio"].default == Limits().ratio == RunSettings().max_ratio
        assert stated["max_total"].type.convert(stated["max_total"].default, None, None) == Limits().total
        assert stated["max_size"].type.convert(stated["max_size"].default, None, None) == Limits().part
    assert Limits().total == RunSettings().max_total
