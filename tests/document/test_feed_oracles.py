"""Feeds and sitemaps beside feedparser and lxml, which read them on their own."""

from __future__ import annotations

import re
from urllib.parse import urljoin

import feedparser
import pytest
from lxml import etree
from support.paths import FIXTURES

import linkfix

SAMPLES = FIXTURES / "feeds"
URL = "http://feed.example/blog/feed.xml"
#: The keys under which feedparser has URLs of a feed or an entry.
URLS = ("link", "icon", "logo", "docs", "comments", "wfw_commentrss")
LISTS = {"links": "href", "enclosures": "href", "media_content": "url", "media_thumbnail": "url"}
_SRCSET = re.compile(r'srcset="[^"]*"')
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def read(data, base=None):
    """feedparser's URLs in a feed, and the HTML of its entries, after it has made them absolute."""
    headers = {"content-type": "application/xml"} | ({"content-location": base} if base else {})
    found = feedparser.parse(data, response_headers=headers, sanitize_html=False)
    assert not found.bozo, found.bozo_exception
    facts = []
    for part in (found.feed, *found.entries):
        facts += [(name, part[name]) for name in URLS if name in part]
        facts += [(name, one.get(key)) for name, key in LISTS.items() for one in part.get(name, ())]
        facts += [("author", one.get("href")) for one in part.get("authors", ())]
        facts += [("image", part.image.get("href"))] if "image" in part else []
        facts += [("html", re.sub(r'(?i) xml:base="[^"]*"', "", one.value)) for one in part.get("content", ())]
        facts += [("html", part[name]) for name in ("summary", "description", "subtitle") if name in part]
    return [(name, value) for name, value in facts if value]


@pytest.mark.parametrize("name", ["rss.xml", "atom.xml", "rss-1.0.xml"])
def test_feedparser_finds_the_same_urls_in_the_converted_feed(name):
    data = (SAMPLES / name).read_bytes()
    # feedparser reads no internal subset.
    data = re.sub(rb"<!DOCTYPE.*?\]>", b"", data).replace(b"&copy;", b"").replace(b"&path;", b"")
    # Nor xml:base within the content of an entry, nor srcset; and it leaves enclosures of RSS and Media RSS relative.
    data = data.replace(b' xml:base="c/"', b"")
    made = linkfix.Document(data, url=URL, media_type="application/xml", fragments="absolutize").convert()
    before = [value if name == "html" else urljoin(URL, value) for name, value in read(data, URL)]
    after = [value for _, value in read(made.data)]
    assert len(before) > 5
    assert [_SRCSET.sub("", value) for value in before] == [_SRCSET.sub("", value) for value in after]
    # It has no relative URL any more, whether feedparser makes them absolute or not.
    assert after == [value for _, value in read(made.data, "http://other.example/")]


def test_lxml_finds_the_same_addresses_in_a_sitemap():
    data = (SAMPLES / "sitemap.xml").read_bytes()
    links = linkfix.Document(data, url=URL, media_type="application/xml").links
    addresses = [(one.text or "").strip() for one in etree.fromstring(data).iter(f"{SITEMAP}loc")]
    assert [link.reference for link in links if link.element == "loc"] == addresses
    made = linkfix.absolutize(data, url=URL, media_type="application/xml")
    again = [(one.text or "").strip() for one in etree.fromstring(made).iter(f"{SITEMAP}loc")]
    assert again == [link.target for link in links if link.element == "loc"]
