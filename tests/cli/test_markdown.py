from __future__ import annotations

import pytest
from support.running import run


@pytest.fixture(autouse=True)
def docs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "README.md").write_text("# A\n# A\n\n[b](b.md) [one](#a-1) ![c](<c d.png>)\n")
    return tmp_path / "docs"


def test_absolutize_writes_a_named_file_with_absolute_links():
    result = run("absolutize", "docs/README.md", "--url", "https://x.example/y/README.md")
    assert result.exit_code == 0
    assert result.stdout == (
        "# A\n# A\n\n[b](https://x.example/y/b.md) [one](#a-1) ![c](<https://x.example/y/c%20d.png>)\n"
    )


def test_absolutize_copies_it_in_a_folder(docs):
    result = run("absolutize", "docs", "--root-url", "https://x.example/", "--output", "out")
    assert result.exit_code == 0
    assert (docs.parent / "out" / "README.md").read_bytes() == (docs / "README.md").read_bytes()


def test_links_of_a_named_file():
    result = run("links", "docs/README.md", "--url", "https://x.example/")
    assert result.stdout.splitlines() == [
        "docs/README.md:4:5 a[href] b.md -> https://x.example/b.md",
        "docs/README.md:4:17 a[href] #a-1 -> https://x.example/#a-1",
        "docs/README.md:4:29 img[src] c d.png -> https://x.example/c%20d.png",
    ]


@pytest.mark.parametrize(("options", "reported"), [((), 2), (("--heading-ids", "mkdocs"), 3)])
def test_audit(options, reported):
    result = run("audit", "docs", *options)
    assert result.exit_code == 1
    assert f"{reported} errors" in result.stderr + result.stdout


def test_the_scheme_can_be_set_in_a_file(tmp_path):
    (tmp_path / "linkfix.toml").write_text('[audit]\nheading-ids = "mkdocs"\n')
    assert "3 errors" in run("audit", "docs").output


def test_an_unknown_scheme():
    result = run("audit", "docs", "--heading-ids", "gitea")
    assert result.exit_code == 2
    names = "'github', 'gitlab', 'bitbucket', 'mkdocs', 'pandoc', 'vitepress', 'any'"
    assert f"'gitea' is not one of {names}" in result.stderr
