from __future__ import annotations

import os

import pytest
from support.zip_samples import Sample, archive

from linkfix.containers.part import Part
from linkfix.files.folder import EntryKind, Tree
from linkfix.model import Envelope, Saver
from linkfix.runs.plan import Source, Task
from linkfix.runs.reader import Reader
from linkfix.saved.url_map import UrlMap

HTML = "text/html"
PAGE = b'<a href="x"><a href="y#z">'


def part(data=PAGE, media_type=HTML, **fields):
    siblings = fields.pop("siblings", frozenset())
    return Part("1", data, media_type, Envelope(**fields), siblings)


def test_only_documents_are_read():
    assert Reader(Task()).part(part(media_type="image/png"), "a.warc") is None
    assert Reader(Task()).part(part(media_type=""), "a.warc") is None


def test_a_charset_that_nobody_knows_is_a_problem_and_no_error():
    read = Reader(Task()).part(part(charset="x-nobody"), "a.maff")
    assert [problem.code for problem in read.problems] == ["charset-unknown"]
    assert read.document.envelope.charset is None


@pytest.mark.parametrize(("stated", "expected"), [(None, "koi8-r"), ("utf-8", "utf-8")])
def test_the_callers_charset_is_for_parts_that_state_none(stated, expected):
    read = Reader(Task(charset="koi8-r")).part(part(charset=stated), "a.warc")
    assert read.document.encoding.name == expected


@pytest.mark.parametrize(("keep_parts", "expected"), [(True, b'"y#z"'), (False, b'"http://h/y#z"')])
def test_siblings_stay_with_their_fragments(keep_parts, expected):
    siblings = frozenset({"http://h/y"})
    read = Reader(Task(keep_parts=keep_parts)).part(part(url="http://h/p", siblings=siblings), "a.mht")
    assert read.document.absolutize() == b'<a href="http://h/x"><a href=' + expected + b">"


def test_a_url_that_is_none_is_a_problem_and_no_error():
    read = Reader(Task()).part(part(default="x"), "a.mht")
    assert read.document is None
    assert [problem.code for problem in read.problems] == ["part-url"]


def test_a_saver_that_the_container_knows_counts_before_the_marks():
    saver = Saver("EPUB", map_reference=lambda _reference, _base: "")
    data = b"<!-- saved from url=(0009)http://h/ -->\n" + PAGE
    read = Reader(Task()).part(part(data, saver=saver), "a.epub")
    assert read.document.envelope.saver is saver
    assert read.document.absolutize() == data


def test_a_containers_url_is_the_callers_then_the_maps_then_the_trees(tmp_path):
    (tmp_path / "urls.csv").write_text("a.mht,https://map/a\n")
    tree = Tree(os.path.realpath(tmp_path), "https://tree/")
    mapped = Reader(Task(url_map=UrlMap.load(str(tmp_path / "urls.csv")), default_base="https://d/"))
    assert mapped.around(tree, "a.mht", "https://given/").url == "https://given/"
    assert mapped.around(tree, "a.mht").url == "https://map/a"
    assert mapped.around(tree, "b.mht").url == "https://tree/b.mht"
    assert mapped.around(None, "-") == Envelope(default="https://d/")


class TestTree:
    @pytest.fixture
    def folder(self, tmp_path):
        (tmp_path / "a.MHT").write_bytes(b"MIME-Version: 1.0\r\n\r\nx")
        (tmp_path / "b.mht").write_bytes(b"<html>")
        (tmp_path / "c.zip").write_bytes(archive([Sample("x.txt", b"x")]))
        (tmp_path / "d.zip").write_bytes(archive([Sample("index.html", b"x")]))
        (tmp_path / "mail").write_bytes(b"MIME-Version: 1.0\r\n\r\nx")
        (tmp_path / "w.dat").write_bytes(b"WARC/1.0\r\n")
        return tmp_path

    def test_names_then_content_tell_containers(self, folder):
        found = {entry.name: entry.kind for entry in Tree(os.path.realpath(folder)).entries()}
        assert {name for name, kind in found.items() if kind is EntryKind.CONTAINER} == {"a.MHT", "d.zip"}

    def test_what_is_not_chosen_is_no_container(self, folder):
        found = Tree(os.path.realpath(folder)).entries(chosen=lambda name: name != "a.MHT")
        assert {entry.name for entry in found if entry.kind is EntryKind.CONTAINER} == {"d.zip"}

    @pytest.mark.parametrize("name", ["mail", "w.dat"])
    def test_a_file_that_is_named_outright_may_have_any_name(self, folder, name):
        (entry,) = Source.of(str(folder / name)).entries(lambda _: True)
        assert entry.kind is EntryKind.CONTAINER
