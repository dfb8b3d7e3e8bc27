"""`--output` is one thing in all commands: a file, a folder or standard output. It never replaces an input."""

from __future__ import annotations

import gzip
import os
import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from support.captured import exchange
from support.paths import FIXTURES
from support.running import ENVIRONMENT, command, run

URL = "https://a.example/d/p"
PAGE, MADE = b'<a href="x">', b'<a href="https://a.example/d/x">'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.html").write_bytes(PAGE)
    (tmp_path / "page.mhtml").write_bytes((FIXTURES / "mime" / "saved.mht").read_bytes())
    return tmp_path


def site(folder):
    (folder / "site").mkdir()
    (folder / "site" / "p.html").write_bytes(PAGE)


class TestAbsolutize:
    def test_a_name_with_a_suffix_is_a_file(self, folder):
        made = run("absolutize", "page.html", "--url", URL, "-o", "new.html")
        assert (made.exit_code, made.stdout) == (0, "")
        assert (folder / "new.html").read_bytes() == MADE

    def test_a_name_without_suffix_or_with_a_slash_is_a_folder(self, folder):
        for name in ("new", "new.d/", ".new"):
            assert run("absolutize", "page.html", "--url", URL, "-o", name).exit_code == 0
            assert (folder / name / "page.html").read_bytes() == MADE

    def test_a_folder_with_a_suffix_that_exists_is_a_folder(self, folder):
        (folder / "v1.2").mkdir()
        assert run("absolutize", "page.html", "--url", URL, "-o", "v1.2").exit_code == 0
        assert (folder / "v1.2" / "page.html").read_bytes() == MADE

    def test_standard_input_can_go_to_a_file(self, folder):
        made = run("absolutize", "-", "--url", URL, "-o", "new.html", stdin=PAGE)
        assert (made.exit_code, made.stdout, (folder / "new.html").read_bytes()) == (0, "", MADE)

    def test_standard_input_cannot_go_to_a_folder(self, folder):
        made = run("absolutize", "-", "--url", URL, "-o", "new", stdin=PAGE)
        assert made.exit_code == 2
        assert "give --output FILE, a name with a suffix" in " ".join(made.stderr.split())

    def test_an_archive_goes_to_a_file(self, folder):
        assert run("absolutize", "page.mhtml", "-o", "new.mhtml").exit_code == 0
        assert run("absolutize", "page.mhtml", "-o", "-").stdout_bytes == (folder / "new.mhtml").read_bytes()

    @pytest.mark.parametrize("source", ["page.html", "-"])
    def test_an_existing_file_is_replaced_and_keeps_its_mode(self, folder, source):
        (folder / "new.html").write_bytes(b"old")
        (folder / "new.html").chmod(0o600)
        assert run("absolutize", source, "--url", URL, "-o", "new.html", stdin=PAGE).exit_code == 0
        assert (folder / "new.html").read_bytes() == MADE
        if source == "-":
            assert stat.S_IMODE((folder / "new.html").stat().st_mode) == 0o600

    def test_nothing_is_written_for_a_preview(self, folder):
        made = run("absolutize", "page.html", "--url", URL, "-o", "new.html", "--diff")
        assert "+" + MADE.decode() in made.stdout
        assert not (folder / "new.html").exists()

    @pytest.mark.parametrize("make", ["link_to", "symlink", "same"])
    def test_an_input_is_not_replaced(self, folder, make):
        name = "page.html" if make == "same" else "other.html"
        if make == "link_to":
            os.link("page.html", name)
        elif make == "symlink":
            (folder / name).symlink_to("page.html")
        made = run("absolutize", "page.html", "--url", URL, "-o", name)
        assert made.exit_code == 2
        assert f"--output {name} is the input page.html: give another name or --in-place" in made.stderr
        assert (folder / "page.html").read_bytes() == PAGE

    def test_the_url_map_is_not_replaced(self, folder):
        (folder / "map.csv").write_text(f"path,url\npage.html,{URL}\n")
        made = run("links", "page.html", "--url-map", "map.csv", "-o", "map.csv")
        assert (made.exit_code, "--output map.csv is the input map.csv" in made.stderr) == (2, True)

    @pytest.mark.parametrize("more", [["--config", "set.csv"], []])
    def test_the_settings_file_is_not_replaced(self, folder, more):
        for name in ("set.csv", "linkfix.toml"):
            (folder / name).write_text("lazy = true\n")
        name = more[-1] if more else "linkfix.toml"
        command = ["links", "page.html"] if more else ["absolutize", "page.html", "--url", URL]
        made = run(*command, *more, "-o", name)
        assert (made.exit_code, (folder / name).read_text()) == (2, "lazy = true\n")
        assert f"--output {name} is the input {name if more else folder / name}" in " ".join(made.stderr.split())

    def test_the_file_of_standard_input_is_not_replaced(self, folder):
        with (folder / "page.html").open("rb") as file:
            arguments = command("absolutize", "-", "--url", URL, "-o", "page.html")
            done = subprocess.run(arguments, stdin=file, capture_output=True, env=ENVIRONMENT, cwd=folder, check=False)
        assert (done.returncode, (folder / "page.html").read_bytes()) == (2, PAGE)
        assert b"--output page.html is the file of standard input: give another name" in done.stderr

    def test_a_missing_folder_is_named(self, folder):
        made = run("absolutize", "page.html", "--url", URL, "-o", "none/new.html")
        assert (made.exit_code, "the folder of none/new.html does not exist" in made.stderr) == (2, True)

    def test_a_file_without_suffix_is_not_replaced_by_a_folder(self, folder):
        (folder / "old").write_bytes(b"old")
        made = run("absolutize", "page.html", "--url", URL, "-o", "old")
        assert (made.exit_code, (folder / "old").read_bytes()) == (2, b"old")
        assert "old is a file: give a folder, or a file name with a suffix" in made.stderr

    @pytest.mark.skipif(sys.platform == "win32", reason="devices as Unix has them")
    def test_a_device_is_written_to(self, folder):
        arguments = command("absolutize", "page.html", "--url", URL, "-o", "/dev/stdout")
        done = subprocess.run(arguments, capture_output=True, env=ENVIRONMENT, cwd=folder, check=True)
        assert done.stdout == MADE

    @pytest.mark.parametrize(
        ("source", "name", "better"),
        [
            ("page.html", "new.mhtml", "new.html"),
            ("page.html", "new.warc.gz", "new.html"),
            ("page.html", "new.zip", "new.html"),
            ("page.html", "new.css", "new.html"),
            ("page.mhtml", "new.html", "new.mhtml"),
            ("page.mhtml", "new.epub", "new.mhtml"),
            ("-", "new.epub", "a name that fits"),
        ],
    )
    def test_a_suffix_of_another_format_is_refused(self, folder, source, name, better):
        made = run("absolutize", source, "--url", URL, "-o", name, stdin=PAGE)
        assert made.exit_code == 2
        shown = "(standard input)" if source == "-" else source
        message = f"{name} has the suffix of another format than {shown}, which stays: write {better}"
        assert message in " ".join(made.stderr.split())
        assert not (folder / name).exists()

    @pytest.mark.parametrize(
        ("name", "better"),
        [
            ("new.har", "new.warc.gz"),
            ("new.warc", "new.warc.gz"),
            ("new.warc.zst", "new.warc.gz"),
            ("new.arc", "new.warc.gz"),
        ],
    )
    def test_a_compressed_archive_keeps_both_suffixes(self, folder, name, better):
        (folder / "a.warc.gz").write_bytes(gzip.compress(exchange("https://h/", b"<a href=x>")))
        made = run("absolutize", "a.warc.gz", "-o", name)
        message = f"{name} has the suffix of another format than a.warc.gz, which stays: write {better}"
        assert (made.exit_code, message in " ".join(made.stderr.split())) == (2, True)
        assert not (folder / name).exists()
        assert run("absolutize", "a.warc.gz", "-o", better).exit_code == 0

    def test_the_folder_of_several_archives_has_no_name_of_one(self, folder):
        made = run("absolutize", "page.mhtml", "page.html", "-o", "new.warc.gz")
        message = "new.warc.gz: the output of a folder or of several files is a folder: write new (or new.warc.gz/"
        assert (made.exit_code, message in " ".join(made.stderr.split())) == (2, True)
        assert not (folder / "new.warc.gz").exists()

    @pytest.mark.parametrize("name", ["new.htm", "new.xhtml", "new.php", "new.tmpl", "new.txt", "new.bak"])
    def test_other_suffixes_are_written(self, folder, name):
        assert run("absolutize", "page.html", "--url", URL, "-o", name).exit_code == 0
        assert (folder / name).read_bytes() == MADE

    @pytest.mark.parametrize("suffix", ["md", "png", "pdf", "json", "js", "csv", "xml", "yaml", "gz", "docx"])
    def test_suffixes_of_other_types_are_refused(self, folder, suffix):
        made = run("absolutize", "page.html", "--url", URL, "-o", f"new.{suffix}")
        assert f"new.{suffix} has the suffix of another format than page.html" in " ".join(made.stderr.split())
        assert not (folder / f"new.{suffix}").exists()

    def test_suffixes_that_fit_are_written(self, folder):
        (folder / "feed.rss").write_bytes(b"<rss><channel><link>x</link></channel></rss>")
        (folder / "app.webmanifest").write_bytes(b'{"start_url": "x"}')
        for source, name in [("feed.rss", "new.xml"), ("app.webmanifest", "new.json"), ("page.mhtml", "new.mht")]:
            assert run("absolutize", source, "--url", URL, "-o", name).exit_code == 0, name
            assert (folder / name).exists()

    def test_the_output_of_a_folder_is_a_folder(self, folder):
        (folder / "site").mkdir()
        (folder / "site" / "p.html").write_bytes(PAGE)
        for name in ("o.html", "o.MHTML"):
            made = run("absolutize", "site", "--root-url", "https://a.example/d/", "-o", name)
            said = f"{name}: the output of a folder or of several files is a folder: write o (or {name}/, if its name"
            assert (made.exit_code, said in " ".join(made.stderr.split())) == (2, True)
        for name in ("o.html/", "a.example"):
            assert run("absolutize", "site", "--root-url", "https://a.example/d/", "-o", name).exit_code == 0
            assert (folder / name / "p.html").read_bytes() == MADE

    @pytest.mark.parametrize("command", ["absolutize", "links", "unpack"])
    def test_it_can_be_given_once(self, folder, command):
        before = sorted(folder.iterdir())
        made = run(command, "page.mhtml", "-o", "a.csv", "--output", "b.csv")
        assert made.exit_code == 2
        advice = "" if command == "unpack" else ": for several files, give a folder"
        assert made.stderr.splitlines()[-1] == f"Error: --output can be given once{advice}"
        assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("command", [["absolutize", "-i"], ["absolutize", "-o", "../new"], ["links"], ["base"]])
def test_patterns_that_choose_no_file_are_named(folder, command):
    made = run(*command, ".", "--include", "nothing/*", "--exclude", "x y")
    assert made.exit_code == 0
    assert "no file is chosen by --include 'nothing/*' --exclude 'x y'\n" in made.stderr
    assert "no file is chosen" not in run(*command, ".", "--include", "*.html").stderr
    assert (folder / "page.html").read_bytes() == PAGE


@pytest.mark.parametrize(
    "command", ["links .", "links . -o ../t.csv", "base .", "absolutize . --dry-run", "audit .", "audit site d"]
)
def test_a_pattern_that_matches_no_file_is_named(folder, command):
    site(folder)
    (folder / "d").mkdir()
    (folder / "d" / "q.html").write_bytes(PAGE)
    words = command.split()
    made = run(*words, "--include", "*.html", "--include", "no/*", "--exclude", "!q.html", "--exclude", "x y")
    assert "no file matches --include 'no/*' --exclude 'x y'\n" in made.stderr
    assert made.exit_code == run(*words).exit_code
    assert "no file matches" not in run(*words, "--include", "p.html", "--exclude", "q.html").stderr
    (folder / "linkfix.toml").write_text('exclude = ["x y"]\n')
    assert "no file matches" not in run(*words).stderr


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("./d/q.html", "/d/q.html"),
        ("./d/", "/d/"),
        ("d\\q.html", "d/q.html"),
        (".\\d\\*.html", "/d/*.html"),
        ("site/d/q.html", "/d/q.html"),
        ("{}/site/d/q.html", "/d/q.html"),
        ("./gone.html", ""),
        ("../site/d/../d", ""),
        ("{}", ""),
        ("site", ""),
        ("!", ""),
    ],
)
@pytest.mark.parametrize("command", ["audit site", "links site"])
def test_the_right_spelling_of_a_pattern_is_named(folder, pattern, meant, command):
    site(folder)
    (folder / "site" / "d").mkdir()
    (folder / "site" / "d" / "q.html").write_bytes(PAGE)
    given = pattern.format(folder)
    said = " ".join(run(*command.split(), "--include", given).stderr.split())
    assert ("did you mean" in said) == bool(meant)
    assert f": did you mean --include {shlex.quote(meant)}?" in said or not meant


def test_patterns_of_ignored_rules_that_match_no_file_are_named(folder):
    site(folder)
    made = run("audit", "site", "--per-file-ignores", "old/*:LF101", "--per-file-ignores", "p.html:LF101")
    assert "linkfix audit: no file matches --per-file-ignores 'old/*'\n" in made.stderr
    assert "no file matches" not in run("audit", "site", "--per-file-ignores", "old/*:LF101", "--quiet").stderr


def test_a_missing_path_has_a_similar_one(folder):
    (folder / "d").mkdir()
    (folder / "d" / "index.html").write_bytes(PAGE)
    for path, similar in {"pge.html": "page.html", "d/indx.html": "d/index.html"}.items():
        made = run("links", path)
        assert made.exit_code == 2
        assert made.stderr.endswith(f"Path '{path}' does not exist: did you mean '{similar}'?\n")
    steps = {
        "unlike": f"check the name; the current folder is {folder}.",
        str(folder / "unlike"): "check the name.",
        "no/page.html": "there is no folder 'no'.",
        "d/no/page.html": "there is no folder 'd/no'.",
    }
    for path, step in steps.items():
        made = run("links", path)
        assert made.exit_code == 2
        assert made.stderr.endswith(f"Path '{path}' does not exist: {step}\n")


#: Arguments that name no file or folder, or one that cannot be read -> the end of the message.
UNREADABLE = {
    "links sit/p.html": "Path 'sit/p.html' does not exist: did you mean 'site/p.html'?",
    "links sit/other.html": "Path 'sit/other.html' does not exist: did you mean 'site'?",
    "audit sit": "Path 'sit' does not exist: did you mean 'site'?",
    "audit sit/": "Path 'sit/' does not exist: did you mean 'site'?",
    "audit dangling": "Path 'dangling' does not exist: it is a symbolic link to nothing: repair it.",
    "audit site --config linkfx.toml": "File 'linkfx.toml' does not exist: did you mean 'linkfix.toml'?",
    "audit site --config no": "File 'no' does not exist: make it, or leave out --config.",
    "audit site --config site": "File 'site' is a directory: give a file in it.",
    "audit site --mount /x=sit": "--mount /x: Directory 'sit' does not exist: did you mean 'site'?",
    "audit site --mount /x=page.htm": "--mount /x: Directory 'page.htm' does not exist: check the name;",
    "audit site --mount /x=page.html": "--mount /x: Directory 'page.html' is a file: give the folder that it is in.",
    "audit site --root-url https://h/ --tree /x=sit": "--tree /x: Directory 'sit' does not exist: did you mean 'site'?",
    "unpack page.mhtm -o new": "Path 'page.mhtm' does not exist: did you mean 'page.mhtml'?",
    "unpack site -o new": "File 'site' is a directory: give a file in it.",
    "undo sit": "Path 'sit' does not exist: did you mean 'site'?",
    "undo https://h/": "'https://h/' is a URL, and linkfix fetches nothing: give a path.",
    "undo site --root sit": "Directory 'sit' does not exist: did you mean 'site'?",
    "undo site --root page.html": "Directory 'page.html' is a file: give the folder that it is in.",
    "absolutize --resume no": "File 'no' does not exist: check the name;",
    "schemes template no": "File 'no' does not exist: check the name;",
}


@pytest.mark.parametrize("arguments", UNREADABLE)
def test_a_path_that_cannot_be_read_has_a_next_step(folder, arguments):
    (folder / "linkfix.toml").write_text("")
    (folder / "dangling").symlink_to("nothing")
    site(folder)
    made = run(*arguments.split())
    assert (made.exit_code, UNREADABLE[arguments] in " ".join(made.stderr.split())) == (2, True)


@pytest.mark.parametrize(
    "command", ["absolutize", "relativize", "links", "unpack", "move --from https://a/ --to https://b/"]
)
def test_an_empty_output_is_not_the_current_folder(folder, command):
    site(folder)
    (folder / "a.warc").write_bytes(exchange("https://h/", b"<p>"))
    before = sorted(folder.rglob("*"))
    made = run(*command.split(), "a.warc", "--output", "")
    assert (made.exit_code, "the path is empty: give the name of a file or folder." in made.stderr) == (2, True)
    assert sorted(folder.rglob("*")) == before


@pytest.mark.usefixtures("folder")
def test_an_empty_path_and_one_without_the_right_to_read_have_a_next_step(monkeypatch):
    assert "the path is empty: give the name of a file or folder." in run("audit", "").stderr
    monkeypatch.setattr("os.access", lambda *_: False)
    said = " ".join(run("links", "page.html").stderr.split())  # click 8.1.0 says "executable"
    assert re.search(r"'page\.html' is not \w+: give yourself the right to read it\.", said)


def test_a_settings_file_that_cannot_be_read_has_a_next_step(folder, monkeypatch):
    (folder / "linkfix.toml").write_text("")

    def refused(self, *arguments, **fields):
        if self.name == "linkfix.toml":
            raise PermissionError(13, "Permission denied", str(self))
        return opened(self, *arguments, **fields)

    opened = Path.open
    monkeypatch.setattr(Path, "open", refused)
    made = run("links", "page.html")
    assert made.exit_code == 2
    assert made.stderr.endswith(
        "linkfix.toml:1:1: Permission denied: give yourself the right to read it, or give --no-config\n"
    )


#: Arguments of which one would be ignored -> the message.
IGNORED = {
    "links page.html --exclude x": "--include and --exclude choose files of a folder, not the files that PATH names",
    "base page.html --include x": "--include and --exclude choose files of a folder",
    "links - --include x": "--include and --exclude choose files of a folder",
    "absolutize page.html page.mhtml -o new --exclude x": "--include and --exclude choose files of a folder",
    "absolutize site --dry-run -q -v": "--quiet and --full cannot be combined",
    "absolutize page.html --preserve-times": "for files that are written: add --output or --in-place",
    "absolutize page.html --keep-hard-links": "for files that are written: add --output or --in-place",
    "audit site --baseline a.json --write-baseline b.json": "--write-baseline writes all findings, also the known ones",
    "audit site --baseline a.json --prune-baseline --write-baseline a.json": "--prune-baseline and --write-baseline",
    "audit site --fix --diff --format json": "--diff prints the changes instead of a report: leave out --format",
    "audit site --fix --diff -o -": "--diff prints the changes instead of a report",
}


@pytest.mark.parametrize("arguments", IGNORED)
def test_no_option_is_ignored_beside_another(folder, arguments):
    site(folder)
    (folder / "a.json").write_text("")
    before = sorted(folder.iterdir())
    made = run(*arguments.split(), stdin=b"")
    assert (made.exit_code, IGNORED[arguments] in " ".join(made.stderr.split())) == (2, True)
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    "arguments",
    [
        "links page.html site --include x",
        "absolutize page.html --preserve-times -o new.html",
        "audit site --baseline a.json --write-baseline a.json",
        "audit site --fix --diff --format json -o r.json --fail-on never",
    ],
)
def test_options_that_both_count_are_combined(folder, arguments):
    site(folder)
    (folder / "site" / "x.html").write_bytes(PAGE)
    assert run("audit", "site", "--write-baseline", "a.json").exit_code == 0
    assert run(*arguments.split()).exit_code == 0


def test_a_setting_is_not_a_mistake_beside_an_option(folder):
    (folder / "linkfix.toml").write_text('include = ["x"]\nfull = true\npreserve-times = true\n')
    assert run("absolutize", "page.html", "--quiet").exit_code == 0


@pytest.mark.parametrize("command", ["links page.html", "audit site", "absolutize site --dry-run", "base page.html"])
@pytest.mark.parametrize("option", ["--include", "--exclude"])
def test_an_empty_pattern_is_a_mistake(folder, command, option):
    site(folder)
    for pattern, said in {
        "": "the pattern is empty: write for",
        " ": "the pattern is empty",
        "#a": "is a comment",
    }.items():
        made = run(*command.split(), option, pattern)
        assert (made.exit_code, said in " ".join(made.stderr.split())) == (2, True)
    (folder / "linkfix.toml").write_text(f'{option[2:]} = [""]\n')
    made = run(*command.split())
    assert made.exit_code == 2
    assert f"linkfix.toml:1:1: {option[2:]}: the pattern is empty: write for example '*.html'" in made.stderr


class TestLinks:
    def test_an_existing_table_is_replaced(self, folder):
        pytest.importorskip("pyarrow")
        (folder / "new.csv").write_bytes(b"old")
        assert run("links", "page.html", "--url", URL, "-o", "new.csv").exit_code == 0
        assert b"https://a.example/d/x" in (folder / "new.csv").read_bytes()

    def test_an_unknown_suffix_is_refused(self, folder):
        pytest.importorskip("pyarrow")
        made = run("links", "page.html", "--url", URL, "-o", "new.xlsx")
        assert (made.exit_code, (folder / "new.xlsx").exists()) == (2, False)
        assert "new.xlsx: the suffix must be one of .parquet, .arrow, .csv, .jsonl" in made.stderr


class TestUnpack:
    def test_a_file_name_is_refused(self, folder):
        made = run("unpack", "page.mhtml", "-o", "page.zip")
        assert (made.exit_code, (folder / "page.zip").exists()) == (2, False)
        assert "unpack writes a folder of files: give --output page.zip/" in " ".join(made.stderr.split())

    def test_the_archive_itself_is_not_replaced(self, folder):
        assert run("unpack", "page.mhtml", "-o", "first").exit_code == 0
        part = next(path for path in sorted((folder / "first").rglob("*")) if path.suffix == ".html")
        old = (folder / "page.mhtml").read_bytes()
        (folder / "page.mhtml").replace(part)
        made = run("unpack", part, "-o", "first")
        assert (made.exit_code, part.read_bytes()) == (0, old)
        assert (part.with_name(f"{part.stem}-2{part.suffix}")).is_file()


class TestTemplate:
    def test_the_input_is_not_replaced(self, folder):
        assert run("schemes", "template", "--new", "-o", "foo.txt").exit_code in {0, 1}
        old = (folder / "foo.txt").read_bytes()
        made = run("schemes", "template", "foo.txt", "--format", "json", "-o", "foo.txt")
        assert (made.exit_code, (folder / "foo.txt").read_bytes()) == (2, old)
        assert "--output foo.txt is the input foo.txt: give another name" in made.stderr


@pytest.mark.parametrize("command", ["absolutize", "relativize", "move"])
@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("README.md", "README.md is a file, and the output of a folder or of several files is a folder"),
        ("README.md/", "README.md/ is a file, and the output of a folder or of several files is a folder"),
        ("file", "file is a file, and the output of a folder or of several files is a folder"),
        ("new.md", "new.md: the output of a folder or of several files is a folder: write new (or new.md/"),
        ("file/x", "the folder file/x cannot be made: it is in a file: give --output another name"),
        ("a" * 300, "File name too long"),
    ],
)
def test_an_output_that_is_no_folder_is_one_mistake(tmp_path, monkeypatch, command, output, message):
    monkeypatch.chdir(tmp_path)
    for name in ("site/a.html", "site/sub/b.html", "README.md", "file"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("<a href=x>")
    moves = ("--from", "https://h.example/", "--to", "https://n.example/") if command == "move" else ()
    result = run(command, "site", "--root-url", "https://h.example/", *moves, "-o", output)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len([line for line in result.stderr.splitlines() if line and not line.startswith(("Usage", "Try"))]) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["README.md", "file", "site"]


def test_a_single_file_in_a_folder_that_cannot_be_made_is_one_mistake(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.html").write_text("<a href=x>")
    (tmp_path / "file").touch()
    result = run("absolutize", "a.html", "--url", "https://h.example/", "-o", "file/x")
    assert result.exit_code == 2
    assert "the folder file/x cannot be made: it is in a file" in result.stderr
    assert "errors" not in result.stderr
