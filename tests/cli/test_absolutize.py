from __future__ import annotations

import json
import os
import re

import pytest
from support.running import bash, process, run
from support.systems import needs_full_device, needs_pipes

PAGE = b'<a href="x.html">x</a>\n<img src="http://[">\n'
URL = "https://example.com/s/"
DONE = PAGE.replace(b'"x.html"', b'"https://example.com/s/x.html"')
SUMMARY = re.compile(r" in \d+\.\d\d s(?:: [^\n]+)?\n$")


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site" / "a").mkdir(parents=True)
    (tmp_path / "site" / "index.html").write_bytes(PAGE)
    (tmp_path / "site" / "a" / "x.css").write_bytes(b"p { background: url(y.png) }")
    (tmp_path / "site" / "a" / "y.png").write_bytes(b"\x89PNG")
    return tmp_path / "site"


def content(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class TestOneDocument:
    def test_is_written_to_standard_output(self, site):
        result = run("absolutize", "site/index.html", "--url", URL)
        assert result.stdout_bytes == DONE
        assert result.exit_code == 0
        message, summary = result.stderr.split("\n", 1)
        assert re.fullmatch(r"site/index\.html:2:\d+: .+ \[unresolvable\]", message)
        assert summary.startswith("1 file, 2 links, 1 made absolute, 1 problem in 0.")
        assert SUMMARY.search(summary)
        assert content(site)["index.html"] == PAGE

    def test_standard_input(self):
        result = run("absolutize", "-", "--url", URL, "--quiet", stdin=PAGE)
        assert result.stdout_bytes == DONE
        assert result.stderr == ""

    def test_a_pipe_is_read_like_standard_input(self, site):
        command = f'"$0" -m linkfix absolutize <(cat site/index.html) --quiet --url {URL}'
        done = bash(command, site.parent)
        assert done.stdout == DONE, done.stderr

    @pytest.mark.usefixtures("site")
    def test_by_the_place_in_a_tree(self):
        result = run("absolutize", "site/a/x.css", "--root-url", URL)
        assert result.stdout_bytes == b"p { background: url(https://example.com/s/y.png) }"

    @pytest.mark.usefixtures("site")
    def test_without_a_base_a_reference_is_a_problem(self):
        result = run("absolutize", "site/index.html", "--strict")
        assert result.stdout_bytes == PAGE
        assert "[no-base]" in result.stderr
        assert result.exit_code == 1

    def test_a_text_file_given_by_name_is_html(self, site):
        (site / "page.txt").write_bytes(PAGE)
        assert run("absolutize", "site/page.txt", "--url", URL).stdout_bytes == DONE

    @pytest.mark.parametrize("stdin", [True, False])
    @pytest.mark.usefixtures("site")
    def test_larger_than_the_limit_passes_through(self, stdin):
        arguments = ["absolutize", "-" if stdin else "site/index.html", "--url", URL, "--max-size", "20", "--strict"]
        result = run(*arguments, stdin=PAGE)
        assert result.stdout_bytes == PAGE
        assert "larger than 20 bytes [too-large]" in result.stderr
        assert result.exit_code == 1

    @pytest.mark.parametrize("data", [b"", b"\xff" * 200, b"<" * 5000])
    def test_other_files_are_copied_unchanged(self, data):
        result = run("absolutize", "-", "--url", URL, stdin=data)
        assert result.stdout_bytes == data
        assert result.exit_code == 0

    def test_a_byte_order_mark_and_utf16_stay(self):
        data = '\ufeff<a href="é?é">'.encode("utf-16-le")
        result = run("absolutize", "-", "--url", URL, stdin=data)
        assert result.stdout_bytes.decode("utf-16") == '<a href="https://example.com/s/%C3%A9?%C3%A9">'


class TestTrees:
    def test_output(self, site, tmp_path):
        result = run("absolutize", "site", "--root-url", URL, "--output", "out")
        assert result.exit_code == 0
        assert result.stdout == ""
        assert "3 files, 1 copied, 3 links, 2 made absolute, 1 problem in" in result.stderr
        assert content(tmp_path / "out") == {
            "index.html": DONE,
            "a/x.css": b"p { background: url(https://example.com/s/a/y.png) }",
            "a/y.png": b"\x89PNG",
        }
        assert content(site)["index.html"] == PAGE

    def test_in_place(self, site):
        result = run("absolutize", "site", "--root-url", URL, "--in-place")
        assert "2 files, 3 links, 2 made absolute, 1 problem in" in result.stderr
        assert content(site)["index.html"] == DONE

    def test_several_files_of_a_folder(self, site):
        (site / "b.html").write_bytes(PAGE)
        assert run("absolutize", "site/index.html", "site/b.html", "--root-url", URL, "--in-place").exit_code == 0
        assert content(site)["b.html"] == content(site)["index.html"] == DONE

    def test_include_and_exclude_select_files(self, site, tmp_path):
        run(
            "absolutize",
            "site",
            "--root-url",
            URL,
            "--output",
            "out",
            "--include",
            "*.css",
            "--include",
            "*.html",
            "--exclude",
            "a/",
        )
        assert content(tmp_path / "out") == content(site) | {"index.html": DONE}

    @pytest.mark.usefixtures("site")
    def test_dry_run_lists_changes(self, tmp_path):
        before = content(tmp_path)
        result = run("absolutize", "site", "--root-url", URL, "--output", "out", "--dry-run")
        assert content(tmp_path) == before
        assert not (tmp_path / "out").exists()
        assert result.stdout == (
            "site/a/x.css: 1 of 1 link to make absolute\nsite/index.html: 1 of 2 links to make absolute\n"
        )
        assert "3 files, 1 copied, 3 links, 2 to make absolute, 1 problem in" in result.stderr

    def test_a_base_that_is_inserted_is_a_change(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "pages").mkdir()
        (tmp_path / "pages" / "page.html").write_bytes(b"<a href=x>")
        arguments = ("absolutize", "pages", "--root-url", URL, "--base-element", "insert")
        result = run(*arguments, "--output", "out", "--dry-run")
        assert result.stdout == "pages/page.html: 0 of 1 link to make absolute, but other changes\n"
        assert "1 file, 1 changed, 1 link, 0 to make absolute, 0 problems in" in result.stderr

    @pytest.mark.usefixtures("site")
    def test_diff(self, tmp_path):
        before = content(tmp_path)
        result = run("absolutize", "site/index.html", "--root-url", URL, "--diff")
        assert content(tmp_path) == before
        assert result.stdout_bytes == (
            b"--- a/site/index.html\n+++ b/site/index.html\n@@ -1,2 +1,2 @@\n"
            b'-<a href="x.html">x</a>\n+<a href="https://example.com/s/x.html">x</a>\n <img src="http://[">\n'
        )

    @pytest.mark.usefixtures("site")
    def test_json(self):
        result = run("absolutize", "site", "--root-url", URL, "--in-place", "--format", "json")
        summary = json.loads(result.stdout)
        assert summary["totals"].pop("seconds") >= 0
        assert summary["totals"] == {
            "files": 2,
            "copied": 0,
            "linked": 0,
            "refused": 0,
            "failed": 0,
            "links": 3,
            "rewritten": 2,
            "problems": 1,
            "bytes": len(PAGE) + 28,
            "removed": 0,
            "separated": 0,
        }
        css, page = summary["files"]
        assert (css["path"], css["action"], css["url"]) == ("site/a/x.css", "converted", URL + "a/x.css")
        assert (page["base"], page["layer"], page["encoding"]) == (URL, "retrieval", "windows-1252")
        assert (page["links"], page["rewritten"], page["problem_count"]) == (2, 1, 1)
        (problem,) = page["problems"]
        assert (problem["code"], problem["line"]) == ("unresolvable", 2)
        assert problem["message"]

    @pytest.mark.usefixtures("site")
    def test_json_of_a_file_that_is_no_page(self):
        summary = json.loads(run("absolutize", "site/a/y.png", "--in-place", "--format", "json").stdout)
        assert [(one["action"], one["problems"][0]["code"]) for one in summary["files"]] == [("copied", "media-type")]

    def test_keep_existing(self, site):
        (site / "index.html").write_bytes(b'<a href="a/x.css"><a href="b.css">')
        run("absolutize", "site", "--root-url", URL, "--in-place", "--keep-existing")
        assert content(site)["index.html"] == b'<a href="a/x.css"><a href="https://example.com/s/b.css">'

    def test_options_reach_the_engine(self, site):
        (site / "index.html").write_bytes(
            b'<base href="/b/"><a href="#f"><a href="HTTP://H/"><img data-src="l"><a href="../../x">'
            b'<meta property="og:image" content="o"><script type="application/ld+json">{"url": "j"}</script>'
        )
        run(
            "absolutize", "site/index.html", "--url", "http://h/s/", "--in-place", "--fragments", "absolutize",
            "--normalize", "--base-element", "remove", "--lazy", "--social", "--json-ld",
        )  # fmt: skip
        assert content(site)["index.html"] == (
            b'<a href="http://h/b/#f"><a href="http://h/"><img data-src="http://h/b/l"><a href="http://h/x">'
            b'<meta property="og:image" content="http://h/b/o">'
            b'<script type="application/ld+json">{"url": "http://h/b/j"}</script>'
        )

    @pytest.mark.parametrize("option", ["--escape-ampersands", "--no-escape-ampersands"])
    def test_ampersands_are_escaped_on_request(self, site, option):
        (site / "index.html").write_bytes(b'<a href="?a&region=2"><img srcset="b?c&region 1x">')
        run("absolutize", "site/index.html", "--url", "http://h/s/", "--in-place", option)
        written = b"&amp;region" if option == "--escape-ampersands" else b"&region"
        assert content(site)["index.html"] == (
            b'<a href="http://h/s/?a%s=2"><img srcset="http://h/s/b?c%s 1x">' % (written, written)
        )

    def test_resolver_options_reach_the_engine(self, site):
        (site / "index.html").write_bytes(b'<a href="../../x"><a href="http:y">')
        run(
            "absolutize", "site/index.html", "--url", "http://h/s/", "--in-place", "--spec", "rfc2396",
            "--excess-dots", "keep", "--same-scheme", "relative",
        )  # fmt: skip
        assert content(site)["index.html"] == b'<a href="http://h/../x"><a href="http://h/s/y">'

    def test_charset_reaches_the_engine(self, site):
        (site / "index.html").write_bytes(b'<a href="?\xef">')
        run("absolutize", "site/index.html", "--url", URL, "--in-place", "--charset", "koi8-r")
        assert content(site)["index.html"] == b'<a href="https://example.com/s/?%EF">'

    @pytest.mark.usefixtures("site")
    def test_default_base(self):
        assert run("absolutize", "site/index.html", "--default-base", URL).stdout_bytes == DONE


class TestWrongUse:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["site"], "for a folder or several files, give --output DIR or --in-place"),
            (["site/index.html", "site/a/x.css"], "for a folder or several files, give --output DIR or --in-place"),
            (["site", "--output", "out", "--in-place"], "--output and --in-place cannot be combined"),
            (["site", "--output", "site/out"], "overlap"),
            (["site", "--output", "site"], "overlap"),
            (["site", "site/index.html", "--in-place"], "site/index.html is in site: give each file once"),
            (["site", "--url", URL, "--in-place"], "--url is the URL of a single document"),
            (["site/index.html", "site/a/x.css", "--url", URL, "--in-place"], "--url is the URL of a single document"),
            (["site/index.html", "--url", URL, "--root-url", URL], "--url and --root-url cannot be combined"),
            (["site/index.html", "site/a/x.css", "--root-url", URL, "--diff"], "--root-url is the URL of a single"),
            (["-", "site", "--in-place"], "'-' (standard input) cannot be combined with another PATH"),
            (["-", "--in-place"], "cannot be used for standard input"),
            (["-", "--diff"], "cannot be used for standard input"),
            (["-", "--root-url", URL], "--root-url cannot be used for standard input"),
            (["site/index.html", "-o", "no/new.html"], "the folder of no/new.html does not exist: create it, or give"),
            (["site", "--url-map", "no.csv", "--dry-run"], "'no.csv' does not exist: linkfix absolutize with"),
            (["site/index.html", "--format", "json"], "--format json prints to standard output, as does the document"),
            (["site", "--diff", "--format", "json"], "--format json and --diff cannot be combined"),
            (["site", "--in-place", "--keep-existing"], "--keep-existing needs --root-url"),
            (["site", "--in-place", "--root-url", "docs"], "'docs' is not the absolute URL of a folder"),
            (["site", "--in-place", "--root-url", "mailto:x"], "is not the absolute URL of a folder"),
            (["site", "--in-place", "--root-url", "https://e/?q"], "is not the absolute URL of a folder"),
            (["site/index.html", "--in-place", "--url", "page.html"], "'page.html'"),
            (["site/index.html", "--in-place", "--url", "http://["], "'http://['"),
            (["site", "--in-place", "--default-base", "x/"], "'x/'"),
            (["site", "--in-place", "--charset", "utf-88"], "utf-88"),
            (["site", "--in-place", "--spec", "rfc1738"], "'rfc1738' is not one of"),
            (["site", "--in-place", "--spec", "whatwg", "--excess-dots", "keep"], "excess_dots"),
            (["site", "--in-place", "--jobs", "0"], "--jobs"),
            (["site", "--in-place", "--max-size", "big"], "'big' is not a size"),
            (["missing.html"], "'missing.html' does not exist"),
            ([], "Missing argument 'PATH...'"),
        ],
    )  # fmt: skip
    @pytest.mark.usefixtures("site")
    def test_prints_one_message_and_writes_nothing(self, tmp_path, arguments, message):
        before = content(tmp_path)
        result = run("absolutize", *arguments, stdin=PAGE)
        assert message in " ".join(result.stderr.split())
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.count("Error: ") == 1
        assert content(tmp_path) == before


@pytest.mark.parametrize(
    ("option", "told"), [("--base-url", "No such option --base-url"), ("-u", "Did you mean --url?")]
)
def test_an_unknown_option_is_named(option, told):
    result = run("absolutize", "-", option, URL, stdin=PAGE)
    message = " ".join(result.stderr.split()).replace("'", "").replace("option: ", "option ")  # by click's version
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in message


class TestTrouble:
    @needs_pipes
    def test_an_unreadable_file_is_named_and_the_others_converted(self, site):
        (site / "index.html").chmod(0)
        if os.access(site / "index.html", os.R_OK):
            (site / "index.html").unlink()
            os.mkfifo(site / "index.html")
            expected = "site/index.html: not a regular file: skipped\n"
        else:
            expected = "site/index.html: Permission denied\n"
        result = run("absolutize", "site", "--root-url", URL, "--in-place")
        assert result.stderr.startswith(expected)
        assert result.exit_code == 2
        assert b"https://" in (site / "a" / "x.css").read_bytes()

    @pytest.mark.usefixtures("site")
    def test_an_error_of_the_system_is_exit_code_2(self, tmp_path):
        (tmp_path / "out" / "index.html" / "full").mkdir(parents=True)
        result = run("absolutize", "site", "--root-url", URL, "--output", "out", "--quiet")
        assert re.match(r"site/index\.html: .*(directory|exists)", result.stderr)
        assert result.stderr.count("\n") == 1
        assert result.exit_code == 2
        assert (tmp_path / "out" / "a" / "x.css").exists()

    def test_a_link_out_of_the_tree_is_named(self, site):
        (site / "out.html").symlink_to("/etc/hostname")
        result = run("absolutize", "site", "--root-url", URL, "--in-place", "--strict")
        assert "site/out.html: symbolic link out of the folder, to /etc/hostname: not followed\n" in result.stderr
        assert "1 refused" in result.stderr
        assert result.exit_code == 1

    def test_names_and_messages_cannot_act_on_the_terminal(self, site):
        (site / "\x1b[31m\u202e\udce9.html").write_bytes(PAGE)
        result = run("absolutize", "site", "--root-url", URL, "--in-place")
        assert "site/\\x1b[31m\\u202e\\xe9.html:2:" in result.stderr
        assert "\x1b" not in result.stderr

    def test_problems_beyond_many_are_counted(self, site):
        (site / "index.html").write_bytes(b"".join(b'<a href="http://[%d">' % one for one in range(1010)))
        result = run("absolutize", "site/index.html", "--url", URL, "--full")
        assert result.stderr.count("[unresolvable]") == 1000
        assert "site/index.html: and 10 problems more\n" in result.stderr

    @needs_full_device
    @pytest.mark.parametrize("unbuffered", ["", "1"])
    @pytest.mark.parametrize("command", ["absolutize", "links"])
    def test_an_output_that_takes_no_more_is_an_error(self, site, command, unbuffered):
        script = f'"$0" -m linkfix {command} site/index.html --url http://h/ > /dev/full'
        done = bash(script, site.parent, PYTHONUNBUFFERED=unbuffered)
        assert done.stderr.decode().splitlines()[-1] == "linkfix: standard output: No space left on device"
        assert done.returncode == 2

    @pytest.mark.slow
    @pytest.mark.parametrize("unbuffered", ["", "1"])
    @pytest.mark.parametrize("command", ["absolutize --quiet", "links"])
    def test_a_reader_that_leaves_ends_it_quietly(self, site, command, unbuffered):
        (site / "index.html").write_bytes(b'<a href="x.html">x</a>' * 50_000)
        script = f'"$0" -m linkfix {command} site/index.html --url http://h/ | head -c 1; echo ${{PIPESTATUS[0]}} >&2'
        done = bash(script, site.parent, PYTHONUNBUFFERED=unbuffered)
        assert done.stderr == b"141\n"


def test_python_m_linkfix_is_the_command(site):
    done = process("absolutize", "site/index.html", "--url", URL, "--quiet", cwd=site.parent)
    assert (done.stdout, done.stderr, done.returncode) == (DONE, b"", 0)


def test_a_standard_error_that_is_ascii_gets_escapes(site):
    (site / "é.html").write_bytes(PAGE)
    done = process(
        "absolutize", "site", "--in-place", cwd=site.parent, PYTHONUTF8="0", PYTHONIOENCODING="ascii", LC_ALL="C"
    )
    assert b"site/\\xe9.html:1:" in done.stderr or b"site/\\xc3\\xa9.html:1:" in done.stderr
    assert done.returncode == 0
