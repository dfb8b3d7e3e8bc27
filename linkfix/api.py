"""The functions of the library: one line each around `Document`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Unpack

from linkfix.document.document import Document
from linkfix.model import Base, DocumentFields, Html, Link


def absolutize(html: Html, url: str | None = None, **options: Unpack[DocumentFields]) -> Html:
    """`html` with every link absolute; the same type as came in, and nothing changed but the bytes of the links.

    `url` is the retrieval URL, after redirects. Further keywords are those of `Document` (`charset`, `media_type`,
    `default_base`, `content_security_policy`, `envelope`) and the fields of `Options` (`spec`, `fragments`, `lazy`, …).
    Raises a LinkfixError for a caller's mistake, and nothing for a document's.

    >>> absolutize('<img src=a.png srcset="b.png 2x, c.png">', url="https://example.com/x/")
    '<img src=https://example.com/x/a.png srcset="https://example.com/x/b.png 2x, https://example.com/x/c.png">'
    """
    return Document(html, url=url, **options).absolutize()


def base_url(html: bytes | str, url: str | None = None, **options: Unpack[DocumentFields]) -> Base:
    """The document's base URL: `.url`, the `.layer` that gave it, who was `.rejected` and why; `str()` explains it.

    >>> print(base_url('<base href="data:,x">', url="https://example.com/"))
    https://example.com/  [retrieval: retrieval URL]
      not 'data:,x'  [embedded: line 1, column 1]: a data: URL cannot be a base
    """
    return _document(html, url, options).base


def links(html: bytes | str, url: str | None = None, **options: Unpack[DocumentFields]) -> list[Link]:
    """Every link of the document, in document order: see `Link`.

    >>> [link.target for link in links('<a href="?x=1">', url="https://example.com/p")]
    ['https://example.com/p?x=1']
    """
    return _document(html, url, options).links


def rewrite(
    html: Html,
    replace: Callable[[Link], str | None],
    url: str | None = None,
    **options: Unpack[DocumentFields],
) -> Html:
    """`html` with the reference of each link replaced by what `replace(link)` returns; None leaves it as it is.

    >>> rewrite('<a href="x?b&amp;c">', lambda link: link.reference + "&d")
    '<a href="x?b&amp;c&amp;d">'
    """
    return Document(html, url=url, **options).rewrite(replace)


def _document(html: bytes | str, url: str | None, options: DocumentFields) -> Document[bytes] | Document[str]:
    """The document of either type: a union is neither of those that `Document` is generic over."""
    if isinstance(html, str):
        return Document(html, url=url, **options)
    return Document(html, url=url, **options)
