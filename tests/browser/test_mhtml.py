"""A message, as Chromium saves pages or as others write it, is to Chromium the same before and after conversion."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from browser.chromium import Chromium, Message, Page, Request
from browser.web_server import Folder, ServedPage
from running import run

URL = "http://tree.test/"

#: What a reader has of one frame's document. A list, since a frame of a message is of an origin of its own.
FRAME = """(() => {
  const styles = [...document.querySelectorAll("*")].map((element) => getComputedStyle(element));
  return {
    base: document.baseURI,
    text: document.documentElement.innerText ?? "",
    links: [...document.links].map((link) => link.href),
    images: [...document.images].map((image) => [image.src, image.naturalWidth, image.naturalHeight]),
    vectors: [...document.querySelectorAll("image")].map((image) => image.getBBox().width),
    backgrounds: styles.map((style) => style.backgroundImage).filter((image) => image !== "none"),
    colors: styles.map((style) => style.color),
  };
})()"""


class FileTab(Page):
    """A tab that may read files, and reaches nothing else."""

    def _answer(self, request_id: str, request: Request) -> None:
        if not request.url.startswith("file:"):
            super()._answer(request_id, request)
            return
        self.requests.append(request)
        self._browser.post("Fetch.continueRequest", self._session, requestId=request_id)


class View(NamedTuple):
    """What a tab shows: each frame's document, the outermost first, and a picture of all."""

    frames: list[Message]
    picture: bytes

    def items(self, what: str) -> list[object]:
        """The items of all frames under a name in `FRAME`."""
        return [item for frame in self.frames for item in frame[what]]


def unpainted(shown: View) -> list[Message]:
    """All of the frames' documents but what style sheets load."""
    return [{name: value for name, value in frame.items() if name != "backgrounds"} for frame in shown.frames]


def frames(tree: Message) -> Iterator[str]:
    yield tree["frame"]["id"]
    for child in tree.get("childFrames", ()):
        yield from frames(child)


def view(page: Page) -> View:
    found = []
    for frame in frames(page.command("Page.getFrameTree")["frameTree"]):
        context = page.command("Page.createIsolatedWorld", frameId=frame)["executionContextId"]
        result = page.command("Runtime.evaluate", expression=FRAME, contextId=context, returnByValue=True)
        found.append(result["result"]["value"])
    picture = page.command("Page.captureScreenshot", captureBeyondViewport=True)["data"]
    return View(found, base64.b64decode(picture))


def view_file(browser: Chromium, path: Path) -> View:
    with FileTab(browser, {}, scripts=False) as page:
        page.load(path.as_uri())
        shown = view(page)
        assert [request.url for request in page.requests] == [path.as_uri()]
    return shown


def converted(path: Path, *options: str) -> tuple[Path, int]:
    """The converted copy of a message, and how many of its links were rewritten."""
    out = path.parent / "out"
    result = run("absolutize", str(path), "--output", str(out), "--format", "json", *options)
    assert result.exit_code == 0, result.stderr
    return out / path.name, json.loads(result.stdout)["totals"]["rewritten"]


def png(width: int, height: int, color: bytes) -> bytes:
    """A picture of one color (RGB)."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + color * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


RED, GREEN, BLUE, GREY = png(10, 11, b"\xf0\0\0"), png(12, 13, b"\0\xf0\0"), png(14, 15, b"\0\0\xf0"), png(16, 17, b"aaa")

CYRILLIC = """<!DOCTYPE html><meta charset="windows-1251"><title>Страница</title>
<p>Привет, мир <a href="поиск?q=ёлка#раздел">ссылка</a> <img src="../img/red.png" alt="красный">""".encode("cp1251")

SITE: dict[str, bytes] = {
    "img/red.png": RED,
    "img/green.png": GREEN,
    "img/blue.png": BLUE,
    "img/grey.png": GREY,
    "css/main.css": b"@import 'deep/more.css';\nbody { background: url(../img/grey.png) }\np { color: #123456 }\n",
    "css/deep/more.css": b"@import url(../last.css);\ndiv { background: url('../../img/blue.png'); height: 30px }\n",
    "css/last.css": b"a { color: #654321 }\n",
    "dir/page.html": """<!DOCTYPE html><html><head><meta charset="utf-8"><title>Page</title>
<link rel="stylesheet" href="../css/main.css"><style>h1 { background: url("../img/green.png") }</style></head><body>
<h1>Überschrift</h1><p>Text – “quoted” = 1&amp;2 <a href="other.html?q=a b&amp;r=ü#part">query</a> <a href="#here">here</a>
<a href="/">root</a> <a href="?only">q</a> <a href="//other.test/x">other</a> <a href="mailto:a@b.test">mail</a></p>
<div id="here" style="background-image: url(../img/red.png)">…</div>
<img src="../img/red.png" alt=""><img src="../img/green.png" srcset="../img/green.png 1x, ../img/blue.png 9x" alt=""><img src="gone.png" alt="">
<svg width="40" height="40"><image href="../img/blue.png" width="20" height="20"/><a href="svg.html"><text y="9">s</text></a></svg>
<iframe src="frames/based.html"></iframe>
<iframe srcdoc="<p>In srcdoc <a href='in.html?x#y'>in</a> <a href='#up'>up</a> <img src='../img/green.png'>"></iframe>
<iframe src="cyrillic.html"></iframe></body></html>""".encode(),
    "dir/frames/based.html": b"""<!DOCTYPE html><html><head><base href="/img/"><title>Based</title>
<style>p { background: url(red.png) }</style></head><body>
<p>Based <a href="relative.html#f">relative</a> <a href="#own">own</a></p><img src="blue.png" alt="">
<iframe src="/dir/frames/nested/inmost.html"></iframe></body></html>""",
    "dir/frames/nested/inmost.html": b"""<!DOCTYPE html><title>Inmost</title>
<style>p { background: url(../../../img/green.png) }</style><p>Inmost <a href="../up.html">up</a>
<img src="../../../img/grey.png" alt=""><iframe srcdoc="<style>a { background: url(../../../img/red.png) }</style>
<a href='deeper.html'>deeper</a>"></iframe>""",
    "dir/cyrillic.html": CYRILLIC,
    "dir/frameset.html": b"""<!DOCTYPE html><html><head><title>Frameset</title></head><frameset cols="1*,1*">
<frame src="cyrillic.html"><frame src="frames/based.html"></frameset></html>""",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    root = tmp_path_factory.mktemp("site")
    for name, data in SITE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return Folder(str(root), URL)


class TestSavedByChromium:
    @pytest.mark.parametrize("option", ["--keep-parts", "--no-keep-parts"])
    @pytest.mark.parametrize(("name", "count"), [("page", 6), ("frameset", 5), ("cyrillic", 1)])
    def test_shows_what_the_site_showed(  # noqa: PLR0913, PLR0917
        self, browser: Chromium, folder: Folder, tmp_path: Path, name: str, count: int, option: str
    ) -> None:
        with ServedPage(browser, folder, scripts=False) as page:
            page.load(f"{URL}dir/{name}.html")
            live = view(page)
            saved = tmp_path / "saved.mhtml"
            saved.write_bytes(page.command("Page.captureSnapshot", format="mhtml")["data"].encode("ascii"))
        before = view_file(browser, saved)
        after = view_file(browser, converted(saved, option)[0])
        assert len(before.frames) == count
        assert unpainted(after) == unpainted(before)
        # Chromium gives frames of a message no base; of what Blink leaves relative there, it paints nothing.
        assert after.items("backgrounds") == live.items("backgrounds")
        assert after.picture == live.picture
