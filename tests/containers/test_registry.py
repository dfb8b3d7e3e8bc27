from __future__ import annotations

import json
import plistlib

import pytest
from support.zip_samples import Sample, archive, pages

from linkfix import containers
from linkfix.containers import CONTAINERS, Container, container, recognise
from linkfix.containers.formats import explain_unread
from linkfix.files import HEAD_SIZE

SAMPLES = {
    "epub": (archive([Sample("mimetype", b"application/epub+zip", 0)]), "book.epub"),
    "maff": (pages(**{"1/index.rdf": ""}), "page.maff"),
    "htz": (pages(**{"index.html": ""}), "page.htz"),
    "har": (json.dumps({"log": {"entries": []}}).encode(), "session.har"),
    "har-zip": (pages(**{"har.har": "{}"}), "session.har.zip"),
    "webarchive": (plistlib.dumps({"WebMainResource": {}}), "page.webarchive"),
    "self-extracting": (b"<!DOCTYPE html> <html data-sfz><!--", "page.u.zip.html"),
    "http": (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", "page.html"),
    "mime": (b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x\r\n\r\n--x\r\n", "page.mhtml"),
    "arc": (b"filedesc://a.arc 0.0.0.0 20080430204825 text/plain 77\n1 1 InternetArchive\n", "crawl.arc"),
    "warc": (b"WARC/1.1\r\nWARC-Type: warcinfo\r\n", "crawl.warc"),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_every_row_is_a_container(name):
    module: Container = container(name)
    suffixes = CONTAINERS[name].suffixes
    assert suffixes
    assert all(suffix == suffix.lower() and suffix.startswith(".") for suffix in suffixes)
    assert all(callable(getattr(module, function)) for function in ("parts", "rewrite"))


@pytest.mark.parametrize("name", SAMPLES)
def test_each_format_recognises_only_its_own_files(name):
    head, file = SAMPLES[name]
    assert recognise(head, file) == name


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"<!DOCTYPE html><title>x</title>", "page.html"),
        (b"<!DOCTYPE html><title>x</title>", "page.maff"),
        (b"", "page.html"),
        (pages(a="1"), "library.jar"),
        (b'{"a": 1}', "data.json"),
        (b"\x89PNG\r\n", "a.png"),
    ],
)
def test_other_files_are_no_container(head, name):
    assert recognise(head, name) == ""


@pytest.mark.parametrize(
    ("head", "is_message"),
    [
        (b"http://h/\nContent-Type: text/html\n\n", False),
        (b"https://h/ x\r\nMIME-Version: 1.0\r\n\r\n", False),
        (b"From x\nhttp://h/\nContent-Type: text/html\n\n", False),
        (b"Content-Location: //h/a\nContent-Type: text/html\n\n", True),
        (b"X-Url:http://h/\nContent-Type: text/html\n\n", True),
        (b"Subject: http://h/ 1.2.3.4 20101217223959 text/html\nContent-Type: text/html\n\n", True),
    ],
)
def test_a_line_that_begins_with_a_url_is_no_field_of_a_message(head, is_message):
    for name in ("a.eml", "a.mht", "a", ""):
        assert recognise(head, name) == ("mime" if is_message else "")


@pytest.mark.parametrize("name", ["epub", "maff", "htz", "har-zip"])
def test_other_bytes_may_precede_a_zip_archive_in_a_file_with_its_suffix(name):
    head, file = SAMPLES[name]
    for before in (b"\xef\xbb\xbf", b"MZ" + bytes(1000)):
        assert recognise(before + head, file) == name
    stub = b"MZ" + bytes(HEAD_SIZE)
    assert recognise(stub, file) == ""
    assert "remove the bytes before the archive" in explain_unread(stub, file)


def test_an_epub_after_a_byte_order_mark_needs_no_name():
    assert recognise(b"\xef\xbb\xbf" + SAMPLES["epub"][0], "") == "epub"
    assert recognise(b"MZ" + SAMPLES["epub"][0], "") == ""


def test_an_unknown_name():
    with pytest.raises(KeyError):
        container("tar")
    assert "container" in containers.__all__
