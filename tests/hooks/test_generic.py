"""Any client: the forms that headers and bodies come in; and lxml's function and ours side by side."""

from __future__ import annotations

import gzip
import http.client
import importlib.util
import inspect
import logging
import urllib.parse
import urllib.request
import zlib

import ada_url
import brotli
import httpx
import lxml.html
import pytest
from multidict import CIMultiDict
from support.scraped_site import PAGES, START, targets
from urllib3._collections import HTTPHeaderDict
from urllib3.util import parse_url

import linkfix
from linkfix.containers import pieces
from linkfix.hooks.generic import from_headers, make_links_absolute

URL = "http://h/a/page"
PAGE = b"<!DOCTYPE html><p><a href=x>"
MADE = b"<!DOCTYPE html><p><a href=http://h/a/x>"
PAIRS = [("Content-Type", "text/html"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("Content-Length", "28")]
KEPT = (*PAIRS[:3], ("Content-Length", str(len(MADE))))


def message(pairs):
    made = http.client.HTTPMessage()
    for name, value in pairs:
        made.add_header(name, value)
    return made


@pytest.mark.parametrize(
    "headers",
    [
        PAIRS,
        iter(PAIRS),
        [(name.encode(), value.encode()) for name, value in PAIRS],
        message(PAIRS),
        HTTPHeaderDict(PAIRS),
        httpx.Headers(PAIRS),
        CIMultiDict(PAIRS),
        {"Content-Type": "text/html", "Set-Cookie": ["a=1", "b=2"], "Content-Length": 28},
        {b"Content-Type": (b"text/html",), b"Set-Cookie": [b"a=1", b"b=2"], b"Content-Length": b"28"},
    ],
    ids=lambda headers: type(headers).__name__,
)
def test_headers_of_any_client(headers):
    outcome = from_headers(URL, headers, PAGE)
    assert outcome.body == MADE
    assert [(name.title(), value) for name, value in outcome.headers] == list(KEPT)


@pytest.mark.parametrize("headers", [{}, [], {"Content-Type": ""}, {"X": None}])
def test_without_a_content_type_the_body_decides(headers):
    assert from_headers(URL, headers, PAGE).body == MADE
    assert from_headers(URL, headers, b"text <a href=x>").document is None


@pytest.mark.parametrize("path", PAGES)
def test_urllib_request(site, path):
    """It undoes no coding, and leaves the header."""
    page = PAGES[path]
    with urllib.request.urlopen(site.url + path) as answer:  # noqa: S310
        body = answer.read()
        outcome = from_headers(answer.url, answer.headers, body)
    if not page.html:
        assert outcome.body is body
        return
    assert targets(outcome.links) == page.absolute_targets(site.url)
    assert (outcome.body is body) is not outcome.rewritten
    names = {name.lower() for name, _ in outcome.headers}
    assert ("content-encoding" in names) is bool(page.coding in {"gzip", "br"} and not outcome.rewritten)
    if outcome.rewritten:
        assert dict(outcome.headers)["Content-Length"] == str(len(outcome.body))


def test_redirects(site):
    with urllib.request.urlopen(site.url + START) as answer:  # noqa: S310
        outcome = from_headers(answer.url, answer.headers, answer.read(), history=[f"{site.url}{START}"])
    assert outcome.base.url == answer.url
    assert [(lost.reference, lost.where) for lost in outcome.base.rejected] == [
        (f"{site.url}{START}", "redirect 1 of 1")
    ]


def coded(coding):
    headers = {"Content-Type": "text/html", "content-encoding": coding, "Content-Length": "1"}
    return tuple(headers.items())


DEFLATED = zlib.compress(PAGE)


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", gzip.compress(PAGE, mtime=0)),
        ("X-GZIP", gzip.compress(PAGE, mtime=0)),
        ("deflate", DEFLATED),
        ("deflate", DEFLATED[2:-4]),
        ("br", brotli.compress(PAGE)),
        ("deflate,\r\n gzip", gzip.compress(DEFLATED, mtime=0)),
        # Undone by the client, which kept the header.
        ("gzip", PAGE),
        ("deflate", PAGE),
        ("br", PAGE),
        ("zstd", PAGE),
        ("gzip, gzip, gzip, gzip, gzip, gzip", PAGE),
        # No coding that there is: browsers pay no attention to it.
        ("utf-8", PAGE),
        ("", PAGE),
    ],
)
def test_codings_in_force_are_undone(coding, body):
    outcome = from_headers(URL, coded(coding), body)
    assert outcome.body == MADE
    assert outcome.headers == (("Content-Type", "text/html"), ("Content-Length", str(len(MADE))))
    assert outcome.problems == ()


@pytest.mark.parametrize("coding", ["deflate", "br", "gzip", "zstd"])
@pytest.mark.parametrize("body", [b"text <a href=x>", b"\n\n <a href=x>", b"{ <a href=x>", b"a<a href=x>"])
def test_a_decoded_fragment_is_converted(coding, body):
    assert from_headers(URL, coded(coding), body).body == body.replace(b"x", b"http://h/a/x").replace(
        b"tehttp://h/a/xt", b"text"
    )


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", gzip.compress(b"<!DOCTYPE html><a href=http://elsewhere.example/>", mtime=0)),
        ("gzip", gzip.compress(PAGE, mtime=0)[:-9]),
        ("br", b"\x81\x9f\0\xff"),
        ("gzip", gzip.compress(b"\x89PNG\r\n\x1a\n", mtime=0)),
    ],
)
def test_an_unchanged_body_stays_coded(coding, body):
    outcome = from_headers(URL, coded(coding), body)
    assert outcome.body is body
    assert outcome.headers == coded(coding)


@pytest.mark.parametrize(("coding", "body"), [("gzip", gzip.compress(PAGE, mtime=0)[:-9]), ("br", b"\x81\x9f\0\xff")])
def test_a_damaged_coding_is_told(coding, body):
    outcome = from_headers(URL, coded(coding), body)
    assert outcome.left_alone == "response-coded"
    assert outcome.problems[0].message.startswith(
        "the body's content coding is not decoded, so the response is skipped: "
    )
    assert coding in outcome.problems[0].message


@pytest.mark.parametrize("body", [gzip.compress(b"<p>" + b" " * 1_000_000, mtime=0), b"<p>" + b" " * 1_000_000])
def test_no_more_is_undone_than_the_limit(body, caplog):
    outcome = from_headers(URL, coded("gzip"), body, max_size=100_000)
    assert outcome.body is body
    assert (outcome.left_alone, [problem.code for problem in outcome.problems]) == ("too-large", ["too-large"])
    assert "[too-large]" in caplog.text


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", gzip.compress(PAGE, mtime=0) * 2),
        ("gzip", gzip.compress(PAGE, mtime=0) + b"more"),
        ("deflate", DEFLATED * 2),
        ("deflate", DEFLATED[2:-4] + b"more"),
        ("deflate, gzip", gzip.compress(DEFLATED + b"more", mtime=0)),
    ],
)
def test_bytes_after_the_end_of_a_coded_body_are_not_lost(coding, body):
    outcome = from_headers(URL, coded(coding), body)
    assert outcome.body is body
    assert outcome.left_alone == "response-coded"


def test_other_bodies_than_pages_are_not_decoded(caplog):
    body = gzip.compress(b" " * 1_000_000, mtime=0)
    outcome = from_headers(URL, (("Content-Type", "image/x"), ("Content-Encoding", "gzip")), body, max_size=1000)
    assert (outcome.body, outcome.problems, caplog.records) == (body, (), [])


def test_a_coding_with_a_missing_package(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(pieces.importlib, "import_module", missing)
    body = brotli.compress(PAGE)
    outcome = from_headers(URL, coded("br"), body)
    assert outcome.body is body
    assert outcome.left_alone == "extra-needed"
    assert "pip install brotli" in outcome.problems[0].message
    assert from_headers(URL, coded("br"), PAGE).body == MADE


def urls(text):
    """A URL as the clients have it that are installed."""
    yield from (text, text.encode(), urllib.parse.urlsplit(text), urllib.parse.urlparse(text.encode()))
    yield from (parse_url(text), ada_url.URL(text))
    for name in ("httpx", "httpx2", "yarl"):
        if importlib.util.find_spec(name):
            yield importlib.import_module(name).URL(text)


@pytest.mark.parametrize(
    "url", list(urls("http://h/a/page?q=%C3%A9")), ids=lambda url: f"{type(url).__module__} {type(url)}"
)
def test_urls_of_any_client(url):
    outcome = from_headers(url, PAIRS, PAGE, history=(url for _ in range(2)))
    assert outcome.body == MADE
    assert [lost.reference for lost in outcome.base.rejected] == ["http://h/a/page?q=%C3%A9"] * 2


def test_pairs_of_any_kind_become_pairs_of_text():
    headers = [["Content-Type", "text/html"], (b"X-A", b"1"), ("Set-Cookie", ["a=1", "b=2"]), ("X-B", 3)]
    kept = (("Content-Type", "text/html"), ("X-A", "1"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("X-B", "3"))
    assert from_headers(URL, headers, b"").headers == kept
    assert from_headers(URL, headers[:1], PAGE).headers == (*kept[:1], KEPT[-1])


def test_bytes_that_are_no_text_are_no_url():
    assert from_headers(b"\xff\xfe", PAIRS, PAGE).problems[0].code == "response-url"


@pytest.mark.parametrize(
    ("arguments", "history", "said"),
    [
        ((URL, PAIRS, PAGE.decode()), (), "takes a body of bytes, not str '<!DOCTYPE"),
        ((URL, PAIRS, bytearray(PAGE)), (), "takes a body of bytes, not bytearray"),
        ((URL, PAIRS, None), (), "takes a body of bytes, not NoneType None"),
        ((URL, None, PAGE), (), "takes headers that are a mapping or pairs, not NoneType None"),
        ((URL, "Content-Type: text/html", PAGE), (), "takes headers that are a mapping or pairs, not str"),
        ((1, PAIRS, PAGE), (), "not int 1"),
        ((httpx.URL, PAIRS, PAGE), (), "not the class httpx.URL"),
        ((httpx.Response(200, request=httpx.Request("GET", URL)), PAIRS, PAGE), (), "not httpx.Response: use its .url"),
        ((URL, PAIRS, PAGE), URL, "takes a history that is a list of URLs, not str"),
        ((URL, PAIRS, PAGE), URL.encode(), "takes a history that is a list of URLs, not bytes"),
        ((URL, PAIRS, PAGE), None, "takes a history that is a list of URLs, not NoneType None"),
        ((URL, PAIRS, PAGE), [httpx.Response(301, request=httpx.Request("GET", URL))], "one.url for one in"),
    ],
)
def test_arguments_of_wrong_types_are_refused(arguments, history, said):
    with pytest.raises(TypeError, match=r"^linkfix.hooks.generic.from_headers\(\) takes ") as refused:
        from_headers(*arguments, history=history)
    assert said in str(refused.value)


def test_settings(caplog):
    with caplog.at_level(logging.WARNING, "linkfix.hooks"):
        outcome = from_headers(None, PAIRS, PAGE, default_base="http://d/", fragments="absolutize")
    assert outcome.body == PAGE.replace(b"x>", b"http://d/x>")
    assert "[response-url]" in caplog.text
    with pytest.raises(linkfix.InvalidOption):
        from_headers(URL, PAIRS, PAGE, fragments="drop")
    with pytest.raises(TypeError):
        from_headers(URL, PAIRS, PAGE, fragment="keep")


# make_links_absolute

MARKUP = """<html><head><link rel="next" href="n"></head><body><a href="x">1</a><a href="../y">2</a>\
<a href="#t">3</a><a href="?q">4</a><a href="/z">5</a><a href="//h2/w">6</a><a href="mailto:a@b">7</a><img src="i">\
<form action="f"></form><a href="http://e/e">8</a></body></html>"""


def lxml_made(markup, *arguments, **keywords):
    return lxml.html.make_links_absolute(lxml.html.document_fromstring(markup), *arguments, **keywords)


def serialized(tree):
    return lxml.html.tostring(tree, encoding="unicode")


def test_results_equal_correct_results_of_lxml():
    expected = serialized(lxml_made(MARKUP, URL))
    tree = lxml.html.document_fromstring(MARKUP)
    assert serialized(make_links_absolute(tree, URL)) == expected
    assert make_links_absolute(MARKUP, URL) == expected
    assert make_links_absolute(MARKUP.encode(), URL) == make_links_absolute(MARKUP, URL).encode()


def test_the_parameters_equal_the_parameters_of_lxml():
    ours = list(inspect.signature(make_links_absolute).parameters.values())
    method = list(inspect.signature(lxml.html.HtmlElement.make_links_absolute).parameters.values())
    assert [(one.name, one.default, one.kind) for one in ours[1:4]] == [
        (one.name, one.default, one.kind) for one in method[1:]
    ]


@pytest.mark.parametrize("based", ["b/", "/b/", "http://h2/b/"])
def test_base_elements(based):
    markup = f'<html><head><base href="{based}"><base target="t"></head><body><a href="x">1</a></body></html>'
    target = {"b/": "http://h/a/b/x", "/b/": "http://h/b/x", "http://h2/b/": "http://h2/b/x"}[based]
    expected = f'<html><head><base target="t"></head><body><a href="{target}">1</a></body></html>'
    assert serialized(lxml_made(markup, URL)) == expected
    assert serialized(make_links_absolute(lxml.html.document_fromstring(markup), URL)) == expected
    assert make_links_absolute(markup, URL) == expected
    assert make_links_absolute(markup.encode(), URL) == expected.encode()
    ignored = markup.replace("x", "http://h/a/x")
    assert make_links_absolute(markup, URL, False) == ignored
    tree = make_links_absolute(lxml.html.document_fromstring(markup), URL, resolve_base_href=False)
    assert serialized(tree) == ignored


def test_the_first_base_counts():
    markup = '<html><head><base href="/1/"><base href="/2/"></head><body><a href="x">1</a></body></html>'
    assert 'href="http://h/2/x"' in serialized(lxml_made(markup, URL))
    expected = '<html><head></head><body><a href="http://h/1/x">1</a></body></html>'
    assert make_links_absolute(markup, URL) == expected
    assert serialized(make_links_absolute(lxml.html.document_fromstring(markup), URL)) == expected


FAILING = (
    '<html><head><style>a{background:url(//[)}</style></head><body><a class="c" href="http://[" id="i">1</a>'
    '<a href="x">2</a><p style="background:url(//[),url(//[:)">3</p><a href="http://[::1]/">4</a>'
    '<a href="http://[&amp;">5</a></body></html>'
)
DISCARDED = (
    '<html><head><style></style></head><body><a class="c" id="i">1</a>'
    '<a href="http://h/a/x">2</a><p>3</p><a href="http://[::1]/">4</a>'
    "<a>5</a></body></html>"
)


def test_failures():
    with pytest.raises(ValueError, match="IPv6"):
        lxml_made(FAILING, URL)
    tree = lxml.html.document_fromstring(FAILING)
    left = FAILING.replace('"x"', '"http://h/a/x"')
    for handle in (None, "ignore"):
        assert make_links_absolute(FAILING, URL, handle_failures=handle) == left
        written = serialized(lxml.html.document_fromstring(left))  # libxml2 before 2.14 escapes "["
        assert serialized(make_links_absolute(tree, URL, handle_failures=handle)) == written
    written = serialized(lxml.html.document_fromstring(DISCARDED))
    assert serialized(lxml_made(FAILING.replace(",url(//[:)", ""), URL, handle_failures="discard")) == written
    assert make_links_absolute(FAILING, URL, True, "discard") == DISCARDED
    assert make_links_absolute(FAILING.encode("utf-16"), URL, handle_failures="discard") == DISCARDED.encode("utf-16")
    assert serialized(make_links_absolute(tree, URL, handle_failures="discard")) == written
    with pytest.raises(ValueError, match="unexpected value for handle_failures: 'no'"):
        make_links_absolute(FAILING, URL, handle_failures="no")


def test_discarding_with_a_base():
    """lxml raises for it: `handle_failures` does not reach its resolution against a BASE."""
    markup = FAILING.replace("<style>", '<base href="/b/"><style>').replace(
        "<p ", '<iframe srcdoc="<a href=//[>"></iframe><p '
    )
    expected = DISCARDED.replace("/a/x", "/b/x").replace("<p>", '<iframe srcdoc="<a href=//[>"></iframe><p>')
    with pytest.raises(ValueError, match="IPv6"):
        lxml_made(markup, URL, handle_failures="discard")
    assert make_links_absolute(markup, URL, handle_failures="discard") == expected
    tree = make_links_absolute(lxml.html.document_fromstring(markup), URL, handle_failures="discard")
    assert serialized(tree) == serialized(lxml.html.document_fromstring(expected))
    assert make_links_absolute('<base href="http://["><a href=x>', URL, False, "discard") == (
        '<base href="http://["><a href=http://h/a/x>'
    )


def test_every_one_of_a_repeated_attribute_is_discarded():
    """Without the first, the next would count."""
    markup = "<a href='http://[' ping='//[ //[:' HREF=x>"
    assert make_links_absolute(markup, URL, handle_failures="discard") == "<a>"
    assert make_links_absolute("<a href=x>", URL, handle_failures="discard") == "<a href=http://h/a/x>"


@pytest.mark.parametrize("root", [False, True])
def test_a_tree_is_copied_unless_it_is_not_to_be(root):
    element = lxml.html.document_fromstring(MARKUP)
    tree = element.getroottree() if root else element
    made = make_links_absolute(tree, URL)
    assert isinstance(made, type(tree))
    assert [node.get("href") for node in tree.iter("a")][:3] == ["x", "../y", "#t"]
    assert make_links_absolute(tree, URL, copy=False) is tree
    assert [node.get("href") for node in tree.iter("a")] == [node.get("href") for node in made.iter("a")]
    assert [node.get("href") for node in tree.iter("a")][:3] == ["http://h/a/x", "http://h/y", f"{URL}#t"]


def test_the_base_url_of_a_tree():
    tree = lxml.html.document_fromstring(MARKUP, base_url=URL)
    assert serialized(make_links_absolute(tree)) == serialized(lxml_made(MARKUP, URL))
    assert serialized(make_links_absolute(tree.getroottree()).getroot()) == serialized(lxml_made(MARKUP, URL))
    for doc in (MARKUP, MARKUP.encode(), lxml.html.document_fromstring(MARKUP)):
        with pytest.raises(TypeError, match="No base_url given, and the document has no base_url"):
            make_links_absolute(doc)


def test_invalid_arguments_are_refused():
    with pytest.raises(linkfix.InvalidBase):
        make_links_absolute(MARKUP, "a/b")
    with pytest.raises(TypeError, match="a bytes cannot be changed in place"):
        make_links_absolute(b"", URL, copy=False)


def test_several_types_in_one():
    """Some servers say it twice, and some clients join the two."""
    headers = {"Content-Type": "text/html, text/html; charset=utf-8", "Content-Encoding": "gzip"}
    assert from_headers("http://h/a", headers, gzip.compress(b"<a href=x>")).body == b"<a href=http://h/x>"
