"""The links of Pelican's sources."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec

import pytest
from support.audit_trees import write
from support.running import ENVIRONMENT

from linkfix.auditing import AuditOptions, audit
from linkfix.auditing.generators.formats import SPREAD, read_text

MADE = "made by the site generator"
SETTINGS = """\
SITENAME = "Lamp"
SITEURL = ""
PATH = "content"
TIMEZONE = "UTC"
THEME_STATIC_DIR = "t"
"""
HEAD = "Title: {}\nDate: 2026-01-0{}\nCategory: posts\n\n"

#: References to a source or a file that Pelican finds, and those that it does not find.
FOUND = (
    "{filename}two.md {filename}/pages/about.md {filename}two.md?a=b {filename}two.md#part {filename}../pages/about.md"
    " |filename|two.md {filename}with%20space.md {filename}sub/three.md {static}/images/a.png {static}../images/a.png"
    " {attach}b.png {filename}/images/a.png {static}/extra/c.txt"
).split()
MISSING = (
    "{filename}gone.md {filename}/gone.md {filename}../gone.md |filename|gone.md {filename}../../README.md"
    " {filename}/../README.md {foo}two.md {filename}about.md"
).split()

#: References to what Pelican makes.
OF_PELICAN = "{tag}any {category}any {author}any {index} /two.html".split()

_NEEDS_PELICAN = pytest.mark.skipif(
    find_spec("pelican") is None or find_spec("markdown") is None,
    reason="needs Pelican (pip install 'pelican[markdown]')",
)


def links(references):
    return "".join(f"[x](<{one}>)\n" for one in references)


def files(references):
    return {
        "pelicanconf.py": SETTINGS,
        "README.md": "[plain](content/posts/two.md)\n",
        "content/posts/one.md": HEAD.format("One", 1) + links(references),
        "content/posts/two.md": HEAD.format("Two", 2) + '<i id="part">\n<a href="{filename}one.md">x</a>\n',
        "content/posts/with space.md": HEAD.format("Space", 3),
        "content/posts/sub/three.md": HEAD.format("Three", 4),
        "content/posts/b.png": b"x",
        "content/pages/about.md": "Title: About\n\nx\n",
        "content/images/a.png": b"x",
        "content/extra/c.txt": b"x",
    }


def found(folder, tree, **options):
    return audit(str(folder / tree), AuditOptions(**options))


@pytest.mark.parametrize("tree", ["", "content"])
def test_links_lead_to_sources_by_their_marks(tmp_path, tree):
    write(tmp_path, files([*FOUND, *MISSING, *OF_PELICAN, "{attach}/b.png", "two.html"]))
    result = found(tmp_path, tree)
    assert {one.reference for one in result.findings} == {*MISSING, "{attach}/b.png"}
    assert {one.code for one in result.findings} == {"LF101"}
    assert result.coverage.unchecked[MADE] == len(OF_PELICAN)


def test_a_part_of_the_folder_knows_that_the_rest_is_outside(tmp_path):
    write(tmp_path, files([*FOUND, "{filename}gone.md"]))
    result = found(tmp_path, "content/posts")
    assert [one.reference for one in result.findings] == ["{filename}gone.md"]
    assert result.coverage.unchecked["outside the folder"] == sum("/" in one.replace("sub/", "") for one in FOUND)


@_NEEDS_PELICAN
def test_a_real_build_leaves_the_same_links(tmp_path):
    write(tmp_path, files([*FOUND, *MISSING, *OF_PELICAN, "{static}two.md"]))
    command = [sys.executable, "-m", "pelican", "--quiet"]
    subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, check=True)
    built = (tmp_path / "output/one.html").read_text()
    assert sorted(re.findall(r'="([{|][^"]*)"', built)) == sorted([*MISSING, "{static}two.md"])


def test_a_link_without_a_mark_leads_to_no_source(tmp_path):
    write(tmp_path, files(["two.md#part", "/posts/two.md", "gone.md"]))
    result = found(tmp_path, "content")
    assert [one.reference for one in result.findings] == ["two.md#part", "/posts/two.md", "gone.md"]
    hint = result.findings[0].hint
    assert hint is not None
    assert hint.text == "the generator writes the URL of the page of posts/two.md only for {filename}two.md#part"
    assert hint.reference == "{filename}two.md#part"


@pytest.mark.parametrize(("setting", "are_copied"), [("", False), ("STATIC_EXCLUDE_SOURCES = False\n", True)])
def test_a_source_is_no_file_that_is_copied(tmp_path, setting, are_copied):
    wrong = ["{static}two.md", "{attach}/pages/about.md#x", "|static|two.rst"]
    tree = files([*wrong, "{static}/notes.mdx"])
    tree |= {"pelicanconf.py": SETTINGS + setting, "content/posts/two.rst": "", "content/notes.mdx": ""}
    write(tmp_path, tree)
    result = found(tmp_path, "content").findings
    hints = [one.hint.reference for one in result if one.code == "LF101" and one.hint is not None]
    assert hints == ["{filename}two.md", "{filename}/pages/about.md#x", "{filename}two.rst"] * (not are_copied)


def test_fragments_and_hints_keep_the_mark(tmp_path):
    write(tmp_path, files(["{filename}two.md#no", "{filename}twoo.md"]))
    fragment, name = found(tmp_path, "content").findings
    assert (fragment.code, fragment.target) == ("LF102", "http://tree.invalid/posts/two.md#no")
    assert name.hint is not None
    assert name.hint.reference == "{filename}two.md"


@pytest.mark.parametrize(
    ("setting", "missing"),
    [
        ("", ["#glaze", "#Glaze"]),
        ("MARKDOWN = {'extension_configs': {'markdown.extensions.toc': {}}}", ["#Glaze"]),
        ("PLUGINS = ['x']", ["#Glaze"]),
    ],
)
def test_headings_have_no_ids_without_the_extension_toc(tmp_path, setting, missing):
    text = HEAD.format("One", 1) + "## Glaze\n## Fire {#kiln}\n[a](#glaze) [b](#Glaze) [c](#kiln)\n"
    write(tmp_path, {"pelicanconf.py": f"{SETTINGS}{setting}\n", "content/one.md": text})
    result = audit(str(tmp_path / "content"), AuditOptions(select=("LF102",)))
    assert [one.reference for one in result.findings] == missing
    assert [one.hint is not None and one.hint.certain for one in result.findings] == [bool(setting)] * len(missing)


@_NEEDS_PELICAN
def test_a_real_build_gives_headings_only_stated_ids(tmp_path):
    text = HEAD.format("One", 1) + "## Glaze\n\n## Fire {#kiln}\n"
    write(tmp_path, {"pelicanconf.py": SETTINGS, "content/one.md": text})
    command = [sys.executable, "-m", "pelican", "--quiet"]
    subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, check=True)
    built = (tmp_path / "output/one.html").read_text()
    assert "<h2>Glaze</h2>" in built
    assert '<h2 id="kiln">Fire</h2>' in built


def test_the_case_of_a_file_is_fixed_after_the_mark(tmp_path):
    wrong = ["{static}/images/A.png?x", "|filename|Two.md#part", "{attach}B.png"]
    write(tmp_path, files(wrong))
    hints = [one.hint for one in found(tmp_path, "content").findings]
    assert [(one.reference, one.certain) for one in hints] == [
        ("{static}/images/a.png?x", True),
        ("|filename|two.md#part", True),
        ("{attach}b.png", True),
    ]


@pytest.mark.parametrize(("tree", "site"), [("", None), ("content", None), ("content", "pelican")])
def test_sources_without_settings(tmp_path, tree, site):
    write(tmp_path, files([*FOUND, *MISSING]))
    (tmp_path / "pelicanconf.py").unlink()
    result = found(tmp_path, tree, site=site)
    assert {one.reference for one in result.findings} == set(MISSING)


def test_without_a_path_any_folder_around_may_be_the_content(tmp_path):
    parts = {name.replace("content/", "texts/"): text for name, text in files([*FOUND, "{filename}gone.md"]).items()}
    write(tmp_path, parts | {"pelicanconf.py": SETTINGS.replace('PATH = "content"', "")})
    assert [one.reference for one in found(tmp_path, "texts").findings] == ["{filename}gone.md"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("A = 'a'\nB = True\nC = ['c']\nD = 1\n", {"A": "a", "B": True, "C": None, "D": None}),
        ("A = B = 'a'\n", {"A": "a", "B": "a"}),
        ("A = 'a'\nif x:\n    A = 'b'\n", {"A": None}),
        ("A = 'a'\nA += 'b'\n", {"A": None}),
        ("A = 'a'\nfrom x import *\nB = 'b'\n", {SPREAD: None, "B": "b"}),
        ("A = '\\d'\n", {"A": "\\d"}),
        ("A = 'a\n", {SPREAD: None}),
        ("A = '\0'\n", {SPREAD: None}),
        pytest.param("A = " + "-" * 200_000 + "1", {SPREAD: None}, id="minus"),
        pytest.param("A = a" + ".a" * 100_000, {SPREAD: None}, id="attributes"),
        pytest.param("A = " + "(" * 100_000, {SPREAD: None}, id="parentheses"),
    ],
)
def test_variables_of_python_are_read_and_never_run(text, values):
    assert read_text("pelicanconf.py", text) == values


def test_settings_that_python_cannot_read(tmp_path):
    write(tmp_path, files(["{filename}two.md"]) | {"pelicanconf.py": "A = 1\nPATH = 'content\n"})
    (finding,) = found(tmp_path, "content").findings
    assert (finding.code, finding.line) == ("LF904", 2)
    assert finding.message == "the file is not valid Python: unterminated string literal (detected at line 2)"
