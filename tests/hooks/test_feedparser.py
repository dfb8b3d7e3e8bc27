"""feedparser with the hook, beside feedparser alone."""

from __future__ import annotations

import pytest
from support.extras import needed
from support.paths import FIXTURES

from linkfix.errors import InvalidBase, InvalidOption

feedparser = needed("feedparser")
parse = needed("linkfix.hooks.feedparser").parse

URL = "https://feed.example/blog/feed.xml"
RSS = b"""<?xml version="1.0" encoding="windows-1251"?>
<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><link>/</link><item>
<link>p?q=%s</link><enclosure url="a.mp3" length="1" type="audio/mpeg"/><media:content url="m.png"/>
<description>&lt;img src="i.png" srcset="i2.png 2x"&gt;&lt;a href="#n"&gt;</description></item></channel></rss>"""
RSS = RSS % "п".encode("windows-1251")
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/x/"><entry xml:base="e/"><link href="l"/>
<content type="xhtml" xml:base="c/"><div xmlns="http://www.w3.org/1999/xhtml"><a href="z">z</a></div></content>
</entry></feed>"""


def test_what_feedparser_leaves_relative():
    entry = parse(RSS, URL, sanitize_html=False).entries[0]
    assert entry.link == "https://feed.example/blog/p?q=%D0%BF"
    assert entry.enclosures[0].href == "https://feed.example/blog/a.mp3"
    assert entry.media_content[0]["url"] == "https://feed.example/blog/m.png"
    assert 'src="https://feed.example/blog/i.png"' in entry.description
    assert 'srcset="https://feed.example/blog/i2.png 2x"' in entry.description
    assert f'href="{URL}#n"' in entry.description


def test_feedparser_alone_leaves_them_relative():
    """When this fails, feedparser was mended."""
    alone = feedparser.parse(RSS, response_headers={"content-location": URL}, sanitize_html=False).entries[0]
    assert alone.enclosures[0].href == "a.mp3"
    assert alone.media_content[0]["url"] == "m.png"
    assert 'srcset="i2.png 2x"' in alone.description


def test_xml_base():
    found = parse(ATOM, URL)
    assert found.entries[0].link == "https://feed.example/x/e/l"
    assert 'href="https://feed.example/x/e/c/z"' in found.entries[0].content[0].value
    assert not found.bozo


@pytest.mark.parametrize("name", ["rss.xml", "atom.xml", "rss-1.0.xml"])
def test_feeds_of_each_version_have_no_relative_links(name):
    data = (FIXTURES / "feeds" / name).read_bytes()
    found = parse(data, URL)
    assert found.version
    assert all(":" in link.href for entry in found.entries for link in entry.get("links", ()))


def test_the_charset_of_the_response_and_of_a_str():
    text = "<rss version='2.0'><channel><title>п</title><link>/ü</link></channel></rss>"
    for feed, headers in (
        (text.encode("utf-8"), {"Content-Type": "text/xml; charset=utf-8"}),
        (text.encode("utf-8"), {"content-type": "text/xml; charset=unknown-thing"}),
        ("<?xml version='1.0' encoding='koi8-r'?>" + text, None),
    ):
        found = parse(feed, URL, headers)
        assert found.feed.title == "п"
        assert found.feed.link == "https://feed.example/%C3%BC"


def test_a_feed_is_never_a_url_or_a_file(tmp_path):
    (tmp_path / "feed.xml").write_bytes(RSS)
    assert parse(str(tmp_path / "feed.xml")).entries == []
    assert parse(b"file:///etc/passwd", URL).entries == []


@pytest.mark.parametrize("feed", [b"", b"\x00\xff", b"<rss", b"<html><a href=x>", b"{}"])
def test_what_is_no_feed_raises_nothing(feed):
    assert parse(feed, URL).entries == []


def test_wrong_arguments():
    with pytest.raises(InvalidBase):
        parse(RSS, "/x")
    with pytest.raises(InvalidOption):
        parse(RSS, URL, fragments="no")
    with pytest.raises(TypeError, match="a feed as bytes or str"):
        parse(None, URL)
    with pytest.raises(TypeError, match="did you mean 'url'"):
        parse(RSS, base_url=URL)


def test_the_base_of_items():
    rss = b"""<rss version="2.0"><channel><link>https://h.example/blog/</link>
    <item><link>p/1/</link><description>&lt;a href="x">&lt;img src="y"></description><enclosure url="e.mp3"/></item>
    <item><description>&lt;a href="x"></description></item></channel></rss>"""
    one, two = parse(rss, URL, feed_base="item").entries
    assert 'href="https://feed.example/blog/p/1/x"' in one.description
    assert 'src="https://feed.example/blog/p/1/y"' in one.description
    assert (one.link, one.enclosures[0].href) == (
        "https://feed.example/blog/p/1/",
        "https://feed.example/blog/e.mp3",
    )
    assert 'href="https://h.example/blog/x"' in two.description
    assert 'href="https://h.example/blog/x"' in parse(rss, URL, feed_base="channel").entries[0].description


@pytest.mark.parametrize(
    "headers", [{"Content-Type": "text/xml; charset=koi8-r"}, [("content-type", "a/b+xml; charset=koi8-r")]]
)
def test_header_fields_are_a_mapping_or_pairs(headers):
    rss = "<rss version='2.0'><channel><item><title>щ</title><link>a</link></item></channel></rss>".encode("koi8-r")
    (entry,) = parse(rss, "https://example.com/x", headers).entries
    assert (entry.link, entry.title) == ("https://example.com/a", "щ")


@pytest.mark.parametrize("headers", ["x", 5])
def test_other_header_fields_are_refused(headers):
    with pytest.raises(TypeError, match=r"feedparser\.parse\(\) takes headers that are a mapping or pairs, not"):
        parse(b"<rss/>", "https://example.com/x", headers)
