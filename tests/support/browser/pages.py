"""Small pages that ask engines one question each about BASE and refresh; `tests/vectors/record.py` keeps the answers.

Each is at `support.browser.framed.PAGE`.
"""

from __future__ import annotations

from collections.abc import Iterator

from support.browser.framed import Case

__all__ = ["PAGES"]

BASE = '<base href="http://base.site.example/b/">'
OWN = '<base href="/b/">'
SECOND = '<base href="/second/">'
LINK = "<a href=x>a</a>"
FRAME = "<frame src=x>"

CSP = "Content-Security-Policy"
NONE = f"<meta http-equiv={CSP} content=\"base-uri 'none'\">"


def base(href: str) -> str:
    return f'<base href="{href}">'


#: policy -> BASE elements, allowed and blocked ones
POLICIES: dict[str, tuple[str, ...]] = {
    "base-uri 'none'": (BASE, OWN, base(""), base("#x"), "<base target=_top>"),
    "base-uri 'self'": (
        *(BASE, OWN, base("https://site.example/b/"), base("http://site.example:8080/b/"), base("http://[")),
        *(base("http://www.site.example/b/"), base("https://site.example:444/")),
    ),
    "base-uri base.site.example": (
        *(BASE, OWN, base("https://base.site.example/b/"), base("http://base.site.example:8080/b/")),
        *(base("ftp://base.site.example/b/"), base("http://www.base.site.example/"), base("//BASE.site.example/")),
    ),
    "base-uri *.site.example": (BASE, OWN, base("http://a.b.site.example/")),
    "base-uri *": (
        *(BASE, base("ftp://base.site.example/b/"), base("https://base.site.example/b/")),
        *(base("mailto:a@b"), base("file:///x/"), base("ws://base.site.example/")),
    ),
    "base-uri http:": (BASE, OWN, base("https://base.site.example/b/"), base("ftp://base.site.example/b/")),
    "base-uri https:": (BASE, OWN, base("https://base.site.example/b/")),
    "base-uri ftp:": (BASE, base("ftp://base.site.example/b/")),
    "base-uri http://base.site.example": (BASE, base("https://base.site.example/b/")),
    "base-uri https://base.site.example": (BASE, base("https://base.site.example/b/")),
    "base-uri http://base.site.example/b/": (
        *(BASE, base("http://base.site.example/c/"), base("http://base.site.example/b/c/")),
        *(base("http://base.site.example/b"), base("http://base.site.example/%62/")),
    ),
    "base-uri http://base.site.example/b": (
        *(BASE, base("http://base.site.example/b"), base("http://base.site.example/b?q")),
    ),
    "base-uri http://base.site.example/%62/": (BASE,),
    "base-uri http://base.site.example:80": (BASE, base("https://base.site.example/")),
    "base-uri http://base.site.example:*": (BASE, base("http://base.site.example:8080/")),
    "base-uri base.site.example:443": (BASE, base("https://base.site.example/b/")),
    "base-uri": (BASE, OWN),
    "base-uri 'none' http://base.site.example": (BASE,),
    "base-uri 'self' 'none'": (BASE, OWN),
    "BASE-URI 'NONE'": (BASE,),
    "base-uri 'Self'": (BASE, OWN),
    "base-uri HTTP://BASE.SITE.EXAMPLE": (BASE,),
    "default-src 'self'; img-src *": (BASE,),
    "default-src 'none'; base-uri 'none'": (BASE,),
    "base-uri 'none'; base-uri *": (BASE,),
    "base-uri *; base-uri 'none'": (BASE,),
    "base-uri *, base-uri 'none'": (BASE,),
    "base-uri ,": (BASE,),
    "base-uri 'unsafe-inline'": (BASE,),
    "base-uri nonsense:": (BASE,),
    "base-uri'none'": (BASE,),
    "\tbase-uri\t'none'": (BASE,),
    ";;base-uri 'none'": (BASE,),
    "base-uri http://*:*": (BASE, OWN),
    "base-uri http://192.0.2.1": (base("http://192.0.2.1/"), BASE),
    "base-uri data:": (BASE, base("data:,x")),
}

#: Headers and markup
PLACES: tuple[tuple[tuple[tuple[str, str], ...], str], ...] = (
    (((f"{CSP}-Report-Only", "base-uri 'none'"),), BASE),
    ((("X-Content-Security-Policy", "base-uri 'none'"),), BASE),
    (((CSP, "base-uri *"), (CSP, "base-uri 'none'")), BASE),
    (((CSP, "base-uri 'self'"),), BASE + OWN),
    (((CSP, "base-uri 'self'"),), OWN + BASE),
    ((), f"<meta http-equiv={CSP}-Report-Only content=\"base-uri 'none'\">{BASE}"),
    ((), BASE + NONE),
    ((), BASE + NONE + SECOND),
    ((), f"<body><p>{NONE}{BASE}"),
    ((), f"<noscript>{NONE}</noscript>{BASE}"),
    ((), f"<template>{NONE}</template>{BASE}"),
    ((), f"<svg>{NONE}</svg>{BASE}"),
    ((), f"<meta http-equiv=' {CSP} ' content=\"base-uri 'none'\">{BASE}"),
    ((), f"<meta http-equiv=content-security-policy content=\"base-uri 'none'\">{BASE}"),
    ((), f"<meta http-equiv={CSP} content=''>{BASE}"),
    ((), f"<meta http-equiv={CSP} content=\" base-uri 'none' \">{BASE}"),
    ((), f"<meta http-equiv={CSP} content='base-uri *'>{NONE}{BASE}"),
    ((), f"<meta name={CSP} content=\"base-uri 'none'\">{BASE}"),
    ((), f"<meta http-equiv=X-WebKit-CSP content=\"base-uri 'none'\">{BASE}"),
    ((), f"<head>{NONE}</head><body><p>{BASE}"),
    ((), f"<head></head>{NONE}{BASE}"),
    ((), f"<p>{NONE}{BASE}"),
    ((), f"<head>{NONE}{BASE}</head><frameset>{FRAME}</frameset>"),
)

FRAMESETS = (
    f"<frameset>{OWN}{FRAME}</frameset>",
    f"<frameset>{FRAME}{OWN}</frameset>",
    f"<frameset>{FRAME}</frameset>{OWN}",
    f"<html><frameset>{FRAME}</frameset></html>{OWN}",
    f"<frameset><noframes>{OWN}</noframes>{FRAME}</frameset>",
    f"<head><noframes>{OWN}</noframes></head><frameset>{FRAME}</frameset>",
    f"<frameset>{FRAME}</frameset><noframes>{OWN}</noframes>",
    f"<head>{OWN}</head><frameset>{FRAME}</frameset>",
    f"<head></head>{OWN}<frameset>{FRAME}</frameset>",
    f"<frameset><div>{OWN}</div>{FRAME}</frameset>",
    f"<frameset>{FRAME}</frameset><div>{OWN}</div>",
    f"<frameset>{FRAME}<p>{OWN}</p>",
    f"<frameset><frameset>{OWN}{FRAME}</frameset>{OWN}</frameset>",
    f"<frameset></frameset>{FRAME}{OWN}",
    f"<frameset><svg>{OWN}</svg>{FRAME}</frameset>",
    f"<frameset><template>{OWN}</template>{FRAME}</frameset>",
    f"<frameset><script>{OWN}</script>{FRAME}</frameset>",
    f"<frameset><style>{OWN}</style>{OWN}{FRAME}</frameset>",
    f"<frameset><!-- {OWN} --></frameset>{FRAME}{OWN}",
    f"<div>{OWN}</div><frameset>{FRAME}</frameset>",
    f"<p>{OWN}<frameset>{FRAME}</frameset>",
    f"<p> {OWN} <frameset>{FRAME}</frameset>",
    f"<p>a{OWN}<frameset>{FRAME}</frameset>",
    f"a{OWN}<frameset>{FRAME}</frameset>",
    f"<body>{OWN}<frameset>{FRAME}</frameset>",
    f"<br>{OWN}<frameset>{FRAME}</frameset>",
    f"<table>{OWN}</table><frameset>{FRAME}</frameset>",
    f"<input type=hidden>{OWN}<frameset>{FRAME}</frameset>",
    f"<input>{OWN}<frameset>{FRAME}</frameset>",
    f"<svg>{OWN}</svg><frameset>{FRAME}</frameset>",
    f"<p>a{FRAME}{OWN}",
    f"<frameset>{OWN}<img src=k><iframe src=k></iframe>{FRAME}</frameset>",
    f"<frameset><meta http-equiv=refresh content='0;url=r'>{FRAME}</frameset>",
)

HTTP_EQUIVS = (
    *("refresh", " refresh ", "refresh ", " refresh", "refresh\n", "REFRESH", "refre&#115;h", "refresh;", "refresh,x"),
    *("refre\u017fh", "\u00a0refresh", ""),
)
#: None that leads to the page itself, which would never come to rest
REFRESHES = (
    *("0;url=x", " 0 ; url = x ", "0;x", "0,x", "0 x", "0x", ".5;url=x", ".;url=x", "-1;url=x", ";url=x", "url=x"),
    *(
        "+0;url=x",
        "0;url='x",
        "0;url=&quot;x&quot;y",
        "0;url=javascript:0",
        "0;URL=x",
        "0;urlx",
        "0;url x",
        "\n0;url=x",
    ),
    *("0.9.9;url=x", "0;;url=x", "0;url==x", "0;url=&#9;x", "0; url=' x '"),
)

BASES = (
    *(
        "http://[",
        "//[",
        "http://b.example:99999/",
        "data:,x",
        "javascript:0",
        "java\tscript:0",
        "mailto:a@b",
        "foo:bar",
    ),
    *("foo://h/p/", "file:///C:/b/", "file:///C|/b/", "file://h/s/", "about:blank", "blob:http://x/y", "", "#f", "?q"),
    *(
        "../x/",
        "http:b/",
        "http:///b/",
        "//base.site.example",
        "\\\\base.site.example\\b\\",
        "ht\ttp://base.site.example/",
    ),
    " http://base.site.example/b/ ",
)
REFRESH = "<meta http-equiv=refresh content='0;url=r'>"
LINKS = "<a href=x></a><a href=/y></a><a href=//z.example/></a><a href='#f'></a><a href=''></a><a href='?q'></a>"

#: Positions of BASE in the tree
TREES = (
    "<svg>%s</svg>",
    "<svg><foreignObject>%s</foreignObject></svg>",
    "<math>%s</math>",
    "<math><mi>%s</mi></math>",
    "<template>%s</template>",
    "<template><template>%s</template></template>",
    "<div><template shadowrootmode=open>%s</template></div>",
    "<select>%s</select>",
    "<select><option>%s</select>",
    "<table>%s</table>",
    "<table><tr><td>%s</table>",
    "<table><colgroup>%s</table>",
    "<table><caption>%s</table>",
    "<title>%s</title>",
    "<textarea>%s</textarea>",
    "<iframe>%s</iframe>",
    "<xmp>%s</xmp>",
    "<noembed>%s</noembed>",
    "<object>%s</object>",
    "<!-- %s -->",
    "<html><body></body></html>%s",
    "<div hidden>%s</div>",
    "<button>%s</button>",
    "<p>%s</p>",
)

NOSCRIPTS = (
    f"<noscript>{BASE}</noscript>{LINK}",
    f"<noscript>{BASE}</noscript>{SECOND}{LINK}",
    f"<noscript><base target=_top></noscript>{SECOND}{LINK}",
    f"<noscript><p>{BASE}</noscript>{LINK}",
    f"<noscript>{NONE}</noscript>{BASE}{LINK}",
    f"<svg><noscript>{BASE}</noscript></svg>{LINK}",
    f"<table><noscript>{BASE}</noscript></table>{LINK}",
)


def _policies() -> Iterator[tuple[str, Case]]:
    for policy, elements in POLICIES.items():
        for element in elements:
            yield "csp-header", Case(f"{element}{LINK}", ((CSP, policy),), scripts=True)
            yield "csp-meta", Case(f'<meta http-equiv={CSP} content="{policy}">{element}{LINK}', scripts=True)
    for headers, html in PLACES:
        yield "csp-place", Case(f"{html}{LINK}", headers, scripts=True)


def _refreshes() -> Iterator[tuple[str, Case]]:
    for name in HTTP_EQUIVS:
        yield "http-equiv", Case(f'<meta http-equiv="{name}" content="0;url=r">{LINK}', scripts=True)
    for content in REFRESHES:
        yield "refresh", Case(f'{OWN}<meta http-equiv=refresh content="{content}">', scripts=True)
    for html in (f"{OWN}{REFRESH}", f"{REFRESH}{OWN}", f"<body><p>{REFRESH}{OWN}"):
        yield "refresh", Case(html, scripts=True)


def _noscripts() -> Iterator[tuple[str, Case]]:
    for before in ("", "<body><p>"):
        for html in NOSCRIPTS:
            for scripts in (True, False):
                yield "noscript", Case(f"{before}{html}", scripts=scripts)
        yield "noscript", Case(f"{before}<noscript>{REFRESH}</noscript>{LINK}", scripts=True)


def _pages() -> Iterator[tuple[str, Case]]:
    yield from _policies()
    yield from (("frameset", Case(html, scripts=True)) for html in FRAMESETS)
    yield from _refreshes()
    yield from (("base-value", Case(f"{base(href)}{SECOND}{LINKS}", scripts=True)) for href in BASES)
    yield from (("base-place", Case(f"{tree % BASE}{LINK}")) for tree in TREES)
    yield from _noscripts()


#: Each with the group that it belongs to
PAGES = tuple((group, case._replace(html=f"<!DOCTYPE html>{case.html}")) for group, case in _pages())
