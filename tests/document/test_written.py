"""The output reads back: each target is the one in the old document, and a second run changes nothing."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.each import for_each
from support.sizes import examples

import linkfix
from linkfix import Document
from linkfix.resolvers import RESOLVERS

HTTPS, FTP, FILE = "https://site/dir/p", "ftp://h/", "file:///h/"


@pytest.mark.parametrize(
    ("html", "url", "expected"),
    [
        # a character reference without a semicolon right before the new URL
        (
            '<p style="background:url(&quot/i.png&quot)">',
            HTTPS,
            '<p style="background:url(&quot;https://site/i.png&quot)">',
        ),
        ('<p style="background:url(&#34/i.png&#34)">', HTTPS, '<p style="background:url(&#34https://site/i.png&#34)">'),
        ('<p style="background:url(&quot;/i&quot)">', HTTPS, '<p style="background:url(&quot;https://site/i&quot)">'),
        (
            '<meta http-equiv=refresh content="0;url=&quot/x&quot">',
            HTTPS,
            '<meta http-equiv=refresh content="0;url=&quot;https://site/x&quot">',
        ),
        ('<iframe srcdoc="<a href=&quot/x&quot>">', HTTPS, '<iframe srcdoc="<a href=&quot;https://site/x&quot>">'),
        (
            '<iframe srcdoc="<p style=&quot;a:url(&amp;quot/x&amp;quot)&quot;>">',
            HTTPS,
            '<iframe srcdoc="<p style=&quot;a:url(&amp;quot;https://site/x&amp;quot)&quot;>">',
        ),
        ('<a href="&#x9/x">', FTP, '<a href="&#x9;ftp://h/x">'),
        ('<a href="&#32/x">', FTP, '<a href="&#32ftp://h/x">'),
        ("<p style='background:url(&#x27/a&#x27)'>", FILE, "<p style='background:url(&#x27;file:///a&#x27)'>"),
        # in text, unlike in attributes, a name ends as soon as possible
        (
            "<svg><style>a{b:url(&quot/x&quot)}</style></svg>",
            HTTPS,
            "<svg><style>a{b:url(&quothttps://site/x&quot)}</style></svg>",
        ),
        (
            "<svg><style>a{b:url(&#x22/x&#x22)}</style></svg>",
            FILE,
            "<svg><style>a{b:url(&#x22;file:///x&#x22)}</style></svg>",
        ),
        # the white space around BASE's href
        ('<base href=" /x/\n"><a href=y>', HTTPS, '<base href=" https://site/x/\n"><a href=https://site/x/y>'),
        ("<base href=&#32;/x/><a href=y>", HTTPS, "<base href=&#32;https://site/x/><a href=https://site/x/y>"),
    ],
)
def test_the_bytes_around_a_reference_keep_their_meaning(html, url, expected):
    document = Document(html, url=url)
    targets = [link.target for link in document.links]
    assert document.absolutize() == expected
    new = Document(expected, url=url)
    assert [link.target for link in new.links] == [link.reference for link in new.links] == targets
    assert new.absolutize() == expected


def test_rewriting_uses_the_same_writer():
    html = '<p style="background:url(&quot/i.png&quot)"><iframe srcdoc="<a href=&quot/x&quot>">'
    new = linkfix.rewrite(html, lambda link: f"copy{link.reference}", url=HTTPS)
    assert new == '<p style="background:url(&quot;copy/i.png&quot)"><iframe srcdoc="<a href=&quot;copy/x&quot>">'
    assert [link.reference for link in linkfix.links(new)] == ["copy/i.png", "copy/x"]


CHARACTER_REFERENCES = st.sampled_from(
    ["&quot", "&quot;", '"', "&#34", "&#x22", "&#39", "&#x27", "&apos;", "&#32", "&#x20", "&Tab;", "&#9", "&#x9", " "]
)
VALUES = st.sampled_from(
    [
        '<p style="a:url({0}{2}{1})">',
        '<p style="a:image-set({0}{2}{1} 1x, {0}{2}{1} 2x)">',
        '<meta http-equiv=refresh content="0;url={0}{2}{1}">',
        '<iframe srcdoc="<a href={0}{2}{1}>">',
        '<iframe srcdoc="<p style=a:url({0}{2}{1})>">',
        '<img srcset="{0}{2}{1} 1x,{0}{2}{1}">',
        '<a href="{0}{2}{1}">',
        "<a href={0}{2}{1}>",
        '<a ping="{0}{2}{1}{0}">',
        '<base href="{0}{2}{1}">',
        "<svg><style>a{{b:url({0}{2}{1})}}</style></svg>",
    ]
)
PATHS = st.sampled_from(["/x", "x?a&b", "y&amp;z", "?a&copy=b", "a&lt", "#f", "/x&am", "/;", "=", "1", "#x", "&#3"])


@settings(deadline=None, max_examples=examples(400))
@given(
    st.builds(str.format, VALUES, CHARACTER_REFERENCES, CHARACTER_REFERENCES, PATHS),
    st.sampled_from([HTTPS, FTP, FILE, "data2://1/2/", "app:/a/b"]),
)
@example('<p style="a:url(&quot/x&quot)">', HTTPS)
def test_written_references_have_the_same_targets(html, url):
    document = Document(html, url=url)
    conversion = document.convert()
    new = Document(conversion.data, url=url)
    assert [link.target for link in new.links] == [link.target for link in document.links]
    assert new.absolutize() == conversion.data
    assert (conversion.links, conversion.rewritten) == (len(document.links), _written(document, new))


def _written(document, new):
    """The number of references that differ."""
    return sum(one.reference != other.reference for one, other in zip(document.links, new.links, strict=True))


# Idempotence with every resolver


@for_each(
    itertools.product(
        [
            ('<base href="1:2http://["><a href=x><a href="1:2http://["><a href="">', HTTPS),
            ("<a href=''>a</a><a href='#x'><a href=y><a href='HTTP://h'>", "HTTP://h"),
            ("<a href=''><a href='#x'><a href=y><a href='a/../y'><a href='DATA:y'><a href='data:/../y'>", "data:a/b,c"),
            ('<base href=" http:x "><a href=y><a href="http:y">', "http://h/a/b"),
            ('<base href=" HTTP://H/a/../b "><a href=y><a href=>', None),
            ('<a href="https:A/x"><a href=y><a href="#x"><a href="">', None),
        ],
        ["fielding1994", "rfc1808", "rfc2396", "rfc3986", "whatwg"],
        ["keep", "absolutize"],
        [False, True],
    )
)
def test_a_second_run_changes_nothing(page, spec, fragments, normalize):
    html, url = page
    options = {"url": url, "spec": spec, "fragments": fragments, "normalize": normalize}
    try:
        first = Document(html, **options).convert()
    except linkfix.InvalidBase:
        assert (spec, url) == ("rfc2396", "data:a/b,c")  # RFC 2396 §5: no references are relative to an opaque URI
        return
    assert first.links == len(Document(html, **options).links)
    second = Document(first.data, **options).convert()
    assert second.data == first.data
    assert second.rewritten == 0


@pytest.mark.parametrize(
    ("spec", "html", "url", "expected"),
    [
        # Fielding 1994 rule 2: a reference with the base's scheme is relative
        ("fielding1994", "<a href=y>", "data:a/b", [("data:a/y", "relative-target")]),
        ("fielding1994", "<a href=y>", "magic://a/b/c", [("magic://a/b/y", None)]),
        ("rfc3986", "<a href=y>", "data:a/b", [("data:a/y", None)]),
        ("whatwg", "<a href=https:A/x>", None, [(None, "no-base")]),
        ("whatwg", "<a href=https://A/x>", None, [("https://a/x", None)]),
        ("rfc3986", "<a href=https:A/x>", None, [("https:A/x", None)]),
    ],
)
def test_the_resolver_decides_whether_a_target_is_absolute(spec, html, url, expected):
    document = Document(html, url=url, spec=spec)
    assert [(link.target, link.problem) for link in document.links] == expected
    if expected[0][1] is not None:
        assert document.absolutize() == html
        assert [problem.code for problem in document.problems] == [expected[0][1]]


def test_a_base_that_depends_on_the_page_s_url_is_no_base_without_it():
    document = Document('<base href="https:A/x"><a href=y>')
    assert document.base.url is None
    assert document.absolutize() == '<base href="https:A/x"><a href=y>'
    assert document.with_url("https://h/d/").base.url == "https://h/d/A/x"


# Counts and problems


@pytest.mark.parametrize(
    ("base_element", "counts"), [("keep", (4, 2)), ("drop-href", (4, 1)), ("remove", (4, 1)), ("insert", (4, 1))]
)
def test_base_is_counted_as_links_count_it(base_element, counts):
    html = "<base href=/x/><base href=/y/><template><base href=/z/></template><a href=y>"
    document = Document(html, url=HTTPS, base_element=base_element)
    conversion = document.convert()
    assert len(document.links) == 4
    assert (conversion.links, conversion.rewritten) == counts


def test_problems_of_one_place_are_in_order_of_detection():
    code = """if True:
        import linkfix
        document = linkfix.Document(b"\\x1b$B\\xff\\xff<a href=x>", charset="iso-2022-jp", base_element="insert")
        print(*(problem.code for problem in document.convert().problems))
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    seen = {
        subprocess.check_output([sys.executable, "-c", code], env={**environment, "PYTHONHASHSEED": seed}, text=True)
        for seed in ("0", "1", "2", "3")
    }
    assert seen == {"encoding-round-trip no-base\n"}


def test_problems_are_in_document_order():
    html = b"<a href='http://['>" + b" " * 1100 + b"<meta charset=windows-1251><img srcset='a zz'>"
    problems = Document(html, url=HTTPS).problems
    assert [problem.code for problem in problems] == ["unresolvable", "charset-late", "srcset-descriptor"]


# Characters that the document's encoding lacks


@pytest.mark.parametrize(
    ("html", "media_type", "charset", "expected"),
    [
        (
            b'<l xmlns="http://www.w3.org/1999/xhtml"><style><![CDATA[a{b:url(x)}]]></style></l>',
            "application/xhtml+xml",
            "windows-1252",
            b"<![CDATA[a{b:url(http://n/\\4e2d )}]]>",
        ),
        (
            b'<l xmlns="http://www.w3.org/1999/xhtml"><style>a{b:url(x)}</style></l>',
            "application/xhtml+xml",
            "windows-1252",
            b"<style>a{b:url(http://n/&#20013;)}</style>",
        ),
        (b"<style>a{b:url(x)}</style>", "text/html", "windows-1252", b"<style>a{b:url(http://n/\\4e2d )}</style>"),
        (
            b"<style>a{b:url(x)}</style>",
            "text/html",
            "iso-2022-jp",
            b"<style>a{b:url(http://n/\x1b$BCf\x1b(B)}</style>",
        ),
        (b"<style>a{b:url(x)}</style>", "text/html", "iso-8859-8", b"<style>a{b:url(http://n/\\4e2d )}</style>"),
        (b'<p style="b:url(x)">', "text/html", "windows-1252", b'<p style="b:url(http://n/&#20013;)">'),
    ],
)
def test_characters_that_the_encoding_lacks_are_written_as_their_place_reads_them(html, media_type, charset, expected):
    url = "http://n/\u4e2d"
    new = linkfix.rewrite(html, lambda _: url, charset=charset, media_type=media_type)
    assert expected in new
    assert [link.reference for link in linkfix.links(new, charset=charset, media_type=media_type)] == [url]


# Faults that fuzzing found


@pytest.mark.parametrize("url", ["data:text/html,x", "javascript:void(0)"])
def test_no_base_is_inserted_that_browsers_refuse(url):
    conversion = Document(b"<a href=x>", url=url, base_element="insert").convert()
    assert conversion.data == b"<a href=x>"
    assert "base-unusable" in {problem.code for problem in conversion.problems}


@pytest.mark.parametrize(
    "reference", [b"mailto:x\x83", b"tel:\x83", b"http://h.example/\x83", b"https://h.example/?\x83"]
)
def test_bytes_that_cannot_be_decoded_are_a_problem_in_absolute_references_too(reference):
    document = Document(b"<a href=" + reference + b">", url=HTTPS, charset="utf-8")
    assert [problem.code for problem in document.convert().problems] == ["undecodable"]
    assert [link.problem for link in document.links] == ["undecodable"]


def test_a_null_in_an_element_s_name_is_the_replacement_character():
    assert [link.element for link in linkfix.links('<g\0 style="a:url(b)">')] == ["g\ufffd"]


@pytest.mark.parametrize("html", ["<iframe srcdoc=>", "<iframe srcdoc= >", "<a href=>", "<img srcset=>", "<p style=>"])
def test_an_empty_value_stays(html):
    assert linkfix.absolutize(html, url=HTTPS) == html


@pytest.mark.parametrize("url", ["x<1.png", "x<<1", "x< y", "x<", "x<='"])
def test_a_less_than_sign_that_begins_no_tag_is_text(url):
    html = f'<svg><style>a{{b:url("{url}")}}</style></svg>'
    assert [link.reference for link in linkfix.links(html, url=HTTPS)] == [url]


@pytest.mark.parametrize("spec", RESOLVERS)
@pytest.mark.parametrize(
    ("media_type", "data", "charset"),
    [
        ("text/x-robots", b"Sitemap: e\n", "big5"),
        ("text/markdown", b"[a](e)", "big5"),
        ("text/markdown", b"[a]: e\n\n[a]", "koi8-r"),
        ("text/rfc822-headers", b"List-Help: <e>\n", "utf-8"),
        ("text/rfc822-headers", b"Link: <e>; rel=a\n", "utf-8"),
    ],
)
def test_a_host_is_not_percent_encoded(spec, media_type, data, charset):
    """The RFCs have no ASCII form of such a host; if no escape can write it either, the reference stays."""
    asked = {"plain_text": True, "header_fields": True, "spec": spec, "charset": charset, "media_type": media_type}
    made = Document(data, url="https://b\u00fccher.example/", **asked).convert()
    if spec == "whatwg":
        assert (b"https://xn--bcher-kva.example/e" in made.data, made.problems) == (True, ())
    else:
        assert (made.data, [problem.code for problem in made.problems]) == (data, ["host-unwritable"])
    before = linkfix.links(made.data, url="https://example.com/", **asked)
    assert [link.reference for link in before] == [
        "https://xn--bcher-kva.example/e" if spec == "whatwg" else "e",
    ]


@pytest.mark.parametrize("spec", sorted({*RESOLVERS} - {"whatwg", "urljoin"}))
@pytest.mark.parametrize(
    ("media_type", "data"),
    [
        ("text/html", b"<a href=e>"),
        ("text/html", b"<style>a{background:url(e)}</style>"),
        ("text/css", b"a{background:url(e)}"),
        ("text/html", b'<script type="importmap">{"imports": {"a": "./e"}}</script>'),
        ("application/manifest+json", b'{"start_url": "e"}'),
        ("application/feed+json", b'{"items": [{"url": "e"}]}'),
        ("image/svg+xml", b'<svg xmlns="http://www.w3.org/2000/svg"><a href="e"/></svg>'),
    ],
)
def test_a_host_is_written_in_another_form_if_possible(spec, media_type, data):
    url = "https://b\u00fccher.example/"
    made = Document(data, url=url, spec=spec, charset="big5", media_type=media_type).convert()
    assert made.problems == ()
    links = linkfix.links(made.data, url="https://other.example/", spec=spec, charset="big5", media_type=media_type)
    assert [link.target for link in links] == [f"{url}e"]


@pytest.mark.parametrize("base_element", ["drop-href", "empty", "remove"])
@pytest.mark.parametrize("href", ["mailto:x", "urn:x", "javascript:0"])
def test_a_base_that_nothing_can_be_resolved_against_stays_with_the_references(href, base_element):
    html = f"<base href='{href}'><a href=x>"
    usable = Document(html, url=HTTPS).base.url == HTTPS  # browsers refuse a BASE with javascript: or data:
    conversion = Document(html, url=HTTPS, base_element=base_element).convert()
    again = Document(conversion.data, url=HTTPS, base_element=base_element).convert()
    assert again.data == conversion.data
    assert (conversion.data == html) is not usable
    assert ([problem.code for problem in conversion.problems] == ["unresolvable"]) is not usable


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("http://h/a?q=${x}", "http://h/a?q=$%7Bx}"),
        ("http://h/a#{{x}}", "http://h/a#%7B%7Bx}}"),
        ("http://h/a?{%x", "http://h/a?%7B%x"),
    ],
)
def test_the_url_of_a_page_is_no_template(url, base):
    conversion = Document("<img src=z>", url=url, base_element="insert").convert()
    assert (conversion.data, conversion.problems) == (f'<base href="{base}"><img src=z>', ())
    again = Document(conversion.data, url=url, base_element="insert").convert()
    assert again.data == conversion.data
    assert [link.target for link in linkfix.links(again.data, url) if link.element == "img"] == ["http://h/z"]


@pytest.mark.parametrize(
    ("href", "base"),
    [
        ("a/&lt;%41", "http://h/p/a/%3C%41"),
        ("a/<%c3.x%>", "http://h/p/"),
        ("a/<%= x", "http://h/p/"),
        ("{%41", "http://h/p/%7B%41"),
    ],
)
def test_an_encoded_character_after_a_brace_is_no_placeholder(href, base):
    assert linkfix.base_url(f'<base href="{href}">', url="http://h/p/").url == base
