"""BASE comes after elements whose references it changes.

BASE governs the references before it too, but a browser may have begun to load them by the page's own URL, and loads
them twice or in vain. A refresh, an import map, speculation rules and a srcdoc document are read as soon as they are
met, and keep the earlier base. HTML §4.2.3: BASE comes before all other elements with attributes that take URLs.

Fails::

    <link rel="stylesheet" href="other.html"><base href="https://host.example/docs/">

Passes::

    <base href="https://host.example/docs/"><link rel="stylesheet" href="other.html">

Passes::

    <link rel="stylesheet" href="https://host.example/style.css"><base href="https://host.example/docs/">
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, takewhile

from linkfix.audit.model import Hint, Level
from linkfix.audit.page_document import PageDocument
from linkfix.audit.pages import deciding_base
from linkfix.audit.rule import Issue, Page
from linkfix.display import counted
from linkfix.model import Link
from linkfix.resolvers import resolve

__all__ = ["CODE", "LEVEL", "check_page"]

CODE = "LF204"
LEVEL = Level.WARNING

#: Syntaxes in which a fragment alone always means the page itself (SVG 2 §16.1.2, CSS Values 4 §4.5).
_LOCAL = frozenset({"local-url", "css"})
_HINT = Hint("make BASE the first element of the head, after the meta that gives the encoding")


def check_page(page: Page) -> Iterator[Issue]:
    """Report a BASE before which there are references that another base would give another target."""
    document = page.document
    tag = deciding_base(document)
    if tag is None:
        return
    late: list[Link] = []
    keeping: list[Link] = []
    for link in takewhile(lambda link: link.start < tag.start, _links(document)):
        if _depends(document, link):
            (late if link.base == document.document_base.url else keeping).append(link)
    for links, what in ((late, "it changes"), (keeping, "it leaves to an earlier base")):
        if links:
            references = counted(len(links), "reference")
            message = f"BASE comes after {references} that {what}, the first in line {links[0].line}"
            yield Issue(message, _HINT, tag.href, tag.href_span)


def _links(document: PageDocument) -> Iterator[Link]:
    """The links in document order, each found when it is asked for."""
    survey = document.reference_index
    return document.links_of(sorted(chain(survey.others, *survey.references.values())))


def _depends(document: PageDocument, link: Link) -> bool:
    """Whether the base that a link did not get would give it another target."""
    base = document.document_base
    is_local = link.syntax in _LOCAL and link.reference[:1] in {"#", ""}
    if link.role == "base" or is_local or link.base not in {base.url, base.fallback}:
        return False
    other = base.fallback if link.base == base.url else base.url
    return other is None or resolve(other, link.reference).target != link.target
