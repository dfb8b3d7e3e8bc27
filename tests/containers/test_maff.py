from __future__ import annotations

import pytest
from support.running_containers import codes, nothing, read, rewritten
from support.zip_samples import pages

from linkfix import Document, Envelope, Layer
from linkfix.containers import CONTAINERS, container

maff = container("maff")

RDF = """<?xml version="1.0"?>
<RDF:RDF xmlns:MAF="http://maf.mozdev.org/metadata/rdf#" xmlns:NC="http://home.netscape.com/NC-rdf#"
         xmlns:RDF="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <RDF:Description RDF:about="urn:root">
    <MAF:originalurl RDF:resource="{url}"/>
    <MAF:title RDF:resource="A title"/>
    <MAF:archivetime RDF:resource="Sun, 22 Nov 2026 01:02:03 GMT"/>
    <MAF:indexfilename RDF:resource="index.html"/>
    <MAF:charset RDF:resource="{charset}"/>
  </RDF:Description>
</RDF:RDF>
"""
URL = "https://example.com/dir/page?a=1&amp;b=2"
SAMPLE = {
    "1795/index.rdf": RDF.format(url=URL, charset="windows-1251"),
    "1795/index.html": (
        '<a href="other.html">1</a><img src="index_files/a%20b.png"><a href="index_files/none.png">2</a>'
    ),
    "1795/index_files/a b.png": "image",
    "1795/index_files/frame.html": '<img src="a%20b.png"><a href="elsewhere.html">3</a>',
    "1796/index.rdf": RDF.format(url="http://example.org/", charset="UTF-8"),
    "1796/index.html": '<meta charset="iso-8859-2"><a href="x">4</a>',
}


def absolute(part):
    if part.media_type != "text/html":
        return None
    new = Document(part.data, envelope=part.envelope).convert().data
    return None if new == part.data else new


def test_the_page_of_a_folder_has_its_original_url():
    parts, problems = read(maff, pages(**SAMPLE))
    envelopes = {part.name: part.envelope for part in parts}
    assert problems == []
    page = envelopes["1795/index.html"]
    assert (page.url, page.charset) == ("https://example.com/dir/page?a=1&b=2", "windows-1251")
    base = Document(b"", envelope=page).base
    assert (base.layer, base.where) == (Layer.RETRIEVAL, "MAF:originalurl in 1795/index.rdf")
    assert envelopes["1796/index.html"].url == "http://example.org/"
    assert envelopes["1795/index_files/frame.html"].url is None


def test_the_charset_is_that_of_pages_that_declare_none():
    parts, _ = read(maff, pages(**SAMPLE))
    assert [part.envelope.charset for part in parts if part.name.endswith("index.html")] == ["windows-1251", None]


def test_references_to_files_of_the_archive_stay_and_others_are_made_absolute():
    made, _ = rewritten(maff, pages(**SAMPLE), absolute)
    texts = {part.name: part.data.decode() for part in read(maff, made)[0]}
    assert texts["1795/index.html"] == (
        '<a href="https://example.com/dir/other.html">1</a><img src="index_files/a%20b.png">'
        '<a href="https://example.com/dir/index_files/none.png">2</a>'
    )
    assert texts["1795/index_files/frame.html"] == SAMPLE["1795/index_files/frame.html"]
    assert texts["1796/index.html"].endswith('<a href="http://example.org/x">4</a>')


def test_the_archives_own_url_encloses_the_pages_and_not_their_files():
    whole = Envelope("https://archive.example/x.maff")
    parts, _ = read(maff, pages(**SAMPLE), envelope=whole)
    assert [part.envelope.parent for part in parts if part.name.endswith(".html")] == [whole, None, whole]


@pytest.mark.parametrize(
    ("rdf", "code"),
    [
        (RDF.format(url="relative.html", charset=""), "part-url"),
        (RDF.format(url="", charset=""), "part-url"),
        ("<RDF:RDF>", "part-damaged"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "part-damaged"),
        ('<?xml version="1.0" encoding="nothing"?><a/>', "part-damaged"),
        ("", "part-damaged"),
    ],
)
def test_an_index_without_usable_facts(rdf, code):
    data = pages(**{"1/index.rdf": rdf, "1/index.html": '<a href="x">'})
    parts, problems = read(maff, data)
    assert codes(problems) == [code]
    assert parts[1].envelope.url is None
    assert rewritten(maff, data, absolute)[0] == data


def test_entities_are_not_expanded():
    bomb = '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {chr(98 + level)} "{f"&{chr(97 + level)};" * 10}">' for level in range(9)
    )
    assert codes(read(maff, pages(**{"index.rdf": bomb + "]><a>&j;</a>"}))[1]) == ["part-damaged"]


def test_other_index_files_and_other_namespaces_are_ignored():
    rdf = RDF.format(url="http://example.org/", charset="").replace("maf.mozdev.org", "other.example")
    data = pages(
        **{"a/b/index.rdf": SAMPLE["1795/index.rdf"], "a/b/index.html": "", "index.rdf": rdf, "index.html": ""}
    )
    assert [part.envelope.url for part in read(maff, data)[0]] == [None] * 4


def test_recognised_by_its_name_and_its_first_bytes():
    data = pages(**SAMPLE)
    assert CONTAINERS["maff"].recognise(data[:4096], "Page.MAFF")
    assert not CONTAINERS["maff"].recognise(data[:4096], "page.zip")
    assert not CONTAINERS["maff"].recognise(b"<!DOCTYPE html>", "page.maff")


def test_without_a_change_the_bytes_are_the_same():
    data = pages(**SAMPLE)
    assert rewritten(maff, data, nothing) == (data, [])
