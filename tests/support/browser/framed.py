"""Many small pages in one: an engine's view of each, as the document of a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from support.browser.engine import Engine, Response
from support.browser.fetches import settle

__all__ = ["PAGE", "Case", "Outcome", "outcomes"]

#: The URL of each page in the results.
PAGE = "http://site.example/dir/page.html"
HOST = "http://site.example/frames.html"
FOLDER = "http://site.example/dir/"

#: The number of pages in a frame page.
COUNT = 70

#: For each frame's document: its URL, its base URL, its hyperlinks' targets, and the URLs that its own frames have
#: loaded.
SEEN = """[...document.querySelectorAll("iframe")].map(({ contentDocument: inner }) => [
    inner.URL, inner.baseURI, [...inner.links].map((link) => link.href),
    [...inner.querySelectorAll("frame, iframe")].map((frame) => frame.contentDocument.URL)])"""


class Case(NamedTuple):
    """A page at `PAGE`: its markup, further headers of the response, and whether scripts are on."""

    html: str
    headers: tuple[tuple[str, str], ...] = ()
    scripts: bool = False


class Outcome(NamedTuple):
    """An engine's view of a page: its final URL (which a refresh changes), base URL, links, and frames."""

    url: str
    base_uri: str
    links: tuple[str, ...]
    frames: tuple[str, ...]


def outcomes(engine: Engine, cases: Sequence[Case], folder: str = FOLDER) -> list[Outcome]:
    """Open pages, and return the outcome of each. `folder`: their folder, of the same origin as `PAGE`."""
    found: dict[int, Outcome] = {}
    for scripts in (True, False):
        numbers = [number for number, case in enumerate(cases) if case.scripts is scripts]
        for start in range(0, len(numbers), COUNT):
            batch = numbers[start : start + COUNT]
            found.update(zip(batch, _open(engine, [cases[one] for one in batch], folder, scripts=scripts), strict=True))
    return [found[number] for number in range(len(cases))]


def _open(engine: Engine, cases: Sequence[Case], folder: str, *, scripts: bool) -> list[Outcome]:
    urls = [f"{folder}{number:04}.html" for number in range(len(cases))]
    responses = {
        url: Response(case.html.encode("utf-8"), "text/html; charset=utf-8", case.headers)
        for url, case in zip(urls, cases, strict=True)
    }
    frames = "".join(f'<iframe src="{url}"></iframe>' for url in urls)
    responses[HOST] = Response(f"<!DOCTYPE html>{frames}".encode(), "text/html")
    with engine.open(HOST, responses, scripts=scripts) as tab:
        settle(tab)
        seen = tab.evaluate(SEEN)
    return [_outcome(url, *one) for url, one in zip(urls, seen, strict=True)]


def _outcome(url: str, document_url: str, base_uri: str, links: list[str], frames: list[str]) -> Outcome:
    def named(other: str) -> str:
        return other.replace(url, PAGE)

    return Outcome(named(document_url), named(base_uri), tuple(map(named, links)), tuple(map(named, frames)))
