"""linkfix finds the site's targets; test_playwright tests that browsers find the same."""

from __future__ import annotations

import urllib.error
import urllib.request

import pytest
from support.fields import content_type
from support.scraped_site import LEAVES, PAGES, REDIRECTED, START, targets

import linkfix


@pytest.mark.parametrize("path", [path for path, page in PAGES.items() if page.html])
def test_targets_equal_the_targets_of_linkfix(path):
    page = PAGES[path]
    media_type, charset = content_type(page.type_)
    charset = None if charset == "bogus" else charset
    links = linkfix.links(page.body, "http://127.0.0.1:1" + path, charset=charset, media_type=media_type or None)
    assert targets(links) == page.absolute_targets("http://127.0.0.1:1")


def test_every_target_is_there(site):
    for path in sorted(LEAVES):
        with urllib.request.urlopen(site.url + urllib.request.quote(path, safe="/%?=&;\\")) as answer:  # noqa: S310
            assert answer.status == 200


def test_a_missing_page(site):
    with pytest.raises(urllib.error.HTTPError, match="404") as error:
        urllib.request.urlopen(f"{site.url}/wrong/leaf")  # noqa: S310
    error.value.close()


def test_redirects_lead_to_the_page(site):
    with urllib.request.urlopen(site.url + START) as answer:  # noqa: S310
        assert answer.url == site.url + REDIRECTED
