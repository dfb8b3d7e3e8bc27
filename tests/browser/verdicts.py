"""What a browser makes of every reference of a tree, and what an audit says of it, in the same words."""

from __future__ import annotations

import enum
import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from browser.chromium import TIMEOUT, BrowserError, Chromium
from browser.observe import SCRIPT
from browser.web_server import Folder, ServedPage

from linkfix.audit.model import Audit
from linkfix.containers.tree import media_type
from linkfix.walker import Document

__all__ = ["Reference", "Verdict", "browsers", "audits", "page_url", "targets"]

#: The elements and attributes of which a browser's own resolved URL is compared, and that a user follows.
HYPERLINKS = {("a", "href"), ("area", "href"), ("svg:a", "href")}
#: What follows it is for the browser alone (URL Fragment Text Directives §3.1); only a fresh page heeds it.
DIRECTIVE = ":~:"
#: Navigations of one frame beyond this number are held back.
BATCH = 150

ANSWERS = """(async (urls) => Promise.all(urls.map(async (url) => {
    const answer = await fetch(url);
    return [answer.status, answer.headers.get("content-type").split(";")[0]];
})))(%s)"""
SAME_DOCUMENT = """((fragments) => fragments.map((fragment) => {
    scrollTo(0, 1e6);
    const before = scrollY;
    location.replace("#" + fragment);
    const gone = location.hash.slice(1) !== fragment;
    return [gone, before > 0 && (document.querySelector(":target") !== null || scrollY === 0)];
}))(%s)"""
#: Whether a page has loaded and sends nobody on.
AT_REST = """document.readyState === "complete" && location.protocol !== "about:" && !document.querySelector(%s)"""
SENDS_ON = "meta[http-equiv=refresh i]"
ARRIVED = """[location.href.split("#")[0], document.querySelector(":target") !== null]"""


class Verdict(enum.StrEnum):
    """What becomes of a reader who follows a reference."""

    WORKS = "the reader gets what the reference names"
    MISSING = "404"
    NO_INDEX = "403, where the server lists no folder"
    LOST = "the file, and not what the fragment names"
    DROPPED = "a page that the file leads to, which has what the fragment names, and its top"
    ELSEWHERE = "not in the tree"


class Reference(NamedTuple):
    """A reference as it is written in a file of the tree."""

    page: str
    text: str


#: What the audit says of references that do not work.
CODES = {
    "LF101": Verdict.MISSING,
    "LF102": Verdict.LOST,
    "LF103": Verdict.DROPPED,
    "LF105": Verdict.MISSING,
    "LF106": Verdict.NO_INDEX,
    # Those that say why there is no such file, in place of LF101.
    "LF308": Verdict.MISSING,
    "LF309": Verdict.MISSING,
    "LF405": Verdict.MISSING,
}

BY_STATUS = {404: Verdict.MISSING, 403: Verdict.NO_INDEX, 200: Verdict.WORKS}
#: Answers in which fragments name elements.
MARKUP = {(200, kind) for kind in ("text/html", "application/xhtml+xml", "image/svg+xml")}


def page_url(base: str, name: str) -> str:
    """The URL of a page; an index's is its folder's."""
    from urllib.parse import quote

    return base + quote(name.removesuffix("index.html") if f"/{name}".endswith("/index.html") else name)


def audits(audit: Audit) -> dict[Reference, Verdict]:
    """What an audit says of the references that it complains of."""
    return {Reference(one.path, one.reference): CODES[one.code] for one in audit.findings if one.code in CODES}


def targets(folder: Folder, name: str) -> dict[str, str | None]:
    """What linkfix resolves the hyperlinks of a page to, by their text."""
    document = Document(
        Path(folder.path, name).read_bytes(), url=page_url(folder.url, name), media_type=media_type(name)
    )
    return {link.reference: link.target for link in document.links if link.role == "hyperlink"}


class _Browser:
    """A browser that follows references of one tree."""

    def __init__(self, browser: Chromium, folder: Folder, *, scripts: bool) -> None:
        self._browser = browser
        self._folder = folder
        self._scripts = scripts
        self._at_rest = AT_REST % json.dumps(f"{SENDS_ON}, script:not([type])" if scripts else SENDS_ON)

    def tab(self) -> ServedPage:
        return ServedPage(self._browser, self._folder, scripts=self._scripts)

    def references(self, names: Iterable[str]) -> tuple[dict[Reference, str], dict[Reference, str]]:
        """All references of some pages, and the hyperlinks among them, with their targets."""
        found, hyperlinks = {}, {}
        with self.tab() as tab:
            for name in names:
                tab.load(page_url(self._folder.url, name))
                for _, element, _, references in tab.evaluate(SCRIPT)[2]:
                    for attribute, text, url in references:
                        reference = Reference(name, text)
                        found[reference] = url
                        if (element, attribute) in HYPERLINKS:
                            hyperlinks[reference] = url
        return found, hyperlinks

    def answers(self, urls: list[str]) -> dict[str, tuple[int, str]]:
        """The HTTP statuses and media types that URLs of the tree have in the end."""
        with self.tab() as tab:
            tab.load(self._folder.url)
            answers = tab.evaluate(ANSWERS % json.dumps(urls))
        return {url: (status, kind) for url, (status, kind) in zip(urls, answers, strict=True)}

    def fates(self, page: str, fragments: list[str]) -> dict[str, Verdict]:
        """What becomes of fragments of one page."""
        here = [fragment for fragment in fragments if DIRECTIVE not in fragment]
        found = {}
        for start in range(0, len(here), BATCH):
            with self.tab() as tab:
                if self._follow(tab, page)[0] != page:
                    break
                batch = here[start : start + BATCH]
                for fragment, (gone, there) in zip(batch, tab.evaluate(SAME_DOCUMENT % json.dumps(batch)), strict=True):
                    assert not gone, f"{page}#{fragment}: the browser did not go there"
                    found[fragment] = Verdict.WORKS if there else Verdict.LOST
        return {one: found[one] if one in found else self._fate(page, one) for one in fragments}

    def _fate(self, page: str, fragment: str) -> Verdict:
        """What becomes of a fragment of a page that may send its readers on."""
        with self.tab() as tab:
            final, there = self._follow(tab, f"{page}#{fragment}")
        if there or not fragment.partition(DIRECTIVE)[0]:
            return Verdict.WORKS
        if final == page:
            return Verdict.LOST
        return Verdict.DROPPED if self.fates(final, [fragment])[fragment] is Verdict.WORKS else Verdict.LOST

    def _follow(self, tab: ServedPage, url: str) -> tuple[str, bool]:
        """Where a reader arrives who is sent on: the page's URL, and whether an element is indicated there."""
        tab.command("Page.navigate", url=url)
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            try:
                if tab.evaluate(self._at_rest):
                    final, there = tab.evaluate(ARRIVED)
                    return str(final), bool(there)
            except BrowserError:  # the page went away meanwhile
                pass
            time.sleep(0.01)
        message = f"{url} does not come to rest"
        raise BrowserError(message)


def browsers(
    browser: Chromium, folder: Folder, names: Iterable[str], *, scripts: bool
) -> tuple[dict[Reference, Verdict], dict[Reference, str]]:
    """What a browser makes of the references of some pages, and the targets of the hyperlinks among them."""
    walker = _Browser(browser, folder, scripts=scripts)
    found, hyperlinks = walker.references(names)
    pages = {url: url.partition("#")[0] for url in found.values()}
    answers = walker.answers(sorted({page for page in pages.values() if folder.holds(page)}))
    wanted: dict[str, set[str]] = {}
    for url, page in pages.items():
        fragment = url[len(page) + 1 :]
        if fragment and answers.get(page, ()) in MARKUP:
            wanted.setdefault(page, set()).add(fragment)
    fates = {page: walker.fates(page, sorted(fragments)) for page, fragments in wanted.items()}
    verdicts = {}
    for reference, url in found.items():
        page = pages[url]
        verdict = BY_STATUS[answers[page][0]] if page in answers else Verdict.ELSEWHERE
        verdicts[reference] = fates.get(page, {}).get(url[len(page) + 1 :], verdict)
    return verdicts, hyperlinks
