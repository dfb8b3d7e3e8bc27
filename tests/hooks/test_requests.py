"""The hook of requests with real sessions, against a server on 127.0.0.1."""

from __future__ import annotations

import logging
import pickle
import socket
import threading

import brotli
import pytest
import requests
import urllib3
from support.scraped_site import PAGES, REDIRECTED, START, targets

import linkfix
import linkfix.hooks.response
from linkfix.hooks.requests import Absolutize, absolutize
from linkfix.hooks.response import Outcome


@pytest.fixture
def session():
    with requests.Session() as session:
        session.trust_env = False
        session.hooks["response"].append(absolutize)
        yield session


@pytest.fixture(scope="module")
def plain():
    with requests.Session() as session:
        session.trust_env = False
        yield session


@pytest.fixture(scope="module")
def pages(site):
    """Every page as the hook gives it, and as it is without."""
    with requests.Session() as hooked, requests.Session() as unhooked:
        hooked.trust_env = unhooked.trust_env = False
        hooked.hooks["response"].append(absolutize)
        return {path: (hooked.get(site.url + path), unhooked.get(site.url + path)) for path in PAGES}


def received(body, url="http://h/a/page", **headers):
    """A response that no server can be made to send."""
    response = requests.Response()
    response.status_code = 200
    response.url = url
    response.headers.update({"Content-Type": "text/html", **headers})
    response._content = body
    return response


def is_elsewhere(target):
    """Not `#top`, which stays as it is."""
    return not (target or "").endswith("#top")


@pytest.mark.parametrize("path", [path for path, page in PAGES.items() if page.html])
def test_links_are_absolute(site, pages, path):
    response, unhooked = pages[path]
    expected = PAGES[path].absolute_targets(site.url)
    assert response.url == site.url + path.replace("\\", "%5C")
    assert targets(response.linkfix.links) == expected
    again = linkfix.links(response.content, "http://other.invalid/", charset=response.linkfix.encoding)
    assert list(filter(is_elsewhere, targets(again))) == list(filter(is_elsewhere, expected))
    assert (response.content != unhooked.content) is (response.linkfix.rewritten > 0)
    assert not response.linkfix.left_alone


@pytest.mark.parametrize("path", [path for path, page in PAGES.items() if not page.html])
def test_other_responses_are_unchanged(pages, path):
    response, unhooked = pages[path]
    assert response.content == unhooked.content == PAGES[path].body
    assert response.headers.keys() == unhooked.headers.keys()
    assert response.headers["Content-Length"] == unhooked.headers["Content-Length"]
    assert response.encoding == unhooked.encoding
    assert (response.linkfix.links, response.linkfix.base, response.linkfix.rewritten) == ([], None, 0)


@pytest.mark.parametrize("path", ["/gzip/page", "/brotli/page", "/chunked/page", "/huge/page", "/plain/dir/page"])
def test_body_and_headers_agree(pages, path):
    response, unhooked = pages[path]
    assert response.headers["content-length"] == str(len(response.content))
    assert not {"content-encoding", "transfer-encoding"} & {name.lower() for name in response.headers}
    assert response.headers["Content-Type"] == unhooked.headers["Content-Type"]
    assert b"".join(response.iter_content(1 << 16)) == response.content == b"".join(response.iter_content(1 << 20))
    assert response.text == response.content.decode()
    assert response.raw.read() == unhooked.raw.read() == b""


def test_a_page_without_links_to_rewrite_is_unchanged(pages):
    response, unhooked = pages["/empty/page"]
    assert (response.linkfix.document, response.linkfix.problems) == (None, ())
    assert (response.content, response.encoding) == (unhooked.content, unhooked.encoding)
    body, headers = b"<a href=https://elsewhere.example/>", {"Content-Encoding": "gzip", "Content-Length": "9"}
    response = absolutize(received(body, **headers))
    assert response.content is body
    assert dict(response.headers) == {"Content-Type": "text/html", **headers}
    assert response.encoding is None


def test_a_coding_that_urllib3_cannot_undo(site, session, monkeypatch):
    kind = getattr(urllib3.response, "BaseHTTPResponse", urllib3.response.HTTPResponse)  # urllib3 1 has one class
    monkeypatch.setattr(kind, "CONTENT_DECODERS", ["gzip"])
    response = session.get(site.url + "/brotli/page")
    assert response.content == brotli.compress(PAGES["/brotli/page"].body)
    assert response.headers["Content-Encoding"] == "br"
    assert response.linkfix.left_alone == "response-coded"
    assert session.get(site.url + "/gzip/page").linkfix.rewritten == 1


def test_the_last_url_counts(site, session):
    response = session.get(site.url + START)
    assert [hop.status_code for hop in response.history] == [302, 301, 307]
    assert targets(response.linkfix.links) == PAGES[REDIRECTED].absolute_targets(site.url)
    assert response.linkfix.base.url == response.url == site.url + REDIRECTED
    for hop in response.history:
        assert hop.content == b"<a href=leaf>moved</a>"
        assert getattr(hop, "linkfix", Outcome(b"", ())).document is None
        assert hop.headers["Content-Length"] == "22"


def test_a_redirect_that_is_not_followed(site, session):
    response = session.get(site.url + START, allow_redirects=False)
    assert response.content == b"<a href=leaf>moved</a>"
    assert response.linkfix.document is None
    assert [link.attribute for link in response.linkfix.header_links] == ["location"]


@pytest.mark.parametrize(
    ("path", "encoding", "text"),
    [
        ("/windows-1251/meta", "cp1251", "?q=%EF%EE%E8%F1%EA"),
        ("/shift_jis/page", "cp932", "/shift_jis/page?q=%8C%9F%8D%F5"),
        ("/utf-16/page", "utf-16", "<!DOCTYPE html>"),
        ("/charset-unknown/page", "utf-8", "page?q=%C3%A9"),
    ],
)
def test_text_has_the_declared_encoding_of_the_document(pages, path, encoding, text):
    """requests would say ISO-8859-1, or the header's charset."""
    response, _ = pages[path]
    assert response.encoding == encoding
    assert text in response.text
    assert not response.text.startswith("\ufeff")


def test_an_encoding_that_the_header_has_or_that_nothing_declares_stays(pages):
    assert pages["/windows-1251/header"][0].encoding == "windows-1251"
    assert pages["/charset-wrong/page"][0].encoding == "utf-8"
    assert pages["/more/page"][0].encoding == "utf-8"
    assert pages["/untyped/page"][0].encoding is None
    assert absolutize(received(b"<meta charset=hz-gb-2312><a href=x>\x81")).encoding is None


def test_a_byte_order_mark_is_no_text():
    response = absolutize(received(b"\xef\xbb\xbf<a href=x>"))
    assert response.content == b"\xef\xbb\xbf<a href=http://h/a/x>"
    assert (response.encoding, response.text) == ("utf-8-sig", "<a href=http://h/a/x>")


def test_the_hook_of_one_request(site, plain):
    response = plain.get(site.url + "/plain/dir/page", hooks={"response": absolutize})
    assert response.linkfix.rewritten
    assert not hasattr(plain.get(site.url + "/plain/dir/page"), "linkfix")


def test_the_hook_twice(site, session, caplog, monkeypatch):
    monkeypatch.setattr(linkfix.hooks.response, "_warned", set())
    session.hooks["response"].append(Absolutize(fragments="absolutize"))
    with caplog.at_level(logging.DEBUG, "linkfix.hooks"):
        first = session.get(site.url + "/base/page")
        session.get(site.url + "/base/page")
    assert first.linkfix.rewritten == 3
    twice = [record for record in caplog.records if "[hook-twice]" in record.message]
    assert [record.levelname for record in twice] == ["WARNING", "DEBUG"]
    assert twice[0].message.startswith(f"{site.url}/base/page: ")


def test_settings(site, plain, caplog):
    def get(path, **fields):
        return plain.get(site.url + path, hooks={"response": Absolutize(**fields)})

    assert f'href="{site.url}/plain/dir/page#top"'.encode() in get("/plain/dir/page", fragments="absolutize").content
    assert b"<base" not in get("/base/page", base_element="remove").content
    large = get("/huge/page", max_size=1_000_000)
    assert (large.content, large.linkfix.left_alone) == (PAGES["/huge/page"].body, "too-large")
    assert "[too-large]" in caplog.text
    assert get("/plain/dir/page", media_types=["application/xhtml+xml"]).linkfix.document is None


def test_a_base_element_alone_is_a_change():
    body = b"<base href=/b/><p>"
    response = Absolutize(base_element="remove")(received(body))
    assert (response.content, response.headers["Content-Length"], response.linkfix.rewritten) == (b"<p>", "3", 0)


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"spec": "rfc0"}, linkfix.UnknownSpec, "rfc0"),
        ({"fragments": "drop"}, linkfix.InvalidOption, "fragments"),
        ({"default_base": "a/b"}, linkfix.InvalidBase, "a/b"),
        ({"media_types": ["image/png"]}, linkfix.InvalidOption, "image/png"),
        ({"maxsize": 1}, TypeError, "maxsize"),
    ],
)
def test_wrong_settings_are_refused_at_once(fields, error, message):
    with pytest.raises(error, match=message):
        Absolutize(**fields)


def test_streams_are_skipped(site, session):
    with session.get(site.url + "/gzip/page", stream=True) as response:
        assert not hasattr(response, "linkfix")
        assert response.raw.read(2) == b"\x1f\x8b"
    session.stream = True
    with session.get(site.url + "/plain/dir/page") as response:
        assert response.content == PAGES["/plain/dir/page"].body


def test_streams_on_request(site, plain):
    hooks = {"response": Absolutize(stream=True, max_size=1_000_000)}
    with plain.get(site.url + "/gzip/page", stream=True, hooks=hooks) as response:
        assert f'href="{site.url}/gzip/leaf"'.encode() in b"".join(response.iter_content(7))
        assert f'<body><p><a href="{site.url}/gzip/leaf">0</a></p>' in list(response.iter_lines(decode_unicode=True))
    for path in ("/text/page", "/untyped/page", "/huge/page"):
        with plain.get(site.url + path, stream=True, hooks=hooks) as response:
            assert not response._content_consumed
            assert response.raw.read(1) == PAGES[path].body[:1]


def test_responses_can_be_pickled(pages):
    response = pickle.loads(pickle.dumps(pages["/plain/dir/page"][0]))  # noqa: S301 - its own
    assert response.content == pages["/plain/dir/page"][0].content
    assert not hasattr(response, "linkfix")


@pytest.mark.parametrize("url", [None, "", "a/b"])
def test_no_url(url, caplog):
    body = b"<a href=x><a href=http://h/>"
    response = absolutize(received(body, url))
    assert response.content is body
    assert {problem.code for problem in response.linkfix.problems} == {"response-url", "no-base"}
    assert "[response-url]" in caplog.text
    response = Absolutize(default_base="http://d/")(received(body, url))
    assert response.content == b"<a href=http://d/x><a href=http://h/>"


def test_no_body():
    response = absolutize(received(None))
    assert (response.content, response.linkfix.rewritten) == (None, 0)


def test_a_body_that_breaks_off_raises_as_without_the_hook(session):
    """Read again, it would be a shorter page and no error."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(
                    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 99\r\n\r\n<a href=x>"
                )

        def get(get):
            thread = threading.Thread(target=serve, daemon=True)
            thread.start()
            try:
                return get(f"http://127.0.0.1:{server.getsockname()[1]}/").content
            except requests.exceptions.ChunkedEncodingError as error:
                return type(error)
            finally:
                thread.join()

        without, with_hook = get(requests.get), get(session.get)
    if without == b"<a href=x>":
        assert urllib3.__version__.startswith("1.")  # which takes a shorter body for all of it
        assert with_hook.startswith(b"<a href=http://127.0.0.1:")
    else:
        assert without == with_hook == requests.exceptions.ChunkedEncodingError


@pytest.mark.parametrize("wrong", [requests.Session(), "page", None])
def test_other_objects_than_responses_are_refused(wrong):
    with pytest.raises(TypeError, match=r"takes requests\.Response, not"):
        linkfix.hooks.requests.absolutize(wrong)
