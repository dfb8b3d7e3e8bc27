"""JSON Feed: its URLs, its HTML, its base, and faulty feeds."""

from __future__ import annotations

import json

import pytest

import linkfix
from linkfix import BaseSource, Document, Envelope, Layer, Options
from linkfix.document import LAYERS
from linkfix.resolvers import RESOLVERS

URL = "https://h.example/d/feed.json"
TYPE = "application/feed+json"
VERSION = "https://jsonfeed.org/version/1.1"

#: A feed with each member of the specification that has a URL or HTML.
FEED = {
    "version": VERSION,
    "title": "t/t",
    "home_page_url": "../",
    "feed_url": "feed.json",
    "description": "<a href='no'>",
    "user_comment": "a/b",
    "next_url": "?page=2",
    "icon": "i.png",
    "favicon": "/f.ico",
    "author": {"name": "n", "url": "me", "avatar": "me.png"},
    "authors": [{"url": "a1", "avatar": "a1.png"}, {"url": "a2"}],
    "hubs": [{"type": "WebSub", "url": "/hub"}],
    "_ext": {"url": "u", "items": [{"url": "v"}]},
    "items": [
        {
            "id": "posts/1",
            "url": "posts/1/",
            "external_url": "//o.example/x",
            "title": "x",
            "content_html": '<p>"é"\n<a href="x?a=1&amp;b=2">y</a><img srcset="a.png 1x, b.png 2x"><a href="#top">',
            "content_text": "see /x",
            "summary": "<a href='no'>",
            "image": "b.png",
            "banner_image": "c.png",
            "author": {"url": "me", "avatar": "me.png"},
            "authors": [{"url": "a3", "avatar": "a3.png"}],
            "attachments": [{"url": "m.mp3", "mime_type": "audio/mpeg", "title": "t"}],
            "_ext": {"url": "u"},
        }
    ],
}
D = "https://h.example/d/"
MADE = FEED | {
    "home_page_url": "https://h.example/",
    "feed_url": f"{D}feed.json",
    "next_url": f"{D}feed.json?page=2",
    "icon": f"{D}i.png",
    "favicon": "https://h.example/f.ico",
    "author": {"name": "n", "url": f"{D}me", "avatar": f"{D}me.png"},
    "authors": [{"url": f"{D}a1", "avatar": f"{D}a1.png"}, {"url": f"{D}a2"}],
    "hubs": [{"type": "WebSub", "url": "https://h.example/hub"}],
    "items": [
        FEED["items"][0]
        | {
            "url": f"{D}posts/1/",
            "external_url": "https://o.example/x",
            "content_html": f'<p>"é"\n<a href="{D}x?a=1&amp;b=2">y</a><img srcset="{D}a.png 1x, {D}b.png 2x">'
            '<a href="#top">',
            "image": f"{D}b.png",
            "banner_image": f"{D}c.png",
            "author": {"url": f"{D}me", "avatar": f"{D}me.png"},
            "authors": [{"url": f"{D}a3", "avatar": f"{D}a3.png"}],
            "attachments": [{"url": f"{D}m.mp3", "mime_type": "audio/mpeg", "title": "t"}],
        }
    ],
}


def absolute(feed, **options):
    return linkfix.absolutize(feed, URL, media_type=TYPE, **options)


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("indent", [None, 2])
def test_every_url(ascii_only, indent):
    before = json.dumps(FEED, ensure_ascii=ascii_only, indent=indent)
    assert absolute(before) == json.dumps(MADE, ensure_ascii=ascii_only, indent=indent)
    assert absolute(before.encode()) == json.dumps(MADE, ensure_ascii=ascii_only, indent=indent).encode()


def test_links_have_their_places():
    feed = json.dumps(FEED)
    links = linkfix.links(feed, URL, media_type=TYPE)
    assert [json.loads(f'"{feed[link.start : link.end]}"') for link in links if link.syntax == "url"][:3] == [
        "../",
        "feed.json",
        "?page=2",
    ]
    assert {link.element for link in links} == {
        *("home_page_url", "feed_url", "next_url", "icon", "favicon", "hubs.url", "a", "img"),
        *("author.url", "author.avatar", "authors.url", "authors.avatar", "items.attachments.url"),
        *("items.url", "items.external_url", "items.image", "items.banner_image"),
        *("items.author.url", "items.author.avatar", "items.authors.url", "items.authors.avatar"),
    }


@pytest.mark.parametrize(
    ("raw", "made"),
    [
        (r"<a href=\"x\">", rf"<a href=\"{D}x\">"),
        (r"\u003ca href=\u0022\u0078\u0022\u003e", rf"\u003ca href=\u0022{D}x\u0022\u003e"),
        (r"<a href='a\/b'>", rf"<a href='{D}a/b'>"),
        (r"<a href>", rf"<a href=\"{D}feed.json\">"),
        (r"\ud83d\ude00é<a href=x>\ud800", rf"\ud83d\ude00é<a href={D}x>\ud800"),
        (r"<a href='&quot;'>", rf"<a href='{D}%22'>"),
        (r"<a href=\"x\ny\"><!-- <a href=x> -->", rf"<a href=\"{D}xy\"><!-- <a href=x> -->"),
        (r"<base href=/b/><a href=x>", rf"<base href=/b/><a href={D}x>"),
        (r"<iframe srcdoc=\"<a href='x'>\">", rf"<iframe srcdoc=\"<a href='{D}x'>\">"),
    ],
)
def test_only_the_bytes_of_links_change(raw, made):
    feed = '{"version":"%s" , "items":[ {"content_html":"%s","id":1e2} ]}\n'
    before, after = (feed % (VERSION, text) for text in (raw, made))
    assert absolute(before, fragments="absolutize") == after
    if "\\ud800" not in raw:
        assert absolute(before.encode(), fragments="absolutize") == after.encode()
    json.loads(after)


def test_quotation_marks_and_controls_in_urls_are_escaped():
    before = '{"icon":"x","items":[]}'
    made = linkfix.rewrite(before, lambda _: 'a"b\\c\n\u2028', URL, media_type=TYPE)
    assert json.loads(made)["icon"] == 'a"b\\c\n\u2028'


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-8"])
def test_encodings(encoding):
    before, after = (f'{{"title":"é","icon":"{url}"}}'.encode(encoding) for url in ("i", f"{D}i"))
    assert absolute(before) == after


def test_queries_are_in_utf_8():
    feed = '{"icon":"?é","items":[{"content_html":"<a href=\'?é\'>"}]}'.encode("latin-1")
    made = linkfix.absolutize(feed, URL, media_type=TYPE, charset="iso-8859-1")
    assert made.count(b"?%C3%A9") == 2


def test_of_members_with_one_name_the_last_counts():
    assert absolute('{"icon":"a","icon":"b"}') == f'{{"icon":"a","icon":"{D}b"}}'


@pytest.mark.parametrize(
    "feed",
    [
        '{"icon":[{"url":"a"}],"authors":"x","items":{"url":1},"hubs":null}',
        "[]",
        '"icon"',
        "1",
        '{"items":[["a"],null]}',
        '{"items":{"url":"a","content_html":"<a href=b>"}}',
        '{"items":[{"url":["a"],"content_html":["<a href=b>"],"image":["c"],"attachments":{"url":"d"}}]}',
        '{"items":[[{"url":"a"}]],"feed_url":["f"],"icon":["i"],"authors":{"url":"a"},"hubs":{"url":"h"}}',
        '{"author":[{"url":"a","avatar":"b"}],"items":[{"author":[{"url":"a"}],"authors":{"url":"b"}}]}',
    ],
)
def test_members_of_the_wrong_type_stay(feed):
    assert absolute(feed) == feed
    assert Document(feed, url=URL, media_type=TYPE).problems == ()


@pytest.mark.parametrize(
    ("feed", "position"),
    [('{"icon":"a",}', 12), ('{"icon":"a"} x', 13), ('{"é":"a" "b"}', 10), ('{"icon":"\\x"}', 9)],
)
def test_a_feed_that_is_not_json_stays(feed, position):
    conversion = Document(feed.encode(), url=URL, media_type=TYPE).convert()
    assert conversion.data == feed.encode()
    assert [(one.code, one.start) for one in conversion.problems] == [("json-syntax", position)]


def test_deep_feeds_are_read():
    feed = '{"_x":' + "[" * 100_000 + "]" * 100_000 + ',"icon":"a"}'
    assert absolute(feed) == feed.replace('"a"', f'"{D}a"')


# The base


STATED = '{"home_page_url":"https://home.example/","feed_url":" https://feed.example/f/feed.json","icon":"i"}'


@pytest.mark.parametrize("spec", RESOLVERS)
def test_the_retrieval_url_comes_before_the_urls_that_a_feed_states(spec):
    base = Document(STATED, url=URL, media_type=TYPE, spec=spec).base
    assert (base.url, base.layer) == (URL, Layer.RETRIEVAL)
    assert [one.reference for one in base.rejected] == ["https://feed.example/f/feed.json", "https://home.example/"]


@pytest.mark.parametrize("spec", RESOLVERS)
def test_a_feed_without_a_retrieval_url_has_its_own_url_as_its_default(spec):
    document = Document(STATED, media_type=TYPE, default_base="https://caller.example/", spec=spec)
    if BaseSource.FEED in LAYERS[spec].get(Layer.DEFAULT, LAYERS["rfc1808"][Layer.DEFAULT]).sources:
        assert (document.base.url, document.base.layer) == ("https://feed.example/f/feed.json", Layer.DEFAULT)
        assert document.links[-1].target == "https://feed.example/f/i"
    else:
        assert spec in {"fielding1994", "rfc1808"}
        assert document.links[-1].target != "https://feed.example/f/i"


@pytest.mark.parametrize(
    ("feed", "expected"),
    [
        ('{"home_page_url":"https://home.example/","icon":"i"}', "https://home.example/"),
        ('{"feed_url":"feed.json","home_page_url":"https://home.example/","icon":"i"}', "https://home.example/"),
        ('{"feed_url":7,"icon":"i"}', None),
        ('{"feed_url":"feed.json","icon":"i"}', None),
    ],
)
def test_the_home_page_is_the_next_default(feed, expected):
    assert Document(feed, media_type=TYPE).base.url == expected


def test_a_part_of_an_archive_has_the_url_of_its_part():
    document = Document(STATED, envelope=Envelope(URL, media_type=TYPE, parent=Envelope("https://archive.example/")))
    assert document.base.url == URL


def test_old_urls_move():
    options = Options(move=lambda url: url.replace("https://h.example/", "https://new.example/"))
    feed = '{"icon":"https://h.example/i","items":[{"content_html":"<a href=\\"https://h.example/x\\">"}]}'
    made = Document(feed, url=URL, media_type=TYPE, options=options).convert().data
    assert made == feed.replace("h.example", "new.example")


def test_items_of_the_wrong_type_give_no_base():
    item = '{{"url":{},"content_html":"<a href={}b>"}}'
    feed = '{{"home_page_url":["/blog/"],"items":[{}]}}'
    before = feed.format(item.format('["/posts/"]', ""))
    assert absolute(before, feed_base="item") == feed.format(item.format('["/posts/"]', D))


@pytest.mark.parametrize(
    "member", [r'"url":"\ud800b"', r'"content_html":"<a href=\ud800b>"', r'"content_html":"<a href=\"\udC00b\">"']
)
def test_half_of_a_surrogate_pair_is_a_problem(member):
    conversion = Document(f'{{"items":[{{{member}}}]}}'.encode(), url=URL, media_type=TYPE).convert()
    assert f"{D}%EF%BF%BDb" in conversion.data.decode()
    assert [problem.code for problem in conversion.problems] == ["lone-surrogate"]
    assert "encoding" not in conversion.problems[0].message


@pytest.mark.parametrize("member", [r'"url":"\ud83d\ude00b"', r'"content_html":"<a href=\ud83d\ude00b>"'])
def test_both_halves_of_a_pair_are_a_character(member):
    conversion = Document(f'{{"items":[{{{member}}}]}}'.encode(), url=URL, media_type=TYPE).convert()
    assert f"{D}%F0%9F%98%80b" in conversion.data.decode()
    assert conversion.problems == ()


def test_half_of_a_surrogate_pair_in_other_json_and_in_a_str():
    json_ld = r'<script type="application/ld+json">{"@id":"\ud800b"}</script>'
    manifest = r'{"start_url":"\ud800b"}'
    for html, options in (
        (json_ld, {"json_ld": True}),
        (manifest, {"media_type": "application/manifest+json"}),
        ('<a href="\ud800b">', {}),
    ):
        assert [problem.code for problem in Document(html, url=URL, **options).problems] == ["lone-surrogate"]
        assert [link.problem for link in linkfix.links(html, URL, **options)] == ["lone-surrogate"]
