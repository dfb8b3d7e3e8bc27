from __future__ import annotations

import html5lib
import lxml.etree
import lxml.html
import pytest
from bs4 import BeautifulSoup

import linkfix
from linkfix import Envelope, Row, absolutize_tree

URL = "https://h/d/p"


def page(body, head=""):
    """Without anything that parsers treat differently: every element is written, and closed."""
    return f"<!DOCTYPE html><html><head><title>t</title>{head}</head><body>{body}</body></html>"


def document(source):
    return lxml.html.document_fromstring(source)


def with_html5lib(source):
    return html5lib.parse(source, treebuilder="lxml")


def with_html5lib_without_namespaces(source):
    return html5lib.parse(source, treebuilder="lxml", namespaceHTMLElements=False)


def soup_by(parser):
    def parse(source):
        return BeautifulSoup(source, parser)

    return parse


PARSERS = {
    "lxml.html": document,
    "html5lib": with_html5lib,
    "html5lib without namespaces": with_html5lib_without_namespaces,
    "bs4 html.parser": soup_by("html.parser"),
    "bs4 lxml": soup_by("lxml"),
    "bs4 html5lib": soup_by("html5lib"),
}
every_parser = pytest.mark.parametrize("parse", PARSERS.values(), ids=PARSERS.keys())


def attributes(tree):
    """All attributes of a tree in document order, by their names in HTML, and the text of style and script elements."""
    if isinstance(tree, BeautifulSoup):
        elements = [(tag.name, dict(tag.attrs), tag.string) for tag in tree.find_all(name=True)]
    else:
        root = tree.getroot() if hasattr(tree, "getroot") else tree
        elements = [
            (node.tag.rpartition("}")[2], dict(node.attrib), node.text) for node in root.iter(lxml.etree.Element)
        ]
    found = []
    for name, values, text in elements:
        for key in sorted(values, key=str):
            known = str(key).replace("{http://www.w3.org/1999/xlink}", "xlink:")
            value = values[key]
            found.append((name.lower(), known, " ".join(value) if isinstance(value, list) else value))
        if name in {"style", "script"}:
            found.append((name, "", text))
    return found


def facts(links):
    return sorted(
        (link.element, link.attribute, link.role, link.reference, link.target, link.base, link.problem)
        for link in links
    )


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
}


@every_parser
@pytest.mark.parametrize("source", PAGES.values(), ids=PAGES.keys())
def test_links_are_those_of_the_document(parse, source):
    assert facts(absolutize_tree(parse(source), URL)) == facts(linkfix.links(source, URL))


@every_parser
@pytest.mark.parametrize("source", PAGES.values(), ids=PAGES.keys())
@pytest.mark.parametrize("base_element", ["keep", "drop-href", "remove"])
@pytest.mark.parametrize("fragments", ["keep", "absolutize"])
def test_the_tree_becomes_that_of_the_converted_document(parse, source, base_element, fragments):
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
def test_what_to_keep(parse):
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


def test_xhtml():
    source = (
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:s="http://www.w3.org/2000/svg" xmlns:l="http://www.w3.org/1999/xlink">'
        '<head><base href="/b/"/><style>a{b:url(c)}</style></head><body><!--d--><?e f?><a href="x">g</a>'
        '<s:svg><s:image l:href="h"/></s:svg><z xmlns="urn:z" href="i"/></body></html>'
    )
    tree = lxml.etree.fromstring(source).getroottree()
    links = absolutize_tree(tree, URL)
    assert [link.target for link in links] == [f"https://h/b/{name}" for name in ("", "c", "x", "h")]
    expected = linkfix.absolutize(source, URL, media_type="application/xhtml+xml")
    assert lxml.etree.tostring(tree) == lxml.etree.tostring(lxml.etree.fromstring(expected))
    assert facts(links) == facts(linkfix.links(source, URL, media_type="application/xhtml+xml"))


def test_parts_of_a_tree():
    soup = BeautifulSoup(page('<div><a href="x">a</a></div><a href="y">a</a>'), "html.parser")
    assert len(absolutize_tree(soup.div, URL)) == 1
    assert [tag["href"] for tag in soup("a")] == ["https://h/d/x", "y"]
    element = document(page('<div><a href="x">a</a></div><a href="y">a</a>')).find(".//div")
    assert len(absolutize_tree(element, URL)) == 1


def test_values_that_are_lists_stay_lists():
    soup = BeautifulSoup('<object archive="a  b" class="c  d"></object><a ping="e  f" rel="g h">i</a>', "html.parser")
    absolutize_tree(soup, URL)
    assert soup.object["archive"] == ["https://h/d/a", "https://h/d/b"]
    assert soup.object["class"] == ["c", "d"]
    assert soup.a["ping"] == "https://h/d/e  https://h/d/f"
    assert soup.a["rel"] == ["g", "h"]


def test_strings_stay_what_they_are():
    soup = BeautifulSoup(
        '<style>a{b:url(c)}</style><script type=\'importmap\'>{"imports":{"a":"./b"}}</script>', "html.parser"
    )
    kinds = [type(soup.style.string), type(soup.script.string)]
    absolutize_tree(soup, URL)
    assert [type(soup.style.string), type(soup.script.string)] == kinds
    assert (soup.style.string, soup.script.string) == ("a{b:url(https://h/d/c)}", '{"imports":{"a":"https://h/d/b"}}')


def test_names_in_any_case():
    soup = BeautifulSoup('<A HREF="x"></A>', "lxml-xml")
    absolutize_tree(soup, URL)
    assert soup.A["HREF"] == "https://h/d/x"


@pytest.mark.parametrize("tree", ["<p>", b"<p>", None, 1, [], object()])
def test_what_is_no_tree(tree):
    with pytest.raises(
        TypeError, match=f"^{type(tree).__name__}: give an lxml element or tree, or a BeautifulSoup object or tag$"
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


@pytest.mark.parametrize(
    ("parse", "depth"), [(document, 200), (soup_by("html.parser"), 5000)], ids=["lxml.html", "bs4"]
)
def test_deep_trees(parse, depth):
    tree = parse(page("<div>" * depth + '<a href="x">a</a>' + "</div>" * depth))
    assert [link.target for link in absolutize_tree(tree, URL)] == ["https://h/d/x"]
