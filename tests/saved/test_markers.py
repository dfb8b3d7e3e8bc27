from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.growth import processor_limit

from linkfix.saved import MARKS, find_marks
from linkfix.saved.markers import SavedPage, original_bases, original_urls

URL = "https://example.com/a/page.html?x=1&y=2"
REST = "<head><title>t</title></head><body><a href=b>b</a></body></html>"
LENGTH = f"{len(URL):04d}"
WAYBACK = "https://web.archive.org/web/20230329232414/"

#: Each saver's own form: name, page, the facts in its mark.
PAGES = [
    ("the browser", f"<!DOCTYPE html>\n<!-- saved from url=({LENGTH}){URL} -->\n<html>{REST}", URL),
    ("the browser", f"\n<!-- saved from url=({LENGTH}){URL} -->\n<html>{REST}", URL),
    ("the browser", f"\ufeff<!-- saved from url=({LENGTH}){URL} -->\r\n<HTML>{REST}", URL),
    ("the browser", "<!-- saved from url=(0024)http://h/a-%2Db-%2D-%2Dc -->\n<html>", "http://h/a--b----c"),
    ("the browser", f"<!-- saved from url=(0017)http://h/caf\u00e9.htm -->{REST}", "http://h/caf%C3%A9.htm"),
    ("the browser", f"<!-- saved from url=(0018)http://h/caf\u00e9.htm -->{REST}", "http://h/caf%C3%A9.htm"),
    (
        "SingleFile",
        (
            f"<!DOCTYPE html> <html lang=en><!--\n Page saved with SingleFile \n url: {URL} \n saved date: Wed Jan 01 "
            f"2020 10:00:00 GMT+0800 (\u53f0\u5317)\n-->{REST}"
        ),
        URL,
    ),
    ("SingleFile", f"<html><!--\n Page saved with SingleFile \n url: {URL} \n-->{REST}", URL),
    ("SingleFile", f"<html><!--\n Archive processed by SingleFile \n url: {URL} \n info: note \n-->{REST}", URL),
    ("MaoXian", f'<!DOCTYPE html>\n<html class="a>b">\n<!-- OriginalSrc: {URL} -->{REST}', URL),
    (
        "HTTrack",
        (
            "<html>\n\n<!-- Mirrored from example.com:81/a/b.html?q by HTTrack Website Copier/3.x [XR&CO'2013], Fri, "
            f"01 Jan 2016 10:00:00 GMT -->\n{REST}"
        ),
        "http://example.com:81/a/b.html?q",
    ),
    (
        "HTTrack",
        f"<html>\n<!-- Mirrored from {URL} by HTTrack Website Copier/3.50 [XR&CO], Fri, 14 Aug 2026 -->{REST}",
        URL,
    ),
    (
        "monolith",
        f"<!-- Saved from {URL} at 2025-06-15T15:12:55Z using monolith v2.10.1 -->\n<!DOCTYPE html>{REST}",
        URL,
    ),
    (
        "WebScrapBook",
        (
            '<!DOCTYPE html>\n<html lang="en" data-scrapbook-source="https://example.com/?a=1&amp;b=2#top" '
            f'data-scrapbook-create="20200101000000000">{REST}'
        ),
        "https://example.com/?a=1&b=2#top",
    ),
    (
        "Save Page WE",
        f'<html><base href="{URL}"><style>{"p{}" * 99999}</style><meta name="savepage-url" content="{URL}">{REST}',
        URL,
    ),
    (
        "the Wayback Machine",
        (
            '<html><head><script>\n  __wm.init("https://web.archive.org/web");\n  __wm.wombat("http://h:80/watch?v=m&amp;gl=US"'
            f',"20230329232414","https://web.archive.org/","web","/_static/",\n\t      "1680132254");\n</script>{REST}'
        ),
        f"{WAYBACK}http://h:80/watch?v=m&gl=US",
    ),
    (
        "the Wayback Machine",
        f'<html><script>__wm.wombat("http://h/","20230329232414");</script>{REST}',
        f"{WAYBACK}http://h/",
    ),
    (
        "the Wayback Machine",
        '<html><script>WB_wombat_Init("https://web.archive.org/web/", "20230329232414", "www.modabot.de:80");</script>',
        f"{WAYBACK}http://www.modabot.de:80/",
    ),
    (
        "the Wayback Machine",
        (
            '<html><script>WB_wombat_Init("https://web.archive.org/web/", "20230329232414", "h:80");</script>'
            '<input type="text" name="url" id="wmtbURL" value="http://h:80/deep/page?a&amp;b" />'
        ),
        f"{WAYBACK}http://h:80/deep/page?a&b",
    ),
    (
        "pywb",
        (
            '<html><head><!-- WB Insert -->\n<script>\n  wbinfo = {};\n  wbinfo.top_url = "https://a.org/w/2020/http:\\/\\/h\\/";\n'
            '  wbinfo.url = "http:\\/\\/h\\/p";\n  wbinfo.timestamp = "20200101000000";\n'
            '  wbinfo.prefix = decodeURI("https://a.org/w/");\n</script>'
        ),
        "https://a.org/w/20200101000000mp_/http://h/p",
    ),
    ("pywb", '<html><script>wbinfo.url = "http://h/p";</script>', "http://h/p"),
    (  # pywb 2.10, in a frame
        "pywb",
        (
            '<html><head><!-- WB Insert -->\n<script>\n  wbinfo = {};\n  wbinfo.url = "http://h:81/p?a=1\\u0026b=2";\n'
            '  wbinfo.timestamp = "20200102030405";\n  wbinfo.request_ts = "2020";\n'
            '  wbinfo.prefix = decodeURI("http://a.org/c/");\n  wbinfo.mod = "mp_";\n</script>'
        ),
        "http://a.org/c/20200102030405mp_/http://h:81/p?a=1&b=2",
    ),
    (
        "pywb",
        (
            '<html><script>wbinfo.top_url = "https://a.org:81/wayback/2020/http://h/";wbinfo.url = "http://h/p";'
            'wbinfo.timestamp = "20200101000000";wbinfo.prefix = decodeURI("/wayback/");wbinfo.mod = "";</script>'
        ),
        "https://a.org:81/wayback/20200101000000/http://h/p",
    ),
    (
        "the Wayback Machine",
        "<html><script>\nWB_wombat_Init('https://web.archive.org/web', '20180707155901', 't.example');\n</script>",
        "https://web.archive.org/web/20180707155901/http://t.example/",
    ),
    (
        "the Wayback Machine",
        "<html><script>WB_wombat_Init('/web/', '20180707155901', 'h.example');</script>",
        "https://web.archive.org/web/20180707155901/http://h.example/",
    ),
    (
        "the Wayback Machine",
        f'<html>{"<p>" * 99999}<div id="wm-ipp-print">The Wayback Machine - {WAYBACK}http://h/doku.php?id=a:b&amp;c=d</div>',
        f"{WAYBACK}http://h/doku.php?id=a:b&c=d",
    ),
    (
        "the Wayback Machine",
        (
            '<html><div id="wm-ipp-print"></div>\n<script>//<![CDATA[\n__wm.bt(750,27,25,2,"web","http://h/watch?v=1&b",'
            '"20121225000539",1996,"/_static/",["/_static/css/banner-styles.css"], false);</script>'
        ),
        "https://web.archive.org/web/20121225000539/http://h/watch?v=1&b",
    ),
    (
        "the Wayback Machine",
        (
            '<html><form target="_top" method="get" action="/web/form-submit.jsp" id="wmtb"><input type="text" '
            'name="url" id="wmtbURL" value="http://h/a.jsp?b&amp;c" style="width:400px;" /><input type="hidden" '
            'name="type" value="replay" /><input type="hidden" name="date" value="20150224052217" /></form>'
        ),
        "https://web.archive.org/web/20150224052217/http://h/a.jsp?b&c",
    ),
    (
        "the Wayback Machine",
        (
            '<html><form action="http://wayback.example/all/query" id="wmtb"><input name="url_query.u" id="wmtbURL" '
            'value="http://h/a"><input type="hidden" name="date" value="20150224052217" ></form>'
        ),
        "http://wayback.example/all/20150224052217/http://h/a",
    ),
    (  # 2017 and later
        "the Wayback Machine",
        (
            '<html><form class="u" target="_top" method="get" action="https://web.archive.org/web/submit" name="wmtb" '
            'id="wmtb"><input type="text" name="url" id="wmtbURL" value="http://h/results" autocomplete="off"><input '
            'type="hidden" name="type" value="replay"><input type="hidden" name="date" value="20090501204849"></form>'
        ),
        "https://web.archive.org/web/20090501204849/http://h/results",
    ),
    (  # pywb 2.10 escapes quotation marks
        "pywb",
        (
            '<html><script>wbinfo.url = "http://h/?b=\\u00272\\"";wbinfo.timestamp = "20200102030405";'
            'wbinfo.prefix = decodeURI("http://a.org/c/");wbinfo.mod = "mp_";</script>'
        ),
        "http://a.org/c/20200102030405mp_/http://h/?b='2\"",
    ),
    (
        "the Wayback Machine",
        '<html><script>__wm.wombat("http://h/?a=\\"b\\"","20230329232414");</script>',
        f'{WAYBACK}http://h/?a="b"',
    ),
    (  # pywb 2.10, around the frame
        "pywb",
        (
            "<html><head><style>p{}</style></head><body><script>\n  window.cframe = null;\n  if (!window.cframe) {\n"
            '    window.cframe = new ContentFrame({"url": "http://h/p?a" + window.location.hash,\n   "prefix": '
            '"http://a.org/c/",\n   "request_ts": "20200102030405",\n   "iframe": "#replay_iframe"});\n  }\n</script>'
        ),
        "http://a.org/c/20200102030405/http://h/p?a",
    ),
    (
        "pywb",
        '<script>new ContentFrame({"url": "http://h/p", "prefix": "http://a.org/c/", "request_ts": ""});</script>',
        "http://a.org/c/http://h/p",
    ),
    (
        "archive.today",
        '<html><head><link rel="canonical" href="https://archive.is/2026.08.08-084003/https://h/p"></head>',
        "https://archive.is/2026.08.08-084003/https://h/p",
    ),
    (
        "archive.today",
        (
            '<html><link rel="canonical" href="https://archive.is/XvEff"/><body><form action="https://archive.is/'
            'search/" method="get"><input type="text" name="q" value="https://h/?a&amp;b"/><input type="hidden" '
            'name="t" value="1525559335681"/><input type="hidden" name="id" value="XvEff"/></form>'
        ),
        "https://archive.is/20180505222855/https://h/?a&b",
    ),
    (
        "archive.today",
        (
            '<html><head><link rel="canonical" href="https://archive.is/YWPHo"/><link rel="bookmark" '
            'href="http://archive.today/20171216074022/https://www.example.com/?a&amp;b"/>'
        ),
        "http://archive.today/20171216074022/https://www.example.com/?a&b",
    ),
]


@pytest.mark.parametrize(("saver", "text", "url"), PAGES)
def test_the_marks(saver, text, url):
    (found,) = find_marks(text.encode())
    assert (found.mark.saver, found.value.url, found.value.fault) == (saver, url, "")
    assert 0 <= found.start < len(text.encode())


def test_every_row_with_a_url_has_a_page():
    without = {"Firefox", "Teleport"}
    assert {saver for saver, *_ in PAGES} == {mark.saver for mark in MARKS} - without
    assert all(mark.meaning for mark in MARKS)


NO_MARKS = [
    f"<!DOCTYPE html><html>{REST}",
    f"<html><body><!-- saved from url=({LENGTH}){URL} -->",
    f"<html><head><!-- saved from url=({LENGTH}){URL} -->",
    f"<p>&lt;!-- saved from url=({LENGTH}){URL} -->",
    f"<!-- we saved from url=({LENGTH}){URL} -->",
    f"<!-- saved from url=(){URL} -->",
    "<!-- Saved from local source at 2025-06-15T15:12:55Z using monolith v2.10.1 -->\n<html>",
    "<!-- HTTrackMirror and index made by HTTrack Website Copier/3.49-4 [XR&CO'2014] -->",
    f'<html data-x="data-scrapbook-source={URL}">{REST}',
    '<html><head><!-- base href="https://example.com/" --></head><body><img src="a.png">',
    "<!-- saved from url=",
    "",
    '<html><input id="wmtbURL" value="http://h/"><input name="date" value="20150224052217">',
    '<html><form action="/search"><input id="wmtbURL" value="http://h/"><input name="date" value="20150224052217">',
    '<html><form action="/query"><input id="wmtbURL" value="http://h/"><input name="date" value="20150224052217">',
    '<html><form action="/web/form-submit.jsp"><input id="wmtbURL" value="http://h/">',
    '<html><div id="wm-ipp-print"></div><script>__wm.bt();</script>',
    '<html><link rel="bookmark" href="https://archive.example/20171216074022/https://h/">',
    '<html><form action="/search/"><input name="q" value="https://h/"><input name="t" value="1525559335681">',
    '<html><form action="https://archive.is/search/"><input name="q" value="https://h/"><input name="t" value="2018">',
    '<html><input name="q" value="https://h/"><input name="t" value="1525559335681">',
    '<html><link rel="canonical" href="https://archive.is/YWPHo">',
    '<script>new ContentFrame({"url": "http://h/p", "prefix": "/c/", "request_ts": ""});</script>',
    '<script>new ContentFrame({"url": location.href, "prefix": "http://a.org/", "request_ts": ""});</script>',
]


@pytest.mark.parametrize("text", NO_MARKS)
def test_no_marks(text):
    assert find_marks(text.encode()) == []


FAULTS = [
    ("<!-- saved from url=(0014)about:internet -->", "about:internet is not the URL of a page"),
    (
        "<!-- saved from url=(0040)https://example.com/ -->",
        "the mark states a length of 40 characters, and the URL has 20",
    ),
    ("<!-- saved from url=(000000000)https://h/ -->", "the mark states a length of 0 characters, and the URL has 10"),
]


@pytest.mark.parametrize(("text", "fault"), FAULTS)
def test_faults(text, fault):
    (found,) = find_marks(f"<!DOCTYPE html>{text}<html>".encode())
    assert found.value.fault == fault


def test_the_first_in_the_page_comes_first():
    text = f"<!-- saved from url=({LENGTH}){URL} --><html><!-- OriginalSrc: https://other.example/ -->{REST}"
    assert [found.mark.saver for found in find_marks(text.encode())] == ["the browser", "MaoXian"]


# Commented BASE elements

BASES = [
    ('<!--<base href="https://h/a/">--><base href=".">', [("https://h/a/", 4)]),
    ("<!--<base target=_top href='../x/'>-->", [("../x/", 4)]),
    ('<!--<BASE HREF=a&amp;b target="_top">-->', [("a&b", 4)]),
    ('<!-- base href="https://h/" -->', [("https://h/", 5)]),
    ('<!--<base target="x">--><!--<base href="y">-->', [("y", 28)]),
    ("<!--<base href=x", []),
    ("<!--<baseline href=x>-->", []),
    ("<!-- based on href -->", []),
]


@pytest.mark.parametrize(("text", "expected"), BASES)
def test_original_bases(text, expected):
    found = original_bases(SavedPage(text.encode()))
    assert [(candidate.reference, candidate.start) for candidate in found] == expected


def test_firefox_is_known_by_its_folder():
    text = '<html><head><!-- base href="https://h/" --><link href="page_files/a.css">'
    assert [found.mark.saver for found in find_marks(text.encode())] == ["Firefox"]


# Teleport

REWRITTEN = [
    ('<a href="b.htm" tppabs="http://h/b">', {"b.htm": "http://h/b"}),
    ("<a href='b.htm'\n tppabs='http://h/b?c&amp;d'>", {"b.htm": "http://h/b?c&d"}),
    (
        """<a href="javascript:if(confirm('http://h/x'))window.location='http://h/x'" tppabs="http://h/x">""",
        {"javascript:if(confirm('http://h/x'))window.location='http://h/x'": "http://h/x"},
    ),
    ('<a href=b.htm tppabs="http://h/b">', {}),
    ('<a tppabs="http://h/b" href="b.htm">', {}),
    ('<a href="b.htm" tppabs="javascript:alert(1)">', {}),
]


@pytest.mark.parametrize(("text", "expected"), REWRITTEN)
def test_original_urls(text, expected):
    assert original_urls(text.encode()) == expected


# Hostile pages


@given(st.lists(st.sampled_from([part.encode() for _, page, _ in PAGES for part in page.split(" ")[:12]]), max_size=30))
def test_any_mixture_is_read(parts):
    data = b" ".join(parts)
    for found in find_marks(data):
        assert 0 <= found.start < len(data)
        assert data.find(found.mark.needle) >= 0
    assert all(
        data[candidate.start :].lstrip(b"<")[:4].lower() == b"base" for candidate in original_bases(SavedPage(data))
    )


HOSTILE = [
    b"<!--",
    b"<!-- -->",
    b"<!-- saved from url=(0001)",
    b"<html ",
    b'<html a="',
    b"<?x ",
    b"<!--<base ",
    b'<!-- base href="',
    b'<!--<base href="x">-->',
    b'="',
    b"='",
    b'="x" tppabs=',
    b'="x" tppabs="http',
    b'__wm.wombat("',
    b'__wm.wombat("a","',
    b'WB_wombat_Init("a", "2020", "',
    b'wbinfo.url = "x";',
    b'id="wm-ipp-print"',
    b'id="wm-ipp-print">The Wayback Machine - http',
    b"__wm.bt(1,",
    b'<form action="/query" id="wmtbURL" value="',
    b'id="wmtbURL"',
    b'<link rel="bookmark" href="https://archive.is/20200101/http://h/',
    b'<meta name="savepage-url" content="',
    b'new ContentFrame({"url": "',
    b'<link rel="canonical" href="https://archive.is/20200101/http://h/',
    b'<form action="https://archive.is/search/" name="q" value="http',
    b'wbinfo.url = "\\',
    b"'\\",
    b"/*",
    b"/",
    b"<a>",
    b" ",
    b"\n",
]


@pytest.mark.growth
@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_pages_take_linear_time(unit):
    data = (unit * (4_000_000 // len(unit) + 1))[:4_000_000]
    with processor_limit(5):
        find_marks(data)
        original_bases(SavedPage(data))
        original_urls(data)
