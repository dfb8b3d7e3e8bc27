"""LINKFIX_MEDIA_TYPES: documents other than HTML, in Scrapy's response classes for them."""

from __future__ import annotations

import copy
import pickle

import pytest
from scrapy import Request
from scrapy.http import Headers, TextResponse, XmlResponse
from scrapy.responsetypes import responsetypes
from scrapy.settings import BaseSettings
from scrapy.spiders import SitemapSpider, XMLFeedSpider
from scrapy.utils.test import get_crawler

from linkfix.hooks.scrapy import LinkExtractor, LinkfixMiddleware, settings_of
from linkfix.model import DOCUMENT_KINDS

SITE = "http://site.example"
URL = f"{SITE}/dir/feed"
ATOM = b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="%s"/></entry></feed>'
SITEMAP = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>%s</loc></url></urlset>'
#: A media type, a document with one reference, and its target.
DOCUMENTS = [
    ("application/rss+xml", b"<rss version='2.0'><channel><item><link>%s</link></item></channel></rss>", "x"),
    ("application/atom+xml", ATOM, "x"),
    ("application/xml", SITEMAP, "x"),
    ("text/xml", b"<?xml version='1.0'?>" + SITEMAP, "x"),
    ("application/xml", ATOM, "?q=1&amp;b"),
    ("image/svg+xml", b'<svg xmlns="http://www.w3.org/2000/svg"><image href="%s"/></svg>', "x.png"),
    ("image/svg+xml", b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><a href="%s"/></svg>', "x"),
    (
        "application/opensearchdescription+xml",
        b'<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/"><Image>%s</Image></OpenSearchDescription>',
        "x.png",
    ),
    ("text/css", b"a{b:url(%s)}", "x.png"),
    ("application/manifest+json", b'{"start_url": "%s"}', "x"),
    ("application/feed+json", b'{"version": "https://jsonfeed.org/version/1.1", "icon": "%s"}', "x"),
]


def made(type_, body, url=URL, **fields):
    """A response of the class that Scrapy makes of it."""
    headers = Headers({"Content-Type": type_} if type_ else {})
    return responsetypes.from_args(headers=headers, url=url, body=body)(url, headers=headers, body=body, **fields)


def through(response, *types, meta=None, **settings):
    crawler = get_crawler(settings_dict={"LINKFIX_MEDIA_TYPES": ["text/html", *types], **settings})
    middleware = LinkfixMiddleware(settings_of(crawler.settings), crawler.stats)
    return middleware.process_response(Request(response.url, meta=meta), response), crawler.stats


@pytest.mark.parametrize(("type_", "form", "reference"), DOCUMENTS, ids=[type_ for type_, _, _ in DOCUMENTS])
def test_documents_of_each_type_are_rewritten(type_, form, reference):
    before = made(type_, form % reference.encode())
    after, stats = through(before, type_)
    target = f"{SITE}/dir/feed{reference}" if reference[0] == "?" else f"{SITE}/dir/{reference}"
    assert after.body == form % target.encode()
    assert isinstance(after, type(before))
    assert [link.target for link in after.linkfix.links] == [target.replace("&amp;", "&")]
    assert after.headers["Content-Length"] == b"%d" % len(after.body)
    assert "linkfix" in after.flags
    assert after.urljoin("y") == f"{SITE}/dir/y"
    assert after.follow("y").url == f"{SITE}/dir/y"
    assert (stats.get_value("linkfix/responses"), stats.get_value("linkfix/rewritten")) == (1, 1)


@pytest.mark.parametrize(("type_", "form", "reference"), DOCUMENTS, ids=[type_ for type_, _, _ in DOCUMENTS])
def test_other_types_than_the_named_types_are_skipped(type_, form, reference):
    other = "text/css" if type_ != "text/css" else "image/svg+xml"
    for types in ((), (other,)):
        before = made(type_, form % reference.encode())
        after, stats = through(before, *types)
        assert after is before
        assert not [name for name in stats.get_stats() if name.startswith("linkfix/")]
    before = made(type_, form % reference.encode())
    assert through(before, type_, meta={"linkfix": False})[0] is before


def test_every_media_type_that_a_setting_takes_is_read():
    for type_ in DOCUMENT_KINDS:
        body = next((form % b"x" for one, form, _ in DOCUMENTS if one == type_), b"<a href=x> x/y")
        after, _ = through(made(type_, body), type_)
        assert after.linkfix.document is not None, type_


def test_responses_without_a_type():
    """Scrapy has seen that it is XML; text of another kind is none of those."""
    after, _ = through(made("", b"<?xml version='1.0'?>" + ATOM % b"x"), "application/xml")
    assert isinstance(after, XmlResponse)
    assert f'href="{SITE}/dir/x"'.encode() in after.body
    before = made("", b"a{b:url(x)}")
    assert isinstance(before, TextResponse)
    assert through(before, "text/css")[0] is before
    before = made("application/json", b'{"url": "x"}')
    assert isinstance(before, TextResponse)
    assert through(before, "application/manifest+json")[0] is before


def test_html_is_processed_only_if_it_is_listed():
    before = made("text/html", b"<a href=x>")
    settings = settings_of(BaseSettings({"LINKFIX_MEDIA_TYPES": "text/css"}))
    after = LinkfixMiddleware(settings).process_response(Request(URL), before)
    assert (after.body, after.linkfix.document) == (before.body, None)


@pytest.mark.parametrize("declared", [True, False])
def test_the_encoding_is_the_document_s(declared):
    head = b'<?xml version="1.0" encoding="windows-1251"?>' if declared else b'<?xml version="1.0"?>'
    text = "поиск".encode("windows-1251" if declared else "utf-8")
    before = made("application/rss+xml", head + b"<rss><channel><link>x</link><title>%s</title></channel></rss>" % text)
    after, _ = through(before, "application/rss+xml")
    assert text in after.body
    assert f"<link>{SITE}/dir/x</link>".encode() in after.body
    assert after.text == after.body.decode("windows-1251" if declared else "utf-8")
    assert after.xpath("//title/text()").get() == "поиск"


def test_an_encoding_that_a_response_was_made_with_counts():
    before = made("text/css", "a{b:url(я)}".encode("windows-1251"), encoding="windows-1251")
    after, _ = through(before, "text/css")
    assert after.text == f"a{{b:url({SITE}/dir/%D1%8F)}}"


def test_damaged_responses_do_not_raise():
    for body in (b"", b"<rss><channel><link>x</link>", b"<rss>\xff\xfe", b"<!DOCTYPE rss [<!ENTITY a 'b'>]><rss/>"):
        after, _ = through(made("application/rss+xml", body), "application/rss+xml")
        assert isinstance(after, XmlResponse)


def test_large_responses_are_skipped_and_counted():
    body = ATOM % b"x"
    after, stats = through(made("application/atom+xml", body), "application/atom+xml", LINKFIX_MAX_SIZE=10)
    assert after.body == body
    assert after.linkfix.left_alone == "too-large"
    assert stats.get_value("linkfix/left_alone/too-large") == 1


def test_copies_and_pickles():
    after, _ = through(made("application/atom+xml", ATOM % b"x"), "application/atom+xml")
    for again in (copy.copy(after), after.replace(status=404), pickle.loads(pickle.dumps(after))):  # noqa: S301
        assert isinstance(again, XmlResponse)
        assert again.body == after.body
    assert after.replace(status=404).linkfix.links == after.linkfix.links


def test_spiders_for_feeds_and_sitemaps_get_absolute_links():
    class Feed(XMLFeedSpider):
        name = "feed"
        iterator = "xml"
        itertag = "item"

        def parse_node(self, _response, node):
            return {"link": node.xpath("link/text()").get()}

    feed = b"<rss version='2.0'><channel><item><link>x</link></item></channel></rss>"
    after, _ = through(made("application/rss+xml", feed), "application/rss+xml")
    assert list(Feed()._parse(after)) == [{"link": f"{SITE}/dir/x"}]

    class Sitemap(SitemapSpider):
        name = "sitemap"
        sitemap_urls = (URL,)

    after, _ = through(made("application/xml", SITEMAP % b"x"), "application/xml")
    assert [request.url for request in Sitemap()._parse_sitemap(after)] == [f"{SITE}/dir/x"]


def test_a_link_extractor_reads_them():
    body = b'<svg xmlns="http://www.w3.org/2000/svg"><a href="x">t</a></svg>'
    after, _ = through(made("image/svg+xml", body), "image/svg+xml")
    assert [link.url for link in LinkExtractor(tags="*", attrs="*").extract_links(after)] == [f"{SITE}/dir/x"]
