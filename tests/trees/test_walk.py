"""The fast walk of a tree (`linkfix.trees`: `walk`, `url_attributes`) against a slow walk that checks everything.

The slow walk visits every element, expects any reference in each, and calls the decider for every value. Links,
problems and output are the same.
"""

from __future__ import annotations

import gc
from unittest import mock

import lxml.etree
import parsel
import pytest
from bs4 import BeautifulSoup, Tag
from bs4.element import NamespacedAttribute
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser
from support.documents import documents, plain, references
from support.fixtures_site import FIXTURES
from support.sizes import examples
from support.tree_parsers import PARSERS, URL, absolutize, every_parser, nodes, page, soup_by
from support.vectors import CORPUS, corpus_sample

from linkfix import Options, Row
from linkfix.hooks import bs4, lxml, selectolax
from linkfix.html import GROUPS, row_table
from linkfix.trees import context, conversion
from linkfix.trees.context import root_context
from linkfix.trees.conversion import absolutize_elements
from linkfix.trees.element import TreeColumns
from linkfix.trees.url_attributes import UrlAttributes

pytestmark = [
    pytest.mark.filterwarnings("ignore:It looks like you're"),
    pytest.mark.filterwarnings("ignore::html5lib.constants.DataLossWarning"),
]


class SlowTree:
    """A tree all of whose elements need a closer look."""

    def __init__(self, tree):
        if isinstance(tree, LexborHTMLParser):
            self.module, self.tree = selectolax, selectolax._Tree(tree)
        elif isinstance(tree, BeautifulSoup):
            self.module, self.tree = bs4, bs4._Tree(tree)
        else:
            root = getattr(tree, "root", tree)
            self.module, self.tree = lxml, lxml._Tree(root.getroot() if hasattr(root, "getroot") else root)

    def is_xml(self):
        return self.tree.is_xml()

    def columns(self, around):
        top = self.tree.top
        return TreeColumns(None, None, [] if top is None else self._below(top, around))

    def bases_before_frameset(self, *, scripting):
        return self.tree.bases_before_frameset(scripting=scripting)

    def _below(self, top, around):
        waiting = [(top, around)]
        while waiting:
            node, outer = waiting.pop()
            if isinstance(node, BeautifulSoup):
                inner = outer
            else:
                kind = self.module._kind(node, outer)
                inner = self.module._inside(node, kind)
                yield self.module._Element(node, kind, outer, inner, self._line(node))
            waiting += [(child, inner) for child in reversed(self._children(node))]

    def _line(self, node):
        return 0 if self.module is selectolax else node.sourceline or 0

    def _children(self, node):
        if self.module is bs4:
            return [child for child in node.contents if isinstance(child, Tag)]
        if self.module is lxml:
            return list(node.iterchildren(lxml.etree.Element))
        content = node.template_fragments()[:1] if node.tag == "template" else []
        inside = [child for each in content for child in selectolax_children(each)]
        return inside + selectolax_children(node)


def selectolax_children(node):
    return [child for child in node.iter() if child.is_element_node]


class SlowUrlAttributes(UrlAttributes):
    """Leaves everything to the syntaxes and the decider."""

    def convert_several(self, *_):
        return None

    def decide_plain(self, _):
        return None


def is_equal(parse, source, url=URL, **fields):
    fast_tree, slow_tree = parse(source), parse(source)
    fast = absolutize(fast_tree, url, **fields)
    with mock.patch.object(conversion, "UrlAttributes", SlowUrlAttributes):
        slow = absolutize_elements(SlowTree(slow_tree), url, **fields)
    assert fast == slow
    assert nodes(fast_tree) == nodes(slow_tree)
    return fast


ROW = Row("p", "href", "url", "hyperlink")
OPTIONS = [
    {},
    {"fragments": "absolutize"},
    {"normalize": True},
    {"spec": "rfc3986"},
    {"keep": lambda target: target.endswith("l")},
    {"base_element": "drop-href"},
    dict.fromkeys(GROUPS, True),
    {"rows": (ROW, Row("a", "href", "space-list", "hyperlink"), Row("script", "", "css", "resource", "type"))},
]
options = st.sampled_from(OPTIONS)

_NAMES = (
    "a img link script style meta base object applet iframe form svg use image foreignobject title math mi mtext mglyph"
    " annotation-xml template font p div table textarea x-y"
)
_KEYS = (
    "href src HREF xlink:href v:href :href cite action style srcset content http-equiv name property type codebase"
    " classid data archive ping itemid itemscope id class color encoding fill data-src background formaction"
)
_values = references | plain | st.sampled_from(["", "#f", "url(a)", "refresh", "og:image", "importmap", "text/html"])
_attributes = st.dictionaries(st.sampled_from(_KEYS.split()), _values, max_size=4)


@st.composite
def elements(draw, depth=3):
    """Elements in each other, whatever HTML says of that."""
    name = draw(st.sampled_from(_NAMES.split()))
    held = "".join(f' {key}="{value.replace(chr(34), "")}"' for key, value in draw(_attributes).items())
    inside = draw(st.lists(elements(depth=depth - 1), max_size=2)) if depth else []
    return f"<{name}{held}>{''.join(inside)}{draw(st.sampled_from(['', 'text', 'url(b)']))}</{name}>"


trees = st.lists(elements(), max_size=4).map("".join)


@every_parser
@settings(max_examples=examples(200))
@given(trees | documents, options)
def test_the_fast_path_equals_the_slow_path(parse, source, fields):
    is_equal(parse, f"<!DOCTYPE html><p>{source}", **fields)


@every_parser
@pytest.mark.parametrize("place", ["<p>", "<svg>", "<math><mi>", "<noscript>", "<template>", "<iframe>", "<xmp>"])
def test_inner_contexts(parse, place):
    inside = '<a href="x">a</a><image href="y" xlink:href="z"/><svg><foreignObject><img src="v"></foreignObject></svg>'
    source = f"{place}{inside}<a href='w'>b</a>"
    for fields in OPTIONS[:2]:
        is_equal(parse, f"<!DOCTYPE html><div>{source}</div><a href='u'>{source}", **fields)


@every_parser
def test_a_tree_is_read_once_if_its_base_is_late(parse):
    source = page('<link rel="icon" href="a"><script src="b"></script><img src="c" srcset="d"><base href="/e/">', "")
    tree = parse(source)
    module = lxml if not isinstance(tree, (LexborHTMLParser, BeautifulSoup)) else selectolax
    module = bs4 if isinstance(tree, BeautifulSoup) else module
    columns = module._Tree.columns
    with mock.patch.object(module._Tree, "columns", autospec=True, side_effect=columns) as read:
        conversion = absolutize(tree, URL)
    assert read.call_count == 1
    targets = {link.reference: link.target for link in conversion.links}
    assert targets == {
        "a": "https://h/e/a",
        "b": "https://h/d/b",
        "c": "https://h/d/c",
        "d": "https://h/d/d",
        "/e/": "https://h/e/",
    }


@settings(max_examples=examples(200))
@given(trees, options)
@pytest.mark.parametrize("parse", [soup_by("lxml-xml"), lambda text: parsel.Selector(text, type="xml")])
def test_the_fast_path_equals_the_slow_path_in_xml(parse, source, fields):
    is_equal(parse, f'<html xmlns="http://www.w3.org/1999/xhtml">{source}</html>', **fields)


@every_parser
@pytest.mark.parametrize("path", sorted((FIXTURES / "site").rglob("*.html")), ids=lambda path: path.name)
def test_fixtures(parse, path):
    if path.name == "references.html":
        pytest.skip("it has characters that lxml's trees cannot hold")
    source = "".join(c for c in path.read_bytes().decode("utf-8", "replace") if c.isprintable() or c in "\t\n")
    for fields in OPTIONS[:2]:
        is_equal(parse, source, **fields)


@pytest.mark.slow
@pytest.mark.parametrize("page", corpus_sample(CORPUS), ids=lambda page: page.name)
@pytest.mark.parametrize("parser", ["lxml.html", "bs4 lxml", "parsel", "selectolax"])
def test_real_pages(parser, page):
    assert is_equal(PARSERS[parser], page.read_bytes().decode("utf-8", "replace").replace("\0", "")).links


@every_parser
@pytest.mark.parametrize(
    "attributes",
    [
        'href="x" v:href="y"',
        'v:href="y" href="x"',
        'href=" x "',
        'href="HTTPS://H/X"',
        'href="é"',
        'href="a:b"',
        'href="x/a:b"',
        f'href="{"x" * 2000}"',
        f'{"x" * 2000}="" href="x"',
        'href="" ping="x y"',
        'href="{{ x }}"',
        'href="http://["',
        'href="//h" style="background: url(//h) url(//H) url(//h:443) url(//xn--a)"',
        'href="https://h" style="background: url(https://h) url(http://h:80)"',
        'href="https://h?q" style="background: url(https://h#f) url(HTTPS://h)"',
        "href=\"https://h/a b\" style=\"background: url('https://h/a b') url('x y')\"",
        'href="http:" ping="https://h"',
        'href="whatsapp://send?text=a b&amp;c" cite="tel:1"',
        'href="javascript:void(0);"',
        'href="javascript:a?b#c d"',
        'href="mailto:a@b?subject=c"',
        'href="MAILTO:a"',
        'href="blob:https://h/x"',
        'href="file:x"',
        'href="c:x"',
        'href="data:text/plain, é "',
        'href="data:,x\n"',
        'style="a:url(#x) url(#y ) url() url(data:,é) url(é)"',
        "style=\"a:url( x ) url('x y') src('#') image-set('x' 1x)\"",
        "style=\"@import 'x'; a:url(\\78) url({{x}}) url(//[)\"",
    ],
)
def test_edges(parse, attributes):
    for fields in OPTIONS[:5]:
        is_equal(parse, f"<!DOCTYPE html><title>t</title><p><a {attributes}>a</a><a {attributes}>b</a>", **fields)


_PARTS = (
    "url(",
    "URL(",
    ")",
    "'",
    " ",
    ",",
    " 2x",
    "@import ",
    "image-set(",
    "\\",
    "é",
    "\u20ac",
    "\U0001f600",
    "#x",
    "data:,a",
    "//h",
    "%20",
    ";",
)
_values_of_several = st.lists(st.sampled_from(_PARTS) | plain, max_size=12).map("".join)
#: The prefixes of the last two have characters that CSS and srcset escape.
_bases = st.sampled_from([URL, "https://h/a'b/(c)/d", "https://h/,/x"])


@every_parser
@settings(max_examples=examples(150))
@given(_values_of_several, _values_of_several, _bases, options)
def test_values_with_several_urls(parse, value, other, base, fields):
    source = (
        f'<img srcset="{value}" style="{other}"><svg fill="{other}"></svg><style>{value}a{{b:url({other})}}</style>'
    )
    is_equal(parse, f"<!DOCTYPE html><title>t</title><p>{source}", base, **fields)


@pytest.mark.parametrize("base", ["https://h/a'b/d", "https://h/(a)/d"])
def test_a_base_does_not_end_the_css_it_is_written_in(base):
    tree = LexborHTMLParser("<p style=\"a:url(x) url('y')\">z")
    links = absolutize(tree, base).links
    assert [link.target for link in absolutize(tree, base).links] == [link.target for link in links]


@every_parser
@pytest.mark.parametrize("text", ["", "é", "\u20ac", "\U0001f600"])
def test_places_in_a_style_sheet_of_any_characters(parse, text):
    def sheet(one, two, three):
        return f"a{{b:'{text}' url({one}) url('{two}')}}{text} {{c:url({three})}}"

    found = f"x{text}", f"y{text}", "z"
    tree = parse(page("", f"<style>{sheet(*found)}</style>"))
    links = absolutize(tree, URL).links
    assert tuple(link.reference for link in links) == found
    assert [text for name, _, text in nodes(tree) if name == "style"] == [sheet(*(link.target for link in links))]


def test_a_style_sheet_with_nul():
    soup = BeautifulSoup("<style>a</style>", "html.parser")
    soup.style.string = "a{b:url(x\0y)}"
    assert [link.reference for link in absolutize(soup, URL).links] == ["x\ufffdy"]


def test_a_style_sheet_that_cannot_be_encoded():
    soup = BeautifulSoup("<style>a</style>", "html.parser")
    soup.style.string = "a{b:url(x\ud800y)}"
    assert [link.reference for link in absolutize(soup, URL).links] == ["x\ufffdy"]


@pytest.mark.parametrize(("kind", "count"), [("importmap", 1), (" IMPORTMAP ", 1), ("", 0), ("module", 0)])
def test_a_guard_is_checked(kind, count):
    script = f'<script type="{kind}">{{"imports": {{"a": "./b"}}}}</script>'
    conversions = [absolutize(LexborHTMLParser(script), URL), absolutize(lxml.etree.HTML(script), URL)]
    assert [len(conversion.links) for conversion in conversions] == [count, count]


@every_parser
@pytest.mark.parametrize("name", ["http-equiv", "HTTP-EQUIV"])
def test_a_meta_with_a_policy_is_checked(parse, name):
    policy = f'<meta {name}="Content-Security-Policy" content="base-uri \'none\'">'
    conversion = is_equal(parse, f'<!DOCTYPE html><head>{policy}<base href="/x/"><p><a href="y">z</a>')
    assert conversion.links[-1].target == "https://h/d/y"


def test_a_guard_with_a_value_that_is_no_string():
    soup = BeautifulSoup("<script>{}</script><script>{}</script>", "html.parser")
    for script, value in zip(soup.find_all("script"), (["importmap"], None), strict=True):
        script["type"] = value
        script.string = '{"imports": {"a": "./b"}}'
    assert len(absolutize(soup, URL).links) == 1


def test_attributes_in_upper_case_are_found():
    soup = BeautifulSoup("<a>b</a>", "html.parser")
    soup.a["HREF"] = "x"
    assert [link.target for link in absolutize(soup, URL).links] == ["https://h/d/x"]
    assert soup.a["HREF"] == "https://h/d/x"


@pytest.mark.parametrize(
    ("value", "target"), [(None, URL), (["x"], "https://h/d/x"), (["x", "y"], "https://h/d/x%20y")]
)
def test_values_of_a_soup_that_are_no_strings(value, target):
    soup = BeautifulSoup('<a href="z">b</a>', "html.parser")
    soup.a["href"] = value
    assert [link.target for link in absolutize(soup, URL).links] == [target]


def test_a_name_with_a_prefix_is_not_the_name_without():
    """Names are remembered from tree to tree: two tags with one name in a soup can have different prefixes."""
    for prefix, count in ((None, 0), ("svg", 1), (None, 0)):
        soup = BeautifulSoup("<p></p>", "html.parser")
        soup.p.append(soup.new_tag("a", attrs={"href": "x"}))
        soup.a.prefix, soup.a.name = prefix, "svg:a"
        assert len(absolutize(soup, URL).links) == count


def test_an_attribute_with_a_namespace():
    soup = BeautifulSoup("<svg><a>b</a></svg>", "html.parser")
    soup.a[NamespacedAttribute("x", "href", "http://www.w3.org/1999/xlink")] = "y"
    assert [link.attribute for link in absolutize(soup, URL).links] == ["xlink:href"]


def test_the_cache_of_names_is_bounded():
    table = row_table(Options(rows=(ROW,)))
    first = root_context(table, xml=False, tree_class=SlowTree)
    assert root_context(table, xml=False, tree_class=SlowTree) is first
    assert root_context(table, xml=False, tree_class=object) is not first
    kind = first.kind("p", "", "p", {}.get)
    for number in range(context._MOST_LEARNED):
        first.shape(kind, (f"data-{number}",), lambda key, around: around.attribute("", key))
    assert root_context(table, xml=False, tree_class=SlowTree) is not first
    assert first.shape(kind, ("x" * 2000, "href"), lambda key, around: around.attribute("", key))
    assert all(len(names) == 1 for names in kind.shapes)
    first.kind("x" * 2000, "", "x" * 2000, {}.get)
    assert list(first.kinds) == ["p"]


@pytest.mark.parametrize("name", ["template", "svg"])
def test_many_contexts_in_each_other(name):
    source = f"<{name}><a href=x>y</a>" * 2000
    tree = LexborHTMLParser(f"<!DOCTYPE html>{source}")
    assert absolutize(tree, URL).links


@every_parser
def test_a_conversion_is_freed_at_once(parse):
    source = page('<a href="a">b</a><p style="c:url(d)" itemid=" e">f</p>', "<style>g{h:url(i)}</style>")
    trees = [parse(source), parse(source)]
    absolutize(trees[0], URL)  # objects that are made once are made now
    gc.freeze()  # leftovers of earlier tests do not count
    gc.disable()
    try:
        absolutize(trees[1], URL)
        assert gc.collect() == 0
    finally:
        gc.enable()


@pytest.mark.parametrize("parser", [LexborHTMLParser, lambda text: parsel.Selector(text).root])
def test_the_kind_of_a_font_is_looked_up_once_in_html(parser) -> None:
    """Only in foreign content does it depend on the attributes of each element."""
    module = selectolax if parser is LexborHTMLParser else lxml
    looked_up = []
    kind_of = module._kind

    def counting(node, around):
        looked_up.append(node)
        return kind_of(node, around)

    text = "<p>" + "<font color=red>x</font><font>y</font>" * 50
    context._kept.cache_clear()
    with mock.patch.object(module, "_kind", counting):
        module.absolutize(parser(text), URL)
        first = len(looked_up)
        module.absolutize(parser(text), URL)
    assert first <= 5  # html, head, body, p, font
    assert len(looked_up) == first
