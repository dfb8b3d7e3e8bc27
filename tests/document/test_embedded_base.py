"""RFC 1808 §10, RFC 2396 appendix D: the base URL that is embedded in an HTML document."""

from __future__ import annotations

import pytest
from support.each import for_each

from linkfix import Document, Envelope, Layer

#: As both texts print it.
EXAMPLE = """\
<!doctype html public "-//IETF//DTD HTML//EN">
<HTML><HEAD>
<TITLE>An example HTML document</TITLE>
<BASE href="http://www.ics.uci.edu/Test/a/b/c">
</HEAD><BODY>
... <A href="../x">a hypertext anchor</A> ...
</BODY></HTML>
"""
SPECS = ["rfc1808", "rfc2396"]
#: "regardless of the context in which the example document was obtained".
CONTEXTS = [
    Envelope(),
    Envelope(url="http://retrieved/d/"),
    Envelope(base="http://stated/d/"),
    Envelope(default="http://default/d/"),
    Envelope(parent=Envelope(url="ftp://outer/d/", base="http://stated/d/")),
]


@for_each([(spec, context) for spec in SPECS for context in CONTEXTS])
def test_the_example_has_the_same_targets_at_any_url(spec, context):
    document = Document(EXAMPLE, envelope=context, spec=spec)
    assert (document.base.url, document.base.layer) == ("http://www.ics.uci.edu/Test/a/b/c", Layer.EMBEDDED)
    assert [link.target for link in document.links if link.element == "a"] == ["http://www.ics.uci.edu/Test/a/x"]
    assert document.convert().data == EXAMPLE.replace('"../x"', '"http://www.ics.uci.edu/Test/a/x"')


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(
    ("outer", "inner", "target"),
    [
        ("<base href=http://embedded/d/>", "", "http://embedded/d/x"),
        ("", "", "http://retrieved/d/x"),
        ("<base href=http://embedded/d/>", "<base href=http://own/d/>", "http://own/d/x"),
    ],
)
def test_a_document_in_a_document_has_the_base_of_that(spec, outer, inner, target):
    """RFC 1808 §3.2, RFC 2396 §5.1.2: "enclosed within another entity (such as … another document)"."""
    html = f"{outer}<iframe srcdoc='{inner}<a href=x>'></iframe>"
    document = Document(html, url="http://retrieved/d/", spec=spec)
    assert [link.target for link in document.links if link.reference == "x"] == [target]


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("tag", ["<base href={}>", "<BASE HREF={}>", "<Base hReF={}>"])
def test_names_of_elements_and_attributes_have_no_case(spec, tag):
    html = f"<head>{tag.format('http://h/d/')}</head><a href=x>"
    assert Document(html, spec=spec).base.url == "http://h/d/"


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("href", ["d/", "/d/", "//h/d/", "?d", ""])
def test_the_href_must_be_an_absolute_url(spec, href):
    base = Document(f"<head><base href='{href}'></head>", url="http://retrieved/d/", spec=spec).base
    assert (base.url, base.layer) == ("http://retrieved/d/", Layer.RETRIEVAL)
    assert base.rejected[0].reason == f"not an absolute URL, which {spec} requires"
