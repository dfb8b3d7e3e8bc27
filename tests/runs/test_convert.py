from __future__ import annotations

import os
import pickle
import stat
from pathlib import Path

import pytest

from linkfix import Options
from linkfix.files import atomic
from linkfix.runs import REPORTED, Converter, InputPath, RunSettings, reader
from linkfix.runs.convert import convert

URL = "https://example.com/s/"
PAGE = b'<a href="x.html">x</a>\n'
DONE = b'<a href="https://example.com/s/x.html">x</a>\n'


@pytest.fixture
def site(tmp_path):
    root = tmp_path / "site"
    (root / "img").mkdir(parents=True)
    (root / "void").mkdir()
    (root / "index.html").write_bytes(PAGE)
    (root / "plain.html").write_bytes(b"<p>no links\n")
    (root / "img" / "a.png").write_bytes(b"\x89PNG")
    for number, path in enumerate(sorted(root.rglob("*"))):
        os.utime(path, ns=(10**9, (number + 1) * 10**9))
    return root


def run(sources, **settings):
    chosen = settings.pop("chosen", lambda _: True)
    return {outcome.display_name: outcome for outcome in convert(sources, RunSettings(**settings), chosen=chosen)}


def tree(path):
    return {str(found.relative_to(path)): found.read_bytes() if found.is_file() else None for found in path.rglob("*")}


class TestOutput:
    def test_the_whole_tree_arrives(self, site, tmp_path):
        out = tmp_path / "out"
        found = run([InputPath.of(str(site), tree_url=URL)], output=str(out))
        assert tree(out) == tree(site) | {"index.html": DONE}
        assert {os.path.relpath(name, site): outcome.action for name, outcome in found.items()} == {
            "img/a.png": "copied",
            "index.html": "converted",
            "plain.html": "same",
        }
        page = found[str(site / "index.html")]
        assert (page.url, page.links, page.rewritten, page.size) == (URL, 1, 1, len(PAGE))
        assert (page.base.url, page.base.layer) == (URL, "retrieval")

    def test_modes_stay_and_times_of_unchanged_files(self, site, tmp_path):
        (site / "index.html").chmod(0o600)
        (site / "img").chmod(0o555)
        out = tmp_path / "out"
        run([InputPath.of(str(site), tree_url=URL)], output=str(out))
        for name in ("index.html", "img", "img/a.png", "plain.html", "void"):
            assert stat.S_IMODE((out / name).stat().st_mode) == stat.S_IMODE((site / name).stat().st_mode), name
        for name in ("img", "img/a.png", "plain.html", "void"):
            assert (out / name).stat().st_mtime_ns == (site / name).stat().st_mtime_ns, name
        assert (out / "index.html").stat().st_mtime_ns > (site / "index.html").stat().st_mtime_ns
        (site / "img").chmod(0o755)
        (out / "img").chmod(0o755)

    def test_a_second_run_has_the_same_output(self, site, tmp_path):
        out = tmp_path / "out"
        run([InputPath.of(str(site), tree_url=URL)], output=str(out))
        first = tree(out)
        run([InputPath.of(str(site), tree_url=URL)], output=str(out))
        assert tree(out) == first

    def test_links_are_made_again(self, site, tmp_path):
        (site / "link.html").symlink_to(site / "index.html")
        (site / "out.html").symlink_to("/etc/hostname")
        out = tmp_path / "out"
        found = run([InputPath.of(str(site), tree_url=URL)], output=str(out))
        assert (out / "link.html").readlink() == Path("index.html")
        assert not os.path.lexists(out / "out.html")
        assert found[str(site / "link.html")].action == "linked"
        assert found[str(site / "out.html")].action == "refused"

    def test_nothing_is_written_through_a_link_in_the_output(self, site, tmp_path):
        elsewhere, out = tmp_path / "elsewhere", tmp_path / "out"
        elsewhere.mkdir()
        out.mkdir()
        (out / "img").symlink_to(elsewhere)
        (out / "index.html").symlink_to(elsewhere / "target.html")
        found = run([InputPath.of(str(site), tree_url=URL)], output=str(out))
        assert list(elsewhere.iterdir()) == []
        assert found[str(site / "img" / "a.png")].action == "failed"
        assert "a symbolic link replaces a folder: not followed" in found[str(site / "img" / "a.png")].message
        assert not (out / "index.html").is_symlink()
        assert (out / "index.html").read_bytes() == DONE

    def test_excluded_files_are_copied(self, site, tmp_path):
        found = run([InputPath.of(str(site), tree_url=URL)], output=str(tmp_path / "out"), chosen=lambda _: False)
        assert tree(tmp_path / "out") == tree(site)
        assert found[str(site / "index.html")].action == "copied"

    def test_several_sources_arrive_under_their_names(self, site, tmp_path):
        other = tmp_path / "other.html"
        other.write_bytes(PAGE)
        out = tmp_path / "out"
        run([InputPath.of(str(site)), InputPath.of(str(other))], output=str(out), default_base=URL)
        arrived = tree(out)
        assert arrived["other.html"] == arrived["site/index.html"] == DONE
        assert sorted(path.name for path in out.iterdir()) == ["other.html", "site"]

    def test_a_document_that_is_too_large_is_copied_with_a_problem(self, site, tmp_path):
        out = tmp_path / "out"
        found = run([InputPath.of(str(site), tree_url=URL)], output=str(out), max_size=len(PAGE) - 1)
        assert tree(out) == tree(site)
        problems = found[str(site / "index.html")].problems
        assert [(problem.code, problem.message) for problem in problems] == [("too-large", "larger than 22 bytes")]

    def test_a_name_that_is_not_utf8(self, tmp_path):
        site, out = tmp_path / "site", tmp_path / "out"
        site.mkdir()
        (site / "caf\udce9.html").write_bytes(PAGE)
        (found,) = run([InputPath.of(str(site), tree_url=URL)], output=str(out)).values()
        assert found.url == URL + "caf%E9.html"
        assert [os.fsencode(path.name) for path in out.iterdir()] == [b"caf\xe9.html"]


class TestInPlace:
    def test_only_changed_files_are_written(self, site):
        before = {name: (site / name).stat() for name in ("plain.html", "img/a.png")}
        found = run([InputPath.of(str(site), tree_url=URL)], in_place=True)
        assert tree(site)["index.html"] == DONE
        assert sorted(outcome.action for outcome in found.values()) == ["converted", "same"]
        for name, status in before.items():
            assert (site / name).stat().st_ino == status.st_ino

    def test_twice_is_once(self, site):
        run([InputPath.of(str(site), tree_url=URL)], in_place=True)
        found = run([InputPath.of(str(site), tree_url=URL)], in_place=True)
        assert {outcome.action for outcome in found.values()} == {"same"}
        assert tree(site)["index.html"] == DONE

    def test_a_link_that_is_named_explicitly_is_followed(self, site, tmp_path):
        link = tmp_path / "link.html"
        link.symlink_to(site / "index.html")
        run([InputPath.of(str(link), tree_url=URL)], in_place=True)
        assert link.is_symlink()
        assert (site / "index.html").read_bytes() == DONE

    def test_a_file_that_was_written_to_meanwhile_stays(self, site, monkeypatch):
        write = atomic.write

        def interfere(target, *arguments, **keywords):
            with Path(target).open("ab") as file:
                file.write(b"mine")
            write(target, *arguments, **keywords)

        monkeypatch.setattr(atomic, "write", interfere)
        found = run([InputPath.of(str(site), tree_url=URL)], in_place=True)
        assert found[str(site / "index.html")].message == "changed while it was converted"
        assert (site / "index.html").read_bytes() == PAGE + b"mine"


class TestNothingWritten:
    @pytest.mark.parametrize("how", [{"in_place": True}, {"output": "out"}])
    def test_dry_run(self, site, tmp_path, how):
        how = {name: str(tmp_path / "out") if name == "output" else value for name, value in how.items()}
        before = tree(tmp_path)
        found = run([InputPath.of(str(site), tree_url=URL)], dry_run=True, **how)
        assert tree(tmp_path) == before
        assert found[str(site / "index.html")].rewritten == 1

    def test_diff(self, site):
        found = run([InputPath.of(str(site), tree_url=URL)], diff=True)
        assert b'-<a href="x.html">x</a>\n+<a href="https://example.com/s/x.html">x</a>\n' in (
            found[str(site / "index.html")].diff
        )
        assert found[str(site / "plain.html")].diff == b""

    def test_diff_of_utf16_is_text(self, tmp_path):
        page = tmp_path / "page.html"
        page.write_bytes('\ufeff<p>é\n<a href="x">'.encode("utf-16-le"))
        (found,) = run([InputPath.of(str(page), tree_url=URL)], diff=True).values()
        assert found.encoding == "utf-16le"
        assert '\n-<a href="x">' in found.diff.decode()


def test_references_to_files_of_the_tree_can_stay(site):
    (site / "index.html").write_bytes(
        b'<a href="plain.html#x"><a href="x.html"><a href="void/"><img src="/s/img/a.png">'
    )
    run([InputPath.of(str(site), tree_url=URL)], in_place=True, keep_existing=True)
    assert (site / "index.html").read_bytes() == (
        b'<a href="plain.html#x"><a href="https://example.com/s/x.html"><a href="https://example.com/s/void/">'
        b'<img src="/s/img/a.png">'
    )


@pytest.mark.parametrize(
    ("fault", "message"),
    [(RuntimeError, "internal error, please report it: RuntimeError: "), (MemoryError, "not enough memory")],
)
def test_a_fault_in_one_file_does_not_stop_the_others(site, monkeypatch, fault, message):
    document = reader.Document

    def explode(data, **keywords):
        if data == PAGE:
            raise fault
        return document(data, **keywords)

    monkeypatch.setattr(reader, "Document", explode)
    found = run([InputPath.of(str(site), tree_url=URL)], in_place=True)
    assert found[str(site / "index.html")].action == "failed"
    assert found[str(site / "index.html")].message == message
    assert found[str(site / "plain.html")].action == "same"


def test_an_unreadable_file_does_not_stop_the_others(site, monkeypatch):
    read = atomic.read

    def refuse(path, **keywords):
        if path.path.endswith("index.html"):
            raise PermissionError(13, "Permission denied", path.path)
        return read(path, **keywords)

    monkeypatch.setattr(atomic, "read", refuse)
    found = run([InputPath.of(str(site), tree_url=URL)], in_place=True)
    assert (found[str(site / "index.html")].action, found[str(site / "index.html")].message) == (
        "failed",
        "Permission denied",
    )
    assert found[str(site / "plain.html")].action == "same"


def test_an_output_that_cannot_be_written_names_the_target(site, tmp_path):
    out = tmp_path / "out"
    (out / "index.html" / "full").mkdir(parents=True)
    found = run([InputPath.of(str(site), tree_url=URL)], output=str(out))
    assert found[str(site / "index.html")].action == "failed"
    assert (out / "plain.html").exists()


def test_problems_are_counted_and_the_first_are_kept(tmp_path):
    page = tmp_path / "page.html"
    page.write_bytes(b'<a href="http://[">' * (REPORTED + 5))
    (found,) = run([InputPath.of(str(page), tree_url=URL)]).values()
    assert found.problem_count == REPORTED + 5
    assert len(found.problems) == REPORTED


def test_a_text_file_with_a_media_type_of_html_is_a_document(tmp_path):
    page = tmp_path / "page.txt"
    page.write_bytes(PAGE)
    assert run([InputPath.of(str(page), url=URL)]) == {}
    (found,) = run([InputPath.of(str(page), url=URL, media_type="text/html")]).values()
    assert found.rewritten == 1


def test_several_processes_have_the_same_result(tmp_path):
    site = tmp_path / "site"
    for number in range(120):
        folder = site / f"{number % 7}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.html").write_bytes(b'<a href="%d.html"><a href="http://[">' % number)
    one, two = tmp_path / "one", tmp_path / "two"
    sources = [InputPath.of(str(site), tree_url=URL)]
    alone = list(convert(sources, RunSettings(output=str(one))))
    together = list(convert(sources, RunSettings(output=str(two)), processes=2))
    assert together == alone
    assert tree(one) == tree(two)
    assert tree(one) != tree(site)


def test_a_converter_is_pickled_with_its_settings_alone():
    converter = Converter(RunSettings(options=Options(spec="rfc3986"), max_size=5))
    converter._ready.add("/somewhere")
    copy = pickle.loads(pickle.dumps(converter))  # noqa: S301
    assert copy.settings == converter.settings
    assert copy._ready == set()
