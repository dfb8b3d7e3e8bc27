"""Documents with NOSCRIPT and BASE."""

from __future__ import annotations

__all__ = ["BASE", "DOCUMENTS", "PIECES"]

BASE = "<base href=/b/>"

#: A document, and the path of its base without and with scripts; "" for the document's own URL.
DOCUMENTS = {
    f"<noscript>{BASE}</noscript>": ("/b/", ""),
    f"<head><noscript>{BASE}</noscript></head>": ("/b/", ""),
    f"<p><noscript>{BASE}</noscript>": ("/b/", ""),
    f"<noscript>{BASE}": ("/b/", ""),
    f"<noscript><base href=/n/></noscript>{BASE}": ("/n/", "/b/"),
    f"<NoScript><p title='</noscript>{BASE}": ("", "/b/"),
    f"<noscript><!--</noscript>{BASE}-->": ("", "/b/"),
    f"<noscript><style></noscript>{BASE}</style>": ("", "/b/"),
    f"<p><noscript><script></noscript>{BASE}</script>": ("", "/b/"),
    f"<p><noscript><svg></noscript>{BASE}": ("/b/", "/b/"),
    f"<p><noscript><template></noscript>{BASE}": ("", "/b/"),
    f"<p><noscript><plaintext></noscript>{BASE}": ("", "/b/"),
    f"<p><noscript><noscript></noscript>{BASE}</noscript>": ("/b/", "/b/"),
    f"<p><noscript></noscripts>{BASE}</noscript/>": ("/b/", ""),
    f"<template><noscript><template></noscript></template>{BASE}": ("", "/b/"),
    f"<template><noscript></template>{BASE}</noscript></template>": ("/b/", ""),
    f"<svg><noscript><foreignobject>{BASE}": ("/b/", "/b/"),
    f"<svg><foreignobject><noscript>{BASE}": ("/b/", ""),
    f"<svg><noscript>{BASE}</noscript></svg>": ("", ""),
}

#: Pieces of random documents.
PIECES = [
    *("<a href=x>", "</a>", BASE, "<svg>", "</svg>", "<math><mi>", "<template>", "</template>", "<p>", "</p>", "text"),
    *("<style>", "</style>", "<title>", "<script>", "</script>", "<plaintext>", "<!--", "-->", "<![CDATA[", "]]>"),
    *("<a href='", "'>", '"', "<noscript>", "<img src=y>", "<head>", "</head>", "<body>", "<form>", "</form>"),
    *("</svg ", "<a ", "<x", "</p", "<foreignobject>", "<iframe>", "</noscripts>", "<select>", "<", " ", "\0", "é"),
]
