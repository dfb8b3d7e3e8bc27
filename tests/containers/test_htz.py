from __future__ import annotations

import pytest
from support.running_containers import nothing, read, rewritten
from support.zip_samples import Sample, archive, pages

from linkfix import Document, Envelope
from linkfix.containers import CONTAINERS, container

htz = container("htz")

PAGE = b'<img src="images/0.png"><a href="b.html">1</a><a href="?q">2</a><a href="frames/0/../0/index.html">3</a>'
FRAME = b'<img src="../../images/0.png"><img src="0.png"><a href="c">4</a>'
SINGLE_FILE = [
    Sample("index.html", PAGE, comment=b"https://example.com/dir/a.html"),
    Sample("manifest.json", b"{}"),
    Sample("images/0.png", b"image", comment=b"https://cdn.example/x.png"),
    Sample("frames/0/index.html", FRAME, comment=b"https://frames.example/f/"),
    Sample("stylesheet_0.css", b"a { background: url(images/0.png) }", comment=b"data:"),
]


def absolute(part):
    return Document(part.data, envelope=part.envelope).convert().data if part.media_type == "text/html" else None


def test_singlefile_has_the_urls_in_comments():
    parts, problems = read(htz, archive(SINGLE_FILE))
    assert [(part.name, part.envelope.url) for part in parts] == [
        ("index.html", "https://example.com/dir/a.html"),
        ("manifest.json", None),
        ("images/0.png", "https://cdn.example/x.png"),
        ("frames/0/index.html", "https://frames.example/f/"),
        ("stylesheet_0.css", None),
    ]
    assert parts[0].envelope.where == "the comment of index.html"
    assert [part.media_type for part in parts] == [
        "text/html",
        "application/json",
        "image/png",
        "text/html",
        "text/css",
    ]
    assert problems == []


def test_references_to_files_of_the_archive_stay():
    made, _ = rewritten(htz, archive(SINGLE_FILE), absolute)
    page, _, _, frame, _ = (part.data for part in read(htz, made)[0])
    assert page == (
        b'<img src="images/0.png"><a href="https://example.com/dir/b.html">1</a>'
        b'<a href="https://example.com/dir/a.html?q">2</a><a href="frames/0/../0/index.html">3</a>'
    )
    assert frame == (
        b'<img src="../../images/0.png"><img src="https://frames.example/f/0.png"><a href="https://frames.example/f/c">4</a>'
    )


def test_the_url_of_the_whole_is_its_pages():
    whole = Envelope("https://example.com/")
    parts, _ = read(htz, pages(**{"index.html": "", "sub/index.html": "", "a.png": ""}), envelope=whole)
    assert [part.envelope.parent for part in parts] == [whole, None, None]


@pytest.mark.parametrize("name", ["page.htz", "PAGE.HTZ", "page.zip", "page.u.zip"])
def test_recognised(name):
    assert CONTAINERS["htz"].recognise(archive(SINGLE_FILE)[:4096], name)


@pytest.mark.parametrize("first", ["manifest.json", "1700_1/index.html", "index.html"])
def test_a_zip_is_recognised_by_the_first_file_of_singlefile(first):
    assert CONTAINERS["htz"].recognise(pages(**{first: ""}), "page.zip")


@pytest.mark.parametrize(
    ("head", "name"),
    [(pages(a="1"), "a.zip"), (pages(**{"index.html": "1"}), "a.jar"), (b"<!DOCTYPE html>", "a.htz"), (b"", "a.zip")],
)
def test_not_recognised(head, name):
    assert not CONTAINERS["htz"].recognise(head, name)


def test_without_a_change_the_bytes_are_the_same():
    data = archive(SINGLE_FILE, streamed=True)
    assert rewritten(htz, data, nothing) == (data, [])
