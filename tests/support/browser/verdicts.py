"""A browser's and an audit's verdicts on the references of a tree, in the same words."""

from __future__ import annotations

import enum
import json
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from support.browser.chromium import TIMEOUT, BrowserError, Chromium
from support.browser.observe import SCRIPT
from support.browser.web_server import Folder, ServedPage

from linkfix import Document
from linkfix.auditing import Audit
from linkfix.files import media_type

__all__ = ["CLAIMED", "CODES", "Reference", "Verdict", "audits", "browsers", "page_url", "targets"]

#: The elements and attributes whose resolved URLs are compared with the browser's.
HYPERLINKS = {("a", "href"), ("area", "href")}
#: References that the script asks after on its own.
CHOSEN = "currentSrc"
#: The text behind it is for the browser alone (URL Fragment Text Directives §3.1); only a fresh page heeds it.
DIRECTIVE = ":~:"
#: Chromium holds back the navigations of a frame beyond two hundred in ten seconds.
BATCH = 150
C0_CONTROL_OR_SPACE = "".join(map(chr, range(0x21)))

#: The statuses and media types that URLs have in the end.
ANSWERS = """(async (urls) => Promise.all(urls.map(async (url) => {
    const answer = await fetch(url);
    return [answer.status, answer.headers.get("content-type").split(";")[0]];
})))(%s)"""
#: Whether the browser went to each fragment, and whether an element is indicated or, after the page was scrolled, its
#: top.
INDICATED = """((fragments) => fragments.map((fragment) => {
    scrollTo(0, 1e6);
    const scrolled = scrollY > 0;
    location.replace("#" + fragment);
    return [location.hash.slice(1) === fragment, document.querySelector(":target") !== null, scrolled && scrollY === 0];
}))(%s)"""
#: Whether a page has loaded and sends nobody on.
AT_REST = """document.readyState === "complete" && location.protocol !== "about:" && !document.querySelector(%s)"""
SENDS_ON = "meta[http-equiv=refresh i]"
ARRIVED = """[...location.href.split("#"), "", document.querySelector(":target") !== null]"""


class Verdict(enum.StrEnum):
    """The result for a reader who follows a reference."""

    WORKS = "the reader gets what the reference names"
    MISSING = "404"
    NO_INDEX = "403: the server lists no folder"
    LOST = "the file, and not what the fragment names"
    DROPPED = "the top of a page that the file leads to, which has what the fragment names"
    ELSEWHERE = "not in the tree"


class Reference(NamedTuple):
    """A reference as it is written in a file of the tree, without what surrounds it."""

    page: str
    text: str


#: The audit's code for a broken reference -> verdict.
CODES = {
    "LF101": Verdict.MISSING,
    "LF102": Verdict.LOST,
    "LF103": Verdict.DROPPED,
    "LF105": Verdict.MISSING,
    "LF106": Verdict.NO_INDEX,
}
#: Codes that say why there is no such file, in place of LF101.
CLAIMED = frozenset({"LF308", "LF309", "LF405"})

BY_STATUS = {404: Verdict.MISSING, 403: Verdict.NO_INDEX, 200: Verdict.WORKS}
#: Responses of these types have fragments that name elements.
MARKUP = {(200, kind) for kind in ("text/html", "application/xhtml+xml", "image/svg+xml")}


def page_url(base: str, name: str) -> str:
    """The URL of a page; an index's is its folder's."""
    return base + quote(name.removesuffix("index.html") if f"/{name}".endswith("/index.html") else name)


def audits(audit: Audit) -> dict[Reference, Verdict]:
    """An audit's verdicts on the references that it reports."""
    return {Reference(one.path, one.reference): CODES[one.code] for one in audit.findings if one.code in CODES}


def targets(folder: Folder, name: str) -> dict[str, str | None]:
    """linkfix's targets of the hyperlinks of a page, by their text."""
    data = Path(folder.path, name).read_bytes()
    document = Document(data, url=page_url(folder.url, name), media_type=media_type(name))
    return {link.reference: link.target for link in document.links if link.role == "hyperlink"}


def browsers(
    browser: Chromium, folder: Folder, names: Iterable[str], *, scripts: bool
) -> tuple[dict[Reference, Verdict], dict[Reference, str]]:
    """A browser's verdicts on the references of some pages, and the targets of the hyperlinks among them."""
    with ServedPage(browser, folder, scripts=scripts) as tab:
        follower = _Follower(tab, folder, scripts=scripts)
        found, hyperlinks = follower.references(names)
        parts = {url: url.partition("#")[::2] for url in found.values()}
        answers = follower.answers(sorted({page for page, _ in parts.values() if folder.holds(page)}))
        wanted: dict[str, set[str]] = {}
        for page, fragment in parts.values():
            if fragment and answers.get(page) in MARKUP:
                wanted.setdefault(page, set()).add(fragment)
        fates = {page: follower.fates(page, fragments) for page, fragments in wanted.items()}
    verdicts = {}
    for reference, url in found.items():
        page, fragment = parts[url]
        verdict = BY_STATUS[answers[page][0]] if page in answers else Verdict.ELSEWHERE
        verdicts[reference] = fates.get(page, {}).get(fragment, verdict)
    return verdicts, hyperlinks


class _Follower:
    """A reader of one tree who follows its references in one tab."""

    def __init__(self, tab: ServedPage, folder: Folder, *, scripts: bool) -> None:
        self._tab = tab
        self._folder = folder
        self._at_rest = AT_REST % json.dumps(f"{SENDS_ON}, script:not([type])" if scripts else SENDS_ON)

    def references(self, names: Iterable[str]) -> tuple[dict[Reference, str], dict[Reference, str]]:
        """All references of some pages, and the hyperlinks among them, with their targets."""
        found, hyperlinks = {}, {}
        for name in names:
            self._tab.load(page_url(self._folder.url, name))
            template = 0
            for depth, element, _, references in self._tab.evaluate(SCRIPT)[2]:
                template = 0 if depth <= template else template
                if element == "#template" and not template:
                    template = depth
                if template:  # nobody can follow a reference that is not in the document
                    continue
                for attribute, text, url in references:
                    reference = Reference(name, text.strip(C0_CONTROL_OR_SPACE))
                    if attribute != CHOSEN:
                        found[reference] = url
                    if (element, attribute) in HYPERLINKS:
                        hyperlinks[reference] = url
        return found, hyperlinks

    def answers(self, urls: list[str]) -> Mapping[str, tuple[int, str]]:
        """The HTTP statuses and media types that URLs of the tree have in the end."""
        self._tab.load(self._folder.url)
        answers = self._tab.evaluate(ANSWERS % json.dumps(urls))
        return {url: (status, kind) for url, (status, kind) in zip(urls, answers, strict=True)}

    def fates(self, page: str, fragments: Iterable[str]) -> dict[str, Verdict]:
        """The verdicts on fragments of one page."""
        fates = {}
        plain = sorted(fragment for fragment in fragments if DIRECTIVE not in fragment)
        for start in range(0, len(plain), BATCH):
            if self._follow(page)[0] != page:
                break
            for fragment, (element, top) in self._indicated(plain[start : start + BATCH]).items():
                fates[fragment] = Verdict.WORKS if element or top else Verdict.LOST
        for fragment in fragments:
            if fragment not in fates:
                fates[fragment] = self._fate(page, fragment)
        return fates

    def _indicated(self, fragments: list[str]) -> dict[str, tuple[bool, bool]]:
        """Whether fragments of the page that is open indicate an element, and whether its top."""
        indicated = {}
        results = self._tab.evaluate(INDICATED % json.dumps(fragments))
        for fragment, (there, element, top) in zip(fragments, results, strict=True):
            assert there, f"the browser did not go to #{fragment}"
            indicated[fragment] = (element, top)
        return indicated

    def _fate(self, page: str, fragment: str) -> Verdict:
        """The verdict on a fragment with a directive, or of a page that redirects its readers."""
        self._tab.load("about:blank")
        final, arrived, element = self._follow(f"{page}#{fragment}")
        name = fragment.partition(DIRECTIVE)[0]
        if not name or (element and arrived == name):
            return Verdict.WORKS
        self._follow(final)
        has_element, is_top = self._indicated([name])[name]
        if is_top or (has_element and final == page):
            return Verdict.WORKS
        return Verdict.DROPPED if has_element else Verdict.LOST

    def _follow(self, url: str) -> tuple[str, str, bool]:
        """A reader's final position: the page's URL, the fragment, and whether an element is indicated there."""
        self._tab.command("Page.navigate", url=url)
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            try:
                if self._tab.evaluate(self._at_rest):
                    page, fragment, *_, element = self._tab.evaluate(ARRIVED)
                    return page, fragment, element
            except BrowserError:  # the page went away meanwhile
                continue
            time.sleep(0.01)
        message = f"{url} does not come to rest"
        raise BrowserError(message)
