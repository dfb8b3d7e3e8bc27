"""Relative references, and references after a move: written by the engine that absolutizes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.growth import assert_linear

import linkfix
from linkfix import Document, InvalidOption
from linkfix.document.relocation import UrlMoves, relative_reference, relative_to
from linkfix.resolvers import RESOLVERS

URL = "https://h.example/a/b.html"
WHATWG = RESOLVERS["whatwg"]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("https://h.example/a/c.html", "c.html"),
        ("https://h.example/a/", "./"),
        ("https://h.example/", "../"),
        ("https://h.example/a/b.html", "b.html"),
        ("https://h.example/a/b.html#f", "#f"),
        ("https://h.example/a/b.html?q", "b.html?q"),
        ("https://h.example/a/b.html?q#f", "b.html?q#f"),
        ("https://h.example/x/y/?q=/../#f", "../x/y/?q=/../#f"),
        ("https://h.example/a/c:d", "./c:d"),
        ("https://h.example/a//c", ".//c"),
        ("https://h.example//c", "..//c"),
        ("https://h.example/a/b.html/c", "b.html/c"),
        ("https://h.example:444/a/c", None),
        ("http://h.example/a/c", None),
        ("https://u@h.example/a/c", None),
        ("mailto:a@b", None),
        ("data:,x", None),
    ],
)
def test_a_relative_reference(target, expected):
    assert relative_reference(URL, target) == expected


_SEGMENTS = st.lists(st.sampled_from(["", "a", "b", "a:b", "c.html", "%2e", "...", "~", ";p"]), min_size=1, max_size=5)
_ENDS = st.sampled_from(["", "?q", "?", "#f", "?a/../b#f/../g", "#"])
_URLS = st.builds(lambda path, end: f"https://h.example/{'/'.join(path)}{end}", _SEGMENTS, _ENDS).map(WHATWG.normalize)


@given(_URLS, _URLS)
def test_a_relative_reference_gives_its_target(base, target):
    reference = relative_reference(base, target)
    assert reference is not None
    assert WHATWG.resolve(base, reference).target == target


@given(_URLS, _URLS)
def test_relativize_is_the_inverse_of_absolutize(base, target):
    relative = linkfix.relativize(f'<a href="{target}">', url=base)
    assert linkfix.absolutize(relative, url=base, fragments="absolutize") == f'<a href="{target}">'
    assert linkfix.relativize(relative, url=base) == relative


def relativized(html, **options):
    return linkfix.relativize(html, url=URL, **options)


def test_every_syntax_becomes_relative():
    html = (
        '<a href="https://h.example/c?x&amp;y">x</a><img srcset="https://h.example/a/i.png 2x, https://o.example/x 3x">'
        '<p style="background: url(https://h.example/y.png)"><style>@import "https://h.example/a/s.css";</style>'
        '<meta http-equiv=refresh content="1; url=https://h.example/r"><a ping="https://h.example/p /q">'
        "<iframe srcdoc='<img src=\"https://h.example/a/k.png\">'></iframe>"
    )
    assert relativized(html) == (
        '<a href="../c?x&amp;y">x</a><img srcset="i.png 2x, https://o.example/x 3x">'
        '<p style="background: url(../y.png)"><style>@import "s.css";</style>'
        '<meta http-equiv=refresh content="1; url=../r"><a ping="../p ../q">'
        "<iframe srcdoc='<img src=\"k.png\">'></iframe>"
    )


def test_base_goes():
    html = '<base href="https://h.example/z/" target=_top><a href="x"><a href="#f"><a href=""><a href="//o.example/y">'
    expected = '<base target=_top><a href="../z/x"><a href="../z/#f"><a href="../z/"><a href="https://o.example/y">'
    assert relativized(html) == expected


def test_what_stays_relative_to_the_page():
    html = '<a href="#f"></a><a href=""></a><svg><use href="#g"/></svg><a href="https://h.example/a/b.html#h"></a>'
    assert relativized(html) == html.replace("https://h.example/a/b.html#h", "#h")


def test_urls_that_only_name_something_stay_absolute():
    html = (
        '<link rel="Canonical" href="/a/b.html"><meta property=og:image content="i.png">'
        '<script type="application/ld+json">{"url": "https://h.example/a/b.html"}</script>'
        '<link rel=stylesheet href="/s.css">'
    )
    assert relativized(html, social=True, json_ld=True) == (
        '<link rel="Canonical" href="https://h.example/a/b.html">'
        '<meta property=og:image content="https://h.example/a/i.png">'
        '<script type="application/ld+json">{"url": "https://h.example/a/b.html"}</script>'
        '<link rel=stylesheet href="../s.css">'
    )


def test_references_with_another_base_become_absolute():
    html = '<object codebase="c/" classid="d.class"></object>'
    assert relativized(html) == '<object codebase="c/" classid="https://h.example/a/c/d.class"></object>'
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" xml:base="/z/"><image href="i.png"/></svg>'
    made = Document(svg, url=URL, media_type="image/svg+xml", spec="rfc3986", locate=relative_to(URL)).convert().data
    assert b'xml:base="../z/"><image href="https://h.example/z/i.png"/>' in made


def test_feeds_and_sitemaps_stay_absolute():
    feed = b'<rss><channel><link>https://h.example/a/</link><item><description>&lt;a href="https://h.example/a/x"&gt;'
    feed += b"</description></item></channel></rss>"
    assert Document(feed, url=URL, media_type="application/rss+xml", locate=relative_to(URL)).convert().data == feed


def test_an_import_map_has_relative_addresses_with_a_dot():
    html = '<script type=importmap>{"imports": {"m": "https://h.example/a/m.js"}}</script>'
    assert relativized(html) == '<script type=importmap>{"imports": {"m": "./m.js"}}</script>'


def test_locate_decides():
    seen = []

    def locate(url):
        seen.append(url)
        return {"https://o.example/x": "files/x.html"}.get(url)

    html = '<a href="//o.example/x"><a href="y"><a href="mailto:a@b.example"><img src="data:,x">'
    expected = '<a href="files/x.html"><a href="https://h.example/a/y"><a href="mailto:a@b.example"><img src="data:,x">'
    assert relativized(html, locate=locate) == expected
    assert seen == ["https://o.example/x", "https://h.example/a/y", "mailto:a@b.example"]


MOVES = {
    "https://old.example/docs/": "https://new.example/manual/",
    "https://old.example/a.html": "https://new.example",
}


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://old.example/docs", "https://new.example/manual"),
        ("https://old.example/docs/", "https://new.example/manual/"),
        ("https://old.example/docs?q", "https://new.example/manual?q"),
        ("https://old.example/docs/x/y?q#f", "https://new.example/manual/x/y?q#f"),
        (
            "https://old.example/docs/?https://old.example/docs/",
            "https://new.example/manual/?https://old.example/docs/",
        ),
        ("https://old.example/a.html#f", "https://new.example/#f"),
        ("https://old.example/docs2", "https://old.example/docs2"),
        ("https://old.example:444/docs/", "https://old.example:444/docs/"),
        ("http://old.example/docs/", "http://old.example/docs/"),
        ("https://old.example.org/docs/", "https://old.example.org/docs/"),
        ("https://old.example/", "https://old.example/"),
        ("mailto:a@old.example", "mailto:a@old.example"),
        # RFC 3986 §6.2.2: equal URLs; the rest stays as it is
        ("https://old.example/%64ocs/%7Ex?%7e", "https://new.example/manual/%7Ex?%7e"),
        ("https://old.example/docs%2Fx", "https://old.example/docs%2Fx"),
        ("https://old.example/%2564ocs/", "https://old.example/%2564ocs/"),
        ("https://u@old.example/docs/x", "https://u@new.example/manual/x"),
        ("https://u:p@old.example/docs", "https://u:p@new.example/manual"),
        ("https://old.example@o.example/docs", "https://old.example@o.example/docs"),
        ("https://o.example/https://u@old.example/docs", "https://o.example/https://u@old.example/docs"),
    ],
)
def test_the_new_url_of_a_url(url, expected):
    assert UrlMoves(MOVES)(url) == expected


@pytest.mark.parametrize("old", ["/~anna/%C3%A9", "/%7eanna/%c3%a9", "/%7Eann%61/é/"])
@pytest.mark.parametrize("path", ["/~anna/%c3%a9", "/%7Eanna/%C3%A9", "/%7e%61nna/é"])
def test_percent_encoding_is_compared(old, path):
    moves = {f"https://old.example{old}": "https://new.example/a"}
    assert linkfix.move(f'<a href="https://old.example{path}/x%7E">', moves) == '<a href="https://new.example/a/x%7E">'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://old.example/docs", True),
        ("HTTPS://OLD.example:443/docs.", True),
        ("(see old.example/docs)", True),
        ("//old.example/docs2", False),
        ("https://old.example:444/docs", False),
        ("https://old.example/%64ocs/", True),
        ("'https:\\/\\/old.example\\/docs\\/'", True),
        ("http://u@old.example/docs", True),
        ("a@old.example/docs", False),
        ("www.old.example/docs", False),
        ("x-old.example/docs", False),
        ("old.example.org/docs", False),
        ("https://o.example/?u=https%3A%2F%2Fold.example%2Fdocs%2Fx&t=1", True),
        ("https://o.example/?u=https%3a%2f%2fold.example%2fdocs2&t=1", False),
        ("{&quot;u&quot;:&quot;https://old.example/docs&quot;}", True),
        ("https://old.example/docs&amp;x", False),
        ("https://new.example/docs", False),
    ],
)
def test_texts_that_are_old_urls(text, expected):
    assert [one.start for one in UrlMoves(MOVES).old_urls(text.encode())] == (
        [text.lower().index("old.example")] if expected else []
    )


@pytest.mark.parametrize("host", ["localhost:8000", "[::1]:8000", "a_b.example:8000"])
def test_texts_with_any_host(host):
    moves = UrlMoves({f"http://{host}/": "https://new.example/"})
    text = f"see http://{host}/ and {host}, not localhost, 8000 or https://x-{host}/"
    assert [one.start for one in moves.old_urls(text.encode())] == [11, text.index(f"and {host}") + 4]


def test_the_longest_row_counts():
    moves = UrlMoves([("https://o.example", "https://n.example"), ("https://o.example/x", "https://x.example/")])
    assert moves("https://o.example/x/y") == "https://x.example/y"
    assert moves("https://o.example/xy") == "https://n.example/xy"
    assert moves("https://o.example") == "https://n.example/"


@pytest.mark.parametrize(
    "rows",
    [
        {},
        {"docs/": "https://n.example/"},
        {"https://o.example/?q": "https://n.example/"},
        {"https://o.example/": "https://n.example/#f"},
        {"https://u:p@o.example/": "https://n.example/"},
        {"mailto:a@b": "https://n.example/"},
        {"https://o.example": "https://o.example/"},
        [("https://o.example/", "https://n.example/"), ("https://o.example", "https://m.example/")],
    ],
)
def test_rows_that_cannot_move(rows):
    with pytest.raises(InvalidOption):
        UrlMoves(rows)


def moved(html, url="https://old.example/docs/x/page.html", **options):
    return linkfix.move(html, MOVES, url, **options)


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("y.html", "y.html"),
        ("../y.html#f", "../y.html#f"),
        ("#f", "#f"),
        ("", ""),
        ("/docs/y?a&amp;b", "/manual/y?a&amp;b"),
        ("//old.example/docs/y", "//new.example/manual/y"),
        ("https://old.example/docs/y", "https://new.example/manual/y"),
        ("HTTPS://OLD.example/docs/y", "https://new.example/manual/y"),
        ("../../other.html", "https://old.example/other.html"),
        ("/docs2", "https://old.example/docs2"),
        ("../../a.html", "../../"),
        ("/a.html", "/"),
        ("//o.example/", "//o.example/"),
        ("http://old.example/docs/y", "http://old.example/docs/y"),
        ("mailto:a@old.example", "mailto:a@old.example"),
        ("http://[", "http://["),
        ("{{ url }}", "{{ url }}"),
    ],
)
def test_a_moved_reference_keeps_its_form(reference, expected):
    assert moved(f'<a href="{reference}">') == f'<a href="{expected}">'


def test_a_moved_page_keeps_its_targets():
    html = '<a href="../../other.html"><a href="/docs/y"><img srcset="a.png, /docs/b.png 2x">'
    targets = [UrlMoves(MOVES)(link.target) for link in linkfix.links(html, "https://old.example/docs/x/page.html")]
    after = linkfix.links(moved(html), "https://new.example/manual/x/page.html")
    assert [link.target for link in after] == targets


def test_base_moves():
    html = '<base href="/docs/"><a href="x"><a href="/docs/y"><a href="#f">'
    assert moved(html) == '<base href="/manual/"><a href="x"><a href="/manual/y"><a href="#f">'
    html = '<base href="https://o.example/"><a href="x"><a href="https://old.example/docs/y">'
    assert moved(html) == '<base href="https://o.example/"><a href="x"><a href="https://new.example/manual/y">'


def test_without_a_url_only_absolute_links_move():
    html = '<a href="/docs/x"><a href="y"><a href="https://old.example/docs/z">'
    assert moved(html, None) == '<a href="/docs/x"><a href="y"><a href="https://new.example/manual/z">'


@pytest.mark.parametrize(
    ("media_type", "document"),
    [
        ("application/xml", "<urlset><url><loc>{}</loc></url></urlset>"),
        (
            "application/rss+xml",
            "<rss><channel><item><description>&lt;a href='{}'></description></item></channel></rss>",
        ),
        ("text/css", "@import '{}';"),
        ("application/manifest+json", '{{"start_url": "{}"}}'),
        ("application/feed+json", '{{"icon": "{}", "items": [{{"content_html": "<a href={}>"}}]}}'),
        ("text/x-robots", "Sitemap: {}\n"),
        ("text/markdown", "[a]({})\n\n[b]: {}\n"),
        ("text/html", '<link rel=canonical href="{}"><meta property=og:url content="{}">'),
    ],
)
def test_every_kind_of_document_moves(media_type, document):
    old, new = "https://old.example/docs/y", "https://new.example/manual/y"
    count = document.count("{}")
    made = moved(document.format(*[old] * count), media_type=media_type, social=True)
    assert made == document.format(*[new] * count)


@pytest.mark.growth
def test_long_urls_take_linear_time():
    moves = UrlMoves(MOVES)

    def prepare(size):
        url = "https://old.example/docs" + "/a" * size
        data = url.encode() * 3

        def work():
            assert moves(url) == "https://new.example/manual" + "/a" * size
            assert relative_reference(url, url + "/b") == "a/b"
            assert len(list(moves.old_urls(data))) == 1

        return work

    assert_linear(prepare, 50_000)


@pytest.mark.growth
def test_many_moves_and_texts_take_linear_time():
    def prepare(size):
        moves = UrlMoves([(f"https://h{number}.example/", "https://new.example/") for number in range(size)])
        texts = (
            b"a h1.example/x h%d.example.org b" % size,
            b"//u",
            b"a-",
            b"a.",
            b"%2F",
            b"<meta content-security-policy ",
        )

        def work():
            for text in texts:
                assert len(list(moves.old_urls(text * size))) in {0, size}

        return work

    assert_linear(prepare, 5_000)


@pytest.mark.parametrize("reference", ["/x/y", "y", "?q", "//e.example/x/y"])
def test_a_password_of_the_base_gets_into_no_moved_link(reference):
    html = f'<a href="{reference}">x</a>'
    moves = {"https://e.example/x/": "https://n.example/z/"}
    with_password = linkfix.move(html, moves, url="https://u:secret@e.example/x/p")
    assert with_password == linkfix.move(html, moves, url="https://e.example/x/p")
    assert "secret" not in with_password


def test_an_empty_address_of_a_form_stays_the_own_address_of_a_moved_page():
    html = '<base href="https://e.example/x/"><form action=""><button formaction=""></form><a href="">base</a>'
    made = linkfix.move(html, {"https://e.example/x/": "https://n.example/z/"}, url="https://e.example/x/y/p")
    assert made == html.replace("e.example/x/", "n.example/z/")
