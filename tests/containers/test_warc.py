"""WARC files: the documents in them, the form of a changed record, the effect of damage."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import random
import re
import sys
import zlib
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.extras import needed
from support.fixtures_site import FIXTURES, site_pages
from support.growth import assert_linear
from support.memory import peak
from support.running_containers import codes, nothing, read
from support.running_containers import rewritten as written
from support.sizes import examples
from support.vectors import published_archive
from support.warc_files import check
from support.web_archives import HTML, INFO, REQUEST, URL, http, marked, record, sha1, zipped

from linkfix import Document, Envelope
from linkfix.containers import CONTAINERS, Limits, container

warc = container("warc")

#: The same bytes each time: they are in the names of tests, which processes have to agree on.
compress = partial(gzip.compress, mtime=0)

NEW = HTML.replace(b"../x.html", b"http://example.com/x.html")
PAGE = record(http())
ARCHIVES = {"plain": lambda *records: b"".join(records), "gzip": zipped}


@pytest.fixture(params=ARCHIVES)
def archive(request):
    return ARCHIVES[request.param]


def payloads(data):
    """Record types and payloads, as warcio reads them."""
    reader = needed("warcio").ArchiveIterator(io.BytesIO(data))
    return [(one.rec_type, one.rec_headers.get_header("WARC-Record-ID"), one.content_stream().read()) for one in reader]


# --- reading


def test_a_response_is_a_part(archive):
    outer = Envelope("http://archive.example/a.warc")
    parts, notes = read(warc, archive(INFO, REQUEST, PAGE), envelope=outer)
    (part,) = parts
    assert (part.data, part.media_type, notes) == (HTML, "text/html", [])
    assert part.name.endswith(f" {URL}")
    assert part.name.startswith("urn:uuid:")
    assert part.envelope == Envelope(URL, "utf-8", "text/html", where="WARC-Target-URI", parent=outer)


def test_a_resource_is_a_part(archive):
    one = record(HTML, kind="resource", content_type='text/html; charset="windows-1251"')
    (part,), notes = read(warc, archive(one))
    assert (part.data, part.envelope.charset, notes) == (HTML, "windows-1251", [])


@pytest.mark.parametrize("kind", ["request", "revisit", "metadata", "warcinfo", "conversion", "continuation", "other"])
def test_other_types_are_not(archive, kind):
    assert read(warc, archive(record(http(), kind=kind))) == ([], [])


@pytest.mark.parametrize(
    "block",
    [
        http(b"\x89PNG", content_type="image/png"),
        http(b"", status="304 Not Modified"),
        http(b"\x89PNG", "Content-Range: bytes 0-3/63", content_type="image/png", status="206 Partial Content"),
        http(b"\x00\x01", content_type=""),
        b"",
    ],
    ids=["image", "no body", "part of an image", "untyped", "empty"],
)
def test_records_without_a_document_are_copied(archive, block):
    data = archive(record(block))
    assert read(warc, data) == ([], [])
    assert written(warc, data, lambda _: b"x")[0] == data


@pytest.mark.parametrize("archive", [bytes, compress])
@pytest.mark.parametrize(
    ("block", "code", "detail"),
    [
        (HTML, "part-damaged", "it has no HTTP header"),
        (b"20261122000000\nexample.com. 1 IN A 127.0.0.1", "part-damaged", "it has no HTTP header"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html", "part-damaged", "its HTTP header has no end"),
        (
            http(HTML[:9], "Content-Range: bytes 0-8/63", status="206 Partial Content"),
            "response-partial",
            "bytes 0-8/63",
        ),
    ],
    ids=["HTML at once", "DNS as HTTP", "no end of header", "partial"],
)
def test_a_response_without_a_document_is_a_problem(archive, block, code, detail):
    data = archive(record(block))
    parts, (problem,) = read(warc, data)
    assert (parts, problem.code, problem.message.endswith(f"{URL}: {detail}")) == ([], code, True)
    made, problems, *_ = written(warc, data, lambda _: b"x")
    assert (made, codes(problems)) == (data, [code])


def test_records_other_than_http_responses_need_no_header():
    block = b"20261122000000\nexample.com. 1 IN A 127.0.0.1"
    assert read(warc, record(block, content_type="text/dns")) == ([], [])


@pytest.mark.parametrize("media_type", ["text/css", "image/svg+xml", "application/xhtml+xml", "TEXT/HTML"])
def test_documents_of_all_kinds(media_type):
    (part,), _ = read(warc, record(http(content_type=media_type)))
    assert part.media_type == media_type.lower()


def test_without_a_media_type_the_content_decides():
    (part,), _ = read(warc, record(http(content_type="")))
    assert (part.media_type, part.envelope.media_type) == ("text/html", "text/html")


IDENTIFIED = "WARC-Identified-Payload-Type: text/html; charset=windows-1251"


@pytest.mark.parametrize(
    "content_type", ["", "*/*", "text/html", "text/plain", "application/octet-stream", "text/json"]
)
def test_the_identified_payload_type_states_type_and_encoding(archive, content_type):
    (part,), notes = read(warc, archive(record(http(content_type=content_type), IDENTIFIED)))
    assert (part.media_type, part.envelope.charset, part.envelope.identified_charset, notes) == (
        *("text/html", None, "windows-1251"),
        [],
    )
    encoding = Document(part.data, envelope=part.envelope).encoding
    assert (encoding.name, encoding.source, encoding.where) == (
        *("windows-1251", "identified"),
        "WARC-Identified-Payload-Type",
    )


def test_the_identified_payload_type_of_a_resource_is_used():
    (part,), _ = read(warc, record(HTML, IDENTIFIED, kind="resource", content_type="application/octet-stream"))
    assert (part.media_type, part.envelope.identified_charset) == ("text/html", "windows-1251")


def test_an_unknown_payload_type_is_a_problem():
    one = record(http(content_type="text/html"), "WARC-Identified-Payload-Type: text/html; charset=klingon")
    (part,), notes = read(warc, one)
    assert (part.envelope.identified_charset, codes(notes)) == (None, ["charset-unknown"])
    assert notes[0].message.endswith("WARC-Identified-Payload-Type 'klingon'")


def test_a_script_identified_as_html_is_no_document(archive):
    data = archive(record(http(b"document.write('<a href=x>')", IDENTIFIED, content_type="text/javascript")))
    assert read(warc, data) == ([], [])


def test_content_location_is_no_base():
    (part,), _ = read(warc, record(http(HTML, "Content-Location: http://elsewhere.example/y/")))
    assert (part.envelope.url, part.envelope.base) == (URL, None)


@pytest.mark.parametrize(
    ("stated", "url"),
    [
        (f"<{URL}>", URL),
        ("http://example.com/a b.html", "http://example.com/a%20b.html"),
        ("http://example.com/ä", "http://example.com/ä"),
        ("http://example.com?q=1", "http://example.com?q=1"),
    ],
)
def test_forms_of_target_uris(stated, url):
    (part,), notes = read(warc, record(http(), url=stated))
    assert (part.envelope.url, notes) == (url, [])


@pytest.mark.parametrize("stated", ["", "page.html", "http://[", "<>"])
def test_an_invalid_target_uri_is_a_problem(stated):
    (part,), notes = read(warc, INFO + record(http(), url=stated))
    assert part.envelope.url is None
    assert (codes(notes), notes[0].start) == (["part-url"], len(INFO))


def test_an_unknown_charset_is_a_problem():
    (part,), notes = read(warc, record(http(content_type="text/html; charset=klingon")))
    assert (part.envelope.charset, codes(notes)) == (None, ["charset-unknown"])


def chunked(body, *, size=10):
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x;ext=1\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\nTrailer: 1\r\n\r\n"


def raw_deflate(data):
    deflate = zlib.compressobj(wbits=-15)
    return deflate.compress(data) + deflate.flush()


CODED = {
    "chunked": (chunked(HTML), ["Transfer-Encoding: chunked"]),
    "Chunked": (chunked(HTML, size=7), ["transfer-encoding:  Chunked"]),
    "gzip": (compress(HTML), ["Content-Encoding: gzip"]),
    "x-gzip": (compress(HTML), ["Content-Encoding: x-gzip"]),
    "deflate": (zlib.compress(HTML), ["Content-Encoding: deflate"]),
    "raw deflate": (raw_deflate(HTML), ["Content-Encoding: deflate"]),
    "gzip, chunked": (chunked(compress(HTML)), ["Content-Encoding: gzip", "Transfer-Encoding: chunked"]),
    "two": (compress(zlib.compress(HTML)), ["Content-Encoding: deflate, gzip"]),
    "not chunked": (HTML, ["Transfer-Encoding: chunked"]),
    "not gzip": (HTML, ["Content-Encoding: gzip"]),
    "identity": (HTML, ["Content-Encoding: identity", "Transfer-Encoding: identity"]),
}


@pytest.mark.slow
@pytest.mark.parametrize(("body", "fields"), CODED.values(), ids=CODED)
def test_encodings_are_undone(archive, body, fields, tmp_path):
    page = record(http(body, *fields, "X-Kept:  as it is "), f"WARC-Payload-Digest: {sha1(body)}")
    data = archive(INFO, page, REQUEST)
    (part,), notes = read(warc, data)
    assert (part.data, notes) == (HTML, [])
    assert written(warc, data, lambda _: None)[0] == data
    new, _ = written(warc, data, marked)
    (part,), notes = read(warc, new)
    assert (part.data, notes) == (NEW, [])
    plain = gzip.decompress(new) if new[:2] == b"\x1f\x8b" else new
    assert not re.search(rb"(?i)(transfer|content)-encoding", plain)
    assert b"\r\nX-Kept:  as it is \r\n" in plain
    assert f"Content-Length: {len(NEW)}\r\n\r\n".encode() in plain
    assert check(new, tmp_path).returncode == 0


def sha256_field(data):
    return f"sha-256=:{base64.b64encode(hashlib.sha256(data).digest()).decode()}:"


def test_http_fields_that_describe_a_changed_body(archive):
    content = compress(HTML)
    fields = {
        "Content-Encoding": "gzip",
        "Transfer-Encoding": "chunked",
        "Content-Digest": sha256_field(content),
        "Repr-Digest": sha256_field(content),
        "Digest": "id-sha-256=" + sha256_field(HTML)[len("sha-256=:") : -1],
        "Content-MD5": "Q2hlY2sgSW50ZWdyaXR5IQ==",
        "ETag": '"v1"',
        "Last-Modified": "Sun, 22 Nov 2026 00:00:00 GMT",
    }
    lines = [f"{name}: {value}" for name, value in fields.items()]
    data = archive(INFO, record(http(chunked(content), *lines)))
    assert written(warc, data, lambda _: None)[0] == data
    new, notes = written(warc, data, marked)
    plain = gzip.decompress(new) if new[:2] == b"\x1f\x8b" else new
    header = plain.partition(b"HTTP/1.1")[2].partition(b"\r\n\r\n")[0].decode()
    renewed = sha256_field(NEW)
    assert header.split("\r\n")[2:] == [
        f"Content-Digest: {renewed}",
        f"Repr-Digest: {renewed}",
        f"Digest: id-sha-256={renewed[len('sha-256=:') : -1]}",
        "Last-Modified: Sun, 22 Nov 2026 00:00:00 GMT",
        f"Content-Length: {len(NEW)}",
    ]
    assert notes == []


def test_a_digest_field_that_was_wrong_is_dropped_and_named():
    new, notes = written(warc, record(http(HTML, f"Repr-Digest: {sha256_field(b'x')}")), marked)
    assert (b"Repr-Digest" in new, codes(notes)) == (False, ["digest-wrong"])


class Kept(io.BytesIO):
    """It is still there when its writer closes it."""

    def close(self):
        pass


def members(data):
    """The text of a file, decompressed member by member."""
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


#: More than one piece, compressed.
NOISE = b"".join(hashlib.sha256(b"%d" % number).digest() for number in range(10_000))
RESTS = {
    "two members of gzip": (compress(HTML) + compress(b"<p>second"), "Content-Encoding: gzip"),
    "bytes after gzip": (compress(HTML) + b"\0more", "Content-Encoding: x-gzip"),
    "a large body with bytes after gzip": (compress(HTML + NOISE) + b"x" * 200_000, "Content-Encoding: gzip"),
    "two streams of deflate": (zlib.compress(HTML) * 2, "Content-Encoding: deflate"),
    "bytes after raw deflate": (raw_deflate(HTML) + b"more", "Content-Encoding: deflate"),
    "bytes after the last chunk": (chunked(HTML) + b"<p>after", "Transfer-Encoding: chunked"),
    "bytes after chunks without trailer fields": (
        b"%x\r\n%s\r\n0\r\n\r\n<p>after: x" % (len(HTML), HTML),
        "Transfer-Encoding: chunked",
    ),
    "bytes after both": (chunked(compress(HTML) + b"1") + b"2", "Content-Encoding: gzip\r\nTransfer-Encoding: chunked"),
}


@pytest.mark.parametrize(("body", "field"), RESTS.values(), ids=RESTS)
def test_a_record_with_bytes_after_its_coded_body_is_read_as_by_browsers_and_not_changed(archive, body, field):
    data = archive(INFO, record(http(body, field)), PAGE)
    parts, notes = read(warc, data)
    assert [part.data[: len(HTML)] for part in parts] == [HTML, HTML]
    assert set(codes(notes)) == {"part-damaged"}
    counts = []
    new, notes = written(warc, data, marked, leave_alone=counts.append)
    parts, _ = read(warc, new)
    assert [part.data[: len(HTML)] == HTML for part in parts] == [True, False]
    assert (set(codes(notes)), counts) == ({"part-damaged"}, [1])
    assert body in members(new)


@pytest.mark.parametrize("end", [b"", b"\r\n", b"\n", b"\r\n\r\n", b"A: b\r\nC: d\r\n\r\n"])
def test_the_end_of_chunks_may_have_trailer_fields_or_lack_its_empty_line(end):
    body = b"%x\r\n%s\r\n0\r\n" % (len(HTML), HTML) + end
    new, notes = written(warc, record(http(body, "Transfer-Encoding: chunked")), marked)
    assert (read(warc, new)[0][0].data, notes) == (NEW, [])


@pytest.mark.parametrize("coding", ["br", "zstd"])
def test_bytes_after_the_payload_that_fastwarc_decodes(coding):
    streams = needed("fastwarc.stream_io")
    bodies = []
    for text in (HTML, b"<p>second"):
        out = Kept()
        writer = {"br": streams.BrotliWriter, "zstd": streams.ZstdWriter}[coding](out)
        writer.write(text)
        writer.close()
        bodies.append(out.getvalue())
    for body in (b"".join(bodies), bodies[0] + b"junk"):
        data = record(http(body, f"Content-Encoding: {coding}"))
        new, notes = written(warc, data, marked)
        if coding == "zstd" and body == b"".join(bodies):  # RFC 8878 §3: frames are one body
            assert (read(warc, new)[0][0].data, notes) == (NEW + b"<p>second", [])
        else:
            assert (new, codes(notes)) == (data, ["part-damaged"])


@pytest.mark.parametrize("coding", ["br", "zstd"])
def test_encodings_that_fastwarc_undoes(coding):
    streams = needed("fastwarc.stream_io")
    out = Kept()
    writer = {"br": streams.BrotliWriter, "zstd": streams.ZstdWriter}[coding](out)
    writer.write(HTML)
    writer.close()
    data = record(http(out.getvalue(), f"Content-Encoding: {coding}"))
    (part,), notes = read(warc, data)
    assert (part.data, notes) == (HTML, [])
    (part,), _ = read(warc, written(warc, data, marked)[0])
    assert part.data == NEW
    broken = record(http(out.getvalue()[:-4], f"Content-Encoding: {coding}"))
    assert codes(read(warc, broken)[1]) == ["part-damaged"]


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        (chunked(HTML)[:30], "Transfer-Encoding: chunked", "part-damaged"),
        (chunked(HTML).replace(b"0\r\nTrailer: 1\r\n\r\n", b""), "Transfer-Encoding: chunked", "part-damaged"),
        (b"5\r\n<p>12345\r\n0\r\n\r\n", "Transfer-Encoding: chunked", "part-damaged"),
        (b"ffffffffffff\r\n<p>", "Transfer-Encoding: chunked", "part-damaged"),
        (compress(HTML)[:-9], "Content-Encoding: gzip", "part-damaged"),
        (compress(HTML)[:20] + b"\xff" * 40, "Content-Encoding: gzip", "part-damaged"),
        (b"\xff" * 20, "Content-Encoding: deflate", "part-damaged"),
        (HTML, "Content-Encoding: x-morse", "part-encoding"),
        (HTML, "Content-Encoding: " + ", ".join(["gzip"] * 9), "part-encoding"),
        (compress(bytes(1 << 22)), "Content-Encoding: gzip", "part-too-large"),
    ],
)
def test_a_body_that_cannot_be_read_is_copied_and_named(archive, body, field, code):
    bad = record(http(body, field))
    data = archive(INFO, bad, PAGE)
    parts, notes = read(warc, data, limits=Limits(part=1 << 20))
    assert ([part.data for part in parts], codes(notes)) == ([HTML], [code])
    assert notes[0].start == len(archive(INFO))
    new, _ = written(warc, data, marked, limits=Limits(part=1 << 20))
    assert new.startswith(archive(INFO, bad))
    assert len(new) != len(data)


# --- writing


def test_nothing_but_the_changed_record_changes(archive):
    other = record(HTML, kind="resource", content_type="text/html", url="http://example.com/other")
    before, after = [INFO, REQUEST, other], [record(http(), kind="revisit"), REQUEST]
    data = archive(*before, PAGE, *after)
    new, notes = written(warc, data, lambda part: marked(part) if part.envelope.url == URL else None)
    assert notes == []
    assert new.startswith(archive(*before))
    assert new.endswith(archive(*after))
    block = http(NEW, f"Content-Length: {len(NEW)}")
    old = http()
    expected = PAGE.replace(sha1(old).encode(), sha1(block).encode()).replace(old, block)
    expected = expected.replace(b"Content-Length: %d" % len(old), b"Content-Length: %d" % len(block))
    assert read(warc, new)[0][1].data == NEW
    assert archive(*before, expected, *after) == new if archive is not zipped else expected in gzip.decompress(new)


def test_each_changed_record_is_a_separate_member():
    new, _ = written(warc, zipped(INFO, PAGE, REQUEST, PAGE), marked)
    members = []
    while new:
        inflate = zlib.decompressobj(31)
        members.append(inflate.decompress(new))
        assert inflate.eof
        new = inflate.unused_data
    assert [member.count(b"WARC/1.0\r\n") for member in members] == [1, 1, 1, 1]


@pytest.mark.parametrize("size", [len(NEW) - 1, 3])
def test_a_content_length_is_changed_in_place(size):
    data = record(http(HTML, "A: 1", f"content-length:{size}", "B: 2", f"Content-Length: {size}", "C: 3"))
    new, _ = written(warc, data, marked)
    assert b"A: 1\r\ncontent-length:%d\r\nB: 2\r\nC: 3\r\n\r\n" % len(NEW) in new


def test_header_blocks_with_bare_newlines_and_folds():
    block = b"HTTP/1.0 200 OK\nContent-Type: text/html;\n charset=koi8-r\nX: 1\n\n" + HTML
    (part,), _ = read(warc, record(block))
    assert (part.data, part.envelope.charset) == (HTML, "koi8-r")
    new, _ = written(warc, record(block), marked)
    assert b"\nX: 1\nContent-Length: %d\n\n" % len(NEW) + NEW in new


def hashed(algorithm):
    """The digest of the page."""
    return hashlib.new(algorithm, HTML, usedforsecurity=False).digest()


@pytest.mark.parametrize(
    ("stated", "length"),
    [
        (f"sha1:{hashed('sha1').hex()}", 40),
        (f"SHA-256:{base64.b32encode(hashed('sha256')).decode()}", 56),
        (f"sha256:{hashed('sha256').hex()}", 64),
        (f"sha1:{base64.b64encode(hashed('sha1')).decode()}", 28),
        (f"sha1:{base64.urlsafe_b64encode(hashed('sha1')).decode()}", 28),
        (f"sha-512:{hashed('sha512').hex()}", 128),
        (f"md5:{hashed('md5').hex()}", 32),
    ],
)
def test_digests_keep_their_form(stated, length):
    data = record(http(), f"WARC-Payload-Digest: {stated}")
    new, notes = written(warc, data, marked)
    label, _, value = re.search(rb"WARC-Payload-Digest: (.*)\r\n", new)[1].decode().rpartition(":")
    assert (label, len(value), notes) == (stated.rpartition(":")[0], length, [])
    assert value != stated.rpartition(":")[2]
    assert value.endswith("=") == stated.endswith("=")


@pytest.mark.parametrize("field", ["WARC-Payload-Digest", "WARC-Block-Digest"])
@pytest.mark.parametrize("wrong", [sha1(b"x"), f"sha256:{'0' * 64}", f"md5:{'0' * 32}", "A" * 32])
def test_a_wrong_digest_stays_wrong_and_is_named(archive, field, wrong, tmp_path):
    one = record(http(), f"WARC-Payload-Digest: {sha1(HTML)}")
    broken = re.sub(rf"{field}: .*\r\n".encode(), f"{field}: {wrong}\r\n".encode(), one)
    new, notes = written(warc, archive(INFO, broken), marked)
    assert codes(notes) == ["digest-wrong"]
    assert (read(warc, new)[0][0].data, written(warc, archive(INFO, broken), nothing)[1]) == (NEW, [])
    plain = members(new)
    assert f"{field}: {wrong}\r\n".encode() in plain
    assert sha1(NEW).encode() in plain or field == "WARC-Payload-Digest"
    assert ":" not in wrong or check(new, tmp_path).returncode == 1


def test_a_digest_is_cut_after_its_passwords_are_hidden():
    url = f"http://me:{'secret' * 20}@h/"
    for stated in (f"sha1:{url}", f"unknown:{url}"):
        _, notes = written(warc, record(http(), f"WARC-Payload-Digest: {stated}"), marked)
        assert [note for note in notes if "secret" in note.message] == []
        assert "http://me:…@h/" in notes[0].message


@pytest.mark.parametrize("form", ["stored", "without chunks", "decoded"])
def test_a_payload_digest_is_right_that_fits_any_form_of_the_payload(form):
    content = compress(HTML)
    forms = {"stored": chunked(content), "without chunks": content, "decoded": HTML}
    block = http(chunked(content), "Content-Encoding: gzip", "Transfer-Encoding: chunked")
    new, notes = written(warc, record(block, f"WARC-Payload-Digest: {sha1(forms[form])}"), marked)
    assert (sha1(NEW).encode() in new, notes) == (True, [])


@pytest.mark.parametrize("stated", ["blake9:abc", "sha1:abc", "shake_128:00", "x"])
def test_a_digest_that_cannot_be_renewed_is_dropped(stated):
    new, notes = written(warc, record(http(), f"WARC-Payload-Digest: {stated}"), marked)
    assert b"Payload" not in new
    assert codes(notes) == ["digest-unknown"]


# --- several records in a member, records over several members


def test_several_records_in_one_member(tmp_path):
    data = compress(INFO + PAGE + REQUEST) + zipped(PAGE)
    assert len(read(warc, data)[0]) == 2
    assert written(warc, data, lambda _: None)[0] == data
    new, notes = written(warc, data, marked)
    assert (notes, [part.data for part in read(warc, new)[0]]) == ([], [NEW, NEW])
    assert check(new, tmp_path).returncode == 0


def test_records_over_several_members():
    text = INFO + PAGE + REQUEST + PAGE
    data = b"".join(compress(text[at : at + 100]) for at in range(0, len(text), 100))
    parts, notes = read(warc, data)
    assert ([part.data for part in parts], notes) == ([HTML, HTML], [])
    assert written(warc, data, lambda _: None)[0] == data
    assert gzip.decompress(written(warc, data, marked)[0]).count(NEW) == 2


def test_large_members_of_no_interest_are_passed_by():
    video = record(http(random.Random(1).randbytes(3 << 20), content_type="video/mp4"))  # noqa: S311 - noise
    crowded = compress(video + PAGE, 1)
    data = zipped(PAGE) + compress(video, 1) + zipped(PAGE)
    limits = Limits(part=1 << 20)
    parts, notes = read(warc, data, limits=limits)
    assert ([part.data for part in parts], notes) == ([HTML, HTML], [])
    assert len(read(warc, crowded)[0]) == 1
    parts, notes = read(warc, crowded + zipped(PAGE), limits=limits)
    assert (len(parts), codes(notes)) == (1, ["part-too-large"])


@pytest.mark.growth
def test_a_large_plain_archive_needs_memory_for_one_record(tmp_path):
    path = tmp_path / "large.warc"
    video = record(http(bytes(1 << 24), content_type="video/mp4"))
    with path.open("wb") as file:
        for _ in range(24):
            file.write(video + PAGE)
    read(warc, PAGE)
    before = peak()
    with path.open("rb") as source, (tmp_path / "out.warc").open("wb") as out:
        warc.rewrite(source, out, Envelope(), marked, lambda _: None, Limits())
    assert peak() - before < 100_000
    assert (tmp_path / "out.warc").stat().st_size > path.stat().st_size


# --- damage


def test_a_truncated_archive(archive):
    whole = archive(INFO, PAGE)
    data = whole + archive(PAGE)[:-30]
    parts, notes = read(warc, data)
    assert (len(parts), codes(notes), notes[0].start) == (1, ["container-damaged"], len(whole))
    assert len(written(warc, data, marked)[0]) > len(data) - len(archive(PAGE))
    assert written(warc, data, marked)[0].endswith(data[len(whole) :])


@pytest.mark.parametrize("length", [0, 5, len(http()) - 1, len(http()) + 1, 10**9, -4, "x", "", "1" * 30, "²"])
def test_a_wrong_content_length_does_not_affect_other_records(archive, length):
    bad = record(http(b"<p>bad"), length=length).decode("latin-1").encode()
    data = archive(INFO, bad, PAGE, REQUEST, PAGE)
    parts, notes = read(warc, data)
    assert ([part.data for part in parts], codes(notes)) == ([HTML, HTML], ["container-damaged"])
    assert notes[0].start == len(archive(INFO))
    assert written(warc, data, lambda _: None)[0] == data
    new, _ = written(warc, data, marked)
    assert new.startswith(archive(INFO, bad))


@pytest.mark.parametrize("junk", [b"\0" * 4000, b"junk\r\n", b"WARC/1.0\r\nno end of a header\r\n", b"\r\n" * 400])
def test_junk_between_records(archive, junk):
    data = archive(INFO) + junk + archive(PAGE)
    parts, notes = read(warc, data)
    assert len(parts) == 1
    assert written(warc, data, lambda _: None)[0] == data
    assert (codes(notes) == []) == (junk[:1] == b"\r" and archive is not zipped)
    assert junk in written(warc, data, marked)[0]


def test_a_broken_member_does_not_affect_others():
    noise = random.Random(2).randbytes(9000)  # noqa: S311 - noise
    bad = bytearray(compress(record(http(HTML + noise))))
    bad[3000:3100] = bytes(100)
    whole = zipped(INFO, PAGE)
    for middle in (bytes(bad), bytes(bad[:4000]), bytes(bad[2000:])):
        data = whole + middle + zipped(PAGE)
        parts, notes = read(warc, data)
        assert [part.data for part in parts] == [HTML, HTML]
        assert {note.start for note in notes} == {len(whole)}
        assert written(warc, data, lambda _: None)[0] == data
        assert middle in written(warc, data, marked)[0]


def test_a_member_that_inflates_without_end():
    bomb = compress(record(http(bytes(1 << 24), content_type="image/png"), length=10)[:-4])
    assert len(bomb) < 1 << 15
    data = zipped(PAGE) + bomb + zipped(PAGE)
    parts, notes = read(warc, data, limits=Limits(part=1 << 20))
    assert (len(parts), codes(notes)) == (2, ["part-too-large"])
    assert written(warc, data, lambda _: None, limits=Limits(part=1 << 20))[0] == data


def test_a_plain_record_over_the_limit():
    data = record(http(HTML + bytes(1000))) + PAGE
    parts, notes = read(warc, data, limits=Limits(part=500))
    assert (len(parts), codes(notes)) == (1, ["part-too-large"])


def test_more_parts_than_the_limit(archive):
    parts, notes = read(warc, archive(PAGE, PAGE, PAGE), limits=Limits(parts=2))
    assert (len(parts), codes(notes)) == (2, ["too-many-parts"])


def test_a_segmented_record_is_skipped(archive):
    data = archive(record(http(), "WARC-Segment-Number: 1"))
    assert codes(read(warc, data)[1]) == ["part-segmented"]
    assert written(warc, data, marked)[0] == data


@pytest.mark.growth
@pytest.mark.parametrize(
    "unit",
    [
        b"WARC/1.0\r\n",
        b"WARC/1.0\r\nContent-Length: 99999999\r\n\r\n",
        b"WARC/1.0\r\nContent-Length: 40\r\n\r\n",
        b"\r\n",
        b"\x1f\x8b\x08\0\0\0\0\0\0\xff",
        compress(b"WARC/1.0\r\n")[:-1],
        compress(b"x"),
    ],
)
def test_time_grows_with_the_size(unit):
    start = zipped(INFO) if unit.startswith(b"\x1f") else INFO
    assert_linear(lambda count: partial(read, warc, start + unit * count), 4000, factor=4)


@settings(max_examples=examples(200), deadline=None)
@given(st.data())
def test_any_damage_is_copied(data):
    records = [INFO, PAGE, REQUEST, record(http(chunked(HTML), "Transfer-Encoding: chunked"))]
    text = b"".join(records)
    whole = bytearray(data.draw(st.sampled_from([text, zipped(*records), compress(text)])))
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(whole)))
        whole[at : at + data.draw(st.integers(0, 60))] = data.draw(st.binary(max_size=20))
    assert written(warc, bytes(whole), lambda _: None)[0] == bytes(whole)
    read(warc, written(warc, bytes(whole), marked)[0])


# --- records by GNU Wget


WGET = FIXTURES / "warc" / "site.warc.gz"


def absolutized(part):
    new = Document(part.data, envelope=part.envelope).absolutize()
    return None if new == part.data else new


def test_an_archive_of_wget(tmp_path):
    data = WGET.read_bytes()
    parts, notes = read(warc, data)
    pages = {page.url: page.data for page in site_pages()}
    assert notes == []
    assert len(parts) > 30
    assert {part.envelope.url: part.data for part in parts if part.envelope.url in pages} == {
        part.envelope.url: pages[part.envelope.url] for part in parts if part.envelope.url in pages
    }
    assert written(warc, data, lambda _: None)[0] == data
    new, notes = written(warc, data, absolutized)
    assert notes == []
    assert written(warc, new, absolutized)[0] == new
    made = check(new, tmp_path)
    assert (made.returncode, "failed" in made.stdout) == (0, False)


def test_its_payloads_are_equal_but_for_the_links():
    data = WGET.read_bytes()
    changed = {}

    def change(part):
        new = absolutized(part)
        if new is not None:
            changed[f"<{part.name.split()[0]}>"] = new
        return new

    new, _ = written(warc, data, change)
    expected = [(kind, identity, changed.get(identity, payload)) for kind, identity, payload in payloads(data)]
    assert len(changed) > 20
    assert payloads(new) == expected
    fastwarc = needed("fastwarc.warc")
    records = fastwarc.ArchiveIterator(io.BytesIO(new), fsspec_args=False, verify_digests=True)
    assert [one.reader.read() for one in records] == [payload for _, _, payload in expected]


# --- Zstandard


def zstandard(*records, dictionary=None):
    streams = needed("fastwarc.stream_io")
    out = io.BytesIO()
    writer = streams.ZstdWriter(out, dictionary=dictionary)
    for one in records:
        writer.write(one)
        writer.finish()
    writer.flush()
    return out.getvalue()


@pytest.mark.parametrize("with_dictionary", [False, True])
def test_zstandard(with_dictionary):
    streams = needed("fastwarc.stream_io")
    dictionary = None
    if with_dictionary:
        samples = [record(http(HTML * (1 + n % 3)), url=f"{URL}?{n}") for n in range(500)]
        dictionary = streams.zstd_train_dictionary_from_samples(samples, 4096)
    data = zstandard(INFO, PAGE, REQUEST, PAGE, dictionary=dictionary)
    assert CONTAINERS["warc"].recognise(data[:4096], "a.warc.zst")
    assert ([part.data for part in read(warc, data)[0]], read(warc, data)[1]) == ([HTML, HTML], [])
    assert written(warc, data, lambda _: None)[0] == data
    new, notes = written(warc, data, marked)
    assert ([part.data for part in read(warc, new)[0]], notes) == ([NEW, NEW], [])
    fastwarc = needed("fastwarc.warc")
    records = [one.reader.read() for one in fastwarc.ArchiveIterator(io.BytesIO(new), fsspec_args=False)]
    assert [NEW in one for one in records] == [False, True, False, True]
    cut, notes = read(warc, data[:-5])
    assert (len(cut), codes(notes)) == (1, ["container-damaged"])
    middle = data.find(b"\x28\xb5\x2f\xfd", len(zstandard(INFO, dictionary=dictionary)))
    broken = data[:middle] + b"\xff" * 7 + data[middle + 7 :]
    assert [part.data for part in read(warc, broken)[0]] == [HTML]
    assert written(warc, broken, lambda _: None)[0] == broken


def test_zstandard_without_fastwarc(monkeypatch):
    monkeypatch.setitem(sys.modules, "fastwarc.stream_io", None)
    data = b"\x28\xb5\x2f\xfd" + bytes(50)
    parts, notes = read(warc, data)
    assert (parts, codes(notes)) == ([], ["extra-needed"])
    assert "linkfix[warc]" in notes[0].message
    coded = record(http(HTML, "Content-Encoding: br"))
    monkeypatch.setitem(sys.modules, "brotli", None)
    assert codes(read(warc, coded)[1]) == ["extra-needed"]


# --- recognising; published archives


@pytest.mark.parametrize(
    ("head", "name", "is_one"),
    [
        (INFO, "x", True),
        (zipped(INFO)[:4096], "x.gz", True),
        (b"\x28\xb5\x2f\xfd\0", "x.warc.zst", True),
        (b"\x5d\x2a\x4d\x18\0", "x.WARC.zst", True),
        (b"\x28\xb5\x2f\xfd\0", "x.tar.zst", False),
        (b"\r\n\n" + INFO, "x", True),
        (b"\xef\xbb\xbf" + INFO, "x", True),
        (compress(b"\xef\xbb\xbf\r\n" + INFO), "x", True),
        (b" " + INFO, "x", False),
        (compress(b"<html>"), "x.gz", False),
        (b"\x1f\x8b\x08\xff" * 9, "x.gz", False),
        (HTML, "x", False),
        (b"", "x", False),
        # A file with this suffix is read as WARC, so that a lost beginning is a problem.
        (compress(b"<html>"), "x.warc.gz", True),
        (HTML, "x.warc", True),
    ],
)
def test_recognise(head, name, is_one):
    assert CONTAINERS["warc"].recognise(head, name) is is_one


PUBLISHED = {
    "example-bad-non-chunked.warc.gz": (["http://example.com/"], []),
    "example-bad.warc.gz.bad": (["http://example.com?example=1", "http://www.iana.org/domains/example"], []),
    "example-digest.warc": ([], []),
    "example-iana.org-chunked.warc": (["http://www.iana.org/"], []),
    "example-resource.warc.gz": (["http://example.com/"], []),
    "example-space-in-target-uri.warc.gz": ([], []),
    "example-trunc.warc": ([], [("container-damaged", 1197)]),
    "example-wget-bad-target-uri.warc.gz": (["http://example.com/"], []),
    "example-wrong-chunks.warc.gz": (["http://example.com/"], []),
    "example.warc": (["http://example.com/"], []),
    "example.warc.gz": (["http://example.com/"], []),
    "post-test.warc.gz": ([], []),
}


#: Its body was decoded, and its digests were not renewed.
WRONG_DIGESTS = {"example-wrong-chunks.warc.gz"}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_archives_are_copied_unchanged(name):
    path = published_archive(name)
    data = path.read_bytes()
    assert CONTAINERS["warc"].recognise(data[:4096], path.name)
    assert written(warc, data, lambda _: None)[0] == data


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_archives(name, tmp_path):
    data = published_archive(name).read_bytes()
    parts, notes = read(warc, data)
    urls, problems = PUBLISHED[name]
    assert ([part.envelope.url for part in parts], [(note.code, note.start) for note in notes]) == (urls, problems)
    new, notes = written(warc, data, lambda part: part.data.replace(b"<p>", b"<p >"))
    assert (new != data) == bool(parts)
    if parts:
        is_wrong = "digest-wrong" in codes(notes)
        assert is_wrong == (name in WRONG_DIGESTS)
        made = check(new, tmp_path)
        assert (made.returncode, "failed" in made.stdout + made.stderr) == (int(is_wrong), is_wrong)


@pytest.mark.parametrize(
    "name", [name for name in PUBLISHED if re.match(r"example(-\w+\.org-chunked|-resource)?\.", name)]
)
def test_payloads_are_equal_but_for_the_change(name):
    data = published_archive(name).read_bytes()
    new, _ = written(warc, data, lambda part: part.data.replace(b"<p>", b"<p >"))
    expected = [
        (kind, identity, payload.replace(b"<p>", b"<p >") if kind in {"response", "resource"} else payload)
        for kind, identity, payload in payloads(data)
    ]
    assert payloads(new) == expected
    fastwarc = needed("fastwarc.warc")
    read_by_other = [
        one.reader.read() for one in fastwarc.ArchiveIterator(io.BytesIO(new), auto_decode="all", fsspec_args=False)
    ]
    assert read_by_other == [payload for _, _, payload in expected]


def test_a_content_security_policy_comes_along():
    fields = "Content-Security-Policy: img-src *\r\nContent-Security-Policy: base-uri 'none'"
    (part,), _ = read(warc, record(http(HTML, fields)))
    assert part.envelope.content_security_policy == "img-src *, base-uri 'none'"
    (part,), _ = read(warc, record(http(HTML, "Content-Security-Policy-Report-Only: base-uri 'none'")))
    assert part.envelope.content_security_policy is None
