"""LF701 and LF702: references that work on the author's computer, and fail where the site is published."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from linkfix.auditing.interpretation import is_error_page, is_own_address, is_relative_path, is_root_relative
from linkfix.auditing.model import FindingLevel, Hint
from linkfix.auditing.page_document import PageDocument, effective_base
from linkfix.auditing.private_hosts import PrivateHost, private_host_of
from linkfix.auditing.rule import AuditedLink, AuditedPage, Issue, LinkTraits, link_rule, page_rule
from linkfix.auditing.site import FAILING, DestinationKind
from linkfix.auditing.suggestions import reference_to
from linkfix.kernels.tokenizer import tag_end
from linkfix.lazy import lazy_pattern
from linkfix.model import Link
from linkfix.urls import strip_url

#: The end of an A element, and the number of bytes after the tag that are searched for it.
_END = lazy_pattern(rb"</[Aa][\t\n\f\r />]")

_LONGEST_TEXT = 2000

_TAG = lazy_pattern(rb"<[^>]*>")


def _is_elsewhere(link: LinkTraits) -> bool:
    return link.kind is DestinationKind.EXTERNAL


@link_rule("LF701", FindingLevel.WARNING, reports_hosts=True, concerns=_is_elsewhere)
def private_host(audited: AuditedLink) -> Issue | None:
    """The host of the reference is the reader's own computer, or a host that the public cannot reach.

    Such references get into a site by a development server, or by a link that was copied from an address bar. The rule
    knows loopback, private and link-local addresses in any form (RFC 1122, RFC 1918, RFC 4193: `http://0x7f.1/`), the
    names `localhost`, `*.localhost`, `*.local`, `*.test`, `*.invalid`, `*.home.arpa` and `*.internal` (RFC 6761,
    RFC 6762, RFC 8375), and names without a dot.

    A hyperlink whose text shows the host, as in instructions, is not reported: readers know that they open it
    themselves. `--allow-host localhost:3000` allows a host. The host of `--root-url` is the site's own. If that is a
    host of a private network, other such hosts are not reported. Archives are not checked.

    Fails::

        <a href="http://localhost:3000/docs/other.html">the other page</a>

    Fails::

        <img src="http://192.168.0.7/img.png" alt="">

    Fails::

        <script src="http://2130706433:35729/livereload.js"></script>

    Passes::

        <a href="http://localhost:3000/">Open localhost:3000</a> <code>http://localhost:3000/</code>

    Passes, in a site at http://localhost:3000/::

        <a href="http://localhost:3000/docs/other.html">the other page</a>
    """
    link, site = audited.link, audited.page.site
    if audited.destination.kind is not DestinationKind.EXTERNAL or site.is_captured:
        return None
    private = private_host_of(link.target)
    is_own = (link.target or "").startswith(f"{site.origin}/")  # a redirect leads to another site
    if private is None or is_own or (link.element == "loc" and site.known):  # LF411 reports another host in a sitemap
        return None
    own = private_host_of(site.url) if site.known else None
    if own is not None and not own.is_own_computer and not private.is_own_computer:
        return None
    if link.role == "hyperlink" and _shows(audited, private):
        return None
    return Issue(f"the host {private.what}", _in_tree(audited, private), private.place)


def _shows(audited: AuditedLink, private: PrivateHost) -> bool:
    """Whether the text of a hyperlink contains its host, as written or as browsers read it."""
    document, link = audited.page.document, audited.link
    data, start = document.source.data, link.tag_start
    if start >= 0:
        if link.element != "a":
            return False
        first = tag_end(data, start)
        end = _END.search(data, first, first + _LONGEST_TEXT)
        text = _TAG.sub(b"", data[first : end.start()]) if end else b""
    elif document.kind == "markdown":
        before = data[max(link.start - _LONGEST_TEXT, 0) : link.start]
        if not before.endswith((b"(", b"(<", b": ", b":\t", b": <")):
            return True  # an autolink: its text is the address
        text = before[before.rfind(b"[") :] if before.endswith((b"](", b"](<")) else b""
    else:
        return False
    written = strip_url(link.reference).partition("//")[2].partition("/")[0].lower()
    shown = document.source.working.decode(text).lower()
    if "." not in private.host and not private.is_own_computer:  # the name may be any word
        return f"//{private.host}" in shown
    return private.host in shown or bool(written and written in shown)


def _in_tree(audited: AuditedLink, private: PrivateHost) -> Hint | None:
    """A hint at the file of the site that a reference to the reader's own computer names; None for no such file."""
    site = audited.page.site
    path = (audited.link.target or "").split("/", 3)[3:]
    place = site.destination(site.origin + "/" + path[0]) if path and private.is_own_computer else None
    if place is None or place.kind is not DestinationKind.FILE or place.mount or not path[0].strip("/"):
        return None
    return Hint(f"the site has a file {place.name}", reference_to(audited, place.name))


#: Text by which a script may set the base URL of a page.
_SETS_BASE = (b"<base", b"createElement('base'", b'createElement("base"', b"createElement(`base`")


@page_rule("LF702", FindingLevel.WARNING)
def relative_in_error_page(page: AuditedPage) -> Iterator[Issue]:
    """An error page has a relative reference.

    Hosts answer any missing address with `404.html` of the site's root: GitHub Pages, Netlify, Cloudflare Pages,
    Vercel, Firebase. The page keeps the missing address, so a relative reference has another target in each folder:
    `style.css` is `/a/style.css` at `/a/b`. Begin the reference with `/`, or the page with `<base href="/">`. The same
    holds for other error pages at the root (`500.html`, `50x.html`). Fragments and the page's own address are not
    reported, nor are references without a target, which have a finding of their own.

    With a known URL of the site, `--fix` writes the reference from the root of the host.

    Fails, as 404.html::

        <link rel="stylesheet" href="docs/style.css">

    Passes, as 404.html::

        <link rel="stylesheet" href="/docs/style.css"> <a href="#top">top</a>

    Passes, as 404.html::

        <base href="/"><link rel="stylesheet" href="docs/style.css">

    Passes, as docs/404.html::

        <link rel="stylesheet" href="style.css">
    """
    name, document, site = page.name, page.document, page.site
    if "/" in name or not is_error_page(name) or site.is_captured or document.kind != "html":
        return
    if _has_own_base(document):
        return
    survey = document.reference_index
    for link in document.links_of(sorted(chain(survey.others, *survey.references.values()))):
        if not _depends_on_page(link) or is_own_address(document, link):
            continue
        place = site.destination(link.target)
        if place.kind in FAILING or place.kind is DestinationKind.EXTERNAL:
            continue
        from_root = (link.target or "").removeprefix(site.origin)
        text = (
            "begin it at the root of the host"
            if site.known
            else "if the site is at the root of its host, begin it there"
        )
        hint = Hint(text, from_root, certain=site.known)
        message = "hosts show this page at any address, where a relative reference has another target"
        yield Issue(message, hint, name, link=link)


def _has_own_base(document: PageDocument) -> bool:
    """Whether the base URL of a page is the same at any address, or a script may set it."""
    tag = effective_base(document)
    if tag is not None:
        href = strip_url(tag.href)
        return href.startswith(("/", "\\")) or document.decider.resolver.is_absolute_reference(href)
    return any(text in document.source.data for text in _SETS_BASE)


def _depends_on_page(link: Link) -> bool:
    """Whether the folder of the page decides the target of a link."""
    reference = strip_url(link.reference)
    if link.target is None or link.role in {"base", "codebase", "document", "identifier"} or reference.startswith("?"):
        return False
    return is_relative_path(link) and not is_root_relative(reference.replace("\\", "/"))
