"""Feeds, sitemaps and descriptions in a tree: their references are checked; rules about pages are not theirs."""

from __future__ import annotations

import pytest
from support.audit_trees import audited, fixed, told, write
from support.paths import FIXTURES
from support.running import run

RSS = '<rss version="2.0"><channel>\n{}</channel></rss>'
ATOM = '<feed xmlns="http://www.w3.org/2005/Atom">{}</feed>'
SITEMAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'
SEARCH = '<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">{}</OpenSearchDescription>'
PAGES = {"index.html": "<p id=a>x", "Blog/1.html": "<p id=b>x"}


def findings(tmp_path, files, **fields):
    return told(audited(tmp_path, PAGES | files, **fields))


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("feed.xml", RSS.format("<link>\n gone.html </link>"), [("missing-target", "gone.html")]),
        ("feed.rss", RSS.format("<link>gone.html</link>"), [("missing-target", "gone.html")]),
        ("feed.xml", RSS.format("<link><![CDATA[gone.html?a&b]]></link>"), [("missing-target", "gone.html?a&b")]),
        (
            "Blog/feed.xml",
            RSS.format("<link>1.html</link><link>/</link><link>.</link>"),
            [("folder-without-index", ".")],
        ),
        ("feed.xml", RSS.format("<item xml:base='Blog/'><link>1.html#b</link><link>1.html</link></item>"), []),
        ("feed.xml", RSS.format("<link>Blog/1.html#a</link>"), [("missing-fragment", "Blog/1.html#a")]),
        ("feed.xml", RSS.format("<link>blog/1.html</link>"), [("case-mismatch", "blog/1.html")]),
        ("a.xml", "<?xml version='1.0'?>\n<?xml-stylesheet href='a.xsl'?>\n<doc/>", [("missing-target", "a.xsl")]),
        ("a.xml", "<doc xmlns:x='http://www.w3.org/1999/xhtml'><x:a href='gone.html'/></doc>", []),
        (
            "feed.xml",
            RSS.format("<description>&lt;a href='gone.html'&gt;&lt;img src=x.png>&lt;a href='#fn'></description>"),
            [("missing-target", "gone.html"), ("missing-target", "x.png")],
        ),
        (
            "feed.xml",
            RSS.format("<description><![CDATA[<a href='gone.html'>]]></description>"),
            [("missing-target", "gone.html")],
        ),
        ("feed.xml", RSS.format("<guid>1</guid><guid isPermaLink='false'>2</guid>"), [("missing-target", "1")]),
        ("feed.atom", ATOM.format("<link href='gone.html'/><id>gone</id>"), [("missing-target", "gone.html")]),
        (
            "feed.xml",
            ATOM.format("<content type='xhtml'><a xmlns='http://www.w3.org/1999/xhtml' href='gone'/></content>"),
            [("missing-target", "gone")],
        ),
        (
            "search.xml",
            SEARCH.format("<Url template='/s/{x}/'/><Url template='/gone.html?q={x}'/><Url template='/?q={x}'/>"),
            [("missing-target", "/gone.html?q=")],
        ),
        ("browserconfig.xml", "<browserconfig><TileImage src='a.png'/></browserconfig>", [("missing-target", "a.png")]),
        ("sitemap.xml", SITEMAP.format("<loc>https://site.example/Blog/1.html</loc>"), []),
        (
            "sitemap.xml",
            SITEMAP.format("<loc>https://site.example/gone</loc>"),
            [("missing-target", "https://site.example/gone")],
        ),
        ("sitemap.xml", SITEMAP.format("<loc>/Blog/1.html</loc>"), [("relative-in-sitemap", "/Blog/1.html")]),
        ("sitemap.xml", SITEMAP.format("<loc>//site.example/</loc>"), [("relative-in-sitemap", "//site.example/")]),
        (
            "sitemap.xml",
            SITEMAP.format("<loc>http://site.example/</loc>"),
            [("other-host-in-sitemap", "http://site.example/")],
        ),
        ("sitemap.xml", SITEMAP.format("<loc>{{ url }}</loc>"), [("template-syntax", "{{ url }}")]),
        (
            "sitemap.xml",
            SITEMAP.replace("<urlset", "<urlset xmlns:i='http://www.google.com/schemas/sitemap-image/1.1'").format(
                "<i:loc>https://cdn.example/a.png</i:loc><i:loc>/index.html</i:loc>"
            ),
            [("relative-in-sitemap", "/index.html")],
        ),
        ("pom.xml", "<project><link>gone</link></project>", []),
        ("feed.xml", "<feed><link href='gone'/></feed>", []),
    ],
)
def test_findings_in_feeds_and_sitemaps(tmp_path, name, text, expected):
    assert findings(tmp_path, {name: text}) == [(name, *one) for one in expected]


def test_positions_of_findings(tmp_path):
    text = RSS.format("<link>\n  gone.html </link>\n<description><![CDATA[é <a href='gone.png'>]]></description>")
    found = audited(tmp_path, {"feed.xml": text.encode("utf-16")}).findings
    assert [(one.line, one.column, one.element, one.reference) for one in found] == [
        (3, 3, "link", "gone.html"),
        (4, 34, "a", "gone.png"),
    ]
    assert [text.encode("utf-16")[one.start : one.end].decode("utf-16-le") for one in found] == [
        "gone.html",
        "gone.png",
    ]


def test_rules_about_pages_do_not_apply_to_feeds(tmp_path):
    files = {path.name: path.read_bytes() for path in (FIXTURES / "feeds").iterdir()}
    names = {name for _, name, _ in findings(tmp_path, files, select=("all",))}
    of_references = {"missing-target", "root-relative", "relative-in-sitemap", "other-host-in-sitemap"}
    assert names == {*of_references, "unjudged-page", "orphan-page"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.svg", "<svg xmlns='http://www.w3.org/2000/svg' xml:base='x/'><!-- <base href='y'> --></svg>"),
        ("a.atom", ATOM.format("<entry xml:base='x/'><summary type='html'>&lt;base href='y'></summary></entry>")),
        (
            "b.atom",
            ATOM.format("<content type='xhtml'><base xmlns='http://www.w3.org/1999/xhtml' href='/'/></content>"),
        ),
    ],
)
def test_xml_base_and_base_in_an_entry_are_no_misplaced_base(tmp_path, name, text):
    assert findings(tmp_path, {name: text}, select=("LF2",)) == []


def test_a_page_listed_in_a_sitemap_or_feed_is_not_linked(tmp_path):
    files = {
        "sitemap.xml": SITEMAP.format("<loc>https://site.example/Blog/1.html</loc>"),
        "feed.xml": RSS.format("<link>Blog/1.html</link>"),
    }
    assert findings(tmp_path, files, select=("orphan-page",)) == [("Blog/1.html", "orphan-page", "")]
    files["index.html"] = "<a href=Blog/1.html>x</a>"
    assert findings(tmp_path, files, select=("orphan-page",)) == []


def test_fragments_of_them_are_not_checked(tmp_path):
    files = {
        "index.html": "<a href='feed.xml#x'>x</a>",
        "feed.xml": RSS.format("<description>&lt;p id=y></description>"),
    }
    assert findings(tmp_path, files) == []


def test_a_refresh_in_an_entry_is_no_redirect(tmp_path):
    content = "<description>&lt;meta http-equiv=refresh content='0;url=/index.html'></description>"
    files = {"Blog/1.html": "<a href='../feed.xml#x'>x</a>", "feed.xml": RSS.format(content)}
    assert findings(tmp_path, files) == []


def test_only_content_loaded_into_a_page_is_mixed_content(tmp_path):
    assert findings(tmp_path, {"feed.xml": RSS.format("<enclosure url='http://cdn.example/a.mp3'/>")}) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (RSS.format("<link>gone</link><title>&nbsp;</title>"), "not well-formed"),
        ('<!DOCTYPE rss [<!ENTITY e "x">]>' + RSS.format("<link>gone</link><link>&e;</link>"), "&e;"),
    ],
)
def test_unreadable_files_are_reported_and_the_others_checked(tmp_path, text, message):
    found = audited(tmp_path, PAGES | {"feed.xml": text, "other.xml": RSS.format("<link>gone</link>")}).findings
    assert sorted((one.path, one.name) for one in found) == [
        ("feed.xml", "missing-target"),
        ("feed.xml", "unjudged-page"),
        ("other.xml", "missing-target"),
    ]
    assert message in next(one.message for one in found if one.name == "unjudged-page")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("feed.xml", RSS.format("<link>\n blog/1.html </link>"), "Blog/1.html"),
        ("feed.xml", RSS.format("<description><![CDATA[<a href=blog/1.html>]]></description>"), "Blog/1.html"),
        ("feed.xml", RSS.format("<description>&lt;a href=blog/1.html></description>"), "Blog/1.html"),
        ("sitemap.xml", SITEMAP.format("<loc>\n/Blog/1.html\n</loc>"), "https://site.example/Blog/1.html"),
        ("robots.txt", "Sitemap: /Blog/1.html # all\n", "https://site.example/Blog/1.html"),
    ],
)
def test_fixes_change_the_reference_alone(tmp_path, name, old, new):
    [(changed, content)] = fixed(tmp_path, PAGES | {name: old}).items()
    reference = "blog/1.html" if "blog" in old else "/Blog/1.html"
    assert changed == name
    assert content.decode() == old.replace(reference, new)
    (tmp_path / name).write_bytes(content)
    assert audited(tmp_path).findings == ()


def test_a_full_url_is_not_written_if_the_site_url_is_unknown(tmp_path):
    root = write(tmp_path, PAGES | {"sitemap.xml": SITEMAP.format("<loc>/Blog/1.html</loc>")})
    result = run("audit", root, "--fix")
    assert "--root-url" in result.stdout
    assert "<loc>/Blog" in (tmp_path / "sitemap.xml").read_text()
    run("audit", root, "--fix", "--root-url", "https://h.example/x/")
    assert "<loc>https://h.example/Blog/1.html</loc>" in (tmp_path / "sitemap.xml").read_text()


def test_half_of_a_surrogate_pair_in_a_json_feed(tmp_path):
    feed = '{"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "Blog/1.html?\\ud800"}]}'
    found = audited(tmp_path, PAGES | {"feed.json": feed}).findings
    assert [(one.path, one.code) for one in found if one.code == "LF314"] == [("feed.json", "LF314")]
    assert "surrogate" in next(one.message for one in found if one.code == "LF314")
