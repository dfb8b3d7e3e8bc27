"""Responses of real clients from one server: `from_response`, `outcome`, and the URLs in header fields."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import importlib
import subprocess
import sys
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import httpx
import pytest
import requests
import urllib3
from support.extras import needed
from support.running import ENVIRONMENT

import linkfix
import linkfix.hooks.aiohttp
import linkfix.hooks.httpx
import linkfix.hooks.requests
from linkfix.hooks import outcome
from linkfix.hooks.generic import from_headers, from_response
from linkfix.hooks.response import Outcome, Response, absolutize, settings

PAGE = b"<base href=/b/><a href=x>"
#: Fields with URLs; their targets are those for /d/page, whatever the page's BASE.
FIELDS = {
    "Link": '<../p?page=2>; rel="next", <style.css>; rel=preload',
    "Content-Location": "page.en",
    "Refresh": "3; url=later",
}
TARGETS = ["/p?page=2", "/d/style.css", "/d/page.en", "/d/later"]


class Handler(BaseHTTPRequestHandler):
    """/start redirects to /d/page; a path that ends in "json" is no page."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        is_start = self.path == "/start"
        self.send_response(302 if is_start else 200)
        fields = {"Location": "d/page"} if is_start else FIELDS
        type_ = "application/json" if self.path.endswith("json") else "text/html"
        for name, value in ({"Content-Type": type_, "Content-Length": str(len(PAGE))} | fields).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(PAGE)


@pytest.fixture(scope="module")
def url():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def _http_client(url):
    with contextlib.closing(http.client.HTTPConnection(url.removeprefix("http://"))) as connection:
        connection.request("GET", "/d/page")
        return from_response(connection.getresponse(), f"{url}/d/page")


def _urllib(url):
    with urllib.request.urlopen(f"{url}/start") as response:  # noqa: S310
        return from_response(response)


def _urllib3(url):
    with urllib3.PoolManager() as pool:
        return from_response(pool.request("GET", f"{url}/start"), f"{url}/start")


async def _aiohttp(url):
    aiohttp = needed("aiohttp")
    async with aiohttp.ClientSession() as session, session.get(f"{url}/start") as response:
        with pytest.raises(TypeError, match=r"needs body=, since it cannot read the body of a ClientResponse"):
            from_response(response)
        return from_response(response, body=await response.read())


#: A client -> the outcome of its request for /start, which the client follows.
CLIENTS = {
    "requests": lambda url: from_response(requests.get(f"{url}/start", timeout=60)),
    "httpx": lambda url: from_response(httpx.get(f"{url}/start", follow_redirects=True)),
    "httpx2": lambda url: from_response(needed("httpx2").get(f"{url}/start", follow_redirects=True)),
    "niquests": lambda url: from_response(needed("niquests").get(f"{url}/start", timeout=60)),
    "curl_cffi": lambda url: from_response(needed("curl_cffi.requests").get(f"{url}/start")),
    "urllib3": _urllib3,
    "urllib": _urllib,
    "http.client": _http_client,
    "aiohttp": lambda url: asyncio.run(_aiohttp(url)),
}
#: Those whose responses do not know the redirects.
WITHOUT_HISTORY = {"urllib", "http.client"}


@pytest.mark.parametrize("client", CLIENTS)
def test_a_response_of_a_client(client, url):
    made = CLIENTS[client](url)
    assert made.body == f"<base href={url}/b/><a href={url}/b/x>".encode()
    assert dict(made.headers)[next(name for name, _ in made.headers if name.lower() == "content-length")] == str(
        len(made.body)
    )
    before = [one.reference for one in made.base.rejected if one.where.startswith("redirect")]
    assert before == ([] if client in WITHOUT_HISTORY else [f"{url}/start"])
    assert [link.target for link in made.header_links] == [url + target for target in TARGETS]


#: Runs treq, whose reactor can start once in a process.
TREQ = """
import sys
import treq
from twisted.internet import task
from linkfix.hooks.generic import from_response

async def main(reactor):
    response = await treq.get(sys.argv[1], persistent=False)
    made = from_response(response, body=await response.content())
    print(made.body.decode(), *(link.target for link in made.header_links), made.base.rejected[1].reference)

task.react(lambda reactor: __import__("twisted.internet.defer").internet.defer.ensureDeferred(main(reactor)))
"""


@pytest.mark.slow
def test_treq(url):
    needed("treq")
    done = subprocess.run(
        [sys.executable, "-c", TREQ, f"{url}/start"],
        capture_output=True,
        env=ENVIRONMENT,
        timeout=60,
        check=False,
        text=True,
    )
    expected = [f"<base href={url}/b/><a href={url}/b/x>", *(url + target for target in TARGETS), f"{url}/start"]
    assert (done.stdout, done.returncode) == (" ".join(expected) + "\n", 0), done.stderr


def test_a_driver_of_selenium():
    """Its page is what scripts made: a BASE in noscript does not count."""
    source = "<noscript><base href=/wrong/></noscript><a href='?q=п'>x</a>"
    driver = SimpleNamespace(page_source=source, current_url="http://h/d/page")
    made = from_response(driver)
    assert made.body.decode() == source.replace("?q=п", "http://h/d/page?q=%D0%BF")


def test_settings_are_made_once(url):
    chosen = settings(fragments="absolutize")
    headers = {"Content-Type": "text/html"}
    assert from_headers("http://h/a", headers, b"<a href='#x'>", settings=chosen).body == b"<a href='http://h/a#x'>"
    assert from_headers("http://h/a", headers, b"<a href='#x'>", settings=chosen).settings is chosen
    assert from_response(requests.get(f"{url}/d/page", timeout=60), settings=chosen).settings is chosen
    with pytest.raises(TypeError, match=r"takes settings= or the keywords fragments, not both"):
        from_headers("http://h/a", headers, b"", settings=chosen, fragments="keep")
    with pytest.raises(TypeError, match=r"takes settings made by linkfix.hooks.response.settings\(\), not dict"):
        from_headers("http://h/a", headers, b"", settings={})


def test_a_response_that_does_not_know_its_url(url):
    with (
        urllib3.PoolManager() as pool,
        pytest.raises(TypeError, match=r"needs url=, since a HTTPResponse does not know the URL of its request"),
    ):
        from_response(pool.request("GET", f"{url}/d/page"))


@pytest.mark.parametrize("wrong", ["<a href=x>", requests.Response, None, 1])
def test_an_object_that_is_no_response(wrong):
    with pytest.raises(TypeError, match=r"from_response\(\) takes a response with headers, not "):
        from_response(wrong)


def _sessions(**fields):
    with linkfix.hooks.requests.install(requests.Session(), **fields) as session:
        yield session, "allow_redirects"
    with linkfix.hooks.httpx.install(httpx.Client(), **fields) as client:
        yield client, "follow_redirects"


def test_the_outcome_of_a_response(url):
    for session, follows in _sessions():
        page = session.get(f"{url}/d/page")
        found = outcome(page)
        assert isinstance(found, Outcome)
        assert found is page.linkfix
        assert from_response(page) is found
        assert [link.target for link in found.header_links] == [url + target for target in TARGETS]
        assert page.headers["link"] == FIELDS["Link"]
        redirect = session.get(f"{url}/start", **{follows: False})
        assert [(link.attribute, link.target) for link in outcome(redirect).header_links] == [
            ("location", f"{url}/d/page")
        ]
        assert redirect.headers["location"] == "d/page"
    assert outcome(requests.get(f"{url}/d/page", timeout=60)) is None
    assert outcome(None) is None


def test_header_fields_are_absolute_on_request(url):
    """Also those of other responses than pages: an API names its next page there."""
    for session, _ in _sessions(header_fields=True):
        for path in ("/d/page", "/d/json"):
            page = session.get(url + path)
            assert [page.links[name]["url"] for name in ("next", "preload")] == [url + one for one in TARGETS[:2]]
            assert page.headers["content-location"] == f"{url}/d/page.en"
            assert page.headers["refresh"] == f"3; url={url}/d/later"
            assert page.content.startswith(b"<base href=h" if path == "/d/page" else PAGE)


def test_header_fields_with_aiohttp_on_request(url):
    aiohttp = needed("aiohttp")

    async def read():
        middleware = linkfix.hooks.aiohttp.Absolutize(header_fields=True)
        async with aiohttp.ClientSession(middlewares=[middleware]) as session, session.get(f"{url}/d/json") as page:
            assert outcome(page) is None
            return await page.read(), page.headers["Refresh"], outcome(page).header_links

    body, refresh, links = asyncio.run(read())
    assert (body, refresh) == (PAGE, f"3; url={url}/d/later")
    assert [link.target for link in links] == [url + target for target in TARGETS]


def test_header_fields_with_scrapy_on_request():
    scrapy = needed("scrapy.http")
    hook = importlib.import_module("linkfix.hooks.scrapy")
    fields = {"Content-Type": "text/html", **FIELDS}
    page = scrapy.HtmlResponse("http://h/d/page", body=PAGE, headers=fields)
    for given, link in (({}, FIELDS["Link"]), ({"header_fields": True}, '<http://h/p?page=2>; rel="next", ')):
        made = hook.LinkfixMiddleware(settings(**given)).process_response(scrapy.Request("http://h/d/page"), page)
        assert made.headers["Link"].decode().startswith(link)
        assert made.headers.getlist("Content-Type") == [b"text/html"]
        assert [one.target for one in outcome(made).header_links] == ["http://h" + target for target in TARGETS]


@pytest.mark.parametrize(
    ("headers", "targets", "made"),
    [
        ((("LINK", "<x>"), ("Location", "y")), ["http://h/d/x", "http://h/d/y"], ["<http://h/d/x>", "http://h/d/y"]),
        ((("Link", "<x>;\r\n rel=a"),), ["http://h/d/x"], ["<http://h/d/x>;   rel=a"]),
        ((("Link", "<ü>"), ("X", "п")), ["http://h/d/%C3%BC"], ["<http://h/d/%C3%BC>", "п"]),
        ((("Link", "<п>; title=п"),), ["http://h/d/%D0%BF"], ["<http://h/d/%D0%BF>; title=п"]),
        ((("Location", "http://["),), [None], ["http://["]),
        ((("Location", "http://other/"),), ["http://other/"], ["http://other/"]),
        ((("Vary", "x"), ("", ""), (" y", "z")), [], ["x", "", "z"]),
        ((("X", "a\nLink: <x>"), ("Location", "y")), ["http://h/d/y"], ["a\nLink: <x>", "http://h/d/y"]),
    ],
)
def test_fields(headers, targets, made):
    response = Response(b"", "http://h/d/page", headers)
    found = absolutize(response, settings(header_fields=True))
    assert [link.target for link in found.header_links] == targets
    assert [value for _, value in found.headers] == made
    assert [name for name, _ in found.headers] == [name for name, _ in headers]
    assert absolutize(response).headers is headers


def test_the_line_of_a_link_is_the_number_of_its_field():
    headers = (("Vary", "x"), ("Link", "<x>"), ("Via", "y"), ("Refresh", "1; url=z"))
    assert [link.line for link in absolutize(Response(b"", "http://h/", headers)).header_links] == [2, 4]


def test_fields_of_a_response_without_a_url():
    found = absolutize(Response(b"", None, (("Link", "<x>"),)), settings(header_fields=True))
    assert [(link.target, link.problem) for link in found.header_links] == [(None, "no-base")]
    with_default = absolutize(Response(b"", None, (("Link", "<x>"),)), settings(default_base="http://h/d/"))
    assert [link.target for link in with_default.header_links] == ["http://h/d/x"]


def test_an_explicit_url_counts():
    known = SimpleNamespace(url="http://own.example/", headers={"Content-Type": "text/html"}, content=b"<a href=x>")
    assert from_response(known, "http://h.example/a/").body == b"<a href=http://h.example/a/x>"
    assert from_response(known).body == b"<a href=http://own.example/x>"


def test_wrong_arguments_are_told():
    known = SimpleNamespace(url="http://own.example/", headers={"Content-Type": "text/html"}, content=b"<a href=x>")
    unknown = SimpleNamespace(headers={}, content=b"")
    with pytest.raises(TypeError, match=r"from_response\(\) takes a body of bytes, not str '<a>'"):
        from_response(known, body="<a>")
    with pytest.raises(TypeError, match=r"from_response\(\) takes a URL, .* not int 5"):
        from_response(known, 5)
    for response in (known, unknown):
        with pytest.raises(linkfix.InvalidBase, match=r"needs an absolute URL as url=, not 'foo'"):
            from_response(response, "foo")


def test_a_response_of_httpx_without_a_request() -> None:
    made = httpx.Response(200, headers={"content-type": "text/html"}, content=b"<a href=x>")
    assert from_response(made, "https://h.example/").body == b"<a href=https://h.example/x>"
    with pytest.raises(TypeError, match=r"needs url=, since a Response does not know the URL of its request"):
        from_response(made)
