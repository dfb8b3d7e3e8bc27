"""Feeds, sitemaps, OpenSearch descriptions and browserconfig.xml: their references, and how they are written."""

from __future__ import annotations

import re
from base64 import b64encode
from html import escape
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.growth import assert_linear
from support.paths import FIXTURES
from support.sizes import examples

import linkfix
from linkfix import Options
from linkfix.html import ROLES, xml_table
from linkfix.html.xml_vocabulary import CONTENT, NAMESPACES, ROWS

SAMPLES = FIXTURES / "feeds"
URL = "http://feed.example/blog/feed.xml"
RSS = '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>{}</channel></rss>'
ATOM = '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:x="http://www.w3.org/1999/xhtml">{}</feed>'
OLD_ATOM = '<feed version="0.3" xmlns="http://purl.org/atom/ns#" xmlns:x="http://www.w3.org/1999/xhtml">{}</feed>'
SITEMAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'
SEARCH = '<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">{}</OpenSearchDescription>'

#: Element and attribute -> reference -> target, in document order.
EXPECTED = {
    "rss.xml": [
        ("?xml-stylesheet[href]", "feed.xsl", "http://feed.example/blog/feed.xsl"),
        ("link", "/blog/?a=1&b=2", "http://feed.example/blog/?a=1&b=2"),
        ("link[href]", "feed.xml", "http://feed.example/blog/feed.xml"),
        ("a[href]", "about.html", "http://feed.example/blog/about.html"),
        ("docs", "rss.html", "http://feed.example/blog/rss.html"),
        ("itunes:image[href]", "cover.jpg", "http://feed.example/blog/cover.jpg"),
        ("url", "logo.png", "http://feed.example/blog/logo.png"),
        ("link", "/", "http://feed.example/"),
        ("link", "posts/1.html?x&y", "http://feed.example/blog/posts/1.html?x&y"),
        ("guid", "posts/1.html", "http://feed.example/blog/posts/1.html"),
        ("comments", "posts/1.html#comments", "http://feed.example/blog/posts/1.html#comments"),
        ("wfw:commentRss", "posts/1.rss", "http://feed.example/blog/posts/1.rss"),
        ("enclosure[url]", "audio/1.mp3", "http://feed.example/blog/audio/1.mp3"),
        ("source[url]", "../other/feed.xml", "http://feed.example/other/feed.xml"),
        ("img[src]", "img/1.png?a&b", "http://feed.example/blog/img/1.png?a&b"),
        ("a[href]", "#note", "http://feed.example/blog/feed.xml#note"),
        ("a[href]", "../b.html?c&d", "http://feed.example/b.html?c&d"),
        ("img[srcset]", "a.png", "http://feed.example/blog/a.png"),
        ("img[srcset]", "b.png", "http://feed.example/blog/b.png"),
        ("img[src]", "a.png", "http://feed.example/blog/a.png"),
        ("media:content[url]", "video/2.mp4", "http://feed.example/blog/video/2.mp4"),
        ("media:thumbnail[url]", "img/2.png", "http://feed.example/blog/img/2.png"),
        ("a[href]", "x&yz", "http://feed.example/blog/x&yz"),
    ],
    "atom.xml": [
        ("feed[xml:base]", "/blog/", "http://feed.example/blog/"),
        ("link[href]", "./", "http://feed.example/blog/"),
        ("link[href]", "feed.xml?a=1&b=2", "http://feed.example/blog/feed.xml?a=1&b=2"),
        ("icon", "favicon.ico", "http://feed.example/blog/favicon.ico"),
        ("logo", "logo.png", "http://feed.example/blog/logo.png"),
        ("uri", "people/n.html", "http://feed.example/blog/people/n.html"),
        ("generator[uri]", "/made-with/", "http://feed.example/made-with/"),
        ("entry[xml:base]", "2026/", "http://feed.example/blog/2026/"),
        ("link[href]", "1.html", "http://feed.example/blog/2026/1.html"),
        ("link[href]", "../audio/1.mp3", "http://feed.example/blog/audio/1.mp3"),
        ("a[href]", "1.html#more", "http://feed.example/blog/2026/1.html#more"),
        ("content[xml:base]", "1/", "http://feed.example/blog/2026/1/"),
        ("a[href]", "2.html", "http://feed.example/blog/2026/1/2.html"),
        ("img[src]", "i.png", "http://feed.example/blog/2026/1/i.png"),
        ("base[href]", "/elsewhere/", "http://feed.example/elsewhere/"),
        ("content[xml:base]", "two/", "http://feed.example/blog/two/"),
        ("a[href]", "a.html", "http://feed.example/blog/two/a.html"),
        ("img[src]", "b.png", "http://feed.example/blog/two/c/b.png"),
        ("img[xml:base]", "c/", "http://feed.example/blog/two/c/"),
        ("content[src]", "three.png", "http://feed.example/blog/three.png"),
    ],
    "rss-1.0.xml": [
        ("rdf[xml:base]", "http://feed.example/rdf/", "http://feed.example/rdf/"),
        ("channel[rdf:about]", "index.rdf", "http://feed.example/rdf/index.rdf"),
        ("link", "/", "http://feed.example/"),
        ("image[rdf:resource]", "logo.png", "http://feed.example/rdf/logo.png"),
        ("rdf:li[rdf:resource]", "1.html", "http://feed.example/rdf/1.html"),
        ("rdf:li[resource]", "shared/2.html", "http://feed.example/rdf/shared/2.html"),
        ("image[rdf:about]", "logo.png", "http://feed.example/rdf/logo.png"),
        ("url", "logo.png", "http://feed.example/rdf/logo.png"),
        ("link", "/", "http://feed.example/"),
        ("item[rdf:about]", "1.html", "http://feed.example/rdf/1.html"),
        ("link", "1.html", "http://feed.example/rdf/1.html"),
        ("textinput[rdf:about]", "search", "http://feed.example/rdf/search"),
        ("link", "search", "http://feed.example/rdf/search"),
    ],
    "sitemap.xml": [
        ("loc", "http://feed.example/a?x=1&y=2", "http://feed.example/a?x=1&y=2"),
        ("link[href]", "/de/a", "http://feed.example/de/a"),
        ("image:loc", "/img/a.png", "http://feed.example/img/a.png"),
        ("video:thumbnail_loc", "t.png", "http://feed.example/blog/t.png"),
        ("video:content_loc", "v.mp4", "http://feed.example/blog/v.mp4"),
        ("loc", "/b?x&y", "http://feed.example/b?x&y"),
    ],
    "sitemap-index.xml": [
        ("loc", "http://feed.example/sitemap.xml", "http://feed.example/sitemap.xml"),
        ("loc", "/more/sitemap.xml", "http://feed.example/more/sitemap.xml"),
    ],
    "opensearch.xml": [
        ("Image", "favicon.ico", "http://feed.example/blog/favicon.ico"),
        ("Url[template]", "/search?q=", "http://feed.example/search?q="),
        ("Url[template]", "../find/", "http://feed.example/find/"),
        ("Url[template]", "opensearch.xml", "http://feed.example/blog/opensearch.xml"),
        ("moz:SearchForm", "/search", "http://feed.example/search"),
    ],
    "browserconfig.xml": [
        ("square70x70logo[src]", "/small.png", "http://feed.example/small.png"),
        ("wide310x150logo[src]", "wide.png", "http://feed.example/blog/wide.png"),
        ("TileImage[src]", "tile.png", "http://feed.example/blog/tile.png"),
        ("polling-uri[src]", "badge.xml", "http://feed.example/blog/badge.xml"),
        ("polling-uri[src]", "1.xml", "http://feed.example/blog/1.xml"),
        ("polling-uri2[src]", "2.xml", "http://feed.example/blog/2.xml"),
    ],
}


def document(data, url=URL, **options):
    return linkfix.Document(data, url=url, media_type="application/xml", **options)


def facts(data):
    return [
        (f"{link.element}[{link.attribute}]" if link.attribute else link.element, link.reference, link.target)
        for link in document(data).links
    ]


@pytest.mark.parametrize("name", EXPECTED)
class TestSamples:
    def test_their_references_and_targets(self, name):
        assert facts((SAMPLES / name).read_bytes()) == EXPECTED[name]

    def test_the_bytes_between_them_stay(self, name):
        data = (SAMPLES / name).read_bytes()
        made = document(data).convert()
        links, after = document(data).links, document(made.data).links
        spans = zip([0, *(link.end for link in links)], [*(link.start for link in links), len(data)], strict=True)
        again = zip([0, *(link.end for link in after)], [*(link.start for link in after), len(made.data)], strict=True)
        assert [data[slice(*span)] for span in spans] == [made.data[slice(*span)] for span in again]

    def test_twice_is_once(self, name):
        made = document((SAMPLES / name).read_bytes()).convert()
        assert document(made.data).convert().data == made.data
        assert [link.target for link in document(made.data).links] == [target for *_, target in EXPECTED[name]]
        ET.fromstring(made.data)  # noqa: S314

    @pytest.mark.parametrize("encoding", ["utf-16", "windows-1252"])
    def test_in_another_encoding(self, name, encoding):
        text = (SAMPLES / name).read_text("utf-8")
        text = text.replace('encoding="utf-8"', "").replace('encoding="UTF-8"', "")
        made = document(text.encode(encoding), charset=encoding).convert()
        assert made.data.decode(encoding) == document(text).convert().data

    def test_samples_have_links_in_known_rows(self, name):
        known = {(row.element, row.attribute) for row in ROWS}
        assert {(link.element, link.attribute) for link in document((SAMPLES / name).read_bytes()).links} & known


class TestRows:
    def test_their_words_are_in_the_vocabulary(self):
        assert {row.role for row in ROWS} <= ROLES
        assert {row.syntax for row in ROWS} == {"url", "opensearch-template", CONTENT}
        assert {row.namespace for row in ROWS} == {*NAMESPACES.values(), "browserconfig"}
        assert all(row.section for row in ROWS)

    def test_no_two_are_the_same(self):
        assert len({(row.namespace, row.element, row.attribute) for row in ROWS}) == len(ROWS)

    def test_pages_do_not_have_them(self):
        assert xml_table(Options()).row("rss", "link", "", {}) is not None
        assert linkfix.Document(b"<link>a</link><loc>b</loc>", url=URL).links == []


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (RSS.format("<guid isPermaLink='false'>a</guid><guid isPermaLink='true'>b</guid><guid>c</guid>"), ["b", "c"]),
        (RSS.format("<link>a</link><category domain='b'>c</category><cloud path='d'/><title>e</title>"), ["a"]),
        (RSS.format("<link></link><link/><link> </link><link><![CDATA[ ]]></link><link><!-- a --></link>"), []),
        (RSS.format("<link>a<b/>c</link><link><b/>d</link><x><link>e</link></x>"), ["e"]),
        (RSS.format("<link xmlns='urn:x'>a</link><Link>b</Link>"), []),
        (RSS.format("<link>a&amp;b</link><link>a<!-- c -->b</link><link>d<?e f?></link>"), ["a&b", "ab", "d"]),
        (RSS.format("<description>&lt;a href='a'&gt;<b/>&lt;a href='c'&gt;</description>"), []),
        (RSS.format("<description>&amp;lt;a href=a&amp;gt;</description>"), []),
        (RSS.format("<item><body>&lt;a href=a></body><fullitem>&lt;a href=b></fullitem></item>"), ["a", "b"]),
        (RSS.format("<body><p><a href='a'/></p><img src='b'/></body><a href='c'/><link>d</link>"), ["a", "b", "d"]),
        (RSS.format("<body><body>&lt;a href=a></body><a href='b'/></body><a href='c'/>"), ["b"]),
        (
            RSS.format("<body xmlns='http://www.w3.org/1999/xhtml'><a href='a'/></body><body><base href='b'/></body>"),
            ["a"],
        ),
        (RSS.format("<body xmlns='urn:x'><a href='a'/><a xmlns='' href='b'/></body>"), []),
        (RSS.format("<body><a xmlns='urn:x' href='a'/><a href='b' xml:base='c/'/></body>"), ["b", "c/"]),
        (ATOM.format("<body><a href='a'/></body><fullitem>&lt;a href='b'></fullitem>"), []),
        *(
            (RSS.format(f"<w:{name} xmlns:w='http://wellformedweb.org/{api}'>a</w:{name}>"), ["a"])
            for name in ("comment", "Comment", "commentRss", "commentRSS", "commentrss", "CommentRSS", "COMMENTRSS")
            for api in ("CommentAPI/", "commentAPI/", "CommentAPI")
        ),
        (RSS.format("<w:comments xmlns:w='http://wellformedweb.org/CommentAPI/'>a</w:comments>"), []),
        (ATOM.format("<id>a</id><link href='b'/><category scheme='c'/><x:a href='d'/><x:base href='e'/>"), ["b", "d"]),
        (ATOM.format("<title>&lt;a href=a></title><title type='text'>&lt;a href=b></title>"), []),
        (ATOM.format("<title type='html'>&lt;a href=a></title><title type='HTML'>&lt;a href=b></title>"), ["a", "b"]),
        (ATOM.format("<content type='text/html'>&lt;a href=a></content><rights>&lt;a href=b></rights>"), ["a"]),
        (ATOM.replace("/2005/Atom", "/1999/other").format("<link href='a'/>"), []),
        (SITEMAP.format("<url><loc>a</loc></url><loc xmlns=''>b</loc><loc xmlns='urn:x'>c</loc>"), ["a", "b"]),
        ("<urlset><url><loc>a</loc></url></urlset>", ["a"]),
        ("<browserconfig xmlns='urn:x'><TileImage src='a'/></browserconfig>", []),
        ("<feed><link href='a'/></feed>", []),
        ("<other xmlns:a='http://www.w3.org/2005/Atom'><a:link href='a'/></other>", []),
        (SEARCH.format("<Url template='a{b}'/><Url template='{c}'/><Url template='//{d}/'/><Url template=''/>"), ["a"]),
        (
            SEARCH.format("<Url template='https://h/{b}'/><Url template='a.{b}'/><Url template='a?b/..{c}'/>"),
            ["https://h/", "a.", "a?b/.."],
        ),
        (SEARCH.format("<Url template='..{b}'/><Url template='a/.{b}'/><Url template='a/%2E.{b}?'/>"), []),
    ],
)
def test_references_in_feeds(data, expected):
    assert [link.reference for link in document(data).links] == expected


@pytest.mark.parametrize(
    "element", ["content", "summary", "title", "tagline", "info", "copyright", "subtitle", "rights"]
)
@pytest.mark.parametrize("media_type", ["text/html", "TEXT/HTML ", "html", "application/xhtml+xml", "xhtml"])
def test_a_page_in_base64_is_skipped_with_a_problem(element, media_type):
    text = b64encode(b'<a href="x">').decode()
    encoded = f'<{element} type="{media_type}" mode="base64"> {text}</{element}>'
    data = OLD_ATOM.format(f"{encoded}<link href='y'/>{encoded}")
    made = document(data).convert()
    assert made.data == data.replace("'y'", "'http://feed.example/blog/y'")
    starts = [match.end() for match in re.finditer('"base64">', data)]
    assert [(problem.code, problem.start) for problem in made.problems] == [
        ("content-base64", start) for start in starts
    ]
    assert [link.reference for link in document(data).links] == ["y"]


@pytest.mark.parametrize(
    "content",
    [
        '<content type="text/plain" mode="base64">PGEgaHJlZj0ieCI+</content>',
        '<content mode="base64">PGEgaHJlZj0ieCI+</content>',
        '<content type="image/png" mode="base64">PGEgaHJlZj0ieCI+</content>',
        '<content type="text/html" mode="base64"/>',
        '<content type="text/html" mode="base64"></content>',
        '<x:a type="text/html" mode="base64">PGEgaHJlZj0ieCI+</x:a>',
        '<generator type="text/html" mode="base64">PGEgaHJlZj0ieCI+</generator>',
    ],
)
def test_other_base64_and_empty_content_are_no_problem(content):
    made = document(OLD_ATOM.format(content)).convert()
    assert (made.problems, made.links) == ((), 0)


def test_modes_of_atom_that_are_not_base64_are_read():
    data = OLD_ATOM.format('<content type="text/html" mode="escaped">&lt;a href="x"></content>')
    assert [link.target for link in document(data).links] == ["http://feed.example/blog/x"]


ABSOLUTE = "https://other.example/../a?q={x}"


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("?q={searchTerms}", "http://feed.example/blog/feed.xml?q={searchTerms}"),
        ("/s/{searchTerms}/{startPage?}?l={language}", "http://feed.example/s/{searchTerms}/{startPage?}?l={language}"),
        ("../a/..{x}", "../a/..{x}"),
        ("../a/../{x}", "http://feed.example/{x}"),
        ("s?a=../..{x}", "http://feed.example/blog/s?a=../..{x}"),
        (ABSOLUTE, ABSOLUTE),
        ("https://{host}/", "https://{host}/"),
    ],
)
def test_the_parameters_of_a_template_stay(template, expected):
    made = document(SEARCH.format(f'<Url template="{template}"/>')).convert()
    assert f'"{expected}"' in made.data
    assert [problem.code for problem in made.problems] == ["template-syntax"] * (expected == template != ABSOLUTE)


class TestBases:
    @pytest.mark.parametrize(
        ("base", "target"), [("b/", "http://feed.example/blog/b/x"), ("http://b.example/", "http://b.example/x")]
    )
    @pytest.mark.parametrize(
        "content", ["<link>x</link>", "<enclosure url='x'/>", "<description>&lt;a href=x></description>"]
    )
    def test_xml_base_counts_in_rss_too(self, base, target, content):
        (_, link) = document(RSS.format(f"<item xml:base='{base}'>{content}</item>")).links
        assert link.target == target

    def test_a_channels_link_is_no_base(self):
        links = document(RSS.format("<link>http://site.example/</link><item><link>x</link></item>")).links
        assert links[1].target == "http://feed.example/blog/x"

    def test_without_any_base_references_stay(self):
        data = RSS.format("<link>x</link><description>&lt;a href=y>&lt;a href='#z'></description>")
        made = document(data, url=None).convert()
        assert made.data == data
        assert [problem.code for problem in made.problems] == ["no-base", "no-base"]

    def test_a_base_element_in_an_entry_is_ignored(self):
        data = RSS.format("<description>&lt;base href='http://b.example/'>&lt;a href=x>&lt;a href='#y'></description>")
        for base_element in ("keep", "drop-href", "remove", "insert"):
            made = document(data, base_element=base_element).convert()
            assert "href=http://feed.example/blog/x>" in made.data
            assert "href='#y'" in made.data
        assert document(data).base.url == URL

    def test_content_is_not_nested_without_end(self):
        content = "<a href=x>"
        for _ in range(12):
            content = f'<iframe srcdoc="{escape(content)}"></iframe>'
        made = document(RSS.format(f"<description>{escape(content)}</description>")).convert()
        assert [problem.code for problem in made.problems] == ["srcdoc-depth"]


@pytest.mark.parametrize(
    "data",
    [
        ATOM.format('<link href="?å"/><icon>?å</icon><entry><content type="xhtml"><x:a href="?å"/></content></entry>'),
        ATOM.format('<entry xml:base="x?å"><link href="?å"/><content type="html">&lt;a href="?å"></content></entry>'),
        RSS.format("<link>?å</link><item><description>&lt;img src=?å></description><guid>?å</guid></item>"),
        SITEMAP.format("<url><loc>?å</loc></url>"),
        SEARCH.format('<Url template="?å"/><Image>?å</Image>'),
        '<?xml-stylesheet href="?å"?><browserconfig><a><TileImage src="?å"/></a></browserconfig>',
    ],
)
@pytest.mark.parametrize("encoding", ["iso-8859-1", "utf-8", "utf-16"])
def test_queries_of_feeds_are_utf_8_in_any_encoding(data, encoding):
    """RFC 4287 §2: references are IRIs, which are mapped to URIs by UTF-8 (RFC 3987 §3.1)."""
    made = document(f'<?xml version="1.0" encoding="{encoding}"?>{data}'.encode(encoding))
    assert {link.target.partition("?")[2] for link in made.links} == {"%C3%A5"}
    assert made.absolutize().decode(encoding).count("%C3%A5") == len(made.links) == data.count("?å")


@pytest.mark.parametrize(
    "root", ['svg xmlns="http://www.w3.org/2000/svg"', 'html xmlns="http://www.w3.org/1999/xhtml"']
)
def test_queries_of_pages_and_pictures_in_xml_are_in_their_encoding(root):
    data = f'<?xml version="1.0" encoding="iso-8859-1"?><{root}><a href="?å"/></{root[:4].strip()}>'.encode(
        "iso-8859-1"
    )
    assert [link.target for link in document(data).links] == [f"{URL}?%E5"]


def test_a_feed_with_a_wrong_utf_8_label_is_skipped():
    data = RSS.format("<link>a</link>").encode("utf-16-le")
    made = document(data, charset="utf-8").convert()
    assert made.data == data
    assert [(problem.code, problem.start) for problem in made.problems] == [("xml-not-well-formed", 0)]


class TestEntities:
    BOMB = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))

    @pytest.mark.parametrize("place", ["<description>&l11;</description>", "<enclosure url='&l11;'/>", "<x>&l11;</x>"])
    def test_entities_that_expand_exponentially(self, place):
        data = f'<!DOCTYPE rss [<!ENTITY l0 "lol">{self.BOMB}]>' + RSS.format(f"<link>a</link>{place}<link>b</link>")
        made = document(data).convert()
        assert [problem.code for problem in made.problems] == ["xml-not-well-formed"]
        assert made.problems[0].message.endswith("its entities expand to many times its size")
        assert (made.links, made.rewritten) == (1, 1)

    def test_a_text_with_a_declared_entity_is_skipped(self):
        data = '<!DOCTYPE rss [<!ENTITY site "http://s.example/">]>' + RSS.format(
            "<link>&site;a</link><link>b</link><enclosure url='&site;c'/><description>&site;</description>"
        )
        made = document(data).convert()
        assert [(problem.code, problem.message[-6:]) for problem in made.problems] == [("xml-entity", "&site;")] * 2
        assert [(link.reference, link.target) for link in document(data).links] == [
            ("b", "http://feed.example/blog/b"),
            ("http://s.example/c", "http://s.example/c"),
        ]

    def test_nothing_is_fetched(self, tmp_path):
        (tmp_path / "secret").write_text("http://secret.example/")
        external = f'<!DOCTYPE rss [<!ENTITY e SYSTEM "{(tmp_path / "secret").as_uri()}">]>'
        made = document(external + RSS.format("<link>&e;</link><link>b</link>")).convert()
        assert "secret.example" not in made.data
        assert made.links == 1

    def test_html_ones_of_an_external_subset_are_known(self):
        doctype = '<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "rss-0.91.dtd">'
        data = doctype + RSS.format("<description>&eacute;&lt;a href='x&eacute;'></description>")
        assert facts(data) == [("a[href]", "xé", "http://feed.example/blog/x%C3%A9")]

    def test_undeclared_ones_end_it(self):
        made = document(RSS.format("<link>a</link><title>&nbsp;</title><link>b</link>")).convert()
        assert [problem.code for problem in made.problems] == ["xml-not-well-formed"]
        assert made.links == 1


#: Pieces of HTML: URLs with all that has to be escaped, text, and marks of XML.
_HTML = st.lists(
    st.sampled_from(
        [
            *('<a href="x?a=1&amp;b=2">', "<a href='y&quot;z'>", "<a href=u>", "<img srcset='a 1x, b 2x'>", "</a>"),
            *(
                "&amp;lt;",
                "&",
                "<",
                ">",
                "]]>",
                "]]",
                "é",
                "中",
                "\n",
                "<!-- <a href=c> -->",
                "<p style='b: url(c&#41;d)'>",
            ),
            *("<iframe srcdoc='&lt;a href=&quot;d&amp;amp;e&quot;&gt;'>", "<a href='#f'>", "<base href='/g/'>"),
            *("<p style='b: url(c&#41;d)'>", '<a href="h>i">'),
        ]
    ),
    max_size=8,
).map("".join)


def _escaped(html):
    return html.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _section(html):
    return "<![CDATA[" + html.replace("]]>", "]]]]><![CDATA[>") + "]]>"


def _mixed(html):
    """Characters by turns in text and CDATA sections."""
    return "".join(
        (_escaped if number % 2 else _section)(html[at : at + 3]) for number, at in enumerate(range(0, len(html), 3))
    )


@pytest.mark.parametrize("write", [_escaped, _section, _mixed])
@settings(max_examples=examples(200))
@given(html=_HTML)
def test_content_is_converted_as_a_document_of_its_own(write, html):
    """Double escapes round-trip: a reader gets the same HTML as from converting the HTML itself."""
    data = RSS.format(f"<description>{write(html)}</description>")
    made = document(data).convert()
    read = ET.fromstring(made.data).findtext(".//description") or ""  # noqa: S314
    # Without BASE, which counts in no entry.
    expected = linkfix.Document(html.replace("<base ", "<bass "), url=URL).convert()
    ours = [(link.element, link.reference) for link in linkfix.Document(read, url=URL).links if link.element != "base"]
    assert ours == [(link.element, link.reference) for link in linkfix.Document(expected.data, url=URL).links]
    assert document(made.data).convert().data == made.data
    assert made.rewritten == expected.rewritten


@pytest.mark.growth
@pytest.mark.parametrize(
    "piece",
    [
        "<item><link>a</link><description>&lt;a href=x&gt;</description></item>",
        "<item xml:base='a'><link>b</link></item>",
        "<guid><![CDATA[a]]></guid>",
    ],
)
def test_entries_take_time_in_proportion(piece):
    def prepare(count):
        data = RSS.format(piece * count).encode()
        return lambda: document(data).convert()

    assert_linear(prepare, 200)


@pytest.mark.growth
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<item>", "</item>"),
        ("<item xml:base='a/'>", "</item>"),
        ("<![CDATA[<a href=x", "]]>"),
        ("&lt;a href=x&gt;", ""),
        ("<![CDATA[<a href=x>]]>&lt;b", ""),
    ],
)
def test_depth_and_pieces_take_time_in_proportion(before, after):
    def prepare(count):
        inner = before * count + after * count if before.startswith("<item") else (before + after) * count
        data = RSS.format(inner if before.startswith("<item") else f"<description>{inner}</description>").encode()
        return lambda: document(data).convert()

    assert_linear(prepare, 1000)


@pytest.mark.parametrize("base_element", ["keep", "drop-href", "empty", "remove", "ignore"])
def test_a_base_in_the_html_of_a_feed_stays(base_element):
    url = "https://h.example/d/feed"
    rss = "<rss><channel><item><description>&lt;base href='/no/'>&lt;a href='a'></description></item></channel></rss>"
    xhtml = '<div xmlns="http://www.w3.org/1999/xhtml"><base href="/no/"/><a href="a">x</a></div>'
    atom = f'<feed xmlns="http://www.w3.org/2005/Atom"><entry><content type="xhtml">{xhtml}</content></entry></feed>'
    json_feed = '{"items":[{"content_html":"<base href=/no/><a href=a>"}]}'
    for feed, media_type, link in (
        (rss, "application/rss+xml", "'a'"),
        (atom, "application/atom+xml", '"a"'),
        (json_feed, "application/feed+json", "=a"),
    ):
        made = linkfix.absolutize(feed, url, media_type=media_type, base_element=base_element)
        assert made == feed.replace(link, link.replace("a", "https://h.example/d/a"))
