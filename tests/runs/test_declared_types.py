"""Which responses are pages: WARC, HAR, hooks and tables agree, and with Chromium."""

from __future__ import annotations

import base64
import json
from importlib import import_module

import pytest
from support.extras import needed
from support.paths import SHARED
from support.running import run
from support.running_containers import codes, read
from support.vectors import table
from support.web_archives import http, record

from linkfix.containers import Limits, container
from linkfix.files import declared_type
from linkfix.hooks.generic import from_headers
from linkfix.model import DOCUMENT_KINDS, PAGE_TYPES
from linkfix.runs import DocumentReader, RunSettings

har, mime, warc = container("har"), container("mime"), container("warc")

CASES = SHARED / "cases" / "convert"
needs_cases = pytest.mark.skipif(not CASES.is_dir(), reason="no cases of strangers in ../shared/cases")

ROWS = [row | {"body": row["body"].encode("latin-1")} for row in table("types")]
URLS = [f"http://h.example/d/{number}" for number in range(len(ROWS))]


def media_type(row):
    """By the one function."""
    fields = row["fields"]
    return declared_type(lambda wanted: [value for name, value in fields if name.lower() == wanted]).media_type(
        row["body"]
    )


PAGES = [url for url, row in zip(URLS, ROWS, strict=True) if media_type(row) in PAGE_TYPES]


def archive():
    return b"".join(
        record(http(row["body"], *(f"{name}: {value}" for name, value in row["fields"]), content_type=""), url=url)
        for url, row in zip(URLS, ROWS, strict=True)
    )


def entry(url, row):
    headers = [{"name": name, "value": value} for name, value in row["fields"]]
    content = {"mimeType": "x-unknown", "text": base64.b64encode(row["body"]).decode(), "encoding": "base64"}
    return {"request": {"url": url}, "response": {"headers": headers, "content": content}}


def pages_of(parts):
    reader = DocumentReader(RunSettings())
    read_ = [(part, reader.part(part, "x")) for part in parts if part.media_type in PAGE_TYPES]
    assert all(one.document.links for part, one in read_ if part.media_type == "text/html" and b"\0" not in part.data)
    return [part.envelope.url for part, _ in read_]


def test_all_commands_find_the_same_pages():
    parts, problems = read(warc, archive())
    assert (pages_of(parts), {*codes(problems)}) == (PAGES, {"charset-unknown"})
    entries = [entry(url, row) for url, row in zip(URLS, ROWS, strict=True)]
    parts, problems = read(har, json.dumps({"log": {"entries": entries}}).encode())
    assert (pages_of(parts), problems) == (PAGES, [])
    outcomes = [from_headers(url, row["fields"], row["body"]) for url, row in zip(URLS, ROWS, strict=True)]
    looked_at = [url for url, outcome in zip(URLS, outcomes, strict=True) if outcome.document or outcome.left_alone]
    assert looked_at == PAGES
    assert 200 < len(PAGES) < len(ROWS) - 200


def test_tables_have_the_same_pages(tmp_path):
    needed("pyarrow")
    arrow = import_module("linkfix.arrow")
    path = tmp_path / "a.warc"
    path.write_bytes(archive())
    rows = [row for batch in arrow.warc(path, media_types=PAGE_TYPES) for row in batch.to_pylist()]
    assert [row["url"] for row in rows] == PAGES
    assert {row["media_type"] for row in rows} == PAGE_TYPES


def test_tables_of_other_programs_agree():
    """A column has one value, which several fields are joined to (RFC 9110 §5.3)."""
    pa = needed("pyarrow")
    arrow = import_module("linkfix.arrow")
    own = [number for number, row in enumerate(ROWS) if {name for name, _ in row["fields"]} == {"Content-Type"}]
    stated = [", ".join(value for _, value in ROWS[number]["fields"]) for number in own]
    own, stated = zip(*((number, value) for number, value in zip(own, stated, strict=True) if value), strict=True)
    given = {"url": [URLS[one] for one in own], "html": [ROWS[one]["body"] for one in own], "media_type": stated}
    made = [row for batch in arrow.pages(pa.RecordBatch.from_pydict(given)) for row in batch.to_pylist()]
    types = [media_type(ROWS[one]) for one in own]
    assert [row["problem"] for row in made] == [None if one in DOCUMENT_KINDS else "media-type" for one in types]
    assert [row["detail"] for row in made] == [None if one in DOCUMENT_KINDS else one for one in types]


def test_messages_have_the_same_pages_if_the_type_is_stated():
    """A message never leaves the type to the content (RFC 2045 §5.2), except for XML."""
    known = {"text/html", "application/xhtml+xml", "text/xml", "application/xml", "text/css", "image/svg+xml"}
    rows = [row for row in ROWS if len(row["fields"]) == 1 and row["fields"][0][1] in known]
    assert len(rows) > 10
    for row in rows:
        head = f"MIME-Version: 1.0\nContent-Type: {row['fields'][0][1]}\nContent-Transfer-Encoding: base64\n\n"
        parts, _ = read(mime, head.encode() + base64.b64encode(row["body"]))
        assert [part.media_type for part in parts] == [media_type(row)]


@pytest.mark.parametrize("wanted", [{"text/html"}, {"application/xhtml+xml"}, {"text/plain"}])
def test_only_selected_types_are_returned(wanted):
    parts, _ = read(warc, archive(), limits=Limits(media_types=frozenset(wanted)))
    assert {part.media_type for part in parts} == wanted


@pytest.mark.parametrize(
    ("coding", "body", "is_page"),
    [
        ("none", b"<p><a href=x>", True),
        ("utf-8", b"<p><a href=x>", True),
        ("binary, 8bit", b"<p><a href=x>", True),
        ("text/html", b"<p><a href=x>", True),
        ("UTF-16", "\ufeff<p><a href=x>".encode("utf-16-le"), True),
        ("none", b"\x1f\x8b\x08\0\0", False),
        ("utf-8", b"\0\1\2\3", False),
        ("base64", b"PGEgaHJlZj14Pg==", False),
        ("quoted-printable", b"<a href=3Dx>", False),
        ("compress", b"<p><a href=x>", False),
    ],
)
def test_codings_that_do_not_exist_are_ignored(coding, body, is_page):
    """If the body contradicts the coding, it stays, with a problem."""
    parts, problems = read(warc, record(http(body, f"Content-Encoding: {coding}")))
    assert ([part.data for part in parts], codes(problems)) == (([body], []) if is_page else ([], ["part-encoding"]))
    page = {"Content-Type": "text/html", "Content-Encoding": coding}
    assert (from_headers("http://h/d/", page, body).rewritten > 0) is (is_page or b"<" in body)


def test_the_identified_payload_type_is_used_in_tables(tmp_path):
    needed("pyarrow")
    arrow = import_module("linkfix.arrow")
    fields = "WARC-Identified-Payload-Type: text/html; charset=windows-1251"
    pages = {
        "http://h.example/a": b"<a href='?\xe4'>",
        "http://h.example/b": b"<meta charset=koi8-r><a href='?\xc4'>",
    }
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(record(http(body, content_type=""), fields, url=url) for url, body in pages.items()))
    rows = [row for batch in arrow.warc(path) for row in batch.to_pylist()]
    assert [(row["charset"], row["identified_charset"]) for row in rows] == [(None, "windows-1251")] * 2
    made = [row for batch in arrow.links(arrow.warc(path)) for row in batch.to_pylist()]
    # U+0434 in both
    assert [row["target"] for row in made] == ["http://h.example/a?%E4", "http://h.example/b?%C4"]
    (unknown,) = (
        row
        for batch in arrow.pages([named(arrow, rows[0] | {"identified_charset": "klingon"})])
        for row in batch.to_pylist()
    )
    assert (unknown["encoding"], dict(unknown["problems"])) == ("windows-1252", {"charset-unknown": 1})


def named(arrow, row):
    return needed("pyarrow").RecordBatch.from_pylist([row], arrow.WARC_SCHEMA)


@needs_cases
def test_the_charset_that_a_crawler_identified_is_named():
    links = run("links", str(CASES / "m5.warc")).stdout
    assert links.endswith("-> http://w.example/d/%D0%B4.html\n")
    assert "windows-1251  (WARC-Identified-Payload-Type)\n" in run("base", str(CASES / "m5.warc")).stdout


@needs_cases
@pytest.mark.parametrize(("name", "count"), [("w4.warc", 11), ("w5.warc", 4)])
def test_the_cases_of_strangers(name, count):
    made = run("links", str(CASES / name))
    assert (made.exit_code, made.stdout.count("-> http://w.example/d/r.html\n"), made.stderr) == (0, count, "")
