"""Pages that a browser saved with a folder of files beside them, under whatever names."""

from __future__ import annotations

import io
import unicodedata
import zipfile
from pathlib import Path
from urllib.parse import quote

import pytest
from support.audit_trees import audited
from support.fixtures_site import FIXTURES
from support.growth import processor_limit
from support.running import run

from linkfix import Document, Envelope
from linkfix.files import FileTree
from linkfix.saved import Retrieval
from linkfix.saved.companions import (
    SUFFIXES,
    companions_in,
    has_companion,
    is_companion,
    name_key,
    page_stem,
)
from linkfix.saved.neighbours import ArchiveMember

URL = "https://marked.example/a/p"
MARK = f"<!DOCTYPE html>\n<!-- saved from url=({len(URL):04d}){URL} -->\n<html>"
CHROMIUM = FIXTURES / "saved" / "chromium"

#: Microsoft's table of the languages of Office and their folders' suffixes (DefaultWebOptions.FolderSuffix, Word).
OFFICE = """
    Basque _fitxategiak; Brazilian _arquivos; Catalan _fitxers; Chinese .files; Croatian _datoteke; Czech _soubory;
    Danish -filer; Dutch _bestanden; English _files; Estonian _failid; Finnish _tiedostot; French _fichiers;
    German -Dateien; Greek .files; Hungarian _elemei; Italian _file; Japanese .files; Latvian _fails; Lithuanian _bylos;
    Norwegian -filer; Polish _pliki; Portuguese _ficheiros; Serbian _fajlovi; Slovenian _datoteke; Spanish _archivos;
    Swedish -filer; Turkish _dosyalar
"""


def write(root, **files):
    """Files of a tree, by name; "/" and "." may be in the name."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return FileTree(str(root.resolve()))


def converted(tree, name, text, **options):
    """The targets and problems of a page's links but BASE, and the page with absolute links."""
    data = text if isinstance(text, bytes) else text.encode()
    envelope, _ = Retrieval(**options).envelope(tree, name, data, "text/css" if name.endswith(".css") else "text/html")
    document = Document(data, envelope=envelope, media_type=envelope.media_type)
    rows = [(link.target, link.problem) for link in document.links if link.element != "base"]
    return rows, document.convert().data


# Names


def test_the_suffixes_of_all_languages_are_known():
    assert set(SUFFIXES) == {row.split()[1].lower() for row in OFFICE.split(";")}


@pytest.mark.parametrize("name", ["images", "_files", "files", "-Dateien", "a_files2", "a files", "", "profiles"])
def test_other_folders(name):
    assert not is_companion(name)


def test_names_that_file_systems_make_alike():
    for name in ("Straße_files", "Café_FILES", "ǆ_files", "ﬁ_files"):
        forms = {name, name.upper(), name.lower()}
        forms |= {unicodedata.normalize(form, one) for form in ("NFC", "NFD") for one in tuple(forms)}
        assert len({name_key(one) for one in forms}) == 1
    assert name_key("a_files") != name_key("b_files")


# Pages under another name


@pytest.mark.parametrize("suffix", [*SUFFIXES, "-Dateien", "_FILES"])
def test_the_folder_of_a_renamed_page_stays(tmp_path, suffix):
    reference = f"./Old name{suffix}/a.png"
    text = (
        f'{MARK}<img src="{reference}"><img srcset="{quote(reference)} 2x"><p style="background:url(\'{reference}\')">'
    )
    assert page_stem(f"Old name{suffix}") == "Old name"

    rows, data = converted(write(tmp_path / "with", **{f"Old name{suffix}/a.png": ""}), "New.html", text)
    assert rows == [(None, None)] * 3
    assert data == text.encode()

    rows, data = converted(write(tmp_path / "without", **{"a.png": ""}), "New.html", text)
    assert rows == [(None, "saved-file-missing")] * 3
    assert data == text.encode()


NAMES = [
    ("Caf\u00e9 & Bar_files", "./Caf%C3%A9%20&amp;%20Bar_files/a.css"),
    ("Caf\u00e9 & Bar_files", "./Caf\u00e9 &amp; Bar_files/a.css"),
    ("Cafe\u0301 & Bar_files", "./Caf\u00e9 &amp; Bar_files/a.css"),
    ("Caf\u00e9 & Bar_files", "Cafe\u0301 & Bar_files/a.css"),
    ("Page_files", "./PAGE_files/A.css"),
    ("PAGE_FILES", "./Page_files/a.css"),
    ("100% C# at 5%20_files", "./100% C# at 5%20_files/a.css"),
    ("100% C# at 5%20_files", "./100%25%20C%23%20at%205%2520_files/a.css"),
    ("Page_files", " ./Page_files/a.css?v=1#x\n"),
    ("Page_files", ".\\Page_files\\a.css"),
]


@pytest.mark.parametrize(("folder", "reference"), NAMES)
def test_forms_of_folder_names(tmp_path, folder, reference):
    text = f'{MARK}<meta charset="utf-8"><link rel="stylesheet" href="{reference}">'
    rows, data = converted(write(tmp_path / "with", **{f"{folder}/a.css": ""}), "New.html", text)
    assert (rows, data) == ([(None, None)], text.encode())
    rows, data = converted(write(tmp_path / "without"), "New.html", text)
    assert (rows, data) == ([(None, "saved-file-missing")], text.encode())


def test_a_file_that_is_not_in_the_folder_is_missing(tmp_path):
    text = f'{MARK}<img src="./Old_files/a.png"><img src="./Old_files/b.png"><img src="./Old_files/sub/c.png">'
    rows, _ = converted(write(tmp_path, **{"Old_files/a.png": "", "Old_files/sub/c.png": ""}), "New.html", text)
    assert rows == [(None, None), (None, "saved-file-missing"), (None, None)]


def test_without_a_tree_the_folder_may_be_there():
    text = f'{MARK}<img src="./Old_files/a.png"><img src="b.png">'
    assert converted(None, "-", text)[0] == [(None, None), ("https://marked.example/a/b.png", None)]


@pytest.mark.parametrize(
    "reference", ["images/a.png", "../Old_files/a.png", "/Old_files/a.png", "Old_files/", "Old_files"]
)
def test_other_relative_references_are_the_originals(tmp_path, reference):
    text = f'{MARK}<img src="{reference}">'
    ((target, problem),), _ = converted(write(tmp_path, **{"images/a.png": ""}), "New.html", text)
    assert target.startswith("https://marked.example/")
    assert problem is None


def test_a_page_has_at_most_one_folder():
    names = frozenset({"Page.html", "Page_files/a.png", "there_files/b.png"})
    text = f'{MARK}<img src="./Page_files/a.png"><img src="user_files/b.png"><img src="there_files/b.png">'
    assert archived("Page.html", text, names) == [None, "https://marked.example/a/user_files/b.png", None]


def test_a_folder_of_that_name_on_a_server_stays_on_the_server(tmp_path):
    tree = write(tmp_path, **{"docs_files/a.png": "", "page_files/b.png": ""})
    tree = FileTree(tree.root, "https://site.example/")
    text = '<html><img src="docs_files/a.png"><img src="page_files/b.png"><img src="gone_files/c.png">'
    rows, _ = converted(tree, "page.html", text)
    names = ("docs_files/a.png", "page_files/b.png", "gone_files/c.png")
    assert rows == [(f"https://site.example/{name}", None) for name in names]


def test_the_mark_that_authors_write_is_no_browsers(tmp_path):
    """Programs that make pages write it, and the folders of these pages are on their servers. Chromium writes it too,
    for a page that it saved from a private window, and "./" before the folder."""
    mark = "<!-- saved from url=(0014)about:internet -->"
    text = f'{mark}<html><img src="Old_files/a.png"><img src="New_files/b.png">'
    tree = FileTree(write(tmp_path, **{"New_files/b.png": ""}).root, "https://site.example/")
    rows, _ = converted(tree, "New.html", text)
    assert rows == [(f"https://site.example/{name}", None) for name in ("Old_files/a.png", "New_files/b.png")]
    rows, _ = converted(tree, "Other.html", f'{mark}<html><img src="./Old_files/a.png"><img src="./New_files/b.png">')
    assert rows == [(None, "saved-file-missing"), (None, None)]


@pytest.mark.parametrize("mark", [f"<html><!-- OriginalSrc: {URL} -->", f'<html data-scrapbook-source="{URL}">'])
def test_savers_that_keep_files_beside_the_page(tmp_path, mark):
    text = f'{mark}<img src="index_files/a.png"><img src="index_files/b.png"><img src="other/c.png">'
    rows, _ = converted(write(tmp_path, **{"index_files/a.png": ""}), "New.html", text)
    assert rows == [(None, None), (None, "saved-file-missing"), ("https://marked.example/a/other/c.png", None)]


def test_firefox_in_another_language(tmp_path):
    text = '<html><head><!-- base href="https://h/" --><link href="Seite-Dateien/a.css"><a href="https://h/x">x</a>'
    rows, data = converted(write(tmp_path), "Neu.html", text)
    assert rows == [(None, "saved-file-missing"), ("https://h/x", None)]
    assert data == text.encode()


# Chromium's saved files, under other names


def everything(tree):
    """The links of all documents of a tree: reference, target and problem."""
    retrieval = Retrieval()
    found = {}
    for entry in tree.entries():
        if entry.media_type:
            data = Path(tree.path(entry.name)).read_bytes()
            envelope, problems = retrieval.envelope(tree, entry.name, data, entry.media_type)
            document = Document(data, envelope=envelope, media_type=entry.media_type)
            links = [(link.reference, link.target, link.problem) for link in document.links]
            found[entry.name] = (envelope.url, document.base.url, links, [problem.code for problem in problems])
    return found


@pytest.mark.parametrize("suffix", ["_files", "-Dateien", ".files", "_FILES"])
def test_renaming_a_page_changes_no_link(tmp_path, suffix):
    """Neither the page's own name nor the language of its folder changes the meaning of any link of any document."""
    expected = {}
    for name, found in everything(FileTree(str(CHROMIUM))).items():
        links = [(reference.replace("_files/", f"{suffix}/"), *rest) for reference, *rest in found[2]]
        folder, slash, last = name.partition("/")
        new = folder.replace("_files", suffix) + slash + last if slash else f"renamed {name}"
        expected[new] = (*found[:2], links, found[3])
    for path in CHROMIUM.rglob("*"):
        if path.is_file() and path.suffix in {".html", ".css", ".png", ".js"}:
            name = path.relative_to(CHROMIUM)
            new = (
                f"renamed {name}" if len(name.parts) == 1 else f"{name.parts[0].replace('_files', suffix)}/{name.name}"
            )
            write(tmp_path, **{new: path.read_bytes().replace(b"_files/", suffix.encode() + b"/")})
    assert everything(FileTree(str(tmp_path.resolve()))) == expected


# Documents in the folder


SRCDOC = "<!-- saved from url=(0012)about:srcdoc -->"


def test_frames_of_a_renamed_page(tmp_path):
    frame = f'{SRCDOC}<a href="x">x</a><img src="./there.png"><img src="./gone.png"><img src="sub/a.png">'
    page = f'{MARK}<iframe src="./Caf%C3%A9_files/saved_resource.html"></iframe>'
    files = {"New.html": page, "Aaa.html": MARK, "Cafe\u0301_files/there.png": "", "Zzz.html": "<p>Caf\u00e9_files/"}
    tree = write(tmp_path, **files)
    rows, _ = converted(tree, "Cafe\u0301_files/saved_resource.html", frame)
    root = "https://marked.example/a/"
    expected = [(f"{root}x", None), (None, None), (None, "saved-file-missing"), (f"{root}sub/a.png", None)]
    assert rows == expected
    # The folder alone is the tree: its page is beside it.
    assert converted(FileTree(f"{tree.root}/Cafe\u0301_files"), "saved_resource.html", frame)[0] == expected


def test_each_frame_has_the_page_that_refers_to_its_folder(tmp_path):
    files = {}
    for number, name in enumerate(("It's (new), no = 3_files", "a_files", "x" * 240 + "_files", "100% C#_files")):
        url = f"https://h{number}.example/"
        page = (
            f'<!-- saved from url=({len(url):04d}){url} --><html><img srcset="a 1x,./{name.replace("x", "%78")}/f 2x">'
        )
        files |= {f"page {number}.html": page, f"{name}/f.png": ""}
    tree = write(tmp_path, **files)
    folders = sorted(path.name for path in tmp_path.iterdir() if path.is_dir())
    retrieval = Retrieval()
    bases = {name: retrieval.envelope(tree, f"{name}/f.html", SRCDOC.encode(), "text/html")[0].base for name in folders}
    assert sorted(bases.values()) == [f"https://h{number}.example/" for number in range(4)]


def test_a_frame_without_any_page_of_its_folder(tmp_path):
    tree = write(tmp_path, **{"New.html": f"{MARK}<p>another page", "Old_files/a.png": ""})
    rows, _ = converted(tree, "Old_files/saved_resource.html", f'{SRCDOC}<a href="x">x</a>')
    assert rows == [(None, "no-base")]


def test_style_sheets_in_the_folder(tmp_path):
    sheet = "a { background: url(beside.png) } b { background: url(../img/gone.png) }"
    page = f'{MARK}<link rel="stylesheet" href="./Old_files/a.css">'
    tree = write(tmp_path, **{"New.html": page, "Old_files/beside.png": ""})
    expected = [(None, None), (None, "no-base")]
    assert converted(tree, "Old_files/a.css", sheet)[0] == expected
    # The folder is the browser's, and no part of the tree's URL.
    assert converted(FileTree(tree.root, "https://site.example/"), "Old_files/a.css", sheet)[0] == expected


def test_style_sheets_of_a_page_that_no_browser_saved(tmp_path):
    tree = write(tmp_path, **{"New.html": '<link rel="stylesheet" href="Old_files/a.css">', "Old_files/a.png": ""})
    rows, _ = converted(FileTree(tree.root, "https://site.example/"), "Old_files/a.css", "a { background: url(a.png) }")
    assert rows == [("https://site.example/Old_files/a.png", None)]


# Archives


def archived(name, text, names):
    """The targets of a page in an archive that says nothing of URLs."""
    data = text.encode()
    envelope, _ = Retrieval().envelope(None, "x.zip", data, "text/html", Envelope(), ArchiveMember(name, names))
    return [link.target for link in Document(data, envelope=envelope).links if link.element != "base"]


def test_a_page_in_an_archive(tmp_path):
    page = (
        f'{MARK}<meta charset="utf-8"><!--<base href="https://original.example/d/">--><base href=".">'
        '<img src="./Caf\u00e9_files/a.png"><img src="./Caf\u00e9_files/gone.png"><a href="x">x</a>'
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr("index.html", page)
        made.writestr("Cafe\u0301_files/a.png", "")
    (tmp_path / "page.zip").write_bytes(out.getvalue())
    result = run("absolutize", tmp_path / "page.zip", "--in-place")
    assert result.exit_code == 0
    assert result.stderr.count("[saved-file-missing]") == 1
    with zipfile.ZipFile(tmp_path / "page.zip") as made:
        assert made.read("index.html").decode() == page.replace('"x"', '"https://original.example/d/x"')


# Commands


def test_a_renamed_page_is_not_destroyed_in_place(tmp_path):
    page = (CHROMIUM / "index.html").read_bytes()
    (tmp_path / "renamed.html").write_bytes(page)
    result = run("absolutize", tmp_path / "renamed.html", "--in-place", "--strict")
    assert (tmp_path / "renamed.html").read_bytes() == page
    assert result.exit_code == 1
    assert result.stderr.count("[saved-file-missing]") == page.count(b"index_files/") > 0


def test_the_links_of_a_renamed_page_name_missing_files(tmp_path):
    (tmp_path / "renamed.html").write_bytes((CHROMIUM / "index.html").read_bytes())
    assert "saved-file-missing" in run("links", tmp_path / "renamed.html", "--format", "csv").stdout


def test_output_takes_the_folder_along(tmp_path):
    page = (CHROMIUM / "index.html").read_bytes()
    write(tmp_path / "in", **{"renamed.html": page, "index_files/dot.png": "", "index_files/lamp.js": ""})
    write(tmp_path / "in", **{"index_files/main.css": ""})
    result = run("absolutize", tmp_path / "in", "--output", tmp_path / "out", "--strict")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "out" / "renamed.html").read_bytes() == page
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["index_files", "renamed.html"]


def test_the_audit_recognises_the_folder_of_a_saved_page(tmp_path):
    write(tmp_path, **{"renamed.html": f'{MARK}<img src="./Old_files/a.png"><img src="other_files.png">'})
    write(tmp_path, **{"plain.html": '<html><img src="./Old_files/a.png">'})
    found = {
        (finding.path, finding.reference): (finding.message, finding.hint)
        for finding in audited(tmp_path, base_url=None, select=("LF101",)).findings
    }
    saved = found["renamed.html", "./Old_files/a.png"]
    assert saved[0] == "the folder with the files that a browser saved with the page is missing"
    assert "put the folder Old_files/ beside the page" in str(saved[1])
    assert found["renamed.html", "other_files.png"][0] == "the site has no such file"
    assert found["plain.html", "./Old_files/a.png"][0] == "the site has no folder Old_files/"


@pytest.mark.growth
@pytest.mark.parametrize("unit", [b"_files/", b"a_files/", b'="_files/', b"%5f%66iles/", b"=", b"=" * 255 + b"_files/"])
def test_hostile_pages_take_linear_time(unit):
    data = (unit * (4_000_000 // len(unit) + 1))[:4_000_000]
    with processor_limit(5):
        companions_in(data, {"b_files"})
        has_companion(data)
