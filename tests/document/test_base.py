from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkfix import Base, BaseSource, Candidate, Document, Envelope, Layer, Saver, StatedBase, base_url
from linkfix.document import fallback_base
from linkfix.document.base import BaseElement, document_url, establish
from linkfix.resolvers import RESOLVERS

WHATWG = RESOLVERS["whatwg"]
PAGE = Envelope(url="https://h/d/p?q")


def established(hrefs, envelope=PAGE, spec="whatwg"):
    elements = [BaseElement(href, f"line {line}") for line, href in enumerate(hrefs, 1)]
    return establish(elements, envelope, RESOLVERS[spec])


# The fallback base URL (HTML §2.4.3, RFC 3986 §5.1.2-§5.1.4)

OUTER = Envelope(url="https://outer/p", base="https://stated/outer/", where="outer", default="https://default/outer/")
LADDER = [
    (
        Envelope("https://h/p", base="https://stated/", where="Content-Base", default="https://default/", parent=OUTER),
        ("https://stated/", Layer.ENCAPSULATING, "Content-Base"),
    ),
    (
        Envelope("https://h/p", default="https://default/", parent=OUTER),
        ("https://stated/outer/", Layer.ENCAPSULATING, "outer"),
    ),
    (
        Envelope("https://h/p", default="https://default/", parent=OUTER._replace(base=None)),
        ("https://h/p", Layer.RETRIEVAL, "retrieval URL"),
    ),
    (
        Envelope(default="https://default/", parent=OUTER._replace(base=None)),
        ("https://outer/p", Layer.RETRIEVAL, "outer"),
    ),
    (
        Envelope(default="https://default/", parent=OUTER._replace(base=None, url=None)),
        ("https://default/", Layer.DEFAULT, "default base"),
    ),
    (
        Envelope(parent=Envelope(parent=OUTER._replace(base=None, url=None))),
        ("https://default/outer/", Layer.DEFAULT, "default base"),
    ),
    (Envelope(parent=Envelope()), (None, Layer.NONE, "no source gives a base URL")),
    (Envelope(url="", base=""), (None, Layer.NONE, "no source gives a base URL")),
    (Envelope(base="https://stated/"), ("https://stated/", Layer.ENCAPSULATING, "the enclosing entity")),
]


@pytest.mark.parametrize(("envelope", "expected"), LADDER)
def test_the_first_layer_decides(envelope, expected):
    base = fallback_base(envelope, WHATWG)
    assert (base.url, base.layer, base.where) == expected
    assert base.fallback == base.url
    assert establish([], envelope, WHATWG) == base


def test_rejected_layers_have_a_reason():
    base = fallback_base(LADDER[0][0], WHATWG)
    reason = "the about base URL comes first"
    assert base.rejected == (
        Candidate(Layer.ENCAPSULATING, "https://stated/outer/", "outer", "Content-Base comes first"),
        Candidate(Layer.RETRIEVAL, "https://h/p", "Content-Base", reason),
        Candidate(Layer.RETRIEVAL, "https://outer/p", "outer", reason),
        Candidate(Layer.DEFAULT, "https://default/", "default base", reason),
        Candidate(Layer.DEFAULT, "https://default/outer/", "default base", reason),
    )


@pytest.mark.parametrize(
    ("spec", "unfit"),
    [("whatwg", "https://["), ("whatwg", "d/p"), ("rfc3986", "d/p"), ("rfc2396", "//h/p"), ("rfc1808", "p")],
)
def test_a_layer_that_is_not_absolute_is_skipped(spec, unfit):
    base = fallback_base(Envelope("https://h/p", base=unfit, where="Content-Base"), RESOLVERS[spec])
    assert (base.url, base.layer) == ("https://h/p", Layer.RETRIEVAL)
    assert base.rejected == (Candidate(Layer.ENCAPSULATING, unfit, "Content-Base", f"not an absolute URL ({spec})"),)
    nothing = fallback_base(Envelope(base=unfit, where="Content-Base"), RESOLVERS[spec])
    expected = ("", Layer.DEFAULT) if spec == "rfc1808" else (None, Layer.NONE)
    assert (nothing.url, nothing.layer, nothing.rejected) == (*expected, base.rejected)


def test_the_url_standard_serializes_a_base():
    assert fallback_base(Envelope("HTTPS://H:443/a/../b c"), WHATWG).url == "https://h/b%20c"


@pytest.mark.parametrize(
    ("spec", "url"),
    [
        ("rfc3986", "HTTPS://U@H:443/b?x/../y#f"),
        ("rfc2396", "HTTPS://U@H:443/a/../b?x/../y#f"),
        ("rfc1808", "HTTPS://U@H:443/a/../b?x/../y#f"),
        ("fielding1994", "HTTPS://U@H:443/a/../b?x/../y#f"),
    ],
)
def test_a_base_is_resolved_like_a_reference(spec, url):
    """RFC 3986 §5.2.2 alone removes dot segments from a path that is not relative."""
    assert fallback_base(Envelope(" HTTPS://U@H:443/a/../b?x/../y#f "), RESOLVERS[spec]).url == url


@pytest.mark.parametrize(
    ("envelope", "expected"),
    [
        (Envelope("https://h/p", parent=OUTER), "https://h/p"),
        (Envelope(base="https://stated/", parent=OUTER), "https://outer/p"),
        (Envelope(base="https://stated/", default="https://default/"), None),
        (Envelope(stated=(StatedBase(BaseSource.CONTENT_BASE, "https://stated/", "Content-Base"),)), None),
    ],
)
def test_the_documents_own_url_is_its_retrieval_url(envelope, expected):
    assert document_url(envelope, WHATWG) == expected


@pytest.mark.parametrize("spec", RESOLVERS)
def test_a_content_location_names_the_document_if_the_specification_defines_it(spec):
    """RFC 2557 §4.2."""
    location = StatedBase(BaseSource.CONTENT_LOCATION, "https://part/p", "Content-Location")
    envelope = Envelope(parent=Envelope(stated=(location,), parent=Envelope("https://outer/p")))
    known = spec not in {"fielding1994", "rfc1808"}
    assert document_url(envelope, RESOLVERS[spec]) == ("https://part/p" if known else "https://outer/p")


# BASE elements (HTML §4.2.3)


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("https://o/x/", "https://o/x/"),
        ("//o/x", "https://o/x"),
        ("/x/", "https://h/x/"),
        ("x/", "https://h/d/x/"),
        ("../..", "https://h/"),
        ("?x", "https://h/d/p?x"),
        ("#x", "https://h/d/p?q#x"),
        ("", "https://h/d/p?q"),
        (" x/\t", "https://h/d/x/"),
        ("file:///x", "file:///x"),
        ("about:blank", "about:blank"),
    ],
)
def test_a_base_element_decides(href, url):
    base = established([href])
    assert (base.url, base.layer, base.where, base.fallback) == (url, Layer.EMBEDDED, "line 1", PAGE.url)
    assert base.rejected == (
        Candidate(Layer.RETRIEVAL, "https://h/d/p?q", "retrieval URL", "the base element comes first"),
    )


@pytest.mark.parametrize(
    ("href", "reason"),
    [
        ("data:text/html,x", "a data: URL cannot be a base"),
        ("JavaScript:x", "a javascript: URL cannot be a base"),
        ("java\nscript:x", "a javascript: URL cannot be a base"),
        ("http://[", "not a URL"),
        ("//", "not a URL"),
    ],
)
def test_a_base_element_that_cannot_be_used(href, reason):
    """The next one takes its place no more than if it had been good."""
    base = established([href, "x/"])
    assert (base.url, base.layer, base.fallback) == ("https://h/d/p?q", Layer.RETRIEVAL, "https://h/d/p?q")
    assert base.rejected == (
        Candidate(Layer.EMBEDDED, href, "line 1", reason),
        Candidate(Layer.EMBEDDED, "x/", "line 2", "only the first BASE element with an href is used"),
    )


def test_only_the_first_base_element_counts():
    base = established(["x/", "y/", "z/"])
    assert base.url == "https://h/d/x/"
    assert [candidate.reference for candidate in base.rejected] == ["y/", "z/", "https://h/d/p?q"]
    assert {candidate.reason for candidate in base.rejected[:2]} == {"only the first BASE element with an href is used"}


def test_the_next_base_element_replaces_an_excluded_one():
    base = establish([BaseElement("x/", "line 1", "in a template"), BaseElement("y/", "line 2")], PAGE, WHATWG)
    assert base.url == "https://h/d/y/"
    assert base.rejected[0] == Candidate(Layer.EMBEDDED, "x/", "line 1", "in a template")


def test_without_any_other_layer():
    relative = established(["x/"], Envelope())
    assert (relative.url, relative.layer) == (None, Layer.NONE)
    assert relative.rejected[0].reason == "a relative URL, and the URL of the page is not known"
    absolute = established(["https://o/"], Envelope())
    assert absolute == Base("https://o/", Layer.EMBEDDED, "line 1")


@pytest.mark.parametrize(
    ("spec", "href", "url"),
    [
        # HTML §4.2.3 lets it be relative, as RFC 3986 does not forbid; RFC 1808 §10 and HTML 2 ask for an absolute one.
        ("whatwg", "x/", "https://h/d/x/"),
        ("rfc3986", "x/", "https://h/d/x/"),
        ("rfc2396", "x/", None),
        ("rfc1808", "x/", None),
        ("fielding1994", "x/", None),
        ("rfc2396", "//o/", None),
        ("rfc1808", "/x", None),
        ("rfc2396", "http://o/x/", "http://o/x/"),
        ("rfc1808", "http://o/x;y?z", "http://o/x;y?z"),
        ("fielding1994", "http://o/x", "http://o/x"),
    ],
)
def test_valid_base_elements_by_specification(spec, href, url):
    base = established([href], spec=spec)
    if url is None:
        assert (base.url, base.layer) == ("https://h/d/p?q", Layer.RETRIEVAL)
        assert base.rejected[0].reason == f"not an absolute URL, which {spec} requires"
    else:
        assert (base.url, base.layer) == (url, Layer.EMBEDDED)


@pytest.mark.parametrize("spec", ["rfc2396", "rfc3986"])
def test_a_data_url_is_no_base_elsewhere_either(spec):
    assert established(["data:,x"], spec=spec).layer is Layer.RETRIEVAL


def test_str_explains_the_decision():
    base = established(["data:,x", "y/"], PAGE._replace(default="https://default/"))
    assert str(base).split("\n") == [
        "https://h/d/p?q  [retrieval: retrieval URL]",
        "  not 'data:,x'  [embedded: line 1]: a data: URL cannot be a base",
        "  not 'y/'  [embedded: line 2]: only the first BASE element with an href is used",
        "  not 'https://default/'  [default: default base]: the document's URL comes first",
    ]
    assert str(established([], Envelope())) == "(none)  [none: no source gives a base URL]"
    assert str(established([], Envelope(), "rfc1808")).startswith("(empty)  [default: ")


@pytest.mark.parametrize(
    ("html", "url"),
    [
        ("<a href=x><base href=y/>", "https://h/d/y/"),
        ("<base target=x><base href=y/><base href=z/>", "https://h/d/y/"),
        ("<template><base href=x/></template><base href=y/>", "https://h/d/y/"),
        ("<svg><base href=x/></svg><base href=y/>", "https://h/d/y/"),
        (
            "<!--<base href=x/>--><title><base href=x/></title><script><base href=x/></script><base href=y/>",
            "https://h/d/y/",
        ),
        ("<base href=&#x79;&sol;>", "https://h/d/y/"),
        ("<base href='data:,x'><base href=y/>", "https://h/d/p"),
        ("<base href>", "https://h/d/p"),
        ("<noscript><base href=y/></noscript>", "https://h/d/y/"),
        ("<base href=y/", "https://h/d/p"),
        ("x" * 10_000 + "<base href=y/>", "https://h/d/y/"),
    ],
)
def test_of_documents(html, url):
    assert base_url(html, "https://h/d/p").url == url
    assert base_url(html.encode(), "https://h/d/p").url == url


# The shortcuts for most documents

BASES = [
    *("", "/b/", "b/?é", "https://h/d/", "https://é/", "http://[", "data:,x", "mailto:x", "{{x}}", "https://o/x&y'z"),
    *(" /b/ ", "/b\t/", "/b/&amp;c", "/b/&quot;", "HTTPS://H/%41/../", "//o", "?q", "#f", "/\\b", "/b/\0", "/é/"),
]
TAGS = ["<base href='{}'>", "<template><base href='{}'></template>", "<body><base href={}>", '<p><base href="{}">']
POLICY = "<meta http-equiv=content-security-policy content=\"base-uri 'self'\">"
ENVELOPES = [
    PAGE,
    Envelope(),
    Envelope(url="https://h/d/p?q", content_security_policy="base-uri 'none'"),
    Envelope(base="https://h/d/", url="https://h/d/p#f", saver=Saver("s", own_bases=frozenset({"/b/"}))),
    PAGE._replace(saver=Saver("s", bases=(Candidate(Layer.EMBEDDED, "data:,", "line 1", "", 30),))),
    PAGE._replace(saver=Saver("s", bases=(Candidate(Layer.EMBEDDED, "/c/", "line 1", "", 30),))),
]


@given(
    st.lists(st.tuples(st.sampled_from(TAGS), st.sampled_from(BASES)) | st.just((POLICY, "")), max_size=4),
    st.sampled_from(ENVELOPES),
    st.sampled_from(["whatwg", "rfc3986", "rfc1808"]),
)
def test_what_decides_is_the_base_without_its_explanation(tags, envelope, spec):
    html = "".join(tag.format(href) for tag, href in tags) + "<a href=x>"
    document, other = (Document(html, envelope=envelope, spec=spec) for _ in range(2))
    explained = other.document_base
    assert document.decided_base._replace(where="", rejected=()) == explained._replace(where="", rejected=())
    assert document.problems == other.problems


@given(st.sampled_from(BASES), st.sampled_from(TAGS), st.sampled_from(ENVELOPES))
def test_a_plain_base_is_written_as_any_other(href, tag, envelope):
    html = tag.format(href) + "<a href=x>"
    written = Document(html, envelope=envelope).absolutize()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("linkfix.document.base_element._AS_WRITTEN", lambda _: None)
        assert Document(html, envelope=envelope).absolutize() == written
