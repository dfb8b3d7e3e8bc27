"""pywb replays a WARC in Chromium before and after `linkfix absolutize`: no page asks the live site for anything."""

from __future__ import annotations

import pytest
from support.archived_site import PAGES, Missing, archive, served
from support.browser.engines import require_chromium
from support.extras import missing
from support.replay import needs_pywb, replay_server
from support.running import run

pytest.importorskip("playwright", reason=missing("playwright"))

from playwright.sync_api import sync_playwright

pytestmark = [pytest.mark.browser, pytest.mark.slow, needs_pywb]  # pywb starts in seconds

#: Ten pages: one in a frame, and one that redirects, beside the site's.
REPLAYED = (*PAGES, "/frame.html", "/old")

#: The text of a page, and the sizes of its pictures.
VIEW = """() => [
  document.body.innerText,
  [...document.querySelectorAll("img, input[type=image]")].map((one) => one.naturalWidth),
  getComputedStyle(document.body).margin,
]"""


def replays(browser, server, site):
    """The views of the frames of each page, and the requests to the site itself."""
    live, found = [], {}
    context = browser.new_context()

    def refuse(route):
        live.append(route.request.url)
        route.abort()

    context.route(lambda url: url.startswith(site), refuse)
    page = context.new_page()
    for path in REPLAYED:
        page.goto(f"{server}/c/2100mp_/{site}{path}")
        page.wait_for_load_state("networkidle")
        found[path] = [frame.evaluate(VIEW) for frame in page.frames]
    context.close()
    return found, live


def test_pages_are_replayed_without_the_live_site(tmp_path):
    folder = tmp_path / "absolute"
    folder.mkdir()
    with (
        served() as site,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=require_chromium()) as browser,
    ):
        try:
            recorded = archive("warcio.warc.gz", site, tmp_path, browser)
        except Missing as reason:
            pytest.skip(str(reason))
        made = folder / recorded.name
        assert run("absolutize", recorded, "-o", made).exit_code == 0
        assert made.read_bytes() != recorded.read_bytes()
        with replay_server(recorded) as server:
            before, asked_before = replays(browser, server, site)
        with replay_server(made) as server:
            after, asked_after = replays(browser, server, site)
    assert asked_before == asked_after == []
    assert after == before
    assert all(sizes and all(sizes) for text, sizes, _ in after["/images.html"])
