"""Trees of XML documents: equal to `linkfix.html.xml_outline`; and their distinction from trees of HTML."""

from __future__ import annotations

import copy

import html5lib
import lxml.builder
import lxml.etree
import lxml.html
import parsel
import pytest
from bs4 import BeautifulSoup
from selectolax.lexbor import LexborHTMLParser
from support.tree_parsers import URL, absolutize, facts, soup_by, written

import linkfix
from linkfix import Options, absolutize_tree
from linkfix.hooks import lxml as lxml_trees
from linkfix.html import row_table
from linkfix.trees.context import root_context

XHTML = "http://www.w3.org/1999/xhtml"
SVG = "http://www.w3.org/2000/svg"
NAMESPACES = f'xmlns="{XHTML}" xmlns:s="{SVG}" xmlns:l="http://www.w3.org/1999/xlink"'

XML_PARSERS = {
    "lxml": lambda source: lxml.etree.fromstring(source).getroottree(),
    "lxml, CDATA kept": lambda source: lxml.etree.fromstring(source, lxml.etree.XMLParser(strip_cdata=False)),
    "lxml.html": lambda source: lxml.html.document_fromstring(source, parser=lxml.html.XHTMLParser()),
    "bs4": soup_by("lxml-xml"),
    "parsel": lambda source: parsel.Selector(source, type="xml"),
}
every_xml_parser = pytest.mark.parametrize("parse", XML_PARSERS.values(), ids=XML_PARSERS.keys())

XML_PAGES = {
    "xhtml": (
        f'<html {NAMESPACES}><head><base href="/b/"/><style>a{{b:url(c)}}</style></head><body><!--d--><?e f?>'
        '<a href="x">g</a><s:svg><s:image l:href="h"/></s:svg><z xmlns="urn:z" href="i"/></body></html>'
    ),
    "case": f'<html {NAMESPACES}><body><A href="x"/><a HREF="y"/><a href="z"/><s:IMAGE l:href="w"/></body></html>',
    "no namespace": '<page><a href="x"/></page>',
    "style sheets": (
        '<?xml version="1.0"?><?xml-stylesheet type="text/css" href="a.css?b&amp;c"?><?other href="d"?>'
        f"<html {NAMESPACES}><head><title/></head><?xml-stylesheet href='e'?></html><?xml-stylesheet href='f'?>"
        "<?xml-stylesheet?><?xml-stylesheet href='https://o/'?>"
    ),
    "xml:base": (
        f'<html {NAMESPACES} xml:base="no/"><body><svg xmlns="{SVG}" xml:base="a/"><image l:href="b"/>'
        '<g xml:base="../c/"><image l:href="d" xml:base="e/"/></g><image l:href="f"/>'
        f'<foreignObject><h:a xmlns:h="{XHTML}" href="g" xml:base="no/">h</h:a></foreignObject></svg>'
        '<a href="i">j</a></body></html>'
    ),
    "text": (
        f'<html {NAMESPACES}><head><style>p{{a:url(b)}}<!-- c -->q{{d:url("e&amp;f")}}</style>'
        "<style><![CDATA[r > s{g:url(h)}]]></style><style>t{i:url(j)}<title>k</title>u{l:url(m)}</style>"
        '<script type="importmap"><![CDATA[{"imports": {"n": "./o"}}]]></script></head><body/></html>'
    ),
    "prefixes": f'<html {NAMESPACES}><body><s:svg><s:g fill="url(a)" style="b:url(c)"/></s:svg></body></html>',
    "template": f'<html {NAMESPACES}><body><template><base href="/b/"/></template><a href="x">a</a></body></html>',
    "svg": (
        f'<svg xmlns="{SVG}" xml:base="/b/"><a href="x"><rect fill="url(y)" style="fill:url(#z)"/></a>'
        "<style>a{b:url(c)}</style><linearGradient href='d'/></svg>"
    ),
}


@every_xml_parser
@pytest.mark.parametrize("spec", ["whatwg", "rfc3986"])
@pytest.mark.parametrize("source", XML_PAGES.values(), ids=XML_PAGES.keys())
def test_xml(parse, source, spec):
    """`xml:base` of a picture counts by RFC 3986, and not in browsers."""
    tree = parse(source)
    links = absolutize_tree(tree, URL, spec=spec)
    assert facts(links) == facts(linkfix.links(source, URL, media_type="application/xhtml+xml", spec=spec))
    converted = linkfix.absolutize(source, URL, media_type="application/xhtml+xml", spec=spec)
    assert written(tree) == written(parse(converted))
    assert absolutize(tree, URL, spec=spec).rewritten == 0


@every_xml_parser
def test_a_part_of_a_picture_is_a_part_of_a_picture(parse):
    """With rfc3986, the `xml:base` around it applies; with whatwg, no `xml:base` does."""
    source = f'<svg xmlns="{SVG}" xml:base="a/"><g xml:base="b/"><a href="x"/></g></svg>'
    for spec, targets in (("rfc3986", ["https://h/d/a/b/", "https://h/d/a/b/x"]), ("whatwg", ["https://h/d/x"])):
        tree = parse(source)
        part = tree.g if isinstance(tree, BeautifulSoup) else getattr(tree, "root", tree).find(f"{{{SVG}}}g")
        assert [link.target for link in absolutize_tree(part, URL, spec=spec)] == targets


@every_xml_parser
def test_an_html_element_without_a_namespace_is_html(parse):
    """By XML's rules nothing in it would be; `media_type` asks for those."""
    source = '<html><body><a href="x"/></body></html>'
    assert [link.target for link in absolutize_tree(parse(source), URL)] == ["https://h/d/x"]
    assert absolutize_tree(parse(source), URL, media_type="application/xhtml+xml") == []


@pytest.mark.parametrize("source", ["<html><a href=x>", "<div><a href=x>a</a></div>"])
def test_a_copy_is_as_html_as_its_original(source):
    """lxml states a version of XML for a copy."""
    tree = copy.deepcopy(lxml.html.fromstring(source))
    assert tree.getroottree().docinfo.xml_version == "1.0"
    assert [link.target for link in absolutize_tree(tree, URL)] == ["https://h/d/x"]


def test_cdata_stays():
    styles = "<style><![CDATA[a > b{c:url(d)}]]></style><style>e &gt; f{g:url(h)}</style>"
    source = f"<html {NAMESPACES}>{styles}</html>"
    tree = XML_PARSERS["lxml, CDATA kept"](source)
    absolutize_tree(tree, URL)
    assert "<![CDATA[a > b{c:url(https://h/d/d)}]]>" in written(tree)
    assert "<style>e &gt; f{g:url(https://h/d/h)}</style>" in written(tree)


def test_too_many_xml_bases():
    opening, closing = '<g xml:base="a/">' * 80, "</g>" * 80
    source = f'<svg xmlns="{SVG}">{opening}<a href="x"/>{closing}<a href="y"/></svg>'
    for parse in XML_PARSERS.values():
        links = absolutize_tree(parse(source), URL, spec="rfc3986")
        assert facts(links) == facts(linkfix.links(source, URL, media_type="image/svg+xml", spec="rfc3986"))
        assert len(links) == 66
        assert [link.target for link in absolutize_tree(parse(source), URL)] == ["https://h/d/x", "https://h/d/y"]


XHTML_SOURCE = f'<html xmlns="{XHTML}"><body><A HREF="x"/><a href="y"/></body></html>'


@pytest.mark.parametrize(
    ("tree", "xml"),
    [
        (lxml.etree.fromstring(XHTML_SOURCE), True),
        (lxml.etree.fromstring(XHTML_SOURCE).getroottree(), True),
        (lxml.html.document_fromstring(XHTML_SOURCE, parser=lxml.html.XHTMLParser()), True),
        (lxml.html.document_fromstring(XHTML_SOURCE), False),
        (lxml.etree.fromstring(XHTML_SOURCE, lxml.etree.HTMLParser()), False),
        (html5lib.parse(XHTML_SOURCE, treebuilder="lxml"), False),
        (html5lib.parse(XHTML_SOURCE, treebuilder="lxml", namespaceHTMLElements=False), False),
        (lxml.builder.E.body(lxml.builder.E.A(HREF="x"), lxml.builder.E.a(href="y")), False),
        (parsel.Selector(XHTML_SOURCE, type="xml"), True),
        (parsel.Selector(XHTML_SOURCE, type="html"), False),
        (BeautifulSoup(XHTML_SOURCE, "lxml-xml"), True),
        (BeautifulSoup(XHTML_SOURCE, "html5lib"), False),
        (LexborHTMLParser(XHTML_SOURCE), False),
    ],
)
def test_trees_that_are_xml(tree, xml):
    assert [link.reference for link in absolutize_tree(tree, URL)] == (["y"] if xml else ["x", "y"])


def test_of_several_texts_all_are_written_or_none():
    source = "<svg xmlns='http://www.w3.org/2000/svg'><style>a{b:url(c)}<!---->d{e:url(f)}</style></svg>"
    root = lxml.etree.fromstring(source)
    around = root_context(row_table(Options()), xml=True, tree_class=object)
    element = lxml_trees._Element(root[0], lxml_trees._kind(root[0], around), around, around, 0)
    assert element.texts() == ["a{b:url(c)}", "d{e:url(f)}"]
    with pytest.raises(ValueError, match="XML compatible"):
        element.set_texts({0: "g", 1: "\ufffe"})
    assert element.texts() == ["a{b:url(c)}", "d{e:url(f)}"]
    element.set_texts({0: "g", 1: "h"})
    assert element.texts() == ["g", "h"]
