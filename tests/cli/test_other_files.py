"""Named files that are no pages: they stay as they are, and every command states their type."""

from __future__ import annotations

import subprocess

import pytest
from support.paths import SHARED
from support.running import ENVIRONMENT, command, run, terminal

URL = "https://ex.example/d/p"
CASE = SHARED / "cases" / "convert" / "w6.json"
LINK = b'<a href="x">'

#: Name, content, media type.
OTHERS = [
    ("feed.json", b'{"html": "<a href=x>"}', "application/json"),
    ("feed.JSON", b'\n["<a href=x>"]', "application/json"),
    ("feed.json?page=2", b"null", "application/json"),
    ("feed", b'\xef\xbb\xbf{ "html": "<a href=x>"}', "application/json"),
    ("lines.jsonl", b'{"html": "<a href=x>"}\n{}\n', "application/json"),
    ("data.yaml", b"html: <a href=x>", "application/yaml"),
    ("data.yml", b"html: <a href=x>", "application/yaml"),
    ("data.toml", b"html = '<a href=x>'", "application/toml"),
    ("data.csv", b"html,<a href=x>", "text/csv"),
    ("data.tsv", b"html\t<a href=x>", "text/tab-separated-values"),
    ("app.ts", b"const a = '<a href=x>'", "text/javascript"),
    ("app.jsx", b"<p><a href=x></p>".replace(b"<p>", b"let a = "), "text/javascript"),
    ("style.scss", b"a { b: url(x) }", "text/x-scss"),
    ("script.py", b"print('<a href=x>')", "text/x-python"),
    ("script", b"#!/bin/sh\necho '<a href=x>'", "text/x-script"),
    ("setup.cfg", b"html = <a href=x>", "text/x-config"),
    ("view.pl", b"<a href=x>", "text/x-source"),
    ("view.pl", b"<ul><a href=x>", "text/x-source"),
    ("Makefile", b"all:\n\techo '<a href=x>'", "text/x-build"),
    ("Dockerfile", b"RUN echo '<a href=x>'", "text/x-config"),
    ("letter", b"{\\rtf1 <a href=x>}", "application/rtf"),
    ("map.gpx", b"<gpx><a href='x'/></gpx>", "application/xml"),
    ("map", b"<?xml version='1.0'?><gpx><a href='x'/></gpx>", "application/xml"),
    ("map", b"<?xml version='1.0'?><!-- a comment --><gpx><a href='x'/></gpx>", "application/xml"),
]
OTHERS += [
    (f"source{suffix}", b"text '<a href=x>'", media_type)
    for media_type, suffixes in {
        "application/rtf": ".rtf",
        "application/xml": ".kml .resx .xlf .xsd",
        "text/calendar": ".ics",
        "text/x-build": ".cmake .gradle",
        "text/x-diff": ".diff .patch",
        "text/x-po": ".po",
        "text/x-source": ".dart .fs .groovy .hs .ml .pl .proto .pyi .pyx .vim",
    }.items()
    for suffix in suffixes.split()
]
BINARY = [
    ("logo.png", b"\x89PNG\r\n\x1a\n\0\0<a href=x>", "image/png"),
    ("logo", b"\x89PNG\r\n\x1a\n\0\0<a href=x>", "image/png"),
    ("program", b"\x7fELF\2\1\1\0<a href=x>", "application/octet-stream"),
    ("program.exe", b"MZ\x90\0\3<a href=x>", "application/octet-stream"),
    ("data.gz", b"\x1f\x8b\x08\0<a href=x>", "application/x-gzip"),
    ("document.pdf", b"%PDF-1.7 <a href=x>", "application/pdf"),
    ("document", b"%PDF-1.7 <a href=x>", "application/pdf"),
    ("logo.gif", b"GIF89a<a href=x>", "image/gif"),
    ("page.html", b"\x89\xe9\0\x01 no text", "application/octet-stream"),
]
#: Files that may be pages, whatever their names.
PAGES = [
    ("feed.json", b"<!doctype html><a href=x>"),
    ("logo.png", b"<html><a href=x>"),
    ("header.tmpl", b"<ul><li><a href=x>"),
    ("header.inc", b"text <a href=x>"),
    ("page.html.bak", b"<ul><li><a href=x>"),
    ("page.vue", b"<template><a href=x></template>"),
    ("view.php", b"<?php echo 1 ?><a href=x>"),
    ("view.pl", b"<!doctype html><a href=x>"),
    ("view.pl?x=1", b"<html><a href=x>"),
    ("page", b"<?xml version='1.0'?><!-- x --><html><a href=x>"),
    ("drawing", b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'><a href=x></a></svg>"),
    ("page", b"<?xml version='1.0'?><div><a href=x></a></div>"),
    ("page.html.erb", b"<%= x %><a href=x>"),
    ("page.liquid", b"---\ntitle: x\n---\n{{ x }}{% if y %}<a href=x>"),
    ("README.me", b"<a href=x>"),
    ("page", b"\xff\xfe" + '<a href="x">'.encode("utf-16-le")),
    ("notes", b"BMW: <a href=x>"),
]


def problem(code, media_type):
    hint = "; to read it as a page, give --media-type text/html" if code == "media-type" else ""
    return f": {media_type}{hint} [{code}]"


@pytest.mark.parametrize(("name", "content", "media_type"), OTHERS)
def test_it_is_left_byte_for_byte_and_named(tmp_path, name, content, media_type):
    path = tmp_path / name
    path.write_bytes(content)
    said = problem("media-type", media_type)
    made = run("absolutize", path, "--url", URL)
    assert (made.exit_code, made.stdout_bytes) == (0, content)
    assert said in made.stderr
    assert run("absolutize", path, "--url", URL, "--strict", "--quiet").exit_code == 1
    made = run("absolutize", path, "--url", URL, "--output", tmp_path / "out")
    assert (said in made.stderr, (tmp_path / "out" / name).read_bytes()) == (True, content)
    made = run("absolutize", path, "--url", URL, "--in-place")
    assert (said in made.stderr, path.read_bytes()) == (True, content)
    for reading in ("links", "base"):
        made = run(reading, path, "--url", URL)
        assert (made.exit_code, made.stdout) == (0, "")
        assert said in made.stderr


@pytest.mark.parametrize(("name", "content", "media_type"), BINARY)
def test_binary_is_refused_if_it_is_the_only_input(tmp_path, name, content, media_type):
    path = tmp_path / name
    path.write_bytes(content)
    for arguments in (["absolutize"], ["absolutize", "--in-place"], ["links"], ["base"]):
        made = run(*arguments, path)
        assert (made.exit_code, made.stdout) == (2, "")
        advice = "unzip the file, and give the folder" if media_type == "application/zip" else "give an HTML file"
        assert f"{name} looks like {media_type}: " in made.stderr
        assert advice in made.stderr
    assert run("absolutize", path, "--media-type", "text/html", "--url", URL).exit_code == 0
    assert path.read_bytes() == content


@pytest.mark.parametrize("command", ["absolutize", "links", "base"])
def test_binary_standard_input_is_refused(command):
    made = run(command, "-", stdin=BINARY[0][1])
    assert (made.exit_code, made.stdout) == (2, "")
    assert "(standard input) looks like image/png" in made.stderr


def test_binary_among_several_files_is_copied(tmp_path):
    (tmp_path / "logo.png").write_bytes(BINARY[0][1])
    (tmp_path / "a.html").write_bytes(LINK)
    made = run("absolutize", tmp_path / "logo.png", tmp_path / "a.html", "--output", tmp_path / "out")
    assert (made.exit_code, (tmp_path / "out" / "logo.png").read_bytes()) == (0, BINARY[0][1])
    assert "1 copied" in made.stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [(OTHERS[3][1], OTHERS[3][2]), (b"#!/bin/sh\n<a href=x>", "text/x-script")],
)
def test_standard_input_is_checked(content, said):
    made = run("absolutize", "-", "--url", URL, stdin=content)
    assert (made.exit_code, made.stdout_bytes) == (0, content)
    assert said in made.stderr
    assert said in run("links", "-", "--url", URL, stdin=content).stderr


@pytest.mark.parametrize(("name", "content"), PAGES)
def test_possible_pages_are_read(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    made = run("absolutize", path, "--url", URL)
    assert made.exit_code == 0
    assert (
        "https://ex.example/d/x".encode("utf-16-le" if content.startswith(b"\xff\xfe") else "ascii")
        in made.stdout_bytes
    )


@pytest.mark.parametrize("name", ["app.js", "app.mjs"])
def test_a_script_is_listed_and_not_rewritten(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b'import "./x.js"')
    made = run("absolutize", path, "--url", URL)
    assert (made.stdout_bytes, made.exit_code) == (path.read_bytes(), 0)
    assert "text/javascript; 'linkfix links' lists its references" in made.stderr
    assert run("links", path, "--url", URL).stdout.endswith("-> https://ex.example/d/x.js\n")


@pytest.mark.parametrize("stdin", [False, True])
def test_the_media_type_that_is_given_counts(tmp_path, stdin):
    path = tmp_path / "a.json"
    path.write_bytes(b'{"a": "<a href=x>"}')
    named, content = ("-", path.read_bytes()) if stdin else (path, None)
    given = run("absolutize", named, "--url", URL, "--media-type", "Text/HTML", stdin=content)
    assert given.stdout == '{"a": "<a href=https://ex.example/d/x>"}'
    listed = run("links", named, "--url", URL, "--media-type", "text/css", stdin=b"a{b:url(y)}" if stdin else None)
    assert listed.stdout.count("https://ex.example/d/y") == int(stdin)


def test_a_container_can_be_read_as_a_page(tmp_path):
    path = tmp_path / "a.mht"
    path.write_bytes(b"MIME-Version: 1.0\nContent-Type: text/plain\n\n<a href=x>")
    made = run("links", path, "--url", URL, "--media-type", "text/html")
    assert made.stdout.endswith("-> https://ex.example/d/x\n")


def test_a_media_type_is_that_of_files(tmp_path):
    made = run("links", tmp_path, "--media-type", "text/html")
    assert (made.exit_code, "instead of a folder, give the files in it" in made.stderr) == (2, True)
    made = run("links", "-", "--media-type", "application/json", stdin=b"{}")
    assert (made.exit_code, "give one of text/html, " in made.stderr) == (2, True)


#: Options for the URL of a page, and for the output.
FROM = (["--url", URL], ["--root-url", "https://ex.example/d/"], ["--default-base", URL])
TO = ([], ["--output", "out"], ["--in-place"], ["--diff"])


@pytest.mark.parametrize("origin", FROM, ids=lambda one: one[0])
@pytest.mark.parametrize("to", TO, ids=lambda one: (*one, "standard output")[0])
def test_a_file_of_unknown_name_is_read_with_every_option(tmp_path, monkeypatch, origin, to):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "h.tmpl").write_bytes(b"<a href=x>")
    made = run("absolutize", "h.tmpl", *origin, *to)
    written = tmp_path / "out" / "h.tmpl" if "--output" in to else tmp_path / "h.tmpl"
    assert "<a href=https://ex.example/d/x>" in made.stdout + written.read_text()


@pytest.mark.parametrize("origin", [*FROM, []], ids=lambda one: (*one, "no URL")[0])
@pytest.mark.parametrize("to", TO, ids=lambda one: (*one, "standard output")[0])
def test_a_file_that_is_no_page_is_named_with_every_option(tmp_path, monkeypatch, origin, to):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "h.json").write_bytes(b'{"a": "<a href=x>"}')
    made = run("absolutize", "h.json", *origin, *to, "--strict")
    assert (made.exit_code, "[media-type]" in made.stderr) == (1, True)
    assert (tmp_path / "h.json").read_bytes() == b'{"a": "<a href=x>"}'


@pytest.mark.parametrize("name", ["view.pl", "map"])
def test_in_a_folder_no_source_is_a_page(tmp_path, name):
    content = b"<a href=x>" if name == "view.pl" else b"<?xml version='1.0'?><!-- x --><gpx><a href='x'/></gpx>"
    (tmp_path / name).write_bytes(content)
    run("absolutize", tmp_path, "--root-url", URL, "--in-place")
    assert (tmp_path / name).read_bytes() == content


def test_among_several_files_only_pages_are_read(tmp_path):
    """A pattern of the shell names all files in the folder."""
    (tmp_path / "a.html").write_bytes(LINK)
    (tmp_path / "b.json").write_bytes(b"{}")
    made = run("links", tmp_path / "a.html", tmp_path / "b.json", "--root-url", "https://ex.example/")
    assert (made.stdout.count("->"), made.stderr) == (1, "")


@pytest.mark.parametrize(("name", "content"), [("a.warc.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\3")])
def test_binary_is_not_printed_to_a_terminal(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    shown = terminal("absolutize", str(path), "--url", URL, cwd=tmp_path)
    assert "binary" in shown
    assert "PNG" not in shown
    assert "\x1f" not in shown
    made = subprocess.run(command("absolutize", path, "--url", URL), capture_output=True, env=ENVIRONMENT, check=False)
    assert made.stdout == content


def test_binary_is_printed_to_a_terminal_with_the_option(tmp_path):
    (tmp_path / "a.eml").write_bytes(b"From: a\nContent-Type: text/html\n\n\1\2mail")
    arguments = ("absolutize", "a.eml", "--url", URL)
    assert "a.eml is binary, and would be printed to a terminal" in terminal(*arguments, cwd=tmp_path)
    assert "\1\2mail" in terminal(*arguments, "--output", "-", cwd=tmp_path)


def test_text_is_printed_to_a_terminal(tmp_path):
    (tmp_path / "a.html").write_bytes(LINK)
    assert "https://ex.example/d/x" in terminal("absolutize", "a.html", "--url", URL, cwd=tmp_path)


@pytest.mark.skipif(not CASE.is_file(), reason="no cases of strangers in ../shared/cases")
def test_the_case_of_strangers():
    made = run("absolutize", CASE, "--url", "https://ex.example/feed.json", "--quiet")
    item = (
        CASE.read_bytes()
        .replace(b'src=\\"', b'src=\\"https://ex.example/')
        .replace(b'href=\\"', b'href=\\"https://ex.example')
    )
    assert (made.exit_code, made.stdout_bytes) == (0, item)
