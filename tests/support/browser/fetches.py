"""The requests of a page in a browser, and its base URL there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from support.browser.engine import BrowserError, Engine, Response, Tab

__all__ = ["Fetched", "fetched", "settle"]

#: Its requests are the tests' own.
SENTINEL = "http://settled.example/"

#: Two frames are drawn, and a request of the page is answered. It awaits no event: without scripts, there are none.
ROUND = """(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    await frame();
    await frame();
    const image = new Image();
    image.src = "%s";
    while (!image.complete) await frame();
})()"""

#: The number of rounds that have to pass without a request by the page; the maximum number of rounds; and the number of
#: failures of one round, since the page can meanwhile go on to another.
QUIET, MOST, FAILURES = 2, 200, 20

#: The path that browsers request on their own.
ICON = "/favicon.ico"


@dataclass(frozen=True, slots=True)
class Fetched:
    """The URL of the document in the end, its base URL, all URLs requested, and a value that was asked for."""

    url: str
    base_uri: str
    urls: frozenset[str]
    value: Any = None


def own(tab: Tab) -> list[str]:
    """Return the URLs that the page and its content requested, in order."""
    urls = [request.url for request in tab.requests]
    return [url for url in urls if not url.startswith(SENTINEL) and not url.endswith(ICON)]


def settle(tab: Tab) -> None:
    """Wait until the page asks for nothing more: not after a few rounds of drawing and fetching either."""
    quiet = failures = 0
    for number in range(MOST):
        known = len(own(tab))
        try:
            tab.evaluate(ROUND % f"{SENTINEL}{number}")
        except BrowserError:
            failures += 1
            if failures > FAILURES:
                raise
        quiet = quiet + 1 if known == len(own(tab)) else 0
        if quiet == QUIET:
            return
    message = f"a page that does not come to rest; it asked for {own(tab)[-5:]} at last"
    raise BrowserError(message)


def fetched(
    engine: Engine, url: str, responses: Mapping[str, Response], *, scripts: bool = False, value: str = "null"
) -> Fetched:
    """Open `url`, served from `responses`, and return its requests besides itself.

    `value`: an expression that is evaluated in the end. `scripts`: let the page's own scripts run.
    """
    with engine.open(url, responses, scripts=scripts) as tab:
        settle(tab)
        found = tab.evaluate(f"[document.URL, document.baseURI, {value}]")
        settle(tab)
        urls = own(tab)
    assert urls[0] == url
    return Fetched(found[0], found[1], frozenset(urls[1:]), found[2])
