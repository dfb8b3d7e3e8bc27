"""Whole documents: the effect of each option on their bytes, and every bug found in the main path."""

from __future__ import annotations

import gc
import io
import re
import weakref
from pathlib import Path

import lxml.html
import pytest
from support.growth import processor_limit

import linkfix
from linkfix import Document, Row
from linkfix.hooks.lxml import absolutize as absolutize_lxml
from linkfix.html import MODULES

URL = "https://h.test/d/p.html"
EVERY_BASE = '<base href="b/" target=t><base href="c/"><a href="x">'


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("keep", '<base href="https://h.test/d/b/" target=t><base href="c/"><a href="https://h.test/d/b/x">'),
        ("drop-href", '<base target=t><base><a href="https://h.test/d/b/x">'),
        ("empty", '<base href="" target=t><base href=""><a href="https://h.test/d/b/x">'),
        ("remove", '<a href="https://h.test/d/b/x">'),
        ("insert", '<base href="https://h.test/d/b/" target=t><base href="c/"><a href="x">'),
        ("ignore", '<base href="b/" target=t><base href="c/"><a href="https://h.test/d/x">'),
    ],
)
def test_modes_for_base_elements(how, expected):
    assert linkfix.absolutize(EVERY_BASE, URL, base_element=how) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<!doctype html><html><head lang=x><a href=y>", "<!doctype html><html><head lang=x>{}<a href=y>"),
        ("<!doctype html><html lang=x><a href=y>", "<!doctype html><html lang=x>{}<a href=y>"),
        ("<!doctype html><a href=y>", "<!doctype html>{}<a href=y>"),
        ("<a href=y>", "{}<a href=y>"),
        ("<a href=y><base href='data:,'>", "<a href=y>{}<base href='data:,'>"),
    ],
)
def test_positions_of_an_inserted_base(html, expected):
    inserted = expected.format(f'<base href="{URL}">')
    assert linkfix.absolutize(html, URL, base_element="insert") == inserted
    assert linkfix.absolutize(b"\xef\xbb\xbf" + html.encode(), URL, base_element="insert") == (
        b"\xef\xbb\xbf" + inserted.encode()
    )


def test_inserting_without_a_base_is_a_problem():
    conversion = Document("<a href=x>", base_element="insert").convert()
    assert (conversion.data, [problem.code for problem in conversion.problems]) == ("<a href=x>", ["no-base"])


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<base href="b/" href="c/">', "<base>"),
        ("<base href=x target=y>", "<base target=y>"),
        ('<base href="x"target=y>', "<base target=y>"),
        ("<base/href=x>", "<base/>"),
        ("<template><base href=x></template>", "<template><base href=x></template>"),
    ],
)
def test_a_dropped_href_leaves_none(html, expected):
    assert linkfix.absolutize(html, URL, base_element="drop-href") == expected


@pytest.mark.parametrize("spec", ["fielding1994", "rfc1808", "rfc2396", "rfc3986", "whatwg"])
@pytest.mark.parametrize("href", ["data:,x", " javascript:x", "JavaScript:x"])
def test_no_specification_takes_these_as_a_base(spec, href):
    base = linkfix.base_url(f'<base href="{href}">', URL, spec=spec)
    assert (base.url, base.layer) == (URL, "retrieval")
    assert "cannot be a base" in base.rejected[0].reason


@pytest.mark.parametrize("spec", ["fielding1994", "rfc1808", "rfc2396", "rfc3986", "whatwg"])
def test_space_around_a_base_is_not_part_of_it(spec):
    assert linkfix.base_url('<base href=" http://o.test/b/\n">', URL, spec=spec).url == "http://o.test/b/"


def test_a_placeholder_is_no_base():
    document = Document('<base href="{{ root }}/"><a href=x>', url=URL)
    assert document.base.url == URL
    assert [problem.code for problem in document.problems] == ["base-unusable"]


def test_the_query_of_a_base_is_in_the_documents_encoding():
    html = '<meta charset="windows-1252"><base href="?\xe9">'.encode("windows-1252")
    assert linkfix.base_url(html, URL).url == f"{URL}?%E9"


def test_queries_in_css_are_in_utf_8():
    """CSS Values 4, "resolve a style resource URL": the URL parser gets no encoding."""
    html = (
        '<meta charset="windows-1252"><style>@import "i?\xe9"; a { b: url(?\xe9) }</style>'
        '<p style="b: url(?\xe9)"><a href="?\xe9">'
    ).encode("windows-1252")
    targets = [link.target for link in linkfix.links(html, URL)]
    assert [target.partition("?")[2] for target in targets] == ["%C3%A9", "%C3%A9", "%C3%A9", "%E9"]


def test_queries_in_scripts_data_are_in_utf_8():
    """HTML §8.1.6.2, §7.6.1 and JSON-LD's IRIs: the URL parser gets no encoding."""
    html = (
        '<meta charset="windows-1252"><script type=importmap>{"imports":{"./a?\xe9":"./m.js?\xe9"},'
        '"scopes":{"?\xe9":{}}}</script><script type=speculationrules>{"prefetch":[{"urls":["?\xe9"]}]}</script>'
        '<script type=application/ld+json>{"@id":"?\xe9"}</script><script type=module>import "./m.js?\xe9"</script>'
        '<a href="?\xe9">'
    )
    document = linkfix.Document(html.encode("windows-1252"), url=URL, json_ld=True, rows=MODULES)
    queries = ["%C3%A9"] * 6 + ["%E9"]
    assert [str(link.target).partition("?")[2] for link in document.links] == queries
    assert document.absolutize().count(b"%C3%A9") == 5
    tree = lxml.html.document_fromstring(html)
    assert [
        link.target.partition("?")[2] for link in absolutize_lxml(tree, URL, charset="windows-1252", json_ld=True).links
    ] == ["%C3%A9"] * 5 + ["%E9"]


def test_queries_in_markdown_are_in_utf_8():
    text = '[a](?\xe9) <a href="?\xe9">'.encode("windows-1252")
    document = Document(text, url=URL, media_type="text/markdown", charset="windows-1252")
    assert [link.target for link in document.links] == [f"{URL}?%C3%A9"] * 2


@pytest.mark.parametrize(
    ("text", "media_type"),
    [
        ('<a href="REF">\ud800</a>', "text/html"),
        ("\udfff<p style='a: url(REF)'><img srcset='REF 1x'>", "text/html"),
        ('<iframe srcdoc="&lt;a href=REF>\ud800"></iframe>', "text/html"),
        ('<script type=importmap>{"scopes":{"REF":{"\ud800":"a"}}}</script>', "text/html"),
        ("/* \ud800 */ a { b: url(REF) }", "text/css"),
        ("[a](REF) \ud800", "text/markdown"),
        ("Sitemap: REF\n# \ud800", "text/x-robots"),
        ('{"start_url": "REF", "name": "\ud800"}', "application/manifest+json"),
        ('{"icon": "REF", "items": [{"content_html": "\ud800<a href=\'REF\'>"}]}', "application/feed+json"),
    ],
)
@pytest.mark.parametrize(
    ("reference", "path"),
    [
        ("a\ud800b", "a%EF%BF%BDb"),
        ("\udc00\ud800?\udfff", "%EF%BF%BD%EF%BF%BD?%EF%BF%BD"),
        ("é\ud83d\ude00\ude00", "%C3%A9%F0%9F%98%80%EF%BF%BD"),
    ],
)
def test_a_lone_surrogate_is_one_replacement_character(text, media_type, reference, path):
    """Infra §4.7, "convert a string into a scalar value string": the URL parser gets the result."""
    target = f"https://h.test/d/{path}"
    document = Document(text.replace("REF", reference), url=URL, media_type=media_type)
    assert {link.target for link in document.links} == {target}
    assert document.absolutize() == text.replace("REF", target)


def test_spans_of_text_with_surrogates_are_of_code_points():
    text = '\ud800<a href="\ud800é.html" title="\udfff">\ud83d\ude00<img srcset="\ud800é 1x,\udc00 2x">'
    for link in linkfix.links(text, URL):
        assert (
            text[link.start : link.end].encode("utf-16", "surrogatepass").decode("utf-16", "replace") == link.reference
        )


def test_an_emptied_srcdoc_keeps_the_next_attribute_out():
    html = "<iframe srcdoc=<base&#32;href=x&gt; class=y></iframe>"
    assert linkfix.absolutize(html, URL, base_element="remove") == '<iframe srcdoc="" class=y></iframe>'


def test_an_image_is_an_img():
    html = '<image style="a:url(b)"><svg><image style="a:url(c)"></svg><image src=d>'
    assert [link.element for link in linkfix.links(html, URL)] == ["img", "image", "img"]
    seen = []
    linkfix.Document(html, url=URL).rewrite(seen.append)
    assert [link.element for link in seen] == ["img", "image", "img"]


@pytest.mark.growth
def test_a_long_name_with_many_references_takes_linear_time():
    html = f'<{"n" * 200_000} style="{"url(a)" * 2000}">'
    with processor_limit(5):
        assert len(linkfix.links(html, URL)) == 2000


@pytest.mark.parametrize(
    "row",
    [
        Row("div", "", "url", "resource"),
        Row("a", "href", "nothing", "resource"),
        Row("a", "href", "url", "nothing"),
        Row("A", "href", "url", "resource"),
        Row("a", "href", "url", "resource", namespace="xul"),
    ],
)
def test_a_callers_row_has_to_make_sense(row):
    with pytest.raises(linkfix.InvalidOption, match=row.element):
        linkfix.absolutize("<a href=x>", URL, rows=(row,))


def test_a_callers_row_is_rewritten():
    rows = (Row("x-card", "to", "url", "hyperlink"), Row("*", "data-x", "srcset", "resource"))
    html = "<x-card to=a data-x='b 1x, c 2x'>"
    expected = "<x-card to=https://h.test/d/a data-x='https://h.test/d/b 1x, https://h.test/d/c 2x'>"
    assert linkfix.absolutize(html, URL, rows=rows) == expected


@pytest.mark.parametrize(
    ("options", "html", "expected"),
    [
        ({"lazy": True}, "<img data-src=a>", "<img data-src=https://h.test/d/a>"),
        ({}, "<img data-src=a>", "<img data-src=a>"),
        (
            {"social": True},
            '<meta property="og:image" content="a">',
            '<meta property="og:image" content="https://h.test/d/a">',
        ),
        ({}, '<meta property="og:image" content="a">', '<meta property="og:image" content="a">'),
        (
            {"json_ld": True},
            '<script type="application/ld+json">{"url": "a"}</script>',
            '<script type="application/ld+json">{"url": "https://h.test/d/a"}</script>',
        ),
        ({"escape_ampersands": True}, "<a href=?a&b>", "<a href=https://h.test/d/p.html?a&amp;b>"),
        ({"fragments": "absolutize"}, "<a href=#x>", f"<a href={URL}#x>"),
        ({"fragments": "absolutize"}, '<form action="">', f'<form action="{URL}">'),
        ({"fragments": "absolutize"}, "<a href>", f'<a href="{URL}">'),
        ({"normalize": True}, "<a href=HTTP://A.test>", "<a href=http://a.test/>"),
        (
            {"keep": lambda target: target.endswith("a")},
            "<a href=a><a href=b>",
            "<a href=a><a href=https://h.test/d/b>",
        ),
        ({"spec": "rfc2396"}, "<a href=?y>", "<a href=https://h.test/d/?y>"),
        ({"spec": "rfc1808"}, "<a href=../../../x>", "<a href=https://h.test/../../x>"),
        ({"spec": "rfc2396", "excess_dots": "drop"}, "<a href=../../../x>", "<a href=https://h.test/x>"),
    ],
)
def test_options(options, html, expected):
    assert linkfix.absolutize(html, URL, **options) == expected
    assert linkfix.absolutize(expected, URL, **options) == expected


def test_references_read_at_once_keep_the_earlier_base():
    refresh = "<meta http-equiv=refresh content='0;url=x'>"
    frame = "<iframe srcdoc='<a href=y>'></iframe>"
    converted = linkfix.absolutize(f"{refresh}{frame}<a href=z><base href=/b/>{refresh}{frame}", URL)
    assert converted == (
        "<meta http-equiv=refresh content='0;url=https://h.test/d/x'><iframe srcdoc='<a href=https://h.test/d/y>'></iframe>"
        "<a href=https://h.test/b/z><base href=https://h.test/b/>"
        "<meta http-equiv=refresh content='0;url=https://h.test/b/x'><iframe srcdoc='<a href=https://h.test/b/y>'></iframe>"
    )


def test_a_document_converts_with_other_options_than_its_own():
    document = Document(EVERY_BASE, url=URL, base_element="remove")
    assert document.absolutize(base_element="insert") != document.absolutize() == '<a href="https://h.test/d/b/x">'


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"url": "page.html"}, linkfix.InvalidBase),
        ({"default_base": "//x"}, linkfix.InvalidBase),
        ({"charset": "klingon"}, linkfix.UnknownCharset),
        ({"spec": "rfc9999"}, linkfix.UnknownSpec),
        ({"spec": "whatwg", "excess_dots": "keep"}, linkfix.InvalidOption),
        ({"fragments": "drop"}, linkfix.InvalidOption),
        ({"base_element": "burn"}, linkfix.InvalidOption),
        ({"media_type": "application/json"}, linkfix.InvalidOption),
    ],
)
def test_a_callers_mistake_raises(given, error):
    with pytest.raises(error):
        linkfix.absolutize(b"<a href=x>", **given)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary"),
        (b"<meta charset=hz-gb-2312><a href=x>", "encoding-unsupported"),
        (b"\xff\xfe<\0a\0 \0\xd8", "encoding-round-trip"),
    ],
)
def test_an_unreadable_document_is_skipped(data, code):
    conversion = Document(data, url=URL).convert()
    assert conversion.data is data
    assert [problem.code for problem in conversion.problems] == [code]


def tag_of(html, link):
    """The bytes at the start of a link's tag."""
    return (
        html[link.tag_start :][:4] if isinstance(html, str) else html[link.tag_start :][:4].decode("ascii", "replace")
    )


@pytest.mark.parametrize(
    "encode", [lambda html: html, lambda html: html.encode(), lambda html: b"\xef\xbb\xbf" + html.encode()]
)
@pytest.mark.parametrize(
    ("html", "tags"),
    [
        ('<p>é<a title="a<b" href=x>', ["<a t"]),
        ("é<img src=x srcset='y, z'><br><q cite=u>", ["<img", "<img", "<img", "<q c"]),
        ("<style>é{b:url(x)}</style><p style='b:url(y)'>", ["<sty", "<p s"]),
        ("é<iframe srcdoc='é<a href=x>é<b style=&quot;c:url(é)&quot;><img src=y>'>", ["<a h", "<b s", "<img"]),
        ("<iframe srcdoc='<iframe srcdoc=&quot;é<a href=x>&quot;>'>", ["<a h"]),
    ],
)
def test_links_have_the_start_of_their_tags(encode, html, tags):
    document = encode(html)
    assert [
        tag_of(document, link) for link in linkfix.links(document, URL, charset=None if document is html else "utf-8")
    ] == tags


def test_links_of_an_utf_16_document_have_the_start_of_their_tags():
    html = "\ufeffé<a title='<' href=x>".encode("utf-16-le")
    [link] = linkfix.links(html, URL)
    assert html[link.tag_start : link.tag_start + 4].decode("utf-16-le") == "<a"


def test_a_base_from_elsewhere_takes_the_place_of_the_documents_own():
    html = "<base href=/a/><a href=x><a href='#y'>"
    document = Document(html, url=URL)
    base = linkfix.Base("https://o.test/", linkfix.Layer.EMBEDDED, "a test", fallback=URL)
    other = document.with_base(base)
    assert [link.target for link in other.links[1:]] == ["https://o.test/x", "https://o.test/#y"]
    assert other.absolutize() == "<base href=https://o.test/><a href=https://o.test/x><a href='https://o.test/#y'>"
    assert document.with_base(base, fragments_leave_page=False).absolutize().endswith("<a href='#y'>")
    assert document.links[1].target == "https://h.test/a/x"


def test_a_document_with_another_url_notes_the_same_faults():
    document = Document("<svg xmlns='http://www.w3.org/2000/svg'><a href='x'/>", url=URL, media_type="image/svg+xml")
    other = document.with_url("https://o.test/")
    assert (
        [problem.code for problem in other.problems]
        == [problem.code for problem in document.problems]
        == ["xml-not-well-formed"]
    )
    assert [link.target for link in other.links] == ["https://o.test/x"]


@pytest.mark.parametrize("media_type", ["text/html", "application/xhtml+xml"])
def test_a_refresh_before_base_keeps_the_base_that_there_was(media_type):
    html = (
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><meta http-equiv="refresh" content="5; url=x"/>'
        '<base href="/b/"/><meta http-equiv="refresh" content="5; url=y"/></head></html>'
    )
    links = linkfix.links(html, URL, media_type=media_type)
    assert [link.target for link in links if link.syntax == "refresh"] == ["https://h.test/d/x", "https://h.test/b/y"]


@pytest.mark.parametrize("ask", [Document.convert, Document.link_columns, lambda document: document.problems])
def test_an_unused_document_is_freed_at_once(ask):
    document = Document(
        "<base href=/y><a href=x><img srcset='a 1x'><iframe srcdoc='<a href=x>'></iframe>", url="http://h/"
    )
    ask(document)
    gone = weakref.ref(document)
    gc.disable()
    try:
        del document
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("wrong", [None, bytearray(b"<a>"), memoryview(b"<a>"), 5])
@pytest.mark.parametrize("function", [linkfix.absolutize, linkfix.links, linkfix.base_url, Document])
def test_a_document_is_bytes_or_str(function, wrong):
    with pytest.raises(TypeError, match=f"a document is bytes or str, not {type(wrong).__name__}"):
        function(wrong, url=URL)


@pytest.mark.parametrize(
    ("wrong", "call"),
    [
        (Path("page.html"), "path.read_bytes()"),
        (bytearray(b"<a>"), "bytes(array)"),
        (memoryview(b"<a>"), "bytes(view)"),
        (io.BytesIO(b"<a>"), "file.read()"),
        ([b"<a>"], "each document by itself"),
        ((b"<a>",), "each document by itself"),
    ],
)
def test_the_error_names_the_call_that_returns_the_document(wrong, call):
    with pytest.raises(TypeError, match=re.escape(f"not {type(wrong).__name__}: pass {call}") + "$"):
        linkfix.absolutize(wrong)


def test_rewrite_takes_a_function():
    with pytest.raises(TypeError, match=r"^rewrite takes a function of links, such as lambda .*, not str$"):
        linkfix.rewrite("<p>", "x")


@pytest.mark.parametrize(
    ("wrong", "meant"), [("charsett", "charset"), ("encoding", "charset"), ("base_url", "url"), ("lazzy", "lazy")]
)
@pytest.mark.parametrize("function", [linkfix.absolutize, linkfix.links, linkfix.base_url])
def test_an_unknown_keyword_gets_a_suggestion(function, wrong, meant):
    with pytest.raises(TypeError, match=rf"^unexpected keyword argument '{wrong}': did you mean '{meant}'\?$"):
        function("<a>", **{wrong: "x"})


def test_a_keyword_that_is_like_no_other_gets_the_list():
    with pytest.raises(TypeError, match="unexpected keyword argument 'zzz': the keywords are url, charset, "):
        linkfix.absolutize("<a>", zzz=1)


def test_a_new_reference_is_a_str():
    with pytest.raises(TypeError, match="must return a str or None, not int"):
        linkfix.rewrite("<a href=x>", lambda _: 5, url=URL)


@pytest.mark.parametrize(("base", "reference", "named"), [(5, "x", "base"), ("http://h/", b"x", "reference")])
def test_only_strings_are_resolved(base, reference, named):
    with pytest.raises(TypeError, match=f"the {named} must be a str"):
        linkfix.resolve(base, reference)
