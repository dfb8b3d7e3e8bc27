from __future__ import annotations

import pytest

from linkfix import InvalidBase
from linkfix.files.folder import INDEX_NAMES
from linkfix.resolvers import root_url


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.com", "https://example.com/"),
        ("HTTPS://Example.com/a/../docs", "https://example.com/docs/"),
        ("https://example.com/docs/", "https://example.com/docs/"),
        ("https://example.com/docs/index.html", "https://example.com/docs/"),
        ("file:///srv/site", "file:///srv/site/"),
    ],
)
def test_root_url(url, expected):
    assert root_url(url, INDEX_NAMES) == expected


@pytest.mark.parametrize(
    ("url", "folder"),
    [
        ("https://example.com/x/page.html", "https://example.com/x/"),
        ("https://example.com/A.PHP", "https://example.com/"),
    ],
)
def test_the_url_of_a_page_is_refused(url, folder):
    with pytest.raises(InvalidBase, match=f"is the URL of a page: give the URL of its folder, '{folder}' "):
        root_url(url, INDEX_NAMES)
    assert root_url(f"{url}/", INDEX_NAMES) == f"{url}/"


def test_a_host_is_no_page():
    assert root_url("https://example.html", INDEX_NAMES) == "https://example.html/"


@pytest.mark.parametrize(
    "url", ["docs/", "//example.com/", "https://example.com/?q", "https://example.com/#f", "mailto:a@b", "", "http://["]
)
def test_root_url_refuses_urls_of_files(url):
    with pytest.raises(InvalidBase):
        root_url(url, INDEX_NAMES)
