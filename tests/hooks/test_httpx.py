from __future__ import annotations

import asyncio
import copy
import gzip
import logging
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.fields import content_type
from support.scraped_site import PAGES, REDIRECTED, REDIRECTS, START, targets

import linkfix
import linkfix.hooks.response
from linkfix import InvalidBase, InvalidOption

KINDS = ["sync", "async"]
HTML = {"Content-Type": "text/html"}
PAGE = b"<!DOCTYPE html><a href=leaf>l</a>"
ABSOLUTE = b"<!DOCTYPE html><a href=http://h.example/leaf>l</a>"


def requested(httpx, kind, url, inner=None, *, fields=None, event_hooks=None, **options):
    """The response to one request by a client of that kind."""
    method = options.pop("method", "GET")
    if kind == "sync":
        with httpx.Client(transport=httpx.Transport(inner, **fields or {}), event_hooks=event_hooks) as client:
            return client.request(method, url, **options)

    async def request():
        transport = httpx.AsyncTransport(inner, **fields or {})
        async with httpx.AsyncClient(transport=transport, event_hooks=event_hooks) as client:
            return await client.request(method, url, **options)

    return asyncio.run(request())


def answering(httpx, content=PAGE, headers=HTML, status=200, **fields):
    """A transport, for clients of both kinds, that always answers the same."""
    return httpx.MockTransport(lambda _: httpx.Response(status, headers=headers, content=content, **fields))


@pytest.fixture(scope="module")
def responses(httpx, site):
    """For each kind of client, the response for each page of the site."""
    fields = {"fragments": "absolutize"}
    with httpx.Client(transport=httpx.Transport(**fields)) as client:
        by_sync = {path: client.get(site.url + path) for path in PAGES}

    async def get_all():
        async with httpx.AsyncClient(transport=httpx.AsyncTransport(**fields)) as client:
            return {path: await client.get(site.url + path) for path in PAGES}

    return {"sync": by_sync, "async": asyncio.run(get_all())}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("path", [path for path, page in PAGES.items() if page.html])
def test_pages(site, responses, kind, path):
    page, response = PAGES[path], responses[kind][path]
    media_type, charset = content_type(page.type_)
    charset = None if charset == "bogus" else charset
    expected = page.absolute_targets(site.url)
    assert targets(response.linkfix.links) == expected
    after = linkfix.links(response.content, charset=charset, media_type=media_type or None)
    assert [link.reference for link in after if link.role != "base"] == [target or "http://[" for target in expected]
    assert b"".join(response.iter_bytes()) == response.content
    if response.linkfix.rewritten:
        assert response.headers["Content-Length"] == str(len(response.content))
        assert not {"Content-Encoding", "Transfer-Encoding"} & set(response.headers)
    else:
        assert response.content == page.body


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("path", [path for path, page in PAGES.items() if not page.html])
def test_responses_that_are_no_pages(responses, kind, path):
    page, response = PAGES[path], responses[kind][path]
    assert response.content == page.body
    assert response.headers["Content-Length"] == str(len(page.body))
    assert response.linkfix.document is None
    assert response.linkfix.links == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/windows-1251/header", ">1</a><a href='http"),
        ("/windows-1251/meta", "?q=%EF%EE%E8%F1%EA"),
        ("/shift_jis/page", "%E8%A1%A8"),
        ("/utf-16/page", "?q=%C3%A9"),
    ],
)
def test_text_is_decoded_as_in_browsers(responses, kind, path, shown):
    response = responses[kind][path]
    assert shown in response.text
    assert response.text == response.linkfix.document.encoding.decode(response.content).removeprefix("\ufeff")
    assert "\ufffd" not in response.text


@pytest.mark.parametrize("kind", KINDS)
def test_only_headers_about_the_body_change(httpx, kind):
    headers = [
        (b"Content-Type", b"text/html"),
        (b"Content-Encoding", b"gzip"),
        (b"X-Name", b"caf\xe9"),
        (b"Set-Cookie", b"a=1"),
        (b"Set-Cookie", b"b=2"),
        (b"Content-MD5", b"x"),
    ]
    response = requested(httpx, kind, "http://h.example/p", answering(httpx, gzip.compress(PAGE), headers))
    assert response.content == ABSOLUTE
    assert response.headers.raw == [
        (b"Content-Type", b"text/html"),
        (b"X-Name", b"caf\xe9"),
        (b"Set-Cookie", b"a=1"),
        (b"Set-Cookie", b"b=2"),
        (b"Content-Length", b"50"),
    ]
    assert dict(response.cookies) == {"a": "1", "b": "2"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_without_relative_links_keeps_its_headers(httpx, kind):
    content = gzip.compress(ABSOLUTE)
    headers = {**HTML, "Content-Encoding": "gzip", "Content-Length": str(len(content))}
    response = requested(httpx, kind, "http://h.example/p", answering(httpx, content, headers))
    assert response.content == ABSOLUTE
    assert dict(response.headers) == {name.lower(): value for name, value in headers.items()}
    assert response.linkfix.rewritten == 0


@pytest.mark.parametrize("kind", KINDS)
def test_redirects_are_skipped(httpx, site, kind):
    response = requested(httpx, kind, site.url + START, follow_redirects=True)
    assert str(response.url) == site.url + REDIRECTED
    assert targets(response.linkfix.links) == PAGES[REDIRECTED].absolute_targets(site.url)
    assert [candidate.reference for candidate in response.linkfix.base.rejected] == [
        site.url + path for path in REDIRECTS
    ]
    for hop in response.history:
        assert hop.content == b"<a href=leaf>moved</a>"
        assert hop.linkfix.document is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_redirect_that_is_not_followed(httpx, site, kind):
    response = requested(httpx, kind, site.url + START)
    assert response.content == b"<a href=leaf>moved</a>"
    assert str(response.next_request.url) == site.url + "/redirect/2/?x=1"


@pytest.mark.parametrize("kind", KINDS)
def test_challenges_are_no_redirects(httpx, kind):
    def answer(request):
        if "Authorization" in request.headers:
            return httpx.Response(200, headers=HTML, content=PAGE)
        challenge = {**HTML, "WWW-Authenticate": 'Digest realm="r", nonce="n", qop="auth"'}
        return httpx.Response(401, headers=challenge, content=PAGE)

    response = requested(
        httpx, kind, "http://h.example/p", httpx.MockTransport(answer), auth=httpx.DigestAuth("u", "p")
    )
    assert response.content == ABSOLUTE
    assert [hop.status_code for hop in response.history] == [401]
    assert response.linkfix.base.rejected == ()


def test_streams_are_skipped_until_they_are_read(httpx, site):
    page = PAGES["/gzip/page"]
    with httpx.Client(transport=httpx.Transport()) as client:
        with client.stream("GET", site.url + "/gzip/page") as response:
            assert b"".join(response.iter_bytes()) == page.body
            assert response.headers["Content-Encoding"] == "gzip"
            assert response.linkfix is None
        with client.stream("GET", site.url + "/gzip/page") as response:
            assert gzip.decompress(b"".join(response.iter_raw())) == page.body
        with client.stream("GET", site.url + "/gzip/page") as response:
            assert response.read() == response.content == b"".join(response.iter_bytes())
            assert f'"{site.url}/gzip/leaf"' in response.text
            assert response.read() is response.content
            assert "Content-Encoding" not in response.headers


def test_streams_are_skipped_until_they_are_read_async(httpx, site):
    page = PAGES["/gzip/page"]

    async def stream():
        async with httpx.AsyncClient(transport=httpx.AsyncTransport()) as client:
            async with client.stream("GET", site.url + "/gzip/page") as response:
                assert b"".join([chunk async for chunk in response.aiter_bytes()]) == page.body
                assert response.headers["Content-Encoding"] == "gzip"
                assert response.linkfix is None
            async with client.stream("GET", site.url + "/gzip/page") as response:
                body = await response.aread()
                assert body == response.content == b"".join([chunk async for chunk in response.aiter_bytes()])
                assert f'"{site.url}/gzip/leaf"' in response.text
                assert "Content-Encoding" not in response.headers

    asyncio.run(stream())


@pytest.mark.parametrize("kind", KINDS)
def test_a_request_without_the_hook(httpx, site, kind):
    response = requested(httpx, kind, site.url + "/gzip/page", extensions={"linkfix": False})
    assert type(response) is httpx.Response
    assert response.content == PAGES["/gzip/page"].body


@pytest.mark.parametrize("kind", KINDS)
def test_too_large(httpx, kind, caplog):
    response = requested(httpx, kind, "http://h.example/p", answering(httpx), fields={"max_size": len(PAGE) - 1})
    assert response.content == PAGE
    assert response.linkfix.left_alone == "too-large"
    assert "[too-large]" in caplog.text


@pytest.mark.parametrize("kind", KINDS)
def test_a_coding_that_httpx_does_not_undo(httpx, kind, caplog):
    headers = {**HTML, "Content-Encoding": "gzip, x-morse"}
    response = requested(httpx, kind, "http://h.example/p", answering(httpx, gzip.compress(PAGE), headers))
    assert response.content == PAGE
    assert response.headers["Content-Encoding"] == "gzip, x-morse"
    assert response.linkfix.left_alone == "response-coded"
    assert "[response-coded]" in caplog.text


@pytest.mark.parametrize("coding", ["", "identity", "GZIP"])
def test_codings_that_httpx_undoes(httpx, coding):
    content = gzip.compress(PAGE) if coding == "GZIP" else PAGE
    response = requested(
        httpx, "sync", "http://h.example/p", answering(httpx, content, {**HTML, "Content-Encoding": coding})
    )
    assert response.content == ABSOLUTE


def test_an_unknown_charset_is_logged(httpx, site, caplog):
    response = requested(httpx, "sync", site.url + "/charset-unknown/page")
    assert [problem.code for problem in response.linkfix.problems] == ["charset-unknown"]
    assert "[charset-unknown]" in caplog.text


@pytest.mark.parametrize("kind", KINDS)
def test_twice(httpx, kind, caplog, monkeypatch):
    monkeypatch.setattr(linkfix.hooks.response, "_warned", set())
    caplog.set_level(logging.DEBUG, "linkfix.hooks")
    inner = (httpx.Transport if kind == "sync" else httpx.AsyncTransport)(answering(httpx))
    assert requested(httpx, kind, "http://h.example/p", inner, fields={"max_size": 1}).content == ABSOLUTE
    requested(httpx, kind, "http://h.example/p", inner)
    assert [record.levelname for record in caplog.records if "[hook-twice]" in record.message] == ["WARNING", "DEBUG"]


@pytest.mark.parametrize("kind", KINDS)
def test_fifty_at_once(httpx, site, kind):
    paths = [path for path, page in PAGES.items() if page.html and len(page.body) < 10_000][:25] * 2
    if kind == "sync":
        with httpx.Client(transport=httpx.Transport()) as client, ThreadPoolExecutor(50) as pool:
            got = list(pool.map(client.get, [site.url + path for path in paths]))
    else:

        async def get_all():
            async with httpx.AsyncClient(transport=httpx.AsyncTransport()) as client:
                return await asyncio.gather(*(client.get(site.url + path) for path in paths))

        got = asyncio.run(get_all())
    assert [targets(response.linkfix.links) for response in got] == [
        PAGES[path].absolute_targets(site.url) for path in paths
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_one_response_to_many_requests(httpx, kind):
    given = httpx.Response(200, headers=HTML, content=PAGE)
    inner = httpx.MockTransport(lambda _: given)
    for host in ("h.example", "g.example"):
        response = requested(httpx, kind, f"http://{host}/p", inner)
        assert response.content == ABSOLUTE.replace(b"h.example", host.encode())
        assert given.content == PAGE


def test_a_response_that_the_inner_transport_read(httpx):
    given = httpx.Response(200, headers=HTML, content=PAGE)
    assert given.text == PAGE.decode()
    response = requested(httpx, "sync", "http://h.example/p", httpx.MockTransport(lambda _: given))
    assert response.text == ABSOLUTE.decode()


def test_without_a_client(httpx):
    with httpx.Transport(answering(httpx)) as transport:
        response = transport.handle_request(httpx.Request("GET", "http://h.example/p"))
    assert response.read() == ABSOLUTE


def test_event_hooks(httpx, site):
    before = []
    read = []

    def look(response):
        before.append(response.linkfix)
        read.append(response.read())

    requested(httpx, "sync", f"{site.url}/gzip/page", event_hooks={"response": [look]})
    assert before == [None]
    assert f'"{site.url}/gzip/leaf"'.encode() in read[0]


def test_an_encoding_that_was_set_before(httpx, site):
    def decide(response):
        response.encoding = "latin-1"

    response = requested(httpx, "sync", f"{site.url}/windows-1251/meta", event_hooks={"response": [decide]})
    assert response.encoding == "latin-1"


def test_mounts(httpx, site):
    with httpx.Client(transport=answering(httpx), mounts={"http://127.0.0.1": httpx.Transport()}) as client:
        assert client.get("http://h.example/p").content == PAGE
        assert f"{site.url}/gzip/leaf" in client.get(f"{site.url}/gzip/page").text


def pickled(response):
    return pickle.loads(pickle.dumps(response))  # noqa: S301 - its own


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickled])
def test_copies_and_pickles_work_as_in_httpx(httpx, responses, duplicate):
    response = responses["sync"]["/windows-1251/meta"]
    again = duplicate(response)
    assert type(again) is httpx.Response
    assert (again.content, again.text, again.headers) == (response.content, response.text, response.headers)
    assert again.read() == response.content
    assert (again.url, again.encoding) == (response.url, response.encoding)
    assert response.linkfix.links


def test_a_pickle_of_an_unread_response(httpx):
    with (
        httpx.Client(transport=httpx.Transport(answering(httpx, iter([PAGE])))) as client,
        client.stream("GET", "http://h") as one,
    ):
        again = pickled(one)
    with pytest.raises(httpx.ResponseNotRead):
        _ = again.content


def torn(httpx):
    """A body that breaks off."""

    class Torn(httpx.SyncByteStream, httpx.AsyncByteStream):
        def __iter__(self):
            yield PAGE
            message = "broken"
            raise httpx.ReadError(message)

        async def __aiter__(self):
            for piece in self:
                yield piece

    return Torn()


@pytest.mark.parametrize("kind", KINDS)
def test_errors_of_reading_pass(httpx, kind):
    inner = httpx.MockTransport(lambda _: httpx.Response(200, headers=HTML, stream=torn(httpx)))
    with pytest.raises(httpx.ReadError, match="broken"):
        requested(httpx, kind, "http://h.example/p", inner)


@pytest.mark.parametrize("kind", KINDS)
def test_errors_of_decoding_pass(httpx, kind):
    inner = httpx.MockTransport(
        lambda _: httpx.Response(200, headers={**HTML, "Content-Encoding": "gzip"}, stream=httpx.ByteStream(PAGE))
    )
    with pytest.raises(httpx.DecodingError):
        requested(httpx, kind, "http://h.example/p", inner)


@pytest.mark.parametrize("kind", KINDS)
def test_head(httpx, kind):
    headers = {**HTML, "Content-Length": "1234"}
    response = requested(httpx, kind, "http://h.example/p", answering(httpx, b"", headers), method="HEAD")
    assert response.content == b""
    assert response.headers["Content-Length"] == "1234"


@pytest.mark.parametrize("make", ["Transport", "AsyncTransport"])
@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"media_types": ["image/png"]}, InvalidOption),
        ({"default_base": "relative"}, InvalidBase),
        ({"spec": "rfc1"}, linkfix.UnknownSpec),
        ({"max_length": 1}, TypeError),
    ],
)
def test_wrong_settings(httpx, make, fields, error):
    with pytest.raises(error):
        getattr(httpx, make)(**fields)


def recording(httpx):
    """An inner transport that notes how it is opened and closed."""

    class Recording(httpx.BaseTransport, httpx.AsyncBaseTransport):
        def __init__(self):
            self.calls = []

        def __enter__(self):
            self.calls.append("enter")
            return self

        def __exit__(self, *_):
            self.calls.append("exit")

        def close(self):
            self.calls.append("close")

        async def __aenter__(self):
            return self.__enter__()

        async def __aexit__(self, *_):
            self.__exit__()

        async def aclose(self):
            self.close()

    return Recording()


def test_the_inner_transport_is_opened_and_closed(httpx):
    inner = recording(httpx)
    with httpx.Client(transport=httpx.Transport(inner)):
        pass
    httpx.Client(transport=httpx.Transport(inner)).close()
    assert inner.calls == ["enter", "exit", "close"]


def test_the_inner_transport_is_opened_and_closed_async(httpx):
    inner = recording(httpx)

    async def use():
        async with httpx.AsyncClient(transport=httpx.AsyncTransport(inner)):
            pass
        await httpx.AsyncClient(transport=httpx.AsyncTransport(inner)).aclose()

    asyncio.run(use())
    assert inner.calls == ["enter", "exit", "close"]
