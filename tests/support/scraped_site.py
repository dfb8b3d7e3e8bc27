"""A site on 127.0.0.1 with features that tools get wrong: each page with its links' targets in browsers.

A target that begins with `/` is on the site. Every such target is a page too, so that a crawler finds all of them, and
a missing page (404) shows a wrong resolution.
"""

from __future__ import annotations

import contextlib
import gzip
import threading
from dataclasses import dataclass
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import brotli

HTML = "text/html; charset=utf-8"


@dataclass(frozen=True)
class Page:
    """`markup`: with the references in it. `targets`: its links' targets, in document order; None: no targets.

    `encoding`: of the body. `type_`: Content-Type; "" for no such field. `coding`: "gzip", "br", "chunked" or "".
    `raw`: the body, if it is no text. `html`: whether hooks have to process it.
    """

    markup: str = ""
    targets: tuple[str | None, ...] = ()
    type_: str = HTML
    encoding: str = "utf-8"
    coding: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    raw: bytes | None = None
    html: bool = True

    @cached_property
    def body(self):
        """Before any coding."""
        return self.markup.encode(self.encoding) if self.raw is None else self.raw

    def absolute_targets(self, url):
        return [url + target if (target or "").startswith("/") else target for target in self.targets]


def targets(links):
    """linkfix's links, in the form of `Page.absolute_targets`: BASE elements have no targets."""
    return [link.target for link in links if link.role != "base"]


def page(*links, before="", after="", **fields):
    """A page of `a` elements: (reference as it is written, target)."""
    markup = "".join(f'<p><a href="{reference}">{number}</a></p>\n' for number, (reference, _) in enumerate(links))
    return Page(
        f"<!DOCTYPE html>\n<html><head><title>t</title>{before}</head>\n<body>{markup}{after}</body></html>\n",
        tuple(target for _, target in links),
        **fields,
    )


#: An article in Russian with six links; bench/language_models.py counts those that tools keep.
ARTICLE = "/lamps/article"
_SENTENCE = "Столовая лампа стояла у окна, и по вечерам вся семья собиралась возле неё, чтобы читать вслух. "

_FILL = "<meta name=filler content=x>" * 200
_HUGE = 20_000_000
_PARAGRAPH = f"<p>{'text ' * 200}</p>\n"

PAGES: dict[str, Page] = {
    "/plain/dir/page": page(
        ("leaf", "/plain/dir/leaf"),
        ("../up", "/plain/up"),
        ("/plain/root", "/plain/root"),
        ("?q=1", "/plain/dir/page?q=1"),
        ("?q=1&amp;copy=2", "/plain/dir/page?q=1&copy=2"),
        (" space around ", "/plain/dir/space%20around"),
        ("over&#10;a&#9;line", "/plain/dir/overaline"),
        ("\\plain\\back", "/plain/back"),
        ("%2e%2e/dots", "/plain/dots"),
        ("./a//b", "/plain/dir/a//b"),
        ("empty-query?", "/plain/dir/empty-query?"),
        ("http:scheme", "/plain/dir/scheme"),
        ("mailto:a@b.example", "mailto:a@b.example"),
        ("https://elsewhere.example/", "https://elsewhere.example/"),
        ("leaf#part", "/plain/dir/leaf#part"),
        ("#top", "/plain/dir/page#top"),
        ("http://[", None),
    ),
    "/base/page": page(("leaf", "/base-of-it/leaf"), ("#x", "/base-of-it/#x"), before='<base href="/base-of-it/">'),
    "/base-relative/dir/page": page(("leaf", "/base-relative/b/leaf"), before="<base href=' ../b/ '>"),
    "/base-after/page": Page("<a href=leaf>l</a><base href='/base-after-it/'>", ("/base-after-it/leaf",)),
    "/base-late/page": page(("leaf", "/late/leaf"), before=f'{_FILL}<base href="/late/">'),
    "/base-entity/page": page(("leaf", "/a&b/leaf"), before='<base href="/a&amp;b/">'),
    "/base-unquoted/page": page(("leaf", "/unquoted/leaf"), before="<base target=_top><BASE HREF=/unquoted/>"),
    "/base-first/page": page(("leaf", "/first/leaf"), before="<base href=/first/><base href=/second/>"),
    "/base-template/page": page(("leaf", "/base-template/leaf"), before="<template><base href='/wrong/'></template>"),
    "/base-template/real": page(
        ("leaf", "/real/leaf"), before="<template><base href='/wrong/'></template><base href='/real/'>"
    ),
    "/base-textarea/page": page(("leaf", "/base-textarea/leaf"), after="<textarea><base href='/wrong/'></textarea>"),
    "/base-title/page": page(("leaf", "/base-title/leaf"), before="<title><base href='/wrong/'></title>"),
    "/base-svg/page": page(("leaf", "/base-svg/leaf"), after="<svg><desc></desc><base href='/wrong/'/></svg>"),
    "/base-attribute/page": page(
        ("leaf", "/base-attribute/leaf"), before="""<meta name=d content="<base href='/wrong/'>">"""
    ),
    "/base-comment/page": page(("leaf", "/base-comment/leaf"), before="<!-- <base href='/wrong/'> -->"),
    "/base-data/page": page(("leaf", "/base-data/leaf"), before="<base href='data:,x'><base href='/wrong/'>"),
    "/redirected/deep/page?q=final": page(
        ("leaf", "/redirected/deep/leaf"), ("?q=next", "/redirected/deep/page?q=next")
    ),
    "/windows-1251/header": page(
        ("?q=поиск", "/windows-1251/header?q=%EF%EE%E8%F1%EA"),
        ("путь", "/windows-1251/%D0%BF%D1%83%D1%82%D1%8C"),
        ("?€=日", "/windows-1251/header?%88=%26%2326085%3B"),
        type_="text/html; charset=windows-1251",
        raw="<p><a href='?q=поиск'>1</a><a href='путь'>2</a><a href='?€=&#26085;'>3</a>".encode("windows-1251"),
    ),
    "/windows-1251/meta": page(
        ("?q=поиск", "/windows-1251/meta?q=%EF%EE%E8%F1%EA"),
        before="<meta charset=cp1251>",
        type_="text/html",
        encoding="windows-1251",
    ),
    "/shift_jis/page": page(
        ("?q=検索", "/shift_jis/page?q=%8C%9F%8D%F5"),
        ("?q=表", "/shift_jis/page?q=%95\\"),
        ("表", "/shift_jis/%E8%A1%A8"),
        before='<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">',
        type_="text/html",
        encoding="shift_jis",
    ),
    "/utf-16/page": page(("?q=é", "/utf-16/page?q=%C3%A9"), type_="text/html", encoding="utf-16"),
    "/charset-unknown/page": page(
        ("?q=é", "/charset-unknown/page?q=%C3%A9"), before="<meta charset=utf-8>", type_="text/html; charset=bogus"
    ),
    "/charset-wrong/page": page(
        ("leaf", "/charset-wrong/leaf"), type_="text/html; charset=utf-8", raw=b"\xff\xfe<a href=leaf>\x81\xe9"[2:]
    ),
    "/gzip/page": page(("leaf", "/gzip/leaf"), coding="gzip"),
    "/brotli/page": page(("leaf", "/brotli/leaf"), coding="br"),
    "/chunked/page": page(("leaf", "/chunked/leaf"), coding="chunked"),
    "/content-location/page": page(
        ("leaf", "/content-location/leaf"), headers=(("Content-Location", "/wrong/place/"), ("Base", "/wrong/"))
    ),
    "/xhtml/page": Page(
        '<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><body><a href="leaf">l</a></body></html>',
        ("/xhtml/leaf",),
        type_="application/xhtml+xml",
    ),
    "/untyped/page": page(("leaf", "/untyped/leaf"), type_=""),
    "/more/page": Page(
        "<!DOCTYPE html><html><head><title>t</title><meta http-equiv=refresh content='900; url=refreshed'>"
        "<link rel=next href=next></head><body><img src=1.png srcset='2.png 2x, 3.png 3x'><iframe src=frame></iframe>"
        "<map name=m><area href=area></map><form action=form></form><p style='background:url(4.png)'>t</p>",
        tuple(
            map("/more/".__add__, ("refreshed", "next", "1.png", "2.png", "3.png", "frame", "area", "form", "4.png"))
        ),
    ),
    ARTICLE: Page(
        "<!DOCTYPE html>\n<html lang=ru><head><meta charset=windows-1251><title>Лампы</title>"
        "<base href='/library/'></head><body><main><article><h1>Лампы</h1>\n"
        + "".join(
            f'<p>{_SENTENCE} {_SENTENCE} Смотрите <a href="{reference}">страницу {number}</a>. {_SENTENCE}</p>\n'
            for number, reference in enumerate(
                ("wick", "?q=масло", "find?oil=1&region=2", "glass/\nchimney", "//lamps.example/oil", "#notes"), 1
            )
        )
        + f"<p>{_SENTENCE} {_SENTENCE}</p></article></main></body></html>\n",
        (
            "/library/wick",
            "/library/?q=%EC%E0%F1%EB%EE",
            "/library/find?oil=1&region=2",
            "/library/glass/chimney",
            "http://lamps.example/oil",
            "/library/#notes",
        ),
        type_="text/html",
        encoding="windows-1251",
    ),
    "/json/page": Page('{"html": "<a href=\\"leaf\\">"}', html=False),
    "/png/page": Page(type_="text/html", raw=b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR<a href=leaf>", html=False),
    "/text/page": Page("<a href=leaf>", type_="text/plain", html=False),
    "/empty/page": Page(""),
    "/huge/page": Page(
        f"<!DOCTYPE html><a href='first'>f</a>{_PARAGRAPH * (_HUGE // len(_PARAGRAPH))}<a href='last'>l</a>",
        ("/huge/first", "/huge/last"),
    ),
}
#: Path that redirects -> the status, and the location as it is written.
REDIRECTS = {
    "/redirect/1": (302, "/redirect/2/?x=1"),
    "/redirect/2/?x=1": (301, "../3?y=2"),
    "/redirect/3?y=2": (307, "/redirected/deep/page?q=final"),
}
REDIRECTED = "/redirected/deep/page?q=final"
START = "/redirect/1"

_INDEX = "<!DOCTYPE html><title>index</title>" + "".join(
    f'<a href="{path}">{path}</a>\n' for path in [*PAGES, START] if path != REDIRECTED
)
PAGES["/"] = Page(_INDEX.replace("&", "&amp;"), tuple(path for path in [*PAGES, START] if path != REDIRECTED))
#: Everything that the site has: the targets of its pages are pages.
LEAVES = (
    {
        target.partition("#")[0].removesuffix("?")
        for entry in PAGES.values()
        for target in entry.targets
        if (target or "").startswith("/")
    }
    - PAGES.keys()
    - REDIRECTS.keys()
)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or each answer waits for an acknowledgement

    def do_GET(self):
        self.server.seen.append(self.path)
        path = self.path.replace("%5C", "\\").removesuffix("?")  # some clients write it so: the same to most servers
        if path in REDIRECTS:
            status, location = REDIRECTS[path]
            self.answer(status, b"<a href=leaf>moved</a>", [("Location", location), ("Content-Type", HTML)])
        elif path in PAGES:
            self.page(PAGES[path])
        elif path in LEAVES:
            self.answer(200, b"<!DOCTYPE html><title>leaf</title>", [("Content-Type", HTML)])
        else:
            self.answer(404, b"<!DOCTYPE html><title>not found</title>", [("Content-Type", HTML)])

    def page(self, entry):
        headers = [*entry.headers, *([("Content-Type", entry.type_)] if entry.type_ else [])]
        body = entry.body
        if entry.coding == "chunked":
            self.send_response(200)
            for name, value in [*headers, ("Transfer-Encoding", "chunked")]:
                self.send_header(name, value)
            self.end_headers()
            for start in range(0, len(body), 50):
                piece = body[start : start + 50]
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
            return
        if entry.coding:
            body = gzip.compress(body, mtime=0) if entry.coding == "gzip" else brotli.compress(body)
            headers.append(("Content-Encoding", entry.coding))
        self.answer(200, body, headers)

    def answer(self, status, body, headers):
        self.send_response(status)
        for name, value in [*headers, ("Content-Length", str(len(body)))]:
            self.send_header(name, value)
        self.end_headers()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.wfile.write(body)

    def log_message(self, *_):
        """Says nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seen = []


class Site:
    """`url`: without a final slash. `seen`: the targets of the requests that came, as they were sent."""

    def __init__(self, server):
        self.url = f"http://127.0.0.1:{server.server_port}"
        self.seen = server.seen


@contextlib.contextmanager
def serving():
    """The site, served by a thread while the block runs."""
    with _Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield Site(server)
        finally:
            server.shutdown()
            thread.join()
