from __future__ import annotations

import tracemalloc
from urllib.parse import quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.sizes import examples

import linkfix
from linkfix.document.base import as_base
from linkfix.document.decide import _SETTLED, Decider, validate
from linkfix.html.syntaxes import SYNTAXES
from linkfix.resolvers import RESOLVERS

URL = "https://h/d/p"


URLS = st.from_regex(rf"\A(?:{_SETTLED.pattern})").filter(lambda url: not url.startswith("data:"))


@settings(deadline=None, max_examples=examples(300))
@given(URLS)
@example("http://a-b.c1.example/a/b;c=d,e/?f=%20&g=/../h#i?j/k")
@example("https://www.example.com/?a#b#c")
@example("https://example.com/[a]:b@c")
def test_settled_references_are_their_own_targets(reference):
    for resolver in RESOLVERS.values():
        assert resolver.resolve("https://other/", reference).target == reference
        assert resolver.is_absolute(reference)
        assert as_base(reference, resolver) == resolver.resolve(None, reference).target
    assert RESOLVERS["whatwg"].normalize(reference) == reference


@pytest.mark.parametrize(
    ("spec", "options", "base", "reference", "target"),
    [
        ("rfc1808", {"same_scheme": "relative"}, "HTTP://h/d/", "http://h/p", "HTTP://h/p"),
        ("rfc2396", {"same_scheme": "relative"}, "Http://h/d/", "http://h/p", "Http://h/p"),
        ("rfc3986", {"same_scheme": "relative"}, "hTTPS://h/d/", "https://h/p", "hTTPS://h/p"),
        ("rfc3986", {"same_scheme": "relative"}, "HTTP://h/d/", "https://h/p", "https://h/p"),
        ("rfc3986", {}, "HTTP://h/d/", "http://h/p", "http://h/p"),
        ("rfc3986", {"same_scheme": "relative"}, "DATA:/a/b", "data:y", "DATA:/a/y"),
        ("fielding1994", {}, "DATA:/a/b", "data:y", "DATA:/a/y"),
        ("whatwg", {}, "HTTP://h/d/", "http://h/p", "http://h/p"),
    ],
)
def test_a_base_with_capitals_in_the_scheme(spec, options, base, reference, target):
    assert linkfix.resolve(base, reference, spec=spec, **options).target == target
    [link] = linkfix.links(f'<a href="{reference}">', base, spec=spec, **options)
    assert link.target == target


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
def test_a_reference_with_several_rows_is_written_once(html, expected):
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


@pytest.mark.parametrize(
    "reference", ["{{ x }}", "{% url x %}", "{%add x%}", "<%= x %>", "${x}", "/a/{{ x }}", "{{ x }}/a"]
)
def test_templates_are_skipped(reference):
    html = f'<a href="{reference}">'
    assert linkfix.absolutize(html, URL) == html
    assert [link.problem for link in linkfix.links(html, URL)] == ["template-syntax"]


@pytest.mark.parametrize("href", ["?{\u00e9}", "#{\u00e9}", "?{%C3%A9}"])
def test_a_brace_before_an_encoded_character_is_no_template(href):
    html = f"<base href='{href}'><a href>"
    converted = linkfix.absolutize(html, URL)
    assert "{%C3%A9}" in converted
    assert [link.target for link in linkfix.links(converted, URL)] == [link.target for link in linkfix.links(html, URL)]
    assert linkfix.base_url(converted, URL).layer is linkfix.Layer.EMBEDDED


@pytest.mark.parametrize("element", ["<form action=''>", "<button formaction=''>"])
def test_an_empty_action_is_the_url_of_the_document_as_browsers_write_it(element):
    assert [link.target for link in linkfix.links(element, "http://H.test")] == ["http://h.test/"]


@pytest.mark.parametrize("element", ["<form action=''>", "<button formaction=''>"])
@pytest.mark.parametrize("spec", RESOLVERS)
def test_an_empty_action_is_the_base_of_the_document_in_the_rfcs(element, spec):
    """RFC 2396 §4.2: it "represents the base URI of the current document". HTML §4.10.22.3 differs."""
    html = f"<base href=https://o/x/y>{element}"
    target = URL if spec == "whatwg" else "https://o/x/y"
    assert [link.target for link in linkfix.links(html, URL, spec=spec)][1:] == [target]
    written = element.replace("''", f"'{target}'")
    assert linkfix.absolutize(element, "https://o/x/y", spec=spec) == element
    assert linkfix.absolutize(html, URL, spec=spec, fragments="absolutize").endswith(written)
    removed = linkfix.absolutize(html, URL, spec=spec, base_element="remove")
    assert removed == (element if spec == "whatwg" else written)


def test_under_rfc_2396_the_base_that_an_empty_action_represents_has_no_fragment():
    """§4: "the URI" is the part that remains "after the fragment identifier (if any) is removed"."""
    html = "<base href=https://o/x/y#z><form action=''>"
    assert linkfix.links(html, URL, spec="rfc2396")[1].target == "https://o/x/y"
    assert linkfix.links("<form action=''>", spec="rfc2396")[0].target is None


@pytest.mark.parametrize("reference", ["", "#s"])
@pytest.mark.parametrize("base_element", ["keep", "drop-href", "empty", "remove"])
def test_a_same_document_reference_stays_with_any_base_under_rfc_2396(reference, base_element):
    """§4.2: "a reference to the current document", which "should not result in an additional retrieval action"."""
    html = f"<base href=https://o/x/y><a href='{reference}'>"
    assert linkfix.links(html, URL, spec="rfc2396")[1].target == reference
    written = linkfix.absolutize(html, URL, spec="rfc2396", base_element=base_element)
    assert written.endswith(f"<a href='{reference}'>")


def test_a_template_in_an_absolute_reference_is_no_fault():
    assert [link.problem for link in linkfix.links('<a href="https://o/{{ x }}">', URL)] == [None]


segments = st.sampled_from(
    ["..", ".", "a", "b.html", "%2e", "%7e", "a:b", "x-y", "www.h", "~", "@", "", "xn--a", "é", " "]
)
starts = st.sampled_from(
    [
        "",
        "/",
        "//",
        "//h.example/",
        "https://h.example",
        "http://h.example/",
        "HTTPS://h.example/",
        "mailto:",
        "tel:1",
        "./",
        "../",
    ]
)
ends = st.sampled_from(
    ["", "?", "?x=1&y=2", "?a&amp;b", "#", "#f", "#f&g", "?x#y", "?'", "#é", "?x=%e9", "&copy", "\\x"]
)
REFERENCES = st.builds(
    lambda start, path, end: start + "/".join(path) + end, starts, st.lists(segments, max_size=4), ends
)
BASES = [
    "https://h.example/",
    "http://h.example/d/e/p?q=1&r#s",
    "https://h.example/a%20b/c",
    "https://[::1]:8080/d/",
    "file:///d/p",
    "app:/d/p",
    "https://h.example/" + "d/" * 200,
]


@pytest.mark.parametrize("fragments", ["keep", "absolutize"])
@settings(deadline=None, max_examples=examples(500))
@given(REFERENCES, st.sampled_from(BASES))
@example("&", BASES[0])
@example("tel:1", BASES[0])
@example("..", BASES[0])
@example("http:", BASES[0])
@example("https:///x", BASES[1])
def test_the_fast_way_is_the_resolvers(fragments, reference, base):
    """Decisions without the resolver equal the resolver's."""
    options = linkfix.Options(fragments=fragments)
    decider = Decider(options, linkfix.Base(base, linkfix.Layer.RETRIEVAL, "", fallback=base), linkfix.Envelope(base))
    slow = Decider(options, decider.base, linkfix.Envelope(base))
    slow._plain_target = lambda _base, _reference: None
    row = linkfix.Row("a", "href", "url", "hyperlink")
    for found in SYNTAXES["url"](reference):
        assert decider.decide(found, row, base) == slow.decide(found, row, base)


@settings(deadline=None, max_examples=examples(500))
@given(REFERENCES, st.sampled_from(BASES))
@example("&amp;", BASES[0])
@example("#f", BASES[1])
def test_the_spliced_value_is_the_decided_url(reference, base):
    """The raw value with its prefix reads as the URL that is decided on."""
    if '"' in reference:
        return
    [link] = linkfix.links(f'<a href="{reference}">', base)
    written = linkfix.absolutize(f'<a href="{reference}">', base)
    [after] = linkfix.links(written, "https://other.invalid/")
    if written != f'<a href="{reference}">':
        assert after.reference == link.target


@pytest.mark.parametrize("name", ["utf-8", "euc-jp", "gb18030", "windows-1252"])
@given(text=st.text("é日～−￢𝓂", min_size=1, max_size=5), is_query=st.booleans())
def test_text_outside_ascii_is_percent_encoded_in_utf_8(name, text, is_query):
    base = "https://h.example/"
    decider = Decider(
        linkfix.Options(), linkfix.Base(base, linkfix.Layer.RETRIEVAL, "", fallback=base), linkfix.Envelope(base)
    )
    encoding = linkfix.Encoding(name, "meta", "a test")
    data = encoding.encode(text, "ignore")
    assert decider.percent_encoder(encoding)(data, is_query) == quote(encoding.decode(data)).encode()


def test_decisions_are_remembered_within_bounds():
    base = "https://h.example/d/"
    decider = Decider(
        linkfix.Options(), linkfix.Base(base, linkfix.Layer.RETRIEVAL, "", fallback=base), linkfix.Envelope(base)
    )
    row = linkfix.Row("a", "href", "url", "hyperlink")
    for number in range(10_000):
        [found] = SYNTAXES["url"](f"x{number}")
        assert decider.decide(found, row, base).target == f"{base}x{number}"
    [found] = SYNTAXES["url"]("x" * 100_000)
    decider.decide(found, row, base)
    assert len(decider._decisions) <= 4096
    assert max(len(key[0]) for key in decider._decisions) < 10_000


def test_a_base_with_many_folders_takes_no_more_than_its_own_memory():
    base = "https://h.example/" + "d/" * 100_000
    tracemalloc.start()
    try:
        assert linkfix.absolutize('<a href="../x">', base) == f'<a href="{base[:-2]}x">'
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_options_and_envelope_are_validated_without_a_document():
    validate(linkfix.Envelope("https://h/", "utf-8", "text/css"), linkfix.Options())
    for envelope, options, error in [
        (linkfix.Envelope("x"), linkfix.Options(), linkfix.InvalidBase),
        (linkfix.Envelope(default="x"), linkfix.Options(), linkfix.InvalidBase),
        (linkfix.Envelope(charset="x"), linkfix.Options(), linkfix.UnknownCharset),
        (linkfix.Envelope(media_type="image/png"), linkfix.Options(), linkfix.InvalidOption),
        (linkfix.Envelope(), linkfix.Options(spec="x"), linkfix.UnknownSpec),
        (linkfix.Envelope(), linkfix.Options(fragments="x"), linkfix.InvalidOption),
        (linkfix.Envelope(), linkfix.Options(base_element="x"), linkfix.InvalidOption),
        (linkfix.Envelope(), linkfix.Options(rows=(linkfix.Row("a", "href", "x", "y"),)), linkfix.InvalidOption),
    ]:
        with pytest.raises(error):
            validate(envelope, options)
        with pytest.raises(error):
            linkfix.Document(b"", envelope=envelope, options=options).absolutize()
