"""HARs whose bodies are in other files: in the folder of the HAR, or in its zip archive."""

from __future__ import annotations

import base64
import io
import json
import os
import zipfile
from collections import Counter
from urllib.parse import urljoin

import pytest
from support.running import run
from support.running_containers import codes, nothing, read, rewritten
from support.zip_samples import Sample, archive

from linkfix import Document
from linkfix.containers import Limits, container, recognise

har = container("har")
har_zip = container("har-zip")

PAGE = b'<a href="b.html">\xe9</a>'
NEW = b'<a href="https://example.com/dir/b.html">\xe9</a>'
SHARED = b"<a href=x>y</a>"


def entry(url="https://example.com/dir/a.html", **content):
    return {
        "request": {"method": "GET", "url": url},
        "response": {
            "status": 200,
            "headers": [{"name": "ETag", "value": '"1"'}],
            "content": {"size": 24, "mimeType": "text/html; charset=windows-1252", **content},
            "bodySize": 24,
        },
    }


def har_of(*entries):
    return json.dumps({"log": {"version": "1.2", "entries": entries}}).encode()


def zipped(*entries, files, name="har.har"):
    return archive([Sample(name, har_of(*entries)), *(Sample(*file) for file in files.items())])


def absolute(part):
    return Document(part.data, envelope=part.envelope).convert().data if part.media_type == "text/html" else None


def contents(data):
    return [one["response"]["content"] for one in json.loads(data)["log"]["entries"]]


def members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        assert opened.testzip() is None
        return {name: opened.read(name) for name in opened.namelist()}


ENTRIES = (
    entry(_file="a.html"),
    entry("https://example.com/s.css", _file="s.css", mimeType="text/css"),
    entry("https://example.com/i.png", _file="i.png", mimeType="image/png"),
    entry(text="<a href=c.html>", mimeType="text/html"),
)
FILES = {"a.html": PAGE, "s.css": b"a{}", "i.png": b"image"}


class TestZip:
    def test_a_body_is_read_from_its_file(self):
        parts, problems = read(har_zip, zipped(*ENTRIES, files=FILES))
        assert [(part.name, part.data, part.media_type, part.envelope.charset) for part in parts] == [
            ("log.entries[0]", PAGE, "text/html", "windows-1252"),
            ("log.entries[1]", b"a{}", "text/css", None),
            ("log.entries[2]", b"image", "image/png", None),
            ("log.entries[3]", b"<a href=c.html>", "text/html", "utf-8"),
        ]
        assert parts[0].envelope.url == "https://example.com/dir/a.html"
        assert problems == []

    def test_without_a_change_the_bytes_are_the_same(self):
        data = zipped(*ENTRIES, files=FILES)
        assert rewritten(har_zip, data, nothing) == (data, [])

    def test_a_changed_body_replaces_its_file(self):
        made, problems = rewritten(har_zip, zipped(*ENTRIES, files=FILES), absolute)
        found = members(made)
        assert found["a.html"] == NEW
        assert (found["s.css"], found["i.png"]) == (b"a{}", b"image")
        assert list(found) == ["har.har", "a.html", "s.css", "i.png"]
        page, *_, embedded = contents(found["har.har"])
        grown = len(NEW) - len(PAGE)
        assert page == {"size": 24 + grown, "mimeType": "text/html; charset=windows-1252", "_file": "a.html"}
        assert embedded["text"] == "<a href=https://example.com/dir/c.html>"
        [response, *_] = (one["response"] for one in json.loads(found["har.har"])["log"]["entries"])
        assert (response["headers"], response["bodySize"]) == ([], 24 + grown)
        assert problems == []
        assert rewritten(har_zip, made, absolute) == (made, [])

    def test_a_file_that_two_entries_name_stays_and_each_gets_its_own_body(self):
        urls = ("https://example.com/1/", "https://example.com/2/")
        entries = [entry(url, _file="s.html", encoding="", text=None, compression=3) for url in urls]
        made, problems = rewritten(har_zip, zipped(*entries, files={"s.html": SHARED}), absolute)
        found = members(made)
        assert found["s.html"] == SHARED
        for url, content in zip(urls, contents(found["har.har"]), strict=True):
            body = f"<a href={urljoin(url, 'x')}>y</a>".encode()
            assert content == {
                "size": len(body) + 24 - len(SHARED),
                "mimeType": "text/html; charset=windows-1252",
                "encoding": "base64",
                "text": base64.b64encode(body).decode(),
            }
        assert problems == []
        parts, _ = read(har_zip, made)
        assert [part.data for part in parts] == [f"<a href={url}x>y</a>".encode() for url in urls]
        assert [part.envelope.charset for part in parts] == ["windows-1252"] * 2

    @pytest.mark.parametrize("name", ["../a.html", "..", "b/a.html", "b\\a.html", "C:a.html", "none.html", "a\0"])
    def test_only_files_of_the_archive_are_read(self, name):
        data = zipped(entry(_file=name), files={"a.html": PAGE, "b/a.html": PAGE})
        parts, problems = read(har_zip, data)
        assert (parts, codes(problems)) == ([], ["part-missing"])
        assert repr(name) in problems[0].message
        assert codes(rewritten(har_zip, data, absolute)[1]) == ["part-missing"]

    def test_a_damaged_file_is_a_problem_and_stays(self):
        data = bytearray(zipped(entry(_file="a.html"), files={"a.html": b"1" * 99}))
        data[data.index(b"a.html", data.index(b"PK\3\4", 9)) + 6] ^= 0xFF
        parts, problems = read(har_zip, bytes(data))
        assert (parts, codes(problems)) == ([], ["part-damaged"])
        made, problems = rewritten(har_zip, bytes(data), absolute)
        assert (made, codes(problems)) == (bytes(data), ["part-damaged"])

    def test_limits(self):
        data = zipped(entry(_file="a.html"), entry(_file="s.css"), files=FILES)
        size = len(har_of(entry(_file="a.html"), entry(_file="s.css")))
        assert codes(read(har_zip, data, limits=Limits(part=20))[1]) == ["part-too-large"]
        assert codes(read(har_zip, data, limits=Limits(total=size + 5))[1]) == ["total-too-large"]
        assert codes(read(har_zip, data, limits=Limits(parts=4))[1]) == []
        assert codes(read(har_zip, data, limits=Limits(parts=3))[1]) == ["too-many-parts"]

    def test_another_name_of_the_har(self):
        data = zipped(*ENTRIES, files=FILES, name="recorded.har")
        assert Counter(part.media_type for part in read(har_zip, data)[0])["text/html"] == 2

    @pytest.mark.parametrize("name", ["b/har.har", "x.txt"])
    def test_an_archive_without_a_har(self, name):
        data = zipped(*ENTRIES, files=FILES, name=name)
        assert codes(read(har_zip, data)[1]) == ["container-damaged"]
        made, problems = rewritten(har_zip, data, absolute)
        assert (made, codes(problems)) == (data, ["container-damaged"])

    def test_a_har_that_is_not_json_is_a_problem_at_its_member(self):
        data = archive([Sample("a.html", PAGE), Sample("har.har", b"{")])
        (problem,) = read(har_zip, data)[1]
        assert problem.code == "container-damaged"
        assert data[problem.start :].startswith(b"PK\3\4")
        assert problem.start > 0

    def test_recognised(self):
        data = zipped(*ENTRIES, files=FILES)
        assert recognise(data, "x.har.zip") == recognise(data, "X.ZIP") == "har-zip"
        by_hash = archive([Sample(f"{'0a' * 20}.html", PAGE), Sample("har.har", b"{}")])
        assert recognise(by_hash, "x.zip") == "har-zip"
        assert recognise(archive([Sample("a.html", PAGE)]), "x.zip") == ""
        assert recognise(archive([Sample("har.harness", PAGE)]), "x.zip") == ""
        assert recognise(b"", "x.har.zip") == ""


class TestFolder:
    @pytest.fixture
    def folder(self, tmp_path):
        for name, data in FILES.items():
            (tmp_path / name).write_bytes(data)
        (tmp_path / "x.har").write_bytes(har_of(*ENTRIES))
        return tmp_path

    def test_links_are_listed(self, folder):
        made = run("links", folder / "x.har")
        assert "x.har!log.entries[0]:1:10 a[href] b.html -> https://example.com/dir/b.html" in made.stdout
        assert (made.stderr, made.exit_code) == ("", 0)

    def test_unpack_writes_the_bodies(self, folder, tmp_path):
        assert run("unpack", "--raw", folder / "x.har", "-o", tmp_path / "out").exit_code == 0
        assert (tmp_path / "out/example.com/dir/a.html").read_bytes() == PAGE
        assert (tmp_path / "out/example.com/i.png").read_bytes() == b"image"

    @pytest.mark.parametrize("how", ["-o", "--in-place"])
    def test_a_changed_body_is_written_into_the_har(self, folder, how):
        target = folder / "new.har" if how == "-o" else folder / "x.har"
        options = ["-o", target] if how == "-o" else ["--in-place", "--no-journal"]
        assert run("absolutize", folder / "x.har", *options).exit_code == 0
        page, sheet, image, _ = contents(target.read_bytes())
        assert base64.b64decode(page["text"]) == NEW
        assert (page["encoding"], page["size"], "_file" in page) == ("base64", 24 + len(NEW) - len(PAGE), False)
        assert (sheet["_file"], image["_file"]) == ("s.css", "i.png")
        assert (folder / "a.html").read_bytes() == PAGE
        before = target.read_bytes()
        assert run("absolutize", target, "--in-place", "--no-journal").exit_code == 0
        assert target.read_bytes() == before

    @pytest.mark.parametrize("name", ["../secret.html", "/etc/hostname", "sub/a.html", "link.html", "pipe", "sub", "."])
    def test_nothing_else_is_read(self, folder, tmp_path_factory, name):
        secret = tmp_path_factory.mktemp("other") / "secret.html"
        secret.write_bytes(b"<a href=secret>")
        (folder / "sub").mkdir()
        (folder / "sub/a.html").write_bytes(b"<a href=secret>")
        if hasattr(os, "mkfifo"):
            (folder / "link.html").symlink_to(secret)
            os.mkfifo(folder / "pipe")
        (folder / "x.har").write_bytes(har_of(entry(_file=name)))
        made = run("links", folder / "x.har")
        assert made.stdout == ""
        assert f"it is in the file {name!r}" in made.stderr

    def test_standard_input_has_no_files_beside_it(self):
        made = run("links", "-", stdin=har_of(entry(_file="a.html")))
        assert "give that file and --url" in made.stderr

    def test_one_file_that_many_entries_name_counts_once_for_the_ratio(self, folder):
        (folder / "a.html").write_bytes(bytes(1 << 24))
        (folder / "x.har").write_bytes(har_of(*[entry(_file="a.html")] * 9))
        made = run("links", folder / "x.har", "--max-ratio", "2")
        assert "part-ratio" not in made.stderr
        assert "more than 2 (--max-ratio) times as many" in made.stderr
