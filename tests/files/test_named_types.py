"""What a file is that a caller names; `tests/cli/test_other_files.py` has what commands make of it."""

from __future__ import annotations

import pytest

from linkfix.files.folder import EntryKind, FileTree
from linkfix.files.media_types import SERVED_SUFFIXES, OtherFile, other_file, type_if_named


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
def test_what_the_first_bytes_tell(head, expected):
    found = other_file("page", head)
    assert found == (OtherFile("media-type", expected) if expected else None)


@pytest.mark.parametrize("suffix", sorted(SERVED_SUFFIXES))
def test_what_programs_make_may_be_a_page_if_it_is_text(suffix):
    assert other_file(f"page{suffix}", b"<ul>") is None
    assert other_file(f"page{suffix}", b"\0\1") == OtherFile("binary", "application/octet-stream")
    assert other_file(f"page{suffix}", b"{}") == OtherFile("media-type", "application/json")


def test_an_entry_says_so_where_the_file_is_named(tmp_path):
    (tmp_path / "a.json").write_bytes(b"{}")
    tree = FileTree(str(tmp_path))
    named, found = tree.entry("a.json", explicit=True), tree.entry("a.json")
    assert (named.kind, named.problem) == (EntryKind.OTHER, "media-type")
    assert named.text == "application/json; --media-type text/html reads it as a page"
    assert (found.kind, found.problem, found.text) == (EntryKind.OTHER, "", "")
