"""A run's count of changes equals the changes written, in every container."""

from __future__ import annotations

import base64
import io
import json
import plistlib
import re

import pytest
from support.web_archives import URL, http, record, zipped
from support.zip_samples import Sample, archive

from linkfix import Envelope
from linkfix.containers import CONTAINERS, container, recognise
from linkfix.containers import zipped as zip_format
from linkfix.runs import Converter, RunSettings

PAGE = b'<a href="a.html">a</a><img src="b.png">'
SAVED = b"<!-- saved from url=(0023)https://example.com/s/p -->\n" + PAGE


def message(*parts):
    """A message with HTML parts, each given as its transfer encoding and its encoded body."""
    written = b"".join(
        b"--=\r\nContent-Type: text/html\r\nContent-Base: http://h/\r\nContent-Transfer-Encoding: %s\r\n\r\n%s\r\n"
        % part
        for part in parts
    )
    return b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary==\r\n\r\n" + written + b"--=--\r\n"


PLAIN = (b"8bit", PAGE)
DAMAGED = (b"base64", base64.b64encode(PAGE) + b"A")


def converted(data, name=""):
    """The outcome and the bytes of a container's conversion."""
    out = io.BytesIO()
    chosen = container(recognise(data[:4096], name))
    outcome = Converter(RunSettings()).convert_container(chosen, io.BytesIO(data), out, Envelope(), "file")
    return outcome, out.getvalue()


@pytest.mark.parametrize(
    ("parts", "rewritten", "action"),
    [
        ([PLAIN, PLAIN], 4, "converted"),
        ([PLAIN, DAMAGED], 2, "converted"),
        ([DAMAGED, PLAIN], 2, "converted"),
        ([DAMAGED], 0, "same"),
        ([DAMAGED, DAMAGED], 0, "same"),
    ],
)
def test_a_part_that_cannot_be_written_is_not_counted(parts, rewritten, action):
    data = message(*parts)
    outcome, made = converted(data)
    assert (outcome.links, outcome.rewritten, outcome.action) == (2 * len(parts), rewritten, action)
    assert made.count(b"http://h/a.html") == rewritten // 2
    assert (made == data) == (action == "same")


@pytest.mark.parametrize(("room", "rewritten"), [(1 << 20, 4), (60, 2), (1, 0)])
def test_a_member_that_does_not_fit_is_not_counted(monkeypatch, room, rewritten):
    data = archive([Sample("p/index.html", SAVED, 0), Sample("p/more.html", SAVED, 0)])
    monkeypatch.setattr(zip_format.Archive, "_room", lambda _: room)
    outcome, made = converted(data, "page.htz")
    assert (outcome.links, outcome.rewritten) == (4, rewritten)
    assert outcome.action == ("converted" if rewritten else "same")
    assert made.count(b"https://example.com/s/a.html") == rewritten // 2


def test_a_package_that_cannot_be_copied_counts_nothing():
    response = zipped(record(http(PAGE), url=URL), record(http(PAGE), url=URL))
    data = archive([Sample("archive/data.warc.gz", response, 0), Sample("pages/pages.jsonl", b"{}\n" * 9, 0)])
    outcome, _ = converted(data, "site.wacz")
    assert (outcome.links, outcome.rewritten, outcome.action) == (4, 4, "converted")
    damaged = data.replace(b"{}\n{}\n{}\n", b"{}\n{}\n{ \n", 1)
    outcome, made = converted(damaged, "site.wacz")
    assert (outcome.links, outcome.rewritten, outcome.action, made) == (4, 0, "same", damaged)
    assert [problem.code for problem in outcome.problems] == ["container-damaged"]


def test_every_container_counts_written_links():
    entry = {
        "request": {"url": "http://h/"},
        "response": {"content": {"mimeType": "text/html", "text": PAGE.decode(), "size": 1}},
    }
    namespace = b'xmlns="http://www.w3.org/1999/xhtml"'
    package = '<package><manifest><item href="a.xhtml" media-type="application/xhtml+xml"/></manifest></package>'
    book = [
        Sample("mimetype", b"application/epub+zip", 0),
        Sample("META-INF/container.xml", b'<container><rootfile full-path="p.opf"/></container>', 0),
        Sample("p.opf", package.encode(), 0),
        Sample("a.xhtml", b'<html %s><base href="http://h/"/><a href="a.html"/></html>' % namespace, 0),
    ]
    rdf = (
        b'<RDF:RDF xmlns:MAF="http://maf.mozdev.org/metadata/rdf#" xmlns:RDF="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        b'<RDF:Description RDF:about="urn:root"><MAF:originalurl RDF:resource="http://h/"/>'
        b'<MAF:indexfilename RDF:resource="index.html"/></RDF:Description></RDF:RDF>'
    )
    samples = {
        "mime": (message(PLAIN), "x.mht"),
        "har": (json.dumps({"log": {"entries": [entry]}}).encode(), "x.har"),
        "har-zip": (
            archive([Sample("har.har", json.dumps({"log": {"entries": [entry]}}).encode(), 0)]),
            "x.har.zip",
        ),
        "webarchive": (
            plistlib.dumps(
                {"WebMainResource": {"WebResourceData": PAGE, "WebResourceURL": "http://h/"}}, fmt=plistlib.FMT_BINARY
            ),
            "x.webarchive",
        ),
        "arc": (b"http://h/ 192.0.2.1 20030101000000 text/html %d\n%s\n" % (len(http(PAGE)), http(PAGE)), "x.arc"),
        "http": (http(PAGE.replace(b"<a", b"<base href='http://h/'><a", 1)), "x.html"),
        "warc": (record(http(PAGE), url="http://h/"), "x.warc"),
        "wacz": (archive([Sample("archive/data.warc", record(http(PAGE), url="http://h/"), 0)]), "x.wacz"),
        "htz": (archive([Sample("index.html", SAVED, 0)]), "x.htz"),
        "maff": (archive([Sample("1/index.rdf", rdf, 0), Sample("1/index.html", PAGE, 0)]), "x.maff"),
        "epub": (archive(book), "x.epub"),
    }
    never_written = {"self-extracting"}
    assert samples.keys() == CONTAINERS.keys() - never_written
    for name, (data, file) in samples.items():
        assert recognise(data[:4096], file) == name
        outcome, made = converted(data, file)
        absolute = len(re.findall(rb"://[\w./]+/(?:a\.html|b\.png)", made))
        assert (outcome.rewritten, outcome.action) == (absolute, "converted"), name
