"""WARC files for the tests, made by hand: no writer's habits in them."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import re
import zipfile

URL = "http://example.com/docs/page.html"
HTML = b'<!DOCTYPE html><title>t</title><p><a href="../x.html">x</a></p>'


def sha1(data):
    """A digest as WARC fields have it."""
    return "sha1:" + base64.b32encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode()


def http(body=HTML, *fields, content_type="text/html; charset=utf-8", status="200 OK"):
    """An HTTP response."""
    lines = [f"HTTP/1.1 {status}", *([f"Content-Type: {content_type}"] if content_type else []), *fields]
    return "\r\n".join([*lines, "", ""]).encode() + body


def record(block, *fields, kind="response", url=URL, content_type="application/http;msgtype=response", length=None):
    """A WARC record; `fields` are further lines of its header."""
    lines = [
        "WARC/1.0",
        f"WARC-Type: {kind}",
        *([f"WARC-Target-URI: {url}"] if url else []),
        "WARC-Date: 2026-11-22T00:00:00Z",
        f"WARC-Record-ID: <urn:uuid:{hashlib.md5(block, usedforsecurity=False).hexdigest()}>",
        f"WARC-Block-Digest: {sha1(block)}",
        *fields,
        f"Content-Type: {content_type}",
        f"Content-Length: {len(block) if length is None else length}",
    ]
    return "\r\n".join([*lines, "", ""]).encode() + block + b"\r\n\r\n"


INFO = record(b"software: none\r\n", kind="warcinfo", url="", content_type="application/warc-fields")
REQUEST = record(
    b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n", kind="request", content_type="application/http;msgtype=request"
)


def zipped(*records):
    """Records, each a gzip member of its own."""
    return b"".join(gzip.compress(one, mtime=0) for one in records)


def marked(part):
    """A change that can be seen."""
    return part.data.replace(b"../x.html", b"http://example.com/x.html")


def sha256(data):
    """A digest as WACZ has it."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def lines(records, *, name="data.warc.gz", pack=zipped):
    """CDXJ lines of the responses, as cdxj-indexer writes them."""
    offset = 0
    for one in records:
        packed = pack(one)
        digest = one.partition(b"Payload-Digest: ")[2].partition(b"\r\n")[0].decode()
        if digest:
            url = re.search(rb"WARC-Target-URI: (.*)\r\n", one)[1].decode()
            fields = {
                "url": url,
                "mime": "warc/revisit" if b"\r\nWARC-Type: revisit\r\n" in one else "text/html",
                "digest": digest,
                "length": str(len(packed)),
                "offset": str(offset),
                "filename": name,
                "recordDigest": sha256(packed),
            }
            host, _, path = url.partition("//")[2].partition("/")
            date = re.sub(rb"\D", b"", re.search(rb"WARC-Date: (.*)\r\n", one)[1]).decode()
            yield f"{','.join(host.split('.')[::-1])})/{path} {date} {json.dumps(fields)}\n".encode()
        offset += len(packed)


def package(members, *, signed=False, deflated=()):
    """A WACZ package with these members."""
    resources = [
        {"name": name.rpartition("/")[2], "path": name, "hash": sha256(data), "bytes": len(data)}
        for name, data in members.items()
    ]
    described = json.dumps({"profile": "data-package", "resources": resources, "wacz_version": "1.1.1"}, indent=2)
    digest = {"path": "datapackage.json", "hash": sha256(described.encode())}
    members = {
        **members,
        "datapackage.json": described.encode(),
        "datapackage-digest.json": json.dumps(digest | ({"signedData": {"signature": "x"}} if signed else {})).encode(),
    }
    return packed(members, deflated)


def packed(members, deflated=()):
    """A zip archive with these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            method = zipfile.ZIP_DEFLATED if name in deflated else zipfile.ZIP_STORED
            archive.writestr(zipfile.ZipInfo(name, (2026, 11, 22, 0, 0, 0)), data, method)
    return out.getvalue()


def members(data):
    """The members of a WACZ package."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {entry.filename: archive.read(entry) for entry in archive.infolist()}


def assert_valid(data):
    """Sizes and hashes hold, and each line of an index leads to its record."""
    content = members(data)
    described = json.loads(content["datapackage.json"])
    for resource in described["resources"]:
        assert resource["hash"] == sha256(content[resource["path"]])
        assert resource["bytes"] == len(content[resource["path"]])
    assert json.loads(content["datapackage-digest.json"])["hash"] == sha256(content["datapackage.json"])
    index = content["indexes/index.cdxj"].splitlines(keepends=True)
    for line in index:
        fields = json.loads(line[line.index(b"{") :])
        start = int(fields["offset"])
        stored = content["archive/" + fields["filename"]][start : start + int(fields["length"])]
        text = gzip.decompress(stored) if stored[:2] == b"\x1f\x8b" else stored
        assert text.startswith(b"WARC/1.0\r\n")
        assert text.endswith(b"\r\n\r\n")
        assert f"WARC-Payload-Digest: {fields['digest']}\r\n".encode() in text
        assert fields["recordDigest"] == sha256(stored)
    return content, index
