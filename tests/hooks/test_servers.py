"""The middleware of ASGI and WSGI: each rule of HTTP by both protocols."""

from __future__ import annotations

import base64
import gzip
import hashlib
import logging
import zlib

import brotli
import pytest
from support.servers import Sent, by_asgi, by_wsgi

from linkfix.containers.pieces import compress
from linkfix.errors import InvalidBase, InvalidOption
from linkfix.hooks.asgi import Absolutize
from linkfix.hooks.server import public_url

HTML = ("Content-Type", "text/html; charset=utf-8")
OLD = b'<!DOCTYPE html><p><a href="x?a"><img src="/i.png">'
NEW = b'<!DOCTYPE html><p><a href="https://e.example/a/x?a"><img src="https://e.example/i.png">'


@pytest.fixture(params=[by_asgi, by_wsgi], ids=["asgi", "wsgi"])
def by(request):
    return request.param


def sha256(data):
    return base64.b64encode(hashlib.sha256(data).digest()).decode()


def test_a_page_has_absolute_links_and_the_right_length(by):
    got = by(Sent([HTML, ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("Content-Length", str(len(OLD)))]))
    assert (got.status, got.body) == (200, NEW)
    assert got.values("content-length") == [str(len(NEW))]
    assert got.values("set-cookie") == ["a=1", "b=2"]


def test_a_page_without_a_length_gets_one(by):
    assert by(Sent()).values("content-length") == [str(len(NEW))]


def test_a_page_without_relative_links_keeps_its_bytes_and_fields(by):
    page = b"<!DOCTYPE html><a href=https://other.example/>"
    fields = [HTML, ("Content-Length", str(len(page))), ("Content-MD5", "x"), ("Accept-Ranges", "bytes")]
    got = by(Sent(fields, [page]))
    assert got.body == page
    assert got.headers == [(name.lower(), value) for name, value in fields]


def test_pages_of_errors_are_pages(by):
    got = by(Sent(status=404))
    assert (got.status, got.body) == (404, NEW)


@pytest.mark.parametrize(
    "type_", ["application/json", "text/event-stream", "image/png", "text/css", "multipart/x-mixed-replace"]
)
def test_other_types_pass_through_in_their_pieces(by, type_):
    sent = Sent([("Content-Type", type_), ("ETag", '"a"')], [b"<a href=x>", b"<a href=y>"])
    got = by(sent)
    assert [piece for piece in got.pieces if piece] == sent.pieces
    assert got.headers == [("content-type", type_), ("etag", '"a"')]


def test_other_types_on_request(by):
    got = by(Sent([("Content-Type", "text/css")], [b"a{background:url(x)}"]), media_types={"text/css"})
    assert got.body == b"a{background:url(https://e.example/a/x)}"
    feed = b'<rss version="2.0"><channel><link>/</link></channel></rss>'
    got = by(Sent([("Content-Type", "application/rss+xml")], [feed]), media_types={"application/rss+xml"})
    assert got.body == feed.replace(b"/</link>", b"https://e.example/</link>")


def test_an_event_stream_cannot_be_asked_for(by):
    with pytest.raises(InvalidOption, match="media_types"):
        by(Sent(), media_types={"text/event-stream"})


@pytest.mark.parametrize("base", ["https://e.example", "https://e.example/"])
def test_the_base_is_the_public_url_of_the_request(by, base):
    path = "/a/ä" if by is by_asgi else "/a/ä".encode().decode("latin-1")  # PEP 3333
    got = by(Sent(pieces=[b'<a href="?b"><a href="x">']), path=path, query="q=1", base_url=base)
    assert got.body == b'<a href="https://e.example/a/%C3%A4?b"><a href="https://e.example/a/x">'


def test_the_base_of_an_application_in_a_folder(by):
    sent = Sent(pieces=[b'<a href="x"><a href="/y">'])
    got = by(sent, root="/app", path="/a/b", base_url="https://e.example/shop")
    assert got.body == b'<a href="https://e.example/shop/a/x"><a href="https://e.example/y">'
    got = by(sent, "GET", [("Host", "own.example:8080")], root="/app", path="/a/b", base_url=None)
    assert got.body == b'<a href="http://own.example:8080/app/a/x"><a href="http://own.example:8080/y">'


def test_without_a_host_the_server_is_the_base(by):
    assert by(Sent(pieces=[b"<a href=x>"]), base_url=None).body == b"<a href=http://10.0.0.1:8000/a/x>"


@pytest.mark.parametrize(
    "host", ["evil.example/x", "a@evil.example", "evil.example#", "e vil", "evil.example\\", "[x]"]
)
def test_a_host_that_is_none_gives_no_base(by, host, caplog):
    assert by(Sent(), "GET", [("Host", host)], base_url=None).body == OLD
    assert "no-base" in caplog.text or "response-url" in caplog.text


def test_a_path_cannot_be_a_host():
    assert (
        public_url("https://e.example", ("http", ""), "", "//evil.example/", b"") == "https://e.example//evil.example/"
    )
    assert (
        public_url("https://e.example", ("http", ""), "", "@evil.example/", b"") == "https://e.example/@evil.example/"
    )
    assert public_url("https://e.example", ("http", ""), "", "*", b"a#b\r\n") == "https://e.example/*?a%23b%0D%0A"


def test_the_pages_own_base_element_counts(by):
    got = by(Sent(pieces=[b'<base href="/b/"><a href=x>']))
    assert got.body == b'<base href="https://e.example/b/"><a href=https://e.example/b/x>'


# Validators (RFC 9110 §8.8, §13).


@pytest.mark.parametrize(("tag", "expected"), [('"a"', 'W/"a"'), ('W/"a"', 'W/"a"')])
def test_a_page_has_no_strong_validator(by, tag, expected):
    absolute = [b"<a href=http://h/>"]
    for sent in (Sent([HTML, ("ETag", tag)]), Sent([HTML, ("ETag", tag)], absolute)):
        assert by(sent).values("etag") == [expected]
        assert by(sent, "HEAD").values("etag") == [expected]


@pytest.mark.parametrize(
    ("known", "type_", "expected"),
    [
        ('W/"a"', None, 'W/"a"'),
        ('W/"b", W/"a"', None, 'W/"a"'),
        ('"a"', None, '"a"'),  # of what is no page, or was sent before the middleware came
        ("*", None, 'W/"a"'),
        (None, None, 'W/"a"'),
        ('W/"a"', "text/html", 'W/"a"'),
        (None, "image/png", '"a"'),
    ],
)
def test_a_304_has_the_etag_that_the_client_has(by, known, type_, expected):
    fields = [("ETag", '"a"'), *([("Content-Type", type_)] if type_ else [])]
    if by is by_wsgi and type_:
        pytest.skip("WSGI's validator allows no Content-Type in a 304")
    got = by(Sent(fields, [], 304), "GET", [("If-None-Match", known)] if known else [])
    assert (got.status, got.values("etag"), got.body) == (304, [expected], b"")


def test_head_omits_what_only_the_body_tells(by):
    fields = [HTML, ("Content-Length", "51"), ("Repr-Digest", f"sha-256=:{sha256(OLD)}:"), ("Vary", "Cookie")]
    got = by(Sent(fields, []), "HEAD")
    assert got.headers == [("content-type", HTML[1]), ("vary", "Cookie")]
    assert by(Sent([("Content-Type", "image/png"), ("Content-Length", "51")], []), "HEAD").values("content-length") == [
        "51"
    ]


def test_parts_are_left_alone(by):
    fields = [HTML, ("Content-Range", "bytes 0-50/99"), ("ETag", '"a"'), ("Content-Length", str(len(OLD)))]
    got = by(Sent(fields, status=206))
    assert (got.status, got.body) == (206, OLD)
    assert got.values("etag") == ['"a"']


def test_a_changed_page_does_not_offer_ranges(by):
    assert by(Sent([HTML, ("Accept-Ranges", "bytes")])).values("accept-ranges") == []
    assert by(Sent([HTML, ("Accept-Ranges", "bytes")], []), "HEAD").values("accept-ranges") == []


def test_no_transform_is_obeyed(by):
    got = by(Sent([HTML, ("Cache-Control", "private, No-Transform"), ("ETag", '"a"')]))
    assert got.body == OLD
    assert got.values("etag") == ['"a"']


def test_digests_fit_the_new_body(by):
    fields = [
        HTML,
        ("Content-MD5", "x"),
        ("Repr-Digest", f"sha-256=:{sha256(OLD)}:"),
        ("Content-Digest", f"sha-256=:{sha256(b'other')}:"),
        ("Digest", f"SHA-256={sha256(OLD)}"),
    ]
    got = by(Sent(fields))
    assert got.values("content-md5") == got.values("content-digest") == []
    assert got.values("repr-digest") == [f"sha-256=:{sha256(NEW)}:"]
    assert got.values("digest") == [f"SHA-256={sha256(NEW)}"]


# Content codings.


CODINGS = {
    "gzip": (gzip.compress, gzip.decompress),
    "x-gzip": (gzip.compress, gzip.decompress),
    "deflate": (zlib.compress, zlib.decompress),
    "br": (brotli.compress, brotli.decompress),
}


@pytest.mark.parametrize("coding", CODINGS)
def test_a_coded_page_keeps_its_coding(by, coding):
    encode, decode = CODINGS[coding]
    body = encode(OLD)
    fields = [HTML, ("Content-Encoding", coding), ("Vary", "Accept-Encoding"), ("Digest", f"sha-256={sha256(body)}")]
    got = by(Sent([*fields, ("Repr-Digest", f"sha-256=:{sha256(body)}:")], [body[:9], body[9:]]))
    assert decode(got.body) == NEW
    assert got.values("content-encoding") == [coding]
    assert got.values("vary") == ["Accept-Encoding"]
    assert got.values("content-length") == [str(len(got.body))]
    assert got.values("repr-digest") == [f"sha-256=:{sha256(got.body)}:"]
    assert got.values("digest") == []


def test_zstandard(by):
    zstd = pytest.importorskip("backports.zstd")
    assert zstd.decompress(by(Sent([HTML, ("Content-Encoding", "zstd")], [zstd.compress(OLD)])).body) == NEW


def test_without_a_library_a_changed_page_has_no_coding(by, monkeypatch):
    monkeypatch.setattr("linkfix.containers.pieces._COMPRESSORS", {"br": (("absent_library", compress),)})
    got = by(Sent([HTML, ("Content-Encoding", "br")], [brotli.compress(OLD)]))
    assert got.body == NEW
    assert got.values("content-encoding") == []


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("br", brotli.compress(OLD)[:-3]),
        ("x-zz, gzip", gzip.compress(OLD, mtime=0)),
        ("gzip", gzip.compress(OLD, mtime=0)[:-12]),
    ],
    ids=["br", "private", "gzip"],
)
def test_a_body_that_cannot_be_decoded_is_left_alone(by, coding, body):
    got = by(Sent([HTML, ("Content-Encoding", coding)], [body]))
    assert got.body == body
    assert got.values("content-encoding") == [coding]


def test_two_codings_become_none(by):
    got = by(Sent([HTML, ("Content-Encoding", "br, gzip")], [gzip.compress(brotli.compress(OLD))]))
    assert got.body == NEW
    assert got.values("content-encoding") == []


def test_an_unchanged_coded_page_keeps_its_bytes(by):
    body = gzip.compress(b"<!DOCTYPE html><a href=http://h/>")
    assert by(Sent([HTML, ("Content-Encoding", "gzip")], [body])).body == body


# Limits.


def test_a_larger_body_passes_through_in_its_pieces(by):
    pieces = [b"<a href=x>" * 10] * 7
    got = by(Sent(pieces=pieces), max_size=250)
    assert [piece for piece in got.pieces if piece] == pieces
    assert by(Sent(pieces=pieces[:2]), max_size=250).body == b"<a href=https://e.example/a/x>" * 20


def test_a_body_that_states_a_larger_length_is_not_held(by):
    got = by(Sent([HTML, ("Content-Length", "100"), ("ETag", '"a"')], [b"<a href=x>" * 10]), max_size=99)
    assert got.body == b"<a href=x>" * 10
    assert got.values("etag") == ['"a"']


def test_a_bomb_is_left_alone(by, caplog):
    body = gzip.compress(b"<a href=x>" * 100_000)
    got = by(Sent([HTML, ("Content-Encoding", "gzip")], [body]), max_size=100_000)
    assert got.body == body
    assert "too-large" in caplog.text


def test_a_body_without_a_type_is_held_until_its_type_shows():
    """By ASGI alone: WSGI's validator wants a Content-Type."""
    assert by_asgi(Sent([], [OLD])).body == NEW
    pieces = [b"\x89PNG" + bytes(5000), b"more", b"more"]
    assert by_asgi(Sent([], pieces)).pieces[:3] == pieces


# Options.


def test_header_fields_on_request(by):
    fields = [
        HTML,
        ("Location", "/login?next=x"),
        ("Link", "<a.css>; rel=preload"),
        ("Refresh", "5; url=y"),
        ("Content-Location", "page.en"),
    ]
    expected = [
        ("location", "https://e.example/login?next=x"),
        ("link", "<https://e.example/a/a.css>; rel=preload"),
        ("refresh", "5; url=https://e.example/a/y"),
        ("content-location", "https://e.example/a/page.en"),
    ]
    for status, pieces in ((200, [OLD]), (302, [])):
        got = by(Sent(fields, pieces, status), header_fields=True)
        assert [field for field in got.headers if field[0] in dict(expected)] == expected
        got = by(Sent(fields, pieces, status))
        assert got.values("location") == ["/login?next=x"]


def prefixed(url):
    old = "https://e.example/"
    return f"https://proxy.example/app/{url.removeprefix(old)}" if url.startswith(old) else None


def test_rewrite_replaces_the_absolute_urls(by):
    page = b'<a href="#top"><a href="https://e.example/z"><a href="https://o.example/"><img srcset="a 1x, /b 2x"><a href="http://[">'
    got = by(Sent(pieces=[page]), rewrite=prefixed)
    assert got.body == (
        b'<a href="#top"><a href="https://proxy.example/app/z"><a href="https://o.example/">'
        b'<img srcset="https://proxy.example/app/a/a 1x, https://proxy.example/app/b 2x"><a href="http://[">'
    )
    assert got.values("content-length") == [str(len(got.body))]


def test_rewrite_of_header_fields_and_coded_pages(by):
    fields = [HTML, ("Content-Encoding", "gzip"), ("Location", "/y")]
    got = by(Sent(fields, [gzip.compress(OLD)]), rewrite=prefixed, header_fields=True)
    assert gzip.decompress(got.body) == NEW.replace(b"https://e.example/", b"https://proxy.example/app/")
    assert got.values("location") == ["https://proxy.example/app/y"]


def test_rewrite_keeps_what_keep_keeps_and_the_encoding(by):
    page = "<a href='{}'>" * 60
    page = page.format(*(f"/x?п{n}" for n in range(60))) + "<meta charset=windows-1251><a href='/k'>"
    got = by(
        Sent([("Content-Type", "text/html")], [page.encode("windows-1251")]),
        rewrite=prefixed,
        keep=lambda url: url.endswith("/k"),
    )
    assert b"<a href='https://proxy.example/app/x?%EF0'>" in got.body
    assert got.body.endswith(b"<a href='/k'>")


def test_a_rewrite_that_fails_leaves_the_page_alone(by, caplog):
    def fail(_url):
        raise ZeroDivisionError

    got = by(Sent([HTML, ("Location", "x")]), rewrite=fail, header_fields=True)
    assert got.body == OLD
    assert got.values("location") == ["x"]
    assert "ZeroDivisionError" in caplog.text
    assert by(Sent(), rewrite=lambda _url: 5).body == OLD


@pytest.mark.parametrize(
    "base",
    [
        "/x",
        "e.example",
        "ftp://e.example/",
        "https://e.example/?q",
        "https://e.example/#f",
        "mailto:a@e.example",
        "http://[",
    ],
)
def test_a_wrong_base_url_is_refused(base):
    with pytest.raises(InvalidBase):
        Absolutize(None, base_url=base)


def test_a_message_about_a_base_url_has_no_password():
    with pytest.raises(InvalidBase, match="base_url='https://a:…@e"):
        Absolutize(None, base_url="https://a:secret@e.example/?q")


def test_wrong_options_are_refused():
    with pytest.raises(InvalidOption, match="rewrite=5: expected a function of a URL, or None"):
        Absolutize(None, base_url=None, rewrite=5)
    with pytest.raises(InvalidOption, match="max_size"):
        Absolutize(None, base_url=None, max_size=-1)
    with pytest.raises(TypeError, match="base_url"):
        Absolutize(None)
    with pytest.raises(TypeError, match="'rewrites'"):
        Absolutize(None, base_url=None, rewrites=None)


def test_logs_have_no_password(by, caplog):
    caplog.set_level(logging.INFO)
    by(Sent(pieces=[b'<a href="http://[">']), base_url="https://a:secret@e.example/")
    assert "unresolvable" in caplog.text
    assert "secret" not in caplog.text
