"""Header fields with URLs of archived responses: parts, bases, output."""

from __future__ import annotations

import gzip
import io
import json

import pytest
from support.extras import needed
from support.running import run
from support.running_containers import read, rewritten
from support.warc_files import check
from support.web_archives import (
    HTML,
    INFO,
    REQUEST,
    URL,
    assert_valid,
    http,
    lines,
    package,
    record,
    sha1,
    zipped,
)

from linkfix import Document
from linkfix.containers import Limits, container
from linkfix.model import HTTP_HEADER_TYPE, MARKUP_TYPES

warc, wacz, har = map(container, ("warc", "wacz", "har"))

WANTED = Limits(media_types=MARKUP_TYPES | {HTTP_HEADER_TYPE})
FIELDS = ["Content-Location: /v2", "Link: <a.css>; rel=preload, <b>; rel=next", "Refresh: 5; url='../c'"]
#: RFC 9110 §15.4: a redirect, whose body is no page here.
REDIRECT = http(b"", "Location: ../other/?q", "List-Help: <x>", content_type="", status="302 Found")
BASED = b'<base href="http://base.example/">' + HTML


def is_header(part):
    return part.media_type == HTTP_HEADER_TYPE


def absolute(part, **options):
    """The part with absolute links."""
    return Document(part.data, envelope=part.envelope, header_fields=True, **options).absolutize()


def only_headers(part):
    return absolute(part) if is_header(part) else None


def links(format_, data):
    parts, _ = read(format_, data, limits=WANTED)
    return [
        (part.name.rpartition(" ")[2], link.element, link.attribute, link.reference, link.target)
        for part in parts
        if is_header(part)
        for link in Document(part.data, envelope=part.envelope).links
    ]


EXPECTED = [
    ("HEADER", "", "content-location", "/v2", "http://example.com/v2"),
    ("HEADER", "", "link", "a.css", "http://example.com/docs/a.css"),
    ("HEADER", "", "link", "b", "http://example.com/docs/b"),
    ("HEADER", "", "refresh", "../c", "http://example.com/c"),
    ("HEADER", "", "location", "../other/?q", "http://example.com/other/?q"),
]


@pytest.mark.parametrize("pack", [b"".join, lambda records: zipped(*records)])
def test_the_base_is_the_url_of_the_response_and_never_a_base_element(pack):
    """RFC 8288 §3.2, Fetch ("location URL"), HTML §7.8, RFC 9110 §8.7."""
    data = pack([INFO, REQUEST, record(http(BASED, *FIELDS)), record(REDIRECT)])
    assert links(warc, data) == EXPECTED


def test_headers_are_parts_only_on_request():
    assert [part.media_type for part in read(warc, record(http(HTML, *FIELDS)) + record(REDIRECT))[0]] == ["text/html"]


@pytest.mark.parametrize("body", [b"GIF89a", b"GIF89a" + bytes(3 << 20)])
def test_responses_that_are_no_documents_have_headers_too(body):
    """A large member is read only if its header has URLs."""
    image = record(http(body, 'Link: <p.html>; rel="canonical"', content_type="image/gif"))
    assert links(warc, zipped(image)) == [("HEADER", "", "link", "p.html", "http://example.com/docs/p.html")]


def test_a_changed_header_leaves_the_payload_as_it_is():
    """WARC 1.1 §5.8, §5.9: the block digest covers the header, the payload digest does not."""
    coded = gzip.compress(HTML, mtime=0)
    block = http(coded, "Content-Encoding: gzip", f"Content-Length: {len(coded)}", *FIELDS)
    old = record(block, f"WARC-Payload-Digest: {sha1(coded)}")
    out, problems = rewritten(warc, INFO + old + INFO, only_headers, limits=WANTED)
    assert not problems
    head = (
        http(b"", "Content-Encoding: gzip", f"Content-Length: {len(coded)}")[:-2]
        + b"Content-Location: http://example.com/v2\r\n"
        + b"Link: <http://example.com/docs/a.css>; rel=preload, <http://example.com/docs/b>; rel=next\r\n"
        + b"Refresh: 5; url='http://example.com/c'\r\n\r\n"
    )
    new = head + coded
    expected = old.replace(block, new).replace(sha1(block).encode(), sha1(new).encode())
    expected = expected.replace(
        b"Content-Length: %d\r\n\r\nHTTP" % len(block), b"Content-Length: %d\r\n\r\nHTTP" % len(new)
    )
    assert out == INFO + expected + INFO


def test_header_and_body_change_in_one_record():
    old = record(http(HTML, "Content-Length: 5", *FIELDS))
    out, _ = rewritten(warc, zipped(old), absolute, limits=WANTED)
    text = gzip.decompress(out)
    assert b'<a href="http://example.com/x.html">' in text
    assert b"Content-Location: http://example.com/v2\r\n" in text
    assert links(warc, out) == [(*row[:3], row[4], row[4]) for row in EXPECTED[:4]]
    assert rewritten(warc, out, absolute, limits=WANTED)[0] == out


@pytest.mark.parametrize("value", [b"http://[", b"", b"{{ url }}", b"https://example.org/"])
def test_what_has_no_other_url_stays(value):
    data = record(http(b"", "Location: " + value.decode(), content_type="", status="301 Moved"))
    assert rewritten(warc, data, absolute, limits=WANTED)[0] == data


@pytest.mark.parametrize(
    ("written", "new"),
    [
        (b"a\xc3\xa4", b"http://example.com/docs/a%C3%A4"),
        (b"a b", b"http://example.com/docs/a%20b"),
        (b"\r\n a", b"\r\n http://example.com/docs/a"),
    ],
)
def test_a_new_url_is_one_line_of_ascii(written, new):
    head = b"HTTP/1.1 302 Found\r\nLocation: %s\r\n\r\n"
    out, _ = rewritten(warc, record(head % written), absolute, limits=WANTED)
    assert head % new in out


def test_a_long_url_is_not_folded():
    """RFC 9112 §5.2: no line of HTTP is folded, whatever its length."""
    block = b"HTTP/1.1 302 Found\r\nContent-Location: %s\r\n\r\n"
    out, problems = rewritten(warc, record(block % (b"a" * 2000)), absolute, limits=WANTED)
    assert block % (b"http://example.com/docs/" + b"a" * 2000) in out
    assert not problems


def test_a_package_stays_valid():
    records = [INFO, record(http(HTML, *FIELDS), f"WARC-Payload-Digest: {sha1(HTML)}")]
    data = package({"archive/data.warc.gz": zipped(*records), "indexes/index.cdxj": b"".join(lines(records))})
    out, problems = rewritten(wacz, data, only_headers, limits=WANTED)
    assert out != data
    assert not problems
    assert_valid(out)
    assert [row[4] for row in links(wacz, out)] == [row[4] for row in EXPECTED[:4]]


def har_of(**response):
    response = {"status": 301, "headersSize": 7654, "content": {}, **response}
    return json.dumps({"log": {"entries": [{"request": {"url": URL}, "response": response}]}}, indent=1).encode()


def test_a_hars_fields_and_its_redirect_url_change():
    fields = [
        {"name": name, "value": value} for name, value in (("location", "../other/"), ("X", "y"), ("Link", "<a>"))
    ]
    data = har_of(headers=fields, redirectURL="../other/")
    assert links(har, data) == [
        ("HEADER", "", "location", "../other/", "http://example.com/other/"),
        ("HEADER", "", "link", "a", "http://example.com/docs/a"),
    ]
    out, problems = rewritten(har, data, absolute, limits=WANTED)
    expected = data.replace(b"../other/", b"http://example.com/other/").replace(b"<a>", b"<http://example.com/docs/a>")
    assert out == expected.replace(b"7654", b"-1")
    assert not problems


@pytest.mark.parametrize("value", ["a\nSet-Cookie: x", "a\r\n\r\n<b>", "\ud800", "", " "])
def test_a_value_of_a_har_that_is_no_field_stays(value):
    data = har_of(headers=[{"name": "Location", "value": value}, {"name": "Link", "value": "<//h/>"}])
    out, _ = rewritten(har, data, absolute, limits=WANTED)
    assert out == data.replace(b"<//h/>", b"<http://h/>").replace(b"7654", b"-1")


def test_a_hars_header_and_body_change_together():
    content = {"text": '<a href="../x">', "mimeType": "text/html", "size": 15}
    fields = [{"name": "Content-Length", "value": "15"}, {"name": "Location", "value": "../y"}]
    out, _ = rewritten(har, har_of(headers=fields, content=content), absolute, limits=WANTED)
    response = json.loads(out)["log"]["entries"][0]["response"]
    assert response["headers"][1]["value"] == "http://example.com/y"
    assert response["headers"][0]["value"] == str(response["content"]["size"])
    assert response["content"]["text"] == '<a href="http://example.com/x">'
    assert response["headersSize"] == -1


def test_the_command_lists_them_and_changes_them_on_request(tmp_path):
    path = tmp_path / "a.warc"
    path.write_bytes(record(http(HTML, *FIELDS)) + record(REDIRECT))
    found = [json.loads(line) for line in run("links", str(path), "--format", "jsonl").stdout.splitlines()]
    shown = [(row["element"], row["attribute"], row["target"]) for row in found]
    assert ("", "location", "http://example.com/other/?q") in shown
    assert ("a", "href", "http://example.com/x.html") in shown
    assert run("absolutize", str(path), "-o", str(tmp_path / "b.warc"), "--headers").exit_code == 0
    assert b"Location: http://example.com/other/?q\r\n" in (tmp_path / "b.warc").read_bytes()
    run("absolutize", str(path), "-o", str(tmp_path / "c.warc"))
    assert b"Location: ../other/?q\r\n" in (tmp_path / "c.warc").read_bytes()


PROFILE = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/"
#: Revisit records (WARC 1.1 §6.7): the header of a response with a payload that is known, and that of a 304.
IDENTICAL = record(
    http(b"", *FIELDS),
    f"{PROFILE}identical-payload-digest",
    f"WARC-Payload-Digest: {sha1(HTML)}",
    f"WARC-Refers-To-Target-URI: {URL}",
    kind="revisit",
)
NOT_MODIFIED = record(
    http(b"", "ETag: x", *FIELDS, content_type="", status="304 Not Modified"),
    f"{PROFILE}server-not-modified",
    f"WARC-Refers-To-Target-URI: {URL}",
    kind="revisit",
)


@pytest.mark.parametrize("pack", [b"".join, lambda records: zipped(*records)])
@pytest.mark.parametrize("revisit", [IDENTICAL, NOT_MODIFIED])
def test_revisits_have_headers_of_their_own(tmp_path, pack, revisit):
    data = pack([INFO, revisit, REQUEST])
    assert links(warc, data) == EXPECTED[:4]
    out, problems = rewritten(warc, data, absolute, limits=WANTED)
    assert not problems
    assert links(warc, out) == [(*row[:3], row[4], row[4]) for row in EXPECTED[:4]]
    assert rewritten(warc, out, absolute, limits=WANTED)[0] == out
    plain = gzip.decompress(out) if out.startswith(b"\x1f\x8b") else out
    assert b"Location: http://example.com/v2\r\nLink: <http://example.com/docs/a.css>; rel=preload" in plain
    old = revisit.split(b"\r\n")
    new = plain.removeprefix(INFO).removesuffix(REQUEST).split(b"\r\n")
    changed = [before.partition(b":")[0] for before, after in zip(old, new, strict=True) if before != after]
    assert changed == [b"WARC-Block-Digest", b"Content-Length", b"Content-Location", b"Link", b"Refresh"]
    assert (check(out, tmp_path).returncode, check(data, tmp_path).returncode) == (0, 0)
    needed("warcio")
    from warcio import ArchiveIterator  # after the check that it is installed

    found = [one for one in ArchiveIterator(io.BytesIO(out)) if one.rec_type == "revisit"]
    assert [one.http_headers.get_header("Refresh") for one in found] == ["5; url='http://example.com/c'"]
    assert [one.content_stream().read() for one in found] == [b""]


def test_revisits_are_no_parts_without_a_request_for_headers():
    assert read(warc, IDENTICAL + NOT_MODIFIED) == ([], [])
    assert rewritten(warc, IDENTICAL + NOT_MODIFIED, absolute)[0] == IDENTICAL + NOT_MODIFIED


@pytest.mark.parametrize("block", [b"", b"HTTP/1.1 200 OK\r\nLink: <a>", b"Link: <a>\r\n\r\n"])
def test_a_revisit_without_a_whole_header_stays(block):
    data = record(block, PROFILE, kind="revisit")
    assert read(warc, data, limits=WANTED) == ([], [])
    assert rewritten(warc, data, absolute, limits=WANTED)[0] == data


@pytest.mark.parametrize("mode", ["keep", "expand"])
def test_a_revisit_follows_its_payload_and_has_its_own_links(tmp_path, mode):
    original = record(http(HTML, f"Content-Length: {len(HTML)}"), f"WARC-Payload-Digest: {sha1(HTML)}")
    path, out = tmp_path / "a.warc", tmp_path / "b.warc"
    other = IDENTICAL.replace(b"Target-URI: " + URL.encode(), b"Target-URI: http://other.example/", 1)
    path.write_bytes(original + IDENTICAL + (other if mode == "expand" else b""))
    made = run("absolutize", str(path), "-o", str(out), "--headers", "--revisits", mode)
    assert made.exit_code == 0, made.output
    new = out.read_bytes()
    digest = sha1(HTML.replace(b"../x.html", b"http://example.com/x.html"))
    assert new.count(f"WARC-Payload-Digest: {digest}\r\n".encode()) == 2
    assert new.count(b"Link: <http://example.com/docs/a.css>; rel=preload, <http://example.com/docs/b>; rel=next") == 1
    assert (
        new.count(b"Link: <http://other.example/a.css>")
        == new.count(b"http://other.example/x.html")
        == (mode == "expand")
    )
    assert check(new, tmp_path).returncode == 0
