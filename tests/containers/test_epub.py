from __future__ import annotations

import io
import zipfile

import pytest
from support.running_containers import codes, nothing, read, rewritten
from support.zip_samples import Sample, archive, contents

from linkfix import Document, Envelope
from linkfix.containers import CONTAINERS, Limits
from linkfix.containers import container as format_of

epub = format_of("epub")

CONTAINER = b"""<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
PACKAGE = b"""<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata
xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:source>https://example.com/book</dc:source></metadata><manifest>
<item id="a" href="text/one.htm" media-type="application/xhtml+xml"/>
<item id="b" href="../two%20b.xhtml" media-type="application/xhtml+xml"/>
<item id="c" href="c.png" media-type="image/png"/></manifest></package>"""
XHTML = b"""<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/>%s</head><body>
<a href="two.xhtml#x">1</a><a href="/abs">2</a><a href="../../../x">3</a><a href="https://example.org/">4</a></body></html>"""
ENCRYPTION = b"""<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"
xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:CipherData>
<enc:CipherReference URI="EPUB/text/one.htm"/></enc:CipherData></enc:EncryptedData></encryption>"""


def book(base=b"", *more):
    return archive(
        [
            Sample("mimetype", b"application/epub+zip", zipfile.ZIP_STORED),
            Sample("META-INF/container.xml", CONTAINER),
            Sample("EPUB/package.opf", PACKAGE),
            Sample("EPUB/text/one.htm", XHTML % base),
            Sample("two b.xhtml", XHTML % b""),
            *more,
        ]
    )


def absolute(part):
    return Document(part.data, envelope=part.envelope).convert().data if part.name.endswith("one.htm") else None


def test_media_types_are_the_package_documents():
    parts, problems = read(epub, book())
    assert {part.name: part.media_type for part in parts}["EPUB/text/one.htm"] == "application/xhtml+xml"
    assert {part.name: part.media_type for part in parts}["two b.xhtml"] == "application/xhtml+xml"
    assert problems == []


@pytest.mark.parametrize("envelope", [Envelope(), Envelope("https://example.com/b.epub", default="https://d.example/")])
def test_relative_references_stay_in_the_publication_and_are_no_problem(envelope):
    data = book()
    part = next(part for part in read(epub, data, envelope=envelope)[0] if part.name.endswith("one.htm"))
    document = Document(part.data, envelope=part.envelope)
    assert (document.base.url, document.convert().data, document.problems) == (None, part.data, ())
    made, _ = rewritten(epub, data, absolute, envelope=envelope)
    assert contents(made) == contents(data)


def test_a_base_element_counts():
    made, _ = rewritten(epub, book(b'<base href="https://example.com/dir/"/>'), absolute)
    text = {name: data for name, data, *_ in contents(made)[0]}["EPUB/text/one.htm"]
    assert b'<a href="https://example.com/dir/two.xhtml#x">1</a><a href="https://example.com/abs">2</a>' in text


def test_the_mimetype_stays_readable_for_reading_systems():
    made, _ = rewritten(epub, book(), lambda part: b"longer than before" * 9 if part.name.endswith(".opf") else None)
    assert made[30:58] == b"mimetypeapplication/epub+zip"


def test_encrypted_documents_are_skipped():
    data = book(b"", Sample("META-INF/encryption.xml", ENCRYPTION))
    parts, problems = read(epub, data)
    assert "EPUB/text/one.htm" not in [part.name for part in parts]
    assert codes(problems) == ["part-encrypted"]
    assert rewritten(epub, data, absolute)[0] == data


def test_a_package_document_that_is_no_xml():
    data = archive([Sample("META-INF/container.xml", CONTAINER), Sample("EPUB/package.opf", b"<package")])
    parts, problems = read(epub, data)
    assert (len(parts), codes(problems)) == (2, ["part-damaged"])


def test_recognised_by_its_first_bytes_or_its_name():
    assert CONTAINERS["epub"].recognise(book()[:4096], "book.bin")
    assert CONTAINERS["epub"].recognise(archive([Sample("a", b"")]), "a.EPUB")
    assert not CONTAINERS["epub"].recognise(archive([Sample("a", b"")]), "a.zip")
    assert not CONTAINERS["epub"].recognise(b"mimetypeapplication/epub+zip", "a.epub")


def test_without_a_change_the_bytes_are_the_same():
    data = book()
    assert rewritten(epub, data, nothing) == (data, [])


SIGNATURES = b"""<signatures xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<Signature Id="sig" xmlns="http://www.w3.org/2000/09/xmldsig#"><SignedInfo><Reference URI="#Manifest1"/></SignedInfo>
<Object><Manifest Id="Manifest1"><Reference URI="%s"/></Manifest></Object></Signature></signatures>"""


@pytest.mark.parametrize(("name", "signed"), [(b"EPUB/text/one.htm", True), (b"two%20b.xhtml", False)])
def test_signed_files_stay(name, signed):
    data = book(b'<base href="https://example.com/"/>', Sample("META-INF/signatures.xml", SIGNATURES % name))
    left = []
    out = io.BytesIO()
    problems = []
    epub.rewrite(io.BytesIO(data), out, Envelope(), absolute, problems.append, Limits(), leave_alone=left.append)
    assert (codes(problems), left) == (["part-signed"] if signed else [], [1] if signed else [])
    assert (contents(out.getvalue()) == contents(data)) == signed
    made, problems = rewritten(epub, data, absolute, limits=Limits(break_signatures=True))
    assert codes(problems) == (["signature-broken"] if signed else [])
    assert contents(made) != contents(data)
