"""`linkfix audit` of an archive whose files refer to each other by name."""

from __future__ import annotations

import json
import zipfile

import pytest
from support.running import run
from support.temporary import nothing_stays

from linkfix.runs import archive_files as module

XHTML = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>\n%s</body></html>'
CONTAINER = (
    '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
    '<rootfiles><rootfile full-path="EPUB/p.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
PACKAGE = (
    '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0"><manifest>'
    '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
    '<item id="b" href="b.xhtml" media-type="application/xhtml+xml"/>'
    '<item id="c" href="c.css" media-type="text/css"/></manifest></package>'
)
BOOK = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": CONTAINER,
    "EPUB/p.opf": PACKAGE,
    "EPUB/a.xhtml": XHTML
    % '<a href="b.xhtml#x">1</a><a href="b.xhtml#y">2</a><a href="gone.xhtml">3</a><img src="i%20i.png" alt=""/>'
    '<link rel="stylesheet" href="c.css"/><a href="https://example.com/">4</a>',
    "EPUB/b.xhtml": XHTML % '<p id="x"><a href="gone.xhtml">5</a></p>',
    "EPUB/c.css": "p { background: url(k.png) }",
    "EPUB/i i.png": "GIF89a",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    with nothing_stays(tmp_path, monkeypatch):
        yield tmp_path


def write(name, members):
    with zipfile.ZipFile(name, "w") as archive:
        for member, data in members.items():
            archive.writestr(member, data)


def findings(name, *options):
    made = run("audit", name, "--format", "jsonl", *options)
    lines = [json.loads(line) for line in made.stdout.splitlines()]
    return [(one["code"], one["path"], one["line"], one["cause"]) for one in lines if "code" in one and "path" in one]


EXPECTED = [
    ("LF101", "book.epub!EPUB/a.xhtml", 2, "EPUB/gone.xhtml"),
    ("LF101", "book.epub!EPUB/b.xhtml", 2, "EPUB/gone.xhtml"),
    ("LF101", "book.epub!EPUB/c.css", 1, "EPUB/k.png"),
    ("LF102", "book.epub!EPUB/a.xhtml", 2, "EPUB/b.xhtml#y"),
]


def test_a_book_is_judged_by_its_own_files():
    write("book.epub", BOOK)
    assert sorted(findings("book.epub")) == EXPECTED
    made = run("audit", "book.epub")
    assert made.exit_code == 1
    assert "book.epub!EPUB/a.xhtml:2:35: error LF102" in made.stdout
    assert "2 references in 2 files: EPUB/gone.xhtml [LF101 missing-target]" in made.stdout


def test_a_whole_book_has_no_findings():
    whole = {
        **BOOK,
        "EPUB/gone.xhtml": XHTML % "",
        "EPUB/k.png": "",
        "EPUB/b.xhtml": XHTML % '<p id="x" /><p id="y" />',
    }
    write("book.epub", whole)
    made = run("audit", "book.epub")
    assert (made.exit_code, findings("book.epub")) == (0, [])


def test_an_archive_in_another_folder(folder):
    (folder / "books").mkdir()
    write("books/book.epub", BOOK)
    assert min(findings("books/book.epub"))[1] == "book.epub!EPUB/a.xhtml"
    assert "books/book.epub!EPUB/a.xhtml:2:" in run("audit", "books/book.epub").stdout


def test_selection_and_baselines_have_the_names_of_its_files():
    write("book.epub", BOOK)
    assert {path for _, path, _, _ in findings("book.epub", "--include", "*.css")} == {"book.epub!EPUB/c.css"}
    assert run("audit", "book.epub", "--write-baseline", "known.json").exit_code == 0
    known = run("audit", "book.epub", "--baseline", "known.json")
    assert known.exit_code == 0
    assert "4 findings hidden" in known.stdout
    write("book.epub", {**BOOK, "EPUB/k.png": ""})
    assert "1 " in run("audit", "book.epub", "--baseline", "known.json", "--prune-baseline").stderr


def test_a_saved_page_in_a_zip_archive():
    write(
        "page.htz",
        {"index.html": '<!DOCTYPE html><title>t</title><img src="a.png" alt><img src="b.png" alt>', "a.png": ""},
    )
    assert findings("page.htz") == [("LF101", "page.htz!index.html", 1, "b.png")]


@pytest.mark.parametrize("name", ["../out.xhtml", "/out.xhtml", "EPUB//x.png", "EPUB/../../x.png", "x" * 300])
def test_names_that_lead_elsewhere_are_left_out(folder, name):
    write("book.epub", {**BOOK, name: "x"})
    before = sorted(folder.rglob("*"))
    made = run("audit", "book.epub")
    assert sorted(folder.rglob("*")) == before
    assert "left out" in made.stderr
    assert made.exit_code == 1


def test_a_file_that_is_a_folder_too_is_left_out():
    write("book.epub", {**BOOK, "EPUB/d": "x", "EPUB/d/e": "y"})
    made = run("audit", "book.epub")
    assert "EPUB/d/e: " in made.stderr
    assert "left out" in made.stderr


@pytest.mark.parametrize("data", [b"PK\3\4", b"PK\3\4" + bytes(100), b"PK\3\4mimetypeapplication/epub+zip"])
def test_a_damaged_archive_is_a_problem_and_nothing_is_checked(folder, data):
    (folder / "book.epub").write_bytes(data)
    made = run("audit", "book.epub")
    assert "container-damaged" in made.stderr
    assert "LF901" in made.stdout
    assert made.exit_code == 1


def test_files_are_limited(monkeypatch):
    monkeypatch.setattr(module, "_MOST", 3)
    write("book.epub", BOOK)
    made = run("audit", "book.epub")
    assert "too-many-parts" in made.stderr
    assert "LF901" in made.stdout
    assert made.exit_code == 1


def test_documents_are_limited():
    write("book.epub", BOOK)
    made = run("audit", "book.epub", "--max-size", "100")
    assert "part-too-large" in made.stderr


@pytest.mark.parametrize("options", [["--fix"], ["."], ["--mount", "/x=."], ["--diff-base", "HEAD"]])
def test_options_for_folders_are_refused(options):
    write("book.epub", BOOK)
    made = run("audit", "book.epub", *options)
    assert made.exit_code == 2
    assert "book.epub is an archive: give it alone" in made.stderr


def test_the_temporary_folder_is_removed_when_the_run_is_stopped(monkeypatch):
    def stop(*_arguments, **_options):
        raise KeyboardInterrupt

    write("book.epub", BOOK)
    monkeypatch.setattr("linkfix.cli.audit_run.audit", stop)
    assert run("audit", "book.epub").exit_code != 0
