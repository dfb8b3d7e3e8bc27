from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from support.each import for_each
from support.paths import CHECKOUT
from support.running import ENVIRONMENT, process, run, terminal
from support.systems import needs_full_device, needs_pipes

import linkfix.cli.audit as module
from linkfix.auditing import FixedFile, fix_references
from linkfix.auditing.reporters import REPORTERS, reporter
from linkfix.auditing.rules import rules
from linkfix.cli import audit_fixes
from linkfix.cli.next_steps import NEXT_STEPS
from linkfix.files import atomic
from linkfix.model import PROBLEMS

INDEX = b'<!doctype html><meta charset="utf-8">\n<a href="a/Page.html">1</a> <a href="gone.html">2</a>\n'
PAGE = b'<!doctype html><meta charset="utf-8">\n<p id="x"><a href="../index.html">3</a> <a href="#no">4</a>\n'
SUMMARY = "linkfix audit: "


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    root = tmp_path / "site"
    (root / "a").mkdir(parents=True)
    (root / "index.html").write_bytes(INDEX)
    (root / "a" / "page.html").write_bytes(PAGE)
    return root


def audited(*arguments):
    """The findings of a run, as its JSON report has them: path, line, code."""
    result = run("audit", "site", "--jobs", "1", "--format", "json", *arguments)
    assert result.exit_code in {0, 1, 3}, result.output
    return [(row["path"], row["line"], row["code"]) for row in json.loads(result.stdout)["findings"]]


def content(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class TestReport:
    def test_text_is_for_people_and_exits_with_1(self, site):
        result = run("audit", "site", "--jobs", "1")
        assert result.exit_code == 1
        assert result.stderr == ""
        assert f"{Path('site', 'index.html')}:2:38: error LF101 " in result.stdout
        assert result.stdout.splitlines()[-1].startswith(SUMMARY)
        assert content(site)["index.html"] == INDEX

    @pytest.mark.usefixtures("site")
    @pytest.mark.parametrize("form", [form for form in REPORTERS if form != "text"])
    def test_every_format_is_on_standard_output_and_its_total_on_standard_error(self, form):
        result = run("audit", "site", "--jobs", "1", "--format", form)
        assert "LF101" in result.stdout
        assert result.stderr.startswith(SUMMARY)
        assert result.stderr.count("\n") == 1
        assert run("audit", "site", "--jobs", "1", "--format", form, "--quiet").stderr == ""

    @pytest.mark.usefixtures("site")
    @pytest.mark.parametrize(
        ("name", "form"),
        [
            ("r.json", "json"),
            ("r.xml", "junit"),
            ("R.HTML", "html"),
            ("r.md", "markdown"),
            ("r.txt", "text"),
            ("r", "text"),
        ],
    )
    def test_the_suffix_of_output_is_a_format(self, tmp_path, monkeypatch, name, form):
        used = []
        monkeypatch.setattr(module, "reporter", lambda form: used.append(form) or reporter(form))
        result = run("audit", "site", "--jobs", "1", "--output", name)
        assert used == [form]
        assert result.stdout == ""
        assert result.stderr.startswith(SUMMARY)
        assert "LF101" in (tmp_path / name).read_text("utf-8")

    @pytest.mark.usefixtures("site")
    def test_written_files_are_named(self, tmp_path):
        (tmp_path / "out").mkdir()
        arguments = ("audit", "site", "--jobs", "1", "-o", "r.html", "-o", str(tmp_path / "out" / "r.sarif"))
        names = f"r.html, {Path('out', 'r.sarif')}"
        assert run(*arguments).stderr.splitlines()[-1] == f"written: {names}"
        assert run(*arguments, "-q").stderr == ""
        assert "written" not in run("audit", "site", "--jobs", "1", "-o", "-").stderr

    @pytest.mark.usefixtures("site")
    @pytest.mark.parametrize("name", ["r.txt", "r.log", "report", "r.unknown"])
    def test_format_outweighs_a_suffix_of_any_text(self, tmp_path, name):
        run("audit", "site", "--jobs", "1", "--output", name, "--format", "csv")
        assert "," in (tmp_path / name).read_text("utf-8").splitlines()[0]

    @pytest.mark.usefixtures("site")
    @pytest.mark.parametrize(("name", "form"), [("r.json", "sarif"), ("r.json", "jsonl"), ("r.md", "text")])
    def test_a_suffix_of_several_formats_can_have_each(self, tmp_path, name, form):
        assert run("audit", "site", "--jobs", "1", "--output", name, "--format", form).exit_code == 1
        assert (tmp_path / name).read_text("utf-8")

    @pytest.mark.usefixtures("site")
    @pytest.mark.parametrize(
        ("name", "form", "own", "better"),
        [
            ("r.html", "sarif", "html", "r.sarif"),
            ("r.HTM", "text", "html", "r.txt"),
            ("r.csv", "github", "csv", "r.txt"),
            ("r.json", "html", "json", "r.htm"),
            ("r.md", "csv", "markdown", "r.csv"),
        ],
    )
    def test_a_suffix_of_another_format_is_refused(self, tmp_path, name, form, own, better):
        result = run("audit", "site", "--jobs", "1", "--output", name, "--format", form)
        assert result.exit_code == 2
        message = f"{name} is the name of a report in the format {own}: leave out --format, or write {better}"
        assert message in " ".join(result.stderr.split())
        assert not (tmp_path / name).exists()

    @pytest.mark.usefixtures("site")
    def test_a_format_in_a_settings_file_does_not_outweigh_a_suffix(self, tmp_path):
        (tmp_path / "linkfix.toml").write_text('[audit]\nformat = "csv"\n')
        run("audit", "site", "--jobs", "1", "--output", "r.html", "--output", "r.json")
        run("audit", "site", "--jobs", "1", "--output", "s.html")
        run("audit", "site", "--jobs", "1", "--output", "s.txt")
        assert (tmp_path / "s.html").read_text("utf-8").startswith("<!")
        assert "," in (tmp_path / "s.txt").read_text("utf-8").splitlines()[0]

    @pytest.mark.usefixtures("site")
    def test_an_output_replaces_a_file_and_keeps_its_mode(self, tmp_path):
        report = tmp_path / "r.json"
        report.write_text("old")
        report.chmod(0o640)
        (tmp_path / "link.json").symlink_to("r.json")
        run("audit", "site", "--jobs", "1", "--output", "link.json")
        assert json.loads(report.read_text("utf-8"))["findings"]
        assert report.stat().st_mode & 0o777 == 0o640
        assert (tmp_path / "link.json").is_symlink()

    @pytest.mark.usefixtures("site")
    @pytest.mark.skipif(os.name == "nt", reason="modes as Unix has them")
    def test_a_new_output_has_the_mode_of_new_files(self, tmp_path):
        run("audit", "site", "--jobs", "1", "--output", "r.json")
        (tmp_path / "other").touch()
        assert (tmp_path / "r.json").stat().st_mode == (tmp_path / "other").stat().st_mode

    def test_names_that_are_not_utf8_are_printed(self, site, tmp_path):
        (site / "\udce9.html").write_bytes(INDEX)
        run("audit", "site", "--jobs", "1", "--output", "r.txt")
        assert "\\xe9.html" in (tmp_path / "r.txt").read_text("utf-8")

    @pytest.mark.usefixtures("site")
    def test_github_actions_gets_annotations_after_the_text(self, monkeypatch):
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
        result = run("audit", "site", "--jobs", "1")
        lines = result.stdout.splitlines()
        assert any("error LF101" in line for line in lines)
        assert any(line.startswith("::error ") for line in lines)
        chosen = run("audit", "site", "--jobs", "1", "--format", "text")
        assert "::error" not in chosen.stdout

    @pytest.mark.skipif(sys.platform == "win32", reason="terminals as Unix has them")
    def test_html_is_not_for_a_terminal(self, site):
        output = terminal("audit", "site", "--format", "html", cwd=site.parent)
        assert "add --output report.html" in " ".join(output.split())

    @pytest.mark.skipif(sys.platform == "win32", reason="terminals as Unix has them")
    def test_a_terminal_gets_no_progress_of_short_work(self, site):
        output = terminal("audit", "site", cwd=site.parent, NO_COLOR="1")
        assert output.splitlines()[-1].startswith(SUMMARY)
        assert "\x1b" not in output


class TestExitCode:
    @pytest.mark.usefixtures("site")
    @pytest.mark.parametrize(
        ("arguments", "code"),
        [
            ([], 1),
            (["--fail-on", "never"], 0),
            (["--select", "LF304"], 0),
            (["--include", "*.css"], 3),
        ],
    )
    def test_by_level(self, arguments, code):
        assert run("audit", "site", "--jobs", "1", *arguments).exit_code == code

    def test_a_warning_fails_if_selected(self, site):
        (site / "index.html").write_bytes(b'<meta charset="utf-8"><a href="a\\page.html">')
        (site / "a" / "page.html").write_bytes(b'<meta charset="utf-8">')
        arguments = ("audit", "site", "--jobs", "1", "--select", "LF304")
        assert run(*arguments).exit_code == 0
        assert run(*arguments, "--fail-on", "warning").exit_code == 1
        assert run(*arguments, "--fail-on", "note").exit_code == 1

    def test_a_file_that_cannot_be_read(self, site, monkeypatch):
        real = atomic.read

        def read(file, **options):
            if os.fspath(getattr(file, "path", file)).endswith("page.html"):
                raise PermissionError(13, "Permission denied")
            return real(file, **options)

        monkeypatch.setattr(atomic, "read", read)
        arguments = ("audit", "site", "--jobs", "1", "--fail-on", "never")
        result = run(*arguments)
        assert "1 file unread" in result.stdout
        assert result.exit_code == 2
        assert run(*arguments, "--ignore", "LF901").exit_code == 0
        assert run(*arguments, "--write-baseline", "b.json").exit_code == 0
        assert run(*arguments, "--baseline", "b.json").exit_code == 0
        monkeypatch.undo()
        assert run("audit", str(site), "--jobs", "1", "--max-size", "10", "--fail-on", "never").exit_code == 3

    def test_nothing_to_check(self, tmp_path):
        (tmp_path / "empty").mkdir()
        assert run("audit", tmp_path / "empty", "--jobs", "1").exit_code == 3
        assert run("audit", tmp_path / "empty", "--jobs", "1", "--fail-on", "never").exit_code == 3

    @pytest.mark.usefixtures("site")
    def test_a_file_that_cannot_be_written(self, tmp_path, monkeypatch):
        def full(*_, **__):
            raise OSError(28, "No space left on device", "r.json")

        monkeypatch.setattr(atomic, "write", full)
        result = run("audit", "site", "--jobs", "1", "--output", "r.json")
        assert result.exit_code == 2
        assert result.stderr == "linkfix: r.json: No space left on device\n"
        assert not (tmp_path / "r.json").exists()


class TestWrongUse:
    @pytest.mark.usefixtures("site")
    @pytest.mark.parametrize("option", ["--output", "--write-baseline"])
    def test_a_folder_that_cannot_be_written_to_is_refused_before_the_audit(self, option, monkeypatch):
        monkeypatch.setattr(os, "access", lambda *_, **_options: False)
        result = run("audit", "site", option, "site/r.json")
        message = "the folder of 'site/r.json' cannot be written to: give a name in another folder."
        assert (result.exit_code, message in " ".join(result.stderr.split())) == (2, True)

    @pytest.mark.usefixtures("site")
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["site/index.html"], "site/index.html is not a folder"),
            (["site/index.html"], "'site --include /index.html' checks that page only"),
            (["missing"], "'missing' does not exist"),
            (["https://me:pw@h.example/x"], "https://me:…@h.example/x is a URL, and linkfix fetches nothing: build"),
            (["site", "--ignore", "docs/no.html"], "unknown rule 'docs/no.html': --ignore takes rules (--list-rules)"),
            (["site", "--ignore", "*.pdf"], "to hide links to a file: --ignore-target *.pdf"),
            (["site", "--ignore", "all"], "no rule is left to run: --ignore names every rule that would run"),
            (["site", "--select", "LF1", "--ignore", "all"], "no rule is left to run"),
            (["site", "--diff"], "--diff shows what --fix would write"),
            (["site", "--write-baseline", "b", "--diff-base", "HEAD"], "--write-baseline and --diff-base cannot"),
            (["site", "--write-baseline", "b", "--fix", "--diff"], "--write-baseline and --diff cannot be combined"),
            (["site", "--baseline", "missing"], "missing does not exist: make it with --write-baseline missing"),
            (["site", "--baseline", "site/index.html"], "site/index.html is not a baseline of linkfix"),
            (["site", "--output", "no/r.txt"], "r.txt' does not exist: create it, or give another name."),
            (["site", "--output", "site"], "is not a regular file"),
            (["site", "--write-baseline", "no/b.json"], "b.json' does not exist: create it, or give another name."),
            (["site", "--select", "LF999"], "unknown rule 'LF999'"),
            (["site", "--select", ""], "no rule is named, so none would run: name rules, or leave the option out"),
            (["site", "--select", "LF1", "--select", " , "], "no rule is named, so none would run"),
            (["site", "--ignore", "missing-targt"], "missing-target"),
            (["site", "--per-file-ignores", "*.html:LF999"], "unknown rule 'LF999'"),
            (["site", "--per-file-ignores", "*.html"], "'*.html' is not GLOB:CODE,CODE"),
            (["site", "--per-file-ignores", ":LF101"], "':LF101' is not GLOB:CODE,CODE"),
            (["site", "--ignore-target", "re:("], "'--ignore-target': not a valid regular expression: missing )"),
            (["site", "--ignore-target", "re:("], "; correct it (a backslash makes a character plain, as in"),
            (["site", "--select", "broken-links"], "unknown rule 'broken-links'; did you mean missing-target? See"),
            (["site", "--ignore-target", "LF999:x"], "'--ignore-target': unknown rule 'LF999'"),
            (["site", "--index", "a/index.php"], "'a/index.php' is not the name of an index file: give one such as"),
            (["site", "--index", "."], "to accept folders without one, give --ignore LF106"),
            (["site", "--index", "none,index.php"], "'none' means that no folder has an index: give it alone"),
            (["site", "--index", ""], "give the name of a file, or 'none'"),
            (["site", "--replace", "^/docs/"], "'--replace': not PATTERN=REPLACEMENT: write for example '^/docs/=/'"),
            (["site", "--replace", "=/docs/"], "'--replace': not PATTERN=REPLACEMENT"),
            (["site", "--replace", "(=x"], "'--replace': not a valid regular expression: missing ), unterminated"),
            (["site", "--replace", "(a)=$1"], r"'--replace': write \g<1> for the group $1"),
            (["site", "--replace", r"a=\1"], "'--replace': not a valid replacement: invalid group reference 1"),
            (["site", "--mount", "/x"], "'/x' is not URL=FOLDER"),
            (["site", "--mount", "/x=missing"], "--mount /x: Directory 'missing' does not exist: check the name"),
            (["site", "--prune-baseline"], "--prune-baseline removes entries from a file: add --baseline FILE"),
            (["site", "--tree", "/x=site/a"], "--tree needs --root-url"),
            (["site", "--root-url", "https://h/", "--tree", "/x=site/a", "--fix"], "--tree cannot be combined with"),
            (["site", "--root-url", "docs"], "'docs' is not the absolute URL"),
            (["site", "--root-url", "ftp://h/"], "'ftp://h/' is not a URL at which pages are served: give an http:,"),
            (["site", "--per-file-ignores", " :LF101"], "'--per-file-ignores': the pattern is empty: write for"),
            (["site", "--ignore-target", " "], "'--ignore-target': the pattern is empty: write for example 'libs/**'"),
            (["site", "--charset", "utf-88"], "utf-88"),
            (["site", "--diff-base", "--help"], "'--help' is not a revision"),
            (["site", "--format", "pdf"], "'pdf' is not one of"),
            (["site", "--fail-on", "fatal"], "'fatal' is not one of"),
            (["--explain", "LF9999"], "unknown rule 'LF9999'"),
        ],
    )  # fmt: skip
    def test_prints_one_message_and_writes_nothing(self, tmp_path, arguments, message):
        before = content(tmp_path)
        result = run("audit", *arguments)
        assert message in " ".join(result.stderr.split())
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.count("Error: ") == 1
        assert content(tmp_path) == before

    @pytest.mark.usefixtures("site")
    @pytest.mark.parametrize("option", ["--output", "--write-baseline"])
    def test_a_link_to_itself_is_refused(self, option):
        Path("loop").symlink_to("loop")
        result = run("audit", "site", option, "loop")
        assert result.exit_code == 2
        assert f"'{option}': 'loop' is a symbolic link to itself: give another name." in result.stderr

    @needs_full_device
    @pytest.mark.usefixtures("site")
    def test_a_device_is_never_replaced(self):
        result = run("audit", "site", "--output", "/dev/full")
        assert (result.exit_code, result.stderr) == (2, "linkfix: /dev/full: No space left on device\n")
        assert Path("/dev/full").is_char_device()


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="no /dev/stdout")
class TestStreams:
    """An output that is no regular file is written to, never replaced."""

    @pytest.mark.usefixtures("site")
    @pytest.mark.parametrize("stream", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
    def test_standard_output(self, stream, tmp_path):
        if not Path(stream).exists():
            pytest.skip(f"no {stream}")
        expected = process("audit", "site", "--format", "csv", cwd=tmp_path).stdout
        assert process("audit", "site", "--format", "csv", "--output", stream, cwd=tmp_path).stdout == expected
        shell = (
            f"echo before; {sys.executable} -m linkfix audit site --format csv --quiet --output {stream}; echo after"
        )
        with (tmp_path / "all.txt").open("wb") as out:
            subprocess.run(["/bin/sh", "-c", shell], stdout=out, env=ENVIRONMENT, check=True, cwd=tmp_path)
        assert (tmp_path / "all.txt").read_bytes() == b"before\n" + expected + b"after\n"

    @pytest.mark.usefixtures("site")
    def test_a_hyphen_is_standard_output(self):
        result = run("audit", "site", "--format", "csv", "--output", "-")
        assert result.stdout_bytes == run("audit", "site", "--format", "csv").stdout_bytes
        assert not Path("-").exists()

    @pytest.mark.usefixtures("site")
    @needs_pipes
    def test_a_named_pipe(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        reader = subprocess.Popen(["/bin/cat", "pipe"], stdout=subprocess.PIPE, cwd=tmp_path)
        result = run("audit", "site", "--format", "csv", "--output", "pipe")
        assert reader.communicate()[0] == run("audit", "site", "--format", "csv").stdout_bytes
        assert result.exit_code == 1
        assert Path("pipe").is_fifo()

    @pytest.mark.usefixtures("site")
    def test_nowhere(self):
        assert run("audit", "site", "--output", "/dev/null").exit_code == 1
        assert run("audit", "site", "--write-baseline", "/dev/null").exit_code == 0
        assert Path("/dev/null").is_char_device()


class TestChoosing:
    @pytest.mark.usefixtures("site")
    @pytest.mark.parametrize(
        ("arguments", "codes"),
        [
            ([], {"LF101", "LF102", "LF105"}),
            (["--select", "LF101,case-mismatch"], {"LF101", "LF105"}),
            (["--select", "LF101", "--select", "LF102"], {"LF101", "LF102"}),
            (["--select", "LF1", "--ignore", "LF101, LF102"], {"LF105"}),
            (["--per-file-ignores", "/index.html:LF101,LF105"], {"LF102"}),
            (["--exclude", "a/"], {"LF101", "LF105"}),
        ],
    )
    def test_rules_and_files(self, arguments, codes):
        assert {code for _, _, code in audited(*arguments)} == codes

    def test_clean_urls(self, site):
        (site / "index.html").write_bytes(b'<meta charset="utf-8"><a href="a/page">')
        assert [code for path, _, code in audited() if path == "index.html"] == ["LF101"]
        assert [code for path, _, code in audited("--clean-urls") if path == "index.html"] == []

    def test_index(self, site):
        (site / "index.html").write_bytes(b'<meta charset="utf-8"><a href="a/#x">')
        assert [code for path, _, code in audited() if path == "index.html"] == ["LF106"]
        assert [code for path, _, code in audited("--index", "page.html") if path == "index.html"] == []

    def test_replace(self, site):
        (site / "index.html").write_bytes(b'<meta charset="utf-8"><a href="/v1/b/page.html#x">')
        rows = ["--replace", r"^/v\d/=", "--replace", "^b/=a/"]
        assert [code for path, _, code in audited(*rows) if path == "index.html"] == []

    @pytest.mark.parametrize("settings", ['index = ["page.html"]', 'replace = ["/=/page.html"]'])
    def test_settings_that_decide_where_links_lead_are_named(self, site, settings):
        (site / "index.html").write_bytes(b'<meta charset="utf-8"><a href="a/#x">')
        (site.parent / "linkfix.toml").write_text(f"[audit]\n{settings}\n")
        result = run("audit", "site", "--jobs", "1", "--exclude", "a/")
        assert result.exit_code == 0
        shown = settings.replace('["', "").replace('"]', "")
        assert f"linkfix: that file decides where links lead: {shown}\n" in result.stderr

    def test_opt_in_groups_of_the_vocabulary(self, site):
        (site / "index.html").write_bytes(
            b'<meta charset="utf-8"><img data-src="l"><meta property="og:image" content="o">'
            b'<script type="application/ld+json">{"url": "j"}</script>'
        )
        found = audited("--lazy", "--social", "--json-ld", "--select", "LF101")
        assert len([path for path, _, _ in found if path == "index.html"]) == 3

    def test_a_folder_that_is_mounted(self, site):
        (site / "index.html").write_bytes(b'<a href="/share/page.html#x">1</a><a href="/share/gone.html">2</a>')
        (site.parent / "share").mkdir()
        (site / "a/page.html").rename(site.parent / "share/page.html")
        assert audited("--mount", "/share=share") == [("index.html", 1, "LF101")]
        assert audited("--mount", "/share=share", "--ignore-target", "/share/gone.html") == []

    def test_several_trees(self, site):
        (site / "index.html").write_bytes(b'<a href="/b/page.html#x">1</a><a href="/b/gone.html">2</a>')
        (site / "a").rename(site.parent / "b")
        result = run("audit", "site", "--jobs", "1", "--root-url", "https://h/", "--tree", "/b=b")
        assert f"{Path('site', 'index.html')}:1:40: error LF101 " in result.stdout
        assert f"{Path('b', 'page.html')}:2:50: error LF102 " in result.stdout
        assert "2 errors" in result.stdout.splitlines()[-1]

    @pytest.mark.usefixtures("site")
    def test_root_url_and_max_size(self):
        result = run("audit", "site", "--jobs", "1", "--root-url", "https://h/s/", "--format", "json")
        assert json.loads(result.stdout)["findings"][0]["target"].startswith("https://h/s/")
        assert ("index.html", 1, "LF901") in audited("--max-size", "10")


class TestSettings:
    def test_a_table_of_its_own(self, site):
        (site.parent / "linkfix.toml").write_text(
            '[audit]\nselect = ["LF1"]\nignore = ["LF102"]\nfail-on = "never"\nquiet = true\n'
            '[audit.per-file-ignores]\n"/index.html" = ["LF105", "missing-target"]\n"a/x:y" = ["LF1"]\n'
        )
        result = run("audit", "site", "--jobs", "1", "--format", "json")
        assert json.loads(result.stdout)["findings"] == []
        named = f"linkfix: settings from {site.parent / 'linkfix.toml'}: "
        assert (result.exit_code, result.stderr) == (0, f"{named}select, ignore, fail-on, quiet, per-file-ignores\n")
        assert audited("--ignore", "LF101", "--per-file-ignores", "a/:LF102") == [("index.html", 2, "LF105")]

    @pytest.mark.parametrize(
        ("text", "place", "message"),
        [
            ('[audit]\nselect = "LF1"\n', "2:1", "select must be a list of strings, not a string"),
            ('[audit]\nper-file-ignores = ["x:LF1"]\n', "2:1", "must be a table of lists of strings, not another list"),
            (
                '[audit.per-file-ignores]\n"x" = "LF1"\n',
                "1:2",
                "must be a table of lists of strings, not another table",
            ),
            ('[audit.per-file-ignores]\n"x" = []\n', "1:2", "'x:' is not GLOB:CODE,CODE"),
            ('[audit]\nignore-target = ["re:("]\n', "2:1", "ignore-target: not a valid regular expression: missing )"),
            ('[audit]\nmount = ["/x"]\n', "2:1", "mount: '/x' is not URL=FOLDER"),
            ('[audit]\noutput = "r.html"\n', "2:1", "output cannot be set in a file"),
            ('[audit]\nwrite-baseline = "b.json"\n', "2:1", "write-baseline cannot be set in a file"),
            ("[audit]\nfix = true\n", "2:1", "fix cannot be set in a file"),
            ("[audit]\nfail_on = true\n", "2:1", "fail_on must be a string, not a boolean"),
            ('[audit]\nclean-url = "x"\n', "2:1", "did you mean clean-urls?"),
        ],
    )
    def test_mistakes_have_a_place(self, site, text, place, message):
        (site.parent / "linkfix.toml").write_text(text)
        result = run("audit", "site")
        assert f"linkfix.toml:{place}: " in result.stderr
        assert message in result.stderr
        assert result.exit_code == 2


class TestBaseline:
    def test_outdated_entries_are_counted_and_pruned(self, site, tmp_path):
        run("audit", "site", "--jobs", "1", "--write-baseline", "b.json")
        (site / "index.html").write_bytes(INDEX.replace(b"gone.html", b"a/page.html"))
        before = (tmp_path / "b.json").read_bytes()
        result = run("audit", "site", "--jobs", "1", "--baseline", "b.json")
        assert "    1 entry of the baseline no longer occurs: --prune-baseline removes it\n" in result.stdout
        told = run("audit", "site", "--jobs", "1", "--baseline", "b.json", "--format", "json").stdout
        assert json.loads(told)["outdated"] == 1
        assert (tmp_path / "b.json").read_bytes() == before
        result = run("audit", "site", "--jobs", "1", "--baseline", "b.json", "--prune-baseline")
        assert result.stderr == "1 finding removed from b.json: no longer there\n"
        assert "no longer occurs" not in result.stdout
        kept = (tmp_path / "b.json").read_text("utf-8")
        assert len(json.loads(kept)["findings"]) == 2
        assert "gone.html" not in kept
        result = run("audit", "site", "--jobs", "1", "--baseline", "b.json", "--prune-baseline")
        assert result.stderr == "0 findings removed from b.json: no longer there\n"
        assert (tmp_path / "b.json").read_text("utf-8") == kept

    def test_entries_about_redirects_are_pruned_if_the_redirects_were_checked(self, site, tmp_path):
        (site / "_redirects").write_bytes(b"/old /gone-for-ever.html\n")
        run("audit", "site", "--jobs", "1", "--write-baseline", "b.json")
        assert "gone-for-ever" in (tmp_path / "b.json").read_text("utf-8")
        (site / "_redirects").write_bytes(b"/old /a/page.html\n")
        prune = ("audit", "site", "--jobs", "1", "--baseline", "b.json", "--prune-baseline")
        assert run(*prune, "--exclude", "_redirects").stderr == "0 findings removed from b.json: no longer there\n"
        assert run(*prune).stderr == "1 finding removed from b.json: no longer there\n"

    def test_known_findings_are_not_reported(self, site, tmp_path):
        written = run("audit", "site", "--jobs", "1", "--write-baseline", "b.json")
        assert (written.exit_code, written.stdout) == (0, "")
        assert written.stderr == f"3 findings written to {tmp_path / 'b.json'}\n"
        assert run("audit", "site", "--jobs", "1", "--baseline", "b.json").exit_code == 0
        (site / "index.html").write_bytes(b"<!-- one line more -->\n" + INDEX + b'<a href="new.html">')
        assert audited("--baseline", "b.json") == [("index.html", 4, "LF101")]

    @pytest.mark.usefixtures("site")
    def test_it_is_reproducible_and_keeps_known_findings(self, tmp_path):
        run("audit", "site", "--jobs", "1", "--write-baseline", "b.json", "--quiet")
        first = (tmp_path / "b.json").read_bytes()
        again = run("audit", "site", "--jobs", "2", "--baseline", "b.json", "--write-baseline", "b.json", "--quiet")
        assert again.stderr == ""
        assert (tmp_path / "b.json").read_bytes() == first


class TestFix:
    def test_certain_fixes_are_written_and_others_reported(self, site):
        (site / "a" / "page.html").chmod(0o600)
        result = run("audit", "site", "--jobs", "1", "--fix", "--format", "json")
        assert content(site) == {
            "index.html": INDEX.replace(b"a/Page.html", b"a/page.html"),
            "a/page.html": PAGE,
        }
        assert {row["code"] for row in json.loads(result.stdout)["findings"]} == {"LF101", "LF102"}
        said = result.stderr.splitlines()
        assert said[0] == f"{Path('site', 'index.html')}:2:10: a/Page.html -> a/page.html [LF105]"
        assert said[1] == "corrected 1 reference in 1 file"
        assert result.exit_code == 1

    def test_a_misspelling_is_reported_and_not_fixed(self, site):
        page = b'<meta charset="utf-8"><p id="installation"><p id="set-up_now"><a href="#instalation">1</a>'
        (site / "index.html").write_bytes(page + b'<a href="#Set_up%20now">2</a>')
        result = run("audit", "site", "--jobs", "1", "--fix", "--include", "/index.html")
        assert content(site)["index.html"] == page + b'<a href="#set-up_now">2</a>'
        assert "    hint: did you mean #installation?\n" in result.stdout
        assert "corrected 1 reference in 1 file" in result.stderr
        (site / "index.html").write_bytes(page + b'<a href="#Set_up%20now">2</a>')
        assert "    fix: did you mean #set-up_now?\n" in run("audit", "site", "--jobs", "1").stdout

    def test_diff_shows_and_writes_nothing(self, site):
        before = content(site)
        result = run("audit", "site", "--jobs", "1", "--fix", "--diff")
        assert content(site) == before
        assert result.stdout_bytes == (
            b'--- a/site/index.html\n+++ b/site/index.html\n@@ -1,2 +1,2 @@\n <!doctype html><meta charset="utf-8">\n'
            b'-<a href="a/Page.html">1</a> <a href="gone.html">2</a>\n'
            b'+<a href="a/page.html">1</a> <a href="gone.html">2</a>\n'
        )
        assert result.exit_code == 1

    @pytest.mark.usefixtures("site")
    def test_a_diff_and_a_report(self, tmp_path):
        result = run("audit", "site", "--jobs", "1", "--fix", "--diff", "--output", "r.json")
        assert result.stdout.startswith("--- a/")
        assert len(json.loads((tmp_path / "r.json").read_text("utf-8"))["findings"]) == 3

    def test_a_reference_with_two_faults_is_mended_in_turn(self, site):
        (site / "index.html").write_bytes(b'<meta charset="utf-8"><a href="a\\Page.html">x</a>')
        result = run("audit", "site", "--jobs", "1", "--fix", "--select", "LF304,LF105")
        assert content(site)["index.html"] == b'<meta charset="utf-8"><a href="a/page.html">x</a>'
        assert "corrected 2 references in 1 file" in result.stderr
        assert result.exit_code == 0

    def test_only_reported_findings_are_fixed(self, site):
        (site / "index.html").write_bytes(b'<meta charset="utf-8"><a href="a\\page.html"><a href="a/Page.html">')
        run("audit", "site", "--jobs", "1", "--fix", "--select", "LF105")
        assert content(site)["index.html"] == b'<meta charset="utf-8"><a href="a\\page.html"><a href="a/page.html">'

    def test_a_file_that_cannot_be_written_is_named(self, site, monkeypatch):
        write = atomic.write

        def refuse(target, *rest, **known):
            if os.fspath(target).endswith("index.html"):
                raise OSError(13, "Permission denied", target)
            write(target, *rest, **known)

        (site / "other.html").write_bytes(INDEX)
        monkeypatch.setattr(atomic, "write", refuse)
        result = run("audit", "site", "--jobs", "1", "--fix")
        assert f"{Path('site', 'index.html')}: Permission denied\n" in result.stderr
        assert "corrected 1 reference in 1 file" in result.stderr
        assert content(site)["index.html"] == INDEX
        assert b"a/page.html" in content(site)["other.html"]
        assert result.exit_code == 2

    @pytest.mark.usefixtures("site")
    @pytest.mark.parametrize("arguments", [["--fix"], ["--fix", "--diff"]])
    def test_a_file_that_cannot_be_read_is_named(self, monkeypatch, arguments):
        lost = FixedFile("index.html", b"", b"", "", "", None, (), "Permission denied")
        monkeypatch.setattr(audit_fixes, "fix_references", lambda *_: iter([lost]))
        result = run("audit", "site", "--jobs", "1", *arguments)
        assert result.stderr.startswith(f"{Path('site', 'index.html')}: Permission denied\n")
        assert result.exit_code == 2

    def test_fixing_ends_if_two_rules_undo_each_other(self, site, monkeypatch):
        def back_and_forth(audit, options):
            for one in fix_references(audit, options):
                undone = one._replace(new=one.old)
                yield undone

        monkeypatch.setattr(audit_fixes, "fix_references", back_and_forth)
        result = run("audit", "site", "--jobs", "1", "--fix")
        assert result.stderr.count("[LF105]") == audit_fixes._ROUNDS
        assert content(site)["index.html"] == INDEX


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
class TestDiffBase:
    @pytest.fixture
    def checkout(self, site, monkeypatch):
        for name in [name for name in os.environ if name.startswith("GIT_")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
        self.git("init", "-q")
        self.commit("first")
        return site

    def git(self, *arguments):
        command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *arguments]
        subprocess.run(command, check=True, capture_output=True)

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    @pytest.mark.usefixtures("checkout")
    def test_nothing_changed(self):
        result = run("audit", "site", "--jobs", "1", "--diff-base", "HEAD")
        assert result.exit_code == 0
        assert "3 unchanged" in result.stdout

    @pytest.mark.parametrize("state", ["untracked", "staged", "committed"])
    def test_a_new_file(self, checkout, state):
        (checkout / "\x01 né.html").write_bytes(b'<meta charset="utf-8"><a href="new.html">')
        self.git("tag", "before")
        if state != "untracked":
            self.git("add", "-A")
        if state == "committed":
            self.commit("second")
        assert audited("--diff-base", "before") == [("\x01 né.html", 1, "LF101")]

    def test_a_removed_file_and_a_renamed_file(self, checkout):
        (checkout / "b.html").write_bytes(b'<meta charset="utf-8"><a href="c.html">1</a> <a href="d/">2</a>')
        (checkout / "c.html").write_bytes(b'<meta charset="utf-8"><p>c</p>')
        (checkout / "d").mkdir()
        (checkout / "d" / "index.html").write_bytes(b'<meta charset="utf-8"><p>d</p>')
        self.commit("second")
        assert audited("--diff-base", "HEAD") == []
        (checkout / "c.html").rename(checkout / "e.html")
        (checkout / "d" / "index.html").unlink()
        assert {path for path, _, _ in audited("--diff-base", "HEAD")} == {"b.html"}
        assert len(audited("--diff-base", "HEAD")) == 2

    def test_a_renamed_file_in_a_url_of_the_repository(self, checkout):
        self.git("remote", "add", "origin", "https://github.com/o/r")
        own = "https://github.com/o/r/blob/HEAD/site/"
        (checkout / "a.md").write_text(f"[c]({own}c%20d.md) [x]({own}x.md)")
        (checkout / "c d.md").write_text("# C\n\nof the text\n")
        self.commit("second")
        assert audited("--diff-base", "HEAD") == []
        (checkout / "c d.md").rename(checkout / "e.md")
        self.git("add", "-A")
        result = run("audit", "site", "--jobs", "1", "--diff-base", "HEAD")
        assert "a.md:1:5: error LF101" in result.stdout
        assert "hint: git renamed this file to e.md" in result.stdout
        assert "x.md" not in result.stdout

    def test_a_fragment_that_left_a_changed_file(self, checkout):
        (checkout / "index.html").write_bytes(b'<meta charset="utf-8"><a href="a/page.html#x">x</a>')
        self.commit("second")
        (checkout / "a" / "page.html").write_bytes(b'<meta charset="utf-8"><p>x</p>')
        assert audited("--diff-base", "HEAD") == [("index.html", 1, "LF102")]

    @pytest.mark.parametrize(("before", "code"), [("/x/p{}.html", "LF109"), ("p{}", "LF117")])
    def test_a_finding_about_many_references_that_the_change_broke(self, checkout, before, code):
        links = "".join(f"<a href={before.format(number)}>{number}</a>" for number in range(20))
        name = before.format("{}").lstrip("/")
        for number in range(20):
            page = checkout / (name.format(number) if code == "LF109" else f"p{number}/index.html")
            page.parent.mkdir(exist_ok=True)
            page.write_bytes(b'<meta charset="utf-8">')
        (checkout / "index.html").write_bytes(b'<meta charset="utf-8">' + links.encode())
        self.commit("second")
        assert audited("--diff-base", "HEAD") == []
        for number in range(20):
            page = checkout / (name.format(number) if code == "LF109" else f"p{number}/index.html")
            page.rename(checkout / f"p{number}.html")
        assert audited("--diff-base", "HEAD") == [("", 1, code)]
        self.commit("third")
        assert audited("--diff-base", "HEAD") == []

    def test_few_references_that_the_change_broke_among_many(self, checkout):
        links = "".join(f"<a href=/x/p{number}>{number}</a>" for number in range(20))
        (checkout / "old.html").write_bytes(b'<meta charset="utf-8">' + links.encode())
        self.commit("second")
        (checkout / "new.html").write_bytes(b'<meta charset="utf-8"><a href="/x/new">new</a>')
        assert audited("--diff-base", "HEAD") == [("new.html", 1, "LF101")]
        assert ("", 1, "LF109") in audited()

    def test_changes_on_the_other_branch_are_not_included(self, checkout):
        self.git("checkout", "-q", "-b", "ours")
        self.git("checkout", "-q", "-b", "theirs")
        (checkout / "index.html").write_bytes(INDEX + b"theirs")
        self.commit("theirs")
        self.git("checkout", "-q", "ours")
        assert audited("--diff-base", "theirs") == []

    def test_a_tree_below_the_checkout_and_from_within(self, checkout, monkeypatch):
        (checkout / "index.html").write_bytes(INDEX + b"x")
        monkeypatch.chdir(checkout)
        result = run("audit", ".", "--jobs", "1", "--diff-base", "HEAD", "--format", "json")
        assert {row["path"] for row in json.loads(result.stdout)["findings"]} == {"index.html"}

    @pytest.mark.usefixtures("checkout")
    def test_unknown_revisions_are_refused(self):
        for revision in ("nowhere", "HEAD:site", "-h", ""):
            result = run("audit", "site", "--diff-base", revision)
            assert f"{revision!r} is not a revision" in " ".join(result.stderr.split())
            assert result.exit_code == 2

    def test_a_folder_that_git_ignores(self, checkout):
        (checkout.parent / ".gitignore").write_text("built/\n")
        shutil.copytree(checkout, checkout.parent / "built")
        result = run("audit", "built", "--diff-base", "HEAD")
        assert "git ignores built" in result.stderr
        assert result.exit_code == 2

    def test_no_checkout(self, site, monkeypatch):
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(site.parent.parent))
        result = run("audit", "site", "--diff-base", "HEAD")
        assert "site is not in a git checkout" in result.stderr
        assert result.exit_code == 2

    @pytest.mark.usefixtures("checkout")
    def test_no_git(self, monkeypatch, tmp_path):
        monkeypatch.setenv("PATH", str(tmp_path))
        result = run("audit", "site", "--diff-base", "HEAD")
        assert "--diff-base needs git" in result.stderr
        assert result.exit_code == 2


class TestRules:
    @for_each(rules(), label=lambda rule: rule.info.code)
    def test_every_rule_is_explained(self, rule):
        result = run("audit", "--explain", rule.info.code.lower())
        assert result.exit_code == 0
        assert result.stdout.startswith(f"{rule.info.code} {rule.info.name} ({rule.info.level}")
        assert rule.info.help in result.stdout

    def test_by_name(self):
        assert run("audit", "--explain", "missing-target").stdout.startswith("LF101 ")

    @for_each(PROBLEMS)
    def test_every_problem_is_explained(self, code):
        result = run("audit", "--explain", code.upper())
        assert result.exit_code == 0
        meaning = f"{PROBLEMS[code][0].upper()}{PROBLEMS[code][1:]}."
        assert result.stdout.startswith(f"{code} (a problem)\n\n{meaning}\n\nNext step: {NEXT_STEPS[code]}\n")

    @pytest.mark.parametrize(
        ("code", "rule"),
        [("no-base", "LF201 no-base"), ("srcset-descriptor", "LF501 malformed-srcset"), ("charset-late", "LF902 ")],
    )
    def test_a_problem_and_its_rule(self, code, rule):
        assert f"\n\n\n{rule}" in run("audit", "--explain", code).stdout

    def test_a_problem_without_a_rule(self):
        assert run("audit", "--explain", "too-large").stdout.count("Next step: ") == 1

    @pytest.mark.parametrize(
        ("word", "near"), [("srcset-descriptr", "srcset-descriptor"), ("base-unusible", "base-unusable")]
    )
    def test_a_misspelt_code_has_a_suggestion(self, word, near):
        result = run("audit", "--explain", word)
        assert result.exit_code == 2
        assert f"did you mean {near}?" in result.stderr

    def test_they_are_listed(self):
        lines = run("audit", "--list-rules").stdout.splitlines()
        assert [line.split()[:3] for line in lines] == [
            [rule.info.code, rule.info.level.value, rule.info.name] for rule in rules()
        ]


def test_the_hook_of_pre_commit_is_this_command(site):
    text = (CHECKOUT / ".pre-commit-hooks.yaml").read_text("utf-8")
    rows = dict(line.removeprefix("- ").strip().split(": ", 1) for line in text.splitlines() if ": " in line[:20])
    assert (rows["pass_filenames"], rows["language"]) == ("false", "python")
    program, *arguments = rows["entry"].split() + json.loads(rows["args"])
    assert program == "linkfix"
    assert process(*arguments, cwd=site).returncode == 1


def test_the_help_of_all_starts_nothing_of_the_audit():
    program = "import sys\nfrom linkfix.cli import cli\ntry:\n    cli(['--help'])\nfinally:\n    print(*sys.modules)\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=ENVIRONMENT, text=True, check=True)
    assert not {"linkfix.auditing", "linkfix.auditing.reporters", "subprocess"} & set(
        io.StringIO(done.stdout).read().split()
    )


#: Modules that an audit of a page with a broken link does not need.
IDLE = {
    *("ada_url", "email", "html.entities", "lxml", "multiprocessing", "concurrent.futures"),
    *("secrets", "shutil", "subprocess", "tempfile", "tomllib", "urllib.request", "zipfile"),
    *(f"linkfix.html.syntaxes.{name}" for name in ("css", "json_data", "srcset", "lazy_value")),
    *(
        "linkfix.auditing.fix",
        "linkfix.cli.audit_fixes",
        "linkfix.auditing.reporters.html",
        "linkfix.auditing.reporters.sarif",
    ),
    *("linkfix.html.xml_outline", "linkfix.processes", "linkfix.saved.markers", "linkfix.text"),
    *("linkfix.auditing.reporters.junit", "linkfix.auditing.reporters.records", "linkfix.trees", "linkfix.hooks"),
}


def test_an_audit_of_one_page_imports_nothing_else(tmp_path):
    (tmp_path / "index.html").write_bytes(b"<a href=b.html>")
    program = (
        f"import sys\nfrom linkfix.cli import cli\ntry:\n    cli(['audit', {str(tmp_path)!r}])\n"
        "finally:\n    print(*sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, cwd=tmp_path, env=ENVIRONMENT, text=True, check=False
    )
    imported = set(done.stdout.splitlines()[-1].split())
    assert "linkfix.auditing.engine" in imported
    assert imported & IDLE == set()


class TestSeveralReports:
    def test_each_file_has_the_format_of_its_suffix(self, site):
        result = run("audit", "site", "-j", "1", "-o", "r.sarif", "-o", "r.html", "-o", "-")
        assert result.exit_code == 1
        assert result.stdout.splitlines()[-1].startswith(SUMMARY)
        assert json.loads((site.parent / "r.sarif").read_bytes())["version"] == "2.1.0"
        assert (site.parent / "r.html").read_text().startswith("<!DOCTYPE html>")

    def test_files_alone_leave_standard_output_empty(self, site):
        result = run("audit", "site", "-j", "1", "-o", "r.json", "-o", "r.csv")
        assert (result.stdout, result.stderr.startswith(SUMMARY)) == ("", True)

    def test_format_is_for_standard_output(self, site):
        result = run("audit", "site", "-j", "1", "--format", "markdown", "-o", "-", "-o", "r.json")
        assert result.stdout.startswith("## linkfix audit")
        assert json.loads((site.parent / "r.json").read_bytes())["findings"]

    @pytest.mark.usefixtures("site")
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--format", "csv", "-o", "a.json", "-o", "b.json"], "leave out --format"),
            (["-o", "a.json", "-o", "./a.json"], "is given twice"),
            (["-o", "-", "-o", "-"], "is given twice"),
            (["-o", "report.pdf"], "give --format, or one of .txt, "),
        ],
    )
    def test_mistakes(self, arguments, message):
        result = run("audit", "site", *arguments)
        assert result.exit_code == 2
        assert message in " ".join(result.stderr.split())


class TestFolders:
    def test_the_current_folder_is_the_default(self, site, monkeypatch):
        monkeypatch.chdir(site)
        result = run("audit", "-j", "1")
        assert "index.html:2:38: error LF101" in result.stdout

    def test_each_of_several_is_a_site_of_its_own(self, site):
        other = site.parent / "other"
        other.mkdir()
        (other / "index.html").write_text("<a href=/gone.html>1</a> <a href=a/page.html>2</a>")
        result = run("audit", "site", "other", "-j", "1", "--format", "json")
        found = {(row["path"], row["reference"]) for row in json.loads(result.stdout)["findings"]}
        assert {("site/index.html", "gone.html"), ("other/index.html", "a/page.html")} <= found
        text = run("audit", "site", "other", "-j", "1").stdout
        assert "/gone.html -> other/gone.html" in text

    @pytest.mark.parametrize("form", REPORTERS)
    def test_a_folder_where_nothing_is_checked_is_named(self, site, form):
        (site / "index.html").write_text("<a href=a/page.html>1</a>")
        (site / "a/page.html").write_text("<a href=../index.html>1</a>")
        (site.parent / "empty").mkdir()
        result = run("audit", "site", "empty", "-j", "1", "--format", form)
        assert result.exit_code == 3
        said = "NOTHING WAS CHECKED in empty"
        assert said in result.stdout + result.stderr
        if form == "json":
            assert '"judged_nothing": true' in result.stdout
        (site / "index.html").write_text("<a href=gone.html>1</a>")
        result = run("audit", "site", "empty", "-j", "1", "--format", form)
        assert (result.exit_code, said in result.stdout + result.stderr) == (1, True)

    def test_a_baseline_stays_valid_if_folders_are_added(self, site, monkeypatch):
        (site.parent / "work").mkdir()
        (site.parent / "far").mkdir()
        for folder in ("work/site", "work/copy", "far/site"):
            shutil.copytree(site, site.parent / folder)
        monkeypatch.chdir("work")
        run("audit", "site", "copy", "--write-baseline", "known.json")
        assert run("audit", "site", "copy", "--baseline", "known.json").exit_code == 0
        for named in ("../far/site", site.parent / "far/site"):
            result = run("audit", "copy", "site", named, "--baseline", "known.json", "--format", "json")
            assert {one["path"].rpartition("site/")[0] for one in json.loads(result.stdout)["findings"]} == {"far/"}

    def test_in_a_repository_a_baseline_is_valid_in_each_folder(self, site, monkeypatch):
        (site.parent / ".git").mkdir()
        shutil.copytree(site, site.parent / "copy")
        run("audit", "site", "copy", "--write-baseline", "known.json")
        monkeypatch.chdir(site)
        assert run("audit", ".", "../copy", "--baseline", "../known.json").exit_code == 0

    def test_patterns_begin_at_each_folder(self, site):
        shutil.copytree(site, site.parent / "copy")

        def found(*arguments):
            result = run("audit", "site", "copy", "-j", "1", "--format", "json", "--select", "LF1", *arguments)
            return {one["path"] for one in json.loads(result.stdout)["findings"]}

        pages = {"site/a/page.html", "copy/a/page.html"}
        for option in (["--per-file-ignores", "/index.html:LF1"], ["--exclude", "/index.html"], ["--include", "/a/"]):
            assert found(*option) == pages
        assert found("--per-file-ignores", "site/index.html:LF1") == found() > pages

    def test_several_urls_are_shown(self, site):
        other = site.parent / "other"
        other.mkdir()
        for name in "ab":
            (other / f"{name}.html").write_text(f"<link rel=canonical href=https://e.example/{name}.html>")
        text = run("audit", "site", "other", "-j", "1").stdout
        assert "several sites: site: the URL is not known; other: https://e.example/" in text

    @pytest.mark.usefixtures("site")
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["site", "site/a"], "is inside site: give only one of them"),
            (["site", "site"], "site is inside site: give only one of them"),
            (["site/a", "."], "is inside .: give only one of them"),
            (["site", "empty", "--root-url", "https://e.example/"], "--root-url is the URL of one DIR"),
            (["site", "empty", "--fix"], "need a single DIR"),
            (["site/index.html"], "is not a folder: give the folder that contains it"),
        ],
    )
    def test_mistakes(self, tmp_path, arguments, message):
        (tmp_path / "empty").mkdir()
        result = run("audit", *arguments)
        assert result.exit_code == 2
        assert message in " ".join(result.stderr.split())


class TestFoldersOfSettings:
    @pytest.fixture
    def settings(self, site):
        (site.parent / ".git").mkdir()
        return site.parent / "linkfix.toml"

    @pytest.mark.parametrize("value", ['"site"', '["site"]'])
    def test_paths_begin_at_the_folder_of_the_file(self, site, settings, value, monkeypatch):
        settings.write_text(f'[audit]\ndir = {value}\nbaseline = "known.json"\n')
        run("audit", "site", "--no-config", "--write-baseline", "known.json")
        monkeypatch.chdir(site / "a")
        result = run("audit", "-j", "1")
        assert result.exit_code == 0
        assert "no findings" in result.stdout
        assert "settings from" in result.stderr
        assert ": dir, baseline" in result.stderr

    @pytest.mark.usefixtures("site")
    def test_the_first_baseline_can_be_made(self, settings):
        settings.write_text('[audit]\nbaseline = "known.json"\n')
        result = run("audit", "site", "-j", "1")
        message = "the baseline of the settings, known.json, does not exist: make it with --write-baseline known.json"
        assert (result.exit_code, message in result.stderr) == (2, True)
        assert run("audit", "site", "-j", "1", "--write-baseline", "known.json").exit_code == 0
        assert run("audit", "site", "-j", "1").exit_code == 0
        assert run("audit", "site", "-j", "1", "--write-baseline", "known.json").exit_code == 0  # again

    def test_a_baseline_that_hides_findings_is_announced(self, site, settings):
        settings.write_text('[audit]\ndir = "site"\nbaseline = "known.json"\n')
        run("audit", "site", "--no-config", "--write-baseline", "known.json")
        for more in ([], ["--quiet"]):
            lines = run("audit", "-j", "1", *more).stderr.splitlines()
            assert "linkfix: that file decides which files are read: dir = site, baseline = known.json" in lines

    @needs_pipes
    @pytest.mark.usefixtures("site")
    def test_a_baseline_is_a_regular_file(self, settings):
        settings.write_text('[audit]\nbaseline = "pipe"\n')
        os.mkfifo("pipe")
        result = run("audit", "site", "-j", "1")
        message = "the baseline of the settings, pipe, is not a regular file"
        assert (result.exit_code, message in result.stderr) == (2, True)

    @pytest.mark.parametrize("key", ["dir", "baseline", "mount", "tree"])
    @pytest.mark.parametrize(
        ("value", "message"), [("x\\u0000", "contains a NUL character"), ("a/" * 100_000, "is too long")]
    )
    @pytest.mark.usefixtures("site")
    def test_impossible_paths(self, settings, key, value, message):
        value = f'"{value}"' if key in {"dir", "baseline"} else f'["/x={value}"]'
        settings.write_text(f"[audit]\n{key} = {value}\n")
        result = run("audit", "site", "--root-url", "https://e.example/")
        assert result.exit_code == 2
        assert result.stderr.startswith(f"Error: {settings}:2:1: {key} {message}")

    @pytest.mark.usefixtures("site")
    @pytest.mark.parametrize(
        ("arguments", "named"),
        [
            (["--config", "set.json", "-o", "set.json"], "--output"),
            (["--baseline", "known.json", "-o", "known.json"], "--output"),
            (["--write-baseline", "linkfix.toml"], "--write-baseline"),
        ],
    )
    def test_files_that_are_read_are_not_replaced(self, settings, arguments, named):
        settings.write_text('[audit]\nignore = ["LF1"]\n')
        shutil.copy(settings, "set.json")
        run("audit", "site", "-j", "1", "--write-baseline", "known.json")
        result = run("audit", "site", *arguments)
        assert result.exit_code == 2
        path = Path(arguments[-1]).resolve()
        assert f"{named} {path} is the input " in " ".join(result.stderr.split())

    @pytest.mark.usefixtures("site")
    def test_the_command_line_wins(self, settings):
        settings.write_text('[audit]\ndir = "site"\n')
        assert "page.html:2:" in run("audit", "site/a", "-j", "1").stdout

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ('dir = "gone"', "the settings name the folder gone, which does not exist: build it first, or give DIR"),
            ("dir = 1", "dir must be a string or a list of strings, not an integer"),
            ('dir = ".."', "is not in the folder of this file: give it on the command line"),
            (
                'baseline = "../known.json"',
                "is not in the folder of this file: give it on the command line, with --baseline",
            ),
        ],
    )
    def test_mistakes(self, site, settings, text, message):
        settings.write_text(f"[audit]\n{text}\n")
        (site.parent.parent / "known.json").write_text("{}")
        result = run("audit")
        assert result.exit_code == 2
        assert message in " ".join(result.stderr.split())


def git(*words, cwd):
    """The output of git, for commits too."""
    command = [shutil.which("git"), "-c", "user.name=x", "-c", "user.email=x@example.com", *words]
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def checkout(site):
    """The site's folder as a git repository."""
    git("init", "-q", cwd=site.parent)
    (site / "index.html").write_bytes(b"<a href=A/page.html>1</a>")
    return site.parent


def status(folder):
    return git("status", "--porcelain", "--untracked-files=all", cwd=folder)


class TestJournalInGit:
    def test_git_does_not_list_it_and_undo_finds_it(self, checkout):
        before, listed = content(checkout / "site"), status(checkout)
        result = run("audit", "site", "-j", "1", "--fix")
        assert "journal in the git directory: .git/linkfix/site.linkfix-" in result.stderr
        assert content(checkout / "site") != before
        assert status(checkout) == listed
        assert run("undo", "site").exit_code == 0
        assert content(checkout / "site") == before

    def test_the_printed_command_undoes(self, checkout):
        before = content(checkout / "site")
        stderr = run("audit", "site", "-j", "1", "--fix").stderr
        words = stderr.partition("to undo: linkfix ")[2].split("\n")[0].split()
        assert "--root" not in words
        assert run(*words).exit_code == 0
        assert content(checkout / "site") == before

    def test_a_linked_work_tree_has_its_own(self, checkout):
        git("add", ".", cwd=checkout)
        git("commit", "-qm", "x", cwd=checkout)
        git("worktree", "add", "-q", "tree", cwd=checkout)
        run("audit", "tree/site", "-j", "1", "--fix")
        assert list((checkout / ".git/worktrees/tree/linkfix").iterdir())
        assert status(checkout / "tree") == " M site/index.html\n"
        assert run("undo", "tree/site").exit_code == 0
        assert status(checkout / "tree") == ""

    @pytest.mark.parametrize("mark", ["gitdir: gone\n", "nonsense", "gitdir: ..\n"])
    def test_what_is_no_git_directory_gets_none(self, site, mark):
        (site / "index.html").write_bytes(b"<a href=A/page.html>1</a>")
        (site.parent / ".git").write_text(mark)
        result = run("audit", "site", "-j", "1", "--fix")
        assert "journal beside the folder: site.linkfix-" in result.stderr
        assert run("undo", "site").exit_code == 0

    @pytest.mark.parametrize("name", ["sub", "s u;b"])
    def test_a_submodule_has_its_own(self, checkout, name):
        git("add", ".", cwd=checkout)
        git("commit", "-qm", "x", cwd=checkout)
        git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", f"{checkout}/.git", name, cwd=checkout)
        run("audit", f"{name}/site", "-j", "1", "--fix")
        assert list((checkout / ".git/modules" / name / "linkfix").iterdir())
        assert run("undo", f"{name}/site").exit_code == 0

    @pytest.mark.parametrize("make", [lambda mark, git: mark.write_text(f"gitdir: {git}\n"), Path.symlink_to])
    def test_a_git_directory_that_does_not_point_back_gets_none(self, site, tmp_path_factory, make):
        (site / "index.html").write_bytes(b"<a href=A/page.html>1</a>")
        other = tmp_path_factory.mktemp("other")
        git("init", "-q", cwd=other)
        make(site.parent / ".git", other / ".git")
        result = run("audit", "site", "-j", "1", "--fix")
        assert "journal beside the folder: site.linkfix-" in result.stderr
        assert not (other / ".git/linkfix").exists()
        assert run("undo", "site").exit_code == 0

    @pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners")
    @pytest.mark.parametrize("folder", [".git", ".git/linkfix"])
    def test_a_folder_that_everybody_can_write_to_gets_none(self, checkout, folder):
        (checkout / folder).mkdir(exist_ok=True)
        (checkout / folder).chmod(0o777)
        result = run("audit", "site", "-j", "1", "--fix")
        assert "journal beside the folder: site.linkfix-" in result.stderr

    @pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners")
    def test_a_git_directory_of_another_user_gets_none(self, checkout, monkeypatch):
        monkeypatch.setattr("linkfix.cli.journal.reason_to_doubt", lambda path, *_: path.name == ".git" and "stranger")
        result = run("audit", "site", "-j", "1", "--fix")
        assert "journal beside the folder: site.linkfix-" in result.stderr

    def test_little_of_a_mark_is_read(self, site):
        (site / "index.html").write_bytes(b"<a href=A/page.html>1</a>")
        (site.parent / ".git").write_bytes(b"gitdir: x".ljust(1 << 26, b"x"))
        tracemalloc.start()
        try:
            result = run("audit", "site", "-j", "1", "--fix")
            assert tracemalloc.get_traced_memory()[1] < 1 << 25
        finally:
            tracemalloc.stop()
        assert "journal beside the folder: site.linkfix-" in result.stderr

    def test_the_journal_of_another_tree_is_not_trusted(self, checkout, tmp_path_factory):
        run("audit", "site", "-j", "1", "--fix")
        (journal,) = (checkout / ".git/linkfix").iterdir()
        other = tmp_path_factory.mktemp("other")
        git("init", "-q", cwd=other)
        (other / ".git/linkfix").mkdir()
        copy = shutil.copy(journal, other / ".git/linkfix")
        result = run("undo", str(copy))
        assert result.exit_code == 2
        assert "is not in the folder of the journal" in result.stderr


class TestRenames:
    def test_a_staged_rename_is_a_hint(self, checkout):
        (checkout / "site/index.html").write_text(
            "<a href=a/page.html>1</a> <a href='a/page.html#x'>2</a> <a href=no>3</a>"
        )
        git("add", ".", cwd=checkout)
        git("commit", "-qm", "x", cwd=checkout)
        git("mv", "site/a/page.html", "site/b.html", cwd=checkout)
        lines = run("audit", "site", "-j", "1").stdout.splitlines()
        assert lines.count("    hint: git renamed this file to b.html") == 1
        assert sum(" error LF101 " in line for line in lines) == 3

    def test_a_rename_since_a_revision(self, checkout):
        git("add", ".", cwd=checkout)
        git("commit", "-qm", "x", cwd=checkout)
        git("mv", "site/a/page.html", "site/b.html", cwd=checkout)
        (checkout / "site/index.html").write_text("<a href=a/page.html>1</a>")
        git("commit", "-qam", "y", cwd=checkout)
        assert "git renamed" not in run("audit", "site", "-j", "1").stdout
        assert (
            "hint: git renamed this file to b.html" in run("audit", "site", "-j", "1", "--diff-base", "HEAD~1").stdout
        )

    def test_no_program_of_the_repository_runs(self, checkout):
        (checkout / ".gitattributes").write_text("*.html filter=x diff=x")
        git("add", ".", cwd=checkout)
        git("commit", "-qm", "x", cwd=checkout)
        git("mv", "site/a/page.html", "site/b.html", cwd=checkout)
        trap = f"touch {checkout / 'trap'}; cat"
        for key in ("filter.x.clean", "filter.x.smudge", "diff.x.command", "diff.x.textconv", "core.fsmonitor"):
            git("config", key, trap, cwd=checkout)
        (checkout / "site/index.html").write_text("<a href=a/page.html>1</a>")
        assert "git renamed" in run("audit", "site", "-j", "1").stdout
        assert not (checkout / "trap").exists()


def test_pages_and_other_files_are_counted_apart(site):
    (site / "a.css").write_text("a { background: url(gone.png) }")
    (site / "b.css").write_text("")
    for form, text in [
        ("text", "checked in 2 pages and 2 other files"),
        ("markdown", "| pages | other files |"),
        ("junit", "1 file without findings"),
        ("html", "<dt>other files checked</dt><dd>2</dd>"),
    ]:
        assert text in run("audit", "site", "-j", "1", "--format", form).stdout
