"""A page that is served by https: uses something by http:.

Browsers block scripts, style sheets, frames, fonts and image candidates of a srcset; images, audio and video they fetch
by https: instead (Mixed Content §4.1, §4.4), and where that fails these are missing too. Before a form is sent without
encryption they warn. Hyperlinks are no fault, nor is what is on the reader's own machine.

Fails::

    <script src="http://elsewhere.example/x.js"></script>

Fails::

    <link rel="stylesheet" href="http://elsewhere.example/x.css">

Passes::

    <script src="//elsewhere.example/x.js"></script>

Passes::

    <link rel="canonical" href="http://elsewhere.example/page.html">
"""

from __future__ import annotations

import re

from linkfix.audit.model import Hint, Level
from linkfix.audit.rule import Issue, Seen
from linkfix.html.tokenizer import attributes
from linkfix.urls import strip_url

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF401"
LEVEL = Level.WARNING

#: Mixed Content §3.1: requests whose destination is image, audio or video, and whose initiator is not imageset.
_UPGRADED = frozenset({"audio", "feimage", "image", "img", "input", "source", "video"})
#: An address is not upgraded (Mixed Content §4.1).
_ADDRESS = re.compile(r"http://(?:[0-9.]+|\[[^\]]*\])(?=[:/?#]|\Z)")
#: Potentially trustworthy, and so not mixed content (Secure Contexts §3.1).
_OWN_MACHINE = re.compile(r"http://(?:(?:[^/?#]*\.)?localhost|127\.[0-9.]+|\[::1\])(?=[:/?#]|\Z)")
#: HTML §4.6.7: the link types that fetch something for the page.
_FETCHED = frozenset(
    {"apple-touch-icon", "icon", "manifest", "mask-icon", "modulepreload", "prefetch", "preload", "stylesheet"}
)
#: How far before its reference a LINK element's tag is looked for, in bytes.
_NEAR = 2048


def check_link(seen: Seen) -> Issue | None:
    """Report http: where the page is https:."""
    link = seen.link
    target = link.target or ""
    if not target.startswith("http:") or link.role not in {"resource", "form"} or not seen.page.site.known:
        return None
    if not seen.page.url.startswith("https:") or _OWN_MACHINE.match(target):
        return None
    if link.element == "link" and _FETCHED.isdisjoint(_relations(seen)):
        return None
    text = strip_url(link.reference)
    hint = Hint("use https: if the host has it", f"https{text[4:]}") if text[:5].lower() == "http:" else None
    return Issue(_message(seen, target), hint)


def _message(seen: Seen, target: str) -> str:
    link = seen.link
    if link.role == "form":
        return "the page is served by https: and its form is sent by http:, of which browsers warn"
    if link.syntax == "css":
        return "the page is served by https: and this is fetched by http:, which browsers block, or upgrade for images"
    upgraded = link.element in _UPGRADED and link.syntax != "srcset" and not _ADDRESS.match(target)
    done = "upgrade to https:" if upgraded else "block"
    return f"the page is served by https: and this is fetched by http:, which browsers {done}"


def _relations(seen: Seen) -> frozenset[str]:
    """The words of the rel attribute of the tag that a reference stands in; none where the tag is not found."""
    data, start = seen.page.document.source.data, seen.link.start
    begin = max(0, start - _NEAR)
    tag_start = data[begin:start].lower().rfind(b"<link")
    if tag_start < 0:
        return frozenset()
    found = {one.name: one for one in reversed(list(attributes(data, begin + tag_start)))}
    href, rel = found.get("href"), found.get("rel")
    if rel is None or href is None or not href.start <= start <= href.end:
        return frozenset()
    return frozenset(data[rel.start : rel.end].decode("ascii", "replace").lower().split())
