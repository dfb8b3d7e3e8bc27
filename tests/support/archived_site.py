"""A small site with all that makes archives hard to read offline, and the programs that archive or mirror it.

`PYTHONPATH=tests python -m support.archived_site FOLDER` writes what each installed program makes of it to a folder.
Debian has the packages wget, wget2, httrack and pandoc; npm has single-file-cli, and PyPI wacz and warcio.
"""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote

from support.browser.engines import require_chromium
from support.small_font import small_font

import linkfix

__all__ = ["ARCHIVES", "MIRRORS", "PAGES", "Missing", "archive", "mirror", "saved_page", "served", "write_site"]


#: Writes an archive of the site at a URL to a path; some need a browser of Playwright.
Maker = Callable[[str, Path, Any], None]


class Missing(Exception):
    """Raised if a program is not installed; the message says which."""


def _png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0" * (width + 1) * height))
        + chunk(b"IEND", b"")
    )


_HTML, _CSS, _PNG, _SVG = "text/html; charset=utf-8", "text/css", "image/png", "image/svg+xml"

#: The paths of the pages, with their queries.
PAGES = (
    "/",
    "/images.html",
    "/frames.html",
    "/base/page",
    "/forms.php?q=1&r=/x",
    "/legacy.html",
    "/with%20space/a%20page.html",
    "/list?page=2",
)

_LINKS = "".join(f'<a href="{path.replace("&", "&amp;")}">{number}</a> ' for number, path in enumerate(PAGES))
_HEAD = (
    '<!DOCTYPE html><html lang="en"><head><title>{0}</title><link rel="stylesheet" href="/css/main.css?v=1"></head>'
    "<body><h1>{0}</h1>"
)

_FILES: dict[str, tuple[str, bytes]] = {
    "/": (
        _HTML,
        (
            _HEAD.format("Home") + _LINKS + '<p class="lead">Home</p><img src="img/1.png" alt="">'
            '<a href="/old">moved</a> <a href="#end">end</a> <a href="/list?page=2#x">list</a>'
            '<a href="https://elsewhere.example/">elsewhere</a><h2 id="end">end</h2>'
        ).encode(),
    ),
    "/images.html": (
        _HTML,
        (
            _HEAD.format("Images")
            + _LINKS
            + '<img src="img/1.png" srcset="img/1.png 1x, img/2.png 2x"><img src="/img/query.php?size=3&amp;a=b">'
            '<picture><source srcset="img/4.png" type="image/png"><img src="img/5.png"></picture>'
            '<svg width="9" height="9"><image href="/img/6.png" width="9" height="9"/></svg><img src="/img/drawing">'
            '<p style="background: url(img/7.png)">seven</p>'
            "<p style=\"background-image: image-set('img/8.png' 1x)\">eight</p>"
            '<table background="img/9.png"><tr><td>nine</table>'
        ).encode(),
    ),
    "/frames.html": (
        _HTML,
        (
            _HEAD.format("Frames")
            + _LINKS
            + '<iframe src="/list?page=2"></iframe><iframe srcdoc="&lt;img src=/img/10.png&gt;"></iframe>'
            '<object data="/frame.html" type="text/html"></object>'
        ).encode(),
    ),
    "/frame.html": (
        _HTML,
        b'<!DOCTYPE html><title>Frame</title><img src="img/11.png"><a href="/" target=_top>home</a>',
    ),
    "/base/page": (
        _HTML,
        (
            '<!DOCTYPE html><base href="/img/">'
            + _HEAD.format("Base").removeprefix("<!DOCTYPE html>")
            + _LINKS
            + '<img src="12.png"><a href="../images.html">images</a>'
        ).encode(),
    ),
    "/forms.php?q=1&r=/x": (
        _HTML,
        (
            _HEAD.format("Forms")
            + _LINKS
            + '<form action="/send" method="post"><input type="image" src="img/13.png"></form>'
            '<form action="list"></form>'
        ).encode(),
    ),
    "/legacy.html": (
        "text/html; charset=windows-1251",
        (
            _HEAD.format("Старая")
            + _LINKS
            + '<p>Страница</p><link rel="stylesheet" href="/css/legacy.css"><img src="img/14.png">'
        ).encode("windows-1251"),
    ),
    "/css/legacy.css": ("text/css; charset=windows-1251", 'p::after { content: "Ж" }'.encode("windows-1251")),
    "/with%20space/a%20page.html": (
        _HTML,
        (_HEAD.format("Space") + _LINKS + '<img src="pic ture.png"><img src="../img/&#xfc;.png">').encode(),
    ),
    "/list?page=2": (
        _HTML,
        (
            _HEAD.format("List") + _LINKS + '<p id="x">list</p><img src="img/15.png" integrity="sha256-x">'
            '<link rel="stylesheet" href="css/more.css" crossorigin>'
        ).encode(),
    ),
    "/css/main.css?v=1": (
        _CSS,
        (
            b'@import "imported.css"; @font-face { font-family: f; src: url(../font) }'
            b"p.lead { font-family: f; color: rgb(1, 2, 3); background: url(../img/16.png) } a { color: rgb(9, 9, 9) }"
        ),
    ),
    "/css/imported.css": (_CSS, b'@import url("deep.css?a=b"); body { margin: 7px; background: url("../img/17.png") }'),
    "/css/deep.css?a=b": (_CSS, b"p { padding: 3px; text-indent: 5px }"),
    "/css/more.css": (_CSS, b"#x { letter-spacing: 4px }"),
    "/font": ("font/ttf", small_font()),
    "/img/drawing": (
        _SVG,
        b'<svg xmlns="http://www.w3.org/2000/svg" width="30" height="31"><rect width="5" height="5"/></svg>',
    ),
    "/img/query.php?size=3&a=b": (_PNG, _png(3, 5)),
    "/with%20space/pic%20ture.png": (_PNG, _png(40, 41)),
    "/img/%C3%BC.png": (_PNG, _png(42, 43)),
    **{f"/img/{number}.png": (_PNG, _png(number, number + 2)) for number in range(1, 18)},
}

#: Redirects.
_MOVED = {"/old": "/older", "/older": "/list?page=2"}


class _Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = re.sub("%[0-9a-f]{2}", lambda escape: escape[0].upper(), self.path)
        type_, body = _FILES.get(path, ("text/plain", b"missing"))
        self.send_response(302 if path in _MOVED else 200 if path in _FILES else 404)
        if path in _MOVED:
            self.send_header("Location", _MOVED[path])
        self.send_header("Content-Type", type_)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing is printed."""


def write_site(root: Path) -> None:
    """Write the files of the site whose URLs have no query to a folder."""
    for path, (_, body) in _FILES.items():
        if "?" not in path:
            file = root / unquote(path.removeprefix("/") or "index.html")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(body)


@contextmanager
def served() -> Iterator[str]:
    """Serve the site; yields its URL, without a final slash."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Site) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        message = f"{name} is not installed"
        raise Missing(message)
    return found


def _mhtml(path_: str) -> Maker:
    """A page, by Chromium's "Save as"."""

    def make(url: str, path: Path, browser: Any) -> None:
        page = browser.new_page()
        page.goto(url + path_)
        page.wait_for_load_state("networkidle")
        snapshot = page.context.new_cdp_session(page).send("Page.captureSnapshot", {"format": "mhtml"})
        path.write_bytes(snapshot["data"].encode())
        page.close()

    return make


#: SingleFile's options that drop what a page does not show.
_DROPPED = (
    "remove-unused-styles",
    "remove-unused-fonts",
    "remove-hidden-elements",
    "remove-alternative-images",
    "block-alternative-images",
    "compress-HTML",
)


def _single_file(path_: str, *options: str) -> Maker:
    """A page with all that it has, by SingleFile with Chromium."""

    def make(url: str, path: Path, _browser: Any) -> None:
        kept = [f"--{what}=false" for what in _DROPPED]
        chromium = [f"--browser-executable-path={require_chromium()}", '--browser-args=["--no-sandbox"]']
        command = [_program("single-file"), url + path_, str(path), *chromium, *kept, *options]
        for _ in range(2):  # on a busy machine it may end without a file, and without an error
            ended = subprocess.run(command, check=True, capture_output=True, timeout=120)
            if path.exists():
                return
        raise RuntimeError(ended.stderr.decode("utf-8", "replace"))

    return make


def _epub(url: str, path: Path, _browser: Any) -> None:
    """The pages as chapters, by pandoc, which fetches the pictures.

    Their links are made absolute before, since pandoc keeps them. It would insert frames with their relative links.
    """
    program = _program("pandoc")
    chapters = []
    for number, name in enumerate(name for name in PAGES if name != "/frames.html"):
        chapter = path.with_name(f"{path.stem}-{number}.html")
        media_type, body = _FILES[name]
        text = body.decode(media_type.partition("charset=")[2])
        chapter.write_text(linkfix.absolutize(text, url + name), "utf-8")
        chapters.append(str(chapter))
    options = ["--from=html", "--to=epub3", "--metadata=title:Site", "--metadata=lang:en"]
    subprocess.run([program, *options, *chapters, "-o", str(path)], check=True, capture_output=True, timeout=120)


def _har(url: str, path: Path, browser: Any) -> None:
    """All pages, by Playwright's recorder."""
    context = browser.new_context(record_har_path=path, record_har_content="embed")
    page = context.new_page()
    for name in (*PAGES, "/old"):
        page.goto(url + name)
        page.wait_for_load_state("networkidle")
    context.close()


def _wget(url: str, path: Path, _browser: Any) -> None:
    """The site, by wget's crawl."""
    name = path.name.removesuffix(".warc.gz")
    command = [_program("wget"), "-q", "-r", "-p", "-l", "inf", "-e", "robots=off", f"--warc-file={name}", url + "/"]
    folder = path.parent / f"{name}-wget"
    folder.mkdir(exist_ok=True)
    subprocess.run(command, cwd=folder, check=False, capture_output=True)  # it fails for a missing file
    shutil.move(folder / path.name, path)


_CAPTURE = """
import sys
from warcio.capture_http import capture_http
import requests
with capture_http(sys.argv[1]):
    for url in sys.argv[2:]:
        requests.get(url, timeout=10, allow_redirects=False)
"""


def _warcio(url: str, path: Path, _browser: Any) -> None:
    """The site, by requests under warcio's recorder, which is imported before http.client: in a process of its own."""
    missing = [name for name in ("warcio", "requests") if find_spec(name) is None]
    if missing:
        raise Missing(" ".join(missing))
    urls = [url + name for name in (*_FILES, *_MOVED)]
    subprocess.run([sys.executable, "-c", _CAPTURE, str(path), *urls], check=True, timeout=120)


def _wacz(url: str, path: Path, browser: Any) -> None:
    """The site, by wget and py-wacz."""
    program = _program("wacz")
    source = path.with_name("for-wacz.warc.gz")
    _wget(url, source, browser)
    subprocess.run([program, "create", "-f", str(source), "-o", str(path)], check=True, capture_output=True)


def _wget2(url: str, folder: Path) -> None:
    options = ["-q", "-r", "-p", "-l", "inf", "-E", "--robots=off"]
    subprocess.run([_program("wget2"), *options, url + "/"], cwd=folder, check=False, timeout=120)  # as wget
    # wget2 names the folder of a host without its port.
    (folder / "127.0.0.1").rename(folder / url.removeprefix("http://").replace(":", "+"))


def _httrack(url: str, folder: Path) -> None:
    options = ["-q", "-s0", "-O", str(folder)]
    subprocess.run([_program("httrack"), url + "/", *options], check=True, capture_output=True, timeout=120)


_ZIP = ("--compress-content", "--self-extracting-archive=false")

#: The archives, each with the function that makes it and the paths of the pages in it; a book has none.
ARCHIVES: dict[str, tuple[Maker, tuple[str, ...]]] = {
    "chromium.mhtml": (_mhtml("/images.html"), ("/images.html",)),
    "frames.mhtml": (_mhtml("/frames.html"), ("/frames.html",)),
    "playwright.har": (_har, PAGES),
    "wget.warc.gz": (_wget, PAGES),
    "warcio.warc.gz": (_warcio, PAGES),
    "wget.wacz": (_wacz, PAGES),
    "single-file.zip": (_single_file("/images.html", *_ZIP), ("/images.html",)),
    "single-file.zip.html": (_single_file("/", "--compress-content"), ("/",)),
    "pandoc.epub": (_epub, ()),
}

#: The programs that mirror a site in a folder, each with what does so.
MIRRORS: dict[str, Callable[[str, Path], None]] = {"wget2": _wget2, "httrack": _httrack}


def archive(name: str, url: str, folder: Path, browser: Any) -> Path:
    """Make an archive of the site at `url` with a name of `ARCHIVES`. Raises `Missing`."""
    path = folder / name
    ARCHIVES[name][0](url, path, browser)
    return path


def mirror(name: str, url: str, folder: Path) -> Path:
    """Make a mirror of the site at `url` with a name of `MIRRORS`. Raises `Missing`."""
    path = folder / name
    path.mkdir()
    MIRRORS[name](url, path)
    return path


def saved_page(url: str, path: Path) -> None:
    """Save the page at `url` to one HTML file, by SingleFile. Raises `Missing`."""
    _single_file("")(url, path, None)


def _main() -> None:
    from playwright.sync_api import sync_playwright

    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with (
        served() as url,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=require_chromium()) as browser,
    ):
        makers = {name: lambda name=name: archive(name, url, folder, browser) for name in ARCHIVES}
        makers |= {name: lambda name=name: mirror(name, url, folder) for name in MIRRORS}
        for name, make in makers.items():
            try:
                sys.stdout.write(f"{make()}\n")
            except Missing as reason:
                sys.stdout.write(f"{name}: {reason}\n")


if __name__ == "__main__":
    _main()
