"""The functions of the library: one line each around `Document`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Unpack

from linkfix.document.base import URL_NEEDED
from linkfix.document.document import Document
from linkfix.document.relocation import UrlMoves, relative_to
from linkfix.errors import DocumentProblem
from linkfix.model import REMEDIES, Base, DocumentFields, Html, Link, Problem


def absolutize(html: Html, url: str | None = None, *, strict: bool = False, **options: Unpack[DocumentFields]) -> Html:
    """Return `html` with every link absolute. The type stays, and only the bytes of the links change.

    `url`: the retrieval URL, after redirects. `strict`: raise DocumentProblem if the document has a problem, such as a
    relative link without a base URL. `options`: the keywords of `Document` (`charset`, `media_type`, `default_base`,
    `content_security_policy`, `envelope`) and the fields of `Options` (`spec`, `fragments`, `lazy`, …). Raises a
    LinkfixError for a caller's mistake. Without `strict`, a fault of the document raises nothing.

    >>> absolutize('<img src=a.png srcset="b.png 2x, c.png">', url="https://example.com/x/")
    '<img src=https://example.com/x/a.png srcset="https://example.com/x/b.png 2x, https://example.com/x/c.png">'
    """
    document = Document(html, url=url, **options)
    if not strict:
        return document.absolutize()
    made = document.convert()
    _refuse(made.problems)
    return made.data


def absolutize_fragment(html: Html, url: str, *, strict: bool = False, **options: Unpack[DocumentFields]) -> Html:
    """Return `html`, a piece of a page, with every link absolute: a feed's entry, a product text, the body of a mail.

    A piece has no head. So by default, its BASE elements do not count (`base_element="ignore"`), and bytes without a
    byte order mark are in UTF-8, whatever a META element says. `url`: the URL of the page that the piece belongs to.
    `strict`, `options`: see `absolutize`; `fragments="absolutize"` is for pieces that are read elsewhere: `#x` then
    leads to the page.

    >>> absolutize_fragment('<base href="/b/"><td background=x><a href="#y">', "https://example.com/p")
    '<base href="/b/"><td background=https://example.com/x><a href="#y">'
    """
    fields: DocumentFields = {"base_element": "ignore", "charset": "utf-8"}
    fields.update(options)
    return absolutize(html, url, strict=strict, **fields)


def relativize(
    html: Html,
    url: str,
    *,
    strict: bool = False,
    **options: Unpack[DocumentFields],
) -> Html:
    """Return `html` with links relative to its own place: the inverse of `absolutize`. All other links become absolute.

    `url`: the retrieval URL. `options`: see `absolutize`. The option `locate` is a function that receives a target and
    returns the reference to write, relative to the document, or None for a link that becomes absolute. By default,
    links to the same host become relative URLs. A BASE element loses its href. The canonical link, and URLs for other
    sites to use, stay absolute: see `Options.locate`. `strict`: see `absolutize`.

    >>> relativize('<a href="https://example.com/x/y?z">', url="https://example.com/a/b")
    '<a href="../x/y?z">'
    """
    fields: DocumentFields = {"base_element": "drop-href", "locate": relative_to(url)}
    fields.update(options)
    return absolutize(html, url, strict=strict, **fields)


def move(
    html: Html,
    moves: Mapping[str, str],
    url: str | None = None,
    *,
    strict: bool = False,
    **options: Unpack[DocumentFields],
) -> Html:
    """Return `html` with links to the new URLs of pages and folders that move. Each link keeps its form.

    `moves`: the new URL of each old URL, http or https; a URL stands for all URLs in it as a folder. `url`: the old URL
    of the document; without it, only absolute links and links without a scheme change. `strict`, `options`: see
    `absolutize`. Raises InvalidOption for URLs that cannot move.

    >>> move('<a href="/docs/a"><a href="/docs2">', {"https://old.example/docs": "https://old.example/manual"},
    ...      url="https://old.example/docs/index.html")
    '<a href="/manual/a"><a href="/docs2">'
    """
    options["move"] = UrlMoves(moves)
    return absolutize(html, url, strict=strict, **options)


def base_url(html: bytes | str, url: str | None = None, **options: Unpack[DocumentFields]) -> Base:
    """The document's base URL: `.url`, the `.layer` that gave it, and the `.rejected` candidates with their reasons.
    `str()` explains it.

    >>> print(base_url('<base href="data:,x">', url="https://example.com/"))
    https://example.com/  [retrieval: retrieval URL]
      not 'data:,x'  [embedded: line 1, column 1]: a data: URL cannot be a base
    """
    return _document(html, url, options).base


def links(
    html: bytes | str, url: str | None = None, *, strict: bool = False, **options: Unpack[DocumentFields]
) -> list[Link]:
    """Every link of the document, in document order: see `Link`. `strict`: see `absolutize`.

    >>> [link.target for link in links('<a href="?x=1">', url="https://example.com/p")]
    ['https://example.com/p?x=1']
    """
    document = _document(html, url, options)
    if strict:
        _refuse(document.problems)
    return document.links


def hyperlinks(html: bytes | str, url: str | None = None, **options: Unpack[DocumentFields]) -> list[str]:
    """The targets of the links that people follow, in document order: `a`, `area`, refreshing metas, and links in SVG.

    Links without a target are left out, such as `http://[`. Targets of any scheme are in, and as often as the document
    has them. `options`: see `absolutize`.

    >>> hyperlinks('<link href=style.css><a href="?x=1"><img src=i><a href="http://["><a href=mailto:a@b.example>',
    ...            url="https://example.com/p")
    ['https://example.com/p?x=1', 'mailto:a@b.example']
    """
    return [link.target for link in links(html, url, **options) if _is_followed(link) and link.target is not None]


def _is_followed(link: Link) -> bool:
    """Whether people follow a link. Browsers only notify the URLs in `ping`."""
    return link.role == "hyperlink" and link.attribute != "ping"


def rewrite(
    html: Html,
    replace: Callable[[Link], str | None],
    url: str | None = None,
    *,
    strict: bool = False,
    **options: Unpack[DocumentFields],
) -> Html:
    """Return `html` with the reference of each link replaced by the result of `replace(link)`; None leaves it as it is.

    `strict`: see `absolutize`. `replace` is then called only for a document without problems.

    >>> rewrite('<a href="x?b&amp;c">', lambda link: link.reference + "&d")
    '<a href="x?b&amp;c&amp;d">'
    """
    document = Document(html, url=url, **options)
    if strict:
        _refuse(document.problems)
    return document.rewrite(replace)


def _document(html: bytes | str, url: str | None, options: DocumentFields) -> Document[bytes] | Document[str]:
    """Make a document of either type: `Document` is generic over bytes and str, not over their union."""
    if isinstance(html, str):
        return Document(html, url=url, **options)
    return Document(html, url=url, **options)


#: The names of the arguments that can solve a problem of a document.
_ARGUMENTS = frozenset({"url", *DocumentFields.__annotations__})


def _refuse(problems: tuple[Problem, ...]) -> None:
    """Raise the error for the problems of a document, if it has any."""
    if problems:
        first = problems[0]
        names = REMEDIES.get("no-base" if first.message.endswith(URL_NEEDED) else first.code, ())
        raise DocumentProblem.of(problems, [name for name in names if name in _ARGUMENTS])
