"""`install` keeps what an httpx client was made with: the environment's proxies, verify=, mounts=, http2=."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import hypercorn.asyncio
import hypercorn.config
import pytest
import trustme

import linkfix
import linkfix.hooks.logs
from linkfix.hooks.httpx import AsyncTransport, Transport, install

PAGE = b"<!DOCTYPE html><base href='/b/'><a href=leaf>l</a>"
KINDS = ["sync", "async"]


def get(kind, url, fields=None, **options):
    """A response for a client of one kind, made with `options`, with the hook installed."""
    if kind == "sync":
        with install(httpx.Client(**options), **fields or {}) as client:
            return client.get(url)

    async def request():
        async with install(httpx.AsyncClient(**options), **fields or {}) as client:
            return await client.get(url)

    return asyncio.run(request())


def is_absolute(response, base):
    return f"href={base}/b/leaf>" in response.text and [link.role for link in response.linkfix.links] == [
        "base",
        "hyperlink",
    ]


@pytest.fixture
def proxy():
    """A proxy that answers itself, with the URLs that it was asked for."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.seen.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(PAGE)))
            self.end_headers()
            self.wfile.write(PAGE)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.seen = []
        server.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture(scope="module")
def secure(authority, tmp_path_factory):
    """The URL of a server for HTTPS, HTTP/2 and HTTP/1.1, which answers with the protocol that it was asked in."""
    folder = tmp_path_factory.mktemp("certificate")
    certificate = authority.issue_cert("localhost")
    (folder / "key.pem").write_bytes(certificate.private_key_pem.bytes())
    (folder / "chain.pem").write_bytes(b"".join(blob.bytes() for blob in certificate.cert_chain_pems))
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    config = hypercorn.config.Config()
    config.bind = [f"127.0.0.1:{port}"]
    config.certfile, config.keyfile = str(folder / "chain.pem"), str(folder / "key.pem")
    config.errorlog = None
    ready, done = threading.Event(), threading.Event()

    async def answer(scope, receive, send):
        if scope["type"] == "lifespan":
            await receive()
            ready.set()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await send({"type": "lifespan.shutdown.complete"})
            return
        headers = [(b"content-type", b"text/html; charset=utf-8"), (b"x-protocol", scope["http_version"].encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": PAGE})

    async def serve():
        await hypercorn.asyncio.serve(answer, config, shutdown_trigger=lambda: asyncio.to_thread(done.wait))

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert ready.wait(30)
    for _ in range(100):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            break
    yield f"https://localhost:{port}"
    done.set()
    thread.join()


@pytest.mark.parametrize("kind", KINDS)
def test_the_environment_s_proxy_is_used(proxy, monkeypatch, kind):
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, proxy.url)
    for name in ("NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    response = get(kind, "http://h.example/page")
    assert proxy.seen == ["http://h.example/page"]
    assert is_absolute(response, "http://h.example")


@pytest.mark.parametrize("kind", KINDS)
def test_the_client_s_proxy_is_used(proxy, kind):
    name = "proxy" if "proxy" in inspect.signature(httpx.Client).parameters else "proxies"  # before 0.26
    assert is_absolute(get(kind, "http://h.example/page", **{name: proxy.url}), "http://h.example")
    assert proxy.seen == ["http://h.example/page"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("http2", [True, False])
def test_http_2_and_the_certificates_are_the_client_s(secure, authority, tmp_path, kind, http2):
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    context = httpx.create_ssl_context()
    authority.configure_trust(context)
    response = get(kind, f"{secure}/", http2=http2, verify=context)
    assert response.http_version == ("HTTP/2" if http2 else "HTTP/1.1")
    assert response.headers["x-protocol"] == ("2" if http2 else "1.1")
    assert is_absolute(response, secure)


@pytest.mark.parametrize("kind", KINDS)
def test_certificates_are_checked_as_before(secure, kind):
    def without_the_hook():
        if kind == "sync":
            return httpx.get(f"{secure}/")

        async def request():
            async with httpx.AsyncClient() as client:
                return await client.get(f"{secure}/")

        return asyncio.run(request())

    with pytest.raises(Exception, match="CERTIFICATE_VERIFY_FAILED") as refused:
        without_the_hook()
    with pytest.raises(refused.type, match="CERTIFICATE_VERIFY_FAILED"):
        get(kind, f"{secure}/")
    assert is_absolute(get(kind, f"{secure}/", verify=False), secure)


@pytest.mark.parametrize("kind", KINDS)
def test_mounts_are_kept(kind):
    def answering(name):
        return httpx.MockTransport(lambda _: httpx.Response(200, html=PAGE.decode(), headers={"x-transport": name}))

    mounts = {"http://mounted.example": answering("mount"), "http://excepted.example": None}
    options = {"transport": answering("own"), "mounts": mounts}
    for host, name in (("mounted", "mount"), ("excepted", "own"), ("other", "own")):
        response = get(kind, f"http://{host}.example/", **options)
        assert response.headers["x-transport"] == name
        assert is_absolute(response, f"http://{host}.example")


@pytest.mark.parametrize("kind", KINDS)
def test_a_second_call_replaces_the_settings(kind, caplog):
    made = {"sync": httpx.Client, "async": httpx.AsyncClient}[kind](transport=httpx.MockTransport(lambda _: None))
    inner = made._transport
    assert install(install(made, lazy=False), max_size=5) is made
    assert isinstance(made._transport, {"sync": Transport, "async": AsyncTransport}[kind])
    assert made._transport.inner is inner
    assert made._transport._settings.max_size == 5
    assert not caplog.records


@pytest.mark.parametrize("kind", KINDS)
def test_settings_and_requests_left_alone(kind):
    transport = httpx.MockTransport(lambda _: httpx.Response(200, html=PAGE.decode()))
    response = get(kind, "http://h.example/", {"max_size": 5}, transport=transport)
    assert response.linkfix.left_alone == "too-large"
    with pytest.raises(linkfix.UnknownSpec):
        get(kind, "http://h.example/", {"spec": "none"}, transport=transport)
    with pytest.raises(TypeError):
        get(kind, "http://h.example/", {"colour": "red"}, transport=transport)


@pytest.mark.parametrize("transport", [Transport, AsyncTransport])
def test_a_transport_alone_says_what_it_replaces(transport, caplog, monkeypatch):
    monkeypatch.setattr(linkfix.hooks.logs, "_warned", set())
    with caplog.at_level(logging.INFO, "linkfix.hooks"):
        transport()
        transport(httpx.MockTransport(lambda _: None))
    [record] = caplog.records
    assert record.levelname == "WARNING"
    assert record.message == f"{linkfix.PROBLEMS['hook-transport']} [hook-transport]"
    assert "proxies" in record.message
    assert "install()" in record.message
