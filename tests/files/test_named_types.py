"""The type of a file that a caller names; `tests/cli/test_other_files.py` tests the commands."""

from __future__ import annotations

import pytest

from linkfix.files import HEADER, SERVED_SUFFIXES, EntryKind, FileTree
from linkfix.files.media_types import OtherFile, is_json, other_file, type_if_named
from linkfix.hooks.response import Response, absolutize, settings


@pytest.mark.parametrize("name", ["style.xsl", "service.wsdl", "data.xml", "data.rdf"])
def test_any_xml_is_a_document(name):
    assert type_if_named(name, is_html=False) == "application/xml"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b'{"', "application/json"),
        (b"{}", "application/json"),
        (b'\r\n[ "', "application/json"),
        (b'[{ "', "application/json"),
        (b"{{ x }}", ""),
        (b"{% x %}", ""),
        (b"{ x }", ""),
        (b"[1] a note", ""),
        (b"[[toc]]", ""),
        (b"#!/bin/sh", "text/x-script"),
        (b"%YAML 1.2", "application/yaml"),
        (b"---\ntitle: x", ""),
        (b"BMW", ""),
        (b"", ""),
    ],
)
def test_types_by_the_first_bytes(head, expected):
    found = other_file("page", head)
    assert found == (OtherFile("media-type", expected) if expected else None)


#: JSON, and similar texts, for the commands and the hooks.
JSON = [
    b'[1, "<a href=\\"x\\">"]',
    b'[null, {"a": "<a href>"}]',
    b'[["<a href>"]]',
    b'[true, "<a href>"]',
    b'"<a href=\\"x\\">"',
    b"\xef\xbb\xbf [-1.5e3]",
    b')]}\'\n[1, "<a href>"]',
    b")]}',\n[[1]]",
    b'for (;;);{"a": 1}',
    b"while(1);[1]",
    b'{"a": "<a href>"}\n{"a": 1}\n',
    b'// a comment\n[1, /* another */ "<a href>",]',
    b'{"a": None}',
    b"[1, " * 90 + b'"' + b"x" * 5000,
    b"[" + b"true, " * 1000,
]
NO_JSON = [
    b"",
    b"1",
    b"true",
    b"[1] <a href>",
    b"[1]: <a href>",
    b"[x](y) <a href>",
    b"[[toc]]",
    b'"A quotation" <a href>',
    b'"A quotation <a href>',
    b'"A quotation"\n<a href>',
    b'{"error": 1}<!doctype html>',
    b'{"error": 1}\n<!doctype html>',
    b"[" * 5000,
    b"{{ x }} <a href>",
    b"{% x %} <a href>",
    b"// <a href>",
]


@pytest.mark.parametrize("data", JSON)
def test_json(data):
    assert is_json(data[:HEADER])
    assert other_file("", data[:HEADER]) == OtherFile("media-type", "application/json")
    made = absolutize(Response(data, "https://h.example/", (("Content-Type", "text/html"),)), settings())
    assert (made.left_alone, made.body) == ("not-html", data)


@pytest.mark.parametrize("data", NO_JSON)
def test_no_json(data):
    assert not is_json(data[:HEADER])
    assert other_file("", data[:HEADER]) is None


@pytest.mark.parametrize("data", [b'cb({"a": "<a href>"});', b"a.b([1])", b'/**/ cb({ a: "<a href>" })'])
def test_a_call_with_json_is_a_script(data):
    assert other_file("", data) == OtherFile("media-type", "text/javascript")


@pytest.mark.parametrize("data", [b"see(<a href>)", b"see([1] <a href>)", b"see({{ x }}) <a href>", b"(a) <a href>"])
def test_no_call_with_json(data):
    assert other_file("", data) is None


PAGE = b'<!doctype html><a href="x">x</a>'
#: Signatures of binary formats, and their media types.
SIGNED = {
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR": "image/png",
    b"GIF89a": "image/gif",
    b"\xff\xd8\xff": "image/jpeg",
    b"RIFF\1\2\3\4WEBPVP": "image/webp",
    b"BM\1\0\0\0": "image/bmp",
    b"%PDF-1.7\n": "application/pdf",
    b"%!PS-Adobe-3.0\n": "application/postscript",
    b"ID3\3\0": "audio/mpeg",
    b"OggS\0": "application/ogg",
    b"\0\0\0\x18ftypmp42": "video/mp4",
    b"\x1aE\xdf\xa3": "video/webm",
    b"\0asm\1\0\0\0": "application/wasm",
    b"wOF2\0\1": "font/woff2",
    b"OTTO\0": "font/otf",
    b"\0\1\0\0": "font/ttf",
    b"\x1f\x8b\x08\0": "application/x-gzip",
    b"PK\3\4": "application/zip",
    b"Rar!\x1a\x07\0": "application/x-rar-compressed",
    b"\xfd7zXZ\0": "application/x-xz",
    b"\x28\xb5\x2f\xfd": "application/zstd",
    b"\x7fELF\2\1\1": "application/octet-stream",
    b"MZ\x90\0": "application/octet-stream",
}


@pytest.mark.parametrize("signature", SIGNED, ids=SIGNED.get)
@pytest.mark.parametrize("name", ["a.html", "a.svg", "a.css"])
def test_a_binary_file_with_any_name_is_no_document(tmp_path, signature, name):
    (tmp_path / name).write_bytes(signature + PAGE)
    tree = FileTree(str(tmp_path))
    for explicit in (False, True):
        entry = tree.entry(name, explicit=explicit)
        assert (entry.kind, entry.problem, entry.text) == (EntryKind.UNREAD, "binary", SIGNED[signature])
    made = absolutize(Response(signature + PAGE, "https://h.example/", (("Content-Type", "text/html"),)), settings())
    assert made.left_alone == "not-html"


@pytest.mark.parametrize("start", [b"BM ", b"MZ ", b"ID3 ", b"OTTO ", b"GIF ", b"%PD", b"\xef\xbb\xbf", b" ", b""])
def test_a_page_that_begins_like_a_binary_file(tmp_path, start):
    (tmp_path / "a.html").write_bytes(start + PAGE)
    assert FileTree(str(tmp_path)).entry("a.html").kind is EntryKind.DOCUMENT


@pytest.mark.parametrize("suffix", sorted(SERVED_SUFFIXES - {".pl"}))
def test_text_made_by_programs_may_be_a_page(suffix):
    assert other_file(f"page{suffix}", b"<ul>") is None
    assert other_file(f"page{suffix}", b"\0\1") == OtherFile("binary", "application/octet-stream")
    assert other_file(f"page{suffix}", b"{}") == OtherFile("media-type", "application/json")


def test_an_explicit_file_of_another_format_is_a_problem(tmp_path):
    (tmp_path / "a.json").write_bytes(b"{}")
    tree = FileTree(str(tmp_path))
    named, found = tree.entry("a.json", explicit=True), tree.entry("a.json")
    assert (named.kind, named.problem) == (EntryKind.OTHER, "media-type")
    assert named.text == "application/json; to read it as a page, give --media-type text/html"
    assert (found.kind, found.problem, found.text) == (EntryKind.OTHER, "", "")
