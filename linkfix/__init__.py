"""Establishes an HTML document's base URL and makes every link absolute by changing only the bytes of the link.

>>> import linkfix
>>> linkfix.absolutize(b'<a href="../x">', url="https://example.com/dir/page.html")
b'<a href="https://example.com/x">'
>>> print(linkfix.base_url('<base href="/docs/">', url="https://example.com/page.html").url)
https://example.com/docs/

Names are imported when they are first used, so that a command that needs no engine starts at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkfix.lazy import lazily

if TYPE_CHECKING:
    from linkfix.api import absolutize, base_url, links, rewrite
    from linkfix.document.document import Document
    from linkfix.errors import InvalidBase, InvalidOption, LinkfixError, UnknownCharset, UnknownSpec
    from linkfix.hooks import absolutize_tree
    from linkfix.html.compiled import COMPILED
    from linkfix.model import (
        PROBLEMS,
        Base,
        Candidate,
        Conversion,
        Envelope,
        Layer,
        Link,
        Options,
        Problem,
        Resolution,
        Row,
    )
    from linkfix.resolvers import resolve
    from linkfix.resolvers.urljoin import urljoin

__all__ = [
    "COMPILED",
    "PROBLEMS",
    "Base",
    "Candidate",
    "Conversion",
    "Document",
    "Envelope",
    "InvalidBase",
    "InvalidOption",
    "Layer",
    "Link",
    "LinkfixError",
    "Options",
    "Problem",
    "Resolution",
    "Row",
    "UnknownCharset",
    "UnknownSpec",
    "__version__",
    "absolutize",
    "absolutize_tree",
    "base_url",
    "links",
    "resolve",
    "rewrite",
    "urljoin",
]

__version__ = "0.1.0"

_MODULES = {
    "linkfix.api": "absolutize base_url links rewrite",
    "linkfix.errors": "InvalidBase InvalidOption LinkfixError UnknownCharset UnknownSpec",
    "linkfix.html.compiled": "COMPILED",
    "linkfix.resolvers.urljoin": "urljoin",
    "linkfix.model": "PROBLEMS Base Candidate Conversion Envelope Layer Link Options Problem Resolution Row",
    "linkfix.resolvers": "resolve",
    "linkfix.hooks": "absolutize_tree",
    "linkfix.document.document": "Document",
}
__getattr__, __dir__ = lazily(__name__, _MODULES)
