"""The layers of a document by itself; containers/test_mime_layers.py tests the layers of messages."""

from __future__ import annotations

import bs4
import lxml.html
import pytest
from support.each import for_each
from support.paths import CHECKOUT

import linkfix.hooks.bs4
import linkfix.hooks.lxml
from linkfix import Document, Envelope, Layer
from linkfix.document import LAYERS
from linkfix.resolvers import RESOLVERS

URL = "http://h/d/p"


def test_each_resolver_has_layers():
    assert list(LAYERS) == list(RESOLVERS)


@for_each(LAYERS)
def test_layers_are_in_their_order(spec):
    order = list(Layer)
    places = [order.index(layer) for layer in LAYERS[spec]]
    assert places == sorted(places)


@for_each(LAYERS)
def test_each_source_is_in_one_layer(spec):
    sources = [source for rule in LAYERS[spec].values() for source in rule.sources]
    assert len(sources) == len(set(sources)) >= 3


@pytest.mark.parametrize("spec", RESOLVERS)
def test_a_srcdoc_has_the_base_of_the_page_around_it(spec):
    """It is a piece of the page: no specification has another base for it."""
    page = '<base href="http://o/e/"><iframe srcdoc="<a href=g>">'
    (link,) = [link for link in Document(page, url=URL, spec=spec).links if link.element == "a"]
    assert link.target == "http://o/e/g"


@pytest.mark.parametrize(
    ("spec", "layer"),
    [
        ("fielding1994", Layer.RETRIEVAL),  # the context of its retrieval
        ("rfc1808", Layer.ENCAPSULATING),
        ("rfc2396", Layer.ENCAPSULATING),
        ("rfc3986", Layer.ENCAPSULATING),
        ("whatwg", Layer.ENCAPSULATING),
    ],
)
def test_the_layer_of_the_page_around(spec, layer):
    inner = Document("<a href=g>", envelope=Envelope(base=URL, parent=Envelope("http://outer/")), spec=spec)
    assert (inner.base.url, inner.base.layer) == (URL, layer)


# A BASE element in the body (RFC 1808 §10, RFC 2396 appendix D)

IN_BODY = [
    "<p>x<base href='http://o/e/'><a href=g>",
    "<body><base href='http://o/e/'><a href=g>",
    "x<base href='http://o/e/'><a href=g>",
    "<head></head><div><base href='http://o/e/'><a href=g></div>",
    "<head><title>x</title></head><body><a href=g></a><base href='http://o/e/'>",
]
IN_HEAD = [
    "<base href='http://o/e/'><a href=g>",
    "<head><base href='http://o/e/'></head><a href=g>",
    "<title>x</title><meta name=x><!-- x --> <base href='http://o/e/'><body><a href=g>",
    "<html><head><script>x</script><style>x</style><link rel=x><base href='http://o/e/'><a href=g>",
    # §13.2.6.4.6: a base that comes after the head and before the body is put into the head.
    "<head></head> <base href='http://o/e/'><body><a href=g>",
]


def codes(page, spec, **given):
    return [problem.code for problem in Document(page, url=URL, spec=spec, **given).problems]


@pytest.mark.parametrize("page", IN_BODY)
@pytest.mark.parametrize("spec", RESOLVERS)
def test_a_base_element_in_the_body_is_used_and_reported(spec, page):
    """The appendices are "nothing more than a descriptive example": they explain, and refuse nothing."""
    document = Document(page, url=URL, spec=spec)
    assert document.base.url == "http://o/e/"
    assert document.base.where.startswith("line 1, column ")
    assert codes(page, spec) == (["base-in-body"] if spec in {"rfc1808", "rfc2396"} else [])
    assert [problem.start for problem in document.problems] == [page.index("http://o")] * len(document.problems)
    assert "http://o/e/g" in document.absolutize()


@pytest.mark.parametrize("page", IN_HEAD)
@pytest.mark.parametrize("spec", RESOLVERS)
def test_a_base_element_in_the_head_is_as_it_should_be(spec, page):
    assert codes(page, spec) == []
    assert Document(page, url=URL, spec=spec).base.url == "http://o/e/"


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<head><base href='http://o/e/'/></head><body/>", []),
        ("<head/><body><base href='http://o/e/'/></body>", ["base-in-body"]),
        ("<body><base href='http://o/e/'/></body>", ["base-in-body"]),
        ("<head><link href='x'/></head><body><base href='http://o/e/'/></body>", ["base-in-body"]),
    ],
)
def test_in_xhtml(page, expected):
    page = f'<html xmlns="http://www.w3.org/1999/xhtml">{page}</html>'
    assert codes(page, "rfc1808", media_type="application/xhtml+xml") == expected


@pytest.mark.parametrize(
    "convert",
    [
        lambda page, **given: linkfix.hooks.lxml.absolutize(lxml.html.document_fromstring(page), URL, **given),
        lambda page, **given: linkfix.hooks.bs4.absolutize(bs4.BeautifulSoup(page, "html5lib"), URL, **given),
        lambda page, **given: linkfix.hooks.bs4.absolutize(bs4.BeautifulSoup(page, "html.parser"), URL, **given),
    ],
)
@pytest.mark.parametrize("spec", ["rfc1808", "whatwg"])
def test_in_trees(spec, convert):
    outside = "<html><head></head><body><base href='http://o/e/'><a href=g></body></html>"
    inside = "<html><head><base href='http://o/e/'></head><body><a href=g></body></html>"
    assert [problem.code for problem in convert(outside, spec=spec).problems] == ["base-in-body"] * (spec == "rfc1808")
    assert [problem.code for problem in convert(inside, spec=spec).problems] == []


# No base: RFC 1808 §3.4


@pytest.mark.parametrize("kind", [bytes, str])
def test_without_a_base_every_reference_is_parsed_as_absolute(kind):
    page = "<a href=../g>x</a><a href='//h/g'>x</a><a href='a:g'>x</a><a href='#s'>x</a><a href=''>x</a>"
    page = page.encode() if kind is bytes else page
    document = Document(page, spec="rfc1808")
    assert (document.base.url, document.base.layer) == ("", Layer.DEFAULT)
    assert [(link.target, link.base, link.problem) for link in document.links] == [
        ("../g", "", "no-base"),
        ("//h/g", "", "no-base"),
        ("a:g", "", None),
        ("#s", "", None),
        (None, "", None),
    ]
    assert document.absolutize() == page
    assert [problem.code for problem in document.problems] == ["no-base", "no-base"]


@pytest.mark.parametrize(
    "page", ["<svg><script href='#'>", "<svg><use href='#s'/></svg>", "<style>a{b:url(#s)}</style>"]
)
def test_a_reference_within_the_document_too(page):
    (link,) = Document(page, spec="rfc1808").links
    assert (link.target, link.problem) == (link.reference, None)


def test_by_the_rules_of_1994_too():
    """Rule 1: if the base URL is unknown, the embedded URL is interpreted as an absolute URL."""
    document = Document("<a href=g>x</a><a href='http:g'>x</a><a href='#s'>x</a>", spec="fielding1994")
    assert (document.base.url, document.base.layer) == (None, Layer.NONE)
    assert [(link.target, link.problem) for link in document.links] == [
        ("g", "no-base"),
        ("http:g", None),
        ("#s", None),
    ]


def test_a_same_document_reference_needs_no_base():
    """RFC 2396 §4.2. In a form, an empty reference is the base."""
    document = Document("<a href=''>x</a><a href='#s'>x</a><form action=''>", spec="rfc2396")
    assert [link.target for link in document.links] == ["", "#s", None]


@pytest.mark.parametrize("mode", ["keep", "drop-href", "empty", "remove", "insert"])
@pytest.mark.parametrize("fields", [{"spec": "rfc1808"}, {}])
def test_a_base_element_that_cannot_be_resolved_stays(mode, fields):
    """References relative to it would change their meaning without it."""
    page = '<base href="e/"><a href=g>'
    conversion = Document(page, base_element=mode, **fields).convert()
    assert conversion.data == page
    assert {problem.code for problem in conversion.problems} == {"base-unusable", "no-base"}


@pytest.mark.parametrize(
    "page",
    [
        '<script type=importmap>{"imports": {"a": "./a.js"}}</script><script type=module src="./b.js"></script>',
        '<object codebase="x/" data="y">',
        '<style>@import "a.css"; a { background: url(b.png) }</style>',
        '<form action=""><input formaction="?x"></form>',
        '<meta http-equiv=refresh content="1; url=x">',
        '<iframe srcdoc="<base href=x/><a href=y>">',
    ],
)
def test_with_an_empty_base_every_place_is_unchanged(page):
    document = Document(page, spec="rfc1808")
    assert document.absolutize() == page
    assert {problem.code for problem in document.problems} <= {"no-base", "base-unusable"}
    assert all(link.target in {link.reference, None} for link in document.links)


# No base in a message: RFC 2557 §5 (e)

MESSAGE = Envelope(parent=Envelope(base="thismessage:/"))


def test_references_with_a_meaning_only_in_the_message_are_reported():
    page = '<a href=g>x</a><a href="#s">x</a><a href="">x</a><img src="http://h/i">'
    document = Document(page, envelope=MESSAGE)
    assert [(link.target, link.problem) for link in document.links] == [
        ("thismessage:/g", "message-base"),
        ("thismessage:/#s", None),
        ("thismessage:/", None),
        ("http://h/i", None),
    ]
    assert document.absolutize() == page
    assert [(problem.code, problem.start) for problem in document.problems] == [("message-base", 8)]
    assert "--url" in document.problems[0].message
    assert "--default-base" in document.problems[0].message


@pytest.mark.parametrize("mode", ["keep", "drop-href", "empty", "remove", "insert"])
@pytest.mark.parametrize("page", ['<base href="e/"><a href=g>', "<a href=g>"])
def test_no_base_element_is_made_of_this_message(mode, page):
    conversion = Document(page, envelope=MESSAGE, base_element=mode, fragments="absolutize").convert()
    assert conversion.data == page
    assert [problem.code for problem in conversion.problems] == ["message-base"]


def test_references_relative_to_the_scheme_of_the_message_are_reported():
    """On a base of another scheme, "http:g" is a URL of its own (URL standard); which base there is, is not known."""
    document = Document("<a href='http:g'>", envelope=MESSAGE)
    assert [problem.code for problem in document.problems] == ["message-base"]
    assert document.absolutize() == "<a href='http:g'>"


def test_references_that_the_caller_keeps_are_no_problem():
    """For example, references to the other parts of a message."""
    document = Document("<a href=g><a href=h>", envelope=MESSAGE, keep=lambda target: target == "thismessage:/g")
    assert [link.problem for link in document.links] == [None, "message-base"]


def test_the_documents_have_the_table():
    """docs/base.md, "Layers by specification"."""
    rows = []
    for spec, rules in LAYERS.items():
        is_numbered = all(rule.section for rule in rules.values())
        for number, rule in enumerate(rules.values()):
            name = f"{rule.section} {rule.name}" if is_numbered else rule.name
            first = "" if number else f"`{spec}` "
            rows.append(f"| {first}| {name} | {'; '.join(rule.sources)} |")
    assert "\n".join(rows) in (CHECKOUT / "docs" / "base.md").read_text("utf-8")
