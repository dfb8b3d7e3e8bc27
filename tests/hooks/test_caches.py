"""The hooks beside caches: these keep pages as they were sent, and each session has links by its own settings."""

from __future__ import annotations

import asyncio
import logging

import cachecontrol
import hishel
import hishel.httpx
import httpx
import pytest
import requests
import requests_cache

import linkfix.hooks.httpx
import linkfix.hooks.requests
import linkfix.hooks.response

PATH = "/base/page"


@pytest.fixture(autouse=True)
def nothing_was_warned_of(monkeypatch):
    monkeypatch.setattr(linkfix.hooks.response, "_warned", set())


@pytest.fixture(params=["memory", "sqlite", "filesystem"])
def cached(request, tmp_path):
    """A function that makes a session of requests-cache; all have one cache."""
    backend = {
        "memory": requests_cache.BaseCache,
        "sqlite": lambda: requests_cache.SQLiteCache(tmp_path / "cache.db"),
        "filesystem": lambda: requests_cache.FileCache(tmp_path / "cache"),
    }[request.param]()

    def session():
        made = requests_cache.CachedSession(backend=backend)
        made.trust_env = False
        return made

    return session


def test_requests_cache_keeps_pages_as_they_were_sent(site, cached, caplog):
    plain = requests.get(site.url + PATH, timeout=60).content
    with caplog.at_level(logging.INFO, "linkfix.hooks"):
        one = linkfix.hooks.requests.install(cached())
        other = linkfix.hooks.requests.install(cached(), max_size=1)
        asked = len(site.seen)
        first, second, third = one.get(site.url + PATH), one.get(site.url + PATH), other.get(site.url + PATH)
        unhooked = cached().get(site.url + PATH)
    assert len(site.seen) == asked + 1
    assert [response.from_cache for response in (first, second, third, unhooked)] == [False, True, True, True]
    assert unhooked.content == plain
    assert first.content == second.content != plain
    assert (third.content, third.linkfix.left_alone) == (plain, "too-large")  # later settings have an effect
    assert first.headers["Content-Length"] == second.headers["Content-Length"] == str(len(first.content))
    assert first.linkfix.rewritten
    assert [record.message.rpartition(" ")[2] for record in caplog.records] == ["[too-large]"]


def test_requests_cache_with_redirects(site, cached):
    session = linkfix.hooks.requests.install(cached())
    for is_cached in (False, True):
        response = session.get(site.url + "/redirect/1")
        assert [hop.status_code for hop in response.history] == [302, 301, 307]
        assert response.from_cache is is_cached
        assert response.linkfix.base.url == response.url
        assert len(response.linkfix.base.rejected) == 3  # the redirects, which a response hook does not see


def test_cachecontrol_keeps_pages_as_they_were_sent():
    import http.server
    import threading

    page = b"<base href='/b/'><a href=leaf>l</a>"
    seen = []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            seen.append(self.path)
            self.send_response(200)
            for name, value in (("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "max-age=1000")):
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}/p"
        with requests.Session() as inner:
            inner.trust_env = False
            session = linkfix.hooks.requests.install(cachecontrol.CacheControl(inner))
            first, second = session.get(url), session.get(url)
            linkfix.hooks.requests.install(session, max_size=1)
            third = session.get(url)
            session.close()
        server.shutdown()
        thread.join()
    assert seen == ["/p"]
    assert first.content == second.content
    assert f"href=http://127.0.0.1:{server.server_port}/b/leaf".encode() in second.content
    assert (third.content, third.linkfix.left_alone) == (page, "too-large")


def test_hishel_keeps_pages_as_they_were_sent(site, tmp_path):
    plain = requests.get(site.url + PATH, timeout=60).content

    def client(**fields):
        storage = hishel.SqliteStorage(database_path=tmp_path / "hishel.db")
        made = hishel.httpx.CacheClient(storage=storage)
        return linkfix.hooks.httpx.install(made, **fields) if fields else made

    asked = len(site.seen)
    with client(lazy=True) as one:
        first, second = one.get(site.url + PATH), one.get(site.url + PATH)
    with client(max_size=1) as other:
        third = other.get(site.url + PATH)
    with client() as unhooked:
        fourth = unhooked.get(site.url + PATH)
    assert len(site.seen) == asked + 1
    assert fourth.content == plain
    assert first.content == second.content != plain
    assert (third.content, third.linkfix.left_alone) == (plain, "too-large")
    assert first.linkfix.rewritten == second.linkfix.rewritten == 3


def test_hishel_asynchronous(site, tmp_path):
    async def contents():
        storage = hishel.AsyncSqliteStorage(database_path=tmp_path / "hishel.db")
        async with linkfix.hooks.httpx.install(hishel.httpx.AsyncCacheClient(storage=storage)) as client:
            return [(await client.get(site.url + PATH)).content for _ in range(2)]

    asked = len(site.seen)
    first, second = asyncio.run(contents())
    assert len(site.seen) == asked + 1
    assert f'href="{site.url}/base-of-it/leaf"'.encode() in first
    assert first == second


def test_hishel_around_a_transport(site, tmp_path):
    """With hishel's transport inside of linkfix's, as httpx's own documentation nests them."""
    storage = hishel.SqliteStorage(database_path=tmp_path / "hishel.db")
    inner = hishel.httpx.CacheTransport(next_transport=httpx.HTTPTransport(), storage=storage)
    with httpx.Client(transport=linkfix.hooks.httpx.Transport(inner)) as client:
        responses = [client.get(site.url + PATH) for _ in range(2)]
    assert [response.linkfix.rewritten for response in responses] == [3, 3]


def test_a_session_is_hooked_once(site, caplog):
    with requests.Session() as session, caplog.at_level(logging.INFO, "linkfix.hooks"):
        session.trust_env = False
        assert linkfix.hooks.requests.install(linkfix.hooks.requests.install(session), json_ld=True) is session
        response = session.get(site.url + PATH)
        assert response.linkfix.rewritten
        assert not caplog.records
        session.hooks["response"].append(linkfix.hooks.requests.absolutize)
        assert session.get(site.url + PATH).content == response.content
    assert [record.message.endswith("[hook-twice]") for record in caplog.records] == [True]


def test_streams_are_skipped_by_default(site):
    with requests.Session() as session:
        session.trust_env = False
        linkfix.hooks.requests.install(session)
        with session.get(site.url + PATH, stream=True) as response:
            assert not hasattr(response, "linkfix")
            assert b'href="leaf"' in response.raw.read()
        linkfix.hooks.requests.install(session, stream=True)
        with session.get(site.url + PATH, stream=True) as response:
            assert f'href="{site.url}/base-of-it/leaf"'.encode() in b"".join(response.iter_content(7))
