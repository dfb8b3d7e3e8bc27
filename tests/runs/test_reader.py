from __future__ import annotations

import os

import pytest

from linkfix import Envelope, Saver
from linkfix.containers import Part
from linkfix.files import FileTree
from linkfix.runs import DocumentReader, RunSettings
from linkfix.saved import UrlMap

HTML = "text/html"
PAGE = b'<a href="x"><a href="y#z">'


def part(data=PAGE, media_type=HTML, **fields):
    siblings = fields.pop("siblings", frozenset())
    return Part("1", data, media_type, Envelope(**fields), siblings)


def test_only_documents_are_read():
    assert DocumentReader(RunSettings()).part(part(media_type="image/png"), "a.warc") is None
    assert DocumentReader(RunSettings()).part(part(media_type=""), "a.warc") is None


def test_an_unknown_charset_is_a_problem_and_no_error():
    read = DocumentReader(RunSettings()).part(part(charset="x-nobody"), "a.maff")
    assert [problem.code for problem in read.problems] == ["charset-unknown"]
    assert read.document.envelope.charset is None


@pytest.mark.parametrize(("stated", "expected"), [(None, "koi8-r"), ("utf-8", "utf-8")])
def test_the_callers_charset_is_for_parts_that_state_none(stated, expected):
    read = DocumentReader(RunSettings(charset="koi8-r")).part(part(charset=stated), "a.warc")
    assert read.document.encoding.name == expected


@pytest.mark.parametrize(("keep_parts", "expected"), [(True, b'"y#z"'), (False, b'"http://h/y#z"')])
def test_siblings_stay_with_their_fragments(keep_parts, expected):
    siblings = frozenset({"http://h/y"})
    read = DocumentReader(RunSettings(keep_parts=keep_parts)).part(part(url="http://h/p", siblings=siblings), "a.mht")
    assert read.document.absolutize() == b'<a href="http://h/x"><a href=' + expected + b">"


def test_an_invalid_url_is_a_problem_and_no_error():
    read = DocumentReader(RunSettings()).part(part(default="x"), "a.mht")
    assert read.document is None
    assert [problem.code for problem in read.problems] == ["part-url"]


def test_a_saver_that_the_container_knows_counts_before_the_marks():
    saver = Saver("EPUB", map_reference=lambda _reference, _base: "")
    data = b"<!-- saved from url=(0009)http://h/ -->\n" + PAGE
    read = DocumentReader(RunSettings()).part(part(data, saver=saver), "a.epub")
    assert read.document.envelope.saver is saver
    assert read.document.absolutize() == data


def test_a_containers_url_is_the_callers_then_the_maps_then_the_trees(tmp_path):
    (tmp_path / "urls.csv").write_text("a.mht,https://map/a\n")
    tree = FileTree(os.path.realpath(tmp_path), "https://tree/")
    mapped = DocumentReader(RunSettings(url_map=UrlMap.load(str(tmp_path / "urls.csv")), default_base="https://d/"))
    assert mapped.container_envelope(tree, "a.mht", "https://given/").url == "https://given/"
    assert mapped.container_envelope(tree, "a.mht").url == "https://map/a"
    assert mapped.container_envelope(tree, "b.mht").url == "https://tree/b.mht"
    assert mapped.container_envelope(None, "-") == Envelope(default="https://d/")
