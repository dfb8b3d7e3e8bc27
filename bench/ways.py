"""Every way into linkfix beside browsers: how many documents of `tests/vectors/absolute_urls` each reads as they do.

    python bench/ways.py                     # the table of docs/browsers.md
    python bench/ways.py --cases [WAY …]     # and, below it, each case that a way has otherwise

HTTP clients get the documents from a proxy on this machine, under the URL of the case and with its Content-Type. The
middleware of Scrapy, ASGI and WSGI is called directly. What they return is read as if it stood on another site, where
a link that stayed relative leads elsewhere. right.py judges the URLs. Ways whose library is not installed are left
out.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib.util
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, NamedTuple
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, Request, build_opener

import linkfix
from linkfix import Link
from linkfix.hooks.generic import from_headers, from_response

sys.path.insert(0, str(Path(__file__).parent))

from right import PAGES, Case, Found, cases, is_right

__all__ = ["WAYS", "Way", "counted", "main", "row", "serving", "wrong"]

#: Links to `#x` become absolute too, as in browsers.
FRAGMENTS = "absolutize"
#: The place of the links that people follow.
FOLLOWED = "a[href]"
#: The field of a request that names its case.
NAME = "X-Case"


class _Proxy(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    answers: ClassVar = {case.name: case for case in cases()}

    def do_GET(self) -> None:
        case = self.answers[self.headers[NAME]]
        is_page = self.path == case.url  # browsers ask for images, too
        self.send_response(200 if is_page else 404)
        self.send_header("Content-Type", case.content_type)
        self.send_header("Content-Length", str(len(case.data) if is_page else 0))
        self.end_headers()
        self.wfile.write(case.data if is_page else b"")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """The URL of a proxy that has the documents."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Proxy) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def _targets(links: list[Link]) -> Found:
    return [
        (f"{link.element}[{link.attribute}]" if link.attribute else link.element, link.target)
        for link in links
        if link.target is not None
    ]


def _read(html: bytes | str, case: Case) -> Found:
    charset = case.charset if isinstance(html, bytes) else None
    return _targets(linkfix.links(html, url="http://unrelated.test/x/y", charset=charset))


def _options(case: Case) -> dict[str, Any]:
    return {"media_type": case.media_type, "charset": case.charset}


# The functions of the library.


def _absolutize(case: Case, _: str) -> Found:
    return _read(linkfix.absolutize(case.data, url=case.url, fragments=FRAGMENTS, **_options(case)), case)


def _fragment(case: Case, _: str) -> Found:
    html = linkfix.absolutize_fragment(
        case.data, case.url, fragments=FRAGMENTS, base_element="keep", charset=_encoding(case).name
    )
    return _read(html, case)


def _links(case: Case, _: str) -> Found:
    return _targets(linkfix.links(case.data, url=case.url, **_options(case)))


def _hyperlinks(case: Case, _: str) -> Found:
    return [(FOLLOWED, url) for url in linkfix.hyperlinks(case.data, case.url, **_options(case))]


def _encoding(case: Case) -> Any:
    """The encoding of a document, which callers with a tree or a piece have to state."""
    return linkfix.Document(case.data, url=case.url, **_options(case)).encoding


def _from_headers(case: Case, _: str) -> Found:
    made = from_headers(case.url, {"Content-Type": case.content_type}, case.data, fragments=FRAGMENTS)
    return _read(made.body, case)


# The hooks of clients, with real clients.


def _requests(case: Case, proxy: str) -> Found:
    import requests

    from linkfix.hooks.requests import install

    with install(requests.Session(), fragments=FRAGMENTS) as session:
        answer = session.get(case.url, proxies={"http": proxy}, headers={NAME: case.name}, timeout=60)
        return _read(answer.content, case)


def _httpx(case: Case, proxy: str) -> Found:
    import httpx

    from linkfix.hooks.httpx import install

    with install(httpx.Client(proxy=proxy), fragments=FRAGMENTS) as client:
        return _read(client.get(case.url, headers={NAME: case.name}).content, case)


def _httpx_async(case: Case, proxy: str) -> Found:
    import httpx

    from linkfix.hooks.httpx import install

    async def body() -> bytes:
        async with install(httpx.AsyncClient(proxy=proxy), fragments=FRAGMENTS) as client:
            return (await client.get(case.url, headers={NAME: case.name})).content

    return _read(asyncio.run(body()), case)


def _httpx2(case: Case, proxy: str) -> Found:
    import httpx2

    from linkfix.hooks.httpx2 import install

    with install(httpx2.Client(proxy=proxy), fragments=FRAGMENTS) as client:
        return _read(client.get(case.url, headers={NAME: case.name}).content, case)


def _aiohttp(case: Case, proxy: str) -> Found:
    import aiohttp

    from linkfix.hooks.aiohttp import Absolutize

    async def body() -> bytes:
        async with (
            aiohttp.ClientSession(middlewares=[Absolutize(fragments=FRAGMENTS)]) as session,
            session.get(case.url, proxy=proxy, headers={NAME: case.name}) as answer,
        ):
            return await answer.read()

    return _read(asyncio.run(body()), case)


def _urllib(case: Case, proxy: str) -> Found:
    opener = build_opener(ProxyHandler({"http": proxy}))
    with opener.open(Request(case.url, headers={NAME: case.name})) as answer:
        return _read(from_response(answer, fragments=FRAGMENTS).body, case)


def _scrapy(case: Case, _: str) -> Found:
    from scrapy import Request as ScrapyRequest
    from scrapy.http import HtmlResponse
    from scrapy.utils.test import get_crawler

    from linkfix.hooks.scrapy import LinkfixMiddleware

    middleware = LinkfixMiddleware.from_crawler(get_crawler(settings_dict={"LINKFIX_FRAGMENTS": FRAGMENTS}))
    response = HtmlResponse(case.url, body=case.data, headers={"Content-Type": case.content_type})
    return _read(middleware.process_response(ScrapyRequest(case.url), response).body, case)


# Servers.


def _asgi(case: Case, _: str) -> Found:
    from linkfix.hooks.asgi import Absolutize

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        headers = [(b"content-type", case.content_type.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": case.data})

    pieces = []

    async def send(message: Any) -> None:
        pieces.append(message.get("body", b""))

    async def receive() -> Any:
        return {"type": "http.request"}

    url = urlsplit(case.url)
    scope = {
        "type": "http",
        "method": "GET",
        "scheme": url.scheme,
        "server": (url.hostname, url.port),
        "path": url.path,
        "query_string": url.query.encode(),
        "headers": [(b"host", url.netloc.encode())],
    }
    asyncio.run(Absolutize(app, base_url=None, fragments=FRAGMENTS)(scope, receive, send))
    return _read(b"".join(pieces), case)


def _wsgi(case: Case, _: str) -> Found:
    from linkfix.hooks.wsgi import Absolutize

    def app(_environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Type", case.content_type)])
        return [case.data]

    url = urlsplit(case.url)
    environ = {
        "REQUEST_METHOD": "GET",
        "SCRIPT_NAME": "",
        "PATH_INFO": url.path,
        "QUERY_STRING": url.query,
        "HTTP_HOST": url.netloc,
        "SERVER_NAME": url.hostname,
        "SERVER_PORT": str(url.port or 80),
        "wsgi.url_scheme": url.scheme,
    }
    return _read(
        b"".join(Absolutize(app, base_url=None, fragments=FRAGMENTS)(environ, lambda *_: lambda _: None)), case
    )


# Trees, of the text in the page's own encoding.


def _tree(parse: Callable[[str], Any]) -> Callable[[Case, str], Found]:
    def find(case: Case, _: str) -> Found:
        encoding = _encoding(case)
        try:
            tree = parse(case.data.decode(encoding.codec, "replace").removeprefix("\ufeff"))
        except ValueError:  # html5lib makes no tree of lxml's elements with control characters
            return []
        return _targets(linkfix.absolutize_tree(tree, case.url, charset=encoding.name))

    return find


def _lxml(text: str) -> Any:
    import lxml.html

    return lxml.html.document_fromstring(text)


def _html5lib(text: str) -> Any:
    import html5lib

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of comments, which have no links
        return html5lib.parse(text, treebuilder="lxml")


def _soup(parser: str) -> Callable[[str], Any]:
    def parse(text: str) -> Any:
        from bs4 import BeautifulSoup

        return BeautifulSoup(text, parser)

    return parse


def _parsel(text: str) -> Any:
    from parsel import Selector

    return Selector(text)


def _selectolax(text: str) -> Any:
    from selectolax.lexbor import LexborHTMLParser

    return LexborHTMLParser(text)


class Way(NamedTuple):
    """`library`: what it needs. `find`: the URLs of a case; its second argument is the proxy. `counts`: its cases."""

    library: str
    find: Callable[[Case, str], Found]
    counts: Callable[[Case], bool] = lambda _: True


def _is_followed(case: Case) -> bool:
    return set(case.expected or ()) == {FOLLOWED}


WAYS = {
    "`absolutize`": Way("linkfix", _absolutize),
    "`absolutize_fragment`, with BASE and encoding": Way("linkfix", _fragment),
    "`links`": Way("linkfix", _links),
    "`hyperlinks`": Way("linkfix", _hyperlinks, _is_followed),
    "`from_headers`": Way("linkfix", _from_headers),
    "requests": Way("requests", _requests),
    "httpx": Way("httpx", _httpx),
    "httpx, async": Way("httpx", _httpx_async),
    "httpx2": Way("httpx2", _httpx2),
    "aiohttp": Way("aiohttp", _aiohttp),
    "urllib, `from_response`": Way("linkfix", _urllib),
    "Scrapy": Way("scrapy", _scrapy),
    "ASGI": Way("linkfix", _asgi),
    "WSGI": Way("linkfix", _wsgi),
    "lxml": Way("lxml", _tree(_lxml)),
    "html5lib": Way("html5lib", _tree(_html5lib)),
    "BeautifulSoup (html.parser)": Way("bs4", _tree(_soup("html.parser"))),
    "BeautifulSoup (lxml)": Way("bs4", _tree(_soup("lxml"))),
    "BeautifulSoup (html5lib)": Way("html5lib", _tree(_soup("html5lib"))),
    "parsel": Way("parsel", _tree(_parsel)),
    "selectolax": Way("selectolax", _tree(_selectolax)),
}


def counted(way: Way) -> list[Case]:
    """The cases of a way: pages on which browsers agree."""
    return [case for case in cases() if case.kind in PAGES and case.expected is not None and way.counts(case)]


def wrong(way: Way, proxy: str) -> list[str]:
    """The names of the cases that a way has otherwise than browsers."""
    return [case.name for case in counted(way) if not is_right(case, way.find(case, proxy))]


def row(name: str, failed: list[str]) -> str:
    """A way's line of the table."""
    of = len(counted(WAYS[name]))
    return f"| {name} | {of - len(failed)} of {of} |"


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", nargs="*", choices=WAYS, metavar="WAY", help="show its other answers")
    options = parser.parse_args(arguments)
    found = {}
    print("| way | as browsers |\n|---|---|")
    with serving() as proxy:
        for name, way in WAYS.items():
            if importlib.util.find_spec(way.library) is not None:
                found[name] = wrong(way, proxy)
                print(row(name, found[name]))
    print(f"\nleft out, not installed: {', '.join(name for name in WAYS if name not in found) or 'none'}")
    for name in found if options.cases == [] else options.cases or ():
        print(f"{name}: {', '.join(found[name])}")


if __name__ == "__main__":
    main(sys.argv[1:])
