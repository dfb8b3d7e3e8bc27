"""Links in sources of mdBook: what mdBook 0.5 makes of them."""

from __future__ import annotations

import time

import pytest
from support.audit_trees import write

from linkfix.auditing import AuditOptions, audit

SUMMARY = "# Summary\n[Lamp](README.md)\n- [A](./a.md)\n- [Sub](sub/README.md)\n  - [B](sub/b%20c.md)\n- [Draft]()\n"

FILES = {
    "book.toml": '[book]\ntitle = "Lamp"\n',
    "src/SUMMARY.md": SUMMARY,
    "src/README.md": "# Lamp\n",
    "src/unlisted.md": "# U\n[x](gone.md)\n",
    "src/sub/README.md": "# Sub\n## Part\n",
    "src/sub/b c.md": "# B\n",
    "src/pic.png": b"x",
}

RIGHT = [
    *("index.md", "index.html", "sub/index.md", "sub/", "sub/b%20c.md", "sub/b%20c.html", "/sub/b%20c.html"),
    *("pic.png", "sub/index.md#part", "#a"),
]

WRONG = {
    "README.md": ("the page of README.md is at /", "index.md"),
    "sub/README.md#part": ("the page of sub/README.md is at /sub/", "sub/index.md#part"),
    "sub/README.html": ("the page of sub/README.md is at /sub/", "sub/index.md"),
    "unlisted.md": ("no page is made of unlisted.md", None),
    "unlisted.html": ("no page is made of unlisted.md", None),
    "SUMMARY.md": ("no page is made of SUMMARY.md", None),
}


def findings(folder, text, tree="src", **files):
    """The reference of each finding, with the text and the reference of its hint."""
    write(folder, {**FILES, "src/a.md": text, **files})
    found = audit(str(folder / tree), AuditOptions(select=("LF101",))).findings
    return {one.reference: (one.hint.text, one.hint.reference) if one.hint else None for one in found}


def test_pages_are_those_of_the_summary_and_readme_is_the_index(tmp_path):
    text = "# A\n" + "".join(f"[x]({one})\n" for one in (*RIGHT, *WRONG))
    assert findings(tmp_path, text) == WRONG


def test_in_the_whole_project(tmp_path):
    text = "# A\n" + "".join(f"[x]({one})\n" for one in (*RIGHT, *WRONG))
    assert set(findings(tmp_path, text, "")) == set(WRONG)


def test_without_the_usual_preprocessors_readme_is_a_page(tmp_path):
    settings = f"{FILES['book.toml']}[build]\nuse-default-preprocessors = false\n"
    assert findings(tmp_path, "[x](README.md) [x](unlisted.md)", **{"book.toml": settings}).keys() == {"unlisted.md"}


def test_without_a_summary_every_source_may_be_a_page(tmp_path):
    files = {"book.toml": "[book]\n", "src/a.md": "[x](b.md) [x](gone.md)", "src/b.md": "# B\n"}
    write(tmp_path, files)
    assert [one.reference for one in audit(str(tmp_path / "src"), AuditOptions()).findings] == ["gone.md"]


def test_the_folder_of_the_settings(tmp_path):
    files = {"book.toml": "[book]\nsrc = 'text'\n", "text/SUMMARY.md": "[A](a.md)\n", "text/a.md": "[x](b.md)"}
    write(tmp_path, {**files, "text/b.md": "# B\n"})
    assert [one.reference for one in audit(str(tmp_path / "text"), AuditOptions()).findings] == ["b.md"]


def test_destinations_of_the_summary_are_those_of_commonmark(tmp_path):
    summary = (
        "- [A](a.md)\n- [B](<b c.md>)\n- [C](sub/c_\\(1\\).md 'C')\n- [D][d]\n<!-- [E](e.md) -->\n\n[d]: d&amp;.md\n"
    )
    files = {f"src/{name}": "[x](gone.md)" for name in ("b c.md", "sub/c_(1).md", "d&.md", "e.md")}
    text = "[b](<b c.md>) [c](sub/c_(1).html) [d](d&.md) [e](e.md)"
    found = findings(tmp_path, text, **{"src/SUMMARY.md": summary, **files})
    assert list(found) == ["e.md", "gone.md"]


@pytest.mark.parametrize(("setting", "is_written"), [("", True), ("create-missing = false\n", False)])
def test_missing_chapters_are_written_by_a_setting(tmp_path, setting, is_written):
    settings = f"{FILES['book.toml']}[build]\n{setting}"
    summary = f"{SUMMARY}- [New](sub/new.md)\n- [Misspelled](unlistd.md)\n"
    found = findings(tmp_path, "[x](sub/new.md) [x](none.md)", **{"book.toml": settings, "src/SUMMARY.md": summary})
    written = "the next build writes this chapter, with its title alone, unless build.create-missing is false"
    assert found == {
        "sub/new.md": (written, None) if is_written else None,
        "unlistd.md": ("did you mean unlisted.md?", "unlisted.md"),
        "none.md": None,
    }


@pytest.mark.parametrize("tree", ["src", ""])
def test_targets_of_redirects_are_checked_as_from_the_page(tmp_path, tree):
    redirects = {
        "/old.html": "a.html",
        "/s/1.html": "../sub/b%20c.html",
        "/s/2.html": "a.html",
        "3.html": "/gone.html",
        "/4.html": "https://e.example/",
        "/5.html": "old.html",
        "/6.html": "sub/README.html",
    }
    table = "".join(f'"{page}" = "{target}"\n' for page, target in redirects.items())
    settings = f"{FILES['book.toml']}[output.html.redirect]\n{table}[output.html]\n'x' = 'no.html'\n"
    found = findings(tmp_path, "# A\n", tree, **{"book.toml": settings})
    assert found.keys() == {"a.html", "/gone.html", "sub/README.html"}


def test_many_redirects_take_linear_time(tmp_path):
    start = time.process_time()
    for unit in ('"/a" = "b"\n', '"', "[output.html.redirect]\n", '"a" =  ', "\n "):
        findings(
            tmp_path,
            "# A\n",
            **{"book.toml": "[output.html.redirect]\n" + unit * (100_000 // len(unit) if "b" not in unit else 500)},
        )
    assert time.process_time() - start < 10
