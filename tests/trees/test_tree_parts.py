"""A part of a tree: only its links are rewritten, against the base of its document."""

from __future__ import annotations

import importlib

import lxml.html
import parsel
import pytest
from bs4 import BeautifulSoup
from selectolax.lexbor import LexborHTMLParser
from support.tree_parsers import URL, absolutize, attributes, document, every_parser, facts, page, soup_by

import linkfix
from linkfix import absolutize_tree


def part(tree, name):
    """The first element of that name."""
    if isinstance(tree, BeautifulSoup):
        return tree.find(name)
    if isinstance(tree, parsel.Selector):
        return tree.css(name)[0]
    if isinstance(tree, LexborHTMLParser):
        return tree.css_first(name)
    root = tree.getroot() if hasattr(tree, "getroot") else tree
    return next(root.iter(f"{{*}}{name}"))


@every_parser
@pytest.mark.parametrize("base", ['<base href="/b/">', '<svg><base href="/no/"></base></svg><p></p>', ""])
@pytest.mark.parametrize("after", [False, True])
def test_a_part_has_the_base_of_its_document(parse, base, after):
    body = '<a href="x">a</a>{}<div><a href="y">b</a><p style="a:url(z)">c</p></div>{}<a href="w">d</a>'
    tree = parse(page(body.format("" if after else base, base if after else "")))
    before = attributes(tree)
    conversion = absolutize(part(tree, "div"), URL)
    expected = "https://h/b/" if base.startswith("<base") else "https://h/d/"
    styled = "https://h/d/" if after else expected  # CSS is parsed at once
    assert [link.target for link in conversion.links] == [f"{expected}y", f"{styled}z"]
    assert conversion.base.url == (expected if base.startswith("<base") else URL)
    changes = {"y": f"{expected}y", "a:url(z)": f"a:url({styled}z)"}
    assert attributes(tree) == [(name, key, changes.get(value, value)) for name, key, value in before]


@every_parser
@pytest.mark.parametrize("base_element", ["keep", "drop-href", "empty", "remove"])
def test_a_base_outside_the_part_is_unchanged(parse, base_element):
    tree = parse(page('<div><a href="x">a</a></div>', '<base href="/b/">'))
    absolutize(part(tree, "div"), URL, base_element=base_element)
    assert attributes(tree) == [("base", "href", "/b/"), ("a", "href", "https://h/b/x")]


@every_parser
def test_a_part_that_is_the_base_itself(parse):
    tree = parse(page('<a href="x">a</a>', '<base href="/b/"><base href="/c/">'))
    conversion = absolutize(part(tree, "base"), URL)
    assert [link.target for link in conversion.links] == ["https://h/b/"]
    assert [value for *_, value in attributes(tree)] == ["https://h/b/", "/c/", "x"]


@every_parser
def test_a_part_has_the_policies_of_its_document(parse):
    policy = "<meta http-equiv=Content-Security-Policy content=\"base-uri 'none'\">"
    for head, problem in ((policy + '<base href="/b/">', "base-blocked"), ('<base href="/b/">' + policy, None)):
        conversion = absolutize(part(parse(page("<div><a href=x>x</a></div>", head)), "div"), URL)
        assert conversion.base.problem == problem


@every_parser
def test_a_part_of_a_drawing_is_in_it(parse):
    tree = parse(page('<svg><g><image href="a" xlink:href="#b"></image></g></svg><math><mi href="c">d</mi></math>'))
    conversion = absolutize(part(tree, "g"), URL)
    assert [(link.element, link.attribute, link.target) for link in conversion.links] == [
        ("image", "href", "https://h/d/a"),
        ("image", "xlink:href", f"{URL}#b"),
    ]
    assert [link.target for link in absolutize(part(tree, "mi"), URL).links] == ["https://h/d/c"]


def test_a_part_of_a_template_is_in_it():
    source = page('<template><div><base href="/b/"><a href="x">a</a></div></template><a href="y">b</a>')
    for parse in (document, soup_by("html.parser"), parsel.Selector):
        conversion = absolutize(part(parse(source), "div"), URL)
        assert [link.target for link in conversion.links] == ["https://h/b/", "https://h/d/x"]
    tree = LexborHTMLParser(source)
    content = tree.css_first("template").template_fragments()[0]
    conversion = absolutize(content.css_first("div"), URL)
    assert [link.target for link in conversion.links] == ["https://h/b/", "https://h/d/x"]


def test_an_element_that_was_taken_out_has_no_document_any_more():
    source = page('<div><a href="x">a</a></div>', '<base href="/b/">')
    tree = document(source)
    element = part(tree, "div")
    element.getparent().remove(element)
    assert [link.target for link in absolutize(element, URL).links] == ["https://h/d/x"]
    soup = BeautifulSoup(source, "html.parser")
    assert [link.target for link in absolutize(soup.div.extract(), URL).links] == ["https://h/d/x"]


EARLY = (
    '<meta http-equiv="refresh" content="1;url=a"><script type="importmap">{"imports":{"b":"./c"}}</script>'
    '<base href="/b/"><meta http-equiv="refresh" content="1;url=d">'
)


@every_parser
def test_references_before_the_base_have_the_fallback_base(parse):
    source = page('<iframe srcdoc="<a href=e>">f</iframe>', EARLY)
    links = absolutize_tree(parse(source), URL)
    assert facts(links) == facts(linkfix.links(source, URL))
    assert [link.target for link in links if link.syntax == "refresh"] == ["https://h/d/a", "https://h/b/d"]


@every_parser
def test_a_part_before_the_base_and_a_part_after_it(parse):
    body = '<p><meta http-equiv="refresh" content="1;url=a"></p>'
    tree = parse(page(f'<div>{body}</div><base href="/b/"><section>{body}</section>'))
    assert [link.target for link in absolutize(part(tree, "div"), URL).links] == ["https://h/d/a"]
    assert [link.target for link in absolutize(part(tree, "section"), URL).links] == ["https://h/b/a"]


@pytest.mark.parametrize("hook", ["bs4", "lxml", "parsel", "selectolax"])
def test_trees_of_other_libraries_are_refused(hook):
    absolutize = importlib.import_module(f"linkfix.hooks.{hook}").absolutize
    trees = {
        "bs4": BeautifulSoup("<a href=x>", "html.parser"),
        "lxml": lxml.html.fromstring("<a href=x>"),
        "parsel": parsel.Selector("<a href=x>"),
        "selectolax": LexborHTMLParser("<a href=x>"),
    }
    for wrong in (*(tree for name, tree in trees.items() if name != hook), "<a href=x>", None, 3):
        with pytest.raises(TypeError, match=f"^{type(wrong).__name__}: give "):
            absolutize(wrong, "http://h/")
    assert absolutize(trees[hook], "http://h/").rewritten == 1
