"""`install` keeps the settings of a client: the environment's proxies, verify=, mounts=, http2=."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import importlib
import inspect
import logging
import re
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import hypercorn.asyncio
import hypercorn.config
import pytest
import requests
import trustme

import linkfix
import linkfix.hooks.response
from linkfix import InvalidOption

PAGE = b"<!DOCTYPE html><base href='/b/'><a href=leaf>l</a>"
KINDS = ["sync", "async"]


def get(httpx, kind, url, fields=None, **options):
    """A response for a client of one kind, made with `options`, with the hook installed."""
    if kind == "sync":
        with httpx.install(httpx.Client(**options), **fields or {}) as client:
            return client.get(url)

    async def request():
        async with httpx.install(httpx.AsyncClient(**options), **fields or {}) as client:
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
def test_the_environment_s_proxy_is_used(httpx, proxy, monkeypatch, kind):
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, proxy.url)
    for name in ("NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    response = get(httpx, kind, "http://h.example/page")
    assert proxy.seen == ["http://h.example/page"]
    assert is_absolute(response, "http://h.example")


@pytest.mark.parametrize("kind", KINDS)
def test_the_client_s_proxy_is_used(httpx, proxy, kind):
    name = "proxy" if "proxy" in inspect.signature(httpx.Client).parameters else "proxies"  # before 0.26
    assert is_absolute(get(httpx, kind, "http://h.example/page", **{name: proxy.url}), "http://h.example")
    assert proxy.seen == ["http://h.example/page"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("http2", [True, False])
def test_http_2_and_the_certificates_are_the_client_s(httpx, secure, authority, tmp_path, kind, http2):
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    context = httpx.create_ssl_context()
    authority.configure_trust(context)
    response = get(httpx, kind, f"{secure}/", http2=http2, verify=context)
    assert response.http_version == ("HTTP/2" if http2 else "HTTP/1.1")
    assert response.headers["x-protocol"] == ("2" if http2 else "1.1")
    assert is_absolute(response, secure)


@pytest.mark.parametrize("kind", KINDS)
def test_certificates_are_checked_as_before(httpx, secure, kind):
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
        get(httpx, kind, f"{secure}/")
    assert is_absolute(get(httpx, kind, f"{secure}/", verify=False), secure)


@pytest.mark.parametrize("kind", KINDS)
def test_mounts_are_kept(httpx, kind):
    def answering(name):
        return httpx.MockTransport(lambda _: httpx.Response(200, html=PAGE.decode(), headers={"x-transport": name}))

    mounts = {"http://mounted.example": answering("mount"), "http://excepted.example": None}
    options = {"transport": answering("own"), "mounts": mounts}
    for host, name in (("mounted", "mount"), ("excepted", "own"), ("other", "own")):
        response = get(httpx, kind, f"http://{host}.example/", **options)
        assert response.headers["x-transport"] == name
        assert is_absolute(response, f"http://{host}.example")


@pytest.mark.parametrize("kind", KINDS)
def test_a_second_call_replaces_the_settings(httpx, kind, caplog):
    made = {"sync": httpx.Client, "async": httpx.AsyncClient}[kind](transport=httpx.MockTransport(lambda _: None))
    inner = made._transport
    assert httpx.install(httpx.install(made, lazy=False), max_size=5) is made
    assert isinstance(made._transport, {"sync": httpx.Transport, "async": httpx.AsyncTransport}[kind])
    assert made._transport.inner is inner
    assert made._transport._settings.max_size == 5
    assert not caplog.records


@pytest.mark.parametrize("kind", KINDS)
def test_settings_and_requests_are_unchanged(httpx, kind):
    transport = httpx.MockTransport(lambda _: httpx.Response(200, html=PAGE.decode()))
    response = get(httpx, kind, "http://h.example/", {"max_size": 5}, transport=transport)
    assert response.linkfix.left_alone == "too-large"
    with pytest.raises(linkfix.UnknownSpec):
        get(httpx, kind, "http://h.example/", {"spec": "none"}, transport=transport)
    with pytest.raises(TypeError):
        get(httpx, kind, "http://h.example/", {"colour": "red"}, transport=transport)


@pytest.mark.parametrize("transport", ["Transport", "AsyncTransport"])
def test_a_transport_alone_reports_the_settings_that_it_replaces(httpx, transport, caplog, monkeypatch):
    monkeypatch.setattr(linkfix.hooks.response, "_warned", set())
    with caplog.at_level(logging.INFO, "linkfix.hooks"):
        getattr(httpx, transport)()
        getattr(httpx, transport)(httpx.MockTransport(lambda _: None))
    [record] = caplog.records
    assert record.levelname == "WARNING"
    assert record.message == f"{linkfix.PROBLEMS['hook-transport']} [hook-transport]"
    assert "proxies" in record.message
    assert "install()" in record.message


@pytest.mark.parametrize("kind", KINDS)
def test_other_objects_than_clients_are_refused(httpx, kind):
    client = {"sync": httpx.Client, "async": httpx.AsyncClient}[kind]
    name = httpx.library
    wanted = f"^linkfix.hooks.{name}.install\\(\\) takes {name}.Client or {name}.AsyncClient, not "
    advice = rf": pass an object of that class, such as {name}\.Client\(\)$"
    with pytest.raises(TypeError, match=f"{wanted}the class {name}.{client.__name__}{advice}"):
        httpx.install(client)
    with pytest.raises(TypeError, match=f"{wanted}requests.sessions.Session: use linkfix.hooks.requests.install$"):
        httpx.install(requests.Session())
    with pytest.raises(TypeError, match=f"{wanted}int 3{advice}"):
        httpx.install(3)
    with pytest.raises(InvalidOption):
        httpx.install(client(), media_types=[])


@pytest.mark.parametrize("kind", KINDS)
def test_a_client_of_the_other_library_is_named(kind):
    httpx, httpx2 = pytest.importorskip("httpx"), pytest.importorskip("httpx2")
    for own, other in ((httpx, httpx2), (httpx2, httpx)):
        hook = importlib.import_module(f"linkfix.hooks.{own.__name__}")
        client = {"sync": other.Client, "async": other.AsyncClient}[kind]()
        meant = f"not {other.__name__}.{type(client).__name__}: use linkfix.hooks.{other.__name__}.install$"
        with pytest.raises(TypeError, match=meant):
            hook.install(client)
        name = {"sync": "Transport", "async": "AsyncTransport"}[kind]
        inner = {"sync": other.HTTPTransport, "async": other.AsyncHTTPTransport}[kind]()
        with pytest.raises(TypeError, match=f": use linkfix.hooks.{other.__name__}.{name}$"):
            getattr(hook, name)(inner)


def test_other_objects_than_transports_are_refused(httpx):
    module = f"linkfix.hooks.{httpx.library}"
    for make, inner, meant in (
        (httpx.Transport, httpx.AsyncHTTPTransport(), f": use {module}.AsyncTransport"),
        (httpx.AsyncTransport, httpx.HTTPTransport(), f": use {module}.Transport"),
        (httpx.Transport, httpx.Client(), f": use {module}.install"),
        (httpx.AsyncTransport, httpx.AsyncClient(), f": use {module}.install"),
        (
            httpx.Transport,
            httpx.HTTPTransport,
            f"not the class {httpx.library}.HTTPTransport: pass an object of that class",
        ),
        (httpx.Transport, "http://proxy", "not str 'http://proxy'"),
    ):
        with pytest.raises(TypeError, match=f"{re.escape(meant)}$"):
            make(inner)


def test_a_transport_of_a_caller_s_own_needs_no_base_class(httpx):
    class Own:
        def handle_request(self, _request):
            return httpx.Response(200, html=PAGE.decode())

        def close(self):
            pass

    client = httpx.Client(transport=httpx.Transport(Own()))
    assert is_absolute(client.get("http://h.example/"), "http://h.example")
    client.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_of_a_client_keeps_the_hook(httpx, kind):
    transport = httpx.MockTransport(lambda _: httpx.Response(200, html=PAGE.decode()))
    client = httpx.install({"sync": httpx.Client, "async": httpx.AsyncClient}[kind](transport=transport))
    again = copy.copy(client)
    response = asyncio.run(again.get("http://h.example/")) if kind == "async" else again.get("http://h.example/")
    assert is_absolute(response, "http://h.example")


def test_a_request_inside_of_an_event_hook_is_processed(httpx):
    asked = []

    def ask(response):
        if not asked:
            asked.append(response)
            asked.append(client.get("http://h.example/again"))

    transport = httpx.MockTransport(lambda _: httpx.Response(200, html=PAGE.decode()))
    with httpx.install(httpx.Client(transport=transport, event_hooks={"response": [ask]})) as client:
        assert is_absolute(client.get("http://h.example/"), "http://h.example")
    assert is_absolute(asked[1], "http://h.example")
