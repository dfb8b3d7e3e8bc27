from __future__ import annotations

import pytest
from support.running import run
from support.web_archives import http, record, zipped

URL = "http://r.example/d/e"
NOTES = b"See <URL:../x> and www.w3.org/Addressing/.\n"
ABSOLUTE = b"See <URL:http://r.example/x> and http://www.w3.org/Addressing/.\n"
MAIL = (
    b"Base: <URL:http://r.example/d/>\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=b\n\n"
    b"--b\nContent-Type: text/plain\n\n%b\n--b\nContent-Type: text/html\n\n<a href=%by>\n--b--\n"
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_bytes(NOTES)
    (tmp_path / "mail.eml").write_bytes(MAIL % (NOTES, b""))
    response = record(http(NOTES, content_type="text/plain; charset=utf-8"), url=URL)
    (tmp_path / "crawl.warc").write_bytes(response)
    (tmp_path / "crawl.warc.gz").write_bytes(zipped(response))
    return tmp_path


@pytest.mark.parametrize(
    ("path", "shown", "more"),
    [
        ("notes.txt", "notes.txt:1:", ["--url", URL]),
        ("mail.eml", "mail.eml!1:1:", []),
        ("crawl.warc", f" {URL}:1:", []),
        ("crawl.warc.gz", f" {URL}:1:", []),
    ],
)
def test_links_lists_urls_in_texts(path, shown, more):
    lines = [line for line in run("links", path, *more).stdout.splitlines() if "!HEADER" not in line][:2]
    assert [line[line.index(shown) :] for line in lines] == [
        f"{shown}10 text ../x -> http://r.example/x",
        f"{shown}20 text www.w3.org/Addressing/ -> http://www.w3.org/Addressing/",
    ]


def test_several_texts_and_an_html_page(folder):
    (folder / "page.txt").write_bytes(b"<!doctype html><a href=z>")
    (folder / "more.TXT").write_bytes(b"http://a.example/")
    result = run("links", "notes.txt", "more.TXT", "--default-base", URL)
    assert [line.split()[0] for line in result.stdout.splitlines()] == [
        "notes.txt:1:10",
        "notes.txt:1:20",
        "more.TXT:1:1",
    ]
    assert "a[href] z -> http://r.example/d/z" in run("links", "page.txt", "--url", URL).stdout


@pytest.mark.parametrize(
    ("path", "plain", "asked"),
    [
        ("notes.txt", NOTES, ABSOLUTE),
        ("mail.eml", MAIL % (NOTES, b"http://r.example/d/"), MAIL % (ABSOLUTE, b"http://r.example/d/")),
    ],
)
def test_absolutize_changes_texts_only_with_the_option(path, plain, asked):
    more = ["--url", URL] if path == "notes.txt" else []
    assert run("absolutize", path, *more).stdout_bytes == plain
    assert run("absolutize", path, *more, "--plain-text").stdout_bytes == asked


@pytest.mark.parametrize("path", ["crawl.warc", "crawl.warc.gz"])
def test_records_of_text_are_changed_with_the_option(folder, path):
    before = (folder / path).read_bytes()
    assert run("absolutize", path).stdout_bytes == before
    run("absolutize", path, "--plain-text", "--in-place")
    assert (folder / path).read_bytes() != before
    assert " text http://r.example/x -> http://r.example/x" in run("links", path).stdout


def test_in_a_folder_texts_are_files_like_any_other(folder):
    (folder / "tree").mkdir()
    (folder / "tree" / "notes.txt").write_bytes(NOTES)
    assert run("links", "tree").stdout == ""
    run("absolutize", "tree", "--plain-text", "--root-url", URL, "--output", "out")
    assert (folder / "out" / "notes.txt").read_bytes() == NOTES


def test_delimiters_are_removed_from_arguments():
    assert run("resolve", "<http://a/b/c>", "<URL:../x>", ' "g"\n').stdout == "http://a/x\nhttp://a/b/g\n"
    assert run("links", "notes.txt", "--url", f"<URL:{URL}>").stdout == run("links", "notes.txt", "--url", URL).stdout
    assert "http://r.example/x" in run("links", "notes.txt", "--default-base", f'"{URL}"').stdout
    page = run("links", "-", "--default-base", "<URL: http://r.example/\n  d/>", stdin=b"<a href=y>")
    assert page.stdout.endswith("a[href] y -> http://r.example/d/y\n")


def test_the_url_of_a_tree_is_stripped_too(folder):
    (folder / "tree").mkdir()
    (folder / "tree" / "page.html").write_bytes(b"<a href=y>")
    assert run("links", "tree", "--root-url", "<http://r.example/t/>").stdout.endswith(" y -> http://r.example/t/y\n")
