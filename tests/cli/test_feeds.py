"""Feeds and the like on the command line: alone, from a stream, in folders and containers."""

from __future__ import annotations

import json

import pytest
from support.paths import FIXTURES
from support.running import run
from support.web_archives import http, record

import linkfix

SAMPLES = FIXTURES / "feeds"
URL = "http://feed.example/blog/"


@pytest.mark.parametrize("path", sorted(SAMPLES.iterdir()), ids=lambda path: path.stem)
def test_one_file(path):
    listed = run("links", str(path), "--url", URL + path.name, "--format", "jsonl")
    made = run("absolutize", str(path), "--url", URL + path.name)
    document = linkfix.Document(path.read_bytes(), url=URL + path.name, media_type="application/xml")
    assert [json.loads(line)["target"] for line in listed.stdout.splitlines()] == [
        link.target for link in document.links
    ]
    assert made.stdout_bytes == document.absolutize()


@pytest.mark.parametrize("command", ["links", "absolutize"])
def test_a_stream_is_known_by_its_content(command):
    data = (SAMPLES / "rss.xml").read_bytes()
    result = run(command, "-", "--url", URL, stdin=data)
    assert "http://feed.example/blog/posts/1.rss" in result.stdout


def test_known_feeds_in_a_folder_are_converted(tmp_path):
    site, out = tmp_path / "site", tmp_path / "out"
    site.mkdir()
    (site / "feed.xml").write_bytes((SAMPLES / "atom.xml").read_bytes())
    (site / "sitemap.xml").write_text("<urlset><url><loc>/a</loc></url></urlset>")
    (site / "pom.xml").write_text("<project><link>a</link></project>")
    (site / "data.xml").write_text("<?xml-stylesheet href='a.xsl'?><data><link>a</link></data>")
    result = run("absolutize", str(site), "--root-url", URL, "--output", str(out))
    assert result.exit_code == 0
    assert (out / "pom.xml").read_bytes() == (site / "pom.xml").read_bytes()
    styled = "<?xml-stylesheet href='http://feed.example/blog/a.xsl'?><data><link>a</link></data>"
    assert (out / "data.xml").read_text() == styled
    assert (out / "sitemap.xml").read_text() == "<urlset><url><loc>http://feed.example/a</loc></url></urlset>"
    expected = linkfix.absolutize((SAMPLES / "atom.xml").read_bytes(), url=URL + "feed.xml", media_type="text/xml")
    assert (out / "feed.xml").read_bytes() == expected
    again = run("absolutize", str(out), "--root-url", URL, "--in-place")
    assert again.exit_code == 0
    assert (out / "feed.xml").read_bytes() == expected


def test_other_xml_that_is_named_has_its_style_sheet(tmp_path):
    path = tmp_path / "data.xml"
    path.write_text("<?xml-stylesheet href='a.css'?><data><link>b</link><br></br></data>")
    assert run("links", str(path), "--url", URL).stdout.count("->") == 1


def test_entities_without_end_are_a_problem_of_one_file(tmp_path):
    bomb = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    (tmp_path / "bomb.rss").write_text(f'<!DOCTYPE rss [<!ENTITY l0 "l">{bomb}]><rss><link>a</link><x>&l11;</x></rss>')
    (tmp_path / "good.rss").write_text("<rss><link>a</link></rss>")
    result = run("absolutize", str(tmp_path), "--root-url", URL, "--in-place")
    assert "its entities expand to many times its size" in result.stderr
    assert "<link>http://feed.example/blog/a</link>" in (tmp_path / "good.rss").read_text()
    assert "<link>http://feed.example/blog/a</link>" in (tmp_path / "bomb.rss").read_text()


def test_a_web_archive_has_feeds_converted_and_other_xml_left(tmp_path):
    path = tmp_path / "a.warc"
    bodies = {"feed": b"<rss><link>a</link></rss>", "data": b"<data><br></data>"}
    path.write_bytes(
        b"".join(record(http(body, content_type="text/xml"), url=URL + name) for name, body in bodies.items())
    )
    result = run("links", str(path))
    assert [line.split(" -> ")[1] for line in result.stdout.splitlines()] == ["http://feed.example/blog/a"]
    assert "not well-formed" not in result.stderr


def test_feeds_of_a_web_archive_are_converted_and_unpacked_under_names_that_tell(tmp_path):
    names = {
        "feed": ("application/rss+xml; charset=utf-8", b"<rss><link>a</link></rss>", "feed.rss"),
        "b.xml": ("application/rss+xml", b"<rss><link>a</link></rss>", "b.xml"),
        "map": ("text/xml", b"<urlset><url><loc>a</loc></url></urlset>", "map.xml"),
        "c.atom": (
            "application/atom+xml",
            b"<feed xmlns='http://www.w3.org/2005/Atom'><icon>a</icon></feed>",
            "c.atom",
        ),
        "search": ("application/opensearchdescription+xml", b"<OpenSearchDescription/>", "search.xml"),
    }
    path = tmp_path / "a.warc"
    path.write_bytes(
        b"".join(record(http(body, content_type=type_), url=URL + name) for name, (type_, body, _) in names.items())
    )
    assert run("absolutize", str(path), "--output", str(tmp_path / "out")).exit_code == 0
    assert (tmp_path / "out" / "a.warc").read_bytes().count(b">http://feed.example/blog/a<") == 4
    run("unpack", str(path), "--output", str(tmp_path / "files"))
    found = {file.relative_to(tmp_path / "files").as_posix() for file in (tmp_path / "files").rglob("*.*")}
    assert {name for name in found if "blog/" in name} == {f"feed.example/blog/{name}" for *_, name in names.values()}


def test_the_diff_of_a_json_feed(tmp_path):
    feed = tmp_path / "feed.json"
    feed.write_text('{"version": "https://jsonfeed.org/version/1.1",\n"items": [{"url": "p/1"},\n{"id": "p/2"}]}\n')
    made = run("absolutize", feed, "--url", URL, "--diff")
    lines = [line for line in made.stdout.splitlines() if line[0] in "+-" and line[:3] not in {"---", "+++"}]
    assert lines == ['-"items": [{"url": "p/1"},', '+"items": [{"url": "http://feed.example/blog/p/1"},']
    assert made.exit_code == 0


@pytest.mark.parametrize("type_", ["application/feed+json", "application/json"])
def test_a_json_feed_in_a_warc_file_gets_absolute_links(tmp_path, type_):
    feed = b'{"version": "https://jsonfeed.org/version/1", "items": [{"content_html": "<a href=\\"p\\/1\\">"}]}'
    (tmp_path / "a.warc").write_bytes(record(http(feed, content_type=type_), url=f"{URL}feed.json"))
    made = run("absolutize", tmp_path / "a.warc", "--output", tmp_path / "b.warc")
    assert made.exit_code == 0
    new = (tmp_path / "b.warc").read_bytes()
    assert feed.replace(b"p\\/1", b"http://feed.example/blog/p/1") in new
    assert feed not in new
