from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.sizes import examples

import linkfix
from linkfix.document.linker import _SETTLED, is_absolute_reference
from linkfix.resolvers import RESOLVERS

URL = "https://h/d/p"


@pytest.mark.parametrize(
    ("reference", "absolute"),
    [
        ("https://h/", True),
        ("HTTP:\\\\h", True),
        ("ht\ntp:/\t/h", True),
        (" \x00\x1fhttp://h", True),
        ("mailto:x", True),
        ("urn:x", True),
        ("a+b-c.d:", True),
        # URL standard §4.4: relative where the base's scheme is the same
        ("http:x", False),
        ("https:/x", False),
        ("file:x", False),
        ("//h/x", False),
        ("1a:x", False),
        ("a b:x", False),
        ("x/y:z", False),
        (":x", False),
        ("?x:y", False),
        ("#x:y", False),
        ("", False),
    ],
)
def test_what_means_the_same_against_every_base(reference, absolute):
    assert is_absolute_reference(reference) is absolute


URLS = st.from_regex(rf"\A(?:{_SETTLED.pattern})").filter(lambda url: not url.startswith("data:"))


@settings(deadline=None, max_examples=examples(300))
@given(URLS)
@example("http://a-b.c1.example/a/b;c=d,e/?f=%20&g=/../h#i?j/k")
@example("https://www.example.com/?a#b#c")
@example("https://example.com/[a]:b@c")
def test_settled_references_are_their_own_targets(reference):
    for resolver in RESOLVERS.values():
        assert resolver.resolve("https://other/", reference).target == reference
    assert RESOLVERS["whatwg"].normalize(reference) == reference


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a href=x b>", '<a href="" b>'),
        ("<a href=x>", '<a href="">'),
        ('<a href="x">', '<a href="">'),
        ("<a href=&#32;x b>", "<a href=&#32; b>"),
        ("<img srcset=x&#32;1x,y>", "<img srcset=&#32;1x,>"),
        ("<style>a{b:url(x)}</style>", "<style>a{b:url()}</style>"),
        ("<iframe srcdoc=<a&#32;href=x>", "<iframe srcdoc=<a&#32;href=x>"),
        ("<iframe srcdoc=<a&#32;href=x&gt;>", "<iframe srcdoc=<a&#32;href=&#34;&#34;&gt;>"),
    ],
)
def test_an_empty_reference_can_be_written_everywhere(html, expected):
    assert linkfix.rewrite(html, lambda _link: "") == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<meta http-equiv=refresh content='5;url=x'>", "<meta http-equiv=refresh content='5;url=https://h/d/x'>"),
        (
            "<meta property=og:url name=twitter:url content=x>",
            "<meta property=og:url name=twitter:url content=https://h/d/x>",
        ),
        ("<a href=x data-own=y>", "<a href=https://h/d/x data-own=https://h/d/y>"),
    ],
)
def test_a_reference_is_written_once_whatever_rows_it_has(html, expected):
    rows = (
        linkfix.Row("a", "href", "url", "hyperlink"),
        linkfix.Row("*", "data-own", "url", "hyperlink", "href"),
        linkfix.Row("*", "data-own", "url", "hyperlink"),
    )
    assert linkfix.absolutize(html, URL, social=True, rows=rows) == expected


@pytest.mark.parametrize("spec", ["whatwg", "rfc3986"])
@pytest.mark.parametrize("reference", ["a%7eb", "HTTPS://H/a%7eb", "HTTPS://H:443/../a", "/%2e%2e/a", "#f", "?a%7eb"])
def test_normalizing_twice_is_normalizing_once(reference, spec):
    once = linkfix.absolutize(f'<a href="{reference}">', URL, spec=spec, normalize=True)
    assert linkfix.absolutize(once, URL, spec=spec, normalize=True) == once


@pytest.mark.parametrize("charset", ["windows-1253", "euc-kr", "utf-8", "big5", "shift_jis"])
@pytest.mark.parametrize("attribute", ["href='\xd2x'", "style='a:url(\xd2x)'", "srcset='\xd2x 1x'", "ping='\xff \xd2'"])
def test_bytes_that_are_not_valid_raise_nothing(charset, attribute):
    data = f"<a {attribute}><img {attribute}>".encode("latin-1")
    document = linkfix.Document(data, url=URL, charset=charset)
    assert b"https://h/d/" in document.absolutize()
    assert {problem.code for problem in document.problems} <= {"undecodable"}


@pytest.mark.parametrize("reference", ["{{ x }}", "{% url x %}", "<%= x %>", "${x}", "/a/{{ x }}", "{{ x }}/a"])
def test_templates_are_left_alone(reference):
    html = f'<a href="{reference}">'
    assert linkfix.absolutize(html, URL) == html
    assert [link.problem for link in linkfix.links(html, URL)] == ["template-syntax"]


def test_a_template_in_an_absolute_reference_is_no_fault():
    assert [link.problem for link in linkfix.links('<a href="https://o/{{ x }}">', URL)] == [None]
