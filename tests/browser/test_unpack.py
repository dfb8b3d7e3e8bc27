"""Chromium reads from files, without a network, a site that real programs saved: archives after `linkfix unpack`, and
mirrors after `linkfix absolutize` and `linkfix relativize`.
"""

from __future__ import annotations

import csv
import json
import re
import struct
from pathlib import Path
from urllib.parse import unquote

import pytest
from support.archived_site import ARCHIVES, MIRRORS, PAGES, Missing, archive, mirror, saved_page, served
from support.browser.engines import require_chromium
from support.extras import missing
from support.running import run

pytest.importorskip("playwright", reason=missing("playwright"))

from playwright.sync_api import sync_playwright

pytestmark = pytest.mark.browser

#: The archives of pages of the site, as it has them.
PAGES_OF = {name: pages for name, (_, pages) in ARCHIVES.items() if pages}

#: Losses in mirrors: pages that are not there, pages that are damaged, and pictures that browsers do not read.
#:
#: wget2 reads no character references in URLs, its name base/page.html does not tell the URL /base/page, and it gives
#: drawings no suffix. HTTrack takes the quote after a srcdoc for a part of the URL in it, and leaves a BASE
#: that does not fit the relative links that it writes.
LOST: dict[str, tuple[list[str], set[str], set[str]]] = {
    "wget2": (["/base/page", "/forms.php?q=1&r=/x"], set(), {"drawing"}),
    "httrack": ([], {"/frames.html", "/base/page"}, set()),
}

#: A reader's view of a page: the properties that the site's style sheets set, its text, fonts, pictures and links.
VIEW = """async () => {
  await document.fonts.ready;
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
    fonts: [...document.fonts].map((font) => `${font.family} ${font.status}`),
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


def offline(browser):
    """A context of the browser that has files alone, and the list of all other URLs that it requests."""
    context = browser.new_context()
    requested = []

    def answer(route):
        if route.request.url.startswith("file:"):
            route.continue_()
        else:
            requested.append(route.request.url)
            route.abort()

    context.route("**/*", answer)
    return context, requested


def views(context, urls):
    """The views of pages."""
    page = context.new_page()
    for url in urls:
        page.goto(url)
        page.wait_for_load_state("load")
        yield [frame.evaluate(VIEW) for frame in page.frames]
    page.close()


def place(url):
    """A URL without its fragment and its percent-encoding, to compare the places of documents."""
    return unquote(url.partition("#")[0])


def clicked(context, urls, prefix):
    """The links of each page in their order, each with the heading of the page that a click on it leads to.

    Links that do not start with `prefix` are not clicked, and have no heading. A click goes on where the last one led
    to, if that page has links left.
    """
    page = context.new_page()
    links, left = {}, {}
    for url in urls:
        page.goto(url, wait_until="domcontentloaded")
        links[url] = [[link, None] for link in page.evaluate("[...document.links].map((link) => link.href)")]
        left[place(url)] = [(number, link) for number, link in enumerate(links[url]) if link[0].startswith(prefix)]
    for url in urls:
        while left[place(url)]:
            if not left.get(place(page.url)):
                page.goto(url, wait_until="domcontentloaded")
            number, link = left[place(page.url)].pop()
            with page.expect_navigation(wait_until="domcontentloaded"):
                page.evaluate("(number) => document.links[number].click()", number)
            link[1] = page.evaluate("document.querySelector('h1')?.innerText")
    page.close()
    return list(links.values())


@pytest.fixture(scope="module")
def online(browser, site):
    """The views of the served pages, by their paths."""
    context = browser.new_context()
    found = dict(zip(PAGES, views(context, [site + path for path in PAGES]), strict=True))
    context.close()
    assert found["/"][0]["fonts"] == ["f loaded"]
    return found


@pytest.fixture(scope="module")
def online_links(browser, site):
    """The links of the served pages, by their paths, with the headings of the pages that they lead to."""
    context = browser.new_context()
    found = dict(zip(PAGES, clicked(context, [site + path for path in PAGES], site), strict=True))
    context.close()
    assert [heading for _, heading in found["/"]].count(None) == 1  # the link to another site
    return found


@pytest.fixture(scope="module")
def made(browser, site, tmp_path_factory):
    """Makes an archive or a mirror, once for all tests, or skips the test."""
    folder = tmp_path_factory.mktemp("made")

    def make(name):
        if (folder / name).exists():
            return folder / name
        try:
            return mirror(name, site, folder) if name in MIRRORS else archive(name, site, folder, browser)
        except Missing as reason:
            pytest.skip(str(reason))

    return make


def picture_size(path):
    """The width and height of a PNG; None for another file."""
    head = path.read_bytes()[:24]
    return list(struct.unpack(">2I", head[16:24])) if head.startswith(b"\x89PNG") else None


def rows(folder):
    with (folder / "manifest.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def path_of(url):
    return Path(unquote(url.removeprefix("file://").partition("#")[0]))


def same_page(frames, other, captured, unnamed=frozenset()):
    """Assert that the frames of a page look as those of the served page, and return the pictures that are files.

    `captured`: the URLs that were captured. `unnamed`: names of pictures that browsers do not read.
    """
    decoded = set()
    for frame, original in zip(frames, other, strict=True):
        assert frame["styles"] == original["styles"]
        assert frame["text"] == original["text"]
        assert frame["fonts"] == original["fonts"]
        for url, size in frame["sizes"].items():
            if not url.startswith("file:"):
                assert url not in captured
            elif path_of(url).name not in unnamed:
                assert size == (picture_size(path_of(url)) or [30, 31]), url
                decoded.add(path_of(url))
        for source, width in frame["shown"]:
            assert width or not source.startswith("file:") or path_of(source).name in unnamed, source
    return decoded


def same_links(links, other, captured):
    """Assert that links to files lead to the pages of the original links, and all others are the original ones."""
    for (link, heading), (original, wanted) in zip(links, other, strict=True):
        if link.startswith("file:"):
            assert path_of(link).is_file(), link
            assert heading == wanted, link
        else:
            assert link == original
            assert link.partition("#")[0] not in captured, link


@pytest.mark.parametrize("name", PAGES_OF)
def test_pages_are_read_without_a_network(browser, site, online, made, tmp_path, name):
    out = tmp_path / "out"
    assert run("unpack", made(name), "--output", out).exit_code == 0
    captured = {row["url"]: out / row["path"] for row in rows(out) if row["url"]}
    pages = [captured[site + path].as_uri() for path in PAGES_OF[name]]
    context, requested = offline(browser)
    decoded = set()
    for path, frames in zip(PAGES_OF[name], views(context, pages), strict=True):
        decoded |= same_page(frames, online[path], captured)
    context.close()
    assert captured.keys().isdisjoint(requested)
    pictures = {out / row["path"] for row in rows(out) if row["media_type"].startswith("image/")}
    # Of a srcset or picture, only one is shown; a page without p.lead does not show its background.
    sizes = {tuple(picture_size(path)) for path in pictures - decoded}
    assert sizes - {tuple(picture_size(path) or ()) for path in decoded} <= {(2, 4), (5, 7), (16, 18)}


@pytest.mark.slow  # seventy clicks
@pytest.mark.parametrize("name", PAGES_OF)
def test_links_lead_to_their_pages_without_a_network(browser, site, online_links, made, tmp_path, name):
    out = tmp_path / "out"
    run("unpack", made(name), "--output", out)
    captured = {row["url"]: out / row["path"] for row in rows(out) if row["url"]}
    pages = [captured[site + path].as_uri() for path in PAGES_OF[name]]
    context, _ = offline(browser)
    found = clicked(context, pages, "file:")
    context.close()
    for path, links in zip(PAGES_OF[name], found, strict=True):
        same_links(links, online_links[path], captured)


@pytest.mark.parametrize("name", ARCHIVES)
def test_the_index_leads_to_all_pages(browser, made, tmp_path, name):
    out = tmp_path / "out"
    run("unpack", made(name), "--output", out)
    manifest = rows(out)
    [index] = [row["path"] for row in manifest if row["path"].startswith("index") and not row["url"]]
    context, requested = offline(browser)
    [[view]] = views(context, [(out / index).as_uri()])
    context.close()
    assert requested == []
    types = {"text/html", "application/xhtml+xml"}
    pages = {out / row["path"] for row in manifest if row["media_type"] in types and row["path"] != index}
    assert {path_of(link) for link in view["links"]} == pages
    assert all(path.is_file() for path in pages)


@pytest.mark.parametrize("name", PAGES_OF)
def test_a_single_file_has_all_that_the_page_shows(browser, site, online, made, tmp_path, name):
    source = made(name)
    path = PAGES_OF[name][min(1, len(PAGES_OF[name]) - 1)]
    out = tmp_path / "single.html"
    assert run("unpack", source, "--single-file", "--page", site + path, "--output", out).exit_code == 0
    folder = tmp_path / "out"
    run("unpack", source, "--output", folder)
    captured = {row["url"] for row in rows(folder)}
    context, requested = offline(browser)
    [frames] = views(context, [out.as_uri()])
    context.close()
    assert captured.isdisjoint(requested)
    for frame, other in zip(frames, online[path], strict=True):
        assert frame["styles"] == other["styles"]
        assert frame["text"] == other["text"]
        assert frame["fonts"] == other["fonts"]
        assert all(size != [0, 0] for url, size in frame["sizes"].items() if url.startswith("data:"))
        embedded = [size for url, size in frame["sizes"].items() if url.startswith("data:")]
        wanted = [size for url, size in other["sizes"].items() if url in captured]
        # Of a srcset's data: URLs, Chromium takes the largest, since it has them all.
        assert [size for size in wanted if size not in embedded] in [[], [[1, 3]]]
    assert not re.search(rb'(?:src|href)="?(?!data:|http|#)[a-z/.]', out.read_bytes())


def test_a_book_is_read_without_a_network(browser, site, made, tmp_path):
    """pandoc changes pages, so the chapters are compared with the book, and not with the site."""
    out = tmp_path / "out"
    assert run("unpack", made("pandoc.epub"), "--output", out).exit_code == 0
    manifest = rows(out)
    chapters = [out / row["path"] for row in manifest if "/text/ch" in row["path"]]
    assert len(chapters) == len(PAGES) - 1
    context, requested = offline(browser)
    decoded = set()
    pages = [chapter.as_uri() for chapter in chapters]
    for [view] in views(context, pages):
        for url, size in view["sizes"].items():
            # pandoc makes files of drawings in pages, and leaves out the namespace without which they are none.
            if url.startswith("file:") and b"<svg width" not in path_of(url).read_bytes():
                assert size == (picture_size(path_of(url)) or [30, 31]), url
                decoded.add(path_of(url))
    links = [link for links in clicked(context, pages, "file:") for link in links]
    context.close()
    inside = [(path_of(link), heading) for link, heading in links if link.startswith("file:")]
    assert inside == [(chapters[0], "Home")]
    assert all(link.startswith((site, "https://elsewhere.example/", "file:")) for link, _ in links)
    pictures = {out / row["path"] for row in manifest if row["media_type"].startswith("image/")}
    assert [path.suffix for path in pictures - decoded] == [".svg"]
    assert all(url.startswith(site) for url in requested)  # of a srcset, which pandoc does not capture


@pytest.mark.slow  # the programs crawl for seconds
@pytest.mark.parametrize("name", MIRRORS)
def test_a_mirror_is_read_without_a_network(browser, site, online, online_links, made, tmp_path, name):
    absolute, out = tmp_path / "absolute", tmp_path / "out"
    assert run("absolutize", made(name), "--layout", "auto", "-o", absolute).exit_code == 0
    assert run("relativize", absolute, "--layout", "auto", "-o", out).exit_code == 0
    [home] = out.glob("127.0.0.1*/index.html")
    for page in out.rglob("*.html"):  # from files, Chromium refuses style sheets with this attribute
        page.write_bytes(page.read_bytes().replace(b" crossorigin", b""))
    lacking, damaged, unnamed = LOST[name]
    context, requested = offline(browser)
    [found] = clicked(context, [home.as_uri()], "file:")
    mirrored = [(path, link) for path, (link, _) in zip(PAGES, found[: len(PAGES)], strict=True) if "file:" in link]
    assert [path for path in PAGES if path not in dict(mirrored)] == lacking
    files = [link for _, link in mirrored]
    captured = {site + path for path, _ in mirrored}
    for (path, _), frames in zip(mirrored, views(context, files), strict=True):
        if path not in damaged:
            same_page(frames, online[path], captured, unnamed)
    for (path, _), links in zip(mirrored, clicked(context, files, "file:"), strict=True):
        if path not in damaged:
            same_links(links, online_links[path], captured)
    context.close()
    assert captured.isdisjoint(requested)


@pytest.mark.slow  # SingleFile waits for seconds
def test_a_page_that_single_file_saved(browser, site, online, tmp_path):
    """Only a string in image-set() is relative in it: SingleFile does not know it."""
    page, out = tmp_path / "saved" / "page.html", tmp_path / "out.html"
    page.parent.mkdir()
    try:
        saved_page(site + "/images.html", page)
    except Missing as reason:
        pytest.skip(str(reason))
    made = run("absolutize", page, "-o", out)
    assert (made.exit_code, made.stderr.count("\n")) == (0, 1), made.stderr
    written = page.read_bytes()
    assert out.read_bytes() == written.replace(b"img/8.png", f"{site}/img/8.png".encode())
    assert written.count(b"img/8.png") == 1
    links = [json.loads(line) for line in run("links", out, "--format", "jsonl").stdout.splitlines()]
    assert len(links) > 10
    assert all(link["reference"] == link["target"] for link in links)
    report = json.loads(run("audit", page.parent, "--allow-host", "127.0.0.1", "--format", "json").stdout)
    assert [finding["reference"] for finding in report["findings"]] == ["img/8.png"]
    context, _ = offline(browser)
    [frames] = views(context, [out.as_uri()])
    context.close()
    assert frames[0]["styles"] == online["/images.html"][0]["styles"]
