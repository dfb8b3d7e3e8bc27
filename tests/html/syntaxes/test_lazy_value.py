"""Attributes of lazy loaders, whose values decide their syntax."""

from __future__ import annotations

import bs4
import lxml.html
import pytest
from support.each import for_each

import linkfix
from linkfix.hooks.bs4 import absolutize as absolutize_bs4
from linkfix.hooks.lxml import absolutize as absolutize_lxml
from linkfix.html.syntaxes import SYNTAXES

URL = "https://ex.example/d/p.html"
#: The base for relative URLs.
BASE = "https://ex.example/d/"


def converted(attribute, value, **options):
    """The new value of an attribute, and the codes of problems."""
    document = linkfix.Document(f'<p {attribute}="{value}">', url=URL, lazy=True, **options)
    conversion = document.convert()
    return conversion.data[len(attribute) + 5 : -2], [problem.code for problem in conversion.problems]


#: A value, with its URLs between «».
VALUES = [
    # A URL, though it may look otherwise.
    "«a.jpg»",
    " «a.jpg» ",
    "«url(1).jpg»",
    "«url(1)-small.jpg»",
    "«image(1).jpg»",
    "«a/url(1).jpg»",
    "«a|b.jpg»",
    "«[1].jpg»",
    "«https:a.jpg»",
    # CSS.
    "url(«img/a.jpg»)",
    "URL( «img/a.jpg» )",
    "url('«a b.jpg»')",
    "url(&quot;«a(1).jpg»&quot;)",
    "url(«a.jpg»), url(«b.jpg»)",
    "linear-gradient(rgba(0, 0, 0, .5), red), url(«a.jpg»)",
    "url(«a.jpg»),-webkit-linear-gradient(top, red, blue)",
    "repeating-conic-gradient(red, blue 10%)",
    "image-set('«a.jpg»' 1x, url(«b.jpg») 2x)",
    "-webkit-image-set(url(«a.jpg») 1x)",
    "#fff url(«a.jpg») no-repeat",
    "no-repeat center/cover url(«a.jpg»)",
    "background-image: url(«a.jpg»)",
    "url(«a.jpg»",
    "url(#a)",
    "rgb(1, 2, 3)",
    "var(--a)",
    # Settings of a script.
    "{&quot;a&quot;: &quot;b.jpg&quot;}",
    "[&quot;a.jpg&quot;]",
    "[]",
]


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("attribute", ["data-bg", "data-src", "data-background-image", "data-bg-multi", "data-image"])
def test_the_value_decides_its_syntax(attribute, value):
    expected = value.replace("«https:", "«").replace("«a b", "«a%20b").replace("«", BASE).replace("»", "")
    assert converted(attribute, value.replace("«", "").replace("»", "")) == (expected, [])


def test_absolute_urls_are_never_destroyed():
    for value in ("url('https://cdn.example/c.jpg')", "url(//cdn.example/c.jpg) https://x/", "https://cdn.example/a b"):
        new, _ = converted("data-bg", value)
        assert new == value.replace("(//", "(https://")


@pytest.mark.parametrize(
    "value",
    [
        "«a.jpg»",
        "«a.jpg» 1x, «b.jpg» 2x",
        "«g.jpg» [(max-width: 1px)] | «h.jpg»",
        "«a.jpg» 100w,«b.jpg» 200w [(max-width: 2px)] [type: image/webp] |«c.jpg»",
        "«a.jpg» [--small]| «b.jpg» [ --large ]  ",
        " | «a.jpg» | ",
        "«a|b.jpg» 1x",
        "url(«a.jpg»), url(«b.jpg»)",
        "image-set(url(«a.jpg») 1x)",
        "«a_{width}x.jpg» {width}w, «b.jpg» 2x",
        "{&quot;a&quot;: 1}",
    ],
)
@pytest.mark.parametrize("attribute", ["data-bgset", "data-srcset", "data-lazy-srcset", "data-bg-set"])
def test_a_set_of_images_can_be_several_sets_with_media_queries(attribute, value):
    expected = value.replace("«", BASE).replace("»", "")
    assert converted(attribute, value.replace("«", "").replace("»", "")) == (expected, [])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("/s/b_{width}x.jpg", "https://ex.example/s/b_{width}x.jpg"),
        ("//cdn.example/a_{width}x.jpg?v=1", "https://cdn.example/a_{width}x.jpg?v=1"),
        ("a/{width}x{height}/{0}.jpg", f"{BASE}a/{{width}}x{{height}}/{{0}}.jpg"),
        ("a/{ width }.jpg", f"{BASE}a/{{ width }}.jpg"),
        ("a?w={width}#{height}", f"{BASE}a?w={{width}}#{{height}}"),
        ("a%7Bwidth%7D/{width}.jpg", f"{BASE}a%7Bwidth%7D/{{width}}.jpg"),
        ("é/{width}.jpg", f"{BASE}%C3%A9/{{width}}.jpg"),
        ("a/{width}/../b.jpg", f"{BASE}a/b.jpg"),
        ('a{"b"}.jpg', f"{BASE}a%7B%22b%22%7D.jpg"),
        ("https://ex.example/{width}", "https://ex.example/{width}"),
        ("url(a/{width}.jpg)", f"url({BASE}a/{{width}}.jpg)"),
    ],
)
def test_placeholders_of_scripts_stay_literal(value, expected):
    assert converted("data-src", value.replace('"', "&quot;")) == (expected, [])


def test_placeholders_of_scripts_stay_literal_when_an_absolute_url_is_normalized():
    assert converted("data-src", "HTTPS://ex.example/./{width}", normalize=True) == ("https://ex.example/{width}", [])


@for_each(["{base}/a.jpg", "{width}", "//{cdn}/a.jpg", "https://a.{cdn}/a.jpg", "https:{cdn}", "{{ a }}/{width}.jpg"])
def test_a_url_that_begins_with_a_placeholder_stays(value):
    assert converted("data-src", value) == (value, ["template-syntax"])
    (link,) = linkfix.links(f"<p data-src='{value}'>", URL, lazy=True)
    assert (link.reference, link.target, link.problem) == (value, None, "template-syntax")


def test_a_placeholder_of_a_script_stays_literal_in_other_syntaxes_of_a_lazy_value():
    assert converted("data-bg", "url({width}.jpg)") == ("url({width}.jpg)", ["template-syntax"])


def test_links_have_the_whole_reference():
    links = linkfix.links("<p data-src='s/b_{width}x.jpg' data-bgset='g.jpg [--a] | h.jpg'>", URL, lazy=True)
    assert [(link.reference, link.target) for link in links] == [
        ("s/b_{width}x.jpg", f"{BASE}s/b_%7Bwidth%7Dx.jpg"),
        ("g.jpg", f"{BASE}g.jpg"),
        ("h.jpg", f"{BASE}h.jpg"),
    ]


@pytest.mark.parametrize("value", ["url(a.jpg)", "a_{width}.jpg", "{&quot;a&quot;: 1}", "{a}/b", "a.jpg"])
def test_trees_are_converted_as_documents_are(value):
    page = f'<p data-bg="{value}" data-bgset="{value} [--b] | c.jpg"></p>'
    expected = lxml.html.fromstring(linkfix.absolutize(page, URL, lazy=True)).attrib
    tree = lxml.html.fromstring(page)
    absolutize_lxml(tree, URL, lazy=True)
    assert dict(tree.attrib) == dict(expected)
    soup = bs4.BeautifulSoup(page, "html.parser")
    absolutize_bs4(soup, URL, lazy=True)
    assert dict(soup.p.attrs) == dict(expected)


def test_rewriting_can_write_other_placeholders():
    def other(link):
        return f"https://cdn.example/{link.reference}?{{other}}"

    page = "<p data-src='{width}/a_{width}.jpg'><p data-src='a_{width}.jpg'>"
    document = linkfix.Document(page, url=URL, lazy=True)
    expected = "<p data-src='{width}/a_{width}.jpg'><p data-src='https://cdn.example/a_{width}.jpg?%7Bother%7D'>"
    assert document.rewrite(lambda link: other(link) if link.target else None) == expected


@pytest.mark.parametrize("syntax", ["lazy-url", "lazy-srcset"])
@pytest.mark.parametrize("text", ["url(a", "{a}{b}", "[[[", "{" * 2000, " | " * 20, "((((", '"' * 9, "' [" * 9])
def test_broken_values_are_no_trouble(syntax, text):
    assert all(text[one.start : one.end] for one in SYNTAXES[syntax](text) if one.reference)
