"""The report of a first run on a folder: causes, the options that solve them, and a table of URLs to fill in."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile

import pytest
from support.running import run

from linkfix import PROBLEMS

LINKS = b'<a href="x">x</a> <img src="/y.png">'
CANONICAL = b'<link rel=canonical href="https://c.example/p"><a href="x">x</a>'
WAYBACK = b"""<script>__wm.wombat("http://h.example/p","20150101000000","https://web.archive.org/","web","/_static/");</script>
<a href="/web/20150101000000/http://h.example/q">q</a>"""

#: Arguments -> the beginning of the message.
MISTAKES = {
    "site --write-url-map urls.csv": "urls.csv already exists: give it to --url-map",
    "site --write-url-map no/urls.csv": "no/urls.csv is in no existing folder",
    "site --write-url-map - --dry-run": "--write-url-map - prints to standard output",
    "site/0.html -o x.html --write-url-map x.html": "x.html is the output too, or in its folder: give",
    "site/0.html -o x.html --write-url-map site/../x.html": "site/../x.html is the output too",
    "site -o site/c --write-url-map site/c/u.csv": "site/c/u.csv is the output too, or in its folder",
    "- --write-url-map u.csv": "--write-url-map cannot be used for standard input: give --url",
}


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Pages of which nobody knows the URLs: 60 in firefox/, 30 in wget/ and 14 elsewhere."""
    monkeypatch.chdir(tmp_path)
    for folder, count in {"firefox": 60, "wget": 30, "a/b": 8, "c": 4, "": 2}.items():
        (tmp_path / "site" / folder).mkdir(parents=True, exist_ok=True)
        for number in range(count):
            (tmp_path / "site" / folder / f"{number}.html").write_bytes(LINKS)
    return tmp_path / "site"


def report(*arguments):
    return run("absolutize", *arguments).stderr.splitlines()


class TestCauses:
    def test_pages_without_a_url_have_one_line(self, site):
        heading, hint, summary = report("site", "--dry-run")
        assert heading == (
            "104 files have no known URL (firefox/ 60, wget/ 30, a/ 8, …), so 208 links stay relative [no-base]"
        )
        assert hint.startswith("    hint: give --root-url, --url-map or --default-base; --write-url-map FILE writes ")
        assert summary.startswith("104 files, 208 links, 0 to make absolute, 208 problems in ")
        assert summary.endswith(" s: 208 no-base")

    def test_full_prints_each(self, site):
        lines = report("site", "--dry-run", "--full")
        assert len([line for line in lines if line.endswith("[no-base]") and line.startswith("site/")]) == 208
        assert lines[-2].startswith("hint: no-base: give --root-url, ")

    def test_other_causes_have_places_of_several_files(self, site):
        for number in range(30):
            (site / "firefox" / f"{number}.html").write_bytes(b"<a href='http://[%d'><a href='http://[x'>" % number)
        lines = report("site", "--root-url", "https://h/", "--dry-run")
        assert lines[:4] == [
            f"60 problems in 30 files (firefox/): {PROBLEMS['unresolvable']} [unresolvable]",
            *(f"site/firefox/{number}.html:1:10: http://[{number} [unresolvable]" for number in (0, 1, 10)),
        ]

    def test_a_few_problems_have_a_line_each(self, site):
        (site / "c" / "0.html").write_bytes(b"<a href='http://['>")
        lines = report("site", "--root-url", "https://h/", "--dry-run")
        assert lines[0] == f"site/c/0.html:1:10: {PROBLEMS['unresolvable']}: http://[ [unresolvable]"
        assert len(lines) == 2

    def test_no_report_has_more_than_forty_lines(self, site):
        page = b"".join(
            [
                *(b"<a href='http://[%d'><a href='{{%d}}'><img srcset='a b%d'>" % (n, n, n) for n in range(50)),
                b"<style>a{b:url(a b)}</style>" * 9,
                b"<base href='data:,x'>",
            ]
        )
        for number in range(50):
            (site / f"p{number}.html").write_bytes(page)
            (site / f"bad{number}.html").symlink_to("/etc")
            (site / f"zip{number}.epub").write_bytes(LINKS)
        lines = report("site", "--dry-run")
        assert 20 < len(lines) <= 40
        assert "45 more such messages: --full prints each" in lines
        assert re.search(r" s: (?=.* no-base)(?=.* unresolvable)(?=.* template-syntax)", lines[-1])
        assert len(report("site", "--dry-run", "--full")) > 1000

    def test_options_that_would_find_urls_are_counted(self, site):
        (site / "c" / "0.html").write_bytes(CANONICAL)
        (site / "c" / "h.example").mkdir()
        for number in range(2):
            (site / "c" / "h.example" / f"{number}.html").write_bytes(LINKS)
        (site / "c" / "h.example" / "robots.txt").touch()
        hint = report("site", "--dry-run")[1]
        assert "; --layout auto would find 2 of the URLs; --trust-canonical would find 1 of the URLs (a guess);" in hint

    def test_several_paths_are_named_whole(self, site):
        heading, hint, *_ = report("site/firefox", "site/c", "--dry-run")
        assert "(site/firefox/ 60, site/c/ 4)" in heading
        assert "--url-map" in hint

    def test_relative_and_absolute_paths_share_no_folder(self, site):
        heading = report("site/c", site / "firefox", "--dry-run")[0]
        assert f"have no known URL ({site}/firefox/ 60, site/c/ 4), so" in heading
        heading = report("site/c", site / "firefox", site / "wget", "--dry-run")[0]
        assert f"({site}/firefox/ 60, {site}/wget/ 30, site/c/ 4)" in heading

    def test_documents_of_a_container_are_counted(self, site):
        rdf = '<RDF:RDF xmlns:M="http://maf.mozdev.org/metadata/rdf#" '
        rdf += 'xmlns:RDF="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        rdf += '<RDF:Description><M:originalurl RDF:resource="http://h.example/"/></RDF:Description></RDF:RDF>'
        with zipfile.ZipFile(site / "firefox" / "m.maff", "w") as archive:
            archive.writestr("1/index.rdf", rdf)
            for folder in ("1", "2", "3"):
                archive.writestr(f"{folder}/index.html", LINKS)
        heading = report("site/firefox", "--dry-run")[0]
        assert heading.startswith("62 documents in 61 files have no known URL, so 124 links stay relative")

    def test_quiet_runs_and_json_stay(self, site):
        assert run("absolutize", "site", "--dry-run", "--quiet").stderr == ""
        whole = json.loads(run("absolutize", "site", "--dry-run", "--format", "json").stdout)
        assert sum(len(file["problems"]) for file in whole["files"]) == 208

    def test_a_message_that_names_its_option_needs_no_hint(self, site):
        (site / "m.eml").write_bytes(b"Content-Type: text/html\n\n<a href=x>")
        lines = report("site/m.eml")
        assert [line.rpartition(" ")[2] for line in lines[:-1]] == ["[message-base]"]


class TestFilesThatAreNotConverted:
    def test_a_folder_without_documents(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "f").mkdir()
        (tmp_path / "f" / "x.png").write_bytes(b"x")
        said = "there is no file here that linkfix converts: pages, style sheets, feeds, archives and messages (.html, "
        for options in (["--dry-run"], ["--output", "new"], ["--in-place"]):
            lines = report("f", "--root-url", "https://h/", *options)
            assert [line for line in lines if line.startswith(said)] == lines[:1], options
        assert report("f", "--dry-run", "--quiet") == []
        (tmp_path / "f" / "x.html").write_bytes(b"x")
        assert len(report("f", "--root-url", "https://h/", "--dry-run")) == 1

    def test_markdown_in_folders(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "f").mkdir()
        for name in ("a.md", "b.markdown"):
            (tmp_path / "f" / name).write_bytes(b"[x](y)")
        said = "2 Markdown files in folders stay as they are: to read Markdown, give the files themselves as PATH"
        assert said in report("f", "--root-url", "https://h/", "--dry-run", "--include", "*.m*")
        assert said in run("links", "f").stderr
        one = report("f", "--root-url", "https://h/", "--dry-run", "--exclude", "b*")
        assert one[0].startswith("1 Markdown file in folders stays as it is: ")
        assert report("f/a.md", "f/b.markdown", "--root-url", "https://h/", "--dry-run")[-1].startswith(
            "2 files, 2 links"
        )


class TestSingleFile:
    def test_each_problem_and_the_option(self, site):
        lines = report("site/0.html")
        assert [line.partition(": ")[0] for line in lines[:-1]] == ["site/0.html:1:10", "site/0.html:1:29", "hint"]
        assert lines[2] == "hint: no-base: give --url or --default-base"

    def test_many_problems_are_grouped(self, site):
        (site / "0.html").write_bytes(CANONICAL + b"".join(b"<a href=%d>" % n for n in range(40)))
        lines = report("site/0.html")
        assert lines[0].startswith("1 file has no known URL, so 41 links stay relative [no-base]")
        assert lines[1].endswith("; --trust-canonical would find https://c.example/p (a guess)")
        assert len(lines) == 3

    def test_auto_names_the_layout_that_looks_above_the_file(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "h.example" / "docs").mkdir(parents=True)
        (tmp_path / "h.example" / "docs" / "p.html").write_bytes(LINKS)
        name = "h.example/docs/p.html"
        line = ": --layout wget uses a folder above the file, or give the folder of the mirror"
        for command in ("absolutize", "base"):
            assert line in run(command, name, "--layout", "auto").stderr
            assert "--layout auto" not in run(command, name, "--layout", "wget").stderr
            assert (
                line not in run(command, "h.example", "--layout", "auto", *["--dry-run"] * (command != "base")).stderr
            )
        assert "http://h.example/docs/p.html" in run("base", name, "--layout", "wget").stdout


class TestLayoutAuto:
    @pytest.mark.parametrize("folder", ["h.example", "deep/down/h.example", "deep/https/h.example"])
    def test_folders_are_found_at_any_depth(self, tmp_path, monkeypatch, folder):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "m" / folder).mkdir(parents=True)
        (tmp_path / "m" / folder / "p.html").write_bytes(LINKS)
        (tmp_path / "m" / folder / "robots.txt").touch()
        result = run("absolutize", "m", "--layout", "auto", "--output", "out")
        scheme = "https" if "https" in folder else "http"
        assert (
            (tmp_path / "out" / folder / "p.html").read_bytes().startswith(f'<a href="{scheme}://h.example/x'.encode())
        )
        assert f"--layout auto found 1 folder: m/{folder} (wget, 2 files)\n" in result.stderr

    def test_nothing_found_is_said(self, site):
        assert report("site", "--layout", "auto", "--dry-run")[-2].startswith("--layout auto found no folder that has ")

    def test_other_layouts_say_nothing(self, site):
        assert "--layout auto" not in "".join(report("site", "--layout", "wget", "--dry-run"))

    def test_a_single_file_in_a_host_folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "h.example").mkdir()
        (tmp_path / "h.example" / "p.html").write_bytes(LINKS)
        assert "--layout auto found 1 folder: h.example (wget, 1 file)" in report(
            "h.example/p.html", "--layout", "auto"
        )


def test_pages_of_a_web_archive_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.html").write_bytes(WAYBACK)
    assert report(".", "--dry-run")[0] == (
        "web archives: 1 file (the Wayback Machine 1), whose links lead to the copies in the archive "
        "(--archived-links original: to the original sites)"
    )
    assert "whose links lead to the original sites (--arch" in report("p.html", "--archived-links", "original")[0]


class TestUrlMap:
    def test_a_table_is_written_filled_in_and_given_back(self, site):
        (site / "c" / "0.html").write_bytes(CANONICAL)
        result = run("absolutize", "site", "--write-url-map", "urls.csv")
        assert (result.exit_code, result.stdout) == (0, "")
        assert "urls.csv: 104 documents without a known URL: fill in the column url, and give " in result.stderr
        rows = list(csv.DictReader(io.StringIO((site.parent / "urls.csv").read_text())))
        (row,) = (row for row in rows if row["path"] == "c/0.html")
        assert (row["url"], row["suggestion"], row["option"], row["links"]) == (
            "",
            "https://c.example/p",
            "trust_canonical",
            "1",
        )
        assert row["source"].startswith("link rel=canonical, line 1")
        filled = io.StringIO()
        writer = csv.DictWriter(filled, row.keys())
        writer.writeheader()
        writer.writerows(one | {"url": f"https://h.example/{one['path']}"} for one in rows)
        (site.parent / "filled.csv").write_text(filled.getvalue())
        assert report("site", "--url-map", "filled.csv", "--dry-run")[-1].startswith(
            "104 files, 208 links, 207 to make absolute, 0 problems in "
        )

    def test_it_works_with_other_outputs(self, site):
        assert "urls.csv: 104 documents" in run("absolutize", "site", "--dry-run", "--write-url-map", "urls.csv").stderr
        result = run("absolutize", "site", "--in-place", "--no-journal", "--write-url-map", "more.csv")
        assert (site.parent / "more.csv").read_bytes() == (site.parent / "urls.csv").read_bytes()
        assert result.exit_code == 0
        assert run("absolutize", "site", "--write-url-map", "-").stdout.count("\n") == 105

    def test_paths_of_several_inputs_are_relative_to_the_table(self, site):
        (site.parent / "maps").mkdir()
        run("absolutize", "site/c", "site/0.html", "--write-url-map", "maps/u.csv")
        text = (site.parent / "maps" / "u.csv").read_text()
        assert "\n../site/c/0.html,,,,,2\n" in text
        assert "\n../site/0.html,,,,,2\n" in text
        (site.parent / "maps" / "u.csv").write_text(text.replace(".html,,", ".html,https://h/,"))
        assert ", 0 problems in " in report("site/c", "site/0.html", "--dry-run", "--url-map", "maps/u.csv")[-1]

    def test_without_unknown_urls_the_table_is_empty(self, site):
        assert "urls.csv: 0 documents without a known URL: every URL is known" in report(
            "site", "--root-url", "https://h/", "--write-url-map", "urls.csv"
        )

    @pytest.mark.parametrize("arguments", MISTAKES)
    def test_mistakes(self, site, arguments):
        (site.parent / "urls.csv").write_text("path,url\n")
        result = run("absolutize", *arguments.split())
        assert result.exit_code == 2
        assert MISTAKES[arguments] in " ".join(result.stderr.split())

    def test_rows_without_a_file_are_named_with_an_example(self, site):
        (site.parent / "u.csv").write_text("path,url\nx/7.html,https://h/\nfirefox/0.html,https://i/\nz,https://j/\n")
        for command in (("absolutize", "site", "--dry-run"), ("links", "site"), ("base", "site")):
            line = run(*command, "--url-map", "u.csv").stderr.splitlines()[0]
            assert line == (
                "u.csv:2: no file has the path of this row, x/7.html, and of 1 more row, the last in line 4: "
                "write a path such as a/b/7.html"
            )

    def test_rows_with_files_are_not_named(self, site):
        (site.parent / "u.csv").write_text("path,url\nfirefox/0.html,https://i/\n")
        assert "no file has" not in run("absolutize", "site", "--dry-run", "--url-map", "u.csv").stderr
