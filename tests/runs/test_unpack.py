from __future__ import annotations

import csv
import io
import re
from itertools import pairwise
from pathlib import PurePosixPath, PureWindowsPath
from types import SimpleNamespace
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.passwords import SECRET, generated
from support.running_containers import nothing
from support.sizes import examples
from support.zip_samples import Sample, archive

from linkfix import Envelope, Saver
from linkfix.containers import Limits, Part
from linkfix.containers import container as format_of
from linkfix.display import visible
from linkfix.files import EntryKind, FileTree
from linkfix.runs.unpack import MANIFEST, ManifestEntry, PathAllocator, safe_path, unpack
from linkfix.saved import UrlMap

htz = format_of("htz")

NAMED = Saver("x", map_reference=lambda *_: None)


def named(name, data=b"x", **fields):
    return Part(name, data, "text/html", Envelope(saver=NAMED, **fields))


def at(url, data=b"x", media_type="text/html", **fields):
    return Part("part", data, media_type, Envelope(url, **fields))


def run(folder, *parts):
    container = SimpleNamespace(parts=lambda *_: iter(parts))
    return unpack(container, io.BytesIO(), Envelope(), str(folder), nothing, Limits())


def files_of(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != MANIFEST
    }


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("https://example.com/dir/a.html", "example.com/dir/a.html"),
        ("https://example.com", "example.com/index.html"),
        ("https://example.com/dir/?q=1&r=/x#f", "example.com/dir/index.html@q=1&r=_x.html"),
        ("https://user:secret@example.com:8080/a", "example.com_8080/a.html"),
        ("https://example.com/%D1%8F.html", "example.com/я.html"),
        ("https://example.com/%FF.html", "example.com/%FF.html"),
        ("https://example.com/a/%2e%2e/%2e%2e/b.html", "example.com/a/b.html"),
        ("https://example.com/a%2F..%2Fb.html", "example.com/a_.._b.html"),
        ("file:///C:/x/y.html", "C_/x/y.html"),
        ("https://example.com/data.json", "example.com/data.json.html"),
        ("https://example.com/x.php", "example.com/x.php.html"),
        ("urn:isbn:1", "isbn_1.html"),
        (None, "part-1.html"),
    ],
)
def test_file_names_for_urls(tmp_path, url, path):
    rows = run(tmp_path, at(url))
    assert ([row.path for row in rows], set(files_of(tmp_path))) == ([path], {path})


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("../../etc/passwd", "etc/passwd"),
        ("/etc/passwd", "etc/passwd"),
        ("a/../../b", "a/b"),
        ("..\\..\\x", ".._.._x"),
        ("C:\\x", "C__x"),
        ("C:/x", "C_/x"),
        ("aux.html", "_aux.html"),
        ("dir/COM1", "dir/_COM1"),
        ("lpt9 .txt", "_lpt9 .txt"),
        ("com\u00b9.x", "_com\u00b9.x"),
        ("CONIN$", "_CONIN$"),
        ("a\0b\n\x7f\u202ec.html", "a_b___c.html"),
        ('a*?<>|".html', "a______.html"),
        ("trailing. . ./x. ", "trailing/x"),
        ("...", "_"),
        ("", "part"),
        ("../..", "part"),
        ("\ud800", "_"),
        ("manifest.csv", "manifest-2.csv"),
        (".linkfix-0123456789abcdef.tmp", "_.linkfix-0123456789abcdef.tmp"),
    ],
)
def test_a_name_is_made_safe_and_the_manifest_has_both(tmp_path, name, path):
    row = run(tmp_path, named(name))[0]
    assert (row.path, row.wanted, row.part) == (path, name, name)
    assert set(files_of(tmp_path)) == {path}


@given(st.lists(st.text(max_size=8) | st.sampled_from(["..", ".", "", "CON", "a" * 300, "é" * 300]), max_size=40))
def test_every_name_is_valid_on_every_system(path):
    made = "/".join(safe_path(path))
    for segment in made.split("/"):
        assert 0 < len(segment.encode()) <= 200
        assert segment not in {".", ".."}
        assert not segment.endswith((".", " "))
        assert not PureWindowsPath(segment).is_reserved()
    assert not PurePosixPath(made).is_absolute()
    assert len(made.encode()) <= 1000


def test_a_safe_name_is_unchanged(tmp_path):
    row = run(tmp_path, named("dir/a.html", b"1", url="https://example.com/", charset="koi8-r"))[0]
    assert row == ManifestEntry("dir/a.html", "https://example.com/", "text/html", "", "koi8-r", "", "dir/a.html")


@pytest.mark.parametrize(
    "name", ["console.html", "com.html", "com10", "nul_.html", ".htaccess", "a b/c (1).html", "я/中.html"]
)
def test_a_name_that_is_safe_stays(tmp_path, name):
    assert run(tmp_path, named(name))[0][::5] == (name, "")


def test_names_that_collide_are_numbered(tmp_path):
    names = ["a.html", "A.html", "a.html", "a-2.html", "é", "e\u0301", "dir", "DIR/x", "dir/X"]
    rows = run(tmp_path, *(named(name, name.encode()) for name in names))
    assert [row.path for row in rows] == [
        "a.html", "A-2.html", "a-3.html", "a-2-2.html", "é", "e\u0301-2", "dir", "DIR-2/x", "DIR-2/X-2",
    ]  # fmt: skip
    assert files_of(tmp_path) == {row.path: row.part.encode() for row in rows}


@pytest.mark.growth
def test_many_equal_names_take_linear_time():
    names = PathAllocator()
    taken = {names.take(["a"]) for _ in range(20_000)}
    assert len(taken) == 20_000


def test_the_manifest_is_returned(tmp_path):
    rows = run(
        tmp_path,
        at("https://example.com/a,b.html", base="https://base.example/"),
        Part("2", b"", "text/html", Envelope(parent=Envelope("https://outer.example/"))),
        Part('name "\n', b"", "", Envelope()),
        at("data:text/html,x"),
        at("HTTPS://Example.com"),
    )
    with (tmp_path / MANIFEST).open(newline="", encoding="utf-8") as file:
        read = [ManifestEntry(**row) for row in csv.DictReader(file)]
    assert read == [row._replace(part=visible(row.part)) for row in rows]
    assert [(row.url, row.base) for row in rows] == [
        ("https://example.com/a,b.html", "https://base.example/"),
        ("https://outer.example/", ""),
        ("", ""),
        ("", "data:text/html,x"),
        ("HTTPS://Example.com", ""),
    ]


@pytest.mark.parametrize(
    ("url", "media_type"),
    [
        ("https://example.com/a.php?b=c", "text/html"),
        ("https://example.com/a.xhtml", "text/html"),
        ("https://example.com/a", "application/xhtml+xml"),
        ("https://example.com/a.html", "image/svg+xml"),
        ("https://example.com/a.css?v=1", "text/css"),
        (None, "text/css"),
    ],
)
def test_a_document_is_known_again_by_its_name(tmp_path, url, media_type):
    row = run(tmp_path, at(url, media_type=media_type))[0]
    entry = FileTree(str(tmp_path)).entry(row.path)
    assert (entry.kind, entry.media_type) == (EntryKind.DOCUMENT, media_type)


def test_existing_files_are_replaced(tmp_path):
    run(tmp_path, named("a.html", b"old"))
    run(tmp_path, named("a.html", b"new"))
    assert files_of(tmp_path) == {"a.html": b"new"}


def test_no_link_in_the_folder_leads_out_of_it(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    output = tmp_path / "output"
    output.mkdir()
    (output / "dir").symlink_to(outside)
    with pytest.raises(OSError, match="a symbolic link replaces a folder"):
        run(output, named("dir/a.html"))
    assert list(outside.iterdir()) == []
    assert not (output / MANIFEST).exists()


def test_a_link_in_the_place_of_a_file_is_replaced_and_not_followed(tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"kept")
    output = tmp_path / "output"
    output.mkdir()
    (output / "a.html").symlink_to(secret)
    (output / MANIFEST).symlink_to(secret)
    run(output, named("a.html", b"new"))
    assert (secret.read_bytes(), (output / "a.html").read_bytes()) == (b"kept", b"new")
    assert not (output / MANIFEST).is_symlink()


def test_an_archive_keeps_the_relative_paths_of_its_files(tmp_path):
    data = archive(
        [
            Sample("index.html", b'<img src="i/0.png">', comment=b"https://example.com/"),
            Sample("i/", b""),
            Sample("i/0.png", b"image", comment=b"https://example.com/x.png"),
            Sample("../evil.html", b"evil"),
        ]
    )
    rows = unpack(htz, io.BytesIO(data), Envelope(), str(tmp_path), nothing, Limits())
    assert files_of(tmp_path) == {"index.html": b'<img src="i/0.png">', "i/0.png": b"image", "evil.html": b"evil"}
    assert [row.url for row in rows] == ["https://example.com/", "https://example.com/x.png", ""]
    assert [row.wanted for row in rows] == ["", "", "../evil.html"]


def test_urls_in_the_manifest_have_no_password_and_no_line_end(tmp_path):
    rows = run(
        tmp_path,
        at("https://me:secret@example.com/a.html", base="https://you:hidden@base.example/"),
        at("https://example.com/b\x1b\n\u202e.html"),
    )
    text = (tmp_path / MANIFEST).read_text("utf-8")
    assert not re.search("secret|hidden", text)
    assert [(row.url, row.base) for row in rows] == [
        ("https://example.com/a.html", "https://base.example/"),
        ("https://example.com/b%1B%E2%80%AE.html", ""),
    ]


def test_no_file_name_and_no_row_of_the_manifest_has_a_password(tmp_path):
    """URLs as the URL engine reads them: of the part, of its base, in another URL, and as a name."""
    forms = generated(examples(2000))
    rows = run(
        tmp_path,
        *(at(url, base=other) for url, other in pairwise(forms)),
        *(at(f"https://web.example/2020/{url.strip()}") for url in forms),
        *(named(url) for url in forms),
    )
    assert [row for row in rows if SECRET in str(row)] == []
    assert [path for path in tmp_path.rglob("*") if SECRET in path.name] == []
    assert SECRET not in (tmp_path / MANIFEST).read_text("utf-8")


def test_no_file_name_has_a_password_that_comes_to_light_by_decoding(tmp_path):
    rows = run(tmp_path, *(at(f"https://web.example/{quote(url, '')}") for url in generated(500)))
    assert [row for row in rows if SECRET in row.path + row.wanted] == []


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("https://me@corp.example:secret@h/a.html", "h/a.html"),
        ("https:me:secret@h/a.html", "h/a.html"),
        ('https:/\t/me:sec"ret@h/a.html', "_/h/a.html"),
        ("ftp:\\\\me:secret@h/a.html", "__h/a.html"),
        ("https://web.example/2020/http://me:secret@h/a.html", "web.example/2020/http_/me_…@h/a.html"),
        ("https://web.example/http%3A%2F%2Fme%3Asecret%40h%2Fa.html", "web.example/http___me_…@h_a.html"),
    ],
)
def test_a_file_is_named_after_a_url_without_user_and_password(tmp_path, url, path):
    assert run(tmp_path, at(url))[0].path == path


@pytest.mark.parametrize(
    "name",
    [
        "=1+1.html",
        "@x.html",
        "'=x.html",
        "-rf.html",
        "'tis.html",
        "##[error]x.html",
        "##vso[task.x]y.html",
        "--- a.html",
        "~~~ a",
    ],
)
def test_a_path_that_begins_like_a_formula_is_found_by_the_manifest(tmp_path, name):
    (row,) = run(tmp_path, Part(name, b"", "text/html", Envelope("https://h/p", saver=Saver(map_reference=str))))
    path = tmp_path / row.path
    assert path.is_file()
    with (tmp_path / MANIFEST).open(newline="", encoding="utf-8") as file:
        [cells] = csv.DictReader(file)
    assert cells["path"][0] not in "=@-"
    found = UrlMap.load(str(tmp_path / MANIFEST)).find(FileTree(str(tmp_path)), row.path)
    assert found is not None
    assert found[0] == "https://h/p"
