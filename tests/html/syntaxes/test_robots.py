from __future__ import annotations

import pytest

from linkfix.html.syntaxes import SYNTAXES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sitemap: https://h/a.xml", ["https://h/a.xml"]),
        ("User-agent: *\nDisallow: /x/\nsitemap:/a.xml\nSITEMAP :\tb.xml \n", ["/a.xml", "b.xml"]),
        ("Sitemap: a\rSitemap: b\r\n Sitemap: c\n\nSitemap:\n", ["a", "b", "c"]),
        ("Sitemap: a b.xml # the map\n# Sitemap: no\nSitemap: #no", ["a b.xml"]),
        ("Allow: Sitemap: no\nXSitemap: no\nSitemaps: no\nSitemap no", []),
    ],
)
def test_sitemap_lines(text, expected):
    found = SYNTAXES["robots"](text)
    assert [one.reference for one in found] == expected
    assert [text[one.start : one.end] for one in found] == expected


def test_characters_that_would_end_the_url_are_escaped():
    (found,) = SYNTAXES["robots"]("Sitemap: a")
    assert found.escape("http://h/a b#c\n\x85\ud800é \x85") == "http://h/a b%23c%0A\x85%3Fé%20%C2%85"
