from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkfix.files import (
    GENERIC_TYPES,
    ROBOTS,
    SERVED_SUFFIXES,
    declared_type,
    guess_media_type,
    media_type,
    media_type_of_suffix,
    sniff,
)
from linkfix.files.media_types import MEDIA_TYPES, SUFFIXES, script_type, sniff_html
from linkfix.model import MARKUP_TYPES

RSS, ATOM, OPENSEARCH = "application/rss+xml", "application/atom+xml", "application/opensearchdescription+xml"
HTML, XHTML, SVG, CSS, UNSURE = "text/html", "application/xhtml+xml", "image/svg+xml", "text/css", ""
MANIFEST, JSON_FEED, SCRIPT = "application/manifest+json", "application/feed+json", "text/javascript"


@given(st.text("aA.hHtmlcs"), st.sampled_from(["", *SUFFIXES, *SERVED_SUFFIXES, ".HTML", ".gz"]))
def test_an_empty_query_does_not_change_the_type_of_a_name(name, suffix):
    name += suffix
    stated = media_type(name)
    assert stated == media_type(f"{name}@")
    assert stated == media_type(f"{name}?")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.html", HTML),
        ("A.HTM", HTML),
        ("a.shtml", HTML),
        ("a.xhtml", XHTML),
        ("a.XHT", XHTML),
        ("a.svg", SVG),
        ("a.b.css", CSS),
        ("a.js", None),
        ("a.webmanifest", MANIFEST),
        ("manifest.json", UNSURE),
        ("Manifest.JSON?v=1", UNSURE),
        ("a-manifest.json", UNSURE),
        ("robots.txt", ROBOTS),
        ("a-robots.txt", None),
        ("a.html.orig", None),
        ("a.html~", None),
        ("html", UNSURE),
        (".html", UNSURE),
        ("page.php", UNSURE),
        # wget keeps the query in the name, --restrict-file-names=windows with "@", -E adds a suffix
        ("page.html?q=1", HTML),
        ("page.html@q=1", HTML),
        ("page.html?q=1.html", HTML),
        ("page.html@q=1.html", HTML),
        ("page.php?q=1.html", UNSURE),
        ("page.php@q=1.html", HTML),
        ("style.css?v=2", CSS),
        ("style.css?v=2.css", CSS),
        ("page.html?f=style.css", HTML),
        ("page.html@f=style.css", HTML),
        ("logo.png?from=page.html", UNSURE),
        ("logo.png?v=2", None),
        ("view?id=3", UNSURE),
        ("me@example.html", HTML),
        ("logo@2x.png", None),
    ],
)
def test_media_type(name, expected):
    assert media_type(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.js", SCRIPT),
        ("A.MJS", SCRIPT),
        ("a.js?v=1.2", SCRIPT),
        ("a.cjs", ""),
        ("a.json", ""),
        ("js", ""),
        ("a.ts", ""),
    ],
)
def test_scripts(name, expected):
    assert script_type(name) == expected


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b'{"name": "x", "start_url": "/"}', MANIFEST),
        (b'\xef\xbb\xbf\n{"icons" : [{"src": "a.png"}]}', MANIFEST),
        (b'{"screenshots":[]}', MANIFEST),
        (b'{"manifest_version": 3, "icons": {"16": "a.png"}}', None),
        (b'{"icons": [], "manifest_version": 2}', None),
        (b'{"@context": "http://iiif.io/api/presentation/3/context.json", "icons": []}', None),
        (b'{"main.js": "main.abc.js"}', None),
        (b'["start_url"]', None),
        (b"<!doctype html>", None),
    ],
)
def test_web_app_manifests_are_distinguished_from_other_manifests(head, expected):
    assert sniff("manifest.json", head) == sniff("Manifest.json?v=1", head) == expected
    assert guess_media_type("a/manifest.json", head) == (expected or "application/json")
    assert sniff("page.php", head) == sniff_html(head)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"<!doctype html>\n<title>x", HTML),
        (b"\xef\xbb\xbf \r\n<HTML lang=en>", HTML),
        (b"<html\nlang=en>", HTML),
        (b"<!-- saved -->", HTML),
        (b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN">', HTML),
        (b"<htmlx>", None),
        (b"<article>", None),
        (b'<?xml version="1.0"?><rss>', None),
        (b"<?php echo 1 ?>", None),
        (b"<!doctype html><a href='<?= $x ?>'>", None),
        (b"<!doctype html><%= x %>", None),
        (b"#!/bin/sh", None),
        (b"", None),
    ],
)
def test_sniff(head, expected):
    assert sniff_html(head) == expected


def test_every_type_of_markup_has_a_suffix_by_which_it_is_known():
    assert set(MEDIA_TYPES.values()) == set(SUFFIXES) == MARKUP_TYPES - {*GENERIC_TYPES, OPENSEARCH, JSON_FEED, ROBOTS}
    assert SUFFIXES == {
        HTML: ".html",
        XHTML: ".xhtml",
        SVG: ".svg",
        CSS: ".css",
        RSS: ".rss",
        ATOM: ".atom",
        MANIFEST: ".webmanifest",
    }
    assert all(media_type(f"x{suffix}") == type_ for type_, suffix in SUFFIXES.items())


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a.png", "image/png"), ("A.GIF", "image/gif"), ("a.html", HTML), ("a", ""), ("a.zzz", "")],
)
def test_media_type_of_suffix(name, expected):
    assert media_type_of_suffix(name) == expected


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a/b.css", b"<!doctype html>", CSS),
        ("a/view.php", b"<!doctype html>", HTML),
        ("a/view.php", b"plain", ""),
        ("a/b.png", b"<!doctype html>", "image/png"),
        ("a/b", b"<html>", HTML),
    ],
)
def test_the_name_decides_then_the_content_then_the_suffix(name, data, expected):
    assert guess_media_type(name, data) == expected


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b'{"version": "https://jsonfeed.org/version/1.1"}', JSON_FEED),
        (b'\xef\xbb\xbf\r\n{"title": "x", "version":"https:\\/\\/jsonfeed.org\\/version\\/1"}', JSON_FEED),
        (b'{"version": "http://jsonfeed.org/version/1"}', JSON_FEED),
        (b'[{"version": "https://jsonfeed.org/version/1"}]', None),
        (b'{"version": "https://jsonfeed.org/version/2"}', None),
        (b'{"a": "{\\"version\\": \\"https://jsonfeed.org/version/1\\"}"}', None),
        (b'{"version": "1.1", "items": []}', None),
        (b" " * 4096 + b'{"version": "https://jsonfeed.org/version/1.1"}', None),
        (b"<rss>", None),
    ],
)
def test_json_feeds_are_known_by_their_version(head, expected):
    assert sniff("feed.json", head) == sniff("Feed.JSON?page=2", head) == expected
    assert sniff("feed.php", head) == (expected or ("application/rss+xml" if head == b"<rss>" else None))
    assert guess_media_type("a/feed.json", head) == (expected or "application/json")
    declared = declared_type(lambda name: ["application/json; charset=utf-8"] if name == "content-type" else [])
    assert declared.media_type(head) == (expected or "application/json")
    assert declared.may_be({JSON_FEED})
    assert not declared.may_be({"text/html"})
