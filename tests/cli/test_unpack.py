from __future__ import annotations

import base64
import csv
import json
from pathlib import Path
from urllib.parse import unquote

import pytest
from support.captured import exchange
from support.fixtures_site import FIXTURES
from support.running import run
from support.zip_samples import Sample, archive

from linkfix.urls import without_credentials

MHTML = FIXTURES / "saved" / "chromium" / "foreign.mhtml"
WARC = FIXTURES / "warc" / "site.warc.gz"


def rows(folder):
    with (folder / "manifest.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def targets(*arguments):
    """The links of markup: of a folder, plain texts are no documents, and headers are no files."""
    found = [json.loads(line) for line in run("links", *arguments, "--format", "jsonl").stdout.splitlines()]
    return [(row["reference"], row["target"]) for row in found if row["role"] not in {"mention", "location"}]


@pytest.mark.parametrize("path", [MHTML, WARC])
@pytest.mark.parametrize("stdin", [True, False])
def test_unpacked_files_resolve_links_by_the_manifest(tmp_path, path, stdin):
    out = tmp_path / "out"
    result = run("unpack", "-" if stdin else path, "--raw", "--output", out, stdin=path.read_bytes() if stdin else None)
    assert result.exit_code == 0, result.output
    assert f"{len(rows(out))} files, 0 problems; their URLs are in {out}/manifest.csv\n" == result.stderr
    assert all((out / row["path"]).is_file() for row in rows(out))
    mapped = targets(out, "--url-map", out / "manifest.csv")
    assert mapped
    assert set(mapped) == set(targets(path))


def test_raw_files_have_the_times_of_their_captures(tmp_path):
    warc, har = tmp_path / "a.warc", tmp_path / "a.har"
    warc.write_bytes(
        exchange("https://h/", b"<p>", time="2024-05-01T12:00:00Z")
        + exchange("https://h/", b"<b>", time="2024-05-02T12:00:00Z")
        + exchange("https://h/", revisit_of=b"<b>", time="2024-05-03T12:00:00Z")
    )
    content = {"text": "<p>", "mimeType": "text/html"}
    entry = {"request": {"url": "https://h/"}, "response": {"content": content}, "startedDateTime": "2024-05-01T12:00Z"}
    har.write_text(json.dumps({"log": {"entries": [entry]}}))
    for path, times in {warc: ["20240501120000", "20240502120000"], har: ["20240501120000"]}.items():
        out = tmp_path / path.suffix[1:]
        assert run("unpack", path, "--output", out, "--raw").exit_code == 0
        assert [row["time"] for row in rows(out)] == times


def test_rows_without_a_url_are_no_hindrance(tmp_path):
    page = tmp_path / "page.htz"
    page.write_bytes(archive([Sample("index.html", b"<a href=x>"), Sample("i.png", b"x")]))
    out = tmp_path / "out"
    assert run("unpack", page, "--raw", "--output", out, "--quiet").stderr == ""
    assert [(row["path"], row["url"]) for row in rows(out)] == [("index.html", ""), ("i.png", "")]
    assert targets(out, "--url-map", out / "manifest.csv") == [("x", None)]


def test_what_only_a_message_gives_a_meaning_is_no_url_of_a_file(tmp_path):
    message = tmp_path / "a.eml"
    message.write_bytes(
        b"Subject: x\r\nContent-Type: multipart/related; boundary=B\r\n\r\n--B\r\nContent-Type: text/html\r\n\r\n"
        b'<img src="cid:logo@x">\r\n--B\r\nContent-Type: image/png\r\nContent-ID: <logo@x>\r\n\r\nPNG\r\n--B--\r\n'
    )
    assert run("unpack", message, "--output", tmp_path / "out").exit_code == 0
    assert [(row["url"], row["base"]) for row in rows(tmp_path / "out")] == [("", "")] * 3
    made = run("absolutize", tmp_path / "out", "--url-map", tmp_path / "out" / "manifest.csv", "-o", tmp_path / "again")
    assert made.exit_code == 0
    assert (tmp_path / "again" / "part-1.html").read_bytes() == b'<img src="logo%40x.png">'


def test_a_message_without_urls_has_the_url_of_the_option(tmp_path):
    message = tmp_path / "a.eml"
    message.write_bytes(b"MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<a href=x>")
    out = tmp_path / "out"
    run("unpack", message, "--raw", "--output", out, "--url", "https://h/m/")
    assert [row["url"] for row in rows(out)] == ["https://h/m/"]


@pytest.mark.parametrize(("arguments", "code"), [([], 0), (["--strict"], 1)])
def test_damage_is_reported(tmp_path, arguments, code):
    result = run("unpack", FIXTURES / "mime" / "truncated.mht", "--raw", "--output", tmp_path / "out", *arguments)
    assert "[mime-boundary]" in result.stderr
    assert "2 files, 1 problem;" in result.stderr
    assert result.exit_code == code


def test_names_lead_nowhere_else(tmp_path):
    page = tmp_path / "page.htz"
    page.write_bytes(archive([Sample("index.html", b"x"), Sample("../../up.html", b"x"), Sample("/etc/x.html", b"x")]))
    out = tmp_path / "a" / "out"
    run("unpack", page, "--raw", "--output", out)
    assert {row["path"] for row in rows(out)} == {"index.html", "up.html", "etc/x.html"}
    assert {path.name for path in tmp_path.iterdir()} == {"page.htz", "a"}


def test_a_file_that_is_no_container_is_wrong_usage(tmp_path):
    page = tmp_path / "page.html"
    page.write_bytes(b"<p>")
    for source, stdin in ((page, None), ("-", b"<p>")):
        result = run("unpack", source, "--output", tmp_path / "out", stdin=stdin)
        assert result.exit_code == 2
        said = " ".join(result.stderr.split())
        assert "is not an archive or message: unpack reads ARC files, EPUB books, WACZ packages, " in said
        assert "HAR files, MHTML files and email messages. With --single-file, it reads a saved page too." in said
    assert not (tmp_path / "out").exists()


def test_a_wrong_url_is_wrong_use(tmp_path):
    result = run("unpack", MHTML, "--output", tmp_path / "out", "--url", "x")
    assert result.exit_code == 2
    assert not (tmp_path / "out").exists()


def pages_of(size, count=4):
    return archive([Sample(f"{number}.html", b"<a href=x>" + bytes(size - 10)) for number in range(count)])


@pytest.mark.parametrize("strict", [[], ["--strict"]])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--max-total", "2500"],
            "'2.html' has 1,000 bytes: more than the 2,500 bytes of --max-total [total-too-large]",
        ),
        (["--max-total", "2.5K"], "more than the 2,560 bytes of --max-total [total-too-large]"),
    ],
)
def test_nothing_is_written_beyond_the_total_and_the_exit_code_is_2(tmp_path, options, said, strict):
    page = tmp_path / "page.htz"
    page.write_bytes(pages_of(1000))
    result = run("unpack", page, "--raw", "--output", tmp_path / "out", *options, *strict)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 2
    assert [row["path"] for row in rows(tmp_path / "out")] == ["0.html", "1.html"]
    assert len(list((tmp_path / "out").glob("*.html"))) == 2


def test_a_bomb_fills_no_disk(tmp_path, monkeypatch):
    monkeypatch.setattr("linkfix.containers.part.UNCHECKED", 100_000)
    page = tmp_path / "page.htz"
    page.write_bytes(pages_of(50_000, 40))
    result = run("unpack", page, "--raw", "--output", tmp_path / "out")
    assert result.exit_code == 2
    assert "--max-ratio" in result.stderr
    written = sum(path.stat().st_size for path in (tmp_path / "out").glob("*.html"))
    assert written <= max(100_000, 200 * page.stat().st_size)
    result = run("unpack", page, "--raw", "--output", tmp_path / "all", "--max-ratio", "2000")
    assert (result.exit_code, len(rows(tmp_path / "all"))) == (0, 40)


def test_a_part_skipped_for_its_ratio_is_only_a_problem(tmp_path, monkeypatch):
    monkeypatch.setattr("linkfix.containers.part.UNCHECKED", 10_000)
    page = tmp_path / "page.htz"
    page.write_bytes(archive([Sample("a.html", bytes(100_000)), Sample("b.html", b"<a href=x>")]))
    result = run("unpack", page, "--raw", "--output", tmp_path / "out")
    assert (result.exit_code, [row["path"] for row in rows(tmp_path / "out")]) == (0, ["b.html"])
    assert "[part-ratio]" in result.stderr
    assert run("unpack", page, "--raw", "--output", tmp_path / "out", "--strict").exit_code == 1


def leads_to(*arguments):
    """The targets of all links but the hrefs of BASE elements and candidates of a srcset, which go, and of frames
    without a URL.
    """
    found = [json.loads(line) for line in run("links", *arguments, "--format", "jsonl").stdout.splitlines()]
    kept = (row for row in found if row["element"] != "base" and row["syntax"] != "srcset")
    targets = (row["target"] for row in kept if row["target"])
    return {without_credentials(target) for target in targets if "/frame-" not in target and "cid:" not in target}


@pytest.mark.parametrize("path", [MHTML, WARC])
@pytest.mark.parametrize("stdin", [True, False])
def test_links_between_files_become_absolute_again_by_the_manifest(tmp_path, path, stdin):
    out, absolute, again = (tmp_path / name for name in ("out", "absolute", "again"))
    given = {"stdin": path.read_bytes() if stdin else None}
    source = "-" if stdin else path
    result = run("unpack", source, "--output", out, **given)
    assert result.exit_code == 0
    assert result.stderr.endswith(f"their URLs are in {out}/manifest.csv; open {out}/index.html\n")
    assert run("unpack", source, "--links", "absolute", "--output", absolute, **given).exit_code == 0
    result = run("absolutize", out, "--url-map", out / "manifest.csv", "--output", again)
    assert result.exit_code == 0, result.output
    for row in rows(out):
        if row["path"] == "index.html" or not row["path"].endswith((".html", ".css", ".svg")):
            continue
        url = row["url"] or "https://none.example/"
        found, wanted = (leads_to(folder / row["path"], "--url", url) for folder in (again, absolute))
        assert found == wanted, row["path"]


def test_the_files_that_links_lead_to_exist(tmp_path):
    out = tmp_path / "out"
    run("unpack", WARC, "--output", out)
    inside = f"{out.resolve().as_uri()}/"
    found = {target for target in leads_to(out, "--root-url", inside) if target.startswith(inside)}
    assert len(found) > 30
    for target in found:
        path = unquote(target.removeprefix(inside).partition("#")[0])
        assert (out / path).is_file() or (out / path / "index.html").is_file(), target


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--at", "May"], "'May' is not a time: give a time such as 2024-05-31T12:00:00Z, or its beginning."),
        (["--at", "202405311200001"], "is not a time"),
        (["--at", ""], "is not a time"),
        (["--at", "2024-13"], "'2024-13' is not a time"),
        (["--at", "2024-00"], "is not a time"),
        (["--at", "2024-02-31"], "is not a time"),
        (["--at", "2024-05-31T25:99:00Z"], "is not a time"),
        (["--at", "0000"], "is not a time"),
        (["--raw", "--at", "2024"], "leave out --at and --links, or --raw"),
        (["--raw", "--links", "keep"], "leave out --at and --links, or --raw"),
        (["--raw", "--jobs", "2"], "leave out --jobs, or --raw and --single-file"),
        (["--single-file", "--jobs", "2"], "leave out --jobs, or --raw and --single-file"),
    ],
)
def test_wrong_options(tmp_path, options, message):
    result = run("unpack", WARC, "--output", tmp_path / "out", *options)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("path", "options"),
    [
        (MHTML, []),
        (MHTML, ["--single-file"]),
        (FIXTURES / "saved" / "chromium" / "index.html", ["--single-file"]),
    ],
)
def test_a_time_is_of_web_archives(tmp_path, path, options):
    out = tmp_path / ("out.html" if options else "out")
    result = run("unpack", path, "--output", out, "--at", "2024", *options)
    assert result.exit_code == 2
    assert "is no web archive, and --at chooses among the captures of one" in " ".join(result.stderr.split())


@pytest.mark.parametrize("at", ["2026", "2026-11", "2026-11-22T03:41:09Z", "20261122034109", "2026-11-22 03:41"])
def test_times(tmp_path, at):
    result = run("unpack", WARC, "--output", tmp_path / "out", "--at", at, "--quiet")
    assert result.exit_code == 0
    assert (tmp_path / "out" / "127.0.0.1_8765" / "index.html").is_file()


PAGE = b"<link rel=stylesheet href=page_files/a.css><img src='page_files/i%20j.png'><a href=b.html>"
SHEET = b"p { background: url(../page_files/i%20j.png) }"


@pytest.fixture
def saved(tmp_path):
    """A folder with a saved page and its files."""
    (tmp_path / "site" / "page_files").mkdir(parents=True)
    (tmp_path / "site" / "page.html").write_bytes(PAGE)
    (tmp_path / "site" / "page_files" / "a.css").write_bytes(SHEET)
    (tmp_path / "site" / "page_files" / "i j.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    return tmp_path / "site"


@pytest.mark.parametrize("by", ["file", "folder"])
def test_a_saved_page_becomes_a_single_file(tmp_path, saved, by):
    arguments = [saved / "page.html"] if by == "file" else [saved, "--page", "page.html"]
    result = run("unpack", *arguments, "--single-file", "--scripts", "keep", "--output", tmp_path / "one.html")
    assert result.exit_code == 0, result.output
    made = (tmp_path / "one.html").read_bytes()
    assert result.stderr == f"{len(made):,} bytes, 0 problems\n"
    image = b"data:image/png;base64,iVBORw0KGgo="
    sheet = base64.b64encode(b"p { background: url(%s) }" % image)
    assert made == (
        b"<link rel=stylesheet href=data:text/css;charset=windows-1252;base64,%s><img src='%s'><a href=b.html>"
        % (sheet, image)
    )


def test_a_single_file_has_nothing_from_outside_of_its_folder(tmp_path, saved):
    (tmp_path / "secret.png").write_bytes(b"secret")
    (saved / "link.png").symlink_to(tmp_path / "secret.png")
    page = (
        b"<img src=../secret.png><img src=%2e%2e/secret.png><img src=link.png><img src=/..%2fsecret.png>"
        b"<img src=..%5csecret.png>"
    )
    (saved / "page.html").write_bytes(page)
    result = run("unpack", saved / "page.html", "--single-file", "--scripts", "keep", "--output", "-")
    assert result.stdout_bytes == page


def test_a_single_file_of_an_archive(tmp_path):
    for name in (None, "http://127.0.0.1:8765/docs/reference/api.html", "1"):
        options = ["--page", name] if name else []
        assert run("unpack", MHTML, "--single-file", "--output", tmp_path / "one.html", *options).exit_code == 0
        made = (tmp_path / "one.html").read_bytes()
        assert b"A base elsewhere" in made or name == "http://127.0.0.1:8765/docs/reference/api.html"
        assert b"data:text/css;charset=utf-8;base64," in made
    page = tmp_path / "page.htz"
    samples = [
        Sample("a/x.html", b"no"),
        Sample("index.html", b"<img src=i/0.png>"),
        Sample("i/0.png", b"\x89PNG\r\n\x1a\n"),
    ]
    page.write_bytes(archive(samples))
    result = run("unpack", page, "--single-file", "--scripts", "keep", "--output", "-")
    assert result.stdout_bytes == b"<img src=data:image/png;base64,iVBORw0KGgo=>"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["site"], "'site' is a directory: give a file in it."),
        (["site", "--single-file"], "a folder can have many pages: give the name of one with --page"),
        (["site", "--single-file", "--page", "none.html"], "site: none.html is no page"),
        (["site/page.html"], "is not an archive or message"),
        (["site/page_files/a.css", "--single-file"], "a.css is no page"),
        (
            [WARC, "--single-file", "--page", "https://none.example/"],
            "has no page https://none.example/: give one of http",
        ),
        ([WARC, "--page", "x"], "give --single-file too"),
        ([WARC, "--scripts", "drop"], "give --single-file too"),
        ([WARC, "--single-file", "--raw"], "leave out --raw and --links"),
        ([WARC, "--single-file", "--links", "keep"], "leave out --raw and --links"),
    ],
)
def test_wrong_use_of_single_files(tmp_path, monkeypatch, saved, arguments, message):
    monkeypatch.chdir(saved.parent)
    result = run("unpack", *arguments, "--output", "out")
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert not (tmp_path / "out").exists()


def test_the_size_of_a_single_file_is_limited(saved):
    result = run("unpack", saved / "page.html", "--single-file", "--max-size", "100", "--strict", "--output", "-")
    assert result.exit_code == 1
    assert "[embed-limit]" in result.stderr
    assert b"href=page_files/a.css" in result.stdout_bytes
    assert b"data:image/png" in result.stdout_bytes


def test_a_damaged_package_is_a_problem(tmp_path):
    path = tmp_path / "x.wacz"
    path.write_bytes(archive([Sample("archive/data.warc", b"WARC/1.0\r\nnothing")])[:-10])
    result = run("unpack", path, "--output", tmp_path / "out")
    assert result.stderr.count("[container-damaged]") == 1
    assert "x.wacz: nothing in it can be read" in " ".join(result.stderr.split())


@pytest.mark.parametrize("options", [[], ["--single-file"]])
def test_limits_hold(tmp_path, options):
    page = tmp_path / "page.htz"
    page.write_bytes(pages_of(1000))
    out = tmp_path / "out.html" if options else tmp_path / "out"
    result = run("unpack", page, "--output", out, "--max-total", "2500", *options)
    assert result.exit_code == 2
    assert "[total-too-large]" in result.stderr


@pytest.mark.parametrize("options", [[], ["--single-file"]])
def test_a_time_before_the_first_capture_is_wrong_use(tmp_path, options):
    result = run("unpack", WARC, "--output", tmp_path / "out", "--at", "2020", *options)
    assert result.exit_code == 2
    said = " ".join(result.stderr.split())
    assert "nothing was captured at or before that time: the first capture is of 2026-11-22 03:41 UTC" in said


@pytest.mark.parametrize("option", [[], ["--raw"]])
@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("a.warc.gz", b"", "the file is empty"),
        ("a.warc.gz", b"hello", "no WARC record at byte 0"),
        ("a.warc", b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n", ""),
        ("a.har", b"", "the file is empty"),
        ("a.har", b'{"log": {}}', "the HAR has no log.entries"),
        ("a.har", b'{"log": {"entr', "the HAR is not JSON from here on"),
    ],
)
def test_an_archive_without_files_is_wrong_use(tmp_path, name, data, problem, option):
    path = tmp_path / name
    path.write_bytes(data)
    result = run("unpack", path, "--output", tmp_path / "out", *option)
    assert result.exit_code == 2
    assert f"{name}: nothing in it can be read" in " ".join(result.stderr.split())
    assert result.stderr.count("[container-damaged]") == bool(problem)
    assert problem in result.stderr
    assert list((tmp_path / "out").iterdir()) == []


def test_an_empty_archive_is_a_problem_of_other_commands_too(tmp_path):
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"")
    for command in ("links", "base"):
        assert "the file is empty [container-damaged]" in run(command, path).stderr


@pytest.mark.parametrize("name", ["file", "file.html"])
def test_a_file_is_no_folder_for_output(tmp_path, name):
    (tmp_path / name).write_bytes(b"mine")
    result = run("unpack", WARC, "--output", tmp_path / name)
    assert result.exit_code == 2
    assert f"{name} is a file, and unpack writes a folder of files: give another name" in " ".join(
        result.stderr.split()
    )
    assert (tmp_path / name).read_bytes() == b"mine"


def test_other_files_in_the_folder_stay(tmp_path):
    for name in ("mine.txt", "index.html"):
        (tmp_path / name).write_bytes(b"mine")
    assert run("unpack", WARC, "--output", tmp_path, "--quiet").exit_code == 0
    assert (tmp_path / "mine.txt").read_bytes() == b"mine"
    assert b"<h1>Pages of" in (tmp_path / "index.html").read_bytes()


def test_several_processes_write_the_same(tmp_path):
    path = tmp_path / "crawl.warc"
    page = "<a href=/{0}?q>x</a><a href={1}>\xe9</a><img src=i.png>{{{{<a href='http://['>"
    path.write_bytes(
        b"".join(
            exchange(f"https://h/{number}?q", page.format(number + 1, number).encode("latin-1"))
            + exchange(f"https://h/{number}/i.png", b"\x89PNG" + bytes(number), "image/png")
            for number in range(40)
        )
        + exchange("https://h/large", b"<a href=/1?q>" + b"x" * (1 << 22))
        + exchange("https://h/b", b"<a href=c>", "text/html; charset=none")
    )
    said = []
    for jobs in ("1", "2"):
        result = run("unpack", path, "--output", tmp_path / jobs, "--jobs", jobs)
        assert result.exit_code == 0
        said.append(result.stderr.replace(str(tmp_path / jobs), "OUT"))
    outputs = [tmp_path / jobs for jobs in ("1", "2")]
    one, two = (
        {file.relative_to(out): file.read_bytes() for file in out.rglob("*") if file.is_file()} for out in outputs
    )
    assert one == two
    assert said[0] == said[1]
    assert "[unresolvable]" in said[0]
    assert "[charset-unknown]" in said[0]
    assert len(one) == 84
    assert b"<a href=1@q.html>" in one[Path("h/large.html")].replace(b"%40", b"@")
