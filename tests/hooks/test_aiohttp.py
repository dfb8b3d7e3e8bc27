from __future__ import annotations

import asyncio
import contextlib
import gzip
import logging
from typing import NamedTuple

import aiohttp
import brotli
import pytest
from support.fields import content_type
from support.scraped_site import PAGES, REDIRECTED, REDIRECTS, START, targets

import linkfix
import linkfix.hooks.response
from linkfix import InvalidBase, InvalidOption
from linkfix.hooks.aiohttp import Absolutize, AbsolutizedResponse, absolutize

PAGE = b"<!DOCTYPE html><a href=leaf>l</a>"


def absolute(url):
    return b"<!DOCTYPE html><a href=%b/leaf>l</a>" % url.encode()


class Read(NamedTuple):
    """A response, and its values while it was open."""

    response: aiohttp.ClientResponse
    body: bytes
    text: str


async def read(session, url, method="GET", **options):
    async with session.request(method, url, **options) as response:
        return Read(response, await response.read(), await response.text(errors="replace"))


def requested(url, *middlewares, session_options=None, **options):
    async def request():
        async with aiohttp.ClientSession(middlewares=middlewares or (absolutize,), **session_options or {}) as session:
            return await read(session, url, **options)

    return asyncio.run(request())


@contextlib.asynccontextmanager
async def answering(content=PAGE, *headers, length=None):
    """A server that always answers the same, as an HTML page; its URL. `length`: the Content-Length, if not right."""

    async def answer(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        fields = [b"Content-Type: text/html", b"Content-Length: %d" % (length or len(content)), *headers]
        writer.write(b"\r\n".join([b"HTTP/1.1 200 OK", *fields, b"Connection: close", b"", content]))
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(answer, "127.0.0.1") as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def answered(content, *headers, method="GET", length=None):
    """A page with this body and these headers, through the hook: its URL, the response and its body."""

    async def request():
        async with (
            answering(content, *headers, length=length) as url,
            aiohttp.ClientSession(middlewares=(absolutize,)) as session,
        ):
            response, body, _ = await read(session, url, method)
            return url, response, body

    return asyncio.run(request())


@pytest.fixture(scope="module")
def responses(site):
    """The response for each page of the site."""

    async def get_all():
        async with aiohttp.ClientSession(middlewares=(Absolutize(fragments="absolutize"),)) as session:
            return {path: await read(session, site.url + path) for path in PAGES}

    return asyncio.run(get_all())


@pytest.mark.parametrize("path", [path for path, page in PAGES.items() if page.html])
def test_pages(site, responses, path):
    page = PAGES[path]
    response, content, _ = responses[path]
    media_type, charset = content_type(page.type_)
    charset = None if charset == "bogus" else charset
    expected = page.absolute_targets(site.url)
    assert targets(response.linkfix.links) == expected
    after = linkfix.links(content, charset=charset, media_type=media_type or None)
    assert [link.reference for link in after if link.role != "base"] == [target or "http://[" for target in expected]
    if response.linkfix.rewritten:
        assert response.headers["Content-Length"] == str(response.content_length) == str(len(content))
        assert not {"Content-Encoding", "Transfer-Encoding"} & set(response.headers)
    else:
        assert content == page.body


@pytest.mark.parametrize("path", [path for path, page in PAGES.items() if not page.html])
def test_responses_that_are_no_pages(responses, path):
    page = PAGES[path]
    response, content, _ = responses[path]
    assert content == page.body
    assert response.content_length == len(page.body)
    assert response.linkfix.document is None
    assert response.linkfix.links == []


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/windows-1251/header", ">1</a><a href='http"),
        ("/windows-1251/meta", "?q=%EF%EE%E8%F1%EA"),
        ("/shift_jis/page", "%E8%A1%A8"),
        ("/utf-16/page", "?q=%C3%A9"),
        ("/charset-unknown/page", "?q=%C3%A9"),
    ],
)
def test_text_is_decoded_as_in_browsers(responses, path, shown):
    response, content, text = responses[path]
    assert shown in text
    assert text == response.linkfix.document.encoding.decode(content).removeprefix("\ufeff")
    assert "\ufffd" not in text


def test_only_headers_about_the_body_change():
    url, response, content = answered(
        gzip.compress(PAGE),
        b"content-encoding: gzip",
        b"x-Name: caf\xe9",
        b"Set-Cookie: a=1",
        b"Set-Cookie: b=2",
        b"Content-MD5: x",
    )
    assert content == absolute(url)
    assert response.raw_headers == (
        (b"Content-Type", b"text/html"),
        (b"x-Name", b"caf\xe9"),
        (b"Set-Cookie", b"a=1"),
        (b"Set-Cookie", b"b=2"),
        (b"Connection", b"close"),
        (b"Content-Length", b"%d" % len(content)),
    )
    assert [(name.encode(), value.encode(errors="surrogateescape")) for name, value in response.headers.items()] == [
        *response.raw_headers
    ]
    assert {name: morsel.value for name, morsel in response.cookies.items()} == {"a": "1", "b": "2"}


def test_a_page_without_relative_links_keeps_its_headers():
    content = gzip.compress(absolute("http://h.example"))
    _, response, body = answered(content, b"Content-Encoding: gzip")
    assert body == absolute("http://h.example")
    assert response.content_length == len(content)
    assert response.headers["Content-Encoding"] == "gzip"
    assert response.linkfix.rewritten == 0


def test_headers_that_were_read_before(site):
    async def look():
        async with (
            aiohttp.ClientSession(middlewares=(absolutize,)) as session,
            session.get(site.url + "/gzip/page") as response,
        ):
            assert response.linkfix is None
            before = response.headers, response.raw_headers
            content = await response.read()
            assert before[0]["Content-Encoding"] == "gzip"
            assert "Content-Encoding" not in response.headers
            assert (b"Content-Length", b"%d" % len(content)) in response.raw_headers
            assert await response.read() is content

    asyncio.run(look())


def test_redirects_are_skipped(site):
    response, _, _ = requested(site.url + START)
    assert str(response.url) == site.url + REDIRECTED
    assert targets(response.linkfix.links) == PAGES[REDIRECTED].absolute_targets(site.url)
    assert [candidate.reference for candidate in response.linkfix.base.rejected] == [
        site.url + path for path in REDIRECTS
    ]
    assert [str(hop.url) for hop in response.history] == [site.url + path for path in REDIRECTS]


def test_a_redirect_that_is_not_followed(site):
    response, body, _ = requested(site.url + START, allow_redirects=False)
    assert body == b"<a href=leaf>moved</a>"
    assert response.linkfix.document is None


def test_a_middleware_that_reads_leaves_the_history_to_come(site):
    async def reading(request, handler):
        response = await handler(request)
        if response.status == 200:
            await response.text()
        return response

    for middlewares in ((absolutize, reading), (reading, absolutize)):
        response, _, _ = requested(site.url + START, *middlewares)
        assert targets(response.linkfix.links) == PAGES[REDIRECTED].absolute_targets(site.url)
        assert len(response.history) == len(REDIRECTS)


def test_streams_are_skipped(site):
    page = PAGES["/gzip/page"]

    async def stream():
        async with aiohttp.ClientSession(middlewares=(absolutize,)) as session:
            async with session.get(site.url + "/gzip/page") as response:
                assert await response.content.read() == page.body
                assert response.headers["Content-Encoding"] == "gzip"
                assert response.linkfix is None
            async with session.get(site.url + "/gzip/page") as response:
                start = await response.content.read(20)
                assert start + await response.read() == page.body
                assert response.linkfix.document is None

    asyncio.run(stream())


def test_a_request_without_the_hook(site):
    response, body, _ = requested(site.url + "/gzip/page", middlewares=())
    assert type(response) is aiohttp.ClientResponse
    assert body == PAGES["/gzip/page"].body


def test_too_large(site, caplog):
    page = PAGES["/gzip/page"]
    response, body, _ = requested(site.url + "/gzip/page", Absolutize(max_size=len(page.body) - 1))
    assert body == page.body
    assert response.linkfix.left_alone == "too-large"
    assert "[too-large]" in caplog.text


@pytest.mark.parametrize("where", ["session", "request"])
@pytest.mark.parametrize("path", ["/gzip/page", "/brotli/page"])
def test_bodies_that_are_not_decompressed(site, path, where, caplog):
    options = {"auto_decompress": False}
    given = {"session_options": options} if where == "session" else options
    response, body, _ = requested(site.url + path, **given)
    undo = gzip.decompress if path == "/gzip/page" else brotli.decompress
    assert undo(body) == PAGES[path].body
    assert response.content_length == len(body)
    assert response.linkfix.left_alone == "response-coded"
    assert "[response-coded]" in caplog.text
    assert requested(site.url + "/plain/dir/page", **given).response.linkfix.rewritten


def test_codings():
    _, response, body = answered(PAGE, b"Content-Encoding: x-morse")
    assert (body, response.linkfix.left_alone) == (PAGE, "response-coded")
    for nothing in (b"", b"identity"):
        url, _, body = answered(PAGE, b"Content-Encoding: " + nothing)
        assert body == absolute(url)


def test_an_unknown_charset_is_logged(site, caplog):
    response, _, _ = requested(site.url + "/charset-unknown/page")
    assert [problem.code for problem in response.linkfix.problems] == ["charset-unknown"]
    assert "[charset-unknown]" in caplog.text


def test_twice(site, caplog, monkeypatch):
    monkeypatch.setattr(linkfix.hooks.response, "_warned", set())
    caplog.set_level(logging.DEBUG, "linkfix.hooks")
    response, _, _ = requested(site.url + "/gzip/page", absolutize, Absolutize(max_size=1))
    assert response.linkfix.rewritten
    requested(site.url + "/gzip/page", absolutize, absolutize)
    assert [record.levelname for record in caplog.records if "[hook-twice]" in record.message] == ["WARNING", "DEBUG"]


def test_requests_that_are_sent_again(site, caplog):
    seen = []

    async def again(request, handler):
        async with await handler(request) as first:
            seen.append(first)
        return await handler(request)

    caplog.set_level(logging.DEBUG, "linkfix.hooks")
    response, _, _ = requested(site.url + "/gzip/page", again, absolutize)
    assert response.linkfix.rewritten
    assert isinstance(seen[0], AbsolutizedResponse)
    assert "hook-twice" not in caplog.text


def test_a_response_class_of_the_session(site):
    class Loud(aiohttp.ClientResponse):
        async def text(self, encoding=None, errors="strict"):
            return (await super().text(encoding, errors)).upper()

    async def shout():
        async with aiohttp.ClientSession(middlewares=(absolutize,), response_class=Loud) as session:
            return [await (await session.get(site.url + "/gzip/page")).text() for _ in range(2)]

    first, second = asyncio.run(shout())
    assert f"{site.url}/gzip/leaf".upper() in first
    assert first == second


def test_fifty_at_once(site):
    paths = [path for path, page in PAGES.items() if page.html and len(page.body) < 10_000][:25] * 2

    async def get_all():
        async with aiohttp.ClientSession(middlewares=(absolutize,)) as session:
            return await asyncio.gather(*(read(session, site.url + path) for path in paths))

    assert [targets(response.linkfix.links) for response, _, _ in asyncio.run(get_all())] == [
        PAGES[path].absolute_targets(site.url) for path in paths
    ]


def test_errors_of_reading_pass():
    async def request():
        async with (
            answering(length=1000) as url,
            aiohttp.ClientSession(middlewares=(absolutize,)) as session,
            session.get(url) as response,
        ):
            with pytest.raises(aiohttp.ClientPayloadError):
                await response.read()
            assert response.linkfix is None

    asyncio.run(request())


def test_head():
    _, response, body = answered(b"", method="HEAD", length=1234)
    assert body == b""
    assert response.content_length == 1234


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"media_types": ["image/png"]}, InvalidOption),
        ({"default_base": "relative"}, InvalidBase),
        ({"spec": "rfc1"}, linkfix.UnknownSpec),
        ({"max_length": 1}, TypeError),
    ],
)
def test_wrong_settings(fields, error):
    with pytest.raises(error):
        Absolutize(**fields)


def test_other_objects_than_requests_are_refused():
    with pytest.raises(TypeError, match=r"takes aiohttp\.ClientRequest, not int 1"):
        asyncio.run(linkfix.hooks.aiohttp.absolutize(1, 2))
