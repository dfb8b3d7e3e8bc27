from __future__ import annotations

import pyarrow as pa
import pytest
from support.each import for_each
from support.paths import CHECKOUT

import linkfix
import linkfix.arrow
from linkfix import InvalidBase, InvalidOption
from linkfix.urls import cut_data_url

TYPES = {".html": "text/html", ".htm": "text/html", ".svg": "image/svg+xml", ".css": "text/css"}
FIXTURES = sorted(path for path in (CHECKOUT / "fixtures").rglob("*") if path.suffix in TYPES)


def table(*rows):
    """A batch of documents, each with its URL."""
    return pa.record_batch({"url": [url for url, _ in rows], "html": [html for _, html in rows]})


def rows(batches):
    return [row for batch in batches for row in batch.to_pylist()]


def expected(html, url, **options):
    """The rows of a document's links, by the function of the library."""
    found = [{"page": url, **link._asdict()} for link in linkfix.links(html, url, **options)]
    return [row | {name: row[name] and cut_data_url(row[name]) for name in ("reference", "target")} for row in found]


@for_each(FIXTURES)
def test_links_of_fixtures_equal_the_links_of_the_library(path):
    html, url = path.read_bytes(), "https://example.com/dir/page.html"
    type_ = TYPES[path.suffix]
    batch = pa.record_batch({"url": [url], "html": [html], "media_type": [type_]})
    assert rows(linkfix.arrow.links(batch)) == expected(html, url, media_type=type_)


def test_columns_and_carried_ones():
    batch = pa.record_batch({"n": [7, 8], "url": ["http://h/a", "http://h/b"], "html": [b"<a href=x>", b"<img src=y>"]})
    (found,) = linkfix.arrow.links(batch, columns=["target", "element"], carry=["n"])
    assert found.schema == linkfix.arrow.links_schema(["target", "element"], [pa.field("n", pa.int64())])
    assert found.to_pylist() == [
        {"target": "http://h/x", "element": "a", "n": 7},
        {"target": "http://h/y", "element": "img", "n": 8},
    ]


def test_an_unreadable_file_is_a_row_of_pages():
    batch = pa.record_batch(
        {
            "address": ["http://h/a", "http://h/b", "http://h/c", "relative", "http://h/e", "http://h/f"],
            "body": [b"<a href=x>", None, b" " * 100, b"<a href=x>", b"<a href=x>", b"<a href=x>"],
            "type": [None, None, None, "Text/HTML; charset=nonsense", "image/png", "text/html"],
        }
    )
    names = {"url": "address", "html": "body", "media_type": "type"}
    found = rows(linkfix.arrow.pages([batch], max_size=99, **names))
    assert [(row["page"], row["links"], row["problem"]) for row in found] == [
        ("http://h/a", 1, None),
        ("http://h/b", 0, "document-missing"),
        ("http://h/c", 0, "too-large"),
        ("relative", 1, None),
        ("http://h/e", 0, "media-type"),
        ("http://h/f", 1, None),
    ]
    assert dict(found[3]["problems"]) == {"no-base": 1, "part-url": 1}
    given = []
    links = rows(linkfix.arrow.links([batch], max_size=99, on_pages=given.append, **names))
    assert [row["page"] for row in links] == ["http://h/a", "relative", "http://h/f"]
    assert rows(given) == found


@pytest.mark.parametrize("column", [pa.array([1, 2]), pa.array([["a"], ["b"]])])
def test_a_column_of_another_type_is_a_problem_of_each_row(column):
    for batch in ({"url": ["http://h/", None], "html": column}, {"url": column, "html": [b"<a href=x>"] * 2}):
        found = rows(linkfix.arrow.pages(pa.record_batch(batch)))
        assert [row["problem"] for row in found] == ["column-type"] * 2
        assert rows(linkfix.arrow.links(pa.record_batch(batch))) == []


def test_a_failure_stays_with_its_document(monkeypatch):
    name, original = "too deep", linkfix.Document.link_columns

    def link_columns(document, **fields):
        if b"bad" in document.source.html:
            raise RecursionError(name)
        return original(document, **fields)

    monkeypatch.setattr(linkfix.Document, "link_columns", link_columns)
    batch = table(("http://h/a", b"<a href=x>"), ("http://h/b", b"<a href=bad>"), ("http://h/c", b"<a href=x>"))
    found = rows(linkfix.arrow.pages(batch))
    assert [row["problem"] for row in found] == [None, "document-failed", None]
    assert found[1]["detail"] == "RecursionError: too deep"


def test_texts_are_documents_too():
    html = "<a href=\u00e4>\u20ac<a href=b>"
    assert rows(linkfix.arrow.links(table(("http://h/", html)))) == expected(html, "http://h/")


def test_lone_surrogates_are_replaced():
    html = b'<script type=importmap>{"imports": {"a": "/\\ud800\\ud83d\\ude00"}}</script>'
    (found,) = rows(linkfix.arrow.links(table(("http://h/", html))))
    assert found["reference"] == "/\ufffd\U0001f600"


def test_absolutize_replaces_documents():
    batch = pa.record_batch({"url": ["http://h/d/", "http://h/"], "html": [b"<a href=x>", None], "n": [1, 2]})
    (found,) = linkfix.arrow.absolutize(batch)
    assert found.schema == linkfix.arrow.absolutized_schema(batch.schema)
    assert found.to_pylist() == [
        {"url": "http://h/d/", "html": b"<a href=http://h/d/x>", "n": 1, "problem": None},
        {"url": "http://h/", "html": None, "n": 2, "problem": "document-missing"},
    ]


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        (InvalidOption, {"columns": ["nonsense"]}),
        (InvalidOption, {"columns": "page"}),
        (InvalidOption, {"columns": ["page", "page"]}),
        (InvalidOption, {"html": "nonsense"}),
        (InvalidOption, {"charset": "nonsense"}),
        (InvalidOption, {"carry": ["nonsense"]}),
        (InvalidOption, {"nonsense": 1}),
        (InvalidOption, {"max_size": -1}),
        (InvalidOption, {"max_size": 1 << 31}),
        (InvalidOption, {"seconds": 0}),
        (InvalidOption, {"html": None}),
        (InvalidOption, {"charset": 1}),
        (InvalidOption, {"fragments": "nonsense"}),
        (InvalidBase, {"default_base": "nonsense"}),
    ],
)
def test_wrong_arguments_are_refused(error, arguments):
    with pytest.raises(error):
        rows(linkfix.arrow.links(table(("http://h/", b"")), **arguments))
