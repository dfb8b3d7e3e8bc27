"""Chromium follows the links of a site before and after `linkfix relativize` and `linkfix move`, to the same files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

import pytest
from support.archived_site import write_site
from support.browser.chromium import Chromium, Request
from support.browser.odd_tree import write_odd_tree
from support.browser.web_server import Folder, ServedPage
from support.fixtures_site import FIXTURES
from support.running import run

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # Chromium opens each page six times

BASE = "https://tree.test/"
ELSEWHERE = "https://other.test/sub/folder/"

#: Each URL of the page, as the browser resolves it: of hyperlinks, resources, frames, forms and style attributes.
URLS = """
[...document.querySelectorAll(":not(base)")].flatMap(one => {
    const urls = [];
    for (const name of ["href", "src", "action"])
        if (one.hasAttribute(name) && typeof one[name] === "string") urls.push([name, one[name]]);
    if (one.style && one.style.backgroundImage) urls.push(["style", one.style.backgroundImage]);
    return urls;
})
"""

#: The documentation of a Debian package.
DEBIAN = Path("/usr/share/doc/valgrind/html")


class Site(NamedTuple):
    """A folder with pages, and where it is served."""

    folder: Folder
    names: list[str]


class FilePage(ServedPage):
    """A tab that opens files; whatever is no file is not answered."""

    def _answer(self, request_id: str, request: Request) -> None:
        if request.url.startswith("file:"):
            self.requests.append(request)
            self._browser.post("Fetch.continueRequest", self._session, requestId=request_id)
        else:
            super()._answer(request_id, request)


def urls(browser: Chromium, folder: Folder, names: list[str]) -> Iterator[list[list[str]]]:
    """The URLs of each page, as the browser resolves them."""
    with FilePage(browser, folder, scripts=False) as page:
        for name in names:
            page.load(page_url(folder, name))
            yield page.evaluate(URLS)


#: Index files that Python's server does not know, names with the query of a URL, and folders that are links.
_ANOTHER_SERVER = re.compile(r"/x?html?(/|$|#|\?)|/(what|saved)|/linked|/other(/|$|#|\?)")


def is_unknown(page: str, kind: str, url: str) -> bool:
    """Whether the browser does not tell a link's target, or it has none.

    It is a placeholder of a template, or it is empty, or servers answer differently. `src` is resolved anew if BASE
    comes later; the image is not fetched anew.
    """
    if _ANOTHER_SERVER.search(url):
        return True
    is_placeholder = any(mark in unquote(url) for mark in ("{{", "{%", "<%", "${"))
    return ":" not in url or is_placeholder or (kind == "src" and ("late" in page or "foreign" in page))


def page_url(folder: Folder, name: str) -> str:
    return folder.url + quote(name)


def place(folder: Folder, url: str) -> str | None:
    """The file of a folder that a URL leads to, with the fragment; None for any other URL."""
    document, mark, fragment = url.partition("#")
    if not folder.holds(document) or "//" in document[len(folder.url) - 1 :]:
        return None
    name = unquote(document[len(folder.url) :].partition("?")[0])
    path = Path(folder.path, name)
    for file in (path, path / "index.html"):
        if file.is_file() and not (file == path and name.endswith("/")):
            return str(file.relative_to(folder.path)) + mark + fragment
    return None


def odd(root: Path) -> None:
    write_odd_tree(root, BASE)


def copied(source: Path) -> object:
    def write(root: Path) -> None:
        for path in source.rglob("*"):
            if path.is_file():
                target = root / path.relative_to(source)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())

    return write


TREES = {
    "odd": odd,
    "archived": write_site,
    "lamp": copied(FIXTURES / "lamp"),
    "site": copied(FIXTURES / "site"),
    "debian": copied(DEBIAN),
}


@pytest.fixture(scope="module", params=TREES)
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Site:
    if request.param == "debian" and not DEBIAN.is_dir():
        pytest.skip(f"{DEBIAN} is not there: apt-get install valgrind")
    root = tmp_path_factory.mktemp(request.param)
    TREES[request.param](root)
    names = sorted(str(path.relative_to(root)) for path in root.rglob("*.html") if not path.is_symlink())
    return Site(Folder(str(root), BASE), [name for name in names if "stub" not in name and "carrying" not in name])


@pytest.fixture(scope="module")
def before(site: Site, browser: Chromium) -> list[list[list[str]]]:
    return list(urls(browser, *site))


@pytest.mark.parametrize("url", [ELSEWHERE, "file:"])
def test_relative_links_lead_to_the_same_files(site, before, browser, tmp_path, url):
    result = run("relativize", site.folder.path, "--root-url", BASE, "-o", tmp_path / "out", "--quiet")
    assert result.exit_code == 0, result.stderr
    base = url if url == ELSEWHERE else f"file://{tmp_path}/out/"
    folder = Folder(str(tmp_path / "out"), base)
    followed, lost = 0, []
    for name, old, new in zip(site.names, before, urls(browser, folder, site.names), strict=True):
        assert len(old) == len(new), name
        for (kind, first), (_, second) in zip(old, new, strict=True):
            there, here = place(site.folder, first.replace("http://tree.", "https://tree.")), place(folder, second)
            if is_unknown(name, kind, first):
                continue
            if there is not None:
                followed += 1
                lost += [(name, kind, first, second)] * (there != here)
            elif first != second and kind != "style":
                lost.append((name, kind, first, second))
    assert followed > 20
    assert lost == []


@pytest.fixture(scope="module")
def moved(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("moved") / "out"
    arguments = ("--root-url", BASE, "--from", BASE, "--to", ELSEWHERE, "-o", out, "--quiet")
    result = run("move", site.folder.path, *arguments)
    assert result.exit_code == 0, result.stderr
    return out


def test_moved_links_lead_to_the_same_files(site, before, browser, moved):
    folder = Folder(str(moved), ELSEWHERE)
    lost = []
    for name, old, new in zip(site.names, before, urls(browser, folder, site.names), strict=True):
        for (kind, first), (_, second) in zip(old, new, strict=True):
            wanted = first.replace(BASE, ELSEWHERE, 1) if first.startswith((BASE, f'url("{BASE}')) else first
            lost += [(name, kind, first, second)] * (wanted != second and not is_unknown(name, kind, first))
    assert lost == []


def test_moved_links_lead_to_the_same_files_without_a_server(site, browser, moved):
    """A link that led to a file of the folder leads to it still."""
    source, target = (Folder(str(path), f"file://{path}/") for path in (site.folder.path, moved))
    followed, lost = 0, []
    opened = urls(browser, source, site.names), urls(browser, target, site.names)
    for name, old, new in zip(site.names, *opened, strict=True):
        for (kind, first), (_, second) in zip(old, new, strict=True):
            there = place(source, first)
            followed += there is not None
            if there is not None and not is_unknown(name, kind, first):
                lost += [(name, kind, first, second)] * (there != place(target, second))
    assert followed > 5
    assert lost == []
