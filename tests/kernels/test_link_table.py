"""Tables of links. `test_columns.py` tests that their rows equal `links`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.documents import URL, documents
from support.link_tables import expected_rows, table_rows

from linkfix import Document
from linkfix.kernels.link_table import LinkTable
from linkfix.model import LINK_COLUMNS
from linkfix.urls import cut_data_url


@given(documents, st.sets(st.sampled_from(LINK_COLUMNS)), st.integers(1, 5), st.integers(0, 2000))
def test_columns_rows_and_bytes_are_selected(html, names, rows, room):
    columns = tuple(sorted(names))
    found = table_rows(Document(html, url=URL), None, columns, rows, room)
    asked = expected_rows(Document(html, url=URL).links, None, columns)
    assert found == (asked if columns else [])


@pytest.mark.parametrize(
    ("url", "cut"),
    [
        ("data:,x", "data:"),
        ("data:text/html,x", "data:text/html"),
        ("data:text/html;charset=utf-8;base64,AA", "data:text/html"),
        ("DATA:image/png;base64,AA", "DATA:image/png"),
        ("data:" + "x" * 300, "data:" + "x" * 255),
        ("database/x,y", "database/x,y"),
        ("data", "data"),
        ("x?data:a,b", "x?data:a,b"),
        ("data:a&b,c", "data:a&b"),
    ],
)
@pytest.mark.parametrize("html", ["<img src='{}'>", "<p style='a: url(\"{}\")'>", "<img srcset='{} 2x'>"])
def test_data_urls_are_cut_to_their_media_type(url, cut, html):
    escaped = html.format(url.replace("&", "&amp;"))
    (row,) = table_rows(Document(escaped, url="http://h/"))
    assert row["reference"] == cut
    assert row["target"] == (cut.lower() if cut[:5].lower() == "data:" else f"http://h/{cut}")
    assert cut_data_url(url) == cut


def test_unselected_columns_are_not_computed():
    document = Document(b"<a href=x>\n<a href=y>", url=URL)
    table_rows(document, names=("start", "target"))
    assert (document.positions.line, document.positions.column) == (1, 1)
    table_rows(document)
    assert document.positions.line > 1


def test_exported_memory_is_unchanged():
    table = LinkTable(["page", "start"], 10, 1000)
    for page in ("a", "b"):
        table.open(Document(b"<a href=x>").link_columns(), page, 0)
        table.add(0)
        texts, numbers = table.take()
        if page == "a":
            first = (texts, numbers)
    assert bytes(first[0].data[:1]) == b"a"
    assert first[1][0] == 8


@pytest.mark.parametrize("name", ["page", "path"])
def test_a_text_of_the_document_has_bytes_in_each_row(name):
    columns = Document(b"<a href=x><a href=y>").link_columns()

    def size(names, text, more=0):
        table = LinkTable(names, 10, 1000)
        return table.open(columns, text if name == "page" else None, more, path=text if name == "path" else None)

    assert size([name], "x" * 100) - size([name], "") == 200
    assert size([name], "", 30) - size([name], "") == 60
    assert size(["start"], "x" * 100) == size(["start"], "")
