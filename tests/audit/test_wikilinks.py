"""Wikilinks are checked as the chosen program reads them, and never changed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import pytest
from support.growth import processor_limit

from linkfix import absolutize
from linkfix.auditing import AuditOptions, Finding, audit, fix_references
from linkfix.markdown import WIKIS
from linkfix.model import Wikilinks


def write(root: Path, files: Mapping[str, str]) -> None:
    """Write the files of a tree."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def findings(root: Path, program: str | None, files: Mapping[str, str], **options: object) -> tuple[Finding, ...]:
    """The findings in a tree."""
    write(root, files)
    return audit(str(root), AuditOptions(wikilinks=program, **options)).findings  # type: ignore[arg-type]


def brief(found: tuple[Finding, ...]) -> list[tuple[str, str]]:
    """The code and the reference of each finding."""
    return [(one.code, one.reference) for one in found]


#: The examples of Obsidian's help: "Internal links", "Embed files".
OBSIDIAN = {
    "Notes/Three laws of motion.md": "# Three laws of motion\n\n## Second law: F = ma?\n\n- a\n- b ^quote-of-the-day\n",
    "About/About Obsidian.md": "# About\n\n## Links are **first-class** citizens\n\nSetext [x](y.md)\n---\n",
    "About/y.md": "",
    "Attachments/Engelbart.jpg": "",
    "Document.pdf": "",
}


@pytest.mark.parametrize(
    "link",
    [
        "[[Three laws of motion]]",
        "[[three Laws of motion]]",
        "[[Three laws of motion.md]]",
        "[[Notes/Three laws of motion]]",
        "[[/Notes/Three laws of motion]]",
        "[[./Notes/Three laws of motion]]",
        "[[ Three laws of motion | label ]]",
        "[[Three laws of motion#Second law F = ma]]",
        "[[Three laws of motion#second law: f = MA?]]",
        "[[Three laws of motion#Three laws of motion#Second law F = ma]]",
        "[[Three laws of motion#^quote-of-the-day]]",
        "[[About Obsidian#Links are first-class citizens|Links]]",
        "[[About Obsidian#Links are **first-class** citizens]]",
        "[[About Obsidian#Setext x y.md]]",
        "[[#Own heading]]",
        "![[Engelbart.jpg]]",
        "![[Engelbart.jpg|100x145]]",
        "![[Document.pdf#page=3]]",
        "![[Three laws of motion#^quote-of-the-day]]",
        "[[https://obsidian.md]]",
        "[text](Notes/Three%20laws%20of%20motion.md#Second%20law%20F%20=%20ma?)",
        "`[[Gone]]`",
        "```\n[[Gone]]\n```",
        "    [[Gone]]",
        "\\[[Gone]]",
        "[[]]",
        "| a |\n|---|\n| [[Three laws of motion\\|laws]] |",
    ],
)
def test_links_of_obsidian_are_found(tmp_path: Path, link: str) -> None:
    """Names work in any folder and case, headings by their text, blocks by their ID; code has no links."""
    assert brief(findings(tmp_path, "obsidian", {**OBSIDIAN, "Home.md": f"# Own heading\n\n{link}\n"})) == []


@pytest.mark.parametrize(
    ("link", "code", "reference", "hint"),
    [
        ("[[Gone]]", "LF101", "Gone", None),
        ("[[Gone|label]]", "LF101", "Gone", None),
        ("![[Gone.jpg]]", "LF101", "Gone.jpg", None),
        ("[[me@example.org]]", "LF101", "me@example.org", None),
        ("[[Version 1.2]]", "LF101", "Version 1.2", None),
        ("| a |\n|---|\n| [[Gone\\|label]] |", "LF101", "Gone", None),
        ("[[Three-laws-of-motion]]", "LF101", "Three-laws-of-motion", "did you mean Notes/Three laws of motion.md?"),
        ("[[Three laws of motions]]", "LF101", "Three laws of motions", "did you mean Notes/Three laws of motion.md?"),
        (
            "[[About/Three laws of motion]]",
            "LF101",
            "About/Three laws of motion",
            "did you mean Notes/Three laws of motion.md?",
        ),
        ("![[Engelbart]]", "LF101", "Engelbart", "did you mean Attachments/Engelbart.jpg?"),
        ("[[Three laws of motion#Third law]]", "LF102", "Three laws of motion#Third law", None),
        (
            "[[Three laws of motion#three-laws-of-motion]]",
            "LF102",
            "Three laws of motion#three-laws-of-motion",
            "did you mean #three laws of motion?",
        ),
        ("[[#Gone]]", "LF102", "#Gone", None),
        ("[[Three laws of motion#^gone]]", "LF102", "Three laws of motion#^gone", None),
    ],
)
def test_missing_pages_and_headings_are_found(
    tmp_path: Path, link: str, code: str, reference: str, hint: str | None
) -> None:
    """A missing page is LF101 and a missing heading LF102; no hint is certain, and `--fix` writes nothing."""
    options = AuditOptions(wikilinks="obsidian")
    write(tmp_path, {**OBSIDIAN, "Home.md": f"# Own heading\n\n{link}\n"})
    result = audit(str(tmp_path), options)
    assert brief(result.findings) == [(code, reference)]
    found = result.findings[0].hint
    assert (found.text if found else None) == hint
    assert not (found and (found.certain or found.reference))
    assert list(fix_references(result, options)) == []


def test_the_finding_marks_the_page_in_the_brackets(tmp_path: Path) -> None:
    """The span is that of the reference, in any encoding, and the target shows the heading once."""
    text = "# É\n\né [[Gone#É|label]] [[#ô]]\n"
    (tmp_path / "Home.md").write_bytes(text.encode("windows-1252"))
    found = audit(str(tmp_path), AuditOptions(wikilinks="obsidian", charset="windows-1252")).findings
    data = text.encode("windows-1252")
    assert [data[one.start : one.end].decode("windows-1252") for one in found] == ["Gone#É", "#ô"]
    assert [one.message for one in found] == ["the site has no such file", "the page has no such heading"]
    assert found[1].target is not None
    assert found[1].target.endswith("/Home.md#%C3%B4")


#: A vault whose headings have the characters that Obsidian replaces in links.
VAULT = {
    "F/N.md": "# N\n\n## Tag #x y\n\n## A: b|c ^d %%e\n\n## See [[N]] now\n\ntext ^T-1\n",
    "F/a b.png": "",
    "two/D.md": "# D\n",
    "three/D.md": "# D\n",
}


@pytest.mark.parametrize(
    ("link", "broken"),
    [
        ("[[N#Tag x y]]", False),
        ("[[N#N#Tag x y]]", False),
        ("[[N#A b c d e]]", False),
        ("[[N#See N now]]", False),
        ("[[N#y]]", True),
        ("[m](N.md)", False),
        ("[m](n)", False),
        ("[m](F/N.md)", False),
        ("![m](a%20b.png)", False),
        ("[m]: <a b.png>", False),
        ("[m](N.md#^T-1)", False),
        ("[m](N.md#%5Et-1)", False),
        ("[m](N.md#Tag%20x%20y)", False),
        ("[m](D.md#gone)", False),
        ("[m](N.md#gone)", True),
        ("[m](N.md#^gone)", True),
        ("[m](Gone.md)", True),
        ("[m](./N.md)", True),
        ("[m](G/N.md)", True),
        ("<a href=N.md>m</a>", True),
    ],
)
def test_links_of_markdown_find_the_files_of_a_vault(tmp_path: Path, link: str, broken: bool) -> None:
    """A file is found by its name, a heading by its text, and a block by its ID."""
    assert bool(findings(tmp_path, "obsidian", {**VAULT, "G/p.md": link})) is broken


@pytest.mark.parametrize(
    ("program", "number"), [("obsidian", 0), ("quartz", 0), ("github", 1), ("mkdocs", 1), (None, 1)]
)
def test_only_programs_with_vaults_find_files_by_name_in_links(tmp_path: Path, program: str, number: int) -> None:
    """For others, a link of Markdown is a path."""
    assert len(findings(tmp_path, program, {**VAULT, "G/p.md": "[m](N.md)"})) == number


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("%% [[c]] [d](e.md) %% [[ok]]", ["ok"]),
        ("%%\n[[c]]\n\n- [[d]]\n%%\n[[ok]]", ["ok"]),
        ("%%a%% [[ok]] %%b%%", ["ok"]),
        ("100 %% [[ok]]", ["ok"]),
        ("`%%` [[ok]] `%%`", ["ok"]),
        ("$[[x]]$ $$[[y]]$$ [[ok]]", ["ok"]),
        ("$$\n[[x]]\n\n[[y]]\n$$\n\n[[ok]]", ["ok"]),
        ("$5 [[ok]] for $6", ["ok"]),
        ("\\$$ [[ok]] \\$$", ["ok"]),
    ],
)
def test_comments_and_math_have_no_links(tmp_path: Path, text: str, links: list[str]) -> None:
    """Obsidian shows no comment, and reads no link in math."""
    assert [one.reference for one in findings(tmp_path, "obsidian", {"p.md": text})] == links


def test_links_to_one_of_several_files_are_found_without_their_heading(tmp_path: Path) -> None:
    """Programs choose differently between files with one name; a path from the root is certain."""
    files = {"a/Note.md": "# A\n", "b/note.md": "# B\n", "Home.md": "[[Note#Gone]] [[a/Note#Gone]] [[/b/note#B]]\n"}
    assert brief(findings(tmp_path, "obsidian", files)) == [("LF102", "a/Note#Gone")]


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("[[Page Name]]", []),
        ("[[page-name]]", []),
        ("[[Label|Page Name]]", []),
        ("[[Label|Page-Name#a-heading]]", []),
        ("[[Label|Page-Name#A text]]", [("LF102", "Page-Name#A text")]),
        ("[[Page Name|Label]]", [("LF101", "Label")]),
        ("[[image.png|alt=a|width=100px]]", []),
        ("[[gone.png|alt=a]]", [("LF101", "gone.png")]),
        ("[[Paper|paper.pdf]]", []),
        ("[[Other Format]]", []),
        ("[[Label|https://example.org/]]", []),
        ("[[_TOC_]] [[_]] '[[Escaped]]'", []),
        ("[[include:Gone]]", [("LF101", "Gone")]),
    ],
)
def test_wikis_of_hosts_have_the_label_first(tmp_path: Path, link: str, expected: list[tuple[str, str]]) -> None:
    """The examples of Gollum's wiki: tags of links, files and images."""
    files = {"Page-Name.md": "# A heading\n", "image.png": "", "paper.pdf": "", "Other-Format.rst": "", "Home.md": link}
    assert brief(findings(tmp_path, "github", files)) == expected


@pytest.mark.parametrize("has_settings", [True, False])
def test_plugins_of_mkdocs_find_names_without_separators(tmp_path: Path, has_settings: bool) -> None:
    """The examples of the README of mkdocs-ezlinks."""
    links = "[[Page Name]] ![[Puppy]] [[Page Name#Section Heading|Link Text]] [[folder2/page_name]] [[Page Name#Gone]]"
    files = {
        "docs/folder1/main.md": links,
        "docs/folder2/page-name.md": "# P\n\n## Section Heading\n",
        "docs/images/puppy.png": "",
    }
    if has_settings:
        files["mkdocs.yml"] = "site_name: x\nplugins: [ezlinks]\n"
    write(tmp_path, files)
    found = audit(str(tmp_path / "docs"), AuditOptions(wikilinks="mkdocs")).findings
    assert brief(found) == [("LF102", "Page Name#Gone")]


def test_quartz_makes_slugs_of_names_and_headings(tmp_path: Path) -> None:
    """`Path to file` is `Path-to-file.md` as well; folders have pages, and blocks have IDs."""
    links = "[[Path to file]] [[path-to-file#My Heading]] [[Path to file#my-heading]] [[Path to file#^b1]] [[notes/]]"
    files = {"notes/Path-to-file.md": "# My Heading\n\ntext ^b1\n", "Home.md": f"{links} [[Path to file#Gone]]\n"}
    assert brief(findings(tmp_path, "quartz", files)) == [("LF102", "Path to file#Gone")]


def test_wikilinks_are_text_by_default(tmp_path: Path) -> None:
    """Without the option, nothing is checked."""
    write(tmp_path, {"Home.md": "[[Gone]] ![[gone.png]]\n"})
    result = audit(str(tmp_path), AuditOptions())
    assert result.findings == ()
    assert result.coverage.links == 0


def test_an_inferred_url_of_the_site_hides_no_missing_page(tmp_path: Path) -> None:
    """A wikilink has no URL of its own that may belong to another site."""
    files = {"index.html": '<link rel="canonical" href="https://site.example/">', "Home.md": "[[Gone]]\n"}
    assert brief(findings(tmp_path, "obsidian", files)) == [("LF101", "Gone")]


def test_one_file_under_two_names_has_the_links_of_each(tmp_path: Path) -> None:
    """Relative paths start in the folder of each name."""
    write(tmp_path, {"a/Home.md": "[[./Beside]]\n", "a/Beside.md": "", "b/keep.txt": ""})
    (tmp_path / "b" / "Home.md").hardlink_to(tmp_path / "a" / "Home.md")
    found = audit(str(tmp_path), AuditOptions(wikilinks="obsidian")).findings
    assert [(one.path, one.reference) for one in found] == [("b/Home.md", "./Beside")]


def test_absolutize_leaves_wikilinks_as_they_are() -> None:
    """No command but the audit reads them."""
    page = b"[[Page]] [[Page|x]] ![[image.png]] [a](b.md)\n"
    converted = absolutize(page, "https://site.example/", media_type="text/markdown")
    assert converted == page.replace(b"b.md", b"https://site.example/b.md")


@pytest.mark.parametrize("unit", ["%%", "$", "$$a", "%%[[", "[[", "[[a|", "![[", "[[a", "[[a]", "]]", "[[|"])
def test_hostile_brackets_take_linear_time(tmp_path: Path, unit: str) -> None:
    """A million brackets without an end are read at once."""
    write(tmp_path, {"Home.md": unit * (1_000_000 // len(unit))})
    start = time.process_time()
    audit(str(tmp_path), AuditOptions(wikilinks="obsidian"))
    assert time.process_time() - start < 20


def test_the_option_has_the_programs_of_the_table() -> None:
    """Each choice has its rules."""
    assert get_args(Wikilinks) == tuple(WIKIS)


@pytest.mark.growth
def test_a_page_with_very_many_nested_wikilinks_is_skipped_in_bounded_time(tmp_path):
    """The parser takes quadratic time for them: minutes for this page."""
    with processor_limit(8):
        (one,) = findings(tmp_path, "obsidian", {"a.md": "![[N#h" * 200_000 + "]]" * 200_000})
    assert (one.code, "more than 1,000 wikilinks begin in one another" in one.message) == ("LF901", True)


def test_nested_wikilinks_are_counted_to_the_end_of_their_paragraph(tmp_path):
    (one,) = findings(tmp_path, "obsidian", {"a.md": "[[x\n\n" * 2000 + "[[gone]]"})
    assert (one.code, one.reference) == ("LF101", "gone")
