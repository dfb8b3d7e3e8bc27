"""The ASGI middleware: the protocol's messages, and real servers and frameworks with real requests."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import http.client
import threading

import httpx
import pytest
from support.extras import needed
from support.servers import Sent, Strict, asgi_app, by_asgi, receive, scope_of

from linkfix.hooks.asgi import Absolutize

BASE = "https://e.example/"
HTML = [(b"content-type", b"text/html")]
START = {"type": "http.response.start", "status": 200, "headers": HTML}


def body(data, **fields):
    return {"type": "http.response.body", "body": data, **fields}


def messages_of(*messages, scope=None, **fields):
    """The messages that a server gets for an application's messages."""

    async def app(_scope, _receive, send):
        for message in messages:
            await send(message)

    strict = Strict()
    asyncio.run(Absolutize(app, base_url=BASE, **fields)(scope or scope_of(), receive, strict))
    return strict.messages


@pytest.mark.parametrize("kind", ["websocket", "lifespan"])
def test_other_scopes_are_passed_on(kind):
    seen = []

    async def app(*arguments):
        seen.append(arguments)

    arguments = ({"type": kind}, receive, Strict())
    asyncio.run(Absolutize(app, base_url=BASE)(*arguments))
    assert [*map(tuple, seen)] == [arguments]
    assert all(one is given for one, given in zip(seen[0], arguments, strict=True))


def test_a_page_in_pieces_becomes_one_message():
    start, end = messages_of(START, body(b"<a hre", more_body=True), body(b"f=x>", more_body=True), body(b""))
    assert start["headers"] == [*HTML, (b"content-length", b"30")]
    assert end["body"] == b"<a href=https://e.example/a/x>"
    assert not end.get("more_body")


def test_a_message_without_optional_keys():
    start, end = messages_of({"type": "http.response.start", "status": 204}, {"type": "http.response.body"})
    assert (start["headers"], end.get("body", b"")) == ([], b"")


def test_trailers_follow_the_page_without_what_described_the_old_one():
    start = {**START, "trailers": True}
    trailers = {"type": "http.response.trailers", "headers": [(b"Repr-Digest", b"sha-256=:x=:"), (b"x-time", b"1")]}
    got = messages_of(start, body(b"<a href=x>"), trailers)
    assert got[0]["headers"] == HTML  # a length would not allow chunks, and so no trailers
    assert got[1]["body"] == b"<a href=https://e.example/a/x>"
    assert got[2]["headers"] == [(b"x-time", b"1")]
    assert messages_of(start, body(b"<a href=http://h/>"), trailers)[2] is trailers


def test_other_messages_pass_at_once():
    hint = {"type": "http.response.early_hint", "links": [b"</a.css>; rel=preload"]}
    assert messages_of(hint, START, body(b"<a href=x>"))[0] is hint


def test_events_are_sent_when_they_come():
    """Each message is at the server before the application makes the next."""
    strict = Strict()
    counts = []

    async def app(_scope, _receive, send):
        await send({**START, "headers": [(b"content-type", b"text/event-stream")]})
        for _ in range(3):
            await send(body(b"data: <a href=x>\n\n", more_body=True))
            counts.append(len(strict.messages))
        await send(body(b""))

    asyncio.run(Absolutize(app, base_url=BASE)(scope_of(), receive, strict))
    assert counts == [2, 3, 4]


def test_a_long_page_is_sent_from_the_limit_on():
    strict = Strict()
    counts = []

    async def app(_scope, _receive, send):
        await send(START)
        for _ in range(4):
            await send(body(b"<a href=x>", more_body=True))
            counts.append(len(strict.messages))
        await send(body(b""))

    asyncio.run(Absolutize(app, base_url=BASE, max_size=25)(scope_of(), receive, strict))
    assert counts == [0, 0, 4, 5]
    assert strict.got.body == b"<a href=x>" * 4


def test_files_are_sent_as_bytes():
    """A server that can send a file itself is not told of pages in files."""
    seen = []

    async def app(scope, _receive, send):
        seen.append(scope["extensions"])
        await asgi_app(Sent())(scope, _receive, send)

    extensions = {"http.response.pathsend": {}, "http.response.zerocopysend": {}, "http.response.trailers": {}}
    scope = scope_of(extensions=extensions)
    asyncio.run(Absolutize(app, base_url=BASE)(scope, receive, Strict()))
    assert seen == [{"http.response.trailers": {}}]
    assert len(scope["extensions"]) == 3


@pytest.mark.parametrize("sent", [(), (START,), (START, body(b"<a href=x>", more_body=True))])
def test_errors_of_the_application_are_the_servers(sent):
    strict = Strict()

    async def app(_scope, _receive, send):
        for message in sent:
            await send(message)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(Absolutize(app, base_url=BASE)(scope_of(), receive, strict))
    assert strict.messages == []  # so that the server can answer with its page of errors


def test_a_response_without_an_end_has_none():
    start, piece = messages_of(START, body(b"<a href=x>", more_body=True))
    assert (start["status"], piece["body"], piece["more_body"]) == (200, b"<a href=x>", True)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"path": "/a b/ä"}, "https://e.example/a%20b/%C3%A4"),
        ({"path": "/a/b", "raw_path": b"/a%2Fb"}, "https://e.example/a%2Fb"),
        ({"path": "/b", "raw_path": b"/mounted/b"}, "https://e.example/b"),  # a framework changed `path` alone
        ({"path": "/app/b", "root_path": "/app"}, "https://e.example/b"),
        ({"path": "/app", "root_path": "/app"}, "https://e.example/"),
        ({"path": "/b", "root_path": "/app"}, "https://e.example/b"),
        ({"path": "/apps", "root_path": "/app"}, "https://e.example/apps"),
        ({"path": "/ä b/%", "root_path": "/ä b", "raw_path": b"/%C3%A4%20b/%25"}, "https://e.example/%"),
    ],
)
def test_the_url_of_a_request(fields, expected):
    strict = Strict()
    page = Sent(pieces=[b'<a href="?">'])
    asyncio.run(Absolutize(asgi_app(page), base_url=BASE)(scope_of(**fields), receive, strict))
    assert strict.got.body == f'<a href="{expected}?">'.encode().replace(b"/%?", b"/%25?")


def test_requests_at_the_same_time_do_not_mix():
    async def app(scope, _receive, send):
        await send(START)
        for piece in (b"<a href=", scope["path"][-1:].encode(), b">"):
            await asyncio.sleep(0)
            await send(body(piece, more_body=True))
        await send(body(b""))

    async def run():
        made = Absolutize(app, base_url=BASE)
        sends = [Strict() for _ in range(9)]
        await asyncio.gather(*(made(scope_of(f"/p/{n}"), receive, send) for n, send in enumerate(sends)))
        return [send.got.body for send in sends]

    assert asyncio.run(run()) == [f"<a href=https://e.example/p/{n}>".encode() for n in range(9)]


def test_the_host_of_http_2():
    got = by_asgi(Sent(pieces=[b"<a href=x>"]), "GET", [("host", "h.example")], base_url=None)
    assert got.body == b"<a href=http://h.example/a/x>"


# Real servers and frameworks.


@contextlib.contextmanager
def uvicorn_serving(app, **settings):
    """A running server, as its port."""
    uvicorn = needed("uvicorn")
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", **settings))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            thread.join(0.01)
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


def ask(port, path, method="GET", **headers):
    """(status, header fields, body) by http.client."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


PAGE = "<!DOCTYPE html><p><a href='x?q=1'>" + "<img src=/i.png>" * 100
MADE = PAGE.replace("'x", "'https://e.example/shop/x").replace("/i.png", "https://e.example/i.png").encode()


@pytest.fixture(scope="module")
def starlette(tmp_path_factory):
    """A Starlette application with compression, files and streams, behind uvicorn with a root path."""
    needed("starlette")
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.gzip import GZipMiddleware
    from starlette.responses import HTMLResponse, RedirectResponse, StreamingResponse
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles

    folder = tmp_path_factory.mktemp("files")
    (folder / "page.html").write_text(PAGE)
    (folder / "data.bin").write_bytes(bytes(range(256)) * 40)

    def fail(_request):
        raise ZeroDivisionError

    async def events(_request):
        return StreamingResponse((f"data: {n}\n\n" for n in range(3)), media_type="text/event-stream")

    app = Starlette(
        routes=[
            Route("/page", lambda _request: HTMLResponse(PAGE)),
            Route("/stream", lambda _request: StreamingResponse(iter([PAGE[:50], PAGE[50:]]), media_type="text/html")),
            Route("/moved", lambda _request: RedirectResponse("/shop/page")),
            Route("/events", events),
            Route("/fail", fail),
            Mount("/files", StaticFiles(directory=folder)),
        ],
        middleware=[
            Middleware(Absolutize, base_url="https://e.example/shop", header_fields=True),
            Middleware(GZipMiddleware, minimum_size=500),
        ],
    )
    with uvicorn_serving(app, root_path="/shop") as port:
        yield port


def test_starlette_sends_pages_with_absolute_links(starlette):
    for path in ("/page", "/stream"):
        status, headers, data = ask(starlette, path)
        assert (status, data) == (200, MADE)
        assert headers["content-length"] == str(len(MADE))


def test_starlette_compresses_inside(starlette):
    _, headers, data = ask(starlette, "/page", Accept_Encoding="gzip")
    assert headers["content-encoding"] == "gzip"
    assert headers["vary"] == "Accept-Encoding"
    assert gzip.decompress(data) == MADE
    with httpx.Client() as client:
        assert client.get(f"http://127.0.0.1:{starlette}/page").content == MADE


def test_starlettes_files_are_revalidated(starlette):
    made = MADE.replace(b"/shop/x", b"/shop/files/x")
    _, headers, data = ask(starlette, "/files/page.html")
    assert data == made
    tag = headers["etag"]
    assert tag.startswith('W/"')
    status, headers, data = ask(starlette, "/files/page.html", If_None_Match=tag)
    assert (status, headers["etag"], data) == (304, tag, b"")
    status, headers, data = ask(starlette, "/files/page.html", "HEAD")
    assert (status, headers["etag"], headers["content-length"], data) == (200, tag, None, b"")
    status, headers, data = ask(starlette, "/files/page.html", Range="bytes=0-9")
    assert (status, data) == (206, PAGE[:10].encode())
    assert not headers["etag"].startswith("W/")


def test_starlettes_other_files_keep_their_validators(starlette):
    _, headers, data = ask(starlette, "/files/data.bin")
    assert data == bytes(range(256)) * 40
    tag = headers["etag"]
    assert tag.startswith('"')
    status, headers, _ = ask(starlette, "/files/data.bin", If_None_Match=tag)
    assert (status, headers["etag"]) == (304, tag)


def test_starlettes_redirects_events_and_errors(starlette):
    status, headers, _ = ask(starlette, "/moved")
    assert (status, headers["location"]) == (307, "https://e.example/shop/page")
    assert ask(starlette, "/events")[2] == b"data: 0\n\ndata: 1\n\ndata: 2\n\n"
    assert ask(starlette, "/fail")[0] == 500


def test_starlettes_websockets():
    needed("starlette")
    from starlette.applications import Starlette
    from starlette.routing import WebSocketRoute
    from starlette.testclient import TestClient

    async def echo(socket):
        await socket.accept()
        await socket.send_text(await socket.receive_text())
        await socket.close()

    app = Absolutize(Starlette(routes=[WebSocketRoute("/", echo)]), base_url=BASE)
    with TestClient(app) as client, client.websocket_connect("/") as socket:
        socket.send_text("<a href=x>")
        assert socket.receive_text() == "<a href=x>"


def test_hypercorn():
    needed("hypercorn")
    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    async def run():
        import socket

        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
        config = Config()
        config.bind = [f"127.0.0.1:{port}"]
        config.errorlog = None
        stop = asyncio.Event()
        app = Absolutize(asgi_app(Sent(pieces=[PAGE.encode()])), base_url="https://e.example/shop")
        serving = asyncio.create_task(serve(app, config, shutdown_trigger=stop.wait))
        try:
            for _ in range(500):
                try:
                    return await asyncio.to_thread(ask, port, "/page")
                except ConnectionRefusedError:
                    await asyncio.sleep(0.01)
        finally:
            stop.set()
            await serving

    status, _, data = asyncio.run(run())
    assert (status, data) == (200, MADE)


def test_an_application_of_wsgi_is_refused():
    with pytest.raises(TypeError, match=r"takes an application of ASGI, .*: use linkfix\.hooks\.wsgi\.Absolutize$"):
        Absolutize(lambda _environ, _start_response: [], base_url="https://e.example/")
    with pytest.raises(TypeError, match=r"takes an application of ASGI, not str 'x'$"):
        Absolutize("x", base_url="https://e.example/")
