"""The WSGI middleware: the protocol's rules, and real servers and frameworks with real requests."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import textwrap
import threading
from wsgiref.simple_server import WSGIRequestHandler, make_server
from wsgiref.util import FileWrapper

import httpx
import pytest
from support.extras import needed
from support.running import ENVIRONMENT
from support.servers import call_wsgi

from linkfix.hooks.wsgi import Absolutize

BASE = "https://e.example/"
HTML = [("Content-Type", "text/html; charset=utf-8")]
MADE = b"<a href=https://e.example/a/x>"


def call(app, **fields):
    return call_wsgi(Absolutize(app, base_url=BASE, **fields))


def test_an_application_that_starts_late():
    def app(_environ, start_response):
        yield from ()
        start_response("200 OK", HTML)
        yield b"<a hre"
        yield b"f=x>"

    assert call(app).body == MADE


def test_an_application_that_writes():
    def app(_environ, start_response):
        write = start_response("200 OK", HTML)
        write(b"<a hre")
        return [b"f=x>"]

    assert call(app).body == MADE


def test_an_application_that_writes_what_is_no_page():
    def app(_environ, start_response):
        write = start_response("200 OK", [("Content-Type", "text/plain")])
        write(b"<a hre")
        return [b"f=x>"]

    assert call(app).pieces == [b"<a hre", b"f=x>"]


def test_an_application_that_writes_too_much():
    def app(_environ, start_response):
        write = start_response("200 OK", HTML)
        for _ in range(3):
            write(b"<a href=x>")
        return [b"<a href=y>"]

    assert call(app, max_size=15).pieces == [b"<a href=x>", b"<a href=x>", b"<a href=x>", b"<a href=y>"]


class Closing(list):
    closed = 0

    def close(self):
        self.closed += 1


@pytest.mark.parametrize("type_", ["text/html", "image/png"])
def test_the_applications_iterable_is_closed(type_):
    result = Closing([b"<a href=x>"])

    def app(_environ, start_response):
        start_response("200 OK", [("Content-Type", type_)])
        return result

    call(app)
    assert result.closed == 1
    body = Absolutize(app, base_url=BASE)(
        {"REQUEST_METHOD": "GET", "SERVER_NAME": "h", "SERVER_PORT": "80", "wsgi.url_scheme": "http"}, lambda *_: None
    )
    body.close()  # before its first piece
    assert result.closed == 2


def test_a_file_of_the_server_stays_its_own():
    file = FileWrapper(io.BytesIO(b"\x89PNG"))

    def app(_environ, start_response):
        start_response("200 OK", [("Content-Type", "image/png")])
        return file

    environ = {"REQUEST_METHOD": "GET", "SERVER_NAME": "h", "SERVER_PORT": "80", "wsgi.url_scheme": "http"}
    assert Absolutize(app, base_url=BASE)(environ, lambda *_: None) is file


def fail():
    raise ZeroDivisionError


def test_an_error_page_replaces_a_held_page():
    def app(_environ, start_response):
        start_response("200 OK", HTML)
        yield b"<a href=half"
        try:
            fail()
        except ZeroDivisionError:
            start_response("500 Broken", HTML, sys.exc_info())
        yield b"<a href=x>"

    got = call(app)
    assert (got.status, got.body) == (500, MADE)


def test_it_is_too_late_for_an_error_page_after_the_header():
    def app(_environ, start_response):
        start_response("200 OK", [("Content-Type", "text/plain")])
        yield b"half"
        try:
            fail()
        except ZeroDivisionError:
            start_response("500 Broken", HTML, sys.exc_info())

    with pytest.raises(ZeroDivisionError):
        call(app)


def test_two_starts_are_an_error():
    def app(_environ, start_response):
        start_response("200 OK", HTML)
        start_response("200 OK", HTML)
        return []

    with pytest.raises(AssertionError, match="start_response was called twice"):
        call(app)


def test_errors_of_the_application_are_the_servers():
    def app(_environ, start_response):
        start_response("200 OK", HTML)
        yield b"<a href=x>"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        call(app)


# Real servers and frameworks.


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving(app):
    with make_server("127.0.0.1", 0, app, handler_class=Quiet) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


PAGE = "<!DOCTYPE html><p><a href='x?q=1'><img src=/i.png>"
SHOWN = PAGE.replace("'x", "'https://e.example/shop/x").replace("/i.png", "https://e.example/i.png")


def check_site(site):
    """The pages of the sites below, by httpx."""
    with httpx.Client(base_url=site) as client:
        page = client.get("/page")
        assert (page.status_code, page.text) == (200, SHOWN)
        assert page.headers["content-length"] == str(len(SHOWN))
        tag = page.headers["etag"]
        assert tag.startswith('W/"')
        again = client.get("/page", headers={"If-None-Match": tag})
        assert (again.status_code, again.headers["etag"], again.content) == (304, tag, b"")
        assert client.head("/page").headers.get("etag", tag) == tag  # Django makes none for HEAD
        assert client.get("/data").json() == {"html": "<a href=x>"}
        assert client.get("/moved").headers["location"] == "https://e.example/shop/page"
        assert client.get("/stream").text == SHOWN
        assert client.get("/missing").status_code == 404


def test_flask():
    flask = needed("flask")
    app = flask.Flask("site")

    @app.route("/page")
    def page():
        response = flask.make_response(PAGE)
        response.add_etag()
        return response.make_conditional(flask.request)

    @app.route("/data")
    def data():
        return {"html": "<a href=x>"}

    @app.route("/moved")
    def moved():
        return flask.redirect("/shop/page")

    @app.route("/stream")
    def stream():
        return flask.Response((PAGE[n : n + 7] for n in range(0, len(PAGE), 7)), mimetype="text/html")

    app.wsgi_app = Absolutize(app.wsgi_app, base_url="https://e.example/shop/", header_fields=True)
    assert app.test_client().get("/page").text == SHOWN
    with serving(app) as site:
        check_site(site)


#: A Django project in a process of its own, since Django's settings are the process's. It is served by WSGI or ASGI.
DJANGO = """
    import sys
    import django
    from django.conf import settings
    from django.http import HttpResponse, HttpResponseRedirect, JsonResponse, StreamingHttpResponse
    from django.urls import path

    page = sys.argv[1]
    settings.configure(
        ALLOWED_HOSTS=["*"], ROOT_URLCONF="__main__", SECRET_KEY="x", DEBUG=False,
        MIDDLEWARE=["django.middleware.http.ConditionalGetMiddleware"],
    )
    urlpatterns = [
        path("page", lambda request: HttpResponse(page)),
        path("data", lambda request: JsonResponse({"html": "<a href=x>"})),
        path("moved", lambda request: HttpResponseRedirect("/shop/page")),
        path("stream", lambda request: StreamingHttpResponse(page[n : n + 7] for n in range(0, len(page), 7))),
    ]
    django.setup()
"""

BY_WSGI = """
    from wsgiref.simple_server import make_server
    from wsgiref.validate import validator
    from django.core.wsgi import get_wsgi_application
    from linkfix.hooks.wsgi import Absolutize

    app = Absolutize(get_wsgi_application(), base_url="https://e.example/shop", header_fields=True)
    server = make_server("127.0.0.1", 0, app)
    print(server.server_port, flush=True)
    server.serve_forever()
"""

BY_ASGI = """
    import asyncio, uvicorn, warnings
    from django.core.asgi import get_asgi_application
    from linkfix.hooks.asgi import Absolutize

    warnings.simplefilter("ignore")  # Django's, of a stream that is not asynchronous
    app = Absolutize(get_asgi_application(), base_url="https://e.example/shop", header_fields=True)
    config = uvicorn.Config(app, port=0, log_level="critical", lifespan="off")
    server = uvicorn.Server(config)

    async def run():
        serving = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        print(server.servers[0].sockets[0].getsockname()[1], flush=True)
        await serving

    asyncio.run(run())
"""


@pytest.mark.parametrize(("program", "library"), [(BY_WSGI, "django"), (BY_ASGI, "uvicorn")], ids=["wsgi", "asgi"])
def test_django(program, library):
    needed("django")
    needed(library)
    code = textwrap.dedent(DJANGO) + textwrap.dedent(program)
    process = subprocess.Popen(
        [sys.executable, "-c", code, PAGE],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=ENVIRONMENT | {"PYTHONPATH": os.pathsep.join(sys.path)},  # with the libraries of this process
    )
    with process:
        try:
            check_site(f"http://127.0.0.1:{int(process.stdout.readline())}")
        finally:
            process.kill()


def test_an_application_that_does_not_begin_its_response():
    for body in ([b"<a href=x>"], []):
        with pytest.raises(AssertionError, match="did not call start_response"):
            call(lambda _environ, _start_response, body=body: body)


async def _asgi(_scope, _receive, _send):
    """An application of the other protocol."""


class _Asgi:
    async def __call__(self, _scope, _receive, _send):
        """Answer a request."""


@pytest.mark.parametrize("app", [_asgi, _Asgi()])
def test_an_application_of_asgi_is_refused(app):
    with pytest.raises(
        TypeError, match=r"^linkfix\.hooks\.wsgi\.Absolutize\(\) takes .* WSGI, .*: use linkfix\.hooks\.asgi\."
    ):
        Absolutize(app, base_url=BASE)


@pytest.mark.parametrize("app", ["x", None, lambda: None])
def test_what_is_no_application_is_refused(app):
    with pytest.raises(TypeError, match=r"takes an application of WSGI, not [^:]*$"):
        Absolutize(app, base_url=BASE)
