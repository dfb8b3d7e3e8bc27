"""A page and its converted copy elsewhere request the same URLs, also for elements before a late BASE."""

from __future__ import annotations

import re

import pytest
from support.browser.engine import Engine, Response
from support.browser.fetches import fetched

import linkfix

pytestmark = pytest.mark.browser

URL = "http://site.example/dir/page.html"
ELSEWHERE = "http://unrelated.example/x/y/z.html"

#: A script that the parser waits for, and that comes when all that stands before it has been asked for.
GATE = "http://gate.example/script.js"

#: Markup that each engine loads at once, by itself: name -> markup, in which NAME is the name
LOADED = {
    "lazy": "<img src=NAME loading=lazy width=5 height=5>",
    "lazy-iframe": "<iframe src=NAME loading=lazy></iframe>",
    "img": "<img src=NAME>",
    "img-srcset": '<img srcset="NAME 1x">',
    "img-sizes": '<img srcset="NAME 100w" sizes=100px>',
    "image": "<image src=NAME>",
    "picture": "<picture><source srcset=NAME><img src=not></picture>",
    "iframe": "<iframe src=NAME></iframe>",
    "embed": "<embed src=NAME>",
    "object": "<object data=NAME></object>",
    "object-codebase": "<object data=NAME codebase=cb/></object>",
    "video": "<video src=NAME></video>",
    "video-source": "<video><source src=NAME></video>",
    "poster": "<video poster=NAME></video>",
    "audio": "<audio src=NAME></audio>",
    "audio-source": "<audio><source src=NAME></audio>",
    "input": "<input type=image src=NAME>",
    "table": "<table background=NAME><tr><td>x</table>",
    "td": "<table><tr><td background=NAME>x</table>",
    "style-attribute": "<p style='background: url(NAME)'>x</p>",
    "style-property": "<p style='--x: url(NAME); background: var(--x)'>x</p>",
    "style": "<style>.NAME { background: url(NAME) }</style><p class=NAME>x</p>",
    "import": "<style>@import 'NAME';</style>",
    "import-url": "<style>@import url(NAME);</style>",
    "font": "<style>@font-face{font-family:NAME;src:url(NAME)} .NAME-q{font:1em NAME}</style><q class=NAME-q>x</q>",
    "svg-style": "<svg><style>.NAME { background: url(NAME) }</style></svg><p class=NAME>x</p>",
    "stylesheet": "<link rel=stylesheet href=NAME>",
    "print": "<link rel=stylesheet media=print href=NAME>",
    "alternate": "<link rel='alternate stylesheet' title=t href=NAME>",
    "svg-image": "<svg><image href=NAME width=5 height=5 /></svg>",
    "svg-xlink": "<svg><image xlink:href=NAME width=5 height=5 /></svg>",
    "fe-image": "<svg><filter id=NAME><feImage href=NAME /></filter><g filter=url(#NAME)><text>x</text></g></svg>",
    "script": "<script src=NAME></script>",
    "script-async": "<script async src=NAME></script>",
    "script-defer": "<script defer src=NAME></script>",
    "script-module": "<script type=module src=NAME></script>",
    "svg-script": "<svg><script href=NAME></script></svg>",
}


#: Names that can stand after BASE too. Not `lazy`, which is then too far below to be loaded; not `import`, which WebKit
#: also fetches by a guess that ignores BASE.
AFTER = [name for name in LOADED if not name.startswith(("lazy", "import"))]

#: Names that are no pictures
OTHER = "iframe|embed|object|video-|video$|audio|import|font|sheet|print|alternate|script"

#: Documents in the page. If the response comes after BASE, Firefox requests the document again, by BASE. So each
#: document has a picture, whose request shows that the response has come.
NESTED = "iframe|embed|object"

#: BASE -> the base of the names after it
BASES = {"http://base.example/b/": "http://base.example/b/", "../c/?q": "http://site.example/c/"}


#: A picture, one pixel wide and high: Chromium retries if one does not load.
PIXEL = bytes.fromhex("47494638396101000100800000ffffff00000021f90401000000002c00000000010001000002024401003b")


def page(href: str) -> str:
    """Everything, a script, BASE, and nearly everything again, by other names."""
    before = "".join(markup.replace("NAME", name) for name, markup in LOADED.items())
    after = "".join(LOADED[name].replace("NAME", f"{name}-after") for name in AFTER)
    return f"<!DOCTYPE html><body background=body>{before}<script src={GATE}></script><base href={href}>{after}"


@pytest.mark.parametrize("href", BASES)
def test_fetches_before_a_late_base(engine: Engine, href: str) -> None:
    before = {f"http://site.example/dir/{name}" for name in ("body", *LOADED)}
    after = {f"{BASES[href]}{name}-after" for name in AFTER}
    others = {url: Response(PIXEL, "image/gif") for url in before | after if not re.search(OTHER, url)}
    pictures = {url: f"{url}/picture" for url in before | after if re.search(NESTED, url)}
    others |= {url: Response(f"<img src={pictures[url]}>".encode(), "text/html") for url in pictures}
    others |= {picture: Response(PIXEL, "image/gif") for picture in pictures.values()}
    html = page(href)
    waited_for = before | {pictures[url] for url in before & pictures.keys()}
    others[GATE] = Response(b"", "text/javascript", after=frozenset(waited_for))
    original = fetched(engine, URL, {**others, URL: Response(html.encode(), "text/html")}, scripts=True)
    assert original.urls == {GATE, *before, *after, *pictures.values()}
    converted = linkfix.absolutize(html, url=URL).encode()
    others[GATE] = Response(b"", "text/javascript")
    moved = fetched(engine, ELSEWHERE, {**others, ELSEWHERE: Response(converted, "text/html")}, scripts=True)
    assert moved.urls == original.urls
