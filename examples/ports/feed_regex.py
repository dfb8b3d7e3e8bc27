"""A site's feed: the HTML of its entries, by an expression."""

import re

import linkfix


def before(html: str, url: str) -> str:
    root = re.match(r"https?://[^/]+", url)
    return re.sub(r"""(href|src)=(["'])/(?!/)""", rf"\1=\2{root[0] if root else ''}/", html)


def after(html: str, url: str) -> str:
    return linkfix.absolutize_fragment(html, url, fragments="absolutize")
