"""Containers at random: messages, WARC files, archives and HAR files with documents in them, some of them damaged."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import plistlib
import quopri
import zipfile
from collections.abc import Callable
from random import Random

from fuzz import seeds
from fuzz.mutate import mutate_lines
from fuzz.pieces import BASES, document, sheet

__all__ = ["FORMATS", "container"]

_TYPES = ("text/html", "text/html; charset=utf-8", "text/css", "image/svg+xml", "application/xhtml+xml", "image/png")


def _body(random: Random, type_: str) -> bytes:
    text = sheet(random) if "css" in type_ else document(random)
    return text.encode("utf-8", "replace")


def _url(random: Random) -> str:
    return random.choice((*BASES[:6], "page.html", "../x/", "cid:a@b", "", "http://[", "é.html"))


def _entity(random: Random, depth: int) -> bytes:
    """A MIME entity, with other ones in it."""
    end = random.choice((b"\r\n", b"\r\n", b"\n"))
    names = [name for name in ("Content-Location", "Content-Base", "Base") if random.random() < 0.4]
    headers = [f"{name}: {_url(random)}" for name in names]
    if depth < 3 and random.random() < (0.9 if depth == 0 else 0.2):
        boundary = random.choice(("b", "=_b", "b b", "----x"))
        kind = random.choice(("related", "mixed", "alternative", "digest"))
        headers.append(f'Content-Type: multipart/{kind}; boundary="{boundary}"')
        mark = b"--" + boundary.encode()
        parts = [mark + end + _entity(random, depth + 1) + end for _ in range(random.randrange(1, 4))]
        body = b"preamble" + end + b"".join(parts) + mark + random.choice((b"--", b"--", b"")) + end
    elif random.random() < 0.1:
        headers.append("Content-Type: message/rfc822")
        body = _entity(random, depth + 1)
    else:
        type_ = random.choice(_TYPES)
        coding = random.choice(("base64", "quoted-printable", "7bit", "8bit", "binary", "x-unknown", ""))
        headers.append(f"Content-Type: {type_}")
        headers += [f"Content-Transfer-Encoding: {coding}"] if coding else []
        body = _body(random, type_).replace(b"\n", end)
        if coding == "base64":
            body = base64.encodebytes(body).replace(b"\n", end)
        elif coding == "quoted-printable":
            body = quopri.encodestring(body).replace(b"\n", end)
    random.shuffle(headers)
    return end.join(header.encode() for header in headers) + end + end + body


def _mime(random: Random) -> bytes:
    head = random.choice(
        (b"From: <Saved by Blink>\r\nSubject: x\r\nMIME-Version: 1.0\r\n", b"MIME-Version: 1.0\r\n", b"")
    )
    return head + _entity(random, 0)


def _warc_record(random: Random) -> bytes:
    type_ = random.choice(_TYPES)
    body = _body(random, type_)
    fields = [f"Content-Type: {type_}"]
    if random.random() < 0.3:
        body = gzip.compress(body, mtime=0)
        fields.append("Content-Encoding: gzip")
    elif random.random() < 0.2:
        body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
        fields.append("Transfer-Encoding: chunked")
    if random.random() < 0.5:
        fields.append(f"Content-Length: {len(body)}")
    kind = random.choice(("response", "response", "resource", "conversion", "revisit", "request", "warcinfo"))
    block = body if kind == "resource" else "\r\n".join(["HTTP/1.1 200 OK", *fields, "", ""]).encode() + body
    digest = base64.b32encode(hashlib.sha1(block, usedforsecurity=False).digest()).decode()
    lines = [
        random.choice(("WARC/1.0", "WARC/1.1")),
        f"WARC-Type: {kind}",
        f"WARC-Target-URI: {_url(random)}",
        f"WARC-Block-Digest: {random.choice(('sha1:' + digest, 'md5:x', 'x'))}",
        f"Content-Type: {type_ if kind == 'resource' else 'application/http; msgtype=response'}",
        f"Content-Length: {len(block) + random.choice((0, 0, 0, 0, 1, -1))}",
    ]
    return "\r\n".join([*lines, "", ""]).encode() + block + b"\r\n\r\n"


def _warc(random: Random) -> bytes:
    records = [_warc_record(random) for _ in range(random.randrange(1, 4))]
    how = random.randrange(4)
    if how == 0:
        return b"".join(gzip.compress(mutate_lines(random, record), mtime=0) for record in records)
    if how == 1:
        return gzip.compress(b"".join(records), mtime=0)
    return b"".join(records)


def _har(random: Random) -> bytes:
    entries = []
    for _ in range(random.randrange(1, 4)):
        type_ = random.choice(_TYPES)
        body = _body(random, type_)
        content: dict[str, object] = {"mimeType": type_, "size": len(body)}
        if random.random() < 0.3:
            content |= {"encoding": "base64", "text": base64.b64encode(body).decode()}
        else:
            content["text"] = body.decode()
        entries.append({"request": {"url": _url(random)}, "response": {"status": 200, "content": content}})
    made = json.dumps({"log": {"version": "1.2", "entries": entries}}, indent=random.choice((None, 1)))
    return random.choice(("", "\ufeff", " ")).encode() + made.encode()


def _zip(random: Random, members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, (2026, 11, 22, 1, 2, 4))
            info.compress_type = random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2))
            archive.writestr(info, data)
    return _among_archives(random, out.getvalue())


def _among_archives(random: Random, data: bytes) -> bytes:
    """An archive, now and then with another copy of it, or other bytes, where programs may look for the directory."""
    end = data.rindex(b"PK\5\6")
    length = len(data).to_bytes(2, "little")
    forms = (
        data + data,
        data[:end] + data,
        data[: random.randrange(len(data))] + data,
        data[:-2] + length + data,
        data + data[end:],
        data[:-2] + b"\x16\0" + data[end:],
        random.choice((b"\xef\xbb\xbf", b"MZ" + bytes(99))) + data,
        data + random.choice((b"x", b"PK\5\6", bytes(30))),
        data[:end] + b"PK\5\5\4\0abcd" + data[end:],
    )
    return random.choice(forms) if random.random() < 0.3 else data


def _maff(random: Random) -> bytes:
    rdf = (
        '<RDF:RDF xmlns:MAF="http://maf.mozdev.org/metadata/rdf#"'
        ' xmlns:RDF="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><RDF:Description RDF:about="urn:root">'
        f'<MAF:originalurl RDF:resource="{_url(random)}"/><MAF:indexfilename RDF:resource="index.html"/>'
        "</RDF:Description></RDF:RDF>"
    )
    page = _body(random, "text/html")
    return _zip(random, {"a/index.html": page, "a/index.rdf": mutate_lines(random, rdf.encode()), "a/x.css": b"a{}"})


def _epub(random: Random) -> bytes:
    container_xml = b'<container><rootfiles><rootfile full-path="o/c.opf"/></rootfiles></container>'
    opf = (
        b'<package xmlns="http://www.idpf.org/2007/opf"><manifest>'
        b'<item href="a.xhtml" media-type="application/xhtml+xml"/><item href="s.css" media-type="text/css"/>'
        b"</manifest></package>"
    )
    members = {
        "mimetype": b"application/epub+zip",
        "META-INF/container.xml": mutate_lines(random, container_xml),
        "o/c.opf": mutate_lines(random, opf),
        "o/a.xhtml": _body(random, "text/html"),
        "o/s.css": _body(random, "text/css"),
    }
    return _zip(random, members)


def _htz(random: Random) -> bytes:
    mark = b"<!--\n Page saved with SingleFile \n url: http://h/d/p.html \n-->"
    return _zip(random, {"index.html": mark + _body(random, "text/html"), "images/0.png": b"x"})


def _har_zip(random: Random) -> bytes:
    har = json.loads(_har(random).decode("utf-8-sig"))
    members = {}
    for entry in har["log"]["entries"]:
        content = entry["response"]["content"]
        name = random.choice(("a.html", "b.css", "../a.html", "c/d", "har.har", ""))
        if random.random() < 0.7:
            members[name or "a"] = str(content.pop("text")).encode()
            content["_file"] = name
    text = mutate_lines(random, json.dumps(har).encode()) if random.random() < 0.3 else json.dumps(har).encode()
    return _zip(random, {random.choice(("har.har", "har.har", "x.har")): text} | members)


def _webarchive(random: Random, depth: int = 0) -> dict[str, object]:
    def resource() -> dict[str, object]:
        type_ = random.choice(_TYPES)
        fields = {"Data": _body(random, type_), "URL": _url(random), "MIMEType": type_, "TextEncodingName": "UTF-8"}
        return {f"WebResource{name}": value for name, value in fields.items() if random.random() < 0.95}

    archive: dict[str, object] = {"WebMainResource": resource()}
    if random.random() < 0.5:
        archive["WebSubresources"] = [resource() for _ in range(random.randrange(4))]
    if depth < 3 and random.random() < 0.4:
        archive["WebSubframeArchives"] = [_webarchive(random, depth + 1)]
    return archive


def _property_list(random: Random) -> bytes:
    form = random.choice((plistlib.FMT_BINARY, plistlib.FMT_XML))
    return plistlib.dumps(_webarchive(random), fmt=form, sort_keys=False)


def _self_extracting(random: Random) -> bytes:
    end = random.choice((b"--></body></html>", b"--><sfz-extra-data>AQ==</sfz-extra-data></body></html>", b""))
    return b"<html data-sfz><body hidden><!--" + _htz(random) + end


def _arc(random: Random) -> bytes:
    records = []
    for _ in range(random.randrange(1, 4)):
        type_ = random.choice(_TYPES)
        body = _body(random, type_)
        block = random.choice((b"HTTP/1.1 200 OK\r\nContent-Type: " + type_.encode() + b"\r\n\r\n" + body, body))
        fields = f"{_url(random)} 192.0.2.1 20030101000000 {type_.partition(';')[0]}"
        more = random.choice(("", "", " 200 ABC - 0 a.arc"))
        records.append(f"{fields}{more} {len(block) + random.choice((0, 0, 0, 1))}\n".encode() + block + b"\n")
    if random.random() < 0.3:
        return b"".join(gzip.compress(mutate_lines(random, record), mtime=0) for record in records)
    return b"".join(records)


def _http(random: Random) -> bytes:
    type_ = random.choice(_TYPES)
    heads = [b"HTTP/1.1 302 Found\r\nLocation: x\r\n\r\n"] * random.choice((0, 0, 1, 3))
    return b"".join(heads) + f"HTTP/1.1 200 OK\r\nContent-Type: {type_}\r\n\r\n".encode() + _body(random, type_)


FORMATS: dict[str, Callable[[Random], bytes]] = {
    "mime": _mime,
    "warc": _warc,
    "har": _har,
    "maff": _maff,
    "har-zip": _har_zip,
    "webarchive": _property_list,
    "self-extracting": _self_extracting,
    "arc": _arc,
    "http": _http,
    "epub": _epub,
    "htz": _htz,
}


def container(random: Random, format_: str) -> bytes:
    """A container of a format, made or from a seed, whole or damaged."""
    known = seeds.containers(format_)
    data = random.choice(known) if known and random.random() < 0.2 else FORMATS[format_](random)
    return data if random.random() < 0.4 else mutate_lines(random, data)
