"""Documents whose references are listed and not converted; and those without markup that are."""

from __future__ import annotations

import pytest

import linkfix
from linkfix import Document

URL = "https://h.example/d/x"
SCRIPT = "import \"./a.js\";\r\nconst é = await import('../b.js');\n//# sourceMappingURL=x.map\n"
SHEET = "@charset 'utf-8'; a { b: url(c.png) } /*# sourceMappingURL=x.css.map */"


def references(document):
    return [(link.syntax, link.reference, link.target, link.line, link.column) for link in document.links]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "windows-1252"])
def test_a_script_is_unchanged(encoding):
    data = SCRIPT.encode(encoding)
    charset = "windows-1252" if encoding == "windows-1252" else None
    document = Document(data, url=URL, media_type="text/javascript", charset=charset)
    made = document.convert()
    assert made.data == data
    assert (made.links, made.rewritten, made.problems) == (3, 0, ())
    assert references(document) == [
        ("javascript", "./a.js", "https://h.example/d/a.js", 1, 9),
        ("javascript", "../b.js", "https://h.example/b.js", 2, 25),
        ("source-map", "x.map", "https://h.example/d/x.map", 3, 22),
    ]


def test_references_of_scripts_are_rewritten_exactly_by_who_asks():
    document = Document(SCRIPT, url=URL, media_type="text/javascript")
    new = document.rewrite(lambda link: f"{link.reference}'\"</script>")
    escaped = "\\'\\\"\\u003c/script\\u003e"
    assert new == SCRIPT.replace("a.js", f"a.js{escaped}").replace("b.js", f"b.js{escaped}").replace(
        "x.map", "x.map%27%22</script>"
    )


def test_the_source_map_of_a_style_sheet_stays_and_its_urls_do_not():
    document = Document(SHEET.encode(), url=URL, media_type="text/css")
    assert document.absolutize() == SHEET.replace("c.png", "https://h.example/d/c.png").encode()
    assert [link.role for link in document.links] == ["resource", "metadata"]
    assert (document.convert().links, document.convert().rewritten) == (2, 1)


def test_without_a_base_a_source_map_is_no_problem_of_a_conversion():
    assert Document(b"/*# sourceMappingURL=x.map */", media_type="text/css").convert().problems == ()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_manifest_is_converted(encoding):
    text = '{"name": "é", "start_url": "..\\/?é=%s", "scope": "/"}\n'
    new = linkfix.absolutize(text.encode(encoding), URL, media_type="application/manifest+json")
    assert new.decode(encoding) == (
        '{"name": "é", "start_url": "https://h.example/?%C3%A9=%s", "scope": "https://h.example/"}\n'
    )


def test_a_manifest_that_is_no_json_stays_with_a_problem():
    made = Document(b'{"start_url": "a",}', url=URL, media_type="application/manifest+json").convert()
    assert made.data == b'{"start_url": "a",}'
    assert [problem.code for problem in made.problems] == ["json-syntax"]


def test_robots_is_converted_unless_it_is_binary():
    data = b"\xef\xbb\xbfDisallow: /x\r\nSitemap: /s.xml # all\r\n"
    new = linkfix.absolutize(data, URL, media_type="text/x-robots")
    assert new == data.replace(b"/s.xml", b"https://h.example/s.xml")
    made = Document(b"\0Sitemap: a", url=URL, media_type="text/x-robots").convert()
    assert [problem.code for problem in made.problems] == ["binary"]
