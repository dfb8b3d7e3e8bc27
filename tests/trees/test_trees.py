from __future__ import annotations

import importlib

import html5lib
import lxml.etree
import lxml.html
import parsel
import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings
from scrapy.http import HtmlResponse
from selectolax.lexbor import LexborHTMLParser
from support.documents import documents
from support.each import for_each
from support.tree_parsers import (
    URL,
    absolutize,
    attributes,
    document,
    every_parser,
    facts,
    page,
    soup_by,
    with_html5lib,
    written,
)

import linkfix
import linkfix.hooks.parsel
from linkfix import Envelope, Options, Row, absolutize_tree
from linkfix.html import row_table
from linkfix.kernels.constants import FLAGS
from linkfix.trees.context import root_context

PAGES = {
    "links": page(
        '<a href="x">a</a><a href="/y">a</a><a href="?q&amp;r">a</a><a href="//o/z">a</a><a href="https://o/">a</a>'
    ),
    "what stays": page(
        '<a href="#f">a</a><a href="">a</a><a href="mailto:x@y">a</a><a href="{{ x }}">a</a><a href="http://[">a</a>'
    ),
    "base": page('<a href="x">a</a><a href="#f">a</a>', '<base href="/b/">'),
    "bases": page('<a href="x">a</a>', '<base target="_top"><base href="/b/" target="_top"><base href="/c/">'),
    "a base that cannot be": page('<a href="x">a</a>', '<base href="data:,x"><base href="/c/">'),
    "an absolute base": page('<a href="x">a</a>', '<base href="https://o/b/">'),
    "a base in a template": page('<a href="x">a</a>', '<template><base href="/b/"><a href="y">a</a></template>'),
    "images": page('<img src="a.png" srcset="a.png 1x, b.png 2x" longdesc="c"><video poster="d" src="e"></video>'),
    "forms": page('<form action=""><input src="a" formaction="b"><button formaction="c">d</button></form>'),
    "style": page('<p style="background:url(a)">b</p>', "<style>p{background:url('c')}@import \"d\";</style>"),
    "refresh": page("", '<meta http-equiv="Refresh" content="5; url=x">'),
    "object": page('<object archive="a.jar  b.jar" classid="k" codebase="c/" data="d"></object>'),
    "lists": page('<a href="x" ping="p q">a</a><applet archive="a,b" codebase="c">d</applet>'),
    "svg": page(
        '<svg><image xlink:href="a.png"></image><a href="b">c</a><use href="#d"></use><lineargradient href="e#f">'
        "</lineargradient><style>a{b:url(g)}</style><foreignobject><img src='h'></foreignobject><a href='i'>j</a></svg>"
    ),
    "mathml": page('<math><mi href="a">b</mi><mtext><a href="c">d</a></mtext></math><a href="e">f</a>'),
    "json": page("", '<script type="importmap">{"imports": {"a": "./b.js"}}</script><script src="c"></script>'),
    "microdata": page('<div itemscope itemid="a" itemtype="b">c</div><div itemid="d">e</div>'),
    "srcdoc": page(
        '<iframe srcdoc="<a href=x>a</a><a href=#f>b</a><img src=&quot;c&quot;>" src="d"></iframe>', '<base href="/b/">'
    ),
    "a base in a srcdoc": page('<iframe srcdoc="<base href=b/>"></iframe>'),
}


@every_parser
@pytest.mark.parametrize("source", PAGES.values(), ids=PAGES.keys())
def test_links_equal_the_links_of_the_document(parse, source):
    assert facts(absolutize_tree(parse(source), URL)) == facts(linkfix.links(source, URL))


@pytest.mark.slow
@every_parser
@pytest.mark.parametrize("source", PAGES.values(), ids=PAGES.keys())
@pytest.mark.parametrize("base_element", ["keep", "drop-href", "empty", "remove"])
@pytest.mark.parametrize("fragments", ["keep", "absolutize"])
def test_the_tree_equals_the_tree_of_the_converted_document(parse, source, base_element, fragments):
    tree = parse(source)
    absolutize_tree(tree, URL, base_element=base_element, fragments=fragments)
    converted = linkfix.absolutize(source, URL, base_element=base_element, fragments=fragments)
    assert attributes(tree) == attributes(parse(converted))
    absolutize_tree(tree, URL, base_element=base_element, fragments=fragments)
    assert attributes(tree) == attributes(parse(converted))


@every_parser
def test_options(parse):
    source = page(
        '<a data-src="x" rel="y" data-own="z" href="https://H/%7e/../w">a</a>', '<meta property="og:image" content="v">'
    )
    options = {"lazy": True, "social": True, "rows": (Row("a", "data-own", "url", "metadata"),), "normalize": True}
    tree = parse(source)
    assert facts(absolutize_tree(tree, URL, **options)) == facts(linkfix.links(source, URL, **options))
    values = {value for _, _, value in attributes(tree)}
    assert values >= {f"https://h/d/{name}" for name in "xzv"} | {"https://h/w", "y"}


@every_parser
def test_targets_to_keep(parse):
    tree = parse(page('<a href="x">a</a><a href="y">a</a>'))
    links = absolutize_tree(tree, URL, keep=lambda target: target.endswith("x"))
    assert [link.target for link in links] == ["https://h/d/x", "https://h/d/y"]
    assert [value for *_, value in attributes(tree)] == ["x", "https://h/d/y"]


@every_parser
def test_charset_is_that_of_the_document(parse):
    tree = parse(page('<a href="?é">a</a>'))
    [link] = absolutize_tree(tree, URL, charset="windows-1252")
    assert link.target == "https://h/d/p?%E9"
    assert attributes(tree) == [("a", "href", "https://h/d/p?%E9")]


@every_parser
def test_envelopes(parse):
    source = page('<a href="x">a</a>')
    around = Envelope(base="https://stated/", where="Content-Base", default="https://default/")
    assert [link.target for link in absolutize_tree(parse(source), envelope=around)] == ["https://stated/x"]
    assert [link.target for link in absolutize_tree(parse(source), default_base="https://default/")] == [
        "https://default/x"
    ]
    [link] = absolutize_tree(parse(source))
    assert (link.target, link.problem) == (None, "no-base")


@every_parser
def test_srcdoc_depth(parse):
    inner = "<a href=x>a</a>"
    for _ in range(3):
        inner = '<iframe srcdoc="{}"></iframe>'.format(inner.replace("&", "&amp;").replace('"', "&quot;"))
    source = page(inner)
    for depth in range(5):
        tree = parse(source)
        links = absolutize_tree(tree, URL, srcdoc_depth=depth)
        assert facts(links) == facts(linkfix.links(source, URL, srcdoc_depth=depth))
        assert len(links) == (depth >= 3)
        assert attributes(tree) == attributes(parse(linkfix.absolutize(source, URL, srcdoc_depth=depth)))


def test_links_come_in_document_order_with_lines():
    source = '<html>\n<head>\n<base href="/b/">\n</head><body>\n<a href="x">a</a></body></html>'
    links = absolutize_tree(document(source), URL)
    assert [(link.element, link.line, link.column, link.start, link.end) for link in links] == [
        ("base", 3, 0, 0, 0),
        ("a", 5, 0, 0, 0),
    ]


@pytest.mark.parametrize("tail", ["", " tail "])
@pytest.mark.parametrize("before", ["", "text", "text<b>c</b>", "text<b>c</b>more"])
def test_text_after_a_removed_base_stays(before, tail):
    tree = lxml.html.fragment_fromstring(f'<div>{before}<base href="/b/">{tail}<a href="x">d</a></div>')
    absolutize_tree(tree, URL, base_element="remove")
    assert lxml.html.tostring(tree, encoding="unicode") == f'<div>{before}{tail}<a href="https://h/b/x">d</a></div>'


@every_parser
def test_the_media_type_selects_the_rules(parse):
    source = page('<a href="x">a</a>')
    assert len(absolutize_tree(parse(source), URL, media_type="Text/HTML")) == 1
    envelope = Envelope(URL, media_type="text/html")
    assert len(absolutize_tree(parse(source), envelope=envelope)) == 1
    for media_type in ("text/css", "text/plain"):
        with pytest.raises(linkfix.InvalidOption, match="media type"):
            absolutize_tree(parse(source), URL, media_type=media_type)


@pytest.mark.parametrize(
    "body",
    [
        '<image src="a"></image><svg><image src="b" href="c"></image></svg>',
        '<svg><div><img src="a"><form action="b"></form></div></svg>',
        '<svg><font><form action="a"></form></font><font color="red"><form action="b"></form></font></svg>',
        (
            '<math><mi><mglyph src="a"></mglyph><img src="b"></mi><annotation-xml src="c"><svg><use href="d"></use>'
            '</svg><semantics src="e" href="f"></semantics></annotation-xml></math>'
        ),
        '<math><annotation-xml encoding="TEXT/html"><form action="a"></form></annotation-xml></math>',
        '<textarea><base href="/b/"><a href="a">b</a></textarea><a href="c">d</a>',
    ],
)
def test_namespaces_equal_the_namespaces_of_the_html_parser(body):
    """A tree without namespaces, made of the names alone."""
    source = page(body)
    plain = html5lib.parse(source, treebuilder="lxml", namespaceHTMLElements=False).getroot()
    for node in plain.iter(lxml.etree.Element):
        node.tag = lxml.etree.QName(node).localname
    expected = facts(linkfix.links(source, URL))
    assert facts(absolutize_tree(plain, URL)) == expected
    assert facts(absolutize_tree(LexborHTMLParser(source), URL)) == expected
    assert facts(absolutize_tree(BeautifulSoup(source, "html.parser"), URL)) == expected


@pytest.mark.parametrize("parse", [LexborHTMLParser, with_html5lib])
@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("<A HREF='x'></A>", ["a"]),
        ("<trac\u212a src='x'></trac\u212a>", []),
        ("<math><a\xc3 href='x'></a\xc3></math>", ["a\xc3"]),
        ("<meta http-equiv='REFRESH' content='5;x'>", ["meta"]),
        ("<meta http-equiv='\t REFRESH ' content='5;x'>", []),
        ("<meta http-equiv='\xa0refresh' content='5;x'>", []),
    ],
)
def test_only_ascii_letters_have_a_lower_case(parse, body, found):
    """Infra §4.6: of letters, and of white space."""
    assert [link.element for link in linkfix.links(page(body), URL)] == found
    assert [link.element for link in absolutize_tree(parse(page(body)), URL)] == found


@for_each(sorted(FLAGS))
def test_the_names_that_end_foreign_content_are_the_scanners(name):
    svg = root_context(row_table(Options()), xml=False, tree_class=object).kind("svg", "", "svg", {}.get).inner
    scanned = linkfix.links(f'<svg><{name}><image href="x">', URL)
    if svg.kind(name, "", name, {}.get).namespace == "html":
        assert scanned == []
    else:
        assert len(scanned) == (name not in {"title", "desc", "foreignobject"})


def test_raw_text_that_a_parser_read_as_markup_has_no_links():
    tree = lxml.html.fragment_fromstring("<div></div>")
    for name in ("textarea", "title", "xmp", "iframe", "noembed", "noframes"):
        lxml.etree.SubElement(lxml.etree.SubElement(tree, name), "a", href="x")
    lxml.etree.SubElement(tree, "noscript").append(lxml.html.fragment_fromstring('<a href="y">z</a>'))
    assert [link.reference for link in absolutize_tree(tree, URL)] == ["y"]


def test_a_value_that_the_tree_cannot_hold_is_has_too_many_bases():
    value = "a:url(b);c:\ufffe"
    for parse in (document, parsel.Selector):
        tree = parse(page(f'<p style="{value}">d</p><a href="e">f</a>'))
        conversion = absolutize(tree, URL)
        assert (conversion.rewritten, [problem.code for problem in conversion.problems]) == (1, ["tree-left-alone"])
        assert [found for *_, found in attributes(tree)] == [value, "https://h/d/e"]


def test_scrapys_selector():
    body = page('<a href="?\u0444">a</a><img srcset="b 2x">', '<base href="/b/">').encode("windows-1251")
    response = HtmlResponse(URL, body=body, encoding="windows-1251")
    linkfix.hooks.parsel.absolutize(response.selector, response.url, charset="windows-1251")
    assert response.css("a::attr(href)").getall() == ["https://h/b/?%F4"]
    assert response.xpath("//img/@srcset").get() == "https://h/b/b 2x"
    assert response.body == body


def test_selectors_that_match_no_element():
    selector = parsel.Selector('<a href="x">a</a>')
    for other in (selector.css("a"), selector.css("a::attr(href)")[0], parsel.Selector('{"a": 1}', type="json")):
        with pytest.raises(TypeError, match="give "):
            absolutize_tree(other, URL)
    assert selector.css("a::attr(href)").get() == "x"


@pytest.mark.parametrize("hook", ["lxml", "bs4", "parsel", "selectolax"])
@pytest.mark.parametrize("tree", ["<p>", 1, [], object()])
def test_trees_of_another_library_than_the_hooks(hook, tree):
    with pytest.raises(TypeError, match=f"^{type(tree).__name__}: give "):
        importlib.import_module(f"linkfix.hooks.{hook}").absolutize(tree, URL)


@pytest.mark.parametrize(
    "tree",
    [
        lxml.etree.ElementTree(),
        lxml.etree.Comment("a"),
        BeautifulSoup("", "html.parser"),
        LexborHTMLParser(""),
        LexborHTMLParser("", is_fragment=True),
    ],
    ids=lambda tree: type(tree).__name__,
)
def test_trees_without_elements(tree):
    assert absolutize(tree, URL).links == []


def test_fragments():
    tree = LexborHTMLParser('<svg><a href="x"></a></svg><base href="/b/"><svg><image href="y"></svg>', is_fragment=True)
    assert [link.target for link in absolutize_tree(tree, URL)] == [f"https://h/b/{name}" for name in ("x", "", "y")]
    fragments = lxml.html.fragments_fromstring('<a href="x">a</a><a href="y">b</a>')
    assert [link.target for link in absolutize_tree(fragments[1], URL)] == ["https://h/d/y"]


@pytest.mark.parametrize("first", ["href='x' xlink:href='#y'", "xlink:href='#y' href='x'"])
def test_two_attributes_with_one_local_name(first):
    """selectolax always sets the first of the two."""
    tree = LexborHTMLParser(f"<svg><use {first}></use></svg>")
    absolutize_tree(tree, URL)
    assert tree.css_first("use").attributes == {"href": "https://h/d/x", "xlink:href": "#y"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::html5lib.constants.DataLossWarning")
@every_parser
@settings(max_examples=40)
@given(documents)
def test_documents_never_raise_and_twice_is_once(parse, source):
    tree = parse(f"<!DOCTYPE html><p>{source}")
    first = absolutize(tree, URL)
    state = written(tree)
    again = absolutize(tree, URL)
    assert (again.rewritten, written(tree)) == (0, state)
    assert sorted(str(link.target) for link in again.links) == sorted(str(link.target) for link in first.links)


def test_values_that_are_lists_stay_lists():
    soup = BeautifulSoup('<object archive="a  b" class="c  d"></object><a ping="e  f" rel="g h">i</a>', "html.parser")
    absolutize_tree(soup, URL)
    assert soup.object["archive"] == ["https://h/d/a", "https://h/d/b"]
    assert soup.object["class"] == ["c", "d"]
    assert soup.a["ping"] == "https://h/d/e  https://h/d/f"
    assert soup.a["rel"] == ["g", "h"]


def test_strings_keep_their_types():
    soup = BeautifulSoup(
        '<style>a{b:url(c)}</style><script type=\'importmap\'>{"imports":{"a":"./b"}}</script>', "html.parser"
    )
    kinds = [type(soup.style.string), type(soup.script.string)]
    absolutize_tree(soup, URL)
    assert [type(soup.style.string), type(soup.script.string)] == kinds
    assert (soup.style.string, soup.script.string) == ("a{b:url(https://h/d/c)}", '{"imports":{"a":"https://h/d/b"}}')


@pytest.mark.parametrize("parse", [soup_by("lxml-xml"), lxml.etree.fromstring], ids=["bs4", "lxml"])
def test_names_in_any_case_of_an_xml_tree_that_is_to_be_read_as_html(parse):
    source = '<A HREF="x"/>'
    assert absolutize_tree(parse(source), URL) == linkfix.links(source, URL, media_type="application/xhtml+xml") == []
    tree = parse(source)
    assert [link.target for link in absolutize_tree(tree, URL, media_type="text/html")] == ["https://h/d/x"]
    assert (tree.A["HREF"] if isinstance(tree, BeautifulSoup) else tree.get("HREF")) == "https://h/d/x"


@pytest.mark.parametrize("tree", ["<p>", b"<p>", None, 1, [], object()])
def test_objects_that_are_no_trees(tree):
    with pytest.raises(
        TypeError, match=f"^{type(tree).__name__}: give a tree of lxml, BeautifulSoup, parsel or selectolax$"
    ):
        absolutize_tree(tree, URL)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"base_element": "insert"}, linkfix.InvalidOption),
        ({"base_element": "delete"}, linkfix.InvalidOption),
        ({"fragments": "drop"}, linkfix.InvalidOption),
        ({"rows": (Row("a", "b", "c", "d"),)}, linkfix.InvalidOption),
        ({"excess_dots": "keep"}, linkfix.InvalidOption),
        ({"spec": "rfc9999"}, linkfix.UnknownSpec),
        ({"charset": "utf-9"}, linkfix.UnknownCharset),
        ({"url": "d/p"}, linkfix.InvalidBase),
        ({"default_base": "d/p"}, linkfix.InvalidBase),
        ({"unknown": 1}, TypeError),
    ],
)
def test_a_callers_mistakes(given, error):
    tree = document(page('<a href="x">a</a>'))
    with pytest.raises(error):
        absolutize_tree(tree, **{"url": URL} | given)
    assert attributes(tree) == [("a", "href", "x")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parse", "depth"),
    [
        (document, 100),
        (soup_by("html.parser"), 5000),
        (LexborHTMLParser, 5000),
        (lambda source: lxml.etree.fromstring(source, lxml.etree.HTMLParser(huge_tree=True)), 900),
    ],
    ids=["lxml.html", "bs4", "selectolax", "lxml, huge"],
)
@pytest.mark.parametrize("names", ["div", "svg foreignobject", "template"])
def test_deep_trees(parse, depth, names):
    names = names.split()
    opening, closing = "".join(f"<{name}>" for name in names), "".join(f"</{name}>" for name in reversed(names))
    tree = parse(page(opening * depth + '<a href="x">a</a>' + closing * depth + '<a href="y">a</a>'))
    targets = [link.target for link in absolutize_tree(tree, URL)]
    assert targets[-1] == "https://h/d/y"
    assert targets[:-1] in ([], ["https://h/d/x"])  # some parsers stop at a depth
