"""`links` and `pages` take the rows of `warc` without batches between: with the tables that batches would give."""

from __future__ import annotations

import gc
import gzip
import io
import random
import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.paths import CHECKOUT, SHARED
from support.warc_files import warc_record
from support.web_archives import http, record

import linkfix
import linkfix.arrow
from linkfix.arrow.batches import RowBatches
from linkfix.containers import HeaderBlock

ARCHIVES = sorted([*(CHECKOUT / "fixtures/warc").rglob("*.warc*"), *(SHARED / "warc").glob("*")])
BODIES = [
    b"",
    b"<a href=x>",
    b"<base href=/b/><img src=y srcset='a, b 2x'>",
    b"<a href=x>" * 40,
    gzip.compress(b"<a href=z>"),
]
HEADERS = [
    "Content-Encoding: gzip",
    "Content-Encoding: none",
    "Content-Security-Policy: base-uri 'none'",
    "Content-Length: 3",
]
TYPES = ["text/html; charset=latin1", "TEXT/HTML;charset=none", "application/xhtml+xml", "text/css", ""]
URLS = ["http://h/a", "http://h/\u00e9", "no URL"]


@st.composite
def records(draw):
    message = http(
        draw(st.sampled_from(BODIES)),
        *draw(st.sets(st.sampled_from(HEADERS))),
        content_type=draw(st.sampled_from(TYPES)),
    )
    return record(message, url=draw(st.sampled_from(URLS)))


def rows(batches):
    return [row for batch in batches for row in batch.to_pylist()]


def both(source, **keywords):
    """Links and pages of the rows, and of the batches, of an archive; with `pages` as `links` gives them too."""
    found = []
    for given_as in (lambda batches: batches, iter, list):
        noted = []
        links = linkfix.arrow.links(given_as(linkfix.arrow.warc(source)), on_pages=noted.append, **keywords)
        pages = linkfix.arrow.pages(given_as(linkfix.arrow.warc(source)), **keywords)
        found.append((rows(links), rows(pages), rows(noted)))
    return found


@pytest.mark.parametrize("keywords", [{}, {"max_size": 300}, {"charset": None, "url": None}, {"problem": None}])
@pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: path.name)
def test_rows_and_batches_of_an_archive_are_equal(path, keywords):
    of_rows, of_iterator, of_batches = both(path, **keywords)
    assert of_rows == of_iterator == of_batches
    assert of_rows[1] == of_rows[2]


@pytest.mark.slow
@given(st.lists(records(), max_size=6), st.integers(0, 80))
def test_rows_and_batches_of_any_records_are_equal(given, cut):
    data = b"".join(map(gzip.compress, given))
    of_rows, _, of_batches = both(io.BytesIO(data[: len(data) - cut]), max_size=300)
    assert of_rows == of_batches


@pytest.mark.parametrize("fields", [{"html": "url"}, {"charset": "offset"}, {"media_type": "file"}, {"url": "status"}])
def test_columns_of_other_names_and_types_are_read_alike(fields):
    of_rows, _, of_batches = both(ARCHIVES[0], **fields)
    assert of_rows == of_batches
    assert of_rows[1]


@pytest.mark.parametrize("fields", [{"html": "body"}, {"url": "address"}])
def test_a_column_that_there_is_not_is_refused(fields):
    with pytest.raises(linkfix.InvalidOption, match="no column"):
        list(linkfix.arrow.links(linkfix.arrow.warc(ARCHIVES[0]), **fields))
    with pytest.raises(linkfix.InvalidOption, match="no column 'html': the table has 'url'"):
        list(linkfix.arrow.pages(linkfix.arrow.warc(ARCHIVES[0], columns=["url"])))


def archive(count):
    return io.BytesIO(b"".join(warc_record(f"http://h/{number}", b"<a href=x>") for number in range(count)))


def test_only_selected_columns_are_read():
    (row,) = rows(linkfix.arrow.links(linkfix.arrow.warc(archive(1), columns=["html", "file", "url"], file="f")))
    assert (row["page"], row["target"]) == ("http://h/0", "http://h/x")
    with pytest.raises(linkfix.InvalidOption, match="carry"):
        list(linkfix.arrow.links(linkfix.arrow.warc(archive(1), columns=["html", "url"]), carry=["file"]))


def test_carried_columns_are_in_rows_of_links():
    found = rows(linkfix.arrow.links(linkfix.arrow.warc(archive(3)), columns=["target"], carry=["offset", "url"]))
    offsets = [row["offset"] for row in rows(linkfix.arrow.warc(archive(3)))]
    assert [(row["offset"], row["url"]) for row in found] == [(at, f"http://h/{n}") for n, at in enumerate(offsets)]


def test_batches_that_were_begun_are_gone_on_with(monkeypatch):
    monkeypatch.setattr("linkfix.arrow.batches.BATCH_ROWS", 2)
    batches = linkfix.arrow.warc(archive(5))
    assert [row["url"] for row in rows([next(batches)])] == ["http://h/0", "http://h/1"]
    found = rows(linkfix.arrow.links(batches, columns=["page"]))
    assert [row["page"] for row in found] == ["http://h/2", "http://h/3", "http://h/4"]


def test_the_input_is_wrapped(monkeypatch):
    monkeypatch.setattr("linkfix.arrow.batches.BATCH_ROWS", 2)
    seen = []

    def noting(given):
        for one in given:
            seen.append(getattr(one, "num_rows", "row"))
            yield one

    batches = linkfix.arrow.warc(archive(3))
    assert isinstance(batches, RowBatches)
    assert len(rows(linkfix.arrow.links(batches.wrapped(noting)))) == 3
    assert seen == ["row", "row", "row"]
    seen.clear()
    assert len(rows(linkfix.arrow.links(linkfix.arrow.warc(archive(3)).wrapped(noting), carry=["file"]))) == 3
    assert seen == [2, 1]


def test_each_document_is_read_before_the_next_row_is_requested(monkeypatch):
    """The timer of documents in `linkfix.spark` works between rows."""
    noted = []

    def given(rows_):
        for row in rows_:
            noted.append("row")
            yield row

    class Noted(linkfix.Document):
        def link_columns(self, **how):
            noted.append("links")
            return super().link_columns(**how)

    monkeypatch.setattr("linkfix.arrow.reading.Document", Noted)
    assert len(rows(linkfix.arrow.links(linkfix.arrow.warc(archive(3)).wrapped(given)))) == 3
    assert noted == ["row", "links"] * 3


def test_a_record_that_is_too_large_for_memory_is_read_from_a_file(monkeypatch):
    text = random.Random(1).randbytes(9 << 20).hex().encode()  # noqa: S311
    pages = [b"<a href=x>", b"<a href=y>" + text + b"<a href=z>", b"<a href=x>"]
    source = io.BytesIO(b"".join(gzip.compress(warc_record("http://h/", page), 1) for page in pages))
    opened = []
    new_file = tempfile.TemporaryFile
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda: opened.append(new_file()) or opened[-1])
    batches = linkfix.arrow.warc(source, max_size=1 << 25)
    assert [row["html"] for row in batches.rows()] == pages
    assert [file.closed for file in opened] == [True]
    found = linkfix.arrow.links(linkfix.arrow.warc(source, max_size=1 << 25), max_size=1 << 25)
    assert [row["reference"] for row in rows(found)] == ["x", "y", "z", "x"]


def test_a_file_is_closed_that_is_not_read_to_its_end(tmp_path):
    path = tmp_path / "a.warc"
    path.write_bytes(archive(3).getvalue())
    batches = linkfix.arrow.warc(path)
    given = batches.rows()
    assert next(given)["url"] == "http://h/0"
    batches.close()
    assert list(given) == []  # and no ResourceWarning, which is an error here


def test_closed_batches_yield_nothing(monkeypatch):
    monkeypatch.setattr("linkfix.arrow.batches.BATCH_BYTES", 15)
    batches = linkfix.arrow.warc(archive(3))
    assert next(batches).num_rows == 1
    batches.close()
    assert list(batches) == []


def test_batches_that_are_dropped_close_their_file_at_once(tmp_path):
    path = tmp_path / "a.warc"
    path.write_bytes(archive(3).getvalue())
    opened = []

    def rows_of_a_file():
        with path.open("rb") as file:
            opened.append(file)
            yield {"url": "x"}, 1
            yield {"url": "y"}, 1

    batches = RowBatches(rows_of_a_file(), linkfix.arrow.WARC_SCHEMA)
    given = batches.rows()
    next(given)
    gc.disable()  # no cycle of references has to be found first
    try:
        del batches, given
        assert opened[0].closed
    finally:
        gc.enable()


@given(
    st.lists(
        st.sampled_from(["A: b", "a:c ", " d", "\te ", "B : \xa0f\x85", "no field", ":g", "A:", " a: h"]), max_size=8
    )
)
def test_fields_of_a_header_block(lines):
    """Line by line, as RFC 9112 §5 has them: a line that begins with white space continues the field before it.

    Such a line is ignored if no field precedes it (§2.2). A name has at least one character (RFC 9110 §5.1).
    """
    block = "".join(f"{line}\r\n" for line in ["HTTP/1.1 200 OK", *lines, ""]).encode("latin-1")
    fields: list[tuple[str, str]] = []
    continued = False
    for line in lines:
        name, colon, value = line.partition(":")
        if continued and line[0] in " \t":
            name, value = fields[-1]
            fields[-1] = name, " ".join((value, line.lstrip(" \t")))
            continue
        continued = bool(colon and name and line[0] not in " \t")
        if continued:
            fields.append((name.strip().lower(), value))
    header = HeaderBlock(block)
    for name in ("a", "b", "", "missing"):
        values = [value.strip() for field, value in fields if field == name]
        assert header.all(name) == values
        assert header.first(name) == (values or [""])[0]
    assert header.edit({}) == block
    removed = HeaderBlock(header.edit({"a": None}))
    assert (removed.all("a"), removed.all("b")) == ([], header.all("b"))
