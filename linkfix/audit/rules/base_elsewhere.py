"""BASE makes links that are a fragment alone leave the page.

`<a href="#top">` is resolved against BASE like every other reference: where BASE is not the page's own URL, the link
loads another page instead of scrolling this one. (SVG's `use href="#x"` and CSS's `url(#x)` stay on the page.)

Fails::

    <base href="https://host.example/docs/"><a href="#top">to the top</a>

Passes::

    <base href="https://host.example/docs/"><a href="other.html#top">other</a>
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from linkfix.audit.model import Hint, Level
from linkfix.audit.page_document import PageDocument
from linkfix.audit.pages import deciding_base
from linkfix.audit.rule import Issue, Page
from linkfix.display import counted

__all__ = ["CODE", "LEVEL", "check_page"]

CODE = "LF207"
LEVEL = Level.NOTE

_HINT = Hint("write the page's own name before the fragment")


def check_page(page: Page) -> Iterator[Issue]:
    """Report a BASE that takes links with a fragment alone to another page."""
    tag = deciding_base(page.document)
    if tag is None:
        return
    own = page.url.partition("#")[0]
    numbers = _numbers(page.document)
    leaving = [
        link
        for link in page.document.links_of(numbers)
        if link.role == "hyperlink" and link.target is not None and link.target.partition("#")[0] != own
    ]
    if leaving:
        links = counted(len(leaving), "link")
        message = f"BASE takes {links} with a fragment alone to another page, the first in line {leaving[0].line}"
        yield Issue(message, _HINT, tag.href, tag.href_span)


def _numbers(document: PageDocument) -> list[int]:
    """The records of references that begin with "#"."""
    same = (numbers for raw, numbers in document.reference_index.references.items() if raw.lstrip().startswith(b"#"))
    return sorted(chain.from_iterable(same))
