from __future__ import annotations

import pytest

from linkfix import InvalidBase, Layer
from linkfix.auditing import list_tree
from linkfix.auditing.served import MADE_UP, find_tree_url


def told(folder, pages, base_url=None):
    """The tree's URL, its evidence and its layer, for pages with these canonical links; bytes are whole pages."""
    root = folder / "site"
    for name, page in pages.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(page if isinstance(page, bytes) else canonical(page).encode())
    return find_tree_url(list_tree(str(root)), base_url)


def canonical(url):
    return f"<!DOCTYPE html><meta charset=utf-8>\n<link rel=icon href=/favicon.ico><link rel=canonical href='{url}'>"


class TestGiven:
    @pytest.mark.parametrize(
        ("url", "root"),
        [
            ("https://h/docs/", "https://h/docs/"),
            ("https://h/docs", "https://h/docs/"),
            ("https://h", "https://h/"),
            ("HTTPS://H:443/a/../b/index.html", "https://h/b/"),
            ("file:///home/me/site", "file:///home/me/site/"),
        ],
    )
    def test_it_counts(self, tmp_path, url, root):
        pages = {"a.html": "https://other/a.html", "b.html": "https://other/b.html"}
        assert told(tmp_path, pages, url) == (root, "--root-url", Layer.RETRIEVAL)

    @pytest.mark.parametrize(
        "url", ["", "docs/", "https://h/?x", "https://h/#x", "https://h/page?x/", "ftp://h/", "wss://h/", "app://h/"]
    )
    def test_it_is_the_url_of_a_folder(self, tmp_path, url):
        with pytest.raises(InvalidBase):
            told(tmp_path, {"a.html": ""}, url)


class TestInferred:
    @pytest.mark.parametrize(
        ("pages", "root"),
        [
            ({"a.html": "https://h/a.html", "b.html": "https://h/b.html"}, "https://h/"),
            ({"a.html": "https://h/x/a.html", "s/b.html": "https://h/x/s/b.html"}, "https://h/x/"),
            # An index file's URL is its folder's, or its own.
            ({"index.html": "https://h/x/", "s/index.html": "https://h/x/s/"}, "https://h/x/"),
            ({"index.html": "https://h/x/index.html", "s/index.htm": "https://h/x/s/"}, "https://h/x/"),
            # Without the suffix.
            ({"a.html": "https://h/a", "s/b.c.html": "https://h/s/b.c"}, "https://h/"),
            # As the URL parser reads it.
            ({"a b.html": "https://h/a%20b.html", "ü.html": "https://h/ü.html"}, "https://h/"),
            ({"a.html": "HTTPS://H/a.html", "b.html": " https://h:443/b.html\n"}, "https://h/"),
            ({"a.html": "http://h:8080/a.html", "b.html": "http://h:8080/b.html"}, "http://h:8080/"),
        ],
    )
    def test_if_pages_agree(self, tmp_path, pages, root):
        where = f"the canonical links of 2 of {len(pages)} pages"
        assert told(tmp_path, pages) == (root, where, Layer.DEFAULT)

    @pytest.mark.parametrize(
        ("pages", "root"),
        [
            ({"a/index.html": "https://h/x/a", "b/index.html": "https://h/x/b", "index.html": "https://h/x/"}, "x/"),
            ({"a.html": "https://h/x/a/", "s/b.html": "https://h/x/s/b/"}, "x/"),
        ],
    )
    def test_whatever_the_slash_at_the_end(self, tmp_path, pages, root):
        assert told(tmp_path, pages).url == f"https://h/{root}"

    @pytest.mark.parametrize(
        ("addresses", "root"),
        [
            (["https://h/x/", "https://h/x/a.html"], "https://h/x/"),
            (["https://h/x/a", "https://h/x/s/b", "https://h/x/since-deleted"], "https://h/x/"),
            (["https://h/a.html", "https://h/s/"], "https://h/"),
            (["https://h/x/a.html"], None),
            (["https://h/x/a.html", "https://h/y/a.html"], None),
            (["https://h/x/a.html", "https://h/x/gone", "https://h/x/lost", "https://h/x/s/b", "https://h/x/no"], None),
        ],
    )
    def test_by_the_sitemap(self, tmp_path, addresses, root):
        sitemap = f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in addresses)}</urlset>".encode()
        pages = dict.fromkeys(("index.html", "a.html", "s/index.html", "s/b.html"), b"<p>")
        found = told(tmp_path, {**pages, "sitemap.xml": sitemap})
        assert found.url == (root or MADE_UP)
        assert found.layer is (Layer.DEFAULT if root else Layer.NONE)

    @pytest.mark.parametrize(
        ("robots", "url"),
        [
            (b"User-agent: *\nSitemap: https://h/x/map.xml\n", "https://h/x/"),
            (b"sitemap:https://h/map.xml # it", "https://h/"),
            (b"Sitemap: https://h/x/other.xml", MADE_UP),
            (b"Sitemap: https://h/x/map.xml\nSitemap: https://h/y/map.xml", MADE_UP),
        ],
    )
    def test_by_robots_txt(self, tmp_path, robots, url):
        assert told(tmp_path, {"a.html": b"<p>", "map.xml": b"<urlset/>", "robots.txt": robots}).url == url

    def test_pages_without_one_do_not_vote(self, tmp_path):
        pages = {"a.html": "https://h/a.html", "b.html": "https://h/b.html", "c.html": b"<p>", "d.html": "d.html"}
        assert told(tmp_path, pages)[:2] == ("https://h/", "the canonical links of 2 of 4 pages")

    @pytest.mark.parametrize(
        "page",
        [
            canonical("https://h/b.html").replace("=utf-8", "=utf-16").encode("utf-16"),
            b"\xef\xbb\xbf" + canonical("https://h/b.html").encode(),
            b"<LINK HREF='https://h/b.html' REL='alternate CANONICAL'>",
            b"<link title='x' rel=canonical href='https://h/b&#46;html'>",
        ],
        ids=["utf-16", "bom", "upper case", "character reference"],
    )
    def test_however_it_is_written(self, tmp_path, page):
        assert told(tmp_path, {"a.html": "https://h/a.html", "b.html": page}).url == "https://h/"

    @pytest.mark.parametrize(
        "pages",
        [
            {},
            {"a.html": "https://h/a.html"},
            {"a.html": "https://h/a.html", "b.html": "https://other/b.html", "c.html": "https://h/c.html"},
            {"a.html": "https://h/a.html", "b.html": "https://h/x/b.html"},
            {"a.html": "https://h/other.html", "b.html": "https://h/others.html"},
            {"a.html": "https://h/xa.html", "b.html": "https://h/xb.html"},
            {"a.html": "file:///a.html", "b.html": "file:///b.html"},
            {"a.html": "/a.html", "b.html": "/b.html"},
            {"a.html": "https://h/a.html?x", "b.html": "https://h/b.html#x"},
            {"index.html": "https://h/?p=/", "s/index.html": "https://h/?p=/s/"},
            {"a.html": "https://[/a.html", "b.html": "https://[/b.html"},
            {
                "a.html": b"<link rel=alternate href=https://h/a.html>",
                "b.html": b"<a rel=canonical href=https://h/b.html>",
            },
            {"a.html": b"<link href=https://h/a.html>", "b.html": b"<link href=https://h/b.html>"},
            {"a.css": b"/* */", "a.svg": b"<svg/>"},
        ],
    )
    def test_else_it_is_made_up(self, tmp_path, pages):
        (tmp_path / "site").mkdir()
        found = told(tmp_path, pages)
        assert (found.url, found.layer) == (MADE_UP, Layer.NONE)
        assert found.where.startswith("not known")

    def test_some_pages_are_sampled(self, tmp_path):
        pages = {f"p{n:03}.html": f"https://h/p{n:03}.html" for n in range(100)}
        assert told(tmp_path, pages).where == "the canonical links of 12 of 12 pages"

    def test_no_large_ones(self, tmp_path):
        large = canonical("https://h/b.html").encode() + b" " * (1 << 20)
        assert told(tmp_path, {"a.html": "https://h/a.html", "b.html": large}).url == MADE_UP

    def test_an_unreadable_page_does_not_vote(self, tmp_path):
        told(tmp_path, {name: f"https://h/{name}" for name in ("a.html", "b.html", "c.html")})
        listing = list_tree(str(tmp_path / "site"))
        (tmp_path / "site" / "b.html").unlink()
        assert find_tree_url(listing, None).where == "the canonical links of 2 of 3 pages"


def test_a_canonical_link_is_read_with_any_text_before_its_href(tmp_path):
    page = '<link rel="canonical" title="a<b" href="https://h/x/{}.html">'
    pages = {f"{name}.html": page.format(name).encode() for name in "ab"}
    assert told(tmp_path, pages).url == "https://h/x/"
