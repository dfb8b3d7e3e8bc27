"""Folders that linkfix changes in place in tests of journals, and their contents before and after."""

from __future__ import annotations

import gzip
import json
import os

from support.web_archives import INFO, http, record
from support.zip_samples import pages

from linkfix.files import atomic
from linkfix.files.window import Window
from linkfix.runs.delta import changed_spans, pack_spans
from linkfix.runs.journal import digest, encode_line, encode_spans

__all__ = ["PAGE", "URL", "contents", "journals", "make_site", "snapshot", "stored"]

URL = "https://example.com/s/"
#: When the files of `make_site` were modified, in nanoseconds.
MODIFIED = 1_600_000_000_123_456_789

PAGE = b'<!doctype html><title>t</title>\n<a href="x.html">x</a> <img src=../i.png srcset="a.png 1x, b.png 2x">\n'
RDF = """<?xml version="1.0"?>
<RDF:RDF xmlns:MAF="http://maf.mozdev.org/metadata/rdf#" xmlns:RDF="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<RDF:Description RDF:about="urn:root"><MAF:originalurl RDF:resource="http://example.org/a/"/>
<MAF:indexfilename RDF:resource="index.html"/></RDF:Description></RDF:RDF>
"""


def make_site(root, number=3):
    """Make a folder of pages, in several encodings and formats."""
    (root / "docs").mkdir(parents=True)
    for page in range(number):
        (root / "docs" / f"{page:03}.html").write_bytes(PAGE * (page % 7 + 1))
    (root / "index.html").write_bytes(PAGE)
    (root / "wide.html").write_bytes(PAGE.decode().encode("utf-16"))
    (root / "plain.html").write_bytes(b"<p>no links\n")
    (root / "logo.png").write_bytes(b"\x89PNG")
    (root / os.fsdecode(b"caf\xe9.html")).write_bytes(PAGE)
    (root / "a.warc.gz").write_bytes(b"".join(gzip.compress(one, mtime=0) for one in (INFO, record(http(PAGE * 9)))))
    (root / "saved.maff").write_bytes(pages(**{"1/index.rdf": RDF, "1/index.html": PAGE.decode() * 20}))
    entry = {
        "request": {"method": "GET", "url": URL},
        "response": {"status": 200, "content": {"mimeType": "text/html", "text": PAGE.decode()}},
    }
    (root / "b.har").write_text(json.dumps({"log": {"version": "1.2", "entries": [entry]}}))
    for path in root.rglob("*"):
        os.utime(path, ns=(MODIFIED, MODIFIED))


def snapshot(root):
    """Name -> content and modification time of the files of a folder, without temporary files."""
    return {
        os.fsencode(path.relative_to(root)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(root.rglob("*"))
        if path.is_file() and not atomic.is_temporary(path.name)
    }


def contents(files):
    """Name -> content of a snapshot."""
    return {name: data for name, (data, _) in files.items()}


def journals(folder):
    """The journals in a folder."""
    return sorted(folder.glob("*.linkfix-*.journal"))


def stored(folder, before, after, **fields):
    """A journal made by hand, about the file `a.html` of a folder. `fields`: of its header or its record."""
    content = Window(before), Window(after)
    (packed,) = pack_spans(changed_spans(*content), 1 << 19)
    header = {
        "linkfix-journal": 1,
        "linkfix": "0.1.0",
        "command": "absolutize",
        "started": "2026-11-22T15:00:00Z",
        "roots": [str(folder)],
        "parameters": {"paths": [str(folder)]},
    }
    change = {
        "file": "a.html",
        "root": 0,
        "old": {"size": len(before), "blake2b": digest(content[0]), "mtime_ns": 0},
        "new": {"size": len(after), "blake2b": digest(content[1])},
        "spans": encode_spans(packed),
    }
    for name, value in fields.items():
        (header if name in header or name == "linkfix-journal" else change)[name] = value
    path = folder.parent / "a.journal"
    path.write_bytes(encode_line(header) + b"\n" + encode_line(change))
    return path
