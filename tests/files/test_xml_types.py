from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.growth import processor_limit
from support.paths import FIXTURES

from linkfix import Options
from linkfix.files import DATA_TYPES, GENERIC_TYPES, guess_media_type, media_type, sniff, sniff_xml
from linkfix.files.data_formats import XML_DATA_TYPES, XML_HEADER, is_xml_name
from linkfix.html import xml_table
from linkfix.html.xml_outline import XmlOutline
from linkfix.model import DOCUMENT_KINDS

RSS, ATOM, OPENSEARCH = "application/rss+xml", "application/atom+xml", "application/opensearchdescription+xml"
OTHER = "application/xml"
ATOM_NS = 'xmlns="http://www.w3.org/2005/Atom"'

FEEDS = {
    "rss.xml": RSS,
    "rss-1.0.xml": RSS,
    "atom.xml": ATOM,
    "sitemap.xml": OTHER,
    "sitemap-index.xml": OTHER,
    "opensearch.xml": OPENSEARCH,
    "browserconfig.xml": OTHER,
}
SAMPLES = FIXTURES / "feeds"


def test_the_types_are_ones_that_are_read():
    assert DOCUMENT_KINDS.keys() >= DATA_TYPES
    assert {DOCUMENT_KINDS[one] for one in XML_DATA_TYPES} == {"xml"}
    assert GENERIC_TYPES < XML_DATA_TYPES
    assert {"application/feed+json"} == DATA_TYPES - XML_DATA_TYPES


def test_the_samples_are_all():
    assert {path.name for path in SAMPLES.iterdir()} == set(FEEDS)


@pytest.mark.parametrize("name", FEEDS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_a_sample_is_known_in_every_encoding(name, encoding):
    data = (SAMPLES / name).read_text("utf-8").encode(encoding)
    assert sniff_xml(data) == FEEDS[name]
    assert sniff(name, data) == FEEDS[name]
    assert guess_media_type(f"a/{name}", data) == FEEDS[name]


@pytest.mark.parametrize("name", FEEDS)
def test_only_known_types_have_rows(name):
    def count(data):
        return XmlOutline(xml_table(Options()), data, 0).count

    data = (SAMPLES / name).read_bytes()
    assert count(data) > 1
    assert count(b"<other>" + data.partition(b"?>\n")[2].partition(b"]>")[2] + b"</other>") == 0


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("<rss", None),
        ("<rss>", RSS),
        ("<rss/>", RSS),
        ("<rss\nversion='2.0'", RSS),
        (" \n<!-- <html> --><?xml-stylesheet href='a'?>\n<rss >", RSS),
        ("<?xml version='1.0'?>\n<?xml-stylesheet href='a.xsl'?><my-doc.x>", OTHER),
        ("<?xml-stylesheet\nhref='a.xsl'?><feed>", OTHER),
        ("<?xml-stylesheets href='a.xsl'?><doc>", None),
        ("<!-- <?xml-stylesheet href='a.xsl'?> --><doc>", None),
        ("<!DOCTYPE rss [<!ENTITY a '>'> ]\n><rss >", RSS),
        ("<!DOCTYPE rss SYSTEM 'x.dtd'><rss >", RSS),
        ("<!DOCTYPE rss [<rss >", None),
        ("<!-- <rss >", None),
        ("<?xml <rss >", None),
        ("<x:rss >", RSS),
        ("<rssx>", None),
        ("<RSS>", None),
        ("<rdf:RDF xmlns='http://purl.org/rss/1.0/'>", RSS),
        ("<rdf:RDF xmlns='http://my.netscape.com/rdf/simple/0.9/'>", RSS),
        ("<rdf:RDF xmlns:foaf='http://xmlns.com/foaf/0.1/'>", None),
        (f"<feed {ATOM_NS}>", ATOM),
        (f"<a:feed {ATOM_NS.replace('xmlns', 'xmlns:a')}>", ATOM),
        (f"<entry {ATOM_NS}>", ATOM),
        ("<feed version='0.3' xmlns='http://purl.org/atom/ns#'>", ATOM),
        ("<feed>", None),
        ("<entry>", None),
        ("<urlset>", OTHER),
        ("<html xmlns='http://www.w3.org/1999/xhtml'>", None),
        ("text <rss>", None),
        ("", None),
    ],
)
def test_the_root_element_decides(head, expected):
    assert sniff_xml(head.encode()) == expected


def test_only_the_first_bytes_are_searched():
    assert sniff_xml(b" " * (XML_HEADER - 5) + b"<rss>") == RSS
    assert sniff_xml(b" " * (XML_HEADER - 4) + b"<rss>") is None


@pytest.mark.growth
@pytest.mark.parametrize("piece", ["<!---->", "<??>", "<!DOCTYPE>", "<!DOCTYPE[", "] ", "<", " ", "<a:"])
def test_it_takes_no_time(piece):
    with processor_limit(0.5):
        for _ in range(10):
            sniff_xml(piece.encode() * XML_HEADER)


@given(st.binary(max_size=40))
def test_nothing_raises(data):
    assert sniff_xml(data) in {None, *DATA_TYPES}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("feed.rss", RSS),
        ("feed.ATOM", ATOM),
        ("feed.xml", ""),
        ("index.rdf", ""),
        ("feed.xml?page=1", ""),
        ("feed.xml@page=1", ""),
        ("feed.xml.gz", None),
    ],
)
def test_names(name, expected):
    assert media_type(name) == expected
    assert is_xml_name(name) is (expected == "")


def test_content_decides_for_files_written_by_programs():
    assert sniff("feed.php", b"<rss version='2.0'>") == RSS
    assert sniff("feed", b"<!-- x --><rss version='2.0'>") == RSS
    assert sniff("a.php", b"<!-- x --><p>") == "text/html"
    assert sniff("a.xml", b"<!-- x --><p>") is None
    assert guess_media_type("a.xml", b"<project>") == "text/xml"
