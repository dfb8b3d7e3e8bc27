"""A message, as Chromium saves pages or as others write it, is to Chromium the same before and after conversion."""

from __future__ import annotations

import base64
import json
import quopri
import struct
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from support.browser.chromium import Chromium, Message, Page, Request
from support.browser.web_server import Folder, ServedPage
from support.running import run

pytestmark = pytest.mark.browser

URL = "http://tree.test/"
#: The number of equal pictures in a row that shows that a page is painted, and the maximum number of pictures.
SAME, MOST = 3, 100

#: A reader's view of one frame's document. A list, since a frame of a message has an origin of its own.
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
    """The view of a tab: each frame's document, the outermost first, and a picture of all."""

    frames: list[Message]
    picture: bytes

    def items(self, what: str) -> list[object]:
        """The items of all frames under a name in `FRAME`."""
        return [item for frame in self.frames for item in frame[what]]


def unpainted(shown: View) -> list[Message]:
    """All parts of the frames' documents except those that style sheets load."""
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
    return View(found, picture(page))


def picture(page: Page) -> bytes:
    """A picture of the page, once several in a row are the same: on a busy machine, frames are painted late."""
    taken: list[str] = []
    while len(taken) < SAME or len(set(taken[-SAME:])) > 1:
        assert len(taken) < MOST, "the page does not come to rest"
        taken.append(page.command("Page.captureScreenshot", captureBeyondViewport=True)["data"])
        time.sleep(0.05)
    return base64.b64decode(taken[-1])


def view_file(browser: Chromium, path: Path) -> View:
    with FileTab(browser, {}, scripts=False) as page:
        page.load(path.as_uri())
        shown = view(page)
        assert [request.url for request in page.requests] == [path.as_uri()]
    return shown


def converted(path: Path, *options: str) -> tuple[Path, int]:
    """The converted copy of a message, and the number of rewritten links."""
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


RED = png(10, 11, b"\xf0\0\0")
GREEN = png(12, 13, b"\0\xf0\0")
BLUE = png(14, 15, b"\0\0\xf0")
GREY = png(16, 17, b"aaa")

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
<h1>Überschrift</h1><p>Text – “quoted” = 1&amp;2 <a href="other.html?q=a b&amp;r=ü#part">query</a>
<a href="#here">here</a>
<a href="/">root</a> <a href="?only">q</a> <a href="//other.test/x">other</a> <a href="mailto:a@b.test">mail</a></p>
<div id="here" style="background-image: url(../img/red.png)">…</div>
<img src="../img/red.png" alt=""><img src="../img/green.png" srcset="../img/green.png 1x, ../img/blue.png 9x" alt="">
<img src="gone.png" alt="">
<svg width="40" height="40"><image href="../img/blue.png" width="20" height="20"/>
<a href="svg.html"><text y="9">s</text></a></svg>
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
    def test_looks_like_the_site(
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
        if option == "--keep-parts":
            assert after == before
        else:
            # Chromium gives frames of a message no base; it paints nothing that Blink leaves relative there.
            assert unpainted(after) == unpainted(before)
            assert after.items("backgrounds") == live.items("backgrounds")
            assert before.items("backgrounds") != live.items("backgrounds") or name == "cyrillic"


def message(subtype: str, *parts: bytes, boundary: str = "outer") -> bytes:
    heading = f'Content-Type: multipart/{subtype}; boundary="{boundary}"\r\n\r\n'.encode()
    delimiter = f"\r\n--{boundary}".encode()
    return heading + b"".join(delimiter + b"\r\n" + one for one in parts) + delimiter + b"--\r\n"


def part(kind: str, encoding: str, data: bytes, *fields: str) -> bytes:
    encoders = {"base64": base64.encodebytes, "quoted-printable": quopri.encodestring}
    lines = [f"Content-Type: {kind}", f"Content-Transfer-Encoding: {encoding}", *fields, "", ""]
    body = encoders.get(encoding, bytes)(data).replace(b"\n", b"\r\n")
    return "\r\n".join(lines).encode() + body


def written(kind: str, encoding: str) -> bytes:
    """A page with relative references, some of them to parts; two frames, a style sheet, pictures by cid:."""
    page = """<!DOCTYPE html><html><head><meta charset="windows-1251"><title>Страница</title>
<link rel="stylesheet" href="../css/main.css"></head><body><p>Привет = мир <a href="x.html?q=ё&amp;r#f">x</a>
<a href=../up.html>up</a> <a href="?q">q</a> <a href="#own">own</a> <a href="//other.test">other</a></p>
<img src="../img/red.png" alt=""><img src="cid:green@tree" alt=""><img src="relative.png" alt="">
<img src="not-there.png" alt=""><div style="background: url(../img/blue.png); height: 9px"></div>
<iframe src="cid:frame@tree"></iframe><iframe src="based.html"></iframe></body></html>"""
    frame = b'<!DOCTYPE html><p>Frame <a href="in-frame.html">in</a> <img src="../../img/red.png" alt="">'
    based = b'<!DOCTYPE html><base href="../img/"><p>Based <a href="x.html">x</a> <img src="red.png" alt="">'
    sheet = b"p { color: #123456; background: url(../img/grey.png) }\nbody { background: url(../img/gone.png) }\n"
    # Chromium reads 8bit as Latin-1, whatever the charset: there, it sends other bytes in a query.
    data = page.replace("ё", "e" if encoding == "8bit" else "ё").encode("cp1251")
    parts = [
        part("text/html; charset=windows-1251", encoding, data, f"Content-Location: {URL}dir/page.html"),
        part("text/css", encoding, sheet, f"Content-Location: {URL}css/main.css"),
        part("text/html", encoding, frame, "Content-ID: <frame@tree>", f"Content-Location: {URL}a/b/frame.html"),
        part("text/html", encoding, based, f"Content-Location: {URL}dir/based.html"),
        part("image/png", "base64", RED, f"Content-Location: {URL}img/red.png"),
        part("image/png", "base64", GREEN, "Content-ID: <green@tree>"),
        part("image/png", "base64", BLUE, f"Content-Location: {URL}img/blue.png"),
        part("image/png", "base64", GREY, f"Content-Location: {URL}img/grey.png"),
        part("image/png", "base64", RED, "Content-Location: relative.png"),
    ]
    heading = b"From: <Saved by hand>\r\nMIME-Version: 1.0\r\n"
    if kind == "alternative":  # Chromium shows the first; it ignores a related in a related
        parts[0] = message("alternative", parts[0], part("text/plain", "7bit", b"Plain"), boundary="inner")
    return heading + message("related", *parts)


@pytest.mark.parametrize("option", ["--keep-parts", "--no-keep-parts"])
@pytest.mark.parametrize("encoding", ["quoted-printable", "base64", "8bit"])
@pytest.mark.parametrize("kind", ["flat", "alternative"])
def test_messages_of_other_writers(browser: Chromium, tmp_path: Path, kind: str, encoding: str, option: str) -> None:
    source = tmp_path / "written.mhtml"
    source.write_bytes(written(kind, encoding))
    made, rewritten = converted(source, option)
    before, after = view_file(browser, source), view_file(browser, made)
    assert rewritten >= 7
    assert made.read_bytes() != source.read_bytes()
    assert before.items("images").count([f"{URL}img/red.png", 10, 11]) == 2
    assert f"{URL}up.html" in before.items("links")
    # A frame by cid: has no base in Chromium, which does not resolve relative references there; it is the second.
    assert before.frames[1]["links"] == ["in-frame.html"]
    assert after.frames[1]["links"] == [f"{URL}a/b/in-frame.html"]
    assert after.frames[1]["text"] == before.frames[1]["text"]
    assert [after.frames[0], after.frames[2]] == [before.frames[0], before.frames[2]]
    if option == "--keep-parts":
        assert after.frames[1]["images"] == before.frames[1]["images"]
        assert after.picture == before.picture
    else:
        assert after.frames[1]["images"] == [[f"{URL}img/red.png", 10, 11]]
