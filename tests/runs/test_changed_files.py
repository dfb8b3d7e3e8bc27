"""A file that became something else after it was listed: a run neither crashes nor loses its content."""

from __future__ import annotations

import gzip
import json
import os
import plistlib
from pathlib import Path

import pytest
from support.systems import needs_pipes
from support.zip_samples import Sample, archive, pages

from linkfix.containers import CONTAINERS
from linkfix.files import EntryKind
from linkfix.runs import Converter, InputPath, RunSettings
from linkfix.runs.plan import plan

PAGE = b'<!DOCTYPE html><title>t</title><a href="x.html">x</a>'
WARC = b"WARC/1.1\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n"

#: Format -> a file's name and content.
FILES = {
    "epub": ("a.epub", archive([Sample("mimetype", b"application/epub+zip", 0), Sample("a.html", PAGE)])),
    "wacz": ("a.wacz", archive([Sample("archive/data.warc", WARC), Sample("datapackage.json", b"{}")])),
    "maff": ("a.maff", pages(**{"1/index.rdf": "", "1/index.html": PAGE.decode()})),
    "htz": ("a.htz", pages(**{"index.html": PAGE.decode()})),
    "har-zip": ("a.har.zip", archive([Sample("har.har", b'{"log": {"entries": []}}')])),
    "arc": ("a.arc", b"http://example.com/ 192.0.2.1 20030101000000 text/html %d\n%s\n" % (len(PAGE), PAGE)),
    "warc": ("a.warc.gz", gzip.compress(WARC)),
    "har": ("a.har", json.dumps({"log": {"entries": []}}).encode()),
    "webarchive": (
        "a.webarchive",
        plistlib.dumps({"WebMainResource": {"WebResourceData": PAGE, "WebResourceURL": "https://example.com/d/"}}),
    ),
    "self-extracting": (
        "a.zip.html",
        archive([Sample("index.html", PAGE)], prefix=b"<html data-sfz><!--") + b"--></html>",
    ),
    "http": ("a.http", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE),
    "mime": ("a.mht", b"MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n" + PAGE),
    "document": ("a.html", PAGE),
}
#: Old format, new content that has documents in the old format too: archives of pages, HTML in any text, and a header
#: with a Content-Type.
READABLE = {
    ("htz", "maff"),
    ("maff", "htz"),
    ("document", "mime"),
    ("document", "arc"),
    ("document", "http"),
    ("mime", "http"),
}
#: New contents of a file: another format's, and others that are none.
CONTENTS = {format_: data for format_, (_, data) in FILES.items()} | {
    "nothing": b"",
    "junk": bytes(range(256)) * 40,
    "cut off": archive([Sample("index.html", PAGE * 50)])[:-30],
}


def job_of(path, **settings):
    chosen = RunSettings(default_base="https://example.com/d/", **settings)
    (job,) = plan([InputPath.of(str(path))], chosen)
    return Converter(chosen), job


def test_every_format_is_here():
    assert set(FILES) == {*CONTAINERS, "document"}


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_listed_with_its_kind(tmp_path, name):
    path = tmp_path / FILES[name][0]
    path.write_bytes(FILES[name][1])
    _, job = job_of(path, in_place=True)
    assert (job.entry.kind is EntryKind.DOCUMENT, job.entry.format) == (
        name == "document",
        name.replace("document", ""),
    )


@pytest.mark.parametrize("other", CONTENTS)
@pytest.mark.parametrize("name", FILES)
def test_other_content(tmp_path, name, other):
    """The new content is read in the old format. Without documents in that format, it comes out byte for byte."""
    path, out = tmp_path / FILES[name][0], tmp_path / "out"
    path.write_bytes(FILES[name][1])
    in_place, output = job_of(path, in_place=True), job_of(path, output=str(out))
    path.write_bytes(CONTENTS[other])
    for converter, job in (output, in_place):
        outcome = converter(job)
        assert outcome.action in {"same", "converted", "copied"}, outcome.message
        written = Path(job.target).read_bytes()
        assert (written != CONTENTS[other]) == (outcome.action == "converted")
        assert written == CONTENTS[other] or other == name or (name, other) in READABLE
    assert [entry.name for entry in os.scandir(tmp_path) if entry.name not in {path.name, "out"}] == []


@pytest.mark.parametrize("settings", [{"in_place": True}, {"dry_run": True}, {"output": "out"}])
@pytest.mark.parametrize("became", ["missing", "folder", pytest.param("pipe", marks=needs_pipes), "link"])
@pytest.mark.parametrize("name", FILES)
def test_no_regular_file_any_more(tmp_path, name, became, settings):
    path = tmp_path / FILES[name][0]
    path.write_bytes(FILES[name][1])
    settings = {key: str(tmp_path / "out") if key == "output" else value for key, value in settings.items()}
    converter, job = job_of(path, **settings)
    path.unlink()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"untouched")
    if became == "folder":
        path.mkdir()
    elif became == "pipe":
        os.mkfifo(path)
    elif became == "link":
        path.symlink_to(elsewhere)
    outcome = converter(job)
    assert outcome.action == "failed"
    assert outcome.message
    assert not outcome.message.startswith("internal error")
    assert elsewhere.read_bytes() == b"untouched"
    assert path.is_symlink() == (became == "link")
    out = tmp_path / "out"
    assert not out.exists() or list(out.iterdir()) == []
