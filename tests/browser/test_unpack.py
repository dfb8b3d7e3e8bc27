"""Archives that real programs make of a site are read from files in Chromium, without a network, after unpacking."""

from __future__ import annotations

import csv
import re
import struct
from pathlib import Path
from urllib.parse import unquote

import pytest
from support.archived_site import ARCHIVES, PAGES, Missing, archive, served
from support.browser.engines import require_chromium
from support.extras import missing
from support.running import run

pytest.importorskip("playwright", reason=missing("playwright"))

from playwright.sync_api import sync_playwright

pytestmark = pytest.mark.browser

#: A reader's view of a page: the properties that the site's style sheets set, its text, pictures and links.
VIEW = """async () => {
  const elements = [...document.querySelectorAll("body *")].filter((one) => !one.matches("iframe, object"));
  const style = (one, pseudo) => {
    const all = getComputedStyle(one, pseudo);
    const names = ["color", "fontFamily", "margin", "padding", "textIndent", "letterSpacing", "content"];
    return names.map((name) => all[name]).join("|");
  };
  const images = elements.filter((one) => one.matches("img, input[type=image]"));
  const pictures = images.map((one) => one.currentSrc || one.src);
  const backgrounds = [document.body, ...elements].flatMap((one) =>
    [...getComputedStyle(one).backgroundImage.matchAll(/url\\("([^"]*)"\\)/g)].map((found) => found[1]));
  const references = elements.filter((one) => one.matches("image")).map((one) => one.href.baseVal);
  const drawn = references.map((one) => new URL(one, document.baseURI).href);
  const sizes = {};
  for (const url of new Set([...pictures, ...backgrounds, ...drawn])) {
    const image = new Image();
    image.src = url;
    await image.decode().catch(() => {});
    sizes[url] = [image.naturalWidth, image.naturalHeight];
  }
  return {
    styles: [document.body, ...elements].map((one) => style(one) + style(one, "::after")),
    shown: elements.filter((one) => one.matches("img")).map((one) => [one.currentSrc, one.naturalWidth]),
    sizes,
    text: document.body.innerText,
    links: [...document.links].map((link) => link.href),
  };
}"""


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=require_chromium()) as started:
        yield started


@pytest.fixture(scope="module")
def site():
    with served() as url:
        yield url


def views(browser, urls):
    """The views of pages, and the URLs that were requested of other than files and data: URLs."""
    context = browser.new_context()
    requested = []

    def answer(route):
        if route.request.url.startswith("file:"):
            route.continue_()
        else:
            requested.append(route.request.url)
            route.abort()

    if urls[0].startswith("file:"):
        context.route("**/*", answer)
    found = []
    page = context.new_page()
    for url in urls:
        page.goto(url)
        page.wait_for_load_state("load")
        found.append([frame.evaluate(VIEW) for frame in page.frames])
    context.close()
    return found, requested


@pytest.fixture(scope="module")
def online(browser, site):
    """The views of the served pages, by their paths."""
    found, _ = views(browser, [site + path for path in PAGES])
    return dict(zip(PAGES, found, strict=True))


def made(name, site, folder, browser):
    try:
        return archive(name, site, folder, browser)
    except Missing as reason:
        pytest.skip(str(reason))


def picture_size(path):
    """The width and height of a PNG; None for another file."""
    head = path.read_bytes()[:24]
    return list(struct.unpack(">2I", head[16:24])) if head.startswith(b"\x89PNG") else None


def rows(folder):
    with (folder / "manifest.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def path_of(url):
    return Path(unquote(url.removeprefix("file://").partition("#")[0]))


@pytest.mark.parametrize("name", ARCHIVES)
def test_pages_are_read_without_a_network(browser, site, online, tmp_path, name):
    out = tmp_path / "out"
    assert run("unpack", made(name, site, tmp_path, browser), "--output", out).exit_code == 0
    captured = {row["url"]: out / row["path"] for row in rows(out) if row["url"]}
    pages = [path for path in ARCHIVES[name][1] if site + path in captured]
    assert pages == list(ARCHIVES[name][1])
    found, requested = views(browser, [captured[site + path].as_uri() for path in pages])
    assert captured.keys().isdisjoint(requested)
    decoded = set()
    for path, frames in zip(pages, found, strict=True):
        assert len(frames) == len(online[path])
        for frame, other in zip(frames, online[path], strict=True):
            assert frame["styles"] == other["styles"], path
            assert frame["text"] == other["text"], path
            for url, size in frame["sizes"].items():
                if url.startswith("file:"):
                    assert size == (picture_size(path_of(url)) or [30, 31]), url
                    decoded.add(path_of(url))
                else:
                    assert url not in captured
            for source, width in frame["shown"]:
                assert width or not source.startswith("file:"), source
            for link in frame["links"]:
                if link.startswith("file:"):
                    assert path_of(link).is_file(), link
                else:
                    assert link.partition("#")[0] not in captured, link
    pictures = {out / row["path"] for row in rows(out) if row["media_type"].startswith("image/")}
    # Of a srcset or picture, only one is shown.
    assert {path.name for path in pictures - decoded} <= {"2.png", "3.png", "5.png"}


@pytest.mark.parametrize("name", ARCHIVES)
def test_the_index_leads_to_all_pages(browser, site, tmp_path, name):
    out = tmp_path / "out"
    run("unpack", made(name, site, tmp_path, browser), "--output", out)
    [[view]], requested = views(browser, [(out / "index.html").as_uri()])
    assert requested == []
    pages = {
        (out / row["path"]) for row in rows(out) if row["media_type"] == "text/html" and row["path"] != "index.html"
    }
    assert {path_of(link) for link in view["links"]} == pages
    assert all(path.is_file() for path in pages)


@pytest.mark.parametrize("name", ARCHIVES)
def test_a_single_file_has_all_that_the_page_shows(browser, site, online, tmp_path, name):
    source = made(name, site, tmp_path, browser)
    path = ARCHIVES[name][1][min(1, len(ARCHIVES[name][1]) - 1)]
    out = tmp_path / "single.html"
    assert run("unpack", source, "--single-file", "--page", site + path, "--output", out).exit_code == 0
    folder = tmp_path / "out"
    run("unpack", source, "--output", folder)
    captured = {row["url"] for row in rows(folder)}
    [frames], requested = views(browser, [out.as_uri()])
    assert captured.isdisjoint(requested)
    for frame, other in zip(frames, online[path], strict=True):
        assert frame["styles"] == other["styles"]
        assert frame["text"] == other["text"]
        assert all(size != [0, 0] for url, size in frame["sizes"].items() if url.startswith("data:"))
        embedded = [size for url, size in frame["sizes"].items() if url.startswith("data:")]
        wanted = [size for url, size in other["sizes"].items() if url in captured]
        # Of a srcset's data: URLs, Chromium takes the largest, since it has them all.
        assert [size for size in wanted if size not in embedded] in [[], [[1, 3]]]
    assert not re.search(rb'(?:src|href)="?(?!data:|http|#)[a-z/.]', out.read_bytes())
