"""The query has characters outside ASCII, in a page that is not in UTF-8.

Browsers encode a query with the page's encoding (URL standard §4.4, query state): converting the page changes what is
sent, and other programs send it in UTF-8 at once. In a page in UTF-8 or UTF-16 it is UTF-8 always.

Fails::

    <meta charset="windows-1252"><a href="other.html?q=Gruß">bytes of windows-1252</a>

Passes::

    <meta charset="utf-8"><a href="other.html?q=Gruß">bytes of UTF-8</a>

Passes::

    <meta charset="windows-1252"><a href="other.html?q=Gru%DF">percent-encoded</a>
"""

from __future__ import annotations

from linkfix.audit.model import Hint, Level
from linkfix.audit.references import ReadingKind, is_placeholder, reading, same_target, special_scheme
from linkfix.audit.rule import Issue, Seen
from linkfix.resolvers.encoders import percent_encode_query
from linkfix.schemes.uses import QUERY_IN_DOCUMENT_ENCODING

__all__ = ["CODE", "LEVEL", "check_link"]

CODE = "LF311"
LEVEL = Level.WARNING


def check_link(seen: Seen) -> Issue | None:
    """Report a query whose bytes depend on the page's encoding."""
    link = seen.link
    encoding = seen.page.document.encoding.name
    before, mark, after = link.reference.partition("?")
    query, crosshatch, fragment = after.partition("#")
    if encoding == "utf-8" or not mark or query.isascii() or "#" in before or link.problem or is_placeholder(link):
        return None
    if special_scheme(link) not in QUERY_IN_DOCUMENT_ENCODING or reading(seen).kind is ReadingKind.MISSPELT:
        return None
    written = query.encode("utf-8", "replace").decode()
    encoded = percent_encode_query(written, encoding)
    reference = f"{before}?{encoded}{crosshatch}{fragment}"
    if encoded == percent_encode_query(written, "utf-8") or not same_target(seen, reference):
        return None  # a style attribute's queries are in UTF-8, as are those of srcdoc documents
    return Issue(
        f"the query has characters that are sent in {encoding}, the page's encoding, and by other programs in UTF-8",
        Hint("write the percent-encoded form that browsers send", reference, certain=True),
    )
