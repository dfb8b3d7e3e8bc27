"""BASE elements that HTML's tree construction drops for a frameset, in trees of parsers that keep them."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup
from hypothesis import example, given
from hypothesis import strategies as st
from support.tree_parsers import PARSERS, URL, absolutize, every_parser, soup_by

import linkfix

FRAMES = '<frameset><frame src="x"></frameset>'

simple_parser = pytest.mark.parametrize(
    "parse", [PARSERS[name] for name in ("lxml.html", "parsel", "bs4 html.parser", "bs4 lxml")]
)


def base_of(parse, source, **fields):
    return absolutize(parse(source), URL, **fields).base


@every_parser
@pytest.mark.parametrize(
    ("source", "path"),
    [
        ('<html><head></head><frameset><base href="/b/"><frame src="x"></frameset></html>', None),
        ('<html><head></head><frameset><frame src="x"></frameset><base href="/b/"></html>', None),
        ('<html><head><base href="/a/"></head><frameset><base href="/b/"><frame src="x"></frameset></html>', "/a/"),
        (f'<div><base href="/b/"></div>{FRAMES}', None),
        (f'<div></div><base href="/b/">{FRAMES}', None),
        (f'<base href="/a/"><div><base href="/b/"></div>{FRAMES}', "/a/"),
        (f'<input type="HIDDEN"><base href="/b/">{FRAMES}', None),
        (f'<input><base href="/b/">{FRAMES}', "/b/"),
        (f'<p>x</p>{FRAMES}<base href="/b/">', "/b/"),
        (f'<div><img src="i"></div>{FRAMES}<base href="/b/">', "/b/"),
        (f'<body class="c">{FRAMES}<base href="/b/"></body>', "/b/"),
        (f'<svg><a></a></svg>{FRAMES}<base href="/b/">', None),
        (f'<svg><text>x</text></svg>{FRAMES}<base href="/b/">', "/b/"),
        (f'<svg><image /></svg>{FRAMES}<base href="/b/">', None),
        (f'<title>x</title><script>x</script>{FRAMES}<base href="/b/">', None),
        (f'<div><style>x</style></div>{FRAMES}<base href="/b/">', None),
        (f'<template>x</template>{FRAMES}<base href="/b/">', None),
        (f'<template>{FRAMES}</template><base href="/b/">', "/b/"),
        (f'<div><template></template></div>{FRAMES}<base href="/b/">', "/b/"),
        (f'<noframes><p>x</p></noframes>{FRAMES}<base href="/b/">', None),
        (f'<!-- x -->{FRAMES}<!-- x --><base href="/b/">', None),
        ('<base href="/a/"><p>x</p>', "/a/"),
    ],
)
def test_base_elements_of_a_frameset(request, parse, source, path):
    if "template" in source and "html5lib" in request.node.callspec.id:
        pytest.skip("html5lib does not know templates")
    if "HIDDEN" in source and parse is PARSERS["selectolax"]:
        pytest.skip("lexbor knows this in lower case only")
    base = base_of(parse, source)
    assert base.url == (f"https://h{path}" if path else URL)
    assert base.url == linkfix.Document(source, url=URL).base.url


@simple_parser
def test_the_reason_is_given(parse):
    base = base_of(parse, f'<div><base href="/b/"></div>{FRAMES}')
    document = linkfix.Document(f'<div><base href="/b/"></div>{FRAMES}', url=URL).base
    assert [one.reason for one in base.rejected] == [one.reason for one in document.rejected]


@simple_parser
def test_a_part_of_a_document(parse):
    tree = parse(f'<base href="/a/"><div><base href="/b/"></div>{FRAMES}')
    part = tree.find("frame") if isinstance(tree, BeautifulSoup) else tree.xpath("//frame")[0]
    assert absolutize(part, URL).base.url == "https://h/a/"


def test_a_body_without_attributes_is_made_by_libxml2():
    source = f'<html><body><div><base href="/b/"></div>{FRAMES}</body></html>'
    assert base_of(PARSERS["bs4 html.parser"], source).url == "https://h/b/"  # it makes none
    assert base_of(PARSERS["lxml.html"], source).url == URL
    assert base_of(PARSERS["bs4 lxml"], source).url == URL


@simple_parser
def test_noscript_is_text_if_scripts_are_on(parse):
    source = f'<div><noscript><img src="i"></noscript></div>{FRAMES}<base href="/b/">'
    assert base_of(parse, source, scripting="off").url == "https://h/b/"
    assert base_of(parse, source, scripting="on").url == URL


#: Markup that html.parser nests as the source does: no end tag is implied, a text element ends at its first end tag.
_LEAVES = "<base href=a>", "<base href=b>", "<br>", "<input>", "<input type=hidden>", "<meta>", "<!--c-->", " ", "x"
_TEXTS = [f"<{name}>{leaf}</{name}>" for name in ("noframes", "style", "iframe") for leaf in _LEAVES]
_NESTING = ("div", "b", "frameset", "template", "i", "section")
leaves = st.sampled_from((*_LEAVES, *_TEXTS))


def nested(inner):
    elements = st.builds("<{0}>{1}</{0}>".format, st.sampled_from(_NESTING), inner)
    return st.lists(elements | leaves, max_size=4).map("".join)


@given(st.recursive(leaves, nested, max_leaves=9))
@example("<div><base href=a></div><frameset></frameset>")
@example("<base href=a><template>x</template><frameset></frameset>")
def test_html_parser_as_html(source):
    assert base_of(soup_by("html.parser"), source).url == linkfix.Document(source, url=URL).base.url
