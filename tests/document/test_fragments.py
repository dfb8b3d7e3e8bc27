"""Pieces of pages: no BASE of their own, bytes in UTF-8, elements without their parents; the filters for templates."""

from __future__ import annotations

import html.parser
import subprocess
import sys

import pytest
from support.each import for_each
from support.extras import needed
from support.paths import CHECKOUT
from support.running import ENVIRONMENT

import linkfix
from linkfix.hooks.lxml import absolutize as absolutize_lxml

URL = "https://h.test/d/p"
#: A piece -> the piece with absolute links.
PIECES = {
    "<td background=x><a href=../y>": "<td background=https://h.test/d/x><a href=https://h.test/y>",
    "</p></div><img srcset='a 1x, b 2x'>": "</p></div><img srcset='https://h.test/d/a 1x, https://h.test/d/b 2x'>",
    "<option><source src=x>": "<option><source src=https://h.test/d/x>",
    "<base href=/b/><a href=x>": "<base href=/b/><a href=https://h.test/d/x>",
    "<a href=x><base href=//other.test/>": "<a href=https://h.test/d/x><base href=//other.test/>",
    "<a href='#n'><a href=''>": "<a href='#n'><a href=''>",
    '<iframe srcdoc="<base href=/c/><a href=x>">': (
        '<iframe srcdoc="<base href=https://h.test/c/><a href=https://h.test/c/x>">'
    ),
    "<p style='background:url(i.png)'>": "<p style='background:url(https://h.test/d/i.png)'>",
    "no link": "no link",
    "": "",
}


@for_each(PIECES)
def test_a_piece_in_either_type(piece):
    assert linkfix.absolutize_fragment(piece, URL) == PIECES[piece]
    assert linkfix.absolutize_fragment(piece.encode(), URL) == PIECES[piece].encode()


@pytest.mark.parametrize(
    ("how", "made"),
    [
        ("ignore", "<base href=/b/ target=t><a href=https://h.test/d/x>"),
        ("keep", "<base href=https://h.test/b/ target=t><a href=https://h.test/b/x>"),
        ("remove", "<a href=https://h.test/b/x>"),
    ],
)
def test_a_base_counts_on_request(how, made):
    assert linkfix.absolutize_fragment("<base href=/b/ target=t><a href=x>", URL, base_element=how) == made


def test_links_within_the_piece_lead_to_the_page_on_request():
    piece = "<base href=/b/><a href='#n'><a href=''>"
    made = f"<base href=/b/><a href='{URL}#n'><a href='{URL}'>"
    assert linkfix.absolutize_fragment(piece, URL, fragments="absolutize") == made


def test_bytes_are_in_utf_8_unless_the_caller_says_otherwise():
    query = "<meta charset=windows-1251><a href='?q=п'>"
    made = "<meta charset=windows-1251><a href='https://h.test/d/p?q=%D0%BF'>"
    assert linkfix.absolutize_fragment(query, URL) == made
    assert linkfix.absolutize_fragment(query.encode(), URL) == made.encode()
    in_1251 = linkfix.absolutize_fragment("<a href='?q=п'>".encode("cp1251"), URL, charset="windows-1251")
    assert in_1251 == b"<a href='https://h.test/d/p?q=%EF'>"


def test_a_problem_raises_on_request():
    with pytest.raises(linkfix.DocumentProblem, match="http://"):
        linkfix.absolutize_fragment("<a href='http://['>", URL, strict=True)


def test_an_ignored_base_is_a_rejected_candidate():
    page = "<base href=/b/><a href=x>"
    base = linkfix.base_url(page, URL, base_element="ignore")
    assert (base.url, base.layer, base.start) == (URL, linkfix.Layer.RETRIEVAL, -1)
    assert [(lost.reference, lost.reason) for lost in base.rejected] == [
        ("/b/", "the option base_element ignores BASE elements")
    ]
    assert linkfix.Document("<base href='http://['>", url=URL, base_element="ignore").problems == ()


def test_a_tree_with_an_ignored_base():
    lxml_html = needed("lxml.html")
    tree = lxml_html.document_fromstring("<base href=/b/><a href=x>y</a>")
    made = absolutize_lxml(tree, URL, base_element="ignore")
    assert [(link.reference, link.target) for link in made.links if link.role != "base"] == [
        ("x", "https://h.test/d/x")
    ]
    assert [tree.find(".//base").get("href"), tree.find(".//a").get("href")] == ["/b/", "https://h.test/d/x"]


def test_hyperlinks():
    page = (
        "<base href=/b/><link href=style.css><a href='?x=1' ping=/seen>1</a><img src=i><area href='#y'>"
        "<a href='http://['>2</a><a>3</a><a href=mailto:a@b.test>4</a><form action=/f></form><svg><a href=z></a></svg>"
        "<a href='?x=1'>5</a><meta http-equiv=refresh content='1; url=next'>"
    )
    found = ["?x=1", "#y", None, "z", "?x=1", "next"]
    expected = [f"https://h.test/b/{one}" if one else "mailto:a@b.test" for one in found]
    assert linkfix.hyperlinks(page, URL) == expected
    assert linkfix.hyperlinks(page.encode(), URL) == expected
    assert linkfix.hyperlinks("<a href=x>") == []


class _Attributes(html.parser.HTMLParser):
    """Collects the values of href and srcset."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found += [value for name, value in attrs if name in {"href", "srcset"}]


@pytest.mark.slow
@pytest.mark.parametrize("library", ["django", "jinja2"])
def test_a_filter_for_templates(library):
    """It makes links absolute in marked text, and leaves other text escaped."""
    needed(library)
    script = CHECKOUT / "examples" / "recipes" / f"filter_{library.removesuffix('2')}.py"
    command = [sys.executable, "-W", "error", script, "https://h.test/d/p"]
    done = subprocess.run(command, capture_output=True, env=ENVIRONMENT, timeout=60, check=True, text=True)
    marked, other, *others = done.stdout.splitlines()
    assert _Attributes(marked).found == [
        "https://h.test/x?a=1&b=2",
        "https://h.test/d/p#note",
        "https://h.test/d/i.png 2x",
    ]
    assert other == "<div>&lt;a href=https://h.test/d/x&gt;</div>"
    assert others[-1] == "<div>None</div>"


def test_rewrite_leaves_an_ignored_base_element():
    page = '<base href=b/><a href=x><iframe srcdoc="<base href=c/>">'
    made = linkfix.rewrite(page, lambda link: f"n/{link.reference}", URL, base_element="ignore")
    assert made == '<base href=b/><a href=n/x><iframe srcdoc="<base href=n/c/>">'
    made = linkfix.rewrite(page, lambda link: f"n/{link.reference}", URL)
    assert made == '<base href=n/b/><a href=n/x><iframe srcdoc="<base href=n/c/>">'
