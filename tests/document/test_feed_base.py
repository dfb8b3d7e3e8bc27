"""On request, the base of a feed's HTML is the link of the item or of the channel."""

from __future__ import annotations

import json
import re

import pytest

import linkfix
from linkfix import InvalidOption

URL = "https://h.example/d/feed"
D, BLOG, POST = "https://h.example/d/", "https://h.example/blog/", "https://h.example/d/posts/1/"
BASES = {"retrieval": (D, D), "channel": (BLOG, BLOG), "item": (POST, BLOG)}

RSS = """<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><atom:link rel="self" href="/self/"/><image><link>/image/</link></image><link>/blog/</link>
<item><description><![CDATA[<a href="{0}x">]]></description><content:encoded>&lt;img src="{0}y"&gt;</content:encoded>
<enclosure url="{2}e.mp3"/><link> posts/1/ </link></item>
<item><description>&lt;a href='{1}x'&gt;</description><guid>abc</guid></item></channel></rss>"""
RSS_1 = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel><link>/blog/</link></channel><item><description>&lt;a href="{0}x"&gt;</description><link>posts/1/</link></item>
<item><description>&lt;a href='{1}x'&gt;</description></item></rdf:RDF>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="/self/"/><link href="/blog/"/><entry>
<link rel="alternate" type="application/pdf" href="p.pdf"/><link rel="enclosure" href="e.mp3"/>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><a href="{0}x">t</a></div></content>
<source><link href="/source/"/></source><link type="text/html" href="posts/1/"/>
<summary type="html">&lt;img src={0}y></summary></entry>
<entry><summary type="html">&lt;img src='{1}x'></summary></entry></feed>"""
JSON = """{{"home_page_url":"/blog/","items":[
{{"content_html":"<a href='{0}x'>","image":"{2}i","url":" posts/1/ "}},{{"content_html":"<a href='{1}x'>"}}]}}"""


@pytest.mark.parametrize("mode", BASES)
@pytest.mark.parametrize(
    ("feed", "type_"),
    [(RSS, "application/rss+xml"), (RSS_1, "application/xml"), (ATOM, "application/atom+xml")],
)
def test_xml_feeds(mode, feed, type_):
    made = linkfix.absolutize(feed.format("", "", ""), URL, media_type=type_, feed_base=mode)
    assert without_links(made) == without_links(feed.format(*BASES[mode], D))


def without_links(feed):
    """The feed without its own links, which are resolved as ever."""
    return re.sub(r"<link>[^<]*</link>|<guid>[^<]*</guid>|<(?:atom:)?link [^>]*>", "", feed)


@pytest.mark.parametrize("mode", BASES)
def test_json_feeds(mode):
    feed = JSON.format("", "", "")
    made = linkfix.absolutize(feed, URL, media_type="application/feed+json", feed_base=mode)
    expected = json.loads(JSON.format(*BASES[mode], D))
    expected["home_page_url"] = BLOG
    expected["items"][0]["url"] = f" {POST} "
    assert json.loads(made) == expected


def targets(feed, **options):
    """The targets of the links in the HTML."""
    links = linkfix.links(feed, URL, media_type="application/xml", **({"feed_base": "item"} | options))
    return [link.target for link in links if link.element in {"a", "img"}]


ITEM = "<rss><channel><link>/blog/</link>{}</channel></rss>"
HTML = "<description>&lt;a href=x></description>"


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (f'<item xml:base="/b/">{HTML}<link>y/</link></item>', "https://h.example/b/x"),
        (f'<item>{HTML}<link xml:base="/b/">y/</link></item>', "https://h.example/b/y/x"),
        (f"<item>{HTML}<link>mailto:a@h.example</link></item>", f"{BLOG}x"),
        (f"<item>{HTML}<link>javascript:x</link></item>", f"{BLOG}x"),
        (f"<item>{HTML}<link> </link></item>", f"{BLOG}x"),
        (f"<item>{HTML}<link>http://[</link></item>", f"{BLOG}x"),
        (f"<item>{HTML}<link>http://[</link><guid>https://h.example/g/1</guid></item>", "https://h.example/g/x"),
        (f"<item>{HTML}<link>//[/</link><link>l/</link></item>", f"{D}l/x"),
        (f"<item>{HTML}<guid>https://h.example/g/1</guid></item>", "https://h.example/g/x"),
        (f"<item>{HTML}<guid>https://h.example/g/1</guid><link>l/</link></item>", f"{D}l/x"),
        (f'<item>{HTML}<guid isPermaLink="false">https://h.example/g/1</guid></item>', f"{BLOG}x"),
        (f"<item>{HTML}<guid>tag:h.example,2020:1</guid></item>", f"{BLOG}x"),
        (f"<item>{HTML}<link><![CDATA[https://h.example/?p=1&q]]></link></item>", "https://h.example/x"),
        (f"<item>{HTML}<link>a/</link><link>b/</link></item>", f"{D}a/x"),
        (HTML, f"{BLOG}x"),
    ],
)
def test_the_link_of_an_item(items, expected):
    assert targets(ITEM.format(items)) == [expected]


def test_a_link_of_the_channel_counts_after_the_items():
    feed = f"<rss><channel><item>{HTML}</item><link>/late/</link></channel></rss>"
    assert targets(feed) == targets(feed, feed_base="channel") == ["https://h.example/late/x"]
    assert targets(f"<rss><channel><item>{HTML}</item></channel></rss>") == [f"{D}x"]


def test_an_entry_is_a_document_of_its_own():
    content = '<content type="html">&lt;a href=x></content><link href="e/"/>'
    entry = f'<entry xmlns="http://www.w3.org/2005/Atom">{content}</entry>'
    assert targets(entry) == [f"{D}e/x"]
    assert targets(entry, feed_base="channel") == [f"{D}x"]


def test_references_to_fragments_lead_to_the_item():
    feed = ITEM.format("<item><link>p/</link><description>&lt;a href='#n'></description></item>")
    made = linkfix.absolutize(feed, URL, media_type="application/xml", feed_base="item", fragments="absolutize")
    assert f"href='{D}p/#n'" in made
    assert "href='#n'" in linkfix.absolutize(feed, URL, media_type="application/xml", feed_base="item")


def test_pages_and_sitemaps_stay_as_they_are():
    page = "<a href=x><link rel=alternate href=y>"
    assert linkfix.absolutize(page, URL, feed_base="item") == linkfix.absolutize(page, URL)
    sitemap = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>x</loc></url></urlset>'
    made = linkfix.absolutize(sitemap, URL, media_type="application/xml", feed_base="channel")
    assert made == sitemap.replace(">x<", f">{D}x<")


def test_an_unknown_base_is_an_error():
    with pytest.raises(InvalidOption, match="feed_base"):
        linkfix.absolutize("", URL, feed_base="entry")  # type: ignore[arg-type]


ATOM_ENTRY = """<feed xmlns="http://www.w3.org/2005/Atom">{}<entry><link href="http://["/>{}
<content type="html">&lt;a href=x></content></entry></feed>"""


@pytest.mark.parametrize(
    ("of_feed", "of_entry", "expected"),
    [
        ('<link href="/blog/"/>', "", f"{BLOG}x"),
        ('<link href="/blog/"/>', '<link type="application/pdf" href="p/"/>', f"{D}p/x"),
        ('<link href="//["/><link href="/blog/"/>', "", f"{BLOG}x"),
        ('<link href="http://["/>', "", f"{D}x"),
    ],
)
def test_a_link_of_atom_that_cannot_be_parsed_is_as_if_absent(of_feed, of_entry, expected):
    assert targets(ATOM_ENTRY.format(of_feed, of_entry)) == [expected]


@pytest.mark.parametrize(("home", "expected"), [("/blog/", BLOG), ("http://[", D), ("mailto:a@h.example", D)])
@pytest.mark.parametrize("link", ["http://[", "mailto:a@h.example", " "])
def test_a_link_of_a_json_feed_that_cannot_be_a_base_is_as_if_absent(link, home, expected):
    feed = json.dumps({"home_page_url": home, "items": [{"url": link, "content_html": "<a href=x>"}]})
    made = json.loads(linkfix.absolutize(feed, URL, media_type="application/feed+json", feed_base="item"))
    assert made["items"][0]["content_html"] == f"<a href={expected}x>"


def test_the_specification_decides_whether_a_link_can_be_parsed():
    """RFC 3986 has no hosts with spaces; RFC 1808 says nothing about hosts."""
    item = f"<item>{HTML}<link>http://[/</link></item>"
    assert targets(ITEM.format(item), spec="rfc1808") == ["http://[/x"]
    assert targets(ITEM.format(item)) == [f"{BLOG}x"]
