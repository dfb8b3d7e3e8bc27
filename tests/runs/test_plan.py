from __future__ import annotations

import pytest
from support.zip_samples import Sample, archive

from linkfix import InvalidOption
from linkfix.files import EntryKind
from linkfix.runs import InputPath, RunSettings
from linkfix.runs.plan import plan


@pytest.fixture
def site(tmp_path):
    root = tmp_path / "site"
    (root / "void").mkdir(parents=True)
    (root / "index.html").write_bytes(b"<p>")
    return root


def test_refuses_a_source_twice_or_in_another(site):
    with pytest.raises(InvalidOption, match="is given twice"):
        plan([InputPath.of(str(site)), InputPath.of(f"{site}/.")], RunSettings())
    with pytest.raises(InvalidOption, match=r"is in .*site: give each file once"):
        plan([InputPath.of(str(site / "index.html")), InputPath.of(str(site))], RunSettings())


@pytest.mark.parametrize("output", ["site", "site/deeper/out", ".", "link"])
def test_refuses_an_output_that_overlaps_an_input(site, tmp_path, output):
    (tmp_path / "link").symlink_to(site)
    with pytest.raises(InvalidOption, match="overlap"):
        plan([InputPath.of(str(site))], RunSettings(output=str(tmp_path / output)))


def test_refuses_only_a_file_with_itself_as_its_output(site):
    with pytest.raises(InvalidOption, match="overlap"):
        plan([InputPath.of(str(site / "index.html"))], RunSettings(output=str(site)))
    assert list(plan([InputPath.of(str(site / "index.html"))], RunSettings(output=str(site / "void"))))


def test_refuses_an_output_over_another_input(tmp_path):
    for name in ("x/site", "y/site/sub"):
        (tmp_path / name).mkdir(parents=True)
    sources = [InputPath.of(str(tmp_path / "x/site")), InputPath.of(str(tmp_path / "y/site/sub"))]
    with pytest.raises(InvalidOption, match="overlap"):
        plan(sources, RunSettings(output=str(tmp_path / "y")))


def test_refuses_two_sources_with_the_same_output(tmp_path):
    for name in ("x/page.html", "y/page.html"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(b"<p>")
    sources = [InputPath.of(str(tmp_path / "x/page.html")), InputPath.of(str(tmp_path / "y/page.html"))]
    with pytest.raises(InvalidOption, match="would be written to the same place"):
        plan(sources, RunSettings(output=str(tmp_path / "out")))


class TestEntries:
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
        found = {entry.name: entry.kind for entry in InputPath.of(str(folder)).entries(lambda _: True)}
        assert {name for name, kind in found.items() if kind is EntryKind.CONTAINER} == {"a.MHT", "d.zip"}

    def test_excluded_files_are_no_containers(self, folder):
        found = InputPath.of(str(folder)).entries(lambda name: name != "a.MHT")
        assert {entry.name for entry in found if entry.kind is EntryKind.CONTAINER} == {"d.zip"}

    @pytest.mark.parametrize("name", ["mail", "w.dat"])
    def test_a_file_that_is_named_explicitly_may_have_any_name(self, folder, name):
        (entry,) = InputPath.of(str(folder / name)).entries(lambda _: True)
        assert entry.kind is EntryKind.CONTAINER
