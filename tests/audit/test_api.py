"""The audit as a function of the library."""

from __future__ import annotations

import zipfile

import pytest

import linkfix

PAGE = '<!DOCTYPE html><title>x</title><a href="gone.html">1</a><a href="#no">2</a>'


def test_the_findings_of_a_folder(tmp_path):
    (tmp_path / "index.html").write_text(PAGE)
    sizes = []
    result = linkfix.audit(tmp_path, root_url="https://h.example/", progress=lambda *size: sizes.append(size))
    found = [(one.code, one.path, one.line, one.reference, one.target) for one in result.findings]
    assert found == [
        ("LF101", "index.html", 1, "gone.html", "https://h.example/gone.html"),
        ("LF102", "index.html", 1, "#no", "https://h.example/#no"),
    ]
    assert {one.level for one in result.findings} == {"error"}
    assert sizes == [(len(PAGE), 2)]
    assert [one.code for one in linkfix.audit(str(tmp_path), ignore=("LF102",)).findings] == ["LF101"]


def test_the_findings_of_an_archive(tmp_path):
    path = tmp_path / "page.htz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("index.html", PAGE)
    result = linkfix.audit(path)
    assert [one.path for one in result.findings] == ["page.htz!index.html"] * 2
    assert (result.root, result.archive) == (str(tmp_path), "page.htz")
    path.write_bytes(path.read_bytes()[:-30])
    problems = []
    assert [one.code for one in linkfix.audit(path, note=problems.append).findings] == ["LF901"]
    assert [problem.code for problem in problems] == ["container-damaged"]


@pytest.mark.parametrize("name", ["missing", "page.html"])
def test_another_file_is_a_mistake(tmp_path, name):
    (tmp_path / "page.html").write_text(PAGE)
    with pytest.raises(linkfix.InvalidOption, match=r"does not exist|neither a folder nor an archive"):
        linkfix.audit(tmp_path / name)


def test_a_wrong_option_is_a_mistake(tmp_path):
    with pytest.raises(linkfix.InvalidOption, match="include"):
        linkfix.audit(tmp_path, include="docs/")


@pytest.mark.parametrize(
    ("keyword", "message"),
    [
        ("root", "did you mean 'root_url'?"),
        ("jobs", "did you mean 'processes'?"),
        ("mount", "did you mean 'mounts'?"),
        ("index", "did you mean 'indexes'?"),
        ("replace", "did you mean 'replacements'?"),
        ("row", "write options=linkfix.Options(rows=…)"),
        ("spec", "write options=linkfix.Options(spec=…)"),
        ("xyzzy", "the keywords are root_url, progress, note, select, "),
    ],
)
def test_an_unknown_keyword_is_told(tmp_path, keyword, message):
    with pytest.raises(TypeError) as caught:
        linkfix.audit(tmp_path, **{keyword: 1})
    assert str(caught.value).startswith(f"unexpected keyword argument {keyword!r}: {message}")


@pytest.mark.parametrize(
    ("path", "error", "message"),
    [
        ("", linkfix.InvalidOption, 'the path of the folder is empty: write "." for the current folder'),
        (None, TypeError, "the path of the folder or archive must be a str, not NoneType"),
        (b"/tmp", TypeError, "the path of the folder or archive must be a str, not bytes: decode it first"),
    ],
)
def test_a_wrong_path_is_told(path, error, message):
    with pytest.raises(error) as caught:
        linkfix.audit(path)
    assert str(caught.value) == message
