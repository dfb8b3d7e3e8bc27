"""WARC files for the tests, made by hand: no writer's habits in them."""

from __future__ import annotations

import base64
import gzip
import hashlib

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
